//! Unusual repositories and places (git.md 1.6, 10.2).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::{Value, json};

use super::common::{self, Repo};
use super::{BOTH, Project, data, files};

/// One change through its whole life: made, worked on, removed by force, restored, applied.
#[track_caller]
fn whole_life(project: &Project) {
    project.spec(["worktree", "add", "c1"]).exits(0);
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Own work");
    project.write_in("c1", "a.txt", "changed\n");
    project.write_in("c1", "u.txt", "u\n");
    let before = project.work("c1");
    let entry = project.entry();
    assert_eq!(
        (&entry["state"], &entry["ahead"]),
        (&json!("ok"), &json!(1)),
        "{entry}"
    );
    let removed = project.data(["worktree", "remove", "c1", "--force"]);
    let name = removed["rescues"][0].as_str().expect("a ref").to_owned();
    project.is_tidy();
    project.spec(["worktree", "rescue", "restore", &name]).exits(0);
    assert_eq!(project.work("c1-rescue"), before);
    project.spec(["worktree", "apply", "c1-rescue"]).exits(0);
    assert_eq!(
        project.git(["status", "--porcelain"]),
        "M  a.txt\nA  own.txt\nA  u.txt\n"
    );
    project.git(["commit", "-q", "-m", "Applied"]);
    project
        .spec(["worktree", "remove", "c1-rescue", "--force"])
        .exits(0);
    project.is_tidy();
}

#[test]
fn repositories_of_either_hash_are_the_same() {
    for kind in BOTH {
        for format in ["--object-format=sha1", "--object-format=sha256"] {
            whole_life(&Project::of_kind(kind, format));
        }
    }
}

#[test]
fn references_in_tables_are_read_through_git() {
    let probe = Repo::without_git();
    let made = probe
        .command("git")
        .args(["init", "-q", "--ref-format=reftable"])
        .status();
    if made.is_ok_and(|status| status.success()) {
        whole_life(&Project::made_with("--ref-format=reftable"));
    }
}

#[test]
fn places_with_blanks_foreign_letters_and_bytes_that_are_no_text_work() {
    for name in [
        &b"a b"[..],
        "工作 ü".as_bytes(),
        b"quote'\"$x",
        b"-dash",
        b"\xff\xfe",
        &[b'x'; 250],
    ] {
        let project = Project::new();
        let path = project.root().with_file_name(OsStr::from_bytes(name));
        let mut add = project.program();
        add.args(["worktree", "add", "c1", "--path"]).arg(&path);
        common::out(&mut add, b"").exits(0);
        std::fs::write(path.join("u"), "u").expect("written");
        assert_eq!(project.entry()["dirty"]["untracked"], 1, "{path:?}");
        assert_eq!(project.code(["worktree", "remove", "c1"]), "WORKTREE_NOT_CLEAN");
        let removed = project.data(["worktree", "remove", "c1", "--force"]);
        assert_eq!(removed["rescues"].as_array().map(Vec::len), Some(1), "{path:?}");
        assert!(!path.exists());
        project.is_tidy();
    }
}

#[test]
fn a_parent_that_is_a_link_is_followed() {
    let project = Project::new();
    let real = project.root().with_file_name("real");
    std::fs::create_dir(&real).expect("a new folder");
    std::os::unix::fs::symlink(&real, project.root().with_file_name("link")).expect("a link");
    project.git(["config", "spec.worktreeDir", "../link"]);
    project.spec(["worktree", "add", "c1"]).exits(0);
    assert!(real.join("c1/a.txt").exists());
    assert_eq!(project.code(["worktree", "add", "c1"]), "WORKTREE_EXISTS");
    assert_eq!(project.entry()["state"], "ok");
    project.spec(["worktree", "remove", "c1"]).exits(0);
    assert!(real.read_dir().expect("there").next().is_none());
    project.is_tidy();
}

#[test]
fn a_bare_repository_has_its_work_trees_beside_it() {
    let project = Project::new();
    let bare = project.root().with_file_name("server.git");
    project.git(["clone", "-q", "--bare", ".", bare.to_str().expect("UTF-8")]);
    let made = data(
        &project
            .spec_at(&bare, ["worktree", "add", "c1", "--format", "json"])
            .exits(0),
    );
    let path = project.root().with_file_name("server.worktrees").join("c1");
    assert_eq!(made["path"], path.to_str().expect("UTF-8"));
    std::fs::write(path.join("u"), "u").expect("written");
    let listed = data(
        &project
            .spec_at(&bare, ["worktree", "list", "--format", "json"])
            .exits(0),
    );
    assert_eq!(listed["worktrees"][0]["dirty"]["untracked"], 1);
    project
        .spec_at(&bare, ["worktree", "remove", "c1", "--force"])
        .exits(0);
    assert!(!path.exists() && !bare.join("worktrees").exists() && !bare.join("spec").exists());
}

#[test]
fn sparse_checkouts_lose_nothing_and_hand_their_patterns_on() {
    let project = Project::new();
    project.write("in/x", "x\n").write("out/y", "y\n");
    project.commit("Two folders");
    project.git(["config", "extensions.worktreeConfig", "true"]);
    project.git(["sparse-checkout", "set", "--cone", "in", "logos"]);
    assert!(!project.exists("out"));
    let told = project.spec(["worktree", "add", "c1"]).exits(0).stdout;
    assert!(told.contains("sparse"), "{told}");
    let tree = project.tree("c1");
    assert!(tree.join("in/x").exists() && !tree.join("out").exists());
    assert!(project.entry()["dirty"]["modified"] == 0);
    // A file that is there although the patterns leave it out is work, too.
    project.write_in("c1", "out/y", "mine\n");
    project.write_in("c1", "in/x", "mine\n");
    let before = files(&tree);
    let removed = project.data(["worktree", "remove", "c1", "--force"]);
    let name = removed["rescues"][0].as_str().expect("a ref");
    for path in ["in/x", "out/y"] {
        assert_eq!(
            project.git(["cat-file", "-p", &format!("{name}:{path}")]),
            "mine\n"
        );
    }
    assert_eq!(
        project.git(["diff-tree", "-r", "--name-only", &format!("{name}^1"), name]),
        "in/x\nout/y\n"
    );
    project.spec(["worktree", "rescue", "restore", name]).exits(0);
    let after = files(&project.tree("c1-rescue"));
    assert_eq!(after.get("in/x"), before.get("in/x"));
    project.fsck();
}

