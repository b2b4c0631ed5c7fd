//! What `local.yaml` sets (silly.md 5 and 7). A file that cannot be understood sets nothing: it is the user's own, and
//! `doctor` tells of it.

use super::layout;
use crate::files::{ReadError, Tree};
use crate::yaml::{self, Value};

/// The settings that change what is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The longer lists of steps.
    pub full_steps: bool,
    /// Commands that the guard takes as reading, beside its own list.
    pub readonly_commands: Vec<String>,
}

impl Settings {
    pub fn load(tree: &dyn Tree) -> Result<Self, ReadError> {
        let Some(root) = root(tree)? else {
            return Ok(Self::default());
        };
        let commands = root
            .get("worktreeHook")
            .and_then(|hook| hook.get("readonlyCommands"))
            .and_then(Value::as_list)
            .unwrap_or_default();
        Ok(Self {
            full_steps: root.get("steps").and_then(Value::as_text) == Some("full"),
            readonly_commands: commands
                .iter()
                .filter_map(|command| command.as_text().map(str::to_owned))
                .collect(),
        })
    }
}

/// Whether the file can be understood, or there is none.
pub fn is_readable(tree: &dyn Tree) -> Result<bool, ReadError> {
    Ok(root(tree)?.is_some())
}

fn root(tree: &dyn Tree) -> Result<Option<Value>, ReadError> {
    let bytes = tree.read(&layout::local())?.unwrap_or_default();
    Ok(yaml::parse(&bytes).ok())
}
