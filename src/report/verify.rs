//! The answer of `verify` (verify.md 11).

use std::io;

use serde::Serialize;

use super::flow_parts::AutomationDiagnostic;
use super::{Answer, Exit, Screen, Style};
use crate::flow::Diagnostic;
use crate::project::layout;
use crate::say;
use crate::text::escape;
use crate::verify::gate::{Consistency, CriterionStatus, FailedCase, Verified};
use crate::verify::pre_run::PreRun;
use crate::verify::precheck::{GateResult, Precheck};
use crate::verify::sandbox::SandboxReport;
use crate::voice::Voice;

/// What a run of verification came to.
pub struct Verification {
    pub run: Verified,
    pub pre_run: PreRun,
    pub precheck: Precheck,
    pub sandbox: SandboxReport,
    /// The last word, with its reason.
    pub result: GateResult,
    pub reason: Option<&'static str>,
    /// Those of the run, or what stands for a sandbox that failed.
    pub failed: Vec<FailedCase>,
    pub diagnostic: Option<Diagnostic>,
    pub deploy: Option<DeployNote>,
}

/// What is to be done after an open gate.
pub struct DeployNote {
    pub tasks: Vec<String>,
}

#[derive(Serialize)]
pub struct Data {
    summary: Summary,
    gate: Gate,
    failed_cases: Vec<FailedCase>,
    uncovered_cases: Vec<String>,
    skipped_cases: Vec<String>,
    consistency: Consistency,
    checklist: Checklist,
    ac_trace: AcTrace,
    pre_run: PreRun,
    smoke_precheck: Precheck,
    sandbox: SandboxReport,
    report_path: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    automation_diagnostic: Option<AutomationDiagnostic>,
}

#[derive(Serialize)]
struct Summary {
    defined_count: usize,
    ut_count: usize,
    st_count: usize,
    manual_count: usize,
    executed_count: usize,
    passed_count: usize,
    failed_count: usize,
    skipped_count: usize,
    uncovered_count: usize,
    coverage_pct: u64,
    pass_rate_pct: u64,
}

#[derive(Serialize)]
pub(super) struct Gate {
    pub(super) result: GateResult,
    pub(super) reason: Option<&'static str>,
}

#[derive(Serialize)]
struct Checklist {
    total: usize,
    checked: usize,
    unchecked_items: Vec<UncheckedItem>,
}

#[derive(Serialize)]
struct UncheckedItem {
    text: String,
    file: String,
}

#[derive(Serialize)]
struct AcTrace {
    total: usize,
    passed: usize,
    failed_criteria: Vec<FailedCriterion>,
}

#[derive(Serialize)]
struct FailedCriterion {
    ac_id: String,
    description: String,
    linked_case_ids: Vec<String>,
    status: CriterionStatus,
}

impl Verification {
    fn failed_criteria(&self) -> Vec<FailedCriterion> {
        let failed = self.run.criteria.iter().filter(|(_, status)| status.failed());
        failed
            .map(|(criterion, status)| FailedCriterion {
                ac_id: criterion.id.clone(),
                description: criterion.description.clone(),
                linked_case_ids: criterion.linked.clone(),
                status: *status,
            })
            .collect()
    }
}

