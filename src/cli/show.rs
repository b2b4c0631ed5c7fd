//! `show`: where an id stands.

use super::history::{Command, Failure, Gone, Why, cache_use, projects, unknown};
use super::{Context, Format, finish};
use crate::git;
use crate::history::{self, Log, Subject};
use crate::report::{self, Exit};

/// Show where an ID is defined, with its text and the change that last touched it
///
/// Example: show S01@v1.2
#[derive(clap::Args)]
pub(super) struct Show {
    /// The ID; behind the last `@` the commit, HEAD if not given
    #[arg(value_name = "ID[@REV]")]
    id: String,
    /// Look into the work tree
    #[arg(long)]
    worktree: bool,
    /// text or json
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

const COMMAND: Command = Command::Show;

impl Show {
    pub(super) fn run(self, context: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        let answer = self.answer(context).map_err(|why| Failure {
            command: COMMAND,
            why,
        });
        finish(context, COMMAND.as_str(), format, answer)
    }

    fn answer(&self, context: &Context) -> Result<report::Show, Why> {
        let repository = context.repository()?.ok_or(git::Error::NotARepository)?;
        let (id, rev) = match self.id.rsplit_once('@') {
            Some((id, rev)) => (id, Some(rev)),
            None => (self.id.as_str(), None),
        };
        if self.worktree && rev.is_some() {
            return Err(Why::TwoTrees);
        }
        if self.worktree && repository.work_dir().is_none() {
            return Err(Why::NoWorkTree);
        }
        let rev = match rev {
            Some(rev) => Some(repository.commit_id(rev)?),
            // Before the first commit there is a work tree already.
            None if self.worktree => repository.head()?,
            None => Some(repository.commit_id("HEAD")?),
        };
        let projects = match rev {
            Some(rev) => projects(context, repository, rev)?,
            None => vec![context.place()?.prefix.clone()],
        };
        let mut found = Vec::new();
        let mut known = Log::default();
        for project in &projects {
            let subject = Subject {
                repository,
                project,
                cache: cache_use(context),
            };
            let work_tree = self.worktree.then(|| context.work_tree()).transpose()?;
            let tree = work_tree.as_ref().map(|tree| tree as &dyn crate::files::Tree);
            let (more, log) = history::show(subject, id, rev, tree)?;
            found.extend(more);
            known.events.extend(log.events);
        }
        if found.is_empty() {
            return Err(unknown(id, repository, &projects, rev, Gone::of(&known, id))?);
        }
        Ok(report::Show {
            id: id.to_owned(),
            rev: rev.filter(|_| !self.worktree),
            found,
        })
    }
}
