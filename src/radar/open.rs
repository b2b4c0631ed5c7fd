//! Which changes are open: the versions of each that the tips hold, without those that the default branch is done with
//! and those that another version comes after (git.md 7.1).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bstr::BString;

use super::tips::{Tip, Tips, Work};
use super::{Error, Target};
use crate::change::base::added_in;
use crate::change::{MERGED, SPEC_MERGED};
use crate::files::{Kind, ObjectId, ReadError, RepoPath, Tree, WorkTree};
use crate::git::{CommitFacts, Repository};
use crate::project::{Search, Slug, layout};

/// The folder of a change as one or more tips have it.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) project: RepoPath,
    pub(super) slug: Slug,
    /// The id of the folder.
    pub(super) id: ObjectId,
    /// The id of its proposal.
    proposal: ObjectId,
    pub(super) refs: Vec<BString>,
    /// The tips that hold it; of a version that is not committed the HEAD that it lies over.
    pub(super) commits: Vec<ObjectId>,
    /// The work tree that holds it without having committed it.
    pub(super) work: Option<Work>,
}

impl Version {
    /// What tells it from its variants: its first reference, else the HEAD that it lies over.
    pub(super) fn name(&self) -> BString {
        let over = || self.work.as_ref().map(|work| work.head.clone());
        let first = self.refs.first().cloned();
        first.or_else(over).unwrap_or_default()
    }
}

/// The ids of an open change's folder and of its proposal.
type Ids = (ObjectId, ObjectId);

/// Every open version on the tips, whatever the others are, by project, name and id.
pub(super) struct Versions<'r> {
    repository: &'r Repository,
    by_key: BTreeMap<(RepoPath, Slug, ObjectId), Version>,
}

impl<'r> Versions<'r> {
    /// Reads them. Nothing of a tip is read below a `logos/changes` that was read for another.
    pub(super) fn read(
        repository: &'r Repository,
        only: Option<&RepoPath>,
        tips: &Tips,
    ) -> Result<Self, Error> {
        let mut versions = Self {
            repository,
            by_key: BTreeMap::new(),
        };
        let mut search = Search::new(repository)?;
        let mut listed: HashMap<(RepoPath, ObjectId), Vec<(Slug, Ids)>> = HashMap::new();
        let mut projects = BTreeSet::new();
        let mut is_known = false;
        for tip in &tips.tips {
            let fail = |source| Error::Tip {
                name: tip.names[0].clone(),
                source,
            };
            let top = repository.commit_tree(tip.commit, &RepoPath::root())?;
            let found = match only {
                Some(project) => vec![project.clone()],
                None => search.find(&top).map_err(fail)?,
            };
            for project in found {
                is_known = is_known || top.entry(&project.join(layout::CONFIG)).map_err(fail)?.is_some();
                let changes = layout::changes().below(&project);
                let entry = top.entry(&changes).map_err(fail)?;
                let id = entry
                    .filter(|entry| entry.kind == Kind::Dir)
                    .and_then(|entry| entry.id);
                if let Some(id) = id {
                    let key = (project.clone(), id);
                    if !listed.contains_key(&key) {
                        let open = open_below(&top, &changes).map_err(fail)?;
                        listed.insert(key.clone(), open);
                    }
                    for (slug, ids) in &listed[&key] {
                        versions.add_committed(&project, slug, *ids, tip);
                    }
                }
                projects.insert(project);
            }
        }
        for work in &tips.works {
            versions.read_work(work, &projects)?;
        }
        match only {
            Some(project) if !is_known => Err(Error::NoProject(project.clone())),
            _ => Ok(versions),
        }
    }

    fn add_committed(&mut self, project: &RepoPath, slug: &Slug, (id, proposal): Ids, tip: &Tip) {
        let key = (project.clone(), slug.clone(), id);
        let version = self
            .by_key
            .entry(key)
            .or_insert_with_key(|(project, slug, _)| Version {
                project: project.clone(),
                slug: slug.clone(),
                id,
                proposal,
                refs: Vec::new(),
                commits: Vec::new(),
                work: None,
            });
        version.refs.extend(tip.names.iter().cloned());
        version.commits.push(tip.commit);
    }

