//! `baseline-seed status` (logos-project.md 10.9): how far the last open run is.

use super::error::Error;
use super::manifest::{document_path, reached_without_links};
use super::reader::Reader;
use super::runs::{self, Run};
use crate::clock::Timestamp;
use crate::files::{RepoPath, Tree};
use crate::project::{Registry, SeedState};

/// How far a module is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    pub module: String,
    pub state: SeedState,
    /// The state is not in the registry.
    pub derived: bool,
    /// The last open run.
    pub run_id: Option<String>,
    pub staged: usize,
    pub expected: usize,
    /// Documents that are not staged yet, as the plan names them.
    pub missing: Vec<String>,
}

impl Progress {
    /// Reads a tree in which no commit is under way.
    pub fn read(tree: &dyn Tree, module: &str, now: Timestamp) -> Result<Self, Error> {
        let reader = Reader::open(tree, &|_| false, now)?;
        let registry = Registry::load(reader.tree())?;
        let (state, derived) = match registry.module(module) {
            Some(module) => (
                reader.effective_state(module)?,
                module.baseline_seed_state.is_none(),
            ),
            None => (SeedState::Required, false),
        };
        let mut progress = Self {
            module: module.to_owned(),
            state,
            derived,
            run_id: None,
            staged: 0,
            expected: 0,
            missing: Vec::new(),
        };
        let Some(run) = Run::last_open(reader.tree(), module)? else {
            return Ok(progress);
        };
        progress.expected = run.expected.len();
        for target in run.targets() {
            if is_staged(tree, &run.run_id, target)? {
                progress.staged += 1;
            } else {
                progress.missing.push(target.to_owned());
            }
        }
        progress.run_id = Some(run.run_id);
        Ok(progress)
    }
}

fn is_staged(tree: &dyn Tree, run_id: &str, target: &str) -> Result<bool, Error> {
    let Some(path) = document_path(target) else {
        return Ok(false);
    };
    let source: RepoPath = runs::staged(run_id, &path);
    Ok(tree.entry(&source)?.is_some() && reached_without_links(tree, &source)?)
}
