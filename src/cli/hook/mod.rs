//! `hook <name>`: what every hook script calls (git.md 3). First the hook that stood there before, then our judgement;
//! nothing is written but the message of a commit.

mod before;
mod commit_msg;
mod index;
mod merged;
mod push;
mod receive;
mod tell;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Read};

use bstr::ByteSlice;

use super::trouble::Trouble;
use super::{Context, Exit, complain};
use crate::check::{self, Asked, Policy};
use crate::files::{RepoPath, Tree};
use crate::git::{self, Repository};
use crate::hooks;
use crate::project::{Search, layout};
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// Be a git hook: pre-commit, pre-merge-commit, commit-msg, pre-push, post-merge or pre-receive
///
/// The scripts that `hooks install` lays down call this; hook managers may call it plainly. It reads what git gives to the
/// hook of that name, and refuses with exit code 1.
#[derive(clap::Args)]
pub(super) struct Hook {
    /// The name of the hook
    #[arg(value_name = "NAME")]
    name: OsString,
    /// What git gives to it
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// Why a hook could not judge.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("there is no hook `{}`", escape(.0))]
    Unknown(String),
    #[error("line {0} of standard input has another form than git gives to it")]
    Malformed(usize),
    #[error("an argument is missing: git gives {0}")]
    Argument(&'static str),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("`{path}`: {source}")]
    Before { path: String, source: io::Error },
    #[error("{0} new commits are more than `spec.receive.maxCommits` ({1})")]
    TooMany(usize, usize),
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Check(#[from] check::Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

impl From<hooks::Malformed> for Error {
    fn from(hooks::Malformed(line): hooks::Malformed) -> Self {
        Self::Malformed(line)
    }
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Unknown(name) => {
                let name = escape(name);
                say!(voice, "`{name}` is no hook of ours", "`{name}` 不是我们的钩子")
            }
            Self::Malformed(line) => say!(
                voice,
                "line {line} of standard input has not the form that git gives to this hook",
                "标准输入第 {line} 行不是 git 传给此钩子的格式"
            ),
            Self::Argument(what) => say!(
                voice,
                "git gives {what} to this hook, and it is not there",
                "缺少 git 传给此钩子的参数：{what}"
            ),
            Self::Io(error) => error.to_string(),
            Self::Before { path, source } => {
                let path = escape(path);
                say!(
                    voice,
                    "`{path}` cannot be run: {source}",
                    "无法运行 `{path}`：{source}"
                )
            }
            Self::TooMany(found, most) => say!(
                voice,
                "{found} new commits are more than `spec.receive.maxCommits` ({most}); push in parts, or raise it",
                "新提交 {found} 个，超过 `spec.receive.maxCommits`（{most}）；请分批推送，或调高该值"
            ),
            Self::Git(error) => error.say(voice),
            Self::Check(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

/// Whether what the hook looked at may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Accepted,
    Refused,
}

impl Hook {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match self.serve(ctx) {
            Ok(exit) => exit,
            Err(error) => {
                complain(&format!("git-spec: {}", error.say(ctx.voice())));
                Exit::Failed
            }
        }
    }

    fn serve(self, ctx: &Context) -> Result<Exit, Error> {
        let name = self.name.to_string_lossy().into_owned();
        let hook = hooks::Hook::named(&name).ok_or(Error::Unknown(name))?;
        let mut input = Vec::new();
        if hook.reads_lines() {
            io::stdin().lock().read_to_end(&mut input)?;
        }
        if let Some(code) = before::run(ctx, hook, &self.args, &input)? {
            return Ok(Exit::Child(code));
        }
        let repository = ctx.repository()?.ok_or(git::Error::NotARepository)?;
        let switch = repository.setting(&format!("spec.hook.{}", hook.as_str()));
        if switch.is_some_and(|value| value == "off") {
            return Ok(Exit::Done);
        }
        let verdict = match hook {
            hooks::Hook::PreCommit => index::commit(ctx, repository)?,
            hooks::Hook::PreMergeCommit => index::merge(ctx, repository)?,
            hooks::Hook::CommitMsg => harmless(ctx, commit_msg::run(ctx, repository, &self.args)),
            hooks::Hook::PrePush => push::run(ctx, repository, &self.args, &input)?,
            hooks::Hook::PostMerge => harmless(ctx, merged::run(ctx, repository)),
            hooks::Hook::PreReceive => receive::run(ctx, repository, &input)?,
        };
        Ok(match verdict {
            Verdict::Accepted => Exit::Done,
            Verdict::Refused => Exit::Failed,
        })
    }
}

/// What a hook that never refuses could not do is said, and no more.
fn harmless(ctx: &Context, result: Result<(), Error>) -> Verdict {
    if let Err(error) = result {
        complain(&format!("git-spec: {}", error.say(ctx.voice())));
    }
    Verdict::Accepted
}

/// The project and the path in it of what differs below the changes of any project that one of the trees has (git.md 1.1).
fn in_changes(
    repository: &Repository,
    trees: &[&dyn Tree],
    changes: &[git::Change],
) -> Result<Vec<(RepoPath, RepoPath)>, Error> {
    let below = [layout::CHANGES.as_bytes(), b"/"].concat();
    let paths = changes.iter().filter(|change| change.path.contains_str(&below));
    let paths: Vec<RepoPath> = paths
        .filter_map(|change| RepoPath::new(change.path.as_slice()).ok())
        .collect();
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let mut search = Search::new(repository)?;
    let mut projects = BTreeSet::new();
    for tree in trees {
        projects.extend(search.find(*tree).map_err(check::Error::from)?);
    }
    let of = |path: &RepoPath| {
        let around = projects.iter().filter(|project| path.starts_with(project));
        let project = around.max_by_key(|project| project.as_bytes().len())?;
        let inner = path.strip_prefix(project)?;
        inner
            .as_bytes()
            .starts_with(&below)
            .then(|| (project.clone(), inner))
    };
    Ok(paths.iter().filter_map(of).collect())
}

/// What a hook asks of the judges: the policy of git's configuration, every project.
fn asked(repository: &Repository) -> Asked<'_> {
    let mut policy = Policy::default();
    policy.add_git(repository);
    Asked {
        repository,
        policy,
        project: None,
    }
}
