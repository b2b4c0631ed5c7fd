//! The merge of whole documents, for git: by front-matter field, section, row and item, marks around the smallest piece
//! (git.md 6). The order of the two sides does not show in a clean result.

mod front;
mod second;
mod shape;

use crate::git::{MarkStyle, MergeFile};
use crate::markdown::three_way::{Clash, ClashKind, Marks, Merged, Rules, is_complete, merge_sections};
use crate::text::Bytes;

use shape::{Shape, Shapes};

/// Larger documents are merged by lines.
const LARGEST: usize = 8 << 20;

/// What conflict marks are to look like.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// `%L`: characters of a mark.
    pub size: usize,
    /// `diff3` or `zdiff3`, where the base is shown.
    pub base_style: Option<&'a str>,
}

const OURS: &str = "ours";
const THEIRS: &str = "theirs";

impl Look<'_> {
    const fn marks(&self) -> Marks<'static> {
        Marks {
            ours: OURS,
            theirs: THEIRS,
            base: if self.base_style.is_some() {
                Some("base")
            } else {
                None
            },
            size: self.size,
        }
    }
}

/// The three versions of a file.
#[derive(Clone, Copy, Debug)]
pub struct Versions<'a> {
    /// Empty if both sides added the file.
    pub base: &'a [u8],
    pub ours: &'a [u8],
    pub theirs: &'a [u8],
}

impl Versions<'_> {
    fn all(&self, test: impl Fn(&[u8]) -> bool) -> bool {
        test(self.base) && test(self.ours) && test(self.theirs)
    }
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driven {
    Clean(Bytes),
    /// The text with marks, and a line per conflict: its code, and the item it is about.
    Conflicts(Bytes, Vec<(&'static str, Option<String>)>),
    /// Nothing that can be merged: the file stays as it is.
    Binary,
}

/// Merges a file whose name is `name`; `rules` are those of its kind, if it has its own.
pub fn merge(versions: Versions<'_>, name: &[u8], look: Look<'_>, rules: Option<&Rules>) -> Driven {
    let Versions { base, ours, theirs } = versions;
    if ours == theirs || theirs == base {
        return Driven::Clean(ours.to_vec());
    }
    if ours == base {
        return Driven::Clean(theirs.to_vec());
    }
    if versions.all(|text| text.contains(&0)) || [base, ours, theirs].iter().any(|text| text.contains(&0)) {
        return Driven::Binary;
    }
    let is_text = |text: &[u8]| text.len() <= LARGEST && std::str::from_utf8(text).is_ok();
    if !name.to_ascii_lowercase().ends_with(b".md") || !versions.all(is_text) {
        return by_lines(versions, look);
    }
    by_structure(versions, look, rules).unwrap_or_else(|| by_lines(versions, look))
}

/// As `git merge-file` has it.
fn by_lines(versions: Versions<'_>, look: Look<'_>) -> Driven {
    let style = MarkStyle {
        ours: OURS,
        theirs: THEIRS,
        size: look.size,
        base_style: look.base_style,
    };
    match MergeFile.merge_marked(versions.base, versions.ours, versions.theirs, &style) {
        Ok((text, false)) => Driven::Clean(text),
        Ok((text, true)) => Driven::Conflicts(text, vec![("both_changed", None)]),
        Err(_) => {
            // Whatever else fails, nobody must take one side for the result.
            let whole = Clash {
                kind: ClashKind::BothChanged,
                item: None,
                base: versions.base.to_vec(),
                ours: versions.ours.to_vec(),
                theirs: versions.theirs.to_vec(),
            };
            let text = Merged::of_clash(whole).with_marks(&look.marks(), b"\n");
            Driven::Conflicts(text, vec![("both_changed", None)])
        }
    }
}

/// None if what comes out does not account for everything that went in.
fn by_structure(versions: Versions<'_>, look: Look<'_>, rules: Option<&Rules>) -> Option<Driven> {
    let shapes = Shapes {
        base: Shape::of(versions.base),
        ours: Shape::of(versions.ours),
        theirs: Shape::of(versions.theirs),
    };
    let chosen = shapes.choose();
    let plain = [versions.base, versions.ours, versions.theirs].map(|text| chosen.plain(text));
    // In one order whoever asks, so that both get the same bytes.
    let swap = plain[1] > plain[2];
    let (one, other) = if swap {
        (&plain[2], &plain[1])
    } else {
        (&plain[1], &plain[2])
    };
    let asked: [&[u8]; 3] = [&plain[0], one, other];
    let settled = rules.map(|rules| (rules.settle)(asked));
    let [base, one, other] = settled.as_ref().map_or(asked, |settled| {
        let [base, one, other] = &settled.versions;
        [base, one, other]
    });
    let keyed = rules.map_or(front::keyed as fn(&[u8]) -> _, |rules| rules.front);
    let mut merged = front::merge([base, one, other], keyed, |base, one, other| {
        merge_sections(base, one, other, b"\n")
    });
    if let Some(rules) = rules {
        merged = merged.refined(rules.refine);
    }
    let marked = merged.clone().with_marks(&look.marks(), b"\n");
    let given_up = settled.as_ref().map_or(&[][..], |settled| &settled.given_up);
    if !is_complete(asked, &marked, given_up) {
        return None;
    }
    let merged = if swap { merged.swapped() } else { merged };
    if let Some(text) = merged.clean() {
        let Some(again) = second::second_definition(&text, &plain) else {
            return Some(Driven::Clean(chosen.dress(&text)));
        };
        let marked = second::with_marks(&text, &again, &plain, &look.marks());
        return Some(Driven::Conflicts(
            chosen.dress(&marked),
            vec![("id_taken", Some(again.id))],
        ));
    }
    let told = |clash: &Clash| {
        let code = match clash.kind {
            ClashKind::BothChanged => "both_changed",
            ClashKind::ChangedAndRemoved => "changed_and_removed",
            ClashKind::AddedTwice => "added_twice",
        };
        (code, clash.item.clone())
    };
    let conflicts = merged.clashes().map(told).collect();
    let text = merged.with_marks(&look.marks(), b"\n");
    Some(Driven::Conflicts(chosen.dress(&text), conflicts))
}

#[cfg(test)]
mod tests;
