//! `status` and `next` where the recorded program differs from the rules, and where drivers meet: gates, commands, trust.

mod common;
#[path = "common/schemas.rs"]
mod schemas;

use std::process::Stdio;

use common::{Out, Repo};
use serde_json::{Value, json};

const SLUG: &str = "monday-prices";
const FOLDER: &str = "logos/changes/monday-prices";
const OVERLAY: &str = "logos/flow/launched.yaml";

/// What a filled proposal says beside its deployment.
const PROPOSAL: &str =
    "# C\n\n> module: till\n\n## Reason\nx\n## Change Type\nx\n## Scope\nx\n## Summary\nx\n";
const DEPLOYED: &str = "## Deployment Impact\n- Deployment required: yes\n- Smoke required: yes\n";
const REUSED: &str = "## Reused test IDs\n- UT-S01-01 — stays green\n";

/// A launched module `till` with an active change of these files.
fn project(proposal: &str, tasks: &str, markers: &[&str]) -> Repo {
    let repo = Repo::new();
    repo.write("logos/logos.config.json", "{\"name\":\"bakery\"}\n")
        .write(
            "logos/logos-project.yaml",
            "modules:\n- {id: till, name: Till, lifecycle: launched, product_type: cli}\n",
        )
        .write(
            "logos/resources/test/till-S01-test-cases.md",
            "| ID | Title |\n|---|---|\n| UT-S01-01 | sell |\n",
        )
        .write(
            "logos/.openlogos-guard",
            format!("{{\"activeChange\":\"{SLUG}\",\"module\":\"till\"}}\n"),
        )
        .write(&format!("{FOLDER}/proposal.md"), format!("{PROPOSAL}{proposal}"))
        .write(&format!("{FOLDER}/tasks.md"), tasks);
    for marker in markers {
        repo.write(&format!("{FOLDER}/{marker}"), "");
    }
    repo.commit("A change");
    repo
}

/// A change that is verified and waits for its deployment.
fn deployable() -> Repo {
    project(
        DEPLOYED,
        "## [delta] a\n- [x] deltas/prd/x.md\n## [deploy] b\n- [ ] go\n",
        &["SPEC_MERGED", "VERIFY_PASS"],
    )
}

#[track_caller]
fn data(out: &Out) -> Value {
    assert_eq!(out.code, 0, "{out:?}");
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    out.json()["data"].clone()
}

#[track_caller]
fn status(repo: &Repo) -> Value {
    data(&repo.spec(["status", "--format", "json"]))
}

#[track_caller]
fn next(repo: &Repo) -> Value {
    data(&repo.spec(["next", "--format", "json"]))
}

#[track_caller]
fn auto(repo: &Repo) -> Value {
    data(&repo.spec(["next", "--auto", "--format", "json"]))
}

#[track_caller]
fn error_code(out: &Out) -> String {
    assert_eq!((out.code, out.stdout.as_str()), (1, ""), "{out:?}");
    assert_eq!(schemas::faults(b"", out.stderr.as_bytes()), [""; 0]);
    let line: Value = serde_json::from_str(out.stderr.trim_end()).expect("an envelope");
    line["error"]["code"].as_str().expect("a code").to_owned()
}

