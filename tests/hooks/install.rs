//! `hooks install`, `uninstall` and `status` (git.md 3.6), U12.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::{Repo, Tolls};
use crate::{git_in, is_refused, json_in, mode, script, spec_in};

/// A linked work tree beside the repository.
fn linked(repo: &Repo, name: &str) -> PathBuf {
    let path = repo.root().with_file_name(name);
    repo.git(["worktree", "add", "-q", "--detach", &path.display().to_string()]);
    path
}

/// Every file of a git directory that hooks and configuration are in.
pub(crate) fn files(dir: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
    let mut out = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                out.insert(path.clone(), (Vec::new(), 0));
                folders.push(path);
            } else {
                out.insert(
                    path.clone(),
                    (std::fs::read(&path).expect("it can be read"), mode(&path)),
                );
            }
        }
    }
    out.retain(|path, _| {
        !path
            .components()
            .any(|part| part.as_os_str() == "objects" || part.as_os_str() == "logs")
    });
    out.retain(|path, _| !path.ends_with("index"));
    out
}

#[test]
fn u12_the_main_work_tree_and_linked_ones_are_reached() {
    let tolls = Tolls::new();
    let before = linked(&tolls, "before");
    let clean = files(&tolls.path(".git"));
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    let after = linked(&tolls, "after");
    for dir in [tolls.root(), &before, &after] {
        is_refused(&tolls, dir);
    }
    // Twice is once, and from wherever it is asked.
    let installed = files(&tolls.path(".git"));
    spec_in(&tolls, &before, &["hooks", "install"]);
    assert_eq!(files(&tolls.path(".git")), installed);
    let status = json_in(&tolls, tolls.root(), &["hooks", "status"]);
    assert_eq!(status["data"]["scope"], "unset");
    assert_eq!(status["data"]["worktrees"].as_array().map(Vec::len), Some(3));
    let hooks = status["data"]["hooks"].as_array().expect("a list");
    assert!(
        hooks
            .iter()
            .all(|hook| hook["state"] == "installed" && hook["before"] == false),
        "{status}"
    );
    tolls.git(["worktree", "remove", "-f", &after.display().to_string()]);
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
    assert_eq!(files(&tolls.path(".git")), clean);
}

#[test]
fn u12_folders_that_the_configuration_names_are_reached() {
    for (name, scope) in [("/abs hooks ä", "local"), ("rel-hooks", "local")] {
        let tolls = Tolls::new();
        let path = match name.strip_prefix('/') {
            Some(name) => tolls.root().with_file_name(name).display().to_string(),
            None => name.to_owned(),
        };
        tolls.git(["config", "core.hooksPath", &path]);
        let other = linked(&tolls, "other");
        spec_in(&tolls, tolls.root(), &["hooks", "install"]);
        for dir in [tolls.root(), &other] {
            is_refused(&tolls, dir);
        }
        let status = json_in(&tolls, &other, &["hooks", "status"]);
        assert_eq!(status["data"]["scope"], scope);
        spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
        assert_eq!(tolls.git(["config", "core.hooksPath"]).trim(), path);
        assert_eq!(tolls.git(["status", "--porcelain"]), "");
        assert!(!other.join("rel-hooks").exists());
    }
}

#[test]
fn u12_a_relative_folder_is_not_there_in_a_work_tree_made_later() {
    let tolls = Tolls::new();
    tolls.git(["config", "core.hooksPath", "rel-hooks"]);
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    let later = linked(&tolls, "later");
    let mut status = tolls.program();
    let out = crate::common::out(status.args(["hooks", "status"]), b"").exits(2);
    assert!(
        out.stdout
            .contains(&format!("not reached from {}", later.display())),
        "{out:?}"
    );
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    is_refused(&tolls, &later);
}

#[test]
fn u12_a_folder_of_one_work_tree_is_reached() {
    let tolls = Tolls::new();
    tolls.git(["config", "extensions.worktreeConfig", "true"]);
    let other = linked(&tolls, "other");
    let own = tolls.root().with_file_name("own-hooks").display().to_string();
    git_in(&tolls, &other, &["config", "--worktree", "core.hooksPath", &own]).exits(0);
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    for dir in [tolls.root(), &other] {
        is_refused(&tolls, dir);
    }
}

