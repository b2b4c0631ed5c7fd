//! What is judged in which order: the steps of a range and its result, the index, a whole tree (git.md part 2).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

use super::registries::Registries;
use super::result::{self, Scope};
use super::rules::REGISTRY_UNREADABLE;
use super::step::{self, Step, Touched};
use super::{Error, Found, Policy, sort};
use crate::files::{MemoryTree, ObjectId, RepoPath, Tree};
use crate::git::{Change, NameStatusOptions, RangeCommit, Renames, Repository, Version};
use crate::project::{SKIPPED_FOLDERS, Search, layout, search_depth};

/// Who asks, and about what.
pub struct Asked<'r> {
    pub repository: &'r Repository,
    /// The command's and git's; what a project says is added for each.
    pub policy: Policy,
    /// Only this project.
    pub project: Option<RepoPath>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Judgement {
    pub projects: Vec<RepoPath>,
    pub commits: usize,
    pub found: Vec<Found>,
    pub result_only: bool,
    /// Of the projects' own files: what of them is passed over.
    pub warnings: Vec<super::policy::Unknown>,
}

/// A range: its commits, parents first, and the two trees between which the result differs.
pub struct Range {
    pub commits: Vec<RangeCommit>,
    /// None is the empty tree.
    pub base: Option<ObjectId>,
    pub head: ObjectId,
    /// Whether a merge commit is taken as a step from its first parent.
    pub first_parent: bool,
    /// Whose project files have a say; none: nobody's.
    pub policy: Option<ObjectId>,
    /// Whether the result is judged, beside the steps.
    pub with_result: bool,
}

/// Differences of one commit against each of its parents.
struct Diffs<'c> {
    commit: &'c RangeCommit,
    parents: Vec<ObjectId>,
    changes: Vec<Vec<Change>>,
}

