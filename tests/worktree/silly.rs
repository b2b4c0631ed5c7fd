//! Work trees of projects with `.sillyspec/` only (silly.md 8): where they lie, what they are called, which project they
//! belong to.

use serde_json::{Value, json};

use super::common::{self, Repo};
use super::{Kind, Project, code, data};

#[test]
fn what_is_made_is_what_other_programs_make() {
    let project = Project::silly();
    let head = project.git(["rev-parse", "HEAD"]).trim().to_owned();
    let path = project.tree("2026-03-01-导出");
    let shown = path.to_str().expect("UTF-8");
    assert_eq!(
        project.data(["worktree", "add", "2026-03-01-导出"]),
        json!({
            "change": "2026-03-01-导出", "project": "", "path": shown, "branch": "sillyspec/2026-03-01-导出",
            "base_branch": "main", "base": head, "created_branch": true,
        })
    );
    let meta = std::fs::read_to_string(path.join("meta.json")).expect("laid down");
    assert_eq!(
        meta,
        format!(
            "{{\n  \"changeName\": \"2026-03-01-导出\",\n  \"branch\": \"sillyspec/2026-03-01-导出\",\n  \
             \"baseBranch\": \"main\",\n  \"baseHash\": \"{head}\",\n  \"actualBaseHash\": \"{head}\",\n  \
             \"createdAt\": \"2026-01-02T03:04:05.000Z\",\n  \"worktreePath\": \"{shown}\"\n}}\n"
        )
    );
    assert!(!project.exists(".git/worktrees/2026-03-01-导出/spec.json"));
    assert_eq!(
        project.git_in("2026-03-01-导出", ["status", "--porcelain", "--ignored"]),
        "?? meta.json\n"
    );
    let entry = project.entry();
    assert_eq!(
        entry,
        json!({
            "change": "2026-03-01-导出", "project": "", "path": shown, "branch": "sillyspec/2026-03-01-导出",
            "head": head, "base_branch": "main", "base": head, "created_at": "2026-01-02T03:04:05.000Z",
            "state": "ok", "locked": null,
            "dirty": {"staged": 0, "modified": 0, "untracked": 0, "conflicted": 0, "submodules": 0},
            "ahead": 0, "behind": 0, "merged": "ancestor", "step": null, "operation": null,
        })
    );
    assert_eq!(
        project.code(["worktree", "add", "2026-03-01-导出"]),
        "WORKTREE_EXISTS"
    );
    assert_eq!(project.git(["status", "--porcelain"]), "");
    project.is_tidy();
}

#[test]
fn names_that_are_none_are_refused_with_nothing_left_behind() {
    let project = Project::silly();
    let before = (project.snapshot(), project.git(["worktree", "list"]));
    for name in [
        "",
        " ",
        "..",
        "a..b",
        "../x",
        "a/b",
        "a\\b",
        "-x",
        "--output=x",
        "a b",
        "a:b",
        "a?",
        "a*",
        "a[b",
        "a~1",
        "a^b",
        "@{-1}",
        "a\nb",
        "a\u{7f}",
        "archive",
        "x.lock",
        ".x",
        &"x".repeat(101),
    ] {
        assert_eq!(
            project.code(["worktree", "add", name]),
            "WORKTREE_NAME_INVALID",
            "{name:?}"
        );
    }
    assert_eq!(
        project.code(["worktree", "add", "c1", "--base", "nothing"]),
        "WORKTREE_BASE_UNKNOWN"
    );
    assert_eq!((project.snapshot(), project.git(["worktree", "list"])), before);
    for name in ["$(touch x)", "a;b'\"", "导出"] {
        let name = name.replace(' ', "_");
        project.spec(["worktree", "add", &name]).exits(0);
        assert_eq!(
            project.git_in(&name, ["symbolic-ref", "HEAD"]),
            format!("refs/heads/sillyspec/{name}\n")
        );
    }
    project.is_tidy();
}

#[test]
fn the_configuration_of_the_other_layout_does_not_move_it() {
    let project = Project::silly();
    project.git(["config", "spec.worktreeDir", "../elsewhere"]);
    project.git(["config", "spec.branchPrefix", "change-"]);
    let made = project.data(["worktree", "add", "c1"]);
    assert_eq!(
        (&made["branch"], &made["path"]),
        (&json!("sillyspec/c1"), &json!(project.tree("c1").to_str()))
    );
}

