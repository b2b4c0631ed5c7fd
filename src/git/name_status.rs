//! Which files differ between two trees, as `git diff --name-status` has it (engineering.md 2 and 3).
//! Reads objects only: neither configuration, attributes, index nor work tree have a say.

use std::cmp::Ordering;

use bstr::{BString, ByteSlice};
use gix::objs::tree::{EntryKind, EntryRef};
use gix::objs::{Find, TreeRefIter};

use super::rename::{self, Renames};
use super::{Error, Repository, gix_id, own_id};
use crate::files::ObjectId;

/// Folders within folders that git follows (`core.maxTreeDepth`), and so do we.
const MAX_DEPTH: usize = 2048;

/// What a tree holds at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    File,
    Executable,
    Link,
    Submodule,
}

impl Mode {
    pub const fn is_regular(self) -> bool {
        matches!(self, Self::File | Self::Executable)
    }

    /// Whether the type bits are the same: a change of the executable bit alone keeps the type.
    pub const fn same_type(self, other: Self) -> bool {
        (self.is_regular() && other.is_regular())
            || matches!(
                (self, other),
                (Self::Link, Self::Link) | (Self::Submodule, Self::Submodule)
            )
    }

    /// None for a folder.
    const fn of(kind: EntryKind) -> Option<Self> {
        match kind {
            EntryKind::Blob => Some(Self::File),
            EntryKind::BlobExecutable => Some(Self::Executable),
            EntryKind::Link => Some(Self::Link),
            EntryKind::Commit => Some(Self::Submodule),
            EntryKind::Tree => None,
        }
    }
}

/// One side of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub mode: Mode,
    pub id: ObjectId,
}

/// What happened to a path. Similarity is in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Added,
    Deleted,
    Modified,
    /// Regular file, link and submodule took each other's place.
    TypeChanged,
    Renamed(u8),
    Copied(u8),
}

impl Status {
    /// The letter git prints, with three digits for a rename and a copy.
    pub fn token(self) -> String {
        match self {
            Self::Added => "A".to_owned(),
            Self::Deleted => "D".to_owned(),
            Self::Modified => "M".to_owned(),
            Self::TypeChanged => "T".to_owned(),
            Self::Renamed(percent) => format!("R{percent:03}"),
            Self::Copied(percent) => format!("C{percent:03}"),
        }
    }
}

/// One record. Paths are from the top level, as the trees spell them: a hostile tree may hold `..` in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub status: Status,
    /// The new path; the old one of a deletion.
    pub path: BString,
    /// Where a rename or copy came from.
    pub old_path: Option<BString>,
    /// None for an addition.
    pub old: Option<Version>,
    /// None for a deletion.
    pub new: Option<Version>,
}

/// How pairs of an addition and a deletion are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameStatusOptions {
    pub renames: Renames,
    /// The matrix of inexact candidates is at most this squared; 0 is unlimited.
    pub limit: usize,
}

impl NameStatusOptions {
    /// With git's own limit.
    pub const fn new(renames: Renames) -> Self {
        Self { renames, limit: 1000 }
    }
}

impl Repository {
    /// What `git diff --no-relative --name-status -z <base> <head>` compares, in its order.
    ///
    /// # Errors
    /// [`Error::Object`] if a tree is not there, [`Error::Blob`] if the content of a rename's candidate is not:
    /// neither is ever fetched, nor taken for empty.
    pub fn name_status(
        &self,
        base_tree: ObjectId,
        head_tree: ObjectId,
        options: NameStatusOptions,
    ) -> Result<Vec<Change>, Error> {
        let changes = self.with(|repo| {
            let mut walk = Walk {
                repo,
                idle: Vec::new(),
                path: BString::default(),
                depth: 0,
                out: Vec::new(),
            };
            walk.folder(Some(gix_id(base_tree)), Some(gix_id(head_tree)))?;
            Ok(walk.out)
        })?;
        rename::detect(self, changes, options)
    }

    /// The tree of a commit.
    pub fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, Error> {
        self.with(|repo| {
            let found = repo
                .find_commit(gix_id(commit))
                .and_then(|c| c.tree_id().map(gix::Id::detach));
            found.map(own_id).map_err(|e| Error::Object {
                what: commit.to_string(),
                reason: e.to_string(),
            })
        })
    }
}

/// The bytes of `git diff --name-status -z`.
pub fn name_status_stream(changes: &[Change]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name_status_len(changes));
    for change in changes {
        out.extend_from_slice(change.status.token().as_bytes());
        out.push(0);
        for path in change.old_path.iter().chain([&change.path]) {
            out.extend_from_slice(path);
            out.push(0);
        }
    }
    out
}

/// The length of [`name_status_stream`], in bytes, at most 3 too much a record.
pub fn name_status_len(changes: &[Change]) -> usize {
    let length = |c: &Change| 6 + c.path.len() + c.old_path.as_ref().map_or(0, |old| old.len());
    changes.iter().map(length).sum()
}

