//! The words of refusals, in both languages.

use std::fmt::Display;
use std::path::PathBuf;

use bstr::ByteVec;

use super::{Class, Error, Refusal, State};
use crate::files::RepoPath;
use crate::say;
use crate::text::{escape, escape_bytes};
use crate::voice::{Invocation, Say, Voice, quoted_list};

/// A path that may hold anything, in backticks.
fn place(path: &std::path::Path) -> String {
    format!("`{}`", escape_bytes(&Vec::from_path_lossy(path)))
}

fn places(paths: &[PathBuf]) -> String {
    let texts: Vec<String> = paths.iter().map(|path| place(path)).collect();
    texts.join(", ")
}

fn paths(paths: &[RepoPath]) -> String {
    lines(paths.iter().map(|path| format!("`{path}`")))
}

/// One item a line, below what they belong to.
fn lines(items: impl Iterator<Item = impl Display>) -> String {
    let lines: Vec<String> = items.map(|item| format!("\n  {item}")).collect();
    lines.concat()
}

impl Class {
    fn title(self, voice: &Voice) -> &'static str {
        let (english, chinese) = match self {
            Self::Modified => ("changed files", "已修改的文件"),
            Self::Staged => ("staged changes", "已暂存的更改"),
            Self::Untracked => ("untracked files", "未跟踪的文件"),
            Self::Conflicted => ("conflicts", "冲突"),
            Self::UnmergedCommits => ("commits that are nowhere else", "别处没有的提交"),
            Self::SubmoduleChanges => ("work in repositories inside", "内部仓库中的工作"),
            Self::OperationInProgress => ("an operation under way", "正在进行的操作"),
            Self::Locked => ("locked", "已锁定"),
            Self::Unreadable => ("not readable", "无法读取"),
        };
        match voice.language {
            crate::voice::Language::English => english,
            crate::voice::Language::Chinese => chinese,
        }
    }
}

fn refusals(all: &[Refusal], voice: &Voice) -> String {
    let of_class = |refusal: &Refusal| {
        let items = lines(refusal.what.iter().map(|item| format!("  `{}`", escape(item))));
        format!(
            "{} ({}):{items}",
            refusal.class.as_str(),
            refusal.class.title(voice)
        )
    };
    lines(all.iter().map(of_class))
}

impl Say for State {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Ok => say!(voice, "in place", "正常"),
            Self::Missing => say!(voice, "its folder is gone", "目录已不存在"),
            Self::Broken => say!(voice, "its folder leads to no work tree", "目录不再指向工作树"),
            Self::BranchOnly => say!(voice, "there is only a branch", "只有分支"),
        }
    }
}

