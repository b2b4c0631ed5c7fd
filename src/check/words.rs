//! What the findings of the check say, and what to do about them.

use crate::project::SlugError;
use crate::say;
use crate::state::malformed::Malformed;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};

/// A finding, without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
    Edited,
    Moved { from: String },
    NotRegular,
    IdLost { id: String },
    ReplayConflict { slug: String, conflict: String },
    ReplayMismatch { slugs: Vec<String> },
    ByHand,
    Unlaunched { module: String },
    Claimed { module: String, document: String },
    ProjectRemoved,
    RegistryUnreadable(String),
    ConflictMarks,
    DuplicateId { id: String, other: String },
    IdTaken { id: String, by: String },
    ArchivedUnmerged { slug: String },
    ArchiveLossy { slug: String },
    ArchiveEdited,
    ChangeDeleted { slug: String },
    SlugInvalid(SlugError),
    Forged(Forgery),
    MarkerDropped { slug: String },
    BaseNotInHistory { slug: String },
    State(Malformed),
    SessionFile,
    Guard,
}

/// Why a marker cannot be true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Forgery {
    /// It says that there is no delta.
    HasDeltas,
    /// It names a document that no delta is for.
    OtherDocument(String),
    /// Its base is no commit here.
    UnknownBase(String),
    BothVerdicts,
    /// The report beside it does not say so.
    NotReported(String),
    /// A case that the change asks for has failed.
    FailedCase(String),
    /// It is no regular file.
    NotAFile,
    /// Approved prototypes are other files.
    OtherPrototypes,
}

impl Message {
    /// The cure, where one can be named.
    pub(super) fn cure(&self) -> Option<Box<dyn Say>> {
        let known = !matches!(self, Self::BaseNotInHistory { .. });
        known.then(|| Box::new(Cure(self.clone())) as Box<dyn Say>)
    }
}

impl Say for Message {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Edited => say!(
                voice,
                "a document of a launched module is edited, and no change is merged by this commit",
                "直接修改了已上线模块的文档，而该提交并未合并任何变更"
            ),
            Self::Moved { from } => {
                let from = escape(from);
                say!(
                    voice,
                    "the document was `{from}`, and no module was renamed",
                    "文档原为 `{from}`，但没有模块改名"
                )
            }
            Self::NotRegular => say!(
                voice,
                "a document has become a link or a submodule",
                "文档变成了链接或子模块"
            ),
            Self::IdLost { id } => {
                let id = escape(id);
                say!(
                    voice,
                    "`{id}` is gone, and no merged delta removes it",
                    "`{id}` 已消失，但没有已合并的 delta 删除它"
                )
            }
            Self::ReplayConflict { slug, conflict } => {
                let (slug, conflict) = (escape(slug), escape(conflict));
                say!(
                    voice,
                    "`{slug}` is marked as merged, but its merge conflicts here: {conflict}",
                    "`{slug}` 标记为已合并，但在此处合并会冲突：{conflict}"
                )
            }
            Self::ReplayMismatch { slugs } => {
                let slugs = crate::voice::quoted_list(slugs);
                say!(
                    voice,
                    "the document is not what merging {slugs} makes of it",
                    "文档与合并 {slugs} 的结果不同"
                )
            }
            Self::ByHand => say!(
                voice,
                "both sides changed the document, and the result is neither side's merge; somebody settled it by hand",
                "两侧都改动了文档，结果不是任何一种合并；由人工处理"
            ),
            Self::Unlaunched { module } => {
                let module = escape(module);
                say!(
                    voice,
                    "the module `{module}` was launched and is no longer",
                    "模块 `{module}` 曾已上线，现在不再是"
                )
            }
            Self::Claimed { module, document } => {
                let (module, document) = (escape(module), escape(document));
                say!(
                    voice,
                    "`{document}` would be of the module `{module}`, which is not launched",
                    "`{document}` 将归属尚未上线的模块 `{module}`"
                )
            }
            Self::ProjectRemoved => say!(
                voice,
                "the config of a project with a launched module goes",
                "含已上线模块的项目的配置被删除"
            ),
            Self::RegistryUnreadable(why) => {
                let why = escape(why);
                say!(
                    voice,
                    "the registry cannot be read: {why}",
                    "无法读取注册表：{why}"
                )
            }
            Self::ConflictMarks => say!(voice, "conflict marks were left", "残留冲突标记"),
            Self::DuplicateId { id, other } => {
                let (id, other) = (escape(id), escape(other));
                say!(
                    voice,
                    "`{id}` is defined a second time; the first is in {other}",
                    "`{id}` 重复定义；首个定义在 {other}"
                )
            }
            Self::IdTaken { id, by } => {
                let (id, by) = (escape(id), escape(by));
                say!(
                    voice,
                    "`{id}` is to be added, and {by} has it",
                    "要新增的 `{id}` 已存在于 {by}"
                )
            }
            Self::ArchivedUnmerged { slug } => {
                let slug = escape(slug);
                say!(
                    voice,
                    "`{slug}` goes to the archive with deltas that were never merged",
                    "`{slug}` 归档时仍有未合并的 delta"
                )
            }
            Self::ArchiveLossy { slug } => {
                let slug = escape(slug);
                say!(
                    voice,
                    "a file of `{slug}` is not found again in the archive as it was",
                    "`{slug}` 的文件未原样进入归档"
                )
            }
            Self::ArchiveEdited => say!(
                voice,
                "the archive is a record; a file of it is changed, removed or added",
                "归档是记录；其中的文件被修改、删除或新增"
            ),
            Self::ChangeDeleted { slug } => {
                let slug = escape(slug);
                say!(
                    voice,
                    "the change `{slug}` goes without archive",
                    "变更 `{slug}` 未归档即被删除"
                )
            }
            Self::SlugInvalid(why) => why.say(voice),
            Self::Forged(forgery) => forgery.say(voice),
            Self::State(why) => why.say(voice),
            Self::MarkerDropped { slug } => {
                let slug = escape(slug);
                say!(
                    voice,
                    "`{slug}` is no longer marked as merged, and its documents still are",
                    "`{slug}` 的合并标记被移除，但其文档仍处于合并后状态"
                )
            }
            Self::BaseNotInHistory { slug } => {
                let slug = escape(slug);
                say!(
                    voice,
                    "the base that `{slug}` names lies in another history: a lost edit could hide behind it",
                    "`{slug}` 声明的基准不在此历史中：可能掩盖丢失的修改"
                )
            }
            Self::SessionFile => say!(
                voice,
                "a file of one session is committed",
                "提交了仅属于单个会话的文件"
            ),
            Self::Guard => say!(
                voice,
                "the guard file of one work tree is committed",
                "提交了单个工作区的 guard 文件"
            ),
        }
    }
}

