//! Specifications and reports: examples, English headings, tables that would break.

use std::fmt::Write as _;

use serde_json::json;

use crate::common::Tolls;
use crate::{LEDGER, REPORT, all_pass, project, verify};

#[test]
fn an_english_specification_has_a_checklist_and_criteria() {
    let tolls = project(&json!({}));
    let more = "\n## 3. Coverage Validation\n- [ ] all | lanes\n- [x] done\n\n## 4. Acceptance Criteria Traceability\n\n| S01-AC-01 | pays `a | `UT-S01-01` |\n| S01-AC-02 | b | UT-S01-09 |\n| S01-AC-03 | c | nothing |\n";
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT.to_owned() + more);
    tolls.write(LEDGER, all_pass());
    let found = verify(&tolls);
    assert_eq!(found["gate"]["reason"], "checklist_incomplete");
    assert_eq!(
        (&found["checklist"]["total"], &found["checklist"]["checked"]),
        (&json!(2), &json!(1))
    );
    let failed = &found["ac_trace"]["failed_criteria"];
    assert_eq!(failed.as_array().map(Vec::len), Some(1), "{failed}");
    assert_eq!(failed[0]["status"], "NO_LINKED_CASES");
    // A link to a case that nobody defines is told.
    assert!(
        found["pre_run"]["diagnostics"].to_string().contains("UT-S01-09"),
        "{found}"
    );
    let report = tolls.read(REPORT);
    assert!(report.contains("| all \\| lanes |"), "{report}");
    assert!(report.contains("FAIL (checklist_incomplete)"), "{report}");
}

#[test]
fn what_is_never_full_is_never_shown_as_100() {
    let tolls = project(&json!({}));
    let mut document = "# T\n\n| ID | Title | Expected |\n|---|---|---|\n".to_owned();
    let mut ledger = String::new();
    for n in 1..=400 {
        writeln!(document, "| UT-S01-{n:03} | x | 1 |").expect("memory");
        if n < 400 {
            writeln!(ledger, "{{\"id\":\"UT-S01-{n:03}\",\"status\":\"pass\"}}").expect("memory");
        }
    }
    tolls.write(Tolls::DOCUMENT, document);
    tolls.write(LEDGER, ledger);
    let found = verify(&tolls);
    assert_eq!(found["gate"]["reason"], "incomplete_coverage");
    assert_eq!(found["summary"]["coverage_pct"], 99);
    assert_eq!(found["consistency"]["ok"], true);
}

#[test]
fn a_folder_with_the_name_of_a_specification_and_a_loop_of_links_stop_nothing() {
    let tolls = project(&json!({}));
    tolls.write("logos/resources/test/a-test-cases.md/x.md", "");
    std::os::unix::fs::symlink("..", tolls.path("logos/resources/test/loop")).expect("a link can be made");
    tolls.write(LEDGER, all_pass());
    assert_eq!(verify(&tolls)["gate"]["result"], "PASS");
}

#[test]
fn a_round_is_a_line_of_its_own_whatever_was_before() {
    let tolls = project(&json!({}));
    tolls.change("car-price", &[]);
    tolls.write(
        "logos/.openlogos-guard",
        json!({"activeChange": "car-price", "module": "core"}).to_string(),
    );
    let rounds = "logos/changes/car-price/LOOP_ITERS";
    tolls.write(rounds, "{\"module\":\"core\",\"result\":\"fail\"}");
    tolls.write(LEDGER, all_pass());
    verify(&tolls);
    let lines = tolls.read(rounds);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[1].starts_with("{\"iter\":2,\"node\":\"verify\",\"result\":\"pass\",\"module\":\"core\","),
        "{}",
        lines[1]
    );
}

#[test]
fn the_name_of_the_active_change_may_be_padded_for_the_precheck() {
    let tolls = project(&json!({}));
    tolls.write(LEDGER, all_pass());
    tolls.write(
        "logos/changes/car-price/deltas/test/smoke/b.md",
        "| SMOKE-b-1 |\n",
    );
    tolls.write(
        "logos/.openlogos-guard",
        json!({"activeChange": " car-price "}).to_string(),
    );
    let found = verify(&tolls);
    assert_eq!(found["gate"]["reason"], "smoke_runner_missing", "{found}");
    assert_eq!(found["smoke_precheck"]["changed_case_ids"], json!(["SMOKE-b-1"]));
    assert!(!tolls.exists("logos/changes/ car-price "));
}

#[test]
fn a_file_in_place_of_the_active_change_is_none() {
    let tolls = project(&json!({}));
    tolls
        .write(LEDGER, all_pass())
        .write("logos/changes/car-price", "a file\n");
    tolls.write(
        "logos/.openlogos-guard",
        json!({"activeChange": "car-price", "module": "core"}).to_string(),
    );
    assert_eq!(verify(&tolls)["gate"]["result"], "PASS");
    assert_eq!(tolls.read("logos/changes/car-price"), "a file\n");
}
