//! Git hooks (git.md 3): which there are, the scripts that call us, where they are laid and what stood there before, and
//! the lines that git gives to those of a push. What a hook judges is put together in `cli`.

mod forward;
mod install;
mod lines;
mod place;
mod record;
pub mod script;
mod status;
mod uninstall;
mod words;

pub use install::{Before, Installed, Wanted, install, install_global};
pub use lines::{Malformed, Pushed, Received, pushed, received};
pub use place::{Reach, Scope};
pub use status::{HookStatus, State, Status, status, unforwarded};
pub use uninstall::{uninstall, uninstall_global};
pub use words::Error;

/// A hook of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hook {
    PreCommit,
    PreMergeCommit,
    CommitMsg,
    PrePush,
    PostMerge,
    PreReceive,
}

impl Hook {
    pub const ALL: [Self; 6] = [
        Self::PreCommit,
        Self::PreMergeCommit,
        Self::CommitMsg,
        Self::PrePush,
        Self::PostMerge,
        Self::PreReceive,
    ];

    /// The name of its file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreCommit => "pre-commit",
            Self::PreMergeCommit => "pre-merge-commit",
            Self::CommitMsg => "commit-msg",
            Self::PrePush => "pre-push",
            Self::PostMerge => "post-merge",
            Self::PreReceive => "pre-receive",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hook| hook.as_str() == name)
    }

    /// Whether git gives it lines on its standard input.
    pub const fn reads_lines(self) -> bool {
        matches!(self, Self::PrePush | Self::PreReceive)
    }

    /// Whether it stands where pushes arrive, where nobody can go round it.
    pub const fn is_server(self) -> bool {
        matches!(self, Self::PreReceive)
    }
}
