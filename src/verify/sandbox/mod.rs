//! Commands in a place of their own, without the right to write into the project itself (verify.md 7).

#[cfg(target_os = "linux")]
mod bwrap;
mod confine;
mod copy;
#[cfg(target_os = "linux")]
mod handed;
#[cfg(target_os = "linux")]
mod holder;
#[cfg(target_os = "linux")]
mod ids;
mod isolation;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod overlay;
mod private;
mod report;
mod survey;

use std::io;
use std::path::{Path, PathBuf};

use super::import::{Entry, is_report};
use super::settings::{SandboxMode, SandboxSettings};
use crate::files::{RepoPath, WorkTree};
use crate::process::{Ended, Shell};
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

#[cfg(target_os = "linux")]
pub use bwrap::{bind, find as find_bwrap, hold_bound, probe_bound};
pub use confine::{Unconfined, confine};
#[cfg(target_os = "linux")]
pub use holder::enter;
pub use isolation::Backend;
use isolation::{Ground, Isolation, Unprepared};
#[cfg(target_os = "linux")]
pub use overlay::hold;
use private::{NoRoot, Root};
pub(in crate::verify) use report::add_new;
pub use report::{SandboxReport, SandboxStatus};
use survey::Survey;

/// The word that makes this program a confined shell: `<word> <folder> <text>`.
pub const CONFINED: &str = "__confined";
/// As [`CONFINED`], and then it only looks whether it is: exit code 0 if it may not write into the folder.
pub const PROBE: &str = "__confined-probe";
/// The word that makes this program the holder of a layer: `<word> <project> <private folder>`.
pub const LAYERED: &str = "__layered";
/// The word that makes this program `bwrap`: `<word> <bwrap> <program> <project> <copy>`.
pub const BIND: &str = "__bind";
/// The word that makes this program the holder of what `bwrap` has made: `<word> <project>`, for who looks at processes.
pub const BOUND: &str = "__bound";
/// The word that makes this program look whether that holds: `<word> <holder> <project> <copy>`; exit code 0 if so.
pub const BOUND_PROBE: &str = "__bound-probe";
/// The word that makes this program a shell with a holder: `<word> <holder> <folder> <text>`.
pub const ENTER: &str = "__enter";

/// Paths that a text names at most.
const SHOWN: usize = 5;
/// The default of a program for macOS; elsewhere the system's folder for temporary files stands in for it.
const MACOS_ROOT: &str = "/private/tmp";

/// What commands can be isolated with here.
#[derive(Clone, Debug)]
pub struct Means {
    /// This program.
    pub program: PathBuf,
    /// The system's folder for temporary files.
    pub temporary: PathBuf,
    /// The program that binds a project read-only, if there is one.
    pub bwrap: Option<PathBuf>,
    /// Whether the environment says that there is no write protection.
    pub protection_off: bool,
    /// The only way that protects, if the environment names one.
    pub only: Option<Backend>,
}

/// Where a command is to run.
pub enum Place {
    /// In the project itself.
    Project,
    Own(Isolated),
    /// Nowhere; with what is said of the command.
    Nowhere(String),
}

/// A place that a command may run in.
pub struct Isolated(Box<dyn Isolation>);

impl Isolated {
    /// Runs a command there.
    pub fn run(&self, shell: Shell) -> io::Result<(Ended, Vec<u8>)> {
        self.0.run(shell)
    }

    /// The project as the command left it.
    pub fn tree(&self) -> WorkTree {
        self.0.tree()
    }
}

/// A sandbox as one command needs it.
pub struct Sandbox<'a> {
    pub settings: &'a SandboxSettings,
    pub means: &'a Means,
    /// The project.
    pub real: &'a Path,
    pub voice: &'a Voice,
}

