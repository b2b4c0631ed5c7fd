//! STATE.md, the memory of a project (state.md; seeds 000 and 002): the document, what its fields mean, the table of
//! policies, the transitions, the status line.

pub mod append;
pub mod body;
pub mod derive;
mod error;
pub mod fresh;
pub mod front;
pub mod line;
pub mod malformed;
pub mod meaning;
pub mod merge;
pub mod phase_id;
pub mod phases;
pub mod planning;
pub mod policy;
pub mod read;
pub mod roadmap;
pub mod settle;
pub mod transition;

pub use error::Error;
