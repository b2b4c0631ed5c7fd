//! The answers of `silly` (silly.md): shapes of their own, without an envelope.

pub mod guard;
pub mod parsed;
pub mod progress;
pub mod run;
pub mod worktree;
