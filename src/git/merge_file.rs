//! Three-way merge of lines by `git merge-file` (engineering.md 6): it conflicts where edits touch.

use std::io::Write;

use super::Git;
use crate::text::Bytes;

/// `git merge-file`, for files that are no section deltas.
#[derive(Clone, Copy, Debug)]
pub struct MergeFile;

impl MergeFile {
    /// What the marks of a conflict call the two sides.
    pub const OURS: &'static str = "document";
    pub const THEIRS: &'static str = "delta";

    /// The merged text, and whether it holds conflict marks.
    pub fn merge(self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<(Bytes, bool), String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
            let mut file = std::fs::File::create(dir.path().join(name)).map_err(|e| e.to_string())?;
            file.write_all(text).map_err(|e| e.to_string())?;
        }
        let args = [
            "merge-file",
            "-p",
            "-q",
            "-L",
            Self::OURS,
            "-L",
            "base",
            "-L",
            Self::THEIRS,
            "ours",
            "base",
            "theirs",
        ];
        let out = Git::anywhere(dir.path())
            .args(args)
            .output()
            .map_err(|e| e.to_string())?;
        match out.code {
            Some(0) => Ok((out.stdout, false)),
            Some(1..=127) => Ok((out.stdout, true)),
            _ => Err(format!("`git merge-file`: {}", out.complaint())),
        }
    }
}
