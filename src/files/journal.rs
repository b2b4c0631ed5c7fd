//! What an interrupted run left behind, and how the next one ends it (architecture.md, "Crash safety").

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::act::{Act, Side, undo};
use super::write::{Digest, WriteError, remove_if_there, sync_dir};
use super::{Kind, RepoPath, Resolved, Tree, WorkTree};
use crate::fault;

/// What lies outside the files of a transaction: the commit that ends it.
pub trait Outside {
    /// The path of the root from the top level: several projects may share one place for locks and journals.
    fn prefix(&self) -> RepoPath;
    /// Whether HEAD holds these paths below `prefix` as they are on disk now.
    fn holds(&self, prefix: &RepoPath, paths: &[RepoPath]) -> Result<bool, String>;
    /// Forgets the index entries below `prefix` that announced new files.
    fn forget(&self, prefix: &RepoPath, announced: &[RepoPath]) -> Result<(), String>;
}

/// Without a repository there is no commit to wait for.
pub struct NothingOutside;

impl Outside for NothingOutside {
    fn prefix(&self) -> RepoPath {
        RepoPath::root()
    }

    fn holds(&self, _: &RepoPath, _: &[RepoPath]) -> Result<bool, String> {
        Ok(false)
    }

    fn forget(&self, _: &RepoPath, _: &[RepoPath]) -> Result<(), String> {
        Ok(())
    }
}

/// What recovery did with an unfinished journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovered {
    Nothing,
    Completed,
    RolledBack,
}

/// A path in a journal: text, or bytes where it is not UTF-8.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Stored {
    Text(String),
    Bytes(Vec<u8>),
}

impl Stored {
    pub(super) fn new(path: &RepoPath) -> Self {
        match std::str::from_utf8(path.as_bytes()) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes(path.as_bytes().to_vec()),
        }
    }

    pub(super) fn path(&self) -> Result<RepoPath, String> {
        let bytes = match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        };
        RepoPath::new(bytes).map_err(|e| e.to_string())
    }
}

/// One step of a transaction, with what is needed to judge and undo it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(super) enum Step {
    Write {
        path: Stored,
        temporary: Stored,
        old: Option<Digest>,
        new: Digest,
        saved: Option<String>,
        exclusive: bool,
    },
    Remove {
        path: Stored,
        old: Digest,
        saved: String,
    },
    MoveDir {
        from: Stored,
        to: Stored,
    },
    MakeDir {
        path: Stored,
    },
    RemoveDir {
        path: Stored,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) version: u32,
    pub(super) command: String,
    /// From the top level to the root that the steps start from.
    pub(super) prefix: Stored,
    /// Temporary files are complete and renaming has begun.
    pub(super) applying: bool,
    /// A commit is to follow; without it in HEAD the files go back.
    pub(super) commit: bool,
    pub(super) steps: Vec<Step>,
    /// Paths announced to the index with `git add -N`.
    pub(super) announced: Vec<Stored>,
}

pub(super) const VERSION: u32 = 1;

pub(super) fn journal_path(dir: &Path) -> PathBuf {
    dir.join("journal")
}

/// Whether a journal is kept in `dir`, or what belongs to one.
pub(super) fn is_there(dir: &Path) -> bool {
    [journal_path(dir), dir.join("journal.new"), saved_dir(dir)]
        .iter()
        .any(|path| path.exists())
}

/// Where a transaction that keeps its journal in `dir` keeps copies; goes with the journal.
pub fn saved_dir(dir: &Path) -> PathBuf {
    dir.join("saved")
}

impl Journal {
    pub(super) fn write(&self, dir: &Path) -> io::Result<()> {
        let text = serde_json::to_vec(self).map_err(io::Error::other)?;
        let temporary = dir.join("journal.new");
        fault::point()?;
        fs::write(&temporary, text)?;
        fs::File::open(&temporary)?.sync_all()?;
        fault::point()?;
        fs::rename(&temporary, journal_path(dir))?;
        sync_dir(dir);
        Ok(())
    }

    /// Removes the journal first: what is left after that is litter without meaning, cleared by the next run.
    pub(super) fn discard(dir: &Path) -> io::Result<()> {
        fault::point()?;
        remove_if_there(&journal_path(dir))?;
        sync_dir(dir);
        Self::clear_litter(dir)
    }

