//! The files of a commit and of the index, as trees. Blobs are given as stored.

use std::io;

use bstr::{BStr, ByteSlice};

use super::name_status::two_entries;
use super::{Error, Repository, gix_id, own_id};
use crate::files::{Entry, Kind, Name, ObjectId, ReadError, RepoPath, Resolved, Tree, resolve_links};
use crate::text::Bytes;

fn read_error(path: &RepoPath, reason: impl std::fmt::Display) -> ReadError {
    ReadError::new(path, io::Error::other(reason.to_string()))
}

/// The files of one commit below a prefix.
pub struct CommitTree<'r> {
    repository: &'r Repository,
    commit: ObjectId,
    /// The tree at the prefix; none if nothing is there.
    tree: Option<gix::ObjectId>,
}

impl<'r> CommitTree<'r> {
    pub(super) fn new(
        repository: &'r Repository,
        commit: ObjectId,
        prefix: &RepoPath,
    ) -> Result<Self, Error> {
        let tree = repository.with(|repo| {
            let fail = |e: gix::Error| Error::Object {
                what: commit.to_string(),
                reason: e.to_string(),
            };
            let top = repo
                .find_commit(gix_id(commit))
                .and_then(|c| c.tree_id().map(gix::Id::detach))
                .map_err(fail)?;
            let found = find(repo, top, prefix).map_err(|reason| Error::Object {
                what: commit.to_string(),
                reason,
            })?;
            Ok(found.filter(|(kind, _)| kind.kind == Kind::Dir).map(|(_, id)| id))
        })?;
        Ok(Self {
            repository,
            commit,
            tree,
        })
    }

    pub fn commit(&self) -> ObjectId {
        self.commit
    }
}

fn entry_of(mode: gix::objs::tree::EntryMode, id: gix::ObjectId) -> Entry {
    use gix::objs::tree::EntryKind;
    let kind = match mode.kind() {
        EntryKind::Blob | EntryKind::BlobExecutable => Kind::File,
        EntryKind::Tree => Kind::Dir,
        EntryKind::Link => Kind::Link,
        EntryKind::Commit => Kind::Submodule,
    };
    Entry {
        kind,
        executable: mode.is_executable(),
        id: Some(own_id(id)),
    }
}

/// Goes down from a tree; a folder above a missing part, or a file on the way, is no find.
pub(super) fn find(
    repo: &gix::Repository,
    top: gix::ObjectId,
    path: &RepoPath,
) -> Result<Option<(Entry, gix::ObjectId)>, String> {
    let mut at = top;
    let mut entry = Entry {
        kind: Kind::Dir,
        executable: false,
        id: Some(own_id(top)),
    };
    for part in path.parts() {
        if entry.kind != Kind::Dir {
            return Ok(None);
        }
        let tree = repo.find_tree(at).map_err(|e| e.to_string())?;
        let tree = tree.decode().map_err(|e| e.to_string())?;
        let mut of_name = tree.entries.iter().filter(|e| e.filename == part);
        let Some(found) = of_name.next().map(|e| (e.mode, e.oid.to_owned())) else {
            return Ok(None);
        };
        if of_name.next().is_some() {
            return Err(two_entries(part));
        }
        (entry, at) = (entry_of(found.0, found.1), found.1);
    }
    Ok(Some((entry, at)))
}

