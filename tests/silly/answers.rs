//! Every answer in JSON is as its schema has it.

use std::collections::BTreeSet;

use git_spec::report::schema;
use serde_json::Value;

use crate::common::{Out, Repo};
use crate::schemas;

const CHANGE: &str = "2026-03-01-csv";

/// A project, and the schemas that its answers were judged by.
struct Judge {
    repo: Repo,
    met: BTreeSet<String>,
}

impl Judge {
    /// Runs a command, and has its answer judged by the schema of that name.
    #[track_caller]
    fn asks(&mut self, name: &str, args: &[&str]) -> Value {
        let out = self.repo.spec([&["silly"], args].concat());
        self.judge(name, &out)
    }

    #[track_caller]
    fn judge(&mut self, name: &str, out: &Out) -> Value {
        let name = format!("silly-{name}");
        let answer = out.json();
        assert_eq!(schemas::faults_of(&name, &answer), [""; 0], "{out:?}");
        self.met.insert(name);
        answer
    }

    /// The same, with `--json`; the command names the schema.
    #[track_caller]
    fn tells(&mut self, command: &str, args: &[&str]) -> Value {
        let words: Vec<&str> = command.split(' ').collect();
        let args = [&words[..], args, &["--json"]].concat();
        self.asks(&command.replace(' ', "-"), &args)
    }
}

fn written() -> Repo {
    let repo = Repo::new();
    repo.write("src/a.rs", "a\n").write("go.mod", "module x\n");
    repo.write(
        "design.md",
        "## 文件变更清单\n\n| 操作 | 文件 | 说明 |\n|---|---|---|\n| 修改 | src/a.rs | x |\n| | src/b.rs | 顺带 |\n",
    )
    .write(
        "plan.md",
        "# P\n\n## Wave 1\n\n- [x] task-01: a (src/a.rs)\n- [ ] something else\n",
    )
    .write("tasks.md", "- [ ] task-01: a [model: fast] (depends_on: task-02)\n- [x] task-02: b\n")
    .write("k/INDEX.md", "## C\n- date|日期 → [Dates](dates.md#iso)\n- plain → dates.md\n");
    repo.write(
        ".sillyspec/docs/p/modules/_module-map.yaml",
        "modules:\n  m: {paths: [src/**], description: sources}\n  n: {paths: [gone/**]}\n",
    );
    repo.commit("base");
    repo
}

#[test]
fn every_answer_is_as_its_schema_has_it() {
    let mut judge = Judge {
        repo: written(),
        met: BTreeSet::new(),
    };
    parsers(&mut judge);
    project(&mut judge);
    work_trees(&mut judge);
    // What is refused is in an envelope, as errors of all commands are.
    let refused = judge.repo.spec(["silly", "split", "none", "--json"]).exits(1);
    assert_eq!(schemas::faults(b"", refused.stderr.as_bytes()), [""; 0]);
    let known = schema::ALL.iter().map(|(name, _)| (*name).to_owned());
    let known: BTreeSet<String> = known.filter(|name| name.starts_with("silly-")).collect();
    assert_eq!(judge.met, known, "each schema was met, and each answer has one");
}

fn parsers(judge: &mut Judge) {
    judge.asks("parse-change-list", &["parse", "change-list", "design.md"]);
    judge.asks("parse-plan", &["parse", "plan", "plan.md"]);
    judge.asks("parse-tasks", &["parse", "tasks", "tasks.md"]);
    judge.asks("parse-knowledge", &["parse", "knowledge", "k"]);
    let map = ".sillyspec/docs/p/modules/_module-map.yaml";
    judge.asks("parse-module-map", &["parse", "module-map", map]);
    let found = judge.asks("modules", &["modules", "src/a.rs", "README.md"]);
    assert!(found["matches"][1]["module"].is_null(), "{found}");
    judge.asks("glob", &["glob", "src/**", "src/a.rs", "x"]);
    let found = judge.asks("knowledge", &["knowledge", "k", "a date"]);
    assert_eq!(found["matched"], true, "{found}");
    judge.asks("knowledge", &["knowledge", "k", "nothing"]);
}

