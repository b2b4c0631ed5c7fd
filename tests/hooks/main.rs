//! Git hooks in real repositories: laid down wherever git looks, and judging what they are for (git.md 3, U12, U13).
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/schemas.rs"]
mod schemas;

mod commits;
mod formers;
mod install;
mod messages;
mod pushes;
mod receives;

use std::path::Path;

use common::{Out, Repo, Tolls};

/// Runs git in a folder.
#[track_caller]
fn git_in(repo: &Repo, dir: &Path, args: &[&str]) -> Out {
    let mut command = repo.command("git");
    common::out(command.current_dir(dir).args(args), b"")
}

/// Runs the program in a folder, for its one line of JSON.
#[track_caller]
fn json_in(repo: &Repo, dir: &Path, args: &[&str]) -> serde_json::Value {
    let mut command = repo.program();
    let out = common::out(
        command.current_dir(dir).args(args).args(["--format", "json"]),
        b"",
    );
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    out.json()
}

/// Runs the program in a folder; it must succeed.
#[track_caller]
fn spec_in(repo: &Repo, dir: &Path, args: &[&str]) -> Out {
    let mut command = repo.program();
    common::out(command.current_dir(dir).args(args), b"").exits(0)
}

/// Edits the document in a work tree without a change, and tries to commit that: it must be refused. Leaves the work tree
/// as it was.
#[track_caller]
fn is_refused(repo: &Repo, dir: &Path) {
    let file = dir.join(Tolls::DOCUMENT);
    let before = std::fs::read_to_string(&file).expect("it is there");
    std::fs::write(&file, before.replace("| 5 |", "| 6 |")).expect("it can be written");
    let head = git_in(repo, dir, &["rev-parse", "HEAD"]).stdout;
    let out = git_in(repo, dir, &["commit", "-qam", "Edit"]);
    assert_eq!(out.code, 1, "{out:?}");
    assert!(out.stderr.contains("error[document_edited]"), "{out:?}");
    assert!(
        out.stderr
            .trim_end()
            .lines()
            .last()
            .is_some_and(|line| line.contains("--no-verify")),
        "{out:?}"
    );
    assert_eq!(git_in(repo, dir, &["rev-parse", "HEAD"]).stdout, head);
    git_in(repo, dir, &["checkout", "-q", "HEAD", "--", "."]).exits(0);
}

fn edited() -> String {
    Tolls::CONTENT.replace("| 5 |", "| 6 |")
}

/// A script that may run.
fn script(path: &Path, content: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(path.parent().expect("in a folder")).expect("folders can be made");
    std::fs::write(path, content).expect("it can be written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is ours");
}

fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().expect("it is there").permissions().mode() & 0o777
}
