//! The fourteen facts about a loop that its drivers ask for, and whether it may stop (loop.md 7).

use serde_json::Value;

use super::FOLDER;
use super::document::{flag, get, list, number, text};
use super::gate::Source;
use super::stop::active;
use crate::files::{ReadError, RepoPath, Tree};

/// The facts. What the state does not say is null.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub phase: Value,
    pub cycle: Value,
    pub convergence_counter: Value,
    pub new_issues_this_round: Value,
    pub new_issues_last_round: Value,
    /// p0 first.
    pub active: [usize; 3],
    pub tests: Tests,
    pub has_open_issue: bool,
    pub pending_confirmation_status: Value,
    pub termination_status: Value,
    pub max_cycles: Value,
    pub convergence_rounds: Value,
}

/// What the test results say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tests {
    Unknown,
    Pass,
    Fail,
}

impl Tests {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Pass => "pass",
            Self::Fail => "fail",
        }
    }
}

impl Summary {
    /// Reads the facts; `tree` is rooted at the project.
    pub fn of(tree: &dyn Tree, state: &Value, gate: &Source) -> Result<Self, ReadError> {
        let at = |path: &str| get(state, path).cloned().unwrap_or(Value::Null);
        let status = match gate {
            Source::Known(gate) => gate.status_text().cloned(),
            Source::Missing | Source::Broken(_) => None,
        };
        Ok(Self {
            phase: at("progress.phase"),
            cycle: at("progress.cycle"),
            convergence_counter: at("progress.convergence_counter"),
            new_issues_this_round: at("progress.new_issues_this_round"),
            new_issues_last_round: at("progress.new_issues_last_round"),
            active: ["p0", "p1", "p2"]
                .map(|severity| list(state, &format!("issues.active.{severity}")).map_or(0, Vec::len)),
            tests: tests(tree)?,
            has_open_issue: has_open_issue(tree)?,
            pending_confirmation_status: at("pending_confirmation.status"),
            termination_status: status.unwrap_or(Value::Null),
            max_cycles: at("config.max_cycles"),
            convergence_rounds: at("config.convergence_rounds"),
        })
    }
}

fn artifact(tree: &dyn Tree, name: &str) -> Result<Option<Value>, ReadError> {
    let path = RepoPath::of(FOLDER).join("artifacts").join(name);
    let bytes = tree.read(&path)?;
    // What is no JSON says nothing about tests and issues.
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

fn statuses<'v>(document: Option<&'v Value>, key: &str) -> Vec<&'v str> {
    let items = document
        .and_then(|document| list(document, key))
        .map_or(&[][..], Vec::as_slice);
    items
        .iter()
        .map(|item| text(item, "status").unwrap_or_default())
        .collect()
}

fn tests(tree: &dyn Tree) -> Result<Tests, ReadError> {
    let results = artifact(tree, "08-test-results.json")?;
    let statuses = statuses(results.as_ref(), "results");
    Ok(if statuses.is_empty() {
        Tests::Unknown
    } else if statuses.contains(&"fail") {
        Tests::Fail
    } else {
        Tests::Pass
    })
}

fn has_open_issue(tree: &dyn Tree) -> Result<bool, ReadError> {
    let issues = artifact(tree, "09-issue-list.json")?;
    Ok(statuses(issues.as_ref(), "issues")
        .iter()
        .any(|status| matches!(*status, "open" | "in_progress")))
}

/// What stands in the way of stopping; nothing if the loop may stop.
pub fn blocking(state: &Value, facts: &Summary) -> Vec<&'static str> {
    let mut out = Vec::new();
    if active(state) != Some([0; 3]) {
        out.push("active_issues");
    }
    if !has_settled(state, facts) {
        out.push("convergence");
    }
    let within = matches!(
        (number(state, "progress.cycle"), number(state, "config.max_cycles")),
        (Some(cycle), Some(most)) if cycle <= most
    );
    if !within {
        out.push("cycle_limit");
    }
    let confirmation = facts.pending_confirmation_status.as_str();
    let is_answered = matches!(confirmation, Some("resolved" | "timed_out" | "cancelled"));
    if !(is_answered || facts.pending_confirmation_status.is_null()) {
        out.push("pending_confirmation");
    }
    out
}

/// Enough rounds without news; or one less, when nothing at all is left to do.
fn has_settled(state: &Value, facts: &Summary) -> bool {
    let (Some(counter), Some(rounds), Some(cycle)) = (
        number(state, "progress.convergence_counter"),
        number(state, "config.convergence_rounds"),
        number(state, "progress.cycle"),
    ) else {
        return false;
    };
    let quiet = flag(state, "progress.new_issues_this_round") == Some(false)
        && flag(state, "progress.new_issues_last_round") == Some(false);
    let nearly = rounds >= 2
        && cycle >= 2
        && counter >= rounds - 1
        && quiet
        && facts.tests != Tests::Fail
        && !facts.has_open_issue;
    counter >= rounds || nearly
}
