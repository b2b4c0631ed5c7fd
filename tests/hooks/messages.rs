//! `commit-msg` and `post-merge` (git.md 3.1).

use crate::common::Tolls;
use crate::{git_in, spec_in};

fn with_hooks() -> Tolls {
    let tolls = Tolls::new();
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    tolls
}

fn message(tolls: &Tolls) -> String {
    tolls.git(["log", "-1", "--format=%B"]).trim_end().to_owned()
}

#[test]
fn a_commit_about_one_change_says_so() {
    let tolls = with_hooks();
    tolls.change("car-price", &[]);
    assert_eq!(message(&tolls), "Propose car-price\n\nSpec-Change: car-price");
    tolls.write("logos/changes/car-price/note.md", "x\n");
    tolls.commit("Note\n\nIssue: 3");
    assert_eq!(message(&tolls), "Note\n\nIssue: 3\nSpec-Change: car-price");
    tolls.write("logos/changes/car-price/note.md", "y\n");
    tolls.commit("Note\n\nSpec-Change: another");
    assert_eq!(message(&tolls), "Note\n\nSpec-Change: another");
    // Before what a mailer leaves out, and found there again.
    tolls.write("logos/changes/car-price/note.md", "x\n");
    tolls.commit("Note\n\n---\nnotes");
    assert_eq!(message(&tolls), "Note\n\nSpec-Change: car-price\n\n---\nnotes");
    tolls.git(["commit", "-q", "--amend", "--no-edit"]);
    assert_eq!(message(&tolls), "Note\n\nSpec-Change: car-price\n\n---\nnotes");
    tolls.write("README.md", "x\n");
    tolls.commit("Nothing of a change");
    assert_eq!(message(&tolls), "Nothing of a change");
    tolls.change("lorry-price", &[]);
    tolls.write("logos/changes/car-price/note.md", "z\n");
    tolls.write("logos/changes/lorry-price/note.md", "z\n");
    tolls.commit("Two of them");
    assert_eq!(message(&tolls), "Two of them");
    tolls.git(["mv", "logos/changes/lorry-price", "logos/lorry-price"]);
    std::fs::create_dir_all(tolls.path("logos/changes/archive")).expect("a folder can be made");
    tolls.git([
        "mv",
        "logos/lorry-price",
        "logos/changes/archive/20260102-0304-lorry-price",
    ]);
    tolls.commit("Archive");
    assert_eq!(message(&tolls), "Archive\n\nSpec-Change: lorry-price");
}

#[test]
fn some_messages_are_left_alone() {
    let tolls = with_hooks();
    tolls.change("car-price", &[]);
    for subject in ["fixup! x", "squash! x", "amend! x"] {
        tolls.write("logos/changes/car-price/note.md", subject);
        tolls.commit(subject);
        assert_eq!(message(&tolls), subject);
    }
    for (value, subject) in [("false", "Off"), ("no", "Off too"), ("nope", "Not told")] {
        tolls.git(["config", "spec.trailer", value]);
        tolls.write("logos/changes/car-price/note.md", subject);
        tolls.commit(subject);
        assert_eq!(message(&tolls), subject);
    }
    tolls.git(["config", "spec.trailer", "true"]);
    // Comments stay last, and an aborted commit stays aborted.
    tolls.write("logos/changes/car-price/note.md", "editor\n");
    tolls.git(["add", "-A"]);
    let mut commit = tolls.command("git");
    commit.args([
        "-c",
        "core.editor=printf 'By hand\\n\\n# a comment\\n' >",
        "commit",
        "-q",
    ]);
    crate::common::out(&mut commit, b"").exits(0);
    assert_eq!(message(&tolls), "By hand\n\nSpec-Change: car-price");
    tolls.write("logos/changes/car-price/note.md", "aborted\n");
    tolls.git(["add", "-A"]);
    let mut commit = tolls.command("git");
    commit.args(["-c", "core.editor=printf '# nothing\\n' >", "commit", "-q"]);
    crate::common::out(&mut commit, b"").exits(1);
}

#[test]
fn what_came_with_a_merge_is_told() {
    let tolls = with_hooks();
    tolls.git(["switch", "-qc", "theirs"]);
    tolls.change("lorry-price", &[(Tolls::DELTA, &Tolls::prices("5", "14", "0"))]);
    tolls.spec(["merge", "lorry-price"]).exits(0);
    tolls.spec(["archive", "lorry-price"]).exits(0);
    tolls.change("bus-price", &[]);
    tolls.git(["switch", "-q", "main"]);
    spec_in(&tolls, tolls.root(), &["worktree", "add", "lorry-price"]);
    let out = git_in(&tolls, tolls.root(), &["merge", "-q", "--no-edit", "theirs"]).exits(0);
    assert!(
        out.stderr
            .contains("may go: `git spec worktree remove lorry-price`"),
        "{out:?}"
    );
    for told in [
        "git-spec: new changes: bus-price\n",
        "git-spec: merged: lorry-price\n",
        "git-spec: archived: lorry-price\n",
    ] {
        assert!(out.stderr.contains(told), "{out:?}");
    }
    let tolls = with_hooks();
    tolls.git(["switch", "-qc", "theirs"]);
    let section = "## ADDED — More\n\n| ID | Title | Expected |\n|---|---|---|\n| UT-S01-09 | bus | 9 |\n";
    tolls.change("bus", &[("test/core-02-test-cases.md", section)]);
    tolls.git(["switch", "-q", "main"]);
    tolls.change("coach", &[("test/core-03-test-cases.md", section)]);
    let out = git_in(&tolls, tolls.root(), &["merge", "-q", "--no-edit", "theirs"]);
    assert!(out.stderr.contains("UT-S01-09"), "{out:?}");
}

#[test]
fn folders_that_are_no_project_have_no_changes() {
    let tolls = with_hooks();
    tolls.git(["switch", "-qc", "theirs"]);
    for folder in ["docs", "vendor/lib", "a/b/c/d/e"] {
        tolls.write(&format!("{folder}/logos/changes/stray/proposal.md"), "# x\n");
    }
    tolls.write("vendor/lib/logos/logos.config.json", "{}\n");
    tolls.commit("Strays");
    assert_eq!(message(&tolls), "Strays");
    for name in ["logos.config.json", "logos-project.yaml"] {
        tolls.write(
            &format!("apps/tolls/logos/{name}"),
            tolls.read(&format!("logos/{name}")),
        );
    }
    tolls.write(
        "apps/tolls/logos/changes/inner/proposal.md",
        "# x\n\n> module: core\n",
    );
    tolls.commit("One of a project within");
    assert_eq!(message(&tolls), "One of a project within\n\nSpec-Change: inner");
    tolls.git(["switch", "-q", "main"]);
    let out = git_in(&tolls, tolls.root(), &["merge", "-q", "--no-edit", "theirs"]).exits(0);
    assert_eq!(out.stderr, "git-spec: new changes: inner\n");
}
