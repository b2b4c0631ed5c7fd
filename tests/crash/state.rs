//! The memory of a project: whatever stops a writer, STATE.md is the old one or the new one, and nothing that was pruned is
//! lost.

use std::collections::BTreeMap;

use super::common::Repo;
use super::{copy, run, said};

const STATE: &str = ".planning/STATE.md";
const ARCHIVE: &str = ".planning/STATE-ARCHIVE.md";

const DOCUMENT: &str = "\
---
msd_state_version: 1.0
milestone: v1.2
status: executing
owner: mira
---

# Project State

## Current Position

Phase: 5 of 6 (Mast)
Plan: 1 of 2 in current phase
Status: Executing Phase 5
Last activity: 2025-12-20

Progress: [░░░░░░░░░░] 0%

## Accumulated Context

### Decisions

- [Phase 1]: Oak keel
- [Phase 2]: Hemp rope
- [Phase 5]: Tar

### Blockers/Concerns

- ~~Phase 1 crane~~
- Paint is late

## Session Continuity

Last session: 2025-12-20T10:00:00.000Z
Stopped at: Planked the hull
Resume file: None
";

fn project() -> Repo {
    let repo = Repo::in_memory();
    repo.write(STATE, DOCUMENT).write(
        ".planning/ROADMAP.md",
        "# R\n\n## v1.2 Night Berths\n\n### Phase 5: Mast\n\n### Phase 6: Rigging\n",
    );
    repo.write(".planning/phases/05-mast/05-01-PLAN.md", "# P\n");
    repo
}

/// Every command that writes.
const WRITERS: [&[&str]; 21] = [
    &["begin-phase", "--phase", "6", "--name", "Rigging"],
    &["advance-plan"],
    &["planned-phase", "--phase", "6"],
    &["complete-phase"],
    &["complete-phase", "--phase", "5", "--next", "6"],
    &["milestone-switch", "--milestone", "v2.0"],
    &["milestone-complete", "--milestone", "v1.2"],
    &["patch", "--Plan", "2 of 2"],
    &["update", "Plan", "2 of 2"],
    &["sync"],
    &["prune"],
    &["update", "Progress", "50%"],
    &["add-decision", "--summary", "Hemp"],
    &["add-blocker", "--text", "Wind"],
    &["resolve-blocker", "--text", "paint"],
    &["record-metric", "--phase", "5", "--plan", "1", "--duration", "1h"],
    &["record-session", "--stopped-at", "Here"],
    &["add-roadmap-evolution", "--note", "Split"],
    &["regenerate", "--force"],
    &["signal-waiting", "--question", "Which wood?"],
    &["signal-resume"],
];

fn state<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["state"], args].concat()
}

/// The files of the memory.
fn memory(repo: &Repo) -> BTreeMap<String, String> {
    let listed = std::fs::read_dir(repo.path(".planning")).expect("it can be listed");
    listed
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.contains("STATE") || name.contains("WAITING"))
        .map(|name| (name.clone(), repo.read(&format!(".planning/{name}"))))
        .collect()
}

#[track_caller]
fn no_litter(repo: &Repo, at: &str) {
    for name in memory(repo).keys() {
        let is_litter = [".lock", ".tmp.", ".stale"]
            .iter()
            .any(|part| name.contains(part));
        assert!(!is_litter, "{at}: {name} is left");
    }
}

/// The project before a command, and after one that nothing stopped.
fn both(args: &[&str]) -> (Repo, BTreeMap<String, String>) {
    let template = project();
    if args[0] == "signal-resume" {
        template.write(".planning/WAITING.json", "{}\n");
    }
    let whole = copy(&template);
    let out = run(&whole, &state(args), None);
    assert!(out.status.success(), "{args:?}: {}", said(&out));
    no_litter(&whole, "a whole run");
    assert_ne!(memory(&whole), memory(&template), "{args:?} writes");
    let new = memory(&whole);
    (template, new)
}

