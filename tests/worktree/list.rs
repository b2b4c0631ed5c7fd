//! `worktree list` and `worktree status` (git.md 5.3, 5.5).

use serde_json::{Value, json};

use super::Project;

#[test]
fn every_key_is_there_and_tells_the_truth() {
    let project = Project::with_tree();
    let base = project.git(["rev-parse", "HEAD"]).trim().to_owned();
    project.write_in("c1", "own.txt", "own\n");
    let head = project.commit_in("c1", "Own work");
    project.write("b.txt", "b\n");
    project.commit("Theirs");
    project.write_in("c1", "a.txt", "one\nTWO\nthree\n");
    project.write_in("c1", "staged.txt", "s\n");
    project.git_in("c1", ["add", "staged.txt"]);
    project.write_in("c1", "new/u.txt", "u\n");
    project.write_in("c1", "build/ignored.o", "o\n");
    let entry = json!({
        "change": "c1", "project": "", "path": project.tree("c1").to_str(), "branch": "spec/c1", "head": head,
        "base_branch": "main", "base": base, "created_at": "2026-01-02T03:04:05.000Z", "state": "ok", "locked": null,
        "dirty": {"staged": 1, "modified": 1, "untracked": 1, "conflicted": 0, "submodules": 0},
        "ahead": 1, "behind": 1, "merged": null, "step": null, "operation": null,
    });
    assert_eq!(project.entry(), entry);
    let status = project.data(["worktree", "status", "c1"]);
    let mut full = entry;
    full["paths"] = json!({
        "staged": ["staged.txt"], "modified": ["a.txt"], "untracked": ["new/u.txt"], "conflicted": [],
        "submodules": [], "truncated": false,
    });
    full["commits"] = json!([{"id": head, "subject": "Own work"}]);
    assert_eq!(status["worktrees"], json!([full]));
    assert_eq!(project.code(["worktree", "status", "c9"]), "WORKTREE_NOT_FOUND");
}

#[test]
fn a_dirty_a_detached_a_missing_and_a_locked_one_look_the_same_from_each() {
    let project = Project::new();
    for change in ["clean", "dirty", "detached", "missing", "locked", "broken"] {
        project.spec(["worktree", "add", change]).exits(0);
    }
    project.write_in("dirty", "u", "u");
    project.git_in("detached", ["checkout", "-q", "--detach"]);
    std::fs::remove_dir_all(project.tree("missing")).expect("removed");
    project.git([
        "worktree",
        "lock",
        "--reason",
        "on a stick",
        project.tree("locked").to_str().expect("UTF-8"),
    ]);
    std::fs::write(project.tree("broken").join(".git"), "gitdir: /nowhere\n").expect("written");
    project.git(["branch", "spec/alone"]);
    let seen = project.data(["worktree", "list"]);
    let of = |key: &str| -> Vec<Value> {
        seen["worktrees"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|tree| tree[key].clone())
            .collect()
    };
    assert_eq!(
        of("change"),
        [
            "alone", "broken", "clean", "detached", "dirty", "locked", "missing"
        ]
    );
    assert_eq!(
        of("state"),
        ["branch_only", "broken", "ok", "ok", "ok", "ok", "missing"]
    );
    assert_eq!(of("branch")[3], Value::Null);
    assert_eq!(of("locked")[5], "on a stick");
    assert_eq!(of("dirty").iter().filter(|dirty| dirty.is_null()).count(), 3);
    assert_eq!(of("dirty")[4]["untracked"], 1);
    for change in ["clean", "dirty", "detached", "locked"] {
        let out = project
            .spec_at(&project.tree(change), ["worktree", "list", "--format", "json"])
            .exits(0);
        assert_eq!(super::data(&out), seen, "{change}");
    }
    // Broken ones are kept, whatever is asked for.
    assert_eq!(
        project.code(["worktree", "remove", "broken", "--force", "--force"]),
        "WORKTREE_NOT_CLEAN"
    );
    assert!(project.tree("broken").join("a.txt").exists());
}

#[test]
fn one_that_git_made_is_understood() {
    let project = Project::new();
    let base = project.git(["rev-parse", "HEAD"]).trim().to_owned();
    let path = project.root().with_file_name("by hand ü");
    let path = path.to_str().expect("UTF-8");
    project.git(["worktree", "add", "-q", "-b", "spec/c1", path]);
    project.git(["worktree", "add", "-q", "-b", "feature", "../feature"]);
    let entry = project.entry();
    assert_eq!(
        (
            &entry["change"],
            &entry["path"],
            &entry["base"],
            &entry["created_at"],
            &entry["base_branch"]
        ),
        (
            &json!("c1"),
            &json!(path),
            &json!(base),
            &Value::Null,
            &json!("main")
        )
    );
    assert_eq!(project.code(["worktree", "add", "c1"]), "WORKTREE_EXISTS");
    project.spec(["worktree", "remove", "c1"]).exits(0);
    assert!(!std::path::Path::new(path).exists());
    assert_eq!(project.git(["branch", "--list", "spec/*"]), "");
    project.is_tidy();
}

