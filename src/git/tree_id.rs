//! The ids that files and folders would have as objects of git. Nothing is written.

use super::{Repository, own_id};
use crate::files::{Kind, ObjectId, ReadError, RepoPath, Tree};

impl Repository {
    /// The id of a file, taken byte for byte; none if it is not there.
    pub fn file_id(&self, tree: &dyn Tree, file: &RepoPath) -> Result<Option<ObjectId>, ReadError> {
        let content = tree.read(file)?;
        content
            .map(|content| self.hash(gix::objs::Kind::Blob, &content, file))
            .transpose()
    }

    /// The id of a folder, its files taken byte for byte. As git has it, a folder without files is none.
    pub fn folder_id(&self, tree: &dyn Tree, folder: &RepoPath) -> Result<Option<ObjectId>, ReadError> {
        let mut entries: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for (name, entry) in tree.list(folder)? {
            let path = folder.join(&name);
            let mut key = name.to_vec();
            let (mode, id): (&[u8], ObjectId) = match entry.kind {
                Kind::Dir => {
                    let Some(id) = self.folder_id(tree, &path)? else {
                        continue;
                    };
                    // Git sorts folders as if their names ended so.
                    key.push(b'/');
                    (b"40000", id)
                }
                Kind::Link => {
                    let target = tree.link_target(&path)?;
                    (b"120000", self.hash(gix::objs::Kind::Blob, &target, &path)?)
                }
                Kind::File => {
                    let Some(id) = self.file_id(tree, &path)? else {
                        continue;
                    };
                    let executable = tree.entry(&path)?.is_some_and(|entry| entry.executable);
                    (if executable { b"100755" } else { b"100644" }, id)
                }
                Kind::Submodule | Kind::Special => continue,
            };
            entries.push((key, [mode, b" ", &name, b"\0", id.as_bytes()].concat()));
        }
        entries.sort();
        let whole: Vec<u8> = entries.into_iter().flat_map(|(_, bytes)| bytes).collect();
        if whole.is_empty() {
            return Ok(None);
        }
        self.hash(gix::objs::Kind::Tree, &whole, folder).map(Some)
    }

    /// Content made to collide with another has no id.
    fn hash(&self, kind: gix::objs::Kind, data: &[u8], path: &RepoPath) -> Result<ObjectId, ReadError> {
        let hash = self.with(gix::Repository::object_hash);
        let id = gix::objs::compute_hash(hash, kind, data);
        id.map(own_id)
            .map_err(|e| ReadError::new(path, std::io::Error::other(e.to_string())))
    }
}
