//! `worktree apply` (git.md 5.7).

use serde_json::json;

use super::Project;

#[test]
fn commits_come_by_a_merge_that_goes_forward_if_it_can() {
    let project = Project::with_tree();
    project.write_in("c1", "own.txt", "own\n");
    let head = project.commit_in("c1", "Own work");
    let base = project.git(["rev-parse", "HEAD"]);
    let checked = project.data(["worktree", "apply", "c1", "--check"]);
    let mut answer = json!({
        "change": "c1", "mode": "commits", "base": base.trim(), "paths": ["own.txt"], "head": null, "check": true,
    });
    assert_eq!(checked, answer);
    assert_eq!(project.git(["rev-parse", "HEAD"]), base);
    let applied = project.data(["worktree", "apply", "c1"]);
    answer["head"] = json!(head);
    answer["check"] = json!(false);
    assert_eq!(applied, answer);
    assert_eq!(project.git(["status", "--porcelain"]), "");
    let nothing = project.spec(["worktree", "apply", "c1"]).exits(0);
    assert!(nothing.stdout.starts_with("nothing to bring"), "{nothing:?}");
    assert!(project.tree("c1").exists());
    project.is_tidy();
}

#[test]
fn a_real_merge_names_the_change() {
    let project = Project::with_tree();
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Own work");
    project.write("b.txt", "b\n");
    project.commit("Theirs");
    project.spec(["worktree", "apply", "c1"]).exits(0);
    let message = project.git(["log", "-1", "--format=%B"]);
    assert_eq!(
        message.trim_end(),
        "Merge branch 'spec/c1'\n\nSpec-Change: c1\nSpec-Operation: apply"
    );
    assert_eq!(
        project
            .git(["rev-list", "--parents", "-1", "HEAD"])
            .split_whitespace()
            .count(),
        3
    );
}

#[test]
fn a_merge_can_be_left_to_be_committed() {
    let project = Project::with_tree();
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Own work");
    let head = project.git(["rev-parse", "HEAD"]);
    project.spec(["worktree", "apply", "c1", "--no-commit"]).exits(0);
    assert_eq!(project.git(["rev-parse", "HEAD"]), head);
    assert_eq!(project.git(["status", "--porcelain"]), "A  own.txt\n");
}

#[test]
fn all_that_stands_there_comes_staged_where_it_is_not_clean() {
    let project = Project::with_tree();
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Own work");
    project.write_in("c1", "a.txt", "one\nTWO\nthree\n");
    project.write_in("c1", "staged.txt", "s\n");
    project.git_in("c1", ["add", "staged.txt"]);
    project.write_in("c1", "ü new.txt", "u\n");
    project.git_in("c1", ["rm", "-q", "--cached", ".gitignore"]);
    std::fs::remove_file(project.tree("c1").join(".gitignore")).expect("there");
    project.write_in("c1", "logos/.openlogos-guard", "{}\n");
    project.write_in("c1", "logos/.runtime/x", "x\n");
    let status = project.git_in("c1", ["status", "--porcelain"]);
    project
        .write("b.txt", "mine, untracked\n")
        .write("staged-here.txt", "mine\n");
    project.git(["add", "staged-here.txt"]);
    project.write("logos/logos-project.yaml", "modules: []\n");
    let head = project.git(["rev-parse", "HEAD"]);
    let applied = project.data(["worktree", "apply", "c1"]);
    assert_eq!(applied["mode"], "patch");
    assert_eq!(
        applied["paths"],
        json!([".gitignore", "a.txt", "own.txt", "staged.txt", "ü new.txt"])
    );
    assert_eq!(
        project.git(["-c", "core.quotePath=false", "status", "--porcelain"]),
        "D  .gitignore\nM  a.txt\n M logos/logos-project.yaml\nA  own.txt\nA  staged-here.txt\nA  staged.txt\n\
         A  \"ü new.txt\"\n?? b.txt\n"
    );
    assert_eq!(project.read("a.txt"), "one\nTWO\nthree\n");
    assert_eq!(project.git(["rev-parse", "HEAD"]), head);
    assert_eq!(project.git_in("c1", ["status", "--porcelain"]), status);
}

