//! The commands that produce results (verify.md 6).

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use bstr::ByteSlice;
use serde::Serialize;

use super::gate::FailedCase;
use super::precheck::GateResult;
use super::sandbox::{Isolation, Place, Sandbox, SandboxReport, SandboxStatus, add_new};
use super::settings::{ConfiguredPath, SMOKE_REPORT, SandboxSettings, SmokeSettings, VerifySettings};
use crate::files::RepoPath;
use crate::process::{Shell, Streams};
use crate::project::layout;
use crate::say;
use crate::text::{Bytes, decode};
use crate::voice::Voice;

/// Code units of UTF-16 that an error has at most.
const ERROR_LENGTH: usize = 500;
/// Bytes of standard error that may be in one.
const HEAD: usize = 4 * ERROR_LENGTH;

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

/// A command, and the file that it fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    pub name: StageName,
    pub command: String,
    pub file: ConfiguredPath,
}

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub mode: Mode,
    pub stages: Vec<Stage>,
    /// A command beside two phases, which is not run.
    pub passed_over: Option<String>,
    pub timeout: Duration,
    pub sandbox: SandboxSettings,
    /// What a command may write, beside its stage's file.
    pub allowed: Vec<RepoPath>,
}

/// The files that a run changes itself.
pub trait Ledgers {
    type Error;

    /// Makes a file empty, with the folders above it.
    fn empty(&self, path: &RepoPath) -> Result<(), Self::Error>;
    /// The content of a file; none if it is not there.
    fn content(&self, path: &RepoPath) -> Result<Option<Bytes>, Self::Error>;
    fn fill(&self, path: &RepoPath, content: Bytes) -> Result<(), Self::Error>;
}

/// Where commands run, and how.
pub struct Host<'a> {
    /// The project.
    pub root: &'a Path,
    pub isolation: &'a Isolation,
    /// Nothing that a command says may reach our streams.
    pub is_quiet: bool,
    pub voice: &'a Voice,
}

/// What the run of a plan came to.
#[derive(Clone, Debug)]
pub struct Ran {
    pub commands: Vec<CommandEntry>,
    pub sandbox: SandboxReport,
}

impl Ran {
    /// Whether a command failed.
    pub fn failed(&self) -> bool {
        self.commands
            .iter()
            .any(|command| command.status == CommandStatus::Fail)
    }
}

impl Ran {
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

impl Plan {
    pub fn of_verify(settings: &VerifySettings) -> Self {
        let phases = [
            (
                StageName::Regression,
                &settings.regression,
                &settings.regression_result,
            ),
            (
                StageName::Incremental,
                &settings.incremental,
                &settings.incremental_result,
            ),
        ];
        let mut stages: Vec<Stage> = Vec::new();
        for (name, command, file) in phases {
            if let Some(command) = command {
                stages.push(Stage {
                    name,
                    command: command.clone(),
                    file: file.clone().unwrap_or_else(|| settings.result.clone()),
                });
            }
        }
        let (mode, passed_over) = match (stages.is_empty(), &settings.pre_run) {
            (false, command) => (Mode::TwoPhase, command.clone()),
            (true, None) => (Mode::None, None),
            (true, Some(command)) => {
                stages.push(Stage {
                    name: StageName::PreRun,
                    command: command.clone(),
                    file: settings.result.clone(),
                });
                (Mode::PreRunCommand, None)
            }
        };
        Self {
            mode,
            stages,
            passed_over,
            timeout: settings.timeout,
            sandbox: settings.sandbox.clone(),
            allowed: vec![
                settings.result.path.clone(),
                RepoPath::of(layout::ACCEPTANCE_REPORT),
            ],
        }
    }

    pub fn of_smoke(settings: &SmokeSettings) -> Self {
        let stage = |command: &String| Stage {
            name: StageName::Smoke,
            command: command.clone(),
            file: settings.result.clone(),
        };
        Self {
            mode: Mode::PreRunCommand,
            stages: settings.command.iter().map(stage).collect(),
            passed_over: None,
            timeout: settings.timeout,
            sandbox: settings.sandbox.clone(),
            allowed: vec![settings.report.path.clone(), RepoPath::of(SMOKE_REPORT)],
        }
    }

    /// Runs the commands, and makes `result` of what they leave.
    pub fn run<L: Ledgers>(
        &self,
        result: &ConfiguredPath,
        ledgers: &L,
        host: &Host<'_>,
    ) -> Result<Ran, L::Error> {
        let mut ran = Ran {
            commands: Vec::new(),
            sandbox: SandboxReport::skipped(&self.sandbox),
        };
        if let Some(command) = &self.passed_over {
            ran.commands.push(CommandEntry {
                stage: StageName::PreRun,
                command: command.clone(),
                status: CommandStatus::Skipped,
                exit_code: None,
                duration_ms: None,
                error: None,
                sandbox: None,
            });
        }
        let mut phases: Vec<Bytes> = Vec::new();
        for stage in &self.stages {
            ledgers.empty(&stage.file.path)?;
            let entry = self.run_one(stage, host);
            if let Some(sandbox) = &entry.sandbox {
                ran.sandbox.merge(sandbox);
            }
            let content = ledgers.content(&stage.file.path)?;
            if content.is_none() && entry.status == CommandStatus::Fail {
                ledgers.empty(&stage.file.path)?;
            }
            phases.extend(content);
            ran.commands.push(entry);
        }
        if self.mode == Mode::TwoPhase {
            let texts = phases
                .iter()
                .map(|phase| trim_bytes(phase))
                .filter(|text| !text.is_empty());
            let mut merged = bstr::join("\n", texts);
            if !merged.is_empty() {
                merged.push(b'\n');
            }
            ledgers.fill(&result.path, merged)?;
        }
        Ok(ran)
    }

