//! What results make of cases: consistency, coverage, criteria, the gate (verify.md 4.4 and 5).

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use super::cases::{Cases, Criterion};
use super::precheck::{GateResult, Precheck};
use crate::ledger::{BadLine, Fault, Outcome, Record, Records};

/// Whether the ledger can be believed; keys in contract order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Consistency {
    pub ok: bool,
    pub reasons: Vec<&'static str>,
    pub invalid_results: Vec<BadLine>,
    pub unknown_result_ids: Vec<String>,
    pub manual_result_ids: Vec<String>,
    pub count_mismatches: Vec<&'static str>,
}

/// Numbers of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub defined: usize,
    pub executed: usize,
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    pub uncovered: usize,
    pub coverage_pct: u64,
    pub pass_rate_pct: u64,
}

/// A case that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedCase {
    pub id: String,
    /// As written.
    pub error: String,
}

/// What became of a criterion. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum CriterionStatus {
    #[serde(rename = "NO_LINKED_CASES")]
    NoLinkedCases,
    #[serde(rename = "FAIL")]
    Fail,
    /// None of its cases has a result.
    Pending,
    Pass,
}

impl CriterionStatus {
    pub const fn failed(self) -> bool {
        matches!(self, Self::NoLinkedCases | Self::Fail)
    }
}

/// Why a gate is closed. The names are contract; smoke and settings of our own have more.
pub const LEDGER_INCONSISTENT: &str = "result_ledger_inconsistent";
pub const PRE_RUN_FAILED: &str = "pre_run_failed";
pub const FAILED_CASES: &str = "failed_cases";
pub const UNMAPPED_FAILURES: &str = "unmapped_failures";
pub const INCOMPLETE_COVERAGE: &str = "incomplete_coverage";
pub const CHECKLIST_INCOMPLETE: &str = "checklist_incomplete";
pub const AC_TRACE_INCOMPLETE: &str = "ac_trace_incomplete";

/// What closes the gate beside the ledger, where the project wants it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Closed {
    /// A command failed.
    pub by_command: bool,
    /// A test failed that no case stands for.
    pub by_unmapped: bool,
}

/// What a run of verification came to.
#[derive(Clone, Debug)]
pub struct Verified {
    pub cases: Cases,
    pub tally: Tally,
    pub consistency: Consistency,
    /// In order of first sight.
    pub failed: Vec<FailedCase>,
    pub skipped: Vec<String>,
    pub passed: Vec<String>,
    /// In order of ids.
    pub uncovered: Vec<String>,
    pub criteria: Vec<(Criterion, CriterionStatus)>,
    /// Cases that criteria name and no specification defines.
    pub undefined_links: Vec<String>,
    /// The outcome of every id that has one.
    pub outcomes: HashMap<String, Outcome>,
    /// None if the gate is open.
    pub reason: Option<&'static str>,
}

impl Verified {
    pub fn judge(cases: Cases, records: Records, closed: Closed) -> Self {
        let Records { effective, bad, .. } = records;
        let outcomes: HashMap<String, Outcome> = effective
            .iter()
            .map(|record| (record.id.clone(), record.outcome))
            .collect();
        let uncovered: Vec<String> = cases
            .defined
            .iter()
            .filter(|id| !outcomes.contains_key(*id))
            .cloned()
            .collect();
        let tally = Tally::count(cases.defined.len(), &effective, uncovered.len());
        let consistency = Consistency::of(&cases, &effective, bad, tally);
        let status = |criterion: Criterion| {
            let status = CriterionStatus::of(&criterion, &outcomes);
            (criterion, status)
        };
        let criteria: Vec<_> = cases.criteria.iter().cloned().map(status).collect();
        let known = |id: &String| cases.defined.contains(id) || cases.manual.contains(id);
        let undefined: BTreeSet<&String> = criteria
            .iter()
            .flat_map(|(criterion, _)| &criterion.linked)
            .filter(|id| !known(id))
            .collect();
        let undefined_links = undefined.into_iter().cloned().collect();
        let reason = [
            (!consistency.ok, LEDGER_INCONSISTENT),
            (closed.by_command, PRE_RUN_FAILED),
            (tally.failed > 0, FAILED_CASES),
            (closed.by_unmapped, UNMAPPED_FAILURES),
            (tally.uncovered > 0, INCOMPLETE_COVERAGE),
            (
                cases.checklist.iter().any(|item| !item.checked),
                CHECKLIST_INCOMPLETE,
            ),
            (
                criteria.iter().any(|(_, status)| status.failed()),
                AC_TRACE_INCOMPLETE,
            ),
        ];
        let reason = reason
            .into_iter()
            .find_map(|(closed, reason)| closed.then_some(reason));
        let Lists {
            failed,
            skipped,
            passed,
        } = Lists::of(effective);
        Self {
            cases,
            tally,
            consistency,
            failed,
            skipped,
            passed,
            uncovered,
            criteria,
            undefined_links,
            outcomes,
            reason,
        }
    }
}

/// What a smoke test came to.
#[derive(Clone, Debug)]
pub struct SmokeRun {
    pub tally: Tally,
    pub failed: Vec<FailedCase>,
    pub skipped: Vec<String>,
    pub passed: Vec<String>,
    pub uncovered: Vec<String>,
    pub result: GateResult,
    pub reason: Option<&'static str>,
}

