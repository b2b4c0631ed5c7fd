//! The `git` program: what its environment is made of, for a question and for a change (git.md 1.2).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Error, Repository};
use crate::files::ObjectId;
use crate::process::{Output, Run};
use crate::text::escape;

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

/// Variables that name a repository (`git rev-parse --local-env-vars`), or what a hook was told.
const LOCAL: [&str; 19] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_NAMESPACE",
    "GIT_PUSH_OPTION_COUNT",
    "GIT_SPEC_TRANSACTION",
];

/// One call of git.
#[derive(Clone, Debug)]
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
            .args(["-c", "core.quotePath=false", "-c", "core.fsmonitor=false"])
            // Its seven lines would come before every complaint of a call without grafts.
            .args(["-c", "advice.graftFileDeprecated=false"]);
        Self {
            run,
            command: String::new(),
        }
    }

    /// A question about another work tree, or a repository inside one: without the variables that would lead it back here.
    pub fn there(dir: &Path) -> Self {
        let mut git = Self::anywhere(dir);
        git.run = git.run.unset(LOCAL);
        git
    }

    /// A change in another work tree, as the user has configured git. Commands of ours that its hooks start do not wait
    /// for us.
    pub fn change_there(dir: &Path) -> Self {
        let run = Run::new("git").dir(dir).unset(REMOVED).unset(LOCAL);
        Self {
            run: run
                .set("GIT_TERMINAL_PROMPT", "0")
                .set("GIT_SPEC_TRANSACTION", "1")
                .args(["-c", "core.quotePath=false"]),
            command: String::new(),
        }
    }

    /// The `git` program in a repository that is not ours: without the variables that would lead it back here, and
    /// without the user's configuration; a fixed identity stands in for it.
    pub fn elsewhere(dir: &Path) -> Self {
        let run = Self::environment_elsewhere(Run::new("git")).dir(dir);
        Self {
            run: run.set("GIT_TERMINAL_PROMPT", "0"),
            command: String::new(),
        }
    }

    /// The environment of [`Git::elsewhere`], for a child that runs git itself.
    pub fn environment_elsewhere(run: Run) -> Run {
        run.unset(REMOVED)
            .unset(LOCAL)
            .set("GIT_CONFIG_NOSYSTEM", "1")
            .set(
                "GIT_CONFIG_GLOBAL",
                if cfg!(windows) { "NUL" } else { "/dev/null" },
            )
            .set("GIT_AUTHOR_NAME", "Ada")
            .set("GIT_AUTHOR_EMAIL", "ada@example.com")
            .set("GIT_COMMITTER_NAME", "Ada")
            .set("GIT_COMMITTER_EMAIL", "ada@example.com")
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

    /// Lets it work with an index of its own instead of the user's.
    pub fn index(self, index: &Path) -> Self {
        self.set("GIT_INDEX_FILE", index)
    }

    pub fn set(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.run = self.run.set(name, value);
        self
    }

    /// Runs it; an exit code other than 0 is for the caller to read.
    pub fn output(self) -> Result<Output, Error> {
        self.run.output().map_err(Error::Spawn)
    }

    /// Runs it and returns the one object id that it printed.
    pub fn ask_id(self) -> Result<ObjectId, Error> {
        let command = self.command.clone();
        let printed = self.ask()?;
        let text = String::from_utf8_lossy(printed.trim_ascii_end()).into_owned();
        ObjectId::from_hex(&text).ok_or_else(|| Error::Git {
            command,
            complaint: format!("`{}` is no object id", escape(&text)),
        })
    }

    /// Runs it; whether it said yes (0) or no (1).
    pub fn ask_whether(self) -> Result<bool, Error> {
        let command = self.command.clone();
        let out = self.output()?;
        match out.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(refusal(&command, &escape(&out.complaint()), &out)),
        }
    }

    /// Runs it and returns what it printed.
    pub fn ask(self) -> Result<Vec<u8>, Error> {
        let command = self.command.clone();
        let out = self.output()?;
        if out.success() {
            return Ok(out.stdout);
        }
        let complaint = out.complaint();
        Err(refusal(&command, &complaint, &out))
    }
}

/// A refusal of git, in its words or those of a hook; if nothing was said, its exit code.
pub(super) fn refusal(command: &str, said: &str, out: &Output) -> Error {
    let complaint = match (said, out.code) {
        ("", Some(code)) => format!("exit code {code}"),
        ("", None) => "ended by a signal".to_owned(),
        (said, _) => said.to_owned(),
    };
    Error::Git {
        command: command.to_owned(),
        complaint,
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
