//! `pre-commit` and `pre-merge-commit`: what is to be committed is judged, whatever the work tree holds (U13).

use crate::common::Tolls;
use crate::{edited, git_in, spec_in};

fn with_hooks() -> Tolls {
    let tolls = Tolls::new();
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    tolls
}

/// Files that no commit of a test is about.
fn unrelated(tolls: &Tolls) {
    tolls.write("notes/own.txt", "1\n");
    tolls.git(["add", "-A"]);
    tolls.git(["commit", "-qm", "Notes"]);
    tolls
        .write("notes/own.txt", "unstaged\n")
        .write("notes/new.txt", "untracked\n");
}

#[test]
fn u13_the_content_to_be_committed_decides() {
    let tolls = with_hooks();
    unrelated(&tolls);
    // Bad in the index, good in the work tree.
    tolls.write(Tolls::DOCUMENT, edited());
    tolls.git(["add", Tolls::DOCUMENT]);
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT);
    let before = tolls.snapshot();
    git_in(&tolls, tolls.root(), &["commit", "-qm", "x"]).exits(1);
    assert_eq!(tolls.snapshot(), before);
    // Good in the index, bad in the work tree.
    tolls.git(["add", Tolls::DOCUMENT]);
    tolls.write("README.md", "x\n");
    tolls.git(["add", "README.md"]);
    tolls.write(Tolls::DOCUMENT, edited());
    git_in(&tolls, tolls.root(), &["commit", "-qm", "x"]).exits(0);
    assert_eq!(tolls.read(Tolls::DOCUMENT), edited());
    assert_eq!(tolls.read("notes/own.txt"), "unstaged\n");
    assert_eq!(tolls.read("notes/new.txt"), "untracked\n");
}

#[test]
fn u13_every_form_of_commit_is_judged() {
    let tolls = with_hooks();
    unrelated(&tolls);
    tolls.write("README.md", "x\n");
    tolls.git(["add", "README.md"]);
    tolls.write(Tolls::DOCUMENT, edited());
    let before = tolls.snapshot();
    for (args, code) in [
        (&["commit", "-qam", "x"][..], 1),
        (&["commit", "-qm", "x", "--", Tolls::DOCUMENT], 1),
        (&["commit", "-qm", "x", "--include", Tolls::DOCUMENT], 1),
    ] {
        git_in(&tolls, tolls.root(), args).exits(code);
        assert_eq!(tolls.snapshot(), before, "{args:?}");
    }
    // From a sub-folder, a single hunk, and another file alone.
    git_in(&tolls, &tolls.path("logos"), &["commit", "-qam", "x"]).exits(1);
    let mut patch = tolls.command("git");
    crate::common::out(patch.args(["commit", "-qpm", "x", "--", Tolls::DOCUMENT]), b"y\n").exits(1);
    assert_eq!(tolls.snapshot(), before);
    git_in(&tolls, tolls.root(), &["commit", "-qm", "x", "--", "README.md"]).exits(0);
    // Going round it is git's own.
    git_in(&tolls, tolls.root(), &["commit", "-qam", "x", "--no-verify"]).exits(0);
}

#[test]
fn u13_a_linked_work_tree_has_an_index_of_its_own() {
    let tolls = with_hooks();
    let other = tolls.root().with_file_name("other");
    tolls.git(["worktree", "add", "-q", "--detach", &other.display().to_string()]);
    tolls.write(Tolls::DOCUMENT, edited());
    tolls.git(["add", "-A"]);
    std::fs::write(other.join("README.md"), "x\n").expect("it can be written");
    git_in(&tolls, &other, &["add", "-A"]).exits(0);
    git_in(&tolls, &other, &["commit", "-qm", "x"]).exits(0);
    git_in(&tolls, tolls.root(), &["commit", "-qm", "x"]).exits(1);
}

#[test]
fn u13_an_amended_commit_counts_against_its_parent() {
    let tolls = with_hooks();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    // The merge, amended: against itself it would be an edit.
    tolls.write("logos/changes/car-price/note.md", "x\n");
    tolls.git(["add", "-A"]);
    git_in(&tolls, tolls.root(), &["commit", "-q", "--amend", "--no-edit"]).exits(0);
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT);
    git_in(&tolls, tolls.root(), &["commit", "-qa", "--amend", "--no-edit"]).exits(1);
}

