//! `flow show` as people read it, what strange files do to it, the schema of overlays, and `trust` in real repositories.

mod common;
#[path = "common/schemas.rs"]
mod schemas;

use common::{Out, Repo};
use serde_json::{Value, json};

const OVERLAY: &str = "logos/flow/launched.yaml";
const COMMANDS: &str = "overlay:\n  - {op: modify, target: deploy, set: {done_when: 'cmd: make live '}}\n  \
                        - op: add\n    after: code\n    node: {id: weigh, name: Weigh, done_when: 'cmd:make weigh'}\n";

fn project() -> Repo {
    let repo = Repo::new();
    repo.write("logos/logos.config.json", "{}");
    repo
}

/// The data of an answer that its schema accepts.
#[track_caller]
fn data(out: &Out) -> Value {
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    out.json()["data"].clone()
}

#[track_caller]
fn code(out: &Out) -> String {
    let line: Value = serde_json::from_str(out.stderr.trim_end()).unwrap_or_else(|e| panic!("{e}: {out:?}"));
    assert_eq!(schemas::faults(b"", out.stderr.as_bytes()), [""; 0]);
    line["error"]["code"].as_str().expect("it has one").to_owned()
}

fn show(repo: &Repo) -> Out {
    repo.spec(["flow", "show", "--resolved", "--lifecycle", "launched"])
}

#[test]
fn marks_tell_at_a_glance_what_the_overlay_does() {
    let repo = project();
    repo.write(
        OVERLAY,
        format!(
            "extends: builtin:launched@v2\n{COMMANDS}  - {{op: skip, target: smoke}}\n  \
             - {{op: reorder, target: archive, before: deploy}}\n  \
             - {{op: set-loop, subflow: implement, set: {{max_iters: 4, exhausted_gate: {{skippable: true}}}}}}\n"
        ),
    );
    let out = show(&repo).exits(0);
    assert!(
        out.stderr
            .starts_with("`logos/flow/launched.yaml` was written for `launched` v2, and this is v3")
    );
    let shown: Vec<&str> = out
        .stdout
        .lines()
        .skip_while(|line| !line.starts_with("implement"))
        .collect();
    assert_eq!(
        shown,
        [
            "implement  实现  repeats until code_slices_green, at most 4 times, then may be passed",
            "    code                   代码实现  skill code-implementor; done when section_complete:code",
            "  + weigh                  Weigh  [added after code]  done when cmd:make weigh",
            "    verify                 验收  failed when marker:VERIFY_FAIL; done when marker:VERIFY_PASS",
            "",
            "deliver  交付  human gate at entry, may be passed by --auto",
            "  ~ archive                归档  [moved]  done when archived",
            "  ~ deploy                 部署执行  [modified]  skill deployment-executor; when deployment_required; \
             done when cmd: make live ",
            "  - smoke                  冒烟  [skipped]  when smoke_required; failed when marker:SMOKE_FAIL; \
             done when marker:SMOKE_PASS",
            "",
            "close  收尾",
        ]
    );
    let painted = repo.spec([
        "--color",
        "always",
        "flow",
        "show",
        "--resolved",
        "--lifecycle",
        "launched",
    ]);
    assert!(painted.stdout.contains("\u{1b}[32m+ weigh"), "{painted:?}");
    repo.write("logos/logos.config.json", "{\"locale\": \"zh\"}");
    let out = show(&repo).exits(0);
    assert!(
        out.stdout.contains("[新增于 code 之后]  完成条件 cmd:make weigh"),
        "{out:?}"
    );
}