    /// What a work tree holds otherwise than its HEAD.
    fn read_work(&mut self, work: &Work, projects: &BTreeSet<RepoPath>) -> Result<(), Error> {
        let repository = self.repository;
        let roots: Vec<RepoPath> = projects
            .iter()
            .map(|project| layout::changes().below(project))
            .collect();
        if roots.is_empty() {
            return Ok(());
        }
        let differing = if work.is_own {
            repository.differing(&roots)?
        } else {
            repository.differing_there(&work.path, &roots)?
        };
        let mut touched: BTreeSet<(&RepoPath, Slug)> = BTreeSet::new();
        for path in &differing {
            for (project, root) in projects.iter().zip(&roots) {
                touched.extend(change_of(path, root).map(|slug| (project, slug)));
            }
        }
        for (project, slug) in touched {
            let fail = |source| Error::Tip {
                name: work.head.clone(),
                source,
            };
            let tree = WorkTree::new(&project.on_disk(&work.path));
            let folder = layout::change(&slug);
            if !is_open(&tree, &folder).map_err(fail)? {
                continue;
            }
            let proposal = repository
                .file_id(&tree, &folder.join("proposal.md"))
                .map_err(fail)?;
            let id = repository.folder_id(&tree, &folder).map_err(fail)?;
            let (Some(id), Some(proposal)) = (id, proposal) else {
                continue;
            };
            let key = (project.clone(), slug.clone(), id);
            let version = self.by_key.entry(key).or_insert_with(|| Version {
                project: project.clone(),
                slug,
                id,
                proposal,
                refs: Vec::new(),
                commits: vec![work.commit],
                work: None,
            });
            version.work.get_or_insert_with(|| work.clone());
        }
        Ok(())
    }

    /// Those that the default branch is not done with, by project and name.
    pub(super) fn undone(self, target: Option<&Target>) -> Result<Vec<Version>, Error> {
        let repository = self.repository;
        let Some(target) = target else {
            return Ok(self.by_key.into_values().collect());
        };
        let mut done: HashMap<RepoPath, Done<'_>> = HashMap::new();
        let mut out = Vec::new();
        for version in self.by_key.into_values() {
            if !done.contains_key(&version.project) {
                let of_project = Done::read(repository, target, &version.project)?;
                done.insert(version.project.clone(), of_project);
            }
            if !done[&version.project].holds(&version)? {
                out.push(version);
            }
        }
        Ok(out)
    }
}

/// The change that a path below `logos/changes` lies in.
fn change_of(path: &RepoPath, changes: &RepoPath) -> Option<Slug> {
    let rest = path.strip_prefix(changes)?;
    let mut parts = rest.parts();
    let slug = slug_of(parts.next()?)?;
    parts.next().map(|_| slug)
}

fn slug_of(name: &[u8]) -> Option<Slug> {
    let name = std::str::from_utf8(name).ok();
    name.filter(|name| *name != layout::ARCHIVE_NAME)
        .and_then(Slug::lexical)
}

/// Whether a folder is one of an open change: it has a proposal, and no mark of a merge.
fn is_open(tree: &dyn Tree, folder: &RepoPath) -> Result<bool, ReadError> {
    Ok(tree.is_file(&folder.join("proposal.md"))?
        && !tree.exists(&folder.join(SPEC_MERGED))?
        && !tree.exists(&folder.join(MERGED))?)
}

fn open_below(tree: &dyn Tree, changes: &RepoPath) -> Result<Vec<(Slug, Ids)>, ReadError> {
    let mut out = Vec::new();
    for (name, entry) in tree.list(changes)? {
        let (Kind::Dir, Some(id), Some(slug)) = (entry.kind, entry.id, slug_of(&name)) else {
            continue;
        };
        let folder = changes.join(&name);
        if !is_open(tree, &folder)? {
            continue;
        }
        let proposal = tree.entry(&folder.join("proposal.md"))?;
        out.extend(
            proposal
                .and_then(|entry| entry.id)
                .map(|proposal| (slug, (id, proposal))),
        );
    }
    Ok(out)
}

/// What the default branch has archived or marked as merged in a project.
struct Done<'r> {
    repository: &'r Repository,
    target: ObjectId,
    project: RepoPath,
    tree: Box<dyn Tree + 'r>,
    /// Archived folders by the name of the change.
    archived: HashMap<Vec<u8>, Vec<RepoPath>>,
}

