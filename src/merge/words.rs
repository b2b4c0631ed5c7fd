//! What conflicts say and how they are cured, in both languages. The line that starts with `conflict:` is not here: it is
//! the same in every locale.

use super::{Conflict, ConflictCode, Hint};
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice, quoted_list};

/// The cure of what a rebase cannot rewrite.
fn by_hand(voice: &Voice) -> String {
    let merge = Invocation::new("merge", &[]).say(voice);
    say!(
        voice,
        "rebase does not help here: write into the delta what is wanted now, see that the change's other deltas are up to date, then `{merge} <slug> --base HEAD`",
        "rebase 于此无效：把想要的结果写进 delta，确认提案的其他 delta 均已更新，再运行 `{merge} <slug> --base HEAD`"
    )
}

impl Conflict {
    /// What is wrong.
    pub fn explanation(&self, voice: &Voice) -> String {
        match self.code {
            ConflictCode::AnchorUnresolvable => say!(
                voice,
                "the anchor does not name exactly one section of the document",
                "该锚在文档中不能唯一对应一个章节"
            ),
            ConflictCode::ImplicitIdRemoval => match &self.item {
                Some(_) => say!(
                    voice,
                    "the entry is neither kept nor named as removed",
                    "该条目既未保留也未点名删除"
                ),
                None => say!(
                    voice,
                    "the section is written by several blocks, or its removed items stand without a MODIFIED block",
                    "该章节被多个块改写，或其 REMOVED-ITEMS 没有同锚的 MODIFIED 块"
                ),
            },
            ConflictCode::RemovedUnknownId => {
                say!(voice, "the section has no such entry", "该章节没有此条目")
            }
            ConflictCode::BothChanged => say!(
                voice,
                "the document was changed here since the change was created, differently",
                "提案创建之后，文档在此处已有不同的改动"
            ),
            ConflictCode::ChangedAndRemoved => say!(
                voice,
                "one side removes what the other has changed",
                "一方删除了另一方改动过的内容"
            ),
            ConflictCode::AddedTwice => say!(
                voice,
                "another change has added this already, told differently",
                "另一提案已加入此内容，但写法不同"
            ),
            ConflictCode::RemovedUpstream => say!(
                voice,
                "the section was there when the change was created and is gone from the document",
                "该章节在提案创建时存在，现已不在文档中"
            ),
            ConflictCode::DocumentRemoved => say!(
                voice,
                "the document was there when the change was created and is gone",
                "该文档在提案创建时存在，现已被删除"
            ),
            ConflictCode::TargetMissing => say!(
                voice,
                "there is no document to change; a new one takes ADDED blocks only",
                "没有可改动的文档；新文档只能用 ADDED 块"
            ),
            ConflictCode::AddedExists => say!(
                voice,
                "the document has a section of this title already, told differently",
                "文档已有同名章节，内容不同"
            ),
            ConflictCode::AddedParentUnresolved => say!(
                voice,
                "it is not clear below which section this goes",
                "无法确定新章节应放在哪个章节之下"
            ),
            ConflictCode::BlockEscapesSection => say!(
                voice,
                "the block holds a further heading of its section's level or above",
                "块内还有与该章节同级或更高级的标题"
            ),
            ConflictCode::OverlappingBlocks => say!(
                voice,
                "the block lies inside a section that another block writes or removes",
                "该块位于另一个块改写或删除的章节之内"
            ),
            ConflictCode::ContradictingBlocks => say!(
                voice,
                "two blocks of the delta want different things of one section",
                "delta 中有两个块对同一章节的要求相互矛盾"
            ),
            ConflictCode::IdTaken => say!(voice, "the document has this id already", "文档中已有此 ID"),
            ConflictCode::ConflictMarksLeft => {
                say!(
                    voice,
                    "lines of conflict marks are left in the block",
                    "块中残留冲突标记行"
                )
            }
            ConflictCode::BaseUnavailable => say!(
                voice,
                "the commit that the change was created at is not here",
                "此处没有提案创建时所在的提交"
            ),
            ConflictCode::DirtyDocument => say!(
                voice,
                "the document differs from HEAD in the index or the work tree",
                "该文档在暂存区或工作区与 HEAD 不同"
            ),
            ConflictCode::IdCountMismatch => say!(
                voice,
                "the merged document would not account for this id; nothing was written",
                "合并结果中该 ID 对不上账；未写入任何内容"
            ),
            ConflictCode::DecisionNumberMismatch => say!(
                voice,
                "new decision records are numbered on, in file name and title alike",
                "新的决策记录须连续编号，文件名与标题一致"
            ),
        }
    }

