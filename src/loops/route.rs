//! Where a round leads (loop.md 5): from the issues that are new or active to the next phase.

use std::collections::BTreeSet;

use serde_json::Value;

use super::document::{flag, get, list, number, object, set, value_of};
use super::{Error, Gate, Phase, Termination};
use crate::clock::Timestamp;

/// What a severity is called.
pub const SEVERITIES: [&str; 3] = ["p0", "p1", "p2"];

/// Extensions of files that are code; all others are documents, data or settings.
const CODE: [&str; 58] = [
    "bash", "c", "cc", "clj", "cpp", "cs", "css", "cxx", "dart", "ex", "exs", "go", "h", "hpp", "hs", "html",
    "java", "jl", "js", "jsx", "kt", "kts", "less", "lua", "m", "mjs", "ml", "mm", "php", "pl", "ps1", "py",
    "asm", "cjs", "coffee", "cts", "elm", "erl", "fs", "groovy", "mts", "nim", "proto", "pyi", "vb", "zig",
    "r", "rb", "rs", "scala", "scss", "sh", "sql", "svelte", "swift", "ts", "tsx", "vue",
];

/// A decision, with the counters as they are after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub from: Phase,
    pub to: Phase,
    pub reason: &'static str,
    /// Whether the next phase is to repair what was found.
    pub repair: bool,
    pub termination: Termination,
    pub cycle: i128,
    pub convergence_counter: i128,
    pub part1_round: i128,
    pub verification_pass_count: i128,
    pub new_issues_this_round: bool,
    pub new_issues_last_round: bool,
    /// The totals, p0 first.
    pub totals: [i128; 3],
    pub tracker: Value,
    severity: Option<usize>,
}

/// Decides; nothing is changed.
pub fn route(state: &Value) -> Result<Route, Error> {
    let int = |path: &'static str| number(state, path).ok_or(Error::Field(path));
    let phase = super::transition::phase(state)?;
    if phase != Phase::Routing {
        return Err(Error::NotRouting(phase));
    }
    let totals = [
        int("issues.all_time.p0_total")?,
        int("issues.all_time.p1_total")?,
        int("issues.all_time.p2_total")?,
    ];
    let is_new = new(state, totals)?;
    let mut active = [false; 3];
    for (at, path) in ["issues.active.p0", "issues.active.p1", "issues.active.p2"]
        .into_iter()
        .enumerate()
    {
        active[at] = !list(state, path).ok_or(Error::Field(path))?.is_empty();
    }
    let tracker = get(state, "routing_repeat_tracker").filter(|tracker| tracker.is_object());
    let mut route = Route {
        from: phase,
        to: Phase::Verification,
        reason: "reverify",
        repair: false,
        termination: Termination::Running,
        cycle: int("progress.cycle")?,
        convergence_counter: int("progress.convergence_counter")?,
        part1_round: int("progress.part1_round")?,
        verification_pass_count: int("progress.verification_pass_count")?,
        new_issues_this_round: is_new.contains(&true),
        new_issues_last_round: flag(state, "progress.new_issues_this_round")
            .ok_or(Error::Field("progress.new_issues_this_round"))?,
        totals,
        tracker: tracker.ok_or(Error::Field("routing_repeat_tracker"))?.clone(),
        severity: (0..3).find(|at| is_new[*at] || active[*at]),
    };
    match route.severity {
        Some(severity) => {
            route.hit(
                state,
                severity,
                int("config.route_repeat_max")?,
                int("config.max_cycles")?,
            );
        }
        None => route.clean(int("config.convergence_rounds")?),
    }
    Ok(route)
}

/// Which severities have grown since the round began; none before there is a snapshot.
fn new(state: &Value, totals: [i128; 3]) -> Result<[bool; 3], Error> {
    let snapshot = get(state, "progress.issues_snapshot_at_round_start").filter(|value| !value.is_null());
    let mut out = [false; 3];
    if let Some(snapshot) = snapshot {
        for (at, severity) in SEVERITIES.into_iter().enumerate() {
            let before = number(snapshot, severity);
            out[at] = totals[at] > before.ok_or(Error::Field("progress.issues_snapshot_at_round_start"))?;
        }
    }
    Ok(out)
}

impl Route {
    fn hit(&mut self, state: &Value, severity: usize, repeat_max: i128, max_cycles: i128) {
        let key = ["p0_count", "p1_count", "p2_count"][severity];
        let count = number(&self.tracker, key).unwrap_or(0) + 1;
        set(&mut self.tracker, key, value_of(count));
        let stop = if count >= repeat_max {
            Some("repeat_limit")
        } else if self.cycle + 1 > max_cycles {
            Some("cycle_limit")
        } else {
            None
        };
        if let Some(reason) = stop {
            self.to = Phase::Paused;
            self.termination = Termination::Paused;
            self.reason = reason;
            return;
        }
        self.cycle += 1;
        self.convergence_counter = 0;
        self.verification_pass_count = 0;
        self.reason = SEVERITIES[severity];
        if severity == 0 {
            self.to = Phase::Requirements;
            self.part1_round = 0;
        } else if severity == 1 && is_of_the_design(state) {
            self.to = Phase::Solution;
        } else {
            self.to = Phase::Implementation;
            self.repair = true;
        }
    }

    fn clean(&mut self, rounds: i128) {
        self.tracker = object([]);
        self.convergence_counter += 1;
        if self.convergence_counter < rounds && self.verification_pass_count < rounds {
            self.verification_pass_count += 1;
            return;
        }
        self.to = Phase::Complete;
        self.termination = Termination::Complete;
        self.reason = "converged";
    }

