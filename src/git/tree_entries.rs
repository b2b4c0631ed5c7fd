//! The entries of a tree object, read from its bytes; most of two versions of a tree is equal and passed over unread.

use std::cmp::Ordering;

use bstr::{BStr, BString, ByteSlice};

use super::name_status::Mode;

/// What is left of a tree to read.
#[derive(Clone, Copy)]
pub(super) struct Entries<'t> {
    rest: &'t [u8],
    /// The entry before.
    last: &'t [u8],
    id_length: usize,
}

/// One entry.
pub(super) struct RawEntry<'t> {
    /// None for a folder.
    pub(super) mode: Option<Mode>,
    pub(super) name: &'t BStr,
    pub(super) id: &'t [u8],
    length: usize,
}

/// Why bytes are no tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Damaged {
    Form,
    /// Entries are not in their order, or two have this name: git takes the one here and the other there.
    Order(BString),
}

impl<'t> Entries<'t> {
    pub(super) const fn of(tree: &'t [u8], id_length: usize) -> Self {
        Self {
            rest: tree,
            last: b"",
            id_length,
        }
    }

    /// Passes over entries that come next in both trees.
    pub(super) fn skip_shared(&mut self, other: &mut Self) {
        while let Some(entry) = self.next_bytes()
            && let Some(rest) = other.rest.strip_prefix(entry)
        {
            other.rest = rest;
            self.rest = &self.rest[entry.len()..];
            (self.last, other.last) = (entry, entry);
        }
    }

    fn next_bytes(&self) -> Option<&'t [u8]> {
        let nul = self.rest.find_byte(0)?;
        self.rest.get(..=nul + self.id_length)
    }

    /// The next entry, which comes after the one before; none at the end.
    pub(super) fn peek(&self) -> Result<Option<RawEntry<'t>>, Damaged> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let entry = self.parse(self.next_bytes().ok_or(Damaged::Form)?)?;
        if !self.last.is_empty() && self.parse(self.last)?.tree_order(&entry) != Ordering::Less {
            return Err(Damaged::Order(entry.name.to_owned()));
        }
        Ok(Some(entry))
    }

    /// Whether a file has the name of the folder `entry`, the next one of `tree`, or a folder that of the file.
    pub(super) fn has_twin(mut self, entry: &RawEntry<'t>, tree: &'t [u8]) -> Result<bool, Damaged> {
        if entry.mode.is_some() {
            self.pass(entry);
            // A folder of that name comes behind all that has the name in front of a smaller byte than `/`.
            while let Some(next) = self.peek()?.filter(|next| next.name.starts_with(entry.name)) {
                if next.name == entry.name {
                    return Ok(true);
                }
                self.pass(&next);
            }
            return Ok(false);
        }
        let before = &tree[..tree.len() - self.rest.len()];
        let text = [&b" "[..], entry.name, b"\0"].concat();
        if before.find(&text).is_none() {
            return Ok(false);
        }
        // It may be a piece of an id.
        let mut all = Self::of(before, self.id_length);
        while let Some(other) = all.peek()? {
            if other.name == entry.name {
                return Ok(true);
            }
            all.pass(&other);
        }
        Ok(false)
    }

    fn parse(&self, entry: &'t [u8]) -> Result<RawEntry<'t>, Damaged> {
        let (head, id) = entry.split_at(entry.len() - self.id_length);
        let (mode, name) = head[..head.len() - 1].split_once_str(b" ").ok_or(Damaged::Form)?;
        if name.is_empty() || mode.is_empty() || mode.len() > 7 {
            return Err(Damaged::Form);
        }
        let mode = mode.iter().try_fold(0_u32, |mode, digit| match digit {
            b'0'..=b'7' => Ok(mode * 8 + u32::from(digit - b'0')),
            _ => Err(Damaged::Form),
        })?;
        Ok(RawEntry {
            mode: mode_of(mode),
            name: name.as_bstr(),
            id,
            length: entry.len(),
        })
    }

    /// Goes beyond an entry that was peeked at.
    pub(super) fn pass(&mut self, entry: &RawEntry<'t>) {
        (self.last, self.rest) = self.rest.split_at(entry.length);
    }
}

/// Of the permissions only the owner's executable bit counts, and what is neither file, folder nor link is a submodule.
const fn mode_of(mode: u32) -> Option<Mode> {
    match mode & 0o170_000 {
        0o040_000 => None,
        0o100_000 if mode & 0o100 != 0 => Some(Mode::Executable),
        0o100_000 => Some(Mode::File),
        0o120_000 => Some(Mode::Link),
        _ => Some(Mode::Submodule),
    }
}

impl RawEntry<'_> {
    /// The order of entries in a tree: by bytes, a folder's name ending in `/`. So a file and a folder are never equal.
    pub(super) fn tree_order(&self, other: &Self) -> Ordering {
        let shared = self.name.len().min(other.name.len());
        let end = |entry: &Self| match entry.name.get(shared) {
            Some(byte) => *byte,
            None if entry.mode.is_none() => b'/',
            None => 0,
        };
        let start = self.name[..shared].cmp(&other.name[..shared]);
        start.then_with(|| end(self).cmp(&end(other)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn odd_permissions_are_read_as_git_reads_them() {
        assert_eq!(mode_of(0o100_664), Some(Mode::File));
        assert_eq!(mode_of(0o100_700), Some(Mode::Executable));
        assert_eq!(mode_of(0o40_755), None);
        assert_eq!(mode_of(0o120_777), Some(Mode::Link));
    }

    #[test]
    fn two_entries_of_one_name_are_damage() {
        let entry =
            |mode: &str, name: &str, id: u8| [mode.as_bytes(), b" ", name.as_bytes(), &[0, id, id]].concat();
        let damage = |tree: &[u8]| {
            let mut entries = Entries::of(tree, 2);
            loop {
                let next = match entries.peek() {
                    Ok(Some(next)) => next,
                    Ok(None) => return None,
                    Err(damage) => return Some(damage),
                };
                match entries.has_twin(&next, tree) {
                    Ok(false) => entries.pass(&next),
                    Ok(true) => return Some(Damaged::Order(next.name.to_owned())),
                    Err(damage) => return Some(damage),
                }
            }
        };
        let (file, folder) = ("100644", "40000");
        let a = |mode, id| entry(mode, "a", id);
        let between = entry(file, "a.b", 1);
        let order = |name: &str| Some(Damaged::Order(name.into()));
        assert_eq!(
            damage(&[a(file, 1), between.clone(), entry(folder, "b", 1)].concat()),
            None
        );
        assert_eq!(damage(&[a(file, 1), a(file, 2)].concat()), order("a"));
        assert_eq!(
            damage(&[a(file, 1), between.clone(), a(folder, 2)].concat()),
            order("a")
        );
        assert_eq!(damage(&[between, a(folder, 1)].concat()), None);
        assert_eq!(damage(&[entry(file, "b", 1), a(file, 2)].concat()), order("a"));
        // Bytes of an id that look like the name are none.
        assert_eq!(
            damage(
                &[
                    b"100644 0\0 a".to_vec(),
                    b"100644 \x30b\0\0\0".to_vec(),
                    a(folder, 1)
                ]
                .concat()
            ),
            None
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_entries_or_damaged(tree in prop::collection::vec(prop_oneof![Just(b' '), Just(0), Just(b'7'), any::<u8>()], 0..120)) {
            let mut entries = Entries::of(&tree, 4);
            let mut length = 0;
            while let Ok(Some(entry)) = entries.peek() {
                length += entry.length;
                entries.pass(&entry);
            }
            prop_assert!(length <= tree.len());
        }
    }
}
