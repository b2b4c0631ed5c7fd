//! Merge of keyed things, rows or sub-sections: which stay, which clash, in what order (change.md 6.7, "Keyed merge").

use std::collections::{BTreeMap, BTreeSet};

use super::{ClashKind, Three};
use crate::text::natural_cmp;

/// A thing with its key and what it is compared by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) key: String,
    pub(super) content: Vec<u8>,
}

/// What becomes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Ours,
    Theirs,
    /// Changed on both sides: to be merged inside.
    Both,
    Clash(ClashKind),
}

/// A key of the result, with its index on each side that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) fate: Fate,
    pub(super) base: Option<usize>,
    pub(super) ours: Option<usize>,
    pub(super) theirs: Option<usize>,
}

/// Merges three lists. None if they cannot be merged by key: one is empty or repeated, or both sides moved the common
/// ones about differently.
pub(super) fn merge(lists: Three<&[Item]>) -> Option<Vec<Entry>> {
    let at = Three {
        base: index(lists.base)?,
        ours: index(lists.ours)?,
        theirs: index(lists.theirs)?,
    };
    let keys: BTreeSet<&str> = at
        .base
        .keys()
        .chain(at.ours.keys())
        .chain(at.theirs.keys())
        .copied()
        .collect();
    let mut fates: BTreeMap<&str, Entry> = BTreeMap::new();
    for key in keys {
        let (base, ours, theirs) = (
            at.base.get(key).copied(),
            at.ours.get(key).copied(),
            at.theirs.get(key).copied(),
        );
        let b = base.map(|i| &lists.base[i].content);
        let o = ours.map(|i| &lists.ours[i].content);
        let t = theirs.map(|i| &lists.theirs[i].content);
        if let Some(fate) = fate(b, o, t) {
            fates.insert(
                key,
                Entry {
                    key: key.to_owned(),
                    fate,
                    base,
                    ours,
                    theirs,
                },
            );
        }
    }
    let order = order(lists, &fates)?;
    Some(order.into_iter().map(|key| fates[key].clone()).collect())
}

/// None if the thing is gone.
fn fate(b: Option<&Vec<u8>>, o: Option<&Vec<u8>>, t: Option<&Vec<u8>>) -> Option<Fate> {
    Some(match (b, o, t) {
        (_, None, None) => return None,
        (None, Some(_), None) => Fate::Ours,
        (None, None, Some(_)) => Fate::Theirs,
        (None, Some(o), Some(t)) if o == t => Fate::Ours,
        (None, Some(_), Some(_)) => Fate::Clash(ClashKind::AddedTwice),
        (Some(b), Some(kept), None) | (Some(b), None, Some(kept)) if b == kept => return None,
        (Some(_), Some(_), None) | (Some(_), None, Some(_)) => Fate::Clash(ClashKind::ChangedAndRemoved),
        (Some(b), Some(o), Some(t)) if o == t || t == b => Fate::Ours,
        (Some(b), Some(o), Some(_)) if o == b => Fate::Theirs,
        (Some(_), Some(_), Some(_)) => Fate::Both,
    })
}

fn index(list: &[Item]) -> Option<BTreeMap<&str, usize>> {
    let mut out = BTreeMap::new();
    for (i, item) in list.iter().enumerate() {
        if item.key.is_empty() || out.insert(item.key.as_str(), i).is_some() {
            return None;
        }
    }
    Some(out)
}

