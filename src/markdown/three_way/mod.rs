//! Three-way merge of sections (change.md 6.7): headings, bodies by units, tables by rows, sub-sections by titles.
//! What both sides changed differently becomes a clash, confined to the smallest piece; nothing is guessed.

mod account;
mod additions;
mod common;
mod fields;
mod keyed;
mod part;
mod pieces;
mod rows;
mod rules;
mod units;

pub use account::is_complete;
pub use additions::{Listing, settle_additions};
pub use common::subsequence;
pub use fields::{Field, merge_fields};
use part::Part;
pub use pieces::{Piece, PieceKind, pieces, row_content, section_content};
pub use rules::{Rules, Settled};

use std::collections::HashMap;

use super::Document;
use crate::text::{Bytes, is_blank_line, lines};

/// In which way two sides cannot both be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClashKind {
    BothChanged,
    ChangedAndRemoved,
    AddedTwice,
}

/// A piece that both sides changed differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    pub kind: ClashKind,
    /// The row's key or the sub-section's title; none in the section's own body.
    pub item: Option<String>,
    pub base: Bytes,
    pub ours: Bytes,
    pub theirs: Bytes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Text(Bytes),
    Clash(Clash),
}

/// The result of a merge, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    segments: Vec<Segment>,
}

impl Merged {
    /// The merged text, if nothing clashed.
    pub fn clean(&self) -> Option<Bytes> {
        let text = |s: &Segment| match s {
            Segment::Text(text) => Some(text.clone()),
            Segment::Clash(_) => None,
        };
        self.segments
            .iter()
            .map(text)
            .collect::<Option<Vec<_>>>()
            .map(|texts| texts.concat())
    }

    pub fn clashes(&self) -> impl Iterator<Item = &Clash> {
        self.segments.iter().filter_map(|s| match s {
            Segment::Clash(clash) => Some(clash),
            Segment::Text(_) => None,
        })
    }

    /// The text with git's conflict marks around what clashed, for a person to settle.
    pub fn with_marks(&self, marks: &Marks<'_>, line_end: &[u8]) -> Bytes {
        let mut out = Bytes::new();
        for segment in &self.segments {
            match segment {
                Segment::Text(text) => out.extend_from_slice(text),
                Segment::Clash(clash) => marks.around(clash, line_end, &mut out),
            }
        }
        out
    }

    /// The same merge, seen from the other side.
    pub fn swapped(self) -> Self {
        let swap = |segment| match segment {
            Segment::Text(text) => Segment::Text(text),
            Segment::Clash(clash) => Segment::Clash(Clash {
                ours: clash.theirs,
                theirs: clash.ours,
                ..clash
            }),
        };
        Self {
            segments: self.segments.into_iter().map(swap).collect(),
        }
    }

    /// This merge, and then another.
    pub fn then(mut self, next: Self) -> Self {
        for segment in next.segments {
            match segment {
                Segment::Text(text) => self.push(&text),
                Segment::Clash(clash) => self.clash(clash),
            }
        }
        self
    }

    /// This merge with its clashes taken apart, where that can be done.
    pub fn refined(self, refine: impl Fn(&Clash) -> Option<Self>) -> Self {
        let finer = |segment| match segment {
            Segment::Clash(clash) => refine(&clash).unwrap_or_else(|| Self::of_clash(clash)),
            Segment::Text(text) => Self::text(&text),
        };
        self.segments
            .into_iter()
            .map(finer)
            .fold(Self::default(), Self::then)
    }

    /// Text that both sides changed.
    pub fn of_clash(clash: Clash) -> Self {
        Self {
            segments: vec![Segment::Clash(clash)],
        }
    }

    /// Text that nobody disputes.
    pub fn text(text: &[u8]) -> Self {
        let mut out = Self::default();
        out.push(text);
        out
    }

    fn push(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        if let Some(Segment::Text(last)) = self.segments.last_mut() {
            last.extend_from_slice(text);
        } else {
            self.segments.push(Segment::Text(text.to_vec()));
        }
    }

    fn clash(&mut self, clash: Clash) {
        self.segments.push(Segment::Clash(clash));
    }
}

/// How conflict marks look.
#[derive(Clone, Copy, Debug)]
pub struct Marks<'a> {
    pub ours: &'a str,
    pub theirs: &'a str,
    /// What the text before both is called, where it is shown.
    pub base: Option<&'a str>,
    /// How many characters a mark has; 7 in git.
    pub size: usize,
}

