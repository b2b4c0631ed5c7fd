//! Three-way merge of lines by `git merge-file` (engineering.md 6): it conflicts where edits touch.

use std::io::Write;

use super::Git;
use crate::text::Bytes;

/// `git merge-file`, for files that are no section deltas.
#[derive(Clone, Copy, Debug)]
pub struct MergeFile;

/// How the marks of a conflict look.
#[derive(Clone, Copy, Debug)]
pub struct MarkStyle<'a> {
    pub ours: &'a str,
    pub theirs: &'a str,
    /// How many characters a mark has.
    pub size: usize,
    /// `merge.conflictStyle`, if it shows the base.
    pub base_style: Option<&'a str>,
}

impl MergeFile {
    /// What the marks of a conflict call the two sides.
    pub const OURS: &'static str = "document";
    pub const THEIRS: &'static str = "delta";

    /// The merged text, and whether it holds conflict marks.
    pub fn merge(self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<(Bytes, bool), String> {
        let style = MarkStyle {
            ours: Self::OURS,
            theirs: Self::THEIRS,
            size: 7,
            base_style: None,
        };
        self.merge_marked(base, ours, theirs, &style)
    }

    /// As [`MergeFile::merge`], with marks of another look.
    pub fn merge_marked(
        self,
        base: &[u8],
        ours: &[u8],
        theirs: &[u8],
        style: &MarkStyle<'_>,
    ) -> Result<(Bytes, bool), String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
            let mut file = std::fs::File::create(dir.path().join(name)).map_err(|e| e.to_string())?;
            file.write_all(text).map_err(|e| e.to_string())?;
        }
        let size = format!("--marker-size={}", style.size);
        let base_style = style.base_style.map(|style| format!("--{style}"));
        let out = Git::anywhere(dir.path())
            .args(["merge-file", "-p", "-q", &size])
            .args(base_style)
            .args(["-L", style.ours, "-L", "base", "-L", style.theirs])
            .args(["ours", "base", "theirs"])
            .output()
            .map_err(|e| e.to_string())?;
        match out.code {
            Some(0) => Ok((out.stdout, false)),
            Some(1..=127) => Ok((out.stdout, true)),
            _ => Err(format!("`git merge-file`: {}", out.complaint())),
        }
    }
}
