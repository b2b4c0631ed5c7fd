//! Submodules and other repositories inside a work tree (git.md 5.4 and 5.6; scenario U10).

use serde_json::json;

use super::{Project, files};

fn with_submodule() -> Project {
    initialised_in(Project::new())
}

/// Adds a submodule to a project, and the work tree of `c1` in which it is initialised.
pub(super) fn initialised_in(project: Project) -> Project {
    let library = project.root().with_file_name("library");
    std::fs::create_dir(&library).expect("a new folder");
    let url = library.to_str().expect("UTF-8").to_owned();
    project.git_at(&library, ["init", "-q", "-b", "main"]);
    std::fs::write(library.join("lib.txt"), "lib\n").expect("written");
    project.git_at(&library, ["add", "-A"]);
    project.git_at(&library, ["commit", "-q", "-m", "Library"]);
    project.git([
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &url,
        "deps/lib",
    ]);
    project.commit("Add the library");
    let told = project.spec(["worktree", "add", "c1"]).exits(0).stdout;
    assert!(told.contains("git submodule update --init"), "{told}");
    project.git_in(
        "c1",
        [
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "update",
            "--init",
        ],
    );
    project
}

fn sub(project: &Project) -> std::path::PathBuf {
    project.tree("c1").join("deps/lib")
}

#[test]
fn a_clean_one_is_no_obstacle() {
    let project = with_submodule();
    project.spec(["worktree", "remove", "c1"]).exits(0);
    assert!(!project.tree("c1").exists() && !project.exists(".git/worktrees"));
    assert_eq!(project.git(["branch", "--list", "spec/*"]), "");
    project.is_tidy();
    assert_eq!(
        project.git(["submodule", "status"]).split_whitespace().nth(1),
        Some("deps/lib")
    );
}

#[test]
fn work_in_it_is_refused_by_its_path_and_kept_by_force() {
    let dirty = |p: &Project| std::fs::write(sub(p).join("lib.txt"), "mine\n").expect("written");
    let untracked = |p: &Project| std::fs::write(sub(p).join("new"), "mine\n").expect("written");
    let committed = |p: &Project| {
        p.git_at(&sub(p), ["checkout", "-q", "-b", "mine"]);
        std::fs::write(sub(p).join("new"), "mine\n").expect("written");
        p.git_at(&sub(p), ["add", "-A"]);
        p.git_at(&sub(p), ["commit", "-q", "-m", "Mine"]);
    };
    let left = |p: &Project| {
        committed(p);
        p.git_at(&sub(p), ["checkout", "-q", "--detach", "origin/main"]);
    };
    let cases: [&dyn Fn(&Project); 4] = [&dirty, &untracked, &committed, &left];
    for (n, work) in cases.into_iter().enumerate() {
        let project = with_submodule();
        work(&project);
        let out = project.spec(["worktree", "remove", "c1"]).exits(1);
        assert!(
            out.stderr.contains("submodule_changes") && out.stderr.contains("`deps/lib`"),
            "case {n}: {out:?}"
        );
        let before = files(&sub(&project));
        let mine = project.git_at(&sub(&project), ["rev-parse", "HEAD", "--branches=mine"]);
        let removed = project.data(["worktree", "remove", "c1", "--force"]);
        let rescues: Vec<&str> = removed["rescues"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|r| r.as_str())
            .collect();
        let [_, of_sub] = rescues.as_slice() else {
            panic!("case {n}: {removed}")
        };
        assert!(of_sub.ends_with(".sub.1"), "{of_sub}");
        assert!(!project.tree("c1").exists());
        project.is_tidy();
        for commit in mine.lines() {
            project.git(["merge-base", "--is-ancestor", commit, of_sub]);
        }
        let all = project.root().with_file_name("back");
        project.git(["clone", "-q", "--no-checkout", ".", all.to_str().expect("UTF-8")]);
        project.git_at(
            &all,
            ["fetch", "-q", "origin", &format!("{of_sub}:refs/heads/back")],
        );
        project.git_at(&all, ["checkout", "-q", "--detach", "back^1"]);
        project.git_at(&all, ["stash", "apply", "-q", "--index", "back"]);
        assert_eq!(files(&all), before, "case {n}");
    }
}

#[test]
fn a_repository_that_git_only_sees_as_untracked_is_kept_whole() {
    let project = Project::with_tree();
    let nested = project.tree("c1").join("nested");
    std::fs::create_dir(&nested).expect("a new folder");
    project.git_at(&nested, ["init", "-q", "-b", "main"]);
    std::fs::write(nested.join("n.txt"), "n\n").expect("written");
    project.git_at(&nested, ["add", "-A"]);
    project.git_at(&nested, ["commit", "-q", "-m", "Nested"]);
    let head = project.git_at(&nested, ["rev-parse", "HEAD"]);
    std::fs::write(nested.join("n.txt"), "changed\n").expect("written");
    assert_eq!(project.entry()["dirty"]["untracked"], json!(1));
    assert_eq!(project.code(["worktree", "remove", "c1"]), "WORKTREE_NOT_CLEAN");
    let removed = project.data(["worktree", "remove", "c1", "--force"]);
    let of_nested = removed["rescues"][1].as_str().expect("two rescues");
    assert_eq!(project.git(["rev-parse", &format!("{of_nested}^1")]), head);
    assert_eq!(
        project.git(["cat-file", "-p", &format!("{of_nested}:n.txt")]),
        "changed\n"
    );
    project.is_tidy();
}

