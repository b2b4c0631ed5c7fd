//! The baseline as a reader sees it (logos-project.md 10.6): no lock is taken and nothing is written; what recovery would
//! write is laid over the tree.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::recovery::{Edit, Unsettled, settle};
use super::runs::{self, Run, Status};
use super::scan::{Scan, Sections};
use super::{journal, lock};
use crate::clock::Timestamp;
use crate::files::{OverlayTree, ReadError, Tree};
use crate::project::{Module, Registry, SeedState};
use crate::voice::{Invocation, Say, Voice};

/// Reads the baseline of a tree.
pub struct Reader<'t> {
    tree: OverlayTree<'t>,
    /// Modules whose commit is under way, or did and cannot be ended.
    busy: BTreeSet<String>,
    sections: OnceCell<Sections>,
    /// Of all modules, in the order of their ids.
    runs: OnceCell<Vec<Run>>,
}

/// Whose change is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActiveChange {
    None,
    /// One of the module that is asked about.
    Own,
    Other,
}

/// `baseline_coverage` of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    pub state: SeedState,
    /// The state is partial.
    pub incomplete: bool,
    /// Candidates that are active or tombstones.
    pub denominator: u64,
    pub tombstones: u64,
    pub source: Source,
    pub freshness: Freshness,
    /// Only for a module that is partial and owns the active change.
    pub recovery: Option<Recovery>,
    /// Nobody may rely on the rest: a commit is under way.
    pub commit_in_progress: bool,
}

/// Where the counts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    DerivedIndex,
    Documents,
}

impl Source {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DerivedIndex => "derived-index",
            Self::Documents => "documents",
        }
    }
}

/// Whether the registry's index agrees with the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    Fresh,
    Stale,
    Unknown,
}

impl Freshness {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Unknown => "unknown",
        }
    }
}

/// How a partial baseline is completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// The last open run.
    pub run_id: Option<String>,
}

impl Recovery {
    /// The text of `entry`, which names no module and, without an open run, no run: the contract has it so.
    pub fn entry(&self, voice: &Voice) -> String {
        let command = Invocation::new("baseline-seed commit --run-id", &[]).say(voice);
        format!("{command} {}", self.run_id.as_deref().unwrap_or("<id>"))
    }
}

impl<'t> Reader<'t> {
    /// Looks at locks and journals. `alive` tells whether a process lives; for a tree that is not on the disk none does.
    pub fn open(tree: &'t dyn Tree, alive: &dyn Fn(u32) -> bool, now: Timestamp) -> Result<Self, ReadError> {
        let mut busy: BTreeSet<String> = lock::held(tree, alive)?.into_keys().collect();
        let mut edits: Vec<Edit> = Vec::new();
        for unfinished in journal::unfinished(tree, None)? {
            let module = runs::module_of(&unfinished.run_id).unwrap_or_default();
            if busy.contains(module) {
                continue;
            }
            let so_far = OverlayTree::new(tree, edits.iter().cloned());
            match settle(&so_far, &unfinished, now) {
                Ok(more) => edits.extend(more),
                Err(Unsettled::Read(error)) => return Err(error),
                Err(Unsettled::Journal { .. } | Unsettled::Lost { .. } | Unsettled::Registry(_)) => {
                    busy.insert(module.to_owned());
                }
            }
        }
        Ok(Self {
            tree: OverlayTree::new(tree, edits),
            busy,
            sections: OnceCell::new(),
            runs: OnceCell::new(),
        })
    }

