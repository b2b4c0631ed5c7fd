//! The `git` program: what its environment is made of, for a question and for a change (git.md 1.2).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Error, Repository};
use crate::process::{Output, Run};

/// Variables that could change what a command means.
const REMOVED: [&str; 8] = [
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_REPLACE_REF_BASE",
    "GIT_GRAFT_FILE",
];

/// Traces go to stderr, where a question's complaint is read from.
const TRACES: [&str; 8] = [
    "GIT_TRACE",
    "GIT_TRACE_PACK_ACCESS",
    "GIT_TRACE_PERFORMANCE",
    "GIT_TRACE_REFS",
    "GIT_TRACE_SETUP",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
];

/// One call of git.
#[must_use]
pub struct Git {
    run: Run,
    command: String,
}

impl Git {
    /// A question, asked in `dir` whatever repository it finds there.
    pub fn anywhere(dir: &Path) -> Self {
        let run = Run::new("git")
            .dir(dir)
            .unset(REMOVED)
            .unset(TRACES)
            .set("GIT_OPTIONAL_LOCKS", "0")
            .set("GIT_TERMINAL_PROMPT", "0")
            .set("GIT_NO_LAZY_FETCH", "1")
            .set("GIT_ALLOW_PROTOCOL", "none")
            .set("GIT_NO_REPLACE_OBJECTS", "1")
            .set("LC_ALL", "C")
            .args(["-c", "core.quotePath=false", "-c", "core.fsmonitor=false"]);
        Self {
            run,
            command: String::new(),
        }
    }

    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        for arg in args {
            if self.command.is_empty() {
                self.command = arg.as_ref().to_string_lossy().into_owned();
            }
            self.run = self.run.arg(arg);
        }
        self
    }

    /// Configuration for this call alone, `name=value`; before the command's own words.
    pub fn config(mut self, setting: &str) -> Self {
        self.run = self.run.args(["-c", setting]);
        self
    }

    pub fn input(mut self, input: Vec<u8>) -> Self {
        self.run = self.run.input(input);
        self
    }

    pub fn set(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.run = self.run.set(name, value);
        self
    }

    /// Runs it; an exit code other than 0 is for the caller to read.
    pub fn output(self) -> Result<Output, Error> {
        self.run.output().map_err(Error::Spawn)
    }

    /// Runs it and returns what it printed.
    pub fn ask(self) -> Result<Vec<u8>, Error> {
        let command = self.command.clone();
        let out = self.output()?;
        if out.success() {
            return Ok(out.stdout);
        }
        let complaint = match out.complaint() {
            said if said.is_empty() => format!(
                "exit code {}",
                out.code.map_or("none".to_owned(), |c| c.to_string())
            ),
            said => said,
        };
        Err(Error::Git { command, complaint })
    }
}

impl Repository {
    /// A question to git about this repository. It finds it as we did: same folder, same environment.
    pub fn question(&self) -> Git {
        Git::anywhere(&self.place())
    }

    /// The folder that git is started in. That of the caller may have been moved away by the command itself.
    fn place(&self) -> PathBuf {
        match self.work_dir() {
            Some(top) if !self.start.is_dir() => top,
            Some(_) | None => self.start.clone(),
        }
    }

    /// A change through git: locks, prompts of its own helpers, hooks and signing as git is configured.
    pub fn change(&self) -> Git {
        let run = Run::new("git")
            .dir(self.place())
            .unset(REMOVED)
            .args(["-c", "core.quotePath=false"]);
        Git {
            run: run.set("GIT_TERMINAL_PROMPT", "0"),
            command: String::new(),
        }
    }
}
