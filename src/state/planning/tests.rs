//! The rules of progress over whole projects in memory.

use super::*;
use crate::files::MemoryTree;

const SUPERSEDED: &str = "---\nstatus: superseded\n---\n";

/// A project with this roadmap, and phase files that are empty.
fn project(roadmap: Option<&str>, files: &[&str]) -> MemoryTree {
    let files = files
        .iter()
        .map(|file| (format!("{PHASES}/{file}"), String::new()));
    let roadmap = roadmap.map(|text| (ROADMAP.to_owned(), text.to_owned()));
    MemoryTree::new(files.chain(roadmap))
}

/// The five figures: phases, completed, plans, completed, percent.
type Figures = [Option<u64>; 5];

fn figures(tree: &MemoryTree, stored: Option<&str>, stored_total: Option<u64>) -> (Figures, usize) {
    let planning = Planning::new(tree, stored);
    let body = BodyTotals {
        total_phases: Some(70),
        total_plans: Some(71),
        percent: Some(72),
    };
    let found = planning
        .progress(stored_total, &body)
        .expect("memory can be read");
    let figures = [
        found.total_phases,
        found.completed_phases,
        found.total_plans,
        found.completed_plans,
        found.percent,
    ];
    (figures, found.warnings.len())
}

fn known(figures: [u64; 5]) -> (Figures, usize) {
    (figures.map(Some), 0)
}

fn names(directories: &[PhaseDirectory]) -> Vec<String> {
    directories.iter().map(|found| found.name.to_string()).collect()
}

#[test]
fn without_phases_on_disk_the_body_is_asked() {
    let tree = project(Some("## v1\n### Phase 1: a\n"), &[]);
    let expected = [Some(70), None, Some(71), None, Some(72)];
    assert_eq!(figures(&tree, Some("v1"), Some(9)), (expected, 0));
}

#[test]
fn the_larger_of_directories_and_headings_is_the_number_of_phases() {
    let files = ["01-a/01-01-PLAN.md", "01-a/01-01-SUMMARY.md", "02-b/x.md"];
    let tree = project(
        Some("### Phase 1: a\n### Phase 2: b\n### Phase 0: z\n### Phase 3: c\n"),
        &files,
    );
    assert_eq!(figures(&tree, None, None), known([3, 1, 1, 1, 33]));
    let tree = project(
        Some("- [ ] Phase 1: a\n- [ ] Phase 2: b\n- [ ] Phase 3: c\n"),
        &files,
    );
    assert_eq!(figures(&tree, None, None), known([2, 1, 1, 1, 50]));
}

#[test]
fn only_directories_of_the_window_count() {
    let files = ["01-a/PLAN.md", "P-02-b/PLAN.md", "2.1-c/PLAN.md", "notes/PLAN.md"];
    let tree = project(Some("## v1 ✅\n### Phase 1: a\n## v2\n### Phase 02: b\n"), &files);
    let planning = Planning::new(&tree, Some("v2"));
    assert_eq!(names(planning.directories().expect("memory")), ["P-02-b"]);
    let tree = project(Some("# Roadmap\n"), &files);
    let planning = Planning::new(&tree, None);
    let expected = ["01-a", "P-02-b", "2.1-c", "notes"];
    assert_eq!(names(planning.directories().expect("memory")), expected);
}

#[test]
fn sentinels_and_retired_phases_do_not_count_but_sync_sees_sentinels() {
    let files = [
        "00-s/PLAN.md",
        "01-a/PLAN.md",
        "02-b/PLAN.md",
        "03-c/PLAN.md",
        "999-x/PLAN.md",
        "999.2-y/PLAN.md",
    ];
    let text = "- [ ] ~~Phase 2: b~~\n### Phase 1: a\n### Phase 2: b\n### ~~Phase 3: c~~\n";
    for tree in [
        project(Some(text), &files),
        project(Some("~~x~~\n- ~~Phase 2~~\n- ~~Phase 3~~\n"), &files),
    ] {
        let planning = Planning::new(&tree, None);
        assert_eq!(names(planning.directories().expect("memory")), ["01-a"]);
        let all = ["00-s", "01-a", "999-x", "999.2-y"];
        assert_eq!(names(planning.all_directories().expect("memory")), all);
        assert_eq!(figures(&tree, None, None), known([1, 0, 1, 0, 0]));
    }
}

#[test]
fn directories_with_one_number_count_once_and_are_told() {
    let files = ["01-a/PLAN.md", "1-b/PLAN.md", "X-01-c/PLAN.md", "01.1-d/PLAN.md"];
    let tree = project(Some("# Roadmap\n"), &files);
    let planning = Planning::new(&tree, None);
    assert_eq!(names(planning.directories().expect("memory")), ["01-a", "01.1-d"]);
    assert_eq!(planning.all_directories().expect("memory").len(), 4);
    assert_eq!(figures(&tree, None, None).1, 2);
    let first = planning.directory_of(&PhaseId::of("1").expect("a number"));
    assert_eq!(
        first
            .expect("memory")
            .map(|found| found.name.to_string())
            .as_deref(),
        Some("01-a")
    );
}

