//! One step: the difference that a commit, or the index, makes against its parents, judged project by project.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::registries::Registries;
use super::rules::{
    GUARD_COMMITTED, MODULE_UNLAUNCHED, PROJECT_REMOVED, REGISTRY_UNREADABLE, SESSION_FILE_COMMITTED,
    STATE_MALFORMED,
};
use super::words::Message;
use super::{About, Error, Found, Policy, Report, archive, documents, markers, own};
use crate::change::{ChangeFolder, marks};
use crate::files::{MemoryTree, ObjectId, RepoPath, Resolved, Tree, regular_content};
use crate::git::{Repository, Version};
use crate::project::{Registry, layout};
use crate::state::malformed::Malformed;
use crate::state::planning::STATE;

/// A difference to judge.
pub(super) struct Step<'r> {
    pub(super) repository: &'r Repository,
    /// None for the index.
    pub(super) commit: Option<ObjectId>,
    pub(super) parents: Vec<ObjectId>,
    /// The prefix of the project.
    pub(super) project: &'r RepoPath,
    /// The project in the result.
    pub(super) result: &'r dyn Tree,
    /// What differs from each parent, or from nothing if there is none.
    pub(super) touched: Vec<Touched>,
}

/// What differs from one parent: the old and the new version of each path of the project.
pub(super) type Touched = BTreeMap<RepoPath, (Option<Version>, Option<Version>)>;

/// A step as its judges see it.
pub(super) struct View<'s, 'r> {
    pub(super) step: &'s Step<'r>,
    /// Of each parent, its project.
    pub(super) parents: Vec<Box<dyn Tree + 's>>,
    pub(super) registries: Vec<Arc<Registry>>,
    /// The changes that this step marks as merged.
    pub(super) merged: Vec<ChangeFolder>,
    own: BTreeSet<&'s RepoPath>,
}

/// Judges a step in one project.
pub(super) fn judge(step: &Step<'_>, policy: &Policy, known: &Registries) -> Result<Vec<Found>, Error> {
    let mut report = Report::new(policy, step.commit, step.project);
    let mut parents: Vec<Box<dyn Tree + '_>> = Vec::new();
    for parent in &step.parents {
        parents.push(Box::new(step.repository.commit_tree(*parent, step.project)?));
    }
    if parents.is_empty() {
        parents.push(Box::new(MemoryTree::default()));
    }
    let mut registries = Vec::new();
    for parent in &parents {
        registries.push(known.of(parent.as_ref())?);
    }
    let mut view = View {
        step,
        parents,
        registries,
        merged: Vec::new(),
        own: BTreeSet::new(),
    };
    view.own = own::paths(&view, policy)?;
    let before: Vec<&dyn Tree> = view.parents.iter().map(AsRef::as_ref).collect();
    view.merged = marks::newly_merged(view.paths(), step.result, &before)?;
    documents::judge(&view, policy, &mut report)?;
    archive::judge(&view, &mut report)?;
    markers::judge(&view, &mut report)?;
    view.judge_project(policy, known, &mut report)?;
    Ok(report.found)
}

