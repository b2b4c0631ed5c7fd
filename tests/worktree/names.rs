//! Names and places of every kind: shown so that nothing acts on a terminal, refused before anything is made
//! (git.md 10.2).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::json;

use super::Project;

#[test]
fn a_name_that_is_not_utf_8_is_told_by_its_bytes() {
    let project = Project::with_tree();
    let name = OsStr::from_bytes(b"x\xff.txt");
    std::fs::write(project.tree("c1").join(name), "x\n").expect("written");
    let shown = "x\\xFF.txt";
    let status = &project.data(["worktree", "status", "c1"])["worktrees"][0];
    assert_eq!(status["paths"]["untracked"], json!([shown]));
    let out = project.spec(["worktree", "status", "c1"]).exits(0);
    assert!(out.stdout.contains(shown), "{out:?}");
    let out = project.spec(["worktree", "remove", "c1"]).exits(1);
    assert!(out.stderr.contains(&format!("`{shown}`")), "{out:?}");
    let applied = project.data(["worktree", "apply", "c1"]);
    assert_eq!(applied["paths"], json!([shown]));
    assert_eq!(std::fs::read(project.root().join(name)).expect("brought"), b"x\n");
}

#[test]
fn a_name_behind_two_dashes_is_a_name() {
    let project = Project::new();
    for project in [project, Project::silly()] {
        let out = project.spec(["worktree", "add", "--", "-x"]).exits(1);
        assert!(out.stderr.starts_with("Error [WORKTREE_NAME_INVALID]"), "{out:?}");
    }
}

#[test]
fn no_work_tree_is_made_inside_the_git_directory() {
    let project = Project::new();
    for place in [".git/wt", ".git/a/b", "logos/../.git/wt", ".git"] {
        let out = project.spec(["worktree", "add", "c1", "--path", place]).exits(1);
        let refused = out.stderr.starts_with("Error [WORKTREE_PATH_INVALID]");
        assert!(refused, "{place}: {out:?}");
    }
    assert!(!project.exists(".git/wt") && !project.exists(".git/a"));
    assert_eq!(project.git(["branch", "--list", "spec/*"]), "");
}

#[test]
fn what_cannot_be_read_is_not_said_to_yield_to_force() {
    let project = Project::with_tree();
    let git_file = project.tree("c1").join(".git");
    std::fs::write(&git_file, "gitdir: /nowhere\n").expect("written");
    let out = project.spec(["worktree", "remove", "c1"]).exits(1);
    assert!(
        out.stderr.contains("unreadable") && !out.stderr.contains("--force"),
        "{out:?}"
    );
    let project = Project::with_tree();
    project.git(["worktree", "lock", project.tree("c1").to_str().expect("UTF-8")]);
    let out = project.spec(["worktree", "remove", "c1"]).exits(1);
    assert!(out.stderr.contains("c1 --force --force`"), "{out:?}");
}

#[test]
fn the_hints_of_git_are_in_no_message() {
    let project = Project::with_tree();
    let base = project.git(["rev-parse", "HEAD"]);
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Own work");
    project.write("b.txt", "b\n");
    project.commit("Theirs");
    // A history with a hole.
    let (folder, name) = base.trim().split_at(2);
    project.remove(&format!(".git/objects/{folder}/{name}"));
    let out = project.spec(["worktree", "apply", "c1"]).exits(1);
    assert!(out.stderr.contains(base.trim()), "{out:?}");
    assert!(
        !out.stderr.contains("hint") && !out.stderr.contains("graft"),
        "{out:?}"
    );
}

#[test]
fn a_rescue_can_come_back_more_than_once() {
    let project = Project::with_tree();
    project.write_in("c1", "u.txt", "u\n");
    let removed = project.data(["worktree", "remove", "c1", "--force"]);
    let rescue = removed["rescues"][0].as_str().expect("a ref");
    let restore = ["worktree", "rescue", "restore", rescue];
    assert_eq!(project.data(restore)["branch"], "spec/c1-rescue");
    let elsewhere = project.root().with_file_name("elsewhere");
    let to = elsewhere.to_str().expect("UTF-8");
    let again = project.data(["worktree", "rescue", "restore", rescue, "--to", to]);
    assert_eq!(again["branch"], "spec/c1-rescue-2");
    assert!(elsewhere.join("u.txt").exists());
    assert_eq!(project.data(restore)["branch"], "spec/c1-rescue-3");
    project.is_tidy();
}
