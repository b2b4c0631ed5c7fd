//! Three-way merge of fields, each a piece of text with a name, by their names (git.md 6, "Front matter").

use super::keyed::{self, Fate, Item};
use super::{Clash, ClashKind, Merged, Three};
use crate::text::Bytes;

/// A field as it is written, comments above it included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// Its lines, the last one ended.
    pub text: Bytes,
}

/// Merges three lists of fields. None if a name is empty or repeated, or both sides moved fields about differently.
pub fn merge_fields(base: &[Field], ours: &[Field], theirs: &[Field]) -> Option<Merged> {
    let items = |fields: &[Field]| -> Vec<Item> {
        let item = |field: &Field| Item {
            key: field.name.clone(),
            content: field.text.clone(),
        };
        fields.iter().map(item).collect()
    };
    let lists = (items(base), items(ours), items(theirs));
    let entries = keyed::merge(Three {
        base: &lists.0,
        ours: &lists.1,
        theirs: &lists.2,
    })?;
    let mut out = Merged::default();
    for entry in entries {
        let text =
            |fields: &[Field], at: Option<usize>| at.map_or_else(Bytes::new, |at| fields[at].text.clone());
        let clash = |kind| Clash {
            kind,
            item: Some(entry.key.clone()),
            base: text(base, entry.base),
            ours: text(ours, entry.ours),
            theirs: text(theirs, entry.theirs),
        };
        match entry.fate {
            Fate::Ours => out.push(&text(ours, entry.ours)),
            Fate::Theirs => out.push(&text(theirs, entry.theirs)),
            Fate::Both => out.clash(clash(ClashKind::BothChanged)),
            Fate::Clash(kind) => out.clash(clash(kind)),
        }
    }
    Some(out)
}
