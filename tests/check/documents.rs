//! Documents of launched modules: edited, moved, lost ids, merges that are replayed.

use crate::common::Tolls;
use crate::{NONE, car_price, codes, last, replaced};

const EDITED: &str = "document_edited logos/resources/test/core-01-test-cases.md";

#[test]
fn an_edit_without_a_change_is_found_and_a_merge_is_none() {
    let tolls = Tolls::new();
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    tolls.commit("Edit");
    assert_eq!(last(&tolls), [EDITED]);

    let tolls = car_price();
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.spec(["archive", "car-price"]).exits(0);
    assert_eq!(codes(&tolls, &["HEAD~3..HEAD"]), NONE);
}

#[test]
fn documents_of_modules_that_are_not_launched_are_free() {
    let tolls = Tolls::new();
    let registry = tolls.read("logos/logos-project.yaml");
    let other = "  - id: core-new\n    name: New\n    lifecycle: initial\n";
    tolls.write("logos/logos-project.yaml", format!("{registry}{other}"));
    tolls.write("logos/resources/api/core-new-01.md", "# a\n");
    tolls.write("logos/resources/api/core-01.md", "# a\n");
    tolls.write("logos/resources/api/shared.md", "# a\n");
    tolls.commit("More documents");
    for (path, found) in [
        ("core-new-01.md", None),
        (
            "core-01.md",
            Some("document_edited logos/resources/api/core-01.md"),
        ),
        ("shared.md", Some("document_edited logos/resources/api/shared.md")),
    ] {
        tolls.write(&format!("logos/resources/api/{path}"), "# a\n\nb\n");
        tolls.commit("Edit");
        assert_eq!(last(&tolls), found.into_iter().collect::<Vec<_>>());
    }
    tolls.write("logos/resources/verify/core-report.md", "# r\n");
    tolls.write("README.md", "r\n");
    tolls.commit("No documents");
    assert_eq!(last(&tolls), NONE);
}

#[test]
fn an_id_that_goes_is_named_in_place_of_the_edit() {
    let tolls = Tolls::new();
    tolls.write(Tolls::DOCUMENT, replaced("| UT-S01-02 | lorry | 12 |\n", ""));
    tolls.commit("Drop");
    let lost = "document_id_lost logos/resources/test/core-01-test-cases.md";
    assert_eq!(last(&tolls), [lost]);
    let range = "HEAD~1..HEAD";
    assert_eq!(
        codes(&tolls, &[range, "--rule", "document_id_lost=off"]),
        [EDITED]
    );
    assert_eq!(codes(&tolls, &[range, "--rule", "documents=off"]), NONE);
}

#[test]
fn a_document_may_move_but_not_become_a_link() {
    let tolls = Tolls::new();
    let to = "logos/resources/test/core-02-test-cases.md";
    tolls.git(["mv", Tolls::DOCUMENT, to]);
    tolls.commit("Move");
    assert_eq!(last(&tolls), [format!("document_moved {to}")]);
    tolls.spec(["check", "HEAD~1..HEAD", "--strict"]).exits(2);

    let tolls = Tolls::new();
    tolls.remove(Tolls::DOCUMENT);
    std::os::unix::fs::symlink("/etc/passwd", tolls.path(Tolls::DOCUMENT)).expect("a link can be made");
    tolls.commit("Link");
    assert_eq!(
        last(&tolls),
        [format!("document_not_regular {}", Tolls::DOCUMENT)]
    );
}

#[test]
fn blank_lines_and_cell_blanks_are_no_part_of_a_merge() {
    let tolls = car_price();
    tolls.spec(["merge", "car-price", "--no-commit"]).exits(0);
    let merged = tolls
        .read(Tolls::DOCUMENT)
        .replace("| UT-S01-01 | car |", "|  UT-S01-01|car  |");
    tolls.write(
        Tolls::DOCUMENT,
        merged.replace("# Toll tests\n", "# Toll tests\n\n"),
    );
    tolls.commit("Merge by hand");
    assert_eq!(last(&tolls), NONE);
}

#[test]
fn a_marker_does_not_excuse_what_its_deltas_do_not_do() {
    let mismatch = format!("merge_replay_mismatch {}", Tolls::DOCUMENT);
    // Applied wrongly, more than that, and not at all.
    for document in [
        replaced("| 5 |", "| 7 |"),
        replaced("| 5 |", "| 6 |").replace("| 12 |", "| 13 |"),
        Tolls::CONTENT.to_owned(),
    ] {
        let tolls = car_price();
        tolls.write(Tolls::DOCUMENT, document);
        tolls.write("logos/changes/car-price/SPEC_MERGED", "");
        tolls.commit("Merge");
        assert_eq!(last(&tolls), std::slice::from_ref(&mismatch));
    }
    let tolls = car_price();
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    tolls.write("logos/changes/car-price/SPEC_MERGED", "");
    tolls.commit("Merge");
    assert_eq!(last(&tolls), NONE);
}

#[test]
fn another_document_is_no_part_of_a_merge() {
    let tolls = Tolls::new();
    tolls.write("logos/resources/api/core-01.md", "# a\n");
    tolls.commit("A second document");
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price", "--no-commit"]).exits(0);
    tolls.write("logos/resources/api/core-01.md", "# b\n");
    tolls.commit("Merge and more");
    assert_eq!(
        last(&tolls),
        ["merge_replay_mismatch logos/resources/api/core-01.md"]
    );
}

