//! `merge-driver` as git calls it: merge, rebase and cherry-pick in real repositories; told to git and taken back.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Out, Repo, Tolls};

/// The folder of the built program, where git finds it as `git-spec`.
fn with_program(command: &mut Command) -> &mut Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_git-spec"))
        .parent()
        .expect("it lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(all).expect("folders can be joined"))
}

#[track_caller]
fn git(repo: &Repo, args: &[&str]) -> Out {
    common::out(with_program(repo.command("git").args(args)), b"")
}

/// A repository whose clone knows the driver, with a branch `theirs` that changes the document in another way than main.
fn two_sides(ours: &str, theirs: &str) -> Tolls {
    let tolls = Tolls::new();
    tolls.spec(["merge-driver", "--install"]).exits(0);
    tolls.git(["switch", "-q", "-c", "theirs"]);
    tolls.write(Tolls::DOCUMENT, theirs);
    tolls.commit("Theirs");
    tolls.git(["switch", "-q", "main"]);
    tolls.write(Tolls::DOCUMENT, ours);
    tolls.commit("Ours");
    tolls
}

fn price(from: &str, to: &str) -> String {
    Tolls::CONTENT.replace(&format!("| {from} |"), &format!("| {to} |"))
}

#[test]
fn git_merges_rows_that_stand_next_to_each_other() {
    let both = Tolls::CONTENT
        .replace("| 5 |", "| 6 |")
        .replace("| 12 |", "| 14 |");
    for how in [
        &["merge", "-q", "--no-edit", "theirs"][..],
        &["rebase", "-q", "theirs"],
        &["cherry-pick", "theirs"],
    ] {
        let tolls = two_sides(&price("5", "6"), &price("12", "14"));
        git(&tolls, how).exits(0);
        assert_eq!(tolls.read(Tolls::DOCUMENT), both, "{how:?}");
        assert_eq!(tolls.git(["status", "--porcelain"]), "");
        tolls.fsck();
        // Without the driver the same is a conflict.
        let tolls = two_sides(&price("5", "6"), &price("12", "14"));
        tolls.spec(["merge-driver", "--uninstall"]).exits(0);
        assert_ne!(git(&tolls, how).code, 0, "{how:?}");
    }
}

#[test]
fn a_conflict_stands_around_the_row_and_git_shows_it_as_any_other() {
    let tolls = two_sides(&price("5", "6"), &price("5", "7"));
    let out = git(&tolls, &["merge", "--no-edit", "theirs"]).exits(1);
    let told = "conflict: both_changed logos/resources/test/core-01-test-cases.md :: UT-S01-01";
    assert!(out.stderr.contains(told), "{out:?}");
    let row = "<<<<<<< ours\n| UT-S01-01 | car | 6 |\n=======\n| UT-S01-01 | car | 7 |\n>>>>>>> theirs\n";
    assert_eq!(
        tolls.read(Tolls::DOCUMENT),
        Tolls::CONTENT.replace("| UT-S01-01 | car | 5 |\n", row)
    );
    assert!(tolls.git(["status", "--porcelain"]).starts_with("UU "));
    tolls.git(["config", "merge.conflictStyle", "diff3"]);
    tolls.git(["merge", "--abort"]);
    git(&tolls, &["merge", "--no-edit", "theirs"]).exits(1);
    assert!(
        tolls
            .read(Tolls::DOCUMENT)
            .contains("||||||| base\n| UT-S01-01 | car | 5 |\n")
    );
}

#[test]
fn telling_git_twice_is_telling_it_once_and_taking_it_back_restores_every_byte() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.png binary").write("a", "x");
    repo.commit("First");
    let config = repo.read(".git/config");
    let before = (config, repo.snapshot());
    for more in [&[][..], &["--attributes"]] {
        let run = |what: &str| {
            repo.spec([&["merge-driver", what], more].concat()).exits(0);
        };
        run("--install");
        let once = (repo.read(".git/config"), repo.snapshot());
        run("--install");
        assert_eq!((repo.read(".git/config"), repo.snapshot()), once);
        let path = "apps/tolls/logos/resources/test/a.md";
        let says = repo.git([
            "check-attr",
            "merge",
            "--",
            path,
            "a.md",
            "logos/changes/x/deltas/prd/a.md",
        ]);
        assert_eq!(
            says,
            format!(
                "{path}: merge: spec\na.md: merge: unspecified\nlogos/changes/x/deltas/prd/a.md: merge: spec\n"
            )
        );
        run("--uninstall");
        assert_eq!((repo.read(".git/config"), repo.snapshot()), before, "{more:?}");
        assert!(!repo.exists(".git/info/attributes"));
    }
}

