//! `verify`, `smoke` and `deploy-done`: what is not in the corpus: the sandbox for real, settings of ours, damage
//! (verify.md 7, 17).
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

#[path = "../common/schemas.rs"]
mod schemas;

mod alike;
mod bwrap;
mod cases;
mod deploy;
mod html;
mod imports;
mod overlay;
mod page;
mod pre_run;
mod reporters;
mod sandbox;

use common::{Out, Repo, Tolls};
use serde_json::Value;

const LEDGER: &str = "logos/resources/verify/test-results.jsonl";
const REPORT: &str = "logos/resources/verify/acceptance-report.md";

/// A project whose config has this section `verify`.
fn project(verify: &Value) -> Tolls {
    let tolls = Tolls::new();
    configure(&tolls, &serde_json::json!({ "verify": verify }));
    tolls
}

fn configure(repo: &Repo, sections: &Value) {
    let mut config = serde_json::json!({"name": "tolls", "locale": "en"});
    for (key, value) in sections.as_object().expect("sections") {
        config[key] = value.clone();
    }
    repo.write("logos/logos.config.json", config.to_string());
}

/// A ledger in which all three cases pass.
fn all_pass() -> String {
    let line = |id: &str| format!("{{\"id\":\"{id}\",\"status\":\"pass\"}}\n");
    ["UT-S01-01", "UT-S01-02", "UT-S01-03"].map(line).concat()
}

/// A command that writes such a ledger.
fn passing() -> String {
    let lines = all_pass().replace('\n', "\\n");
    format!("printf '{lines}' > {LEDGER}")
}

#[track_caller]
fn verify(repo: &Repo) -> Value {
    data(&repo.spec(["verify", "--format", "json"]))
}

#[track_caller]
fn data(out: &Out) -> Value {
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    let data = out.json()["data"].clone();
    let passes = data["gate"]["result"] == "PASS";
    assert_eq!(out.code, i32::from(!passes), "{data}");
    data
}
