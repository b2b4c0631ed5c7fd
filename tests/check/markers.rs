//! Markers that cannot be true.

use crate::common::Tolls;
use crate::{NONE, car_price, codes, last};

const MARKER: &str = "logos/changes/car-price/SPEC_MERGED";

fn forged(marker: &str) -> Vec<String> {
    let tolls = car_price();
    tolls.spec(["merge", "car-price", "--no-commit"]).exits(0);
    tolls.write(MARKER, marker);
    tolls.commit("Merge");
    last(&tolls)
}

#[test]
fn a_merge_marker_says_what_the_deltas_say() {
    let told = [format!("marker_forged {MARKER}")];
    assert_eq!(forged("{\"type\": \"no_delta_spec_complete\"}"), told);
    assert_eq!(forged("{\"documents\": [\"logos/resources/api/x.md\"]}"), told);
    let base = "1".repeat(40);
    assert_eq!(forged(&format!("{{\"base\": \"{base}\"}}")), told);
    for honest in [
        "",
        "done",
        "{\"documents\": [\"logos/resources/test/core-01-test-cases.md\"]}",
    ] {
        assert_eq!(forged(honest), NONE, "{honest}");
    }
}

#[test]
fn only_a_regular_file_is_a_marker() {
    let tolls = car_price();
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT.replace("| 5 |", "| 6 |"));
    std::os::unix::fs::symlink("proposal.md", tolls.path(MARKER)).expect("a link can be made");
    tolls.commit("Link");
    assert_eq!(
        last(&tolls),
        [
            format!("marker_forged {MARKER}"),
            format!("document_edited {}", Tolls::DOCUMENT)
        ]
    );
    let tolls = car_price();
    tolls.write(&format!("{MARKER}/x"), "");
    tolls.commit("Folder");
    assert_eq!(last(&tolls), [format!("marker_forged {MARKER}/x")]);
}

#[test]
fn a_marker_stays_as_long_as_its_documents() {
    let tolls = car_price();
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.remove(MARKER);
    tolls.commit("Drop");
    assert_eq!(
        codes(&tolls, &["HEAD~1..HEAD", "--rule", "lint=off"]),
        [format!("marker_dropped {MARKER}")]
    );
    // Taking the merge back as a whole is an edit of its documents, and no dropped marker.
    let tolls = car_price();
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.git(["revert", "--no-edit", "HEAD"]);
    assert_eq!(last(&tolls), [format!("document_edited {}", Tolls::DOCUMENT)]);
}

#[test]
fn one_verdict_at_a_time() {
    let tolls = car_price();
    for (name, found) in [("VERIFY_FAIL", false), ("VERIFY_PASS", true)] {
        tolls.write(&format!("logos/changes/car-price/{name}"), "");
        tolls.commit(name);
        let expected = "marker_forged logos/changes/car-price/VERIFY_PASS".to_owned();
        let found: Vec<String> = found.then_some(expected).into_iter().collect();
        assert_eq!(last(&tolls), found);
    }
}

#[test]
fn prototypes_are_those_that_were_approved() {
    let pages = "logos/changes/car-price/deltas/prd/2-product-design/2-page-design";
    let approval = |hash: &str| {
        format!(
            "{{\"ui_prototype_rendered\": true, \"pages\": [\"core-01-a.html\"], \"hashes\": {{\"core-01-a.html\": \"{hash}\"}}}}"
        )
    };
    let own = "2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df";
    for (hash, found) in [(own.to_owned(), false), ("0".repeat(64), true)] {
        let tolls = car_price();
        tolls.write(&format!("{pages}/core-01-a.html"), "ok");
        tolls.write("logos/changes/car-price/PLAN_APPROVED", approval(&hash));
        tolls.commit("Approve");
        let expected = "marker_forged logos/changes/car-price/PLAN_APPROVED".to_owned();
        let found: Vec<String> = found.then_some(expected).into_iter().collect();
        assert_eq!(codes(&tolls, &["HEAD~1..HEAD", "--rule", "lint=off"]), found);
    }
}