#[test]
fn u12_a_folder_of_all_repositories_is_not_touched_and_its_hooks_still_run() {
    let tolls = Tolls::new();
    let shared = tolls.home().join("shared hooks");
    let mark = tolls.home().join("ran");
    for name in ["pre-commit", "post-commit"] {
        script(
            &shared.join(name),
            &format!("#!/bin/sh\necho {name} >> '{}'\n", mark.display()),
            0o755,
        );
    }
    tolls.git([
        "config",
        "--global",
        "core.hooksPath",
        &shared.display().to_string(),
    ]);
    let before = files(&shared);
    let clean = files(&tolls.path(".git"));
    let other = linked(&tolls, "other");
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    for dir in [tolls.root(), &other] {
        is_refused(&tolls, dir);
    }
    tolls.write("README.md", "x\n");
    tolls.commit("Allowed");
    assert_eq!(
        std::fs::read_to_string(&mark).expect("they ran"),
        "pre-commit\npre-commit\npre-commit\npost-commit\n"
    );
    assert_eq!(files(&shared), before);
    tolls.git(["worktree", "remove", "-f", &other.display().to_string()]);
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
    let now = files(&tolls.path(".git"));
    for (path, content) in &clean {
        if !path.ends_with("main") && !path.ends_with("COMMIT_EDITMSG") {
            assert_eq!(now.get(path), Some(content), "{}", path.display());
        }
    }
    assert_eq!(
        tolls.git(["config", "core.hooksPath"]).trim(),
        shared.display().to_string()
    );
}

#[test]
fn u12_a_tracked_folder_is_the_projects() {
    let tolls = Tolls::new();
    script(&tolls.path(".githooks/pre-commit"), "#!/bin/sh\ntrue\n", 0o755);
    tolls.commit("Hooks of the project");
    tolls.git(["config", "core.hooksPath", ".githooks"]);
    let before = tolls.snapshot();
    let out = tolls.spec(["hooks", "install"]).exits(1);
    assert!(
        out.stderr.contains("HOOKS_PATH_TRACKED") && out.stderr.contains("git-spec hook pre-commit"),
        "{out:?}"
    );
    assert_eq!(tolls.snapshot(), before);
    assert!(!tolls.path(".git/spec/hooks.json").exists());
}

#[test]
fn u12_a_hook_that_was_there_runs_first_and_comes_back() {
    let tolls = Tolls::new();
    let hook = tolls.path(".git/hooks/pre-commit");
    for (content, bits) in [
        ("#!/bin/sh\necho first >&2\nexit 3\n", 0o750),
        ("#!/bin/sh\necho first >&2\n", 0o755),
    ] {
        script(&hook, content, bits);
        spec_in(&tolls, tolls.root(), &["hooks", "install"]);
        let status = json_in(&tolls, tolls.root(), &["hooks", "status"]);
        assert_eq!(status["data"]["hooks"][0]["before"], true);
        tolls.write("README.md", format!("{bits}\n"));
        tolls.git(["add", "-A"]);
        let out = git_in(&tolls, tolls.root(), &["commit", "-qm", "x"]);
        assert!(out.stderr.starts_with("first\n"), "{out:?}");
        // A refusal of git's hooks is always 1 to the outside.
        assert_eq!(out.code == 0, bits == 0o755, "{out:?}");
        if bits == 0o755 {
            is_refused(&tolls, tolls.root());
        }
        spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
        assert_eq!(std::fs::read_to_string(&hook).expect("it is back"), content);
        assert_eq!(mode(&hook), bits);
    }
    // One that may not run is kept, and not run.
    script(&hook, "#!/bin/sh\nexit 1\n", 0o644);
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    tolls.write("README.md", "y\n");
    tolls.commit("Not stopped by it");
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
    assert_eq!(mode(&hook), 0o644);
}