impl SmokeRun {
    pub fn judge(defined: &BTreeSet<String>, effective: Vec<Record>, precheck: &Precheck) -> Self {
        let executed: BTreeSet<&String> = effective.iter().map(|record| &record.id).collect();
        let uncovered: Vec<String> = defined
            .iter()
            .filter(|id| !executed.contains(id))
            .cloned()
            .collect();
        let tally = Tally::count(defined.len(), &effective, uncovered.len());
        let blocked = precheck.diagnostics.first().map(|diagnostic| diagnostic.code);
        let reason = (tally.failed > 0)
            .then_some(FAILED_CASES)
            .or(blocked)
            .or((tally.uncovered > 0).then_some(INCOMPLETE_COVERAGE));
        let Lists {
            failed,
            skipped,
            passed,
        } = Lists::of(effective);
        Self {
            tally,
            failed,
            skipped,
            passed,
            uncovered,
            result: GateResult::of(reason.is_none()),
            reason,
        }
    }
}

/// Cases by their outcome, in order of first sight.
#[derive(Default)]
struct Lists {
    failed: Vec<FailedCase>,
    skipped: Vec<String>,
    passed: Vec<String>,
}

impl Lists {
    fn of(effective: Vec<Record>) -> Self {
        let mut lists = Self::default();
        for Record { id, outcome, error } in effective {
            match outcome {
                Outcome::Pass => lists.passed.push(id),
                Outcome::Skip => lists.skipped.push(id),
                Outcome::Fail => lists.failed.push(FailedCase {
                    id,
                    error: error.unwrap_or_default(),
                }),
            }
        }
        lists
    }
}

impl Tally {
    fn count(defined: usize, effective: &[Record], uncovered: usize) -> Self {
        let of = |outcome: Outcome| {
            effective
                .iter()
                .filter(|record| record.outcome == outcome)
                .count()
        };
        let (passed, failed, skipped) = (of(Outcome::Pass), of(Outcome::Fail), of(Outcome::Skip));
        let executed = effective.len();
        Self {
            defined,
            executed,
            passed,
            failed,
            skipped,
            uncovered,
            coverage_pct: percent(defined - uncovered, defined),
            pass_rate_pct: percent(passed + skipped, executed),
        }
    }
}

/// A share in percent, rounded as the contract's arithmetic has it: never 100 unless it is all. 0 of nothing.
fn percent(part: usize, whole: usize) -> u64 {
    if whole == 0 {
        return 0;
    }
    // Cases are far fewer than what a double holds exactly.
    #[expect(clippy::cast_precision_loss)]
    let share = part as f64 / whole as f64 * 100.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let rounded = (share + 0.5).floor() as u64;
    if part < whole { rounded.min(99) } else { rounded }
}

impl Consistency {
    fn of(cases: &Cases, effective: &[Record], bad: Vec<BadLine>, tally: Tally) -> Self {
        let ids = |wanted: &dyn Fn(&String) -> bool| -> Vec<String> {
            let all = effective.iter().map(|record| &record.id);
            all.filter(|id| wanted(id)).cloned().collect()
        };
        let manual_result_ids = ids(&|id| cases.manual.contains(id));
        let unknown_result_ids = ids(&|id| !cases.manual.contains(id) && !cases.defined.contains(id));
        let Tally {
            defined,
            executed,
            passed,
            failed,
            skipped,
            uncovered,
            coverage_pct,
            pass_rate_pct,
        } = tally;
        let broken = [
            (
                passed + failed + skipped != executed,
                "passed_failed_skipped_ne_executed",
            ),
            (executed > defined, "executed_exceeds_defined"),
            (
                coverage_pct == 100 && uncovered > 0,
                "coverage_full_with_uncovered",
            ),
            (
                coverage_pct < 100 && uncovered == 0 && defined > 0,
                "coverage_incomplete_without_uncovered",
            ),
            (
                failed == 0 && passed + skipped != executed,
                "effective_passed_ne_executed_without_fail",
            ),
            (
                failed == 0 && executed > 0 && pass_rate_pct < 100,
                "pass_rate_below_100_without_fail",
            ),
        ];
        let count_mismatches: Vec<_> = broken
            .into_iter()
            .filter_map(|(is, name)| is.then_some(name))
            .collect();
        let mut reasons: Vec<&'static str> = Vec::new();
        let of_lines = bad.iter().map(|bad| match bad.reason {
            Fault::InvalidJson => "invalid_test_result_json",
            Fault::InvalidStatus => "invalid_test_result_status",
            Fault::InvalidRecord | Fault::MissingId | Fault::MissingStatus | Fault::MissingError => {
                "invalid_test_result_schema"
            }
        });
        let of_ids = [
            (!unknown_result_ids.is_empty(), "unknown_test_result_id"),
            (!manual_result_ids.is_empty(), "manual_test_result_id"),
            (!count_mismatches.is_empty(), "result_count_mismatch"),
        ];
        for reason in of_lines.chain(of_ids.into_iter().filter_map(|(is, name)| is.then_some(name))) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        Self {
            ok: reasons.is_empty(),
            reasons,
            invalid_results: bad,
            unknown_result_ids,
            manual_result_ids,
            count_mismatches,
        }
    }
}

impl CriterionStatus {
    fn of(criterion: &Criterion, outcomes: &HashMap<String, Outcome>) -> Self {
        if criterion.linked.is_empty() {
            return Self::NoLinkedCases;
        }
        let mut found = criterion
            .linked
            .iter()
            .filter_map(|id| outcomes.get(id))
            .peekable();
        if found.peek().is_none() {
            return Self::Pending;
        }
        if found.any(|outcome| *outcome == Outcome::Fail) {
            Self::Fail
        } else {
            Self::Pass
        }
    }
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn shares_are_rounded_as_doubles_and_full_only_when_all_is_there() {
        for (part, whole, expected) in [
            (1, 8, 13),
            (23, 40, 57),
            (1, 3, 33),
            (2, 3, 67),
            (0, 0, 0),
            (399, 400, 99),
            (400, 400, 100),
        ] {
            assert_eq!(percent(part, whole), expected, "{part} of {whole}");
        }
    }
}
