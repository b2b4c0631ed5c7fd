//! `pre-receive` in a bare repository: nothing that is refused gets in (git.md 3.5).

use std::path::PathBuf;

use crate::common::{Out, Tolls};
use crate::{edited, git_in, spec_in};

const REGISTRY: &str = "logos/logos-project.yaml";

/// A clone without hooks, and the bare repository that judges what it is sent.
struct Server {
    tolls: Tolls,
    bare: PathBuf,
}

impl Server {
    fn new() -> Self {
        let tolls = Tolls::new();
        let bare = tolls.root().with_file_name("bare.git");
        tolls.git(["clone", "-q", "--bare", ".", &bare.display().to_string()]);
        tolls.git(["remote", "add", "origin", &bare.display().to_string()]);
        spec_in(&tolls, &bare, &["hooks", "install"]);
        Self { tolls, bare }
    }

    fn push(&self, args: &[&str]) -> Out {
        git_in(
            &self.tolls,
            self.tolls.root(),
            &[&["push", "-q", "origin"], args].concat(),
        )
    }

    #[track_caller]
    fn refuses(&self, args: &[&str], why: &str) {
        let refs = || git_in(&self.tolls, &self.bare, &["for-each-ref"]).stdout;
        let before = refs();
        let out = self.push(args).exits(1);
        assert!(out.stderr.contains(why), "{out:?}");
        assert_eq!(refs(), before);
        let fsck = git_in(&self.tolls, &self.bare, &["fsck", "--strict", "--no-dangling"]);
        assert_eq!(fsck.code, 0, "{fsck:?}");
        let left = std::fs::read_dir(self.bare.join("objects")).expect("it is there");
        let left = left.filter(|entry| {
            let name = entry.as_ref().map(std::fs::DirEntry::file_name);
            name.is_ok_and(|name| name.to_string_lossy().contains("incoming"))
        });
        assert_eq!(left.count(), 0);
    }

    fn edit(&self) {
        self.tolls.write(Tolls::DOCUMENT, edited());
        self.tolls.commit("Edit");
    }
}

#[test]
fn the_life_of_a_change_gets_in() {
    let server = Server::new();
    server
        .tolls
        .change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    server.push(&["main"]).exits(0);
    server.tolls.spec(["merge", "car-price"]).exits(0);
    server.tolls.spec(["archive", "car-price"]).exits(0);
    server.push(&["main"]).exits(0);
    assert_eq!(
        git_in(&server.tolls, &server.bare, &["rev-parse", "main"]).stdout,
        server.tolls.git(["rev-parse", "main"])
    );
}

#[test]
fn a_direct_edit_gets_in_by_no_way() {
    let edited = "error[document_edited]";
    let server = Server::new();
    server.edit();
    server.refuses(&["main"], edited);
    server.refuses(&["main:refs/heads/new"], edited);
    server.refuses(&["main:refs/tags/v1"], edited);
    server.refuses(&["HEAD~1:refs/heads/good", "main"], edited);
    server.tolls.git(["revert", "--no-edit", "HEAD"]);
    server.refuses(&["main"], edited);
    // Only in a merge commit.
    server.tolls.git(["reset", "-q", "--hard", "HEAD~2"]);
    server.tolls.git(["switch", "-qc", "side"]);
    server.tolls.write("README.md", "x\n");
    server.tolls.commit("Side");
    server.tolls.git(["switch", "-q", "main"]);
    server.tolls.write("OTHER.md", "x\n");
    server.tolls.commit("Main");
    server.tolls.git(["merge", "-q", "--no-commit", "side"]);
    server.tolls.write(Tolls::DOCUMENT, crate::edited());
    server.tolls.commit("Evil");
    server.refuses(&["main"], edited);
    // Forced.
    server.tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    server.push(&["main"]).exits(0);
    server.tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    server.edit();
    server.refuses(&["-f", "main"], edited);
}

#[test]
fn what_is_pushed_has_no_say() {
    let server = Server::new();
    server.tolls.write(
        "logos/git-spec.config",
        "[spec \"rule\"]\n\tdocuments = off\n\tmarkers = off\n",
    );
    server.edit();
    server.refuses(&["main"], "error[document_edited]");
    server.tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    let registry = server.tolls.read(REGISTRY);
    server
        .tolls
        .write(REGISTRY, registry.replace("launched", "initial"));
    server.tolls.write(Tolls::DOCUMENT, edited());
    server.tolls.commit("In one commit");
    server.refuses(&["main"], "error[module_unlaunched]");
    server.refuses(&["main:refs/heads/new"], "error[module_unlaunched]");
    server.tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    server
        .tolls
        .write(REGISTRY, registry.replace("launched", "initial"));
    server.tolls.commit("In two");
    server.edit();
    server.refuses(&["main"], "error[module_unlaunched]");
}

#[test]
fn a_forged_marker_does_not_help() {
    let server = Server::new();
    server
        .tolls
        .change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    server.push(&["main"]).exits(0);
    server.tolls.write(
        "logos/changes/car-price/SPEC_MERGED",
        "{\"type\": \"spec_merged\"}\n",
    );
    server
        .tolls
        .write(Tolls::DOCUMENT, Tolls::CONTENT.replace("| 5 |", "| 666 |"));
    server.tolls.commit("Merge, more or less");
    server.refuses(&["main"], "error[merge_replay_mismatch]");
}

