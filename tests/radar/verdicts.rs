//! What is said of two changes is what happens when they are merged, in both orders, in clones of the repository.

use crate::common::{Repo, Tolls, out};
use crate::{NONE, added, answer, changes, items, pairs, propose};

/// Merges two branches and then their changes in this order in a clone; whether both could be.
fn merges(tolls: &Tolls, first: &str, second: &str) -> bool {
    let clone = format!("../{first}-then-{second}");
    tolls.git(["clone", "-q", ".", &clone]);
    let at = tolls.root().join(&clone);
    let mut git = tolls.command("git");
    git.current_dir(&at);
    git.args(["merge", "-q", "--no-edit"]);
    git.args([first, second].map(|branch| format!("origin/{branch}")));
    out(&mut git, b"").exits(0);
    [first, second].iter().all(|slug| {
        let mut merge = tolls.program();
        merge.current_dir(&at).args(["merge", slug]);
        out(&mut merge, b"").code == 0
    })
}

/// The verdict on the changes `a` and `b`, each on a branch of its name, after it was seen to be true.
#[track_caller]
fn verdict(tolls: &Tolls, a: &str, b: &str) -> (String, Vec<String>) {
    propose(tolls, "a", "a", &[(Tolls::DELTA, a)]);
    propose(tolls, "b", "b", &[(Tolls::DELTA, b)]);
    told(tolls)
}

#[track_caller]
fn told(tolls: &Tolls) -> (String, Vec<String>) {
    let before = tolls.snapshot();
    let data = answer(tolls, &["--all"]);
    assert_eq!(tolls.snapshot(), before);
    let told = pairs(&data);
    assert_eq!(told.len(), 1, "{data}");
    let told = told[0]
        .strip_prefix("a b ")
        .expect("the only two changes")
        .to_owned();
    let ways = (merges(tolls, "a", "b"), merges(tolls, "b", "a"));
    let expected: &[&str] = match ways {
        (true, true) => &["clean any", "mergeable any", "duplicate_id -"],
        (true, false) => &["conflict a_first", "duplicate_id -"],
        (false, true) => &["conflict b_first", "duplicate_id -"],
        (false, false) => &["conflict -", "duplicate_id -"],
    };
    assert!(expected.contains(&told.as_str()), "{told}, in truth {ways:?}");
    (told, items(&data["pairs"][0]))
}

/// Two sections, and one below another.
const DOCUMENT: &str = "\
# Toll tests
## Unit cases
| ID | Title | Expected |
|----|-------|----------|
| UT-S01-01 | car | 5 |
| UT-S01-02 | lorry | 12 |

### Notes

Of old.

## Night

As by day.
";

fn tolls() -> Tolls {
    let tolls = Tolls::new();
    tolls.write(Tolls::DOCUMENT, DOCUMENT);
    tolls.commit("Two sections");
    tolls
}

const CAR: &str = "## MODIFIED — Unit cases\n| ID | Title | Expected |\n|----|-------|----------|\n\
                   | UT-S01-01 | car | 6 |\n| UT-S01-02 | lorry | 12 |\n\n### Notes\n\nOf old.\n";
const LORRY: &str = "## MODIFIED — Unit cases\n| ID | Title | Expected |\n|----|-------|----------|\n\
                     | UT-S01-01 | car | 5 |\n| UT-S01-02 | lorry | 14 |\n\n### Notes\n\nOf old.\n";

#[test]
fn two_sections_of_one_document_are_clean() {
    let night = "## MODIFIED — Night\n\nHalf of it.\n";
    assert_eq!(verdict(&tolls(), CAR, night), ("clean any".to_owned(), vec![]));
}

#[test]
fn two_rows_of_one_section_are_mergeable() {
    assert_eq!(
        verdict(&tolls(), CAR, LORRY),
        ("mergeable any".to_owned(), vec![])
    );
}

#[test]
fn a_section_inside_another_is_common_to_both() {
    let notes = "## MODIFIED — Notes\n\nOf new.\n";
    assert_eq!(verdict(&tolls(), CAR, notes).0, "mergeable any");
}