/// Runs `next --auto` several times at once; all must come to an end.
fn all_at_once(repo: &Repo, count: usize) -> Vec<Value> {
    let start = |_| {
        repo.program()
            .args(["next", "--auto", "--format", "json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts")
    };
    let running: Vec<_> = (0..count).map(start).collect();
    let answer = |child: std::process::Child| {
        let out = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{told}");
        let line: Value = serde_json::from_slice(&out.stdout).expect("a line of JSON");
        line["data"].clone()
    };
    running.into_iter().map(answer).collect()
}

#[test]
fn of_several_drivers_at_a_gate_one_passes_it() {
    let plan = project("", "## [delta] a\n- [ ] write deltas/prd/x.md\n", &[]);
    let slices = project(REUSED, "## [code] a\n- [ ] slice\n", &["SPEC_MERGED"]);
    for (repo, step) in [(plan, "delta-writing"), (slices, "coding")] {
        let answers = all_at_once(&repo, 8);
        let passed = answers
            .iter()
            .filter(|data| data["gate_auto_passed"] == true)
            .count();
        assert_eq!(passed, 1);
        assert!(
            answers.iter().all(|data| data["proposal_step"] == step),
            "{answers:?}"
        );
        assert_eq!(
            repo.read(&format!("{FOLDER}/GATE_AUTO_PASSED")).lines().count(),
            1
        );
        let again = auto(&repo);
        assert_eq!(again["gate_auto_passed"], false);
        assert_eq!(
            repo.read(&format!("{FOLDER}/GATE_AUTO_PASSED")).lines().count(),
            1
        );
        assert!(!repo.exists(".git/spec"), "no lock is left");
    }
}

#[test]
fn an_approval_tells_its_schema_and_time_and_an_old_one_is_not_touched() {
    let repo = project(REUSED, "## [code] a\n- [ ] slice\n", &["SPEC_MERGED"]);
    assert_eq!(
        auto(&repo)["modules"][0]["loop_state"]["activated_at"],
        "2026-01-02T03:04:05.000Z"
    );
    assert_eq!(
        repo.read(&format!("{FOLDER}/SLICES_APPROVED")),
        "{\"schema\":\"openlogos/slices-approved@1\",\"approved_at\":\"2026-01-02T03:04:05.000Z\"}\n"
    );
    assert_eq!(
        repo.read(&format!("{FOLDER}/GATE_AUTO_PASSED")),
        "{\"gate_id\":\"slice-exit\",\"proposal_step\":\"ready-to-implement\",\"timestamp\":\"2026-01-02T03:04:05.000Z\"}\n"
    );
}

#[test]
fn a_conflict_about_deployment_passes_no_gate() {
    let unwanted = DEPLOYED.replace("required: yes", "required: no");
    for (tasks, markers) in [
        ("## [delta] a\n- [ ] x\n## [deploy] b\n- [ ] go\n", [].as_slice()),
        ("## [delta] a\n- [x] x\n## [deploy] b\n- [ ] go\n", &[]),
        (
            "## [delta] a\n- [x] x\n## [deploy] b\n- [ ] go\n",
            &["SPEC_MERGED", "VERIFY_PASS"],
        ),
    ] {
        let repo = project(&unwanted, tasks, markers);
        let before = repo.snapshot();
        let data = auto(&repo);
        let told = [&data["gate_id"], &data["gate_auto_passed"], &data["command"]];
        assert_eq!(told, [&Value::Null, &json!(false), &Value::Null]);
        assert!(data.get("auto_execute").is_none());
        let item = &data["modules"][0];
        assert_eq!(item["deployment_decision_conflict"], true);
        assert_eq!(item["deployment_warnings"].as_array().map(Vec::len), Some(1));
        assert!(item.get("code_planning_diagnostic").is_none());
        assert_eq!(repo.snapshot(), before);
    }
}

#[test]
fn an_unknown_module_is_an_envelope_in_json_and_lines_in_text() {
    let repo = deployable();
    for command in ["status", "next", "watch"] {
        let out = repo.spec([command, "--module", "gate", "--format", "json"]);
        assert_eq!(error_code(&out), "MODULE_NOT_FOUND", "{command}");
        let out = repo.spec([command, "--module", "gate"]).exits(1);
        assert_eq!(out.stdout, "");
        assert!(
            out.stderr.contains("`gate`") && out.stderr.contains("`till`"),
            "{out:?}"
        );
        let out = repo.spec([command, "--module", "--format", "json"]);
        assert_eq!(error_code(&out), "USAGE", "{command}");
    }
}

#[test]
fn what_the_session_can_show_is_told_also_when_it_is_nothing() {
    let repo = deployable();
    let says = |content: &str| {
        repo.write("logos/.session-capabilities.json", content);
        let of = |data: Value| data.get("capabilities").cloned();
        assert_eq!(of(status(&repo)), of(next(&repo)));
        of(status(&repo))
    };
    assert_eq!(
        says("{\"ui_prototype_render\":true}"),
        Some(json!({"ui_prototype_render": true}))
    );
    for no in ["false", "1", "\"true\"", "null"] {
        let told = says(&format!("{{\"ui_prototype_render\":{no}}}"));
        assert_eq!(told, Some(json!({"ui_prototype_render": false})), "{no}");
    }
    for nothing in ["{}", "[]", "{", ""] {
        assert_eq!(says(nothing), None, "{nothing}");
    }
}

/// A change with all slices done, and rounds that failed.
fn red(rounds: usize, ledger: &str) -> Repo {
    let repo = project(
        REUSED,
        "## [code] a\n- [x] slice UT-S01-01\n",
        &["SPEC_MERGED", "SLICES_APPROVED", "VERIFY_FAIL"],
    );
    repo.write(
        &format!("{FOLDER}/LOOP_ITERS"),
        "{\"module\":\"till\",\"result\":\"fail\"}\n".repeat(rounds),
    )
    .write("logos/resources/verify/test-results.jsonl", ledger);
    repo
}

const MIXED: &str =
    "{\"id\":\"UT-S01-01\",\"status\":\"pass\"}\n{\"id\":\"UT-S02-01\",\"status\":\"fail\"}\n";

#[test]
fn a_failure_elsewhere_is_repaired_only_while_rounds_are_left() {
    let repo = red(1, MIXED);
    let data = auto(&repo);
    let diagnostic = &data["modules"][0]["automation_diagnostic"];
    assert_eq!(diagnostic["reason"], "global-verify-failed");
    assert_eq!((&data["gate_id"], &data["command"]), (&Value::Null, &Value::Null));
    assert_eq!(data["modules"][0]["next_node"]["id"], "code");

    let repo = red(30, MIXED);
    let data = auto(&repo);
    assert_eq!(
        data["modules"][0]["automation_diagnostic"]["reason"],
        "global-verify-failed"
    );
    assert_eq!(data["gate_id"], "gate:implement:loop-exhausted");
    assert_eq!(data["gate_auto_passed"], false);
    assert!(data["modules"][0].get("next_node").is_none());
}

#[test]
fn old_failures_do_not_keep_a_change_of_words_from_being_verified() {
    let repo = project(
        "no code\n",
        "## [delta] a\n- [x] deltas/prd/x.md\n",
        &["SPEC_MERGED"],
    );
    repo.write("logos/resources/verify/test-results.jsonl", MIXED);
    let data = auto(&repo);
    assert_eq!(data["proposal_step"], "ready-to-verify");
    assert!(
        data["modules"][0].get("automation_diagnostic").is_none(),
        "{data}"
    );
    assert_eq!(
        (&data["auto_execute"], &data["command"]),
        (&json!(true), &json!("git spec verify"))
    );
}

#[test]
fn the_loop_of_the_only_module_may_be_used_up_without_a_change() {
    let repo = Repo::new();
    repo.write("logos/logos.config.json", "{}")
        .write("logos/logos-project.yaml", "modules: [{id: till, name: Till}]\n")
        .write(
            "logos/flow/initial.yaml",
            "overlay:\n- {op: set-loop, subflow: implement, set: {max_iters: 2, exhausted_gate: {skippable: true}}}\n",
        )
        .write("logos/resources/implementation/x.md", "x")
        .write("logos/resources/prd/3-technical-plan/3-deployment/x.md", "x")
        .write(
            "logos/resources/verify/LOOP_ITERS",
            "{\"module\":\"till\",\"result\":\"fail\"}\n".repeat(2),
        );
    let before = repo.snapshot();
    let data = auto(&repo);
    let told = [&data["gate_id"], &data["skippable"], &data["gate_auto_passed"]];
    assert_eq!(
        told,
        [
            &json!("gate:implement:loop-exhausted"),
            &json!(true),
            &json!(false)
        ]
    );
    assert_eq!(repo.snapshot(), before);
}

/// An overlay that adds a node.
fn adds(at: &str, node: &str) -> String {
    format!("overlay:\n- op: add\n  {at}\n  node: {{id: own, name: Own, {node}}}\n")
}

fn own_state(data: &Value) -> Option<String> {
    let nodes = data["modules"][0]["overlay_nodes"].as_array()?;
    Some(nodes[0]["state"].as_str()?.to_owned())
}

#[test]
fn added_nodes_may_ask_for_code_and_for_an_interface() {
    let tasks = "## [delta] a\n- [ ] write deltas/prd/x.md\n";
    let repo = project("no code\n", tasks, &["PLAN_APPROVED"]);
    for (at, when, state) in [
        ("after: write-tasks", "code_required", "skipped"),
        ("after: write-tasks", "not code_required", "active"),
        ("after: write-tasks", "ui_impact", "skipped"),
        ("after: write-tasks", "not ui_impact", "active"),
        ("after: write-tasks", "not unknown", "active"),
        ("after: write-tasks", "delta_required", "active"),
    ] {
        repo.write(
            OVERLAY,
            adds(at, &format!("when: {when}, done_when: 'file:never'")),
        );
        assert_eq!(own_state(&status(&repo)).as_deref(), Some(state), "{when}");
    }
    let declared = "## UI/UX Change Declaration\n```yaml\nui_impact: true\n```\n";
    repo.write(&format!("{FOLDER}/proposal.md"), format!("{PROPOSAL}{declared}"))
        .write(
            "logos/logos-project.yaml",
            "modules:\n- {id: till, name: Till, lifecycle: launched, product_type: web}\n",
        );
    repo.write(
        OVERLAY,
        adds("after: write-tasks", "when: ui_impact, done_when: 'file:never'"),
    );
    assert_eq!(own_state(&status(&repo)).as_deref(), Some("active"));
    // In the slices, and next to them: there the change needs code.
    let repo = project(
        REUSED,
        "## [code] a\n- [ ] slice\n",
        &["SPEC_MERGED", "SLICES_APPROVED"],
    );
    repo.write(OVERLAY, adds("after: plan-slices", "done_when: 'file:never'"));
    assert_eq!(own_state(&status(&repo)).as_deref(), Some("active"));
}

#[test]
fn a_node_stays_added_whatever_is_done_to_it_later() {
    let repo = project(
        "no code\n",
        "## [delta] a\n- [ ] write deltas/prd/x.md\n",
        &["PLAN_APPROVED"],
    );
    let modified = format!(
        "{}- {{op: modify, target: own, set: {{name: Other}}}}\n",
        adds("after: write-tasks", "done_when: 'file:never'")
    );
    repo.write(OVERLAY, modified);
    let data = status(&repo);
    assert_eq!(own_state(&data).as_deref(), Some("active"));
    assert_eq!(data["modules"][0]["current_node"]["name"], "Other");
    let bad = adds("after: write-tasks", "done_when: tasks_delta_filled");
    repo.write(
        OVERLAY,
        format!("{bad}- {{op: modify, target: own, set: {{name: Other}}}}\n"),
    );
    assert_eq!(
        error_code(&repo.spec(["status", "--format", "json"])),
        "FLOW_SCHEMA_INVALID"
    );
}

#[test]
fn archived_is_a_folder_with_or_without_its_stamp() {
    let repo = project(
        "no code\n",
        "## [delta] a\n- [ ] write deltas/prd/x.md\n",
        &["PLAN_APPROVED"],
    );
    repo.write(OVERLAY, adds("after: write-tasks", "done_when: archived"));
    for (folder, state) in [
        (format!("x-{SLUG}"), "active"),
        (format!("20260102-0304-x-{SLUG}"), "active"),
        (format!("20260102-0304-{SLUG}"), "done"),
        (SLUG.to_owned(), "done"),
    ] {
        let file = format!("logos/changes/archive/{folder}/proposal.md");
        repo.write(&file, "x");
        assert_eq!(own_state(&status(&repo)).as_deref(), Some(state), "{folder}");
        repo.remove("logos/changes/archive");
    }
}

#[test]
fn a_hostile_guard_names_no_change() {
    let repo = deployable();
    for name in [
        "\"../../x\"",
        "\"..\"",
        "\".\"",
        "\"a/b\"",
        "\" \"",
        "\"a\\u0000b\"",
        "7",
        "[]",
        "null",
    ] {
        repo.write(
            "logos/.openlogos-guard",
            format!("{{\"activeChange\":{name},\"module\":\"till\"}}"),
        );
        let data = status(&repo);
        assert_eq!(
            (&data["active_change"], &data["proposal_step"]),
            (&Value::Null, &Value::Null),
            "{name}"
        );
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_or_in_circles_are_passed_over() {
    let repo = deployable();
    let link = |target: &str, at: &str| {
        let at = repo.path(at);
        std::fs::create_dir_all(at.parent().expect("below the root")).expect("folders can be made");
        std::os::unix::fs::symlink(target, at).expect("a link can be made");
    };
    link("nowhere", "logos/resources/api/dangling.yaml");
    link("..", "logos/resources/api/deep/up");
    link("nowhere", "logos/changes/dangling");
    repo.write("logos/resources/api/core.yaml", "x");
    let data = status(&repo);
    let api = data["phases"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|p| p["key"] == "phase.3-2-api");
    assert_eq!(api.expect("it is there")["files"], json!(["core.yaml"]));
    assert_eq!(data["active_proposals"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_command_runs_only_under_next_and_only_when_its_file_is_trusted() {
    let repo = deployable();
    repo.write(
        OVERLAY,
        "overlay:\n- {op: modify, target: deploy, set: {done_when: 'cmd:echo ran >> ran.txt'}}\n",
    );
    let gate = json!({"node_id": "deploy", "field": "done_when", "command": "echo ran >> ran.txt", "timeout_seconds": 60});
    assert_eq!(status(&repo)["modules"][0]["cmd_gate"], gate);
    let out = repo.spec(["next", "--format", "json"]).exits(0);
    assert!(out.stderr.contains("not trusted"), "{out:?}");
    assert!(out.json()["data"].get("cmd_node_id").is_none());
    assert!(!repo.exists("ran.txt"));

    repo.spec(["trust"]).exits(0);
    status(&repo);
    assert!(!repo.exists("ran.txt"), "status runs nothing");
    let data = next(&repo);
    assert_eq!(
        (
            &data["cmd_node_id"],
            &data["cmd_exit_code"],
            &data["cmd_satisfied"]
        ),
        (&json!("deploy"), &json!(0), &json!(true))
    );
    assert_eq!(data["proposal_step"], "ready-to-smoke");
    assert_eq!(repo.read("ran.txt"), "ran\n");
    assert_eq!(
        status(&repo)["proposal_step"],
        "ready-to-deploy",
        "it counted for one answer"
    );

    // One byte more, and nobody has read it yet.
    let grown = format!("{}# more\n", repo.read(OVERLAY));
    repo.write(OVERLAY, grown);
    assert!(repo.spec(["next"]).exits(0).stderr.contains("not trusted"));
    assert_eq!(repo.read("ran.txt"), "ran\n");
    let mut forced = repo.program();
    forced.args(["next"]).env("GIT_SPEC_TRUST", "1");
    common::out(&mut forced, b"").exits(0);
    assert_eq!(repo.read("ran.txt"), "ran\nran\n");
}

#[test]
fn an_unfinished_added_node_keeps_the_command_of_the_gate_from_running() {
    let repo = deployable();
    let overlay = "overlay:\n- {op: modify, target: deploy, set: {done_when: 'cmd:touch ran'}}\n\
                   - {op: add, before: deploy, node: {id: own, name: Own, done_when: 'file:never'}}\n";
    repo.write(OVERLAY, overlay);
    repo.spec(["trust"]).exits(0);
    let data = next(&repo);
    assert_eq!(data["modules"][0]["current_node"]["id"], "own");
    assert!(data.get("cmd_node_id").is_none() && !repo.exists("ran"));
    assert!(data["modules"][0].get("cmd_gate").is_none());
}

#[test]
fn our_own_checks_of_prototypes_need_no_trust() {
    let repo = project(
        "",
        "## [delta] a\n- [ ] write deltas/prd/x.md\n",
        &["PLAN_APPROVED"],
    );
    repo.write(
        OVERLAY,
        adds(
            "after: write-tasks",
            "done_when: 'cmd:openlogos check-ui-prototype'",
        ),
    );
    let data = next(&repo);
    assert_eq!(
        (&data["cmd_node_id"], &data["cmd_satisfied"]),
        (&json!("own"), &json!(true)),
        "{data}"
    );
    repo.write(
        OVERLAY,
        adds(
            "after: write-tasks",
            "done_when: 'cmd:openlogos check-ui-prototype; touch ran'",
        ),
    );
    assert!(repo.spec(["next"]).exits(0).stderr.contains("not trusted"));
    assert!(!repo.exists("ran"));
}

#[test]
fn a_shell_that_cannot_be_started_is_an_error_with_the_node() {
    let repo = deployable();
    repo.write(
        OVERLAY,
        "overlay:\n- {op: modify, target: deploy, set: {done_when: 'cmd:true'}}\n",
    );
    let mut command = repo.program();
    command
        .args(["next", "--format", "json"])
        .env("GIT_SPEC_TRUST", "1")
        .env("PATH", repo.path("nowhere"));
    let out = common::out(&mut command, b"");
    assert_eq!(error_code(&out), "FLOW_CMD_SPAWN_FAILED");
    assert!(
        out.stderr.contains("`deploy`") && out.stderr.contains("errno"),
        "{out:?}"
    );
}
