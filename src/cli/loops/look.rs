//! `loop validate`, `loop summary`, `loop show`: the commands that only look.

use std::path::PathBuf;

use super::place::{Place, StateFile};
use super::{Context, Exit, tell};
use crate::loops::Source;
use crate::loops::confirm::expire;
use crate::loops::document::text;
use crate::loops::summary::{self, blocking};
use crate::loops::validate::{Found, validate};
use crate::loops::{Error, Gate, Mode, Stored, fresh_gate, read_state};
use crate::report::loops::{Shown, Summarised, Validated};

/// Tell everything that is wrong with a state
///
/// Exit code 2 if there is something.
///
/// Example: loop validate --json
#[derive(clap::Args)]
pub(super) struct Validate {
    /// The state file, if it is not the one of the project
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Validate {
    pub(super) fn run(self, context: &Context) -> Exit {
        let file = StateFile::find(context, self.file.as_deref());
        tell(context, self.json, judge(&file).map(Validated))
    }
}

/// Everything that is wrong with a state.
pub(super) fn judge(file: &StateFile) -> Result<Found, Error> {
    match file.read() {
        Ok(state) => file.gate().map(|gate| validate(&state, &gate)),
        Err(error) => Ok(Found::unreadable(&error.to_string())),
    }
}

/// Print the fourteen facts about a loop that its driver asks for
///
/// Example: loop summary --json
#[derive(clap::Args)]
pub(super) struct Summary {
    /// The state file, if it is not the one of the project
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Summary {
    pub(super) fn run(self, context: &Context) -> Exit {
        let file = StateFile::find(context, self.file.as_deref());
        let facts = || -> Result<Summarised, Error> {
            let state = file.read()?;
            let facts = summary::Summary::of(&file.place.tree(), &state, &file.gate()?)?;
            Ok(Summarised(facts))
        };
        tell(context, self.json, facts())
    }
}

/// Show state and gate state, and whether the loop may stop
///
/// A copy of the gate state that somebody has changed is told, and written anew.
///
/// Example: loop show --json
#[derive(clap::Args)]
pub(super) struct Show {
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(self, context: &Context) -> Exit {
        tell(context, self.json, show(context))
    }
}

fn show(context: &Context) -> Result<Shown, Error> {
    let place = Place::find(context);
    let tree = place.tree();
    let mut state = read_state(&tree)?;
    let (source, stored) = place.gate()?;
    let differs = match &stored {
        Some(stored) => stored.differs_from_copy(&tree)?,
        None => false,
    };
    // A writer may be between the two: what still differs under the lock was changed by hand.
    let tampered = differs && place.write_own(context, |held| held.restore_copy())?;
    let mode = mode(&state, stored.as_ref());
    // A question whose time is over is shown as the next writing command leaves it.
    let mut gate = match &source {
        Source::Known(gate) => gate.clone(),
        Source::Missing | Source::Broken(_) => fresh_gate(),
    };
    let expired = mode.and_then(|mode| expire(&mut state, &mut gate, mode, context.now));
    let source = if expired.is_some() {
        Source::Known(gate)
    } else {
        source
    };
    let facts = summary::Summary::of(&tree, &state, &source)?;
    Ok(Shown {
        blocking: blocking(&state, &facts),
        gate: match source {
            Source::Known(gate) => Some(gate),
            Source::Missing | Source::Broken(_) => None::<Gate>,
        },
        mode,
        stored: stored.is_some(),
        tampered,
        state,
    })
}

/// The mode that counts.
pub(super) fn mode(state: &serde_json::Value, stored: Option<&Stored>) -> Option<Mode> {
    let stored = stored.and_then(|stored| stored.journal.mode());
    stored.or_else(|| Mode::parse(text(state, "config.mode")?))
}
