//! The baseline of adopted code (logos-project.md 10): candidates in documents, runs that bring them, commits that can be
//! ended whatever stopped them. Documents are the truth; the registry only caches. Plans only.

mod candidate;
mod events;
pub mod journal;
pub mod lock;
pub mod manifest;
mod reader;
pub mod recovery;
mod registry;
pub mod runs;
mod scan;
mod section;

pub use candidate::{Candidate, State, is_canonical, key_of, normalised};
pub use reader::{ActiveChange, Coverage, Freshness, Reader, Recovery, Source};
pub use scan::{Scan, Sections};
pub use section::{Section, with_candidates};
