//! The builder of the other tests: it notices what it must notice.

mod common;

use common::{Repo, Tolls};

#[test]
fn a_snapshot_notices_every_kind_of_change() {
    type Change = fn(&Repo);
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    let changes: [(&str, Change); 7] = [
        ("content", |r| {
            r.write("a", "2\n");
        }),
        ("untracked file", |r| {
            r.write("b", "");
        }),
        ("empty folder", |r| {
            std::fs::create_dir(r.path("d")).expect("a new folder");
        }),
        ("index", |r| drop(r.git(["add", "-A"]))),
        ("commit", |r| drop(r.commit("two"))),
        ("ref", |r| drop(r.git(["tag", "t"]))),
        ("branch", |r| drop(r.git(["checkout", "-q", "-b", "side"]))),
    ];
    for (kind, change) in changes {
        let before = repo.snapshot();
        assert!(
            before == repo.snapshot(),
            "{kind}: the snapshot itself changed something"
        );
        change(&repo);
        assert!(before != repo.snapshot(), "{kind} was not noticed");
    }
}

#[test]
#[should_panic(expected = "git fsck")]
fn a_broken_repository_is_noticed() {
    let repo = Repo::new();
    repo.commit("one");
    repo.write(".git/refs/heads/broken", format!("{}\n", "1".repeat(40)));
    repo.fsck();
}

#[test]
fn children_know_neither_the_user_nor_the_day() {
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    let log = tolls.git(["log", "--format=%an %ae %at %s"]);
    assert_eq!(
        log,
        "Ada ada@example.com 1767323045 Propose car-price\n\
         Ada ada@example.com 1767323045 Lay down the tolls\n"
    );
    tolls.fsck();
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
}

#[test]
fn the_program_runs_in_the_repository() {
    let out = Repo::new().spec(["--version"]).exits(0);
    assert_eq!(out.stdout, format!("git-spec {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(out.stderr, "");
}
