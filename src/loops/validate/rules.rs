//! The rules of the whole state and of its sections with scalar fields.

use serde_json::Value;

use super::check::{Check, Code, Least, Object};
use super::sections;
use crate::loops::document::{number, text};
use crate::loops::gate::{Source, Termination};
use crate::loops::{Mode, Phase};

/// The keys at the top, in their order.
const TOP: [&str; 14] = [
    "schema_version",
    "progress",
    "config",
    "tasks",
    "issues",
    "artifacts",
    "routing_history",
    "routing_repeat_tracker",
    "gate_state",
    "pending_confirmation",
    "phase_contracts",
    "context_snapshot",
    "termination",
    "housekeeping",
];

/// Those that are told at their own name, too, when they are missing.
const TOLD_TWICE: [&str; 8] = [
    "schema_version",
    "gate_state",
    "pending_confirmation",
    "phase_contracts",
    "context_snapshot",
    "housekeeping",
    "routing_history",
    "routing_repeat_tracker",
];

const TERMINATION: &str = ".claude/loop-claudecode/gate_state.json#/termination";
// The 9 belongs there.
const GATE_STATE: &str = ".claude/loop-claudecode/gate_state.json#/gate_state9";

type Rule = fn(&mut Check, &Value, &str);

pub(super) fn state(check: &mut Check, state: &Value, gate: &Source) {
    let Some(top) = check.object(state, "state") else {
        return;
    };
    for key in TOP {
        if !top.contains_key(key) {
            check.missing("state", key);
            if TOLD_TWICE.contains(&key) {
                check.missing(key, key);
            }
        }
    }
    if let Some(version) = top.get("schema_version")
        && check
            .int(version, "schema_version", Least::Any)
            .is_some_and(|n| n != 1)
    {
        check.error("schema_version", Code::Range("1"));
    }
    section(check, top, "progress", &PROGRESS);
    section(check, top, "config", &CONFIG);
    section(check, top, "tasks", &TASKS);
    section(check, top, "issues", &ISSUES);
    sections::artifacts(check, top.get("artifacts"));
    let others: [(&str, Rule); 7] = [
        ("routing_history", |check, value, path| {
            check.entries(value, path, &["from", "to", "reason", "at"]);
        }),
        ("routing_repeat_tracker", sections::tracker),
        ("gate_state", |check, value, path| {
            let Some(object) = check.object(value, path) else {
                return;
            };
            if !object.contains_key("_ref") {
                check.missing(path, "_ref");
            } else if text(value, "_ref") != Some(GATE_STATE) {
                check.error("gate_state._ref", Code::Reference(GATE_STATE));
            }
        }),
        ("pending_confirmation", sections::confirmation),
        ("phase_contracts", sections::contracts),
        ("context_snapshot", sections::snapshot),
        ("housekeeping", sections::housekeeping),
    ];
    for (key, rule) in others {
        if let Some(value) = top.get(key) {
            rule(check, value, key);
        }
    }
    limits(check, state);
    termination(check, top, gate);
}