impl<'r> Done<'r> {
    fn read(repository: &'r Repository, target: &Target, project: &RepoPath) -> Result<Self, Error> {
        let tree = repository.commit_tree(target.commit, project)?;
        let mut archived: HashMap<Vec<u8>, Vec<RepoPath>> = HashMap::new();
        let archive = layout::archive();
        let fail = |source| Error::Tip {
            name: target.reference.clone(),
            source,
        };
        let is_folder = |entry: crate::files::Entry| entry.kind == Kind::Dir;
        if tree.entry(&archive).map_err(fail)?.is_some_and(is_folder) {
            for (name, _) in tree.list(&archive).map_err(fail)? {
                if let Some(slug) = Slug::of_archived(&name) {
                    archived
                        .entry(slug.to_vec())
                        .or_default()
                        .push(archive.join(&name));
                }
            }
        }
        Ok(Self {
            repository,
            target: target.commit,
            project: project.clone(),
            tree: Box::new(tree),
            archived,
        })
    }

    /// Whether a version is of a change that is done: the proposal is the same, or was added by the same commit. Another
    /// change may have had its name.
    fn holds(&self, version: &Version) -> Result<bool, Error> {
        let live = layout::change(&version.slug);
        let is_merged = self.tree.exists(&live.join(SPEC_MERGED))? || self.tree.exists(&live.join(MERGED))?;
        let archived = self.archived.get(version.slug.as_str().as_bytes());
        let archived = archived.into_iter().flatten();
        let folders: Vec<&RepoPath> = is_merged.then_some(&live).into_iter().chain(archived).collect();
        for folder in &folders {
            let proposal = self.tree.entry(&folder.join("proposal.md"))?;
            if proposal.is_some_and(|entry| entry.id == Some(version.proposal)) {
                return Ok(true);
            }
        }
        let (repository, slug) = (self.repository, version.slug.as_str());
        if folders.is_empty() {
            return Ok(false);
        }
        let Some(added) = added_in(repository, &self.project, version.commits[0], slug)? else {
            return Ok(false);
        };
        for folder in folders {
            let ends = if *folder == live {
                vec![self.target]
            } else {
                self.before_archived(folder)?
            };
            for end in ends {
                if added_in(repository, &self.project, end, slug)? == Some(added) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The parents of the commits that brought a folder into the archive.
    fn before_archived(&self, folder: &RepoPath) -> Result<Vec<ObjectId>, Error> {
        let folder = folder.below(&self.project);
        let mut brought = Vec::new();
        self.repository
            .walk_holding(self.target, &folder, &mut |commit: &CommitFacts<'_>| {
                if !commit.is_shallow_boundary() && !commit.a_parent_holds(&folder)? {
                    brought.push(commit.id());
                }
                Ok(true)
            })?;
        let mut out = Vec::new();
        for commit in brought {
            out.extend(self.repository.parents(commit)?);
        }
        Ok(out)
    }
}

/// Of the versions of one change those after which no other comes; several are variants of each other.
pub(super) fn newest(repository: &Repository, versions: Vec<Version>) -> Result<Vec<Version>, Error> {
    if versions.len() < 2 {
        return Ok(versions);
    }
    let mut before: Vec<HashSet<ObjectId>> = Vec::new();
    for version in &versions {
        before.push(earlier(repository, version)?);
    }
    let mut superseded = vec![false; versions.len()];
    for (at, old) in versions.iter().enumerate() {
        for (other, new) in versions.iter().enumerate().filter(|(other, _)| *other != at) {
            let follows = before[other].contains(&old.id);
            let precedes = before[at].contains(&new.id);
            superseded[at] |= match (follows, precedes) {
                // Changed and changed back: the commits tell.
                (true, true) => lies_before(repository, old, new)?,
                (follows, _) => follows,
            };
        }
    }
    if superseded.iter().all(|superseded| *superseded) {
        return Ok(versions);
    }
    let kept = versions.into_iter().zip(superseded);
    Ok(kept
        .filter(|(_, superseded)| !superseded)
        .map(|(version, _)| version)
        .collect())
}

/// The ids that the folder had before, as far back as it was there.
fn earlier(repository: &Repository, version: &Version) -> Result<HashSet<ObjectId>, Error> {
    let folder = layout::change(&version.slug).below(&version.project);
    let mut ids = HashSet::new();
    repository.walk_holding_from(&version.commits, &folder, &mut |commit: &CommitFacts<'_>| {
        ids.extend(commit.id_at(&folder)?);
        Ok(true)
    })?;
    ids.remove(&version.id);
    Ok(ids)
}

/// Whether a tip of one version comes after all tips of another.
fn lies_before(repository: &Repository, old: &Version, new: &Version) -> Result<bool, Error> {
    for tip in &new.commits {
        let mut after_all = true;
        for before in &old.commits {
            after_all = after_all && before != tip && repository.is_ancestor(*before, *tip)?;
        }
        if after_all {
            return Ok(true);
        }
    }
    Ok(false)
}