    fn clear_litter(dir: &Path) -> io::Result<()> {
        remove_if_there(&dir.join("journal.new"))?;
        match fs::remove_dir_all(saved_dir(dir)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }

    /// Every path that the transaction writes, removes or moves.
    fn paths(&self) -> Result<Vec<RepoPath>, String> {
        let mut out = Vec::new();
        for step in &self.steps {
            match step {
                Step::Write { path, .. } | Step::Remove { path, .. } => out.push(path.path()?),
                Step::MoveDir { from, to } => out.extend([from.path()?, to.path()?]),
                Step::MakeDir { .. } | Step::RemoveDir { .. } => {}
            }
        }
        Ok(out)
    }
}

/// Ends what an interrupted run began: finishes it where nothing or only a made commit is missing, else puts the files
/// back. A file that is neither old nor new stops it, journal kept.
pub(super) fn recover(root: &Path, dir: &Path, outside: &dyn Outside) -> Result<Recovered, WriteError> {
    let at = journal_path(dir);
    let unreadable = |reason: String| WriteError::Journal {
        path: at.clone(),
        reason,
    };
    let io = |source| WriteError::Io {
        path: at.clone(),
        source,
    };
    let text = match fs::read(&at) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            Journal::clear_litter(dir).map_err(io)?;
            return Ok(Recovered::Nothing);
        }
        Err(e) => return Err(unreadable(e.to_string())),
    };
    let journal: Journal = serde_json::from_slice(&text).map_err(|e| unreadable(e.to_string()))?;
    if journal.version != VERSION {
        return Err(unreadable(format!("its version is {}", journal.version)));
    }
    // It may be another project's, left by a command that was started there.
    let prefix = journal.prefix.path().map_err(&unreadable)?;
    let root = &sibling(root, &outside.prefix(), &prefix).map_err(&unreadable)?;
    let steps: Vec<Act> = journal
        .steps
        .iter()
        .map(Act::of)
        .collect::<Result<_, _>>()
        .map_err(&unreadable)?;
    let tree = WorkTree::new(root);
    steps
        .iter()
        .try_for_each(|step| step.stays_inside(&tree))
        .map_err(|e| unreadable(e.to_string()))?;
    if !journal.applying {
        undo(root, dir, &steps, 0)?;
        Journal::discard(dir).map_err(io)?;
        return Ok(Recovered::RolledBack);
    }
    let sides: Vec<Side> = steps
        .iter()
        .map(|s| s.side(root, dir))
        .collect::<Result<_, _>>()?;
    let complete = if journal.commit {
        let paths = journal.paths().map_err(&unreadable)?;
        sides.iter().all(|s| *s == Side::New)
            && outside.holds(&prefix, &paths).map_err(WriteError::Outside)?
    } else {
        steps
            .iter()
            .zip(&sides)
            .all(|(step, side)| *side == Side::New || step.can_finish(root))
    };
    if complete {
        for step in &steps {
            step.apply(root)?;
        }
    } else {
        undo(root, dir, &steps, 0)?;
        let announced: Vec<RepoPath> = journal
            .announced
            .iter()
            .map(Stored::path)
            .collect::<Result<_, _>>()
            .map_err(&unreadable)?;
        if !announced.is_empty() {
            outside.forget(&prefix, &announced).map_err(WriteError::Outside)?;
        }
    }
    Journal::discard(dir).map_err(io)?;
    Ok(if complete {
        Recovered::Completed
    } else {
        Recovered::RolledBack
    })
}

/// The root at `other` from the top level, which lies above `root` by `own`.
fn sibling(root: &Path, own: &RepoPath, other: &RepoPath) -> Result<PathBuf, String> {
    if own == other {
        return Ok(root.to_owned());
    }
    let top = root.ancestors().nth(own.parts().count()).unwrap_or(root);
    match WorkTree::new(top).resolve(other).map_err(|e| e.to_string())? {
        Resolved::Inside { kind: Kind::Dir, .. } => Ok(other.on_disk(top)),
        Resolved::Inside { .. } | Resolved::Outside { .. } | Resolved::Dangling => {
            Err(format!("`{other}` is no folder of this repository"))
        }
    }
}
