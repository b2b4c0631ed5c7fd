//! What each verb does to one document.

/// Complete front matter, somebody's own keys in every shape, prose; status, `stopped_at` and the name of the phase are not
/// what the body says.
pub(super) const DOCUMENT: &str = "\
---
msd_state_version: 1.0
milestone: v1.2
milestone_name: Night Berths
current_phase: 2
# the harbour master's own word
current_phase_name: Curated Mast
status: verifying
stopped_at: Curated stop
last_updated: \"2025-12-20T10:00:00.000Z\"
last_activity: 2025-12-20
progress:
  total_phases: 3
  completed_phases: 1
  total_plans: 3
  completed_plans: 2
  percent: 33
# not ours
owner: mira
tags: [tide, night]
budget:
  hours: 12
# of the yard
  note: tight
brief: |
  first: line
    # no comment

  last line
crew:
  - name: ida
    age: 40
  - name: tom
# the end
---

# Project State

Prose with a **Status:** marker in it,   and blanks at the end of the line.   

* starred

## Project Reference

**Current focus:** Phase 2

## Current Position

Phase: 2 of 3 (Mast)
Plan: 1 of 2 in current phase
Status: Executing Phase 2
Last activity: 2025-12-20

Progress: [░░░░░░░░░░] 0% of plans



## Performance Metrics

| Plan | Duration | Tasks | Files |
|------|----------|-------|-------|
| Phase 1 P1 | 2h | 3 tasks | 4 files |

## Accumulated Context

### Decisions

- [Phase 1]: Oak keel
- An older decision

### Blockers/Concerns

- Paint is late

## Session Continuity

Last session: 2025-12-20T10:00:00.000Z
Stopped at: Body stop
Resume file: None

## Log

```
Status: in a fence
```
Phase: of an old log
";

const STATUS: &str = "`status` is `verifying`";
const STOPPED: &str = "`stopped_at` is `Curated stop`";
const NAME: &str = "`current_phase_name` is `Curated Mast`";

/// One verb, and all that it does to [`DOCUMENT`].
pub(super) struct Verb {
    pub(super) args: &'static [&'static str],
    /// What stood there and what stands there now, beside `last_updated`.
    pub(super) changes: &'static [(&'static str, &'static str)],
    /// The labels that it says it changed, where its answer has them.
    pub(super) updated: Option<&'static [&'static str]>,
    /// Disagreements that it leaves alone and tells.
    pub(super) told: &'static [&'static str],
    pub(super) again: Again,
}

/// What a second run does.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Again {
    /// Nothing is written.
    Nothing,
    /// Only times change.
    Times,
    /// It says more than before.
    More,
}

const DAY: (&str, &str) = ("Last activity: 2025-12-20\n", "Last activity: 2026-01-02\n");
const STORED_DAY: (&str, &str) = ("last_activity: 2025-12-20\n", "last_activity: 2026-01-02\n");
const SESSION: (&str, &str) = (
    "Last session: 2025-12-20T10:00:00.000Z",
    "Last session: 2026-01-02T03:04:05.000Z",
);

