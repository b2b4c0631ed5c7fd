//! The answers of `loop`: documents of their own, without envelope (loop.md 2, 5, 7).

mod done;

pub use done::{Artifacts, Completed, Confirmation, Recorded, Stands};

use std::io;

use serde::Serialize;
use serde_json::Value;

use super::{Answer, Exit, Screen};
use crate::loops::route::Route;
use crate::loops::summary::Summary;
use crate::loops::validate::{Fault, Found};
use crate::loops::{Error, Gate, Mode, Termination};
use crate::text::escape;
use crate::voice::{Fail, Say, Voice};

/// An integer as a JSON number.
fn int(number: i128) -> Value {
    crate::loops::document::value_of(number)
}

/// What a value is to people.
fn shown(value: &Value) -> String {
    match value.as_str() {
        Some(text) => escape(text).into_owned(),
        None => value.to_string(),
    }
}

/// `validate`.
pub struct Validated(pub Found);

#[derive(Serialize)]
pub struct ValidatedData {
    valid: bool,
    error_paths: Vec<String>,
    warning_paths: Vec<String>,
    errors: Vec<FaultData>,
    warnings: Vec<FaultData>,
}

#[derive(Serialize)]
pub struct FaultData {
    path: String,
    code: &'static str,
    message: String,
}

fn paths(faults: &[Fault]) -> Vec<String> {
    let mut paths: Vec<String> = faults.iter().map(|fault| fault.path.clone()).collect();
    paths.sort();
    paths.dedup();
    paths
}

fn faults(faults: &[Fault], voice: &Voice) -> Vec<FaultData> {
    let of = |fault: &Fault| FaultData {
        path: fault.path.clone(),
        code: fault.code.as_str(),
        message: fault.message(voice),
    };
    faults.iter().map(of).collect()
}

impl Answer for Validated {
    type Data = ValidatedData;

    fn data(&self, voice: &Voice) -> ValidatedData {
        ValidatedData {
            valid: self.0.is_valid(),
            error_paths: paths(&self.0.errors),
            warning_paths: paths(&self.0.warnings),
            errors: faults(&self.0.errors, voice),
            warnings: faults(&self.0.warnings, voice),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        for fault in &self.0.errors {
            let line = format!(
                "error    {}: {}",
                escape(&fault.path),
                fault.message(screen.voice)
            );
            screen.line(&line)?;
        }
        for fault in &self.0.warnings {
            let line = format!(
                "warning  {}: {}",
                escape(&fault.path),
                fault.message(screen.voice)
            );
            screen.line(&line)?;
        }
        screen.line(if self.0.is_valid() { "valid" } else { "not valid" })
    }

    fn exit(&self) -> Exit {
        if self.0.is_valid() {
            Exit::Done
        } else {
            Exit::Found
        }
    }
}

/// `route`.
pub struct Routed(pub Route);

#[derive(Serialize)]
pub struct RoutedData {
    from: &'static str,
    to: &'static str,
    reason: &'static str,
    repair: bool,
    termination: &'static str,
    progress: ProgressData,
    routing_repeat_tracker: Value,
}

#[derive(Serialize)]
pub struct ProgressData {
    cycle: Value,
    convergence_counter: Value,
    part1_round: Value,
    verification_pass_count: Value,
    new_issues_this_round: bool,
    new_issues_last_round: bool,
    issues_snapshot_at_round_start: Value,
}

impl Answer for Routed {
    type Data = RoutedData;

