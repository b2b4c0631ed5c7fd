//! The work trees of a clone: which are registered, where their administrative folders are, what HEAD is in each.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use super::{Error, Repository, absolute};
use crate::files::ObjectId;

/// A work tree as git has it registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    pub path: PathBuf,
    /// `<common>/worktrees/<id>`; none for the main one.
    pub admin: Option<PathBuf>,
    /// None while it is unborn.
    pub head: Option<ObjectId>,
    /// Its branch without `refs/heads/`; none if HEAD is detached.
    pub branch: Option<String>,
    /// The reason it is locked for, which may be empty.
    pub locked: Option<String>,
}

/// What a registered work tree's folder is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// There, and git finds the registration from it.
    Sound,
    Missing,
    /// There, but its `.git` is unreadable or leads elsewhere.
    Broken,
}

/// Whether a folder is one of these work trees, and leads to its registration.
pub fn is_registered(trees: &[Registered], folder: &Path) -> bool {
    let is_it = |tree: &Registered| tree.folder() == Folder::Sound && super::is_same(&tree.path, folder);
    trees.iter().any(is_it)
}

impl Registered {
    pub fn folder(&self) -> Folder {
        let Some(admin) = &self.admin else {
            return if self.path.is_dir() {
                Folder::Sound
            } else {
                Folder::Missing
            };
        };
        if self.path.symlink_metadata().is_err() {
            return Folder::Missing;
        }
        match git_file(&self.path) {
            Some(target) if absolute(&target) == absolute(admin) => Folder::Sound,
            Some(_) | None => Folder::Broken,
        }
    }
}

/// Where the `.git` file of a folder leads; none if there is none that can be read.
pub(super) fn git_file(folder: &Path) -> Option<PathBuf> {
    let bytes = std::fs::read(folder.join(".git")).ok()?;
    let target = bytes.strip_prefix(b"gitdir: ")?.trim_end();
    Some(folder.join(target.to_path().ok()?))
}

impl Repository {
    /// The folder that all work trees of this clone share.
    pub fn common_dir(&self) -> PathBuf {
        self.with(|repo| absolute(repo.common_dir()))
    }

    /// All registered work trees, the main one (in a bare repository its git directory) first.
    pub fn worktrees(&self) -> Result<Vec<Registered>, Error> {
        let listed = self
            .question()
            .args(["worktree", "list", "--porcelain", "-z"])
            .ask()?;
        let admins = self.administrative_folders()?;
        let common = self.common_dir();
        let mut out = Vec::new();
        for record in listed.split_str(b"\0\0").filter(|record| !record.is_empty()) {
            let mut found = parse(record)?;
            if out.is_empty() {
                // Of a submodule, git tells its git directory.
                let is_bare = record.split_str(b"\0").any(|line| line == b"bare");
                if !is_bare && absolute(&found.path) == common {
                    found.path = self.configured_top(&common)?;
                }
            } else {
                found.admin = admins
                    .iter()
                    .find(|(_, folder)| *folder == found.path || absolute(folder) == absolute(&found.path))
                    .map(|(admin, _)| admin.clone());
            }
            out.push(found);
        }
        Ok(out)
    }

    /// The top of the work tree that a git directory names in its configuration; itself if it names none.
    fn configured_top(&self, common: &Path) -> Result<PathBuf, Error> {
        let asked = self
            .question()
            .args(["config", "--file"])
            .args([common.join("config")])
            .args(["--get", "core.worktree"])
            .output()?;
        let named = asked.stdout.trim_end();
        Ok(match named {
            b"" => common.to_owned(),
            named => absolute(&common.join(named.to_path_lossy())),
        })
    }

    /// Every administrative folder, and the work tree that it names.
    fn administrative_folders(&self) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
        let top = self.common_dir().join("worktrees");
        let entries = match std::fs::read_dir(&top) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(unreadable(&top, &e)),
        };
        let mut out = Vec::new();
        for entry in entries {
            let admin = entry.map_err(|e| unreadable(&top, &e))?.path();
            // One that names no folder is what git passes over, too.
            if let Some(folder) = named_folder(&admin) {
                out.push((admin, folder));
            }
        }
        out.sort();
        Ok(out)
    }
}

/// The work tree that an administrative folder names.
pub(super) fn named_folder(admin: &Path) -> Option<PathBuf> {
    let bytes = std::fs::read(admin.join("gitdir")).ok()?;
    let git_file = admin.join(bytes.trim_end().to_path().ok()?);
    Some(git_file.parent()?.to_owned())
}

fn unreadable(path: &Path, reason: &std::io::Error) -> Error {
    Error::Object {
        what: path.display().to_string(),
        reason: reason.to_string(),
    }
}

fn parse(record: &[u8]) -> Result<Registered, Error> {
    let odd = |what: &[u8]| Error::Git {
        command: "worktree".to_owned(),
        complaint: format!("`{}` is not understood", crate::text::escape_bytes(what)),
    };
    let mut found = Registered {
        path: PathBuf::new(),
        admin: None,
        head: None,
        branch: None,
        locked: None,
    };
    for line in record.split_str(b"\0") {
        let (key, value) = line.split_once_str(b" ").unwrap_or((line, b""));
        match key {
            b"worktree" => value
                .to_path()
                .map_err(|_| odd(line))?
                .clone_into(&mut found.path),
            b"HEAD" => {
                let id = ObjectId::from_hex(&value.to_str_lossy()).ok_or_else(|| odd(line))?;
                found.head = id.as_bytes().iter().any(|b| *b != 0).then_some(id);
            }
            b"branch" => {
                let name = value.strip_prefix(b"refs/heads/").unwrap_or(value);
                found.branch = Some(name.to_str_lossy().into_owned());
            }
            b"locked" => found.locked = Some(value.to_str_lossy().into_owned()),
            _ => {}
        }
    }
    if found.path == OsStr::new("") {
        return Err(odd(record));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_the_listing_is_taken_apart() {
        let id = "1".repeat(40);
        let record = format!("worktree /a b\0HEAD {id}\0branch refs/heads/spec/x y\0locked\0prunable gone");
        assert_eq!(
            parse(record.as_bytes()).expect("well-formed"),
            Registered {
                path: PathBuf::from("/a b"),
                admin: None,
                head: ObjectId::from_hex(&id),
                branch: Some("spec/x y".to_owned()),
                locked: Some(String::new()),
            }
        );
        let zeros = "0".repeat(64);
        let unborn = parse(format!("worktree /a\0HEAD {zeros}\0detached").as_bytes()).expect("well-formed");
        assert_eq!((unborn.head, unborn.branch), (None, None));
        assert!(parse(b"HEAD x").is_err());
    }
}
