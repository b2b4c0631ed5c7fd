//! What the report of a run says, part by part, in either language (verify.md 8 and 12.2). How it looks is for
//! [`super::acceptance`], as Markdown, and [`super::page`], as HTML.

use super::gate::{CriterionStatus, FailedCase, Tally, Verified};
use super::precheck::{GateResult, SmokeDiagnostic};
use crate::ledger::Outcome;
use crate::ledger::reported::{SMOKE_GATE, VERIFY_GATE};
use crate::say;
use crate::voice::Voice;

/// A report.
pub(super) struct Outline {
    pub(super) title: &'static str,
    /// Which program made it.
    pub(super) program: &'static str,
    /// The day, in UTC.
    pub(super) date: String,
    pub(super) gate: Gate,
    pub(super) parts: Vec<Part>,
}

/// The last word on a run.
pub(super) struct Gate {
    pub(super) name: &'static str,
    pub(super) result: GateResult,
    pub(super) reason: Option<&'static str>,
}

/// What stands below one heading.
pub(super) struct Part {
    pub(super) title: &'static str,
    /// A sentence before the body.
    pub(super) lead: Option<String>,
    pub(super) body: Body,
}

pub(super) enum Body {
    Table {
        header: Vec<&'static str>,
        rows: Vec<Vec<Cell>>,
    },
    /// Ids.
    List(Vec<String>),
}

pub(super) enum Cell {
    /// As somebody wrote it.
    Text(String),
    State(State),
    /// The mark of an item of a checklist.
    Ticked(bool),
    Cases(Vec<(String, State)>),
}

/// What became of a case or a criterion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Pass,
    Fail,
    Skip,
    Uncovered,
    Manual,
    NoLinkedCases,
}

impl State {
    pub(super) fn word(self, voice: &Voice) -> &'static str {
        match self {
            Self::Pass => voice.pick("pass", "通过"),
            Self::Fail => voice.pick("fail", "失败"),
            Self::Skip => voice.pick("skip", "跳过"),
            Self::Uncovered => voice.pick("uncovered", "未覆盖"),
            Self::Manual => voice.pick("manual", "人工"),
            Self::NoLinkedCases => voice.pick("no linked cases", "无关联用例"),
        }
    }

    fn of_case(id: &String, run: &Verified) -> Self {
        match run.outcomes.get(id) {
            Some(Outcome::Pass) => Self::Pass,
            Some(Outcome::Fail) => Self::Fail,
            Some(Outcome::Skip) => Self::Skip,
            None if run.cases.defined.contains(id) => Self::Uncovered,
            None => Self::Manual,
        }
    }

    const fn of_criterion(status: CriterionStatus) -> Self {
        match status {
            CriterionStatus::Pass => Self::Pass,
            CriterionStatus::Fail => Self::Fail,
            CriterionStatus::Pending => Self::Manual,
            CriterionStatus::NoLinkedCases => Self::NoLinkedCases,
        }
    }
}

impl Gate {
    pub(super) const fn word(&self) -> &'static str {
        match self.result {
            GateResult::Pass => "PASS",
            GateResult::Fail => "FAIL",
        }
    }

    fn text(&self) -> String {
        match self.reason {
            Some(reason) => format!("{} ({reason})", self.word()),
            None => self.word().to_owned(),
        }
    }
}

/// What a smoke report tells.
pub struct Smoke<'a> {
    pub environment: Option<&'a str>,
    pub tally: Tally,
    pub result: GateResult,
    pub reason: Option<&'static str>,
    pub failed: &'a [FailedCase],
    pub uncovered: &'a [String],
    pub skipped: &'a [String],
    pub diagnostics: &'a [SmokeDiagnostic],
}

impl Outline {
    fn new(title: &'static str, gate: Gate, date: &str) -> Self {
        Self {
            title,
            program: concat!("git-spec ", env!("CARGO_PKG_VERSION")),
            date: date.to_owned(),
            gate,
            parts: Vec::new(),
        }
    }

    /// What verification came to; its gate is the last one, after smoke precheck and sandbox.
    pub(super) fn acceptance(
        run: &Verified,
        result: GateResult,
        reason: Option<&'static str>,
        date: &str,
        voice: &Voice,
    ) -> Self {
        let gate = Gate {
            name: voice.pick(VERIFY_GATE, "Gate 3.5 门禁"),
            result,
            reason,
        };
        let mut outline = Self::new(voice.pick("Acceptance Report", "验收报告"), gate, date);
        let manual = run.cases.manual.len().to_string();
        let manual = (voice.pick("Manual (excluded)", "人工（不计入）"), manual);
        let defined = (voice.pick("Defined", "已定义"), run.tally.defined.to_string());
        outline.summary(vec![defined, manual], run.tally, voice);
        outline.failed(&run.failed, voice);
        outline.ids(voice.pick("Uncovered Cases", "未覆盖用例"), &run.uncovered);
        outline.ids(voice.pick("Skipped Cases", "跳过的用例"), &run.skipped);
        outline.checklist(run, voice);
        outline.criteria(run, voice);
        outline
    }

