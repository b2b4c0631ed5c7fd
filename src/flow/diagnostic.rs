//! What keeps a driver from going on: read from results, report, tasks and loop (flow.md 11).

use std::collections::HashSet;

use serde::Serialize;

use super::Step;
use super::loops::{self, LoopState, SliceState};
use crate::change::facts::Facts;
use crate::files::{ReadError, RepoPath, Tree};
use crate::ids;
use crate::ledger::{Outcome, Results};
use crate::project::{Config, layout};
use crate::text::decode;

/// What is the matter. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiagnosticReason {
    ReporterMissing,
    FocusedTestsMissing,
    GlobalVerifyFailed,
    NoProgress,
    DriverCannotValidateArtifacts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletionState {
    SliceIncomplete,
    SliceDoneGlobalVerifyFailed,
    NoProgress,
    SliceDone,
}

/// Where to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SuggestedNode {
    Code,
    Verify,
    Manual,
}

/// The diagnostic of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub reason: DiagnosticReason,
    pub completion_state: CompletionState,
    pub failed_tests: Vec<String>,
    pub required_test_ids: Vec<String>,
    pub missing_artifacts: Vec<String>,
    pub suggested_next_node: SuggestedNode,
    pub human_action_required: bool,
}

/// Diagnoses a change at its final step; none at a step where old failures mean nothing.
pub(super) fn diagnose(
    facts: &Facts<'_>,
    config: Option<&Config>,
    step: Step,
    state: Option<&LoopState>,
    slices: Option<&SliceState>,
) -> Result<Option<Diagnostic>, ReadError> {
    if !matches!(step, Step::Coding | Step::ReadyToVerify | Step::VerifyFailed) {
        return Ok(None);
    }
    let tree = facts.tree();
    let evidence = Evidence {
        gate_failures: Vec::new(),
        results: results(tree, config)?,
        reported: reported_failures(tree)?,
        required: facts.tasks.required_cases(),
        red: state.is_some_and(LoopState::is_red),
        went_round: state.is_some_and(|state| state.iteration >= 1),
        escalated: state.is_some_and(|state| state.escalated),
        slice_done: slices.is_some_and(|slices| slices.done >= 1),
    };
    let found = evidence.judge();
    let early = step == Step::ReadyToVerify && !loops::is_entered(facts);
    Ok(found.filter(|d| !(early && d.reason == DiagnosticReason::GlobalVerifyFailed)))
}

/// Diagnoses a run of verification (verify.md 9). `change` is the active one; `rows` are the outcomes of its ledger,
/// `failures` the ids that its gate counts as failed.
pub fn after_verify(
    change: Option<&Facts<'_>>,
    rows: Vec<(String, Outcome)>,
    failures: Vec<String>,
    gate_failed: bool,
) -> Option<Diagnostic> {
    let evidence = Evidence {
        gate_failures: failures,
        results: Results::of(rows),
        reported: Vec::new(),
        required: change
            .map(|facts| facts.tasks.required_cases())
            .unwrap_or_default(),
        red: gate_failed,
        went_round: false,
        escalated: false,
        slice_done: true,
    };
    evidence.judge()
}

/// Whether a driver can mend it by itself (flow.md 11, "Recoverable failure").
pub(super) fn is_recoverable(diagnostic: Option<&Diagnostic>, state: Option<&LoopState>) -> bool {
    diagnostic.is_some_and(|d| d.reason == DiagnosticReason::GlobalVerifyFailed && !d.human_action_required)
        && !state.is_some_and(|state| state.escalated)
}

struct Evidence {
    /// What a gate has counted as failed, before what the ledger says.
    gate_failures: Vec<String>,
    results: Results,
    reported: Vec<String>,
    required: Vec<String>,
    red: bool,
    went_round: bool,
    escalated: bool,
    slice_done: bool,
}