#[test]
fn conflicts_and_files_with_changes_of_their_own_stop_it_with_nothing_changed() {
    for mode in ["--commits", "--patch"] {
        let project = Project::with_tree();
        project.write_in("c1", "a.txt", "mine\n");
        project.write_in("c1", "new/x.txt", "x\n");
        project.commit_in("c1", "Mine");
        let refused = |expected: &str, path: &str| {
            let before = project.snapshot();
            let out = project.spec(["worktree", "apply", "c1", mode]).exits(1);
            assert!(
                out.stderr.starts_with(&format!("Error [{expected}]")),
                "{mode}: {out:?}"
            );
            assert!(out.stderr.contains(&format!("`{path}`")), "{mode}: {out:?}");
            assert_eq!(project.snapshot(), before, "{mode}");
            assert_eq!(
                project.code(["worktree", "apply", "c1", mode, "--check"]),
                expected
            );
        };
        project.write("a.txt", "one\ntwo\nthree\nfour\n");
        refused("WORKTREE_TARGET_DIRTY", "a.txt");
        project.git(["add", "a.txt"]);
        refused("WORKTREE_TARGET_DIRTY", "a.txt");
        project.git(["reset", "-q", "--hard"]);
        project.write("new/x.txt", "in the way\n");
        refused("WORKTREE_TARGET_DIRTY", "new/x.txt");
        project
            .remove("new")
            .write("new", "a file where a folder comes\n");
        refused("WORKTREE_TARGET_DIRTY", "new/x.txt");
        project.remove("new").write("build/x", "ignored\n");
        project.write("a.txt", "theirs\n");
        project.commit("Theirs");
        refused("WORKTREE_APPLY_CONFLICT", "a.txt");
        project.is_tidy();
    }
}

#[test]
fn an_ignored_file_is_not_overwritten_either() {
    // What the change brings, and what is ignored here.
    for (brought, own) in [
        ("build/x", "build/x"),
        ("out/deep/x", "out"),
        ("out/deep/x", "out/deep"),
        ("out", "out/secret"),
        ("out", "out/deep/secret"),
    ] {
        for mode in ["--commits", "--patch"] {
            let project = Project::new();
            project.write(".gitignore", "build\nout\n");
            project.commit("Ignore");
            project.spec(["worktree", "add", "c1"]).exits(0);
            project.write_in("c1", brought, "theirs\n");
            project.git_in("c1", ["add", "-f", brought]);
            project.git_in("c1", ["commit", "-q", "-m", "Forced"]);
            project.write(own, "mine\n");
            let before = project.snapshot();
            for check in [&["--check"][..], &[]] {
                let args = ["worktree", "apply", "c1", mode].into_iter();
                let out = project.spec(args.chain(check.iter().copied())).exits(1);
                assert!(
                    out.stderr.starts_with("Error [WORKTREE_TARGET_DIRTY]"),
                    "{brought}: {out:?}"
                );
                assert!(out.stderr.contains(&format!("`{brought}`")), "{out:?}");
            }
            assert_eq!(project.snapshot(), before, "{brought}");
            assert_eq!(project.read(own), "mine\n");
            // The same of a rescue.
            project.write_in("c1", "u.txt", "u\n");
            let removed = project.data(["worktree", "remove", "c1", "--force"]);
            let rescue = removed["rescues"][0].as_str().expect("a ref");
            let restore = ["worktree", "rescue", "restore", rescue, "--to", "."];
            let out = project.spec(restore).exits(1);
            assert!(
                out.stderr.starts_with("Error [WORKTREE_RESTORE_REFUSED]"),
                "{out:?}"
            );
            assert_eq!(project.read(own), "mine\n", "{brought}");
        }
    }
}

#[test]
fn a_tracked_folder_gives_way_to_a_file_and_the_other_way_round() {
    for mode in ["--commits", "--patch"] {
        let project = Project::new();
        project
            .write("d/one", "1\n")
            .write("d/e/two", "2\n")
            .write("f", "f\n");
        project.commit("Folders");
        project.spec(["worktree", "add", "c1"]).exits(0);
        let tree = project.tree("c1");
        std::fs::remove_dir_all(tree.join("d")).expect("removed");
        std::fs::remove_file(tree.join("f")).expect("removed");
        project.write_in("c1", "d", "a file\n");
        project.write_in("c1", "f/x", "x\n");
        project.commit_in("c1", "Turned round");
        project.write("d/e/ignored.o", "mine\n");
        project.write(".git/info/exclude", "*.o\n");
        assert_eq!(
            project.code(["worktree", "apply", "c1", mode]),
            "WORKTREE_TARGET_DIRTY"
        );
        assert_eq!(project.read("d/e/ignored.o"), "mine\n");
        project.remove("d/e/ignored.o");
        project.spec(["worktree", "apply", "c1", mode]).exits(0);
        assert_eq!(
            (project.read("d"), project.read("f/x")),
            ("a file\n".to_owned(), "x\n".to_owned())
        );
    }
}