impl Sandbox<'_> {
    /// Looks at the folder for sandboxes, at the links and at the write protection, in this order.
    pub fn prepare(&self, report: &mut SandboxReport) -> Place {
        if self.settings.mode == SandboxMode::Off {
            return Place::Project;
        }
        let surveyed = self.survey();
        let (real, root, survey) = match surveyed {
            Ok(surveyed) => surveyed,
            Err(error) => return self.no_copy(&error, report),
        };
        if !survey.escaping.is_empty() {
            return self.escaping(&survey, report);
        }
        let ground = Ground {
            real: &real,
            root: &root,
            survey: &survey,
            means: self.means,
        };
        let isolation = match self.settings.deny_workspace_write {
            true => match self.protected(&ground) {
                Ok(isolation) => Ok(isolation),
                Err(Unprepared::Unavailable(why)) => {
                    self.unprotected(&why, report);
                    if self.settings.mode == SandboxMode::Always {
                        return Place::Nowhere(self.refusal());
                    }
                    Backend::Copy.prepare(&ground)
                }
                Err(error @ Unprepared::NoCopy(_)) => Err(error),
            },
            // Who allows writing to the project may mean it: by its path the project is reached.
            false => Backend::Copy.prepare(&ground),
        };
        match isolation {
            Ok(isolation) => {
                report.isolated = true;
                report.root = isolation.folder().display().to_string();
                report.status = report.status.max(SandboxStatus::Pass);
                Place::Own(Isolated(isolation))
            }
            Err(Unprepared::NoCopy(error)) => self.no_copy(&NoRoot::Io(error), report),
            Err(Unprepared::Unavailable(why)) => self.no_copy(&NoRoot::Io(io::Error::other(why)), report),
        }
    }

    fn survey(&self) -> Result<(PathBuf, Root, Survey), NoRoot> {
        let real = self.real.canonicalize()?;
        let root = Root::of(&real, &self.root())?;
        let survey = Survey::of(&real)?;
        Ok((real, root, survey))
    }

    /// The first way that holds what it promises; else why none does.
    fn protected(&self, ground: &Ground<'_>) -> Result<Box<dyn Isolation>, Unprepared> {
        if self.means.protection_off {
            let why = say!(self.voice, "it is switched off", "已关闭");
            return Err(Unprepared::Unavailable(why));
        }
        let mut refusals = Vec::new();
        let ways = Backend::PROTECTING.into_iter();
        for way in ways.filter(|way| self.means.only.is_none_or(|only| only == *way)) {
            match way.prepare(ground) {
                Err(Unprepared::Unavailable(why)) => refusals.push(format!("{}: {why}", way.name())),
                prepared => return prepared,
            }
        }
        Err(Unprepared::Unavailable(refusals.join("; ")))
    }

    fn unprotected(&self, why: &str, report: &mut SandboxReport) {
        let voice = self.voice;
        let why = escape(why);
        report.diagnostics.push(say!(
            voice,
            "there is no write protection here ({why}): a command that names the project by its absolute path can change it",
            "此处没有写保护（{why}）：使用绝对路径的命令仍可能修改项目"
        ));
        report.suggestions.push(say!(
            voice,
            "run on Linux with user namespaces, with Landlock (6.2) or with `bwrap`, or set `sandbox_deny_workspace_write` to `false`",
            "请在支持用户命名空间、Landlock（6.2）或装有 `bwrap` 的 Linux 上运行，或将 `sandbox_deny_workspace_write` 设为 `false`"
        ));
        report.status = match self.settings.mode {
            SandboxMode::Always => SandboxStatus::Fail,
            SandboxMode::Auto | SandboxMode::Off => SandboxStatus::Warn,
        };
    }

    fn no_copy(&self, error: &NoRoot, report: &mut SandboxReport) -> Place {
        let voice = self.voice;
        let why = match error {
            NoRoot::Inside => say!(
                voice,
                "the folder for copies lies inside the project",
                "副本目录位于项目之内"
            ),
            NoRoot::Io(error) => error.to_string(),
        };
        let root = escape(&self.settings.root);
        let suggestion = say!(
            voice,
            "name a writable folder outside of the project in `sandbox_root`, instead of `{root}`",
            "请将 `sandbox_root` 设为项目之外的可写目录，而不是 `{root}`"
        );
        self.not_isolated(why, suggestion, report)
    }

    fn escaping(&self, survey: &Survey, report: &mut SandboxReport) -> Place {
        let voice = self.voice;
        let links = shown(&survey.escaping);
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
        place
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
            if isolated.0.has_exempt() {
                report.infos.push(say!(
                    voice,
                    "what was written below `node_modules` is not judged and not brought back",
                    "`node_modules` 下的写入不予审查，也不会带回"
                ));
            }
            let stray = match isolated.0.changed_paths() {
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
            if let Err(why) = isolated.0.bring_back(path, self.real) {
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
                "the command failed in the sandbox; it may have wanted what is not there",
                "命令在沙箱中失败；可能需要沙箱中没有的内容"
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
            return self.means.temporary.clone();
        }
        self.real.join(&self.settings.root)
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
