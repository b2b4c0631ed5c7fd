//! Scenarios U09, U10, U11 and the worktree part of U20, in both layouts. What the other files of this folder assert for
//! one layout word for word is here for the other alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::common::{self, Out, Repo};
use super::{BOTH, Kind, Project, data, submodules};

type Work<'w> = &'w dyn Fn(&Project);

/// Everything of a change's work tree that a person or git could miss.
#[derive(Debug, PartialEq, Eq)]
struct State {
    files: BTreeMap<String, (u32, Vec<u8>)>,
    index: String,
    status: String,
    head: String,
}

impl State {
    #[track_caller]
    fn of(project: &Project, change: &str) -> Self {
        Self {
            files: project.work(change),
            index: project.git_in(change, ["ls-files", "--stage"]),
            status: project.git_in(change, ["status", "--porcelain=v2"]),
            head: project.git_in(change, ["rev-parse", "HEAD"]),
        }
    }
}

/// The first rescue that was printed.
#[track_caller]
fn printed_rescue(out: &Out) -> String {
    let mut quoted = out.stdout.split('`');
    let name = quoted.find(|part| part.starts_with("refs/spec/rescue/c1/"));
    name.unwrap_or_else(|| panic!("{out:?}")).to_owned()
}

#[test]
fn u09_work_is_refused_by_its_class_and_comes_back_from_the_printed_rescue() {
    let modified = |p: &Project| p.write_in("c1", "a.txt", "mine\n");
    let staged = |p: &Project| {
        p.write_in("c1", "a.txt", "mine\n");
        p.git_in("c1", ["add", "a.txt"]);
    };
    let untracked = |p: &Project| p.write_in("c1", "sub/new file", "mine\n");
    let committed = |p: &Project| {
        p.write_in("c1", "a.txt", "mine\n");
        p.git_in("c1", ["commit", "-q", "-a", "-m", "Own work"]);
    };
    let cases: [(&str, &str, Work); 4] = [
        ("modified", "a.txt", &modified),
        ("staged", "a.txt", &staged),
        ("untracked", "sub/new file", &untracked),
        ("unmerged_commits", "Own work", &committed),
    ];
    for kind in BOTH {
        for (class, item, work) in cases {
            let project = Project::of_kind_with_tree(kind);
            work(&project);
            let everything = || {
                let listed = project.git(["worktree", "list", "--porcelain"]);
                (State::of(&project, "c1"), project.git(["for-each-ref"]), listed)
            };
            let before = everything();
            let refused = project.spec(["worktree", "remove", "c1"]).exits(1);
            assert!(
                refused.stderr.contains(&format!("\n  {class} (")) && refused.stderr.contains(item),
                "{kind:?} {class}: {refused:?}"
            );
            for other in cases.iter().map(|case| case.0).filter(|other| *other != class) {
                assert!(!refused.stderr.contains(other), "{kind:?} {class}: {refused:?}");
            }
            assert_eq!(everything(), before, "{kind:?} {class}");

            let forced = project.spec(["worktree", "remove", "c1", "--force"]).exits(0);
            assert!(!project.tree("c1").exists(), "{kind:?} {class}");
            assert_eq!(
                project.git(["branch", "--list", &project.branch("*")]),
                "",
                "{kind:?} {class}"
            );
            let rescue = printed_rescue(&forced);
            project.spec(["worktree", "rescue", "restore", &rescue]).exits(0);
            assert_eq!(State::of(&project, "c1-rescue"), before.0, "{kind:?} {class}");
            project.is_tidy();
        }
    }
}

#[test]
fn u09_a_stash_is_only_mentioned_and_an_ignored_folder_does_not_count() {
    for kind in BOTH {
        let project = Project::of_kind_with_tree(kind);
        project.write_in("c1", "a.txt", "stashed\n");
        project.git_in("c1", ["stash", "-q"]);
        let stash = project.git(["rev-parse", "refs/stash"]);
        let removed = project.spec(["worktree", "remove", "c1"]).exits(0);
        assert!(removed.stdout.contains("stash@{0}"), "{kind:?}: {removed:?}");
        assert_eq!(project.git(["rev-parse", "refs/stash"]), stash);

        project.spec(["worktree", "add", "c1"]).exits(0);
        project.write_in("c1", "build/deep/x.o", "o");
        project.spec(["worktree", "remove", "c1"]).exits(0);
        assert!(!project.tree("c1").exists(), "{kind:?}");
        project.is_tidy();
    }
}