/// A field of a section with the rule of its value.
struct Field {
    key: &'static str,
    /// Where it is told that it is missing: at its own path, at the section, or nowhere.
    absent: Absent,
    rule: Rule,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Absent {
    Own,
    Section,
    Allowed,
}

const fn field(key: &'static str, rule: Rule) -> Field {
    Field {
        key,
        absent: Absent::Own,
        rule,
    }
}

const fn keyed(key: &'static str, rule: Rule) -> Field {
    Field {
        key,
        absent: Absent::Section,
        rule,
    }
}

/// Judges a section; a missing one, told already, as if it were empty.
fn section(check: &mut Check, top: &Object, name: &'static str, fields: &[Field]) {
    let empty = Object::new();
    let object = match top.get(name) {
        None => &empty,
        Some(value) => match check.object(value, name) {
            Some(object) => object,
            None => return,
        },
    };
    for Field { key, absent, rule } in fields {
        let path = format!("{name}.{key}");
        match (object.get(*key), absent) {
            (Some(value), _) => rule(check, value, &path),
            (None, Absent::Own) => check.missing(&path, key),
            (None, Absent::Section) if top.contains_key(name) => check.missing(name, key),
            (None, Absent::Section | Absent::Allowed) => {}
        }
    }
}

const ZERO: Rule = |check, value, path| {
    check.int(value, path, Least::Zero);
};
const ONE: Rule = |check, value, path| {
    check.int(value, path, Least::One);
};
const BOOL: Rule = |check, value, path| check.bool(value, path);
const SEVERITIES: [&str; 3] = ["p0", "p1", "p2"];

const PROGRESS: [Field; 12] = [
    field("phase", |check, value, path| {
        check.one_of(value, path, Phase::parse);
    }),
    field("cycle", ZERO),
    field("convergence_counter", ZERO),
    field("part1_round", ZERO),
    field("verification_pass_count", ZERO),
    field("new_issues_this_round", BOOL),
    field("new_issues_last_round", BOOL),
    Field {
        key: "issues_snapshot_at_round_start",
        absent: Absent::Allowed,
        rule: |check, value, path| {
            if !value.is_null() {
                check.integers(value, path, &SEVERITIES, Least::Any);
            }
        },
    },
    keyed("retry_count_this_phase", |check, value, path| {
        if check.int(value, path, Least::Zero).is_some_and(|n| n > 2) {
            check.error(path, Code::Range("0, 1 or 2"));
        }
    }),
    keyed("implementation_engine", |check, value, path| {
        check.none_or_one_of(value, path, |text| {
            matches!(text, "executing-plans" | "subagent").then_some(())
        });
    }),
    keyed("repair_context", sections::repair),
    field("phase_transitions", |check, value, path| {
        check.entries(value, path, &["from", "to", "at"]);
    }),
];

const CONFIG: [Field; 10] = [
    field("mode", |check, value, path| {
        check.one_of(value, path, Mode::parse);
    }),
    field("tdd", BOOL),
    field("skip_testing", BOOL),
    field("max_cycles", ONE),
    field("max_part1_rounds", ONE),
    field("convergence_rounds", ONE),
    field("route_repeat_max", ONE),
    field("user_request", |check, value, path| {
        check.string(value, path);
    }),
    field("gate_file_count_threshold", |check, value, path| {
        check.counts(value, path, &["safe", "auto", "unsafe"]);
    }),
    field("gate_irreversible_ops_blocked_in", |check, value, path| {
        for (at, mode) in check.list(value, path).iter().enumerate() {
            check.one_of(mode, &format!("{path}[{at}]"), Mode::parse);
        }
    }),
];

const TASKS: [Field; 2] = [
    field("total", ZERO),
    field("by_status", |check, value, path| {
        check.counts(value, path, &sections::TASK_STATES);
    }),
];

const ISSUES: [Field; 3] = [
    field("active", sections::active),
    field("resolved", |check, value, path| {
        check.integers(value, path, &SEVERITIES, Least::Any);
    }),
    field("all_time", |check, value, path| {
        check.integers(value, path, &["p0_total", "p1_total", "p2_total"], Least::Any);
    }),
];

/// What several fields together must keep.
fn limits(check: &mut Check, state: &Value) {
    let beyond = |one: &str, other: &str| match (number(state, one), number(state, other)) {
        (Some(one), Some(other)) => one > other,
        _ => false,
    };
    for (counter, limit) in [
        ("progress.cycle", "config.max_cycles"),
        ("progress.part1_round", "config.max_part1_rounds"),
    ] {
        if beyond(counter, limit) {
            check.error("invariant.limits", Code::Limit(limit));
        }
    }
    if beyond("progress.verification_pass_count", "config.convergence_rounds") {
        check.warning("invariant.limits", Code::Limit("config.convergence_rounds"));
    }
    let counted: Option<Vec<i128>> = sections::TASK_STATES
        .iter()
        .map(|key| number(state, &format!("tasks.by_status.{key}")))
        .collect();
    if let (Some(total), Some(counted)) = (number(state, "tasks.total"), counted)
        && counted.iter().sum::<i128>() != total
    {
        check.warning("tasks", Code::Sum);
    }
}

/// The termination: here as a reference, its status in the gate state.
fn termination(check: &mut Check, top: &Object, gate: &Source) {
    let mut statuses: Vec<Termination> = Vec::new();
    match top.get("termination") {
        None => check.missing("termination.status", "status"),
        Some(value) => {
            if let Some(inline) = check.object(value, "termination") {
                match inline.get("_ref") {
                    Some(reference) if reference == TERMINATION => {}
                    Some(_) => check.error("termination._ref", Code::Reference(TERMINATION)),
                    None => {
                        check.error("termination", Code::Inline);
                        if !inline.contains_key("status") {
                            check.missing("termination.status", "status");
                        }
                    }
                }
                if let Some(status) = inline.get("status") {
                    statuses.extend(check.one_of(status, "termination.status", Termination::parse));
                }
            }
        }
    }
    match gate {
        Source::Missing => check.warning("termination", Code::NoGate),
        Source::Broken(why) => check.error("termination", Code::BrokenGate(why.clone())),
        Source::Known(gate) => match gate.status_text() {
            None => check.error("termination", Code::NoStatus),
            Some(status) => {
                statuses.extend(check.one_of(status, "termination.status", Termination::parse));
            }
        },
    }
    let phase = top
        .get("progress")
        .and_then(|progress| progress.get("phase")?.as_str())
        .and_then(Phase::parse);
    if let Some(phase) = phase
        && statuses.iter().any(|status| !agree(*status, phase))
    {
        check.error("invariant.termination_phase", Code::Phase);
    }
}

fn agree(status: Termination, phase: Phase) -> bool {
    match status {
        Termination::Running => phase.is_running(),
        Termination::Complete => phase == Phase::Complete,
        Termination::Paused => phase == Phase::Paused,
        Termination::Failed => phase == Phase::Failed,
    }
}