    /// The tree as it is once unfinished commits are ended. The registry has to be read from it.
    pub fn tree(&self) -> &OverlayTree<'t> {
        &self.tree
    }

    /// Whether a commit of the module is under way.
    pub fn is_busy(&self, module: &str) -> bool {
        self.busy.contains(module)
    }

    /// What the documents hold of a module.
    pub fn scan(&self, module: &str) -> Result<Scan, ReadError> {
        if self.sections.get().is_none() {
            let loaded = Sections::load(&self.tree)?;
            let _first = self.sections.set(loaded);
        }
        Ok(self.sections.get().expect("just set").scan(module))
    }

    /// The last of the open runs of a module.
    pub fn last_open(&self, module: &str) -> Result<Option<&Run>, ReadError> {
        if self.runs.get().is_none() {
            let runs = Run::of_all_modules(&self.tree)?;
            let _first = self.runs.set(runs);
        }
        let runs = self.runs.get().expect("just set").iter().rev();
        let mut open = runs.filter(|run| run.status == Status::Open);
        Ok(open.find(|run| run.module == module))
    }

    /// The state of a module: as the registry has it, else as documents and runs tell.
    pub fn effective_state(&self, module: &Module) -> Result<SeedState, ReadError> {
        if let Some(written) = module.baseline_seed_state {
            return Ok(written);
        }
        if self.is_busy(&module.id) {
            return Ok(SeedState::Partial);
        }
        if self.scan(&module.id)?.candidates.is_empty() {
            return Ok(SeedState::Required);
        }
        Ok(match self.last_open(&module.id)? {
            Some(_) => SeedState::Partial,
            None => SeedState::Seeded,
        })
    }

    /// `baseline_seed_state` of status and next: of every adopted module that is launched.
    pub fn shown_state(&self, module: &Module) -> Result<Option<SeedState>, ReadError> {
        if !(module.adopted && module.launched) {
            return Ok(None);
        }
        self.effective_state(module).map(Some)
    }

    /// `baseline_coverage` of status and next; none where it is left out.
    pub fn coverage(
        &self,
        registry: &Registry,
        module: &Module,
        active: ActiveChange,
    ) -> Result<Option<Coverage>, ReadError> {
        let Some(state) = self.shown_state(module)? else {
            return Ok(None);
        };
        let incomplete = state == SeedState::Partial;
        let shown = match active {
            ActiveChange::None => true,
            ActiveChange::Own => incomplete,
            ActiveChange::Other => false,
        };
        if !shown {
            return Ok(None);
        }
        let recovery = if active == ActiveChange::Own {
            let open = self.last_open(&module.id)?;
            Some(Recovery {
                run_id: open.map(|run| run.run_id.clone()),
            })
        } else {
            None
        };
        let busy = Coverage {
            state,
            incomplete,
            denominator: 0,
            tombstones: 0,
            source: Source::Documents,
            freshness: Freshness::Unknown,
            recovery,
            commit_in_progress: true,
        };
        if self.is_busy(&module.id) {
            return Ok(Some(busy));
        }
        let scan = self.scan(&module.id)?;
        let index = registry.baseline_index(&module.id);
        let indexed = index.and_then(|index| index.source_hash.as_deref());
        Ok(Some(Coverage {
            denominator: scan.denominator(),
            tombstones: scan.tombstones(),
            source: match indexed {
                Some(_) => Source::DerivedIndex,
                None => Source::Documents,
            },
            freshness: match indexed {
                _ if scan.failed => Freshness::Unknown,
                Some(hash) if hash != scan.source_hash => Freshness::Stale,
                Some(_) | None => Freshness::Fresh,
            },
            commit_in_progress: false,
            ..busy
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::key_of;
    use crate::files::{Digest, MemoryTree, RepoPath};
    use crate::project::layout;

    const DOCUMENT: &str = "logos/resources/a.md";

    fn document() -> String {
        let key = key_of("core", "a");
        format!("## 逆向基线来源\n```yaml\ncandidates:\n- {{key: '{key}', anchor: a}}\n```\n")
    }

    fn run(status: &str) -> (String, String) {
        let id = "seed-core-0001";
        let path = format!("{}/{id}/run.json", layout::BASELINE_RUNS);
        let text = format!(
            r#"{{"run_id":"{id}","module":"core","status":"{status}","expected":[],"created_at":"","issued_nonce":""}}"#
        );
        (path, text)
    }

    fn registry(state: &str) -> (String, String) {
        let text =
            format!("modules:\n- {{id: core, name: C, lifecycle: launched, bootstrap: adopted{state}}}\n");
        (layout::REGISTRY.to_owned(), text)
    }

    fn coverage(files: &[(String, String)], active: ActiveChange) -> Option<Coverage> {
        let tree = MemoryTree::new(files.iter().map(|(path, text)| (path, text)));
        let reader = Reader::open(&tree, &|pid| pid == 7, Timestamp::from_seconds(0)).expect("readable");
        let registry = Registry::load(reader.tree()).expect("readable");
        let module = &registry.registered()[0];
        reader.coverage(&registry, module, active).expect("readable")
    }

    fn state(files: &[(String, String)]) -> Option<SeedState> {
        coverage(files, ActiveChange::None).map(|coverage| coverage.state)
    }

    #[test]
    fn a_state_that_is_not_written_follows_from_documents_and_runs() {
        let (plain, candidates) = (registry(""), (DOCUMENT.to_owned(), document()));
        assert_eq!(state(std::slice::from_ref(&plain)), Some(SeedState::Required));
        assert_eq!(state(&[plain.clone(), run("open")]), Some(SeedState::Required));
        assert_eq!(
            state(&[plain.clone(), candidates.clone()]),
            Some(SeedState::Seeded)
        );
        assert_eq!(
            state(&[plain.clone(), candidates.clone(), run("open")]),
            Some(SeedState::Partial)
        );
        assert_eq!(
            state(&[plain, candidates.clone(), run("superseded")]),
            Some(SeedState::Seeded)
        );
        assert_eq!(
            state(&[registry(", baseline_seed_state: required"), candidates]),
            Some(SeedState::Required)
        );
    }

    #[test]
    fn coverage_is_left_out_beside_an_active_change_unless_the_module_is_partial_and_owns_it() {
        let partial = [registry(", baseline_seed_state: partial")];
        let own = coverage(&partial, ActiveChange::Own).expect("it is shown");
        assert_eq!(own.recovery, Some(Recovery { run_id: None }));
        assert_eq!(
            own.recovery.map(|r| r.entry(&Voice::default())).as_deref(),
            Some("git spec baseline-seed commit --run-id <id>")
        );
        assert_eq!(coverage(&partial, ActiveChange::Other), None);
        assert_eq!(
            coverage(&[registry(", baseline_seed_state: seeded")], ActiveChange::Own),
            None
        );
        let alone = coverage(&partial, ActiveChange::None).expect("it is shown");
        assert!(alone.incomplete && alone.recovery.is_none());
    }

    #[test]
    fn while_the_lock_is_held_nothing_is_counted() {
        let lock = |pid: u32| {
            (
                lock::path("core").text().into_owned(),
                format!(r#"{{"pid":{pid}}}"#),
            )
        };
        let files = |pid| [registry(""), (DOCUMENT.to_owned(), document()), lock(pid)];
        let busy = coverage(&files(7), ActiveChange::None).expect("it is shown");
        assert_eq!(
            (busy.state, busy.denominator, busy.freshness),
            (SeedState::Partial, 0, Freshness::Unknown)
        );
        assert!(busy.commit_in_progress && busy.incomplete);
        let free = coverage(&files(8), ActiveChange::None).expect("it is shown");
        assert_eq!(
            (free.state, free.denominator, free.freshness),
            (SeedState::Seeded, 1, Freshness::Fresh)
        );
    }

    #[test]
    fn the_index_is_compared_with_the_documents() {
        let scanned = Sections::load(&MemoryTree::new([(DOCUMENT, document())]))
            .expect("readable")
            .scan("core");
        let with_index = |hash: &str| {
            let (path, text) = registry("");
            [
                (
                    path,
                    format!("{text}baseline_index: {{core: {{source_hash: '{hash}'}}}}\n"),
                ),
                (DOCUMENT.to_owned(), document()),
            ]
        };
        let fresh = coverage(&with_index(&scanned.source_hash), ActiveChange::None).expect("it is shown");
        assert_eq!(
            (fresh.source, fresh.freshness),
            (Source::DerivedIndex, Freshness::Fresh)
        );
        let stale = coverage(&with_index("0"), ActiveChange::None).expect("it is shown");
        assert_eq!(
            (stale.source, stale.freshness),
            (Source::DerivedIndex, Freshness::Stale)
        );
    }

    fn journal(phase: &str, old: &str) -> (String, String) {
        let new = Digest::of(document().as_bytes()).hex();
        let text = format!(
            r#"{{"phase":"{phase}","run_id":"seed-core-0001","module":"core","targets":[{{"target_path":"{DOCUMENT}",
            "old_sha256":{old},"new_sha256":"{new}","applied":true}}],"index":{{"yaml_backup_path":"x",
            "old_yaml_sha256":null}},"state_transition":{{"from":null,"to":"seeded"}},"keys":[]}}"#
        );
        (journal::path("seed-core-0001").text().into_owned(), text)
    }

    #[test]
    fn a_reader_sees_a_commit_that_did_not_end_as_recovery_would_leave_it() {
        let resolved = runs::resolved("seed-core-0001", &RepoPath::of(DOCUMENT));
        let resolved = (resolved.text().into_owned(), document());
        let forward = [
            registry(", baseline_seed_state: required"),
            journal("committing", "null"),
            resolved,
        ];
        let seen = coverage(&forward, ActiveChange::None).expect("it is shown");
        assert_eq!(
            (seen.state, seen.denominator, seen.freshness),
            (SeedState::Seeded, 1, Freshness::Fresh)
        );
        assert_eq!(seen.source, Source::DerivedIndex);
        let back = [
            registry(""),
            journal("committing", "null"),
            (DOCUMENT.to_owned(), document()),
        ];
        assert_eq!(state(&back), Some(SeedState::Required));
        let prepared = [
            registry(""),
            journal("prepared", "null"),
            (DOCUMENT.to_owned(), document()),
        ];
        assert_eq!(state(&prepared), Some(SeedState::Seeded));
    }

    #[test]
    fn what_cannot_be_ended_is_as_busy_as_what_is_under_way() {
        let lost = format!("\"{}\"", "0".repeat(64));
        for journal in [
            journal("committing", &lost),
            (
                journal::path("seed-core-0001").text().into_owned(),
                "{".to_owned(),
            ),
        ] {
            let files = [registry(""), journal, (DOCUMENT.to_owned(), document())];
            assert!(coverage(&files, ActiveChange::None).is_some_and(|c| c.commit_in_progress));
        }
    }
}
