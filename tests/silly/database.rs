//! The database under several writers and after a kill.

use std::process::Stdio;

use rusqlite::Connection;

use crate::common::Repo;

const DATABASE: &str = ".sillyspec/.runtime/sillyspec.db";

fn project() -> Repo {
    let repo = Repo::without_git();
    repo.spec(["silly", "init", "--tool", "cursor"]).exits(0);
    repo.spec(["silly", "run", "explore", "--change", "csv"]).exits(0);
    repo
}

fn count(repo: &Repo, query: &str) -> i64 {
    let connection = Connection::open(repo.path(DATABASE)).expect("it can be opened");
    connection
        .query_row(query, [], |row| row.get(0))
        .expect("it can be read")
}

#[test]
fn two_programs_that_write_at_once_lose_nothing() {
    let repo = project();
    let python = "import sqlite3, sys\n\
                  for n in range(40):\n\
                  \x20   c = sqlite3.connect(sys.argv[1], timeout=20)\n\
                  \x20   c.execute('BEGIN IMMEDIATE')\n\
                  \x20   c.execute(\"INSERT INTO steps (stage_id, name, ordering) SELECT id, 'py' || ?, 1000 + ? FROM stages WHERE stage = 'scan'\", (n, n))\n\
                  \x20   c.commit(); c.close()\n";
    let mut other = repo
        .command("python3")
        .args(["-c", python])
        .arg(repo.path(DATABASE))
        .stdin(Stdio::null())
        .spawn()
        .expect("python3 can be started");
    let ours: Vec<_> = (0..2)
        .map(|writer| {
            let mut commands = Vec::new();
            for n in 0..10 {
                let mut command = repo.program();
                command.args(["silly", "progress", "add-step", "explore"]);
                command
                    .arg(format!("ours {writer} {n}"))
                    .args(["--change", "csv"]);
                commands.push(command);
            }
            std::thread::spawn(move || {
                for mut command in commands {
                    let out = command.output().expect("it can be started");
                    assert!(out.status.success(), "{out:?}");
                }
            })
        })
        .collect();
    for writer in ours {
        writer.join().expect("every call succeeds");
    }
    assert!(other.wait().expect("it ends").success());
    assert_eq!(
        count(&repo, "SELECT count(*) FROM steps WHERE name LIKE 'ours %'"),
        20
    );
    assert_eq!(
        count(&repo, "SELECT count(*) FROM steps WHERE name LIKE 'py%'"),
        40
    );
    assert_eq!(
        count(
            &repo,
            "SELECT count(DISTINCT ordering) FROM steps WHERE name LIKE 'ours %'"
        ),
        20,
        "each was added behind the last"
    );
}

#[test]
fn whoever_reads_the_file_as_a_whole_sees_everything() {
    let repo = project();
    for beside in ["-wal", "-shm", "-journal"] {
        assert!(!repo.exists(&format!("{DATABASE}{beside}")), "{beside}");
    }
    let bytes = std::fs::read(repo.path(DATABASE)).expect("it is there");
    assert_eq!(
        &bytes[16..20],
        [0x10, 0, 1, 1],
        "pages of 4096 bytes, no log beside the file"
    );
}

#[test]
fn a_killed_writer_leaves_all_or_nothing() {
    let whole = project();
    let before = count(&whole, "SELECT count(*) FROM steps");
    let mut died = 0;
    for point in 1..40 {
        let repo = project();
        let out = repo
            .program()
            .args(["silly", "run", "plan", "--change", "csv"])
            .env("GIT_SPEC_ABORT_AT", point.to_string())
            .output()
            .expect("it can be started");
        let steps = count(&repo, "SELECT count(*) FROM steps");
        assert!(
            steps == before || steps == before + 7,
            "{steps} steps after point {point}"
        );
        let sound: String = Connection::open(repo.path(DATABASE))
            .and_then(|c| c.query_row("PRAGMA integrity_check", [], |row| row.get(0)))
            .expect("it can be checked");
        assert_eq!(sound, "ok", "after point {point}");
        if out.status.success() {
            break;
        }
        died += 1;
        repo.spec(["silly", "run", "plan", "--change", "csv"]).exits(0);
        assert_eq!(count(&repo, "SELECT count(*) FROM steps"), before + 7);
        let gate = repo.exists(".sillyspec/.runtime/gate-status.json");
        assert!(!gate, "no change is executed");
    }
    assert!(died >= 4, "{died} points were passed");
}

#[test]
fn what_fails_in_the_middle_is_taken_back() {
    let repo = project();
    let before = count(&repo, "SELECT count(*) FROM steps");
    // The move of a folder that is not there is refused after the step was judged.
    repo.spec(["silly", "run", "archive", "--change", "csv"]).exits(0);
    repo.remove(".sillyspec/changes/csv");
    for _ in 0..3 {
        repo.write(".sillyspec/changes/csv/x.md", "author: a\ncreated_at: b\n");
        repo.spec(["silly", "run", "archive", "--done", "--change", "csv"])
            .exits(0);
    }
    let refused = repo.spec([
        "silly",
        "run",
        "archive",
        "--done",
        "--confirm",
        "--change",
        "csv",
    ]);
    assert!(refused.exits(1).stderr.contains("module-impact.md"));
    let pending = "SELECT count(*) FROM steps WHERE status = 'pending' AND name = '确认归档'";
    assert_eq!(count(&repo, pending), 1);
    assert_eq!(count(&repo, "SELECT count(*) FROM steps"), before + 5);
    let forced = [
        "silly",
        "run",
        "archive",
        "--done",
        "--confirm",
        "--force",
        "--change",
        "csv",
    ];
    repo.spec(forced).exits(0);
    assert_eq!(count(&repo, pending), 0);
    assert_eq!(
        count(&repo, "SELECT count(*) FROM changes WHERE status = 'archived'"),
        1
    );
}

#[test]
fn a_rejected_change_is_not_executed() {
    let repo = project();
    let connection = Connection::open(repo.path(DATABASE)).expect("it can be opened");
    let reject = "INSERT INTO approvals (change_id, status, rejection_reason) SELECT id, 'rejected', 'too wide' FROM changes";
    connection.execute(reject, []).expect("written");
    drop(connection);
    let out = repo.spec(["silly", "run", "execute", "--change", "csv"]).exits(1);
    assert!(out.stderr.contains("too wide"), "{out:?}");
    repo.spec(["silly", "run", "execute", "--change", "csv", "--skip-approval"])
        .exits(0);
}

#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let repo = Repo::without_git();
    let outside = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(outside.path(), repo.path(".sillyspec")).expect("a link");
    repo.spec(["silly", "init", "--tool", "cursor"]).exits(1);
    assert_eq!(std::fs::read_dir(outside.path()).expect("listed").count(), 0);
}

#[test]
fn reading_makes_nothing() {
    let repo = Repo::without_git();
    for words in [&["show"][..], &["status"], &["validate"]] {
        let _any = repo.spec([&["silly", "progress"], words].concat());
    }
    assert!(!repo.exists(".sillyspec"));
}
