//! `renumber`: gives an id that a change brings another number and commits (git.md 7.2).

use std::collections::BTreeSet;

use super::radar::code;
use super::trouble::{Trouble, through_trouble};
use super::uninitialised::{self, NOT_INITIALIZED};
use super::{Context, Format, finish};
use crate::change::base::{BaseError, BaseTree};
use crate::change::gate::{self, Refused};
use crate::change::{Change, ChangeFolder};
use crate::files::{Digest, Kind, Recovered, RepoPath, Tree, WorkTree, Writer};
use crate::git::{CommitPlan, Repository};
use crate::git::{SPEC_CHANGE, SPEC_OPERATION};
use crate::radar;
use crate::radar::renumber::{self, Numbered, Plan};
use crate::report::Exit;
use crate::report::renumber::{Mention, Renumbered};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice};

/// Give an id that a change adds another number
///
/// Rewrites the definition and every mention in the change's deltas, proposal and tasks, and commits these files alone.
/// Without --to the number is the next above all that the documents and the open changes of all branches use. Mentions in
/// other files are told and left.
///
/// Example: renumber UT-S01-04 --change add-refund
#[derive(clap::Args)]
pub(super) struct Renumber {
    /// The id
    id: String,
    /// The change that adds it
    #[arg(long, value_name = "SLUG")]
    change: String,
    /// The new id: the same but for the number
    #[arg(long, value_name = "ID")]
    to: Option<String>,
    /// Print what would change as a unified diff; write nothing
    #[arg(long)]
    dry_run: bool,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Why nothing was renumbered.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("`{}` does not end in a number", escape(.0))]
    NoNumber(String),
    #[error("`{}` cannot stand for `{}`: only the number may differ", escape(.to), escape(.from))]
    Shape { from: String, to: String },
    #[error("`{}` does not add `{}`", escape(.slug), escape(.id))]
    NotAdded { id: String, slug: String },
    #[error("`{}` is taken", escape(.0))]
    Taken(String),
    #[error("`{0}` exists already")]
    Exists(RepoPath),
    #[error("not committed: {}", list(.0))]
    Dirty(Vec<RepoPath>),
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Radar(#[from] radar::Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl From<BaseError> for Error {
    fn from(error: BaseError) -> Self {
        Self::Refused(error.into())
    }
}

fn list(paths: &[RepoPath]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    paths.join(", ")
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NoNumber(id) => {
                let id = escape(id);
                say!(
                    voice,
                    "`{id}` does not end in a number that could be another",
                    "`{id}` 的末尾不是可更换的编号"
                )
            }
            Self::Shape { from, to } => {
                let (from, to) = (escape(from), escape(to));
                say!(
                    voice,
                    "`--to {to}`: only the number of `{from}` may differ, and it is written with as many digits",
                    "`--to {to}`：只能更换 `{from}` 的编号，且位数不得减少"
                )
            }
            Self::NotAdded { id, slug } => {
                let (id, slug) = (escape(id), escape(slug));
                say!(
                    voice,
                    "`{slug}` does not add `{id}`: neither an ADDED block nor what is new in a MODIFIED block defines it",
                    "`{slug}` 没有新增 `{id}`：ADDED 块与 MODIFIED 块的新内容都没有定义它"
                )
            }
            Self::Taken(id) => {
                let id = escape(id);
                say!(
                    voice,
                    "`{id}` is taken by a document or by an open change; leave out `--to` for the next free one",
                    "`{id}` 已被文档或未完成的提案占用；省略 `--to` 可取下一个空闲编号"
                )
            }
            Self::Exists(path) => say!(voice, "`{path}` exists already", "`{path}` 已存在"),
            Self::Dirty(paths) => {
                let paths = list(paths);
                say!(
                    voice,
                    "these files differ from HEAD; commit or stash them first: {paths}",
                    "以下文件与 HEAD 不同，请先提交或贮藏：{paths}"
                )
            }
            Self::Refused(error) => error.say(voice),
            Self::Radar(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NoNumber(_) | Self::Shape { .. } => "RENUMBER_INPUT_INVALID",
            Self::NotAdded { .. } => "RENUMBER_NOT_ADDED",
            Self::Taken(_) => "RENUMBER_TAKEN",
            Self::Exists(_) => "RENUMBER_FILE_EXISTS",
            Self::Dirty(_) => "RENUMBER_DIRTY",
            Self::Refused(error) => error.code(),
            Self::Radar(error) => code(error),
            Self::Trouble(error) => error.code(),
        }
    }
}

