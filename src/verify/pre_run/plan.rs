//! What is to be run, as the config says it (verify.md 6).

use std::time::Duration;

use super::{Mode, StageName};
use crate::files::RepoPath;
use crate::project::layout;
use crate::verify::import::Entry;
use crate::verify::settings::{ConfiguredPath, SandboxSettings, SmokeSettings, VerifySettings};

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
    /// Reports of tests that become rows.
    pub imports: Vec<Entry>,
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
        let mut allowed = vec![
            settings.result.path.clone(),
            RepoPath::of(layout::ACCEPTANCE_REPORT),
        ];
        let of_stages = [&settings.regression_result, &settings.incremental_result];
        allowed.extend(of_stages.into_iter().flatten().map(|file| file.path.clone()));
        Self {
            mode,
            stages,
            passed_over,
            timeout: settings.timeout,
            sandbox: settings.sandbox.clone(),
            allowed,
            imports: settings.imports.clone(),
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
            imports: settings.imports.clone(),
            allowed: vec![settings.report.path.clone(), RepoPath::of(layout::SMOKE_REPORT)],
        }
    }
}