impl Asked<'_> {
    /// Judges the steps of a range, and its result.
    pub fn judge_range(&self, range: &Range) -> Result<Judgement, Error> {
        let repository = self.repository;
        let diffs = range
            .commits
            .par_iter()
            .map(|commit| self.diffs(commit, range.first_parent));
        let diffs: Vec<Diffs<'_>> = diffs.collect::<Result<_, _>>()?;
        let result = match range.with_result {
            true => self.changes(range.base, repository.tree_of(range.head)?)?,
            false => Vec::new(),
        };
        let known = diffs.iter().flat_map(|diffs| &diffs.changes).chain([&result]);
        let mut places = Places::new(self, &[range.base, Some(range.head)], known.flatten())?;
        places.require()?;
        let touched = places.split(&result)?;
        let mut steps: Vec<BTreeMap<RepoPath, Vec<Touched>>> = Vec::new();
        for diffs in &diffs {
            let mut by_project: BTreeMap<RepoPath, Vec<Touched>> = BTreeMap::new();
            for (at, changes) in diffs.changes.iter().enumerate() {
                for (project, touched) in places.split(changes)? {
                    let of_parents = by_project.entry(project).or_default();
                    of_parents.resize_with(diffs.changes.len(), Touched::default);
                    of_parents[at] = touched;
                }
            }
            steps.push(by_project);
        }
        let mut names: BTreeSet<&RepoPath> = steps.iter().flat_map(BTreeMap::keys).collect();
        names.extend(touched.keys());
        let mut judgement = Judgement {
            commits: range.commits.len(),
            ..Judgement::default()
        };
        let mut policies = BTreeMap::new();
        for project in names {
            let policy = self.policy_of(project, range.policy, &mut judgement)?;
            policies.insert(project.clone(), policy);
        }
        drop_undone(&mut steps, range, &policies);
        let registries = Registries::default();
        let judged = diffs.par_iter().zip(&steps).map(|(diffs, by_project)| {
            let mut found = Vec::new();
            for (project, touched) in by_project {
                let tree = repository.commit_tree(diffs.commit.id, project)?;
                let step = Step {
                    repository,
                    commit: Some(diffs.commit.id),
                    parents: diffs.parents.clone(),
                    project,
                    result: &tree,
                    touched: touched.clone(),
                };
                found.extend(step::judge(&step, &policies[project], &registries)?);
            }
            Ok::<_, Error>(found)
        });
        let found: Vec<Vec<Found>> = judged.collect::<Result<_, _>>()?;
        judgement.found = found.into_iter().flatten().collect();
        for (project, touched) in &touched {
            let tree = repository.commit_tree(range.head, project)?;
            let before = self.tree_before(range.base, project)?;
            let scope = Scope {
                repository,
                project,
                tree: &tree,
                before: before.as_ref(),
                commit: Some(range.head),
                touched: Some(touched),
            };
            judgement.add_result(result::judge(&scope, &policies[project])?);
        }
        let walked: Vec<ObjectId> = range.commits.iter().map(|commit| commit.id).collect();
        sort(&mut judgement.found, &walked);
        Ok(judgement)
    }

    /// Judges the index as the step from `parents` (of a merge there are several).
    pub fn judge_index(&self, parents: &[ObjectId]) -> Result<Judgement, Error> {
        let repository = self.repository;
        let changes = match parents {
            [] => vec![repository.staged(None)?],
            parents => {
                let staged = parents.iter().map(|parent| repository.staged(Some(*parent)));
                staged.collect::<Result<Vec<_>, _>>()?
            }
        };
        let head = parents.first().copied();
        let mut places = Places::new(self, &[head], changes.iter().flatten())?;
        places.require()?;
        let mut by_project: BTreeMap<RepoPath, Vec<Touched>> = BTreeMap::new();
        for (at, changed) in changes.iter().enumerate() {
            for (project, touched) in places.split(changed)? {
                let of_parents = by_project.entry(project).or_default();
                of_parents.resize_with(changes.len(), Touched::default);
                of_parents[at] = touched;
            }
        }
        let mut judgement = Judgement::default();
        let registries = Registries::default();
        for (project, touched) in &by_project {
            let policy = self.policy_of(project, head, &mut judgement)?;
            let tree = repository.index_tree(project)?;
            let step = Step {
                repository,
                commit: None,
                parents: parents.to_vec(),
                project,
                result: &tree,
                touched: touched.clone(),
            };
            judgement.found.extend(step::judge(&step, &policy, &registries)?);
            let before = self.tree_before(head, project)?;
            let scope = Scope {
                repository,
                project,
                tree: &tree,
                before: before.as_ref(),
                commit: head,
                touched: Some(&touched[0]),
            };
            judgement.add_result(result::judge(&scope, &policy)?);
        }
        sort(&mut judgement.found, &[]);
        Ok(judgement)
    }

    /// Judges a whole tree.
    pub fn judge_tree(&self, commit: ObjectId) -> Result<Judgement, Error> {
        let repository = self.repository;
        let projects = match &self.project {
            Some(project) => vec![project.clone()],
            None => Search::new(repository)?.find(&repository.commit_tree(commit, &RepoPath::root())?)?,
        };
        Places::new(self, &[Some(commit)], std::iter::empty())?.require()?;
        let mut judgement = Judgement::default();
        for project in &projects {
            let policy = self.policy_of(project, Some(commit), &mut judgement)?;
            let tree = repository.commit_tree(commit, project)?;
            let scope = Scope {
                repository,
                project,
                tree: &tree,
                before: &MemoryTree::default(),
                commit: Some(commit),
                touched: None,
            };
            judgement.add_result(result::judge(&scope, &policy)?);
        }
        sort(&mut judgement.found, &[]);
        Ok(judgement)
    }

    fn diffs<'c>(&self, commit: &'c RangeCommit, first_parent: bool) -> Result<Diffs<'c>, Error> {
        let mut parents = commit.parents.clone();
        if first_parent {
            parents.truncate(1);
        }
        let changes = match parents.as_slice() {
            [] => vec![self.changes(None, commit.tree)?],
            parents => {
                let of_parent = parents
                    .iter()
                    .map(|parent| self.changes(Some(*parent), commit.tree));
                of_parent.collect::<Result<_, _>>()?
            }
        };
        Ok(Diffs {
            commit,
            parents,
            changes,
        })
    }

    fn changes(&self, from: Option<ObjectId>, to: ObjectId) -> Result<Vec<Change>, Error> {
        let repository = self.repository;
        let from = match from {
            Some(commit) => repository.tree_of(commit)?,
            None => repository.empty_tree(),
        };
        Ok(repository.name_status(from, to, NameStatusOptions::new(Renames::Off))?)
    }

    fn tree_before(&self, commit: Option<ObjectId>, project: &RepoPath) -> Result<Box<dyn Tree + '_>, Error> {
        Ok(match commit {
            Some(commit) => Box::new(self.repository.commit_tree(commit, project)?),
            None => Box::new(MemoryTree::default()),
        })
    }

    /// The policy of a project, with what its own file says in the commit that is judged from.
    fn policy_of(
        &self,
        project: &RepoPath,
        base: Option<ObjectId>,
        judgement: &mut Judgement,
    ) -> Result<Policy, Error> {
        let mut policy = self.policy.clone();
        if let Some(base) = base {
            policy.add_project(&self.repository.commit_tree(base, project)?)?;
        }
        judgement.projects.push(project.clone());
        judgement.result_only |= policy.judges_result();
        judgement.warnings.append(&mut policy.warnings);
        Ok(policy)
    }
}

impl Judgement {
    /// Adds what the result has; what a step has told of the registry already is not told again.
    fn add_result(&mut self, found: Vec<Found>) {
        let told = |f: &Found| f.finding.code == REGISTRY_UNREADABLE;
        for one in found {
            if told(&one) {
                self.found
                    .retain(|other| !told(other) || other.finding.at.path != one.finding.at.path);
            }
            self.found.push(one);
        }
    }
}

