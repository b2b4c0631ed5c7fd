//! The verdict over a range: lifecycle only, or why not (change.md 8.4). What is uncertain is never `true`.

use bstr::{BStr, BString, ByteSlice};

use super::class::{Class, below, is_guard};
use super::stream::{Fault, Item, Letter, Record, parse};
use crate::files::RepoPath;
use crate::text::utf16_cmp;

/// One changed file. Paths are as given, the prefix included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub letter: Letter,
    pub path: BString,
    pub old_path: Option<BString>,
    pub class: Class,
}

/// What a range of lifecycle files amounts to. Shown, never decided upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Archive,
}

impl Operation {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Archive => "archive",
        }
    }
}

/// What a range of commits touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// No fault, at least one file, all of them lifecycle.
    pub lifecycle_only: bool,
    /// In the order of the stream.
    pub files: Vec<File>,
    /// Either side of a record, each path once, ordered by UTF-16 code units.
    pub non_lifecycle_paths: Vec<BString>,
    pub operations: Vec<Operation>,
    /// The changes that were archived, ordered.
    pub changes: Vec<BString>,
    /// In the order of the stream.
    pub faults: Vec<Fault>,
}

impl Verdict {
    /// Judges a name-status stream for the project at `prefix`.
    pub fn of(stream: &[u8], prefix: &RepoPath) -> Self {
        let class = |path: &BStr| below(path, prefix).map_or(Class::External, Class::of);
        let (mut records, mut faults) = (Vec::new(), Vec::new());
        for item in parse(stream) {
            match item {
                Item::Record(record) => records.push(record),
                Item::Fault(fault) => faults.push(fault),
            }
        }
        let mut outside = Vec::new();
        let files: Vec<File> = records
            .iter()
            .map(|record| {
                let mut worst = Class::Lifecycle;
                for path in record.old_path.into_iter().chain([record.path]) {
                    let class = class(path);
                    if class != Class::Lifecycle {
                        outside.push(path.to_owned());
                    }
                    worst = worst.max(class);
                }
                File {
                    letter: record.letter,
                    path: record.path.to_owned(),
                    old_path: record.old_path.map(ToOwned::to_owned),
                    class: worst,
                }
            })
            .collect();
        let lifecycle_only = faults.is_empty() && !files.is_empty() && outside.is_empty();
        let archived = lifecycle_only.then(|| archived(&records, prefix)).flatten();
        let changes = archived.unwrap_or_default();
        Self {
            lifecycle_only,
            files,
            non_lifecycle_paths: ordered(outside),
            operations: if changes.is_empty() {
                Vec::new()
            } else {
                vec![Operation::Archive]
            },
            changes,
            faults,
        }
    }
}

/// The changes that records archive: the guard file goes, and all else moves into the archive.
fn archived(records: &[Record<'_>], prefix: &RepoPath) -> Option<Vec<BString>> {
    let mut guards = 0;
    let mut changes = Vec::new();
    for record in records {
        let path = below(record.path, prefix)?;
        match record.letter {
            Letter::Deleted if is_guard(path) => guards += 1,
            Letter::Renamed | Letter::Copied => {
                path.strip_prefix(b"logos/changes/archive/")?;
                let from = below(record.old_path?, prefix)?.strip_prefix(b"logos/changes/")?;
                let slug = &from[..from.find_byte(b'/')?];
                if slug == b"archive" {
                    return None;
                }
                changes.push(BString::from(slug));
            }
            Letter::Added | Letter::Modified | Letter::Deleted => return None,
        }
    }
    (guards == 1 && !changes.is_empty()).then(|| ordered(changes))
}

/// Each once, by UTF-16 code units; what reads alike but differs in bytes, by bytes.
fn ordered(mut paths: Vec<BString>) -> Vec<BString> {
    paths.sort();
    paths.dedup();
    // Among ASCII the two orders are one.
    if paths.iter().all(|path| path.is_ascii()) {
        return paths;
    }
    paths.sort_by(|a, b| utf16_cmp(&a.to_str_lossy(), &b.to_str_lossy()));
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(stream: &str) -> Verdict {
        Verdict::of(stream.as_bytes(), &RepoPath::root())
    }

    #[test]
    fn both_sides_of_a_rename_are_judged() {
        let verdict = judge("R087\0src/a.rs\0logos/changes/x/a.rs\0");
        assert!(!verdict.lifecycle_only);
        assert_eq!(verdict.files[0].class, Class::External);
        assert_eq!(verdict.non_lifecycle_paths, ["src/a.rs"]);
    }

    #[test]
    fn an_unknown_status_poisons_the_verdict() {
        let verdict = judge("T\0logos/changes/a\0M\0logos/changes/b\0");
        assert!(!verdict.lifecycle_only);
        assert_eq!((verdict.files.len(), verdict.faults.len()), (1, 1));
    }

    #[test]
    fn an_archive_is_the_guard_gone_and_all_else_moved() {
        let guard = "D\0logos/.openlogos-guard\0";
        let moved = "R100\0logos/changes/b/p\0logos/changes/archive/x/p\0";
        let other = "C90\0logos/changes/a/p\0logos/changes/archive/y/p\0";
        assert_eq!(judge(&format!("{guard}{moved}{other}")).changes, ["a", "b"]);
        for no in [
            guard.to_owned(),
            moved.to_owned(),
            format!("{guard}{guard}{moved}"),
            format!("{guard}{moved}M\0logos/changes/b/q\0"),
            format!("{guard}R100\0logos/changes/archive/a/x\0logos/changes/archive/b/x\0"),
            format!("{guard}R100\0logos/changes/a/x\0logos/changes/other/x\0"),
            format!("{guard}{moved}M\0src/a\0"),
        ] {
            let verdict = judge(&no);
            assert_eq!((verdict.operations, verdict.changes), (vec![], vec![]), "{no:?}");
        }
    }
}
