//! `deploy-done`: line ends stay, an untrusted flow runs nothing, a missing value is told.

use serde_json::json;

use crate::common::Tolls;

fn ready(tasks: &str) -> Tolls {
    let tolls = Tolls::new();
    tolls.change("car-price", &[]);
    tolls
        .write("logos/changes/car-price/tasks.md", tasks)
        .write("logos/changes/car-price/VERIFY_PASS", "")
        .write("logos/resources/verify/deployment-report.md", "# Done\n")
        .write(
            "logos/.openlogos-guard",
            json!({"activeChange": "car-price", "module": "core"}).to_string(),
        );
    tolls
}

const TASKS: &str =
    "# Tasks\r\n\r\n## [deploy] Deploy\r\n- [ ] build\r\n- [X] roll out\r\n  - [ ] nested\r\n";

#[test]
fn tasks_are_ticked_and_line_ends_stay() {
    let tolls = ready(TASKS);
    let out = tolls
        .spec(["deploy-done", "--env", "staging", "--format", "json"])
        .exits(0);
    assert_eq!(crate::schemas::faults(out.stdout.as_bytes(), b""), [""; 0]);
    assert_eq!(out.json()["data"]["environment"], "staging");
    assert_eq!(
        tolls.read("logos/changes/car-price/tasks.md"),
        TASKS.replace("- [ ] build", "- [x] build").replace("[X]", "[x]")
    );
}

#[test]
fn an_option_without_its_value_is_refused() {
    for command in ["deploy-done", "smoke"] {
        let tolls = ready(TASKS);
        let before = tolls.snapshot();
        let out = tolls.spec([command, "--env", "--format", "json"]).exits(1);
        assert!(out.stderr.contains("USAGE"), "{out:?}");
        assert_eq!(tolls.snapshot(), before);
    }
}

#[test]
fn a_gate_of_a_flow_that_nobody_trusts_runs_nothing() {
    let tolls = ready(TASKS);
    tolls.write(
        "logos/flow/launched.yaml",
        "extends: builtin:launched@v1\noverlay:\n  - op: set-loop\n    subflow: implement\n    set: { max_iters: 1 }\n  - op: modify\n    target: verify\n    set: { done_when: \"cmd:touch ran\" }\n",
    );
    let out = tolls.spec(["deploy-done", "--format", "json"]).exits(1);
    assert!(out.stderr.contains("\"VERIFY_NOT_PASSED\""), "{out:?}");
    assert!(!tolls.exists("ran"));
    tolls.spec(["trust", "logos/flow/launched.yaml"]).exits(0);
    tolls.spec(["deploy-done", "--format", "json"]).exits(0);
    assert!(tolls.exists("ran"));
}
