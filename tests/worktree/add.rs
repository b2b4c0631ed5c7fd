//! `worktree add` (git.md 5.1) and `change --worktree`.

use serde_json::{Value, json};

use super::{Project, code, data};

#[test]
fn what_is_made_is_a_work_tree_as_git_makes_it() {
    let project = Project::new();
    let head = project.git(["rev-parse", "HEAD"]).trim().to_owned();
    let answer = project.data(["worktree", "add", "c1"]);
    let path = project.tree("c1");
    assert_eq!(
        answer,
        json!({
            "change": "c1", "project": "", "path": path.to_str(), "branch": "spec/c1",
            "base_branch": "main", "base": head, "created_branch": true,
        })
    );
    let listed = project.git(["worktree", "list", "--porcelain"]);
    assert!(
        listed.contains(&format!(
            "worktree {}\nHEAD {head}\nbranch refs/heads/spec/c1\n",
            path.display()
        )),
        "{listed}"
    );
    assert_eq!(project.git_in("c1", ["status", "--porcelain=v2"]), "");
    assert_eq!(
        project.read(".git/worktrees/c1/spec.json"),
        format!(
            "{{\n  \"version\": 1,\n  \"change\": \"c1\",\n  \"project\": \"\",\n  \"branch\": \"spec/c1\",\n  \
             \"base_branch\": \"main\",\n  \"base\": \"{head}\",\n  \"created_at\": \"2026-01-02T03:04:05.000Z\"\n}}\n"
        )
    );
    project.is_tidy();
    project.git(["worktree", "remove", path.to_str().expect("UTF-8")]);
    assert_eq!(
        project.data(["worktree", "list"])["worktrees"][0]["state"],
        "branch_only"
    );
}

#[test]
fn a_second_one_is_refused_and_an_occupied_place_too() {
    let project = Project::with_tree();
    assert_eq!(project.code(["worktree", "add", "c1"]), "WORKTREE_EXISTS");
    assert_eq!(
        project.code(["worktree", "add", "c2", "--branch", "spec/c1"]),
        "WORKTREE_BRANCH_IN_USE"
    );
    assert_eq!(
        project.code(["worktree", "add", "c2", "--branch", "main"]),
        "WORKTREE_BRANCH_IN_USE"
    );
    project.write_in("c2", "mine.txt", "mine\n");
    assert_eq!(project.code(["worktree", "add", "c2"]), "WORKTREE_PATH_OCCUPIED");
    let taken = project.tree("c1");
    let taken = taken.to_str().expect("UTF-8");
    assert_eq!(
        project.code(["worktree", "add", "c3", "--path", taken]),
        "WORKTREE_PATH_OCCUPIED"
    );
    assert_eq!(
        project.git(["branch", "--list", "--format=%(refname:short)"]),
        "main\nspec/c1\n"
    );
    assert_eq!(
        std::fs::read(project.tree("c2").join("mine.txt")).expect("kept"),
        b"mine\n"
    );
    project.is_tidy();
}

#[test]
fn names_and_bases_that_are_none_are_refused_with_nothing_left_behind() {
    let project = Project::new();
    let before = (project.snapshot(), project.git(["worktree", "list"]));
    for name in [
        "-x",
        "--output=x",
        "a..b",
        "../x",
        "a/b",
        "@{-1}",
        "archive",
        "",
        "x.lock",
        &"x".repeat(300),
    ] {
        assert_eq!(
            project.code(["worktree", "add", name]),
            "WORKTREE_NAME_INVALID",
            "{name}"
        );
    }
    assert_eq!(project.code(["worktree", "add"]), "WORKTREE_NAME_INVALID");
    for base in ["-x", "--all", "nothing", "HEAD~9", "main:a.txt", "@{-1}"] {
        assert_eq!(
            code(
                &project
                    .spec([
                        "worktree",
                        "add",
                        "c1",
                        &format!("--base={base}"),
                        "--format",
                        "json"
                    ])
                    .exits(1)
            ),
            "WORKTREE_BASE_UNKNOWN",
            "{base}"
        );
    }
    for branch in [
        "-x",
        "--output=x",
        "HEAD",
        "@{-1}",
        "a..b",
        "a b",
        "a.lock",
        ".a",
        "a~1",
    ] {
        assert_eq!(
            code(
                &project
                    .spec([
                        "worktree",
                        "add",
                        "c1",
                        &format!("--branch={branch}"),
                        "--format",
                        "json"
                    ])
                    .exits(1)
            ),
            "WORKTREE_BRANCH_INVALID",
            "{branch}"
        );
    }
    let deep = format!("{}/{}", project.root().display(), "y".repeat(260));
    assert_eq!(
        project.code(["worktree", "add", "c1", "--path", &deep]),
        "WORKTREE_PATH_INVALID"
    );
    assert_eq!(
        project.code(["worktree", "add", "c1", "--path", "../a\nb"]),
        "WORKTREE_PATH_INVALID"
    );
    assert_eq!((project.snapshot(), project.git(["worktree", "list"])), before);
    project.is_tidy();
}