impl Answer for Verification {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let tally = self.run.tally;
        let starts = |prefix: &str| {
            self.run
                .cases
                .defined
                .iter()
                .filter(|id| id.starts_with(prefix))
                .count()
        };
        let checklist = &self.run.cases.checklist;
        let unchecked = checklist.iter().filter(|item| !item.checked);
        let failed_criteria = self.failed_criteria();
        Data {
            summary: Summary {
                defined_count: tally.defined,
                ut_count: starts("UT-"),
                st_count: starts("ST-"),
                manual_count: self.run.cases.manual.len(),
                executed_count: tally.executed,
                passed_count: tally.passed,
                failed_count: tally.failed,
                skipped_count: tally.skipped,
                uncovered_count: tally.uncovered,
                coverage_pct: tally.coverage_pct,
                pass_rate_pct: tally.pass_rate_pct,
            },
            gate: Gate {
                result: self.result,
                reason: self.reason,
            },
            failed_cases: self.failed.clone(),
            uncovered_cases: self.run.uncovered.clone(),
            skipped_cases: self.run.skipped.clone(),
            consistency: self.run.consistency.clone(),
            checklist: Checklist {
                total: checklist.len(),
                checked: checklist.iter().filter(|item| item.checked).count(),
                unchecked_items: unchecked
                    .map(|item| UncheckedItem {
                        text: item.text.clone(),
                        file: item.file.clone(),
                    })
                    .collect(),
            },
            ac_trace: AcTrace {
                total: self.run.criteria.len(),
                passed: self.run.criteria.len() - failed_criteria.len(),
                failed_criteria,
            },
            pre_run: self.pre_run.clone(),
            smoke_precheck: self.precheck.clone(),
            sandbox: self.sandbox.clone(),
            report_path: layout::ACCEPTANCE_REPORT,
            automation_diagnostic: self
                .diagnostic
                .as_ref()
                .map(|diagnostic| AutomationDiagnostic::of(diagnostic, voice)),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let tally = self.run.tally;
        let verdict = match self.result {
            GateResult::Pass => screen.paint(Style::Good, "PASS"),
            GateResult::Fail => screen.paint(Style::Bad, "FAIL"),
        };
        let reason = self.reason.map(|reason| format!(" {reason}")).unwrap_or_default();
        screen.line(&format!("{verdict}{reason}"))?;
        let (defined, executed, passed, failed) = (tally.defined, tally.executed, tally.passed, tally.failed);
        let (skipped, coverage, rate) = (tally.skipped, tally.coverage_pct, tally.pass_rate_pct);
        let manual = self.run.cases.manual.len();
        screen.line(&say!(
            voice,
            "cases: {defined} ({manual} manual beside them); executed: {executed}; passed: {passed}; failed: {failed}; skipped: {skipped}",
            "用例：{defined}（另有人工 {manual}）；已执行：{executed}；通过：{passed}；失败：{failed}；跳过：{skipped}"
        ))?;
        screen.line(&say!(
            voice,
            "coverage: {coverage}%; pass rate: {rate}%",
            "覆盖率：{coverage}%；通过率：{rate}%"
        ))?;
        print_failed(screen, &self.failed)?;
        print_ids(screen, &say!(voice, "uncovered", "未覆盖"), &self.run.uncovered)?;
        for bad in &self.run.consistency.invalid_results {
            let (line, reason) = (bad.line, bad.reason.as_str());
            screen.line(&say!(
                voice,
                "- line {line} of the ledger: {reason}",
                "- 账本第 {line} 行：{reason}"
            ))?;
        }
        print_ids(
            screen,
            &say!(voice, "unknown ids", "未知用例"),
            &self.run.consistency.unknown_result_ids,
        )?;
        print_ids(
            screen,
            &say!(voice, "results of manual cases", "人工用例的结果"),
            &self.run.consistency.manual_result_ids,
        )?;
        for item in self.run.cases.checklist.iter().filter(|item| !item.checked) {
            let (text, file) = (escape(&item.text), escape(&item.file));
            screen.line(&format!("- [ ] {text} ({file})"))?;
        }
        for criterion in self.failed_criteria() {
            let (id, description) = (escape(&criterion.ac_id), escape(&criterion.description));
            screen.line(&say!(
                voice,
                "- criterion {id} is not met: {description}",
                "- 验收条件 {id} 未满足：{description}"
            ))?;
        }
        for text in self.pre_run.diagnostics.iter().chain(&self.pre_run.suggestions) {
            screen.line(&format!("- {}", escape(text)))?;
        }
        let report = layout::ACCEPTANCE_REPORT;
        screen.line(&say!(voice, "report: `{report}`", "报告：`{report}`"))?;
        if let Some(deploy) = &self.deploy {
            screen.line(&say!(
                voice,
                "to deploy is for a person to decide:",
                "是否部署由人决定："
            ))?;
            for task in &deploy.tasks {
                screen.line(&format!("- {}", escape(task)))?;
            }
        }
        Ok(())
    }

    fn exit(&self) -> Exit {
        exit(self.result)
    }
}

/// A closed gate is no check that found something, but a step that failed (verify.md 1).
pub(super) const fn exit(result: GateResult) -> Exit {
    match result {
        GateResult::Pass => Exit::Done,
        GateResult::Fail => Exit::Failed,
    }
}

pub(super) fn print_failed(screen: &mut Screen<'_>, failed: &[FailedCase]) -> io::Result<()> {
    for case in failed {
        let (id, error) = (escape(&case.id), escape(&case.error));
        let word = screen.paint(Style::Bad, "FAIL");
        screen.line(&format!("{word} {id}: {error}"))?;
    }
    Ok(())
}

pub(super) fn print_ids(screen: &mut Screen<'_>, title: &str, ids: &[String]) -> io::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    screen.line(&format!("{title}: {}", escape(&ids.join(", "))))
}
