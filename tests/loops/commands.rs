//! The commands in their order: begin, move, record, end.

use serde_json::Value;

use super::{COPY, FOLDER, Loop, STATE};

#[test]
fn a_loop_begins_once() {
    let found = Loop::new("safe");
    assert_eq!(found.error(&["init"]), "exists");
    found.run(&["validate"]).exits(0);
    let again = found.run(&["init", "--force"]).exits(0).json();
    assert_eq!(again["mode"], "safe", "the mode stays");
    assert_eq!(found.error(&["init", "--mode", "bold"]), "unknown_mode");
}

#[test]
fn comments_and_unknown_keys_stay_where_they_are() {
    let found = Loop::new("auto");
    found.edit(|state| state["progress"]["mood"] = "calm".into());
    let keys = |state: &Value| -> Vec<String> {
        state["progress"]
            .as_object()
            .expect("a section")
            .keys()
            .cloned()
            .collect()
    };
    let before = keys(&found.state());
    found.run(&["transition", "part_1_1"]).exits(0);
    assert_eq!(keys(&found.state()), before);
    assert!(before.iter().any(|key| key.starts_with("_comment")));
}

#[test]
fn an_illegal_transition_names_the_legal_ones() {
    let found = Loop::new("auto");
    let out = found.run(&["transition", "part_2_8"]).exits(1);
    let error: Value = serde_json::from_str(&out.stderr).expect("JSON");
    assert_eq!(error["error"]["code"], "illegal_transition");
    assert_eq!(
        error["error"]["allowed"],
        serde_json::json!(["part_1_1", "paused", "failed"])
    );
    assert_eq!(found.error(&["transition", "part_9"]), "unknown_phase");
    assert_eq!(found.error(&["transition", "complete"]), "illegal_transition");
}

#[test]
fn an_artifact_is_recorded_by_its_bytes() {
    let found = Loop::new("auto");
    let path = format!("{FOLDER}/artifacts/03-solution.md");
    let record = ["artifact", "record", "solution"];
    assert_eq!(found.error(&record), "artifact_missing");
    found.repo.write(&path, "one\n");
    let first = found.run(&record).exits(0).json();
    assert_eq!(first["version"], 1);
    assert_eq!(found.state()["artifacts"]["solution"]["status"], "generated");
    assert_eq!(
        found.run(&record).exits(0).json()["version"],
        1,
        "nothing has changed"
    );
    found.run(&["artifact", "verify", "solution"]).exits(0);
    found.repo.write(&path, "two\n");
    let verified = found.run(&["artifact", "verify", "solution"]).exits(2).json();
    assert_eq!(verified["artifacts"][0]["status"], "modified");
    assert_eq!(found.run(&record).exits(0).json()["version"], 2);
    assert_eq!(found.state()["artifacts"]["solution"]["status"], "regenerated");
    found.repo.remove(&path);
    let verified = found.run(&["artifact", "verify"]).exits(2).json();
    assert_eq!(verified["artifacts"][2]["status"], "missing");
    assert_eq!(verified["artifacts"][0]["status"], "not_generated");
    assert_eq!(found.error(&["artifact", "record", "poem"]), "unknown_artifact");
}

#[test]
fn an_artifact_does_not_leave_the_project() {
    let found = Loop::new("auto");
    std::fs::write(found.repo.root().with_file_name("secret"), "x").expect("written");
    std::os::unix::fs::symlink(
        found.repo.root().with_file_name("secret"),
        found.repo.path("link"),
    )
    .expect("a link");
    for path in ["../secret", "/etc/hostname", "link", ""] {
        found.edit(|state| state["artifacts"]["solution"]["path"] = path.into());
        assert_eq!(
            found.error(&["artifact", "record", "solution"]),
            "path_escape",
            "{path}"
        );
        let verified = found.run(&["artifact", "verify", "solution"]).exits(2).json();
        assert_eq!(verified["artifacts"][0]["status"], "path_escape", "{path}");
    }
}

#[test]
fn a_route_is_written_with_its_history() {
    let found = Loop::new("auto");
    assert_eq!(found.error(&["route"]), "illegal_transition");
    found.edit(|state| {
        state["progress"]["phase"] = "routing".into();
        state["issues"]["active"]["p2"] = serde_json::json!([{"id": "I-5", "affected_files": ["src/a.rs"]}]);
        state["issues"]["all_time"]["p2_total"] = 1.into();
    });
    let before = found.state();
    let tried = found.run(&["route", "--dry-run"]).exits(0).json();
    assert_eq!(found.state(), before, "a dry run writes nothing");
    assert_eq!(found.run(&["route"]).exits(0).json(), tried);
    let state = found.state();
    assert_eq!(state["progress"]["phase"], "part_2_2");
    assert_eq!(state["progress"]["cycle"], 2);
    assert_eq!(state["progress"]["repair_context"]["target_issues"][0], "I-5");
    assert_eq!(state["routing_history"][0]["reason"], "p2");
    found.run(&["validate"]).exits(0);
    let out = found.run(&["transition", "routing"]).exits(0);
    assert_eq!(out.json()["from"], "part_2_2");
    assert_eq!(found.state()["progress"]["repair_context"], Value::Null);
}

#[test]
fn paused_and_failed_stand_in_both_files() {
    for (command, phase) in [("pause", "paused"), ("fail", "failed")] {
        let found = Loop::new("auto");
        found.run(&[command, "--reason", "lunch"]).exits(0);
        let shown = found.run(&["show"]).exits(0).json();
        assert_eq!(shown["state"]["progress"]["phase"], phase);
        assert_eq!(shown["gate"]["termination"]["status"], phase);
        assert_eq!(shown["gate"]["termination"]["exit_reason"], "lunch");
        found.run(&["validate"]).exits(0);
        found.ready();
        found.edit(|state| state["progress"]["phase"] = phase.into());
        assert_eq!(found.error(&["complete"]), "illegal_transition");
    }
}

