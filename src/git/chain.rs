//! A chain of small texts under a reference of ours: one commit each, the parent is the one before (loop.md 7).

use bstr::ByteSlice;

use super::rescue_parts::{needs_stand_in, with_stand_in};
use super::{Error, Repository};
use crate::fault;
use crate::files::{ObjectId, RepoPath, Tree};

/// The file that holds the text.
const FILE: &str = "head";

impl Repository {
    /// The last commit of a chain and its text, one line; none if there is no chain.
    pub fn chain_head(&self, name: &str) -> Result<Option<(ObjectId, String)>, Error> {
        let Some(commit) = self.ref_target(name)? else {
            return Ok(None);
        };
        let tree = self.commit_tree(commit, &RepoPath::root())?;
        let text = tree.read(&RepoPath::of(FILE)).map_err(|error| Error::Object {
            what: name.to_owned(),
            reason: error.to_string(),
        })?;
        let text = text.unwrap_or_default();
        Ok(Some((commit, text.trim_ascii().to_str_lossy().into_owned())))
    }

    /// Adds a text to a chain that still ends where it was seen to end.
    pub fn extend_chain(
        &self,
        name: &str,
        seen: Option<ObjectId>,
        text: &[u8],
        subject: &str,
    ) -> Result<ObjectId, Error> {
        fault::point().map_err(Error::Spawn)?;
        let blob = self
            .change()
            .args(["hash-object", "-w", "--stdin"])
            .input(text.to_vec())
            .ask_id()?;
        let entry = format!("100644 blob {blob}\t{FILE}\n");
        let tree = self
            .change()
            .args(["mktree"])
            .input(entry.into_bytes())
            .ask_id()?;
        let mut git = self.change();
        if needs_stand_in(self.question())? {
            git = with_stand_in(git);
        }
        let parent = seen.map(|id| ["-p".to_owned(), id.to_string()]);
        let commit = git
            .args(["commit-tree", "--no-gpg-sign", &tree.to_string()])
            .args(parent.into_iter().flatten())
            .args(["-F", "-"])
            .input(format!("{subject}\n").into_bytes())
            .ask_id()?;
        fault::point().map_err(Error::Spawn)?;
        let seen = seen.map(|id| id.to_string()).unwrap_or_default();
        self.change()
            .args([
                "update-ref",
                "--create-reflog",
                "-m",
                subject,
                name,
                &commit.to_string(),
                &seen,
            ])
            .ask()?;
        Ok(commit)
    }
}
