//! `silly`: what cases of a folder cannot say: several writers at once, a writer that is killed, what other programs leave.
#![cfg(all(unix, debug_assertions))]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/schemas.rs"]
mod schemas;

mod answers;
mod database;
mod doctor;
mod impact;
mod looks;
mod sync_docs;
mod worktree;

/// The error that a command told as JSON, with its code and message.
#[track_caller]
fn failure(out: &common::Out) -> serde_json::Value {
    let told: serde_json::Value =
        serde_json::from_str(&out.stderr).unwrap_or_else(|e| panic!("{e}: {out:?}"));
    told["error"].clone()
}
