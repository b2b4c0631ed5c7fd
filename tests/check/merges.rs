//! Merge commits: clean, one side, evil, by hand, octopus, criss-cross.

use crate::common::Tolls;
use crate::{NONE, codes, last, replaced};

/// A branch `theirs` on which lorries pay 14 by a change, while on main cars pay 6 by another.
fn two_sides() -> Tolls {
    let tolls = Tolls::new();
    tolls.git(["switch", "-q", "-c", "theirs"]);
    tolls.change("lorry-price", &[(Tolls::DELTA, &Tolls::prices("5", "14", "0"))]);
    tolls.spec(["merge", "lorry-price"]).exits(0);
    tolls.git(["switch", "-q", "main"]);
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls
}

/// Merges the two sides so that the document is this.
fn merged(tolls: &Tolls, document: &str) {
    tolls.git(["merge", "-q", "--no-commit", "--no-ff", "-s", "ours", "theirs"]);
    tolls.git(["checkout", "theirs", "--", "logos/changes/lorry-price"]);
    tolls.write(Tolls::DOCUMENT, document);
    tolls.commit("Take in theirs");
}

#[test]
fn both_edits_of_both_sides_must_be_there() {
    let both = replaced("| 5 |", "| 6 |").replace("| 12 |", "| 14 |");
    let by_hand = format!("merge_resolved_by_hand {}", Tolls::DOCUMENT);
    for (document, found) in [
        (both.clone(), None),
        // One side's edit is gone, or there is more than both.
        (replaced("| 5 |", "| 6 |"), Some(by_hand.clone())),
        (both.replace("| 0 |", "| 1 |"), Some(by_hand)),
        (
            both.replace("| UT-S01-03 | bicycle | 0 |\n", ""),
            Some(format!("document_id_lost {}", Tolls::DOCUMENT)),
        ),
    ] {
        let tolls = two_sides();
        merged(&tolls, &document);
        assert_eq!(
            codes(&tolls, &["main~1..HEAD"]),
            found.clone().into_iter().collect::<Vec<_>>(),
            "{document}"
        );
        tolls.fsck();
    }
}

#[test]
fn what_only_one_side_changed_must_stay() {
    let edited = format!("document_edited {}", Tolls::DOCUMENT);
    for (document, found) in [
        (replaced("| 12 |", "| 14 |"), None),
        (Tolls::CONTENT.to_owned(), Some(edited.clone())),
        (replaced("| 12 |", "| 15 |"), Some(edited)),
    ] {
        let tolls = Tolls::new();
        tolls.git(["switch", "-q", "-c", "theirs"]);
        tolls.change("lorry-price", &[(Tolls::DELTA, &Tolls::prices("5", "14", "0"))]);
        tolls.spec(["merge", "lorry-price"]).exits(0);
        tolls.git(["switch", "-q", "main"]);
        tolls.write("README.md", "x\n");
        tolls.commit("Something else");
        merged(&tolls, &document);
        assert_eq!(
            codes(&tolls, &["main~1..HEAD"]),
            found.into_iter().collect::<Vec<_>>(),
            "{document}"
        );
    }
}

#[test]
fn a_merge_commit_may_merge_a_change_of_its_own() {
    let tolls = Tolls::new();
    tolls.git(["switch", "-q", "-c", "theirs"]);
    tolls.change("lorry-price", &[(Tolls::DELTA, &Tolls::prices("5", "14", "0"))]);
    tolls.git(["switch", "-q", "main"]);
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.git(["merge", "-q", "--no-commit", "--no-ff", "theirs"]);
    tolls.write("logos/changes/lorry-price/SPEC_MERGED", "");
    tolls.write(
        Tolls::DOCUMENT,
        replaced("| 5 |", "| 6 |").replace("| 12 |", "| 14 |"),
    );
    tolls.commit("Take in theirs and merge it");
    assert_eq!(codes(&tolls, &["main~1..HEAD"]), NONE);
    tolls.write(
        Tolls::DOCUMENT,
        replaced("| 5 |", "| 6 |").replace("| 12 |", "| 15 |"),
    );
    tolls.git(["commit", "-q", "--amend", "-a", "-m", "Wrong"]);
    assert_eq!(
        codes(&tolls, &["HEAD^1..HEAD"]),
        [format!("merge_replay_mismatch {}", Tolls::DOCUMENT)]
    );
}

