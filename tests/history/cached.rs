//! The cache changes nothing but time: with it, without it, cut, spoiled, forbidden (git.md 8).

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::common::{Repo, Tolls};
use super::data;
use super::generate::{Size, history};

const STEPS: &str = ".git/spec/cache/v1/steps";
const CASES: &str = "logos/resources/test/core-01-test-cases.md";

fn short() -> (Repo, BTreeMap<String, Vec<Value>>) {
    let repo = Repo::in_memory();
    repo.git(["init", "-q", "-b", "main"]);
    let size = Size {
        commits: 40,
        ids: 15,
        renames: 2,
        archives: 2,
    };
    let ledger = history(size, 3).lay_down(&repo);
    repo.git(["reset", "-q", "--hard"]);
    (repo, ledger)
}

fn cache(repo: &Repo) -> Vec<u8> {
    std::fs::read(repo.path(STEPS)).expect("there is a cache")
}

/// What all commands say of one id and its document.
fn said(repo: &Repo, id: &str) -> Vec<Value> {
    [
        &["log", id][..],
        &["show", id],
        &["blame", id],
        &["log", id, "HEAD~5"],
    ]
    .map(|args| data(repo, args))
    .to_vec()
}

/// An id that is still there, with several events.
fn some_id(ledger: &BTreeMap<String, Vec<Value>>) -> &str {
    let there = |events: &Vec<Value>| {
        events.len() > 3 && events[0]["event"] != "removed" && events[0]["event"] != "renumbered"
    };
    ledger
        .iter()
        .find(|(_, events)| there(events))
        .expect("there is one")
        .0
}

#[test]
fn a_cache_cut_at_every_byte_of_its_last_record_changes_no_answer() {
    let (repo, ledger) = short();
    let id = some_id(&ledger);
    let cold = data(&repo, &["log", id]);
    let first = cache(&repo);
    repo.write("logos/resources/test/core-zz.md", Tolls::CONTENT);
    repo.commit("One more");
    let warm = data(&repo, &["log", id]);
    assert_eq!(warm["events"], cold["events"]);
    let whole = cache(&repo);
    assert!(
        whole.starts_with(&first) && whole.len() > first.len(),
        "one record is appended"
    );
    for cut in first.len()..=whole.len() {
        std::fs::write(repo.path(STEPS), &whole[..cut]).expect("writable");
        assert_eq!(data(&repo, &["log", id]), warm, "{cut}");
        assert_eq!(cache(&repo), whole, "the tail is cut off and written again");
    }
}

#[test]
fn with_and_without_a_cache_the_answers_are_the_same() {
    let (repo, ledger) = short();
    let id = some_id(&ledger);
    let cold = said(&repo, id);
    assert_eq!(said(&repo, id), cold);
    let whole = cache(&repo);
    for at in (0..whole.len()).step_by(whole.len() / 20) {
        let mut spoiled = whole.clone();
        spoiled[at] ^= 0x55;
        std::fs::write(repo.path(STEPS), &spoiled).expect("writable");
        assert_eq!(said(&repo, id), cold, "byte {at}");
    }
    for content in [
        &b""[..],
        b"git-spec steps 99\nnonsense",
        b"git-spec steps 1\n\xff\xff\xff\xff",
        b"git-spec steps 1",
    ] {
        std::fs::write(repo.path(STEPS), content).expect("writable");
        assert_eq!(said(&repo, id), cold, "{content:?}");
    }
    repo.remove(".git/spec");
    assert_eq!(said(&repo, id), cold);
    repo.remove(".git/spec");
    repo.write(".git/spec", "a file");
    assert_eq!(said(&repo, id), cold);
}

#[test]
fn the_cache_serves_every_id_and_what_came_since() {
    let (repo, ledger) = short();
    data(&repo, &["log", some_id(&ledger)]);
    let before = cache(&repo);
    for id in ledger.keys() {
        data(&repo, &["log", id]);
    }
    assert_eq!(cache(&repo), before, "nothing was left to be worked out");
}

#[test]
fn neither_a_hook_nor_a_repository_of_others_nor_a_shallow_clone_writes_it() {
    let tolls = Tolls::new();
    for variable in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_QUARANTINE_PATH"] {
        let mut hook = tolls.program();
        let value = if variable == "GIT_DIR" {
            ".git"
        } else {
            ".git/index"
        };
        let out = hook
            .env(variable, value)
            .args(["log", "UT-S01-01"])
            .output()
            .expect("it starts");
        assert!(out.status.success(), "{variable}: {out:?}");
        assert!(!tolls.exists(".git/spec"), "{variable}");
    }
    tolls.commit("Another");
    let url = format!("file://{}", tolls.root().display());
    let clone = Repo::without_git();
    clone.git(["clone", "-q", "--depth", "1", &url, "."]);
    data(&clone, &["log", "UT-S01-01"]);
    assert!(!clone.exists(".git/spec"));
    // A file that others may write is not believed.
    data(&tolls, &["log", "UT-S01-01"]);
    let path = tolls.path(STEPS);
    let own = std::fs::metadata(&path)
        .expect("it was written")
        .permissions()
        .mode();
    assert_eq!(own & 0o077, 0, "{own:o}");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).expect("ours");
    tolls.write(CASES, Tolls::CONTENT.replace("| 5 |", "| 6 |"));
    tolls.commit("Edit");
    let before = cache(&tolls);
    assert_eq!(
        data(&tolls, &["log", "UT-S01-01"])["events"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    assert_eq!(cache(&tolls), before);
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error_and_one_at_work_is_left_alone() {
    let tolls = Tolls::new();
    let folder = tolls.path(".git/spec/cache/v1");
    std::fs::create_dir_all(&folder).expect("a folder");
    let lock = std::fs::File::create(folder.join("lock")).expect("a file");
    lock.lock().expect("nobody else holds it");
    let start = std::time::Instant::now();
    data(&tolls, &["log", "UT-S01-01"]);
    assert!(
        !tolls.exists(STEPS) && start.elapsed().as_secs() < 5,
        "tried once"
    );
    drop(lock);
    data(&tolls, &["log", "UT-S01-01"]);
    assert!(tolls.exists(STEPS));
    assert!(!tolls.exists(".git/spec/cache/v1/lock"));
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
}
