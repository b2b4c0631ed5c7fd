//! The answer of `smoke` (verify.md 12.2).

use std::io;

use serde::Serialize;

use super::verify::{Gate, exit, print_failed, print_ids};
use super::{Answer, Exit, Screen, Style};
use crate::say;
use crate::text::escape;
use crate::verify::gate::{FailedCase, SmokeRun};
use crate::verify::precheck::{GateResult, Precheck, SmokeDiagnostic};
use crate::verify::sandbox::SandboxReport;
use crate::voice::Voice;

/// What a smoke test came to.
pub struct SmokeTest {
    pub environment: Option<String>,
    /// Without it nothing was tested: that is a complaint, not a result.
    pub has_ledger: bool,
    pub run: SmokeRun,
    pub precheck: Precheck,
    pub sandbox: SandboxReport,
    pub report_path: String,
    pub result_path: String,
}

#[derive(Serialize)]
pub struct Data {
    environment: Option<String>,
    summary: Summary,
    gate: Gate,
    changed_cases: Vec<String>,
    diagnostics: Vec<SmokeDiagnostic>,
    runners: Vec<String>,
    failed_cases: Vec<FailedCase>,
    uncovered_cases: Vec<String>,
    skipped_cases: Vec<String>,
    sandbox: SandboxReport,
    report_path: String,
    result_path: String,
}

#[derive(Serialize)]
struct Summary {
    defined_count: usize,
    executed_count: usize,
    passed_count: usize,
    failed_count: usize,
    skipped_count: usize,
    uncovered_count: usize,
    coverage_pct: u64,
    pass_rate_pct: u64,
}

impl Answer for SmokeTest {
    type Data = Data;

    fn data(&self, _voice: &Voice) -> Data {
        let tally = self.run.tally;
        Data {
            environment: self.environment.clone(),
            summary: Summary {
                defined_count: tally.defined,
                executed_count: tally.executed,
                passed_count: tally.passed,
                failed_count: tally.failed,
                skipped_count: tally.skipped,
                uncovered_count: tally.uncovered,
                coverage_pct: tally.coverage_pct,
                pass_rate_pct: tally.pass_rate_pct,
            },
            gate: Gate {
                result: self.run.result,
                reason: self.run.reason,
            },
            changed_cases: self.precheck.changed_case_ids.clone(),
            diagnostics: self.precheck.diagnostics.clone(),
            runners: self.precheck.runners.clone(),
            failed_cases: self.run.failed.clone(),
            uncovered_cases: self.run.uncovered.clone(),
            skipped_cases: self.run.skipped.clone(),
            sandbox: self.sandbox.clone(),
            report_path: self.report_path.clone(),
            result_path: self.result_path.clone(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if !self.has_ledger {
            for diagnostic in &self.precheck.diagnostics {
                let (code, message) = (diagnostic.code, escape(&diagnostic.message));
                screen.warn(&format!("git-spec: {code}: {message}"))?;
            }
            let path = escape(&self.result_path);
            return screen.warn(&say!(
                voice,
                "git-spec: FAIL: `{path}` does not exist",
                "git-spec：FAIL：`{path}` 不存在"
            ));
        }
        let tally = self.run.tally;
        let verdict = match self.run.result {
            GateResult::Pass => screen.paint(Style::Good, "PASS"),
            GateResult::Fail => screen.paint(Style::Bad, "FAIL"),
        };
        let reason = self
            .run
            .reason
            .map(|reason| format!(" {reason}"))
            .unwrap_or_default();
        screen.line(&format!("{verdict}{reason}"))?;
        let (defined, executed, passed, failed) = (tally.defined, tally.executed, tally.passed, tally.failed);
        let (skipped, coverage) = (tally.skipped, tally.coverage_pct);
        screen.line(&say!(
            voice,
            "smoke cases: {defined}; executed: {executed}; passed: {passed}; failed: {failed}; skipped: {skipped}; coverage: {coverage}%",
            "冒烟用例：{defined}；已执行：{executed}；通过：{passed}；失败：{failed}；跳过：{skipped}；覆盖率：{coverage}%"
        ))?;
        print_failed(screen, &self.run.failed)?;
        print_ids(screen, &say!(voice, "uncovered", "未覆盖"), &self.run.uncovered)?;
        for diagnostic in &self.precheck.diagnostics {
            let (code, message) = (diagnostic.code, escape(&diagnostic.message));
            screen.line(&format!("- {code}: {message}"))?;
        }
        for text in self.sandbox.diagnostics.iter().chain(&self.sandbox.suggestions) {
            screen.line(&format!("- {}", escape(text)))?;
        }
        let report = escape(&self.report_path);
        screen.line(&say!(voice, "report: `{report}`", "报告：`{report}`"))
    }

    fn exit(&self) -> Exit {
        exit(self.run.result)
    }
}
