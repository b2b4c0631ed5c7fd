//! One open change: read where it lies, with its base, the ids that it brings, and what its merge alone comes to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bstr::ByteSlice;

use super::mark::Mark;
use super::open::Version;
use super::{Add, Error, Item, OpenChange, Target, Touched, Unreadable, Verdict};
use crate::change::base::{BaseError, BaseTree};
use crate::change::definitions::{Brought, brought_by, of_document};
use crate::change::delta::Operation;
use crate::change::{Change, ChangeFolder, Delta};
use crate::files::{MemoryTree, ReadError, RepoPath, Tree, WorkTree};
use crate::git::{MergeFile, Repository};
use crate::markdown::Document;
use crate::merge::{self, Conflict, MergePlan, Touch};
use crate::project::Registry;

/// The documents of a project that changes are merged into.
pub(super) struct Ground<'r> {
    pub(super) tree: Box<dyn Tree + 'r>,
    pub(super) next_decision: Option<u64>,
    is_known: bool,
}

impl<'r> Ground<'r> {
    pub(super) fn of_projects<'p>(
        repository: &'r Repository,
        target: Option<&Target>,
        projects: impl Iterator<Item = &'p RepoPath>,
    ) -> Result<BTreeMap<RepoPath, Self>, Error> {
        let mut out = BTreeMap::new();
        for project in projects {
            if out.contains_key(project) {
                continue;
            }
            let tree: Box<dyn Tree + 'r> = match target {
                Some(target) => Box::new(repository.commit_tree(target.commit, project)?),
                None => Box::new(MemoryTree::default()),
            };
            let ground = Self {
                next_decision: Registry::load(tree.as_ref())?.decision_next,
                is_known: target.is_some(),
                tree,
            };
            out.insert(project.clone(), ground);
        }
        Ok(out)
    }
}

/// An open change, with what comparing it with others needs.
pub(super) struct Subject<'r> {
    pub(super) shown: OpenChange,
    pub(super) touches: Vec<Touch>,
    /// None if it could not be read.
    pub(super) merge: Option<Merge<'r>>,
}

/// A change that can be merged, and what comes of it alone.
pub(super) struct Merge<'r> {
    pub(super) change: Change,
    pub(super) base: BaseTree<'r>,
    pub(super) plan: MergePlan,
    pub(super) marks: BTreeMap<RepoPath, Mark>,
}

impl Item {
    pub(super) fn of(conflict: &Conflict, project: &RepoPath) -> Self {
        Self {
            code: conflict.code.as_str(),
            document: Some(conflict.document.below(project)),
            anchor: conflict.anchor.clone(),
            item: conflict.item.clone(),
            why: None,
        }
    }

    pub(super) fn unreadable(why: Unreadable, project: &RepoPath) -> Self {
        Self {
            code: why.code(),
            document: why.path().map(|path| path.below(project)),
            anchor: None,
            item: Some(why.to_string()),
            why: Some(Arc::new(why)),
        }
    }
}

impl<'r> Subject<'r> {
    pub(super) fn read(
        repository: &'r Repository,
        version: &Version,
        variant: bool,
        ground: &Ground<'_>,
    ) -> Result<Self, Error> {
        let tree = tree_of(repository, version)?;
        let slug = version.slug.as_str();
        let id = if variant {
            format!("{slug}@{}", version.name().to_str_lossy())
        } else {
            slug.to_owned()
        };
        let shown = OpenChange {
            id,
            variant,
            commit: version.commits[0],
            worktree: version.work.as_ref().map(|work| work.path.clone()),
            base: None,
            adds: Vec::new(),
            touches: Vec::new(),
            verdict: Verdict::Unreadable,
            items: Vec::new(),
            is_asked_for: true,
            slug: version.slug.clone(),
            project: version.project.clone(),
            refs: version.refs.clone(),
        };
        let mut subject = Self {
            shown,
            touches: Vec::new(),
            merge: None,
        };
        if let Err(why) = subject.judge(repository, version, tree.as_ref(), ground) {
            let item = Item::unreadable(why, &version.project);
            subject.shown.items.push(item);
        }
        Ok(subject)
    }