#[test]
fn u10_a_clean_submodule_is_no_obstacle_and_a_changed_one_is_named() {
    let project = submodules::initialised_in(Project::silly());
    project.spec(["worktree", "remove", "c1"]).exits(0);
    assert!(!project.tree("c1").exists() && !project.exists(".git/worktrees"));
    assert_eq!(project.git(["branch", "--list", "sillyspec/*"]), "");
    project.is_tidy();

    let project = submodules::initialised_in(Project::silly());
    project.write_in("c1", "deps/lib/lib.txt", "mine\n");
    let refused = project.spec(["worktree", "remove", "c1"]).exits(1);
    assert!(
        refused.stderr.contains("submodule_changes") && refused.stderr.contains("`deps/lib`"),
        "{refused:?}"
    );
    assert!(!refused.stderr.contains("untracked"), "{refused:?}");
    assert_eq!(
        project.git_in("c1", ["status", "--porcelain"]),
        " M deps/lib\n?? meta.json\n"
    );
}

#[test]
fn u11_a_folder_that_is_gone_is_listed_pruned_and_made_again() {
    for merged in [true, false] {
        let project = Project::of_kind_with_tree(Kind::Silly);
        project.write_in("c1", "own.txt", "own\n");
        project.git_in("c1", ["add", "own.txt"]);
        project.git_in("c1", ["commit", "-q", "-m", "Own work"]);
        let tip = project.git(["rev-parse", "sillyspec/c1"]);
        if merged {
            project.git(["merge", "-q", "sillyspec/c1"]);
        }
        // `meta.json` goes with it.
        std::fs::remove_dir_all(project.tree("c1")).expect("removed by hand");
        let entry = project.entry();
        assert_eq!(
            (&entry["change"], &entry["state"], &entry["dirty"]),
            (&json!("c1"), &json!("missing"), &Value::Null)
        );
        let removed = project.spec(["worktree", "remove", "c1"]).exits(0);
        assert!(!project.exists(".git/worktrees"));
        let named = removed.stdout.contains("`sillyspec/c1` stays");
        assert_eq!(named, !merged, "{removed:?}");
        let left = project.git(["for-each-ref", "--format=%(objectname)\n", "refs/heads/sillyspec"]);
        assert_eq!(left.trim(), if merged { "" } else { tip.trim() });
        project.spec(["worktree", "add", "c1"]).exits(0);
        assert!(project.tree("c1").join("own.txt").exists());
        assert_eq!(project.entry()["state"], "ok");
        project.is_tidy();
    }
}

/// An outer repository with projects of both kinds at its root; in it a repository with one of each kind, and a
/// submodule with its own.
struct World {
    outer: Repo,
    top: PathBuf,
}

impl World {
    fn new() -> Self {
        let outer = Repo::new();
        outer.write("logos/logos.config.json", "{}\n");
        outer.write(".sillyspec/projects/outer.yaml", "name: outer\n");
        let top = outer.path("work/top");
        let world = Self { outer, top };
        let below = |path: &str, content: &str| world.outer.write(&format!("work/top/{path}"), content);
        below("apps/tolls/logos/logos.config.json", "{\"name\":\"tolls\"}\n");
        below("apps/tolls/logos/logos-project.yaml", "modules: []\n");
        below("apps/tolls/src/deep/x", "");
        below("apps/ferry/.sillyspec/projects/ferry.yaml", "name: ferry\n");
        below("apps/ferry/src/deep/x", "");
        below(".gitignore", ".sillyspec/.runtime/\n");
        let sub = world.outer.root().with_file_name("library");
        std::fs::create_dir_all(sub.join(".sillyspec/projects")).expect("made");
        std::fs::write(sub.join(".sillyspec/projects/sub.yaml"), "name: sub\n").expect("written");
        world.git(&sub, &["init", "-q", "-b", "main"]);
        world.git(&sub, &["add", "-A"]);
        world.git(&sub, &["commit", "-q", "-m", "Sub"]);
        world.git(&world.top, &["init", "-q", "-b", "main"]);
        let url = sub.to_str().expect("UTF-8");
        let add = [
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            url,
            "parts/sub",
        ];
        world.git(&world.top, &add);
        world.git(&world.top, &["add", "-A"]);
        world.git(&world.top, &["commit", "-q", "-m", "Begin"]);
        world
    }

    #[track_caller]
    fn git(&self, dir: &Path, args: &[&str]) {
        let status = self.outer.command("git").current_dir(dir).args(args).status();
        assert!(status.expect("git can be started").success(), "{args:?}");
    }

    fn spec(&self, dir: &Path, args: &[&str]) -> Out {
        common::out(self.outer.program().current_dir(dir).args(args), b"")
    }
}

/// Project and place of the one work tree that was told of in a folder.
#[track_caller]
fn seen(out: Out, dir: &Path) -> (String, PathBuf) {
    let listed = data(&out.exits(0));
    let all = listed["worktrees"].as_array().expect("a list");
    assert_eq!(all.len(), 1, "{}: {listed}", dir.display());
    let text = |key: &str| all[0][key].as_str().expect("text").to_owned();
    (text("project"), text("path").into())
}

