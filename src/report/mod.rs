//! What a command answers, as JSON, text or annotations: one file per answer. Decides no fact.

mod active_change;
pub mod baseline_seed;
mod blame;
pub mod change;
mod check;
pub mod check_ui;
pub mod deploy_done;
pub mod detect;
pub mod doctor;
mod envelope;
pub mod feature;
pub mod feature_backfill;
pub mod flow;
mod flow_parts;
pub mod github;
pub mod guard;
pub mod hooks;
mod impact;
pub mod import;
pub mod index;
pub mod init;
pub mod launch;
mod lint;
mod log;
pub mod loops;
mod merge;
pub mod module;
pub mod next;
mod radar;
pub mod renumber;
pub mod sarif;
pub mod schema;
mod show;
pub mod silly;
pub mod smoke;
mod snippet;
pub mod state;
pub mod status;
mod status_text;
mod statusline;
pub mod sync;
pub mod trust;
pub mod verify;
pub mod watch;
pub mod worktree;
pub mod worktree_apply;
pub mod worktree_list;
pub mod worktree_remove;
pub mod worktree_rescue;

pub use blame::Blame;
pub use check::{Check, CheckMode};
pub use envelope::{failure, success};
pub use impact::Impact;
pub use lint::{Lint, LintAll};
pub use log::Log;
pub use merge::{Refusal, print_committed, print_conflicts, print_recovered, unified_diff};
pub use radar::Radar;
pub use show::Show;
pub use statusline::Statusline;

use std::io::{self, Write};

use serde::Serialize;

use crate::finding::Finding;
use crate::text::without_runner_commands;
use crate::voice::Voice;

/// The exit codes of every command: 0 done, 2 the check found something, 1 the command could not do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    Failed,
    Found,
    /// The code of another command, whose answer is ours.
    Child(u8),
    /// What git takes for a merge driver that could not do its work: it stops the merge (git.md 6).
    Stopped,
}

impl Exit {
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Found => 2,
            Self::Child(code) => code,
            Self::Stopped => 129,
        }
    }
}

/// Where text goes: results to `out`, warnings to `err`.
pub struct Screen<'a> {
    pub out: &'a mut dyn Write,
    pub err: &'a mut dyn Write,
    pub voice: &'a Voice,
    /// Whether `out` may be coloured.
    pub color: bool,
}

/// Styles of text on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Good,
    Bad,
    Warn,
    Dim,
    Bold,
}

impl Screen<'_> {
    /// Empties the terminal, so that what follows stands alone.
    pub fn clear(&mut self) -> io::Result<()> {
        write!(self.out, "\u{1b}[H\u{1b}[2J")
    }

    /// One line of result.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", without_runner_commands(text))
    }

    /// One line of warning.
    pub fn warn(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.err, "{}", without_runner_commands(text))
    }

    /// Text in a style; as it is where colour is off.
    pub fn paint(&self, style: Style, text: &str) -> String {
        if !self.color {
            return text.to_owned();
        }
        let code = match style {
            Style::Good => "32",
            Style::Bad => "31",
            Style::Warn => "33",
            Style::Dim => "2",
            Style::Bold => "1",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// The answer of one command.
pub trait Answer {
    /// Its JSON, keys in contract order.
    type Data: Serialize;

    fn data(&self, voice: &Voice) -> Self::Data;

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()>;

    /// What `sarif` and `github` show.
    fn findings(&self) -> Vec<&Finding> {
        Vec::new()
    }

    /// What makes a finding the same one in another run, where it is more than its code, path and message.
    fn identity(&self, _finding: usize) -> Option<Vec<u8>> {
        None
    }

    fn exit(&self) -> Exit {
        Exit::Done
    }
}
