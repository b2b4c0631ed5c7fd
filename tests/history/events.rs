//! Every row of the table of events, and the change behind each.

use serde_json::Value;

use super::common::{Repo, Tolls};
use super::data;

const CASES: &str = "logos/resources/test/core-01-test-cases.md";
const REQUIREMENTS: &str = "logos/resources/prd/1-product-requirements/core-01-requirements.md";

/// The events of an id, each as its word, its change and its reason.
#[track_caller]
fn events(repo: &Repo, id: &str) -> Vec<String> {
    let data = data(repo, &["log", id]);
    let events = data["events"].as_array().expect("a list");
    let shown = |event: &Value| {
        let text = |key: &str| event[key].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", text("event"), text("change"), text("reason"))
    };
    events.iter().map(shown).collect()
}

/// Commits the document with these replacements, and a message.
fn edit(repo: &Repo, path: &str, replacements: &[(&str, &str)], message: &str) {
    let mut text = repo.read(path);
    for (from, to) in replacements {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    repo.write(path, text);
    repo.commit(message);
}

#[test]
fn an_id_in_the_new_side_only_is_added() {
    let tolls = Tolls::new();
    assert_eq!(events(&tolls, "UT-S01-01"), ["added - -"]);
    edit(
        &tolls,
        CASES,
        &[("| UT-S01-03 |", "| UT-S01-04 | boat | 9 |\n| UT-S01-03 |")],
        "Add",
    );
    assert_eq!(events(&tolls, "UT-S01-04"), ["added - -"]);
    assert_eq!(events(&tolls, "UT-S01-03"), ["added - -"]);
}

#[test]
fn a_merged_change_that_names_the_section_is_behind_the_event() {
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    let told = data(&tolls, &["log", "UT-S01-01", "--limit", "1"]);
    let event = &told["events"][0];
    assert_eq!(event["event"], "changed");
    assert_eq!(event["change"], "car-price");
    assert_eq!(event["change_path"], "logos/changes/car-price");
    assert_eq!(event["author"], "Ada");
    assert_eq!(event["date"], "2026-01-02T03:04:05.000Z");
    assert_eq!(event["document"], CASES);
    assert_eq!(event["anchor"], "Toll tests > Unit cases");
    assert_eq!(event["before"], "| UT-S01-01 | car | 5 |");
    assert_eq!(event["after"], "| UT-S01-01 | car | 6 |");
    assert_eq!(events(&tolls, "UT-S01-02"), ["added - -"]);

    // The move to the archive is no event; the change is found where it lies now.
    tolls.spec(["archive", "car-price"]).exits(0);
    let told = data(&tolls, &["log", "UT-S01-01"]);
    assert_eq!(told["events"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        told["events"][0]["change_path"],
        "logos/changes/archive/20260102-0304-car-price"
    );
    assert_eq!(
        data(&tolls, &["log", "UT-S01-01", "HEAD~1"])["events"][0]["change_path"],
        "logos/changes/car-price"
    );
}

#[test]
fn a_trailer_names_the_change_where_no_merged_one_does() {
    let tolls = Tolls::new();
    edit(
        &tolls,
        CASES,
        &[("| 5 |", "| 7 |")],
        "Edit\n\nSpec-Change: by-hand\n",
    );
    assert_eq!(events(&tolls, "UT-S01-01"), ["changed by-hand -", "added - -"]);
    edit(
        &tolls,
        CASES,
        &[("| 7 |", "| 8 |")],
        "Edit\n\nSpec-Change: a/b\nSpec-Change: archive\n",
    );
    assert_eq!(events(&tolls, "UT-S01-01")[0], "changed - -");

    // A change that is merged by the same commit, but is about something else.
    tolls.change(
        "other",
        &[("test/core-02-test-cases.md", "## ADDED — More\n\nText.\n")],
    );
    tolls.write("logos/changes/other/SPEC_MERGED", "{}\n");
    edit(
        &tolls,
        CASES,
        &[("| 8 |", "| 9 |")],
        "Edit\n\nSpec-Change: by-hand\n",
    );
    assert_eq!(events(&tolls, "UT-S01-01")[0], "changed by-hand -");
}

#[test]
fn what_is_laid_out_anew_is_no_event() {
    let tolls = Tolls::new();
    let text = Tolls::CONTENT
        .replace("| UT-S01-01 | car | 5 |", "|UT-S01-01|  car|5|")
        .replace("## Unit", "\n\n## Unit");
    tolls.write(CASES, text.replace('\n', "\r\n"));
    tolls.commit("Lay out");
    assert_eq!(events(&tolls, "UT-S01-01"), ["added - -"]);
}

#[test]
fn another_document_or_section_is_a_move() {
    let tolls = Tolls::new();
    tolls.git(["mv", CASES, "logos/resources/test/core-02-test-cases.md"]);
    tolls.commit("Rename");
    assert_eq!(events(&tolls, "UT-S01-01"), ["moved - -", "added - -"]);
    edit(
        &tolls,
        "logos/resources/test/core-02-test-cases.md",
        &[("## Unit cases", "## Cases")],
        "Rename the section",
    );
    let told = data(&tolls, &["log", "UT-S01-01"]);
    assert_eq!(told["events"][0]["event"], "moved");
    assert_eq!(told["events"][0]["anchor"], "Toll tests > Cases");
    assert_eq!(
        told["events"][1]["document"],
        "logos/resources/test/core-02-test-cases.md"
    );
    // Moved to another document and changed by one commit.
    let rest = "| UT-S01-01 | car | 5 |\n";
    let own = "# Cars\n\n| ID | Title | Expected |\n|---|---|---|\n| UT-S01-01 | car | 6 |\n";
    tolls.write("logos/resources/test/core-03-cars.md", own);
    edit(
        &tolls,
        "logos/resources/test/core-02-test-cases.md",
        &[(rest, "")],
        "Split",
    );
    let told = data(&tolls, &["log", "UT-S01-01", "--limit", "1"]);
    let event = &told["events"][0];
    assert_eq!(
        (&event["event"], &event["document"]),
        (&"moved".into(), &"logos/resources/test/core-03-cars.md".into())
    );
    assert_eq!(event["before"], "| UT-S01-01 | car | 5 |");
    assert_eq!(event["after"], "| UT-S01-01 | car | 6 |");
}

const WITHOUT: &str = "## MODIFIED — Unit cases\n\n| ID | Title | Expected |\n|----|-------|----------|\n| UT-S01-01 | car | 5 |\n| UT-S01-02 | lorry | 12 |\n";

#[test]
fn what_is_gone_is_removed_with_the_reason_that_the_change_gives() {
    let tolls = Tolls::new();
    let delta = format!("{WITHOUT}\n## REMOVED-ITEMS — Unit cases\n- UT-S01-03 — bicycles do not pay\n");
    tolls.change("no-bicycles", &[(Tolls::DELTA, &delta)]);
    tolls.spec(["merge", "no-bicycles"]).exits(0);
    let told = data(&tolls, &["log", "UT-S01-03"]);
    let event = &told["events"][0];
    assert_eq!(
        events(&tolls, "UT-S01-03")[0],
        "removed no-bicycles bicycles do not pay"
    );
    assert_eq!(
        (&event["before"], &event["after"]),
        (&"| UT-S01-03 | bicycle | 0 |".into(), &Value::Null)
    );

    let removed = "## REMOVED — Unit cases\n\nNothing is tolled\nany more.\n";
    tolls.change("no-tolls", &[(Tolls::DELTA, removed)]);
    tolls.spec(["merge", "no-tolls"]).exits(0);
    assert_eq!(
        events(&tolls, "UT-S01-01")[0],
        "removed no-tolls Nothing is tolled\nany more."
    );

    // And what comes again is added again.
    tolls.write(CASES, Tolls::CONTENT);
    tolls.commit("Again");
    assert_eq!(events(&tolls, "UT-S01-01")[0], "added - -");
}

#[test]
fn one_that_is_left_out_for_one_that_is_new_is_renumbered() {
    let tolls = Tolls::new();
    let delta = format!(
        "{WITHOUT}| UT-S01-30 | bicycle | 0 |\n\n## REMOVED-ITEMS — Unit cases\n- UT-S01-03 — now UT-S01-30\n"
    );
    tolls.change("number", &[(Tolls::DELTA, &delta)]);
    tolls.spec(["merge", "number"]).exits(0);
    for id in ["UT-S01-03", "UT-S01-30"] {
        let event = &data(&tolls, &["log", id])["events"][0];
        assert_eq!(
            (&event["event"], &event["from"]),
            (&"renumbered".into(), &"UT-S01-03".into()),
            "{id}"
        );
        assert_eq!(
            (&event["change"], &event["reason"]),
            (&"number".into(), &"now UT-S01-30".into())
        );
        assert_eq!(event["before"], "| UT-S01-03 | bicycle | 0 |");
        assert_eq!(event["after"], "| UT-S01-30 | bicycle | 0 |");
    }
    assert_eq!(events(&tolls, "UT-S01-30"), ["renumbered number now UT-S01-30"]);
}

#[test]
fn two_new_ones_or_no_word_of_the_old_one_are_no_renumbering() {
    let tolls = Tolls::new();
    let delta = format!(
        "{WITHOUT}| UT-S01-30 | a | 0 |\n| UT-S01-31 | b | 0 |\n\n## REMOVED-ITEMS — Unit cases\n- UT-S01-03 — split\n"
    );
    tolls.change("split", &[(Tolls::DELTA, &delta)]);
    tolls.spec(["merge", "split"]).exits(0);
    assert_eq!(events(&tolls, "UT-S01-03")[0], "removed split split");
    assert_eq!(events(&tolls, "UT-S01-30"), ["added split -"]);
    edit(&tolls, CASES, &[("| UT-S01-30 |", "| UT-S01-40 |")], "By hand");
    assert_eq!(events(&tolls, "UT-S01-30")[0], "removed - -");
    edit(
        &tolls,
        CASES,
        &[("| UT-S01-40 |", "| UT-S01-50 |")],
        "By hand\n\nSpec-Operation: renumber\n",
    );
    assert_eq!(events(&tolls, "UT-S01-50"), ["renumbered - -"]);
}

#[test]
fn scenarios_and_decisions_have_a_history_too() {
    let tolls = Tolls::new();
    let decision = "logos/resources/decisions/D01-cash.md";
    tolls.write(decision, "# D01: cash only\n\nBecause.\n");
    tolls.write(
        REQUIREMENTS,
        "# Tolls\n\n## S01: Pay\n\nA car pays.\n\n## S02: Pass\n\nIt passes.\n",
    );
    tolls.commit("Decide");
    edit(&tolls, decision, &[("Because.", "For reasons.")], "Reword");
    edit(
        &tolls,
        REQUIREMENTS,
        &[("A car pays.", "A car or lorry pays.")],
        "Reword",
    );
    assert_eq!(events(&tolls, "D01"), ["changed - -", "added - -"]);
    assert_eq!(events(&tolls, "S01"), ["changed - -", "added - -"]);
    assert_eq!(events(&tolls, "S02"), ["added - -"]);
    let event = &data(&tolls, &["log", "S01"])["events"][0];
    assert_eq!(event["before"], "## S01: Pay\n\nA car pays.");
    assert_eq!(event["anchor"], "Tolls > S01: Pay");
}

#[test]
fn a_scenario_in_an_overview_and_its_own_section_are_added_once() {
    let tolls = Tolls::new();
    let overview = "# Tolls\n\n## 场景总览\n\n| 编号 | 场景名称 |\n|---|---|\n| S01 | Pay |\n";
    tolls.write(
        "logos/resources/prd/1-product-requirements/core-00-overview.md",
        overview,
    );
    tolls.write(REQUIREMENTS, "# Tolls\n\n## S01: Pay\n\nA car pays.\n");
    tolls.commit("Describe");
    let told = data(&tolls, &["log", "S01"]);
    assert_eq!(told["events"].as_array().map(Vec::len), Some(1));
    assert_eq!(told["events"][0]["after"], "| S01 | Pay |");
}

#[test]
fn the_structural_merge_of_two_sides_is_no_event_and_another_text_is() {
    for (merged, expected) in [("7 | 9", "changed"), ("6 | 13", "branch")] {
        let tolls = Tolls::new();
        let base = Tolls::CONTENT
            .replace("| Expected |", "| Expected | Night |")
            .replace("|----------|", "|---|---|");
        let row = |prices: &str| base.replace("| car | 5 |", &format!("| car | {prices} |"));
        tolls.write(CASES, row("5 | 10"));
        tolls.commit("Night prices");
        tolls.git(["checkout", "-q", "-b", "side"]);
        tolls.write(CASES, row("5 | 13"));
        tolls.commit("Side");
        tolls.git(["checkout", "-q", "main"]);
        tolls.write(CASES, row("6 | 10"));
        tolls.commit("Main");
        tolls.git(["merge", "-q", "--no-commit", "-s", "ours", "side"]);
        tolls.write(CASES, row(merged));
        tolls.commit("Join");
        let told = data(&tolls, &["log", "UT-S01-01"]);
        let after: Vec<&str> = told["events"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|event| event["after"].as_str())
            .collect();
        if expected == "changed" {
            assert_eq!(after[0], "| UT-S01-01 | car | 7 | 9 |");
            assert_eq!(after.len(), 5);
        } else {
            // Each side has changed a cell: what has both is what the merge gives.
            assert_eq!(after.len(), 4, "{after:?}");
            assert!(!after.contains(&"| UT-S01-01 | car | 6 | 13 |"), "{after:?}");
        }
    }
}

#[test]
fn a_side_whose_documents_did_not_prevail_is_not_followed() {
    let tolls = Tolls::new();
    tolls.git(["checkout", "-q", "-b", "side"]);
    edit(&tolls, CASES, &[("| 5 |", "| 50 |")], "Side");
    tolls.git(["checkout", "-q", "main"]);
    edit(&tolls, CASES, &[("| 5 |", "| 6 |")], "Main");
    tolls.git(["merge", "-q", "-s", "ours", "-m", "Join", "side"]);
    assert_eq!(events(&tolls, "UT-S01-01"), ["changed - -", "added - -"]);
    assert_eq!(
        data(&tolls, &["show", "UT-S01-01"])["found"][0]["text"],
        "| UT-S01-01 | car | 6 |"
    );
}

#[test]
fn two_changes_that_one_commit_makes_merges_and_archives_are_told_apart() {
    let tolls = Tolls::new();
    let start = tolls.git(["rev-parse", "HEAD"]).trim().to_owned();
    let other = "test/core-02-boats.md";
    let boats = "## ADDED — Boats\n\n| ID | Title |\n|---|---|\n| UT-S02-01 | boat |\n";
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.spec(["archive", "car-price"]).exits(0);
    tolls.change("boats", &[(other, boats)]);
    tolls.spec(["merge", "boats"]).exits(0);
    tolls.spec(["archive", "boats"]).exits(0);
    tolls.git(["reset", "-q", "--soft", &start]);
    tolls.commit("Squash");
    assert_eq!(events(&tolls, "UT-S01-01"), ["changed car-price -", "added - -"]);
    assert_eq!(events(&tolls, "UT-S02-01"), ["added boats -"]);
    let told = data(&tolls, &["log", "UT-S02-01"]);
    assert_eq!(
        told["events"][0]["change_path"],
        "logos/changes/archive/20260102-0304-boats"
    );
}

#[test]
fn an_octopus_of_three_sides_tells_only_what_none_of_them_has() {
    let tolls = Tolls::new();
    for (branch, from, to) in [
        ("a", "| 5 |", "| 6 |"),
        ("b", "| 12 |", "| 13 |"),
        ("c", "| 0 |", "| 1 |"),
    ] {
        tolls.git(["checkout", "-q", "-b", branch, "main"]);
        edit(&tolls, CASES, &[(from, to)], branch);
    }
    tolls.git(["checkout", "-q", "main"]);
    let merged = Tolls::CONTENT
        .replace("| 5 |", "| 6 |")
        .replace("| 12 |", "| 14 |")
        .replace("| 0 |", "| 1 |");
    tolls.write(CASES, merged);
    tolls.git(["add", "-A"]);
    let tree = tolls.git(["write-tree"]);
    let commit = tolls.git([
        "commit-tree",
        "-m",
        "Octopus",
        "-p",
        "a",
        "-p",
        "b",
        "-p",
        "c",
        tree.trim(),
    ]);
    tolls.git(["reset", "-q", "--hard", commit.trim()]);
    assert_eq!(events(&tolls, "UT-S01-01"), ["changed - -", "added - -"]);
    assert_eq!(events(&tolls, "UT-S01-03"), ["changed - -", "added - -"]);
    assert_eq!(
        events(&tolls, "UT-S01-02"),
        ["changed - -", "changed - -", "added - -"]
    );
}