impl Marks<'_> {
    fn around(&self, clash: &Clash, line_end: &[u8], out: &mut Bytes) {
        let mark = |out: &mut Bytes, sign: &str, label: &str| {
            if out.last().is_some_and(|b| *b != b'\n') {
                out.extend_from_slice(line_end);
            }
            out.extend_from_slice(sign.repeat(self.size).as_bytes());
            if !label.is_empty() {
                out.push(b' ');
                out.extend_from_slice(label.as_bytes());
            }
            out.extend_from_slice(line_end);
        };
        mark(out, "<", self.ours);
        out.extend_from_slice(&clash.ours);
        if let Some(base) = self.base {
            mark(out, "|", base);
            out.extend_from_slice(&clash.base);
        }
        mark(out, "=", "");
        out.extend_from_slice(&clash.theirs);
        mark(out, ">", self.theirs);
    }
}

/// The three texts of one thing: as it was, as the document has it, as the delta wants it.
#[derive(Clone, Copy)]
struct Three<T> {
    base: T,
    ours: T,
    theirs: T,
}

/// Merges three versions of one section, each starting with its heading line, without blank lines at the end and with
/// the line ends of the document.
pub fn merge_sections(base: &[u8], ours: &[u8], theirs: &[u8], line_end: &[u8]) -> Merged {
    let docs = Three {
        base: Document::scan(base),
        ours: Document::scan(ours),
        theirs: Document::scan(theirs),
    };
    let parts = Three {
        base: Part::of(&docs.base),
        ours: Part::of(&docs.ours),
        theirs: Part::of(&docs.theirs),
    };
    let refs = Three {
        base: &parts.base,
        ours: &parts.ours,
        theirs: &parts.theirs,
    };
    let mut out = Merged::default();
    merge_part(refs, None, line_end, &mut out);
    out
}

/// Whether two versions of a section say the same: blank lines and blanks around cells do not count (change.md 6.7),
/// nor does the level of their own headings.
pub fn same_section(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (Document::scan(one), Document::scan(other));
    let (one, other) = (Part::of(&one), Part::of(&other));
    one.title == other.title && one.content() == other.content()
}

/// Whether a section is what it was, but for sub-sections that have gone as a whole: whoever removes the section takes
/// nothing away that another has changed.
pub fn has_only_lost_sections(before: &[u8], now: &[u8]) -> bool {
    let (before, now) = (Document::scan(before), Document::scan(now));
    has_only_lost_parts(&Part::of(&before), &Part::of(&now))
}

fn has_only_lost_parts(before: &Part<'_>, now: &Part<'_>) -> bool {
    let mut left = before.children.iter();
    before.title == now.title
        && before.body_key() == now.body_key()
        && now.children.iter().all(|child| {
            let same = |old: &&Part<'_>| old.level == child.level && old.title == child.title;
            left.find(same).is_some_and(|old| has_only_lost_parts(old, child))
        })
}

/// Merges one section; `item` is its title if it is a sub-section, where its level counts too.
fn merge_part(three: Three<&Part<'_>>, item: Option<&str>, line_end: &[u8], out: &mut Merged) {
    let Three { base, ours, theirs } = three;
    let nested = item.is_some();
    let same = |a: &Part<'_>, b: &Part<'_>| {
        a.title == b.title && (!nested || a.level == b.level) && a.content() == b.content()
    };
    if same(ours, theirs) || same(theirs, base) {
        out.push(ours.text());
        return;
    }
    merge_heading(three, item, out);
    if same(ours, base) {
        out.push(theirs.below_heading());
        return;
    }
    let bodies = Three {
        base: base.body_key(),
        ours: ours.body_key(),
        theirs: theirs.body_key(),
    };
    if bodies.ours == bodies.theirs || bodies.theirs == bodies.base {
        out.push(ours.body_text());
    } else if bodies.ours == bodies.base {
        out.push(theirs.body_text());
    } else {
        units::merge(three, item, line_end, out);
    }
    merge_children(three, item, line_end, out);
}

