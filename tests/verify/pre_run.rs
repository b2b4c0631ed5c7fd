//! Commands: time limits, success that is required, paths that lead out.

use serde_json::json;

use crate::common::Tolls;
use crate::{REPORT, passing, project, verify};

#[test]
fn a_command_that_takes_too_long_is_ended_with_all_it_started() {
    let tolls = project(&json!({
        "timeout_seconds": 1,
        "pre_run_command": format!("{}; (sleep 3; touch late) & sleep 60", passing()),
    }));
    let found = verify(&tolls);
    let command = &found["pre_run"]["commands"][0];
    assert_eq!(command["status"], "fail");
    assert_eq!(command.get("exit_code"), None);
    assert!(
        command["error"]
            .as_str()
            .is_some_and(|text| text.contains("timeout_seconds")),
        "{command}"
    );
    // Only the ledger decides.
    assert_eq!(found["gate"]["result"], "PASS");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert!(!tolls.exists("late"));
}

#[test]
fn success_of_the_command_may_be_required() {
    let command = format!("{}; exit 3", passing());
    let found = verify(&project(
        &json!({"pre_run_command": command, "require_command_success": true}),
    ));
    assert_eq!(
        found["gate"],
        json!({"result": "FAIL", "reason": "pre_run_failed"})
    );
    let found = verify(&project(&json!({"pre_run_command": command})));
    assert_eq!(found["gate"], json!({"result": "PASS", "reason": null}));
}

#[test]
fn much_output_neither_stops_a_command_nor_reaches_ours() {
    let tolls = project(&json!({
        "pre_run_command": format!("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; {}", passing()),
    }));
    let found = verify(&tolls);
    assert_eq!(found["gate"]["result"], "PASS", "{found}");
}

#[test]
fn a_path_that_leads_out_is_refused_before_anything_runs() {
    for path in ["../x.jsonl", "/tmp/x.jsonl", "", "logos/../.."] {
        for key in ["result_path", "regression_result_path"] {
            let tolls = project(&json!({"pre_run_command": "touch ran", key: path}));
            let out = tolls.spec(["verify", "--format", "json"]).exits(1);
            assert!(
                out.stderr.contains("\"CONFIG_PATH_INVALID\""),
                "{path:?}: {out:?}"
            );
            assert!(!tolls.exists("ran"));
        }
    }
}

#[test]
fn a_guard_that_leads_out_writes_nothing_there() {
    for slug in ["../x", "a/b", "..", "gone"] {
        let tolls = project(&json!({"pre_run_command": passing()}));
        tolls.write(
            "logos/.openlogos-guard",
            json!({"activeChange": slug, "module": "core"}).to_string(),
        );
        let files = || tolls.snapshot().files_without("logos/resources/verify");
        let before = files();
        verify(&tolls);
        assert_eq!(files(), before, "{slug}");
    }
}

#[test]
fn the_result_path_is_told_to_the_command() {
    let tolls = project(&json!({
        "result_path": "out/results.jsonl",
        "pre_run_command": "echo '{\"id\":\"UT-S01-01\",\"status\":\"pass\"}' >> \"$GIT_SPEC_RESULT_PATH\"",
    }));
    assert_eq!(verify(&tolls)["summary"]["passed_count"], 1);
}

#[test]
fn it_may_be_started_below_the_project() {
    let tolls: Tolls = project(&json!({"pre_run_command": passing()}));
    tolls.write("src/deep/x", "");
    let mut below = tolls.program();
    below
        .current_dir(tolls.path("src/deep"))
        .args(["verify", "--format", "json"]);
    crate::common::out(&mut below, b"").exits(0);
    assert!(tolls.exists(REPORT));
}
