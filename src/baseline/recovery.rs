//! How a commit that did not end is ended (logos-project.md 10.5). Judged by what is on the disk; plans only, so that a
//! reader can see the outcome without writing it.

use super::journal::{Journal, Phase, Unfinished};
use super::scan::Sections;
use super::{events, journal, registry, runs};
use crate::clock::Timestamp;
use crate::files::{Digest, OverlayTree, ReadError, RepoPath, Tree};
use crate::project::layout;
use crate::project::modules::ModuleError;
use crate::say;
use crate::text::{Bytes, escape};
use crate::voice::{Say, Voice};

/// One file written, or removed (none).
pub type Edit = (RepoPath, Option<Bytes>);

/// Why an unfinished commit cannot be ended.
#[derive(Debug, thiserror::Error)]
pub enum Unsettled {
    #[error("`{path}` cannot be understood: {reason}", reason = escape(.reason))]
    Journal { path: RepoPath, reason: String },
    #[error(
        "`{path}` is neither as before nor as after the commit, and `{backup}` is not what it was before"
    )]
    Lost { path: RepoPath, backup: RepoPath },
    #[error(transparent)]
    Registry(#[from] ModuleError),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Say for Unsettled {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Journal { path, reason } => {
                let reason = escape(reason);
                say!(
                    voice,
                    "an earlier commit of the baseline did not end, and its journal `{path}` cannot be understood: {reason}",
                    "先前的基线提交未结束，且无法理解其日志 `{path}`：{reason}"
                )
            }
            Self::Lost { path, backup } => say!(
                voice,
                "an earlier commit of the baseline did not end; `{path}` cannot be put back, since `{backup}` is not what it was before",
                "先前的基线提交未结束；`{backup}` 并非原内容，因此无法恢复 `{path}`"
            ),
            Self::Registry(error) => error.say(voice),
            Self::Read(error) => error.say(voice),
        }
    }
}

/// The writes that end a commit, in their order; the journal comes last.
pub fn settle(tree: &dyn Tree, found: &Unfinished, now: Timestamp) -> Result<Vec<Edit>, Unsettled> {
    let misunderstood = |reason: &String| Unsettled::Journal {
        path: journal::path(&found.run_id),
        reason: reason.clone(),
    };
    let journal = found.journal.as_ref().map_err(misunderstood)?;
    let paths = journal.paths().map_err(|reason| misunderstood(&reason))?;
    match journal.phase {
        Phase::Committed => Ok(Vec::new()),
        Phase::Prepared => Ok(vec![(journal::path(&journal.run_id), None)]),
        Phase::Committing => {
            if let Some(contents) = new_contents(tree, journal, &paths)? {
                return forward(tree, journal, &paths, contents, now);
            }
            let yaml_backup = journal.yaml_backup().map_err(|reason| misunderstood(&reason))?;
            back(tree, journal, &paths, &yaml_backup)
        }
    }
}

/// The final contents, if every one of them is there.
fn new_contents(
    tree: &dyn Tree,
    journal: &Journal,
    paths: &[RepoPath],
) -> Result<Option<Vec<Bytes>>, ReadError> {
    let mut contents = Vec::new();
    for (target, path) in journal.targets.iter().zip(paths) {
        match tree.read(&runs::resolved(&journal.run_id, path))? {
            Some(content) if Digest::of(&content) == target.new_sha256 => contents.push(content),
            Some(_) | None => return Ok(None),
        }
    }
    Ok(Some(contents))
}

fn forward(
    tree: &dyn Tree,
    journal: &Journal,
    paths: &[RepoPath],
    contents: Vec<Bytes>,
    now: Timestamp,
) -> Result<Vec<Edit>, Unsettled> {
    let mut edits = Vec::new();
    for ((target, path), content) in journal.targets.iter().zip(paths).zip(contents) {
        if digest(tree, path)? != Some(target.new_sha256) {
            edits.push((path.clone(), Some(content)));
        }
    }
    edits.extend(ending(tree, journal, &edits, now)?);
    Ok(edits)
}

/// What follows the documents of a commit: state and index, the event, the journal's end.
pub(super) fn ending(
    tree: &dyn Tree,
    journal: &Journal,
    documents: &[Edit],
    now: Timestamp,
) -> Result<Vec<Edit>, Unsettled> {
    let after = OverlayTree::new(tree, documents.iter().cloned());
    let scan = Sections::load(&after)?.scan(&journal.module);
    let seeded = registry::seeded(tree, &journal.module, &scan, now)?;
    let mut edits = vec![(layout::registry(), Some(seeded))];
    if let Some(events) = events::with(tree, journal, now)? {
        edits.push((RepoPath::of(layout::BASELINE_EVENTS), Some(events)));
    }
    let mut ended = journal.clone();
    ended.phase = Phase::Committed;
    for target in &mut ended.targets {
        target.applied = true;
    }
    edits.push((journal::path(&journal.run_id), Some(ended.write())));
    Ok(edits)
}

fn back(
    tree: &dyn Tree,
    journal: &Journal,
    paths: &[RepoPath],
    yaml_backup: &RepoPath,
) -> Result<Vec<Edit>, Unsettled> {
    let mut edits = Vec::new();
    let mut restore = |path: &RepoPath, old: Option<Digest>, backup: RepoPath| -> Result<(), Unsettled> {
        if digest(tree, path)? == old {
            return Ok(());
        }
        let Some(old) = old else {
            edits.push((path.clone(), None));
            return Ok(());
        };
        match tree.read(&backup)? {
            Some(content) if Digest::of(&content) == old => edits.push((path.clone(), Some(content))),
            Some(_) | None => {
                let path = path.clone();
                return Err(Unsettled::Lost { path, backup });
            }
        }
        Ok(())
    };
    for (target, path) in journal.targets.iter().zip(paths) {
        restore(path, target.old_sha256, runs::backup(&journal.run_id, path))?;
    }
    // Without a hash there was no registry to be put back.
    if let Some(old) = journal.index.old_yaml_sha256 {
        restore(&layout::registry(), Some(old), yaml_backup.clone())?;
    }
    edits.push((journal::path(&journal.run_id), None));
    Ok(edits)
}

pub(super) fn digest(tree: &dyn Tree, path: &RepoPath) -> Result<Option<Digest>, ReadError> {
    Ok(tree.read(path)?.map(|content| Digest::of(&content)))
}
