//! Which range of commits a CI job is about (git.md 4): what the job is told becomes facts, and facts become a decision.
//! Pure: it asks the environment, the event file and the repository only through what it is given; nothing is fetched,
//! written or guessed.

mod decide;
mod error;
mod event;
mod facts;
mod github;
mod history;
mod job;
mod provider;
mod range;
#[cfg(test)]
mod tests;
mod words;

pub use decide::choose;
pub use error::{Blame, Cure, Error, EventFault, Expected, Gap, Role, Sought};
pub use facts::{Before, Facts, Head, Kind, Place, Target};
pub use history::History;
pub use job::{BranchName, Job, MAX_EVENT, Origin};
pub use provider::Provider;
pub use range::{Base, Choice, Measured, RangeLine, Rule};
