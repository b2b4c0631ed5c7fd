//! Documents merged whole, as git asks for it.

use super::*;
use crate::merge::driver::{Driven, Look, Versions, merge};

const LOOK: Look<'_> = Look {
    size: 7,
    base_style: None,
};

fn driven(base: &str, ours: &str, theirs: &str) -> Driven {
    let versions = Versions {
        base: base.as_bytes(),
        ours: ours.as_bytes(),
        theirs: theirs.as_bytes(),
    };
    merge(versions, b".planning/STATE.md", LOOK, Some(&RULES))
}

/// The result, the same whichever side is ours.
#[track_caller]
fn clean(base: &str, ours: &str, theirs: &str) -> String {
    let one = driven(base, ours, theirs);
    assert_eq!(one, driven(base, theirs, ours), "the order shows");
    match one {
        Driven::Clean(text) => String::from_utf8(text).expect("UTF-8 stays UTF-8"),
        Driven::Conflicts(text, told) => panic!("{told:?}\n{}", String::from_utf8_lossy(&text)),
        Driven::Binary => panic!("it is text"),
    }
}

#[track_caller]
fn conflicts(base: &str, ours: &str, theirs: &str) -> (String, Vec<String>) {
    match driven(base, ours, theirs) {
        Driven::Conflicts(text, told) => {
            let items = told
                .into_iter()
                .map(|(_, item)| item.unwrap_or_default())
                .collect();
            (String::from_utf8(text).expect("UTF-8 stays UTF-8"), items)
        }
        other @ (Driven::Clean(_) | Driven::Binary) => panic!("{other:?}"),
    }
}

const STATE: &str = "\
---
msd_state_version: 1.0
milestone: v2.0
# where we are
current_phase: 2
current_phase_name: Mast
status: executing
stopped_at: \"Phase 2: half\"
last_updated: \"2026-01-02T00:00:00.000Z\"
last_activity: 2026-01-02
last_activity_desc: began
state_head: 4f3c2b1a9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b
progress:
  total_phases: 5
  completed_phases: 1
  total_plans: 20
  completed_plans: 4
  percent: 20
---

# Project State

## Project Reference

See: PROJECT.md

**Current focus:** Phase 2 — Mast

## Current Position

Phase: 2 of 5 (Mast)
Plan: 1 of 4
Status: Executing Phase 2
Last activity: 2026-01-02 — began

Progress: [██░░░░░░░░] 20%

## Performance Metrics

**Velocity:**

- Total plans completed: 4
- Average duration: 5 min

**By Phase:**

| Phase | Plans | Total | Avg/Plan |
|-------|-------|-------|----------|
| 1 | 4 | 20m | 5m |

**Per-Plan Metrics:**

| Plan | Duration | Tasks | Files |
|------|----------|-------|-------|
| Phase 1 P4 | 5 min | 2 tasks | 3 files |

## Accumulated Context

### Decisions

Recent decisions:

- [Phase 1]: Oak — it bends

### Pending Todos

None yet.

### Blockers/Concerns

- No rope

## Session Continuity

Last session: 2026-01-02T00:00:00.000Z
Stopped at: Phase 2: half
Resume file: None
";

/// STATE with some texts in place of others.
#[track_caller]
fn with(edits: &[(&str, &str)]) -> String {
    edits.iter().fold(STATE.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replacen(old, new, 1)
    })
}

