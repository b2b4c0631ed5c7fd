//! The answers of `hooks install`, `hooks uninstall` and `hooks status` (git.md 3.6).

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Answer, Exit, Screen, Style};
use crate::hooks::{Before, Hook, State, Status};
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};

/// Hooks were laid down, or taken away.
pub struct HooksDone {
    pub installed: bool,
    pub folders: Vec<PathBuf>,
    pub hooks: Vec<Hook>,
    /// Hooks that stood there before and may not be run.
    pub not_run: Vec<PathBuf>,
}

#[derive(Serialize)]
pub struct DoneData {
    installed: bool,
    folders: Vec<String>,
    hooks: Vec<&'static str>,
    not_run: Vec<String>,
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy()).into_owned()
}

impl Answer for HooksDone {
    type Data = DoneData;

    fn data(&self, _: &Voice) -> DoneData {
        DoneData {
            installed: self.installed,
            folders: self.folders.iter().map(|folder| text(folder)).collect(),
            hooks: self.hooks.iter().map(|hook| hook.as_str()).collect(),
            not_run: self.not_run.iter().map(|path| text(path)).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        print_done(self, screen)
    }
}

/// What was done, a line for each folder.
pub fn print_done(done: &HooksDone, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    if !done.installed {
        return screen.line(&say!(
            voice,
            "our hooks are gone, and what stood there before is back",
            "我们的钩子已移除，原有钩子已恢复"
        ));
    }
    let hooks: Vec<&str> = done.hooks.iter().map(|hook| hook.as_str()).collect();
    let hooks = hooks.join(", ");
    for folder in &done.folders {
        let folder = shown(folder);
        screen.line(&say!(voice, "{folder}: {hooks}", "{folder}：{hooks}"))?;
    }
    for path in &done.not_run {
        let path = shown(path);
        screen.warn(&say!(
            voice,
            "`{path}` stood there before; it is not executable and is not run, as before",
            "`{path}` 是原有钩子；它没有执行权限，仍不会运行"
        ))?;
    }
    Ok(())
}

/// What stands in the place of the hooks.
pub struct HooksStatus(pub Status);

#[derive(Serialize)]
pub struct StatusData {
    folder: String,
    scope: &'static str,
    hooks: Vec<HookData>,
    worktrees: Vec<WorktreeData>,
}

#[derive(Serialize)]
struct HookData {
    name: &'static str,
    state: &'static str,
    before: bool,
}

#[derive(Serialize)]
struct WorktreeData {
    path: String,
    reached: bool,
}

impl Answer for HooksStatus {
    type Data = StatusData;

    fn data(&self, _: &Voice) -> StatusData {
        let status = &self.0;
        let hooks = status.hooks.iter().map(|hook| HookData {
            name: hook.hook.as_str(),
            state: hook.state.as_str(),
            before: hook.before != Before::Nothing,
        });
        let worktrees = status.worktrees.iter().map(|(path, reached)| WorktreeData {
            path: text(path),
            reached: *reached,
        });
        StatusData {
            folder: text(&status.folder),
            scope: status.scope.as_str(),
            hooks: hooks.collect(),
            worktrees: worktrees.collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let status = &self.0;
        let (folder, scope) = (shown(&status.folder), status.scope.as_str());
        screen.line(&say!(
            voice,
            "hooks in {folder} (core.hooksPath: {scope})",
            "钩子目录 {folder}（core.hooksPath：{scope}）"
        ))?;
        for hook in &status.hooks {
            let style = match hook.state {
                State::Installed => Style::Good,
                State::Absent | State::Foreign | State::Managed | State::Off => Style::Dim,
                State::Outdated | State::Changed => Style::Warn,
            };
            let state = screen.paint(style, hook.state.as_str());
            let before = match hook.before {
                Before::Runs => voice.pick(", after the one that stood there", "，先运行原有钩子"),
                Before::MayNotRun => voice.pick(
                    "; the one that stood there is not executable and is not run",
                    "；原有钩子没有执行权限，不会运行",
                ),
                Before::Nothing => "",
            };
            screen.line(&format!("  {:<17} {state}{before}", hook.hook.as_str()))?;
        }
        for (path, _) in status.worktrees.iter().filter(|(_, reached)| !reached) {
            let path = shown(path);
            let install = Invocation::new("hooks install", &[]).say(voice);
            screen.line(&say!(
                voice,
                "not reached from {path}: `{install}`",
                "从 {path} 无法触发：`{install}`"
            ))?;
        }
        Ok(())
    }

    fn exit(&self) -> Exit {
        if self.0.worktrees.iter().all(|(_, reached)| *reached) {
            Exit::Done
        } else {
            Exit::Found
        }
    }
}
