//! One step: the difference that a commit, or the index, makes against its parents, judged project by project.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::registries::Registries;
use super::rules::{
    GUARD_COMMITTED, MODULE_UNLAUNCHED, PROJECT_REMOVED, REGISTRY_UNREADABLE, SESSION_FILE_COMMITTED,
};
use super::words::Message;
use super::{About, Error, Found, Policy, Report, archive, documents, markers};
use crate::change::ChangeFolder;
use crate::files::{MemoryTree, ObjectId, RepoPath, Tree, walk};
use crate::git::{Repository, Version};
use crate::project::{Module, Registry, Slug, layout};

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
    };
    view.merged = view.newly_merged()?;
    documents::judge(&view, policy, &mut report)?;
    archive::judge(&view, &mut report)?;
    markers::judge(&view, &mut report)?;
    view.judge_project(&mut report, known)?;
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

    /// The paths that differ from every parent: what this step itself brings.
    pub(super) fn own_paths(&self) -> impl Iterator<Item = &'s RepoPath> {
        let (first, rest) = self
            .step
            .touched
            .split_first()
            .expect("there is one for each parent");
        let own = move |path: &&RepoPath| rest.iter().all(|touched| touched.contains_key(*path));
        first.keys().filter(own)
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

    /// Whether a change of this name is marked as merged in a tree, open or archived.
    fn is_marked(tree: &dyn Tree, slug: &str) -> Result<bool, Error> {
        if markers::is_marked(tree, &layout::changes().join(slug))? {
            return Ok(true);
        }
        for (name, _) in tree.list(&layout::archive())? {
            let is_own = Slug::of_archived(&name) == Some(slug.as_bytes());
            if is_own && markers::is_marked(tree, &layout::archive().join(&name))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The changes that have a marker in the result and in no parent (git.md 2.3).
    fn newly_merged(&self) -> Result<Vec<ChangeFolder>, Error> {
        let mut found: BTreeMap<Slug, ChangeFolder> = BTreeMap::new();
        for path in self.paths() {
            let Some((slug, folder)) = markers::marked_folder(path) else {
                continue;
            };
            let slug = std::str::from_utf8(slug).ok().and_then(Slug::lexical);
            let Some(slug) = slug.filter(|slug| !found.contains_key(slug)) else {
                continue;
            };
            let mut known = !markers::is_marked(self.result(), &folder)?;
            for parent in &self.parents {
                known = known || Self::is_marked(parent.as_ref(), slug.as_str())?;
            }
            if !known {
                found.insert(slug.clone(), ChangeFolder { slug, path: folder });
            }
        }
        let mut timed = Vec::new();
        for (slug, change) in found {
            let claims = markers::claims(self.result(), &change.path)?;
            timed.push((claims.completed_at, slug, change));
        }
        timed.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        Ok(timed.into_iter().map(|(_, _, change)| change).collect())
    }

    /// Rules about the project itself.
    fn judge_project(&self, report: &mut Report<'_>, known: &Registries) -> Result<(), Error> {
        let own: BTreeSet<&RepoPath> = self.own_paths().collect();
        let registry_path = layout::registry();
        if own.contains(&registry_path) {
            let result = known.of(self.result())?;
            if let Some(damage) = &result.diagnostics {
                let message = Message::RegistryUnreadable(damage.error.to_string());
                report.add(REGISTRY_UNREADABLE, &registry_path, message, About::default());
            } else {
                self.judge_launched(&result, report)?;
            }
        }
        let config = layout::config();
        if self.has_launched() && own.contains(&config) && !self.result().exists(&config)? {
            report.add(
                PROJECT_REMOVED,
                &config,
                Message::ProjectRemoved,
                About::default(),
            );
        }
        let runtime = RepoPath::of(layout::RUNTIME);
        for path in own.into_iter().filter(|path| self.new_version(path).is_some()) {
            if path.starts_with(&runtime) || path.as_bytes() == layout::CAPABILITIES.as_bytes() {
                report.add(
                    SESSION_FILE_COMMITTED,
                    path,
                    Message::SessionFile,
                    About::default(),
                );
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

    fn judge_launched(&self, result: &Registry, report: &mut Report<'_>) -> Result<(), Error> {
        let everywhere = |module: &&Module| {
            let launched = |registry: &Arc<Registry>| registry.module(&module.id).is_some_and(|m| m.launched);
            self.registries.iter().all(launched)
        };
        let renamed = documents::renamed_module(self, result);
        for module in self.registries[0].registered().iter().filter(everywhere) {
            if renamed.as_ref().is_some_and(|(old, _)| *old == module.id) {
                continue;
            }
            let gone = match result.module(&module.id) {
                Some(now) => !now.launched,
                None => has_documents(self.result(), &module.id)?,
            };
            if gone {
                let module = module.id.clone();
                let path = layout::registry();
                report.add(
                    MODULE_UNLAUNCHED,
                    &path,
                    Message::Unlaunched { module },
                    About::default(),
                );
            }
        }
        Ok(())
    }
}

fn has_documents(tree: &dyn Tree, module: &str) -> Result<bool, Error> {
    let prefix = format!("{module}-");
    let files = walk(tree, &layout::resources())?;
    Ok(files
        .iter()
        .any(|file| file.name().starts_with(prefix.as_bytes())))
}