#[test]
fn taking_it_back_finds_its_lines_in_both_places_and_leaves_a_driver_of_the_same_name() {
    let repo = Repo::new();
    repo.write("a", "x").commit("First");
    repo.git(["config", "merge.spec.driver", "mine %O %A %B"]);
    let before = (repo.read(".git/config"), repo.snapshot());
    repo.spec(["merge-driver", "--install", "--attributes"]).exits(0);
    repo.spec(["merge-driver", "--install"]).exits(0);
    assert!(
        repo.git(["config", "merge.spec.driver"])
            .starts_with("git-spec merge-driver ")
    );
    repo.spec(["merge-driver", "--uninstall"]).exits(0);
    assert_eq!((repo.read(".git/config"), repo.snapshot()), before);
    assert!(!repo.exists(".gitattributes") && !repo.exists(".git/info/attributes"));
}

#[test]
fn the_users_own_configuration_is_left_as_it_was() {
    let repo = Repo::without_git();
    let home = repo.home();
    std::fs::write(home.join(".gitconfig"), "[user]\n\tname = Ada\n").expect("a home can be written");
    repo.spec(["merge-driver", "--install", "--global"]).exits(0);
    let attributes = std::fs::read_to_string(home.join(".config/git/attributes")).expect("it is made");
    assert!(attributes.contains("**/logos/resources/**/*.md merge=spec"));
    repo.spec(["merge-driver", "--uninstall", "--global"]).exits(0);
    let config = std::fs::read_to_string(home.join(".gitconfig")).expect("it is there");
    assert_eq!(config, "[user]\n\tname = Ada\n");
    assert!(!home.join(".config/git/attributes").exists());
}

#[test]
fn what_cannot_be_done_stops_git_and_leaves_the_file() {
    let repo = Repo::without_git();
    repo.write("o", "# A\n")
        .write("a", "# A\nx\n")
        .write("b", "# A\ny\n");
    for words in [
        &["o", "a"][..],
        &["o", "a", "b", "x", "p.md"],
        &["o", "a", "b", "0", "p.md"],
        &["none", "a", "b", "7", "p.md"],
    ] {
        let out = repo.spec([&["merge-driver"], words].concat()).exits(129);
        assert!(out.stdout.is_empty() && !out.stderr.is_empty(), "{out:?}");
        assert_eq!(repo.read("a"), "# A\nx\n");
    }
    // A hostile path is told escaped, and taken for nothing else.
    let out = repo
        .spec(["merge-driver", "o", "a", "b", "7", "-x\n::error::\u{1b}[31m.md"])
        .exits(1);
    assert_eq!(out.stderr, "conflict: both_changed -x\\n::error::\\x1B[31m.md\n");
}

#[cfg(unix)]
#[test]
fn the_result_keeps_the_mode_of_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let repo = Repo::without_git();
    repo.write("o", "# A\n\nx\n")
        .write("a", "# A\n\ny\n")
        .write("b", "# A\n\nx\n\n## B\n\nz\n");
    let mode = || {
        std::fs::metadata(repo.path("a"))
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    std::fs::set_permissions(repo.path("a"), std::fs::Permissions::from_mode(0o640)).expect("ours");
    repo.spec(["merge-driver", "o", "a", "b", "7", "a.md"]).exits(0);
    assert_eq!(repo.read("a"), "# A\n\ny\n\n## B\n\nz\n");
    assert_eq!(mode(), 0o640);
}

const STATE: &str = ".planning/STATE.md";

