//! What the documents hold of a module (logos-project.md 10.2).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

use super::candidate::{Candidate, State};
use super::section::Section;
use crate::files::{Digest, ReadError, RepoPath, Tree, walk};
use crate::project::layout;

/// The sections of all documents, in path order.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    all: Vec<(RepoPath, Section)>,
    broken: Vec<usize>,
    /// Under what a key has before its hash, the sections and candidates with such a key: those of a module are among
    /// them.
    by_prefix: HashMap<String, BTreeMap<usize, Vec<usize>>>,
}

impl Sections {
    /// Reads every document below `logos/resources`; runs of the baseline hold copies, which do not count.
    pub fn load(tree: &dyn Tree) -> Result<Self, ReadError> {
        let runs = RepoPath::of(layout::BASELINE_RUNS);
        let mut paths = walk(tree, &layout::resources())?;
        paths.retain(|path| path.has_extension("md") && !path.starts_with(&runs));
        let read = |path: RepoPath| {
            let content = tree.read(&path)?;
            Ok(content
                .as_deref()
                .and_then(Section::find)
                .map(|section| (path, section)))
        };
        let found: Result<Vec<Option<_>>, ReadError> = paths.into_par_iter().map(read).collect();
        Ok(Self::of(found?.into_iter().flatten().collect()))
    }

    fn of(all: Vec<(RepoPath, Section)>) -> Self {
        let mut broken = Vec::new();
        let mut by_prefix: HashMap<String, BTreeMap<usize, Vec<usize>>> = HashMap::new();
        for (at, (_, section)) in all.iter().enumerate() {
            let Some(candidates) = &section.candidates else {
                broken.push(at);
                continue;
            };
            for (place, candidate) in candidates.iter().enumerate() {
                let Some((prefix, _)) = candidate.key.rsplit_once("::") else {
                    continue;
                };
                let sections = by_prefix.entry(prefix.to_owned()).or_default();
                sections.entry(at).or_default().push(place);
            }
        }
        Self {
            all,
            broken,
            by_prefix,
        }
    }

    /// What belongs to a module.
    pub fn scan(&self, module: &str) -> Scan {
        let mut scan = Scan::default();
        let mut hashes = Vec::new();
        let none = BTreeMap::new();
        let sections = self.by_prefix.get(module).unwrap_or(&none);
        let looked_at: BTreeSet<usize> = sections.keys().chain(&self.broken).copied().collect();
        for at in looked_at {
            let (path, section) = &self.all[at];
            let Some(candidates) = &section.candidates else {
                scan.failed = true;
                hashes.push(section.source_hash.as_str());
                continue;
            };
            let places = sections.get(&at).map_or(&[][..], Vec::as_slice).iter();
            let own: Vec<&Candidate> = places
                .map(|place| &candidates[*place])
                .filter(|candidate| candidate.belongs_to(module))
                .collect();
            if own.is_empty() {
                continue;
            }
            hashes.push(&section.source_hash);
            scan.holding.push(path.clone());
            for candidate in own {
                let before = scan
                    .candidates
                    .insert(candidate.key.clone(), (path.clone(), candidate.clone()));
                scan.failed |= before.is_some_and(|(other, _)| other != *path);
            }
        }
        scan.source_hash = Digest::of(hashes.join("|").as_bytes()).hex();
        scan
    }
}

/// The candidates of a module.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// By key, with the document that each stands in.
    pub candidates: BTreeMap<String, (RepoPath, Candidate)>,
    /// The documents with candidates of the module, in path order.
    pub holding: Vec<RepoPath>,
    /// Of the texts of the sections that were looked at.
    pub source_hash: String,
    /// A section is broken, or a key stands in two documents.
    pub failed: bool,
}

impl Scan {
    /// Active ones and tombstones.
    pub fn denominator(&self) -> u64 {
        self.count(|state| state != State::Retired)
    }

    pub fn tombstones(&self) -> u64 {
        self.count(|state| state == State::Tombstone)
    }

    fn count(&self, counts: impl Fn(State) -> bool) -> u64 {
        let counted = self.candidates.values().filter(|(_, c)| counts(c.state));
        counted.count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn document(entries: &[(&str, &str, &str)]) -> String {
        let lines = entries.iter().map(|(module, anchor, state)| {
            let key = super::super::candidate::key_of(module, anchor);
            format!("- {{key: '{key}', anchor: {anchor}, state: {state}}}\n")
        });
        format!(
            "## 逆向基线来源\n```yaml\ncandidates:\n{}```\n",
            lines.collect::<String>()
        )
    }

    fn scan(files: &[(&str, &str)]) -> Scan {
        let tree = MemoryTree::new(files.iter().copied());
        Sections::load(&tree).expect("memory is readable").scan("core")
    }

    #[test]
    fn retired_and_foreign_candidates_and_those_of_runs_are_not_counted() {
        let own = document(&[
            ("core", "a", "active"),
            ("core", "b", "tombstone"),
            ("core", "c", "retired"),
            ("tide", "d", "active"),
        ]);
        let copy = format!("{}/r/staging/logos/resources/x.md", layout::BASELINE_RUNS);
        let scan = scan(&[
            ("logos/resources/a.md", &own),
            (&copy, &own),
            ("logos/resources/a.txt", &own),
        ]);
        assert_eq!(
            (scan.denominator(), scan.tombstones(), scan.failed),
            (2, 1, false)
        );
        assert_eq!(scan.holding, [RepoPath::of("logos/resources/a.md")]);
    }

    #[test]
    fn a_key_in_two_documents_fails_and_the_later_one_counts() {
        let (first, second) = (
            document(&[("core", "a", "active")]),
            document(&[("core", "a", "tombstone")]),
        );
        let scan = scan(&[
            ("logos/resources/a.md", &first),
            ("logos/resources/b.md", &second),
        ]);
        assert_eq!((scan.denominator(), scan.tombstones(), scan.failed), (1, 1, true));
    }

    #[test]
    fn a_broken_section_fails_and_is_part_of_the_hash_a_foreign_one_is_neither() {
        let own = document(&[("core", "a", "active")]);
        let foreign = document(&[("tide", "a", "active")]);
        let alone = scan(&[("logos/resources/a.md", &own)]);
        let beside = scan(&[("logos/resources/a.md", &own), ("logos/resources/b.md", &foreign)]);
        let broken = scan(&[
            ("logos/resources/a.md", &own),
            ("logos/resources/b.md", "## 逆向基线来源\n"),
        ]);
        assert_eq!((&beside.source_hash, beside.failed), (&alone.source_hash, false));
        assert!(broken.failed && broken.source_hash != alone.source_hash);
        assert_eq!(broken.holding, alone.holding);
    }
}
