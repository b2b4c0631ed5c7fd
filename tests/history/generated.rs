//! Generated histories against the ledger of their generator.

use std::collections::BTreeMap;

use serde_json::Value;

use super::common::Repo;
use super::data;
use super::generate::{Size, history};

const SMALL: Size = Size {
    commits: 400,
    ids: 60,
    renames: 8,
    archives: 20,
};

/// An event without what the ledger does not keep.
fn plain(event: &Value) -> Value {
    let mut event = event.clone();
    let map = event.as_object_mut().expect("an object");
    assert_eq!(map.remove("author"), Some("Ada".into()));
    map.remove("date").expect("it has one");
    for key in ["before", "after"] {
        if let Some(text) = map[key].as_str() {
            // A row that was only laid out anew is still the row of the ledger.
            map[key] = text.replace("  |", " |").into();
        }
    }
    event
}

#[track_caller]
fn agrees(repo: &Repo, ledger: &BTreeMap<String, Vec<Value>>, ids: impl Iterator<Item = String>) {
    for (at, id) in ids.enumerate() {
        if at % 8 == 0 && repo.exists(".git/spec") {
            // This one without a cache, the others with what it leaves.
            repo.remove(".git/spec");
        }
        let told = data(repo, &["log", &id]);
        let told: Vec<Value> = told["events"]
            .as_array()
            .expect("a list")
            .iter()
            .map(plain)
            .collect();
        for (told, expected) in told.iter().zip(&ledger[&id]) {
            assert_eq!(told, expected, "{id}");
        }
        assert_eq!(told.len(), ledger[&id].len(), "{id}");
    }
}

#[test]
fn ids_have_the_events_of_the_ledger() {
    let repo = Repo::in_memory();
    repo.git(["init", "-q", "-b", "main"]);
    let ledger = history(SMALL, 7).lay_down(&repo);
    repo.git(["reset", "-q", "--hard"]);
    assert!(ledger.len() >= 60, "{}", ledger.len());
    agrees(&repo, &ledger, ledger.keys().step_by(2).cloned());
}

#[test]
fn blame_and_show_agree_with_the_ledger() {
    let repo = Repo::in_memory();
    repo.git(["init", "-q", "-b", "main"]);
    let ledger = history(SMALL, 23).lay_down(&repo);
    repo.git(["reset", "-q", "--hard"]);
    let mut rows = 0;
    for path in repo.git(["ls-files", "logos/resources/test"]).lines() {
        for unit in data(&repo, &["blame", path])["units"].as_array().expect("a list") {
            let Some(id) = unit["ids"][0].as_str() else {
                continue;
            };
            // A row that only went elsewhere is still that of the commit which wrote it.
            let wrote = ledger[id]
                .iter()
                .find(|event| event["event"] != "moved")
                .expect("it was added");
            assert_eq!(
                (&unit["commit"], &unit["change"]),
                (&wrote["commit"], &wrote["change"]),
                "{id}"
            );
            rows += 1;
        }
    }
    assert!(rows >= 50, "{rows}");
    for (id, events) in ledger.iter().step_by(5) {
        let last = &events[0];
        if last["event"] == "removed" || (last["event"] == "renumbered" && last["from"] == id.as_str()) {
            continue;
        }
        let told = data(&repo, &["show", id]);
        let found = &told["found"][0];
        for key in ["document", "anchor", "change"] {
            assert_eq!(found[key], last[key], "{id} {key}");
        }
    }
}

/// As long as the specification asks for. `GIT_SPEC_KEEP` names a folder where the repository is kept to be measured with.
#[test]
fn a_long_history_agrees_with_its_ledger() {
    let size = Size {
        commits: 5000,
        ids: 300,
        renames: 40,
        archives: 200,
    };
    let repo = Repo::in_memory();
    repo.git(["init", "-q", "-b", "main"]);
    let ledger = history(size, 11).lay_down(&repo);
    agrees(&repo, &ledger, ledger.keys().step_by(40).cloned());
    if let Some(to) = std::env::var_os("GIT_SPEC_KEEP") {
        repo.git(["clone", "-q", "--bare", "--no-local", ".", &to.to_string_lossy()]);
    }
}