impl Say for Forgery {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::HasDeltas => say!(
                voice,
                "it says that the change has no delta, and it has",
                "声称变更没有 delta，实际有"
            ),
            Self::OtherDocument(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "it names `{path}`, which no delta of the change is for",
                    "其中的 `{path}` 不是任何 delta 的目标"
                )
            }
            Self::UnknownBase(base) => {
                let base = escape(base);
                say!(
                    voice,
                    "its base `{base}` is no commit here",
                    "其基准 `{base}` 不是此仓库的提交"
                )
            }
            Self::BothVerdicts => say!(
                voice,
                "`VERIFY_PASS` and `VERIFY_FAIL` stand side by side",
                "`VERIFY_PASS` 与 `VERIFY_FAIL` 同时存在"
            ),
            Self::NotReported(report) => {
                let report = escape(report);
                say!(
                    voice,
                    "`{report}` of the same commit does not say that the gate is open",
                    "同一提交中的 `{report}` 并未显示门禁通过"
                )
            }
            Self::FailedCase(id) => {
                let id = escape(id);
                say!(
                    voice,
                    "the newest result of `{id}`, which the change asks for, is a failure",
                    "提案要求的 `{id}` 的最新结果为失败"
                )
            }
            Self::NotAFile => say!(voice, "a marker is a regular file", "标记必须是普通文件"),
            Self::OtherPrototypes => say!(
                voice,
                "the prototypes that it approves are not those of the tree",
                "其批准的原型与树中的不同"
            ),
        }
    }
}

struct Cure(Message);

impl Say for Cure {
    fn say(&self, voice: &Voice) -> String {
        let run = |command: &'static str| Invocation::new(command, &["<slug>"]).say(voice);
        match &self.0 {
            Message::Edited | Message::IdLost { .. } | Message::Moved { .. } => {
                let (change, merge) = (run("change"), run("merge"));
                say!(
                    voice,
                    "write a change (`{change}`) and merge it (`{merge}`)",
                    "请建立变更（`{change}`）并合并（`{merge}`）"
                )
            }
            Message::ReplayConflict { .. } => {
                let rebase = run("rebase");
                say!(
                    voice,
                    "take the marker out, `{rebase}`, and merge again",
                    "移除标记，执行 `{rebase}` 后重新合并"
                )
            }
            Message::ReplayMismatch { .. } => {
                let merge = run("merge");
                say!(
                    voice,
                    "restore the document, take the marker out, and `{merge}`",
                    "恢复文档，移除标记，再执行 `{merge}`"
                )
            }
            Message::ArchivedUnmerged { .. }
            | Message::ArchiveLossy { .. }
            | Message::ChangeDeleted { .. } => {
                let archive = run("archive");
                say!(
                    voice,
                    "restore the folder; `{archive}` moves it whole",
                    "恢复目录；用 `{archive}` 完整移动"
                )
            }
            Message::DuplicateId { .. } | Message::IdTaken { .. } => {
                say!(voice, "give one of the two another id", "为其中之一更换 ID")
            }
            Message::ByHand => say!(
                voice,
                "look it over; the two sides' edits should both be there",
                "请检查两侧的修改是否都在"
            ),
            Message::ConflictMarks => {
                say!(
                    voice,
                    "settle them and take the marks out",
                    "请处理冲突并移除标记"
                )
            }
            Message::SessionFile | Message::Guard => say!(
                voice,
                "take it out of the index (`git rm --cached`) and ignore it",
                "从索引移除（`git rm --cached`）并加入忽略"
            ),
            Message::NotRegular
            | Message::Unlaunched { .. }
            | Message::Claimed { .. }
            | Message::ProjectRemoved
            | Message::RegistryUnreadable(_)
            | Message::ArchiveEdited
            | Message::SlugInvalid(_)
            | Message::Forged(_)
            | Message::MarkerDropped { .. }
            | Message::BaseNotInHistory { .. } => say!(voice, "restore it as it was", "请恢复原状"),
            Message::State(fault) => fault.hint(voice),
        }
    }
}
