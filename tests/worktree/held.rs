//! What no other ref holds is never taken for merged (git.md 5.4 and 5.5).

use serde_json::Value;

use super::{BOTH, Project};

/// Removing `change` without force leaves `commit` reachable from a ref, whether it refuses or keeps the branch.
#[track_caller]
fn stays(project: &Project, change: &str, commit: &str) {
    let out = project.spec(["worktree", "remove", change]);
    assert!(
        out.code == 0 || out.stderr.contains("unmerged_commits"),
        "{out:?}"
    );
    let held = project.git(["for-each-ref", "--contains", commit.trim(), "--format=%(refname)"]);
    assert!(!held.is_empty(), "{change}: {out:?}");
    project.is_tidy();
}

#[test]
fn what_was_brought_back_from_a_rescue_that_is_dropped_stays() {
    for kind in BOTH {
        let project = Project::of_kind_with_tree(kind);
        project.write_in("c1", "own.txt", "own\n");
        let own = project.commit_in("c1", "Own work");
        let removed = project.data(["worktree", "remove", "c1", "--force"]);
        let rescue = removed["rescues"][0].as_str().expect("a ref");
        project.spec(["worktree", "rescue", "restore", rescue]).exits(0);
        project.spec(["worktree", "rescue", "drop", rescue]).exits(0);
        stays(&project, "c1-rescue", &own);
    }
}

#[test]
fn a_branch_without_common_history_stays() {
    for kind in BOTH {
        let project = Project::of_kind(kind, "--object-format=sha1");
        let tree = project.git(["hash-object", "-t", "tree", "-w", "/dev/null"]);
        let commit = project.git(["commit-tree", tree.trim(), "-m", "Alone"]);
        project.git(["branch", &project.branch("c1"), commit.trim()]);
        project.spec(["worktree", "add", "c1"]).exits(0);
        stays(&project, "c1", &commit);
    }
}

#[test]
fn a_branch_that_was_named_as_its_own_base_stays() {
    for kind in BOTH {
        let project = Project::of_kind(kind, "--object-format=sha1");
        let branch = project.branch("c2");
        project.git(["checkout", "-q", "-b", &branch]);
        project.write("own.txt", "own\n");
        let own = project.commit("Own work");
        project.git(["checkout", "-q", "main"]);
        project
            .spec(["worktree", "add", "c2", "--base", &branch])
            .exits(0);
        assert_eq!(project.entry()["merged"], Value::Null);
        stays(&project, "c2", &own);
    }
}

#[test]
fn a_base_that_was_rewritten_stays() {
    for kind in BOTH {
        let project = Project::of_kind(kind, "--object-format=sha1");
        project.git(["checkout", "-q", "-b", "feat"]);
        project.write("own.txt", "own\n");
        let own = project.commit("Own work");
        project.spec(["worktree", "add", "c1"]).exits(0);
        project.write("own.txt", "other\n");
        project.git(["commit", "-q", "-a", "--amend", "-m", "Other"]);
        stays(&project, "c1", &own);
    }
}

#[test]
fn where_the_base_branch_is_gone_the_default_branch_counts() {
    let project = Project::new();
    project.git(["checkout", "-q", "-b", "feat"]);
    project.spec(["worktree", "add", "c1"]).exits(0);
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Own work");
    project.git(["checkout", "-q", "main"]);
    project.git(["merge", "-q", "spec/c1"]);
    project.git(["branch", "-q", "-D", "feat"]);
    let entry = project.entry();
    assert_eq!(
        (&entry["merged"], &entry["ahead"]),
        (&Value::from("ancestor"), &Value::Null)
    );
    let pruned = project.data(["worktree", "prune"]);
    assert_eq!(pruned["worktrees"][0]["result"], "removed", "{pruned}");
    assert_eq!(project.git(["branch", "--list", "spec/*"]), "");
    project.is_tidy();
}

#[test]
fn what_git_made_and_main_has_is_finished() {
    let project = Project::new();
    let place = project.tree("c1");
    let path = place.to_str().expect("UTF-8");
    project.git(["worktree", "add", "-q", "-b", "spec/c1", path]);
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Own work");
    project.git(["merge", "-q", "--no-ff", "-m", "M", "spec/c1"]);
    assert_eq!(project.entry()["merged"], "ancestor");
    let pruned = project.data(["worktree", "prune"]);
    assert_eq!(pruned["worktrees"][0]["result"], "removed", "{pruned}");
    project.is_tidy();
}
