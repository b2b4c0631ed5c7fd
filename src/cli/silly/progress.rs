//! `silly progress`: the rows of the database, one command each (silly.md 4).

use super::super::{Context, Exit};
use super::error::Error;
use super::store::Store;
use super::tell;
use crate::report::silly::progress::{Changed, Initialised, Progress as Report, Validated, WithHistory};
use crate::silly::database::Rows;
use crate::silly::init::NewProject;
use crate::silly::progress::{self, History, Shown};
use crate::silly::rows::{Batch, Change};
use crate::silly::run::digits;
use crate::silly::stage::{Stage, Status};
use crate::silly::{Refused, layout};

/// Show and set where changes stand
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Progress {
    #[command(subcommand)]
    command: Command,
}

/// What all of them take.
#[derive(clap::Args)]
struct Common {
    /// The change; the only active one if it is not given
    #[arg(long, value_name = "NAME")]
    change: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Add a step at the end of a stage
    #[command(name = "add-step")]
    AddStep {
        /// The stage
        stage: String,
        /// The step
        name: String,
        #[command(flatten)]
        common: Common,
    },
    /// Keep the counts of a batch; those not given are 0
    Batch {
        #[arg(long, value_name = "N")]
        total: Option<i64>,
        #[arg(long, value_name = "N")]
        completed: Option<i64>,
        #[arg(long, value_name = "N")]
        failed: Option<i64>,
        #[arg(long, value_name = "N")]
        skipped: Option<i64>,
        #[command(flatten)]
        common: Common,
    },
    /// Complete a stage and its pending steps
    #[command(name = "complete-stage")]
    CompleteStage {
        /// The stage
        stage: String,
        #[command(flatten)]
        common: Common,
    },
    /// Make the database and the folders of this machine
    Init {
        #[command(flatten)]
        common: Common,
    },
    /// Empty a stage, a change, or all active changes
    Reset {
        /// Only this stage
        #[arg(long, value_name = "STAGE")]
        stage: Option<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Make a stage the current one
    #[command(name = "set-stage")]
    SetStage {
        /// The stage
        stage: String,
        #[command(flatten)]
        common: Common,
    },
    /// Show changes with their stages and steps
    Show {
        #[command(flatten)]
        common: Common,
    },
    /// Show where the active changes stand
    Status {
        #[command(flatten)]
        common: Common,
    },
    /// Set a step
    #[command(name = "update-step")]
    UpdateStep {
        /// The stage
        stage: String,
        /// The step
        name: String,
        /// pending, in-progress, completed, failed or blocked
        #[arg(long, value_name = "STATUS")]
        status: String,
        /// What came of it
        #[arg(long, value_name = "TEXT")]
        output: Option<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Check the stages and the version
    Validate {
        #[command(flatten)]
        common: Common,
    },
}

impl Progress {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match self.command {
            Command::Init { common } => tell(ctx, common.json, init(ctx)),
            Command::Show { common } => tell(ctx, common.json, show(ctx, &common, false)),
            Command::Status { common } => tell(ctx, common.json, show(ctx, &common, true)),
            Command::Validate { common } => tell(ctx, common.json, validate(ctx, &common)),
            Command::SetStage { stage, common } => {
                change(ctx, &common, Some(&stage), |rows, change, stage, now| {
                    progress::set_stage(rows, change, stage, now)
                })
            }
            Command::AddStep { stage, name, common } => {
                change(ctx, &common, Some(&stage), |rows, change, stage, now| {
                    progress::add_step(rows, change, stage, &name, now)
                })
            }
            Command::UpdateStep {
                stage,
                name,
                status,
                output,
                common,
            } => change(ctx, &common, Some(&stage), |rows, change, stage, now| {
                let status = Status::settable(&status).ok_or(Refused::UnknownStatus(status))?;
                progress::update_step(rows, change, stage, &name, status, output.as_deref(), now)
            }),
            Command::CompleteStage { stage, common } => {
                tell(ctx, common.json, complete(ctx, &common, &stage))
            }
            Command::Batch {
                total,
                completed,
                failed,
                skipped,
                common,
            } => {
                let batch = Batch {
                    total: total.unwrap_or(0),
                    completed: completed.unwrap_or(0),
                    failed: failed.unwrap_or(0),
                    skipped: skipped.unwrap_or(0),
                };
                change(ctx, &common, None, |rows, change, _, now| {
                    progress::set_batch(rows, change, batch, now)
                })
            }
            Command::Reset { stage, common } => match (&stage, &common.change) {
                (Some(stage), _) => change(ctx, &common, Some(stage), |rows, change, stage, now| {
                    progress::reset_stage(rows, change, stage, now)
                }),
                (None, Some(_)) => change(ctx, &common, None, |rows, change, _, now| {
                    progress::reset_change(rows, change, now)
                }),
                (None, None) => tell(ctx, common.json, reset_all(ctx)),
            },
        }
    }
}

fn init(ctx: &Context) -> Result<Initialised, Error> {
    let store = Store::of(ctx)?;
    let plan = NewProject::runtime(&store.tree())?;
    let written = plan
        .files
        .iter()
        .map(|(path, _, _)| path.text().into_owned())
        .collect();
    store.lay_down("silly progress init", plan)?;
    let name = store.name();
    store.make_or_change::<_, Error>(|rows| Ok(rows.ensure_project(&name, &ctx.now.rfc3339())?))?;
    Ok(Initialised {
        project: name,
        tools: Vec::new(),
        written,
    })
}

/// Changes one change, and says where it stands then.
fn change(
    ctx: &Context,
    common: &Common,
    stage: Option<&str>,
    work: impl FnOnce(&Rows<'_>, &Change, Stage, &str) -> Result<(), Refused>,
) -> Exit {
    tell(ctx, common.json, changed(ctx, common, stage, work).map(Changed))
}

fn changed<T>(
    ctx: &Context,
    common: &Common,
    stage: Option<&str>,
    work: impl FnOnce(&Rows<'_>, &Change, Stage, &str) -> Result<T, Refused>,
) -> Result<(Shown, T), Error> {
    // Those without a stage do not look at it.
    let stage = stage.map_or(Ok(Stage::Scan), progress::known_stage)?;
    Store::of(ctx)?.change::<_, Error>(|rows| {
        progress::refuse_unknown_schema(rows)?;
        let change = progress::choose(rows, common.change.as_deref())?;
        let done = work(rows, &change, stage, &ctx.now.rfc3339())?;
        let change = progress::choose(rows, Some(&change.name))?;
        Ok((progress::show(rows, change)?, done))
    })
}

fn complete(ctx: &Context, common: &Common, stage: &str) -> Result<WithHistory, Error> {
    let (shown, history) = changed(ctx, common, Some(stage), progress::complete_stage)?;
    let history: History = history;
    let stem = format!("{}-{}-{}", history.change, history.stage, digits(ctx.now));
    let mut text = serde_json::to_vec_pretty(&history).expect("texts are always JSON");
    text.push(b'\n');
    let file = Store::of(ctx)?.keep(&layout::history(), &stem, "json", &text)?;
    Ok(WithHistory { shown, file })
}

fn reset_all(ctx: &Context) -> Result<Report, Error> {
    Store::of(ctx)?.change::<_, Error>(|rows| {
        progress::refuse_unknown_schema(rows)?;
        progress::reset_all(rows, &ctx.now.rfc3339())?;
        Ok(all(rows)?)
    })
}

fn all(rows: &Rows<'_>) -> Result<Report, Refused> {
    let mut changes = Vec::new();
    for change in progress::active(rows)? {
        changes.push(progress::show(rows, change)?);
    }
    Ok(Report {
        changes,
        brief: false,
    })
}

/// A project without a database has nothing to show.
fn show(ctx: &Context, common: &Common, brief: bool) -> Result<Report, Error> {
    let found = Store::of(ctx)?.read(|rows| match &common.change {
        Some(name) => Ok(Report {
            changes: vec![progress::show(rows, progress::choose(rows, Some(name))?)?],
            brief: false,
        }),
        None => all(rows),
    })?;
    let report = found.unwrap_or_default();
    Ok(Report { brief, ..report })
}

fn validate(ctx: &Context, common: &Common) -> Result<Validated, Error> {
    let found = Store::of(ctx)?.read(|rows| {
        let project = rows.project()?.ok_or(Refused::NotInitialised)?;
        let chosen = match &common.change {
            Some(name) => vec![progress::choose(rows, Some(name))?],
            None => progress::active(rows)?,
        };
        let mut missing = Vec::new();
        for change in chosen {
            for stage in progress::missing_stages(rows, &change)? {
                missing.push((change.name.clone(), stage));
            }
        }
        Ok(Validated {
            schema_version: project.schema_version,
            missing,
        })
    })?;
    found.ok_or_else(|| Refused::NotInitialised.into())
}
