//! `loop complete`: the end of a loop, once everything holds.

use std::time::Duration;

use super::place::{Place, actor};
use super::{Context, Exit, tell};
use crate::loops::operation::Operation;
use crate::loops::{Error, Ran, judge_completion, read_state};
use crate::process::{Shell, Streams};
use crate::report::loops::Completed;

/// No command of a verification runs longer.
const LONGEST: Duration = Duration::from_secs(3600);

/// End the loop, if issues, evidence, convergence and artifacts let it
///
/// Exit code 2 if they do not. Commands given are run again, and must succeed; they run without a lock.
///
/// Example: loop complete --verify-command "cargo test"
#[derive(clap::Args)]
pub(super) struct Complete {
    /// A command that must succeed; may be repeated
    #[arg(long = "verify-command", value_name = "COMMAND")]
    commands: Vec<String>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Complete {
    pub(super) fn run(self, context: &Context) -> Exit {
        tell(context, self.json, self.complete(context))
    }

    fn complete(&self, context: &Context) -> Result<Completed, Error> {
        let place = Place::find(context);
        place.stored()?;
        let tree = place.tree();
        // What cannot be judged favourably anyway needs no command to run.
        if let Some(refused) = judge_completion(&tree, &read_state(&tree)?, &[])? {
            return Ok(Completed {
                refused: Some(refused),
                ran: Vec::new(),
            });
        }
        let ran: Vec<Ran> = self
            .commands
            .iter()
            .map(|text| run(&place, text))
            .collect::<Result<_, _>>()?;
        place.write_own(context, |held| {
            let operation = Operation::begin(held, actor())?;
            let refused = judge_completion(&place.tree(), operation.state(), &ran)?;
            if refused.is_none() {
                operation.complete(&ran)?;
            }
            Ok(Completed { refused, ran })
        })
    }
}

fn run(place: &Place, text: &str) -> Result<Ran, Error> {
    let shell = Shell {
        text: text.to_owned(),
        dir: place.root.clone(),
        limit: LONGEST,
        env: Vec::new(),
        streams: Streams::Dropped,
        through: None,
        ends_all: true,
    };
    let ended = shell.run().map_err(|source| Error::Write {
        path: place.root.clone(),
        source,
    })?;
    Ok(Ran {
        command: text.to_owned(),
        exit_code: ended.exit_code.filter(|_| !ended.timed_out),
    })
}