#[test]
fn the_nearest_project_decides_on_the_layout_and_logos_goes_first() {
    let project = Project::silly();
    project.write("apps/tolls/logos/logos.config.json", "{}\n");
    project.write("apps/both/logos/logos.config.json", "{}\n");
    project.write("apps/both/.sillyspec/projects/both.yaml", "name: both\n");
    project.write("apps/own/.sillyspec/projects/own.yaml", "name: own\n");
    project.commit("More projects");
    let beside = project.root().with_file_name("repo.worktrees");
    let inside = |project: &Project, below: &str| project.path(below).join(".sillyspec/.runtime/worktrees");
    for (n, (dir, name, holder)) in [
        ("apps/tolls", "apps/tolls", beside.clone()),
        ("apps/both/.sillyspec", "apps/both", beside),
        (
            "apps/own/.sillyspec/projects",
            "apps/own",
            inside(&project, "apps/own"),
        ),
        ("apps", "", inside(&project, "")),
    ]
    .into_iter()
    .enumerate()
    {
        let change = format!("c{n}");
        let made = data(
            &project
                .spec_in(dir, ["worktree", "add", &change, "--format", "json"])
                .exits(0),
        );
        assert_eq!(
            (&made["project"], &made["path"]),
            (&json!(name), &json!(holder.join(&change).to_str())),
            "{dir}"
        );
    }
    let named = |args: &[&str]| data(&project.spec(args.iter().chain(&["--format", "json"])).exits(0));
    let status = named(&["--project", "apps/own", "worktree", "status", "c2"]);
    assert_eq!(status["worktrees"][0]["project"], "apps/own");
    let refused = project
        .spec(["worktree", "remove", "c2", "--format", "json"])
        .exits(1);
    assert_eq!(code(&refused), "WORKTREE_NOT_FOUND");
    // A change of a `logos/` project is begun in its own layout, whatever lies nearer.
    project.write(
        "apps/tolls/logos/logos-project.yaml",
        "modules:\n  - id: core\n    name: Core\n    lifecycle: launched\n",
    );
    project.write("apps/tolls/sub/.sillyspec/projects/x.yaml", "name: x\n");
    project.commit("One inside another");
    let begun = project.spec_in(
        "apps/tolls/sub",
        ["change", "c9", "--worktree", "--format", "json"],
    );
    assert_eq!(data(&begun.exits(0))["worktree"]["branch"], "spec/c9");
}

#[test]
fn a_project_that_git_does_not_track_is_found_from_inside_its_work_trees() {
    let project = Project::silly();
    project.git(["rm", "-q", "-r", "--cached", ".sillyspec"]);
    project.write(".gitignore", ".sillyspec/\n");
    project.commit("Not tracked");
    project.spec(["worktree", "add", "c1"]).exits(0);
    let tree = project.tree("c1");
    assert!(!tree.join(".sillyspec").exists());
    let made = data(
        &project
            .spec_at(&tree, ["worktree", "add", "c2", "--format", "json"])
            .exits(0),
    );
    assert_eq!(made["path"], json!(project.tree("c2").to_str()));
    for dir in [
        tree,
        project.path(".git/worktrees/c1"),
        project.path(".sillyspec/.runtime"),
    ] {
        let listed = data(
            &project
                .spec_at(&dir, ["worktree", "list", "--format", "json"])
                .exits(0),
        );
        assert_eq!(
            listed["worktrees"].as_array().map(Vec::len),
            Some(2),
            "{}",
            dir.display()
        );
    }
    project.is_tidy();
}

#[test]
fn a_bare_repository_has_them_beside_it() {
    let project = Project::silly();
    let bare = project.root().with_file_name("server.git");
    project.git(["clone", "-q", "--bare", ".", bare.to_str().expect("UTF-8")]);
    let run = |args: &[&str]| {
        let mut command = project.program();
        common::out(
            command.current_dir(&bare).args(args).args(["--format", "json"]),
            b"",
        )
        .exits(0)
    };
    let made = data(&run(&["worktree", "add", "c1"]));
    let path = bare.with_file_name("server.worktrees").join("c1");
    assert_eq!(
        (&made["path"], &made["branch"]),
        (&json!(path.to_str()), &json!("sillyspec/c1"))
    );
    assert!(path.join("meta.json").exists());
    let listed = data(&run(&["worktree", "list"]));
    assert_eq!(listed["worktrees"][0]["dirty"]["untracked"], 0);
    run(&["worktree", "remove", "c1"]);
    assert!(!path.exists() && !bare.join("worktrees").exists() && !bare.join("spec").exists());
}

