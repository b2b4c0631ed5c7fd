//! `loop artifact record` and `loop artifact verify`.

use super::place::{Place, actor};
use super::{Context, Exit, tell};
use crate::loops::artifact::{KEYS, verify};
use crate::loops::operation::Operation;
use crate::loops::{Error, read_state};
use crate::report::loops::{Artifacts, Recorded};

/// Record and verify the artifacts of a loop
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Artifact {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Record(Record),
    Verify(Verify),
}

impl Artifact {
    pub(super) fn run(self, context: &Context) -> Exit {
        match self.command {
            Command::Record(command) => tell(context, command.json, command.record(context)),
            Command::Verify(command) => tell(context, command.json, command.verify(context)),
        }
    }
}

/// Record an artifact as its file is now
///
/// Example: loop artifact record solution
#[derive(clap::Args)]
struct Record {
    /// The key of the artifact
    #[arg(value_name = "KEY")]
    key: String,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Record {
    fn record(&self, context: &Context) -> Result<Recorded, Error> {
        let place = Place::find(context);
        place.write_own(context, |held| {
            let operation = Operation::begin(held, actor())?;
            let (_, checksum, version) = operation.record(&place.tree(), &self.key)?;
            Ok(Recorded {
                key: self.key.clone(),
                checksum,
                version,
            })
        })
    }
}

/// Hold artifacts against what was recorded
///
/// Exit code 2 if one is missing or was modified.
///
/// Example: loop artifact verify --json
#[derive(clap::Args)]
struct Verify {
    /// Only this one
    #[arg(value_name = "KEY")]
    key: Option<String>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Verify {
    fn verify(&self, context: &Context) -> Result<Artifacts, Error> {
        let place = Place::find(context);
        place.stored()?;
        let tree = place.tree();
        let state = read_state(&tree)?;
        let wanted: Vec<&'static str> = KEYS
            .iter()
            .map(|(key, _)| *key)
            .filter(|key| self.key.as_deref().is_none_or(|wanted| wanted == *key))
            .collect();
        if let (Some(key), true) = (&self.key, wanted.is_empty()) {
            return Err(Error::UnknownArtifact(key.clone()));
        }
        let standings = wanted
            .into_iter()
            .map(|key| Ok((key, verify(&tree, &state, key)?)));
        Ok(Artifacts(standings.collect::<Result<_, Error>>()?))
    }
}
