//! `pre-push` (git.md 3.4).

use std::path::PathBuf;

use crate::common::{Out, Tolls};
use crate::{edited, git_in, spec_in};

/// A clone with hooks, and the bare repository it pushes to.
struct Clone {
    tolls: Tolls,
    bare: PathBuf,
}

impl Clone {
    fn new() -> Self {
        let tolls = Tolls::new();
        let bare = tolls.root().with_file_name("bare.git");
        tolls.git(["clone", "-q", "--bare", ".", &bare.display().to_string()]);
        tolls.git(["remote", "add", "origin", &bare.display().to_string()]);
        tolls.git(["fetch", "-q", "origin"]);
        tolls.git(["remote", "set-head", "origin", "main"]);
        spec_in(&tolls, tolls.root(), &["hooks", "install"]);
        Self { tolls, bare }
    }

    fn push(&self, args: &[&str]) -> Out {
        git_in(
            &self.tolls,
            self.tolls.root(),
            &[&["push", "-q", "origin"], args].concat(),
        )
    }

    /// Commits an edit that no hook has seen.
    fn bad_commit(&self, n: usize) {
        self.tolls
            .write(Tolls::DOCUMENT, edited().replace("| 6 |", &format!("| 6{n} |")));
        self.tolls.git(["commit", "-qam", "Edit", "--no-verify"]);
    }
}

#[test]
fn what_the_remote_lacks_is_judged() {
    let clone = Clone::new();
    clone.tolls.write("README.md", "x\n");
    clone.tolls.commit("Good");
    clone.push(&["main"]).exits(0);
    clone.bad_commit(1);
    let out = clone.push(&["main"]).exits(1);
    assert!(
        out.stderr.contains("error[document_edited]") && out.stderr.contains("git spec check "),
        "{out:?}"
    );
    let head = clone.tolls.git(["rev-parse", "HEAD"]);
    assert!(out.stderr.contains(&head[..12]), "{out:?}");
    // A new branch, beside a good one, and what is not pushed.
    clone.push(&["HEAD~1:refs/heads/good"]).exits(0);
    clone
        .push(&["main:refs/heads/new", "HEAD~1:refs/heads/good2"])
        .exits(1);
    assert_eq!(
        git_in(&clone.tolls, &clone.bare, &["branch", "--list", "new"]).stdout,
        ""
    );
    clone.push(&["--delete", "good"]).exits(0);
    // In the middle, and undone.
    clone.tolls.git(["revert", "--no-edit", "HEAD"]);
    clone.push(&["main"]).exits(1);
    clone.tolls.git(["config", "spec.judge", "result"]);
    clone.push(&["main"]).exits(0);
}

#[test]
fn tags_and_other_references() {
    let clone = Clone::new();
    clone.tolls.git(["tag", "v1"]);
    clone.push(&["v1"]).exits(0);
    clone.bad_commit(1);
    clone.tolls.git(["tag", "-a", "-m", "x", "v2"]);
    clone.push(&["v2"]).exits(1);
    clone.push(&["HEAD:refs/for/main"]).exits(1);
    clone.push(&["HEAD:refs/notes/x"]).exits(0);
    let blob = clone
        .tolls
        .git(["rev-parse", &format!("HEAD:{}", Tolls::DOCUMENT)]);
    clone.tolls.git(["tag", "blob", blob.trim()]);
    let out = clone.push(&["blob"]).exits(0);
    assert!(out.stderr.contains("no commit"), "{out:?}");
}

#[test]
fn a_forced_push_is_a_push() {
    let clone = Clone::new();
    clone.tolls.write("README.md", "x\n");
    clone.tolls.commit("Good");
    clone.push(&["main"]).exits(0);
    clone.tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    clone.tolls.write("README.md", "y\n");
    clone.tolls.commit("Other");
    clone.push(&["-f", "main"]).exits(0);
    clone.tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    clone.bad_commit(1);
    clone.push(&["-f", "main"]).exits(1);
    // The remote has moved to where we do not know it.
    let other = clone.tolls.root().with_file_name("other");
    clone.tolls.git([
        "clone",
        "-q",
        &clone.bare.display().to_string(),
        &other.display().to_string(),
    ]);
    git_in(
        &clone.tolls,
        &other,
        &["commit", "-q", "--allow-empty", "-m", "Elsewhere"],
    )
    .exits(0);
    git_in(&clone.tolls, &other, &["push", "-q"]).exits(0);
    clone.tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    let out = clone.push(&["-f", "main"]).exits(0);
    assert!(out.stderr.contains("git fetch origin"), "{out:?}");
}

#[test]
fn lines_of_another_form_are_refused_by_number() {
    let clone = Clone::new();
    let zeros = "0".repeat(40);
    let out = clone.tolls.spec_reading(
        format!("HEAD {zeros} refs/heads/x {zeros}\nx\n"),
        ["hook", "pre-push", "origin", "url"],
    );
    assert_eq!(out.code, 1);
    assert!(out.stderr.contains("line 2"), "{out:?}");
    clone
        .tolls
        .spec_reading("", ["hook", "pre-push", "origin", "url"])
        .exits(0);
    let out = clone.tolls.spec(["hook", "pre-nothing"]).exits(1);
    assert!(out.stderr.contains("pre-nothing"), "{out:?}");
}

#[test]
fn the_pre_commit_framework_tells_one_range() {
    let clone = Clone::new();
    clone.bad_commit(1);
    let run = |from: &str| {
        let mut command = clone.tolls.program();
        let head = clone.tolls.git(["rev-parse", "HEAD"]);
        command
            .args(["hook", "pre-push"])
            .env("PRE_COMMIT_FROM_REF", from);
        command
            .env("PRE_COMMIT_TO_REF", head.trim())
            .env("PRE_COMMIT_REMOTE_NAME", "origin");
        crate::common::out(&mut command, b"")
    };
    let base = clone.tolls.git(["rev-parse", "HEAD~1"]);
    assert!(run(base.trim()).exits(1).stderr.contains("document_edited"));
}
