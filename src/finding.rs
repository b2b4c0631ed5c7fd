//! What a check found: where, how bad, in which words. Becomes text only in `report`.

use std::fmt;

use crate::files::{ObjectId, RepoPath};
use crate::voice::Say;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// One line of a file, with what to point at in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// Counted from 1.
    pub number: usize,
    /// The line as text, without its end.
    pub text: String,
    /// The part to mark, in characters from 0; empty marks the whole line.
    pub mark: (usize, usize),
}

impl SourceLine {
    pub fn new(number: usize, text: impl Into<String>) -> Self {
        Self {
            number,
            text: text.into(),
            mark: (0, 0),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The commit judged; none for the work tree or the index.
    pub commit: Option<ObjectId>,
    /// From the project's root.
    pub path: RepoPath,
    pub line: Option<SourceLine>,
}

impl Location {
    pub fn file(path: &RepoPath) -> Self {
        Self {
            commit: None,
            path: path.clone(),
            line: None,
        }
    }

    pub fn line(path: &RepoPath, number: usize, text: impl Into<String>) -> Self {
        Self {
            commit: None,
            path: path.clone(),
            line: Some(SourceLine::new(number, text)),
        }
    }
}

/// A finding of a check.
pub struct Finding {
    pub code: &'static str,
    pub severity: Severity,
    pub at: Location,
    pub message: Box<dyn Say>,
    pub fix: Option<Box<dyn Say>>,
}

impl fmt::Debug for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finding")
            .field("code", &self.code)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}