pub(super) const VERBS: &[Verb] = &[
    Verb {
        args: &["record-session"],
        changes: &[SESSION],
        updated: Some(&["Last session"]),
        told: &[NAME, STATUS, STOPPED],
        again: Again::Times,
    },
    Verb {
        args: &["record-session", "--stopped-at", "Cut the cloth"],
        changes: &[
            SESSION,
            ("Stopped at: Body stop", "Stopped at: Cut the cloth"),
            ("stopped_at: Curated stop", "stopped_at: Cut the cloth"),
        ],
        updated: Some(&["Last session", "Stopped At"]),
        told: &[NAME, STATUS],
        again: Again::Times,
    },
    Verb {
        args: &["record-session", "--resume-file", "x.md"],
        changes: &[SESSION, ("Resume file: None", "Resume file: x.md")],
        updated: Some(&["Last session", "Resume File"]),
        told: &[NAME, STATUS, STOPPED],
        again: Again::Times,
    },
    Verb {
        args: &["update", "Plan", "2 of 2"],
        changes: &[("Plan: 1 of 2 in current phase", "Plan: 2 of 2")],
        updated: None,
        told: &[NAME, STATUS, STOPPED],
        again: Again::Nothing,
    },
    Verb {
        args: &["update", "Status", "Paused"],
        changes: &[
            ("Status: Executing Phase 2", "Status: Paused"),
            ("status: verifying", "status: paused"),
        ],
        updated: None,
        told: &[NAME, STOPPED],
        again: Again::Nothing,
    },
    Verb {
        args: &["patch", "--Stopped at", "Here", "--owner", "ida"],
        changes: &[
            ("Stopped at: Body stop", "Stopped at: Here"),
            ("stopped_at: Curated stop", "stopped_at: Here"),
            ("owner: mira", "owner: ida"),
        ],
        updated: Some(&["Stopped at", "owner"]),
        told: &[NAME, STATUS],
        again: Again::Nothing,
    },
    Verb {
        args: &["add-decision", "--summary", "Hemp", "--rationale", "cheap"],
        changes: &[(
            "- An older decision\n",
            "- An older decision\n- [Phase 2]: Hemp — cheap\n",
        )],
        updated: None,
        told: &[NAME, STATUS, STOPPED],
        again: Again::More,
    },
    Verb {
        args: &["add-blocker", "--text", "No wind"],
        changes: &[("- Paint is late\n", "- Paint is late\n- No wind\n")],
        updated: None,
        told: &[NAME, STATUS, STOPPED],
        again: Again::More,
    },
    Verb {
        args: &["resolve-blocker", "--text", "PAINT"],
        changes: &[("- Paint is late\n", "None\n")],
        updated: None,
        told: &[NAME, STATUS, STOPPED],
        again: Again::Nothing,
    },
    Verb {
        args: &["record-metric", "--phase", "2", "--plan", "1", "--duration", "1h"],
        changes: &[(
            "| 3 tasks | 4 files |\n",
            "| 3 tasks | 4 files |\n| Phase 2 P1 | 1h | - tasks | - files |\n",
        )],
        updated: None,
        told: &[NAME, STATUS, STOPPED],
        again: Again::More,
    },
    Verb {
        args: &["add-roadmap-evolution", "--note", "Split in two"],
        changes: &[(
            "- Paint is late\n",
            "- Paint is late\n\n### Roadmap Evolution\n\n- Phase 2 changed: Split in two\n",
        )],
        updated: None,
        told: &[NAME, STATUS, STOPPED],
        again: Again::Nothing,
    },
    Verb {
        args: &["update-progress"],
        changes: &[("[░░░░░░░░░░] 0% of plans", "[███░░░░░░░] 33% of plans")],
        updated: None,
        told: &[NAME, STATUS, STOPPED],
        again: Again::Nothing,
    },
    Verb {
        args: &["prune", "--keep-recent", "1"],
        changes: &[("- [Phase 1]: Oak keel\n", "")],
        updated: None,
        told: &[NAME, STATUS, STOPPED],
        again: Again::Nothing,
    },
    Verb {
        args: &["begin-phase", "--phase", "3", "--name", "Rigging", "--plans", "4"],
        changes: &[
            (
                "**Current focus:** Phase 2",
                "**Current focus:** Phase 3 — Rigging",
            ),
            ("Phase: 2 of 3 (Mast)", "Phase: 3 (Rigging) — EXECUTING"),
            ("Plan: 1 of 2 in current phase", "Plan: 1 of 4"),
            ("Status: Executing Phase 2", "Status: Executing Phase 3"),
            (
                "Last activity: 2025-12-20\n",
                "Last activity: 2026-01-02 — Phase 3 execution started\n",
            ),
            ("current_phase: 2\n", "current_phase: 3\n"),
            ("current_phase_name: Curated Mast", "current_phase_name: Rigging"),
            ("status: verifying", "status: executing"),
            (
                "last_activity: 2025-12-20\n",
                "last_activity: 2026-01-02\nlast_activity_desc: Phase 3 execution started\n",
            ),
        ],
        updated: Some(&["Phase", "Plan", "Status", "Last activity", "Current focus"]),
        told: &[STOPPED],
        again: Again::More,
    },
    Verb {
        args: &["begin-phase", "--phase", "2"],
        changes: &[
            (
                "Last activity: 2025-12-20\n",
                "Last activity: 2026-01-02 — Phase 2 execution resumed (wave continue)\n",
            ),
            (
                "last_activity: 2025-12-20\n",
                "last_activity: 2026-01-02\nlast_activity_desc: Phase 2 execution resumed (wave continue)\n",
            ),
        ],
        updated: Some(&["Last activity"]),
        told: &[NAME, STATUS, STOPPED],
        again: Again::Nothing,
    },
    Verb {
        args: &["advance-plan"],
        changes: &[
            ("Plan: 1 of 2 in current phase", "Plan: 2 of 2 in current phase"),
            ("Status: Executing Phase 2", "Status: Ready to execute"),
            DAY,
            STORED_DAY,
            ("status: verifying", "status: executing"),
        ],
        updated: Some(&["Plan", "Status", "Last activity"]),
        told: &[NAME, STOPPED],
        again: Again::More,
    },
    Verb {
        args: &["planned-phase", "--phase", "2", "--plans", "2"],
        changes: &[
            ("Phase: 2 of 3 (Mast)", "Phase: 2 — READY TO EXECUTE"),
            ("Status: Executing Phase 2", "Status: Ready to execute"),
            (
                "Last activity: 2025-12-20\n",
                "Last activity: 2026-01-02 — Phase 2 planning complete\n",
            ),
            ("current_phase_name: Curated Mast\n", ""),
            ("status: verifying", "status: executing"),
            (
                "last_activity: 2025-12-20\n",
                "last_activity: 2026-01-02\nlast_activity_desc: Phase 2 planning complete\n",
            ),
            // The comment of a key that is gone goes to the end.
            ("# the harbour master's own word\n", ""),
            ("# the end\n", "# the harbour master's own word\n# the end\n"),
        ],
        updated: Some(&["Phase", "Status", "Last activity"]),
        told: &[STOPPED],
        again: Again::Nothing,
    },
    Verb {
        args: &["complete-phase", "--phase", "2", "--next", "3"],
        changes: &[
            ("Phase: 2 of 3 (Mast)", "Phase: 3 of 3 (Rigging)"),
            ("Plan: 1 of 2 in current phase", "Plan: Not started"),
            ("Status: Executing Phase 2", "Status: Ready to plan"),
            (
                "Last activity: 2025-12-20\n",
                "Last activity: 2026-01-02 — Phase 2 complete, transitioned to Phase 3\n",
            ),
            (
                "Stopped at: Body stop",
                "Stopped at: Phase 2 complete, ready to plan Phase 3",
            ),
            ("current_phase: 2\n", "current_phase: 3\n"),
            ("current_phase_name: Curated Mast", "current_phase_name: Rigging"),
            ("status: verifying", "status: planning"),
            (
                "stopped_at: Curated stop",
                "stopped_at: Phase 2 complete, ready to plan Phase 3",
            ),
            (
                "last_activity: 2025-12-20\n",
                "last_activity: 2026-01-02\nlast_activity_desc: Phase 2 complete, transitioned to Phase 3\n",
            ),
        ],
        updated: Some(&["Phase", "Plan", "Status", "Last activity", "Stopped at"]),
        told: &[],
        again: Again::Nothing,
    },
    Verb {
        args: &["complete-phase", "--phase", "2", "--last"],
        changes: &[
            ("Plan: 1 of 2 in current phase", "Plan: Not started"),
            ("Status: Executing Phase 2", "Status: All phases complete"),
            (
                "Last activity: 2025-12-20\n",
                "Last activity: 2026-01-02 — Phase 2 complete\n",
            ),
            (
                "Stopped at: Body stop",
                "Stopped at: Phase 2 complete — all phases complete",
            ),
            ("status: verifying", "status: completed"),
            (
                "stopped_at: Curated stop",
                "stopped_at: Phase 2 complete — all phases complete",
            ),
            (
                "last_activity: 2025-12-20\n",
                "last_activity: 2026-01-02\nlast_activity_desc: Phase 2 complete\n",
            ),
        ],
        updated: Some(&["Plan", "Status", "Last activity", "Stopped at"]),
        told: &[],
        again: Again::Nothing,
    },
    Verb {
        args: &["complete-phase"],
        changes: &[
            ("Phase: 2 of 3 (Mast)", "Phase: 2 — COMPLETE"),
            ("Status: Executing Phase 2", "Status: Phase 2 complete"),
            (
                "Last activity: 2025-12-20\n",
                "Last activity: 2026-01-02 — Phase 2 marked complete\n",
            ),
            ("current_phase_name: Curated Mast\n", ""),
            // Two phases of the milestone are open.
            ("status: verifying", "status: executing"),
            (
                "last_activity: 2025-12-20\n",
                "last_activity: 2026-01-02\nlast_activity_desc: Phase 2 marked complete\n",
            ),
            ("# the harbour master's own word\n", ""),
            ("# the end\n", "# the harbour master's own word\n# the end\n"),
        ],
        updated: Some(&["Phase", "Status", "Last activity"]),
        told: &[STOPPED],
        again: Again::Nothing,
    },
    Verb {
        args: &[
            "milestone-complete",
            "--milestone",
            "v1.2",
            "--next-command",
            "new",
        ],
        changes: &[
            (
                "Phase: 2 of 3 (Mast)\nPlan: 1 of 2 in current phase\nStatus: Executing Phase 2\nLast activity: 2025-12-20\n\nProgress: [░░░░░░░░░░] 0% of plans\n\n\n\n",
                "Phase: Milestone v1.2 complete\nPlan: —\nStatus: Awaiting next milestone\nLast activity: 2026-01-02 — Milestone v1.2 completed and archived\n\n",
            ),
            (
                "Phase: of an old log\n",
                "Phase: of an old log\n\n## Operator Next Steps\n\n- Start the next milestone with new\n",
            ),
            ("status: verifying", "status: completed"),
            (
                "last_activity: 2025-12-20\n",
                "last_activity: 2026-01-02\nlast_activity_desc: Milestone v1.2 completed and archived\n",
            ),
        ],
        updated: Some(&["Phase", "Plan", "Status", "Last activity", "Progress"]),
        told: &[STOPPED],
        again: Again::Nothing,
    },
    Verb {
        args: &["sync"],
        changes: &[
            DAY,
            ("Progress: [░░░░░░░░░░] 0% of plans", "Progress: [███░░░░░░░] 33%"),
            STORED_DAY,
            // Here the body wins.
            ("current_phase_name: Curated Mast", "current_phase_name: Mast"),
            ("status: verifying", "status: executing"),
            ("stopped_at: Curated stop", "stopped_at: Body stop"),
        ],
        updated: None,
        told: &[],
        again: Again::Nothing,
    },
    Verb {
        args: &["complete-phase", "--phase", "7"],
        changes: &[],
        updated: Some(&[]),
        told: &[],
        again: Again::Nothing,
    },
    Verb {
        args: &[
            "patch",
            "--status",
            "x",
            "--current_phase_name",
            "y",
            "--Nothing",
            "z",
        ],
        changes: &[
            ("Status: Executing Phase 2", "Status: x"),
            // The body says nothing that is known: what was known stays.
        ],
        updated: Some(&["status"]),
        told: &[NAME, STOPPED],
        again: Again::Nothing,
    },
];
