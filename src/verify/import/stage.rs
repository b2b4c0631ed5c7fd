//! The reports that the config names: found by globs inside the project, cleared before a command, imported after it.

use std::fs;
use std::path::Path;

use bstr::{BStr, ByteSlice};

use super::case::KnownCases;
use super::collect::{Collector, Imported};
use super::error::Error;
use super::format::Format;
use super::read;
use crate::clock::Timestamp;
use crate::files::{self, Kind, RepoPath, Resolved, Tree, WorkTree};
use crate::git;

/// What a file system may be behind the clock, in milliseconds.
const COARSE: i64 = 20;
/// The same where it counts whole, or every other, seconds.
const COARSEST: i64 = 2000;

/// Which command a report belongs to (verify.md 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    PreRun,
    Regression,
    Incremental,
}

impl Stage {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreRun => "pre_run",
            Self::Regression => "regression",
            Self::Incremental => "incremental",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::PreRun, Self::Regression, Self::Incremental];
        all.into_iter().find(|stage| stage.as_str() == name)
    }
}

/// An entry of `verify.imports` or `smoke.imports`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub format: Format,
    /// From the root of the project: `*` within a name, `**` across folders.
    pub path: String,
    /// None: every stage that is run.
    pub stage: Option<Stage>,
}

impl Entry {
    /// Whether it is read at a stage; where no command is run, at none, all are.
    fn is_of(&self, stage: Option<Stage>) -> bool {
        match (self.stage, stage) {
            (Some(own), Some(asked)) => own == asked,
            (None, _) | (_, None) => true,
        }
    }
}

/// What is imported after a command, or without one.
#[derive(Clone, Copy)]
pub struct StageImport<'a> {
    pub tree: &'a WorkTree,
    pub entries: &'a [Entry],
    pub stage: Option<Stage>,
    pub known: &'a KnownCases,
    /// When the command began, by the clock; none if none was run.
    pub started: Option<Timestamp>,
    pub now: Timestamp,
}

/// Removes the reports of earlier runs before a command. A link is removed itself.
///
/// # Errors
/// If one of them is `kept`, as git keeps what it tracks: then nothing is removed.
pub fn clear(
    root: &Path,
    entries: &[Entry],
    stage: Stage,
    kept: &dyn Fn(&RepoPath) -> bool,
) -> Result<(), Error> {
    let tree = WorkTree::new(root);
    let mut old = Vec::new();
    for entry in entries.iter().filter(|entry| entry.is_of(Some(stage))) {
        old.extend(matching(&tree, &entry.path)?);
    }
    if let Some(path) = old.iter().find(|path| kept(path)) {
        return Err(Error::Tracked { path: path.clone() });
    }
    for path in old {
        let removed = files::discard(&path.on_disk(root));
        removed.map_err(|e| files::ReadError::new(&path, e))?;
    }
    Ok(())
}

/// Whether an entry may mean a path.
pub fn is_report(entries: &[Entry], path: &RepoPath) -> bool {
    entries.iter().any(|entry| {
        let pattern = RepoPath::normalised(&entry.path);
        pattern.is_some_and(|pattern| git::is_match(pattern.as_bytes().as_bstr(), path.as_bytes().as_bstr()))
    })
}

/// The rows of a stage's reports: lines to be appended to its file. None if the config names no report for it.
pub fn import_stage(import: &StageImport<'_>) -> Result<Option<Imported>, Error> {
    let tree = import.tree;
    let mut entries = import
        .entries
        .iter()
        .filter(|entry| entry.is_of(import.stage))
        .peekable();
    if entries.peek().is_none() {
        return Ok(None);
    }
    let mut collector = Collector::new(import.known, import.now);
    for entry in entries {
        let paths = matching(tree, &entry.path)?;
        if paths.is_empty() {
            return Err(Error::Missing(entry.path.clone()));
        }
        for path in paths {
            if let Some(started) = import.started
                && is_older(&path, tree.root(), started)?
            {
                return Err(Error::Stale { path });
            }
            let report = tree
                .open(&path)?
                .ok_or_else(|| Error::Missing(path.text().into_owned()))?;
            read(report, entry.format, &path.text(), &mut collector)?;
        }
    }
    Ok(Some(collector.finish()))
}

fn is_older(path: &RepoPath, root: &Path, started: Timestamp) -> Result<bool, Error> {
    let fail = |e| files::ReadError::new(path, e);
    let metadata = fs::metadata(path.on_disk(root)).map_err(fail)?;
    let changed = Timestamp::of(metadata.modified().map_err(fail)?).millis();
    let coarse = if changed % 1000 == 0 { COARSEST } else { COARSE };
    Ok(changed.saturating_add(coarse) < started.millis())
}

/// The files that a glob matches, in path order. A link counts if it leads to a file inside the tree.
fn matching(tree: &dyn Tree, glob: &str) -> Result<Vec<RepoPath>, Error> {
    let outside = || Error::Outside(glob.to_owned());
    let pattern = RepoPath::normalised(glob).ok_or_else(outside)?;
    let parts: Vec<&BStr> = pattern.parts().collect();
    let is_plain = |part: &&&BStr| !part.iter().any(|byte| b"*?[\\".contains(byte));
    let plain = parts.iter().take_while(is_plain).count();
    let base = parts[..plain]
        .iter()
        .fold(RepoPath::root(), |base, part| base.join(part));
    let mut found = Vec::new();
    if plain == parts.len() {
        if is_file_inside(tree, &base)? {
            found.push(base);
        }
        return Ok(found);
    }
    let rest = &parts[plain..];
    let depth = if rest.contains(&BStr::new("**")) {
        usize::MAX
    } else {
        rest.len()
    };
    match tree.resolve(&base)? {
        Resolved::Inside { kind: Kind::Dir, .. } => walk(tree, &base, depth, &pattern, &mut found)?,
        Resolved::Inside { .. } | Resolved::Outside { .. } | Resolved::Dangling => {}
    }
    found.sort();
    Ok(found)
}

fn walk(
    tree: &dyn Tree,
    dir: &RepoPath,
    depth: usize,
    pattern: &RepoPath,
    found: &mut Vec<RepoPath>,
) -> Result<(), Error> {
    for (name, entry) in tree.list(dir)? {
        let path = dir.join(&name);
        let is_match = || git::is_match(pattern.as_bytes().as_bstr(), path.as_bytes().as_bstr());
        match entry.kind {
            Kind::Dir if depth > 1 && name != ".git" => walk(tree, &path, depth - 1, pattern, found)?,
            Kind::File if is_match() => found.push(path),
            Kind::Link if is_match() && is_file_inside(tree, &path)? => found.push(path),
            Kind::File | Kind::Link | Kind::Dir | Kind::Submodule | Kind::Special => {}
        }
    }
    Ok(())
}

fn is_file_inside(tree: &dyn Tree, path: &RepoPath) -> Result<bool, Error> {
    Ok(matches!(
        tree.resolve(path)?,
        Resolved::Inside { kind: Kind::File, .. }
    ))
}
