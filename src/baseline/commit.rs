//! `baseline-seed commit` (logos-project.md 10.8): what was staged is judged, set against what was known, and written so
//! that it can be ended whatever stops it. Plans only.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::begin::{adopted, covered, module_id};
use super::candidate::{Candidate, is_canonical, key_of};
use super::error::Error;
use super::journal::{self, Index, Journal, Phase, Target, Transition};
use super::manifest::{self, Document, reached_without_links};
use super::reader::Reader;
use super::reconcile::reconcile;
use super::recovery::{Edit, digest, ending};
use super::registry::with_state;
use super::runs::{self, Run, Status};
use super::section::{Section, with_candidates};
use crate::clock::Timestamp;
use crate::files::{Digest, RepoPath, Tree};
use crate::project::modules::SoundRegistry;
use crate::project::{SeedState, layout};
use crate::text::{Bytes, is_blank, js};

static RUN_ID: LazyLock<Regex> = LazyLock::new(|| js("^[A-Za-z0-9][A-Za-z0-9._-]*$"));

/// The module and the run as options name them: both have to be there before either is judged.
pub fn ids<'a>(module: Option<&'a str>, run: Option<&'a str>) -> Result<(&'a str, &'a str), Error> {
    let module = module.ok_or(Error::MissingOption("--module"))?;
    let run = run.ok_or(Error::MissingOption("--run-id"))?;
    let module = module_id(Some(module))?;
    if RUN_ID.is_match(run) && !run.contains("..") {
        Ok((module, run))
    } else {
        Err(Error::PathEscape(run.to_owned()))
    }
}

/// What is judged before the module is locked.
pub fn check(tree: &dyn Tree, module: &str, run_id: &str) -> Result<(), Error> {
    let sound = SoundRegistry::load(tree)?;
    if runs::module_of(run_id) != Some(module) {
        return Err(Error::UnknownRun(run_id.to_owned()));
    }
    adopted(&sound.registry, module).map(drop)
}

/// What becomes of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub state: SeedState,
    /// The state is not in the registry.
    pub derived: bool,
    pub committed: Vec<RepoPath>,
    pub missing: Vec<RepoPath>,
    pub invalid: Vec<RepoPath>,
    pub writes: Writes,
}

/// Files to be written one after the other, and what puts them back if one cannot be.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    pub edits: Vec<Edit>,
    pub undo: Vec<Edit>,
}

/// A document that was staged and is sound.
struct Staged<'p> {
    document: &'p Document,
    content: Bytes,
    candidates: Vec<Candidate>,
}

/// Judges a run over what the tree holds under the module's lock.
pub fn plan(tree: &dyn Tree, module: &str, run_id: &str, now: Timestamp) -> Result<Outcome, Error> {
    let sound = SoundRegistry::load(tree)?;
    let registered = adopted(&sound.registry, module)?;
    let run = record(tree, module, run_id)?;
    let expected = manifest::plan(tree, Some(&serde_json::Value::Array(run.expected.clone())))?;
    // The lock is ours: nobody else's counts.
    let reader = Reader::open(tree, &|_| false, now)?;
    covered(&reader.scan(module)?, &expected)?;
    let (mut staged, mut missing, mut invalid) = (Vec::new(), Vec::new(), Vec::new());
    for document in &expected {
        let source = runs::staged(run_id, &document.path);
        let content = if reached_without_links(tree, &source)? {
            tree.read(&source)?
        } else {
            None
        };
        let Some(content) = content else {
            missing.push(document.path.clone());
            continue;
        };
        match Section::find(&content).and_then(|section| section.candidates) {
            None => invalid.push(document.path.clone()),
            Some(candidates) => {
                strict(module, document, &candidates, &staged)?;
                staged.push(Staged {
                    document,
                    content,
                    candidates,
                });
            }
        }
    }
    let (state, writes) = if staged.is_empty() {
        (reader.effective_state(registered)?, Writes::default())
    } else if staged.len() < expected.len() {
        (SeedState::Partial, partial(&sound, module)?)
    } else {
        (SeedState::Seeded, transaction(tree, &sound, run, &staged, now)?)
    };
    Ok(Outcome {
        state,
        derived: staged.is_empty() && registered.baseline_seed_state.is_none(),
        committed: staged.iter().map(|s| s.document.path.clone()).collect(),
        missing,
        invalid,
        writes,
    })
}