#[test]
fn a_base_from_another_history_is_told() {
    let tolls = car_price();
    let tree = tolls.git(["rev-parse", "HEAD~1^{tree}"]);
    let stranger = tolls.git(["commit-tree", tree.trim(), "-m", "Elsewhere"]);
    let message = format!("Note\n\nSpec-Change: car-price\nSpec-Base: {}", stranger.trim());
    tolls.write("logos/changes/car-price/note.md", "x\n");
    tolls.commit(&message);
    tolls.spec(["merge", "car-price"]).exits(0);
    assert_eq!(last(&tolls), [format!("base_not_in_history {MARKER}")]);
    let missing = "1".repeat(40);
    let tolls = car_price();
    tolls.write("logos/changes/car-price/note.md", "x\n");
    tolls.commit(&format!("Note\n\nSpec-Change: car-price\nSpec-Base: {missing}"));
    tolls.write(MARKER, "");
    tolls.commit("Merge");
    let out = crate::check(&tolls, &["HEAD~1..HEAD"]).exits(1);
    assert!(
        out.stderr.contains("CHECK_GIT_FAILED") && out.stderr.contains(&missing),
        "{out:?}"
    );
}

#[test]
fn files_of_one_session_are_told() {
    let tolls = Tolls::new();
    tolls
        .write("logos/.runtime/x", "")
        .write("logos/.openlogos-guard", "{}");
    tolls.commit("Session");
    assert_eq!(last(&tolls), ["session_file_committed logos/.runtime/x"]);
    let rules = [
        "HEAD~1..HEAD",
        "--rule",
        "guard_committed=error",
        "--rule",
        "markers=off",
    ];
    assert_eq!(codes(&tolls, &rules), ["guard_committed logos/.openlogos-guard"]);
}

#[test]
fn a_state_that_cannot_be_read_again_is_told() {
    let tolls = Tolls::new();
    tolls.write(
        ".planning/STATE.md",
        "---\nstatus: executing\nstatus: done\n---\n# State\n",
    );
    tolls.commit("Twice");
    assert_eq!(last(&tolls), ["state_malformed .planning/STATE.md"]);
    tolls.write(".planning/STATE.md", "---\nstatus: done\n---\n# State\n");
    tolls.commit("Once");
    assert_eq!(last(&tolls), NONE);
}

#[test]
fn a_passed_gate_is_borne_out_by_its_report_and_ledger() {
    let line =
        |id: &str, status: &str| format!("{{\"id\":\"{id}\",\"status\":\"{status}\",\"error\":\"x\"}}\n");
    let all =
        |status: &str| line("UT-S01-01", status) + &line("UT-S01-02", "pass") + &line("UT-S01-03", "pass");
    let ready = || {
        let tolls = car_price();
        tolls.write(
            "logos/changes/car-price/tasks.md",
            "# Tasks\n\n## [code] Code\n- [x] price UT-S01-01\n",
        );
        tolls.write("logos/.openlogos-guard", "{\"activeChange\":\"car-price\"}\n");
        tolls.commit("Ready");
        tolls
    };
    let ledger = "logos/resources/verify/test-results.jsonl";
    let marker = "marker_forged logos/changes/car-price/VERIFY_PASS";
    // Our own command, whatever was skipped.
    for status in ["pass", "skip"] {
        let tolls = ready();
        tolls.write(ledger, all(status));
        tolls.spec(["verify"]).exits(0);
        tolls.commit("Verify");
        assert_eq!(last(&tolls), NONE, "{status}");
    }
    // A report of a failure, made to look like a pass by the marker alone; by the report too.
    let tolls = ready();
    tolls.write(ledger, all("fail"));
    tolls.spec(["verify"]).exits(1);
    tolls.remove("logos/changes/car-price/VERIFY_FAIL");
    tolls.write("logos/changes/car-price/VERIFY_PASS", "");
    tolls.commit("Verify");
    assert_eq!(last(&tolls), [marker, marker]);
    tolls.git(["reset", "-q", "--soft", "HEAD~1"]);
    let report = "logos/resources/verify/acceptance-report.md";
    tolls.write(
        report,
        tolls.read(report).replace("| FAIL (failed_cases) |", "| PASS |"),
    );
    tolls.commit("Verify");
    assert_eq!(last(&tolls), [marker]);
    // Without a ledger there is nothing to hold it against.
    tolls.git(["reset", "-q", "--soft", "HEAD~1"]);
    tolls.remove(ledger);
    tolls.commit("Verify");
    assert_eq!(last(&tolls), NONE);
    // Smoke alike.
    let smoke = "logos/resources/verify/smoke-report.md";
    tolls
        .write(
            "logos/resources/verify/smoke-results.jsonl",
            line("SMOKE-a-1", "fail"),
        )
        .write(smoke, "| Gate 3.8 | FAIL |\n")
        .write("logos/changes/car-price/SMOKE_PASS", "");
    tolls.commit("Smoke");
    assert_eq!(last(&tolls), ["marker_forged logos/changes/car-price/SMOKE_PASS"]);
}