/// A walk through two trees side by side, in path order.
struct Walk<'r> {
    repo: &'r gix::Repository,
    idle: Vec<Vec<u8>>,
    path: BString,
    depth: usize,
    out: Vec<Change>,
}

impl Walk<'_> {
    /// Compares two folders at the current path; none is an empty one.
    fn folder(&mut self, old: Option<gix::ObjectId>, new: Option<gix::ObjectId>) -> Result<(), Error> {
        if old == new {
            return Ok(());
        }
        if self.depth > MAX_DEPTH {
            return Err(Error::Object {
                what: crate::text::escape_bytes(&self.path[..self.path.len().min(80)]),
                reason: format!("more than {MAX_DEPTH} folders within each other"),
            });
        }
        let (old_bytes, new_bytes) = (self.load(old)?, self.load(new)?);
        let hash = self.repo.object_hash();
        let mut olds = TreeRefIter::from_bytes(&old_bytes, hash);
        let mut news = TreeRefIter::from_bytes(&new_bytes, hash);
        let (mut a, mut b) = (next(&mut olds, old)?, next(&mut news, new)?);
        loop {
            let order = match (&a, &b) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => tree_order(a, b),
            };
            match order {
                Ordering::Less => self.entry(a.as_ref(), None)?,
                Ordering::Greater => self.entry(None, b.as_ref())?,
                Ordering::Equal => self.entry(a.as_ref(), b.as_ref())?,
            }
            if order.is_le() {
                a = next(&mut olds, old)?;
            }
            if order.is_ge() {
                b = next(&mut news, new)?;
            }
        }
        self.idle.push(old_bytes);
        self.idle.push(new_bytes);
        Ok(())
    }

    /// Compares two entries of one name that are both folders or both not.
    fn entry(&mut self, old: Option<&EntryRef<'_>>, new: Option<&EntryRef<'_>>) -> Result<(), Error> {
        let kind = |e: &EntryRef<'_>| e.mode.kind();
        if let (Some(old), Some(new)) = (old, new)
            && old.oid == new.oid
            && kind(old) == kind(new)
        {
            return Ok(());
        }
        let Some(any) = old.or(new) else { return Ok(()) };
        let above = self.path.len();
        if above > 0 {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(any.filename);
        if kind(any) == EntryKind::Tree {
            self.depth += 1;
            self.folder(old.map(|e| e.oid.to_owned()), new.map(|e| e.oid.to_owned()))?;
            self.depth -= 1;
        } else {
            let version = |e: &EntryRef<'_>| {
                Mode::of(kind(e)).map(|mode| Version {
                    mode,
                    id: ObjectId::from_bytes(e.oid.as_bytes()),
                })
            };
            let (old, new) = (old.and_then(version), new.and_then(version));
            let status = match (old, new) {
                (None, _) => Status::Added,
                (_, None) => Status::Deleted,
                (Some(old), Some(new)) if old.mode.same_type(new.mode) => Status::Modified,
                (Some(_), Some(_)) => Status::TypeChanged,
            };
            self.out.push(Change {
                status,
                path: self.path.clone(),
                old_path: None,
                old,
                new,
            });
        }
        self.path.truncate(above);
        Ok(())
    }

    fn load(&mut self, id: Option<gix::ObjectId>) -> Result<Vec<u8>, Error> {
        let mut bytes = self.idle.pop().unwrap_or_default();
        bytes.clear();
        let Some(id) = id.filter(|id| !id.is_empty_tree()) else {
            return Ok(bytes);
        };
        let fail = |reason: String| Error::Object {
            what: format!("tree {id}"),
            reason,
        };
        match self.repo.objects.try_find(&id, &mut bytes) {
            Ok(Some(found)) if found.kind == gix::objs::Kind::Tree => {}
            Ok(Some(found)) => return Err(fail(format!("it is a {}", found.kind))),
            Ok(None) => return Err(fail(NOT_HERE.to_owned())),
            Err(e) => return Err(fail(e.to_string())),
        }
        Ok(bytes)
    }
}

/// Said of an object that a partial clone or a damaged repository lacks. It is never fetched.
pub(super) const NOT_HERE: &str =
    "the object is not here; in a partial clone `git fetch --refetch --no-filter` brings it";

fn next<'t>(
    entries: &mut TreeRefIter<'t>,
    tree: Option<gix::ObjectId>,
) -> Result<Option<EntryRef<'t>>, Error> {
    entries.next().transpose().map_err(|e| Error::Object {
        what: tree.map_or_else(String::new, |id| format!("tree {id}")),
        reason: e.to_string(),
    })
}

/// The order of entries in a tree: by bytes, a folder's name ending in `/`. So a file and a folder are never equal.
fn tree_order(a: &EntryRef<'_>, b: &EntryRef<'_>) -> Ordering {
    let shared = a.filename.len().min(b.filename.len());
    let end = |e: &EntryRef<'_>| match e.filename.get(shared) {
        Some(byte) => *byte,
        None if e.mode.is_tree() => b'/',
        None => 0,
    };
    a.filename[..shared]
        .as_bytes()
        .cmp(&b.filename[..shared])
        .then_with(|| end(a).cmp(&end(b)))
}
