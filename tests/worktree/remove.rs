//! `worktree remove` and `worktree prune` (git.md 5.4; scenarios U09 and U11).

use serde_json::{Value, json};

use super::{Project, code, files};

/// Does some work in the work tree of `c1`.
type Work<'w> = &'w dyn Fn(&Project);

#[test]
fn every_class_of_work_is_refused_by_its_name_and_nothing_is_touched() {
    let modified = |p: &Project| p.write_in("c1", "a.txt", "mine\n");
    let staged = |p: &Project| {
        p.write_in("c1", "a.txt", "mine\n");
        p.git_in("c1", ["add", "a.txt"]);
    };
    let untracked = |p: &Project| p.write_in("c1", "ü b.txt", "mine\n");
    let committed = |p: &Project| {
        p.write_in("c1", "own.txt", "own\n");
        p.commit_in("c1", "Own work");
    };
    let conflicted = |p: &Project| {
        p.write_in("c1", "a.txt", "mine\n");
        p.git_in("c1", ["stash", "-q"]);
        p.write_in("c1", "a.txt", "other\n");
        p.commit_in("c1", "Other");
        p.git(["merge", "-q", "spec/c1"]);
        let _conflict = p
            .command("git")
            .current_dir(p.tree("c1"))
            .args(["stash", "pop"])
            .output();
    };
    let cases: [(&str, &str, Work); 5] = [
        ("modified", "a.txt", &modified),
        ("staged", "a.txt", &staged),
        ("untracked", "ü b.txt", &untracked),
        ("unmerged_commits", "Own work", &committed),
        ("conflicted", "a.txt", &conflicted),
    ];
    for (class, item, work) in cases {
        let project = Project::with_tree();
        work(&project);
        let before = (
            files(&project.tree("c1")),
            project.git(["for-each-ref"]),
            project.git(["worktree", "list", "--porcelain"]),
        );
        let out = project.spec(["worktree", "remove", "c1"]).exits(1);
        assert!(out.stderr.starts_with("Error [WORKTREE_NOT_CLEAN]: "), "{out:?}");
        let mut below = out
            .stderr
            .lines()
            .skip_while(|line| !line.starts_with(&format!("  {class} (")));
        assert!(
            below.next().is_some() && below.next().is_some_and(|line| line.contains(item)),
            "{class}: {out:?}"
        );
        assert_eq!(project.code(["worktree", "remove", "c1"]), "WORKTREE_NOT_CLEAN");
        let after = (
            files(&project.tree("c1")),
            project.git(["for-each-ref"]),
            project.git(["worktree", "list", "--porcelain"]),
        );
        assert_eq!(after, before, "{class}");
        project.is_tidy();
    }
}

