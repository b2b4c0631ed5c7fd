//! `loop init`, `route`, `transition`, `pause`, `fail`: the commands that move the loop.

use std::path::PathBuf;

use super::place::{Place, StateFile, actor};
use super::{Context, Exit, tell};
use crate::loops::operation::{Operation, Way, begin};
use crate::loops::{Error, Mode, Phase, STATE, Termination, in_folder, route};
use crate::report::loops::{Routed, Stands};

/// Begin a loop: its folder, its state, its store
///
/// Example: loop init --mode safe --request "add CSV export"
#[derive(clap::Args)]
pub(super) struct Init {
    /// safe, auto, unsafe or collaborative
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// What the user asks for
    #[arg(long, value_name = "TEXT", default_value = "")]
    request: String,
    /// Begin a new one over the one that is there
    #[arg(long)]
    force: bool,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Init {
    pub(super) fn run(self, context: &Context) -> Exit {
        tell(context, self.json, self.init(context))
    }

    fn init(&self, context: &Context) -> Result<Stands, Error> {
        let mode = self
            .mode
            .as_deref()
            .map(|name| Mode::parse(name).ok_or_else(|| Error::UnknownMode(name.to_owned())));
        let mode = mode.transpose()?;
        let place = Place::find(context);
        place.make()?;
        let mode = place.write(context, |held| {
            let is_there = held.stored.is_some() || place.root.join(in_folder(STATE).to_string()).exists();
            if is_there && !self.force {
                return Err(Error::Exists);
            }
            begin(held, actor(), mode, &self.request)
        })?;
        Ok(Stands {
            phase: Phase::Init,
            termination: Some(Termination::Running),
            mode,
            from: None,
        })
    }
}

/// Decide where a round leads, and go there
///
/// Example: loop route --dry-run --json
#[derive(clap::Args)]
pub(super) struct Route {
    /// The state file, if it is not the one of the project
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Only say where
    #[arg(long)]
    dry_run: bool,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Route {
    pub(super) fn run(self, context: &Context) -> Exit {
        tell(context, self.json, self.route(context).map(Routed))
    }

    fn route(&self, context: &Context) -> Result<route::Route, Error> {
        let file = StateFile::find(context, self.file.as_deref());
        if self.dry_run {
            let state = file.read()?;
            if file.own {
                // A chain that is broken is told before anything is answered.
                file.place.stored()?;
            }
            return route::route(&state);
        }
        if !file.own {
            return Err(Error::NotOwn(file.shown()));
        }
        file.place.write_own(context, |held| {
            let (_, route) = Operation::begin(held, actor())?.route()?;
            Ok(route)
        })
    }
}

/// Go to another phase
///
/// Example: `loop transition part_1_2`
#[derive(clap::Args)]
pub(super) struct Transition {
    /// The phase to go to
    #[arg(value_name = "TO", required_unless_present_any = ["fail", "resume"])]
    to: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// The phase has failed: try again, or go on with an issue
    #[arg(long, conflicts_with = "resume")]
    fail: bool,
    /// Take a paused loop up where it was paused
    #[arg(long)]
    resume: bool,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Transition {
    pub(super) fn run(self, context: &Context) -> Exit {
        tell(context, self.json, self.transition(context))
    }

    fn transition(&self, context: &Context) -> Result<Stands, Error> {
        let to = self
            .to
            .as_deref()
            .map(|name| Phase::parse(name).ok_or_else(|| Error::UnknownPhase(name.to_owned())));
        let way = match (to.transpose()?, self.fail, self.resume) {
            (_, true, _) => Way::Fail,
            (to, false, true) => Way::Resume(to),
            (Some(to), false, false) => Way::To(to),
            (None, false, false) => return Err(Error::UnknownPhase(String::new())),
        };
        Place::find(context).write_own(context, |held| {
            let operation = Operation::begin(held, actor())?;
            let (operation, from, phase) = operation.transition(way, self.reason.as_deref())?;
            Ok(Stands {
                phase,
                termination: operation.gate().status(),
                mode: operation.mode(),
                from: Some(from),
            })
        })
    }
}

fn stop(context: &Context, phase: Phase, reason: Option<&str>) -> Result<Stands, Error> {
    Place::find(context).write_own(context, |held| {
        let operation = Operation::begin(held, actor())?.stop(phase, reason)?;
        Ok(Stands {
            phase,
            termination: operation.gate().status(),
            mode: operation.mode(),
            from: None,
        })
    })
}

/// Pause the loop
#[derive(clap::Args)]
pub(super) struct Pause {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Pause {
    pub(super) fn run(self, context: &Context) -> Exit {
        tell(
            context,
            self.json,
            stop(context, Phase::Paused, self.reason.as_deref()),
        )
    }
}

/// End the loop as failed
#[derive(clap::Args)]
pub(super) struct Fail {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Fail {
    pub(super) fn run(self, context: &Context) -> Exit {
        tell(
            context,
            self.json,
            stop(context, Phase::Failed, self.reason.as_deref()),
        )
    }
}
