//! Running a plan: files are emptied, commands run, reports read, results taken.

use std::cell::RefCell;
use std::io;
use std::time::Instant;

use bstr::ByteSlice;

use super::{CommandEntry, CommandStatus, Host, Ledgers, Mode, Plan, Ran, Stage, StageName};
use crate::files::{RepoPath, WorkTree};
use crate::process::{Hold, Shell, Streams};
use crate::say;
use crate::text::{Bytes, decode};
use crate::verify::import::{self, Imported, KnownCases, StageImport, import_stage};
use crate::verify::sandbox::{Isolated, Place, Sandbox, SandboxReport};
use crate::verify::settings::ConfiguredPath;
use crate::voice::Voice;

/// Code units of UTF-16 that an error has at most.
const ERROR_LENGTH: usize = 500;
/// Bytes of standard error that may be in one.
const HEAD: usize = 4 * ERROR_LENGTH;

impl Plan {
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
            warnings: Vec::new(),
            unmapped: Vec::new(),
            unmapped_count: 0,
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
            self.clear_reports(stage, ledgers, host)?;
            ledgers.empty(&stage.file.path)?;
            let known = match self.imports.is_empty() {
                true => None,
                false => Some(ledgers.known_cases()?),
            };
            let (entry, imported) = self.run_one(stage, known.as_ref(), host)?;
            if let Some(sandbox) = &entry.sandbox {
                ran.sandbox.merge(sandbox);
            }
            let path = &stage.file.path;
            if entry.status == CommandStatus::Fail && !ledgers.is_there(path)? {
                ledgers.empty(path)?;
            }
            if let Some(imported) = imported {
                let content = ledgers.content(path)?;
                ran.take(imported, content, path, ledgers)?;
            }
            // The next phase may have the same file.
            if self.mode == Mode::TwoPhase {
                phases.extend(ledgers.content(path)?);
            }
            ran.commands.push(entry);
        }
        if self.stages.is_empty() && !self.imports.is_empty() {
            let known = ledgers.known_cases()?;
            let found = import_stage(&StageImport {
                tree: &WorkTree::new(host.root),
                entries: &self.imports,
                stage: None,
                known: &known,
                started: None,
                now: host.now,
            })?;
            if let Some(imported) = found {
                let content = ledgers.content(&result.path)?;
                ran.take(imported, content, &result.path, ledgers)?;
            }
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

    /// Removes the reports of an earlier run, so that none of them can pass for this one.
    fn clear_reports<L: Ledgers>(&self, stage: &Stage, ledgers: &L, host: &Host<'_>) -> Result<(), L::Error> {
        if self.imports.is_empty() {
            return Ok(());
        }
        let failure = RefCell::new(None);
        let kept = |path: &RepoPath| match ledgers.is_tracked(path) {
            Ok(tracked) => tracked,
            Err(error) => {
                failure.borrow_mut().get_or_insert(error);
                true
            }
        };
        let cleared = import::clear(host.root, &self.imports, stage.name.of_imports(), &kept);
        match failure.into_inner() {
            Some(error) => Err(error),
            None => Ok(cleared?),
        }
    }

    /// Runs a command, and reads the reports that it left where it ran.
    fn run_one(
        &self,
        stage: &Stage,
        known: Option<&KnownCases>,
        host: &Host<'_>,
    ) -> Result<(CommandEntry, Option<Imported>), import::Error> {
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
        // It goes last: a private folder is removed before a signal ends us. Without it one would be left.
        let _hold = match Hold::new() {
            Ok(hold) => hold,
            Err(error) => {
                let refused = CommandEntry {
                    error: Some(not_started(&error, voice)),
                    ..entry(CommandStatus::Fail, sandbox)
                };
                return Ok((refused, None));
            }
        };
        let boxed = Sandbox {
            settings: &self.sandbox,
            means: host.means,
            real: host.root,
            voice,
        };
        let isolated = match boxed.prepare(&mut sandbox) {
            Place::Project => None,
            Place::Own(isolated) => Some(isolated),
            Place::Nowhere(error) => {
                let refused = CommandEntry {
                    error: Some(error),
                    ..entry(CommandStatus::Fail, sandbox)
                };
                return Ok((refused, None));
            }
        };
        let path = stage.file.path.text().into_owned();
        let mut env = vec![("GIT_SPEC_RESULT_PATH", path.clone())];
        if stage.name == StageName::Smoke {
            env.push(("OPENLOGOS_SMOKE_RESULT_PATH", path));
        }
        let shell = Shell {
            text: stage.command.clone(),
            dir: host.root.to_owned(),
            limit: self.timeout,
            env,
            streams: if host.is_quiet {
                Streams::Head(HEAD)
            } else {
                Streams::Ours
            },
            through: None,
            ends_all: false,
        };
        let (begun, started) = (Instant::now(), (host.clock)());
        let ended = match &isolated {
            Some(isolated) => isolated.run(shell),
            None => shell.run_reading(),
        };
        let duration_ms = u64::try_from(begun.elapsed().as_millis()).ok();
        let imported = match known {
            None => None,
            Some(known) => import_stage(&StageImport {
                tree: &isolated
                    .as_ref()
                    .map_or_else(|| WorkTree::new(host.root), Isolated::tree),
                entries: &self.imports,
                stage: Some(stage.name.of_imports()),
                known,
                started: Some(started),
                now: host.now,
            })?,
        };
        if let Some(isolated) = &isolated {
            let failed = !ended.as_ref().is_ok_and(|(ended, _)| ended.satisfied());
            let mut allowed = vec![stage.file.path.clone()];
            for path in &self.allowed {
                // Each is told of once.
                if !allowed.contains(path) {
                    allowed.push(path.clone());
                }
            }
            if let Err(error) = boxed.settle(isolated, &allowed, &self.imports, failed, &mut sandbox) {
                let failed = CommandEntry {
                    exit_code: ended.ok().and_then(|(ended, _)| ended.exit_code),
                    duration_ms,
                    error: Some(error),
                    ..entry(CommandStatus::Fail, sandbox)
                };
                return Ok((failed, None));
            }
        }
        let entry = match ended {
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
        };
        Ok((entry, imported))
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
