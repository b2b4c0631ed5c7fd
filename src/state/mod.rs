//! STATE.md, the memory of a project (state.md; seeds 000 and 002): the document, what its fields mean, the table of
//! policies, the transitions.

pub mod body;
pub mod front;
pub mod meaning;
pub mod phase_id;
pub mod phases;
pub mod planning;
pub mod roadmap;
