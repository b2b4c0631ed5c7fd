//! What is said about a flow that is refused, in both languages: the place, what is wrong, and the cure.

use super::Warning;
use super::error::{Error, Expected, Fault, Found, Refusal, Subject};
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice, quoted_list};

/// As much of a foreign text as a message shows.
const SHOWN: usize = 60;

fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", escape(&text[..end])),
        None => escape(text).into_owned(),
    }
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NotFound(name) => {
                let name = short(name);
                say!(
                    voice,
                    "there is no flow `{name}`; there are `initial` and `launched`",
                    "没有流程 `{name}`；只有 `initial` 与 `launched`"
                )
            }
            Self::Schema(refusal) => refusal.say(voice),
            Self::NotStarted {
                node,
                command,
                source,
            } => {
                let (node, command) = (short(node), short(command));
                say!(
                    voice,
                    "the command of node `{node}` cannot be started (`{command}`): {source}",
                    "无法启动节点 `{node}` 的命令（`{command}`）：{source}"
                )
            }
        }
    }
}

impl Say for Refusal {
    fn say(&self, voice: &Voice) -> String {
        let mut place = match &self.file {
            Some(file) => file.to_string(),
            None => say!(voice, "built-in flow", "内置流程"),
        };
        if let Some(line) = self.line {
            place.push_str(&format!(":{line}"));
        }
        let subject = match &self.subject {
            Subject::File => None,
            Subject::Subflow(id) => {
                let id = short(id);
                Some(say!(voice, "subflow `{id}`", "子流程 `{id}`"))
            }
            Subject::Node(id) => {
                let id = short(id);
                Some(say!(voice, "node `{id}`", "节点 `{id}`"))
            }
            Subject::Operation(at) => Some(say!(voice, "operation {at}", "第 {at} 个操作")),
        };
        let key = self.key.map(|key| format!("`{key}`"));
        let about: Vec<String> = subject.into_iter().chain(key).collect();
        let fault = self.fault.say(voice);
        match (about.is_empty(), voice.pick("", "zh")) {
            (true, "") => format!("{place}: {fault}"),
            (true, _) => format!("{place}：{fault}"),
            (false, "") => format!("{place}: {}: {fault}", about.join(", ")),
            (false, _) => format!("{place}：{}：{fault}", about.join("，")),
        }
    }
}

impl Say for Expected {
    fn say(&self, voice: &Voice) -> String {
        let words = match self {
            Self::Mapping => ("a mapping", "映射"),
            Self::List => ("a list", "列表"),
            Self::Text => ("text", "文本"),
            Self::Number => ("a number", "数字"),
            Self::Boolean => ("`true` or `false`", "`true` 或 `false`"),
            Self::WholeFromOne => ("a whole number from 1 on", "不小于 1 的整数"),
            Self::Texts => ("a list of texts", "文本列表"),
            Self::Share => ("a number above 0 and up to 1", "大于 0 且不超过 1 的数字"),
            Self::Until => (
                "`tests_green` or `code_slices_green`",
                "`tests_green` 或 `code_slices_green`",
            ),
        };
        voice.pick(words.0, words.1).to_owned()
    }
}

impl Say for Found {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Nothing => say!(voice, "it is missing", "现在缺失"),
            Self::Null => say!(voice, "it is null", "现在为 null"),
            Self::Boolean => say!(voice, "it is a boolean", "现在是布尔值"),
            Self::Text(text) => {
                let text = short(text);
                say!(voice, "it is the text `{text}`", "现在是文本 `{text}`")
            }
            Self::Number(text) => {
                let text = short(text);
                say!(voice, "it is the number {text}", "现在是数字 {text}")
            }
            Self::List => say!(voice, "it is a list", "现在是列表"),
            Self::Mapping => say!(voice, "it is a mapping", "现在是映射"),
        }
    }
}

