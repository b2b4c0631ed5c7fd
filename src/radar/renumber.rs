//! Gives an id that a change brings another number: which numbers fit, where the id stands, what the change's files
//! become (git.md 7.2). Plans only.

use std::collections::BTreeSet;
use std::ops::Range;

use bstr::ByteSlice;

use super::brings;
use crate::change::Change;
use crate::change::delta::Operation;
use crate::files::{Kind, ReadError, RepoPath, Tree, walk};
use crate::ids::Definition;
use crate::merge::{DocumentEdit, renumbered_record};
use crate::text::{Bytes, each_line};

/// An id that ends in a number: `UT-S01-04`, `S04`, `D04`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered<'i> {
    pub prefix: &'i str,
    digits: &'i str,
    number: u64,
}

impl<'i> Numbered<'i> {
    /// None if it does not end in a number, or in one that nobody counts to.
    pub fn of(id: &'i str) -> Option<Self> {
        let prefix = id.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &id[prefix.len()..];
        let number = digits.parse().ok().filter(|number| *number < u64::MAX)?;
        Some(Self {
            prefix,
            digits,
            number,
        })
    }

    /// Whether another id could stand in its place: the same but for the number, written as wide.
    pub fn fits(&self, other: &str) -> bool {
        Numbered::of(other).is_some_and(|other| {
            let width = self.digits.len();
            let as_wide =
                other.digits.len() == width || (other.digits.len() > width && !other.digits.starts_with('0'));
            other.prefix == self.prefix && as_wide
        })
    }

    /// The next id above the largest that is taken; none if there is no such number.
    pub fn next(&self, taken: &BTreeSet<String>) -> Option<String> {
        let same = taken.iter().filter_map(|id| Numbered::of(id));
        let numbers = same.filter(|id| id.prefix == self.prefix).map(|id| id.number);
        let next = numbers.chain([self.number]).max()?.checked_add(1)?;
        let width = self.digits.len();
        Some(format!("{}{next:0width$}", self.prefix))
    }
}

/// What becomes of the change's files.
#[derive(Debug, Default)]
pub struct Plan {
    pub files: Vec<Renumbered>,
    /// Lines, from 1, on which the id stays: they speak of the one that the documents have.
    pub kept: Vec<(RepoPath, usize)>,
}

/// A file with other contents, and maybe another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renumbered {
    pub path: RepoPath,
    /// The name that it had.
    pub from: Option<RepoPath>,
    pub old: Bytes,
    pub new: Bytes,
    /// How often the id stood there.
    pub mentions: usize,
}

impl Renumbered {
    pub fn as_edit(&self) -> DocumentEdit {
        DocumentEdit {
            document: self.path.clone(),
            old: Some(self.old.clone()),
            new: Some(self.new.clone()),
        }
    }

    /// The path that it is found at before.
    pub fn found_at(&self) -> &RepoPath {
        self.from.as_ref().unwrap_or(&self.path)
    }
}

/// Whether a change brings an id. `then` is its base.
pub fn adds(change: &Change, then: &dyn Tree, id: &str) -> Result<bool, ReadError> {
    let all = brings(change, then)?;
    Ok(all
        .iter()
        .any(|brought| brought.is_new && brought.brought.defined.id.id == id))
}

/// Plans to write `to` for `from` in proposal, tasks and deltas; none if the change does not bring `from`. `then` is the
/// base of the change.
pub fn plan(
    tree: &dyn Tree,
    change: &Change,
    then: &dyn Tree,
    from: &str,
    to: &str,
) -> Result<Option<Plan>, ReadError> {
    let all = brings(change, then)?;
    let of_id = all.iter().filter(|brought| brought.brought.defined.id.id == from);
    let (new, known): (Vec<_>, Vec<_>) = of_id.partition(|brought| brought.is_new);
    if new.is_empty() {
        return Ok(None);
    }
    let mut renamed: Vec<(RepoPath, RepoPath)> = Vec::new();
    for brought in &new {
        let path = &brought.delta.path;
        let sections = brought.delta.sections().expect("its block was read");
        let added = sections.blocks[brought.brought.block].operation == Operation::Added;
        if added && brought.brought.defined.by == Definition::Decision {
            let name = path.name().to_str().ok();
            let other = name.and_then(|name| renumbered_record(name, from, to));
            let other = other.and_then(|other| Some(path.parent()?.join(other)));
            renamed.extend(other.map(|other| (path.clone(), other)));
        }
    }
    renamed.dedup();
    let folder = &change.folder.path;
    let mut paths = vec![folder.join("proposal.md"), folder.join("tasks.md")];
    paths.extend(walk(tree, &folder.join("deltas"))?);
    let mut plan = Plan::default();
    for path in paths {
        if tree.entry(&path)?.is_none_or(|entry| entry.kind != Kind::File) {
            continue;
        }
        let old = tree.read(&path)?.unwrap_or_default();
        // What is no text mentions nothing.
        if old.contains(&0) {
            continue;
        }
        let of_file = known.iter().filter(|brought| brought.delta.path == path);
        let kept: BTreeSet<usize> = of_file.map(|brought| brought.brought.defined.id.line).collect();
        let names = renamed.iter().map(|(from, to)| (from.name(), to.name()));
        let (new, mentions, left) = replaced(&old, (from, to), names, &kept);
        plan.kept
            .extend(left.into_iter().map(|line| (path.clone(), line + 1)));
        let name = renamed.iter().find(|(from, _)| *from == path);
        if new != old || name.is_some() {
            plan.files.push(Renumbered {
                path: name.map_or_else(|| path.clone(), |(_, to)| to.clone()),
                from: name.map(|(from, _)| from.clone()),
                old,
                new,
                mentions,
            });
        }
    }
    Ok(Some(plan))
}

