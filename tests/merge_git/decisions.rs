//! Decision records are counted on, in their files and in the registry (change.md 6.11).

use super::common::Tolls;
use super::touched;

const REGISTRY: &str = "\
# Registry of the tolls
project:
  name: tolls   # short
modules:
  - id: core
    name: Core
    lifecycle: launched
decision_counter:
  # counts on with every record
  next_id: 3 # of the next one
external: {}
";

fn tolls() -> Tolls {
    let tolls = Tolls::new();
    tolls.write("logos/logos-project.yaml", REGISTRY);
    tolls.write(
        "logos/resources/decisions/core-D02-cards.md",
        "# D02 Cards\n\nStatus: open\n",
    );
    tolls.commit("Count decisions");
    tolls
}

#[test]
fn new_records_are_numbered_on_and_the_counter_follows_with_its_comments() {
    let tolls = tolls();
    tolls.change(
        "cash",
        &[
            (
                "decisions/core-D03-cash.md",
                "## ADDED — D03 Cash\n# D03 Cash\n\nOnly cash.\n",
            ),
            (
                "decisions/core-D04-coins.md",
                "## ADDED — D04 Coins\n# D04 Coins\n\nNo coins.\n",
            ),
        ],
    );
    tolls.spec(["merge", "cash"]).exits(0);
    assert_eq!(
        tolls.read("logos/logos-project.yaml"),
        REGISTRY.replace("next_id: 3 #", "next_id: 5 #")
    );
    assert_eq!(
        tolls.read("logos/resources/decisions/core-D03-cash.md"),
        "# D03 Cash\n\nOnly cash.\n"
    );
    assert_eq!(
        touched(&tolls),
        [
            "A logos/changes/cash/SPEC_MERGED",
            "M logos/logos-project.yaml",
            "A logos/resources/decisions/core-D03-cash.md",
            "A logos/resources/decisions/core-D04-coins.md",
        ]
    );
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
}

#[test]
fn a_number_that_is_not_the_next_is_refused_with_the_right_one() {
    for (file, title) in [
        ("D05-cash", "D05 Cash"),
        ("D03-cash", "D04 Cash"),
        ("D02-cash", "D02 Cash"),
    ] {
        let tolls = tolls();
        let delta = format!("## ADDED — {title}\n# {title}\n\nWords.\n");
        tolls.change("cash", &[(&format!("decisions/core-{file}.md"), &delta)]);
        let before = tolls.snapshot();
        let out = tolls.spec(["merge", "cash"]).exits(1);
        let place = format!("conflict: decision_number_mismatch logos/resources/decisions/core-{file}.md");
        assert!(out.stderr.contains(&place), "{}", out.stderr);
        assert!(out.stderr.contains("D03"), "{}", out.stderr);
        assert_eq!(tolls.snapshot(), before);
    }
}

#[test]
fn of_two_changes_with_the_same_number_the_second_is_refused() {
    let tolls = tolls();
    for (slug, words) in [("cash", "Cash"), ("coins", "Coins")] {
        let delta = format!("## ADDED — D03 {words}\n# D03 {words}\n\nWords.\n");
        tolls.change(slug, &[(&format!("decisions/core-D03-{slug}.md"), &delta)]);
    }
    tolls.spec(["merge", "cash"]).exits(0);
    let out = tolls.spec(["merge", "coins"]).exits(1);
    assert!(
        out.stderr.contains("conflict: decision_number_mismatch"),
        "{}",
        out.stderr
    );
    assert!(out.stderr.contains("D04"), "{}", out.stderr);
}

#[test]
fn a_record_that_is_superseded_keeps_its_number_and_the_counter() {
    let tolls = tolls();
    let delta = "## MODIFIED — D02 Cards\n# D02 Cards\n\nStatus: superseded\n";
    tolls.change("cards", &[("decisions/core-D02-cards.md", delta)]);
    tolls.spec(["merge", "cards"]).exits(0);
    assert_eq!(
        tolls.read("logos/resources/decisions/core-D02-cards.md"),
        "# D02 Cards\n\nStatus: superseded\n"
    );
    assert_eq!(tolls.read("logos/logos-project.yaml"), REGISTRY);
}

#[test]
fn a_registry_without_a_counter_gets_one() {
    let tolls = Tolls::new();
    let before = tolls.read("logos/logos-project.yaml");
    tolls.change(
        "cash",
        &[(
            "decisions/D01-cash.md",
            "## ADDED — D01 Cash\n# D01 Cash\n\nOnly cash.\n",
        )],
    );
    tolls.spec(["merge", "cash"]).exits(0);
    let after = tolls.read("logos/logos-project.yaml");
    assert!(after.starts_with(&before), "{after}");
    assert_eq!(&after[before.len()..], "decision_counter:\n  next_id: 2\n");
}

#[test]
fn a_registry_with_own_edits_is_refused_only_where_it_is_written() {
    let tolls = tolls();
    tolls.change("cars", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.change(
        "cash",
        &[(
            "decisions/D03-cash.md",
            "## ADDED — D03 Cash\n# D03 Cash\n\nOnly cash.\n",
        )],
    );
    tolls.write("logos/logos-project.yaml", format!("{REGISTRY}# mine\n"));
    let out = tolls.spec(["merge", "cash"]).exits(1);
    assert!(
        out.stderr
            .contains("conflict: dirty_document logos/logos-project.yaml"),
        "{}",
        out.stderr
    );
    tolls.spec(["merge", "cars"]).exits(0);
    assert_eq!(
        tolls.git(["status", "--porcelain"]),
        " M logos/logos-project.yaml\n"
    );
}

#[test]
fn numbers_of_more_digits_come_later_and_absurd_ones_do_not_count() {
    let tolls = tolls();
    tolls.write("logos/resources/decisions/core-D98-old.md", "# D98 Old\n");
    tolls.write(
        "logos/resources/decisions/core-D18446744073709551615-last.md",
        "# Last\n",
    );
    tolls.commit("Many decisions");
    let record = |n: u32| format!("## ADDED — D{n} Cash\n# D{n} Cash\n\nOnly cash.\n");
    tolls.change(
        "cash",
        &[
            ("decisions/core-D100-b.md", &record(100)),
            ("decisions/core-D99-a.md", &record(99)),
        ],
    );
    tolls.spec(["merge", "cash"]).exits(0);
    assert!(tolls.read("logos/logos-project.yaml").contains("next_id: 101 #"));
}

#[test]
fn a_record_that_is_refused_does_not_move_the_numbers_of_the_others() {
    let tolls = tolls();
    let marked = "## ADDED — D03 Cash\n# D03 Cash\n\n<<<<<<< a\n";
    let sound = "## ADDED — D04 Coins\n# D04 Coins\n\nNo coins.\n";
    tolls.change(
        "cash",
        &[
            ("decisions/core-D03-cash.md", marked),
            ("decisions/core-D04-coins.md", sound),
        ],
    );
    let out = tolls.spec(["merge", "cash"]).exits(1);
    let told: Vec<&str> = out
        .stderr
        .lines()
        .filter(|l| l.starts_with("conflict: "))
        .collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("conflict: conflict_marks_left "), "{told:?}");
}