#[test]
fn a_link_is_moved_itself_and_a_former_hook_that_calls_us_again_ends() {
    let tolls = Tolls::new();
    let hook = tolls.path(".git/hooks/pre-commit");
    let target = tolls.home().join("own-hook");
    script(
        &target,
        &format!("#!/bin/sh\necho again >&2\nexec '{}' \"$@\"\n", hook.display()),
        0o755,
    );
    std::fs::create_dir_all(hook.parent().expect("in a folder")).expect("folders can be made");
    std::os::unix::fs::symlink(&target, &hook).expect("a link can be made");
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    tolls.write("README.md", "x\n");
    tolls.git(["add", "-A"]);
    let out = git_in(&tolls, tolls.root(), &["commit", "-qm", "x"]).exits(0);
    assert_eq!(out.stderr.matches("again").count(), 1, "{out:?}");
    is_refused(&tolls, tolls.root());
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
    assert_eq!(std::fs::read_link(&hook).expect("it is a link again"), target);
}

#[test]
fn u12_a_bare_repository_with_work_trees_and_one_that_receives() {
    let tolls = Tolls::new();
    let bare = tolls.root().with_file_name("bare.git");
    tolls.git(["clone", "-q", "--bare", ".", &bare.display().to_string()]);
    spec_in(&tolls, &bare, &["hooks", "install"]);
    let status = json_in(&tolls, &bare, &["hooks", "status"]);
    assert_eq!(status["data"]["hooks"].as_array().map(Vec::len), Some(1));
    assert_eq!(status["data"]["hooks"][0]["name"], "pre-receive");
    let work = tolls.root().with_file_name("work");
    git_in(
        &tolls,
        &bare,
        &["worktree", "add", "-q", "-b", "side", &work.display().to_string()],
    )
    .exits(0);
    spec_in(&tolls, &bare, &["hooks", "install"]);
    is_refused(&tolls, &work);
}

#[test]
fn u12_blanks_and_letters_of_any_script_and_a_submodule() {
    let tolls = Tolls::new();
    let outer = Repo::new();
    outer.write("README.md", "x\n");
    outer.commit("Outer");
    let from = tolls.root().display().to_string();
    outer.git([
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        &from,
        "ein modul ä'",
    ]);
    outer.commit("With a submodule");
    let inner = outer.path("ein modul ä'");
    spec_in(&outer, &inner, &["hooks", "install"]);
    is_refused(&outer, &inner);
    assert!(!outer.path(".git/hooks/pre-commit").exists());
}

#[test]
fn managers_are_told_and_not_written_over() {
    let tolls = Tolls::new();
    let hook = tolls.path(".git/hooks/pre-push");
    script(
        &hook,
        "#!/bin/sh\n# generated by pre-commit: https://pre-commit.com\n",
        0o755,
    );
    let before = files(&tolls.path(".git"));
    let out = tolls.spec(["hooks", "install"]).exits(1);
    assert!(
        out.stderr.contains("HOOKS_MANAGED") && out.stderr.contains(".pre-commit-config.yaml"),
        "{out:?}"
    );
    assert_eq!(files(&tolls.path(".git")), before);
    spec_in(&tolls, tolls.root(), &["hooks", "install", "--force"]);
    is_refused(&tolls, tolls.root());
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
    assert!(
        std::fs::read_to_string(&hook)
            .expect("it is back")
            .contains("pre-commit.com")
    );
    tolls.git(["config", "core.hooksPath", ".husky/_"]);
    script(&tolls.path(".husky/_/pre-commit"), "#!/bin/sh\n", 0o755);
    let out = tolls.spec(["hooks", "install"]).exits(1);
    assert!(
        out.stderr.contains("HOOKS_MANAGED") && out.stderr.contains(".husky/pre-commit"),
        "{out:?}"
    );
}

#[test]
fn what_lies_in_the_way_is_told_before_anything_is_written() {
    let tolls = Tolls::new();
    let hooks = tolls.path(".git/hooks");
    script(&hooks.join("pre-push"), "#!/bin/sh\n", 0o755);
    script(&hooks.join("pre-push.before-spec"), "#!/bin/sh\n", 0o755);
    let before = files(&tolls.path(".git"));
    let out = tolls.spec(["hooks", "install"]).exits(1);
    assert!(out.stderr.contains("HOOKS_LEFTOVER"), "{out:?}");
    assert_eq!(files(&tolls.path(".git")), before);
    spec_in(&tolls, tolls.root(), &["hooks", "install", "--force"]);
    assert!(hooks.join("pre-push.before-spec.1").exists());
    let other = Tolls::new();
    std::fs::create_dir_all(other.path(".git/hooks/pre-commit")).expect("a folder can be made");
    let out = other.spec(["hooks", "install"]).exits(1);
    assert!(out.stderr.contains("HOOKS_IN_THE_WAY"), "{out:?}");
}

