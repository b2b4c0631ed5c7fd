//! U17: one document on stdout, whatever surrounds the program.

use std::io::Read as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::common::{Out, Tolls, out};

/// Every way to ask for JSON: the words, and whether the answer goes to stdout. Each leaves the project as it was, but for
/// those that make something, which stand last.
const ASKED: [(&[&str], bool); 24] = [
    (&["detect"], true),
    (&["change-lint", "--slug", "car-price"], true),
    (&["lint", "--slug", "car-price"], true),
    (&["change-lint", "--all"], true),
    (&["change-lint", "--slug", "car-price", "--staged"], true),
    (&["change-lint", "--slug", "car-price", "--at", "HEAD"], true),
    (&["change-lint", "--slug", "car-price", "--fix"], true),
    (&["change-lint", "--slug", "nobody", "--fix"], false),
    (&["change-lint", "--slug", "nobody"], false),
    (&["change-lint", "--slug"], false),
    (&["change-lint"], false),
    (&["change-lint", "--slug", "car-price", "--at", "nowhere"], false),
    (&["impact", "--base", "HEAD~1", "--head", "HEAD"], true),
    (&["impact", "--base", "nowhere", "--head", "HEAD"], false),
    (&["impact", "--base", "HEAD"], false),
    (&["impact"], false),
    (&["check-ui-prototype", "car-price"], true),
    (&["check-ui-prototype", "nobody"], false),
    (&["check-ui-hash-match", "car-price"], true),
    (&["init", "--locale", "en"], false),
    (&["change"], false),
    (&["change", "Bad/Name"], false),
    (&["change", "car-price"], false),
    (&["change", "boat-price"], true),
];

fn tolls() -> Tolls {
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls
}

fn asking(tolls: &Tolls, args: &[&str]) -> Command {
    let mut command = tolls.program();
    command.args(args).args(["--format", "json"]);
    command
}

/// One line of JSON on the right stream, and nothing else. Returns it.
#[track_caller]
fn one_document(args: &[&str], out: &Out, success: bool) -> Value {
    let (there, nothing) = if success {
        (&out.stdout, &out.stderr)
    } else {
        (&out.stderr, &out.stdout)
    };
    assert_eq!(nothing, "", "{args:?}: {out:?}");
    let line = there
        .strip_suffix('\n')
        .unwrap_or_else(|| panic!("{args:?}: {out:?}"));
    assert!(!line.contains(['\n', '\r', '\u{1b}']), "{args:?}: {out:?}");
    let document: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{args:?}: {e}: {out:?}"));
    let keys: Vec<&String> = document.as_object().expect("an object").keys().collect();
    if success {
        assert!(out.code == 0 || out.code == 2, "{args:?}: {out:?}");
        assert_eq!(
            keys[..3],
            ["command", "version", "timestamp"],
            "{args:?}: {keys:?}"
        );
        assert!(document["data"].is_object(), "{args:?}: {out:?}");
    } else {
        assert_eq!(out.code, 1, "{args:?}: {out:?}");
        assert!(document["error"]["code"].is_string(), "{args:?}: {out:?}");
        assert!(document["error"]["message"].is_string(), "{args:?}: {out:?}");
    }
    document
}

fn home_is_empty(tolls: &Tolls) -> bool {
    std::fs::read_dir(tolls.home())
        .expect("it is there")
        .next()
        .is_none()
}

#[test]
fn u17_the_answer_is_one_line_in_a_fresh_home_and_under_gits_trace() {
    let tolls = tolls();
    for (args, success) in ASKED {
        let plain = out(&mut asking(&tolls, args), b"");
        one_document(args, &plain, success);
        if success && args[0] == "change" {
            continue;
        }
        for (name, value) in [
            ("GIT_TRACE", "1"),
            ("GIT_TRACE2", "1"),
            ("CLICOLOR_FORCE", "1"),
            ("GIT_PAGER", "false"),
            ("GIT_CONFIG_PARAMETERS", "'color.ui=always'"),
        ] {
            let told = out(asking(&tolls, args).env_remove("NO_COLOR").env(name, value), b"");
            assert_eq!(told, plain, "{args:?} with {name}={value}");
        }
    }
    assert!(home_is_empty(&tolls));
}

