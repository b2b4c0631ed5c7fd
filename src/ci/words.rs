//! The words of the choice of a range, in both languages.

use super::error::{Cure, Error, EventFault, Expected, Role, Sought};
use super::job::{MAX_EVENT, Origin};
use super::provider::Provider;
use super::range::RangeLine;
use crate::clock::Timestamp;
use crate::files::{ObjectId, Unread};
use crate::say;
use crate::text::{escape, escape_bytes};
use crate::voice::{Say, Voice, quoted_list, shell_word};

/// How a range is said to `impact`.
const BY_HAND: &str = "--base <rev> --head <rev>";

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        self.say_with(BY_HAND, voice)
    }
}

impl Error {
    /// In words, with the arguments by which a range is given by hand.
    pub fn say_with(&self, by_hand: &str, voice: &Voice) -> String {
        match self {
            Self::NoProvider => {
                let known = Provider::ALL.map(Provider::as_str).join(", ");
                say!(
                    voice,
                    "no variable says which CI provider runs this (known: {known}); give the range: `{by_hand}`",
                    "没有变量说明由哪个 CI 运行（已知：{known}）；请给出范围：`{by_hand}`"
                )
            }
            Self::NotSet { from } => {
                let from = from.say(voice);
                say!(
                    voice,
                    "{from} is not set, and the range cannot be told without it",
                    "{from}未设置，没有它无法确定范围"
                )
            }
            Self::NotAnId { from, value } => {
                let from = from.say(voice);
                say!(
                    voice,
                    "{from} is `{value}`: an id has 40 or 64 digits of 0-9 and a-f",
                    "{from}为 `{value}`：对象 ID 应为 40 或 64 位的 0-9 与 a-f"
                )
            }
            Self::NotABranch { from, value } => {
                let from = from.say(voice);
                say!(
                    voice,
                    "{from} is `{value}`, which is no name of a branch",
                    "{from}为 `{value}`，不是分支名"
                )
            }
            Self::Unfit { from, expected } => {
                let (from, expected) = (from.say(voice), expected.say(voice));
                say!(voice, "{from} must be {expected}", "{from}必须是{expected}")
            }
            Self::Event { path, fault } => {
                let fault = fault.say(voice);
                say!(
                    voice,
                    "the event file `{path}`: {fault}",
                    "事件文件 `{path}`：{fault}"
                )
            }
            Self::Deleted => say!(
                voice,
                "the push deleted the reference: no commit is left to judge",
                "此次推送删除了引用：没有可判定的提交"
            ),
            Self::Unanswered(gap) => {
                let (sought, cure) = (gap.sought.say(voice), gap.cure.say_with(by_hand, voice));
                let end = match gap.boundary {
                    Some(boundary) => end_of_history(boundary, voice),
                    None => say!(voice, "this clone is not shallow", "此克隆不是浅克隆"),
                };
                say!(voice, "{sought}; {end}; {cure}", "{sought}；{end}；{cure}")
            }
            Self::Git(error) => error.say(voice),
        }
    }
}

fn end_of_history(boundary: ObjectId, voice: &Voice) -> String {
    say!(
        voice,
        "this clone is shallow, its history ends at {boundary}",
        "这是浅克隆，历史在 {boundary} 处中断"
    )
}

impl Say for Origin {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Variable(name) => say!(voice, "`${name}`", "`${name}` "),
            Self::Event(key) => say!(voice, "`{key}` in the event file", "事件文件中的 `{key}` "),
            Self::Configuration(key) => {
                say!(voice, "`{key}` in git configuration", "git 配置中的 `{key}` ")
            }
            Self::RemoteHead => say!(voice, "what the remote's HEAD leads to", "远程 HEAD 所指"),
        }
    }
}

impl Say for Expected {
    fn say(&self, voice: &Voice) -> String {
        let (english, chinese) = match self {
            Self::Text => ("text", "文本"),
            Self::Truth => ("true or false", " true 或 false"),
            Self::Object => ("an object", "对象"),
        };
        voice.pick(english, chinese).to_owned()
    }
}

impl Say for EventFault {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Unread(Unread::Missing) => say!(voice, "it is not there", "不存在"),
            Self::Unread(Unread::NotAFile) => {
                say!(voice, "it is no regular file", "不是普通文件")
            }
            Self::Unread(Unread::TooLong) => {
                let most = MAX_EVENT >> 20;
                say!(voice, "it is longer than {most} MiB", "超过 {most} MiB")
            }
            Self::Unread(Unread::Io(error)) => {
                say!(voice, "it cannot be read: {error}", "无法读取：{error}")
            }
            Self::NotJson(reason) => {
                let reason = escape(reason);
                say!(voice, "it is no JSON: {reason}", "不是 JSON：{reason}")
            }
            Self::NotAnObject => say!(voice, "it is no JSON object", "不是 JSON 对象"),
        }
    }
}