    /// What a smoke test came to.
    pub(super) fn smoke(run: &Smoke<'_>, date: &str, voice: &Voice) -> Self {
        let gate = Gate {
            name: voice.pick(SMOKE_GATE, "Gate 3.8 门禁"),
            result: run.result,
            reason: run.reason,
        };
        let mut outline = Self::new(voice.pick("Smoke Report", "冒烟测试报告"), gate, date);
        let environment = run.environment.unwrap_or("-").to_owned();
        let environment = (voice.pick("Environment", "环境"), environment);
        let defined = (voice.pick("Defined", "已定义"), run.tally.defined.to_string());
        outline.summary(vec![environment, defined], run.tally, voice);
        outline.failed(run.failed, voice);
        outline.ids(voice.pick("Uncovered Cases", "未覆盖用例"), run.uncovered);
        outline.diagnostics(run.diagnostics, voice);
        outline.ids(voice.pick("Skipped Cases", "跳过的用例"), run.skipped);
        outline
    }

    fn summary(&mut self, first: Vec<(&'static str, String)>, tally: Tally, voice: &Voice) {
        let numbers = [
            (voice.pick("Executed", "已执行"), tally.executed.to_string()),
            (voice.pick("Passed", "通过"), tally.passed.to_string()),
            (voice.pick("Failed", "失败"), tally.failed.to_string()),
            (voice.pick("Skipped", "跳过"), tally.skipped.to_string()),
            (voice.pick("Uncovered", "未覆盖"), tally.uncovered.to_string()),
            (
                voice.pick("Coverage", "覆盖率"),
                format!("{}%", tally.coverage_pct),
            ),
            (
                voice.pick("Pass rate", "通过率"),
                format!("{}%", tally.pass_rate_pct),
            ),
            (self.gate.name, self.gate.text()),
        ];
        let rows = first.into_iter().chain(numbers);
        let rows = rows.map(|(name, value)| vec![Cell::Text(name.to_owned()), Cell::Text(value)]);
        let header = vec![voice.pick("Metric", "指标"), voice.pick("Value", "数值")];
        self.table(voice.pick("Summary", "摘要"), None, header, rows.collect());
    }

    fn failed(&mut self, failed: &[FailedCase], voice: &Voice) {
        let rows = failed
            .iter()
            .map(|case| vec![Cell::Text(case.id.clone()), Cell::Text(case.error.clone())]);
        let header = vec!["ID", voice.pick("Error", "错误")];
        self.table(
            voice.pick("Failed Cases", "失败用例"),
            None,
            header,
            rows.collect(),
        );
    }

    fn checklist(&mut self, run: &Verified, voice: &Voice) {
        let items = &run.cases.checklist;
        let (ticked, total) = (items.iter().filter(|item| item.checked).count(), items.len());
        let rows = items.iter().map(|item| {
            vec![
                Cell::Ticked(item.checked),
                Cell::Text(item.text.clone()),
                Cell::Text(item.file.clone()),
            ]
        });
        self.table(
            voice.pick("Coverage Checklist", "覆盖度校验"),
            Some(say!(
                voice,
                "{ticked} of {total} ticked",
                "已勾选 {ticked}，共 {total}"
            )),
            vec![
                voice.pick("Done", "完成"),
                voice.pick("Item", "事项"),
                voice.pick("File", "文件"),
            ],
            rows.collect(),
        );
    }

    fn criteria(&mut self, run: &Verified, voice: &Voice) {
        let rows = run.criteria.iter().map(|(criterion, status)| {
            let cases = criterion
                .linked
                .iter()
                .map(|id| (id.clone(), State::of_case(id, run)));
            vec![
                Cell::Text(criterion.id.clone()),
                Cell::Text(criterion.description.clone()),
                Cell::Cases(cases.collect()),
                Cell::State(State::of_criterion(*status)),
            ]
        });
        self.table(
            voice.pick("Acceptance Criteria", "验收条件追溯"),
            None,
            vec![
                "ID",
                voice.pick("Description", "描述"),
                voice.pick("Cases", "用例"),
                voice.pick("State", "状态"),
            ],
            rows.collect(),
        );
    }

    fn diagnostics(&mut self, diagnostics: &[SmokeDiagnostic], voice: &Voice) {
        let rows = diagnostics.iter().map(|diagnostic| {
            vec![
                Cell::Text(diagnostic.code.to_owned()),
                Cell::Text(diagnostic.message.clone()),
                Cell::Text(diagnostic.case_ids.join(", ")),
            ]
        });
        self.table(
            voice.pick("Diagnostics", "诊断"),
            None,
            vec![
                voice.pick("Code", "代码"),
                voice.pick("Message", "说明"),
                voice.pick("Cases", "用例"),
            ],
            rows.collect(),
        );
    }

    /// A table, if it has any row.
    fn table(
        &mut self,
        title: &'static str,
        lead: Option<String>,
        header: Vec<&'static str>,
        rows: Vec<Vec<Cell>>,
    ) {
        if !rows.is_empty() {
            let body = Body::Table { header, rows };
            self.parts.push(Part { title, lead, body });
        }
    }

    /// A list of ids, if there is any.
    pub(super) fn ids<'a>(&mut self, title: &'static str, ids: impl IntoIterator<Item = &'a String>) {
        let ids: Vec<String> = ids.into_iter().cloned().collect();
        if !ids.is_empty() {
            self.parts.push(Part {
                title,
                lead: None,
                body: Body::List(ids),
            });
        }
    }
}

/// The lines of a text that have anything in them.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r']).filter(|line| !line.is_empty())
}
