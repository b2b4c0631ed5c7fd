//! `silly`: what cases of a folder cannot say: several writers at once, a writer that is killed, what other programs leave.
#![cfg(all(unix, debug_assertions))]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/schemas.rs"]
mod schemas;

mod answers;
mod database;
mod doctor;
mod looks;
mod worktree;
