//! `statusline` as a host runs it, again and again, whatever is there: one line, exit 0, no repository opened.

mod common;
#[path = "common/schemas.rs"]
mod schemas;

use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Out, Repo, out};

const STATE: &str = ".planning/STATE.md";
const TEXT: &str = "---\nmilestone: v1.9\nstatus: executing\n---\n\nPhase: 1 of 5\n";
const LINE: &str = "v1.9 · executing · ph 1/5\n";

/// The scene and the line of a run that fails in nothing.
#[track_caller]
fn shown(out: Out) -> (String, String) {
    let out = out.exits(0);
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    assert_eq!(out.stderr, "");
    let data = &out.json()["data"];
    let text = |key: &str| data[key].as_str().expect("it is text").to_owned();
    (text("scene"), text("line"))
}

#[track_caller]
fn scene(repo: &Repo) -> String {
    shown(repo.spec(["statusline", "--format", "json"])).0
}

fn none() -> Out {
    Out {
        code: 0,
        stdout: "\n".to_owned(),
        stderr: String::new(),
    }
}

fn project() -> Repo {
    let repo = Repo::without_git();
    repo.write(STATE, TEXT);
    repo
}

#[test]
fn text_is_the_line_and_json_says_the_scene_too() {
    let repo = project();
    assert_eq!(repo.spec(["statusline"]).exits(0).stdout, LINE);
    let expected = ("default".to_owned(), LINE.trim_end().to_owned());
    assert_eq!(shown(repo.spec(["statusline", "--format", "json"])), expected);
    let compact = repo.spec(["statusline", "--compact"]).exits(0);
    assert_eq!(compact.stdout, "v1.9 · P1/5 · executing\n");
}

#[test]
fn what_cannot_be_read_is_absent() {
    let repo = Repo::without_git();
    assert_eq!(repo.spec(["statusline"]), none());
    assert_eq!(scene(&repo), "none");
    repo.write(".planning", "a file");
    assert_eq!(scene(&repo), "none");
    repo.remove(".planning")
        .write(&format!("{STATE}/x"), "in a folder");
    assert_eq!(scene(&repo), "none");
    repo.remove(STATE).write(STATE, b"\xff\xfe---\0\n\x80");
    assert_eq!(scene(&repo), "default");
    repo.write(STATE, b"---\nstatus: \xff\nmilestone: v1\n---\n");
    let line = shown(repo.spec(["statusline", "--format", "json"])).1;
    assert_eq!(line, "v1 · \u{fffd}");
}

#[cfg(unix)]
#[test]
fn a_pipe_and_a_dangling_link_in_place_of_the_file_are_absent() {
    let repo = Repo::without_git();
    repo.write(".planning/x", "");
    std::os::unix::fs::symlink("nowhere", repo.path(STATE)).expect("made");
    assert_eq!(scene(&repo), "none");
    repo.remove(STATE);
    let made = repo.command("mkfifo").arg(STATE).status();
    assert!(made.expect("mkfifo can be started").success());
    assert_eq!(scene(&repo), "none");
}

#[test]
fn no_repository_is_opened_and_no_configuration_read() {
    let repo = project();
    // Every command that opens this repository fails.
    repo.write(".git/HEAD", "nonsense\n")
        .write(".git/config", "[core\n");
    repo.write(
        "logos/logos.config.json",
        "{\"name\":\"tolls\",\"locale\":\"zh\"}",
    );
    assert_eq!(repo.spec(["log", "UT-1"]).code, 1);
    assert_eq!(repo.spec(["statusline"]).exits(0).stdout, LINE);
    // Its folder is the last one that is looked into.
    repo.write("inner/.git", "gitdir: /nowhere\n");
    assert_eq!(repo.spec_in("inner", ["statusline"]), none());
}

#[test]
fn the_home_folder_is_the_last_one_and_may_be_missing() {
    let repo = project();
    repo.write("a/b/x", "");
    let from = |home: Option<&str>| {
        let mut command = repo.program();
        command.current_dir(repo.path("a/b")).arg("statusline");
        match home {
            Some(home) => command.env("HOME", repo.path(home)),
            None => command.env_remove("HOME"),
        };
        out(&mut command, b"").exits(0).stdout
    };
    assert_eq!(from(Some("a")), "\n");
    for home in [Some(""), Some("missing"), None] {
        assert_eq!(from(home), LINE, "{home:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_current_folder_that_is_gone_is_nowhere() {
    let repo = project();
    repo.write("gone/x", "");
    let mut command = repo.command("sh");
    let script = "cd gone && rm -r ../gone && exec \"$0\" statusline";
    command.args(["-c", script, env!("CARGO_BIN_EXE_git-spec")]);
    assert_eq!(out(&mut command, b""), none());
    // So is one that was named and is not there.
    assert_eq!(repo.spec(["-C", "missing", "statusline"]), none());
    assert_eq!(repo.spec(["-C", "missing", "detect"]).code, 1);
}

#[test]
fn what_a_host_sends_is_not_read_nor_waited_for() {
    let repo = project();
    let mut command = repo.program();
    command
        .arg("statusline")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut host = child.stdin.take().expect("it is a pipe");
    host.write_all(b"{\"session\":").expect("there is room for it");
    // The host says no more, and keeps its end open.
    let begun = Instant::now();
    let ended = loop {
        if let Some(status) = child.try_wait().expect("it is a child") {
            break status;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "it waits for its host");
        std::thread::sleep(Duration::from_millis(5));
    };
    drop(host);
    assert!(ended.success());
    let output = child.wait_with_output().expect("it has ended");
    assert_eq!(String::from_utf8_lossy(&output.stdout), LINE);
}

#[cfg(unix)]
#[test]
fn a_host_that_does_not_listen_is_no_trouble() {
    let repo = project();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = repo.program();
    let ended = command.arg("statusline").stdout(writer).stderr(Stdio::piped());
    let ended = ended.output().expect("it starts");
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let repo = Repo::without_git();
    repo.write(STATE, "---\nstatus: a\u{1b}]0;b\u{7}\n---\n");
    let line = repo.spec(["statusline"]).exits(0).stdout;
    assert!(!line.contains(['\u{1b}', '\u{7}']), "{line:?}");
}