#[test]
fn a_question_times_out_with_the_next_command() {
    let found = Loop::new("unsafe");
    found
        .run(&["confirm", "--request", "--context", "go on", "--option", "yes"])
        .exits(0);
    assert_eq!(
        found.run(&["show"]).exits(0).json()["blocking"],
        serde_json::json!(["convergence", "pending_confirmation"])
    );
    found
        .run_at("2026-01-02T04:00:00Z", &["transition", "part_1_1"])
        .exits(0);
    let state = found.state();
    assert_eq!(state["pending_confirmation"]["status"], "timed_out");
    assert_eq!(state["config"]["mode"], "auto");
    let reset = r#"{"tool_input": {"command": "git reset --hard"}}"#;
    assert_eq!(found.guard("command", reset).as_deref(), Some("G2_L1_SEMI_REV"));
}

#[test]
fn a_loop_is_complete_once_everything_holds() {
    let found = Loop::new("auto");
    let refused = |args: &[&str]| {
        found.run(args).exits(2).json()["rule"]
            .as_str()
            .map(str::to_owned)
    };
    assert_eq!(refused(&["complete"]).as_deref(), Some("G3_L3"));
    found.ready();
    found.edit(|state| state["progress"]["convergence_counter"] = 1.into());
    assert_eq!(refused(&["complete"]).as_deref(), Some("G3_L4"));
    found.ready();
    found.run(&["artifact", "record", "solution"]).exits(0);
    found
        .repo
        .write(&format!("{FOLDER}/artifacts/03-solution.md"), "another\n");
    assert_eq!(refused(&["complete"]).as_deref(), Some("artifact_checksum"));
    found.run(&["artifact", "record", "solution"]).exits(0);
    assert_eq!(
        refused(&["complete", "--verify-command", "exit 3"]).as_deref(),
        Some("verify_command")
    );
    assert_eq!(found.guard("stop", "{}").as_deref(), Some("G3_L1"));
    let done = found
        .run(&["complete", "--verify-command", "true"])
        .exits(0)
        .json();
    assert_eq!(done["commands"][0]["exit_code"], 0);
    assert_eq!(found.state()["progress"]["phase"], "complete");
    assert_eq!(found.guard("stop", "{}"), None);
    assert!(
        found
            .journal()
            .contains(r#""commands":[{"command":"true","exit_code":0}]"#)
    );
    found.run(&["validate"]).exits(0);
    found.repo.commit("Begin");
    found.repo.fsck();
}

#[test]
fn without_a_repository_the_file_is_read_as_it_stands() {
    let found = Loop {
        repo: super::Repo::without_git(),
    };
    found.run(&["init"]).exits(0);
    found.run(&["transition", "part_1_1"]).exits(0);
    let shown = found.run(&["show"]).exits(0).json();
    assert_eq!(shown["stored"], false);
    assert_eq!(shown["gate"]["termination"]["status"], "running");
    found.run(&["validate"]).exits(0);
}

#[test]
fn writers_wait_for_each_other_and_readers_see_a_whole_chain() {
    let found = Loop::new("auto");
    for (key, name) in [
        ("requirements", "01-requirements.md"),
        ("direction", "02-direction.md"),
    ] {
        found.repo.write(&format!("{FOLDER}/artifacts/{name}"), key);
    }
    std::thread::scope(|scope| {
        for key in ["requirements", "direction"] {
            let found = &found;
            scope.spawn(move || {
                for _ in 0..4 {
                    found.run(&["artifact", "record", key]).exits(0);
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..12 {
                    assert_eq!(
                        found.guard("command", r#"{"tool_input": {"command": "ls"}}"#),
                        None
                    );
                    found.run(&["show"]).exits(0);
                }
            });
        }
    });
    assert_eq!(found.journal().lines().count(), 9);
    found.run(&["validate"]).exits(0);
}

/// What `doctor` tells of the loop: codes.
fn doctor(found: &Loop, args: &[&str], code: i32) -> Vec<String> {
    let out = found
        .repo
        .spec([&["doctor", "--format", "json"], args].concat())
        .exits(code)
        .json();
    let checks = out["data"]["checks"].as_array().expect("a list").iter();
    checks
        .filter_map(|check| check["code"].as_str())
        .filter(|code| code.starts_with("loop_"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn doctor_looks_at_the_loop() {
    let found = Loop::new("auto");
    assert_eq!(doctor(&found, &[], 0), [""; 0]);
    found
        .repo
        .write(COPY, "{\"termination\": {\"status\": \"complete\"}}\n");
    let gate = found.repo.read(COPY);
    assert_eq!(doctor(&found, &[], 0), ["loop_gate_edited"]);
    assert_eq!(found.repo.read(COPY), gate, "a look writes nothing");
    assert_eq!(doctor(&found, &["--fix"], 0), [""; 0]);
    assert_ne!(found.repo.read(COPY), gate);
    found.edit(|state| {
        state["progress"]["cycle"] = (-1).into();
        state["config"]["mode"] = "bold".into();
    });
    assert_eq!(doctor(&found, &[], 2), ["loop_state_invalid"]);
    let told = found.repo.spec(["doctor"]).exits(2).stdout;
    assert!(
        told.contains("`progress.cycle`") && told.contains("and 1 more"),
        "{told}"
    );
    found.repo.write(STATE, "no state");
    assert_eq!(doctor(&found, &["--fix"], 2), ["loop_state_invalid"]);
    assert_eq!(found.repo.read(STATE), "no state");
    let alone = crate::common::Repo::new();
    assert!(!alone.spec(["doctor"]).exits(0).stdout.contains("loop"));
}
