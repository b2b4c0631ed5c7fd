//! `git spec import`: arguments, the ledger, the answer.

use serde_json::json;

use crate::common::Repo;
use crate::{NOW, schemas};

const LEDGER: &str = "logos/resources/verify/test-results.jsonl";
const REPORT: &str = "<testsuite><testcase name='ut_s01_03'/><testcase name='ST-S01-09'/><testcase name='x'><failure message='no&#27;[1m'/></testcase></testsuite>";

fn project() -> Repo {
    let repo = Repo::new();
    repo.write("logos/logos.config.json", "{}");
    repo.write(
        "logos/resources/test/core-test-cases.md",
        "# Cases\n\n| ID | what |\n|---|---|\n| UT-S01-03 | plates |\n| ST-S01-09 [manual] | night |\n",
    );
    repo.write("out/a.xml", REPORT);
    repo
}

fn row(id: &str) -> String {
    format!("{{\"id\":\"{id}\",\"status\":\"pass\",\"timestamp\":\"{NOW}\"}}\n")
}

#[test]
fn rows_replace_the_ledger_or_are_appended() {
    let repo = project();
    let out = repo.spec(["import", "out/a.xml", "--format", "json"]).exits(0);
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    assert_eq!(
        out.json()["data"],
        json!({
            "schema_version": "git-spec-import.v1", "out": LEDGER, "appended": false, "files": 1, "rows": 1, "tests": 3,
            "unmapped": 1, "unmapped_failure_count": 1, "unmapped_failures": [{"name": "x", "error": "no"}],
            "warnings": [{
                "code": "manual_case_has_automated_test", "ids": ["ST-S01-09"],
                "message": "`ST-S01-09` is a manual case, yet a test names it; that test was left out",
            }],
        })
    );
    assert_eq!(repo.read(LEDGER), row("UT-S01-03"));
    repo.write(LEDGER, "{\"id\":\"UT-9\"}");
    repo.write("out/b.tap", "1..1\nok UT-1\n");
    let both = ["import", "--append", "out/a.xml", "out/b.tap", "--format", "json"];
    assert_eq!(repo.spec(both).exits(0).json()["data"]["appended"], true);
    assert_eq!(
        repo.read(LEDGER),
        format!("{{\"id\":\"UT-9\"}}\n{}{}", row("UT-S01-03"), row("UT-1"))
    );
    repo.spec(["import", "out/b.tap"]).exits(0);
    assert_eq!(repo.read(LEDGER), row("UT-1"));
}

#[test]
fn the_ledger_is_the_one_named() {
    let repo = project();
    repo.spec(["import", "--out", "out/rows/x.jsonl", "--append", "out/a.xml"])
        .exits(0);
    assert_eq!(repo.read("out/rows/x.jsonl"), row("UT-S01-03"));
    repo.write(
        "logos/logos.config.json",
        "{\"verify\":{\"result_path\":\"own.jsonl\"}}",
    );
    repo.spec(["import", "out/a.xml"]).exits(0);
    assert_eq!(repo.read("own.jsonl"), row("UT-S01-03"));
    repo.spec(["-C", "out", "import", "--out", "../here.jsonl", "a.xml"])
        .exits(0);
    assert_eq!(repo.read("here.jsonl"), row("UT-S01-03"));
    for outside in ["../x.jsonl", "/tmp/x.jsonl", "."] {
        let out = repo.spec(["import", "--out", outside, "out/a.xml"]).exits(1);
        assert!(out.stderr.starts_with("Error [CONFIG_PATH_INVALID]: "), "{out:?}");
    }
}

#[test]
fn an_error_writes_nothing() {
    let repo = project();
    repo.write(LEDGER, "kept\n");
    repo.write("out/cut.xml", "<testsuite>\n<testcase name='UT-1'/>");
    for (arguments, code) in [
        (vec!["out/a.xml", "out/none.xml"], "IMPORT_FILE_MISSING"),
        (vec!["out"], "IMPORT_FILE_MISSING"),
        (vec!["out/a.xml", "out/cut.xml"], "IMPORT_PARSE_FAILED"),
        (
            vec!["--append", "out/a.xml", "out/cut.xml"],
            "IMPORT_PARSE_FAILED",
        ),
        (vec!["--from", "tap", "out/a.xml"], "IMPORT_PARSE_FAILED"),
        (vec!["--from", "odd", "out/a.xml"], "USAGE"),
        (vec![], "USAGE"),
    ] {
        let words = ["import", "--format", "json"].into_iter().chain(arguments);
        let out = repo.spec(words).exits(1);
        assert_eq!(schemas::faults(b"", out.stderr.as_bytes()), [""; 0]);
        assert_eq!(
            schemas::envelopes(out.stderr.as_bytes())[0]["error"]["code"],
            code,
            "{out:?}"
        );
        assert_eq!(repo.read(LEDGER), "kept\n");
    }
    let told = repo.spec(["import", "out/cut.xml"]).exits(1).stderr;
    assert_eq!(
        told,
        "Error [IMPORT_PARSE_FAILED]: `out/cut.xml`, line 2: the report ends too early; nothing was imported\n"
    );
}

#[cfg(unix)]
#[test]
fn a_ledger_that_is_a_link_is_not_written_through() {
    let repo = project();
    repo.write("real.jsonl", "kept\n");
    std::os::unix::fs::symlink("real.jsonl", repo.path("link.jsonl")).expect("a link can be made");
    for append in [&["--append"][..], &[]] {
        let words = ["import", "--out", "link.jsonl", "out/a.xml"]
            .iter()
            .chain(append);
        repo.spec(words.copied()).exits(1);
        assert_eq!(repo.read("real.jsonl"), "kept\n");
    }
}
