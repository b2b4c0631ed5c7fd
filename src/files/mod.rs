//! Trees of files and the one way to change them: [`Tree`] for everything that is judged, [`Writer`] and
//! [`Transaction`] for everything that is written. Knows no specification.

mod above;
mod act;
mod events;
mod fresh;
mod guarded;
mod journal;
mod lock;
mod memory;
mod overlay;
mod path;
mod peer_lock;
mod pid_lock;
mod plan;
mod records;
mod regular;
mod rewrite;
mod scripts;
mod single;
mod terminal;
mod unignored;
mod work_tree;
mod write;

pub use above::{is_top, nearest, plain_path, real_path};
pub use act::Kept;
pub use events::Events;
pub use fresh::create_fresh;
pub use guarded::{Guarded, Weakness, read_guarded, replace_guarded};
pub use journal::{NothingOutside, Outside, Recovered, saved_dir};
pub use lock::{Lock, LockError, LockRule};
pub use memory::MemoryTree;
pub use overlay::OverlayTree;
pub use path::{InvalidPath, RepoPath};
pub use peer_lock::{Owner, PeerLock, PeerLockError};
pub use pid_lock::{LockBody, PidLock, PidLockError, PidLockRule};
pub use records::{Records, append_records};
pub use regular::{Unread, open_regular, read_regular};
pub use rewrite::{discard, rewrite};
pub use scripts::{is_executable, make_folder, remove_if_empty, rename, write_script};
pub use terminal::tell_terminal;
pub use unignored::unignored;
pub use work_tree::WorkTree;
pub use write::{Digest, Transaction, WriteError, Writer, Written, append};

use std::fmt;
use std::io::{self, Read};

use bstr::BString;

use crate::say;
use crate::text::Bytes;
use crate::voice::{Say, Voice};

/// One part of a path.
pub type Name = BString;

/// The id of a git object, of either hash; known for trees that come from git.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    bytes: [u8; 32],
    len: u8,
}

impl ObjectId {
    /// An id from its 20 or 32 bytes.
    ///
    /// # Panics
    /// For any other length: ids come from git.
    pub fn from_bytes(id: &[u8]) -> Self {
        assert!(matches!(id.len(), 20 | 32), "git's ids have 20 or 32 bytes");
        let mut bytes = [0; 32];
        bytes[..id.len()].copy_from_slice(id);
        Self {
            bytes,
            len: if id.len() == 20 { 20 } else { 32 },
        }
    }

    /// Reads 40 or 64 lower-case hexadecimal digits.
    pub fn from_hex(hex: &str) -> Option<Self> {
        if !matches!(hex.len(), 40 | 64) || !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        let bytes: Option<Vec<u8>> = (0..hex.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).ok())
            .collect();
        Some(Self::from_bytes(&bytes?))
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Whether all digits are 0: the id of no object, which git writes where there is none.
    pub fn is_zeros(&self) -> bool {
        self.as_bytes().iter().all(|byte| *byte == 0)
    }

    /// The first 12 digits, as commits are shown to people.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What stands at a path, no link followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Dir,
    Link,
    Submodule,
    /// A pipe, socket or device.
    Special,
}

/// One entry of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub kind: Kind,
    pub executable: bool,
    pub id: Option<ObjectId>,
}

impl Entry {
    pub const fn new(kind: Kind) -> Self {
        Self {
            kind,
            executable: false,
            id: None,
        }
    }
}

/// Where a path leads when links are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// To something below the root of the tree; the path has no link in it any more.
    Inside { path: RepoPath, kind: Kind },
    /// To something that exists but not below the root.
    Outside { kind: Kind },
    /// Nowhere: a missing part, a loop of links, a way through a file.
    Dangling,
}

/// Something could not be read. Its message names the path.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` cannot be read: {source}")]
pub struct ReadError {
    pub path: RepoPath,
    #[source]
    pub source: io::Error,
}

impl Say for ReadError {
    fn say(&self, voice: &Voice) -> String {
        let Self { path, source } = self;
        say!(
            voice,
            "`{path}` cannot be read: {source}",
            "无法读取 `{path}`：{source}"
        )
    }
}

impl ReadError {
    pub fn new(path: &RepoPath, source: io::Error) -> Self {
        Self {
            path: path.clone(),
            source,
        }
    }
}

/// A tree of files rooted at the project: a work tree, an index, a commit, or edits laid over one of them.
pub trait Tree: Send + Sync {
    /// What stands at `path`, following no link at its end; none if nothing does.
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>, ReadError>;

    /// The entries of a folder in byte order; a missing folder is empty, a file is an error.
    fn list(&self, dir: &RepoPath) -> Result<Vec<(Name, Entry)>, ReadError>;

    /// Where `path` leads through links.
    fn resolve(&self, path: &RepoPath) -> Result<Resolved, ReadError>;