#[test]
fn a_submodule_has_work_trees_of_its_own_beside_its_top() {
    let project = with_submodule();
    let top = project.path("deps/lib");
    std::fs::create_dir_all(top.join("logos")).expect("made");
    std::fs::write(top.join("logos/logos.config.json"), "{}\n").expect("written");
    project.git_at(&top, ["add", "-A"]);
    project.git_at(&top, ["commit", "-q", "-m", "A project"]);
    let made = super::data(
        &project
            .spec_at(&top, ["worktree", "add", "c9", "--format", "json"])
            .exits(0),
    );
    let path = project.path("deps/lib.worktrees/c9");
    assert_eq!(made["path"], path.to_str().expect("UTF-8"));
    for dir in [&top, &path] {
        let out = project
            .spec_at(dir, ["worktree", "list", "--format", "json"])
            .exits(0);
        let listed = super::data(&out);
        assert_eq!(listed["worktrees"].as_array().map(Vec::len), Some(1), "{listed}");
    }
    assert_eq!(
        super::code(
            &project
                .spec_at(&path, ["worktree", "remove", "c9", "--format", "json"])
                .exits(1)
        ),
        "WORKTREE_IN_USE"
    );
    project.spec_at(&top, ["worktree", "remove", "c9"]).exits(0);
    assert!(!path.exists());
}

fn own_commit_in(project: &Project, repository: &std::path::Path) -> String {
    project.git_at(repository, ["commit", "-q", "--allow-empty", "-m", "Mine"]);
    project
        .git_at(repository, ["rev-parse", "HEAD"])
        .trim()
        .to_owned()
}

/// A commit is in the history of a ref of the repository itself.
#[track_caller]
fn is_kept(project: &Project, commit: &str, rescues: &serde_json::Value) {
    let of_sub = rescues
        .as_array()
        .and_then(|all| all.last())
        .and_then(|name| name.as_str());
    let of_sub = of_sub.unwrap_or_else(|| panic!("no rescue: {rescues}"));
    assert!(of_sub.ends_with(".sub.1"), "{of_sub}");
    project.git(["merge-base", "--is-ancestor", commit, of_sub]);
    project.is_tidy();
}

#[test]
fn commits_of_one_whose_files_are_gone_are_work_too() {
    let on_a_branch = |p: &Project| own_commit_in(p, &sub(p));
    let by_a_tag = |p: &Project| {
        let own = own_commit_in(p, &sub(p));
        p.git_at(&sub(p), ["tag", "-a", "-m", "kept", "mine"]);
        p.git_at(&sub(p), ["checkout", "-q", "--detach", "origin/main"]);
        own
    };
    let in_an_older_stash = |p: &Project| {
        for text in ["one", "two"] {
            std::fs::write(sub(p).join("lib.txt"), text).expect("written");
            p.git_at(&sub(p), ["stash", "-q"]);
        }
        p.git_at(&sub(p), ["rev-parse", "stash@{1}"]).trim().to_owned()
    };
    let stays = |_: &Project| {};
    let deinit = |p: &Project| drop(p.git_in("c1", ["submodule", "--quiet", "deinit", "-f", "deps/lib"]));
    let gone = |p: &Project| std::fs::remove_dir_all(p.tree("c1")).expect("removed by hand");
    let works: [&dyn Fn(&Project) -> String; 3] = [&on_a_branch, &by_a_tag, &in_an_older_stash];
    let losses: [&dyn Fn(&Project); 3] = [&stays, &deinit, &gone];
    for (n, (work, loss)) in works
        .into_iter()
        .flat_map(|work| losses.iter().map(move |loss| (work, loss)))
        .enumerate()
    {
        let project = with_submodule();
        let own = work(&project);
        loss(&project);
        let mut refused = vec![["worktree", "remove", "c1"]];
        if !project.tree("c1").exists() {
            refused.push(["worktree", "add", "c1"]);
        }
        for args in refused {
            let out = project.spec(args).exits(1);
            assert!(
                out.stderr.contains("submodule_changes") && out.stderr.contains("`deps/lib`"),
                "case {n}: {out:?}"
            );
        }
        let removed = project.data(["worktree", "remove", "c1", "--force"]);
        is_kept(&project, &own, &removed["rescues"]);
        project.spec(["worktree", "add", "c1"]).exits(0);
    }
}

#[test]
fn a_clean_one_without_files_is_no_obstacle() {
    for gone in [false, true] {
        let project = with_submodule();
        project.git_in("c1", ["submodule", "--quiet", "deinit", "-f", "deps/lib"]);
        if gone {
            std::fs::remove_dir_all(project.tree("c1")).expect("removed by hand");
        }
        project.spec(["worktree", "remove", "c1"]).exits(0);
        assert_eq!(project.git(["branch", "--list", "spec/*"]), "");
        project.is_tidy();
    }
}

#[test]
fn a_commit_that_only_a_tag_of_a_nested_repository_holds_is_kept() {
    let project = Project::with_tree();
    let nested = project.tree("c1").join("nested");
    std::fs::create_dir(&nested).expect("a new folder");
    project.git_at(&nested, ["init", "-q", "-b", "main"]);
    own_commit_in(&project, &nested);
    let own = own_commit_in(&project, &nested);
    project.git_at(&nested, ["tag", "mine"]);
    project.git_at(&nested, ["reset", "-q", "--hard", "HEAD^"]);
    let removed = project.data(["worktree", "remove", "c1", "--force"]);
    is_kept(&project, &own, &removed["rescues"]);
}