fn record(tree: &dyn Tree, module: &str, run_id: &str) -> Result<Run, Error> {
    let run = Run::load(tree, run_id)?.filter(|run| run.run_id == run_id && run.module == module);
    let unknown = || Error::UnknownRun(run_id.to_owned());
    let run = run.ok_or_else(unknown)?;
    if !run.is_issued(tree)? {
        return Err(unknown());
    }
    match run.status {
        Status::Superseded => Err(Error::StaleRun(run_id.to_owned())),
        Status::Open | Status::Committed => Ok(run),
    }
}

/// Refuses candidates that are not what the plan says, in the order of the contract.
fn strict(
    module: &str,
    document: &Document,
    candidates: &[Candidate],
    before: &[Staged<'_>],
) -> Result<(), Error> {
    let path = &document.path;
    let mismatch = |keys: Vec<String>| Error::KeyMismatch {
        path: path.clone(),
        keys,
    };
    let earlier = before.iter().flat_map(|s| &s.candidates);
    let mut seen: BTreeSet<&str> = earlier.map(|c| c.key.as_str()).collect();
    for candidate in candidates {
        if !is_canonical(&candidate.key, module) {
            return Err(mismatch(vec![candidate.key.clone()]));
        }
        if !seen.insert(&candidate.key) {
            return Err(Error::KeyConflict(candidate.key.clone()));
        }
    }
    for candidate in candidates {
        if let Some(reason) = flaw(module, candidate) {
            return Err(Error::Provenance {
                path: path.clone(),
                key: candidate.key.clone(),
                reason,
            });
        }
    }
    let staged: BTreeSet<&String> = candidates.iter().map(|c| &c.key).collect();
    let planned: BTreeSet<&String> = document.keys.iter().collect();
    let differ: Vec<String> = staged
        .symmetric_difference(&planned)
        .map(|key| (*key).clone())
        .collect();
    if differ.is_empty() {
        Ok(())
    } else {
        Err(mismatch(differ))
    }
}

fn flaw(module: &str, candidate: &Candidate) -> Option<&'static str> {
    let anchor = candidate.anchor.as_deref().filter(|anchor| !is_blank(anchor));
    match anchor {
        _ if !candidate.says_active => Some("its `state` is not `active`"),
        _ if !candidate.says_unverified => Some("its `verified` is not `false`"),
        None => Some("it has no `anchor`"),
        Some(anchor) if key_of(module, anchor) != candidate.key => {
            Some("its key does not follow from its `anchor`")
        }
        Some(_) => None,
    }
}

/// Only the state changes: an incomplete set of documents is not written.
fn partial(sound: &SoundRegistry, module: &str) -> Result<Writes, Error> {
    let new = with_state(sound, module, SeedState::Partial)?;
    let same = sound.bytes.as_deref() == Some(&new);
    let edits = if same {
        Vec::new()
    } else {
        vec![(layout::registry(), Some(new))]
    };
    Ok(Writes {
        edits,
        undo: Vec::new(),
    })
}