const STATE_TEXT: &str = "\
---
msd_state_version: 1.0
status: executing
last_updated: \"2026-01-02T00:00:00.000Z\"
last_activity: 2026-01-02
state_head: 4f3c2b1a9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b
progress:
  total_phases: 5
  completed_phases: 1
  total_plans: 20
  completed_plans: 4
  percent: 20
---

# Project State

## Current Position

Phase: 2 of 5 (Mast)
Status: Executing Phase 2
Last activity: 2026-01-02
Progress: [██░░░░░░░░] 20%

### Decisions

- [Phase 1]: Oak — it bends
";

/// A repository whose clone knows the driver, with a branch `theirs` of another STATE.md than main's.
fn two_states(base: &[u8], ours: &[u8], theirs: &[u8]) -> Repo {
    let repo = Repo::new();
    repo.spec(["merge-driver", "--install"]).exits(0);
    repo.write(STATE, base).commit("First");
    repo.git(["switch", "-q", "-c", "theirs"]);
    repo.write(STATE, theirs).commit("Theirs");
    repo.git(["switch", "-q", "main"]);
    repo.write(STATE, ours).commit("Ours");
    repo
}

/// The state with some texts in place of others.
#[track_caller]
fn state(edits: &[(&str, &str)]) -> String {
    edits.iter().fold(STATE_TEXT.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    })
}

/// What a plan that was carried out leaves behind.
fn carried_out(time: &str, plans: u64, percent: u64, bar: &str, decision: &str, head: &str) -> String {
    state(&[
        ("2026-01-02T00:00:00.000Z", time),
        ("2026-01-02\n", &format!("{}\n", &time[..10])),
        ("state_head: 4f3c2b1a9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b\n", head),
        ("completed_plans: 4", &format!("completed_plans: {plans}")),
        ("  percent: 20", &format!("  percent: {percent}")),
        ("[██░░░░░░░░] 20%", bar),
        ("it bends\n", &format!("it bends\n{decision}")),
    ])
}