impl Tree for CommitTree<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>, ReadError> {
        let Some(top) = self.tree else { return Ok(None) };
        let found = self
            .repository
            .with(|repo| find(repo, top, path))
            .map_err(|e| read_error(path, e))?;
        Ok(found.map(|(entry, _)| entry))
    }

    fn list(&self, dir: &RepoPath) -> Result<Vec<(Name, Entry)>, ReadError> {
        let Some(top) = self.tree else {
            return Ok(Vec::new());
        };
        self.repository.with(|repo| {
            let fail = |e: &dyn std::fmt::Display| read_error(dir, e);
            match find(repo, top, dir).map_err(|e| fail(&e))? {
                None => Ok(Vec::new()),
                Some((entry, _)) if entry.kind != Kind::Dir => {
                    Err(ReadError::new(dir, io::Error::from(io::ErrorKind::NotADirectory)))
                }
                Some((_, id)) => {
                    let tree = repo.find_tree(id).map_err(|e| fail(&e))?;
                    let tree = tree.decode().map_err(|e| fail(&e))?;
                    let named = |e: &gix::objs::tree::EntryRef<'_>| {
                        // No checkout makes such an entry, but whoever pushes a tree may write one.
                        if e.filename.contains(&b'/') || !RepoPath::is_path(e.filename) {
                            let name = crate::text::escape_bytes(e.filename);
                            return Err(fail(&format!(
                                "it has an entry `{name}`, which is no name of a file"
                            )));
                        }
                        Ok((e.filename.to_owned(), entry_of(e.mode, e.oid.to_owned())))
                    };
                    let mut out: Vec<(Name, Entry)> =
                        tree.entries.iter().map(named).collect::<Result<_, _>>()?;
                    out.sort_by(|a, b| a.0.cmp(&b.0));
                    match out.iter().zip(out.iter().skip(1)).find(|(a, b)| a.0 == b.0) {
                        Some((twin, _)) => Err(fail(&two_entries(&twin.0))),
                        None => Ok(out),
                    }
                }
            }
        })
    }

    fn resolve(&self, path: &RepoPath) -> Result<Resolved, ReadError> {
        resolve_links(self, path)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Bytes>, ReadError> {
        read_through_links(self, path, |id| blob(self.repository, id, path))
    }

    fn link_target(&self, path: &RepoPath) -> Result<Bytes, ReadError> {
        target_of(self, path, |id| blob(self.repository, id, path))
    }
}

/// The files of the index below a prefix; unmerged entries cannot be read.
pub struct IndexTree<'r> {
    repository: &'r Repository,
    entries: Vec<IndexEntry>,
}

struct IndexEntry {
    path: RepoPath,
    entry: Entry,
    unmerged: bool,
}

impl<'r> IndexTree<'r> {
    pub(super) fn new(repository: &'r Repository, prefix: &RepoPath) -> Result<Self, Error> {
        use gix::index::entry::{Flags, Mode, Stage};
        let fail = |reason: String| Error::Object {
            what: "the index".to_owned(),
            reason,
        };
        let entries = repository.with(|repo| {
            let index = repo.index_or_empty().map_err(|e| fail(e.to_string()))?;
            let mut out = Vec::new();
            for e in index.entries() {
                let bytes: &BStr = e.path(&index);
                if !bytes.starts_with(prefix.as_bytes()) || e.flags.contains(Flags::INTENT_TO_ADD) {
                    continue;
                }
                if e.mode.is_sparse() {
                    return Err(fail(format!(
                        "it is sparse at `{bytes}`; `git sparse-checkout disable` or a full index is needed"
                    )));
                }
                let path = RepoPath::new(bytes).map_err(|e| fail(e.to_string()))?;
                let Some(path) = path.strip_prefix(prefix) else {
                    continue;
                };
                let kind = match e.mode {
                    Mode::SYMLINK => Kind::Link,
                    Mode::COMMIT => Kind::Submodule,
                    _ => Kind::File,
                };
                let entry = Entry {
                    kind,
                    executable: e.mode == Mode::FILE_EXECUTABLE,
                    id: Some(own_id(e.id)),
                };
                out.push(IndexEntry {
                    path,
                    entry,
                    unmerged: e.stage() != Stage::Unconflicted,
                });
            }
            Ok(out)
        })?;
        Ok(Self { repository, entries })
    }