#[test]
fn one_commit_may_create_merge_and_archive() {
    let tolls = car_price();
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.spec(["archive", "car-price"]).exits(0);
    tolls.git(["reset", "-q", "--soft", "HEAD~3"]);
    tolls.commit("All of it");
    assert_eq!(last(&tolls), NONE);
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 7 |"));
    tolls.git(["commit", "-q", "--amend", "-a", "-m", "All of it, and wrong"]);
    assert_eq!(
        last(&tolls),
        [format!("merge_replay_mismatch {}", Tolls::DOCUMENT)]
    );
}

#[test]
fn two_changes_may_be_merged_by_one_commit() {
    let tolls = car_price();
    tolls.change("lorry-price", &[(Tolls::DELTA, &Tolls::prices("5", "14", "0"))]);
    for slug in ["car-price", "lorry-price"] {
        tolls.spec(["merge", slug]).exits(0);
    }
    assert_eq!(codes(&tolls, &["HEAD~2..HEAD"]), NONE);
    tolls.git(["reset", "-q", "--soft", "HEAD~2"]);
    tolls.commit("Both");
    assert_eq!(last(&tolls), NONE);
}

#[test]
fn a_merge_that_could_not_be_made_is_told_with_its_conflicts() {
    let tolls = car_price();
    tolls.change("other-price", &[(Tolls::DELTA, &Tolls::prices("7", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 7 |"));
    tolls.write("logos/changes/other-price/SPEC_MERGED", "");
    tolls.commit("Overwrite");
    assert_eq!(
        last(&tolls),
        [format!("merge_replay_conflict {}", Tolls::DOCUMENT)]
    );
    let told = crate::check(&tolls, &["HEAD~1..HEAD"]).json();
    let finding = &told["data"]["findings"][0];
    assert_eq!(
        (&finding["change"], &finding["item"]),
        (&"other-price".into(), &"both_changed".into())
    );
}

#[test]
fn a_rebase_by_git_keeps_a_merge_right() {
    let tolls = Tolls::new();
    tolls.git(["switch", "-q", "-c", "side"]);
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.git(["switch", "-q", "main"]);
    tolls.change("bicycle-price", &[(Tolls::DELTA, &Tolls::prices("5", "12", "1"))]);
    tolls.spec(["merge", "bicycle-price"]).exits(0);
    tolls.spec(["merge-driver", "--install"]).exits(0);
    let mut command = tolls.command("git");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_git-spec"));
    let path = std::env::var("PATH").expect("it is set");
    let folder = program.parent().expect("in a folder").display();
    command.env("PATH", format!("{folder}:{path}"));
    crate::common::out(command.args(["rebase", "-q", "main", "side"]), b"").exits(0);
    assert_eq!(codes(&tolls, &["main..side"]), NONE);
    tolls.fsck();
}

#[test]
fn a_rename_of_a_module_is_no_edit() {
    let tolls = Tolls::new();
    tolls.spec(["module", "rename", "core", "base"]).exits(0);
    tolls.commit("Rename");
    assert_eq!(last(&tolls), NONE);
    let renamed = "logos/resources/test/base-01-test-cases.md";
    let tolls = Tolls::new();
    tolls.spec(["module", "rename", "core", "base"]).exits(0);
    tolls.write(renamed, replaced("| 5 |", "| 9 |"));
    tolls.commit("Rename and edit");
    assert!(!last(&tolls).is_empty());
}

#[test]
fn launched_modules_stay_so_and_the_project_too() {
    let registry = "logos/logos-project.yaml";
    let tolls = Tolls::new();
    tolls.write(registry, tolls.read(registry).replace("launched", "initial"));
    tolls.commit("Unlaunch");
    assert_eq!(last(&tolls), ["module_unlaunched logos/logos-project.yaml"]);
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    tolls.commit("Edit");
    assert_eq!(
        codes(&tolls, &["HEAD~2..HEAD"]),
        ["module_unlaunched logos/logos-project.yaml"]
    );

    let tolls = Tolls::new();
    tolls.write(
        registry,
        "modules:\n  - id: other\n    name: O\n    lifecycle: launched\n  - id: more\n    name: M\n",
    );
    tolls.commit("Replace");
    assert_eq!(last(&tolls), ["module_unlaunched logos/logos-project.yaml"]);

    let tolls = Tolls::new();
    tolls.git(["rm", "-q", "logos/logos.config.json"]);
    tolls.commit("No project");
    assert_eq!(last(&tolls), ["project_removed logos/logos.config.json"]);

    let tolls = Tolls::new();
    tolls.write(registry, "modules: [\n");
    tolls.commit("Damage");
    assert_eq!(last(&tolls), ["registry_unreadable logos/logos-project.yaml"]);
    // Broken, used and mended within one push.
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    tolls.commit("Edit");
    tolls.git(["checkout", "-q", "HEAD~2", "--", registry]);
    tolls.commit("Mend");
    assert_eq!(
        codes(&tolls, &["HEAD~3..HEAD"]),
        ["registry_unreadable logos/logos-project.yaml"]
    );
}

#[test]
fn an_edit_and_its_undoing_count_as_is_asked() {
    let tolls = Tolls::new();
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    tolls.commit("Edit");
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT);
    tolls.commit("Undo");
    assert_eq!(codes(&tolls, &["HEAD~2..HEAD"]), [EDITED, EDITED]);
    tolls.git(["config", "spec.judge", "result"]);
    assert_eq!(codes(&tolls, &["HEAD~2..HEAD"]), NONE);
    assert_eq!(codes(&tolls, &["HEAD~1..HEAD"]), [EDITED]);
}
