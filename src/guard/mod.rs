//! The guard of tool calls (logos-project.md 13): what a coding tool is about to do is judged before it does it. It is a
//! guard against accidents, not a sandbox.

pub mod logos;
pub mod loops;
mod programs;
pub mod shell;
pub mod silly;
pub mod writes;