impl Say for Fault {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Unreadable(reason) => {
                let reason = escape(reason);
                say!(
                    voice,
                    "the file cannot be read: {reason}",
                    "无法读取此文件：{reason}"
                )
            }
            Self::Yaml(error) => {
                let (message, column) = (escape(&error.message), error.column);
                say!(
                    voice,
                    "this is no YAML: {message} (column {column})",
                    "不是合法的 YAML：{message}（第 {column} 列）"
                )
            }
            Self::Type { expected, found } => {
                let (expected, found) = (expected.say(voice), found.say(voice));
                say!(voice, "must be {expected}; {found}", "必须是{expected}；{found}")
            }
            Self::OwnFlow => say!(
                voice,
                "a project cannot bring a flow of its own, only an overlay: write `extends` and `overlay` instead of `subflows`",
                "项目不能自带完整流程，只能写覆盖层：用 `extends` 与 `overlay` 代替 `subflows`"
            ),
            Self::ExtendsShape(text) => {
                let text = short(text);
                say!(
                    voice,
                    "`{text}` names no built-in flow; write `builtin:<initial|launched>`, with `@<version>` or without",
                    "`{text}` 未指明内置流程；应写 `builtin:<initial|launched>`，可带 `@<版本>`"
                )
            }
            Self::ExtendsOther(name) => {
                let name = short(name);
                say!(
                    voice,
                    "it extends `{name}`, but this file is for the other flow; name the flow that the file is called after",
                    "它扩展的是 `{name}`，但此文件属于另一流程；应写与文件同名的流程"
                )
            }
            Self::OperationUnknown(op) => {
                let op = short(op);
                say!(
                    voice,
                    "there is no operation `{op}`; there are `skip`, `modify`, `add`, `reorder` and `set-loop`",
                    "没有操作 `{op}`；可用 `skip`、`modify`、`add`、`reorder`、`set-loop`"
                )
            }
            Self::NodeUnknown { id, nearest } => {
                let id = short(id);
                match nearest.as_deref().map(short) {
                    Some(nearest) => say!(
                        voice,
                        "the flow has no node `{id}`; did you mean `{nearest}`?",
                        "流程中没有节点 `{id}`；是否指 `{nearest}`？"
                    ),
                    None => say!(voice, "the flow has no node `{id}`", "流程中没有节点 `{id}`"),
                }
            }
            Self::SubflowUnknown { id, known } => {
                let (id, known) = (short(id), quoted_list(known));
                say!(
                    voice,
                    "the flow has no subflow `{id}`; it has {known}",
                    "流程中没有子流程 `{id}`；已有：{known}"
                )
            }
            Self::NodeExists => say!(
                voice,
                "a node of this id is there already; change it with `modify`, or take another id",
                "已有同 id 的节点；用 `modify` 修改它，或另取 id"
            ),
            Self::AnchorMissing => say!(
                voice,
                "it does not say where: give `after` or `before` with the id of a node",
                "未说明位置：用 `after` 或 `before` 给出某个节点的 id"
            ),
            Self::AnchorIsTarget => say!(
                voice,
                "a node cannot be moved next to itself",
                "节点不能移动到自己旁边"
            ),
            Self::SetsId => say!(
                voice,
                "the id of a node cannot be changed; take `id` out of `set`",
                "节点的 id 不可修改；请从 `set` 中去掉 `id`"
            ),
            Self::LoopKey(key) => {
                let key = short(key);
                say!(
                    voice,
                    "a loop has no key `{key}`; it has `max_iters`, `until` and `exhausted_gate`",
                    "循环没有键 `{key}`；只有 `max_iters`、`until`、`exhausted_gate`"
                )
            }
            Self::GateKey(key) => {
                let key = short(key);
                say!(
                    voice,
                    "it has the one key `skippable`, not `{key}`",
                    "只有一个键 `skippable`，没有 `{key}`"
                )
            }
            Self::LoopElsewhere => say!(
                voice,
                "only `implement` can be repeated: elsewhere `max_iters` is 1",
                "只有 `implement` 可以循环：其他子流程的 `max_iters` 只能是 1"
            ),
            Self::Duplicate => say!(voice, "two nodes have this id", "有两个节点使用此 id"),
            Self::ThresholdPlace => say!(
                voice,
                "a threshold needs something to count: `done_when: all_present`, `for_each` and `produces`",
                "阈值需要可计数的对象：`done_when: all_present`、`for_each` 与 `produces`"
            ),
            Self::CommandInInitial => say!(
                voice,
                "built-in nodes of the initial flow take no command; add a node of your own",
                "初始流程的内置节点不能使用命令；请另加节点"
            ),
            Self::CommandPlace => say!(
                voice,
                "no command may stand here; it may in `verify` and `smoke` (`done_when`, `fail_when`) and `deploy` (`done_when`), or in an added node that no `modify` touches",
                "此处不能使用命令；可用于 `verify` 与 `smoke`（`done_when`、`fail_when`）、`deploy`（`done_when`），或未被 `modify` 改动的新增节点"
            ),
            Self::CommandTwice => say!(
                voice,
                "`done_when` and `fail_when` of one node cannot both be commands; keep one",
                "同一节点的 `done_when` 与 `fail_when` 不能都是命令；只保留一个"
            ),
            Self::CommandEmpty => say!(
                voice,
                "the command is empty; write one behind `cmd:`",
                "命令为空；请在 `cmd:` 之后写出命令"
            ),
            Self::CommandInLoop => say!(
                voice,
                "a command on `verify` and the loop of `implement` exclude each other: add `{{op: set-loop, subflow: implement, set: {{max_iters: 1}}}}`",
                "`verify` 上的命令与 `implement` 的循环不能并存：加上 `{{op: set-loop, subflow: implement, set: {{max_iters: 1}}}}`"
            ),
            Self::OpInLaunched(op) => {
                let op = op.as_str();
                say!(
                    voice,
                    "nodes of the launched flow cannot be skipped or moved; take `{op}` out",
                    "已上线流程的节点不能跳过或移动；请去掉 `{op}`"
                )
            }
            Self::PredicateUnknown(text) => {
                let text = short(text);
                say!(
                    voice,
                    "`{text}` is no predicate; there are `dir_nonempty`, `file:`, `marker:`, `any_present:`, `section_complete:`, `proposal_package_filled`, `archived`, `all_present` and `cmd:`",
                    "`{text}` 不是判定条件；可用 `dir_nonempty`、`file:`、`marker:`、`any_present:`、`section_complete:`、`proposal_package_filled`、`archived`、`all_present`、`cmd:`"
                )
            }
            Self::PredicateInInitial(text) => {
                let text = short(text);
                say!(
                    voice,
                    "`{text}` looks into a change, and there is none in the initial flow; ask for a file of the project",
                    "`{text}` 针对变更提案，而初始流程中没有提案；请改为检查项目中的文件"
                )
            }
            Self::Needs(key) => say!(
                voice,
                "this predicate needs `{key}` beside it",
                "此判定条件还需要 `{key}`"
            ),
            Self::CommandNotHere => say!(
                voice,
                "of the built-in nodes only `verify`, `deploy` and `smoke` take a command",
                "内置节点中只有 `verify`、`deploy`、`smoke` 可以使用命令"
            ),
            Self::PredicateKind(kind) => say!(
                voice,
                "the step of a change is derived from this: it must be {kind}",
                "提案的阶段由此推导：必须是 {kind}"
            ),
        }
    }
}

impl Say for Warning {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::VersionMismatch { named, lifecycle } => {
                let (named, version, name) = (short(named), lifecycle.builtin_version(), lifecycle.as_str());
                let file = lifecycle.overlay_path();
                say!(
                    voice,
                    "`{file}` was written for `{name}` {named}, and this is {version}: look whether its operations still say what they should",
                    "`{file}` 是为 `{name}` {named} 编写的，当前为 {version}：请检查其中的操作是否仍符合本意"
                )
            }
        }
    }
}
