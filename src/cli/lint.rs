//! `change-lint`, alias `lint`: judges a change in the work tree, the index or a commit.

use rayon::prelude::*;

use super::base::BaseTree;
use super::{Context, Format, Place, fail, finish_findings, uninitialised};
use crate::change::ChangeFolder;
use crate::change::base::BaseError;
use crate::change::gate::{self, Refused};
use crate::files::{ObjectId, RepoPath, Tree, WorkTree};
use crate::git::{MergeFile, Repository};
use crate::lint::{self, Error, Target, Verdict};
use crate::project::{self, Registry, layout};
use crate::report::{self, Exit};

/// Judge a change: checks L1 to L8 and what merge would refuse
///
/// Without --slug the active change is judged. Exit code 0: it passes; 2: there are violations; 1: it could not be judged.
/// Example: `git spec change-lint --slug add-refund --format json`
#[derive(clap::Args)]
pub(super) struct Lint {
    /// The change to judge
    #[arg(long, value_name = "SLUG", conflicts_with = "all")]
    slug: Option<String>,
    /// text, json, sarif or github
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Judge what is staged instead of the work tree
    #[arg(long, conflicts_with = "at")]
    staged: bool,
    /// Judge a commit, also in a bare repository
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Judge every active change
    #[arg(long)]
    all: bool,
    /// Rewrite anchors of the deltas that have exactly one reading
    #[arg(long, conflicts_with_all = ["staged", "at"])]
    fix: bool,
    /// With --fix: print the rewrites, write nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
}

const COMMAND: &str = "change-lint";

impl Lint {
    pub(super) fn run(self, context: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        match self.judge(context) {
            Err(Error::Refused(Refused::NotInitialized)) => {
                uninitialised::tell(context, COMMAND, format, "not_initialized")
            }
            Err(error) => fail(context, COMMAND, format, &error),
            Ok(Judged { mut verdicts, prefix }) => {
                if self.all {
                    finish_findings(context, COMMAND, format, &prefix, &report::LintAll(verdicts))
                } else {
                    let verdict = verdicts.pop().expect("one change was judged");
                    finish_findings(context, COMMAND, format, &prefix, &report::Lint(verdict))
                }
            }
        }
    }

    fn judge(&self, context: &Context) -> Result<Judged, Error> {
        if let Some(revision) = &self.at {
            return self.judge_commit(context, revision);
        }
        let place = context.place()?;
        let work_tree = WorkTree::new(&place.root);
        if !self.staged {
            let judge = Judge {
                context,
                place,
                tree: &work_tree,
                session: &work_tree,
                start: None,
                checked_out: true,
            };
            if self.fix {
                let format = Format::of(self.format.as_deref());
                super::lint_fix::run(
                    context,
                    &judge,
                    format,
                    self.slug.as_deref(),
                    self.all,
                    self.dry_run,
                )?;
            }
            return judge.run(self);
        }
        let repository = context.repository()?.ok_or(crate::git::Error::NotARepository)?;
        let index = repository.index_tree(&place.prefix)?;
        let session: &dyn Tree = if index.exists(&layout::guard())? {
            &index
        } else {
            &work_tree
        };
        Judge {
            context,
            place,
            tree: &index,
            session,
            start: None,
            checked_out: false,
        }
        .run(self)
    }

    fn judge_commit(&self, context: &Context, revision: &str) -> Result<Judged, Error> {
        let repository = context.repository()?.ok_or(crate::git::Error::NotARepository)?;
        let commit = repository.commit_id(revision)?;
        let place = context.place_at(repository, commit)?;
        let tree = repository.commit_tree(commit, &place.prefix)?;
        let judge = Judge {
            context,
            place: &place,
            tree: &tree,
            session: &tree,
            start: Some(commit),
            checked_out: false,
        };
        judge.run(self)
    }
}

struct Judged {
    verdicts: Vec<Verdict>,
    prefix: RepoPath,
}

/// Where a judgement reads from.
pub(super) struct Judge<'a> {
    context: &'a Context,
    place: &'a Place,
    pub(super) tree: &'a dyn Tree,
    pub(super) session: &'a dyn Tree,
    /// The commit from which the base is looked for; none is HEAD.
    start: Option<ObjectId>,
    checked_out: bool,
}

impl Judge<'_> {
    fn run(&self, options: &Lint) -> Result<Judged, Error> {
        let prefix = self.place.prefix.clone();
        let repository = self.context.repository()?;
        if !options.all {
            let target = Target::load(self.tree, self.session, options.slug.as_deref())?;
            return Ok(Judged {
                verdicts: vec![self.verdict(&target, repository)?],
                prefix,
            });
        }
        if !project::is_initialised(self.tree)? {
            return Err(Refused::NotInitialized.into());
        }
        let folders = ChangeFolder::list(self.tree)?;
        let (tree, session, place) = (self.tree, self.session, self.place);
        let (start, checked_out) = (self.start, self.checked_out);
        let judge = |folder: ChangeFolder| {
            // As if it were named: a folder that leads out of the project is not read.
            let folder = gate::folder(tree, Some(folder.slug.as_str()))?;
            let target = Target::read(tree, session, folder)?;
            verdict(&target, repository, place, tree, start, checked_out)
        };
        let verdicts: Vec<Verdict> = folders.into_par_iter().map(judge).collect::<Result<_, _>>()?;
        Ok(Judged { verdicts, prefix })
    }

    fn verdict(&self, target: &Target, repository: Option<&Repository>) -> Result<Verdict, Error> {
        verdict(
            target,
            repository,
            self.place,
            self.tree,
            self.start,
            self.checked_out,
        )
    }
}

fn verdict(
    target: &Target,
    repository: Option<&Repository>,
    place: &Place,
    tree: &dyn Tree,
    start: Option<ObjectId>,
    checked_out: bool,
) -> Result<Verdict, Error> {
    let slug = target.change.folder.slug.as_str();
    let mut problem = None;
    let base = if target.change.counting().next().is_none() {
        BaseTree::none()
    } else {
        match BaseTree::find(repository, place, start, slug, None, checked_out) {
            Ok(base) => base,
            Err(BaseError::Unavailable(why)) => {
                problem = Some(why.to_string());
                BaseTree::none()
            }
            Err(BaseError::Git(e)) => return Err(e.into()),
        }
    };
    let next_decision = Registry::load(tree)?.decision_next;
    let plan = crate::merge::plan(&target.change, base.as_tree(), tree, &MergeFile, next_decision)?;
    Ok(lint::run(target, tree, &plan, problem)?)
}
