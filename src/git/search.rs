//! Which files of the work tree mention a word.

use super::commit::nul_paths;
use super::history::literal;
use super::run::refusal;
use super::{Error, Repository};
use crate::files::RepoPath;

impl Repository {
    /// The tracked text files at and below a folder that have a word somewhere in them, from the top level.
    pub fn files_with(&self, word: &str, below: &RepoPath) -> Result<Vec<RepoPath>, Error> {
        let out = self
            .question()
            .args(["grep", "-I", "-l", "-z", "-F", "--full-name"])
            .args(["--no-color", "--no-recurse-submodules", "-e", word, "--"])
            .args([literal(below)])
            .output()?;
        match out.code {
            Some(0) => nul_paths(&out.stdout),
            // Nothing was found.
            Some(1) if out.stderr.is_empty() => Ok(Vec::new()),
            _ => Err(refusal("grep", &out.complaint(), &out)),
        }
    }
}
