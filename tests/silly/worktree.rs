//! Work trees: nothing is lost by a cleanup, nothing but the change's own files is brought over.

use crate::common::Repo;

fn repository() -> Repo {
    let repo = Repo::new();
    repo.write(".gitignore", ".sillyspec/.runtime/\n")
        .write("src/a.rs", "a\n");
    repo.write(".sillyspec/changes/csv/x.md", "x\n");
    repo.commit("base");
    repo
}

const TREE: &str = ".sillyspec/.runtime/worktrees/csv";

#[test]
fn a_cleanup_keeps_what_was_there_as_a_patch_and_a_rescue() {
    let repo = repository();
    repo.spec(["silly", "worktree", "create", "csv"]).exits(0);
    repo.write(&format!("{TREE}/src/a.rs"), "b\n")
        .write(&format!("{TREE}/new file"), "n\n");
    let out = repo
        .spec(["silly", "worktree", "cleanup", "csv", "--json"])
        .exits(0)
        .json();
    assert!(!repo.exists(TREE));
    let patch = out["patch"].as_str().expect("a patch");
    repo.git(["apply", "--", patch]);
    assert_eq!(repo.read("src/a.rs"), "b\n");
    assert_eq!(repo.read("new file"), "n\n");
    assert!(!out["rescues"].as_array().expect("a list").is_empty(), "{out}");
    assert_eq!(repo.git(["branch", "--list", "sillyspec/*"]), "");
}

#[test]
fn deletions_come_over_and_documents_of_the_project_do_not() {
    let repo = repository();
    repo.spec(["silly", "worktree", "create", "csv"]).exits(0);
    repo.remove(&format!("{TREE}/src/a.rs"));
    repo.write(&format!("{TREE}/.sillyspec/changes/csv/x.md"), "other\n");
    let out = repo
        .spec(["silly", "worktree", "apply", "csv", "--json"])
        .exits(0)
        .json();
    assert_eq!(out["files"], serde_json::json!(["src/a.rs"]));
    assert!(!repo.exists("src/a.rs") && !repo.exists(TREE));
    assert_eq!(repo.read(".sillyspec/changes/csv/x.md"), "x\n");
}

#[test]
fn a_name_is_never_run_by_a_shell() {
    let repo = repository();
    for name in ["$(touch x)", "-b", "a b", "archive"] {
        repo.spec(["silly", "worktree", "create", "--", name]).exits(1);
    }
    assert!(!repo.exists("x"));
}

#[test]
fn the_guard_judges_from_inside_a_work_tree_too() {
    let repo = repository();
    repo.spec(["silly", "worktree", "create", "csv"]).exits(0);
    let call =
        |path: &str| format!("{{\"tool_name\":\"Write\",\"tool_input\":{{\"file_path\":\"{path}\"}}}}");
    let judged = |dir: &str, payload: &str| {
        let mut command = repo.program();
        command.current_dir(repo.path(dir)).args(["silly", "guard"]);
        crate::common::out(&mut command, payload.as_bytes())
    };
    judged(TREE, &call("src/a.rs")).exits(0);
    let main = repo.path("src/a.rs").display().to_string();
    judged(TREE, &call(&main)).exits(2);
    std::os::unix::fs::symlink("../src", repo.path(".sillyspec/link")).expect("a link");
    judged(".", &call(".sillyspec/link/a.rs")).exits(2);
    judged(
        TREE,
        "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"git commit -am x\"}}",
    )
    .exits(0);
}

#[test]
fn names_that_git_takes_for_patterns_are_names() {
    let names = [":x", ":(top)y", ":/z", ":!w", "[a]", "*", "src/:(glob)v"];
    for committed in [false, true] {
        let repo = repository();
        repo.write("a", "a\n").write("src/b.rs", "b\n").commit("more");
        repo.spec(["silly", "worktree", "create", "csv"]).exits(0);
        for name in names {
            repo.write(&format!("{TREE}/{name}"), "new\n");
        }
        if committed {
            repo.git(["-C", TREE, "add", "-A"]);
            repo.git(["-C", TREE, "commit", "-qm", "work"]);
        }
        // Nothing of the change: it must stay as the main tree has it.
        repo.write("src/b.rs", "later\n").commit("meanwhile");
        repo.spec(["silly", "worktree", "apply", "csv"]).exits(0);
        for name in names {
            assert_eq!(repo.read(name), "new\n", "{name} {committed}");
        }
        assert_eq!(repo.read("src/b.rs"), "later\n");
        let staged = repo.git(["diff", "--cached", "--name-only"]);
        assert_eq!(staged.lines().count(), names.len(), "{staged}");
        repo.fsck();
    }
}

#[test]
fn many_files_come_over_at_once() {
    let repo = repository();
    repo.spec(["silly", "worktree", "create", "csv"]).exits(0);
    let folder = format!("{TREE}/{}", "long-name-of-a-folder/".repeat(10));
    for n in 0..12_000 {
        repo.write(&format!("{folder}{n}"), "x\n");
    }
    repo.spec(["silly", "worktree", "apply", "csv"]).exits(0);
    assert_eq!(
        repo.git(["diff", "--cached", "--name-only"]).lines().count(),
        12_000
    );
}

#[test]
fn a_folder_that_git_does_not_know_is_listed_and_put_aside_whole() {
    for lost in ["registration", "link", "both"] {
        let repo = repository();
        repo.spec(["silly", "worktree", "create", "csv"]).exits(0);
        repo.write(&format!("{TREE}/src/a.rs"), "mine\n");
        repo.git(["-C", TREE, "commit", "-qam", "work"]);
        let work = repo.git(["rev-parse", "sillyspec/csv"]);
        repo.write(&format!("{TREE}/later"), "more\n");
        if lost != "link" {
            repo.remove(".git/worktrees");
        }
        if lost != "registration" {
            repo.remove(&format!("{TREE}/.git"));
        }
        let listed = repo.spec(["silly", "worktree", "list", "--json"]).exits(0).json();
        assert_eq!(
            listed["worktrees"][0]["branch"], "sillyspec/csv",
            "{lost}: {listed}"
        );
        assert!(listed["worktrees"][0]["base"].is_string(), "{listed}");
        let refused = repo
            .spec(["silly", "worktree", "apply", "csv", "--json"])
            .exits(1);
        assert!(refused.stderr.contains("not_registered"), "{refused:?}");
        let out = repo
            .spec(["silly", "worktree", "cleanup", "csv", "--json"])
            .exits(0)
            .json();
        assert!(!repo.exists(TREE), "{lost}");
        let kept = std::path::PathBuf::from(out["kept"].as_str().expect("a folder"));
        let read = |name: &str| std::fs::read_to_string(kept.join(name)).expect("kept");
        assert_eq!(
            (read("src/a.rs").as_str(), read("later").as_str()),
            ("mine\n", "more\n")
        );
        // Commits that nothing else holds stay.
        repo.git(["cat-file", "-e", work.trim()]);
        let held = repo.git(["for-each-ref", "--contains", work.trim()]);
        assert!(!held.is_empty(), "{lost}");
        assert_eq!(repo.git(["worktree", "list"]).lines().count(), 1, "{lost}");
        assert_eq!(
            repo.spec(["silly", "worktree", "list", "--json"]).exits(0).json()["worktrees"],
            serde_json::json!([])
        );
        repo.fsck();
    }
}
