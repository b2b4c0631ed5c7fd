//! No id may get a second definition that neither side had (git.md 6, "Postcondition").

use crate::ids;
use crate::markdown::Document;
use crate::markdown::three_way::{Clash, ClashKind, Marks, Merged};
use crate::text::{Bytes, lines};

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