/// Which project a path falls into: the innermost folder that is one before or after, or anywhere in between.
struct Places<'a> {
    only: Option<&'a RepoPath>,
    depth: usize,
    trees: Vec<Box<dyn Tree + 'a>>,
    known: HashMap<RepoPath, bool>,
}

impl<'a> Places<'a> {
    fn new<'c>(
        asked: &'a Asked<'_>,
        commits: &[Option<ObjectId>],
        changes: impl Iterator<Item = &'c Change>,
    ) -> Result<Self, Error> {
        let mut trees: Vec<Box<dyn Tree + 'a>> = vec![Box::new(MemoryTree::default())];
        for commit in commits.iter().flatten() {
            trees.push(Box::new(
                asked.repository.commit_tree(*commit, &RepoPath::root())?,
            ));
        }
        let mut known = HashMap::new();
        for change in changes {
            let Some(above) = change.path.strip_suffix(layout::CONFIG.as_bytes()) else {
                continue;
            };
            let above = above.strip_suffix(b"/").unwrap_or(above);
            known.extend(RepoPath::new(above).ok().map(|project| (project, true)));
        }
        Ok(Self {
            only: asked.project.as_ref(),
            depth: search_depth(asked.repository)?,
            trees,
            known,
        })
    }

    fn is_project(&mut self, folder: &RepoPath) -> Result<bool, Error> {
        if let Some(known) = self.known.get(folder) {
            return Ok(*known);
        }
        let config = folder.join(layout::CONFIG);
        let mut found = false;
        for tree in &self.trees {
            found = found || tree.entry(&config)?.is_some();
        }
        self.known.insert(folder.clone(), found);
        Ok(found)
    }

    /// The project that is asked for must be one.
    fn require(&mut self) -> Result<(), Error> {
        let Some(project) = self.only else {
            return Ok(());
        };
        if self.is_project(project)? {
            return Ok(());
        }
        Err(Error::NoProject(project.clone()))
    }

    fn project_of(&mut self, path: &RepoPath) -> Result<Option<RepoPath>, Error> {
        let mut above = RepoPath::root();
        let mut found = self.is_project(&above)?.then(RepoPath::root);
        let parts: Vec<_> = path.parts().collect();
        for part in parts.iter().take(parts.len() - 1).take(self.depth) {
            if SKIPPED_FOLDERS.iter().any(|skipped| *part == *skipped) {
                break;
            }
            above = above.join(part);
            if self.is_project(&above)? {
                found = Some(above.clone());
            }
        }
        Ok(found.filter(|project| self.only.is_none_or(|only| only == project)))
    }

    /// Changes by project, with paths from it. A hostile path is in none.
    fn split(&mut self, changes: &[Change]) -> Result<BTreeMap<RepoPath, Touched>, Error> {
        let mut out: BTreeMap<RepoPath, Touched> = BTreeMap::new();
        for change in changes {
            let Ok(path) = RepoPath::new(change.path.as_slice()) else {
                continue;
            };
            let Some(project) = self.project_of(&path)? else {
                continue;
            };
            if let Some(inner) = path.strip_prefix(&project) {
                out.entry(project)
                    .or_default()
                    .insert(inner, (change.old, change.new));
            }
        }
        Ok(out)
    }
}

/// A step on one path: its number, what was there and what is.
type Turn = (usize, Option<Version>, Option<Version>);

/// Where only the result counts, takes out runs of steps on one path that end with what they began with (git.md 2.1,
/// `spec.judge`): along the first parents, from the head backwards.
fn drop_undone(
    steps: &mut [BTreeMap<RepoPath, Vec<Touched>>],
    range: &Range,
    policies: &BTreeMap<RepoPath, Policy>,
) {
    let by_id: HashMap<ObjectId, usize> = range
        .commits
        .iter()
        .enumerate()
        .map(|(at, c)| (c.id, at))
        .collect();
    let mut line = Vec::new();
    let mut next = by_id.get(&range.head);
    while let Some(at) = next {
        line.push(*at);
        next = range.commits[*at]
            .parents
            .first()
            .and_then(|parent| by_id.get(parent));
    }
    line.reverse();
    for (project, _) in policies.iter().filter(|(_, policy)| policy.judges_result()) {
        let mut runs: BTreeMap<RepoPath, Vec<Turn>> = BTreeMap::new();
        for at in &line {
            let of_first = steps[*at].get(project).and_then(|of_parents| of_parents.first());
            for (path, (old, new)) in of_first.into_iter().flatten() {
                runs.entry(path.clone()).or_default().push((*at, *old, *new));
            }
        }
        for (path, run) in runs {
            let mut from = 0;
            while from < run.len() {
                let before = run[from].1;
                let back = (from..run.len()).rev().find(|to| run[*to].2 == before);
                let end = back.unwrap_or(from);
                if back.is_some() {
                    for (at, ..) in &run[from..=end] {
                        let of_parents = steps[*at].get_mut(project).into_iter().flatten();
                        of_parents.for_each(|touched| {
                            touched.remove(&path);
                        });
                    }
                }
                from = end + 1;
            }
        }
    }
}