    fn data(&self, _: &Voice) -> RoutedData {
        let route = &self.0;
        RoutedData {
            from: route.from.as_str(),
            to: route.to.as_str(),
            reason: route.reason,
            repair: route.repair,
            termination: route.termination.as_str(),
            progress: ProgressData {
                cycle: int(route.cycle),
                convergence_counter: int(route.convergence_counter),
                part1_round: int(route.part1_round),
                verification_pass_count: int(route.verification_pass_count),
                new_issues_this_round: route.new_issues_this_round,
                new_issues_last_round: route.new_issues_last_round,
                issues_snapshot_at_round_start: route.snapshot(),
            },
            routing_repeat_tracker: route.tracker.clone(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let Route { from, to, reason, .. } = &self.0;
        screen.line(&format!("{} -> {} ({reason})", from.as_str(), to.as_str()))
    }
}

/// `summary`.
pub struct Summarised(pub Summary);

#[derive(Serialize)]
pub struct SummaryData {
    phase: Value,
    cycle: Value,
    convergence_counter: Value,
    new_issues_this_round: Value,
    new_issues_last_round: Value,
    issues_active_p0: usize,
    issues_active_p1: usize,
    issues_active_p2: usize,
    all_test_status: &'static str,
    all_issue_status: &'static str,
    pending_confirmation_status: Value,
    termination_status: Value,
    max_cycles: Value,
    convergence_rounds: Value,
}

impl Answer for Summarised {
    type Data = SummaryData;

    fn data(&self, _: &Voice) -> SummaryData {
        let facts = self.0.clone();
        let [p0, p1, p2] = facts.active;
        SummaryData {
            phase: facts.phase,
            cycle: facts.cycle,
            convergence_counter: facts.convergence_counter,
            new_issues_this_round: facts.new_issues_this_round,
            new_issues_last_round: facts.new_issues_last_round,
            issues_active_p0: p0,
            issues_active_p1: p1,
            issues_active_p2: p2,
            all_test_status: facts.tests.as_str(),
            all_issue_status: if facts.has_open_issue {
                "has_open"
            } else {
                "none_open"
            },
            pending_confirmation_status: facts.pending_confirmation_status,
            termination_status: facts.termination_status,
            max_cycles: facts.max_cycles,
            convergence_rounds: facts.convergence_rounds,
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let data = serde_json::to_value(self.data(screen.voice))?;
        screen.line("<<<LOOP_STATE>>>")?;
        for (key, value) in data.as_object().into_iter().flatten() {
            screen.line(&format!("{key}: {}", shown(value)))?;
        }
        screen.line("<<<END_LOOP_STATE>>>")
    }
}

/// `show`.
pub struct Shown {
    pub state: Value,
    pub gate: Option<Gate>,
    pub mode: Option<Mode>,
    /// Whether there is a store.
    pub stored: bool,
    pub tampered: bool,
    pub blocking: Vec<&'static str>,
}

#[derive(Serialize)]
pub struct ShownData {
    state: Value,
    gate: Option<Value>,
    mode: Option<&'static str>,
    stored: bool,
    gate_copy_tampered: bool,
    may_stop: bool,
    blocking: Vec<&'static str>,
}

impl Answer for Shown {
    type Data = ShownData;

    fn data(&self, _: &Voice) -> ShownData {
        ShownData {
            state: self.state.clone(),
            gate: self.gate.as_ref().map(|gate| gate.0.clone()),
            mode: self.mode.map(Mode::as_str),
            stored: self.stored,
            gate_copy_tampered: self.tampered,
            may_stop: self.blocking.is_empty(),
            blocking: self.blocking.clone(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let phase = self
            .state
            .pointer("/progress/phase")
            .map_or_else(String::new, shown);
        let status = self
            .gate
            .as_ref()
            .and_then(Gate::status)
            .map_or("unknown", Termination::as_str);
        screen.line(&format!("phase: {phase}"))?;
        screen.line(&format!("termination: {status}"))?;
        screen.line(&format!("mode: {}", self.mode.map_or("unknown", Mode::as_str)))?;
        if self.tampered {
            screen.warn("gate_state.json was not what the store holds; it was written anew")?;
        }
        match self.blocking.is_empty() {
            true => screen.line("may stop: yes"),
            false => screen.line(&format!("may stop: no ({})", self.blocking.join(", "))),
        }
    }
}

#[derive(Serialize)]
struct Failure {
    error: FailureData,
}

#[derive(Serialize)]
struct FailureData {
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<Vec<&'static str>>,
}

/// The line of JSON for an error.
pub fn failure(error: &Error, voice: &Voice) -> String {
    let allowed = error
        .allowed()
        .map(|all| all.iter().map(|phase| phase.as_str()).collect());
    let data = Failure {
        error: FailureData {
            code: error.code(),
            message: error.say(voice),
            allowed,
        },
    };
    serde_json::to_string(&data).expect("plain structs are always JSON")
}

/// A tool call that is refused, as the hooks of coding tools read it (loop.md 6).
#[derive(Serialize)]
pub struct Block<'b> {
    decision: &'static str,
    rule: &'b str,
    reason: String,
}

impl<'b> Block<'b> {
    pub fn new(rule: &'b str, why: &str) -> Self {
        Self {
            decision: "block",
            rule,
            reason: format!("{rule}: {why}"),
        }
    }

    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("plain structs are always JSON")
    }
}
