//! The bugs that the transition module was made against (state.md 12; seed 002, "Context"), one test each.

use serde_json::json;

use super::common::Repo;
use super::{ARCHIVE, BODY, NOW, STATE, data, project, state};

/// Front matter with these lines before [`BODY`].
fn with_front(lines: &str) -> Repo {
    let milestone = if lines.contains("milestone:") {
        ""
    } else {
        "milestone: v1.2\n"
    };
    project(&format!(
        "---\nmsd_state_version: 1.0\n{milestone}{lines}---\n\n{BODY}"
    ))
}

/// The lines of the front matter.
fn front(repo: &Repo) -> String {
    let text = repo.read(STATE);
    let (front, _) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("---\n\n"))
        .expect("front matter");
    front.to_owned()
}

#[test]
fn bug_1760_prune_knows_the_current_phase_from_a_compound_position() {
    let body = BODY
        .replace("Phase: 2 of 3 (Mast)", "Phase: 6 of 9 (Sea trials)")
        .replace(
            "- [Phase 1]: Oak keel\n",
            "- [Phase 1]: Oak keel\n- [Phase 03.1]: Rope\n- [Phase 4]: Tar\n",
        );
    let repo = project(&body);
    let pruned = data(state(&repo, &["prune"]));
    assert_eq!(
        (&pruned["cutoff_phase"], &pruned["total_archived"]),
        (&json!(3), &json!(2))
    );
    assert!(
        repo.read(ARCHIVE)
            .ends_with("### Decisions\n\n- [Phase 1]: Oak keel\n- [Phase 03.1]: Rope\n")
    );
    assert!(repo.read(STATE).contains("### Decisions\n\n- [Phase 4]: Tar\n"));
}

#[test]
fn bug_1761_phases_of_sibling_milestones_are_not_summed() {
    let repo = with_front("milestone: v3.0\nstatus: executing\nprogress:\n  total_phases: 2\n");
    repo.write(
        ".planning/ROADMAP.md",
        "# Roadmap\n\n## v1.1 One\n\n### Phase 1: Keel\n\n## v1.2 Two\n\n### Phase 2: Mast\n\n### Phase 3: Rigging\n\n### Phase 4: Sails\n",
    );
    // The total that somebody stored, no percentage, the bar of the body as it is.
    let told = data(state(&repo, &["sync"]));
    assert_eq!(
        told["skipped"],
        json!([{"field": "Progress", "reason": "milestone_unbounded"}])
    );
    assert!(repo.read(STATE).contains("Progress: [░░░░░░░░░░] 0% of plans\n"));
    let progress = &json!({"total_phases": 2, "completed_phases": 1, "total_plans": 3, "completed_plans": 2});
    assert_eq!(&data(json_of(&repo))["progress"], progress);
    assert!(!front(&repo).contains("percent"));
    let people = repo.spec(["state", "json"]).exits(0);
    assert!(people.stderr.contains("v3.0"), "{}", people.stderr);
}

fn json_of(repo: &Repo) -> super::Out {
    state(repo, &["json"])
}

#[test]
fn bug_1743_patch_leaves_alone_what_it_was_not_asked_about() {
    let curated =
        "current_phase: 2\ncurrent_phase_name: The tall Mast\nstatus: verifying\nstopped_at: Curated\n";
    let repo = with_front(curated);
    let patched = data(state(&repo, &["patch", "--Plan", "2 of 2"]));
    assert_eq!(patched, json!({"updated": ["Plan"], "failed": []}));
    assert!(front(&repo).contains(curated), "{}", front(&repo));
    // Keys of the table are reached through the body only.
    let before = repo.read(STATE);
    for key in [
        "current_phase_name",
        "stopped_at",
        "state_head",
        "milestone",
        "last_updated",
    ] {
        let patched = data(state(&repo, &["patch", &format!("--{key}"), "x"]));
        assert_eq!(patched, json!({"updated": [], "failed": [key]}));
    }
    assert_eq!(repo.read(STATE), before);
}

#[test]
fn bug_1695_a_name_is_not_derived_anew_while_its_phase_stays() {
    let repo = with_front("current_phase: 2\ncurrent_phase_name: The tall Mast\nstatus: executing\n");
    data(state(&repo, &["patch", "--Status", "Paused"]));
    assert!(front(&repo).contains("current_phase_name: The tall Mast\n"));
    // The same value again is no change, another one is.
    data(state(&repo, &["patch", "--Phase", "2 of 3 (Mast)"]));
    assert!(front(&repo).contains("current_phase_name: The tall Mast\n"));
    data(state(&repo, &["patch", "--Phase", "3 of 3 (Rigging)"]));
    assert!(front(&repo).contains("current_phase: 3\ncurrent_phase_name: Rigging\n"));
}