#[test]
fn u13_a_merge_is_judged_as_one() {
    let tolls = with_hooks();
    tolls.git(["switch", "-qc", "theirs"]);
    tolls.change("lorry-price", &[(Tolls::DELTA, &Tolls::prices("5", "14", "0"))]);
    tolls.spec(["merge", "lorry-price"]).exits(0);
    tolls.git(["switch", "-q", "main"]);
    tolls.write("README.md", "x\n");
    tolls.commit("Ours");
    git_in(&tolls, tolls.root(), &["merge", "-q", "--no-edit", "theirs"]).exits(0);
    assert_eq!(
        tolls
            .git(["rev-list", "--parents", "-1", "HEAD"])
            .split_whitespace()
            .count(),
        3
    );
    // The same, their edit left out: by pre-merge-commit, and by pre-commit when the merge is ended by hand.
    tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    git_in(
        &tolls,
        tolls.root(),
        &["merge", "-q", "--no-edit", "-s", "ours", "theirs"],
    )
    .exits(1);
    tolls.git(["merge", "--abort"]);
    git_in(
        &tolls,
        tolls.root(),
        &["merge", "-q", "--no-commit", "--no-ff", "theirs"],
    )
    .exits(0);
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT);
    tolls.git(["add", "-A"]);
    git_in(&tolls, tolls.root(), &["commit", "-q", "--no-edit"]).exits(1);
}

#[test]
fn our_own_commits_pass() {
    let tolls = with_hooks();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    for command in ["merge", "archive"] {
        tolls.spec([command, "car-price"]).exits(0);
    }
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
    tolls.fsck();
}

#[test]
fn a_hook_may_be_turned_off_in_the_configuration_and_nowhere_else() {
    let tolls = with_hooks();
    tolls.write(Tolls::DOCUMENT, edited());
    tolls.write("logos/git-spec.config", "[spec \"hook\"]\n\tpre-commit = off\n");
    tolls.git(["add", "-A"]);
    git_in(&tolls, tolls.root(), &["commit", "-qm", "x"]).exits(1);
    tolls.git(["config", "spec.hook.pre-commit", "off"]);
    let status = tolls.spec(["hooks", "status"]).exits(0);
    assert!(status.stdout.contains("pre-commit        off"), "{status:?}");
    git_in(&tolls, tolls.root(), &["commit", "-qm", "x"]).exits(0);
}

#[test]
fn a_repository_without_a_project_is_none_of_its_business() {
    let repo = crate::common::Repo::new();
    spec_in(&repo, repo.root(), &["hooks", "install"]);
    repo.write("logos/notes.md", "<<<<<<< a\n>>>>>>> b\n");
    repo.git(["add", "-A"]);
    let out = git_in(&repo, repo.root(), &["commit", "-qm", "First of all"]).exits(0);
    assert_eq!(out.stderr, "");
}

#[test]
fn many_findings_are_counted() {
    let tolls = with_hooks();
    for n in 0..30 {
        tolls.write(&format!("logos/resources/api/core-{n:02}.md"), "# a\n");
    }
    tolls.git(["add", "-A"]);
    let out = git_in(&tolls, tolls.root(), &["commit", "-qm", "x"]).exits(1);
    assert_eq!(
        out.stderr.matches("error[document_edited]").count(),
        20,
        "{out:?}"
    );
    assert!(out.stderr.contains("10 more findings"), "{out:?}");
}

#[test]
fn u13_a_hook_that_is_killed_has_touched_nothing() {
    let tolls = with_hooks();
    tolls.change("car-price", &[]);
    unrelated(&tolls);
    tolls.write("logos/changes/car-price/note.md", "x\n");
    tolls.git(["add", "logos"]);
    tolls.write(Tolls::DOCUMENT, edited());
    let config = tolls.read(".git/config");
    let before = tolls.snapshot();
    // At every step of writing the message: the commit is not made, or made with the message as it was.
    let head = tolls.git(["rev-parse", "HEAD"]);
    for at in 1.. {
        let mut commit = tolls.command("git");
        commit
            .args(["commit", "-qm", "Note"])
            .env("GIT_SPEC_ABORT_AT", at.to_string());
        let out = crate::common::out(&mut commit, b"");
        if out.code == 0 {
            assert!(at > 1, "nothing was killed");
            break;
        }
        assert_eq!(tolls.snapshot(), before, "{at}");
        assert!(at < 100, "{out:?}");
    }
    tolls.git(["reset", "-q", "--soft", head.trim()]);
    // And at any moment of judging.
    for millis in [0, 1, 2, 4, 8, 16] {
        let mut hook = tolls.program();
        hook.args(["hook", "pre-commit"])
            .stderr(std::process::Stdio::null());
        let mut child = hook.spawn().expect("the program can be started");
        std::thread::sleep(std::time::Duration::from_millis(millis));
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        assert_eq!(tolls.snapshot(), before, "{millis}");
        assert_eq!(tolls.read(".git/config"), config);
    }
}
