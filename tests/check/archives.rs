//! Changes on their way to the archive, and in it.

use crate::common::Tolls;
use crate::{NONE, car_price, codes, last};

const ARCHIVED: &str = "logos/changes/archive/20260102-0304-car-price";

fn archived() -> Tolls {
    let tolls = car_price();
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.spec(["archive", "car-price"]).exits(0);
    tolls
}

#[test]
fn a_change_with_deltas_goes_there_merged() {
    let tolls = car_price();
    std::fs::create_dir_all(tolls.path("logos/changes/archive")).expect("a folder can be made");
    tolls.git(["mv", "logos/changes/car-price", ARCHIVED]);
    tolls.commit("Archive");
    assert_eq!(last(&tolls), [format!("change_archived_unmerged {ARCHIVED}")]);

    let tolls = Tolls::new();
    tolls.change("no-delta", &[]);
    std::fs::create_dir_all(tolls.path("logos/changes/archive")).expect("a folder can be made");
    tolls.git([
        "mv",
        "logos/changes/no-delta",
        "logos/changes/archive/20260102-0304-no-delta",
    ]);
    tolls.commit("Archive");
    assert_eq!(last(&tolls), NONE);
}

#[test]
fn a_change_goes_there_whole() {
    let tolls = archived();
    assert_eq!(last(&tolls), NONE);
    tolls.remove(&format!("{ARCHIVED}/proposal.md"));
    tolls.git(["commit", "-q", "--amend", "-a", "-m", "Lossy"]);
    assert_eq!(
        last(&tolls),
        ["archive_lossy logos/changes/car-price/proposal.md"]
    );

    let tolls = archived();
    tolls.write(&format!("{ARCHIVED}/tasks.md"), "# other\n");
    tolls.git(["commit", "-q", "--amend", "-a", "-m", "Other"]);
    assert_eq!(last(&tolls), ["archive_lossy logos/changes/car-price/tasks.md"]);

    let tolls = archived();
    tolls.git(["update-index", "--chmod=+x", &format!("{ARCHIVED}/tasks.md")]);
    tolls.git(["commit", "-q", "--amend", "-m", "Executable"]);
    assert_eq!(last(&tolls), ["archive_lossy logos/changes/car-price/tasks.md"]);
}

#[test]
fn a_folder_that_goes_without_archive_is_told() {
    let tolls = car_price();
    tolls.git(["rm", "-rq", "logos/changes/car-price"]);
    tolls.commit("Give up");
    assert_eq!(last(&tolls), ["change_deleted logos/changes/car-price"]);

    let tolls = car_price();
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.git(["rm", "-rq", "logos/changes/car-price"]);
    tolls.commit("Forget");
    assert_eq!(last(&tolls), ["archive_lossy logos/changes/car-price"]);
}

#[test]
fn the_archive_is_a_record() {
    let tolls = archived();
    tolls.write(&format!("{ARCHIVED}/tasks.md"), "# other\n");
    tolls.write(&format!("{ARCHIVED}/more.md"), "x\n");
    tolls.remove(&format!("{ARCHIVED}/proposal.md"));
    tolls.commit("Rewrite history");
    let edited =
        ["more.md", "proposal.md", "tasks.md"].map(|name| format!("archive_edited {ARCHIVED}/{name}"));
    assert_eq!(last(&tolls), edited);
    assert_eq!(codes(&tolls, &["HEAD~1..HEAD", "--rule", "archive=off"]), NONE);
}

#[test]
fn a_new_change_has_a_name_that_a_branch_can_have() {
    let tolls = Tolls::new();
    for (name, found) in [
        ("good.name", false),
        ("bad name", true),
        ("x.lock", true),
        ("-x", true),
    ] {
        tolls.change(name, &[]);
        let expected = format!("slug_invalid logos/changes/{name}");
        let found: Vec<String> = found.then_some(expected).into_iter().collect();
        assert_eq!(
            codes(&tolls, &["HEAD~1..HEAD", "--rule", "lint=off"]),
            found,
            "{name}"
        );
    }
}