    /// The content at `path`, through links: on disk wherever they lead, else only inside the tree. Missing is none; a
    /// folder is an error.
    fn read(&self, path: &RepoPath) -> Result<Option<Bytes>, ReadError>;

    /// Where the link at `path` points, as it is written.
    fn link_target(&self, path: &RepoPath) -> Result<Bytes, ReadError>;

    /// As [`Tree::read`], a piece at a time.
    fn open(&self, path: &RepoPath) -> Result<Option<Box<dyn Read>>, ReadError> {
        Ok(self
            .read(path)?
            .map(|bytes| Box::new(io::Cursor::new(bytes)) as Box<dyn Read>))
    }

    /// Whether something stands at `path` when links are followed; a dangling link is nothing.
    fn exists(&self, path: &RepoPath) -> Result<bool, ReadError> {
        Ok(match self.entry(path)? {
            None => false,
            Some(Entry { kind: Kind::Link, .. }) => self.resolve(path)? != Resolved::Dangling,
            Some(_) => true,
        })
    }

    /// Whether a regular file stands at `path` when links are followed.
    fn is_file(&self, path: &RepoPath) -> Result<bool, ReadError> {
        Ok(match self.entry(path)? {
            None => false,
            Some(Entry { kind: Kind::Link, .. }) => {
                matches!(
                    self.resolve(path)?,
                    Resolved::Inside { kind: Kind::File, .. } | Resolved::Outside { kind: Kind::File }
                )
            }
            Some(entry) => entry.kind == Kind::File,
        })
    }
}

/// The content of a regular file; none of anything else, a link too: what it leads to is not what stands there.
pub fn regular_content(tree: &dyn Tree, path: &RepoPath) -> Result<Option<Bytes>, ReadError> {
    match tree.entry(path)? {
        Some(entry) if entry.kind == Kind::File => tree.read(path),
        _ => Ok(None),
    }
}

/// All regular files below `dir`, at any depth, in path order; links are not followed. A file lists as itself.
pub fn walk(tree: &dyn Tree, dir: &RepoPath) -> Result<Vec<RepoPath>, ReadError> {
    let mut out = Vec::new();
    match tree.entry(dir)?.map(|e| e.kind) {
        Some(Kind::File) => out.push(dir.clone()),
        Some(Kind::Dir) => walk_into(tree, dir, &mut out)?,
        None | Some(Kind::Link | Kind::Submodule | Kind::Special) => {}
    }
    out.sort();
    Ok(out)
}

fn walk_into(tree: &dyn Tree, dir: &RepoPath, out: &mut Vec<RepoPath>) -> Result<(), ReadError> {
    for (name, entry) in tree.list(dir)? {
        let path = dir.join(&name);
        match entry.kind {
            Kind::File => out.push(path),
            Kind::Dir => walk_into(tree, &path, out)?,
            Kind::Link | Kind::Submodule | Kind::Special => {}
        }
    }
    Ok(())
}

/// Follows links inside a tree that has no operating system to do it (index, commit, memory).
pub(crate) fn resolve_links(tree: &dyn Tree, path: &RepoPath) -> Result<Resolved, ReadError> {
    let mut todo: Vec<Name> = path.parts().map(ToOwned::to_owned).collect();
    todo.reverse();
    let mut at = RepoPath::root();
    let mut kind = Kind::Dir;
    let mut links = 0;
    while let Some(part) = todo.pop() {
        if part == "." {
            continue;
        }
        if part == ".." {
            match at.parent() {
                Some(up) => (at, kind) = (up, Kind::Dir),
                None => return Ok(Resolved::Outside { kind: Kind::Dir }),
            }
            continue;
        }
        if kind != Kind::Dir {
            return Ok(Resolved::Dangling);
        }
        let next = at.join(&part);
        match tree.entry(&next)? {
            None => return Ok(Resolved::Dangling),
            Some(Entry { kind: Kind::Link, .. }) => {
                links += 1;
                let target = tree.link_target(&next)?;
                if links > 40 || target.is_empty() {
                    return Ok(Resolved::Dangling);
                }
                if target.starts_with(b"/") {
                    return Ok(Resolved::Outside { kind: Kind::File });
                }
                let parts = target.split(|b| *b == b'/').filter(|p| !p.is_empty());
                todo.extend(parts.rev().map(Name::from));
            }
            Some(entry) => (at, kind) = (next, entry.kind),
        }
    }
    Ok(Resolved::Inside { path: at, kind })
}

#[cfg(test)]
mod tests {
    use super::ObjectId;

    #[test]
    fn ids_of_both_hashes_are_read_and_shown() {
        for len in [40, 64] {
            let hex = "0f".repeat(len / 2);
            assert_eq!(ObjectId::from_hex(&hex).map(|id| id.to_string()), Some(hex));
        }
        assert_eq!(ObjectId::from_hex(&"0F".repeat(20)), None);
    }
}
