//! What stood there before `hooks install`: configuration, hooks of a shared folder and hooks that may not run (git.md 3.6).

use crate::common::Tolls;
use crate::install::files;
use crate::{git_in, is_refused, script, spec_in};

/// A folder for all repositories of the user, with hooks of these names that may run; each writes its name down.
fn shared(tolls: &Tolls, names: &[&str]) -> std::path::PathBuf {
    let folder = tolls.home().join("shared");
    for name in names {
        script(
            &folder.join(name),
            &format!("#!/bin/sh\necho {name} >> '{}'\n", ran(tolls).display()),
            0o755,
        );
    }
    tolls.git([
        "config",
        "--global",
        "core.hooksPath",
        &folder.display().to_string(),
    ]);
    folder
}

fn ran(tolls: &Tolls) -> std::path::PathBuf {
    tolls.home().join("ran")
}

#[test]
fn what_the_user_configured_between_two_installations_stays() {
    let tolls = Tolls::new();
    shared(&tolls, &["pre-rebase"]);
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    tolls.git(["config", "--local", "--unset", "core.hooksPath"]);
    tolls.git(["config", "--local", "remote.up.url", "https://example.org/x"]);
    let before = files(&tolls.path(".git"))[&tolls.path(".git/config")].clone();
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    is_refused(&tolls, tolls.root());
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
    assert_eq!(files(&tolls.path(".git"))[&tolls.path(".git/config")], before);
    assert!(!tolls.path(".git/spec").exists());
}

#[test]
fn what_the_user_configured_for_all_between_two_installations_stays() {
    let tolls = Tolls::new();
    spec_in(&tolls, tolls.root(), &["hooks", "install", "--global"]);
    tolls.git(["config", "--global", "--unset", "core.hooksPath"]);
    tolls.git(["config", "--global", "alias.st", "status"]);
    let config = tolls.git(["var", "GIT_CONFIG_GLOBAL"]);
    let config = config.lines().last().expect("git names a file");
    let before = std::fs::read_to_string(config).expect("it is there");
    spec_in(&tolls, tolls.root(), &["hooks", "install", "--global"]);
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall", "--global"]);
    assert_eq!(std::fs::read_to_string(config).expect("it is there"), before);
}

#[test]
fn hooks_of_a_shared_folder_run_whatever_they_are_called() {
    let tolls = Tolls::new();
    let names = ["reference-transaction", "post-commit"];
    shared(&tolls, &names);
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    tolls.git(["branch", "side"]);
    tolls.write("README.md", "x\n");
    tolls.commit("Allowed");
    let ran = std::fs::read_to_string(ran(&tolls)).expect("they ran");
    for name in names {
        assert!(ran.lines().any(|line| line == name), "{name}: {ran}");
    }
}

#[test]
fn no_folder_is_a_folder_without_hooks_and_none_to_lay_them_in() {
    let tolls = Tolls::new();
    tolls.git(["config", "core.hooksPath", "/dev/null"]);
    let clean = files(&tolls.path(".git"));
    for command in ["install", "uninstall"] {
        let out = tolls.spec(["hooks", command]);
        assert_eq!(out.code, i32::from(command == "install"), "{out:?}");
        assert_eq!(
            out.stderr.contains("HOOKS_IN_THE_WAY"),
            command == "install",
            "{out:?}"
        );
        assert_eq!(files(&tolls.path(".git")), clean);
    }
    tolls.git(["config", "--unset", "core.hooksPath"]);
    tolls.git(["config", "--global", "core.hooksPath", "/dev/null"]);
    let clean = files(&tolls.path(".git"));
    let out = tolls.spec(["hooks", "install", "--global"]).exits(1);
    assert!(out.stderr.contains("HOOKS_IN_THE_WAY"), "{out:?}");
    spec_in(&tolls, tolls.root(), &["hooks", "install"]);
    is_refused(&tolls, tolls.root());
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
    assert_eq!(files(&tolls.path(".git")), clean);
    git_in(
        &tolls,
        tolls.root(),
        &["config", "--global", "--unset", "core.hooksPath"],
    )
    .exits(0);
}

#[test]
fn a_hook_that_may_not_run_is_told_and_what_was_moved_aside_for_it_comes_back() {
    let tolls = Tolls::new();
    let hooks = tolls.path(".git/hooks");
    script(&hooks.join("pre-commit"), "exit 1\n", 0o640);
    script(&hooks.join("post-merge"), "#!/bin/sh\n", 0o755);
    script(&hooks.join("post-merge.before-spec"), "left\n", 0o644);
    std::os::unix::fs::symlink("/nonexistent", hooks.join("commit-msg")).expect("a link can be made");
    let clean = files_of(&tolls);
    for _ in 0..2 {
        let out = spec_in(&tolls, tolls.root(), &["hooks", "install", "--force"]);
        for name in ["pre-commit.before-spec", "commit-msg.before-spec"] {
            assert!(out.stderr.contains(name), "{name}: {out:?}");
        }
        assert!(!out.stderr.contains("post-merge"), "{out:?}");
    }
    let out = spec_in(&tolls, tolls.root(), &["hooks", "status"]);
    let line = |name: &str| {
        let found = out
            .stdout
            .lines()
            .find(|line| line.trim_start().starts_with(name));
        found.expect("it is told").to_owned()
    };
    assert!(line("pre-commit ").ends_with("is not run"), "{out:?}");
    assert!(
        line("post-merge ").ends_with("after the one that stood there"),
        "{out:?}"
    );
    tolls.write("README.md", "x\n");
    tolls.commit("Not stopped by it");
    spec_in(&tolls, tolls.root(), &["hooks", "uninstall"]);
    assert_eq!(files_of(&tolls), clean);
}

/// What lies in the hooks folder: names, links and content.
fn files_of(tolls: &Tolls) -> Vec<(String, Vec<u8>)> {
    let folder = tolls.path(".git/hooks");
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        let content = match std::fs::read_link(&path) {
            Ok(target) => target.into_os_string().into_encoded_bytes(),
            Err(_) => std::fs::read(&path).expect("it can be read"),
        };
        out.push((path.display().to_string(), content));
    }
    out.sort();
    out
}
