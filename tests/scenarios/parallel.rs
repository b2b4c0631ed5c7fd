//! U01, U02: two changes in flight that touch one section.

use super::common::{Repo, Tolls};
use super::{codes, conflicts, lint};

const MERGED: &str = "\
# Toll tests
## Unit cases

| ID | Title | Expected |
|----|-------|----------|
| UT-S01-01 | car | 6 |
| UT-S01-02 | lorry | 14 |
| UT-S01-03 | bicycle | 0 |
";

fn other_rows(tolls: &Tolls) {
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.change("lorry-price", &[(Tolls::DELTA, &Tolls::prices("5", "14", "0"))]);
}

#[test]
fn u01_two_changes_of_different_rows_give_equal_bytes_in_either_order() {
    for order in [["car-price", "lorry-price"], ["lorry-price", "car-price"]] {
        let tolls = Tolls::new();
        other_rows(&tolls);
        for slug in order {
            tolls.spec(["merge", slug]).exits(0);
        }
        assert_eq!(tolls.read(Tolls::DOCUMENT), MERGED, "{order:?}");
        assert_eq!(tolls.git(["show", &format!("HEAD:{}", Tolls::DOCUMENT)]), MERGED);
        assert_eq!(tolls.git(["status", "--porcelain"]), "");
        tolls.fsck();
    }
}

#[test]
fn u01_changes_of_branches_of_their_own_meet_on_main() {
    for order in [["car-price", "lorry-price"], ["lorry-price", "car-price"]] {
        let tolls = Tolls::new();
        for (slug, car, lorry) in [("car-price", "6", "12"), ("lorry-price", "5", "14")] {
            tolls.git(["checkout", "-q", "-b", slug, "main"]);
            tolls.change(slug, &[(Tolls::DELTA, &Tolls::prices(car, lorry, "0"))]);
        }
        tolls.git(["checkout", "-q", "main"]);
        for slug in order {
            tolls.git(["merge", "-q", "--no-edit", slug]);
            tolls.spec(["merge", slug]).exits(0);
        }
        assert_eq!(tolls.read(Tolls::DOCUMENT), MERGED, "{order:?}");
    }
}

