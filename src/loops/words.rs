//! The words of errors, in both languages.

use super::error::{Break, Error};
use super::{Mode, Phase};
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice, quoted_list};

fn names(phases: &[Phase]) -> String {
    let names: Vec<String> = phases.iter().map(|phase| phase.as_str().to_owned()).collect();
    quoted_list(&names)
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NoState(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "there is no `{path}`; `loop init` makes one",
                    "没有 `{path}`；可用 `loop init` 创建"
                )
            }
            Self::Malformed(why) => {
                let why = escape(why);
                say!(voice, "the state cannot be read: {why}", "无法读取状态：{why}")
            }
            Self::Field(path) => say!(
                voice,
                "the state has no valid `{path}`; `loop validate` tells all that is wrong with it",
                "状态中没有有效的 `{path}`；`loop validate` 会列出所有问题"
            ),
            Self::Gate(why) => {
                let why = escape(why);
                say!(
                    voice,
                    "the gate state cannot be read: {why}",
                    "无法读取闸门状态：{why}"
                )
            }
            Self::NotRouting(phase) => {
                let phase = phase.as_str();
                say!(
                    voice,
                    "the loop is in phase `{phase}`: only `routing` is routed",
                    "循环处于阶段 `{phase}`：只有 `routing` 可以路由"
                )
            }
            Self::Illegal { from, to, allowed } => {
                let (from, to, allowed) = (from.as_str(), to.as_str(), names(allowed));
                say!(
                    voice,
                    "from `{from}` the loop does not go to `{to}`; it may go to: {allowed}",
                    "不能从 `{from}` 到 `{to}`；可以到：{allowed}"
                )
            }
            Self::NothingFails(phase) => {
                let phase = phase.as_str();
                say!(
                    voice,
                    "in phase `{phase}` there is nothing that can fail",
                    "阶段 `{phase}` 中没有可以失败的内容"
                )
            }
            Self::UnknownPhase(name) => {
                let (name, all) = (escape(name), names(&Phase::ALL));
                say!(
                    voice,
                    "`{name}` is no phase; these are: {all}",
                    "`{name}` 不是阶段；有的是：{all}"
                )
            }
            Self::UnknownMode(name) => {
                let (name, all) = (
                    escape(name),
                    quoted_list(&Mode::ALL.map(|m| m.as_str().to_owned())),
                );
                say!(
                    voice,
                    "`{name}` is no mode; these are: {all}",
                    "`{name}` 不是模式；有的是：{all}"
                )
            }
            Self::UnknownArtifact(key) => {
                let key = escape(key);
                let known = super::artifact::KEYS.map(|(key, _)| key.to_owned());
                let known = quoted_list(&known);
                say!(
                    voice,
                    "`{key}` is no artifact; these are: {known}",
                    "`{key}` 不是产物；有的是：{known}"
                )
            }
            Self::NoArtifact(key) => {
                let key = escape(key);
                say!(
                    voice,
                    "the file of `{key}` is missing or empty: there is nothing to record",
                    "`{key}` 的文件缺失或为空：没有可记录的内容"
                )
            }
            Self::PathEscape(what) => {
                let what = escape(what);
                say!(
                    voice,
                    "`{what}` leads out of the project",
                    "`{what}` 指向项目之外"
                )
            }
            Self::NothingAsked => say!(voice, "nothing is waiting for an answer", "没有等待答复的问题"),
            Self::NoOption { answer, options } => {
                let (answer, options) = (escape(answer), quoted_list(options));
                say!(
                    voice,
                    "`{answer}` is none of the options: {options}",
                    "`{answer}` 不是可选项：{options}"
                )
            }
            Self::NeedsUser => say!(
                voice,
                "only the user decides this: run it at a terminal, or with the token that `loop confirm --request` shows there",
                "只有用户可以决定：请在终端中运行，或使用 `loop confirm --request` 在终端显示的令牌"
            ),
            Self::Token => say!(
                voice,
                "the token is unknown, or was used already",
                "令牌未知或已被使用"
            ),
            Self::Exists => say!(
                voice,
                "there is a loop here already; `--force` begins a new one",
                "此处已有循环；`--force` 会重新开始"
            ),
            Self::ChainBroken(how) => {
                let how = how.say(voice);
                say!(
                    voice,
                    "the journal of the loop does not hold together: {how}; somebody has changed it by hand, and the user has to look at it",
                    "循环日志不一致：{how}；有人手工改动过它，需要用户检查"
                )
            }
            Self::NotOwn(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "`{path}` is not the state of a project; it can only be looked at, with `--dry-run`",
                    "`{path}` 不是项目的状态文件；只能用 `--dry-run` 查看"
                )
            }
            Self::Lock(error) => error.say(voice),
            Self::Git(error) => error.say(voice),
            Self::Read(error) => error.say(voice),
            Self::Write { path, source } => {
                let path = path.display();
                say!(
                    voice,
                    "`{path}` cannot be written: {source}",
                    "无法写入 `{path}`：{source}"
                )
            }
            Self::NoChance(why) => say!(
                voice,
                "the system gives no random bytes: {why}",
                "系统无法提供随机数：{why}"
            ),
        }
    }
}

impl std::fmt::Display for Break {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.say(&Voice::default()))
    }
}

impl Say for Break {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Line(at) => say!(voice, "line {at} is no entry", "第 {at} 行不是条目"),
            Self::Sequence(at) => say!(voice, "line {at} has the wrong number", "第 {at} 行编号错误"),
            Self::Time(at) => say!(
                voice,
                "line {at} is older than the one before",
                "第 {at} 行早于前一行"
            ),
            Self::Link(at) => say!(
                voice,
                "line {at} does not follow the one before",
                "第 {at} 行与前一行不衔接"
            ),
            Self::Hash(at) => say!(voice, "line {at} was edited", "第 {at} 行被改动"),
            Self::Nonce(at) => say!(
                voice,
                "line {at} uses a token for the second time",
                "第 {at} 行重复使用令牌"
            ),
            Self::Head => say!(
                voice,
                "it does not end where the reference says",
                "结尾与引用不符"
            ),
            Self::NoReference => say!(voice, "its reference is gone", "引用已不存在"),
            Self::NoJournal => say!(voice, "it is gone", "日志已不存在"),
            Self::Gate => say!(
                voice,
                "the stored gate state is not the one that was written",
                "存储的闸门状态不是写入时的内容"
            ),
        }
    }
}
