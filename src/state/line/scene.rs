//! Which scene a project is in, and its line, long and compact (state.md 10.2).

use super::read::{PhaseOf, Seen};
use crate::state::meaning::{Counted, normalise};

/// What the line is about. The names are part of the JSON contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// There is no STATE.md.
    None,
    /// Somebody is at work on a phase.
    Active,
    /// Nobody is, and it is said what to do next.
    Next,
    /// The milestone is complete.
    Complete,
    Default,
}

impl Scene {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Active => "active",
            Self::Next => "next",
            Self::Complete => "complete",
            Self::Default => "default",
        }
    }

    /// The first that fits. At work comes before all: a next step would mislead then.
    pub(super) fn of(seen: &Seen) -> Self {
        let all_phases = seen.total_phases.filter(|total| *total > 0);
        if seen.active_phase.is_some() {
            Self::Active
        } else if next(seen).is_some() {
            Self::Next
        } else if seen.percent == Some(100) || (all_phases.is_some() && seen.completed_phases == all_phases) {
            Self::Complete
        } else {
            Self::Default
        }
    }
}

const BETWEEN: &str = " · ";

/// The name that stands for none.
const PLACEHOLDER: &str = "milestone";

pub(super) fn full(seen: &Seen, scene: Scene) -> String {
    let mut parts: Vec<String> = milestone(seen).into_iter().collect();
    match scene {
        Scene::Active => parts.extend(at_work(seen)),
        Scene::Next => parts.extend(next(seen)),
        Scene::Complete => parts.push("milestone complete".to_owned()),
        Scene::Default | Scene::None => {
            parts.extend(seen.status.clone());
            parts.extend(seen.phase.as_ref().map(|phase| match &phase.name {
                Some(name) => format!("{name} ({}/{})", phase.number, phase.total),
                None => format!("ph {}/{}", phase.number, phase.total),
            }));
        }
    }
    parts.join(BETWEEN)
}

