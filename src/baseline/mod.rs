//! The baseline of adopted code (logos-project.md 10): candidates in documents, runs that bring them, commits that can be
//! ended whatever stopped them. Documents are the truth; the registry only caches. Plans only.

pub mod backfill;
pub mod backfill_prompt;
pub mod begin;
mod candidate;
pub mod commit;
mod error;
mod events;
pub mod journal;
pub mod lock;
pub mod manifest;
mod reader;
mod reconcile;
pub mod recovery;
mod registry;
pub mod runs;
mod scan;
mod section;
mod status;

pub use candidate::{Candidate, State, is_canonical, key_of, normalised};
pub use error::Error;
pub use reader::{ActiveChange, Coverage, Freshness, Reader, Recovery, Source};
pub use scan::{Scan, Sections};
pub use section::{Section, with_candidates};
pub use status::Progress;