#[test]
fn a_script_that_was_changed_stays() {
    let tolls = Tolls::new();
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    let hook = tolls.path(".git/hooks/pre-commit");
    let own = std::fs::read_to_string(&hook).expect("it is there") + "true\n";
    script(&hook, &own, 0o755);
    let status = json_in(&tolls, tolls.root(), &["hooks", "status"]);
    assert_eq!(status["data"]["hooks"][0]["state"], "changed");
    let out = tolls.spec(["hooks", "uninstall"]).exits(1);
    assert!(out.stderr.contains("HOOKS_CHANGED"), "{out:?}");
    assert_eq!(std::fs::read_to_string(&hook).expect("it is there"), own);
    assert!(!tolls.path(".git/hooks/commit-msg").exists());
    // Installing makes it ours again.
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
    assert!(!hook.exists());
}

#[test]
fn a_program_that_has_moved_is_installed_anew_and_one_that_is_gone_refuses_nothing() {
    let tolls = Tolls::new();
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    let hook = tolls.path(".git/hooks/pre-commit");
    let moved = std::fs::read_to_string(&hook)
        .expect("it is there")
        .replace("p='/", "p='/gone/");
    script(&hook, &moved, 0o755);
    let status = json_in(&tolls, tolls.root(), &["hooks", "status"]);
    assert_eq!(status["data"]["hooks"][0]["state"], "outdated");
    tolls.write(Tolls::DOCUMENT, crate::edited());
    let out = git_in(&tolls, tolls.root(), &["commit", "-qam", "Edit"]).exits(0);
    assert!(
        out.stderr.contains("not installed, pre-commit not judged"),
        "{out:?}"
    );
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    let status = json_in(&tolls, tolls.root(), &["hooks", "status"]);
    assert_eq!(status["data"]["hooks"][0]["state"], "installed");
}

#[test]
fn a_user_may_have_them_everywhere() {
    let tolls = Tolls::new();
    script(
        &tolls.path(".git/hooks/post-commit"),
        "#!/bin/sh\ntouch ran-own\n",
        0o755,
    );
    let clean = files(&tolls.home());
    spec_in(&tolls, tolls.root(), &["hooks", "install", "--global"]);
    is_refused(&tolls, tolls.root());
    tolls.write("README.md", "x\n");
    tolls.commit("Allowed");
    assert!(tolls.exists("ran-own"));
    let once = files(&tolls.home());
    spec_in(&tolls, tolls.root(), &["hooks", "install", "--global"]);
    assert_eq!(files(&tolls.home()), once);
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall", "--global"]);
    assert_eq!(files(&tolls.home()), clean);
}

#[test]
fn install_is_hooks_and_driver() {
    let tolls = Tolls::new();
    spec_in(&tolls, tolls.root(), &["install"]);
    is_refused(&tolls, tolls.root());
    assert!(
        tolls
            .git(["config", "merge.spec.driver"])
            .starts_with("git-spec merge-driver")
    );
}

#[test]
fn the_frameworks_hooks_are_hooks_of_ours() {
    let file = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(".pre-commit-hooks.yaml"));
    let hooks = git_spec::yaml::parse(&file.expect("it is there")).expect("it is YAML");
    let hooks = hooks.as_list().expect("a list");
    assert_eq!(hooks.len(), 4);
    for hook in hooks {
        let text = |key: &str| hook.get(key).and_then(git_spec::yaml::Value::as_str);
        let name = text("entry")
            .and_then(|entry| entry.strip_prefix("git-spec hook "))
            .expect("it calls us");
        assert!(git_spec::hooks::Hook::named(name).is_some(), "{name}");
        let stages = hook
            .get("stages")
            .and_then(git_spec::yaml::Value::as_list)
            .expect("a list");
        assert_eq!(stages[0].as_str(), Some(name));
        assert!(text("id").is_some_and(|id| id.starts_with("git-spec")));
    }
}
