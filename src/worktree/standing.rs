//! Which work trees of changes there are, and where each stands (git.md 5.3 and 5.5).

use std::path::{Path, PathBuf};

use super::{Error, Layout};
use crate::files::{ObjectId, RepoPath};
use crate::git::{self, Condition, Folder, Merged, Operation, Registered, Repository, Subject};

/// What there is of a change's work tree. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Ok,
    /// Registered, but its folder is gone.
    Missing,
    /// Its folder does not lead to the registration.
    Broken,
    /// There is a branch, and no work tree.
    BranchOnly,
}

impl State {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Missing => "missing",
            Self::Broken => "broken",
            Self::BranchOnly => "branch_only",
        }
    }
}

/// The work tree of a change, or its branch alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub change: String,
    pub project: String,
    /// The branch it is on, or that stands alone; none if HEAD is detached.
    pub branch: Option<String>,
    /// The branch that is the change's own, whatever HEAD is on.
    pub own_branch: String,
    pub head: Option<ObjectId>,
    pub base_branch: Option<String>,
    pub base: Option<ObjectId>,
    /// The base is written down, not derived from where the branch is now.
    pub has_recorded_base: bool,
    pub created_at: Option<String>,
    pub state: State,
    /// None for a branch alone.
    pub registered: Option<Registered>,
    /// Paths at its top that never count as work.
    pub uncounted: Vec<RepoPath>,
}

/// What is in a work tree and on its branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// None unless its state is ok.
    pub condition: Option<Condition>,
    pub operation: Option<Operation>,
    /// Against the base branch.
    pub ahead_behind: Option<(u64, u64)>,
    pub merged: Option<Merged>,
}

/// All work trees of changes, and changes with a branch alone; by change, then path. `project` is what those are taken
/// to be of that nobody has recorded.
pub fn survey(repository: &Repository, layout: &Layout, project: &str) -> Result<Vec<Standing>, Error> {
    let registered = repository.worktrees()?;
    let default = default_branch(repository, &registered)?;
    let mut out = Vec::new();
    for tree in registered.iter().skip(1) {
        let Some(known) = layout.known(repository, &registered[0].path, tree)? else {
            continue;
        };
        let state = match tree.folder() {
            Folder::Sound => State::Ok,
            Folder::Missing => State::Missing,
            Folder::Broken => State::Broken,
        };
        let mut standing = Standing {
            own_branch: known.branch,
            change: known.change,
            project: known.project.unwrap_or_else(|| project.to_owned()),
            branch: tree.branch.clone(),
            head: tree.head,
            base_branch: None,
            base: None,
            has_recorded_base: false,
            created_at: None,
            state,
            registered: Some(tree.clone()),
            uncounted: layout.uncounted_in(tree),
        };
        if known
            .written
            .as_ref()
            .is_none_or(|written| written.base.is_none())
        {
            derive_base(repository, &mut standing, default.as_deref())?;
        }
        if let Some(written) = known.written {
            standing.has_recorded_base = written.base.is_some();
            standing.base = written.base.or(standing.base);
            standing.base_branch = written.base_branch;
            standing.created_at = written.created_at;
        }
        out.push(standing);
    }
    let checked_out = |branch: &str| {
        let is_on = |tree: &Registered| tree.branch.as_deref() == Some(branch);
        registered.iter().any(is_on) || out.iter().any(|standing| standing.own_branch == branch)
    };
    let alone: Vec<_> = repository
        .branches(&layout.branch_prefix)?
        .into_iter()
        .filter(|(branch, _)| !checked_out(branch))
        .collect();
    for (branch, tip) in alone {
        let Some(change) = layout.change_of(&branch) else {
            continue;
        };
        let mut standing = Standing {
            change: change.to_owned(),
            project: project.to_owned(),
            own_branch: branch.clone(),
            branch: Some(branch),
            head: Some(tip),
            base_branch: None,
            base: None,
            has_recorded_base: false,
            created_at: None,
            state: State::BranchOnly,
            registered: None,
            uncounted: Vec::new(),
        };
        derive_base(repository, &mut standing, default.as_deref())?;
        out.push(standing);
    }
    out.sort_by(|a, b| (&a.change, a.path()).cmp(&(&b.change, b.path())));
    Ok(out)
}

/// The default branch; where nobody says which it is, that of the main work tree.
fn default_branch(repository: &Repository, registered: &[Registered]) -> Result<Option<String>, git::Error> {
    let known = repository.default_branch()?.map(|name| name.to_string());
    Ok(known.or_else(|| registered.first().and_then(|main| main.branch.clone())))
}

fn derive_base(
    repository: &Repository,
    standing: &mut Standing,
    default: Option<&str>,
) -> Result<(), git::Error> {
    let Some(default) = default else { return Ok(()) };
    let tips = repository.tips_named(default)?;
    standing.base_branch = Some(default.to_owned());
    if let (Some(head), Some(tip)) = (standing.head, tips.first()) {
        // Without common history that is known here there is no base.
        standing.base = repository.merge_bases(head, *tip).ok().map(|bases| bases[0]);
    }
    Ok(())
}

/// The one work tree or branch of a change in a project.
pub fn find(all: &[Standing], change: &str, project: &str) -> Result<Standing, Error> {
    let mut of_change = all.iter().filter(|standing| standing.change == change);
    let of_project = |standing: &&Standing| standing.project == project;
    let mut found = of_change.clone().filter(of_project);
    match (found.next(), found.next(), of_change.next()) {
        (Some(one), None, _) => Ok(one.clone()),
        (Some(one), Some(other), _) => Err(Error::Ambiguous {
            change: change.to_owned(),
            paths: [one, other]
                .iter()
                .filter_map(|s| s.path().map(Path::to_owned))
                .collect(),
        }),
        (None, _, Some(other)) => Err(Error::OtherProject {
            change: change.to_owned(),
            project: other.project.clone(),
        }),
        (None, _, None) => Err(Error::NotFound {
            change: change.to_owned(),
            known: all.iter().map(|standing| standing.change.clone()).collect(),
        }),
    }
}