#[test]
fn entries_of_both_sides_stay() {
    let oak = "- [Phase 1]: Oak — it bends\n";
    let ours = with(&[
        (oak, &format!("{oak}- [Phase 10]: Tar — it holds\n")),
        ("None yet.", "- a todo of ours"),
        (
            "| Phase 1 P4 | 5 min | 2 tasks | 3 files |\n",
            "| Phase 1 P4 | 5 min | 2 tasks | 3 files |\n| Phase 2 P1 | 6 min | - | - |\n",
        ),
    ]);
    let theirs = with(&[
        (oak, &format!("{oak}- [Phase 2]: Hemp — it is cheap\n")),
        ("None yet.", "- a todo of theirs"),
        ("- No rope\n", "None\n"),
        (
            "| Phase 1 P4 | 5 min | 2 tasks | 3 files |\n",
            "| Phase 1 P4 | 5 min | 2 tasks | 3 files |\n| Phase 2 P2 | 7 min | - | - |\n",
        ),
    ]);
    let expected = with(&[
        (
            oak,
            &format!("{oak}- [Phase 2]: Hemp — it is cheap\n- [Phase 10]: Tar — it holds\n"),
        ),
        ("None yet.", "- a todo of ours\n- a todo of theirs"),
        ("- No rope\n", "None\n"),
        (
            "| Phase 1 P4 | 5 min | 2 tasks | 3 files |\n",
            "| Phase 1 P4 | 5 min | 2 tasks | 3 files |\n| Phase 2 P1 | 6 min | - | - |\n| Phase 2 P2 | 7 min | - | - |\n",
        ),
    ]);
    assert_eq!(clean(STATE, &ours, &theirs), expected);
}

#[test]
fn the_later_side_says_when_and_what_was_done_last() {
    let stamped = |time: &str, desc: &str, stopped: &str, head: &str| {
        let date = &time[..10];
        with(&[
            (
                "last_updated: \"2026-01-02T00:00:00.000Z\"",
                &format!("last_updated: \"{time}\""),
            ),
            ("last_activity: 2026-01-02", &format!("last_activity: {date}")),
            (
                "last_activity_desc: began",
                &format!("last_activity_desc: {desc}"),
            ),
            ("state_head: 4f3c2b1a9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b\n", head),
            (
                "Last activity: 2026-01-02 — began",
                &format!("Last activity: {date} — {desc}"),
            ),
            ("stopped_at: \"Phase 2: half\"", &format!("stopped_at: {stopped}")),
            ("Stopped at: Phase 2: half", &format!("Stopped at: {stopped}")),
            (
                "Last session: 2026-01-02T00:00:00.000Z",
                &format!("Last session: {time}"),
            ),
        ])
    };
    let ours = stamped("2026-01-04T10:00:00.000Z", "ours", "here", "state_head: aaaa\n");
    let theirs = stamped(
        "2026-01-03T10:00:00.000Z",
        "theirs",
        "there",
        "state_head: bbbb\n",
    );
    let expected = stamped("2026-01-04T10:00:00.000Z", "ours", "here", "");
    assert_eq!(clean(STATE, &ours, &theirs), expected);
    // The same moment: the greater text, whichever side it is on.
    let theirs = stamped(
        "2026-01-04T10:00:00.000Z",
        "theirs",
        "there",
        "state_head: bbbb\n",
    );
    let expected = stamped("2026-01-04T10:00:00.000Z", "theirs", "there", "");
    assert_eq!(clean(STATE, &ours, &theirs), expected);
}

#[test]
fn progress_is_added_up_and_the_bar_follows() {
    let progress = |phases: u64, plans: u64, percent: u64, bar: &str| {
        with(&[
            ("completed_phases: 1", &format!("completed_phases: {phases}")),
            ("completed_plans: 4", &format!("completed_plans: {plans}")),
            ("percent: 20", &format!("percent: {percent}")),
            ("[██░░░░░░░░] 20%", bar),
            (
                "Total plans completed: 4",
                &format!("Total plans completed: {plans}"),
            ),
        ])
    };
    let ours = progress(2, 8, 40, "[████░░░░░░] 40%");
    let theirs = progress(2, 6, 30, "[███░░░░░░░] 30%");
    // 3 of 5 phases, 10 of 20 plans.
    assert_eq!(
        clean(STATE, &ours, &theirs),
        progress(3, 10, 50, "[█████░░░░░] 50%")
    );
    // One side alone is not added up, and may take back.
    let fewer = progress(0, 1, 5, "[█░░░░░░░░░] 5%");
    let other = with(&[("- No rope", "- No rope\n- No tar")]);
    assert_eq!(
        clean(STATE, &fewer, &other),
        fewer.replace("- No rope", "- No rope\n- No tar")
    );
    // No more is completed than there is.
    let many = progress(4, 15, 75, "[████████░░] 75%");
    let result = clean(STATE, &many, &progress(5, 19, 95, "[██████████] 95%"));
    assert_eq!(
        result,
        progress(5, 20, 100, "[██████████] 100%").replace("completed: 20", "completed: 30")
    );
}

