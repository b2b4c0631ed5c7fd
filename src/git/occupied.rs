//! Where files are to come into a work tree, and what stands there that HEAD does not have: git takes an ignored file for
//! worthless, and would put another in its place (git.md 5.6 and 5.7).

use std::path::Path;

use super::{Error, Repository};
use crate::files::{ObjectId, RepoPath};

impl Repository {
    /// Those of the paths in whose place something stands that `head` does not track: a file there, a file where a folder
    /// above would be, or a folder that holds one.
    pub fn occupied(
        &self,
        work_tree: &Path,
        head: ObjectId,
        paths: &[RepoPath],
    ) -> Result<Vec<RepoPath>, Error> {
        let tracked = Tracked(self.tree_paths(head)?);
        let mut out = Vec::new();
        for path in paths {
            if !tracked.has(path) && tracked.lacks_what_stands_at(path, work_tree)? {
                out.push(path.clone());
            }
        }
        Ok(out)
    }
}

/// All paths of a commit, in byte order.
struct Tracked(Vec<RepoPath>);

impl Tracked {
    fn has(&self, path: &RepoPath) -> bool {
        self.0.binary_search(path).is_ok()
    }

    fn lacks_what_stands_at(&self, path: &RepoPath, work_tree: &Path) -> Result<bool, Error> {
        let mut above = path.parent();
        while let Some(folder) = above.filter(|folder| !folder.is_root()) {
            let is_other = folder
                .on_disk(work_tree)
                .symlink_metadata()
                .is_ok_and(|meta| !meta.is_dir());
            if is_other && !self.has(&folder) {
                return Ok(true);
            }
            above = folder.parent();
        }
        match path.on_disk(work_tree).symlink_metadata() {
            Ok(meta) if meta.is_dir() => self.lacks_some_of(path, work_tree),
            Ok(_) => Ok(true),
            Err(_) => Ok(false),
        }
    }

    fn lacks_some_of(&self, folder: &RepoPath, work_tree: &Path) -> Result<bool, Error> {
        let place = folder.on_disk(work_tree);
        let unreadable = |e: std::io::Error| Error::Object {
            what: place.display().to_string(),
            reason: e.to_string(),
        };
        for entry in std::fs::read_dir(&place).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let below = Path::new(&entry.file_name()).to_owned();
            // What has no path in a repository is in none.
            let Some(name) = RepoPath::from_disk(&below) else {
                return Ok(true);
            };
            let path = folder.join(name.as_bytes());
            if self.has(&path) {
                continue;
            }
            let is_folder = entry.file_type().map_err(unreadable)?.is_dir();
            if !is_folder || self.lacks_some_of(&path, work_tree)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
