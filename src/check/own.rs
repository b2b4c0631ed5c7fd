//! What a step itself decides: of a commit with one parent all that differs; of a merge what the three-way rule does not
//! give (git.md 2.3). So a merge that takes one side's old version of what the other has changed since does not hide.

use std::collections::{BTreeMap, BTreeSet};

use super::step::View;
use super::{Error, Policy};
use crate::files::{ObjectId, RepoPath, Tree};
use crate::git::CommitTree;

/// Folders of which the rules about more than documents speak.
const JUDGED: [&str; 2] = ["logos", ".planning"];

pub(super) fn paths<'s>(view: &View<'s, '_>, policy: &Policy) -> Result<BTreeSet<&'s RepoPath>, Error> {
    let touched = &view.step.touched;
    let mut bases = Bases {
        view,
        known: BTreeMap::new(),
    };
    let mut own = BTreeSet::new();
    for path in view.paths() {
        let (differ, equal): (Vec<usize>, Vec<usize>) =
            (0..touched.len()).partition(|at| touched[*at].contains_key(path));
        let is_judged = || {
            JUDGED
                .iter()
                .any(|folder| path.starts_with(&RepoPath::of(folder)))
        };
        if equal.is_empty()
            || ((is_judged() || policy.is_document(path)) && !bases.give(path, &differ, &equal)?)
        {
            own.insert(path);
        }
    }
    Ok(own)
}

/// The merge bases of pairs of parents.
struct Bases<'v, 's, 'r> {
    view: &'v View<'s, 'r>,
    known: BTreeMap<(usize, usize), Vec<CommitTree<'s>>>,
}

impl<'s> Bases<'_, 's, '_> {
    /// Whether one of the parents that the result equals at a path has changed it alone.
    fn give(&mut self, path: &RepoPath, differ: &[usize], equal: &[usize]) -> Result<bool, Error> {
        for kept in equal {
            let mut alone = true;
            for other in differ {
                let left = self.view.old_version(*other, path).map(|version| version.id);
                alone = alone && self.is_base(path, left, (*kept, *other))?;
            }
            if alone {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a version was that of a common ancestor.
    fn is_base(
        &mut self,
        path: &RepoPath,
        version: Option<ObjectId>,
        (one, other): (usize, usize),
    ) -> Result<bool, Error> {
        let pair = (one.min(other), one.max(other));
        if !self.known.contains_key(&pair) {
            self.known.insert(pair, self.find(pair)?);
        }
        let trees = &self.known[&pair];
        for tree in trees {
            if tree.entry(path)?.and_then(|entry| entry.id) == version {
                return Ok(true);
            }
        }
        Ok(trees.is_empty() && version.is_none())
    }

    fn find(&self, (one, other): (usize, usize)) -> Result<Vec<CommitTree<'s>>, Error> {
        let step = self.view.step;
        let bases = step
            .repository
            .shared_bases(step.parents[one], step.parents[other])?;
        let tree = |base| step.repository.commit_tree(base, step.project);
        Ok(bases.into_iter().map(tree).collect::<Result<_, _>>()?)
    }
}