#[test]
fn hostile_names_that_are_names_stay_names() {
    let project = Project::new();
    for (n, branch) in [
        "refs/heads/x",
        "main2",
        &"1".repeat(39),
        "spec/ü",
        "origin/main",
        "tags/v1",
    ]
    .into_iter()
    .enumerate()
    {
        let change = format!("c{n}");
        let made = project.data(["worktree", "add", &change, "--branch", branch]);
        assert_eq!(made["branch"], branch);
        assert_eq!(
            project.git_in(&change, ["symbolic-ref", "HEAD"]),
            format!("refs/heads/{branch}\n")
        );
    }
    project.is_tidy();
}

#[test]
fn a_project_without_a_commit_has_no_base() {
    let project = Project::new();
    project.git(["checkout", "-q", "--orphan", "new"]);
    assert_eq!(project.code(["worktree", "add", "c1"]), "WORKTREE_BASE_UNKNOWN");
    assert!(!project.exists(".git/spec") && !project.tree("c1").exists());
}

#[test]
fn an_existing_branch_is_used_as_it_is_unless_another_base_is_asked_for() {
    let project = Project::new();
    project.git(["branch", "spec/c1"]);
    project.write("b.txt", "b\n");
    project.commit("More");
    assert_eq!(
        project.code(["worktree", "add", "c1", "--base", "main"]),
        "WORKTREE_BRANCH_EXISTS"
    );
    let made = project.data(["worktree", "add", "c1"]);
    assert_eq!(made["created_branch"], false);
    assert_eq!(made["base"], project.git(["rev-parse", "HEAD~1"]).trim());
    let own = project.data(["worktree", "add", "c2", "--base", "HEAD~1"]);
    assert_eq!((&own["base_branch"], &own["base"]), (&Value::Null, &made["base"]));
}

#[test]
fn the_folder_and_the_branch_prefix_can_be_configured() {
    let project = Project::new();
    project.git(["config", "spec.worktreeDir", "../elsewhere/trees"]);
    project.git(["config", "spec.branchPrefix", "change-"]);
    let made = project.data(["worktree", "add", "c1"]);
    assert_eq!(made["branch"], "change-c1");
    let path = project.root().with_file_name("elsewhere").join("trees/c1");
    assert!(path.join("a.txt").exists(), "{made}");
    assert_eq!(project.entry()["change"], "c1");
    project.spec(["worktree", "remove", "c1"]).exits(0);
    project.git(["config", "spec.worktreeDir", "~/trees"]);
    project.spec(["worktree", "add", "c1"]).exits(0);
    assert!(project.home().join("trees/c1/a.txt").exists());
}

#[test]
fn a_change_that_is_there_becomes_active_only_where_git_does_not_see_it() {
    let project = Project::new();
    for change in ["c1", "c2"] {
        project.write(
            &format!("logos/changes/{change}/proposal.md"),
            "# C\n\n> module: core\n",
        );
    }
    project.commit("Propose");
    project.spec(["worktree", "add", "c1"]).exits(0);
    let guard = project.tree("c1").join("logos/.openlogos-guard");
    let guard: Value = serde_json::from_slice(&std::fs::read(guard).expect("made")).expect("JSON");
    assert_eq!(
        (&guard["activeChange"], &guard["module"]),
        (&json!("c1"), &json!("core"))
    );
    assert_eq!(project.git_in("c1", ["status", "--porcelain"]), "");
    assert_eq!(project.entry()["step"], "writing");
    project.write(".gitignore", "build/\n");
    project.commit("The guard shows");
    let told = project.spec(["worktree", "add", "c2"]).exits(0).stdout;
    assert!(told.contains("--slug c2"), "{told}");
    assert_eq!(project.git_in("c2", ["status", "--porcelain"]), "");
    project.is_tidy();
}

#[test]
fn a_change_can_be_begun_in_a_work_tree_of_its_own() {
    let project = Project::new();
    let before = project.snapshot();
    let begun = project.data(["change", "c1", "--worktree"]);
    assert_eq!(
        begun["worktree"]["path"],
        project.tree("c1").to_str().expect("UTF-8")
    );
    assert!(project.tree("c1").join("logos/changes/c1/proposal.md").exists());
    assert!(!project.exists("logos/changes"));
    project.spec(["worktree", "remove", "c1", "--force"]).exits(0);
    project.git([
        "update-ref",
        "-d",
        project
            .git(["for-each-ref", "--format=%(refname)", "refs/spec"])
            .trim(),
    ]);
    assert_eq!(project.snapshot(), before);
    // What speaks against the change is said before anything is made.
    project.write("logos/changes/c2/proposal.md", "# C\n");
    project.commit("There already");
    assert_eq!(project.code(["change", "c2", "--worktree"]), "CHANGE_EXISTS");
    assert_eq!(
        project.code(["change", "c3", "--worktree", "--module", "none"]),
        "MODULE_NOT_FOUND"
    );
    assert!(!project.tree("c2").exists() && !project.tree("c3").exists());
    assert_eq!(project.git(["branch", "--list", "spec/*"]), "");
    project.is_tidy();
}