impl Say for Role {
    fn say(&self, voice: &Voice) -> String {
        let (english, chinese) = match self {
            Self::Head => ("the commit of this job", "此任务的提交"),
            Self::Source => ("the tip of the request's branch", "请求分支的末端"),
            Self::Before => ("what the branch named before the push", "推送前分支所指的提交"),
            Self::FirstParent => ("the first parent of the test merge", "测试合并的第一父提交"),
            Self::Target => ("what the request is measured from", "请求的比较起点"),
        };
        voice.pick(english, chinese).to_owned()
    }
}

impl Say for Sought {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Commit { role, id } => {
                let role = role.say(voice);
                say!(voice, "{role}, {id}, is not here", "{role} {id} 不在此仓库")
            }
            Self::UnbornHead => say!(
                voice,
                "nothing is checked out: HEAD names no commit yet",
                "没有检出任何提交：HEAD 尚未指向提交"
            ),
            Self::Branch { name, references } => {
                let name = escape_bytes(name.as_bytes());
                let tried = quoted_list(references);
                say!(
                    voice,
                    "the branch `{name}` is not here (looked for {tried})",
                    "分支 `{name}` 不在此仓库（查找了 {tried}）"
                )
            }
            Self::MergeBase { one, other } => say!(
                voice,
                "the history is too short to tell the merge base of {one} and {other}",
                "历史过短，无法确定 {one} 与 {other} 的合并基"
            ),
            Self::CommonHistory { one, other } => say!(
                voice,
                "{one} and {other} have no common history",
                "{one} 与 {other} 没有共同历史"
            ),
            Self::PreviousTag { head } => say!(
                voice,
                "the history is too short to tell the tag before {head}",
                "历史过短，无法确定 {head} 之前的标签"
            ),
        }
    }
}

impl Cure {
    fn say_with(&self, by_hand: &str, voice: &Voice) -> String {
        match self {
            Self::Deepen { provider, two } => {
                let setting = provider.deeper(*two);
                say!(
                    voice,
                    "`{setting}` brings what is missing",
                    "`{setting}` 可取回缺少的部分"
                )
            }
            Self::Fetch { remote, what } => {
                let command = format!("git fetch {} {}", shell_word(remote), shell_word(what));
                say!(voice, "`{command}` brings it", "`{command}` 可取回")
            }
            Self::SayIt => say!(voice, "give the range: `{by_hand}`", "请给出范围：`{by_hand}`"),
        }
    }
}

impl Say for RangeLine {
    fn say(&self, voice: &Voice) -> String {
        let choice = &self.choice;
        let base = match self.base {
            Some(base) => base.short(),
            None => say!(voice, "(empty tree)", "（空树）"),
        };
        let (head, rule) = (choice.head.short(), choice.rule.as_str());
        let (provider, event) = (choice.provider.as_str(), escape(&choice.event));
        let measured = choice.measured.as_ref().and_then(|m| m.reference.as_ref());
        let stale = match measured {
            Some((reference, Some(committed))) => {
                let (reference, age) = (escape_bytes(reference), age(*committed, self.now, voice));
                say!(voice, "; {reference} is {age} old", "；{reference} 已有 {age}")
            }
            Some((_, None)) | None => String::new(),
        };
        say!(
            voice,
            "range: {base}..{head} ({rule}; {provider} {event}{stale})",
            "范围：{base}..{head}（{rule}；{provider} {event}{stale}）"
        )
    }
}

/// How long ago, in the largest unit of which it is at least two; a clock that is behind makes it none.
fn age(then: Timestamp, now: Timestamp, voice: &Voice) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    let seconds = now.seconds().saturating_sub(then.seconds()).max(0);
    let (count, english, chinese) = if seconds >= 2 * DAY {
        (seconds / DAY, "days", "天")
    } else if seconds >= 2 * HOUR {
        (seconds / HOUR, "hours", "小时")
    } else if seconds >= 2 * MINUTE {
        (seconds / MINUTE, "minutes", "分钟")
    } else {
        (seconds, "seconds", "秒")
    };
    say!(voice, "{count} {english}", "{count} {chinese}")
}