/// All writes of a complete commit (logos-project.md 10.5), in their order.
fn transaction(
    tree: &dyn Tree,
    sound: &SoundRegistry,
    mut run: Run,
    staged: &[Staged<'_>],
    now: Timestamp,
) -> Result<Writes, Error> {
    let (id, module) = (run.run_id.clone(), run.module.clone());
    let mut old = Vec::new();
    for staged in staged {
        let before = tree.read(&staged.document.path)?;
        let known = before
            .as_deref()
            .and_then(Section::find)
            .and_then(|s| s.candidates);
        old.push((before, known.unwrap_or_default()));
    }
    let found: Vec<Vec<Candidate>> = staged.iter().map(|s| s.candidates.clone()).collect();
    let known: Vec<Vec<Candidate>> = old.iter().map(|(_, known)| known.clone()).collect();
    let resolved = reconcile(&module, &found, &known);
    let mut documents: Vec<Edit> = Vec::new();
    for (staged, candidates) in staged.iter().zip(&resolved) {
        let new = with_candidates(&staged.content, candidates).expect("a section was found in it");
        documents.push((staged.document.path.clone(), Some(new)));
    }
    let written = sound.registry.module(&module).and_then(|m| m.baseline_seed_state);
    let mut journal = Journal {
        phase: Phase::Prepared,
        run_id: id.clone(),
        module,
        targets: targets(tree, &documents)?,
        index: Index {
            yaml_backup_path: runs::registry_backup(&id).text().into_owned(),
            old_yaml_sha256: digest(tree, &layout::registry())?,
        },
        state_transition: Transition {
            from: written.map(|state| state.as_str().to_owned()),
            to: SeedState::Seeded.as_str().to_owned(),
        },
        keys: staged.iter().flat_map(|s| sorted_keys(&s.candidates)).collect(),
    };
    let at = journal::path(&id);
    let mut edits: Vec<Edit> = Vec::new();
    for (path, new) in &documents {
        edits.push((runs::resolved(&id, path), new.clone()));
    }
    edits.push((runs::registry_backup(&id), sound.bytes.clone()));
    edits.push((at.clone(), Some(journal.write())));
    journal.phase = Phase::Committing;
    edits.push((at.clone(), Some(journal.write())));
    for (n, document) in documents.iter().enumerate() {
        if let (Some(before), _) = &old[n] {
            edits.push((runs::backup(&id, &document.0), Some(before.clone())));
        }
        edits.push(document.clone());
        journal.targets[n].applied = true;
        edits.push((at.clone(), Some(journal.write())));
    }
    let mut last = ending(tree, &journal, &documents, now)?;
    if run.status != Status::Committed {
        run.status = Status::Committed;
        // Before the journal's end, which comes last: until then everything can be put back.
        last.insert(last.len() - 1, (run.path(), Some(run.write())));
    }
    edits.extend(last);
    Ok(Writes {
        undo: undo(tree, &edits, &id)?,
        edits,
    })
}

fn targets(tree: &dyn Tree, documents: &[Edit]) -> Result<Vec<Target>, Error> {
    let mut targets = Vec::new();
    for (path, new) in documents {
        targets.push(Target {
            target_path: path.text().into_owned(),
            old_sha256: digest(tree, path)?,
            new_sha256: Digest::of(new.as_deref().unwrap_or_default()),
            applied: false,
        });
    }
    Ok(targets)
}

fn sorted_keys(candidates: &[Candidate]) -> Vec<String> {
    let mut keys: Vec<String> = candidates.iter().map(|c| c.key.clone()).collect();
    keys.sort();
    keys
}

/// What puts the written files back as the tree has them, the last one first and the journal at the end. Copies in the
/// run's folder stay: nothing reads them without a journal.
fn undo(tree: &dyn Tree, edits: &[Edit], run_id: &str) -> Result<Vec<Edit>, Error> {
    let (journal, folder) = (journal::path(run_id), runs::folder(run_id));
    let copies = [folder.join("resolved"), folder.join("backup")];
    let mut undo: Vec<Edit> = Vec::new();
    for (path, _) in edits.iter().rev() {
        let is_copy = copies.iter().any(|copies| path.starts_with(copies));
        if !is_copy && *path != journal && undo.iter().all(|(seen, _)| seen != path) {
            undo.push((path.clone(), tree.read(path)?));
        }
    }
    undo.push((journal.clone(), tree.read(&journal)?));
    Ok(undo)
}