    /// Fills in what can be known; an error is why the verdict is not.
    fn judge(
        &mut self,
        repository: &'r Repository,
        version: &Version,
        tree: &dyn Tree,
        ground: &Ground<'_>,
    ) -> Result<(), Unreadable> {
        let project = &version.project;
        let change = load(tree, version)?;
        for delta in change.counting() {
            let target = delta.target.as_ref().expect("a delta that counts has a target");
            let document = ground.tree.read(target)?.map(Document::scan);
            self.touches.extend(merge::touches(delta, document.as_ref()));
        }
        self.shown.touches = self
            .touches
            .iter()
            .map(|touch| Touched {
                document: touch.document.below(project),
                anchor: touch.anchor.clone(),
                operation: touch.operation,
            })
            .collect();
        let base = base_of(repository, version);
        let then = base.as_ref().ok().and_then(BaseTree::as_tree);
        for brought in brings(&change, then.unwrap_or(ground.tree.as_ref()))? {
            self.shown
                .adds
                .extend(brought.is_new.then(|| brought.as_add(project)));
        }
        let base = base?;
        self.shown.base = base.commit;
        if !ground.is_known {
            return Err(Unreadable::NoTarget);
        }
        let plan = merge::plan(
            &change,
            base.as_tree(),
            ground.tree.as_ref(),
            &MergeFile,
            ground.next_decision,
        )?;
        self.shown.items = plan
            .conflicts
            .iter()
            .map(|conflict| Item::of(conflict, project))
            .collect();
        self.shown.verdict = if plan.conflicts.is_empty() {
            Verdict::Clean
        } else {
            Verdict::Conflict
        };
        let marks = Mark::of_change(change.counting(), &self.touches, &plan);
        self.merge = Some(Merge {
            change,
            base,
            plan,
            marks,
        });
        Ok(())
    }
}

/// The files among which a version lies.
pub(super) fn tree_of<'r>(
    repository: &'r Repository,
    version: &Version,
) -> Result<Box<dyn Tree + 'r>, crate::git::Error> {
    Ok(match version.work.as_ref().filter(|_| version.refs.is_empty()) {
        Some(work) => Box::new(WorkTree::new(&version.project.on_disk(&work.path))),
        None => Box::new(repository.commit_tree(version.commits[0], &version.project)?),
    })
}

pub(super) fn load(tree: &dyn Tree, version: &Version) -> Result<Change, Unreadable> {
    let folder = ChangeFolder::find(tree, version.slug.as_str())?;
    let folder = folder.map_err(|_| Unreadable::Folder(version.slug.clone()))?;
    Ok(Change::load(tree, folder)?)
}

/// The base of a version. What is not committed yet would be added to its HEAD: the documents there are its base.
fn base_of<'r>(repository: &'r Repository, version: &Version) -> Result<BaseTree<'r>, BaseError> {
    let (project, commit) = (&version.project, version.commits[0]);
    let found = BaseTree::find(
        Some(repository),
        project,
        Some(commit),
        version.slug.as_str(),
        None,
        false,
    )?;
    if found.commit.is_some() || !version.refs.is_empty() {
        return Ok(found);
    }
    Ok(BaseTree {
        commit: Some(commit),
        tree: Some(Box::new(repository.commit_tree(commit, project)?)),
    })
}

/// An id that a block of a change defines.
#[derive(Clone, Debug)]
pub struct Brings<'c> {
    pub delta: &'c Delta,
    pub brought: Brought,
    /// No document that the change is about had it when it was created.
    pub is_new: bool,
}

impl Brings<'_> {
    fn as_add(&self, project: &RepoPath) -> Add {
        let target = self.delta.target.clone().unwrap_or_default();
        let sections = self.delta.sections().expect("its block was read");
        let spelling = &sections.blocks[self.brought.block].spelling;
        Add {
            id: self.brought.defined.id.id.clone(),
            document: target.below(project),
            anchor: (!spelling.is_empty()).then(|| spelling.clone()),
        }
    }
}

/// Every id that a change defines: what an ADDED block has is new, and what stands in a MODIFIED block and in none of
/// the documents as they were (git.md 7.2).
pub fn brings<'c>(change: &'c Change, then: &dyn Tree) -> Result<Vec<Brings<'c>>, ReadError> {
    let mut had = BTreeSet::new();
    for target in change.counting().filter_map(|delta| delta.target.as_ref()) {
        if let Some(bytes) = then.read(target)? {
            let defined = of_document(target, &Document::scan(bytes));
            had.extend(defined.into_iter().map(|defined| defined.id.id));
        }
    }
    let mut out = Vec::new();
    for delta in change.counting() {
        let Some(sections) = delta.sections() else {
            continue;
        };
        for brought in brought_by(delta, &[Operation::Added, Operation::Modified]) {
            let added = sections.blocks[brought.block].operation == Operation::Added;
            out.push(Brings {
                is_new: added || !had.contains(&brought.defined.id.id),
                delta,
                brought,
            });
        }
    }
    Ok(out)
}
