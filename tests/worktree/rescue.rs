//! Rescues (git.md 5.6): all work comes back byte by byte, index entries and modes included.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use super::{Project, data, files};

/// Work of every kind in the work tree of `c1`.
fn rich() -> Project {
    let project = Project::new();
    project
        .write("exec.sh", "#!/bin/sh\n")
        .write("gone.txt", "gone\n")
        .write("both.txt", "base\n");
    project
        .write("hidden.txt", "hidden\n")
        .write("c.txt", "base\n")
        .write("deleted.txt", "d\n");
    project.commit("More files");
    project.spec(["worktree", "add", "c1"]).exits(0);
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Own work");
    let tree = project.tree("c1");
    project.write_in("c1", "both.txt", "staged\n");
    project.git_in("c1", ["add", "both.txt"]);
    project.write_in("c1", "both.txt", "then changed\n");
    project.git_in("c1", ["rm", "-q", "gone.txt"]);
    std::fs::remove_file(tree.join("deleted.txt")).expect("there");
    std::fs::set_permissions(tree.join("exec.sh"), std::fs::Permissions::from_mode(0o755)).expect("ours");
    project.write_in("c1", "announced.txt", "announced\n");
    project.git_in("c1", ["add", "-N", "announced.txt"]);
    project.git_in("c1", ["update-index", "--assume-unchanged", "hidden.txt"]);
    project.write_in("c1", "hidden.txt", "changed in hiding\n");
    project.write_in("c1", "new/ü -\n\"x", [0, 255, 10]);
    project.write_in("c1", "-dash", "dash\n");
    symlink("nowhere", tree.join("link")).expect("a link");
    project.write_in("c1", "run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(tree.join("run.sh"), std::fs::Permissions::from_mode(0o755)).expect("ours");
    project
}

/// Adds a merge that conflicts.
fn conflicting(project: &Project) {
    project.git_in("c1", ["stash", "-q", "--include-untracked"]);
    project.git_in("c1", ["checkout", "-q", "-b", "other", "main"]);
    project.write_in("c1", "c.txt", "theirs\n");
    project.write_in("c1", "a.txt", "theirs\n");
    project.commit_in("c1", "Theirs");
    project.git_in("c1", ["checkout", "-q", "spec/c1"]);
    project.write_in("c1", "c.txt", "ours\n");
    project.git_in("c1", ["rm", "-q", "a.txt"]);
    project.commit_in("c1", "Ours");
    let _conflict = project
        .command("git")
        .current_dir(project.tree("c1"))
        .args(["merge", "-q", "other"])
        .output();
    project.write_in("c1", "u.txt", "untracked\n");
}

fn index_of(project: &Project, change: &str) -> String {
    project.git_in(change, ["ls-files", "--stage"])
}

/// Removes the work tree of `c1` by force, and returns the rescue.
#[track_caller]
fn removed(project: &Project) -> String {
    let removed = project.data(["worktree", "remove", "c1", "--force"]);
    assert!(!project.tree("c1").exists());
    assert_eq!(project.git(["branch", "--list", "spec/*"]), "");
    project.is_tidy();
    removed["rescues"][0].as_str().expect("a ref").to_owned()
}

#[test]
fn work_of_every_kind_comes_back_into_a_new_work_tree() {
    let project = rich();
    let (head, index) = (
        project.git_in("c1", ["rev-parse", "HEAD"]),
        index_of(&project, "c1"),
    );
    let before = files(&project.tree("c1"));
    let name = removed(&project);
    assert_eq!(name, "refs/spec/rescue/c1/20260102T030405Z");
    let listed = project.data(["worktree", "rescue"]);
    let entry = &listed["rescues"][0];
    assert_eq!(
        (&entry["ref"], &entry["branch"], &entry["head"]),
        (&json!(name), &json!("spec/c1"), &json!(head.trim()))
    );
    // Staged: both, gone. Changed since: both, deleted, exec, announced, hidden.
    assert_eq!(
        entry["counts"],
        json!({"staged": 2, "modified": 5, "untracked": 4, "conflicted": 0})
    );
    let restored = project.data(["worktree", "rescue", "restore", &name]);
    assert_eq!(restored["branch"], "spec/c1-rescue");
    assert_eq!(files(&project.tree("c1-rescue")), before);
    assert_eq!(index_of(&project, "c1-rescue"), index);
    assert_eq!(project.git_in("c1-rescue", ["rev-parse", "HEAD"]), head);
    let status = project.git_in("c1-rescue", ["status", "--porcelain"]);
    assert!(status.contains(" A announced.txt"), "{status}");
    project.fsck();
}

#[test]
fn conflicts_come_back_with_all_their_stages() {
    let project = rich();
    project.git_in("c1", ["rm", "-q", "--cached", "announced.txt"]);
    conflicting(&project);
    let (index, status) = (
        index_of(&project, "c1"),
        project.git_in("c1", ["status", "--porcelain"]),
    );
    let before = files(&project.tree("c1"));
    let theirs = project.git(["rev-parse", "other"]);
    assert!(
        status.contains("UU c.txt") && status.contains("DU a.txt"),
        "{status}"
    );
    let name = removed(&project);
    let heads = project.git(["cat-file", "-p", &format!("{name}^4:heads")]);
    assert_eq!(heads, format!("{} MERGE_HEAD\n", theirs.trim()));
    let counts = &project.data(["worktree", "rescue", "c1"])["rescues"][0]["counts"];
    assert_eq!(
        *counts,
        json!({"staged": 0, "modified": 0, "untracked": 1, "conflicted": 2})
    );
    project.spec(["worktree", "rescue", "restore", &name]).exits(0);
    assert_eq!(files(&project.tree("c1-rescue")), before);
    assert_eq!(index_of(&project, "c1-rescue"), index);
    assert_eq!(project.git_in("c1-rescue", ["status", "--porcelain"]), status);
}

#[test]
fn git_can_bring_it_back_without_us() {
    let project = rich();
    project.git_in("c1", ["rm", "-q", "--cached", "announced.txt"]);
    let before = files(&project.tree("c1"));
    let name = removed(&project);
    let path = project.tree("by-git");
    let path = path.to_str().expect("UTF-8");
    project.git(["worktree", "add", "-q", "--detach", path, &format!("{name}^1")]);
    project.git_in("by-git", ["stash", "apply", "-q", "--index", &name]);
    assert_eq!(files(&project.tree("by-git")), before);
}

#[test]
fn a_rescue_comes_back_into_a_clean_work_tree_where_nothing_is_in_the_way() {
    let project = rich();
    let (before, index) = (files(&project.tree("c1")), index_of(&project, "c1"));
    let name = removed(&project);
    let head = format!("{name}^1");
    project
        .spec([
            "worktree",
            "add",
            "c2",
            "--base",
            project.git(["rev-parse", &head]).trim(),
        ])
        .exits(0);
    let to = project.tree("c2");
    let to = to.to_str().expect("UTF-8");
    project.write_in("c2", "build/run.sh", "ignored\n");
    project.write_in("c2", "a.txt", "dirty\n");
    assert_eq!(
        project.code(["worktree", "rescue", "restore", &name, "--to", to]),
        "WORKTREE_RESTORE_REFUSED"
    );
    project.git_in("c2", ["checkout", "-q", "a.txt"]);
    project.git_in(
        "c2",
        [
            "config",
            "core.excludesFile",
            project.path(".git/more").to_str().expect("UTF-8"),
        ],
    );
    project.write(".git/more", "run.sh\n");
    project.write_in("c2", "run.sh", "in the way\n");
    let out = project
        .spec(["worktree", "rescue", "restore", &name, "--to", to])
        .exits(1);
    assert!(out.stderr.contains("`run.sh`"), "{out:?}");
    assert_eq!(
        std::fs::read(project.tree("c2").join("run.sh")).expect("kept"),
        b"in the way\n"
    );
    std::fs::remove_file(project.tree("c2").join("run.sh")).expect("there");
    project.remove(".git/more");
    project
        .spec(["worktree", "rescue", "restore", &name, "--to", to])
        .exits(0);
    let mut after = files(&project.tree("c2"));
    assert!(after.remove("build/run.sh").is_some());
    assert_eq!(after, before);
    assert_eq!(index_of(&project, "c2"), index);
}

#[test]
fn rescues_are_listed_the_newest_first_and_dropped_one_by_one() {
    let project = Project::new();
    for n in 1..=3 {
        project.spec(["worktree", "add", "c1"]).exits(0);
        project.write_in("c1", "u.txt", format!("{n}\n"));
        project.spec(["worktree", "remove", "c1", "--force"]).exits(0);
    }
    let names = |data: &Value| -> Vec<String> {
        let all = data["rescues"].as_array().expect("a list");
        all.iter()
            .map(|one| one["ref"].as_str().expect("text").to_owned())
            .collect()
    };
    let stamp = "refs/spec/rescue/c1/20260102T030405Z";
    let all = names(&project.data(["worktree", "rescue"]));
    assert_eq!(
        all,
        [format!("{stamp}-3"), format!("{stamp}-2"), stamp.to_owned()]
    );
    assert_eq!(names(&project.data(["worktree", "rescue", "c2"])), [""; 0]);
    project.data(["worktree", "rescue", "drop", &format!("{stamp}-2")]);
    project.data(["worktree", "rescue", "drop", "c1/20260102T030405Z-3"]);
    assert_eq!(names(&project.data(["worktree", "rescue", "c1"])), [stamp]);
    for bad in ["refs/heads/main", "main", "c1", "-x", ""] {
        assert_eq!(
            project.code(["worktree", "rescue", "drop", bad]),
            "WORKTREE_RESCUE_UNKNOWN",
            "{bad}"
        );
    }
    assert_eq!(
        project.git(["cat-file", "-p", &format!("{stamp}^3:u.txt")]),
        "1\n"
    );
    project.fsck();
}

#[test]
fn what_cannot_be_read_is_not_removed() {
    let project = Project::with_tree();
    let secret = project.tree("c1").join("secret");
    std::fs::write(&secret, "mine").expect("written");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).expect("ours");
    if std::fs::read(&secret).is_ok() {
        // Root reads everything; a filter that fails is as unreadable.
        project.git(["config", "filter.no.clean", "exit 1"]);
        project.git(["config", "filter.no.required", "true"]);
        project.write(".git/info/attributes", "secret filter=no\n");
    }
    assert_eq!(
        project.code(["worktree", "remove", "c1", "--force"]),
        "WORKTREE_RESCUE_FAILED"
    );
    assert!(secret.exists());
    assert_eq!(project.entry()["state"], "ok");
    assert_eq!(project.git(["for-each-ref", "refs/spec"]), "");
    project.is_tidy();
}

