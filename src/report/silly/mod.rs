//! The answers of `silly` (silly.md): shapes of their own, without an envelope.

pub mod doctor;
pub mod guard;
pub mod impact;
pub mod lint;
pub mod parsed;
pub mod progress;
pub mod run;
pub mod split;
pub mod status;
pub mod sync_docs;
pub mod worktree;
