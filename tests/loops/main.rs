//! The loop of a driver, as commands run it (loop.md 7): its store, and what happens to those who change it by hand.

#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code, reason = "these answers have no envelope")]
#[path = "../common/schemas.rs"]
mod schemas;

mod attacks;
mod commands;
mod stops;

use std::path::PathBuf;

use common::{Out, Repo, out};
use serde_json::Value;

const FOLDER: &str = ".claude/loop-claudecode";
const STATE: &str = ".claude/loop-claudecode/state.json";
const COPY: &str = ".claude/loop-claudecode/gate_state.json";

/// A repository with a loop.
struct Loop {
    repo: Repo,
}

impl Loop {
    #[track_caller]
    fn new(mode: &str) -> Self {
        let found = Self { repo: Repo::new() };
        found
            .run(&["init", "--mode", mode, "--request", "tides"])
            .exits(0);
        found
    }

    /// Runs a command of the group; what it prints is as its schema has it.
    #[track_caller]
    fn run(&self, args: &[&str]) -> Out {
        self.run_at(common::NOW, args)
    }

    #[track_caller]
    fn run_at(&self, now: &str, args: &[&str]) -> Out {
        let mut command = self.repo.program();
        command
            .env("GIT_SPEC_NOW", now)
            .arg("loop")
            .args(args)
            .arg("--json");
        let out = out(&mut command, b"");
        let words: Vec<&str> = args
            .iter()
            .copied()
            .take_while(|word| !word.starts_with("--"))
            .collect();
        let words = match words.first() {
            Some(&"artifact") => &words[..2],
            _ => &words[..1],
        };
        let (name, line) = if out.code == 1 {
            ("loop-error".to_owned(), &out.stderr)
        } else {
            (format!("loop-{}", words.join("-")), &out.stdout)
        };
        let line: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {out:?}"));
        assert_eq!(schemas::faults_of(&name, &line), [""; 0], "{out:?}");
        out
    }

    /// The code of a command that could not do its work.
    #[track_caller]
    fn error(&self, args: &[&str]) -> String {
        let out = self.run(args).exits(1);
        assert_eq!(out.stdout, "");
        let error: Value = serde_json::from_str(&out.stderr).expect("one line of JSON");
        error["error"]["code"].as_str().expect("a code").to_owned()
    }

    /// The rule of a tool call that is refused; none if it is allowed.
    #[track_caller]
    fn guard(&self, which: &str, payload: &str) -> Option<String> {
        let out = self.repo.spec_reading(payload, ["loop", "guard", which]);
        if out.code == 0 {
            assert_eq!(out.stdout, "");
            return None;
        }
        let out = out.exits(2);
        let answer = out.json();
        assert_eq!(
            schemas::faults_of(&format!("loop-guard-{which}"), &answer),
            [""; 0]
        );
        assert_eq!(
            out.stderr.trim_end(),
            answer["reason"].as_str().expect("a reason")
        );
        Some(answer["rule"].as_str().expect("a rule").to_owned())
    }

    #[track_caller]
    fn state(&self) -> Value {
        serde_json::from_str(&self.repo.read(STATE)).expect("JSON")
    }

    /// Rewrites the state as a driver may.
    #[track_caller]
    fn edit(&self, change: impl FnOnce(&mut Value)) {
        let mut state = self.state();
        change(&mut state);
        self.repo.write(STATE, format!("{state:#}\n"));
    }

    /// The folder of the store.
    fn store(&self) -> PathBuf {
        let dir = self.repo.path(".git/spec/loop");
        let entry = std::fs::read_dir(dir)
            .expect("a store")
            .next()
            .expect("one work tree");
        entry.expect("listed").path()
    }

    fn reference(&self) -> String {
        let id = self
            .store()
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        format!("refs/spec/loop/{id}")
    }

    fn journal(&self) -> String {
        std::fs::read_to_string(self.store().join("journal.jsonl")).expect("a journal")
    }

    /// Everything refuses: reading, writing and guards.
    #[track_caller]
    fn is_broken(&self) {
        for args in [
            &["show"][..],
            &["summary"],
            &["validate"],
            &["route", "--dry-run"],
            &["transition", "part_1_1"],
            &["artifact", "verify"],
            &["complete"],
            &["pause"],
        ] {
            assert_eq!(self.error(args), "chain_broken", "{args:?}");
        }
        let call = r#"{"tool_input": {"command": "ls"}}"#;
        for which in ["state", "command", "stop"] {
            assert_eq!(
                self.guard(which, call).as_deref(),
                Some("chain_broken"),
                "{which}"
            );
        }
        let told = self.repo.spec(["doctor"]).exits(2).stdout;
        assert!(told.contains("loop_gate_broken"), "{told}");
    }

    /// Lays down what the end of a loop needs.
    fn ready(&self) {
        for (name, text) in [
            ("01-requirements.md", "# R\n"),
            ("03-solution.md", "# S\n"),
            ("09-issue-list.json", "{\"issues\": []}\n"),
            ("10-verification.md", "# V\n\n```\n$ cargo test\nok\n```\n"),
        ] {
            self.repo.write(&format!("{FOLDER}/artifacts/{name}"), text);
        }
        self.edit(|state| {
            state["progress"]["phase"] = "routing".into();
            state["progress"]["convergence_counter"] = 2.into();
        });
    }
}