#[test]
fn only_finished_ones_are_pruned_by_the_archive_of_such_a_project() {
    let project = Project::silly();
    for change in ["dated", "bare", "open", "fresh"] {
        project.spec(["worktree", "add", change]).exits(0);
    }
    let archive = ".sillyspec/changes/archive";
    project.write(&format!("{archive}/2026-03-01-dated/proposal.md"), "# D\n");
    project.write(&format!("{archive}/bare/proposal.md"), "# B\n");
    project.write(&format!("{archive}/2026-03-01-open/proposal.md"), "# O\n");
    project.write(".sillyspec/changes/open/proposal.md", "# Again\n");
    project.write(&format!("{archive}/x-fresh/proposal.md"), "# F\n");
    project.commit("Archive");
    let done = project.data(["worktree", "prune"]);
    let results: Vec<(&str, &str)> = done["worktrees"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| Some((one["change"].as_str()?, one["result"].as_str()?)))
        .collect();
    assert_eq!(
        results,
        [
            ("bare", "removed"),
            ("dated", "removed"),
            ("fresh", "unfinished"),
            ("open", "unfinished")
        ]
    );
    project.is_tidy();
}

#[test]
fn the_base_before_and_after_a_look_at_the_remote_are_both_written_down() {
    let project = Project::silly();
    let bare = project.root().with_file_name("server.git");
    let url = bare.to_str().expect("UTF-8");
    project.git(["clone", "-q", "--bare", ".", url]);
    project.git(["remote", "add", "origin", url]);
    project.write("b.txt", "b\n");
    let theirs = project.commit("Theirs");
    project.git(["push", "-q", "--set-upstream", "origin", "main"]);
    project.git(["reset", "-q", "--hard", "HEAD~1"]);
    let ours = project.git(["rev-parse", "HEAD"]).trim().to_owned();
    assert_eq!(
        project.data(["worktree", "add", "c1", "--sync"])["base"],
        json!(theirs)
    );
    let meta = std::fs::read(project.tree("c1").join("meta.json")).expect("laid down");
    let meta: Value = serde_json::from_slice(&meta).expect("JSON");
    assert_eq!(
        (&meta["baseHash"], &meta["actualBaseHash"], &meta["baseBranch"]),
        (&json!(ours), &json!(theirs), &json!("main"))
    );
    assert_eq!(project.entry()["base"], json!(theirs));
    // A detached HEAD is named by its commit.
    project.git(["checkout", "-q", "--detach"]);
    project.spec(["worktree", "add", "c2"]).exits(0);
    let meta = std::fs::read(project.tree("c2").join("meta.json")).expect("laid down");
    let meta: Value = serde_json::from_slice(&meta).expect("JSON");
    assert_eq!(meta["baseBranch"], json!(ours));
    let listed = project.data(["worktree", "status", "c2"]);
    assert_eq!(listed["worktrees"][0]["base_branch"], Value::Null);
}

#[test]
fn one_that_holds_another_stays_whatever_is_asked_for() {
    let project = Project::of_kind_with_tree(Kind::Silly);
    // Ignored, so that git does not tell of it.
    let inner = project.tree("c1").join("build/inner");
    project.git([
        "worktree",
        "add",
        "-q",
        "--detach",
        inner.to_str().expect("UTF-8"),
    ]);
    std::fs::write(inner.join("mine.txt"), "mine\n").expect("written");
    let out = project
        .spec(["worktree", "remove", "c1", "--force", "--force"])
        .exits(1);
    assert!(
        out.stderr.starts_with("Error [WORKTREE_IN_USE]: ") && out.stderr.contains("build/inner"),
        "{out:?}"
    );
    assert_eq!(std::fs::read(inner.join("mine.txt")).expect("kept"), b"mine\n");
    project.git(["worktree", "remove", "--force", inner.to_str().expect("UTF-8")]);
    project.spec(["worktree", "remove", "c1"]).exits(0);
    project.is_tidy();
}

#[test]
fn without_either_folder_there_is_no_project() {
    let repo = Repo::new();
    repo.write("a.txt", "a\n").write(".sillyspec", "no folder\n");
    repo.commit("Begin");
    let out = repo.spec(["worktree", "add", "c1", "--format", "json"]).exits(1);
    assert_eq!(code(&out), "PROJECT_NOT_INITIALIZED");
}
