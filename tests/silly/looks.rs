//! The commands that only look: status, lint, doctor.

use serde_json::{Value, json};

use crate::common::Repo;

fn project() -> Repo {
    let repo = Repo::new();
    repo.write("src/a.rs", "a\n");
    repo.commit("base");
    repo.spec(["silly", "init", "--tool", "cursor"]).exits(0);
    repo.spec(["silly", "run", "execute", "--change", "2026-03-01-csv"])
        .exits(0);
    repo
}

#[test]
fn status_tells_stages_gate_and_files() {
    let repo = project();
    repo.write(".sillyspec/ROADMAP.md", "# R\n");
    let before = repo.snapshot().files_without(".git/");
    let status = repo.spec(["silly", "status", "--json"]).exits(0).json();
    let change = &status["active"][0];
    assert_eq!(change["name"], "2026-03-01-csv");
    assert_eq!(change["stages"]["execute"], "in-progress");
    assert_eq!(change["progress"], json!({"done": 0, "total": 12}));
    assert_eq!(
        (&change["gate"], &change["worktree"]),
        (&json!("execute"), &Value::Null)
    );
    assert_eq!(status["optional_files"]["roadmap"], true);
    assert_eq!(status["schema_version"], 3);
    assert_eq!(
        repo.snapshot().files_without(".git/"),
        before,
        "nothing is written"
    );
}

#[test]
fn lint_exits_by_its_worst_finding() {
    let repo = project();
    let head = "# T\nauthor: a\ncreated_at: 2026-03-01 10:00:00\n";
    let at = ".sillyspec/changes/2026-03-01-csv/tasks.md";
    repo.write(at, format!("{head}- [ ] task-01: a\n- [ ] task-03: b\n"));
    repo.spec(["silly", "lint"]).exits(0);
    let found = repo.spec(["silly", "lint", "--strict", "--json"]).exits(2).json();
    assert_eq!(found["changes"][0]["findings"][0]["code"], "id_gap", "{found}");
    assert_eq!(found["changes"][0]["findings"][0]["line"], 5);
    repo.write(at, head);
    repo.spec(["silly", "lint", "2026-03-01-csv"]).exits(2);
    repo.spec(["silly", "lint", "no-such"]).exits(1);
}

#[test]
fn doctor_finds_nothing_in_a_sound_project_and_what_was_broken() {
    let repo = project();
    let sound = repo.spec(["silly", "doctor", "--json"]).exits(0).json();
    assert_eq!(sound["findings"], json!([]));
    repo.remove(".sillyspec/.runtime/gate-status.json");
    repo.git(["branch", "sillyspec/left"]);
    repo.write(".sillyspec/.runtime/worktrees/x/meta.json", "{}");
    let codes = |found: &Value| -> Vec<String> {
        let all = found["findings"].as_array().expect("a list").iter();
        all.map(|one| one["code"].as_str().expect("a code").to_owned())
            .collect()
    };
    let found = repo.spec(["silly", "doctor", "--json"]).exits(0).json();
    assert_eq!(codes(&found), ["gate_stale", "orphan_branch", "orphan_meta"]);
    repo.write(
        ".sillyspec/.runtime/sillyspec.db",
        "no database at all, whatever its name says\n".repeat(30),
    );
    let found = repo.spec(["silly", "doctor", "--json"]).exits(2).json();
    assert!(codes(&found).contains(&"database_corrupt".to_owned()), "{found}");
}

#[test]
fn a_large_change_is_split_once() {
    let repo = project();
    let table = "# M\n\n| 变更包 | 名称 | 边界描述 | 依赖 |\n|---|---|---|---|\n| 2026-03-01-csv | A | x | |\n| 2026-03-02-b | B | y | csv |\n";
    repo.write(".sillyspec/changes/2026-03-01-csv/MASTER.md", table);
    let words = ["silly", "split", "2026-03-01-csv", "--json"];
    let made = repo.spec(words).exits(0).json();
    assert_eq!(made["made"].as_array().map(Vec::len), Some(4), "{made}");
    assert!(
        repo.read(".sillyspec/changes/2026-03-02-b/proposal.md")
            .contains("## 变更范围\n\ny\n")
    );
    assert_eq!(repo.spec(words).exits(0).json()["made"], json!([]));
    repo.write(
        ".sillyspec/changes/2026-03-01-csv/MASTER.md",
        table.replace("| csv |", "| none |"),
    );
    repo.spec(words).exits(1);
}

#[test]
fn the_settings_of_a_machine_are_written_once() {
    let repo = project();
    repo.write("package.json", "{\"scripts\":{\"test\":\"x\"}}");
    let local = ".sillyspec/local.yaml";
    let detect = |words: &[&str]| {
        let words = [&["silly", "detect-local"], words].concat();
        repo.spec(words).exits(0).json()
    };
    let found = json!({"project": {"type": "nodejs"}, "commands": {"test": "npm test"}});
    assert_eq!(detect(&[]), found);
    assert!(!repo.exists(local));
    let told = detect(&["--write"]);
    assert_eq!(
        (&told["commands"], &told["written"]),
        (&found["commands"], &json!(true))
    );
    assert!(repo.read(local).contains("\n  test: \"npm test\"\n"));
    assert_eq!(
        repo.spec(["silly", "doctor", "--json"]).exits(0).json()["findings"],
        json!([])
    );
    // Git does not see it, and what is there stays.
    assert_eq!(repo.git(["status", "--porcelain", "--", local]), "");
    repo.write(local, "steps: full\n");
    assert_eq!(detect(&["--write"])["written"], false);
    assert_eq!(repo.read(local), "steps: full\n");
    repo.remove(local);
    std::os::unix::fs::symlink("../../elsewhere", repo.path(local)).expect("a link can be made");
    assert_eq!(detect(&["--write"])["written"], false);
    assert!(!repo.root().join("../elsewhere").exists());
}

#[test]
fn settings_are_written_in_projects_only() {
    let repo = Repo::new();
    repo.write("go.mod", "module x\n");
    let refused = repo.spec(["silly", "detect-local", "--write"]).exits(1);
    assert!(refused.stderr.contains("not initialised"), "{refused:?}");
    assert!(!repo.exists(".sillyspec"));
}

#[test]
fn a_walk_that_is_over_begins_no_stage_again() {
    let repo = project();
    for stage in ["brainstorm", "plan", "execute", "verify"] {
        repo.spec(["silly", "run", stage]).exits(0);
        repo.spec(["silly", "progress", "complete-stage", stage]).exits(0);
    }
    let auto = ["silly", "run", "auto", "--json"];
    let over = repo.spec(auto).exits(0).json();
    assert_eq!(
        (&over["stage"], &over["step"], &over["completed"]),
        (&json!("verify"), &Value::Null, &json!(true))
    );
    assert_eq!(repo.spec(auto).exits(0).json(), over);
    // By its name it begins again.
    let again = repo.spec(["silly", "run", "verify", "--json"]).exits(0).json();
    assert_eq!((&again["step"], &again["completed"]), (&json!(1), &json!(false)));
    assert_eq!(repo.spec(auto).exits(0).json()["step"], 1);
}