/// A history that is not all here (shallow, partial; git.md 1.6) cannot tell whether a branch has come in. It then counts
/// as not merged, so that nothing is taken away for that.
fn unless_unknown(error: git::Error) -> Result<(), git::Error> {
    if matches!(error, git::Error::Spawn(_)) {
        return Err(error);
    }
    Ok(())
}

impl Standing {
    pub fn path(&self) -> Option<&Path> {
        self.registered.as_ref().map(|tree| tree.path.as_path())
    }

    pub fn locked(&self) -> Option<&str> {
        self.registered.as_ref()?.locked.as_deref()
    }

    /// Its folder; an error where it cannot be worked in.
    pub fn folder(&self) -> Result<&Path, Error> {
        match (self.state, self.path()) {
            (State::Ok, Some(path)) => Ok(path),
            (state, path) => Err(Error::NoFolder {
                change: self.change.clone(),
                state,
                path: path.map(Path::to_owned),
            }),
        }
    }

    /// The administrative folder.
    pub fn admin(&self) -> Option<&PathBuf> {
        self.registered.as_ref()?.admin.as_ref()
    }

    /// The tip of the change's own branch, and HEAD where it is detached or on another branch.
    pub fn tips(&self, repository: &Repository) -> Result<Vec<ObjectId>, git::Error> {
        let mut tips: Vec<ObjectId> = repository.branch_tip(&self.own_branch)?.into_iter().collect();
        tips.extend(self.head.filter(|head| !tips.contains(head)));
        Ok(tips)
    }

    /// What the change is to come into: its base branch, here and at the remote; where there is none, or it is gone, the
    /// default branch. Its own branch is neither.
    pub fn targets(&self, repository: &Repository) -> Result<Vec<ObjectId>, git::Error> {
        let is_other = |branch: &String| *branch != self.own_branch;
        if self.base_branch.as_ref().is_some_and(is_other) {
            let tips = self.base_tips(repository)?;
            if !tips.is_empty() {
                return Ok(tips);
            }
        }
        match default_branch(repository, &repository.worktrees()?)?.filter(is_other) {
            Some(branch) => repository.tips_named(&branch),
            None => Ok(Vec::new()),
        }
    }

    /// The tips of its base branch, here and at the remote.
    fn base_tips(&self, repository: &Repository) -> Result<Vec<ObjectId>, git::Error> {
        match &self.base_branch {
            Some(branch) => repository.tips_named(branch),
            None => Ok(Vec::new()),
        }
    }

    /// How a tip has come into one of the targets (git.md 5.5). One on which nothing was done is nowhere but in its base:
    /// that counts as long as something else than its own branch holds the base.
    pub fn merged(
        &self,
        repository: &Repository,
        tip: ObjectId,
        targets: &[ObjectId],
    ) -> Result<Option<Merged>, git::Error> {
        if self.base == Some(tip) && self.is_held_elsewhere(repository, tip)? {
            return Ok(Some(Merged::Ancestor));
        }
        for target in targets {
            let merged = repository.merged(tip, *target).and_then(|merged| match merged {
                Some(merged) => Ok(Some(merged)),
                None => self.merged_as_counted(repository, tip, *target),
            });
            match merged {
                Ok(Some(merged)) => return Ok(Some(merged)),
                Ok(None) => {}
                Err(error) => unless_unknown(error)?,
            }
        }
        Ok(None)
    }

    /// Whether another branch, a tag or a remote-tracking branch has a commit too.
    fn is_held_elsewhere(&self, repository: &Repository, tip: ObjectId) -> Result<bool, git::Error> {
        let alone = repository.commits_of_no_other_ref(&[tip], Some(&self.own_branch))?;
        Ok(alone.is_empty())
    }

    /// As it would be if nobody had committed what never counts.
    fn merged_as_counted(
        &self,
        repository: &Repository,
        tip: ObjectId,
        target: ObjectId,
    ) -> Result<Option<Merged>, git::Error> {
        let (Some(path), State::Ok, false) = (self.path(), self.state, self.uncounted.is_empty()) else {
            return Ok(None);
        };
        let has_all = repository.has_all_but(path, tip, target, &self.uncounted)?;
        Ok(has_all.then_some(Merged::Content))
    }

    /// What is in it and on its branch. Nothing is written.
    pub fn work(&self, repository: &Repository) -> Result<Work, git::Error> {
        let targets = self.targets(repository)?;
        let mut work = Work::default();
        if let (State::Ok, Some(path)) = (self.state, self.path()) {
            work.condition = Some(git::condition(path)?.without(&self.uncounted));
        }
        work.operation = self.admin().and_then(|admin| Operation::of(admin));
        if let Some(head) = self.head {
            if let Some(target) = self.base_tips(repository)?.first() {
                match repository.ahead_behind(head, *target) {
                    Ok(counts) => work.ahead_behind = Some(counts),
                    Err(error) => unless_unknown(error)?,
                }
            }
            work.merged = self.merged(repository, head, &targets)?;
        }
        Ok(work)
    }

    /// The commits that the targets lack, the newest first; none where the branch is merged.
    pub fn unmerged_commits(
        &self,
        repository: &Repository,
        merged: Option<Merged>,
    ) -> Result<Vec<Subject>, git::Error> {
        match self.head {
            Some(head) if merged.is_none() => repository.commits_beyond(head, &self.targets(repository)?),
            Some(_) | None => Ok(Vec::new()),
        }
    }
}
