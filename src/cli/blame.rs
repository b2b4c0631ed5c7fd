//! `blame`: who wrote which piece of a document, or of an id's entry.

use super::history::{Command, Failure, Why, cache_use, projects, unknown};
use super::{Context, Format, finish};
use crate::files::{ObjectId, RepoPath, Tree};
use crate::git::{self, Repository};
use crate::history::{self, Subject, Target};
use crate::report::{self, Exit};

/// Show which commit and which change brought each row, heading and paragraph
///
/// Of a document, named as seen from the current folder or from the project; or of the row or section that defines an ID.
///
/// Example: blame logos/resources/test/core-01-test-cases.md
#[derive(clap::Args)]
pub(super) struct Blame {
    /// A document, or an ID
    #[arg(value_name = "DOCUMENT|ID")]
    subject: String,
    /// The commit to look at; HEAD if not given
    #[arg(value_name = "REV")]
    rev: Option<String>,
    /// text or json
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

const COMMAND: Command = Command::Blame;

impl Blame {
    pub(super) fn run(self, context: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        let answer = self.answer(context).map_err(|why| Failure {
            command: COMMAND,
            why,
        });
        finish(context, COMMAND.as_str(), format, answer)
    }

    fn answer(&self, context: &Context) -> Result<report::Blame, Why> {
        let repository = context.repository()?.ok_or(git::Error::NotARepository)?;
        let rev = repository.commit_id(self.rev.as_deref().unwrap_or("HEAD"))?;
        let projects = projects(context, repository, rev)?;
        for project in &projects {
            let subject = Subject {
                repository,
                project,
                cache: cache_use(context),
            };
            let document = self.document(context, repository, project, rev)?;
            let target = document
                .as_ref()
                .map_or(Target::Id(&self.subject), Target::Document);
            if let Some(blame) = history::blame(subject, target, rev)? {
                return Ok(report::Blame { rev, blame });
            }
        }
        Err(unknown(&self.subject, repository, &projects, Some(rev), None)?)
    }

    /// The document of a project that is named: from the current folder, else from the project, else from the top level.
    fn document(
        &self,
        context: &Context,
        repository: &Repository,
        project: &RepoPath,
        rev: ObjectId,
    ) -> Result<Option<RepoPath>, Why> {
        let told = context.env.get("GIT_DIR").is_some() || context.env.get("GIT_WORK_TREE").is_some();
        let mut here = repository.show_prefix(told)?;
        // An alias that is a shell command runs at the top level; git says where it was called (git.md 1.2).
        let called = context.env.text("GIT_PREFIX").filter(|_| here.is_root());
        if let Some(called) = called.and_then(|called| RepoPath::normalised(&called)) {
            here = called;
        }
        let tree = repository.commit_tree(rev, project)?;
        for start in [&here, project, &RepoPath::root()] {
            // As people write it, `..` goes up from the current folder.
            let written = format!("{}/{}", start.text(), self.subject);
            let Some(path) = RepoPath::normalised(written.trim_start_matches('/')) else {
                continue;
            };
            let Some(path) = path.strip_prefix(project).filter(|path| !path.is_root()) else {
                continue;
            };
            if tree.is_file(&path)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}