impl<'s> View<'s, '_> {
    pub(super) fn result(&self) -> &'s dyn Tree {
        self.step.result
    }

    /// The paths that differ from any parent.
    pub(super) fn paths(&self) -> BTreeSet<&'s RepoPath> {
        self.step.touched.iter().flat_map(BTreeMap::keys).collect()
    }

    /// The paths that this step itself decides.
    pub(super) fn own_paths(&self) -> impl Iterator<Item = &'s RepoPath> {
        self.own.iter().copied()
    }

    /// Whether this step itself decides what stands at a path, or at where its links lead before or after.
    fn decides(&self, path: &RepoPath) -> Result<bool, Error> {
        if self.own.contains(path) {
            return Ok(true);
        }
        let trees = self.parents.iter().map(AsRef::as_ref);
        for tree in trees.chain([self.result()]) {
            if let Resolved::Inside { path: target, .. } = tree.resolve(path)?
                && self.own.contains(&target)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the result has at a path that differs from a parent.
    pub(super) fn new_version(&self, path: &RepoPath) -> Option<Version> {
        self.step
            .touched
            .iter()
            .find_map(|touched| touched.get(path))
            .and_then(|(_, new)| *new)
    }

    /// What a parent has at a path that differs from any of them.
    pub(super) fn old_version(&self, parent: usize, path: &RepoPath) -> Option<Version> {
        match self.step.touched[parent].get(path) {
            Some((old, _)) => *old,
            None => self.new_version(path),
        }
    }

    /// Whether a parent has something at a path.
    pub(super) fn was_there(&self, path: &RepoPath) -> Result<bool, Error> {
        for parent in &self.parents {
            if parent.entry(path)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Rules about the project itself.
    fn judge_project(
        &self,
        policy: &Policy,
        known: &Registries,
        report: &mut Report<'_>,
    ) -> Result<(), Error> {
        let registry_path = layout::registry();
        if self.decides(&registry_path)? {
            let result = known.of(self.result())?;
            if let Some(damage) = &result.diagnostics {
                let message = Message::RegistryUnreadable(damage.error.to_string());
                report.add(REGISTRY_UNREADABLE, &registry_path, message, About::default());
            } else {
                self.judge_launched(&result, policy, report)?;
            }
        }
        let config = layout::config();
        if self.has_launched() && !self.result().exists(&config)? && self.decides(&config)? {
            report.add(
                PROJECT_REMOVED,
                &config,
                Message::ProjectRemoved,
                About::default(),
            );
        }
        let runtime = RepoPath::of(layout::RUNTIME);
        for path in self.own_paths().filter(|path| self.new_version(path).is_some()) {
            if path.starts_with(&runtime) || path.as_bytes() == layout::CAPABILITIES.as_bytes() {
                report.add(
                    SESSION_FILE_COMMITTED,
                    path,
                    Message::SessionFile,
                    About::default(),
                );
            }
            if path.as_bytes() == STATE.as_bytes() {
                let content = regular_content(self.result(), path)?;
                for fault in content.map(|bytes| Malformed::all(&bytes)).unwrap_or_default() {
                    report.add(STATE_MALFORMED, path, Message::State(fault), About::default());
                }
            }
            if *path == layout::guard() {
                report.add(GUARD_COMMITTED, path, Message::Guard, About::default());
            }
        }
        Ok(())
    }

    /// Whether any parent has a launched module.
    pub(super) fn has_launched(&self) -> bool {
        self.registries
            .iter()
            .any(|registry| registry.registered().iter().any(|module| module.launched))
    }

    /// No document loses its protection but with its module's rename (git.md 2.2, `module_unlaunched`).
    fn judge_launched(
        &self,
        result: &Registry,
        policy: &Policy,
        report: &mut Report<'_>,
    ) -> Result<(), Error> {
        let mut gone: BTreeSet<String> = BTreeSet::new();
        for registry in &self.registries {
            for module in registry.registered().iter().filter(|module| module.launched) {
                if result.module(&module.id).is_some_and(|now| !now.launched) {
                    gone.insert(module.id.clone());
                }
            }
        }
        if let Some((old, new)) = documents::renamed_module(self, result)
            && self.registries[0].module(&old).is_some_and(|m| m.launched)
            && result.module(&new).is_some_and(|m| !m.launched)
        {
            gone.insert(new);
        }
        let registry_path = layout::registry();
        for path in policy.documents(self.result())? {
            for (parent, registry) in self.parents.iter().zip(&self.registries) {
                if !documents::is_launched(registry, &path) || parent.entry(&path)?.is_none() {
                    continue;
                }
                let before = documents::owner(registry, &path).map(|module| &module.id);
                if let Some(id) = before.filter(|id| result.module(id).is_none()) {
                    gone.insert(id.clone());
                } else if let Some(now) = documents::owner(result, &path).filter(|module| !module.launched)
                    && before != Some(&now.id)
                {
                    let message = Message::Claimed {
                        module: now.id.clone(),
                        document: path.text().into_owned(),
                    };
                    report.add(MODULE_UNLAUNCHED, &registry_path, message, About::default());
                }
            }
        }
        for module in gone {
            let message = Message::Unlaunched { module };
            report.add(MODULE_UNLAUNCHED, &registry_path, message, About::default());
        }
        Ok(())
    }
}