impl Renumber {
    pub(super) fn run(self, context: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        match uninitialised::require(context, "renumber", format, NOT_INITIALIZED) {
            Err(exit) => exit,
            Ok(tree) => finish(context, "renumber", format, self.attempt(context, &tree)),
        }
    }

    fn attempt(&self, context: &Context, tree: &WorkTree) -> Result<Renumbered, Error> {
        let repository = context
            .repository()?
            .filter(|r| r.work_dir().is_some())
            .ok_or(Refused::NoWorkTree)?;
        let run = Run {
            options: self,
            repository,
            prefix: &context.place()?.prefix,
        };
        if self.dry_run {
            let (done, _) = run.plan(tree)?;
            return Ok(done);
        }
        let writer = context.writer("renumber")?;
        let (done, plan) = run.plan(&writer.tree())?;
        run.write(&writer, done, &plan)
    }
}

struct Run<'a> {
    options: &'a Renumber,
    repository: &'a Repository,
    prefix: &'a RepoPath,
}

impl Run<'_> {
    /// Everything but the writing.
    fn plan(&self, tree: &WorkTree) -> Result<(Renumbered, Plan), Error> {
        let (id, slug) = (self.options.id.as_str(), self.options.change.as_str());
        let folder = gate::open_folder(tree, Some(slug))?;
        if slug.contains(char::is_control) {
            // It is to stand in a trailer, which is one line.
            return Err(Refused::SlugInvalid(slug.to_owned()).into());
        }
        gate::foreign_journal(tree, &folder)?;
        let change = Change::load(tree, folder)?;
        if change.is_merged() {
            return Err(Refused::AlreadyMerged.into());
        }
        let numbered = Numbered::of(id).ok_or_else(|| Error::NoNumber(id.to_owned()))?;
        let (repository, prefix) = (self.repository, self.prefix);
        let base = BaseTree::find(Some(repository), prefix, None, slug, None, true)?;
        let then = base.as_tree().unwrap_or(tree);
        let not_added = || Error::NotAdded {
            id: id.to_owned(),
            slug: slug.to_owned(),
        };
        // Whether it is added at all comes before which number would do.
        if !renumber::adds(&change, then, id)? {
            return Err(not_added());
        }
        let taken = radar::taken(repository, prefix, tree, numbered.prefix)?;
        let to = self.new_id(&numbered, &taken)?;
        let plan = renumber::plan(tree, &change, then, id, &to)?.ok_or_else(not_added)?;
        self.refuse_dirty(&plan)?;
        for file in plan.files.iter().filter(|file| file.from.is_some()) {
            if tree.entry(&file.path)?.is_some() {
                return Err(Error::Exists(file.path.clone()));
            }
        }
        let done = Renumbered {
            change: slug.to_owned(),
            project: prefix.clone(),
            from: id.to_owned(),
            to,
            dry_run: self.options.dry_run,
            also_in: self.mentions_elsewhere(&change.folder, &plan)?,
            files: plan.files.clone(),
            committed: None,
            ignored: Vec::new(),
            recovered: Recovered::Nothing,
        };
        Ok((done, plan))
    }

    fn new_id(&self, numbered: &Numbered<'_>, taken: &BTreeSet<String>) -> Result<String, Error> {
        let id = &self.options.id;
        let Some(to) = &self.options.to else {
            return numbered.next(taken).ok_or_else(|| Error::NoNumber(id.clone()));
        };
        if !numbered.fits(to) {
            return Err(Error::Shape {
                from: id.clone(),
                to: to.clone(),
            });
        }
        if taken.contains(to) || to == id {
            return Err(Error::Taken(to.clone()));
        }
        Ok(to.clone())
    }

    /// Files that differ from HEAD would bring foreign work into the commit.
    fn refuse_dirty(&self, plan: &Plan) -> Result<(), Error> {
        let paths: Vec<RepoPath> = plan
            .files
            .iter()
            .map(|file| file.found_at().below(self.prefix))
            .collect();
        let dirty = self.repository.differing(&paths)?;
        if dirty.is_empty() {
            Ok(())
        } else {
            Err(Error::Dirty(dirty))
        }
    }

    /// Lines that mention the id in files of the project that stay as they are, and lines that stay in those that do not.
    fn mentions_elsewhere(&self, folder: &ChangeFolder, plan: &Plan) -> Result<Vec<Mention>, Error> {
        let id = self.options.id.as_str();
        let top = self.repository.work_dir().ok_or(Refused::NoWorkTree)?;
        let files = WorkTree::new(&top);
        let mut out: Vec<Mention> = plan
            .kept
            .iter()
            .map(|(path, line)| Mention {
                path: path.below(self.prefix),
                line: *line,
            })
            .collect();
        let own = folder.path.below(self.prefix);
        let rewritten = |path: &RepoPath| {
            let inner = path.strip_prefix(&own);
            inner.is_some_and(|inner| {
                let texts = ["proposal.md", "tasks.md"].map(RepoPath::of);
                texts.contains(&inner) || inner.starts_with(&RepoPath::of("deltas"))
            })
        };
        for path in self.repository.files_with(id, self.prefix)? {
            let is_file = files.entry(&path)?.is_some_and(|entry| entry.kind == Kind::File);
            if rewritten(&path) || !is_file {
                continue;
            }
            let content = files.read(&path)?.unwrap_or_default();
            let lines = renumber::lines_mentioning(&content, id).into_iter();
            out.extend(lines.map(|line| Mention {
                path: path.clone(),
                line,
            }));
        }
        out.sort();
        Ok(out)
    }

    /// All files in one transaction, and one commit of them.
    fn write(&self, writer: &Writer, mut done: Renumbered, plan: &Plan) -> Result<Renumbered, Error> {
        let mut transaction = writer.begin();
        for file in &plan.files {
            let seen = Digest::of(&file.old);
            match &file.from {
                Some(from) => {
                    transaction.create_like(&file.path, from, file.new.clone());
                    transaction.remove(from, seen);
                }
                None => transaction.replace(&file.path, Some(seen), file.new.clone()),
            }
        }
        let commit = self.commit_plan(plan)?;
        transaction.announce(
            commit
                .announced()
                .iter()
                .filter_map(|path| path.strip_prefix(self.prefix)),
        );
        let (slug, from, to) = (done.change.as_str(), done.from.as_str(), done.to.as_str());
        let subject = format!("docs({slug}): renumber {from} to {to}");
        let trailers = [(SPEC_CHANGE, slug), (SPEC_OPERATION, "renumber")];
        done.committed = transaction.commit_then(|_| -> Result<_, Error> {
            if commit.is_empty() {
                return Ok(None);
            }
            Ok(Some(self.repository.commit(&commit, &subject, &trailers)?))
        })?;
        done.ignored = commit.ignored;
        done.recovered = writer.recovered();
        Ok(done)
    }

    /// A file that was tracked stays so under its new name.
    fn commit_plan(&self, plan: &Plan) -> Result<CommitPlan, Error> {
        let below = |path: &RepoPath| path.below(self.prefix);
        let mut paths = Vec::new();
        let mut force = Vec::new();
        for file in &plan.files {
            paths.push(below(&file.path));
            if let Some(from) = &file.from {
                let from = below(from);
                if !self.repository.tracked(std::slice::from_ref(&from))?.is_empty() {
                    paths.push(from);
                    force.push(below(&file.path));
                }
            }
        }
        Ok(self.repository.plan_commit(paths, &force)?)
    }
}
