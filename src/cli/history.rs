//! What `log`, `blame` and `show` share: projects of a commit, errors, and ids that are near to an unknown one.

use super::Context;
use crate::files::{ObjectId, ReadError, RepoPath};
use crate::git::{self, Repository};
use crate::history::{self, CacheUse, Event, Kind, Log};
use crate::project;

use crate::say;
use crate::text::{escape, natural_cmp, near_names};
use crate::voice::{Fail, Say, Voice, quoted_list};

/// How many near ids are told.
const SHOWN: usize = 5;

/// Which command could not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Log,
    Blame,
    Show,
}

impl Command {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Blame => "blame",
            Self::Show => "show",
        }
    }
}

/// Why it could not.
#[derive(Debug, thiserror::Error)]
pub(super) enum Why {
    #[error("no document defines `{}`", escape(&.0.id))]
    Unknown(Unknown),
    #[error("`{}` is no number", escape(.0))]
    BadLimit(String),
    #[error("a bare repository has no work tree")]
    NoWorkTree,
    #[error("the work tree and a commit cannot both be shown")]
    TwoTrees,
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    History(#[from] history::Error),
}

impl From<ReadError> for Why {
    fn from(error: ReadError) -> Self {
        Self::History(error.into())
    }
}

/// An id that is not defined where it was looked for.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    pub(super) id: String,
    pub(super) near: Vec<String>,
    /// When it went.
    pub(super) gone: Option<Gone>,
}

/// The event that ended an id.
#[derive(Debug)]
pub(super) struct Gone {
    commit: ObjectId,
    change: Option<String>,
    is_renumbered: bool,
}

impl Gone {
    /// The newest end of an id. The newest event may be one on the other side of a merge that took the end.
    pub(super) fn of(log: &Log, id: &str) -> Option<Self> {
        let ends = |event: &&Event| match event.kind {
            Kind::Removed => true,
            // Of the id that came of it, it is the beginning.
            Kind::Renumbered => event.from.as_deref() == Some(id),
            Kind::Added | Kind::Changed | Kind::Moved => false,
        };
        let last = log.events.iter().find(ends)?;
        Some(Self {
            commit: last.commit,
            change: last.change.clone(),
            is_renumbered: last.kind == Kind::Renumbered,
        })
    }
}

impl Say for Gone {
    fn say(&self, voice: &Voice) -> String {
        let commit = self.commit.short();
        let by = self.change.as_ref().map_or_else(String::new, |change| {
            let change = escape(change);
            say!(voice, " by change `{change}`", "（变更 `{change}`）")
        });
        if self.is_renumbered {
            say!(
                voice,
                "commit {commit}{by} gave it another number",
                "提交 {commit}{by}更改了它的编号"
            )
        } else {
            say!(
                voice,
                "commit {commit}{by} removed it",
                "提交 {commit}{by}删除了它"
            )
        }
    }
}

/// An error of one of the commands.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub(super) struct Failure {
    pub(super) command: Command,
    #[source]
    pub(super) why: Why,
}

impl Say for Failure {
    fn say(&self, voice: &Voice) -> String {
        match &self.why {
            Why::Unknown(unknown) => unknown.say(self.command, voice),
            Why::BadLimit(given) => {
                let given = escape(given);
                say!(
                    voice,
                    "`--limit {given}`: it must be a number",
                    "`--limit {given}`：应为数字"
                )
            }
            Why::NoWorkTree => say!(
                voice,
                "`--worktree`: a bare repository has no work tree",
                "`--worktree`：裸仓库没有工作树"
            ),
            Why::TwoTrees => say!(
                voice,
                "`--worktree` and a commit behind `@` exclude each other",
                "`--worktree` 与 `@` 之后的提交不能同时给出"
            ),
            Why::Git(error) => error.say(voice),
            Why::History(error) => error.say(voice),
        }
    }
}

impl Unknown {
    fn say(&self, command: Command, voice: &Voice) -> String {
        let id = escape(&self.id);
        let mut text = match command {
            Command::Log | Command::Show => say!(
                voice,
                "no document defines `{id}` there",
                "该处没有文档定义 `{id}`"
            ),
            Command::Blame => say!(
                voice,
                "`{id}` is no document there, and no document defines it",
                "`{id}` 在该处不是文档，也没有文档定义它"
            ),
        };
        if let Some(gone) = &self.gone {
            text += voice.pick("; ", "；");
            text += &gone.say(voice);
        }
        if !self.near.is_empty() {
            let near = quoted_list(&self.near);
            text += &say!(voice, "; near ones: {near}", "；相近的有：{near}");
        }
        text
    }
}

impl Fail for Failure {
    fn code(&self) -> &'static str {
        match (&self.why, self.command) {
            (Why::Unknown(_), _) => "ID_NOT_FOUND",
            (Why::Git(git::Error::NotARepository), _) => "NOT_A_REPOSITORY",
            (
                Why::BadLimit(_) | Why::NoWorkTree | Why::TwoTrees | Why::Git(git::Error::OptionLike { .. }),
                command,
            ) => match command {
                Command::Log => "LOG_INPUT_INVALID",
                Command::Blame => "BLAME_INPUT_INVALID",
                Command::Show => "SHOW_INPUT_INVALID",
            },
            (Why::Git(_) | Why::History(_), command) => match command {
                Command::Log => "LOG_GIT_FAILED",
                Command::Blame => "BLAME_GIT_FAILED",
                Command::Show => "SHOW_GIT_FAILED",
            },
        }
    }
}

/// A hook writes no cache (git.md 8); what git tells its hooks is how they are known.
pub(super) fn cache_use(context: &Context) -> CacheUse {
    const TOLD: [&str; 3] = ["GIT_DIR", "GIT_INDEX_FILE", "GIT_QUARANTINE_PATH"];
    if TOLD.iter().any(|name| context.env.get(name).is_some()) {
        CacheUse::Read
    } else {
        CacheUse::ReadAndWrite
    }
}

/// The projects that are asked about: the one of the work tree; of a bare repository the one that is named, else all of
/// the commit (git.md 1.1).
pub(super) fn projects(
    context: &Context,
    repository: &Repository,
    commit: ObjectId,
) -> Result<Vec<RepoPath>, Why> {
    if repository.work_dir().is_some() || context.project_option().is_some() {
        return Ok(vec![context.place_at(repository, commit)?.prefix]);
    }
    let top = repository.commit_tree(commit, &RepoPath::root())?;
    Ok(project::Search::new(repository)?.find(&top)?)
}

/// An id that none of the projects defines in a commit, with those that are near.
pub(super) fn unknown(
    id: &str,
    repository: &Repository,
    projects: &[RepoPath],
    commit: Option<ObjectId>,
    gone: Option<Gone>,
) -> Result<Why, Why> {
    let mut ids = Vec::new();
    for (project, commit) in projects.iter().zip(std::iter::repeat(commit)) {
        if let Some(commit) = commit {
            ids.extend(history::defined_ids(&repository.commit_tree(commit, project)?)?);
        }
    }
    ids.sort_by(|a, b| natural_cmp(a, b));
    ids.dedup();
    let near = near_names(id, ids.iter().map(String::as_str));
    Ok(Why::Unknown(Unknown {
        id: id.to_owned(),
        near: near.into_iter().take(SHOWN).map(str::to_owned).collect(),
        gone,
    }))
}