    /// What to do about it.
    pub fn cure(&self, voice: &Voice) -> String {
        let rebase = Invocation::new("rebase", &[]).say(voice);
        match &self.hint {
            Hint::Anchors(anchors) if !anchors.is_empty() => {
                let list = quoted_list(anchors);
                return say!(voice, "write one of {list}", "改写为其一：{list}");
            }
            Hint::Became(title) => {
                let title = escape(title);
                return say!(
                    voice,
                    "it has most likely become `{title}`; `{rebase} <slug>` rewrites the anchor",
                    "它很可能已改为 `{title}`；`{rebase} <slug>` 会改写该锚"
                );
            }
            Hint::FreeId(id) => {
                let id = escape(id);
                return say!(
                    voice,
                    "take the next free one: `{id}`",
                    "改用下一个空闲 ID：`{id}`"
                );
            }
            Hint::Decision(number) => {
                return say!(
                    voice,
                    "the first new record is D{number:02}: `…-D{number:02}-<words>.md` with the title `# D{number:02} …`",
                    "首个新记录应为 D{number:02}：`…-D{number:02}-<名称>.md`，标题为 `# D{number:02} …`"
                );
            }
            Hint::ByHand => return by_hand(voice),
            Hint::Anchors(_) | Hint::None => {}
        }
        match self.code {
            ConflictCode::BothChanged
            | ConflictCode::ChangedAndRemoved
            | ConflictCode::AddedTwice
            | ConflictCode::RemovedUpstream => say!(
                voice,
                "run `{rebase} <slug>`, settle what it marks in the delta, merge again",
                "运行 `{rebase} <slug>`，处理其在 delta 中标出的冲突，再次 merge"
            ),
            ConflictCode::DocumentRemoved => by_hand(voice),
            ConflictCode::AnchorUnresolvable => {
                say!(
                    voice,
                    "write the title as the document has it",
                    "按文档中的写法书写标题"
                )
            }
            ConflictCode::ImplicitIdRemoval | ConflictCode::RemovedUnknownId => say!(
                voice,
                "keep the entry in the one MODIFIED block, or name it under REMOVED-ITEMS",
                "在唯一的 MODIFIED 块中保留该条目，或在 REMOVED-ITEMS 中点名"
            ),
            ConflictCode::TargetMissing => {
                say!(
                    voice,
                    "use ADDED, or correct the delta's path",
                    "改用 ADDED，或更正 delta 的路径"
                )
            }
            ConflictCode::AddedExists => say!(
                voice,
                "use MODIFIED to change the section, or another title",
                "用 MODIFIED 改动该章节，或换一个标题"
            ),
            ConflictCode::AddedParentUnresolved => say!(
                voice,
                "write the parent before the title: `## ADDED — <parent> > <title>`",
                "在标题前写明父章节：`## ADDED — <父章节> > <标题>`"
            ),
            ConflictCode::BlockEscapesSection => say!(
                voice,
                "deepen the heading, or give it a block of its own",
                "降低该标题的级别，或为其单写一个块"
            ),
            ConflictCode::OverlappingBlocks | ConflictCode::ContradictingBlocks => {
                say!(voice, "say it in one block", "合并为一个块")
            }
            ConflictCode::IdTaken => say!(voice, "take an id that is free", "改用空闲的 ID"),
            ConflictCode::ConflictMarksLeft => say!(
                voice,
                "settle the lines between the marks and take the marks out",
                "处理标记之间的内容并删去标记"
            ),
            ConflictCode::BaseUnavailable => say!(
                voice,
                "fetch the history (`git fetch --unshallow`), or name a base with `--base <rev>`",
                "取回历史（`git fetch --unshallow`），或用 `--base <rev>` 指定基线"
            ),
            ConflictCode::DirtyDocument => say!(
                voice,
                "commit or put aside the edits of the document, or merge with `--no-commit`",
                "提交或搁置对该文档的改动，或用 `--no-commit` 合并"
            ),
            ConflictCode::IdCountMismatch => say!(
                voice,
                "look for a fence or comment in the delta that is not closed",
                "检查 delta 中是否有未闭合的代码围栏或注释"
            ),
            ConflictCode::DecisionNumberMismatch => say!(voice, "rename the record", "更改记录的编号"),
        }
    }
}
