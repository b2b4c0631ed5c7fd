//! Whether a loop may be complete (loop.md 7, "Completion"): what the stop guard asks behind the termination, the
//! recorded artifacts, and the commands that were run again.

use serde_json::Value;

use super::artifact::{self, Standing};
use super::stop::{Layer, unready};
use crate::files::{ReadError, Tree};
use crate::say;
use crate::voice::{Say, Voice};

/// A command that was run to verify the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    pub command: String,
    /// None if a signal ended it.
    pub exit_code: Option<i32>,
}

/// Why the loop may not be complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    Layer(Layer),
    Artifact(&'static str, Standing),
    Command(Ran),
}

impl Refused {
    /// The name of the rule.
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Layer(layer) => layer.as_str(),
            Self::Artifact(..) => "artifact_checksum",
            Self::Command(_) => "verify_command",
        }
    }
}

impl Say for Refused {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Layer(layer) => layer.say(voice),
            Self::Artifact(key, standing) => {
                let standing = standing.as_str();
                say!(
                    voice,
                    "artifact `{key}` is not as it was recorded: {standing}",
                    "产物 `{key}` 与记录不符：{standing}"
                )
            }
            Self::Command(Ran { command, exit_code }) => {
                let command = crate::text::escape(command);
                let code = exit_code.map_or_else(|| "-".to_owned(), |code| code.to_string());
                say!(
                    voice,
                    "`{command}` ended with exit code {code}",
                    "`{command}` 的退出码为 {code}"
                )
            }
        }
    }
}

/// The first thing that speaks against it.
pub fn judge(tree: &dyn Tree, state: &Value, ran: &[Ran]) -> Result<Option<Refused>, ReadError> {
    if let Some(layer) = unready(tree, state)? {
        return Ok(Some(Refused::Layer(layer)));
    }
    for (key, _) in artifact::KEYS {
        let standing = artifact::verify(tree, state, key)?;
        if !standing.is_sound() {
            return Ok(Some(Refused::Artifact(key, standing)));
        }
    }
    let failed = ran.iter().find(|ran| ran.exit_code != Some(0));
    Ok(failed.cloned().map(Refused::Command))
}
