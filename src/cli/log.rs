//! `log`: the events of one id.

use super::history::{Command, Failure, Why, cache_use, projects, unknown};
use super::{Context, Format, finish};
use crate::git;
use crate::history::{self, Event, Subject, Walk};
use crate::report::{self, Exit};

/// Show what happened to one ID: added, changed, moved, renumbered, removed, and by which change
///
/// Follows what documents define through renames, merges and archived changes; works in a bare repository too. Where a
/// shallow clone ends the answer says so.
///
/// Example: log UT-S01-03 --format json
#[derive(clap::Args)]
pub(super) struct Log {
    /// The ID of a test case, a scenario or a decision
    #[arg(value_name = "ID")]
    id: String,
    /// Where to start; HEAD if not given
    #[arg(value_name = "REV")]
    rev: Option<String>,
    /// Start from all branches and tags too
    #[arg(long)]
    all: bool,
    /// Show only the newest events
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// text or json
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

const COMMAND: Command = Command::Log;

impl Log {
    pub(super) fn run(self, context: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        let answer = self.answer(context).map_err(|why| Failure {
            command: COMMAND,
            why,
        });
        finish(context, COMMAND.as_str(), format, answer)
    }

    fn answer(&self, context: &Context) -> Result<report::Log, Why> {
        let limit = match &self.limit {
            None => usize::MAX,
            Some(given) => given.parse().map_err(|_| Why::BadLimit(given.clone()))?,
        };
        let repository = context.repository()?.ok_or(git::Error::NotARepository)?;
        let rev = repository.commit_id(self.rev.as_deref().unwrap_or("HEAD"))?;
        let mut starts = vec![rev];
        if self.all {
            starts.extend(repository.tips(None)?.into_iter().map(|(_, commit)| commit));
            starts.extend(repository.tagged_commits()?);
        }
        let projects = projects(context, repository, rev)?;
        let mut log = history::Log::default();
        for project in &projects {
            let subject = Subject {
                repository,
                project,
                cache: cache_use(context),
            };
            let walk = Walk {
                starts: &starts,
                rev,
                limit,
            };
            let one = history::log(subject, &self.id, walk)?;
            log.events.extend(one.events);
            log.is_known |= one.is_known;
            log.truncated |= one.truncated;
        }
        if projects.len() > 1 {
            log.events
                .sort_by_key(|event: &Event| std::cmp::Reverse(event.date));
            log.events.truncate(limit);
        }
        // Where history is cut off, an id may stand there that nothing is known of.
        let is_there = || -> Result<bool, Why> {
            for project in &projects {
                let tree = repository.commit_tree(rev, project)?;
                if history::defined_ids(&tree)?.contains(&self.id) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        if !log.is_known && !is_there()? {
            return Err(unknown(&self.id, repository, &projects, Some(rev), None)?);
        }
        Ok(report::Log {
            id: self.id.clone(),
            rev,
            log,
        })
    }
}