impl Evidence {
    fn judge(self) -> Option<Diagnostic> {
        use CompletionState as State;
        use DiagnosticReason as Reason;
        let by_report = self.reported.iter().map(String::as_str);
        let by_result = self.results.ids(Outcome::Fail).into_iter();
        let by_gate = self.gate_failures.iter().map(String::as_str);
        let failed = once_each(by_gate.chain(by_result).chain(by_report));
        let any_failed = !failed.is_empty();
        let any_pass = self.results.has(Outcome::Pass);
        let required = &self.required;
        let unseen: Vec<String> = required
            .iter()
            .filter(|id| self.results.outcome(id).is_none())
            .cloned()
            .collect();
        let passes = |id: &String| self.results.outcome(id) == Some(Outcome::Pass);
        let diagnostic = |reason, completion_state, suggested_next_node| Diagnostic {
            reason,
            completion_state,
            failed_tests: failed.iter().map(|id| (*id).to_owned()).collect(),
            required_test_ids: required.clone(),
            missing_artifacts: Vec::new(),
            suggested_next_node,
            human_action_required: false,
        };
        if !required.is_empty() && self.results.is_empty() {
            return Some(Diagnostic {
                missing_artifacts: vec![layout::TEST_RESULTS.to_owned()],
                ..diagnostic(
                    Reason::ReporterMissing,
                    State::SliceIncomplete,
                    SuggestedNode::Code,
                )
            });
        }
        if !unseen.is_empty() {
            return Some(Diagnostic {
                missing_artifacts: unseen,
                ..diagnostic(
                    Reason::FocusedTestsMissing,
                    State::SliceIncomplete,
                    SuggestedNode::Code,
                )
            });
        }
        if !required.iter().all(passes) {
            let unmet = required.iter().filter(|id| !passes(id));
            let with_required = once_each(failed.iter().copied().chain(unmet.map(String::as_str)));
            return Some(Diagnostic {
                failed_tests: with_required.into_iter().map(str::to_owned).collect(),
                ..diagnostic(
                    Reason::FocusedTestsMissing,
                    State::SliceIncomplete,
                    SuggestedNode::Code,
                )
            });
        }
        if any_failed || self.red {
            if any_pass {
                return Some(diagnostic(
                    Reason::GlobalVerifyFailed,
                    State::SliceDoneGlobalVerifyFailed,
                    SuggestedNode::Code,
                ));
            }
            if self.went_round {
                let next = if self.escalated {
                    SuggestedNode::Manual
                } else {
                    SuggestedNode::Code
                };
                return Some(Diagnostic {
                    human_action_required: self.escalated,
                    ..diagnostic(Reason::NoProgress, State::NoProgress, next)
                });
            }
        }
        let begun = any_failed || self.went_round || self.slice_done;
        (begun && required.iter().any(passes)).then(|| {
            diagnostic(
                Reason::DriverCannotValidateArtifacts,
                State::SliceDone,
                SuggestedNode::Verify,
            )
        })
    }
}

/// Ids in order of first sight.
fn once_each<'i>(ids: impl Iterator<Item = &'i str>) -> Vec<&'i str> {
    let mut seen = HashSet::new();
    ids.filter(|id| seen.insert(*id)).collect()
}

fn results(tree: &dyn Tree, config: Option<&Config>) -> Result<Results, ReadError> {
    let configured = config.and_then(|config| config.verify_text("result_path"));
    // A path that leads out of the project holds no results of it.
    let Some(path) = RepoPath::normalised(configured.unwrap_or(layout::TEST_RESULTS)) else {
        return Ok(Results::default());
    };
    match tree.open(&path)? {
        None => Ok(Results::default()),
        Some(open) => Results::read(open).map_err(|e| ReadError::new(&path, e)),
    }
}

const FAILED_CASES: &str = "## Failed Cases";

fn reported_failures(tree: &dyn Tree) -> Result<Vec<String>, ReadError> {
    let path = RepoPath::of(layout::ACCEPTANCE_REPORT);
    let Some(report) = tree.read(&path)? else {
        return Ok(Vec::new());
    };
    let report = decode(&report);
    let Some((_, section)) = report.split_once(FAILED_CASES) else {
        return Ok(Vec::new());
    };
    let section = section.split("\n## ").next().unwrap_or_default();
    Ok(ids::mentioned_cases(section))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(ledger: &str, required: &[&str]) -> Evidence {
        Evidence {
            gate_failures: Vec::new(),
            results: Results::read(ledger.as_bytes()).expect("memory can be read"),
            reported: Vec::new(),
            required: required.iter().map(|id| (*id).to_owned()).collect(),
            red: false,
            went_round: false,
            escalated: false,
            slice_done: false,
        }
    }

    const PASS: &str = "{\"id\":\"UT-1\",\"status\":\"pass\"}\n";
    const FAIL: &str = "{\"id\":\"UT-2\",\"status\":\"fail\"}\n";

    #[test]
    fn without_anything_there_is_nothing_to_say() {
        assert_eq!(evidence("", &[]).judge(), None);
        assert_eq!(evidence(PASS, &["UT-1"]).judge(), None);
    }

    #[test]
    fn required_ids_come_first() {
        let reason = |e: Evidence| e.judge().map(|d| (d.reason, d.missing_artifacts, d.failed_tests));
        assert!(matches!(
            reason(evidence("", &["UT-1"])),
            Some((DiagnosticReason::ReporterMissing, missing, _)) if missing == [layout::TEST_RESULTS]
        ));
        let unseen = reason(evidence(FAIL, &["UT-1", "UT-2"])).expect("one is not seen");
        assert_eq!(unseen.1, ["UT-1"]);
        let failed = reason(evidence(FAIL, &["UT-2"])).expect("one failed");
        assert_eq!(
            (failed.0, failed.2),
            (DiagnosticReason::FocusedTestsMissing, vec!["UT-2".to_owned()])
        );
    }

    #[test]
    fn a_failure_elsewhere_is_global_if_anything_passes() {
        let both = format!("{PASS}{FAIL}");
        let found = evidence(&both, &["UT-1"]).judge().expect("something failed");
        assert_eq!(found.reason, DiagnosticReason::GlobalVerifyFailed);
        assert_eq!(evidence(FAIL, &[]).judge(), None, "no round, no progress to miss");
        let mut round = evidence(FAIL, &[]);
        (round.went_round, round.red, round.escalated) = (true, true, true);
        let found = round.judge().expect("no progress");
        assert!(found.human_action_required);
        assert_eq!(found.suggested_next_node, SuggestedNode::Manual);
    }
}
