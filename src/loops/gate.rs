//! The gate state and the termination in it (loop.md 3).

use serde_json::Value;

use super::document::{self, get, object};
use super::{FOLDER, GATE};
use crate::clock::Timestamp;
use crate::files::{ReadError, RepoPath, Tree};

/// How a loop stands to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    Running,
    Complete,
    Paused,
    Failed,
}

impl Termination {
    pub const ALL: [Self; 4] = [Self::Running, Self::Complete, Self::Paused, Self::Failed];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Paused => "paused",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// A gate state. Its document may also be the termination object alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate(pub Value);

/// Where a gate state was looked for, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Missing,
    /// It is no JSON, or cannot be read.
    Broken(String),
    Known(Gate),
}

impl Gate {
    pub(super) fn fresh() -> Self {
        let (no, null) = (Value::from(false), Value::Null);
        let (list, zero) = (Value::Array(Vec::new()), Value::from(0));
        Self(object([
            ("schema_version", Value::from(1)),
            (
                "gate_state9",
                object([
                    ("content_safety_passed", no.clone()),
                    ("plan_confirmed", no.clone()),
                    ("plan_confirmed_by", null.clone()),
                    ("changes_preview_written", no.clone()),
                    ("file_modifications_this_cycle", zero),
                    ("dangerous_ops_blocked_this_cycle", list.clone()),
                    ("gate_triggered", no),
                    ("gate_triggered_reason", null.clone()),
                    ("gate_approvals", object([])),
                ]),
            ),
            (
                "termination",
                object([
                    ("status", Value::from(Termination::Running.as_str())),
                    ("completed_at", null.clone()),
                    ("exit_reason", null.clone()),
                ]),
            ),
            (
                "nonce_tokens",
                object([
                    ("active_tokens", list.clone()),
                    ("consumed_tokens", list),
                    ("last_generated_at", null),
                ]),
            ),
        ]))
    }

    /// The status as it is written; none if there is none.
    pub fn status_text(&self) -> Option<&Value> {
        get(&self.0, "termination").unwrap_or(&self.0).get("status")
    }

    /// The status; none if it is none of the four.
    pub fn status(&self) -> Option<Termination> {
        Termination::parse(self.status_text()?.as_str()?)
    }

    /// Whether the user has confirmed the plan.
    pub fn is_plan_confirmed(&self) -> bool {
        document::flag(&self.0, "gate_state9.plan_confirmed") == Some(true)
    }

    pub(super) fn confirm_plan(&mut self, by: &str) {
        document::set(&mut self.0, "gate_state9.plan_confirmed", true);
        document::set(&mut self.0, "gate_state9.plan_confirmed_by", by);
    }

    /// Ends, stops or takes up the loop.
    pub(super) fn terminate(&mut self, status: Termination, at: Option<Timestamp>, reason: Option<&str>) {
        document::set(&mut self.0, "termination.status", status.as_str());
        let at = at.map_or(Value::Null, |at| Value::from(at.rfc3339()));
        document::set(&mut self.0, "termination.completed_at", at);
        document::set(
            &mut self.0,
            "termination.exit_reason",
            reason.map_or(Value::Null, Value::from),
        );
    }

    /// Sets back what is counted per cycle.
    pub(super) fn begin_cycle(&mut self) {
        document::set(&mut self.0, "gate_state9.file_modifications_this_cycle", 0);
        let none: Vec<Value> = Vec::new();
        document::set(&mut self.0, "gate_state9.dangerous_ops_blocked_this_cycle", none);
        document::set(&mut self.0, "gate_state9.gate_triggered", false);
        document::set(&mut self.0, "gate_state9.gate_triggered_reason", Value::Null);
    }

    /// Keeps a nonce, by its digest: the copy of the gate state can be read by anybody.
    pub(super) fn issue(&mut self, digest: &str, now: Timestamp) {
        document::push(&mut self.0, "nonce_tokens.active_tokens", Value::from(digest));
        document::set(&mut self.0, "nonce_tokens.last_generated_at", now.rfc3339());
    }

    /// Consumes a nonce; whether it was active.
    pub(super) fn consume(&mut self, digest: &str) -> bool {
        let active = document::list(&self.0, "nonce_tokens.active_tokens")
            .cloned()
            .unwrap_or_default();
        let rest: Vec<Value> = active.iter().filter(|token| *token != digest).cloned().collect();
        if rest.len() == active.len() {
            return false;
        }
        document::set(&mut self.0, "nonce_tokens.active_tokens", rest);
        document::push(&mut self.0, "nonce_tokens.consumed_tokens", Value::from(digest));
        true
    }
}

impl Source {
    /// What the file beside a state file holds, else the one in the loop's folder below that.
    pub fn beside(tree: &dyn Tree, state: &RepoPath) -> Result<Self, ReadError> {
        let folder = state.parent().unwrap_or_default();
        for path in [folder.join(GATE), folder.join(FOLDER).join(GATE)] {
            if tree.exists(&path)? {
                return Ok(Self::read(tree, &path));
            }
        }
        Ok(Self::Missing)
    }

    pub fn read(tree: &dyn Tree, path: &RepoPath) -> Self {
        match tree.read(path) {
            Ok(None) => Self::Missing,
            Ok(Some(bytes)) => Self::parse(&bytes),
            Err(error) => Self::Broken(error.source.to_string()),
        }
    }

    pub fn parse(bytes: &[u8]) -> Self {
        match serde_json::from_slice(bytes) {
            Ok(document) => Self::Known(Gate(document)),
            Err(error) => Self::Broken(error.to_string()),
        }
    }

    /// The status; none if it is not known.
    pub fn status(&self) -> Option<Termination> {
        match self {
            Self::Known(gate) => gate.status(),
            Self::Missing | Self::Broken(_) => None,
        }
    }

    /// The status as it is written.
    pub fn status_text(&self) -> Option<&str> {
        match self {
            Self::Known(gate) => gate.status_text()?.as_str(),
            Self::Missing | Self::Broken(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_consumed_once() {
        let mut gate = Gate::fresh();
        gate.issue("a", Timestamp::from_seconds(0));
        gate.issue("b", Timestamp::from_seconds(0));
        assert!(gate.consume("a"));
        assert!(!gate.consume("a"), "consumed");
        assert!(!gate.consume("c"), "unknown");
        assert_eq!(gate.0["nonce_tokens"]["active_tokens"], Value::from(vec!["b"]));
        assert_eq!(gate.0["nonce_tokens"]["consumed_tokens"], Value::from(vec!["a"]));
    }

    #[test]
    fn a_gate_file_may_be_the_termination_alone() {
        for (text, status) in [
            (r#"{"status":"running"}"#, Some(Termination::Running)),
            (
                r#"{"termination":{"status":"complete"}}"#,
                Some(Termination::Complete),
            ),
            (r#"{"termination":{"status":"done"}}"#, None),
            ("{}", None),
            ("{", None),
        ] {
            assert_eq!(Source::parse(text.as_bytes()).status(), status, "{text}");
        }
    }
}