/// Runs a command that is stopped at every step in turn, and tells what it left.
fn stopped(kind: &str, args: &[&str], judge: &dyn Fn(&Repo, &str)) {
    let (template, new) = both(args);
    for n in 1.. {
        let at = format!("{args:?}, {kind} {n}");
        let repo = copy(&template);
        let out = run(&repo, &state(args), Some((kind, n)));
        if out.status.success() {
            // Every command takes the lock, and changes one file.
            assert!(n > 2, "{at}: {}", said(&out));
            assert_eq!(memory(&repo), new, "{at}");
            return;
        }
        if kind == "GIT_SPEC_FAIL_AT" {
            assert!(
                said(&out).contains("a fault was injected here"),
                "{at}: {}",
                said(&out)
            );
            no_litter(&repo, &at);
        }
        let now = repo.read(STATE);
        assert!(
            now == DOCUMENT || now == new["STATE.md"],
            "{at}: a mixture: {now}"
        );
        judge(&repo, &at);
    }
}

#[test]
fn a_stopped_writer_leaves_the_old_memory_or_the_new_one_and_the_next_one_tidies_up() {
    for args in WRITERS {
        for kind in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
            stopped(kind, args, &|repo, at| {
                let out = run(repo, &["state", "add-blocker", "--text", "after it"], None);
                assert!(out.status.success(), "{at}: {}", said(&out));
                assert!(repo.read(STATE).contains("- after it\n"), "{at}");
                no_litter(repo, at);
            });
        }
    }
}

#[test]
fn a_stopped_writer_that_runs_again_comes_to_the_same() {
    // Those that say more each time would say it twice if the first had written: a killed one may have.
    let more = [
        "add-decision",
        "add-blocker",
        "record-metric",
        "advance-plan",
        "begin-phase",
        "regenerate",
    ];
    for args in WRITERS.iter().filter(|args| !more.contains(&args[0])) {
        let new = both(args).1;
        for kind in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
            stopped(kind, args, &|repo, at| {
                let out = run(repo, &state(args), None);
                assert!(out.status.success(), "{at}: {}", said(&out));
                assert_eq!(memory(repo), new, "{at}");
            });
        }
    }
}

#[test]
fn a_stopped_prune_loses_no_entry_and_archives_none_twice() {
    const ENTRIES: [&str; 5] = [
        "- [Phase 1]: Oak keel\n",
        "- [Phase 2]: Hemp rope\n",
        "- [Phase 5]: Tar\n",
        "- ~~Phase 1 crane~~\n",
        "- Paint is late\n",
    ];
    let archived = |repo: &Repo| {
        if repo.exists(ARCHIVE) {
            repo.read(ARCHIVE)
        } else {
            String::new()
        }
    };
    for kind in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
        stopped(kind, &["prune"], &|repo, at| {
            for entry in ENTRIES {
                let there = repo.read(STATE) + &archived(repo);
                assert!(there.contains(entry), "{at}: lost: {entry}");
            }
            // A day later, and with another one added meanwhile.
            let out = run(
                repo,
                &["state", "add-decision", "--phase", "1", "--summary", "late"],
                None,
            );
            assert!(out.status.success(), "{at}: {}", said(&out));
            let mut command = repo.program();
            command
                .args(["state", "prune"])
                .env("GIT_SPEC_NOW", "2026-01-03T03:04:05Z");
            let out = command.output().expect("it starts");
            assert!(out.status.success(), "{at}: {}", said(&out));
            let (left, archive) = (repo.read(STATE), archived(repo));
            for entry in ENTRIES.into_iter().chain(["- [Phase 1]: late\n"]) {
                let count = left.matches(entry).count() + archive.matches(entry).count();
                assert_eq!(count, 1, "{at}: {entry} in\n{left}\n{archive}");
            }
            no_litter(repo, at);
        });
    }
}

#[test]
fn a_taking_over_that_is_stopped_is_taken_over() {
    let template = project();
    // A process that is gone holds the lock.
    template.write(".planning/STATE.md.lock", "999999999");
    let args = ["state", "update", "Plan", "2 of 2"];
    for kind in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
        for n in 1.. {
            let at = format!("{kind} {n}");
            let repo = copy(&template);
            let out = run(&repo, &args, Some((kind, n)));
            let ended = out.status.success();
            let out = run(&repo, &args, None);
            assert!(out.status.success(), "{at}: {}", said(&out));
            assert!(repo.read(STATE).contains("Plan: 2 of 2\n"), "{at}");
            no_litter(&repo, &at);
            if ended {
                assert!(n > 5, "{at}");
                break;
            }
        }
    }
}