#[test]
fn two_statuses_conflict_and_nothing_else_does() {
    let of = |status: &str, text: &str, plan: &str, time: &str| {
        with(&[
            ("status: executing", &format!("status: {status}")),
            ("Status: Executing Phase 2", &format!("Status: {text}")),
            ("Plan: 1 of 4", &format!("Plan: {plan}")),
            ("2026-01-02T00:00:00.000Z\"", &format!("{time}\"")),
        ])
    };
    let ours = of(
        "verifying",
        "Verifying Phase 2",
        "1 of 4",
        "2026-01-03T00:00:00.000Z",
    );
    let theirs = of("paused", "Paused for rain", "2 of 4", "2026-01-04T00:00:00.000Z");
    let (text, items) = conflicts(STATE, &ours, &theirs);
    assert_eq!(items, ["status", "Status"]);
    let expected = of(
        "executing",
        "Executing Phase 2",
        "2 of 4",
        "2026-01-04T00:00:00.000Z",
    )
    .replace(
        "status: executing\n",
        "<<<<<<< ours\nstatus: verifying\n=======\nstatus: paused\n>>>>>>> theirs\n",
    )
    .replace(
        "Status: Executing Phase 2\n",
        "<<<<<<< ours\nStatus: Verifying Phase 2\n=======\nStatus: Paused for rain\n>>>>>>> theirs\n",
    );
    assert_eq!(text, expected);
    // The other way round only the sides of the marks change.
    let (swapped, _) = conflicts(STATE, &theirs, &ours);
    assert_eq!(swapped.len(), text.len());
}

#[test]
fn the_body_follows_the_front_matter() {
    let of = |status: &str, text: &str| {
        with(&[
            ("status: executing", &format!("status: {status}")),
            ("Status: Executing Phase 2", &format!("Status: {text}")),
        ])
    };
    // Only one side means something new by its new words.
    let ours = of("executing", "In progress again");
    let theirs = of("verifying", "Verifying Phase 2");
    assert_eq!(clean(STATE, &ours, &theirs), theirs);
    // The phase and what goes with it.
    let phase = with(&[
        ("current_phase: 2", "current_phase: 3"),
        ("current_phase_name: Mast", "current_phase_name: Keel"),
        ("Phase: 2 of 5 (Mast)", "Phase: 3 of 5 (Keel)"),
        (
            "**Current focus:** Phase 2 — Mast",
            "**Current focus:** Phase 3 — Keel",
        ),
    ]);
    let words = with(&[("Phase: 2 of 5 (Mast)", "Phase: 2 of 6 (Mast)")]);
    assert_eq!(clean(STATE, &phase, &words), phase);
}

#[test]
fn fields_in_every_form_are_settled() {
    let table = "## Current Position\n\n| Field | Value |\n|---|---|\n| Phase | 2 |\n| Status | Executing Phase 2 |\n| Last activity | 2026-01-02 |\n";
    let bold = "# S\n\n**Current Phase:** 2\n**Status:** Executing Phase 2\n**Last Activity:** 2026-01-02\n**Completed Phases:** 1\n**Total Phases:** 5\n";
    for base in [table, bold] {
        let ours = base
            .replace("2026-01-02", "2026-01-05")
            .replace("Completed Phases:** 1", "Completed Phases:** 2");
        let theirs = base
            .replace("2026-01-02", "2026-01-04")
            .replace("Executing Phase 2", "Paused")
            .replace("Completed Phases:** 1", "Completed Phases:** 3");
        let expected = theirs
            .replace("2026-01-04", "2026-01-05")
            .replace("Completed Phases:** 3", "Completed Phases:** 4");
        assert_eq!(clean(base, &ours, &theirs), expected);
    }
}

