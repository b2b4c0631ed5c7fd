//! `radar` and `renumber`: verdicts against real merges, where open changes are looked for, repositories of other kinds,
//! new numbers, hostile names (git.md 7).

#[path = "../common/mod.rs"]
mod common;

#[path = "../common/schemas.rs"]
mod schemas;

mod hostile;
mod newest;
mod random;
mod renumber;
mod repositories;
mod scenario;
mod tips;
mod verdicts;

use common::{Out, Repo, Tolls};
use serde_json::Value;

/// One line of JSON that its schema accepts.
#[track_caller]
fn judged(out: Out) -> Out {
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    out
}

#[track_caller]
fn radar(repo: &Repo, args: &[&str]) -> Out {
    let mut all = vec!["radar", "--format", "json"];
    all.extend(args);
    judged(repo.spec(all))
}

/// What `radar` answers; its exit code must be that of its `pass`.
#[track_caller]
fn answer(repo: &Repo, args: &[&str]) -> Value {
    data(radar(repo, args))
}

#[track_caller]
fn data(out: Out) -> Value {
    let data = out.json()["data"].clone();
    let passes = |list: &Value| {
        let mut verdicts = list.as_array().expect("a list").iter();
        verdicts.all(|one| matches!(one["verdict"].as_str(), Some("clean" | "mergeable")))
    };
    let pass = passes(&data["changes"]) && passes(&data["pairs"]);
    assert_eq!(data["pass"], pass, "{data}");
    out.exits(if pass { 0 } else { 2 });
    data
}

/// The open changes, `<id> <verdict>` followed by the references that hold each.
fn changes(data: &Value) -> Vec<String> {
    let changes = data["changes"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    changes
        .map(|change| {
            let refs = change["refs"].as_array().expect("a list").iter().map(text);
            let words = [text(&change["id"]), text(&change["verdict"])];
            words.into_iter().chain(refs).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// The pairs that are told, `<a> <b> <verdict> <order>`.
fn pairs(data: &Value) -> Vec<String> {
    let pairs = data["pairs"].as_array().expect("a list").iter();
    let word = |pair: &Value, key: &str| pair[key].as_str().unwrap_or("-").to_owned();
    pairs
        .map(|pair| {
            ["a", "b", "verdict", "order"]
                .map(|key| word(pair, key))
                .join(" ")
        })
        .collect()
}

/// The items of something, `<code> <anchor> <item>`.
fn items(of: &Value) -> Vec<String> {
    let items = of["items"].as_array().expect("a list").iter();
    let word = |item: &Value, key: &str| item[key].as_str().unwrap_or("-").to_owned();
    items
        .map(|item| ["code", "anchor", "item"].map(|key| word(item, key)).join(" "))
        .collect()
}

/// A branch off main with one change that has these deltas; main is checked out again.
#[track_caller]
fn propose(tolls: &Tolls, branch: &str, slug: &str, deltas: &[(&str, &str)]) {
    tolls.git(["switch", "-q", "-c", branch, "main"]);
    tolls.change(slug, deltas);
    tolls.git(["switch", "-q", "main"]);
}

/// A delta that adds a section with a table of one test.
fn added(title: &str, id: &str, name: &str) -> String {
    format!(
        "## ADDED — {title}\n| ID | Title | Expected |\n|----|-------|----------|\n| {id} | {name} | 1 |\n"
    )
}

const NONE: [&str; 0] = [];