/// The order of the result: that of the side that moved the common keys; new ones behind the common key before them.
fn order<'k>(lists: Three<&'k [Item]>, fates: &BTreeMap<&'k str, Entry>) -> Option<Vec<&'k str>> {
    let is_common = |key: &str| {
        fates
            .get(key)
            .is_some_and(|e| e.base.is_some() && e.ours.is_some() && e.theirs.is_some())
    };
    let commons = |list: &'k [Item]| -> Vec<&'k str> {
        list.iter()
            .map(|i| i.key.as_str())
            .filter(|key| is_common(key))
            .collect()
    };
    let (base, ours, theirs) = (commons(lists.base), commons(lists.ours), commons(lists.theirs));
    let common = if ours == base || ours == theirs {
        theirs
    } else if theirs == base {
        ours
    } else {
        return None;
    };
    let rank: BTreeMap<&str, usize> = common.iter().enumerate().map(|(i, key)| (*key, i + 1)).collect();
    // Place 0 is before all common keys, place i behind the i-th.
    let places = |list: &'k [Item]| -> BTreeMap<&'k str, usize> {
        let mut place = 0;
        let mut out = BTreeMap::new();
        for item in list {
            let key = item.key.as_str();
            match rank.get(key) {
                Some(at) => place = *at,
                None if fates.contains_key(key) => drop(out.insert(key, place)),
                None => {}
            }
        }
        out
    };
    let (in_ours, in_theirs) = (places(lists.ours), places(lists.theirs));
    let place_of = |key: &str| match (in_ours.get(key), in_theirs.get(key)) {
        (Some(a), Some(b)) => *a.min(b),
        (Some(at), None) | (None, Some(at)) => *at,
        (None, None) => 0,
    };
    let by_place = |list: &'k [Item], own: &BTreeMap<&str, usize>| -> Vec<Vec<&'k str>> {
        let mut out = vec![Vec::new(); common.len() + 1];
        let new = list
            .iter()
            .map(|i| i.key.as_str())
            .filter(|k| own.contains_key(k));
        new.for_each(|key| out[place_of(key)].push(key));
        out
    };
    let (ours, theirs) = (by_place(lists.ours, &in_ours), by_place(lists.theirs, &in_theirs));
    let mut out = Vec::new();
    for (place, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        if place > 0 {
            out.push(common[place - 1]);
        }
        out.extend(interleave(ours, theirs));
    }
    Some(out)
}

/// Merges two lists in natural order, each keeping its own; what is in both comes once.
pub(super) fn interleave<'k>(ours: &[&'k str], theirs: &[&'k str]) -> Vec<&'k str> {
    let mut out: Vec<&str> = Vec::with_capacity(ours.len() + theirs.len());
    let mut seen = BTreeSet::new();
    let (mut a, mut b) = (ours.iter().peekable(), theirs.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (None, None) => return out,
            (Some(x), Some(y)) if natural_cmp(x, y).is_le() => a.next(),
            (_, Some(_)) => b.next(),
            (Some(_), None) => a.next(),
        };
        if let Some(key) = next.filter(|key| seen.insert(**key)) {
            out.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<Item> {
        let item = |word: &str| {
            let (key, content) = word.split_once('=').unwrap_or((word, ""));
            Item {
                key: key.to_owned(),
                content: content.into(),
            }
        };
        text.split_whitespace().map(item).collect()
    }

    fn merged(base: &str, ours: &str, theirs: &str) -> Option<String> {
        let (b, o, t) = (list(base), list(ours), list(theirs));
        let entries = merge(Three {
            base: &b,
            ours: &o,
            theirs: &t,
        })?;
        let show = |e: &Entry| match e.fate {
            Fate::Clash(kind) => format!("{}:{kind:?}", e.key),
            Fate::Ours | Fate::Theirs => e.key.clone(),
            Fate::Both => format!("{}:both", e.key),
        };
        Some(entries.iter().map(show).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn new_keys_at_one_place_interleave_in_natural_order_whichever_side_is_ours() {
        let expected = Some("a 2 9 10 b".to_owned());
        assert_eq!(merged("a b", "a 10 b", "a 2 9 b"), expected);
        assert_eq!(merged("a b", "a 2 9 b", "a 10 b"), expected);
    }

    #[test]
    fn the_side_that_moved_keys_decides_and_two_movers_clash() {
        assert_eq!(merged("a b c", "a b c", "c a b"), Some("c a b".to_owned()));
        assert_eq!(merged("a b c", "c a b", "a b x c"), Some("c a b x".to_owned()));
        assert_eq!(merged("a b c", "c a b", "b a c"), None);
    }

    #[test]
    fn removed_and_changed_clash_and_removed_alone_goes() {
        assert_eq!(
            merged("a=1 b=1 c=1", "a=1 c=1", "a=2 b=2 c=1"),
            Some("a b:ChangedAndRemoved c".to_owned())
        );
        assert_eq!(merged("a b", "a", "a b x"), Some("a x".to_owned()));
        assert_eq!(merged("a", "a n=1", "a n=2"), Some("a n:AddedTwice".to_owned()));
        assert_eq!(merged("a=1", "a=2", "a=3"), Some("a:both".to_owned()));
    }

    #[test]
    fn empty_and_repeated_keys_are_no_keys() {
        assert_eq!(merged("a a", "a", "a"), None);
    }
}
