//! What the findings of lint say and how they are cured, in both languages.

use crate::change::evidence::ReuseFault;
use crate::change::facts::Stage;
use crate::change::ui::UiProblem;
use crate::files::RepoPath;
use crate::merge::Conflict;
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice, quoted_list};

/// What a violation says.
#[derive(Clone, Debug)]
pub enum Message {
    TasksUnparsable,
    CodeHeaderMissing,
    ReuseLine {
        fault: ReuseFault,
        text: String,
    },
    NoTestEvidence(Stage),
    MarkerMissing,
    TemplateLeft,
    DeploymentConflict {
        required: bool,
    },
    PathInvalid,
    Ui(UiProblem),
    NoAnchor,
    AnchorUnresolved {
        anchor: String,
        ambiguous: bool,
        candidates: Vec<String>,
    },
    TwoWriters {
        anchor: String,
    },
    UnknownItem {
        anchor: String,
        id: String,
    },
    LoneItems {
        anchor: String,
    },
    LostId {
        anchor: String,
        id: String,
    },
}

impl Say for Message {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::TasksUnparsable => say!(
                voice,
                "tasks.md has no tagged section",
                "tasks.md 没有任何带标签的 section"
            ),
            Self::CodeHeaderMissing => say!(
                voice,
                "the change needs code, and tasks.md has no `## [code]` section",
                "该提案需要代码，但 tasks.md 没有 `## [code]` section"
            ),
            Self::ReuseLine { fault, text } => {
                let text = escape(text);
                match fault {
                    ReuseFault::Syntax => say!(
                        voice,
                        "the reuse list cannot read `{text}`",
                        "复用清单无法解析 `{text}`"
                    ),
                    ReuseFault::Duplicate => {
                        say!(
                            voice,
                            "the reuse list names an id twice: `{text}`",
                            "复用清单重复列出同一 ID：`{text}`"
                        )
                    }
                    ReuseFault::NotFound => say!(
                        voice,
                        "the reuse list names an id that no test document defines: `{text}`",
                        "复用清单中的 ID 在测试文档中不存在：`{text}`"
                    ),
                }
            }
            Self::NoTestEvidence(stage) => match stage {
                Stage::Plan => say!(
                    voice,
                    "the change needs code, and nothing plans or reuses test cases",
                    "该提案需要代码，但既未规划也未复用测试用例"
                ),
                Stage::SpecComplete => say!(
                    voice,
                    "the change needs code, and its test deltas define no concrete UT, ST or SMOKE id",
                    "该提案需要代码，但其测试 delta 未定义具体的 UT/ST/SMOKE ID"
                ),
                Stage::Slice => say!(
                    voice,
                    "the change needs code, and the test documents of its deltas define no concrete UT, ST or SMOKE id",
                    "该提案需要代码，但其 delta 对应的测试文档未定义具体的 UT/ST/SMOKE ID"
                ),
            },
            Self::MarkerMissing => say!(
                voice,
                "the delta has no ADDED, MODIFIED or REMOVED marker",
                "delta 没有 ADDED、MODIFIED 或 REMOVED 段标记"
            ),
            Self::TemplateLeft => say!(
                voice,
                "template text is left in the delta",
                "delta 中残留模板文字"
            ),
            Self::DeploymentConflict { required: true } => say!(
                voice,
                "the proposal is to be deployed, and tasks.md has no `## [deploy]` section",
                "proposal 声明需要部署，但 tasks.md 没有 `## [deploy]` section"
            ),
            Self::DeploymentConflict { required: false } => say!(
                voice,
                "the proposal is not to be deployed, and tasks.md has a `## [deploy]` section",
                "proposal 声明无需部署，但 tasks.md 含有 `## [deploy]` section"
            ),
            Self::PathInvalid => say!(
                voice,
                "this lies where no delta is read: not a file of a known category, or a link out of the change",
                "此处不会被当作 delta 读取：不是已知类别下的文件，或是指向提案之外的链接"
            ),
            Self::Ui(problem) => problem.say(voice),
            Self::NoAnchor => say!(voice, "the marker names no section", "段标记未写明章节锚"),
            Self::AnchorUnresolved {
                anchor, ambiguous, ..
            } => {
                let anchor = escape(anchor);
                if *ambiguous {
                    say!(
                        voice,
                        "`{anchor}` names several sections",
                        "`{anchor}` 对应多个章节"
                    )
                } else {
                    say!(
                        voice,
                        "`{anchor}` names no section of the document",
                        "`{anchor}` 在目标文档中找不到章节"
                    )
                }
            }
            Self::TwoWriters { anchor } => {
                let anchor = escape(anchor);
                say!(
                    voice,
                    "`{anchor}` is written by more than one MODIFIED block: one would undo the other",
                    "`{anchor}` 被多个 MODIFIED 块改写：后者会覆盖前者"
                )
            }
            Self::UnknownItem { anchor, id } => {
                let (anchor, id) = (escape(anchor), escape(id));
                say!(
                    voice,
                    "`{anchor}` has no entry `{id}`",
                    "章节 `{anchor}` 没有条目 `{id}`"
                )
            }
            Self::LoneItems { anchor } => {
                let anchor = escape(anchor);
                say!(
                    voice,
                    "REMOVED-ITEMS of `{anchor}` stands without a MODIFIED of the same anchor",
                    "`{anchor}` 的 REMOVED-ITEMS 没有同锚的 MODIFIED"
                )
            }
            Self::LostId { anchor, id } => {
                let (anchor, id) = (escape(anchor), escape(id));
                say!(
                    voice,
                    "`{id}` of `{anchor}` is neither kept nor named as removed",
                    "`{anchor}` 的 `{id}` 既未保留也未点名删除"
                )
            }
        }
    }
}