#[test]
fn the_receiver_says_what_may_go_and_be_rewritten() {
    let server = Server::new();
    let config = |key: &str, value: &str| {
        git_in(
            &server.tolls,
            &server.bare,
            &["config", &format!("spec.receive.{key}"), value],
        )
        .exits(0);
    };
    server.push(&["main:refs/heads/a", "main:refs/heads/b"]).exits(0);
    server.push(&["--delete", "a"]).exits(0);
    config("deletions", "deny-default");
    git_in(
        &server.tolls,
        &server.bare,
        &["config", "receive.denyDeleteCurrent", "ignore"],
    )
    .exits(0);
    server.refuses(&["--delete", "main"], "spec.receive.deletions");
    config("deletions", "deny");
    server.refuses(&["--delete", "b"], "spec.receive.deletions");
    server.refuses(&["main:refs/spec/rescue/x"], "spec.receive.internal");
    config("internal", "allow");
    server.push(&["main:refs/spec/rescue/x"]).exits(0);
    server.tolls.write("README.md", "x\n");
    server.tolls.commit("One");
    server.push(&["main"]).exits(0);
    config("rewrites", "deny");
    server.tolls.git(["commit", "-q", "--amend", "-m", "Two"]);
    server.refuses(&["-f", "main"], "spec.receive.rewrites");
    config("rewrites", "allow");
    server.push(&["-f", "main"]).exits(0);
    // A word or number that is none lets nobody pass.
    server.push(&["main:refs/heads/c"]).exits(0);
    config("deletions", "deney");
    server.refuses(&["--delete", "c"], "`spec.receive.deletions`: `deney` is not");
    config("maxCommits", "many");
    server.tolls.write("README.md", "0");
    server.tolls.commit("0");
    server.refuses(&["main"], "`spec.receive.maxCommits`: `many` is not a number");
    config("maxCommits", "1");
    for n in ["1", "2"] {
        server.tolls.write("README.md", n);
        server.tolls.commit(n);
    }
    server.refuses(&["main"], "spec.receive.maxCommits");
}

#[test]
fn a_line_about_another_branch_hides_none() {
    let server = Server::new();
    server.push(&["main:refs/heads/aaa"]).exits(0);
    server.tolls.git(["switch", "-qc", "easy"]);
    server
        .tolls
        .write("logos/git-spec.config", "[spec \"rule\"]\n\tdocuments = off\n");
    server.tolls.commit("Easy");
    server.push(&["easy"]).exits(0);
    server.edit();
    server.push(&["easy"]).exits(0);
    server.refuses(&["easy:main"], "error[document_edited]");
    server.refuses(&["easy:aaa", "easy:main"], "error[document_edited]");
}

#[test]
fn a_policy_of_one_branch_is_not_that_of_another() {
    let server = Server::new();
    server.tolls.git(["switch", "-qc", "free"]);
    server
        .tolls
        .write("logos/git-spec.config", "[spec \"rule\"]\n\tdocuments = off\n");
    server.tolls.commit("Free here");
    server.push(&["free"]).exits(0);
    server.edit();
    server.push(&["free"]).exits(0);
    // In a push of its own, when all of it is there already, and together with one more.
    server.refuses(&["free:main"], "error[document_edited]");
    server
        .tolls
        .write(Tolls::DOCUMENT, Tolls::CONTENT.replace("| 12 |", "| 13 |"));
    server.tolls.commit("Another edit");
    server.refuses(&["free", "free:main"], "error[document_edited]");
}

#[test]
fn a_new_repository_takes_a_first_push_and_names_that_bite() {
    let tolls = Tolls::new();
    let bare = tolls.root().with_file_name("a b\u{e4}.git");
    tolls.git(["init", "-q", "--bare", &bare.display().to_string()]);
    spec_in(&tolls, &bare, &["hooks", "install"]);
    tolls.git(["remote", "add", "origin", &bare.display().to_string()]);
    tolls.git(["push", "-q", "origin", "main"]);
    let name = "logos/resources/api/core-\n::error::x\u{1b}[31m.md";
    tolls.write(name, "# a\n");
    tolls.commit("Hostile\n\nSpec-Change: \u{1b}[31m::error::");
    let out = git_in(&tolls, tolls.root(), &["push", "-q", "origin", "main"]).exits(1);
    assert!(out.stderr.contains("error[document_edited]"), "{out:?}");
    assert!(
        !out.stderr.contains('\u{1b}') && !out.stderr.lines().any(|line| line.starts_with("::")),
        "{out:?}"
    );
}

#[test]
fn a_reference_to_no_commit_is_not_judged_and_said() {
    let server = Server::new();
    let blob = server
        .tolls
        .git(["rev-parse", &format!("HEAD:{}", Tolls::DOCUMENT)]);
    let out = server
        .push(&[&format!("{}:refs/tags/blob", blob.trim())])
        .exits(0);
    assert!(
        out.stderr
            .contains("`refs/tags/blob` is given no commit; it is not judged"),
        "{out:?}"
    );
}