#[test]
fn one_row_changed_by_both_is_a_conflict() {
    let other = CAR.replace("| 6 |", "| 7 |");
    let (told, items) = verdict(&tolls(), CAR, &other);
    assert_eq!(told, "conflict -");
    assert_eq!(items, ["both_changed Unit cases UT-S01-01"]);
}

#[test]
fn a_renamed_heading_decides_the_order() {
    let renamed = "## MODIFIED — Night\n\n## After dark\n\nAs by day.\n";
    let changed = "## MODIFIED — Night\n\nHalf of it.\n";
    let (told, items) = verdict(&tolls(), renamed, changed);
    assert_eq!(told, "conflict b_first");
    assert_eq!(items, ["removed_upstream Night -"]);
    let (told, _) = verdict(&tolls(), changed, renamed);
    assert_eq!(told, "conflict a_first");
}

#[test]
fn a_section_removed_by_one_and_changed_by_the_other_is_a_conflict() {
    let removed = "## REMOVED — Night\n\nNobody drives then.\n";
    let changed = "## MODIFIED — Night\n\nHalf of it.\n";
    assert!(verdict(&tolls(), removed, changed).0.starts_with("conflict "));
}

#[test]
fn a_section_added_by_both_is_one_if_it_says_the_same() {
    let section = |text: &str| format!("## ADDED — Ferries\n\n{text}\n");
    let twins = verdict(&tolls(), &section("Free."), &section("Free."));
    assert_eq!(twins.0, "mergeable any");
    assert_eq!(
        verdict(&tolls(), &section("Free."), &section("Not free.")).0,
        "conflict -"
    );
    let other = section("Free.").replace("Ferries", "Trains");
    assert_eq!(verdict(&tolls(), &section("Free."), &other).0, "clean any");
}

#[test]
fn an_id_that_both_bring_is_told_with_both_places() {
    let tolls = Tolls::new();
    let (bus, tram) = (
        added("Buses", "UT-S01-04", "bus"),
        added("Trams", "UT-S01-04", "tram"),
    );
    let (told, items) = verdict(&tolls, &bus, &tram);
    assert_eq!(told, "duplicate_id -");
    assert_eq!(
        items,
        ["duplicate_id Buses UT-S01-04", "duplicate_id Trams UT-S01-04"]
    );
    // A new row is as good as a new section, and what only one brings is nobody else's.
    let row = |id: &str| format!("{}| {id} | cart | 1 |\n", Tolls::prices("5", "12", "0"));
    let tolls = Tolls::new();
    assert_eq!(verdict(&tolls, &bus, &row("UT-S01-04")).0, "duplicate_id -");
    let tolls = Tolls::new();
    assert_eq!(verdict(&tolls, &bus, &row("UT-S01-05")).0, "clean any");
}

#[test]
fn ids_are_compared_across_documents_and_documents_across_ids() {
    let tolls = Tolls::new();
    let (bus, tram) = (
        added("Buses", "UT-S01-04", "bus"),
        added("Trams", "UT-S01-04", "tram"),
    );
    propose(&tolls, "a", "a", &[(Tolls::DELTA, &bus)]);
    propose(&tolls, "b", "b", &[("test/core-02-test-cases.md", &tram)]);
    propose(
        &tolls,
        "c",
        "c",
        &[("test/core-03-test-cases.md", &added("Carts", "UT-S01-05", "cart"))],
    );
    let data = answer(&tolls, &[]);
    assert_eq!(pairs(&data), ["a b duplicate_id -"]);
    let document = |at: usize| {
        data["pairs"][0]["items"][at]["document"]
            .as_str()
            .expect("a text")
    };
    assert_eq!(
        [document(0), document(1)],
        [Tolls::DOCUMENT, "logos/resources/test/core-02-test-cases.md"]
    );
    assert_eq!(
        pairs(&answer(&tolls, &["--all"])),
        ["a b duplicate_id -", "a c clean any", "b c clean any"]
    );
}

#[test]
fn decisions_of_one_number_collide() {
    let tolls = Tolls::new();
    let decision = |words: &str| format!("## ADDED — D01: {words}\n\n# D01: {words}\n\nSo be it.\n");
    propose(&tolls, "a", "a", &[("decisions/D01-free.md", &decision("free"))]);
    propose(&tolls, "b", "b", &[("decisions/D01-dear.md", &decision("dear"))]);
    let (told, items) = told(&tolls);
    assert_eq!(told, "duplicate_id -");
    assert_eq!(items.len(), 2, "{items:?}");
}

