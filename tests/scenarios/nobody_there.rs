//! U18: closed input, nothing on it, or a terminal where nobody types.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::common::{Repo, Tolls};

/// Waits for a child that must end by itself; returns its code and what it printed.
#[track_caller]
fn ended(mut child: Child, what: &str) -> (i32, String) {
    let start = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status.code().unwrap_or_else(|| panic!("{what}: {status}"));
        }
        if start.elapsed() > Duration::from_secs(20) {
            child.kill().expect("it is ours");
            panic!("{what} waits for somebody");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut text = String::new();
    for stream in [
        child.stdout.take().map(|s| Box::new(s) as Box<dyn std::io::Read>),
        child.stderr.take().map(|s| Box::new(s) as Box<dyn std::io::Read>),
    ] {
        stream
            .expect("it is piped")
            .read_to_string(&mut text)
            .expect("text");
    }
    (code, text)
}

const COMMANDS: [(&[&str], i32); 22] = [
    (&["--help"], 0),
    (&["--version"], 0),
    (&["detect"], 0),
    (&["init"], 1),
    (&["init", "--format", "json"], 1),
    (&["change"], 1),
    (&["change-lint"], 1),
    (&["change-lint", "--slug", "car-price"], 0),
    (&["merge"], 1),
    (&["archive"], 1),
    (&["rebase"], 1),
    (&["rebase", "car-price"], 0),
    (&["change-lint", "--slug", "car-price", "--fix"], 0),
    (&["change-lint", "--slug", "car-price", "--fix", "--dry-run"], 0),
    (&["demo"], 0),
    (&["archive", "car-price"], 1),
    (&["impact"], 1),
    (&["impact", "--stdin"], 0),
    (&["check-ui-prototype", "nobody"], 1),
    (&["check-ui-hash-match", "car-price"], 0),
    (&["merge", "car-price", "--dry-run"], 0),
    (&["merge", "car-price"], 0),
];

fn tolls() -> Tolls {
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls
}

/// The program started by a shell that closes its input first.
fn with_closed_input(repo: &Repo, args: &[&str]) -> Command {
    let mut command = repo.command("sh");
    command
        .args(["-c", "exec \"$0\" \"$@\" <&-", env!("CARGO_BIN_EXE_git-spec")])
        .args(args);
    command
}

/// The program on a pseudo-terminal whose other end stays open and silent.
fn on_a_terminal(repo: &Repo, args: &[&str]) -> Command {
    let mut command = repo.command("script");
    let words: Vec<String> = args.iter().map(|a| format!("'{a}'")).collect();
    let line = format!("'{}' {}", env!("CARGO_BIN_EXE_git-spec"), words.join(" "));
    command
        .args(["-q", "-e", "-c", &line, "/dev/null"])
        .stdin(Stdio::piped());
    command
}

#[track_caller]
fn spawn(mut command: Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

#[test]
fn u18_every_command_ends_by_itself_without_input() {
    for closed in [true, false] {
        let tolls = tolls();
        for (args, expected) in COMMANDS {
            let command = if closed {
                with_closed_input(&tolls, args)
            } else {
                let mut command = tolls.program();
                command.args(args);
                command
            };
            let (code, text) = ended(spawn(command), &format!("{args:?}"));
            assert_eq!(code, expected, "{args:?}, closed: {closed}: {text}");
            assert!(!text.contains('\u{1b}'), "{args:?}: {text:?}");
        }
    }
}

#[test]
fn u18_a_pipe_that_stays_open_and_silent_is_not_read() {
    let tolls = tolls();
    for (args, expected) in COMMANDS {
        if args.contains(&"--stdin") {
            continue;
        }
        let mut command = tolls.program();
        command.args(args).stdin(Stdio::piped());
        let mut child = spawn(command);
        let _open = child.stdin.take();
        let (code, text) = ended(child, &format!("{args:?}"));
        assert_eq!(code, expected, "{args:?}: {text}");
    }
}

#[test]
fn u18_a_missing_decision_names_the_option_that_supplies_it() {
    let repo = Repo::new();
    let said = |args: &[&str]| {
        let (code, text) = ended(spawn(with_closed_input(&repo, args)), &format!("{args:?}"));
        assert_eq!(code, 1, "{args:?}: {text}");
        text
    };
    assert!(said(&["init"]).contains("--locale"));
    assert!(!repo.exists("logos"));
    repo.spec(["init", "tolls", "--locale", "en"]).exits(0);
    assert!(said(&["change-lint"]).contains("--slug"));
    assert!(said(&["impact"]).contains("--base"));
    assert!(said(&["impact", "--base", "HEAD"]).contains("--head"));
}

#[test]
fn u18_a_terminal_where_nobody_types_holds_nothing_up() {
    let tolls = tolls();
    if tolls.command("script").arg("--version").output().is_err() {
        return;
    }
    for (args, expected) in COMMANDS {
        // On a terminal `init` takes the language from the environment; here there is a project already.
        if args.contains(&"--stdin") {
            continue;
        }
        let mut child = spawn(on_a_terminal(&tolls, args));
        let _open = child.stdin.take();
        let (code, text) = ended(child, &format!("{args:?}"));
        assert_eq!(code, expected, "{args:?}: {text}");
        assert!(!text.contains("\u{1b}[?"), "{args:?}: {text:?}");
    }
}