#[test]
fn it_waits_for_no_operation_and_needs_a_branch_and_a_common_history() {
    let project = Project::with_tree();
    project.write_in("c1", "a.txt", "mine\n");
    project.commit_in("c1", "Mine");
    project.git(["checkout", "-q", "--detach"]);
    assert_eq!(
        project.code(["worktree", "apply", "c1"]),
        "WORKTREE_TARGET_DETACHED"
    );
    project.data(["worktree", "apply", "c1", "--patch"]);
    project.git(["reset", "-q", "--hard"]);
    project.git(["checkout", "-q", "main"]);
    project.write("a.txt", "theirs\n");
    project.commit("Theirs");
    let merge = |dir: &std::path::Path, other: &str| {
        let _conflict = project
            .command("git")
            .current_dir(dir)
            .args(["merge", "-q", other])
            .output();
    };
    merge(&project.tree("c1"), "main");
    assert_eq!(project.code(["worktree", "apply", "c1"]), "WORKTREE_BUSY");
    project.git_in("c1", ["merge", "--abort"]);
    merge(project.root(), "spec/c1");
    assert_eq!(project.code(["worktree", "apply", "c1"]), "WORKTREE_BUSY");
    project.git(["merge", "--abort"]);
    assert_eq!(
        super::code(
            &project
                .spec_at(
                    &project.tree("c1"),
                    ["worktree", "apply", "c1", "--format", "json"]
                )
                .exits(1)
        ),
        "WORKTREE_IN_USE"
    );
    project.git_in("c1", ["checkout", "-q", "--orphan", "alone"]);
    project.commit_in("c1", "Alone");
    assert_eq!(project.code(["worktree", "apply", "c1"]), "WORKTREE_NO_BASE");
    std::fs::remove_dir_all(project.tree("c1")).expect("removed");
    assert_eq!(project.code(["worktree", "apply", "c1"]), "WORKTREE_UNREADABLE");
}

#[test]
fn a_hook_that_refuses_leaves_all_as_it_was() {
    let project = Project::with_tree();
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Own work");
    project.write("b.txt", "b\n");
    project.commit("Theirs");
    project.write("unstaged.txt", "u\n").write("b.txt", "mine\n");
    project.write(
        ".git/hooks/pre-merge-commit",
        "#!/bin/sh\necho 'not today' >&2\nexit 1\n",
    );
    project
        .command("chmod")
        .args(["+x", ".git/hooks/pre-merge-commit"])
        .status()
        .expect("it starts");
    let before = project.snapshot();
    let out = project.spec(["worktree", "apply", "c1"]).exits(1);
    assert!(
        out.stderr.starts_with("Error [WORKTREE_MERGE_REFUSED]") && out.stderr.contains("not today"),
        "{out:?}"
    );
    assert_eq!(project.snapshot(), before);
    assert!(!project.exists(".git/MERGE_HEAD"));
}

#[test]
fn documents_come_together_by_structure_where_git_knows_the_driver() {
    let project = Project::new();
    let document = "logos/resources/test/core-01-test-cases.md";
    let rows = |one: &str, two: &str| {
        format!("| ID | Price |\n|---|---|\n| UT-S01-01 | {one} |\n| UT-S01-02 | {two} |\n")
    };
    project.write(document, rows("5", "12"));
    project.commit("A document");
    project.spec(["worktree", "add", "c1"]).exits(0);
    project.write_in("c1", document, rows("6", "12"));
    project.commit_in("c1", "Cars");
    project.write(document, rows("5", "14"));
    project.commit("Lorries");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_git-spec"));
    let path = std::env::var("PATH").expect("it is set");
    let apply = || {
        let mut command = project.program();
        let folder = program.parent().expect("in a folder").display();
        command.env("PATH", format!("{folder}:{path}"));
        command.args(["worktree", "apply", "c1"]);
        crate::common::out(&mut command, b"")
    };
    assert!(apply().exits(1).stderr.contains("WORKTREE_APPLY_CONFLICT"));
    project.spec(["merge-driver", "--install"]).exits(0);
    apply().exits(0);
    assert_eq!(project.read(document), rows("6", "14"));
}