#[test]
fn a_sparse_index_is_understood() {
    let project = Project::new();
    project.write("in/x", "x\n").write("out/y", "y\n");
    project.commit("Two folders");
    project.git([
        "sparse-checkout",
        "set",
        "--cone",
        "--sparse-index",
        "in",
        "logos",
    ]);
    project.spec(["worktree", "add", "c1"]).exits(0);
    project.write_in("c1", "in/x", "mine\n");
    project.spec(["worktree", "apply", "c1"]).exits(0);
    assert_eq!(project.git(["status", "--porcelain"]), "M  in/x\n");
    project.spec(["worktree", "remove", "c1", "--force"]).exits(0);
    assert!(!project.exists(".git/worktrees") && !project.exists(".git/spec"));
}

#[test]
fn a_shallow_clone_has_work_trees_though_not_all_is_known_of_them() {
    let project = Project::new();
    for n in 0..3 {
        project.write("a.txt", format!("{n}\n"));
        project.commit("More");
    }
    let clone = project.root().with_file_name("clone");
    let url = format!("file://{}", project.root().display());
    project.git(["clone", "-q", "--depth=1", &url, clone.to_str().expect("UTF-8")]);
    let run = |args: &[&str]| common::out(project.program().current_dir(&clone).args(args), b"");
    run(&["worktree", "add", "c1"]).exits(0);
    let path = clone.with_file_name("clone.worktrees").join("c1");
    std::fs::write(path.join("u"), "u").expect("written");
    // Nobody knows whether what is behind the boundary is common history.
    project.git_at(&clone, ["checkout", "-q", "--orphan", "fresh"]);
    project.git_at(&clone, ["commit", "-q", "-m", "Alone"]);
    project.git_at(&clone, ["branch", "-q", "-M", "fresh", "main"]);
    std::fs::write(path.join("own.txt"), "own\n").expect("written");
    project.git_at(&path, ["add", "own.txt"]);
    project.git_at(&path, ["commit", "-q", "-m", "Own work"]);
    let listed = data(&run(&["worktree", "list", "--format", "json"]).exits(0));
    let entry = &listed["worktrees"][0];
    assert_eq!((&entry["state"], &entry["merged"]), (&json!("ok"), &Value::Null));
    let out = run(&["worktree", "remove", "c1"]).exits(1);
    assert!(out.stderr.contains("Own work"), "{out:?}");
    run(&["worktree", "remove", "c1", "--force"]).exits(0);
    assert!(!path.exists());
}

#[test]
fn projects_of_one_repository_do_not_take_each_other_s_work_trees() {
    let repo = Repo::new();
    for project in ["apps/ferry", "apps/tolls"] {
        repo.write(&format!("{project}/logos/logos.config.json"), "{}\n");
    }
    repo.commit("Two projects");
    let json = |dir: &str, args: &[&str]| repo.spec_in(dir, args.iter().chain(&["--format", "json"]));
    let made = data(&json("apps/tolls", &["worktree", "add", "c1"]).exits(0));
    assert_eq!(made["project"], "apps/tolls");
    assert_eq!(
        super::code(&json("apps/ferry", &["worktree", "remove", "c1"]).exits(1)),
        "WORKTREE_NOT_FOUND"
    );
    assert_eq!(
        super::code(&json("apps/ferry", &["worktree", "add", "c1"]).exits(1)),
        "WORKTREE_PATH_OCCUPIED"
    );
    assert_eq!(
        super::code(&json(".", &["worktree", "add", "c9"]).exits(1)),
        "PROJECT_NOT_INITIALIZED"
    );
    data(&json(".", &["--project", "apps/tolls", "worktree", "remove", "c1"]).exits(0));
    let listed = data(&json(".", &["worktree", "list"]).exits(0));
    assert_eq!(listed["worktrees"], Value::Array(Vec::new()));
}

#[test]
fn foreign_text_cannot_act_on_a_terminal() {
    let project = Project::with_tree();
    project.write_in("c1", "::error::\u{1b}[31m\nx", "u");
    project.git_in(
        "c1",
        ["commit", "-q", "--allow-empty", "-m", "\u{1b}[2J\u{202e}hidden"],
    );
    for args in [
        &["worktree", "status"][..],
        &["worktree", "remove", "c1"],
        &["worktree", "list"],
    ] {
        let out = project.spec(args);
        for text in [&out.stdout, &out.stderr] {
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
            assert!(!text.lines().any(|line| line.starts_with("::")), "{text}");
        }
    }
}

#[test]
fn outside_a_repository_there_is_nothing_to_ask() {
    let repo = Repo::without_git();
    for args in [
        &["worktree", "list"][..],
        &["worktree", "add", "c1"],
        &["worktree", "rescue"],
    ] {
        let out = repo.spec(args.iter().chain(&["--format", "json"])).exits(1);
        assert_eq!(super::code(&out), "NOT_A_REPOSITORY");
    }
}
