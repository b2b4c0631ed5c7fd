//! Documents made up at random.

use proptest::prelude::*;

use super::*;

/// A document of lines as they stand in such files.
fn document() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "---",
        "status: a",
        "status: b",
        "last_updated: \"2026-01-02T00:00:00Z\"",
        "last_updated: x",
        "progress:",
        "  total_plans: 5",
        "  completed_plans: 3",
        "  percent: 9",
        "  percent: x",
        "state_head: a",
        "last_activity: 2026-01-02",
        "# c",
        "## Current Position",
        "Phase: 1 of 2",
        "Phase: 2",
        "Status: Paused",
        "**Status:** Done",
        "| Status | x |",
        "Last activity: 2026-01-03 — x",
        "Progress: [██] 5%",
        "Progress: 7%",
        "### Decisions",
        "- [Phase 1]: a",
        "- [Phase 2]: b",
        "None yet.",
        "## Blockers",
        "## Performance Metrics",
        "- Total plans completed: 3",
        "- Total plans completed: 9",
        "| Plan | t |",
        "|---|---|",
        "| 1 | x |",
        "| 2 | y |",
        "## Session",
        "Stopped at: x",
        "**Stopped at:** y",
        "",
        "",
        "text",
        "```",
        "\u{feff}",
        "<<<<<<< ours",
        "| UT-1 | x |",
    ]);
    prop::collection::vec(line, 0..24).prop_map(|lines| lines.join("\n") + "\n")
}

proptest! {
    #[test]
    fn swapped_sides_give_the_same_bytes(base in document(), ours in document(), theirs in document()) {
        let (one, other) = (driven(&base, &ours, &theirs), driven(&base, &theirs, &ours));
        match (one, other) {
            (Driven::Clean(one), Driven::Clean(other)) => prop_assert_eq!(one, other),
            (Driven::Conflicts(_, one), Driven::Conflicts(_, other)) => prop_assert_eq!(one, other),
            (one, other) => prop_assert!(false, "{:?} {:?}", one, other),
        }
    }

    #[test]
    fn any_bytes_are_settled(bytes in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..120), 3)) {
        let _settled = settle([&bytes[0], &bytes[1], &bytes[2]]);
    }

    #[test]
    fn no_new_entry_is_lost(
        before in prop::collection::vec(0_u8..6, 0..5),
        ours in prop::collection::vec(0_u8..30, 0..6),
        theirs in prop::collection::vec(0_u8..30, 0..6),
        section in prop::sample::select(vec!["### Decisions", "## Blockers", "### Roadmap Evolution", "## Deferred Items"]),
    ) {
        let text = |entries: &[u8]| {
            let lines: Vec<String> = entries.iter().map(|n| format!("- entry {n}.\n")).collect();
            let lines = lines.concat();
            STATE.replace("## Session Continuity", &format!("{section}\n\n{lines}\n## Session Continuity"))
        };
        let added = |side: &[u8]| [&before, side].concat();
        let result = driven(&text(&before), &text(&added(&ours)), &text(&added(&theirs)));
        let Driven::Clean(result) = result else {
            return Err(TestCaseError::fail(format!("{result:?}")));
        };
        let result = String::from_utf8(result).expect("UTF-8");
        for n in before.iter().chain(&ours).chain(&theirs) {
            let entry = format!("- entry {n}.");
            prop_assert!(result.lines().any(|line| line == entry), "{} is lost in {}", entry, result);
        }
    }
}