#[test]
fn whole_files_merge_line_by_line() {
    for (a, b, expected) in [
        (
            "a: 2\nb: 1\nc: 1\nd: 1\n",
            "a: 1\nb: 1\nc: 1\nd: 2\n",
            "mergeable any",
        ),
        (
            "a: 2\nb: 1\nc: 1\nd: 1\n",
            "a: 3\nb: 1\nc: 1\nd: 1\n",
            "conflict -",
        ),
    ] {
        let tolls = Tolls::new();
        tolls.write("logos/resources/api/core.yaml", "a: 1\nb: 1\nc: 1\nd: 1\n");
        tolls.commit("An interface");
        propose(&tolls, "a", "a", &[("api/core.yaml", a)]);
        propose(&tolls, "b", "b", &[("api/core.yaml", b)]);
        assert_eq!(told(&tolls).0, expected);
    }
}

#[test]
fn what_the_target_does_not_take_collides_with_everything_there() {
    let tolls = tolls();
    propose(&tolls, "a", "a", &[(Tolls::DELTA, CAR)]);
    propose(&tolls, "b", "b", &[(Tolls::DELTA, LORRY)]);
    tolls.write(Tolls::DOCUMENT, DOCUMENT.replace("| 5 |", "| 8 |"));
    tolls.commit("Cars pay 8");
    let (told, found) = told(&tolls);
    assert_eq!(told, "conflict -");
    assert_eq!(found, ["both_changed Unit cases UT-S01-01"]);
    let data = answer(&tolls, &[]);
    assert_eq!(
        changes(&data),
        ["a conflict refs/heads/a", "b clean refs/heads/b"]
    );
    assert_eq!(items(&data["changes"][0]), ["both_changed Unit cases UT-S01-01"]);
    // Of a change that nobody asked about, what it meets alone is no matter.
    let only = answer(&tolls, &["--change", "b"]);
    assert_eq!(changes(&only), ["b clean refs/heads/b"]);
    assert_eq!(pairs(&only), ["a b conflict -"]);
}

#[test]
fn of_many_changes_every_pair_is_judged_as_it_merges() {
    let tolls = tolls();
    let both = CAR.replace("| 12 |", "| 15 |");
    let gone = "## REMOVED — Notes\n\nOld.\n";
    for (slug, delta) in [("a", CAR), ("b", LORRY), ("c", &both), ("d", gone)] {
        propose(&tolls, slug, slug, &[(Tolls::DELTA, delta)]);
    }
    let data = answer(&tolls, &["--all"]);
    let told = pairs(&data);
    assert_eq!(told.len(), 6, "{told:?}");
    std::thread::scope(|scope| {
        for pair in &told {
            let tolls = &tolls;
            scope.spawn(move || {
                let words: Vec<&str> = pair.split(' ').collect();
                let ways = (
                    merges(tolls, words[0], words[1]),
                    merges(tolls, words[1], words[0]),
                );
                let expected = match ways {
                    (true, true) => "any",
                    (true, false) => "a_first",
                    (false, true) => "b_first",
                    (false, false) => "-",
                };
                assert_eq!(words[3], expected, "{pair}");
                assert_eq!(words[2] == "conflict", expected != "any", "{pair}");
            });
        }
    });
    assert_eq!(
        told,
        [
            "a b mergeable any",
            "a c mergeable any",
            "a d mergeable any",
            "b c conflict -",
            "b d mergeable any",
            "c d mergeable any"
        ]
    );
}

#[test]
fn nothing_open_is_nothing_to_fear() {
    let tolls = Tolls::new();
    let data = answer(&tolls, &["--all"]);
    assert_eq!((changes(&data), pairs(&data)), (vec![], vec![]));
    assert_eq!(data["target"]["ref"], "HEAD");
    let unborn = Repo::new();
    let data = answer(&unborn, &[]);
    assert!(data["target"].is_null(), "{data}");
    assert_eq!(changes(&data), NONE);
}