#[test]
fn a_milestone_that_one_side_closed_has_its_own_numbers() {
    let switched = with(&[
        ("milestone: v2.0", "milestone: v3.0"),
        ("total_phases: 5", "total_phases: 0"),
        ("completed_phases: 1", "completed_phases: 0"),
        ("total_plans: 20", "total_plans: 0"),
        ("completed_plans: 4", "completed_plans: 0"),
        ("percent: 20", "percent: 0"),
        ("[██░░░░░░░░] 20%", "[░░░░░░░░░░] 0%"),
    ]);
    let more = with(&[
        ("completed_plans: 4", "completed_plans: 5"),
        ("percent: 20", "percent: 25"),
        ("[██░░░░░░░░] 20%", "[███░░░░░░░] 25%"),
    ]);
    assert_eq!(clean(STATE, &switched, &more), switched);
}

#[test]
fn a_file_that_both_sides_added_keeps_the_entries_of_both() {
    let oak = "- [Phase 1]: Oak — it bends\n";
    let ours = with(&[(oak, "- [Phase 1]: Ash — it is light\n")]);
    let result = clean("", &ours, STATE);
    assert_eq!(
        result,
        with(&[(oak, &format!("- [Phase 1]: Ash — it is light\n{oak}"))])
    );
}

#[test]
fn line_ends_and_an_unusual_front_matter_stay() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let ours = with(&[("- No rope", "- No rope\n- No tar")]);
    let theirs = with(&[("- No rope", "- No rope\n- No sail")]);
    let expected = with(&[("- No rope", "- No rope\n- No sail\n- No tar")]);
    assert_eq!(clean(&crlf(STATE), &crlf(&ours), &crlf(&theirs)), crlf(&expected));
    // What is no list of keys is one unit.
    let odd = |text: &str| text.replace("status: executing\n", "status: executing\nno key here\n");
    assert_eq!(clean(&odd(STATE), &odd(&ours), &odd(&theirs)), odd(&expected));
    // Text that no YAML reader takes is a value here.
    let free = |text: &str| text.replace("last_activity_desc: began", "last_activity_desc: began: well");
    assert_eq!(clean(&free(STATE), &free(&ours), &free(&theirs)), free(&expected));
}

#[test]
fn other_keys_and_sections_are_merged_as_anywhere() {
    let ours = with(&[
        ("milestone: v2.0\n", "milestone: v2.0\nown: 1\n"),
        ("See: PROJECT.md", "See: PROJECT.md, twice"),
    ]);
    let theirs = with(&[
        ("milestone: v2.0", "milestone: v2.1"),
        ("| 1 | 4 | 20m | 5m |", "| 1 | 4 | 24m | 6m |"),
    ]);
    let expected = with(&[
        ("milestone: v2.0\n", "milestone: v2.1\nown: 1\n"),
        ("See: PROJECT.md", "See: PROJECT.md, twice"),
        ("| 1 | 4 | 20m | 5m |", "| 1 | 4 | 24m | 6m |"),
    ]);
    assert_eq!(clean(STATE, &ours, &theirs), expected);
    let (_, items) = conflicts(
        STATE,
        &with(&[("| 1 | 4 | 20m", "| 1 | 4 | 21m")]),
        &with(&[("| 1 | 4 | 20m", "| 1 | 4 | 22m")]),
    );
    assert_eq!(items, ["1"]);
}

#[test]
fn paths_that_are_a_state() {
    for (path, is) in [
        (".planning/STATE.md", true),
        ("a/b/.planning/STATE.md", true),
        ("x.planning/STATE.md", false),
        (".planning/state.md", false),
        (".planning/STATE.md/x", false),
        ("STATE.md", false),
    ] {
        assert_eq!(is_state(path.as_bytes()), is, "{path}");
    }
}

mod random;