#[test]
fn foreign_text_cannot_act_on_the_terminal() {
    let repo = project();
    let node = r#"{id: "a\e[31m\n::error::", name: "\u202ex", when: "\e]0;t\a"}"#;
    repo.write(
        OVERLAY,
        format!("overlay:\n- {{op: add, after: code, node: {node}}}\n"),
    );
    let out = show(&repo).exits(0);
    assert!(!out.stdout.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{out:?}");
    assert!(out.stdout.lines().all(|line| !line.starts_with("::")), "{out:?}");
    repo.write(OVERLAY, "overlay:\n- {op: \"\\e[31m\\n::error::\"}\n");
    let out = show(&repo).exits(1);
    assert_eq!(out.stderr.lines().count(), 1, "{out:?}");
    assert!(!out.stderr.contains('\u{1b}'), "{out:?}");
}

#[test]
fn what_the_program_does_not_know_is_carried_along() {
    let repo = project();
    let set = "{zeta: 1.0, 1: one, big: 12345678901234567890, none: ~, list: [~, {k: .inf}], skipped: true, \
               dispatch: {color: red}, coverage_threshold: ~}";
    repo.write(
        OVERLAY,
        format!("overlay:\n- {{op: modify, target: code, set: {set}}}\n"),
    );
    let out = repo.spec([
        "flow",
        "show",
        "--resolved",
        "--lifecycle",
        "launched",
        "--format",
        "json",
    ]);
    let data = data(&out.exits(0));
    let subflows = data["flow"]["subflows"].as_array().expect("a list");
    let implement = subflows
        .iter()
        .find(|s| s["id"] == "implement")
        .expect("it is there");
    assert_eq!(
        implement["nodes"][0],
        json!({
            "id": "code", "name": "代码实现", "skill": "code-implementor", "working_agent": null,
            "review_agent": null, "produces": null, "done_when": "section_complete:code",
            "zeta": 1, "1": "one", "big": 12_345_678_901_234_567_000_u64, "none": null, "list": [null, {"k": null}],
            "dispatch": {
                "idempotent": true, "timeout_seconds": 3600,
                "artifacts_hint": ["tasks.md", "logos/resources/verify/test-results.jsonl"], "color": "red",
            },
            "skipped": false, "overlay_op": "modify",
        })
    );
}

#[test]
fn a_folder_a_pipe_or_a_dangling_link_in_the_place_of_the_file_does_not_hang_or_crash() {
    let repo = project();
    std::fs::create_dir_all(repo.path(OVERLAY)).expect("a folder");
    let out = show(&repo).exits(1);
    assert!(
        out.stderr
            .starts_with("Error [FLOW_SCHEMA_INVALID]: logos/flow/launched.yaml: the file cannot be read"),
        "{out:?}"
    );
    std::fs::remove_dir(repo.path(OVERLAY)).expect("empty");
    #[cfg(unix)]
    {
        repo.command("mkfifo")
            .arg(OVERLAY)
            .status()
            .expect("mkfifo starts");
        show(&repo).exits(1);
        repo.remove(OVERLAY);
        std::os::unix::fs::symlink("nowhere", repo.path(OVERLAY)).expect("a link");
        let out = show(&repo).exits(0);
        assert!(
            out.stdout.contains("there is no `logos/flow/launched.yaml`"),
            "{out:?}"
        );
    }
}

/// The overlays of all recorded cases that a launched or initial flow was shown with, and whether it was.
fn recorded() -> Vec<(String, Value, bool)> {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/conformance/flow");
    let mut out = Vec::new();
    for entry in std::fs::read_dir(dir).expect("the cases") {
        let path = entry.expect("listed").path();
        let case: Value = serde_json::from_slice(&std::fs::read(&path).expect("a case")).expect("JSON");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let first = &case["files"]["expected.json"][0];
        if first["run"][0] != "flow" {
            // What only `status` and `next` refuse is no fault of the file's structure.
            continue;
        }
        let fine = first["exit"] == 0;
        for lifecycle in ["initial", "launched"] {
            let file = format!("project/logos/flow/{lifecycle}.yaml");
            let text = case["files"][file.as_str()].as_str();
            let value = text.and_then(|text| serde_yaml::from_str(text).ok());
            out.extend(value.map(|value| (name.clone(), value, fine)));
        }
    }
    out
}

/// What an editor cannot know: nodes, places, what comes out in the end.
const BEYOND: [&str; 18] = [
    "cmdgate-added-node-modify",
    "cmdgate-both",
    "cmdgate-deploy-fail",
    "cmdgate-empty",
    "cmdgate-initial",
    "cmdgate-other-node",
    "cmdgate-verify-loop",
    "overlay-add-bad-anchor",
    "overlay-add-duplicate",
    "overlay-extends-other",
    "overlay-modify-unknown",
    "overlay-node-bad-9",
    "overlay-reorder-self",
    "overlay-reorder-unknown",
    "overlay-setloop-other-subflow",
    "overlay-setloop-unknown",
    "overlay-threshold-no-produces",
    "show-raw-ignores-overlay",
];

#[test]
fn the_schema_of_overlays_accepts_what_is_accepted_and_refuses_wrong_shapes() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/flow/overlay.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).expect("a schema")).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let mut seen = 0;
    for (name, overlay, fine) in recorded() {
        if BEYOND.contains(&name.as_str()) {
            continue;
        }
        seen += 1;
        assert_eq!(validator.is_valid(&overlay), fine, "{name}: {overlay}");
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn trust_needs_a_repository_a_project_and_a_flow_file() {
    let repo = Repo::without_git();
    let trust = |words: &[&str]| {
        code(
            &repo
                .spec([&["trust", "--format", "json"], words].concat())
                .exits(1),
        )
    };
    assert_eq!(trust(&[]), "PROJECT_NOT_INITIALIZED");
    repo.write("logos/logos.config.json", "{}")
        .write(OVERLAY, COMMANDS);
    assert_eq!(trust(&[]), "TRUST_NEEDS_REPOSITORY");
    assert_eq!(trust(&["--list"]), "TRUST_NEEDS_REPOSITORY");
    repo.git(["init", "-q"]);
    assert_eq!(trust(&["logos/flow/other.yaml"]), "TRUST_FILE_NOT_FOUND");
    assert_eq!(
        trust(&[OVERLAY, "logos/flow/initial.yaml"]),
        "TRUST_FILE_NOT_FOUND"
    );
    assert_eq!(trust(&["--revoke"]), "USAGE");
    repo.write(OVERLAY, "overlay: {}\n");
    assert_eq!(trust(&[]), "FLOW_SCHEMA_INVALID");
    assert!(!repo.exists(".git/spec"), "a refusal leaves nothing");
    repo.remove(OVERLAY);
    assert_eq!(trust(&[]), "TRUST_FILE_NOT_FOUND");
}

#[test]
fn trust_is_one_digest_for_all_work_trees_of_a_clone() {
    let repo = project();
    repo.write(OVERLAY, COMMANDS).commit("a flow");
    let trusted = data(&repo.spec(["trust", "--format", "json"]).exits(0));
    assert_eq!(
        trusted["trusted"][0]["commands"],
        json!([
            {"node": "weigh", "field": "done_when", "command": "make weigh"},
            {"node": "deploy", "field": "done_when", "command": "make live"},
        ])
    );
    assert_eq!(trusted["trusted"][0]["new"], true);
    let record = repo.read(".git/spec/trust");
    assert!(
        record.ends_with(" logos/flow/launched.yaml 2026-01-02T03:04:05.000Z\n"),
        "{record}"
    );
    assert_eq!(
        record.len(),
        64 + " logos/flow/launched.yaml 2026-01-02T03:04:05.000Z\n".len()
    );

    repo.git(["worktree", "add", "-q", "../other", "-b", "other"]);
    let list = |dir: &str| {
        data(
            &repo
                .spec(["-C", dir, "trust", "--list", "--format", "json"])
                .exits(0),
        )["records"]
            .clone()
    };
    assert_eq!(list("../other")[0]["current"], true);
    repo.write("../other/logos/flow/launched.yaml", format!("{COMMANDS} "));
    assert_eq!(list("../other")[0]["current"], false);
    assert_eq!(list(".")[0]["current"], true);
    repo.spec(["-C", "../other", "trust"]).exits(0);
    assert_eq!(list(".").as_array().map(Vec::len), Some(2));
    assert_eq!(repo.read(".git/spec/trust").lines().count(), 2);
    assert!(!repo.exists(".git/worktrees/other/spec"));

    let again = data(&repo.spec(["trust", "--format", "json"]).exits(0));
    assert_eq!(again["trusted"][0]["new"], false);
    let revoked = data(
        &repo
            .spec(["trust", "--revoke", OVERLAY, "--format", "json"])
            .exits(0),
    );
    assert_eq!(revoked["revoked"].as_array().map(Vec::len), Some(2));
    assert_eq!(revoked["records"], json!([]));
}

#[test]
fn a_flow_file_that_is_gone_can_be_revoked_from_a_sub_folder() {
    let repo = Repo::new();
    repo.write("apps/tolls/logos/logos.config.json", "{}");
    repo.write("apps/tolls/logos/flow/launched.yaml", COMMANDS);
    repo.spec(["-C", "apps/tolls/logos/flow", "trust", "launched.yaml"])
        .exits(0);
    assert!(
        repo.read(".git/spec/trust")
            .contains(" apps/tolls/logos/flow/launched.yaml ")
    );
    repo.remove("apps/tolls/logos/flow/launched.yaml");
    let out = repo.spec([
        "-C",
        "apps/tolls/logos",
        "trust",
        "--revoke",
        "flow/launched.yaml",
    ]);
    assert_eq!(
        out.exits(0).stdout,
        "`apps/tolls/logos/flow/launched.yaml` is trusted no longer\n"
    );
    assert_eq!(repo.read(".git/spec/trust"), "");
    let out = repo.spec([
        "-C",
        "apps/tolls/logos",
        "trust",
        "--revoke",
        "flow/launched.yaml",
    ]);
    assert_eq!(out.exits(0).stdout, "nothing of this was trusted\n");
}

#[cfg(unix)]
#[test]
fn a_record_that_others_can_write_counts_as_empty_and_is_made_anew() {
    use std::os::unix::fs::PermissionsExt;
    let repo = project();
    repo.write(OVERLAY, COMMANDS);
    repo.spec(["trust"]).exits(0);
    let record = repo.path(".git/spec/trust");
    let mode = |path: &std::path::Path| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&record), 0o600);
    std::fs::set_permissions(&record, std::fs::Permissions::from_mode(0o666)).expect("ours");
    let out = repo.spec(["trust", "--list"]).exits(0);
    assert_eq!(out.stdout, "no flow file is trusted in this clone\n");
    assert!(out.stderr.ends_with("others can write it\n"), "{out:?}");
    repo.spec(["trust"]).exits(0);
    assert_eq!(
        (mode(&record), repo.read(".git/spec/trust").lines().count()),
        (0o600, 1)
    );

    let elsewhere = repo.path("elsewhere");
    std::fs::rename(&record, &elsewhere).expect("it can be moved");
    std::os::unix::fs::symlink(&elsewhere, &record).expect("a link");
    let out = repo.spec(["trust", "--list"]).exits(0);
    assert!(out.stderr.ends_with("it is no regular file\n"), "{out:?}");
}
