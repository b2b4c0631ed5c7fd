//! The reports that a run leaves, in Markdown (verify.md 8 and 12.2). They hold a date and no time: two equal runs on one
//! day leave the same bytes.

use std::fmt::Write as _;

use super::gate::{CriterionStatus, FailedCase, Tally, Verified};
use super::precheck::{GateResult, SmokeDiagnostic};
use crate::ledger::Outcome;
use crate::ledger::reported::{SMOKE_GATE, VERIFY_GATE};
use crate::text::Bytes;

const PROGRAM: &str = concat!("git-spec ", env!("CARGO_PKG_VERSION"));

/// What a cell of a table shows: bars escaped, no line ends.
fn cell(text: &str) -> String {
    let one_line: Vec<&str> = text.split(['\n', '\r']).filter(|part| !part.is_empty()).collect();
    one_line.join(" ").replace('|', "\\|")
}

struct Text(String);

impl Text {
    fn new(title: &str, date: &str) -> Self {
        Self(format!("# {title}\n\n{PROGRAM}, {date} (UTC)\n"))
    }

    fn section(&mut self, title: &str) {
        self.line(&format!("\n## {title}\n"));
    }

    fn line(&mut self, text: &str) {
        self.0 += text;
        self.0.push('\n');
    }

    fn table<const N: usize>(&mut self, header: [&str; N], rows: impl IntoIterator<Item = [String; N]>) {
        self.line(&format!("| {} |", header.join(" | ")));
        self.line(&format!("|{}", "---|".repeat(N)));
        for row in rows {
            self.line(&format!("| {} |", row.map(|text| cell(&text)).join(" | ")));
        }
    }

    fn summary(&mut self, rows: impl IntoIterator<Item = (&'static str, String)>) {
        self.section("Summary");
        self.table(
            ["Metric", "Value"],
            rows.into_iter().map(|(name, value)| [name.to_owned(), value]),
        );
    }

    fn failed(&mut self, failed: &[FailedCase]) {
        if !failed.is_empty() {
            self.section("Failed Cases");
            self.table(
                ["ID", "Error"],
                failed.iter().map(|case| [case.id.clone(), case.error.clone()]),
            );
        }
    }

    fn list(&mut self, title: &str, ids: &[String]) {
        if !ids.is_empty() {
            self.section(title);
            for id in ids {
                self.line(&format!("- {id}"));
            }
        }
    }
}

fn numbers(tally: Tally) -> [(&'static str, String); 6] {
    [
        ("Executed", tally.executed.to_string()),
        ("Passed", tally.passed.to_string()),
        ("Failed", tally.failed.to_string()),
        ("Skipped", tally.skipped.to_string()),
        ("Uncovered", tally.uncovered.to_string()),
        ("Coverage", format!("{}%", tally.coverage_pct)),
    ]
}

const fn word(result: GateResult) -> &'static str {
    match result {
        GateResult::Pass => "PASS",
        GateResult::Fail => "FAIL",
    }
}

fn gate(result: GateResult, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("{} ({reason})", word(result)),
        None => word(result).to_owned(),
    }
}

/// The acceptance report.
pub fn acceptance(run: &Verified, result: GateResult, reason: Option<&str>, date: &str) -> Bytes {
    let mut text = Text::new("Acceptance Report", date);
    let tally = run.tally;
    let mut rows = vec![
        ("Defined", tally.defined.to_string()),
        ("Manual (excluded)", run.cases.manual.len().to_string()),
    ];
    rows.extend(numbers(tally));
    rows.push(("Pass rate", format!("{}%", tally.pass_rate_pct)));
    rows.push((VERIFY_GATE, gate(result, reason)));
    text.summary(rows);
    text.failed(&run.failed);
    text.list("Uncovered Cases", &run.uncovered);
    text.list("Skipped Cases", &run.skipped);
    let checklist = &run.cases.checklist;
    if !checklist.is_empty() {
        let ticked = checklist.iter().filter(|item| item.checked).count();
        text.section("Coverage Checklist");
        text.line(&format!("{ticked} of {} ticked\n", checklist.len()));
        let mark = |checked| if checked { "x" } else { " " };
        let rows = checklist.iter().map(|item| {
            [
                mark(item.checked).to_owned(),
                item.text.clone(),
                item.file.clone(),
            ]
        });
        text.table(["Done", "Item", "File"], rows);
    }
    if !run.criteria.is_empty() {
        text.section("Acceptance Criteria");
        let rows = run.criteria.iter().map(|(criterion, status)| {
            let mut cases = String::new();
            for id in &criterion.linked {
                let outcome = match run.outcomes.get(id) {
                    Some(Outcome::Pass) => "pass",
                    Some(Outcome::Fail) => "fail",
                    Some(Outcome::Skip) => "skip",
                    None if run.cases.defined.contains(id) => "uncovered",
                    None => "manual",
                };
                let comma = if cases.is_empty() { "" } else { ", " };
                write!(cases, "{comma}{id}: {outcome}").expect("memory can be written");
            }
            let state = match status {
                CriterionStatus::Pass => "pass",
                CriterionStatus::Fail => "fail",
                CriterionStatus::Pending => "manual",
                CriterionStatus::NoLinkedCases => "no linked cases",
            };
            [
                criterion.id.clone(),
                criterion.description.clone(),
                cases,
                state.to_owned(),
            ]
        });
        text.table(["ID", "Description", "Cases", "State"], rows);
    }
    text.0.into_bytes()
}

/// What a smoke report tells.
pub struct Smoke<'a> {
    pub environment: Option<&'a str>,
    pub tally: Tally,
    pub result: GateResult,
    pub reason: Option<&'a str>,
    pub failed: &'a [FailedCase],
    pub uncovered: &'a [String],
    pub skipped: &'a [String],
    pub diagnostics: &'a [SmokeDiagnostic],
}

/// The smoke report.
pub fn smoke(run: &Smoke<'_>, date: &str) -> Bytes {
    let mut text = Text::new("Smoke Report", date);
    let mut rows = vec![
        ("Environment", run.environment.unwrap_or("-").to_owned()),
        ("Defined", run.tally.defined.to_string()),
    ];
    rows.extend(numbers(run.tally));
    rows.push(("Pass rate", format!("{}%", run.tally.pass_rate_pct)));
    rows.push((SMOKE_GATE, gate(run.result, run.reason)));
    text.summary(rows);
    text.failed(run.failed);
    text.list("Uncovered Cases", run.uncovered);
    if !run.diagnostics.is_empty() {
        text.section("Diagnostics");
        let rows = run.diagnostics.iter().map(|diagnostic| {
            [
                diagnostic.code.to_owned(),
                diagnostic.message.clone(),
                diagnostic.case_ids.join(", "),
            ]
        });
        text.table(["Code", "Message", "Cases"], rows);
    }
    text.list("Skipped Cases", run.skipped);
    text.0.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_cell_has_neither_bars_nor_line_ends() {
        assert_eq!(cell("a|b\r\nc\nd"), "a\\|b c d");
    }
}
