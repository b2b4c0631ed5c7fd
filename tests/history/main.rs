//! `log`, `blame` and `show`: generated histories against the ledger of their generator, every row of the table of events,
//! every form of the commands (git.md 8).

#[path = "../common/mod.rs"]
mod common;

#[path = "../common/schemas.rs"]
mod schemas;

mod cached;
mod events;
mod forms;
mod generate;
mod generated;
mod trailers;

use common::{Out, Repo};
use serde_json::Value;

/// The `data` of a run that must succeed and keep its schema.
#[track_caller]
fn data(repo: &Repo, args: &[&str]) -> Value {
    let out = json(repo, args).exits(0);
    assert_eq!(out.stderr, "");
    out.json()["data"].clone()
}

#[track_caller]
fn json(repo: &Repo, args: &[&str]) -> Out {
    let mut all = args.to_vec();
    all.extend(["--format", "json"]);
    let out = repo.spec(all);
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    out
}