#[test]
fn along_first_parents_a_merge_is_a_step_with_all_that_it_brings() {
    let tolls = two_sides();
    merged(&tolls, &replaced("| 5 |", "| 6 |").replace("| 12 |", "| 14 |"));
    let range = "HEAD^1..HEAD";
    assert_eq!(codes(&tolls, &[range, "--first-parent"]), NONE);
    let walked = crate::check(&tolls, &[range, "--first-parent"]).json();
    assert_eq!(walked["data"]["commits"], 1);
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    tolls.git(["commit", "-q", "--amend", "-a", "-m", "Without their edit"]);
    let mismatch = format!("merge_replay_mismatch {}", Tolls::DOCUMENT);
    assert_eq!(codes(&tolls, &[range, "--first-parent"]), [mismatch]);
}

#[test]
fn an_octopus_is_folded_and_never_settled_by_hand() {
    let tolls = Tolls::new();
    for (branch, slug, prices) in [
        ("lorries", "lorry-price", ["5", "14", "0"]),
        ("bicycles", "bicycle-price", ["5", "12", "1"]),
    ] {
        tolls.git(["switch", "-q", "-c", branch, "main"]);
        let [car, lorry, bicycle] = prices;
        tolls.change(slug, &[(Tolls::DELTA, &Tolls::prices(car, lorry, bicycle))]);
        tolls.spec(["merge", slug]).exits(0);
    }
    tolls.git(["switch", "-q", "main"]);
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    let all = replaced("| 5 |", "| 6 |")
        .replace("| 12 |", "| 14 |")
        .replace("| 0 |", "| 1 |");
    for (document, found) in [(all.clone(), false), (all.replace("| 1 |", "| 0 |"), true)] {
        tolls.write(Tolls::DOCUMENT, document);
        for slug in ["lorry-price", "bicycle-price"] {
            let branch = if slug == "lorry-price" {
                "lorries"
            } else {
                "bicycles"
            };
            tolls.git(["checkout", branch, "--", &format!("logos/changes/{slug}")]);
        }
        tolls.git(["add", "-A"]);
        let tree = tolls.git(["write-tree"]);
        let parents = ["main", "lorries", "bicycles"].map(|b| format!("-p{b}"));
        let [a, b, c] = parents.each_ref().map(String::as_str);
        let commit = tolls.git(["commit-tree", tree.trim(), a, b, c, "-m", "All"]);
        let expected = format!("document_edited {}", Tolls::DOCUMENT);
        let expected: Vec<String> = found.then_some(expected).into_iter().collect();
        assert_eq!(codes(&tolls, &[&format!("main..{}", commit.trim())]), expected);
    }
}

#[test]
fn of_several_merge_bases_one_suffices() {
    let tolls = two_sides();
    let both = replaced("| 5 |", "| 6 |").replace("| 12 |", "| 14 |");
    // Each side takes in the other's former tip.
    let (main, theirs) = (
        tolls.git(["rev-parse", "main"]),
        tolls.git(["rev-parse", "theirs"]),
    );
    merged(&tolls, &both);
    tolls.git(["switch", "-q", "theirs"]);
    tolls.git(["merge", "-q", "--no-commit", "--no-ff", "-s", "ours", main.trim()]);
    tolls.git(["checkout", main.trim(), "--", "logos/changes/car-price"]);
    tolls.write(Tolls::DOCUMENT, &both);
    tolls.commit("The other way round");
    tolls.git(["switch", "-q", "main"]);
    tolls.git(["merge", "-q", "--no-edit", "theirs"]);
    assert_eq!(
        tolls
            .git(["merge-base", "--all", "HEAD^1", "HEAD^2"])
            .lines()
            .count(),
        2
    );
    let base = format!("{}..HEAD", theirs.trim());
    assert_eq!(codes(&tolls, &[&base]), NONE);
    assert_eq!(last(&tolls), NONE);
}