#[test]
fn u17_a_new_project_is_one_line_too() {
    for name in ["GIT_TRACE", "NO_COLOR"] {
        let repo = super::common::Repo::new();
        let mut command = repo.program();
        command
            .args(["init", "tolls", "--locale", "en", "--format", "json"])
            .env(name, "1");
        one_document(&["init"], &out(&mut command, b""), true);
        assert!(
            std::fs::read_dir(repo.home())
                .expect("it is there")
                .next()
                .is_none()
        );
    }
}

#[test]
fn u17_a_broken_global_configuration_is_an_answer_or_one_error() {
    let tolls = tolls();
    let broken = tolls.root().with_file_name("broken");
    std::fs::write(&broken, "[core\nthis is no configuration\n").expect("a new file");
    for (args, success) in ASKED {
        let told = out(asking(&tolls, args).env("GIT_CONFIG_GLOBAL", &broken), b"");
        let answered = told.code != 1;
        assert!(success || !answered, "{args:?}: {told:?}");
        one_document(args, &told, answered);
        assert!(!told.stderr.contains("panicked"), "{args:?}: {told:?}");
    }
}

#[test]
fn u17_merged_streams_hold_one_line() {
    let tolls = tolls();
    for (args, success) in ASKED {
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        let mut command = asking(&tolls, args);
        command.env("GIT_TRACE", "1");
        command
            .stdout(writer.try_clone().expect("a second end"))
            .stderr(writer);
        let mut child = command.spawn().expect("it starts");
        drop(command);
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("text");
        let code = child.wait().expect("it ends").code();
        assert_eq!(text.matches('\n').count(), 1, "{args:?}: {text}");
        let document: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}: {text}"));
        assert_eq!(document.get("error").is_some(), !success, "{args:?}: {text}");
        assert_eq!(code == Some(1), !success, "{args:?}");
    }
}

#[test]
fn u17_a_reader_that_goes_away_is_no_panic() {
    let tolls = tolls();
    let text: [&[&str]; 7] = [
        &["demo"],
        &["rebase", "car-price"],
        &["--help"],
        &["merge", "car-price", "--dry-run"],
        &["change-lint", "--slug", "car-price"],
        &["archive", "car-price", "--dry-run", "--force"],
        &["impact", "--base", "HEAD~1", "--head", "HEAD"],
    ];
    let json = ASKED
        .iter()
        .map(|(args, _)| [*args, &["--format", "json"]].concat());
    for args in text.iter().map(|args| args.to_vec()).chain(json) {
        for closed in ["stdout", "stderr", "both"] {
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            let end = || Stdio::from(writer.try_clone().expect("a second end"));
            let mut command = tolls.program();
            command.args(&args).stdout(Stdio::piped()).stderr(Stdio::piped());
            if closed != "stderr" {
                command.stdout(end());
            }
            if closed != "stdout" {
                command.stderr(end());
            }
            let told = command
                .spawn()
                .expect("it starts")
                .wait_with_output()
                .expect("it ends");
            let code = told.status.code();
            assert!(matches!(code, Some(0..=2)), "{args:?} {closed}: {told:?}");
            assert!(
                !String::from_utf8_lossy(&told.stderr).contains("panicked"),
                "{args:?}: {told:?}"
            );
        }
    }
}

#[test]
fn u17_merge_and_archive_do_their_work_for_a_reader_that_went_away() {
    let tolls = tolls();
    for (args, done) in [
        (["merge", "car-price"], "docs(car-price): merge spec deltas"),
        (
            ["archive", "car-price"],
            "chore(car-price): archive change proposal",
        ),
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = tolls.program();
        command
            .args(args)
            .stdout(writer.try_clone().expect("a second end"))
            .stderr(writer);
        let code = command.status().expect("it starts").code();
        assert_eq!(code, Some(0), "{args:?}");
        assert_eq!(tolls.git(["log", "-1", "--format=%s"]).trim(), done);
        assert_eq!(tolls.git(["status", "--porcelain"]), "");
    }
    assert!(home_is_empty(&tolls));
}