#[test]
fn two_plans_carried_out_on_two_branches_are_one_state() {
    let (tar, hemp) = (
        "- [Phase 2]: Tar — it holds\n",
        "- [Phase 2]: Hemp — it is cheap\n",
    );
    let ours = carried_out(
        "2026-01-03T10:00:00.000Z",
        5,
        20,
        "[██░░░░░░░░] 20%",
        tar,
        "state_head: aa\n",
    );
    let theirs = carried_out(
        "2026-01-04T10:00:00.000Z",
        6,
        20,
        "[██░░░░░░░░] 20%",
        hemp,
        "state_head: bb\n",
    );
    let both = format!("{hemp}{tar}");
    let expected = carried_out("2026-01-04T10:00:00.000Z", 7, 20, "[██░░░░░░░░] 20%", &both, "");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    for how in [
        &["merge", "-q", "--no-edit", "theirs"][..],
        &["rebase", "-q", "theirs"],
        &["cherry-pick", "theirs"],
    ] {
        for (ours, theirs) in [(&ours, &theirs), (&theirs, &ours)] {
            let repo = two_states(STATE_TEXT.as_bytes(), ours.as_bytes(), theirs.as_bytes());
            git(&repo, how).exits(0);
            assert_eq!(repo.read(STATE), expected, "{how:?}");
            assert_eq!(repo.git(["status", "--porcelain"]), "");
        }
    }
    let repo = two_states(
        crlf(STATE_TEXT).as_bytes(),
        crlf(&ours).as_bytes(),
        crlf(&theirs).as_bytes(),
    );
    git(&repo, &["merge", "-q", "--no-edit", "theirs"]).exits(0);
    assert_eq!(repo.read(STATE), crlf(&expected));
    // Without the driver the same is a conflict.
    let repo = two_states(STATE_TEXT.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    repo.spec(["merge-driver", "--uninstall"]).exits(0);
    git(&repo, &["merge", "-q", "--no-edit", "theirs"]).exits(1);
}

#[test]
fn two_statuses_of_a_state_are_a_conflict_of_that_key_alone() {
    let ours = state(&[
        ("status: executing", "status: verifying"),
        ("it bends\n", "it bends\n- ours\n"),
    ]);
    let theirs = state(&[
        ("status: executing", "status: paused"),
        ("it bends\n", "it bends\n- theirs\n"),
    ]);
    let repo = two_states(STATE_TEXT.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    let out = git(&repo, &["merge", "--no-edit", "theirs"]).exits(1);
    assert_eq!(out.stderr, format!("conflict: both_changed {STATE} :: status\n"));
    let marked = "<<<<<<< ours\nstatus: verifying\n=======\nstatus: paused\n>>>>>>> theirs\n";
    let expected = state(&[
        ("status: executing\n", marked),
        ("it bends\n", "it bends\n- ours\n- theirs\n"),
    ]);
    assert_eq!(repo.read(STATE), expected);
    assert_eq!(repo.git(["status", "--porcelain"]), format!("UU {STATE}\n"));
}

#[test]
fn a_state_of_a_project_below_the_top_is_merged_so_too_and_one_elsewhere_is_not() {
    let at = |path: &str| {
        let repo = Repo::new();
        repo.spec(["merge-driver", "--install"]).exits(0);
        let stamped = |time: &str| state(&[("2026-01-02T00:00:00.000Z", time)]);
        repo.write(path, STATE_TEXT).commit("First");
        repo.git(["switch", "-q", "-c", "theirs"]);
        repo.write(path, stamped("2026-01-03T00:00:00.000Z"))
            .commit("Theirs");
        repo.git(["switch", "-q", "main"]);
        repo.write(path, stamped("2026-01-04T00:00:00.000Z"))
            .commit("Ours");
        git(&repo, &["merge", "-q", "--no-edit", "theirs"]).code
    };
    assert_eq!(at("apps/tolls/.planning/STATE.md"), 0);
    assert_eq!(at("logos/resources/STATE.md"), 1);
}

#[test]
fn a_state_that_is_no_text_or_too_long_is_left_to_git() {
    let with = |text: &[u8], more: &[u8]| [text, more].concat();
    let base = STATE_TEXT.as_bytes();
    let (ours, theirs) = (with(base, b"\0ours\n"), with(base, b"\0theirs\n"));
    let repo = two_states(base, &ours, &theirs);
    let out = git(&repo, &["merge", "--no-edit", "theirs"]).exits(1);
    assert_eq!(out.stderr, format!("conflict: binary {STATE}\n"));
    assert_eq!(std::fs::read(repo.path(STATE)).expect("it is there"), ours);
    // By lines, two entries at one place are a conflict; so are two stamps.
    let (ours, theirs) = (with(base, b"- \xff ours\n"), with(base, b"- \xff theirs\n"));
    let repo = two_states(base, &ours, &theirs);
    git(&repo, &["merge", "-q", "--no-edit", "theirs"]).exits(1);
    let text = std::fs::read(repo.path(STATE)).expect("it is there");
    assert!(text.ends_with(b"<<<<<<< ours\n- \xff ours\n=======\n- \xff theirs\n>>>>>>> theirs\n"));
    // The longest text that is merged by its entries, and one that is a byte longer.
    for (longest, code) in [(8 << 20, 0), ((8 << 20) + 1, 1)] {
        let heading = "\n## Long\n\n";
        let room = longest - STATE_TEXT.len() - heading.len() - "- theirs\n".len();
        let fill = ["x".repeat(99), "\n".to_owned()].concat().repeat(room / 100);
        let long = format!("{STATE_TEXT}{heading}{fill}{}\n", "y".repeat(room % 100 - 1));
        let entry = |entry: &str| long.replace("it bends\n", &format!("it bends\n{entry}"));
        let (ours, theirs) = (entry("- ours\n"), entry("- theirs\n"));
        assert_eq!(theirs.len(), longest);
        let repo = two_states(long.as_bytes(), ours.as_bytes(), theirs.as_bytes());
        assert_eq!(git(&repo, &["merge", "-q", "--no-edit", "theirs"]).code, code);
    }
}
