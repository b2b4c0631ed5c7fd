//! `smoke`: whether what was deployed works (verify.md 12).

use super::page::{Html, Target};
use super::uninitialised::{self, NOT_INITIALIZED};
use super::usage::{self, Unknown};
use super::verification::{
    Active, Error, Files, apply_with, complain_of, config, means, smoke_records, smoke_runners,
};
use super::{Context, Exit, Format, complain, finish};
use crate::clock::Timestamp;
use crate::files::{RepoPath, Tree, WorkTree};
use crate::ledger::SmokeRecords;
use crate::project::layout;
use crate::report::smoke::SmokeTest;
use crate::say;
use crate::text::escape;
use crate::verify::gate::{FAILED_CASES, INCOMPLETE_COVERAGE, PRE_RUN_FAILED, SmokeRun};
use crate::verify::import::KnownCases;
use crate::verify::outcome::{self, Edit};
use crate::verify::pre_run::{Host, Plan};
use crate::verify::precheck::{GateResult, Precheck, smoke_ids};
use crate::verify::settings::SmokeSettings;
use crate::verify::{self, acceptance, page};

/// Judge smoke results against the smoke cases
///
/// Runs the configured command, reads the smoke ledger, and writes the smoke report and the markers of the active change.
/// Exit code 0 if the gate is open, else 1.
#[derive(clap::Args)]
pub(super) struct Smoke {
    /// Where it was deployed to, for the report
    #[arg(long, value_name = "NAME")]
    env: Option<Option<String>>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    html: Html,
    #[command(flatten)]
    unknown: Unknown,
}

const COMMAND: &str = "smoke";

impl Smoke {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        // Other programs pass more words than we know.
        let Self {
            env,
            html,
            unknown: _,
            ..
        } = self;
        match uninitialised::require(ctx, COMMAND, format, NOT_INITIALIZED) {
            Ok(tree) => finish(
                ctx,
                COMMAND,
                format,
                smoke(ctx, format, &tree, env.as_ref(), &html),
            ),
            Err(exit) => exit,
        }
    }
}

fn smoke(
    ctx: &Context,
    format: Format,
    tree: &WorkTree,
    env: Option<&Option<String>>,
    html: &Html,
) -> Result<SmokeTest, Error> {
    let voice = ctx.voice();
    let environment = usage::value("--env", env)?.map(str::to_owned);
    let page = html.target(ctx)?;
    let settings = SmokeSettings::read(&config(tree)?)?;
    let plan = Plan::of_smoke(&settings);
    let files = Files {
        ctx,
        command: COMMAND,
        known: |tree| {
            let defined = smoke_ids(tree, &RepoPath::of(layout::SMOKE_TESTS))?;
            Ok(KnownCases {
                defined,
                ..KnownCases::default()
            })
        },
    };
    let root = &ctx.place().map_err(super::trouble::Trouble::from)?.root;
    let host = Host {
        now: ctx.now,
        clock: Timestamp::now,
        root,
        means: &means(ctx)?,
        is_quiet: format == Format::Json,
        voice,
    };
    let ran = plan.run(&settings.result, &files, &host)?;
    // What the command wrote is there now.
    let tree = ctx.work_tree()?;
    let records = smoke_records(&tree, &settings.result.path)?;
    let has_ledger = tree.is_file(&settings.result.path)?;
    let active = Active::read(&tree)?;
    let precheck = Precheck::look(
        &tree,
        active.guard.trimmed_slug().as_ref(),
        &records,
        smoke_runners(root),
        settings.command.as_deref(),
        &settings.result.text,
        voice,
    )?;
    if !has_ledger && precheck.changed_case_ids.is_empty() {
        return Err(Error::NoSmokeResults(settings.result.text));
    }
    let defined = smoke_ids(&tree, &RepoPath::of(layout::SMOKE_TESTS))?;
    if has_ledger && defined.is_empty() {
        return Err(Error::NoSmokeCases);
    }
    if format != Format::Json {
        warn_of_words(ctx, &records);
        active.warn(voice);
        complain_of(&ran);
    }
    let mut run = SmokeRun::judge(&defined, records.effective, &precheck);
    // As with `verify`: it comes before what the cases say, and after what the precheck says.
    let by_cases = run
        .reason
        .is_none_or(|reason| [FAILED_CASES, INCOMPLETE_COVERAGE].contains(&reason));
    if settings.require_command_success && ran.failed() && by_cases {
        (run.result, run.reason) = (GateResult::Fail, Some(PRE_RUN_FAILED));
    }
    if ran.closes(&mut run.result, &mut run.failed) {
        run.reason = Some(FAILED_CASES);
    }
    let test = SmokeTest {
        environment,
        has_ledger,
        run,
        precheck,
        sandbox: ran.sandbox.clone(),
        report_path: settings.report.text.clone(),
        result_path: settings.result.text.clone(),
    };
    write(ctx, &test, &settings.report.path, page.as_ref())?;
    Ok(test)
}

/// Words that are no outcome count as not executed (verify.md 17).
fn warn_of_words(ctx: &Context, records: &SmokeRecords) {
    for (id, word) in &records.unknown_words {
        let (id, word) = (escape(id), escape(word));
        complain(&say!(
            ctx.voice(),
            "git-spec: `{id}` has the status `{word}`, which is none: it counts as not executed",
            "git-spec：`{id}` 的状态 `{word}` 无效：视为未执行"
        ));
    }
}

/// Writes report, page and markers together or not at all. Without a ledger no marker changes.
fn write(ctx: &Context, test: &SmokeTest, report: &RepoPath, page: Option<&Target>) -> Result<(), Error> {
    let writer = ctx.writer(COMMAND)?;
    let tree = writer.tree();
    let active = Active::read(&tree)?;
    let run = &test.run;
    let said = verify::Smoke {
        environment: test.environment.as_deref(),
        tally: run.tally,
        result: run.result,
        reason: run.reason,
        failed: &run.failed,
        uncovered: &run.uncovered,
        skipped: &run.skipped,
        diagnostics: &test.precheck.diagnostics,
    };
    let date = ctx.now.date(0);
    let mut edits = vec![Edit::write(report.clone(), acceptance::smoke(&said, &date))];
    let page = page.map(|target| (target, page::smoke(&said, &run.passed, &date, ctx.voice())));
    if let Some(facts) = active.facts.as_ref().filter(|_| test.has_ledger) {
        edits.extend(outcome::smoke_markers(&facts.slug, run.result));
    }
    apply_with(&writer, edits, page)
}
