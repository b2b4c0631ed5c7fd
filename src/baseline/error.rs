//! Why `baseline-seed` refuses, with the codes of the contract (logos-project.md 10.7 and 10.8).

use super::lock::Held;
use super::manifest::DocumentKind;
use super::recovery::Unsettled;
use crate::files::{ReadError, RepoPath};
use crate::project::modules::ModuleError;
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice, quoted_list};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{0}` is missing")]
    MissingOption(&'static str),
    #[error("the manifest cannot be used: {0}")]
    Manifest(&'static str),
    #[error("`{}` leads elsewhere", escape(.0))]
    PathEscape(String),
    #[error("module `{}` is not registered as adopted", escape(.0))]
    NotAdopted(String),
    #[error("there is no run `{}` of this module", escape(.0))]
    UnknownRun(String),
    #[error("run `{0}` was superseded")]
    StaleRun(String),
    #[error("no document of kind `{}` is expected", .0.as_str())]
    MissingKind(DocumentKind),
    #[error("key `{}` stands in two places", escape(.0))]
    KeyConflict(String),
    #[error("the keys in `{path}` are not those of the plan")]
    KeyMismatch { path: RepoPath, keys: Vec<String> },
    #[error("candidate `{}` in `{path}`: {reason}", escape(.key))]
    Provenance {
        path: RepoPath,
        key: String,
        reason: &'static str,
    },
    #[error("documents with candidates of the module are not in the plan")]
    Uncovered(Vec<RepoPath>),
    #[error(transparent)]
    Locked(Held),
    #[error(transparent)]
    CommitInProgress(Held),
    #[error(transparent)]
    Unsettled(#[from] Unsettled),
    #[error(transparent)]
    Registry(#[from] ModuleError),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::MissingOption(_) | Self::Manifest(_) => "invalid_manifest",
            Self::PathEscape(_) => "path_escape",
            Self::NotAdopted(_) | Self::UnknownRun(_) => "unknown_run",
            Self::StaleRun(_) => "stale_run",
            Self::MissingKind(_) => "missing_required_kind",
            Self::KeyConflict(_) => "candidate_key_conflict",
            Self::KeyMismatch { .. } => "candidate_key_mismatch",
            Self::Provenance { .. } => "invalid_provenance",
            Self::Uncovered(_) => "provenance_doc_uncovered",
            Self::Locked(_) => "run_locked",
            Self::CommitInProgress(_)
            | Self::Unsettled(Unsettled::Journal { .. } | Unsettled::Lost { .. }) => {
                "baseline_commit_in_progress"
            }
            Self::Registry(error) | Self::Unsettled(Unsettled::Registry(error)) => error.code(),
            Self::Read(_) | Self::Unsettled(Unsettled::Read(_)) => "PROJECT_UNREADABLE",
        }
    }
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::MissingOption(option) => say!(
                voice,
                "`{option}` is missing; `--help` shows what is needed",
                "缺少 `{option}`；用 `--help` 查看所需参数"
            ),
            Self::Manifest(reason) => say!(
                voice,
                "the manifest cannot be used: {reason}",
                "清单不可用：{reason}"
            ),
            Self::PathEscape(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "`{path}` is refused: documents are plain `.md` paths below `logos/resources/`, each named once and reached without links; ids are plain words",
                    "拒绝 `{path}`：文档须为 `logos/resources/` 之下的普通 `.md` 路径，各只出现一次且不经过链接；id 须为普通单词"
                )
            }
            Self::NotAdopted(id) => {
                let id = escape(id);
                say!(
                    voice,
                    "module `{id}` is not registered with `bootstrap: adopted`; only adopted code has a baseline",
                    "模块 `{id}` 未以 `bootstrap: adopted` 注册；只有接管的代码才有基线"
                )
            }
            Self::UnknownRun(id) => {
                let id = escape(id);
                say!(
                    voice,
                    "`{id}` is no run that was begun for this module",
                    "`{id}` 不是为该模块开始的运行"
                )
            }
            Self::StaleRun(id) => say!(
                voice,
                "run `{id}` was superseded by a later one; commit that",
                "运行 `{id}` 已被后来的运行取代；请提交后者"
            ),
            Self::MissingKind(kind) => {
                let kind = kind.as_str();
                say!(
                    voice,
                    "the manifest expects no document of kind `{kind}`; a baseline needs one",
                    "清单中没有类型为 `{kind}` 的文档；基线必须包含"
                )
            }
            Self::KeyConflict(key) => {
                let key = escape(key);
                say!(
                    voice,
                    "key `{key}` stands in two places; each candidate has one document",
                    "键 `{key}` 出现在两处；每个候选只属于一个文档"
                )
            }
            Self::KeyMismatch { path, keys } => {
                let keys = quoted_list(keys);
                say!(
                    voice,
                    "`{path}`: the keys of its candidates are not those of the plan: {keys}",
                    "`{path}`：候选的键与计划不符：{keys}"
                )
            }
            Self::Provenance { path, key, reason } => {
                let key = escape(key);
                say!(
                    voice,
                    "`{path}`: candidate `{key}` is refused: {reason}",
                    "`{path}`：拒绝候选 `{key}`：{reason}"
                )
            }
            Self::Uncovered(paths) => {
                let paths: Vec<String> = paths.iter().map(|p| p.text().into_owned()).collect();
                let paths = quoted_list(&paths);
                say!(
                    voice,
                    "these documents hold candidates of the module and have to be in the plan: {paths}",
                    "下列文档含有该模块的候选，必须列入计划：{paths}"
                )
            }
            Self::Locked(held) | Self::CommitInProgress(held) => held.say(voice),
            Self::Unsettled(error) => error.say(voice),
            Self::Registry(error) => error.say(voice),
            Self::Read(error) => error.say(voice),
        }
    }
}
