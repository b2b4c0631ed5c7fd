//! Whether a merge accounts for everything: no line of either side may get lost, and no id may get a second definition
//! that neither side had (git.md 6, "Postcondition").

use std::collections::HashMap;

use crate::ids;
use crate::markdown::three_way::{Clash, ClashKind, Marks, Merged};
use crate::markdown::{Document, cells};
use crate::text::{Bytes, lines};

/// How often each line stands in a text. Blank lines do not count, nor do blanks around the cells of a row.
fn counted(text: &[u8]) -> HashMap<Vec<u8>, usize> {
    let mut counts = HashMap::new();
    for line in lines(text) {
        let line = line.span.of(text).trim_ascii();
        if line.is_empty() {
            continue;
        }
        let key = match std::str::from_utf8(line) {
            Ok(row) if row.starts_with('|') => cells(row).join("\u{0}").into_bytes(),
            Ok(_) | Err(_) => line.to_vec(),
        };
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// Whether `result`, marks included, holds every line that a side brought, and every line that both left alone.
pub(super) fn is_complete(base: &[u8], one: &[u8], other: &[u8], result: &[u8]) -> bool {
    let (base, one, other, result) = (counted(base), counted(one), counted(other), counted(result));
    let count = |of: &HashMap<Vec<u8>, usize>, line: &Vec<u8>| of.get(line).copied().unwrap_or(0);
    let mut all: Vec<&Vec<u8>> = one.keys().chain(other.keys()).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().all(|line| {
        let (b, o, t) = (count(&base, line), count(&one, line), count(&other, line));
        // Who has more of it brought some; who has less took some away.
        let least = if o >= b && t >= b { o.max(t) } else { o.min(t) };
        count(&result, line) >= least
    })
}

/// An id that stands twice, and the line of its second place.
pub(super) struct Again {
    pub(super) id: String,
    line: usize,
}

/// The first id that is defined twice in the merged text and in neither side.
pub(super) fn second_definition(text: &[u8], versions: &[Bytes; 3]) -> Option<Again> {
    let of = |text: &[u8]| {
        let document = Document::scan(text);
        ids::test_ids(&document, document.all_lines())
    };
    let repeated = |text: &[u8], id: &str| of(text).iter().filter(|found| found.id == id).count() > 1;
    let all = of(text);
    let second = |(at, found): (usize, &ids::Id)| {
        let again = all[..at].iter().any(|before| before.id == found.id);
        let new = again && !repeated(&versions[1], &found.id) && !repeated(&versions[2], &found.id);
        new.then(|| Again {
            id: found.id.clone(),
            line: found.line,
        })
    };
    all.iter().enumerate().find_map(second)
}

/// The text with marks around the second place of an id: the line is of the side that has it.
pub(super) fn with_marks(text: &[u8], again: &Again, versions: &[Bytes; 3], marks: &Marks<'_>) -> Bytes {
    let all = lines(text);
    let line = &all[again.line];
    let whole = &text[line.span.start..line.next];
    let holds = |version: &[u8]| {
        lines(version)
            .iter()
            .any(|l| l.span.of(version) == line.span.of(text))
    };
    let side = |version: &[u8]| {
        if holds(version) {
            whole.to_vec()
        } else {
            Bytes::new()
        }
    };
    let clash = Clash {
        kind: ClashKind::AddedTwice,
        item: Some(again.id.clone()),
        base: side(&versions[0]),
        ours: side(&versions[1]),
        theirs: side(&versions[2]),
    };
    Merged::text(&text[..line.span.start])
        .then(Merged::of_clash(clash))
        .then(Merged::text(&text[line.next..]))
        .with_marks(marks, b"\n")
}
