//! STATE.md, the memory of a project (state.md; seeds 000 and 002): the document, what its fields mean, the table of
//! policies, the transitions, the status line.

pub mod body;
pub mod front;
pub mod line;
pub mod meaning;
pub mod merge;