/// A text with ids and names of files replaced but on some lines; how often, and the lines on which the id stayed.
fn replaced<'n>(
    text: &[u8],
    (from, to): (&str, &str),
    names: impl Iterator<Item = (&'n bstr::BStr, &'n bstr::BStr)>,
    kept: &BTreeSet<usize>,
) -> (Bytes, usize, Vec<usize>) {
    let names: Vec<_> = names.collect();
    let mut out = Vec::with_capacity(text.len());
    let (mut count, mut left) = (0, Vec::new());
    let mut done = 0;
    for (number, line) in each_line(text).enumerate() {
        let span = line.span;
        let body = span.of(text);
        let mut spots: Vec<(Range<usize>, &[u8])> = Vec::new();
        let ids = mentions(body, from);
        if kept.contains(&number) {
            left.extend((!ids.is_empty()).then_some(number));
        } else {
            spots.extend(ids.into_iter().map(|at| (at..at + from.len(), to.as_bytes())));
        }
        count += spots.len();
        for (old, new) in &names {
            let found = whole(body, old, |_, _| true);
            spots.extend(found.into_iter().map(|at| (at..at + old.len(), new.as_bytes())));
        }
        spots.sort_by_key(|(spot, _)| spot.start);
        for (spot, new) in spots {
            out.extend_from_slice(&text[done..span.start + spot.start]);
            out.extend_from_slice(new);
            done = span.start + spot.end;
        }
    }
    out.extend_from_slice(&text[done..]);
    (out, count, left)
}

/// The lines of a text, from 1, that mention an id.
pub fn lines_mentioning(text: &[u8], id: &str) -> Vec<usize> {
    let lines = each_line(text).enumerate();
    lines
        .filter(|(_, line)| !mentions(line.span.of(text), id).is_empty())
        .map(|(number, _)| number + 1)
        .collect()
}

/// Where an id stands as a token: no letter, digit, `-`, and no `.` with a digit beyond it next to it. Letters are those
/// that ids are made of: other scripts write no blanks around them.
fn mentions(text: &[u8], id: &str) -> Vec<usize> {
    whole(text, id.as_bytes(), |before, after| {
        let ends_in_number = |mut near: std::iter::Copied<std::slice::Iter<'_, u8>>| {
            near.next() == Some(b'.') && near.next().is_some_and(|byte| byte.is_ascii_digit())
        };
        let dotted_before = before.len() >= 2
            && before[before.len() - 1] == b'.'
            && before[before.len() - 2].is_ascii_digit();
        !dotted_before && !ends_in_number(after.iter().copied())
    })
}

/// Where a word stands with no letter, digit or `-` next to it, and where what is before and after pleases.
fn whole(text: &[u8], word: &[u8], pleases: impl Fn(&[u8], &[u8]) -> bool) -> Vec<usize> {
    let joins = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    let stands = |at: &usize| {
        let (before, after) = (&text[..*at], &text[at + word.len()..]);
        !joins(before.last()) && !joins(after.first()) && pleases(before, after)
    };
    text.find_iter(word).filter(stands).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(ids: &[&str]) -> BTreeSet<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn the_next_number_is_above_all_of_its_prefix() {
        let next = |id: &str, taken: &[&str]| Numbered::of(id).and_then(|id| id.next(&ids(taken)));
        let some = |id: &str| Some(id.to_owned());
        assert_eq!(
            next("UT-S01-04", &["UT-S01-04", "UT-S01-7", "UT-S02-90", "ST-S01-50"]),
            some("UT-S01-08")
        );
        assert_eq!(next("D9", &[]), some("D10"));
        assert_eq!(next("S099", &["S099"]), some("S100"));
        assert_eq!(next("UT-S01-a", &[]), None);
        assert_eq!(next(&format!("D{}", u64::MAX), &[]), None);
    }

    #[test]
    fn another_id_fits_if_only_the_number_differs() {
        let fits = |one: &str, other: &str| Numbered::of(one).is_some_and(|one| one.fits(other));
        assert!(fits("UT-S01-04", "UT-S01-05") && fits("UT-S01-04", "UT-S01-105"));
        for other in [
            "UT-S01-5",
            "UT-S01-005",
            "UT-S02-05",
            "S05",
            "UT-S01-",
            "UT-S01-05a",
            "",
        ] {
            assert!(!fits("UT-S01-04", other), "{other}");
        }
    }

    #[test]
    fn a_mention_is_a_whole_token() {
        for (text, found) in [
            ("UT-S01-04", 1),
            ("见UT-S01-04。(UT-S01-04), `UT-S01-04`: UT-S01-04.", 4),
            ("UT-S01-04.5 UT-S01-04.x", 1),
            ("xUT-S01-04 -UT-S01-04 UT-S01-041 UT-S01-04-1 UT-S01-04a", 0),
            ("2.UT-S01-04 x.UT-S01-04", 1),
            ("UT-S01-04\r", 1),
        ] {
            assert_eq!(mentions(text.as_bytes(), "UT-S01-04").len(), found, "{text}");
        }
    }

    #[test]
    fn bytes_that_are_no_mention_stay_as_they_are() {
        let text = b"\xef\xbb\xbfS04 \xff S04\r\nS04 kept\n\ncore-D02-why.md S041 S04";
        let names = [("core-D02-why.md".into(), "core-D03-why.md".into())];
        let (new, count, left) = replaced(text, ("S04", "S10"), names.into_iter(), &BTreeSet::from([1]));
        assert_eq!(
            new.as_bstr(),
            b"\xef\xbb\xbfS10 \xff S10\r\nS04 kept\n\ncore-D03-why.md S041 S10".as_bstr()
        );
        assert_eq!((count, left), (3, vec![1]));
    }
}
