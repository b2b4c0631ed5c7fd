//! What lies inside a work tree: entries of its index, files that git does not know; and a file of ours that is laid down
//! there without taking the place of another.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use bstr::{BString, ByteSlice};

use super::history::literal;
use super::{Error, Git};
use crate::fault;
use crate::files::{RepoPath, read_regular};

/// The blob or submodule commit of a path, at a stage of the index.
pub(super) struct Stage {
    pub(super) mode: BString,
    pub(super) id: BString,
    pub(super) stage: u8,
    pub(super) path: BString,
}

/// The entries of an index; `of` chooses which.
pub(super) fn stages(work_tree: &Path, of: &[&str]) -> Result<Vec<Stage>, Error> {
    let listed = Git::there(work_tree)
        .args(["ls-files", "--stage", "-z"])
        .args(of)
        .ask()?;
    Ok(listed.split(|b| *b == 0).filter_map(parse_stage).collect())
}

fn parse_stage(line: &[u8]) -> Option<Stage> {
    let (head, path) = line.split_once_str(b"\t")?;
    let mut words = head.splitn_str(3, b" ");
    let (mode, id, stage) = (words.next()?, words.next()?, words.next()?);
    Some(Stage {
        mode: mode.into(),
        id: id.into(),
        stage: stage.first()?.checked_sub(b'0')?,
        path: path.into(),
    })
}

/// Whether a work tree's refs are its own: it is no linked one.
pub(super) fn is_own_repository(work_tree: &Path) -> Result<bool, Error> {
    let asked = Git::there(work_tree)
        .args([
            "rev-parse",
            "--path-format=absolute",
            "--git-dir",
            "--git-common-dir",
        ])
        .ask()?;
    let mut lines = asked.lines();
    Ok(lines.next() == lines.next())
}

/// The files that are neither tracked nor ignored, NUL behind each; without repositories inside and what does not count.
pub(super) fn untracked_files(work_tree: &Path, uncounted: &[RepoPath]) -> Result<Vec<u8>, Error> {
    let listed = Git::there(work_tree)
        .args(["ls-files", "--others", "--exclude-standard", "-z"])
        .ask()?;
    let mut files = Vec::new();
    for path in listed.split(|b| *b == 0) {
        let is_counted = uncounted.iter().all(|own| own.as_bytes() != path);
        if !path.is_empty() && !path.ends_with(b"/") && is_counted {
            files.extend_from_slice(path);
            files.push(0);
        }
    }
    Ok(files)
}

/// Lays a file down in a work tree, unless git tracks one of that name or there is another: then it says false. What an
/// earlier run has begun of it is completed.
pub fn lay_down(work_tree: &Path, path: &RepoPath, text: &[u8]) -> Result<bool, Error> {
    let tracked = Git::there(work_tree)
        .args(["ls-files", "--cached", "-z", "--"])
        .args([literal(path)])
        .ask()?;
    let place = path.on_disk(work_tree);
    let is_free = match place.symlink_metadata() {
        Ok(_) => is_begun(work_tree, path, text),
        Err(e) => e.kind() == io::ErrorKind::NotFound,
    };
    if !tracked.is_empty() || !is_free {
        return Ok(false);
    }
    let written = || -> io::Result<()> {
        fault::point()?;
        let mut file = fs::File::create(&place)?;
        file.write_all(text)?;
        file.sync_all()?;
        fault::point()
    };
    written().map_err(|e| failed(&place, &e))?;
    Ok(true)
}

/// Takes away what was laid down, or begun.
pub fn take_up(work_tree: &Path, path: &RepoPath, text: &[u8]) -> Result<(), Error> {
    let place = path.on_disk(work_tree);
    if is_begun(work_tree, path, text) {
        fault::point()
            .and_then(|()| fs::remove_file(&place))
            .map_err(|e| failed(&place, &e))?;
    }
    Ok(())
}

/// Whether a file in a work tree, and no link to one, holds what would be laid down, or the beginning of it.
pub fn is_begun(work_tree: &Path, path: &RepoPath, text: &[u8]) -> bool {
    let place = path.on_disk(work_tree);
    let is_file = place.symlink_metadata().is_ok_and(|meta| meta.is_file());
    is_file && read_regular(&place, text.len() as u64).is_ok_and(|found| text.starts_with(&found))
}

fn failed(place: &Path, reason: &io::Error) -> Error {
    Error::Object {
        what: place.display().to_string(),
        reason: reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_index_is_taken_apart() {
        let entry = parse_stage(b"100755 abc 2\ta\tb c").expect("well-formed");
        assert_eq!((entry.mode, entry.id), ("100755".into(), "abc".into()));
        assert_eq!((entry.stage, entry.path), (2, "a\tb c".into()));
        assert!(parse_stage(b"").is_none() && parse_stage(b"100644 abc 0").is_none());
    }
}
