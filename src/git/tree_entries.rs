//! The entries of a tree object, read from its bytes; most of two versions of a tree is equal and passed over unread.

use std::cmp::Ordering;

use bstr::{BStr, ByteSlice};

use super::name_status::Mode;

/// What is left of a tree to read.
#[derive(Clone, Copy)]
pub(super) struct Entries<'t> {
    rest: &'t [u8],
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

/// The bytes are no tree.
#[derive(Debug)]
pub(super) struct Damaged;

impl<'t> Entries<'t> {
    pub(super) const fn of(tree: &'t [u8], id_length: usize) -> Self {
        Self {
            rest: tree,
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
        }
    }

    fn next_bytes(&self) -> Option<&'t [u8]> {
        let nul = self.rest.find_byte(0)?;
        self.rest.get(..=nul + self.id_length)
    }

    /// The next entry; none at the end.
    pub(super) fn peek(&self) -> Result<Option<RawEntry<'t>>, Damaged> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let entry = self.next_bytes().ok_or(Damaged)?;
        let (head, id) = entry.split_at(entry.len() - self.id_length);
        let (mode, name) = head[..head.len() - 1].split_once_str(b" ").ok_or(Damaged)?;
        if name.is_empty() || mode.is_empty() || mode.len() > 7 {
            return Err(Damaged);
        }
        let mode = mode.iter().try_fold(0_u32, |mode, digit| match digit {
            b'0'..=b'7' => Ok(mode * 8 + u32::from(digit - b'0')),
            _ => Err(Damaged),
        })?;
        Ok(Some(RawEntry {
            mode: mode_of(mode),
            name: name.as_bstr(),
            id,
            length: entry.len(),
        }))
    }

    /// Goes beyond an entry that was peeked at.
    pub(super) fn pass(&mut self, entry: &RawEntry<'t>) {
        self.rest = &self.rest[entry.length..];
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
