//! What is judged of the result: lint, ids, conflict marks.

use crate::common::Tolls;
use crate::{NONE, car_price, check, codes, last};

#[test]
fn drafts_are_warned_of_and_approved_changes_are_not_let_through() {
    let tolls = car_price();
    tolls.write("logos/changes/car-price/tasks.md", "# Tasks\n");
    tolls.commit("No sections");
    let found = ["tasks_sections_unparsable logos/changes/car-price/tasks.md"];
    let severity = |args: &[&str]| check(&tolls, args).json()["data"]["findings"][0]["severity"].clone();
    assert_eq!(last(&tolls), found);
    assert_eq!(severity(&["HEAD~1..HEAD"]), "warn");
    tolls.git(["config", "spec.drafts", "error"]);
    assert_eq!(severity(&["HEAD~1..HEAD"]), "error");
    tolls.git(["config", "--unset", "spec.drafts"]);
    tolls.write("logos/changes/car-price/PLAN_APPROVED", "");
    tolls.commit("Approve");
    assert_eq!(severity(&["HEAD~1..HEAD"]), "error");
    // Only changes that the range touches are judged.
    tolls.write("README.md", "x\n");
    tolls.commit("Elsewhere");
    assert_eq!(last(&tolls), NONE);
    assert_eq!(codes(&tolls, &["--tree"]), found);
}

#[test]
fn what_merge_would_refuse_is_told_before() {
    let tolls = car_price();
    tolls.change("other-price", &[(Tolls::DELTA, &Tolls::prices("7", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.write("logos/changes/other-price/note.md", "x\n");
    tolls.commit("Touch");
    assert_eq!(
        codes(&tolls, &["HEAD~1..HEAD", "--rule", "lint=off"]),
        ["merge_both_changed logos/changes/other-price/deltas/test/core-01-test-cases.md"]
    );
}

#[test]
fn a_module_that_nobody_knows_keeps_the_others_judged() {
    let tolls = car_price();
    for slug in ["a", "b"] {
        tolls.change(slug, &[]);
        tolls.write(&format!("logos/changes/{slug}/tasks.md"), "# Tasks\n");
    }
    let proposal = tolls.read("logos/changes/a/proposal.md");
    tolls.write(
        "logos/changes/a/proposal.md",
        proposal.replace("module: core", "module: other"),
    );
    tolls.commit("Two");
    let found = [
        "module_unresolved logos/changes/a/proposal.md",
        "tasks_sections_unparsable logos/changes/b/tasks.md",
    ];
    assert_eq!(last(&tolls), found);
}

#[test]
fn an_id_is_defined_once() {
    let tolls = Tolls::new();
    let registry = tolls
        .read("logos/logos-project.yaml")
        .replace("launched", "initial");
    tolls.write("logos/logos-project.yaml", registry);
    tolls.commit("Before the launch");
    let second = "logos/resources/test/core-02-test-cases.md";
    tolls.write(
        second,
        "# More\n\n| ID | Title |\n|---|---|\n| UT-S02-01 | a |\n| UT-S01-02 | b |\n",
    );
    tolls.commit("More tests");
    assert_eq!(last(&tolls), [format!("id_duplicate {second}")]);
    let told = check(&tolls, &["HEAD~1..HEAD"]).json();
    let finding = &told["data"]["findings"][0];
    assert_eq!(
        (&finding["item"], &finding["line"]),
        (&"UT-S01-02".into(), &6.into())
    );
    assert!(
        finding["message"]
            .as_str()
            .is_some_and(|m| m.contains(&format!("{}:6", Tolls::DOCUMENT))),
        "{finding}"
    );
    // Whoever does not touch either is not told.
    tolls.write(
        "logos/resources/test/core-03-test-cases.md",
        "| ID | Title |\n|---|---|\n| UT-S03-01 | a |\n",
    );
    tolls.commit("Other tests");
    assert_eq!(last(&tolls), NONE);
    assert_eq!(codes(&tolls, &["--tree"]), [format!("id_duplicate {second}")]);
}

#[test]
fn an_id_that_a_document_or_another_change_has_is_taken() {
    let tolls = Tolls::new();
    let section = |id: &str| {
        format!("## ADDED — More cases\n\n| ID | Title | Expected |\n|---|---|---|\n| {id} | bus | 9 |\n")
    };
    let delta = "logos/changes/bus/deltas/test/core-02-test-cases.md";
    tolls.change("bus", &[("test/core-02-test-cases.md", &section("UT-S01-02"))]);
    assert_eq!(last(&tolls), [format!("id_taken {delta}")]);
    tolls.change("coach", &[("test/core-03-test-cases.md", &section("UT-S01-09"))]);
    assert_eq!(last(&tolls), NONE);
    tolls.write(delta, section("UT-S01-09"));
    tolls.commit("The same as coach");
    assert_eq!(last(&tolls), [format!("id_taken {delta}")]);
    assert_eq!(
        check(&tolls, &["HEAD~1..HEAD"]).json()["data"]["findings"][0]["item"],
        "UT-S01-09"
    );
}

#[test]
fn conflict_marks_are_found_outside_examples() {
    let tolls = Tolls::new();
    let marks = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n";
    tolls.write("logos/resources/verify/a.md", format!("# A\n\n{marks}"));
    tolls.write("logos/resources/verify/b.md", format!("# B\n\n```\n{marks}```\n"));
    tolls.write(
        "logos/resources/verify/c.md",
        "# C\n\n<<<<<<<< eight\n>>>>>>> theirs\n",
    );
    tolls.write("README.md", marks);
    tolls.commit("Marks");
    assert_eq!(last(&tolls), ["conflict_marks logos/resources/verify/a.md"]);
    assert_eq!(
        check(&tolls, &["HEAD~1..HEAD"]).json()["data"]["findings"][0]["line"],
        3
    );
}