impl Say for Error {
    #[allow(clippy::too_many_lines, reason = "one arm a refusal")]
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Exists { change, path } => {
                let (change, path) = (escape(change), place(path));
                say!(
                    voice,
                    "`{change}` has a work tree already: {path}",
                    "`{change}` 已有工作树：{path}"
                )
            }
            Self::PathOccupied { path } => {
                let path = place(path);
                say!(
                    voice,
                    "{path} is there and not empty; name another folder with `--path`",
                    "{path} 已存在且非空；请用 `--path` 指定其他目录"
                )
            }
            Self::PathInvalid { path, reason } => {
                let (path, reason) = (place(path), escape(reason));
                say!(
                    voice,
                    "no work tree can be made at {path}: {reason}",
                    "无法在 {path} 建立工作树：{reason}"
                )
            }
            Self::BranchInUse { branch, path } => {
                let (branch, path) = (escape(branch), place(path));
                say!(
                    voice,
                    "branch `{branch}` is checked out in {path}; name another with `--branch`",
                    "分支 `{branch}` 已在 {path} 检出；请用 `--branch` 指定其他分支"
                )
            }
            Self::BranchExists { branch, tip } => {
                let (branch, tip) = (escape(branch), tip.short());
                say!(
                    voice,
                    "branch `{branch}` exists, at {tip}: it is used as it is without `--base`, or name another with `--branch`",
                    "分支 `{branch}` 已存在（{tip}）：不带 `--base` 则沿用，或用 `--branch` 指定其他分支"
                )
            }
            Self::BranchInvalid(branch) => {
                let branch = escape(branch);
                say!(
                    voice,
                    "`{branch}` is no name for a branch",
                    "`{branch}` 不能作为分支名"
                )
            }
            Self::BaseUnknown { revision, reason } => {
                let (revision, reason) = (escape(revision), escape(reason));
                say!(
                    voice,
                    "`{revision}` is no base for a branch: {reason}",
                    "`{revision}` 不能作为分支的起点：{reason}"
                )
            }
            Self::NotFound { change, known } => not_found(change, known, voice),
            Self::Ambiguous { change, paths } => {
                let (change, paths) = (escape(change), places(paths));
                say!(
                    voice,
                    "`{change}` has several work trees: {paths}",
                    "`{change}` 有多个工作树：{paths}"
                )
            }
            Self::OtherProject { change, project } => {
                let (change, project) = (escape(change), escape(project));
                say!(
                    voice,
                    "the work tree of `{change}` is that of the project `{project}`; name it with `--project`",
                    "`{change}` 的工作树属于项目 `{project}`；请用 `--project` 指明"
                )
            }
            Self::NoFolder { change, state, path } => {
                let (change, state) = (escape(change), state.say(voice));
                let path = path
                    .as_deref()
                    .map_or_else(String::new, |path| format!(" ({})", place(path)));
                say!(
                    voice,
                    "the work tree of `{change}` cannot be worked in: {state}{path}",
                    "无法使用 `{change}` 的工作树：{state}{path}"
                )
            }
            Self::InUse { path, go_to } => {
                let (path, go_to) = (place(path), place(go_to));
                say!(
                    voice,
                    "{path} is where this command runs; go to {go_to} and call it there",
                    "此命令正在 {path} 中运行；请到 {go_to} 中执行"
                )
            }
            Self::NotClean {
                change,
                refusals: all,
            } => {
                let list = refusals(all, voice);
                let needed: Option<Vec<u8>> = all.iter().map(|refusal| refusal.class.force()).collect();
                // Where nothing helps, nothing is advised.
                let advice = match needed.and_then(|needed| needed.into_iter().max()) {
                    None => String::new(),
                    Some(times) => {
                        let shown = escape(change);
                        let mut words = vec![&*shown];
                        words.extend((0..times).map(|_| "--force"));
                        let force = Invocation::new("worktree remove", &words).say(voice);
                        say!(
                            voice,
                            "; `{force}` keeps the work in a rescue first",
                            "；`{force}` 会先把工作保存为救援"
                        )
                    }
                };
                let change = escape(change);
                say!(
                    voice,
                    "the work tree of `{change}` is not removed, nothing is touched{advice}:{list}",
                    "未移除 `{change}` 的工作树，什么都没有改动{advice}：{list}"
                )
            }
            Self::Meanwhile { path } => {
                let path = place(path);
                say!(
                    voice,
                    "{path} was written to meanwhile; all is put back, call it again",
                    "{path} 在此期间被写入；已全部复原，请重试"
                )
            }
            Self::RescueFailed(why) => {
                let why = escape(why);
                say!(
                    voice,
                    "the work cannot be kept in a rescue, so nothing is removed: {why}",
                    "无法把工作保存为救援，因此什么都不移除：{why}"
                )
            }
            Self::RescueUnknown(name) => {
                let list = Invocation::new("worktree rescue", &[]).say(voice);
                let name = escape(name);
                say!(
                    voice,
                    "there is no rescue `{name}`; `{list}` lists them",
                    "没有救援 `{name}`；用 `{list}` 查看"
                )
            }
            Self::RestoreTarget { path } => {
                let path = place(path);
                say!(
                    voice,
                    "{path} is neither free nor a clean work tree of this repository",
                    "{path} 既不空闲，也不是此仓库的干净工作树"
                )
            }
            Self::InTheWay { paths: list } => {
                let list = paths(list);
                say!(
                    voice,
                    "files are in the way, nothing is restored:{list}",
                    "有文件挡路，什么都没有恢复：{list}"
                )
            }
            Self::Busy { path, operation } => {
                let (path, operation) = (place(path), escape(operation));
                say!(
                    voice,
                    "a {operation} is under way in {path}; end it first",
                    "{path} 中正在进行 {operation}；请先结束它"
                )
            }
            Self::Unsettled { path, paths: list } => {
                let (path, list) = (place(path), paths(list));
                say!(
                    voice,
                    "conflicts in {path} are not settled:{list}",
                    "{path} 中有未解决的冲突：{list}"
                )
            }
            Self::NoBase { change } => {
                let change = escape(change);
                say!(
                    voice,
                    "the work of `{change}` and HEAD here have no common history",
                    "`{change}` 的工作与此处的 HEAD 没有共同历史"
                )
            }
            Self::Detached => say!(
                voice,
                "HEAD is detached here: check out a branch, or bring the work with `--patch`",
                "此处 HEAD 游离：请检出分支，或用 `--patch` 带入"
            ),
            Self::RecordCommitted { change } => {
                let change = escape(change);
                say!(
                    voice,
                    "the commits of `{change}` hold `meta.json`, the record of its work tree: bring the files with `--patch`, or take it out of the commits",
                    "`{change}` 的提交含有其工作树的记录 `meta.json`：请用 `--patch` 带入文件，或把它从提交中去掉"
                )
            }
            Self::HoldsAnother { path, inner } => {
                let (path, inner) = (place(path), place(inner));
                say!(
                    voice,
                    "{path} holds another work tree, {inner}: take that away first",
                    "{path} 中有另一个工作树 {inner}：请先移除它"
                )
            }
            Self::Conflict { change, paths: list } => {
                let (change, list) = (escape(change), paths(list));
                say!(
                    voice,
                    "the work of `{change}` conflicts with what is here, nothing is changed:{list}",
                    "`{change}` 的工作与此处冲突，什么都没有改动：{list}"
                )
            }
            Self::TargetDirty { paths: list } => {
                let list = paths(list);
                say!(
                    voice,
                    "these files would change and have changes of their own here, nothing is changed:{list}",
                    "这些文件将被改动，但此处已有自己的更改，什么都没有改动：{list}"
                )
            }
            Self::MergeRefused(why) => {
                let why = escape(why);
                say!(
                    voice,
                    "git refuses the merge, all is as before: {why}",
                    "git 拒绝合并，一切如前：{why}"
                )
            }
            Self::SetAside { path, aside } => {
                let (path, aside) = (place(path), place(aside));
                say!(
                    voice,
                    "an earlier removal did not end, and something else is at {path} now: the work tree is kept at {aside}; call it again",
                    "先前的移除未结束，而 {path} 处现在有其他内容：工作树保留在 {aside}；请重试"
                )
            }
            Self::Journal { path, reason } => {
                let (path, reason) = (place(path), escape(reason));
                say!(
                    voice,
                    "{path} cannot be understood ({reason}); an earlier run did not end, and nothing is done before that is settled",
                    "无法理解 {path}（{reason}）；先前的运行未结束，处理完之前不做任何事"
                )
            }
            Self::Git(error) => error.say(voice),
        }
    }
}

fn not_found(change: &str, known: &[String], voice: &Voice) -> String {
    let change = escape(change);
    if known.is_empty() {
        return say!(
            voice,
            "there is no work tree or branch of `{change}`; there is none at all",
            "没有 `{change}` 的工作树或分支；目前一个也没有"
        );
    }
    let known = quoted_list(known);
    say!(
        voice,
        "there is no work tree or branch of `{change}`; there are {known}",
        "没有 `{change}` 的工作树或分支；现有 {known}"
    )
}
