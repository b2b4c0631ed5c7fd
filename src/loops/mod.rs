//! The state of a driver's loop (loop.md): `state.json`, which the driver may write, and the gate state, which only this
//! program writes. Judges and changes both; prints nothing.

pub mod artifact;
mod completion;
pub mod confirm;
pub mod document;
mod error;
mod gate;
mod journal;
pub mod operation;
mod phase;
pub mod route;
pub mod stop;
mod store;
pub mod summary;
mod template;
pub mod transition;
pub mod validate;
mod words;

pub use completion::{Ran, Refused, judge as judge_completion};
pub use error::{Break, Error};
pub use gate::{Gate, Source, Termination};
pub use journal::{Actor, Entry, Journal};
pub use phase::{Mode, Phase};
pub use store::{Change, Held, STOPS, Stops, Store, Stored, read_state};
pub use template::{fresh_gate, fresh_state};

use crate::files::RepoPath;

/// The folder of a loop, from the root of the project (loop.md 1).
pub const FOLDER: &str = ".claude/loop-claudecode";
/// The working state in it.
pub const STATE: &str = "state.json";
/// The copy of the gate state in it.
pub const GATE: &str = "gate_state.json";
/// The lock, unless the state names another one.
pub const LOCK: &str = ".claude/loop-claudecode/.lock";

/// A file of the loop's folder, from the root of the project.
pub fn in_folder(name: &str) -> RepoPath {
    RepoPath::of(FOLDER).join(name)
}
