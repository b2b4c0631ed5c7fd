//! What keeps hooks from being installed or taken away, and what to do about it.

use std::path::{Path, PathBuf};

use crate::git;
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Invocation, Say, Voice};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the hooks folder `{}` is tracked", .folder.display())]
    Tracked { folder: PathBuf, snippet: String },
    #[error("`{}` is written by a hook manager", .path.display())]
    Managed { path: PathBuf, snippet: String },
    #[error("`{}` was left by an earlier installation", .0.display())]
    Leftover(PathBuf),
    #[error("`{}` is a folder", .0.display())]
    InTheWay(PathBuf),
    #[error("`{}` is no folder", .0.display())]
    NoFolder(PathBuf),
    #[error("git looks for hooks of `{}` in `{}`", .worktree.display(), .folder.display())]
    NotReached { worktree: PathBuf, folder: PathBuf },
    #[error("{} scripts were changed", .0.len())]
    Changed(Vec<PathBuf>),
    #[error("`{}`: {reason}", .path.display())]
    Record { path: PathBuf, reason: String },
    #[error("`git config`: {0}")]
    Config(String),
    #[error("neither `XDG_CONFIG_HOME` nor `HOME` is set")]
    NoHome,
    #[error("`{}`: {source}", .path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Error {
    pub(super) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy()).into_owned()
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Tracked { folder, snippet } => {
                let folder = shown(folder);
                say!(
                    voice,
                    "`{folder}` holds files of the project; nothing is written there. Add to its hooks:\n{snippet}",
                    "`{folder}` 中有项目自己的文件，未写入任何内容。请在其钩子中加入：\n{snippet}"
                )
            }
            Self::Managed { path, snippet } => {
                let path = shown(path);
                let force = Invocation::new("hooks install", &["--force"]).say(voice);
                say!(
                    voice,
                    "`{path}` is written by a hook manager, which would write over ours. Tell it of us (or chain it: `{force}`):\n{snippet}",
                    "`{path}` 由钩子管理器生成，会覆盖我们的钩子。请在其中登记（或串接：`{force}`）：\n{snippet}"
                )
            }
            Self::Leftover(path) => {
                let path = shown(path);
                let force = Invocation::new("hooks install", &["--force"]).say(voice);
                say!(
                    voice,
                    "`{path}` is there already, beside a hook that is not ours; look at it, then remove it or `{force}` (which keeps it)",
                    "`{path}` 已存在，而旁边的钩子不是我们的；请查看后删除，或执行 `{force}`（会保留它）"
                )
            }
            Self::InTheWay(path) => {
                let path = shown(path);
                say!(
                    voice,
                    "`{path}` is a folder, where git looks for a hook; move it away",
                    "`{path}` 是目录，而 git 在此查找钩子；请将其移走"
                )
            }
            Self::NoFolder(path) => {
                let path = shown(path);
                say!(
                    voice,
                    "git looks for hooks in `{path}`, which is no folder, so it runs none; name another by `core.hooksPath`, or unset it",
                    "git 在 `{path}` 查找钩子，但它不是目录，因此不运行任何钩子；请将 `core.hooksPath` 改为其他目录，或取消该设置"
                )
            }
            Self::NotReached { worktree, folder } => {
                let (worktree, folder) = (shown(worktree), shown(folder));
                say!(
                    voice,
                    "in `{worktree}` git looks for hooks in `{folder}`, where ours are not; see `git config --show-origin core.hooksPath` there",
                    "在 `{worktree}` 中 git 于 `{folder}` 查找钩子，那里没有我们的；请在该处查看 `git config --show-origin core.hooksPath`"
                )
            }
            Self::Changed(paths) => {
                let paths: Vec<String> = paths.iter().map(|path| shown(path)).collect();
                let paths = crate::voice::quoted_list(&paths);
                say!(
                    voice,
                    "changed by hand, and left as they are: {paths}; remove them yourself, and rename what lies beside them with `.before-spec` back",
                    "已被手动修改，保持原样：{paths}；请自行删除，并将旁边的 `.before-spec` 改回原名"
                )
            }
            Self::Record { path, reason } => {
                let (path, reason) = (shown(path), escape(reason));
                say!(
                    voice,
                    "`{path}` cannot be understood: {reason}; it says how to undo the installation, so nothing is done without it",
                    "无法理解 `{path}`：{reason}；它记录了如何撤销安装，因此未做任何操作"
                )
            }
            Self::Config(complaint) => format!("`git config`: {}", escape(complaint)),
            Self::NoHome => say!(
                voice,
                "neither `XDG_CONFIG_HOME` nor `HOME` is set",
                "未设置 `XDG_CONFIG_HOME` 或 `HOME`"
            ),
            Self::Io { path, source } => format!("`{}`: {source}", shown(path)),
            Self::Git(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Tracked { .. } => "HOOKS_PATH_TRACKED",
            Self::Managed { .. } => "HOOKS_MANAGED",
            Self::Leftover(_) => "HOOKS_LEFTOVER",
            Self::InTheWay(_) | Self::NoFolder(_) => "HOOKS_IN_THE_WAY",
            Self::NotReached { .. } => "HOOKS_NOT_REACHED",
            Self::Changed(_) => "HOOKS_CHANGED",
            Self::Record { .. } => "HOOKS_RECORD_UNREADABLE",
            Self::Config(_) | Self::Io { .. } => "NOT_WRITTEN",
            Self::NoHome => "NO_HOME",
            Self::Git(git::Error::NotARepository) => "NOT_A_REPOSITORY",
            Self::Git(_) => "GIT_FAILED",
        }
    }
}