/// How a violation is cured.
pub(super) struct Fix(pub(super) Message);

impl Say for Fix {
    fn say(&self, voice: &Voice) -> String {
        match &self.0 {
            Message::TasksUnparsable => say!(
                voice,
                "write sections such as `## [delta] …` and `## [code] …` with `- [ ]` items",
                "写出 `## [delta] …`、`## [code] …` 等 section，并以 `- [ ]` 列出条目"
            ),
            Message::CodeHeaderMissing => {
                say!(
                    voice,
                    "add `## [code] …`; it may be empty",
                    "加上 `## [code] …` 标题，可以为空"
                )
            }
            Message::ReuseLine { fault, .. } => match fault {
                ReuseFault::Syntax => say!(
                    voice,
                    "write each line as `- <test id> — <why>`, with an em dash",
                    "每行写作 `- <测试 ID> — <说明>`，使用破折号 `—`"
                ),
                ReuseFault::Duplicate => say!(voice, "keep one line per id", "每个 ID 只保留一行"),
                ReuseFault::NotFound => say!(
                    voice,
                    "name an id from the first column of an id table below `logos/resources/test`",
                    "使用 `logos/resources/test` 下 ID 表首列中已有的 ID"
                ),
            },
            Message::NoTestEvidence(_) => say!(
                voice,
                "plan a delta below `deltas/test/` whose table has real ids in a column `ID`, or list existing ones under `## Reused test IDs`",
                "在 `deltas/test/` 下规划含真实 ID 列的测试 delta，或在 `## 复用测试 ID` 下列出已有 ID"
            ),
            Message::MarkerMissing => say!(
                voice,
                "start each block with `## ADDED — <title>`, `## MODIFIED — <anchor>` or `## REMOVED — <anchor>`",
                "每个块以 `## ADDED — <标题>`、`## MODIFIED — <锚>` 或 `## REMOVED — <锚>` 开头"
            ),
            Message::TemplateLeft => say!(voice, "replace the bracketed text", "替换方括号中的模板文字"),
            Message::DeploymentConflict { required: true } => say!(
                voice,
                "add `## [deploy] …`, or decide against deployment in the proposal",
                "增加 `## [deploy] …`，或在 proposal 中改为无需部署"
            ),
            Message::DeploymentConflict { required: false } => say!(
                voice,
                "remove `## [deploy]`, or decide for deployment in the proposal",
                "删除 `## [deploy]`，或在 proposal 中改为需要部署"
            ),
            Message::PathInvalid => say!(
                voice,
                "move it to `deltas/<category>/…`, the category being prd, api, database, scenario, test, decisions, spec or skills",
                "移到 `deltas/<类别>/…` 下，类别为 prd、api、database、scenario、test、decisions、spec、skills"
            ),
            Message::Ui(problem) => problem.cure(voice),
            Message::NoAnchor => say!(
                voice,
                "write the section's title behind the marker: `## MODIFIED — <title>`",
                "在段标记后写上章节标题：`## MODIFIED — <标题>`"
            ),
            Message::AnchorUnresolved {
                ambiguous,
                candidates,
                ..
            } => {
                let list = quoted_list(candidates);
                if *ambiguous {
                    say!(
                        voice,
                        "write the path of titles: {list}",
                        "改用标题路径锚：{list}"
                    )
                } else if candidates.is_empty() {
                    say!(voice, "the document has no headings", "目标文档没有任何标题")
                } else {
                    say!(
                        voice,
                        "write it as the document does; nearest: {list}",
                        "按文档中的写法书写；相近的标题：{list}"
                    )
                }
            }
            Message::TwoWriters { .. } => {
                say!(
                    voice,
                    "put all of it into one MODIFIED block",
                    "合并为一个 MODIFIED 块"
                )
            }
            Message::UnknownItem { .. } => say!(
                voice,
                "check the spelling of the id, and that the anchor is its section",
                "核对 ID 拼写，并确认锚定的是其所在章节"
            ),
            Message::LoneItems { .. } => say!(
                voice,
                "add the MODIFIED block that leaves the entries out, or drop the list",
                "补上不含这些条目的 MODIFIED 块，或去掉此清单"
            ),
            Message::LostId { id, anchor } => {
                let (id, anchor) = (escape(id), escape(anchor));
                say!(
                    voice,
                    "put the entry back into the MODIFIED block, or add `- {id} — <why>` under `## REMOVED-ITEMS — {anchor}`",
                    "在 MODIFIED 块中补回该条目，或在 `## REMOVED-ITEMS — {anchor}` 下写 `- {id} — <原因>`"
                )
            }
        }
    }
}