    /// The entries at and below a path: they are sorted by bytes, with `/` inside names.
    fn below<'s>(&'s self, dir: &'s RepoPath) -> impl Iterator<Item = (RepoPath, &'s IndexEntry)> {
        let from = if dir.is_root() {
            0
        } else {
            self.entries
                .partition_point(|e| e.path.as_bytes() < dir.as_bytes())
        };
        self.entries[from..]
            .iter()
            .take_while(|e| e.path.as_bytes().starts_with(dir.as_bytes()))
            .filter_map(|e| e.path.strip_prefix(dir).map(|rest| (rest, e)))
    }
}

impl Tree for IndexTree<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>, ReadError> {
        match self.below(path).next() {
            None => Ok(path.is_root().then(|| Entry::new(Kind::Dir))),
            Some((_, e)) if e.unmerged => Err(read_error(path, "it is unmerged in the index")),
            Some((rest, e)) if rest.is_root() => Ok(Some(e.entry)),
            Some(_) => Ok(Some(Entry::new(Kind::Dir))),
        }
    }

    fn list(&self, dir: &RepoPath) -> Result<Vec<(Name, Entry)>, ReadError> {
        let mut out: Vec<(Name, Entry)> = Vec::new();
        for (rest, e) in self.below(dir) {
            let mut parts = rest.parts();
            let Some(first) = parts.next() else {
                return Err(ReadError::new(dir, io::Error::from(io::ErrorKind::NotADirectory)));
            };
            if e.unmerged {
                return Err(read_error(
                    &dir.join(rest.as_bytes()),
                    "it is unmerged in the index",
                ));
            }
            let entry = if parts.next().is_some() {
                Entry::new(Kind::Dir)
            } else {
                e.entry
            };
            if out.last().is_none_or(|(name, _)| name.as_bstr() != first) {
                out.push((first.to_owned(), entry));
            }
        }
        out.sort_by(|a, b| a.0.cmp(&b.0));
        out.dedup_by(|a, b| a.0 == b.0);
        Ok(out)
    }

    fn resolve(&self, path: &RepoPath) -> Result<Resolved, ReadError> {
        resolve_links(self, path)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Bytes>, ReadError> {
        read_through_links(self, path, |id| blob(self.repository, id, path))
    }

    fn link_target(&self, path: &RepoPath) -> Result<Bytes, ReadError> {
        target_of(self, path, |id| blob(self.repository, id, path))
    }
}

fn blob(repository: &Repository, id: ObjectId, path: &RepoPath) -> Result<Bytes, ReadError> {
    repository.with(|repo| {
        let blob = repo.find_object(gix_id(id)).map_err(|e| {
            read_error(
                path,
                format!("object {id} is not here ({e}); a partial clone needs `git fetch`"),
            )
        })?;
        Ok(blob.detach().data)
    })
}

fn read_through_links(
    tree: &dyn Tree,
    path: &RepoPath,
    read: impl Fn(ObjectId) -> Result<Bytes, ReadError>,
) -> Result<Option<Bytes>, ReadError> {
    let entry = match tree.entry(path)? {
        Some(Entry { kind: Kind::Link, .. }) | None => match tree.resolve(path)? {
            Resolved::Inside { path, .. } => tree.entry(&path)?,
            Resolved::Outside { .. } => return Err(read_error(path, "it leads out of the tree")),
            Resolved::Dangling => None,
        },
        entry => entry,
    };
    match entry {
        None => Ok(None),
        Some(Entry {
            kind: Kind::File,
            id: Some(id),
            ..
        }) => read(id).map(Some),
        Some(Entry { kind: Kind::Dir, .. }) => {
            Err(ReadError::new(path, io::Error::from(io::ErrorKind::IsADirectory)))
        }
        Some(_) => Err(read_error(path, "it is no regular file")),
    }
}

fn target_of(
    tree: &dyn Tree,
    path: &RepoPath,
    read: impl Fn(ObjectId) -> Result<Bytes, ReadError>,
) -> Result<Bytes, ReadError> {
    match tree.entry(path)? {
        Some(Entry {
            kind: Kind::Link,
            id: Some(id),
            ..
        }) => read(id),
        _ => Err(ReadError::new(path, io::Error::from(io::ErrorKind::InvalidInput))),
    }
}