#[test]
fn an_ignored_folder_and_a_stash_are_no_obstacle() {
    let project = Project::with_tree();
    project.write_in("c1", "build/deep/x.o", "o");
    project.write_in("c1", "a.txt", "stashed\n");
    project.git_in("c1", ["stash", "-q"]);
    let removed = project.data(["worktree", "remove", "c1"]);
    assert_eq!(
        removed,
        json!({
            "change": "c1", "path": project.tree("c1").to_str(), "rescues": [], "deleted_branch": "spec/c1",
            "kept_branch": null, "kept": [], "stashes": ["stash@{0}"], "dry_run": false,
        })
    );
    assert!(!project.tree("c1").exists());
    assert_eq!(
        project.git(["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main\nrefs/stash\n"
    );
    project.is_tidy();
}

#[test]
fn a_branch_that_is_nowhere_merged_but_elsewhere_kept_stays() {
    let project = Project::with_tree();
    project.write_in("c1", "own.txt", "own\n");
    let head = project.commit_in("c1", "Own work");
    project.git(["branch", "kept", "spec/c1"]);
    let removed = project.data(["worktree", "remove", "c1"]);
    assert_eq!(
        (&removed["deleted_branch"], &removed["kept_branch"]),
        (&Value::Null, &json!("spec/c1"))
    );
    assert_eq!(project.git(["rev-parse", "spec/c1"]).trim(), head);
    project.is_tidy();
}

#[test]
fn the_branch_can_be_kept_with_its_commits() {
    let project = Project::with_tree();
    project.write_in("c1", "own.txt", "own\n");
    let head = project.commit_in("c1", "Own work");
    let removed = project.data(["worktree", "remove", "c1", "--keep-branch"]);
    assert_eq!(
        (&removed["rescues"], &removed["kept_branch"]),
        (&json!([]), &json!("spec/c1"))
    );
    assert_eq!(project.git(["rev-parse", "spec/c1"]).trim(), head);
    assert_eq!(project.entry()["state"], "branch_only");
    project.spec(["worktree", "add", "c1"]).exits(0);
    assert_eq!(project.git_in("c1", ["rev-parse", "HEAD"]).trim(), head);
    // A detached HEAD has no branch to be kept by.
    project.git_in("c1", ["checkout", "-q", "--detach"]);
    project.write_in("c1", "more.txt", "more\n");
    project.commit_in("c1", "On no branch");
    let out = project
        .spec(["worktree", "remove", "c1", "--keep-branch"])
        .exits(1);
    assert!(
        out.stderr.contains("On no branch") && !out.stderr.contains("Own work"),
        "{out:?}"
    );
}

#[test]
fn a_locked_one_goes_only_when_it_was_said_twice() {
    let project = Project::with_tree();
    let path = project.tree("c1");
    project.git(["worktree", "lock", path.to_str().expect("UTF-8")]);
    for args in [
        &["worktree", "remove", "c1"][..],
        &["worktree", "remove", "c1", "--force"],
    ] {
        let out = project.spec(args).exits(1);
        assert!(out.stderr.contains("locked"), "{out:?}");
        assert!(path.exists());
    }
    project
        .spec(["worktree", "remove", "c1", "--force", "--force"])
        .exits(0);
    assert!(!path.exists());
    assert_eq!(project.git(["for-each-ref", "refs/spec"]), "");
    project.is_tidy();
}

#[test]
fn none_acts_on_the_main_one_or_the_one_it_runs_in() {
    let project = Project::with_tree();
    project.write_in("c1", "sub/x", "x");
    let own = project.tree("c1");
    for dir in [own.clone(), own.join("sub")] {
        let out = project.spec_at(
            &dir,
            [
                "worktree", "remove", "c1", "--force", "--force", "--format", "json",
            ],
        );
        assert_eq!(code(&out.exits(1)), "WORKTREE_IN_USE");
    }
    let out = project.spec_at(&own, ["worktree", "remove", "c1"]).exits(1);
    assert!(
        out.stderr.contains(project.root().to_str().expect("UTF-8")),
        "{out:?}"
    );
    project.git(["checkout", "-q", "-b", "spec/here"]);
    assert_eq!(
        project.code(["worktree", "remove", "here", "--force"]),
        "WORKTREE_NOT_FOUND"
    );
    assert_eq!(
        project.code(["worktree", "remove", "main", "--force"]),
        "WORKTREE_NOT_FOUND"
    );
    assert!(own.join("sub/x").exists());
}

#[test]
fn a_folder_that_is_gone_is_taken_off_the_register_and_can_be_made_again() {
    for merged in [true, false] {
        for with_record in [true, false] {
            let project = Project::with_tree();
            project.write_in("c1", "own.txt", "own\n");
            project.commit_in("c1", "Own work");
            if merged {
                project.git(["merge", "-q", "spec/c1"]);
            }
            if !with_record {
                project.remove(".git/worktrees/c1/spec.json");
            }
            std::fs::remove_dir_all(project.tree("c1")).expect("removed by hand");
            assert_eq!(project.entry()["state"], "missing");
            let removed = project.data(["worktree", "remove", "c1"]);
            let (deleted, kept) = (&removed["deleted_branch"], &removed["kept_branch"]);
            if merged {
                assert_eq!((deleted, kept), (&json!("spec/c1"), &Value::Null));
            } else {
                assert_eq!((deleted, kept), (&Value::Null, &json!("spec/c1")));
            }
            project.is_tidy();
            let made = project.data(["worktree", "add", "c1"]);
            assert_eq!(made["created_branch"], merged);
            assert!(project.tree("c1").join("own.txt").exists());
            project.is_tidy();
        }
    }
}

#[test]
fn a_folder_that_is_gone_does_not_stop_a_new_one() {
    let project = Project::with_tree();
    std::fs::remove_dir_all(project.tree("c1")).expect("removed by hand");
    project.spec(["worktree", "add", "c1"]).exits(0);
    assert_eq!(project.entry()["state"], "ok");
    project.is_tidy();
}

#[test]
fn commits_on_no_branch_survive_their_folder() {
    let project = Project::with_tree();
    project.git_in("c1", ["checkout", "-q", "--detach"]);
    project.write_in("c1", "own.txt", "own\n");
    let head = project.commit_in("c1", "On no branch");
    std::fs::remove_dir_all(project.tree("c1")).expect("removed by hand");
    assert_eq!(project.code(["worktree", "remove", "c1"]), "WORKTREE_NOT_CLEAN");
    let removed = project.data(["worktree", "remove", "c1", "--force"]);
    let name = removed["rescues"][0].as_str().expect("a ref");
    assert_eq!(project.git(["rev-parse", &format!("{name}^1")]).trim(), head);
    project.is_tidy();
}

#[test]
fn a_file_written_while_it_is_removed_survives() {
    let project = Project::with_tree();
    // The clean filter of the rescue writes into the work tree behind the back of the removal.
    let late = project.tree("c1").join("late.txt");
    let script = format!("cat; echo late > '{}'", late.display());
    project.git(["config", "filter.late.clean", &script]);
    project.write_in("c1", ".gitattributes", "*.f filter=late\n");
    project.write_in("c1", "x.f", "x\n");
    assert_eq!(
        project.code(["worktree", "remove", "c1", "--force"]),
        "WORKTREE_NOT_CLEAN"
    );
    assert_eq!(std::fs::read(&late).expect("it survives"), b"late\n");
    assert_eq!(project.entry()["state"], "ok");
    assert_eq!(
        project.git_in("c1", ["status", "--porcelain"]),
        "?? .gitattributes\n?? late.txt\n?? x.f\n"
    );
    project.is_tidy();
}

#[test]
fn files_of_several_names_and_of_the_future_go() {
    let project = Project::with_tree();
    project.write_in("c1", "build/deps/lib", "built");
    let build = project.tree("c1").join("build");
    std::fs::hard_link(build.join("deps/lib"), build.join("lib")).expect("another name");
    for name in ["a.txt", "build/deps/lib"] {
        let touched = project
            .command("touch")
            .args(["-d", "2099-01-01"])
            .arg(project.tree("c1").join(name))
            .status();
        assert!(touched.expect("it starts").success());
    }
    let removed = project.data(["worktree", "remove", "c1"]);
    assert_eq!(removed["kept"], json!([]));
    assert!(!project.tree("c1").exists());
    project.is_tidy();
}

#[test]
fn a_branch_that_git_does_not_delete_stays_and_holds_up_nothing() {
    for is_missing in [false, true] {
        let project = Project::with_tree();
        if is_missing {
            std::fs::remove_dir_all(project.tree("c1")).expect("removed by hand");
        }
        project.write(".git/refs/heads/spec/c1.lock", "");
        let out = project.spec(["worktree", "remove", "c1"]).exits(0);
        assert!(
            out.stderr.contains("warning") && out.stderr.contains("c1.lock"),
            "{out:?}"
        );
        assert!(out.stdout.contains("branch `spec/c1` stays"), "{out:?}");
        assert!(!project.tree("c1").exists());
        project.is_tidy();
        project.spec(["worktree", "add", "c2"]).exits(0);
        project.remove(".git/refs/heads/spec/c1.lock");
        let removed = project.data(["worktree", "remove", "c1"]);
        assert_eq!(removed["deleted_branch"], "spec/c1");
    }
}

#[test]
fn a_removal_can_be_tried_first() {
    let project = Project::with_tree();
    let planned = project.data(["worktree", "remove", "c1", "--dry-run"]);
    assert_eq!(
        (&planned["dry_run"], &planned["deleted_branch"]),
        (&json!(true), &json!("spec/c1"))
    );
    assert_eq!(project.entry()["state"], "ok");
}

#[test]
fn only_finished_and_clean_ones_are_pruned() {
    let project = Project::new();
    for change in ["archived", "dirty", "fresh", "merged", "open", "unmerged"] {
        project.spec(["worktree", "add", change]).exits(0);
    }
    for change in ["dirty", "merged", "unmerged"] {
        project.write_in(change, &format!("{change}.txt"), "x\n");
        project.commit_in(change, change);
    }
    project.git(["merge", "-q", "-m", "M", "spec/dirty", "spec/merged"]);
    project.write_in("dirty", "u", "u");
    project.write(
        "logos/changes/archive/20260101-0000-archived/proposal.md",
        "# A\n",
    );
    project.write("logos/changes/archive/20260101-0000-open/proposal.md", "# A\n");
    project.write("logos/changes/open/proposal.md", "# Again\n");
    project.commit("Archive");
    let results = |data: &Value| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let all = data["worktrees"].as_array().expect("a list");
        all.iter()
            .map(|one| (text(&one["change"]), text(&one["result"])))
            .collect()
    };
    let expected = [
        ("archived", "removed"),
        ("dirty", "refused"),
        ("fresh", "unfinished"),
        ("merged", "removed"),
        ("open", "unfinished"),
        ("unmerged", "unfinished"),
    ]
    .map(|(change, result)| (change.to_owned(), result.to_owned()));
    let planned = project.data(["worktree", "prune", "--dry-run"]);
    assert_eq!(results(&planned), expected);
    assert!(project.tree("merged").exists());
    let done = project.data(["worktree", "prune"]);
    assert_eq!(results(&done), expected);
    assert_eq!(done["worktrees"][1]["code"], "WORKTREE_NOT_CLEAN");
    let left = project.data(["worktree", "list"]);
    let left: Vec<&str> = left["worktrees"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|w| w["change"].as_str())
        .collect();
    assert_eq!(left, ["dirty", "fresh", "open", "unmerged"]);
    project.is_tidy();
}

#[test]
fn a_branch_alone_goes_only_if_it_is_merged() {
    let project = Project::new();
    project.git(["branch", "spec/merged"]);
    project.git(["branch", "spec/own"]);
    project.git(["checkout", "-q", "spec/own"]);
    project.write("own.txt", "own\n");
    let own = project.commit("Own work");
    project.git(["checkout", "-q", "main"]);
    assert_eq!(
        project.data(["worktree", "remove", "merged"])["deleted_branch"],
        "spec/merged"
    );
    for force in [
        &["worktree", "remove", "own"][..],
        &["worktree", "remove", "own", "--force"],
    ] {
        project.spec(force).exits(0);
        assert_eq!(project.git(["rev-parse", "spec/own"]).trim(), own);
    }
    project.is_tidy();
}
