//! The files that a project is made of: what git ignores is no part of it.

use std::ffi::OsStr;
use std::path::Path;

use ignore::WalkBuilder;

use super::RepoPath;

/// The regular files below a folder but in no folder of one of these names, sorted. No link is followed, and a folder that
/// cannot be looked into counts as empty.
pub fn unignored(root: &Path, passed_over: &'static [&'static str]) -> Vec<RepoPath> {
    let is_passed_over = |name: &OsStr| passed_over.iter().any(|passed| name == *passed);
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.depth() == 0 || !is_folder || !is_passed_over(entry.file_name())
        })
        .build();
    let mut found: Vec<RepoPath> = walk
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| RepoPath::from_disk(entry.path().strip_prefix(root).ok()?))
        .collect();
    found.sort();
    found
}
