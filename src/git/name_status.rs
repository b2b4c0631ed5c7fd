//! Which files differ between two trees, as `git diff --name-status` has it (engineering.md 2 and 3).
//! Reads objects only: neither configuration, attributes, index nor work tree have a say.

use std::borrow::Cow;
use std::cmp::Ordering;

use bstr::BString;
use gix::objs::Find;

use super::rename::{self, Renames};
use super::tree_entries::{Damaged, Entries, RawEntry};
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
    pub fn token(self) -> Cow<'static, str> {
        match self {
            Self::Added => "A".into(),
            Self::Deleted => "D".into(),
            Self::Modified => "M".into(),
            Self::TypeChanged => "T".into(),
            Self::Renamed(percent) => format!("R{percent:03}").into(),
            Self::Copied(percent) => format!("C{percent:03}").into(),
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
        let mut walk = Walk {
            repo: self.handle(),
            idle: Vec::new(),
            path: BString::default(),
            depth: 0,
            out: Vec::new(),
        };
        walk.folder(Some(gix_id(base_tree)), Some(gix_id(head_tree)))?;
        rename::detect(self, walk.out, options)
    }

    /// The tree without entries, which need not be stored to be compared with.
    pub fn empty_tree(&self) -> ObjectId {
        self.with(|repo| own_id(gix::ObjectId::empty_tree(repo.object_hash())))
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
    let length = |c: &Change| 6 + c.path.len() + c.old_path.as_ref().map_or(0, |old| old.len() + 1);
    changes.iter().map(length).sum()
}

/// A walk through two trees side by side, in path order.
struct Walk {
    repo: gix::Repository,
    idle: Vec<Vec<u8>>,
    path: BString,
    depth: usize,
    out: Vec<Change>,
}

impl Walk {
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
        let id_length = self.repo.object_hash().len_in_bytes();
        let fail = |tree: Option<gix::ObjectId>| move |damage: Damaged| damaged(tree, &damage);
        let mut olds = Entries::of(&old_bytes, id_length);
        let mut news = Entries::of(&new_bytes, id_length);
        loop {
            olds.skip_shared(&mut news);
            let a = olds.peek().map_err(fail(old))?;
            let b = news.peek().map_err(fail(new))?;
            let order = match (&a, &b) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.tree_order(b),
            };
            let a = a.filter(|_| order.is_le());
            let b = b.filter(|_| order.is_ge());
            if let Some(b) = &b
                && news.has_twin(b, &new_bytes).map_err(fail(new))?
            {
                return Err(damaged(new, &Damaged::Order(b.name.to_owned())));
            }
            self.entry(a.as_ref(), b.as_ref())?;
            if let Some(a) = &a {
                olds.pass(a);
            }
            if let Some(b) = &b {
                news.pass(b);
            }
        }
        self.idle.push(old_bytes);
        self.idle.push(new_bytes);
        Ok(())
    }

    /// Compares two entries of one name that are both folders or both not.
    fn entry(&mut self, old: Option<&RawEntry<'_>>, new: Option<&RawEntry<'_>>) -> Result<(), Error> {
        if let (Some(old), Some(new)) = (old, new)
            && old.id == new.id
            && old.mode == new.mode
        {
            return Ok(());
        }
        let Some(any) = old.or(new) else { return Ok(()) };
        let above = self.path.len();
        if above > 0 {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(any.name);
        if any.mode.is_none() {
            let id = |e: &RawEntry<'_>| gix::ObjectId::from_bytes_or_panic(e.id);
            self.depth += 1;
            self.folder(old.map(id), new.map(id))?;
            self.depth -= 1;
        } else {
            self.record(old, new);
        }
        self.path.truncate(above);
        Ok(())
    }

    fn record(&mut self, old: Option<&RawEntry<'_>>, new: Option<&RawEntry<'_>>) {
        let version = |e: &RawEntry<'_>| {
            e.mode.map(|mode| Version {
                mode,
                id: ObjectId::from_bytes(e.id),
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

pub(super) fn damaged(tree: Option<gix::ObjectId>, damage: &Damaged) -> Error {
    let reason = match damage {
        Damaged::Form => "it is damaged; `git fsck` says more".to_owned(),
        Damaged::Order(name) => two_entries(name),
    };
    Error::Object {
        what: tree.map_or_else(String::new, |id| format!("tree {id}")),
        reason,
    }
}

/// Said of a tree in which a name has two meanings.
pub(super) fn two_entries(name: &[u8]) -> String {
    let name = crate::text::escape_bytes(name);
    format!("its entry `{name}` is not in its place, or there twice; `git fsck` says more")
}
