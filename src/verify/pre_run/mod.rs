//! The commands that produce results (verify.md 6).

mod plan;
mod run;

use std::path::Path;

use serde::Serialize;

use super::gate::FailedCase;
use super::import::{self, Imported, KnownCases, UnmappedFailure, Warning};
use super::precheck::GateResult;
use super::sandbox::{Means, SandboxReport, SandboxStatus, add_new};
use super::settings::{Unmapped, VerifySettings};
use crate::clock::Timestamp;
use crate::files::RepoPath;
use crate::say;
use crate::text::Bytes;
use crate::voice::{Say, Voice};

pub use plan::{Plan, Stage};

/// Failing tests that a text names at most.
const SHOWN: usize = 5;

/// The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StageName {
    PreRun,
    Regression,
    Incremental,
    Smoke,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CommandStatus {
    Pass,
    Fail,
    Skipped,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Nothing is run.
    #[default]
    None,
    PreRunCommand,
    TwoPhase,
}

/// A command that was run, refused or passed over; keys in contract order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandEntry {
    pub stage: StageName,
    pub command: String,
    pub status: CommandStatus,
    /// None if a signal ended it, or it was never started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxReport>,
}

/// Where results are, as configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultPaths {
    #[serde(rename = "final")]
    pub last: String,
    pub regression: Option<String>,
    pub incremental: Option<String>,
}

/// What the pre-run came to; keys in contract order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PreRun {
    pub mode: Mode,
    pub commands: Vec<CommandEntry>,
    pub result_paths: ResultPaths,
    pub merge_strategy: Option<&'static str>,
    pub diagnostics: Vec<String>,
    pub suggestions: Vec<String>,
}

/// The files that a run changes itself.
pub trait Ledgers {
    type Error: From<import::Error>;

    /// Makes a file empty, with the folders above it.
    fn empty(&self, path: &RepoPath) -> Result<(), Self::Error>;
    fn is_there(&self, path: &RepoPath) -> Result<bool, Self::Error>;
    /// The content of a file; none if it is not there.
    fn content(&self, path: &RepoPath) -> Result<Option<Bytes>, Self::Error>;
    fn fill(&self, path: &RepoPath, content: Bytes) -> Result<(), Self::Error>;
    /// The ids that reports of tests may name.
    fn known_cases(&self) -> Result<KnownCases, Self::Error>;
    fn is_tracked(&self, path: &RepoPath) -> Result<bool, Self::Error>;
}

/// Where commands run, and how.
pub struct Host<'a> {
    /// For rows of reports that have no time.
    pub now: Timestamp,
    /// The real clock, which file times are held against.
    pub clock: fn() -> Timestamp,
    /// The project.
    pub root: &'a Path,
    pub means: &'a Means,
    /// Nothing that a command says may reach our streams.
    pub is_quiet: bool,
    pub voice: &'a Voice,
}

/// What the run of a plan came to.
#[derive(Clone, Debug)]
pub struct Ran {
    pub commands: Vec<CommandEntry>,
    pub sandbox: SandboxReport,
    /// What imports have to say.
    pub warnings: Vec<Warning>,
    /// Failing tests that no case stands for; the first of them.
    pub unmapped: Vec<UnmappedFailure>,
    pub unmapped_count: u64,
}

impl Ran {
    /// Whether a command failed.
    pub fn failed(&self) -> bool {
        self.commands
            .iter()
            .any(|command| command.status == CommandStatus::Fail)
    }
}

impl StageName {
    const fn of_imports(self) -> import::Stage {
        match self {
            Self::PreRun | Self::Smoke => import::Stage::PreRun,
            Self::Regression => import::Stage::Regression,
            Self::Incremental => import::Stage::Incremental,
        }
    }
}

impl Ran {
    /// Puts the rows of reports behind what a ledger has.
    fn take<L: Ledgers>(
        &mut self,
        imported: Imported,
        content: Option<Bytes>,
        path: &RepoPath,
        ledgers: &L,
    ) -> Result<(), L::Error> {
        let mut content = content.unwrap_or_default();
        if !content.is_empty() && !content.ends_with(b"\n") {
            content.push(b'\n');
        }
        content.extend_from_slice(&imported.ledger);
        ledgers.fill(path, content)?;
        self.warnings.extend(imported.warnings);
        self.unmapped.extend(imported.unmapped_failures);
        self.unmapped_count += imported.unmapped_failure_count;
        Ok(())
    }

    /// A sandbox that failed closes an open gate (verify.md 5); whether it did.
    pub fn closes(&self, result: &mut GateResult, failed: &mut Vec<FailedCase>) -> bool {
        if self.sandbox.status != SandboxStatus::Fail || !result.passes() {
            return false;
        }
        *result = GateResult::Fail;
        if failed.is_empty() {
            failed.push(FailedCase {
                id: "sandbox".to_owned(),
                error: self.sandbox.diagnostics.first().cloned().unwrap_or_default(),
            });
        }
        true
    }

    /// What is said of commands that failed, a line each.
    pub fn complaints(&self) -> impl Iterator<Item = &str> {
        let errors = self
            .commands
            .iter()
            .filter_map(|command| command.error.as_deref());
        errors.filter_map(|error| error.lines().next())
    }
}

impl PreRun {
    pub fn new(plan: &Plan, ran: &Ran, settings: &VerifySettings, voice: &Voice) -> Self {
        let mut diagnostics = Vec::new();
        if plan.passed_over.is_some() {
            diagnostics.push(say!(
                voice,
                "`pre_run_command` is not run: two phases are configured",
                "未运行 `pre_run_command`：已配置两阶段验证"
            ));
        }
        let mut out = Self {
            mode: plan.mode,
            commands: ran.commands.clone(),
            result_paths: ResultPaths {
                last: settings.result.text.clone(),
                regression: settings.regression_result.as_ref().map(|path| path.text.clone()),
                incremental: settings.incremental_result.as_ref().map(|path| path.text.clone()),
            },
            merge_strategy: (plan.mode == Mode::TwoPhase).then_some("last-write-wins"),
            diagnostics,
            suggestions: Vec::new(),
        };
        out.take_in(&ran.sandbox);
        out.diagnostics
            .extend(ran.warnings.iter().map(|warning| warning.say(voice)));
        if settings.unmapped != Unmapped::Ignore && ran.unmapped_count > 0 {
            let count = ran.unmapped_count;
            let names: Vec<&str> = ran
                .unmapped
                .iter()
                .take(SHOWN)
                .map(|failure| failure.name.as_str())
                .collect();
            let names = names.join("; ");
            out.diagnostics.push(say!(
                voice,
                "failing tests that no case stands for ({count}): {names}",
                "没有对应用例的失败测试（{count}）：{names}"
            ));
        }
        out
    }

    /// Texts of the sandbox are repeated here.
    fn take_in(&mut self, sandbox: &SandboxReport) {
        add_new(&mut self.diagnostics, &sandbox.diagnostics);
        add_new(&mut self.suggestions, &sandbox.suggestions);
    }
}