#[test]
fn bug_1264_a_write_that_is_not_about_progress_keeps_the_curated_block() {
    const CURATED: &str =
        "progress:\n  total_phases: 9\n  completed_phases: 7\n  percent: 78\n  # by hand\n  note: ours\n";
    for args in [
        &["update", "Plan", "2 of 2"][..],
        &["patch", "--Status", "Paused"],
    ] {
        let repo = with_front(&format!("status: executing\n{CURATED}"));
        data(state(&repo, args));
        assert!(front(&repo).contains(CURATED), "{args:?}: {}", front(&repo));
    }
    let repo = with_front(&format!("status: executing\n{CURATED}"));
    data(state(&repo, &["update", "Progress", "[███░░░░░░░] 33%"]));
    let counted = "progress:\n  total_phases: 3\n  completed_phases: 1\n  total_plans: 3\n  completed_plans: 2\n  percent: 33\n";
    assert!(front(&repo).contains(counted), "{}", front(&repo));
    // What is not ours stays inside the block that is.
    assert!(
        front(&repo).contains("  # by hand\n  note: ours\n"),
        "{}",
        front(&repo)
    );
}

#[test]
fn a_version_stays_where_no_roadmap_tells_of_it() {
    let repo = with_front("milestone: v1.2\nstatus: executing\n");
    repo.remove(".planning/ROADMAP.md");
    data(state(&repo, &["record-session"]));
    assert!(front(&repo).contains("milestone: v1.2\n"), "{}", front(&repo));
}

/// The position as a table.
fn tabled() -> String {
    let (before, rest) = BODY.split_once("Phase: 2 of 3").expect("there");
    let (_, after) = rest.split_once("Progress: ").expect("there");
    format!(
        "---\nmsd_state_version: 1.0\nstatus: planning\n---\n\n{before}| Field | Value |\n|-------|-------|\n| Phase | 1 of 3 (Keel) |\n| Plan | 1 of 1 |\n| Status | Ready to plan |\n| Last activity | 2025-12-20 |\n\nProgress: {after}"
    )
}

#[test]
fn bug_1255_begin_phase_writes_into_the_cells_of_a_table() {
    let repo = project(&tabled());
    data(state(
        &repo,
        &["begin-phase", "--phase", "2", "--name", "Mast", "--plans", "2"],
    ));
    let table = "| Field | Value |\n|-------|-------|\n| Phase | 2 (Mast) — EXECUTING |\n| Plan | 1 of 2 |\n| Status | Executing Phase 2 |\n| Last activity | 2026-01-02 — Phase 2 execution started |\n\nProgress:";
    let text = repo.read(STATE);
    assert!(text.contains(table), "{text}");
    assert_eq!(
        (text.matches("status:").count(), text.matches("Status:").count()),
        (1, 0)
    );
    assert!(front(&repo).contains("status: executing\n"));
}

#[test]
fn bug_1257_planned_phase_writes_into_the_cells_of_a_table() {
    let repo = project(&tabled());
    data(state(&repo, &["planned-phase", "--phase", "2", "--plans", "2"]));
    let table = "| Phase | 2 — READY TO EXECUTE |\n| Plan | 1 of 1 |\n| Status | Ready to execute |\n| Last activity | 2026-01-02 — Phase 2 planning complete |\n\nProgress:";
    let text = repo.read(STATE);
    assert!(text.contains(table), "{text}");
    assert_eq!(
        (text.matches("status:").count(), text.matches("Status:").count()),
        (1, 0)
    );
}

#[test]
fn bug_3242_a_disk_that_shows_less_does_not_lower_what_was_done() {
    let stored = "progress:\n  total_phases: 3\n  completed_phases: 2\n  total_plans: 9\n  completed_plans: 10\n  percent: 66\n";
    let repo = with_front(&format!("status: executing\n{stored}"));
    // The whole stored block is told, …
    let whole = json!({"total_phases": 3, "completed_phases": 2, "total_plans": 9, "completed_plans": 10, "percent": 66});
    assert_eq!(data(json_of(&repo))["progress"], whole);
    // … and totals follow the disk where a phase was planned. Ten is more than two, as a number.
    data(state(&repo, &["planned-phase", "--phase", "3"]));
    let merged = "progress:\n  total_phases: 3\n  completed_phases: 2\n  total_plans: 3\n  completed_plans: 10\n  percent: 33\n";
    assert!(front(&repo).contains(merged), "{}", front(&repo));
}

#[test]
fn bug_1230_a_hand_edit_of_the_front_matter_stands_until_its_source_changes() {
    let repo = with_front("status: completed\nstopped_at: By hand\n");
    data(state(&repo, &["record-session", "--resume-file", "x.md"]));
    data(state(&repo, &["add-decision", "--summary", "Hemp"]));
    data(state(&repo, &["update", "Plan", "2 of 2"]));
    assert!(
        front(&repo).contains("status: completed\nstopped_at: By hand\n"),
        "{}",
        front(&repo)
    );
    data(state(&repo, &["record-session", "--stopped-at", "Cut the cloth"]));
    assert!(front(&repo).contains("status: completed\nstopped_at: Cut the cloth\n"));
    data(state(&repo, &["update", "Status", "Verifying"]));
    assert!(front(&repo).contains("status: verifying\nstopped_at: Cut the cloth\n"));
    assert!(front(&repo).contains(&format!("last_updated: \"{NOW}\"\n")));
}