#[test]
fn merged_is_seen_in_every_way_that_a_branch_can_come_in() {
    for (way, steps) in [
        (
            "ancestor",
            &[&["merge", "-q", "--no-ff", "-m", "M", "spec/c1"][..]][..],
        ),
        (
            "content",
            &[
                &["merge", "-q", "--squash", "spec/c1"],
                &["commit", "-q", "-m", "Squashed"],
            ],
        ),
        (
            "content",
            &[&["cherry-pick", "--allow-empty", "spec/c1~1", "spec/c1"]],
        ),
    ] {
        let project = Project::with_tree();
        project.write_in("c1", "a.txt", "one\nTWO\nthree\n");
        project.commit_in("c1", "Second line");
        project.write_in("c1", "own.txt", "own\n");
        project.commit_in("c1", "Own file");
        project.write("b.txt", "b\n");
        project.commit("Theirs");
        assert_eq!(project.entry()["merged"], Value::Null);
        for step in steps {
            project.git(step.iter());
        }
        assert_eq!(project.entry()["merged"], way, "{steps:?}");
        if way == "content" {
            // Whoever goes on there hides the content, but not that one commit brought all of it.
            project.write("a.txt", "one\nTWO, and more\nthree\n");
            project.commit("Going on");
            let squashed = steps.len() == 2;
            let expected = if squashed { json!("patch") } else { Value::Null };
            assert_eq!(project.entry()["merged"], expected, "{steps:?}");
        }
        project.is_tidy();
    }
}

#[test]
fn what_the_remote_has_merged_is_merged() {
    let project = Project::with_tree();
    project.write_in("c1", "own.txt", "own\n");
    let head = project.commit_in("c1", "Own file");
    assert_eq!(project.entry()["merged"], Value::Null);
    project.git(["update-ref", "refs/remotes/up/main", &head]);
    assert_eq!(project.entry()["merged"], Value::Null, "there is no such remote");
    project.git(["config", "remote.up.url", "/nowhere"]);
    assert_eq!(project.entry()["merged"], "ancestor", "it is the only one");
    project.git(["update-ref", "refs/remotes/origin/other", &head]);
    assert_eq!(project.entry()["merged"], Value::Null, "it is not the chief one");
    project.git(["update-ref", "refs/remotes/origin/main", &head]);
    assert_eq!(project.entry()["merged"], "ancestor");
}

#[test]
fn configuration_and_flags_hide_nothing() {
    let project = Project::with_tree();
    for (key, value) in [
        ("status.showUntrackedFiles", "no"),
        ("diff.ignoreSubmodules", "all"),
        ("status.relativePaths", "true"),
        ("core.quotePath", "true"),
        ("color.ui", "always"),
        ("diff.renames", "copies"),
    ] {
        project.git(["config", key, value]);
    }
    project.write_in("c1", "ü\tx", "u");
    project.git_in("c1", ["update-index", "--assume-unchanged", "a.txt"]);
    project.git_in("c1", ["update-index", "--skip-worktree", ".gitignore"]);
    project.write_in("c1", "a.txt", "mine");
    project.write_in("c1", ".gitignore", "build/\nlogos/.openlogos-guard\nmore\n");
    let paths = &project.data(["worktree", "status"])["worktrees"][0]["paths"];
    assert_eq!(paths["modified"], json!([".gitignore", "a.txt"]));
    assert_eq!(paths["untracked"], json!(["ü\tx"]));
    let index = project.git_in("c1", ["ls-files", "-v"]);
    assert!(
        index.contains("h a.txt") && index.contains("S .gitignore"),
        "{index}"
    );
}

#[test]
fn an_operation_under_way_is_named() {
    let project = Project::with_tree();
    project.write_in("c1", "a.txt", "mine\n");
    project.commit_in("c1", "Mine");
    project.write("a.txt", "theirs\n");
    project.commit("Theirs");
    for (args, operation, end) in [
        (["merge", "-q", "main"], "merge", ["merge", "--abort"]),
        (["rebase", "-q", "main"], "rebase", ["rebase", "--abort"]),
        (
            ["cherry-pick", "-x", "main"],
            "cherry-pick",
            ["cherry-pick", "--abort"],
        ),
        (["bisect", "start", "HEAD"], "bisect", ["bisect", "reset"]),
    ] {
        let _conflicting = project
            .command("git")
            .current_dir(project.tree("c1"))
            .args(args)
            .output();
        let entry = project.entry();
        assert_eq!(entry["operation"], operation, "{entry}");
        assert_eq!(
            entry["dirty"]["conflicted"],
            json!(u8::from(operation != "bisect")),
            "{entry}"
        );
        project.git_in("c1", end);
        assert_eq!(project.entry()["operation"], Value::Null);
    }
}

#[test]
fn asking_writes_nothing() {
    let project = Project::with_tree();
    project.write_in("c1", "a.txt", "mine\n");
    project.commit_in("c1", "Mine");
    project.write_in("c1", "a.txt", "more\n");
    let everything = |dir: &std::path::Path| {
        let output = project
            .command("find")
            .current_dir(dir)
            .args([".", "-printf", "%p %T@ %i\\n"])
            .output();
        let listed = String::from_utf8(output.expect("it starts").stdout).expect("UTF-8");
        // Git touches an object that it would have written, had it not been there.
        let bare = |line: &str| match line.split_once(' ') {
            Some((path, _)) if path.contains("/objects/") => path.to_owned(),
            _ => line.to_owned(),
        };
        listed.lines().map(bare).collect::<Vec<_>>()
    };
    let before = (everything(project.root()), everything(&project.tree("c1")));
    project.data(["worktree", "list"]);
    project.data(["worktree", "status"]);
    project.data(["worktree", "prune", "--dry-run"]);
    project.data(["worktree", "apply", "c1", "--check", "--patch"]);
    project.data(["worktree", "remove", "c1", "--force", "--dry-run"]);
    project.data(["worktree", "rescue"]);
    assert_eq!(
        (everything(project.root()), everything(&project.tree("c1"))),
        before
    );
}
