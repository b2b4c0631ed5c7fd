//! `worktree apply` brings all or nothing, and leaves other work alone (git.md 5.7).

use super::Project;

/// `c1` brings files that come through a filter, of which one cannot.
fn with_a_filter_that_fails() -> Project {
    let project = Project::new();
    project
        .write(".gitattributes", "*.f filter=half\n")
        .write("old.f", "old\n");
    project.git(["config", "filter.half.clean", "cat"]);
    project.git(["config", "filter.half.smudge", "cat"]);
    project.commit("Attributes");
    project.spec(["worktree", "add", "c1"]).exits(0);
    for (path, text) in [
        ("a.txt", "changed\n"),
        ("deep/er/a.txt", "new\n"),
        ("old.f", "changed\n"),
        ("z.f", "bad\n"),
    ] {
        project.write_in("c1", path, text);
    }
    project.write_in("c1", "d", "d\n");
    project.commit_in("c1", "Work");
    let script = "x=$(cat); case $x in bad) exit 1;; *) echo \"$x\";; esac";
    project.git(["config", "filter.half.smudge", script]);
    project.git(["config", "filter.half.required", "true"]);
    project
}

#[test]
fn a_filter_that_fails_leaves_all_as_it_was() {
    for theirs in [false, true] {
        for mode in ["--commits", "--patch"] {
            let project = with_a_filter_that_fails();
            if theirs {
                project.write("b.txt", "b\n");
                project.commit("Theirs");
            }
            project.write("staged.txt", "mine\n");
            project.git(["add", "staged.txt"]);
            let state = || (project.snapshot(), project.git(["status", "--porcelain"]));
            let before = state();
            let out = project.spec(["worktree", "apply", "c1", mode]).exits(1);
            assert!(out.stderr.contains("z.f"), "{mode}: {out:?}");
            assert_eq!(state(), before, "{mode}");
            project.is_tidy();
        }
    }
    let project = with_a_filter_that_fails();
    project.write_in("c1", "a.txt", "more\n");
    let removed = project.data(["worktree", "remove", "c1", "--force"]);
    let rescue = removed["rescues"][0].as_str().expect("a ref");
    let state = || (project.snapshot(), project.git(["status", "--porcelain"]));
    let before = state();
    project
        .spec(["worktree", "rescue", "restore", rescue, "--to", "."])
        .exits(1);
    assert_eq!(state(), before);
    project.spec(["worktree", "rescue", "restore", rescue]).exits(1);
    assert!(!project.tree("c1-rescue").exists());
    project.is_tidy();
}

#[test]
fn other_work_here_stays_whatever_the_merge_is() {
    for theirs in [false, true] {
        for no_commit in [false, true] {
            let project = Project::with_tree();
            project.write_in("c1", "own.txt", "own\n");
            project.write_in("c1", "a.txt", "one\n");
            project.commit_in("c1", "Own work");
            project.write("gone.txt", "g\n").write("m.txt", "m\n");
            if theirs {
                project.commit("Theirs");
            } else {
                // What stands on both sides is no work of either.
                project.remove("gone.txt").remove("m.txt");
            }
            project
                .write("new.txt", "new\n")
                .write("u.txt", "u\n")
                .write("n.txt", "n\n");
            project.git(["add", "new.txt"]);
            project.git(["add", "-N", "n.txt"]);
            project.write(".gitignore", "build/\nlogos/.openlogos-guard\nx\n");
            let mut expected = String::from(" M .gitignore\n");
            if theirs {
                project.git(["rm", "-q", "gone.txt"]);
                project.write("m.txt", "staged\n");
                project.git(["add", "m.txt"]);
                project.write("m.txt", "and more\n");
            }
            let mut lines = vec![" M .gitignore", " A n.txt", "A  new.txt", "?? u.txt"];
            if theirs {
                lines.extend(["D  gone.txt", "MM m.txt"]);
            }
            if no_commit {
                lines.extend(["M  a.txt", "A  own.txt"]);
            }
            lines.sort_by_key(|line| (line.starts_with("??"), line[3..].to_owned()));
            expected.clear();
            for line in lines {
                expected.push_str(line);
                expected.push('\n');
            }
            project.spec(["worktree", "apply", "c1", "--check"]).exits(0);
            let args = ["worktree", "apply", "c1"].into_iter();
            let option = no_commit.then_some("--no-commit");
            project.spec(args.chain(option)).exits(0);
            assert_eq!(
                project.git(["status", "--porcelain"]),
                expected,
                "{theirs} {no_commit}"
            );
            assert_eq!(project.read("a.txt"), "one\n");
            if theirs {
                assert_eq!(project.git(["show", ":m.txt"]), "staged\n");
            }
            if !no_commit {
                let parents = project.git(["rev-list", "--parents", "-1", "HEAD"]);
                let parents = parents.split_whitespace().count() - 1;
                assert_eq!(parents, if theirs { 2 } else { 1 });
                assert_eq!(project.git(["show", "HEAD:own.txt"]), "own\n");
            }
        }
    }
}

#[test]
fn what_never_counts_does_not_make_a_work_tree_unclean() {
    let project = Project::new();
    project.write(".gitignore", "build/\n");
    project.commit("The guard file is not ignored");
    project.spec(["worktree", "add", "c1"]).exits(0);
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Own work");
    project.write_in("c1", "logos/.openlogos-guard", "{}\n");
    project.write_in("c1", "logos/.runtime/deep/x", "x\n");
    let applied = project.data(["worktree", "apply", "c1", "--check"]);
    assert_eq!(applied["mode"], "commits", "{applied}");
    project.write_in("c1", "more.txt", "more\n");
    let applied = project.data(["worktree", "apply", "c1"]);
    assert_eq!(applied["mode"], "patch", "{applied}");
    assert_eq!(
        project.git(["status", "--porcelain"]),
        "A  more.txt\nA  own.txt\n"
    );
}