fn project(judge: &mut Judge) {
    judge.tells("progress init", &[]);
    judge.tells("progress show", &[]);
    judge.tells("init", &["--tool", "codex"]);
    judge.asks("detect-local", &["detect-local"]);
    judge.asks("detect-local", &["detect-local", "--write"]);
    let began = judge.tells("run", &["brainstorm", "--change", CHANGE]);
    assert_eq!(began["step"], 1, "{began}");
    judge.tells("run", &["brainstorm", "--done", "--output", &"x".repeat(300)]);
    judge.tells("run", &["brainstorm", "--status"]);
    judge.tells("run", &["brainstorm", "--reset"]);
    judge.tells("progress set-stage", &["plan"]);
    judge.tells("progress add-step", &["plan", "one"]);
    judge.tells(
        "progress update-step",
        &["plan", "one", "--status", "completed", "--output", "y"],
    );
    judge.tells("progress batch", &["--total", "3", "--failed", "1"]);
    let shown = judge.tells("progress show", &[]);
    assert_eq!(shown["changes"][0]["batch"]["failed"], 1, "{shown}");
    judge.tells("progress status", &[]);
    judge.tells("progress validate", &[]);
    let done = judge.tells("run", &["plan", "--done", "--change", CHANGE]);
    judge.tells("progress complete-stage", &["verify"]);
    assert!(done["warnings"].is_array() || done["step"].is_number(), "{done}");
    let lint = judge.tells("lint", &[]);
    judge
        .repo
        .write(&format!(".sillyspec/changes/{CHANGE}/tasks.md"), "# T\n");
    let worse = judge.tells("lint", &[]);
    assert_ne!(lint, worse);
    judge.asks("quicklog", &["quicklog", "ann", "moved", CHANGE]);
    judge.repo.write(
        &format!(".sillyspec/changes/{CHANGE}/MASTER.md"),
        "| 变更包 | 名称 | 边界描述 | 依赖 |\n|---|---|---|---|\n| 2026-03-01-csv | A | x | |\n| 2026-03-02-b | B | y | csv |\n",
    );
    judge.tells("split", &[CHANGE]);
    let payload = r#"{"tool_name": "Write", "tool_input": {"file_path": "src/a.rs"}}"#;
    let refused = judge.repo.spec_reading(payload, ["silly", "guard"]).exits(2);
    judge.judge("guard", &refused);
    judge.tells("run", &["execute", "--change", CHANGE]);
    judge.tells("status", &[]);
    let found = judge.tells("doctor", &[]);
    assert_ne!(found["findings"].as_array().map(Vec::len), Some(0), "{found}");
    judge.repo.write(".sillyspec/.runtime/gate-status.json", "{}");
    let mended = judge.tells("doctor", &["--fix"]);
    assert_eq!(mended["fixed"][0]["code"], "gate_stale", "{mended}");
    judge.tells("progress reset", &["--stage", "plan"]);
    judge.tells("progress reset", &["--change", CHANGE]);
    judge.tells("progress reset", &[]);
}

fn work_trees(judge: &mut Judge) {
    judge.repo.commit("project");
    let tree = format!(".sillyspec/.runtime/worktrees/{CHANGE}/src/a.rs");
    judge.tells("worktree create", &[CHANGE]);
    judge.tells("worktree list", &[]);
    judge.repo.write(&tree, "b\n");
    judge.tells("worktree apply", &[CHANGE, "--check-only"]);
    let found = judge.tells("impact", &["--change", CHANGE]);
    assert_eq!(found["modules"][0]["module"], "m", "{found}");
    let done = judge.tells("sync-docs", &["--change", CHANGE]);
    assert_eq!(done["documents"][0]["state"], "created", "{done}");
    judge.tells("status", &[]);
    judge.tells("worktree cleanup", &[CHANGE]);
    judge.tells("worktree create", &["other"]);
    let none = judge.tells("worktree apply", &["other"]);
    assert_eq!(none["files"].as_array().map(Vec::len), Some(0), "{none}");
    judge.tells("run", &["archive", "--change", CHANGE]);
    let folder = format!(".sillyspec/changes/{CHANGE}");
    judge.repo.write(&format!("{folder}/module-impact.md"), "x\n");
    for _ in 0..3 {
        judge.tells("run", &["archive", "--done", "--change", CHANGE]);
    }
    judge.repo.commit("ready");
    let moved = judge.tells(
        "run",
        &["archive", "--done", "--confirm", "--force", "--change", CHANGE],
    );
    assert!(moved["archived_to"].is_string(), "{moved}");
    judge.tells("status", &[]);
}