#[test]
fn the_upstream_that_is_ahead_is_the_base_after_a_look_at_the_remote() {
    let project = Project::new();
    let bare = project.root().with_file_name("server.git");
    let url = bare.to_str().expect("UTF-8");
    project.git(["clone", "-q", "--bare", ".", url]);
    project.git(["remote", "add", "origin", url]);
    project.git(["fetch", "-q"]);
    project.git(["branch", "-q", "--set-upstream-to=origin/main", "main"]);
    let other = project.root().with_file_name("other");
    project.git(["clone", "-q", url, other.to_str().expect("UTF-8")]);
    project.git_at(&other, ["commit", "-q", "--allow-empty", "-m", "Theirs"]);
    project.git_at(&other, ["push", "-q"]);
    let theirs = project.git_at(&other, ["rev-parse", "HEAD"]);
    let ours = project.git(["rev-parse", "HEAD"]);

    assert_eq!(project.data(["worktree", "add", "c1"])["base"], ours.trim());
    assert_eq!(
        project.data(["worktree", "add", "c2", "--sync"])["base"],
        theirs.trim()
    );
    assert_eq!(project.git(["rev-parse", "main"]), ours);
    std::fs::rename(&bare, bare.with_extension("gone")).expect("renamed");
    let out = project.spec(["worktree", "add", "c3", "--sync"]).exits(0);
    assert!(out.stderr.starts_with("warning: "), "{out:?}");
    assert_eq!(project.git_in("c3", ["rev-parse", "HEAD"]), ours);
}

#[test]
fn hooks_run_as_git_runs_them_and_cannot_stop_it() {
    let project = Project::new();
    project.write(
        ".git/hooks/post-checkout",
        "#!/bin/sh\necho \"$1 $2 $3\" > \"$(git rev-parse --git-dir)/hook-ran\"\nexit 3\n",
    );
    let mut command = project.command("chmod");
    command
        .args(["+x", ".git/hooks/post-checkout"])
        .status()
        .expect("it starts");
    project.spec(["worktree", "add", "c1"]).exits(0);
    let head = project.git(["rev-parse", "HEAD"]);
    let told = project.read(".git/worktrees/c1/hook-ran");
    assert_eq!(told, format!("{} {} 1\n", "0".repeat(40), head.trim()));
    assert!(project.exists(".git/worktrees/c1/spec.json"));
    project.is_tidy();
}

#[test]
fn everything_works_from_everywhere() {
    let project = Project::with_tree();
    project.write("sub/x", "x\n");
    for dir in [
        project.path("sub"),
        project.tree("c1"),
        project.path(".git"),
        project.path(".git/worktrees/c1"),
    ] {
        let listed = data(
            &project
                .spec_at(&dir, ["worktree", "list", "--format", "json"])
                .exits(0),
        );
        assert_eq!(
            listed["worktrees"][0]["path"],
            project.tree("c1").to_str().expect("UTF-8"),
            "{dir:?}"
        );
    }
    let made = data(
        &project
            .spec_at(&project.tree("c1"), ["worktree", "add", "c2", "--format", "json"])
            .exits(0),
    );
    assert_eq!(
        (made["base_branch"].as_str(), made["path"].as_str()),
        (Some("spec/c1"), project.tree("c2").to_str())
    );
    project
        .spec_at(&project.tree("c1"), ["worktree", "remove", "c2"])
        .exits(0);
    let hook = |args: &[&str]| {
        let mut command = project.program();
        command
            .env("GIT_DIR", project.path(".git/worktrees/c1"))
            .env("GIT_WORK_TREE", project.tree("c1"));
        super::common::out(command.current_dir(project.tree("c1")).args(args), b"")
    };
    assert_eq!(
        data(&hook(&["worktree", "list", "--format", "json"]))["worktrees"][0]["state"],
        "ok"
    );
    assert_eq!(
        code(&hook(&["worktree", "remove", "c1", "--format", "json"])),
        "WORKTREE_IN_USE"
    );
    project.is_tidy();
}

#[test]
fn many_at_once_wait_for_each_other() {
    let project = Project::new();
    let start = |name: String| {
        let mut command = project.program();
        command.args(["worktree", "add", &name]);
        command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        command.spawn().expect("it starts")
    };
    // Each name twice: one of the two makes it.
    let running: Vec<_> = (0..16).map(|n| start(format!("c{}", n / 2))).collect();
    let codes = running
        .into_iter()
        .map(|mut child| child.wait().expect("it ends").code());
    assert_eq!(codes.filter(|code| *code == Some(0)).count(), 8);
    let listed = project.data(["worktree", "list"]);
    let all = listed["worktrees"].as_array().expect("a list");
    assert_eq!(all.len(), 8);
    assert!(
        all.iter()
            .all(|tree| tree["state"] == "ok" && tree["created_at"].is_string())
    );
    project.is_tidy();
}