const STATUS: [&str; 5] = ["worktree", "status", "c1", "--format", "json"];

#[test]
fn u20_the_nearest_project_has_its_own_work_trees_wherever_it_is_started() {
    let world = World::new();
    let (tolls, ferry) = (world.top.join("apps/tolls"), world.top.join("apps/ferry"));
    let sub = world.top.join("parts/sub");
    let of_tolls = world.top.with_file_name("top.worktrees").join("c1");
    let of_ferry = ferry.join(".sillyspec/.runtime/worktrees/c1");
    let of_sub = sub.join(".sillyspec/.runtime/worktrees/c1");
    for (from, made) in [
        (tolls.join("src/deep"), &of_tolls),
        (ferry.join("src/deep"), &of_ferry),
        (sub.join(".sillyspec/projects"), &of_sub),
    ] {
        world.spec(&from, &["worktree", "add", "c1"]).exits(0);
        assert!(made.join(".git").exists(), "{}", made.display());
    }
    let link = world.outer.root().with_file_name("link");
    std::os::unix::fs::symlink(ferry.join("src"), &link).expect("a link");
    for (dir, project, path) in [
        (tolls.clone(), "apps/tolls", &of_tolls),
        (tolls.join("src/deep"), "apps/tolls", &of_tolls),
        (ferry.clone(), "apps/ferry", &of_ferry),
        (ferry.join("src/deep"), "apps/ferry", &of_ferry),
        (link.join("deep"), "apps/ferry", &of_ferry),
        (sub.clone(), "", &of_sub),
        // Inside the work trees: their own projects, and those that hold them.
        (of_tolls.join("apps/tolls/src"), "apps/tolls", &of_tolls),
        (of_ferry.join("apps/ferry/src/deep"), "apps/ferry", &of_ferry),
        (of_ferry.join("apps"), "apps/ferry", &of_ferry),
        (of_ferry.join("apps/tolls/src"), "apps/tolls", &of_tolls),
        (of_sub.clone(), "", &of_sub),
    ] {
        let seen = seen(world.spec(&dir, &STATUS), &dir);
        assert_eq!(seen, (project.to_owned(), path.clone()), "{}", dir.display());
    }
    // At the top of a repository without a project, though the one around it has some.
    for dir in [world.top.clone(), world.top.join("apps"), of_tolls.clone()] {
        let out = world.spec(&dir, &["worktree", "add", "c2"]).exits(1);
        assert!(
            out.stderr.contains("PROJECT_NOT_INITIALIZED"),
            "{}: {out:?}",
            dir.display()
        );
    }
}

#[test]
fn u20_git_may_start_it_and_point_it_at_a_repository() {
    let world = World::new();
    let ferry = world.top.join("apps/ferry");
    let deep = ferry.join("src/deep");
    let tree = ferry.join(".sillyspec/.runtime/worktrees/c1");
    let program = PathBuf::from(env!("CARGO_BIN_EXE_git-spec"));
    let folders = std::iter::once(program.parent().expect("it lies in a folder").to_owned());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).expect("a search path");
    let through_git = |dir: &Path, args: &[&str]| {
        let mut git = world.outer.command("git");
        common::out(git.current_dir(dir).env("PATH", &path).args(args), b"")
    };
    let expected = ("apps/ferry".to_owned(), tree.clone());
    through_git(&deep, &["spec", "worktree", "add", "c1"]).exits(0);
    let at = [&["-C", "apps/ferry/src", "spec"], &STATUS[..]].concat();
    assert_eq!(seen(through_git(&world.top, &at), &world.top), expected);
    // An alias starts at the top level: in the work tree that is inside the project.
    let alias = [&["-c", "alias.s=!git-spec", "s"], &STATUS[..]].concat();
    assert_eq!(seen(through_git(&tree.join("apps"), &alias), &tree), expected);
    let named = [
        &["-c", "alias.s=!git-spec", "s", "--project", "apps/ferry"],
        &STATUS[..],
    ]
    .concat();
    assert_eq!(seen(through_git(&deep, &named), &deep), expected);
    for (git_dir, work_tree) in [
        (world.top.join(".git"), &world.top),
        (world.top.join(".git/worktrees/c1"), &tree),
    ] {
        let mut told = world.outer.program();
        told.env("GIT_DIR", git_dir).env("GIT_WORK_TREE", work_tree);
        let dir = work_tree.join("apps/ferry/src");
        let out = common::out(told.current_dir(&dir).args(STATUS), b"");
        assert_eq!(seen(out, &dir), expected);
    }
}