#[test]
fn a_version_among_others_without_a_heading_keeps_the_stored_total() {
    let files = ["01-a/PLAN.md", "01-a/SUMMARY.md"];
    let two = project(Some("## v1\n### Phase 1: a\n## v2\n### Phase 2: b\n"), &files);
    let expected = |total| ([total, Some(1), Some(1), Some(1), None], 1);
    assert_eq!(figures(&two, Some("v9"), Some(5)), expected(Some(5)));
    assert_eq!(figures(&two, Some("v9"), None), expected(None));
    let one = project(Some("## v1\n### Phase 1: a\n### Phase 2: b\n"), &files);
    assert_eq!(
        figures(&one, Some("v9"), Some(5)),
        ([Some(2), Some(1), Some(1), Some(1), None], 0)
    );
    let none = project(Some("# Roadmap\n"), &files);
    assert_eq!(
        figures(&none, Some("v9"), Some(5)),
        ([Some(1), Some(1), Some(1), Some(1), None], 0)
    );
}

#[test]
fn without_a_roadmap_the_stored_total_stays_for_a_stored_milestone() {
    let tree = project(None, &["01-a/PLAN.md"]);
    assert_eq!(
        figures(&tree, Some("v1"), Some(7)),
        ([Some(7), Some(0), Some(1), Some(0), None], 0)
    );
    assert_eq!(
        figures(&tree, None, Some(7)),
        ([Some(1), Some(0), Some(1), Some(0), None], 0)
    );
    let planning = Planning::new(&tree, Some("v1"));
    assert_eq!(planning.milestone().expect("memory"), Milestone::default());
    assert_eq!(planning.scope().expect("memory"), Scope::Unreadable);
    assert!(!planning.is_bounded().expect("memory"));
}

#[test]
fn percent_is_withheld_where_the_scope_is_not_complete() {
    let files = ["01-a/PLAN.md", "01-a/SUMMARY.md"];
    let expected = ([Some(1), Some(1), Some(1), Some(1), None], 0);
    let unscoped = project(Some("## v1\n### Phase 1: a\n"), &files);
    assert_eq!(figures(&unscoped, None, None), expected);
    let truncated = project(Some("## v1\n### Phase 1: a\n## v2\n"), &files);
    assert_eq!(figures(&truncated, Some("v2"), None), expected);
}

#[test]
fn the_progress_line_stands_in_where_nothing_is_known() {
    let tree = project(Some("# Roadmap\n"), &["README.md"]);
    assert_eq!(figures(&tree, None, None), known([0, 0, 0, 0, 72]));
    let planned = project(Some("### Phase 1: a\n"), &["README.md"]);
    assert_eq!(figures(&planned, None, None), known([1, 0, 0, 0, 0]));
}

#[test]
fn a_blank_version_is_none() {
    let tree = project(Some("### Phase 1: a\n"), &["01-a/PLAN.md"]);
    assert_eq!(figures(&tree, Some("  "), None), known([1, 0, 1, 0, 0]));
}

#[test]
fn sync_takes_the_plans_of_the_last_unfinished_directory_else_of_the_first_with_plans() {
    let plans = |files: &[&str]| {
        let tree = project(None, files);
        Planning::new(&tree, None)
            .plans_of_running_phase()
            .expect("memory")
    };
    let done = [
        "00-s/x.md",
        "01-a/PLAN.md",
        "01-a/SUMMARY.md",
        "02-b/1-PLAN.md",
        "02-b/2-PLAN.md",
    ];
    assert_eq!(plans(&done), Some(2));
    let finished = [
        &done[..],
        &["02-b/1-SUMMARY.md", "02-b/9-SUMMARY.md", "10-c/x.md"],
    ]
    .concat();
    assert_eq!(plans(&finished), Some(1));
    assert_eq!(plans(&["01-a/x.md"]), None);
}

#[test]
fn the_percentage_of_sync_is_over_all_directories() {
    let mut tree = project(
        Some("## v1 ✅\n### Phase 1: a\n## v2\n### Phase 2: b\n"),
        &[
            "01-a/PLAN.md",
            "01-a/SUMMARY.md",
            "02-b/1-PLAN.md",
            "02-b/1-SUMMARY.md",
            "999-c/PLAN.md",
        ],
    );
    let percent = |tree: &MemoryTree| Planning::new(tree, Some("v2")).percent_of_all().expect("memory");
    assert_eq!(percent(&tree), 67);
    let path = RepoPath::of(".planning/phases/999-c/PLAN.md");
    tree.insert(path, SUPERSEDED.into());
    assert_eq!(percent(&tree), 100);
    assert_eq!(percent(&project(None, &["README.md"])), 0);
}
