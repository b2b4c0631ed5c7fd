//! Commands in a private copy of the project, without the right to write into the project itself (verify.md 7).

mod confine;
mod copy;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::import::{Entry, is_report};
use super::settings::{SandboxMode, SandboxSettings};
use crate::files::RepoPath;
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

pub use confine::{Unconfined, confine};
use copy::{Copy, NoCopy};

/// The word that makes this program a confined shell: `<word> <folder> <text>`.
pub const CONFINED: &str = "__confined";
/// As [`CONFINED`], and then it only looks whether it is: exit code 0 if it may not write into the folder.
pub const PROBE: &str = "__confined-probe";

/// Paths that a text names at most.
const SHOWN: usize = 5;
/// The default of a program for macOS; elsewhere the system's folder for temporary files stands in for it.
const MACOS_ROOT: &str = "/private/tmp";

/// How it went; the worst of several counts. The names are contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxStatus {
    #[default]
    Skipped,
    Pass,
    Warn,
    Fail,
}

/// The contract's object; keys in its order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SandboxReport {
    pub mode: SandboxMode,
    pub root: String,
    pub isolated: bool,
    pub workspace_write_denied: bool,
    pub status: SandboxStatus,
    pub diagnostics: Vec<String>,
    pub suggestions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub infos: Vec<String>,
}

impl SandboxReport {
    /// Nothing was run.
    pub fn skipped(settings: &SandboxSettings) -> Self {
        Self {
            mode: settings.mode,
            root: settings.root.clone(),
            isolated: false,
            workspace_write_denied: settings.deny_workspace_write,
            status: SandboxStatus::Skipped,
            diagnostics: Vec::new(),
            suggestions: Vec::new(),
            infos: Vec::new(),
        }
    }

    /// Takes in the report of one more command.
    pub fn merge(&mut self, other: &Self) {
        self.status = self.status.max(other.status);
        self.isolated |= other.isolated;
        if other.isolated {
            self.root.clone_from(&other.root);
        }
        add_new(&mut self.diagnostics, &other.diagnostics);
        add_new(&mut self.suggestions, &other.suggestions);
        add_new(&mut self.infos, &other.infos);
    }
}

/// Adds texts that are not there yet.
pub(super) fn add_new(to: &mut Vec<String>, texts: &[String]) {
    for text in texts {
        if !to.contains(text) {
            to.push(text.clone());
        }
    }
}

/// How commands are isolated here.
#[derive(Clone, Debug)]
pub struct Isolation {
    /// This program.
    pub program: PathBuf,
    /// The system's folder for temporary files.
    pub temporary: PathBuf,
    /// Whether the environment says that there is no write protection.
    pub protection_off: bool,
}

/// Where a command is to run.
pub enum Place {
    /// In the project itself.
    Project,
    Copy(Box<Isolated>),
    /// Nowhere; with what is said of the command.
    Nowhere(String),
}

/// A copy that a command may run in.
pub struct Isolated {
    copy: Copy,
    /// A program that keeps the command from writing into the project, with its arguments.
    pub through: Option<(PathBuf, Vec<OsString>)>,
    had_exempt: bool,
}

impl Isolated {
    pub fn path(&self) -> &Path {
        self.copy.path()
    }
}

/// A sandbox as one command needs it.
pub struct Sandbox<'a> {
    pub settings: &'a SandboxSettings,
    pub isolation: &'a Isolation,
    /// The project.
    pub real: &'a Path,
    pub voice: &'a Voice,
}

