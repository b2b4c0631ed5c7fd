//! `watch`, as a driver uses it.
#![cfg(unix)]

mod common;
#[path = "common/schemas.rs"]
mod schemas;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use common::Repo;
use serde_json::{Value, json};

const CHANGE: &str = "logos/changes/monday-prices";
/// Long enough on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn project() -> Repo {
    let repo = Repo::new();
    repo.write("logos/logos.config.json", "{\"name\":\"bakery\"}\n")
        .write(
            "logos/logos-project.yaml",
            "modules:\n- {id: till, name: Till, lifecycle: launched, product_type: cli}\n",
        )
        .write(
            "logos/.openlogos-guard",
            "{\"activeChange\":\"monday-prices\",\"module\":\"till\"}\n",
        )
        .write(
            &format!("{CHANGE}/proposal.md"),
            "## Reason\nx\n## Change Type\nx\n## Scope\nx\n## Summary\nx\n",
        )
        .write(
            &format!("{CHANGE}/tasks.md"),
            "## [delta] a\n- [ ] write deltas/prd/x.md\n",
        );
    repo
}

struct Watch {
    child: Child,
    lines: Receiver<String>,
    stderr: ChildStderr,
}

impl Watch {
    fn start(repo: &Repo, args: &[&str]) -> Self {
        let mut child = repo
            .program()
            .args(["watch", "--format", "json", "--interval", "1"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let stdout = BufReader::new(child.stdout.take().expect("piped above"));
        let stderr = child.stderr.take().expect("piped above");
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.expect("text");
                assert_eq!(schemas::faults(line.as_bytes(), b""), [""; 0]);
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines, stderr }
    }

    #[track_caller]
    fn event(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("an event comes");
        serde_json::from_str::<Value>(&line).expect("a line of JSON")["data"].clone()
    }

    #[track_caller]
    fn is_quiet(&self) {
        let heard = self.lines.recv_timeout(Duration::from_millis(2500));
        assert_eq!(heard, Err(RecvTimeoutError::Timeout));
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args(["-s", name, &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill can be started").success());
    }

    /// How it ended, and what it said on stderr.
    #[track_caller]
    fn ends(mut self) -> (ExitStatus, String) {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                break status;
            }
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        };
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).expect("text");
        (status, said)
    }
}

#[test]
fn a_line_comes_at_once_and_then_only_when_the_status_is_another_one() {
    let repo = project();
    let watch = Watch::start(&repo, &[]);
    let first = watch.event();
    assert_eq!(
        (&first["seq"], &first["event"], &first["module"]),
        (&json!(0), &json!("snapshot"), &Value::Null)
    );
    let status = repo.spec(["status", "--format", "json"]).exits(0).json();
    assert_eq!(first["status"], status["data"]);
    let files = repo.snapshot();
    watch.is_quiet();
    assert_eq!(repo.snapshot(), files, "watching writes nothing");

    repo.write(&format!("{CHANGE}/PLAN_APPROVED"), "");
    let second = watch.event();
    assert_eq!((&second["seq"], &second["event"]), (&json!(1), &json!("change")));
    assert_eq!(second["status"]["proposal_step"], "delta-writing");

    let tasks = format!("{CHANGE}/tasks.md");
    repo.write(&tasks, repo.read(&tasks));
    watch.is_quiet();

    repo.write("logos/flow/launched.yaml", "overlay: 7\n");
    let (status, said) = watch.ends();
    assert_eq!(status.code(), Some(1));
    let error: Value = serde_json::from_str(said.trim_end()).expect("one envelope");
    assert_eq!(
        (&error["command"], &error["error"]["code"]),
        (&json!("watch"), &json!("FLOW_SCHEMA_INVALID"))
    );
}

#[test]
fn one_module_is_watched_alone() {
    let repo = project();
    let watch = Watch::start(&repo, &["--module", "till"]);
    let first = watch.event();
    assert_eq!(first["module"], "till");
    assert_eq!(first["status"]["modules"].as_array().map(Vec::len), Some(1));
    watch.signal("INT");
    watch.ends();
}

#[test]
fn a_signal_ends_it_without_a_word() {
    let repo = project();
    for signal in ["INT", "TERM"] {
        let watch = Watch::start(&repo, &[]);
        watch.event();
        watch.signal(signal);
        let (status, said) = watch.ends();
        assert_eq!((status.code(), said.as_str()), (Some(0), ""), "{signal}");
    }
}

#[test]
fn it_ends_when_nobody_reads_any_more() {
    let repo = project();
    let mut child = repo
        .program()
        .args(["watch", "--format", "json", "--interval", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut first = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("piped above"));
    stdout.read_line(&mut first).expect("a line comes");
    drop(stdout);
    // Nothing changes: it finds out by itself.
    let out = child.wait_with_output().expect("it ends");
    assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
}

#[test]
fn a_project_that_is_taken_away_is_an_error() {
    let repo = project();
    let watch = Watch::start(&repo, &[]);
    watch.event();
    repo.remove("logos");
    let (status, said) = watch.ends();
    assert_eq!(status.code(), Some(1));
    let error: Value = serde_json::from_str(said.trim_end()).expect("one envelope");
    assert_eq!(error["error"]["code"], "PROJECT_NOT_INITIALIZED");
}