/// Version, name and bar. The bar belongs to a milestone: without one there is none.
fn milestone(seen: &Seen) -> Option<String> {
    if seen.milestone.is_none() && seen.milestone_name.is_none() {
        return None;
    }
    let name = seen.milestone_name.clone().filter(|name| name != PLACEHOLDER);
    let words: Vec<String> = [seen.milestone.clone(), name, seen.percent.map(bar)]
        .into_iter()
        .flatten()
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn bar(percent: u64) -> String {
    let percent = percent.min(100);
    let cells: String = (1..=10)
        .map(|cell| if cell * 10 <= percent { '█' } else { '░' })
        .collect();
    format!("[{cells}] {percent}%")
}

fn at_work(seen: &Seen) -> Option<String> {
    let phase = seen.active_phase.as_ref()?;
    Some(match &seen.status {
        Some(status) => format!("Phase {phase} {status}"),
        None => format!("Phase {phase}"),
    })
}

fn next(seen: &Seen) -> Option<String> {
    let action = seen
        .next_action
        .as_ref()
        .filter(|_| !seen.next_phases.is_empty())?;
    Some(format!("next {action} {}", seen.next_phases.join("/")))
}

pub(super) fn compact(seen: &Seen, scene: Scene) -> String {
    let mut parts: Vec<String> = seen.milestone.iter().cloned().collect();
    let of_body = seen.phase.as_ref();
    let phase = seen.active_phase.as_ref().or(of_body.map(|phase| &phase.number));
    parts.extend(phase.map(|phase| match of_body {
        Some(PhaseOf { total, .. }) => format!("P{phase}/{total}"),
        None => format!("P{phase}"),
    }));
    if scene == Scene::Complete {
        parts.push("complete".to_owned());
    } else if let Some(status) = &seen.status {
        parts.push(reduced(status));
    } else if phase.is_none() {
        parts.extend(next(seen));
    }
    parts.join(BETWEEN)
}

/// A status in one word.
fn reduced(status: &str) -> String {
    match normalise(Some(status), None, Counted::Otherwise) {
        "unknown" => first_word(status).chars().take(16).collect(),
        "paused" => "PAUSED".to_owned(),
        word => word.to_owned(),
    }
}

fn first_word(status: &str) -> &str {
    status.split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::StatusLine;
    use super::*;

    fn shown(front: &str, body: &str, compact: bool) -> (&'static str, String) {
        let seen = Seen::read(format!("---\n{front}\n---\n\n{body}\n").as_bytes());
        let found = StatusLine::of(Some(&seen), compact);
        (found.scene.as_str(), found.line)
    }

    #[track_caller]
    fn check(front: &str, body: &str, compact: bool, scene: &str, line: &str) {
        let (found, text) = shown(front, body, compact);
        assert_eq!((found, text.as_str()), (scene, line), "{front} {body}");
    }

    #[test]
    fn the_bar_has_a_cell_for_each_full_ten_percent() {
        for (percent, expected) in [
            (0, "[░░░░░░░░░░] 0%"),
            (9, "[░░░░░░░░░░] 9%"),
            (10, "[█░░░░░░░░░] 10%"),
            (59, "[█████░░░░░] 59%"),
            (99, "[█████████░] 99%"),
            (100, "[██████████] 100%"),
            (u64::MAX, "[██████████] 100%"),
        ] {
            assert_eq!(bar(percent), expected);
        }
    }

    #[test]
    fn the_first_scene_that_fits_is_shown() {
        let all = "milestone: v2\nstatus: executing\nactive_phase: 4\nnext_action: plan-phase\nnext_phases: [5, 6]\nprogress:\n  percent: 100";
        let without = |line: &str| all.replace(line, "x: y");
        check(
            all,
            "",
            false,
            "active",
            "v2 [██████████] 100% · Phase 4 executing",
        );
        let idle = without("active_phase: 4");
        check(
            &idle,
            "",
            false,
            "next",
            "v2 [██████████] 100% · next plan-phase 5/6",
        );
        let done = idle.replace("next_action: plan-phase", "next_action: null");
        check(
            &done,
            "",
            false,
            "complete",
            "v2 [██████████] 100% · milestone complete",
        );
        let open = done.replace("100", "150");
        check(
            &open,
            "Phase: 1 of 2",
            false,
            "default",
            "v2 [██████████] 100% · executing · ph 1/2",
        );
    }

    #[test]
    fn a_file_of_an_older_release_is_shown_as_that_release_did() {
        let front = "milestone: v1.9\nmilestone_name: Code Quality\nstatus: executing";
        check(
            front,
            "Phase: 1 of 5",
            false,
            "default",
            "v1.9 Code Quality · executing · ph 1/5",
        );
        check(
            front,
            "Phase: 1 of 5 (Keel)",
            false,
            "default",
            "v1.9 Code Quality · executing · Keel (1/5)",
        );
        check("milestone_name: milestone", "", false, "default", "");
        check("milestone_name: Keel", "", false, "default", "Keel");
    }

    #[test]
    fn none_of_no_phases_is_not_complete() {
        check(
            "progress:\n  completed_phases: 0\n  total_phases: 0",
            "",
            false,
            "default",
            "",
        );
        check(
            "progress:\n  completed_phases: 3\n  total_phases: 3",
            "",
            false,
            "complete",
            "milestone complete",
        );
        check("progress:\n  completed_phases: 3", "", false, "default", "");
    }

    #[test]
    fn the_compact_line_has_version_phase_and_one_word() {
        check(
            "milestone: v2\nactive_phase: 4.5\nstatus: verifying",
            "",
            true,
            "active",
            "v2 · P4.5 · verifying",
        );
        check(
            "milestone: v2\nactive_phase: 4.5",
            "Phase: 2 of 5",
            true,
            "active",
            "v2 · P4.5/5",
        );
        check(
            "progress:\n  percent: 100\nactive_phase: 4",
            "",
            true,
            "active",
            "P4",
        );
        check(
            "status: executing\nprogress:\n  percent: 100",
            "",
            true,
            "complete",
            "complete",
        );
        let next = "next_action: plan-phase\nnext_phases: [5, 6]";
        check(next, "", true, "next", "next plan-phase 5/6");
        check(next, "Phase: 1 of 2", true, "next", "P1/2");
        check(&format!("{next}\nstatus: paused"), "", true, "next", "PAUSED");
    }

    #[test]
    fn a_status_is_reduced_to_a_word() {
        for (status, word) in [
            ("paused", "PAUSED"),
            ("Stopped at noon", "PAUSED"),
            ("In Progress", "executing"),
            ("Ready to execute", "executing"),
            ("Planning complete", "planning"),
            ("verifying", "verifying"),
            ("All phases complete", "completed"),
            ("Defining requirements", "Defining"),
            ("Überprüfungsarbeiten laufen", "Überprüfungsarbe"),
        ] {
            assert_eq!(reduced(status), word, "{status}");
        }
    }
}