fn merge_heading(three: Three<&Part<'_>>, item: Option<&str>, out: &mut Merged) {
    let Three { base, ours, theirs } = three;
    let key = |p: &Part<'_>| (p.title.clone(), item.map(|_| p.level));
    if key(ours) == key(theirs) || key(theirs) == key(base) {
        out.push(ours.heading_text());
    } else if key(ours) == key(base) {
        out.push(theirs.heading_text());
    } else {
        out.clash(Clash {
            kind: ClashKind::BothChanged,
            item: item.map(str::to_owned),
            base: base.heading_text().to_vec(),
            ours: ours.heading_text().to_vec(),
            theirs: theirs.heading_text().to_vec(),
        });
    }
}

fn merge_children(three: Three<&Part<'_>>, item: Option<&str>, line_end: &[u8], out: &mut Merged) {
    let Three { base, ours, theirs } = three;
    let items = |p: &Part<'_>| p.children.iter().map(Part::as_item).collect::<Vec<_>>();
    let lists = Three {
        base: items(base),
        ours: items(ours),
        theirs: items(theirs),
    };
    let whole = |kind| Clash {
        kind,
        item: item.map(str::to_owned),
        base: base.children_text(),
        ours: ours.children_text(),
        theirs: theirs.children_text(),
    };
    let entries = keyed::merge(Three {
        base: &lists.base,
        ours: &lists.ours,
        theirs: &lists.theirs,
    });
    // By key even where one side changed nothing: the blank lines between may still be the other's.
    let Some(entries) = entries else {
        if lists.ours == lists.theirs || lists.theirs == lists.base {
            out.push(&ours.children_text());
        } else if lists.ours == lists.base {
            out.push(&theirs.children_text());
        } else {
            out.clash(whole(ClashKind::BothChanged));
        }
        return;
    };
    for entry in entries {
        let child =
            |list: &'_ [Part<'_>], at: Option<usize>| at.map_or(Bytes::new(), |i| list[i].text().to_vec());
        let blanks = Three {
            base: entry.base.map(|i| base.children[i].blanks()),
            ours: entry.ours.map(|i| ours.children[i].blanks()),
            theirs: entry.theirs.map(|i| theirs.children[i].blanks()),
        };
        // A new sub-section is set off by a blank line, whichever side brought it: else the order of two merges shows.
        push_blanks(
            part::choose_blanks(blanks).max(usize::from(entry.base.is_none())),
            line_end,
            out,
        );
        match entry.fate {
            keyed::Fate::Ours => out.push(&child(&ours.children, entry.ours)),
            keyed::Fate::Theirs => out.push(&child(&theirs.children, entry.theirs)),
            keyed::Fate::Both => {
                let (Some(b), Some(o), Some(t)) = (entry.base, entry.ours, entry.theirs) else {
                    unreachable!("what is merged inside is on all sides")
                };
                let inner = Three {
                    base: &base.children[b],
                    ours: &ours.children[o],
                    theirs: &theirs.children[t],
                };
                merge_part(inner, Some(&entry.key), line_end, out);
            }
            keyed::Fate::Clash(kind) => out.clash(Clash {
                kind,
                item: Some(entry.key.clone()),
                base: child(&base.children, entry.base),
                ours: child(&ours.children, entry.ours),
                theirs: child(&theirs.children, entry.theirs),
            }),
        }
    }
}

fn push_blanks(count: usize, line_end: &[u8], out: &mut Merged) {
    for _ in 0..count {
        out.push(line_end);
    }
}

/// The lines of a section that are not blank, counted.
pub struct LineCounts<'t> {
    counts: HashMap<&'t [u8], usize>,
    total: usize,
}

impl<'t> LineCounts<'t> {
    pub fn of(text: &'t [u8]) -> Self {
        let mut counts = HashMap::new();
        let mut total = 0;
        for line in lines(text) {
            let line = line.span.of(text);
            if !is_blank_line(line) {
                *counts.entry(line).or_default() += 1;
                total += 1;
            }
        }
        Self { counts, total }
    }

    /// Whether two sections share at least half of the lines of the longer one, counted with repetition: one of them is
    /// then the other renamed (change.md 6.6).
    pub fn share_half(&self, other: &Self) -> bool {
        let longer = self.total.max(other.total);
        if longer == 0 || self.total.min(other.total) * 2 < longer {
            return false;
        }
        let common = |(line, n): (&&[u8], &usize)| other.counts.get(line).map_or(0, |m| (*n).min(*m));
        self.counts.iter().map(common).sum::<usize>() * 2 >= longer
    }
}