    /// The totals as the state keeps them.
    pub fn snapshot(&self) -> Value {
        let [p0, p1, p2] = self.totals.map(value_of);
        object([("p0", p0), ("p1", p1), ("p2", p2)])
    }

    /// Writes the decision into state and gate state. `complete` means that the end may now be verified: the phase
    /// stays until it is (loop.md 7).
    pub fn apply(&self, state: &mut Value, gate: &mut Gate, now: Timestamp) {
        for (path, number) in [
            ("progress.cycle", self.cycle),
            ("progress.convergence_counter", self.convergence_counter),
            ("progress.part1_round", self.part1_round),
            ("progress.verification_pass_count", self.verification_pass_count),
        ] {
            if super::document::number(state, path) != Some(number) {
                if path == "progress.cycle" {
                    gate.begin_cycle();
                }
                set(state, path, value_of(number));
            }
        }
        set(
            state,
            "progress.new_issues_this_round",
            self.new_issues_this_round,
        );
        set(
            state,
            "progress.new_issues_last_round",
            self.new_issues_last_round,
        );
        set(state, "progress.issues_snapshot_at_round_start", self.snapshot());
        set(state, "routing_repeat_tracker", self.tracker.clone());
        let entry = object([
            ("from", Value::from(self.from.as_str())),
            ("to", Value::from(self.to.as_str())),
            ("reason", Value::from(self.reason)),
            ("at", Value::from(now.rfc3339())),
        ]);
        super::document::push(state, "routing_history", entry);
        let repair = match self.severity {
            Some(severity) if self.repair => self.repair_context(state, severity),
            Some(_) | None => Value::Null,
        };
        set(state, "progress.repair_context", repair);
        match self.termination {
            Termination::Paused => {
                gate.terminate(Termination::Paused, None, Some(self.reason));
                super::transition::enter(state, Phase::Paused, now);
            }
            Termination::Running => super::transition::enter(state, self.to, now),
            Termination::Complete | Termination::Failed => {}
        }
    }

    fn repair_context(&self, state: &Value, severity: usize) -> Value {
        let issues = active(state, severity);
        let ids: Vec<&str> = issues.iter().filter_map(|issue| id_of(issue)).collect();
        let files: BTreeSet<&str> = issues.iter().flat_map(affected_files).collect();
        let files: Vec<&str> = files.into_iter().collect();
        let key = ["p0_count", "p1_count", "p2_count"][severity];
        object([
            ("from_phase", Value::from(self.from.as_str())),
            ("routing_reason", Value::from(self.reason)),
            ("target_issues", Value::from(ids)),
            ("repair_plan", Value::Null),
            (
                "attempt_number",
                value_of(number(&self.tracker, key).unwrap_or(1)),
            ),
            ("review_required", Value::from(false)),
            ("affected_files", Value::from(files)),
        ])
    }
}

fn active(state: &Value, severity: usize) -> &[Value] {
    let path = ["issues.active.p0", "issues.active.p1", "issues.active.p2"][severity];
    list(state, path).map_or(&[], Vec::as_slice)
}

fn id_of(issue: &Value) -> Option<&str> {
    issue.as_str().or_else(|| issue.get("id")?.as_str())
}

fn affected_files(issue: &Value) -> impl Iterator<Item = &str> {
    let files = list(issue, "affected_files").map_or(&[][..], Vec::as_slice);
    files.iter().filter_map(Value::as_str)
}

/// Whether an active p1 is of the design (loop.md 5). One given as a plain id is of the implementation.
fn is_of_the_design(state: &Value) -> bool {
    active(state, 1)
        .iter()
        .filter(|issue| issue.is_object())
        .any(|issue| {
            let says =
                |key: &str| flag(issue, key) == Some(true) || number(issue, key).is_some_and(|n| n > 0);
            let folders: BTreeSet<&str> = affected_files(issue)
                .filter_map(|file| Some(file.trim_start_matches("./").split_once('/')?.0))
                .collect();
            says("design_level")
                || says("recurrence")
                || says("security_root")
                || number(issue, "blocks_tasks").is_some_and(|n| n >= 2)
                || affected_files(issue).any(|file| !is_code(file))
                || folders.len() >= 3
        })
}

fn is_code(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && CODE.contains(&extension.to_lowercase().as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn designed(issue: &str) -> bool {
        let issue: Value = serde_json::from_str(issue).expect("JSON");
        let mut state = Value::Null;
        set(&mut state, "issues.active.p1", vec![issue]);
        is_of_the_design(&state)
    }

    #[test]
    fn a_p1_is_of_the_design_by_its_files_and_flags() {
        for (issue, expected) in [
            (r#""I-1""#, false),
            (r#"{"id":"I-1"}"#, false),
            (r#"{"id":"I-1","design_level":true}"#, true),
            (r#"{"id":"I-1","affected_files":["src/a.rs","src/b.rs"]}"#, false),
            (r#"{"id":"I-1","affected_files":["docs/a.md"]}"#, true),
            (
                r#"{"id":"I-1","affected_files":["a/x.rs","b/x.rs","c/x.rs"]}"#,
                true,
            ),
            (
                r#"{"id":"I-1","affected_files":["a/x.rs","a/b/x.rs","a/c/x.rs"]}"#,
                false,
            ),
            (r#"{"id":"I-1","recurrence":true}"#, true),
            (r#"{"id":"I-1","blocks_tasks":1}"#, false),
            (r#"{"id":"I-1","blocks_tasks":2}"#, true),
            (r#"{"id":"I-1","security_root":true}"#, true),
        ] {
            assert_eq!(designed(issue), expected, "{issue}");
        }
    }
}