impl Sandbox<'_> {
    /// Copies, looks at the links and at the write protection, in this order.
    pub fn prepare(&self, report: &mut SandboxReport) -> Place {
        let voice = self.voice;
        if self.settings.mode == SandboxMode::Off {
            return Place::Project;
        }
        let copy = match Copy::make(self.real, &self.root()) {
            Ok(copy) => copy,
            Err(error) => {
                let why = match error {
                    NoCopy::RootInside => say!(
                        voice,
                        "the folder for copies lies inside the project",
                        "副本目录位于项目之内"
                    ),
                    NoCopy::Io(error) => error.to_string(),
                };
                let root = escape(&self.settings.root);
                let suggestion = say!(
                    voice,
                    "name a writable folder outside of the project in `sandbox_root`, instead of `{root}`",
                    "请将 `sandbox_root` 设为项目之外的可写目录，而不是 `{root}`"
                );
                return self.not_isolated(why, suggestion, report);
            }
        };
        let escaping = copy.escaping();
        if !escaping.is_empty() {
            let links = shown(&escaping);
            let why = say!(
                voice,
                "symbolic links lead out of the project: {links}",
                "符号链接指向项目之外：{links}"
            );
            let suggestion = say!(
                voice,
                "replace them by links inside the project, or by copies",
                "请改为项目内的链接，或以副本代替"
            );
            let place = self.not_isolated(why, suggestion, report);
            if matches!(place, Place::Project) {
                report.diagnostics.push(say!(
                    voice,
                    "the command runs in the project itself",
                    "命令在项目目录中直接运行"
                ));
            }
            return place;
        }
        let through = match self.settings.deny_workspace_write {
            true => self.protection(),
            false => None,
        };
        if through.is_none() && self.settings.deny_workspace_write {
            report.diagnostics.push(say!(
                voice,
                "there is no write protection here: a command that names the project by its absolute path can change it",
                "此处没有写保护：使用绝对路径的命令仍可能修改项目"
            ));
            report.suggestions.push(say!(
                voice,
                "run on Linux 6.2 or later with Landlock, or set `sandbox_deny_workspace_write` to `false`",
                "请在支持 Landlock 的 Linux 6.2 及以上版本运行，或将 `sandbox_deny_workspace_write` 设为 `false`"
            ));
            if self.settings.mode == SandboxMode::Always {
                report.status = SandboxStatus::Fail;
                return Place::Nowhere(self.refusal());
            }
            report.status = SandboxStatus::Warn;
        }
        report.isolated = true;
        report.root = copy.path().display().to_string();
        report.status = report.status.max(SandboxStatus::Pass);
        Place::Copy(Box::new(Isolated {
            had_exempt: copy.has_exempt(),
            copy,
            through,
        }))
    }

    /// Looks at what a command has changed, and brings back what it may. An error says why the command counts as failed.
    pub fn settle(
        &self,
        isolated: &Isolated,
        allowed: &[RepoPath],
        reports: &[Entry],
        failed: bool,
        report: &mut SandboxReport,
    ) -> Result<(), String> {
        let voice = self.voice;
        let always = self.settings.mode == SandboxMode::Always;
        let mut violated = None;
        if self.settings.deny_workspace_write {
            if isolated.had_exempt || isolated.copy.has_exempt() {
                report.infos.push(say!(
                    voice,
                    "what was written below `node_modules` is not judged and not brought back",
                    "`node_modules` 下的写入不予审查，也不会带回"
                ));
            }
            let stray = match isolated.copy.changes() {
                Ok(changes) => changes
                    .into_iter()
                    .filter(|path| !is_allowed(path, allowed, reports))
                    .collect(),
                Err(error) => return Err(error.to_string()),
            };
            let stray: Vec<PathBuf> = stray;
            if !stray.is_empty() {
                let paths = shown(&stray);
                violated = Some(say!(
                    voice,
                    "the command changed more than its results: {paths}; these changes are dropped",
                    "命令修改了结果以外的文件：{paths}；这些修改已丢弃"
                ));
            }
        }
        if let Some(text) = &violated {
            self.violation(text, report);
            if always {
                return Err(text.clone());
            }
        }
        let mut unsafe_paths = Vec::new();
        for path in allowed {
            if let Err(why) = isolated.copy.bring_back(path) {
                unsafe_paths.push(format!("`{}`: {why}", escape(&path.text())));
            }
        }
        if !unsafe_paths.is_empty() {
            unsafe_paths.truncate(SHOWN);
            let paths = unsafe_paths.join("; ");
            let text = say!(voice, "not brought back: {paths}", "未带回：{paths}");
            self.violation(&text, report);
            if always {
                return Err(text);
            }
        }
        if failed && report.status == SandboxStatus::Pass {
            report.diagnostics.push(say!(
                voice,
                "the command failed in the sandbox; what it says may be about the copy",
                "命令在沙箱中失败；其输出可能与副本有关"
            ));
        }
        Ok(())
    }

    fn violation(&self, text: &str, report: &mut SandboxReport) {
        let voice = self.voice;
        report.diagnostics.push(text.to_owned());
        add_new(
            &mut report.suggestions,
            &[say!(
                voice,
                "let the command write its results only, or build elsewhere",
                "请让命令只写入结果文件，或在别处构建"
            )],
        );
        report.status = match self.settings.mode {
            SandboxMode::Always => SandboxStatus::Fail,
            SandboxMode::Auto | SandboxMode::Off => report.status.max(SandboxStatus::Warn),
        };
    }

    fn not_isolated(&self, why: String, suggestion: String, report: &mut SandboxReport) -> Place {
        report.diagnostics.push(why);
        report.suggestions.push(suggestion);
        if self.settings.mode == SandboxMode::Always {
            report.status = SandboxStatus::Fail;
            return Place::Nowhere(self.refusal());
        }
        report.status = SandboxStatus::Warn;
        Place::Project
    }

    fn refusal(&self) -> String {
        say!(
            self.voice,
            "not run: `sandbox_mode` is `always`, and the command cannot be isolated here",
            "未运行：`sandbox_mode` 为 `always`，而此处无法隔离该命令"
        )
    }

    /// Where copies are made.
    fn root(&self) -> PathBuf {
        if self.settings.root == MACOS_ROOT && !cfg!(target_os = "macos") {
            return self.isolation.temporary.clone();
        }
        self.real.join(&self.settings.root)
    }

    /// A confined shell, if one holds what it promises.
    fn protection(&self) -> Option<(PathBuf, Vec<OsString>)> {
        if self.isolation.protection_off {
            return None;
        }
        let args = |word: &str| vec![OsString::from(word), self.real.as_os_str().to_owned()];
        let probe = crate::process::Run::new(&self.isolation.program).args(args(PROBE));
        let holds = probe.output().is_ok_and(|output| output.success());
        holds.then(|| (self.isolation.program.clone(), args(CONFINED)))
    }
}

fn is_allowed(path: &Path, allowed: &[RepoPath], reports: &[Entry]) -> bool {
    let path = RepoPath::from_disk(path);
    path.is_some_and(|path| {
        allowed.iter().any(|allowed| path.starts_with(allowed)) || is_report(reports, &path)
    })
}

/// At most five paths.
fn shown(paths: &[PathBuf]) -> String {
    let mut names: Vec<String> = paths
        .iter()
        .take(SHOWN)
        .map(|path| format!("`{}`", escape(&path.to_string_lossy())))
        .collect();
    if paths.len() > SHOWN {
        names.push("...".to_owned());
    }
    names.join(" ")
}
