//! What users of such tools have suffered from, told through the program on real repositories.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod line_ends;
mod look_alikes;
mod nobody_there;
mod parallel;
mod verdicts;

use common::{Out, Repo};
use serde_json::Value;

/// The data of a change's verdict; a verdict is one line on stdout and nothing on stderr.
#[track_caller]
fn lint(repo: &Repo, slug: &str, more: &[&str]) -> Value {
    let out = lint_out(repo, slug, more);
    assert_eq!(out.stderr, "", "{out:?}");
    let answer = out.json();
    let data = answer["data"].clone();
    assert_eq!(out.code, if data["pass"] == true { 0 } else { 2 }, "{out:?}");
    data
}

fn lint_out(repo: &Repo, slug: &str, more: &[&str]) -> Out {
    let args = ["change-lint", "--slug", slug, "--format", "json"];
    repo.spec(args.iter().chain(more))
}

/// The codes of a verdict's violations or warnings, in order.
fn codes(verdict: &Value, list: &str) -> Vec<String> {
    let items = verdict[list].as_array().map_or(&[][..], Vec::as_slice);
    let code = |item: &Value| item["code"].as_str().expect("every item has a code").to_owned();
    items.iter().map(code).collect()
}

/// What the contract lines of a refused merge say: code and the rest.
fn conflicts(out: &Out) -> Vec<(String, String)> {
    let lines = out.stderr.lines().filter_map(|l| l.strip_prefix("conflict: "));
    let split = |line: &str| {
        let (code, rest) = line.split_once(' ').expect("a code and a document");
        (code.to_owned(), rest.to_owned())
    };
    lines.map(split).collect()
}
