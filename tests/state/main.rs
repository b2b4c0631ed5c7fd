//! `state` as people, agents and hooks run it: many at once, anywhere, on any document.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/schemas.rs"]
mod schemas;

mod cluster;
mod documents;
mod errors;
mod forms;
mod parallel;
mod texts;
mod verbs;

use common::{Out, Repo};
use serde_json::Value;

const STATE: &str = ".planning/STATE.md";
const LOCK: &str = ".planning/STATE.md.lock";
const ARCHIVE: &str = ".planning/STATE-ARCHIVE.md";

/// The time of every command, as writers write it.
const NOW: &str = "2026-01-02T03:04:05.000Z";
const TODAY: &str = "2026-01-02";

/// Three phases of one milestone.
const ROADMAP: &str = "\
# Roadmap

## v1.2 Night Berths

### Phase 1: Keel

### Phase 2: Mast

### Phase 3: Rigging
";

/// What lies in `phases/`: three plans, two of them done, one phase complete.
const PHASES: [&str; 5] = [
    "01-keel/01-01-PLAN.md",
    "01-keel/01-01-SUMMARY.md",
    "02-mast/02-01-PLAN.md",
    "02-mast/02-01-SUMMARY.md",
    "02-mast/02-02-PLAN.md",
];

/// The body of a document as the tool itself keeps it.
const BODY: &str = "\
# Project State

## Project Reference

**Core value:** No berth is booked twice
**Current focus:** Phase 2

## Current Position

Phase: 2 of 3 (Mast)
Plan: 1 of 2 in current phase
Status: Executing Phase 2
Last activity: 2025-12-20

Progress: [░░░░░░░░░░] 0% of plans

## Accumulated Context

### Decisions

- [Phase 1]: Oak keel

### Blockers/Concerns

- Paint is late

## Session Continuity

Last session: 2025-12-20T10:00:00.000Z
Stopped at: Planked the hull
Resume file: None
";

/// Lays a document, the roadmap and the phases into a folder.
fn lay(repo: &Repo, folder: &str, document: &str) {
    let at = |path: &str| format!("{folder}{path}");
    repo.write(&at(STATE), document)
        .write(&at(".planning/ROADMAP.md"), ROADMAP);
    for path in PHASES {
        repo.write(&at(&format!(".planning/phases/{path}")), "# A text\n");
    }
}

/// A project outside any repository.
fn project(document: &str) -> Repo {
    let repo = Repo::without_git();
    lay(&repo, "", document);
    repo
}

/// A `state` command in the JSON format.
fn state(repo: &Repo, args: &[&str]) -> Out {
    repo.spec([&["state"], args, &["--format", "json"]].concat())
}

/// The data of an answer that is as its schema has it, with nothing on stderr.
#[track_caller]
fn data(out: Out) -> Value {
    let out = out.exits(0);
    let faults = schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes());
    assert_eq!(faults, [""; 0]);
    assert_eq!(out.stderr, "");
    out.json()["data"].clone()
}

/// The code of an error, told as JSON on stderr alone.
#[track_caller]
fn code(out: Out) -> String {
    let out = out.exits(1);
    assert_eq!(out.stdout, "");
    assert_eq!(schemas::faults(b"", out.stderr.as_bytes()), [""; 0]);
    let error: Value = serde_json::from_str(&out.stderr).expect("one line of JSON");
    error["error"]["code"].as_str().expect("a code").to_owned()
}

/// Names in `.planning/` that no reader knows: locks, and what was being written or taken away.
fn litter(repo: &Repo) -> Vec<String> {
    let listed = std::fs::read_dir(repo.path(".planning")).expect("it can be listed");
    listed
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| {
            [".lock", ".tmp.", ".stale"]
                .iter()
                .any(|part| name.contains(part))
        })
        .collect()
}
