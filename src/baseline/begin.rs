//! `baseline-seed begin` (logos-project.md 10.7): a plan is judged, and a run is issued for it. Plans only.

use serde_json::Value;

use super::error::Error;
use super::lock::is_module_id;
use super::manifest::{self, Document};
use super::reader::Reader;
use super::recovery::Edit;
use super::runs::{self, Run, Status};
use super::scan::Scan;
use crate::clock::Timestamp;
use crate::files::{RepoPath, Tree};
use crate::project::modules::SoundRegistry;
use crate::project::{Module, Registry, SeedState};

/// A module's id as an option names it.
pub fn module_id(given: Option<&str>) -> Result<&str, Error> {
    let id = given.ok_or(Error::MissingOption("--module"))?;
    if is_module_id(id) {
        Ok(id)
    } else {
        Err(Error::PathEscape(id.to_owned()))
    }
}

/// A module of adopted code.
pub(super) fn adopted<'r>(registry: &'r Registry, id: &str) -> Result<&'r Module, Error> {
    let found = registry.module(id).filter(|module| module.adopted);
    found.ok_or_else(|| Error::NotAdopted(id.to_owned()))
}

/// Every document that holds candidates of the module has to be in the plan: a run replaces them.
pub(super) fn covered(scan: &Scan, plan: &[Document]) -> Result<(), Error> {
    let missing = scan
        .holding
        .iter()
        .filter(|path| plan.iter().all(|d| d.path != **path));
    let missing: Vec<RepoPath> = missing.cloned().collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::Uncovered(missing))
    }
}

/// A run that may be issued.
#[derive(Clone, Debug)]
pub struct Begin {
    module: String,
    plan: Vec<Document>,
}

/// A run that is issued, and the files that say so.
#[derive(Clone, Debug)]
pub struct Begun {
    pub run_id: String,
    pub module: String,
    pub state: SeedState,
    /// The state is not in the registry.
    pub derived: bool,
    pub expected: usize,
    pub writes: Vec<Edit>,
}

impl Begin {
    /// What is judged before the module is locked. `manifest` is none if there is no such file.
    pub fn check(tree: &dyn Tree, module: &str, manifest: Option<&[u8]>) -> Result<Self, Error> {
        let sound = SoundRegistry::load(tree)?;
        adopted(&sound.registry, module)?;
        let text = manifest.ok_or(Error::Manifest("it cannot be read"))?;
        let value: Value = serde_json::from_slice(text).map_err(|_| Error::Manifest("it is no JSON"))?;
        let object = value.as_object().ok_or(Error::Manifest("it is no object"))?;
        Ok(Self {
            module: module.to_owned(),
            plan: manifest::plan(tree, object.get("expected"))?,
        })
    }

    /// The new run, over what the tree holds under the module's lock; those that are open are superseded.
    pub fn issue(&self, tree: &dyn Tree, nonce: String, now: Timestamp) -> Result<Begun, Error> {
        let registry = SoundRegistry::load(tree)?.registry;
        let module = adopted(&registry, &self.module)?;
        // The lock is ours: nobody else's counts.
        let reader = Reader::open(tree, &|_| false, now)?;
        covered(&reader.scan(&self.module)?, &self.plan)?;
        let before = Run::all(tree, &self.module)?;
        let run = Run {
            run_id: next_id(tree, &self.module, before.len())?,
            module: self.module.clone(),
            status: Status::Open,
            expected: self.plan.iter().map(Document::record).collect(),
            created_at: now.rfc3339(),
            issued_nonce: nonce,
        };
        let mut ledger = runs::issued(tree, &self.module)?;
        ledger.insert(run.run_id.clone(), Value::String(run.seal()));
        let mut writes: Vec<Edit> = Vec::new();
        for mut open in before.into_iter().filter(|run| run.status == Status::Open) {
            open.status = Status::Superseded;
            writes.push((open.path(), Some(open.write())));
        }
        writes.push((runs::ledger(&self.module), Some(runs::pretty(&ledger))));
        writes.push((run.path(), Some(run.write())));
        Ok(Begun {
            state: reader.effective_state(module)?,
            derived: module.baseline_seed_state.is_none(),
            expected: self.plan.len(),
            module: self.module.clone(),
            run_id: run.run_id,
            writes,
        })
    }
}

/// The next number that no folder has.
fn next_id(tree: &dyn Tree, module: &str, runs: usize) -> Result<String, Error> {
    let mut number = runs + 1;
    loop {
        let id = format!("seed-{module}-{number:04}");
        if tree.entry(&runs::folder(&id))?.is_none() {
            return Ok(id);
        }
        number += 1;
    }
}
