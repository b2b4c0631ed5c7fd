//! The words of `impact`, in both languages.

use std::fmt;

use super::{ArgumentFault, Error, Fault};
use crate::git;
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Arguments(fault) => fault.say(voice),
            Self::Prefix(e) => {
                let path = escape(&e.0);
                say!(
                    voice,
                    "the prefix is `{path}`: it must be a path from the top level, without empty parts, `.` and `..`",
                    "前缀为 `{path}`：必须是自仓库顶层起的路径，不含空段、`.` 与 `..`"
                )
            }
            Self::Revision { option, value } => {
                let value = escape(value);
                say!(
                    voice,
                    "`--{option}` is `{value}`: a revision is not empty and does not start with `-`; nothing was handed to git",
                    "`--{option}` 为 `{value}`：修订不得为空或以 `-` 开头；未交给 git"
                )
            }
            Self::Input(e) => say!(
                voice,
                "standard input cannot be read: {e}",
                "无法读取标准输入：{e}"
            ),
            Self::Output { path, source } => {
                let path = escape(path);
                say!(
                    voice,
                    "`$GITHUB_OUTPUT` names `{path}`, which cannot be appended to: {source}",
                    "`$GITHUB_OUTPUT` 所指的 `{path}` 无法追加：{source}"
                )
            }
            Self::Zeros { option: "base" } => say!(
                voice,
                "`--base` is all zeros: this is the first push of a branch and no commit lies before it; in a CI job `--ci` knows what to judge then",
                "`--base` 全为零：这是分支的首次推送，之前没有提交；在 CI 任务中，`--ci` 知道此时该判定什么"
            ),
            Self::Zeros { option } => say!(
                voice,
                "`--{option}` is all zeros: the branch was deleted, and no commit is left to judge",
                "`--{option}` 全为零：分支已删除，没有可判定的提交"
            ),
            Self::Git(e) => e.say(voice),
            Self::CutOff { missing, boundary } => {
                let boundary = *boundary;
                let cut = git::Error::Shallow { boundary };
                format!("{}; {}", missing.say(voice), cut.say(voice))
            }
            Self::HiddenBase { one, other, boundary } => {
                let cut = git::Error::Shallow { boundary: *boundary }.say(voice);
                say!(
                    voice,
                    "the history is too short to tell the merge base of {one} and {other}; {cut}",
                    "历史过短，无法确定 {one} 与 {other} 的合并基；{cut}"
                )
            }
            Self::TooLong => say!(
                voice,
                "the list of changed files is longer than 256 MiB; judge a shorter range",
                "变更文件列表超过 256 MiB；请判定更小的范围"
            ),
        }
    }
}

impl fmt::Display for ArgumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(&Voice::default()))
    }
}

impl Say for ArgumentFault {
    fn say(&self, voice: &Voice) -> String {
        let (english, chinese) = match self {
            Self::CiWithRange => (
                "`--ci` finds the range itself: it goes without `--base`, `--head`, `--stdin` and `--prefix`",
                "`--ci` 自行确定范围：不能与 `--base`、`--head`、`--stdin`、`--prefix` 同用",
            ),
            Self::StdinWithRange => (
                "`--stdin` reads a list of changes: it goes without `--base` and `--head`",
                "`--stdin` 读取变更列表：不能与 `--base`、`--head` 同用",
            ),
            Self::Nothing => (
                "nothing to judge: give `--base <rev> --head <rev>`, each word by itself, `--stdin`, or in a CI job `--ci`",
                "没有判定对象：请给出 `--base <rev> --head <rev>`（各词分开）、`--stdin`，或在 CI 任务中给出 `--ci`",
            ),
            Self::MergeBaseWithoutBase => (
                "`--merge-base` needs `--base` and `--head`",
                "`--merge-base` 需要 `--base` 与 `--head`",
            ),
            Self::HalfARange => (
                "a range needs both `--base <rev>` and `--head <rev>`",
                "范围需要同时给出 `--base <rev>` 与 `--head <rev>`",
            ),
            Self::PrefixWithoutStdin => (
                "`--prefix` belongs to `--stdin`; a range takes its prefix from the current folder",
                "`--prefix` 仅用于 `--stdin`；范围的前缀取自当前目录",
            ),
        };
        voice.pick(english, chinese).to_owned()
    }
}

impl Say for Fault {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Empty => say!(
                voice,
                "no changed files: an empty range proves nothing",
                "没有变更文件：空范围不能证明任何事"
            ),
            Self::Truncated { status } => say!(
                voice,
                "the stream ends within the record `{status}`: its path is missing",
                "流在记录 `{status}` 中中断：缺少路径"
            ),
            Self::NoStatus { found } => say!(
                voice,
                "`{found}` stands where a status is expected; nothing after it was read",
                "应为状态之处却是 `{found}`；其后内容未读取"
            ),
            Self::UnknownStatus { letter, path: None } => {
                say!(voice, "unknown status `{letter}`", "未知状态 `{letter}`")
            }
            Self::UnknownStatus {
                letter,
                path: Some(path),
            } => say!(
                voice,
                "unknown status `{letter}` of `{path}`",
                "`{path}` 的状态 `{letter}` 未知"
            ),
            Self::InvalidPath { path } => say!(
                voice,
                "`{path}` is no path of a tree; nothing after it was read",
                "`{path}` 不是树中的路径；其后内容未读取"
            ),
        }
    }
}
