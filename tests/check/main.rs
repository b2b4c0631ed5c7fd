//! `check`: one history per rule, the nearest history without a finding, and every form of the command (git.md 2).

#[path = "../common/mod.rs"]
mod common;

#[path = "../common/schemas.rs"]
mod schemas;

mod archives;
mod documents;
mod forms;
mod hidden;
mod histories;
mod markers;
mod merges;
mod results;

use common::{Out, Repo, Tolls};
use serde_json::Value;

/// The codes found in a range, each with its path after `@`, in the order told.
#[track_caller]
fn codes(repo: &Repo, args: &[&str]) -> Vec<String> {
    let out = check(repo, args);
    let answer = out.json();
    let data = &answer["data"];
    let findings = data["findings"].as_array().expect("a list");
    let errors = findings
        .iter()
        .filter(|finding| finding["severity"] == "error")
        .count();
    assert_eq!(data["errors"], errors, "{answer}");
    assert_eq!(data["pass"], errors == 0, "{answer}");
    assert_eq!(out.code, if errors == 0 { 0 } else { 2 }, "{answer}");
    let shown = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().unwrap_or("-").to_owned();
        format!("{} {}", text("code"), text("path"))
    };
    findings.iter().map(shown).collect()
}

#[track_caller]
fn check(repo: &Repo, args: &[&str]) -> Out {
    let mut all = vec!["check", "--format", "json"];
    all.extend(args);
    let out = repo.spec(all);
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    out
}

/// The codes of what the last commit does.
#[track_caller]
fn last(repo: &Repo) -> Vec<String> {
    codes(repo, &["HEAD~1..HEAD"])
}

/// A change that makes cars pay 6, written and committed.
fn car_price() -> Tolls {
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls
}

fn replaced(from: &str, to: &str) -> String {
    assert!(Tolls::CONTENT.contains(from), "{from}");
    Tolls::CONTENT.replace(from, to)
}

const NONE: [&str; 0] = [];
