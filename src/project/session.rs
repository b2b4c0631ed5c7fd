//! The guard file: which change is active in this work tree (logos-project.md part 5). Its content is not to be trusted.

use super::layout;
use crate::files::{ReadError, Tree};

/// `logos/.openlogos-guard`, as read; callers judge it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    Missing,
    /// Not JSON, or empty.
    Invalid,
    Parsed {
        /// `activeChange`, if it is a string that is not empty; as written, not trimmed.
        active_change: Option<String>,
        /// `module`, if it is a string that is not empty.
        module: Option<String>,
    },
}

impl Guard {
    /// Reads the guard file of a tree.
    pub fn load(tree: &dyn Tree) -> Result<Self, ReadError> {
        let Some(bytes) = tree.read(&layout::guard())? else { return Ok(Self::Missing) };
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return Ok(Self::Invalid) };
        let text = |key: &str| value.get(key)?.as_str().filter(|s| !s.is_empty()).map(str::to_owned);
        Ok(Self::Parsed { active_change: text("activeChange"), module: text("module") })
    }

    pub fn active_change(&self) -> Option<&str> {
        match self {
            Self::Parsed { active_change, .. } => active_change.as_deref(),
            Self::Missing | Self::Invalid => None,
        }
    }

    pub fn module(&self) -> Option<&str> {
        match self {
            Self::Parsed { module, .. } => module.as_deref(),
            Self::Missing | Self::Invalid => None,
        }
    }
}