    fn run_one(&self, stage: &Stage, host: &Host<'_>) -> CommandEntry {
        let voice = host.voice;
        let mut sandbox = SandboxReport::skipped(&self.sandbox);
        let entry = |status, sandbox| CommandEntry {
            stage: stage.name,
            command: stage.command.clone(),
            status,
            exit_code: None,
            duration_ms: None,
            error: None,
            sandbox: Some(sandbox),
        };
        let boxed = Sandbox {
            settings: &self.sandbox,
            isolation: host.isolation,
            real: host.root,
            voice,
        };
        let isolated = match boxed.prepare(&mut sandbox) {
            Place::Project => None,
            Place::Copy(isolated) => Some(isolated),
            Place::Nowhere(error) => {
                return CommandEntry {
                    error: Some(error),
                    ..entry(CommandStatus::Fail, sandbox)
                };
            }
        };
        let path = stage.file.path.text().into_owned();
        let mut env = vec![("GIT_SPEC_RESULT_PATH", path.clone())];
        if stage.name == StageName::Smoke {
            env.push(("OPENLOGOS_SMOKE_RESULT_PATH", path));
        }
        let shell = Shell {
            text: stage.command.clone(),
            dir: isolated
                .as_ref()
                .map_or(host.root, |isolated| isolated.path())
                .to_owned(),
            limit: self.timeout,
            env,
            streams: if host.is_quiet {
                Streams::Head(HEAD)
            } else {
                Streams::Ours
            },
            through: isolated.as_ref().and_then(|isolated| isolated.through.clone()),
        };
        let begun = Instant::now();
        let ended = shell.run_reading();
        let duration_ms = u64::try_from(begun.elapsed().as_millis()).ok();
        if let Some(isolated) = &isolated {
            let failed = !ended.as_ref().is_ok_and(|(ended, _)| ended.satisfied());
            let own = [&stage.file.path].into_iter();
            let allowed: Vec<RepoPath> = own.chain(&self.allowed).cloned().collect();
            if let Err(error) = boxed.settle(isolated, &allowed, failed, &mut sandbox) {
                return CommandEntry {
                    exit_code: ended.ok().and_then(|(ended, _)| ended.exit_code),
                    duration_ms,
                    error: Some(error),
                    ..entry(CommandStatus::Fail, sandbox)
                };
            }
        }
        match ended {
            Ok((ended, _)) if ended.satisfied() => CommandEntry {
                exit_code: ended.exit_code,
                duration_ms,
                ..entry(CommandStatus::Pass, sandbox)
            },
            Ok((ended, said)) => CommandEntry {
                exit_code: ended.exit_code,
                duration_ms,
                error: Some(if ended.timed_out {
                    let seconds = self.timeout.as_secs();
                    say!(
                        voice,
                        "ended by its time limit (`timeout_seconds`: {seconds})",
                        "超过时间限制（`timeout_seconds`：{seconds}）"
                    )
                } else {
                    failure(&stage.command, &said)
                }),
                ..entry(CommandStatus::Fail, sandbox)
            },
            Err(error) => CommandEntry {
                error: Some(not_started(&error, voice)),
                ..entry(CommandStatus::Fail, sandbox)
            },
        }
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
        out
    }

    /// Texts of the sandbox are repeated here.
    fn take_in(&mut self, sandbox: &SandboxReport) {
        add_new(&mut self.diagnostics, &sandbox.diagnostics);
        add_new(&mut self.suggestions, &sandbox.suggestions);
    }
}

fn not_started(error: &io::Error, voice: &Voice) -> String {
    say!(
        voice,
        "the shell cannot be started: {error}",
        "无法启动 shell：{error}"
    )
}

/// What is said of a command that failed.
fn failure(command: &str, said: &[u8]) -> String {
    let mut text = format!("Command failed: {command}");
    if !said.is_empty() {
        text.push('\n');
        text += &decode(said);
    }
    let mut units = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        units += c.len_utf16();
        (units > ERROR_LENGTH).then_some(at)
    });
    text.truncate(end.unwrap_or(text.len()));
    text
}

/// The content of a phase without white space around it.
fn trim_bytes(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Ok(text) => crate::text::trim(text).as_bytes(),
        Err(_) => bytes.trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::failure;

    #[test]
    fn an_error_is_cut_before_the_character_that_is_too_much() {
        assert_eq!(failure("x", b"why\n"), "Command failed: x\nwhy\n");
        let long = failure(&"y".repeat(483), "\u{1f34e}".as_bytes());
        assert_eq!(long.encode_utf16().count(), 500);
        let cut = failure(&"y".repeat(482), "\u{1f34e}".as_bytes());
        assert_eq!((cut.encode_utf16().count(), cut.ends_with('\n')), (499, true));
    }
}