#[test]
fn somebody_without_a_name_loses_nothing_either() {
    let project = Project::with_tree();
    project.write_in("c1", "u.txt", "u\n");
    let mut command = project.program();
    for name in [
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    ] {
        command.env_remove(name);
    }
    project.git(["config", "user.useConfigOnly", "true"]);
    command.args(["worktree", "remove", "c1", "--force", "--format", "json"]);
    let removed = data(&super::common::out(&mut command, b"").exits(0));
    assert_eq!(removed["rescues"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_branch_that_was_left_is_kept_by_the_rescue() {
    let project = Project::with_tree();
    project.write_in("c1", "own.txt", "own\n");
    let own = project.commit_in("c1", "Own work");
    project.git_in("c1", ["checkout", "-q", "--detach", "HEAD~1"]);
    let name = removed(&project);
    assert_eq!(project.git(["rev-parse", &format!("{name}^4^1")]).trim(), own);
}

#[test]
fn a_work_tree_without_a_commit_is_rescued_too() {
    let project = Project::with_tree();
    project.git_in("c1", ["checkout", "-q", "--orphan", "fresh"]);
    project.write_in("c1", "a.txt", "changed\n");
    project.write_in("c1", "u.txt", "u\n");
    assert_eq!(project.entry()["head"], Value::Null);
    let (before, index) = (files(&project.tree("c1")), index_of(&project, "c1"));
    assert_eq!(project.code(["worktree", "remove", "c1"]), "WORKTREE_NOT_CLEAN");
    let name = removed(&project);
    project.spec(["worktree", "rescue", "restore", &name]).exits(0);
    assert_eq!(files(&project.tree("c1-rescue")), before);
    assert_eq!(index_of(&project, "c1-rescue"), index);
}

#[test]
fn a_rebase_that_was_under_way_loses_no_commit() {
    let project = Project::with_tree();
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "First");
    project.write_in("c1", "a.txt", "mine\n");
    let tip = project.commit_in("c1", "Second");
    project.write("a.txt", "theirs\n");
    let onto = project.commit("Theirs");
    project.git_in("c1", ["config", "rebase.autoStash", "true"]);
    project.write_in("c1", "logos/logos.config.json", "{\"name\":\"stashed\"}\n");
    let _conflict = project
        .command("git")
        .current_dir(project.tree("c1"))
        .args(["rebase", "-q", "main"])
        .output();
    let rebased = project.git_in("c1", ["rev-parse", "HEAD"]);
    assert_eq!(project.entry()["operation"], "rebase");
    let (before, index) = (files(&project.tree("c1")), index_of(&project, "c1"));
    let out = project.spec(["worktree", "remove", "c1"]).exits(1);
    for class in ["conflicted", "unmerged_commits", "operation_in_progress"] {
        assert!(out.stderr.contains(class), "{class}: {out:?}");
    }
    let name = removed(&project);
    for commit in [tip.as_str(), onto.as_str(), rebased.trim()] {
        project.git(["merge-base", "--is-ancestor", commit, &name]);
    }
    let heads = project.git(["cat-file", "-p", &format!("{name}^4:heads")]);
    let stashed = heads
        .lines()
        .find_map(|line| line.strip_suffix(" rebase-merge/autostash"))
        .expect("the stash");
    let config = project.git(["cat-file", "-p", &format!("{stashed}:logos/logos.config.json")]);
    assert!(config.contains("stashed"), "{config}");
    project.spec(["worktree", "rescue", "restore", &name]).exits(0);
    assert_eq!(files(&project.tree("c1-rescue")), before);
    assert_eq!(index_of(&project, "c1-rescue"), index);
}