fn same_cell(tolls: &Tolls) {
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.change("other-price", &[(Tolls::DELTA, &Tolls::prices("7", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
}

#[test]
fn u02_the_second_of_two_changes_of_one_cell_is_refused_and_told_what_it_meets() {
    let tolls = Tolls::new();
    same_cell(&tolls);
    let before = tolls.snapshot();
    let merged_by = tolls.git(["log", "-1", "--format=%h"]);

    let out = tolls.spec(["merge", "other-price"]).exits(1);

    assert_eq!(tolls.snapshot(), before);
    assert_eq!(out.stdout, "");
    let place = format!("{} Unit cases :: UT-S01-01", Tolls::DOCUMENT);
    assert_eq!(conflicts(&out), [("both_changed".to_owned(), place)]);
    for told in [
        "| UT-S01-01 | car | 5 |",
        "| UT-S01-01 | car | 6 |",
        "| UT-S01-01 | car | 7 |",
        merged_by.trim(),
        "[car-price]",
        "rebase",
    ] {
        assert!(out.stderr.contains(told), "{told} is missing: {}", out.stderr);
    }
}

#[test]
fn u02_lint_warns_that_the_base_moved_and_passes_all_the_same() {
    let tolls = Tolls::new();
    same_cell(&tolls);
    for more in [&[][..], &["--staged"], &["--at", "HEAD"]] {
        let verdict = lint(&tolls, "other-price", more);
        assert_eq!(verdict["pass"], true, "{more:?}");
        assert_eq!(verdict["violations"], serde_json::json!([]));
        assert_eq!(
            codes(&verdict, "warnings"),
            ["delta_base_moved", "merge_both_changed"],
            "{more:?}"
        );
        let warning = verdict["warnings"][0].as_object().expect("an object");
        let keys: Vec<&String> = warning.keys().collect();
        assert_eq!(keys, ["code", "message", "fix_hint"]);
    }
}

const DELTA: &str = "logos/changes/other-price/deltas/test/core-01-test-cases.md";

#[test]
fn u02_rebase_marks_the_row_and_declares_the_new_base() {
    let tolls = Tolls::new();
    same_cell(&tolls);
    let head = tolls.git(["rev-parse", "HEAD"]);
    tolls.spec(["rebase", "other-price"]).exits(0);
    assert_eq!(
        tolls
            .git(["log", "-1", "--format=%(trailers:only,unfold)"])
            .trim(),
        format!("Spec-Change: other-price\nSpec-Base: {}", head.trim())
    );
    assert_eq!(
        tolls.git(["show", "--format=", "--name-only", "HEAD"]),
        format!("{DELTA}\n")
    );
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
    let delta = tolls.read(DELTA);
    for line in [
        "<<<<<<< document",
        "| UT-S01-01 | car | 6 |",
        "=======",
        "| UT-S01-01 | car | 7 |",
        ">>>>>>> delta",
    ] {
        assert!(delta.lines().any(|l| l == line), "{line}: {delta}");
    }
    // The other rows are not marked.
    assert_eq!(delta.matches("| lorry |").count(), 1, "{delta}");

    let before = tolls.snapshot();
    let out = tolls.spec(["merge", "other-price"]).exits(1);
    assert_eq!(conflicts(&out)[0].0, "conflict_marks_left", "{}", out.stderr);
    assert_eq!(tolls.snapshot(), before);

    let marks = ["<<<<<<< ", "=======", ">>>>>>> "];
    let agreed = |line: &&str| !marks.iter().any(|m| line.starts_with(m)) && !line.contains("| car | 6 |");
    let settled = delta.lines().filter(agreed).collect::<Vec<_>>().join("\n") + "\n";
    tolls.write(DELTA, settled.replace("| car | 7 |", "| car | 6.50 |"));
    tolls.commit("Agree on a price");
    let verdict = lint(&tolls, "other-price", &[]);
    assert_eq!(verdict["pass"], true, "{verdict:#}");
    assert_eq!(codes(&verdict, "warnings"), [""; 0], "{verdict:#}");
    let out = tolls.spec(["merge", "other-price"]).exits(0);
    assert_eq!(out.stderr, "");
    let document = tolls.read(Tolls::DOCUMENT);
    assert_eq!(
        document,
        MERGED
            .replace("| car | 6 |", "| car | 6.50 |")
            .replace("| 14 |", "| 12 |")
    );
    tolls.fsck();
}

#[test]
fn u02_rebase_of_what_merges_cleanly_leaves_nothing_to_settle() {
    let tolls = Tolls::new();
    other_rows(&tolls);
    tolls.spec(["merge", "car-price"]).exits(0);
    assert_eq!(
        codes(&lint(&tolls, "lorry-price", &[]), "warnings"),
        ["delta_base_moved"]
    );
    tolls.spec(["rebase", "lorry-price"]).exits(0);
    let verdict = lint(&tolls, "lorry-price", &[]);
    assert_eq!(verdict["pass"], true);
    assert_eq!(codes(&verdict, "warnings"), [""; 0], "{verdict:#}");
    let before = tolls.snapshot();
    tolls.spec(["rebase", "lorry-price"]).exits(0);
    assert_eq!(tolls.snapshot(), before, "a second rebase finds nothing to do");
    tolls.spec(["merge", "lorry-price"]).exits(0);
    assert_eq!(tolls.read(Tolls::DOCUMENT), MERGED);
}

#[test]
fn u02_a_dry_run_of_rebase_writes_nothing() {
    let tolls = Tolls::new();
    same_cell(&tolls);
    let before = tolls.snapshot();
    let out = tolls.spec(["rebase", "other-price", "--dry-run"]).exits(0);
    assert!(out.stdout.contains("+<<<<<<< document"), "{}", out.stdout);
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn u02_rebase_needs_a_repository_and_a_change_that_is_not_merged() {
    let repo = without_repository();
    let out = repo.spec(["rebase", "car-price"]).exits(1);
    assert!(out.stderr.starts_with("Error ["), "{}", out.stderr);
    let tolls = Tolls::new();
    same_cell(&tolls);
    let before = tolls.snapshot();
    let out = tolls.spec(["rebase", "car-price"]).exits(1);
    assert!(out.stderr.contains("merged"), "{}", out.stderr);
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn u02_a_change_made_after_the_other_was_merged_overwrites_on_purpose() {
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.change("other-price", &[(Tolls::DELTA, &Tolls::prices("7", "12", "0"))]);
    assert_eq!(codes(&lint(&tolls, "other-price", &[]), "warnings"), [""; 0]);
    tolls.spec(["merge", "other-price"]).exits(0);
    assert!(tolls.read(Tolls::DOCUMENT).contains("| car | 7 |"));
}

/// The tree of the scenarios with one change, outside any repository.
fn without_repository() -> Repo {
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    let repo = Repo::without_git();
    for path in tolls.git(["ls-files"]).lines() {
        repo.write(path, tolls.read(path));
    }
    repo
}

#[test]
fn u02_without_a_repository_the_texts_at_hand_are_merged_with_a_warning() {
    let repo = without_repository();
    let out = repo.spec(["merge", "car-price"]).exits(0);
    assert!(out.stderr.contains("no base was found"), "{}", out.stderr);
    assert!(repo.read(Tolls::DOCUMENT).contains("| car | 6 |"));
    assert!(
        repo.read("logos/changes/car-price/SPEC_MERGED")
            .contains("\"base\": null")
    );
    assert!(!repo.exists("logos/.runtime"));
}

#[test]
fn u02_a_folder_that_is_not_committed_has_no_base() {
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.git(["reset", "-q", "--soft", "HEAD~1"]);
    tolls.git(["rm", "-q", "-r", "--cached", "logos/changes"]);
    let out = tolls.spec(["merge", "car-price"]).exits(0);
    assert!(out.stderr.contains("no base was found"), "{}", out.stderr);
}

#[test]
fn u02_a_base_that_is_named_but_missing_is_never_guessed() {
    let missing = "0123456789".repeat(4);
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.git([
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "replayed",
        "-m",
        &format!("Spec-Change: car-price\nSpec-Base: {missing}"),
    ]);
    let before = tolls.snapshot();
    for args in [&["merge", "car-price"][..], &["merge", "car-price", "--dry-run"]] {
        let out = tolls.spec(args).exits(1);
        assert!(out.stderr.contains("base_unavailable"), "{}", out.stderr);
        assert!(out.stderr.contains(&missing), "{}", out.stderr);
        assert_eq!(out.stdout, "");
    }
    let out = tolls.spec(["merge", "car-price", "--base", "nowhere"]).exits(1);
    assert!(out.stderr.contains("base_unavailable"), "{}", out.stderr);
    assert_eq!(tolls.snapshot(), before);
    let verdict = lint(&tolls, "car-price", &[]);
    assert_eq!(verdict["pass"], true);
    assert_eq!(codes(&verdict, "warnings"), ["merge_base_unavailable"]);
    // A base that is there is named in its place.
    tolls.spec(["merge", "car-price", "--base", "HEAD~2"]).exits(0);
}

#[test]
fn marks_that_a_rebase_left_are_neither_merged_nor_rebased_again() {
    let tolls = Tolls::new();
    let (api, own) = (
        "logos/resources/api/toll.yaml",
        "logos/changes/other-price/deltas/api/toll.yaml",
    );
    tolls.write(api, "car: 5\nbus: 9\n");
    tolls.commit("An interface");
    same_cell(&tolls);
    tolls.write(own, "car: 7\nbus: 9\n");
    tolls.commit("The interface of the other price");
    tolls.write(api, "car: 6\nbus: 9\n");
    tolls.commit("Moved meanwhile");
    tolls.spec(["rebase", "other-price"]).exits(0);
    assert!(
        tolls.read(own).contains("<<<<<<< document"),
        "{}",
        tolls.read(own)
    );
    // Half of the work: the table is settled, the interface is not.
    let settled = Tolls::prices("7", "12", "0");
    tolls.write(DELTA, &settled);
    tolls.commit("Settle the table");
    tolls.write(api, "car: 8\nbus: 9\n");
    tolls.commit("Moved again");
    let before = tolls.snapshot();
    for args in [["merge", "other-price"], ["rebase", "other-price"]] {
        let out = tolls.spec(args).exits(1);
        assert_eq!(
            conflicts(&out),
            [("conflict_marks_left".to_owned(), api.to_owned())],
            "{args:?}"
        );
        assert_eq!(tolls.snapshot(), before, "{args:?}");
    }
}

#[test]
fn a_rebase_that_cannot_help_one_delta_declares_no_base_for_the_others() {
    let tolls = Tolls::new();
    let folder = "prd/2-product-design/2-page-design";
    let page = format!("logos/resources/{folder}/core-1-gate.html");
    tolls.write(&page, "<p>gate</p>\n");
    tolls.commit("A page");
    same_cell(&tolls);
    tolls.write(
        &format!("logos/changes/other-price/deltas/{folder}/core-1-gate.html"),
        "<p>mine</p>\n",
    );
    tolls.commit("The page of the other price");
    tolls.write(&page, "<p>theirs</p>\n");
    tolls.commit("Moved meanwhile");
    let before = tolls.snapshot();
    for args in [
        &["rebase", "other-price"][..],
        &["rebase", "other-price", "--dry-run"],
    ] {
        let out = tolls.spec(args).exits(1);
        assert_eq!(conflicts(&out), [("both_changed".to_owned(), page.clone())]);
        assert!(out.stderr.contains("--base HEAD"), "{}", out.stderr);
        assert_eq!(tolls.snapshot(), before);
    }
}
