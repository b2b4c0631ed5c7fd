//! Hostile files: whatever stands in the files of a project, every reader gives the answer that is specified for it,
//! in one line, and ends. Nothing here is timed; a run that does not end within a minute counts as one that hangs.

#[path = "../common/mod.rs"]
mod common;
mod configs;
mod folders;
mod overlays;
mod records;
mod registries;
mod runners;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use common::Repo;
use serde_json::Value;

/// How long a reader may take before it counts as hanging, far above what it needs on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a command answered: its data, or the code of its error.
type Answer = Result<Value, String>;

const OVERLAY: &str = "logos/flow/launched.yaml";
const REGISTRY: &str = "logos/logos-project.yaml";
const GUARD: &str = "logos/.openlogos-guard";
const CHANGE: &str = "logos/changes/dearer";
const RESULTS: &str = "logos/resources/verify/test-results.jsonl";

const MODULES: &str = "modules:\n  - {id: core, name: Core, lifecycle: launched, product_type: cli}\n\
                       scenarios:\n  - {id: S01, name: One, module: core}\n";

/// All readers; `next --auto` last, because it may write.
const READERS: [&[&str]; 8] = [
    &["detect"],
    &["module", "list"],
    &["feature", "list"],
    &["flow", "show", "--resolved"],
    &["watch"],
    &["status"],
    &["next"],
    &["next", "--auto"],
];

/// A change whose code is being written, and whose tests ran: every file that readers know is there.
fn coding() -> Repo {
    let repo = Repo::without_git();
    let ids = "| ID | Title |\n|---|---|\n| UT-S01-01 | a |\n";
    repo.write("logos/logos.config.json", r#"{"name":"tolls","locale":"en"}"#)
        .write(REGISTRY, MODULES)
        .write(GUARD, r#"{"activeChange":"dearer","module":"core"}"#)
        .write(&in_change("proposal.md"), PROPOSAL)
        .write(
            &in_change("tasks.md"),
            "## [delta]\n- [x] write deltas/test/core-S01-test-cases.md\n## [code]\n- [ ] slice UT-S01-01\n",
        )
        .write(
            &in_change("deltas/test/core-S01-test-cases.md"),
            format!("## ADDED — x\n\n{ids}"),
        )
        .write(
            &in_change("LOOP_ITERS"),
            "{\"module\":\"core\",\"result\":\"fail\"}\n",
        )
        .write(RESULTS, "{\"id\":\"UT-S01-01\",\"status\":\"pass\"}\n")
        .write(
            "logos/resources/verify/acceptance-report.md",
            "## Failed Cases\n- UT-S01-09\n",
        )
        .write(
            "logos/resources/test/core-S01-test-cases.md",
            format!("# Tests\n\n{ids}"),
        );
    for marker in ["SPEC_MERGED", "SLICES_APPROVED", "PLAN_APPROVED"] {
        repo.write(&in_change(marker), "");
    }
    repo
}

const PROPOSAL: &str = "# Change: dearer\n\n> module: core\n\n## 变更原因\nx\n## 变更类型\n代码级\n## 变更范围\nx\n## 变更概述\nx\n";

fn in_change(name: &str) -> String {
    format!("{CHANGE}/{name}")
}

/// What a reader answers. It must end by itself, `watch` after its first line is read.
#[track_caller]
fn ask(repo: &Repo, words: &[&str]) -> Answer {
    let mut command = repo.program();
    command.args(words).args(["--format", "json"]);
    let line = run(&mut command, words == ["watch"]);
    let (code, stdout, stderr) = line;
    let parsed = |text: &str| -> Value {
        let line = text
            .strip_suffix('\n')
            .unwrap_or_else(|| panic!("{words:?}: no line: {text:.400}"));
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{words:?}: {e}: {text:.400}"))
    };
    match code {
        0 => Ok(parsed(&stdout)["data"].take()),
        1 => {
            assert_eq!(stdout, "", "{words:?}");
            let error = parsed(&stderr);
            Err(error["error"]["code"].as_str().expect("it has one").to_owned())
        }
        other => panic!("{words:?} ended with {other}: {stderr:.400}"),
    }
}

/// Exit code, stdout and stderr of a command; of a `watch` its first line, which stands for an exit code of 0.
#[track_caller]
fn run(command: &mut Command, is_watch: bool) -> (i32, String, String) {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    let stderr = BufReader::new(child.stderr.take().expect("it is piped"));
    let (answer, errors) = (received(stdout, is_watch), received(stderr, false));
    let printed = within(&mut child, command, &answer);
    if is_watch && printed.ends_with('\n') {
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        return (0, printed, String::new());
    }
    let complaint = within(&mut child, command, &errors);
    let status = child.wait().expect("it is ours");
    let code = status.code();
    let code = code.unwrap_or_else(|| panic!("{command:?} was ended by {status}: {complaint:.400}"));
    (code, printed, complaint)
}

fn received(mut from: impl BufRead + Send + 'static, only_a_line: bool) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = match only_a_line {
            true => from.read_until(b'\n', &mut bytes),
            false => from.read_to_end(&mut bytes),
        };
        read.expect("a pipe can be read");
        // Whoever does not wait for it any more has failed already.
        let _unheard = send.send(bytes);
    });
    receive
}

#[track_caller]
fn within(child: &mut Child, command: &Command, from: &mpsc::Receiver<Vec<u8>>) -> String {
    let Ok(bytes) = from.recv_timeout(PATIENCE) else {
        child.kill().expect("it is ours");
        panic!("{command:?} hangs");
    };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The answers of all readers, in their order.
#[track_caller]
fn ask_all(repo: &Repo) -> Vec<(&'static [&'static str], Answer)> {
    READERS.iter().map(|words| (*words, ask(repo, words))).collect()
}

/// All readers that derive from flows and changes answer with this error, the others do without what is broken.
#[track_caller]
fn derivations_fail(repo: &Repo, code: &str, name: &str) {
    for (words, answer) in ask_all(repo) {
        let derives = matches!(words[0], "flow" | "watch" | "status" | "next");
        match answer {
            Ok(_) => assert!(!derives, "{name}: {words:?} succeeds"),
            Err(found) => assert!(derives && found == code, "{name}: {words:?}: {found}"),
        }
    }
}

/// Every reader has an answer; that of `status` is returned, and `watch` begins with the same.
#[track_caller]
fn all_succeed(repo: &Repo) -> Value {
    let (mut status, mut watched) = (Value::Null, Value::Null);
    for (words, answer) in ask_all(repo) {
        let data = answer.unwrap_or_else(|code| panic!("{words:?}: {code}"));
        match words[0] {
            "status" => status = data,
            "watch" => watched = data["status"].clone(),
            _ => {}
        }
    }
    assert_eq!(status, watched);
    status
}

/// Runs a check for every item, on two threads: most of the time goes into starting programs.
fn for_each<T: Sync>(items: &[T], check: impl Fn(&T) + Sync) {
    let (first, second) = items.split_at(items.len() / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| first.iter().for_each(&check));
        second.iter().for_each(&check);
    });
}

#[cfg(unix)]
fn fifo(at: &Path) {
    let made = Command::new("mkfifo")
        .arg(at)
        .status()
        .expect("mkfifo can be started");
    assert!(made.success());
}

#[test]
fn the_project_of_these_tests_is_sound() {
    let status = all_succeed(&coding());
    let module = &status["modules"][0];
    assert_eq!(status["proposal_step"], "coding");
    assert_eq!(module["loop_state"]["iteration"], 1);
    assert_eq!(module["automation_diagnostic"]["reason"], "global-verify-failed");
}