/// What a warning says.
#[derive(Clone, Debug)]
pub(super) enum Warning {
    DecisionsWithoutDelta,
    BaseMoved {
        document: RepoPath,
        anchor: Option<String>,
    },
    BaseUnavailable(String),
    Conflict(Box<Conflict>),
}

impl Say for Warning {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::DecisionsWithoutDelta => say!(
                voice,
                "the proposal tells design decisions, and no delta below `deltas/decisions/` will keep them",
                "proposal 含已确定的设计决策，但没有 `deltas/decisions/` 下的 delta 予以记录"
            ),
            Self::BaseMoved { document, anchor } => {
                let place = anchor
                    .as_ref()
                    .map_or_else(|| document.to_string(), |a| format!("{document}: {}", escape(a)));
                say!(
                    voice,
                    "`{place}` was changed since this change was created",
                    "`{place}` 在本提案创建之后已被改动"
                )
            }
            Self::BaseUnavailable(why) => {
                let why = escape(why);
                say!(
                    voice,
                    "the base of the change is not available: {why}",
                    "无法取得提案的基线：{why}"
                )
            }
            Self::Conflict(conflict) => {
                let line = conflict.at.as_ref().and_then(|at| at.line.as_ref());
                let place = line.map_or(String::new(), |line| {
                    say!(voice, " (line {})", "（第 {} 行）", line.number)
                });
                let (what, told) = (conflict.line(), conflict.explanation(voice));
                say!(
                    voice,
                    "merge would refuse: {what}{place}: {told}",
                    "merge 将会拒绝：{what}{place}：{told}"
                )
            }
        }
    }
}

/// How a warning is cured.
pub(super) struct Cure(pub(super) Warning);

impl Say for Cure {
    fn say(&self, voice: &Voice) -> String {
        match &self.0 {
            Warning::DecisionsWithoutDelta => say!(
                voice,
                "add `deltas/decisions/<module>-D<NN>-<words>.md`, or drop the section",
                "补上 `deltas/decisions/<模块>-D<NN>-<名称>.md`，或去掉该章节"
            ),
            Warning::BaseMoved { .. } => {
                let rebase = Invocation::new("rebase", &[]).say(voice);
                say!(
                    voice,
                    "look at both; merge keeps what does not clash, `{rebase} <slug>` rewrites the delta onto the document",
                    "请对照两者；merge 会保留不冲突的部分，`{rebase} <slug>` 可把 delta 改写到当前文档之上"
                )
            }
            Warning::BaseUnavailable(_) => say!(
                voice,
                "fetch the history (`git fetch --unshallow`), or name a base with `--base`",
                "取回历史（`git fetch --unshallow`），或用 `--base` 指定基线"
            ),
            Warning::Conflict(conflict) => conflict.cure(voice),
        }
    }
}
