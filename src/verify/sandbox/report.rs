//! What is told of a sandbox (verify.md 7.1).

use serde::Serialize;

use crate::verify::settings::{SandboxMode, SandboxSettings};

/// How it went; the worst of several counts. The names are contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxStatus {
    #[default]
    Skipped,
    Pass,
    Warn,
    Fail,
}

/// The contract's object; keys in its order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SandboxReport {
    pub mode: SandboxMode,
    pub root: String,
    pub isolated: bool,
    pub workspace_write_denied: bool,
    pub status: SandboxStatus,
    pub diagnostics: Vec<String>,
    pub suggestions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub infos: Vec<String>,
}

impl SandboxReport {
    /// Nothing was run.
    pub fn skipped(settings: &SandboxSettings) -> Self {
        Self {
            mode: settings.mode,
            root: settings.root.clone(),
            isolated: false,
            workspace_write_denied: settings.deny_workspace_write,
            status: SandboxStatus::Skipped,
            diagnostics: Vec::new(),
            suggestions: Vec::new(),
            infos: Vec::new(),
        }
    }

    /// Takes in the report of one more command.
    pub fn merge(&mut self, other: &Self) {
        self.status = self.status.max(other.status);
        self.isolated |= other.isolated;
        if other.isolated {
            self.root.clone_from(&other.root);
        }
        add_new(&mut self.diagnostics, &other.diagnostics);
        add_new(&mut self.suggestions, &other.suggestions);
        add_new(&mut self.infos, &other.infos);
    }
}

/// Adds texts that are not there yet.
pub(in crate::verify) fn add_new(to: &mut Vec<String>, texts: &[String]) {
    for text in texts {
        if !to.contains(text) {
            to.push(text.clone());
        }
    }
}
