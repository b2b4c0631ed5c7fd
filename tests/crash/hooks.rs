//! `hooks install` and `uninstall`, killed and failing at every step: no hook of anybody is lost, and the next run goes on.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;

use super::common::Repo;

const FORMER: &str = "#!/bin/sh\n# of somebody\n";

/// A repository with a hook of somebody's, in its own folder or in one that serves all repositories.
fn world(shared: bool) -> Repo {
    let repo = Repo::in_memory();
    repo.git(["init", "-q", "-b", "main"]);
    let folder = if shared {
        repo.home().join("hooks")
    } else {
        repo.path(".git/hooks")
    };
    std::fs::create_dir_all(&folder).expect("made");
    for name in ["pre-commit", "post-commit"] {
        let hook = folder.join(name);
        std::fs::write(&hook, FORMER).expect("written");
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("ours");
    }
    if shared {
        repo.git([
            "config",
            "--global",
            "core.hooksPath",
            &folder.display().to_string(),
        ]);
    }
    repo
}

/// Every file and folder of the git directory and the home, with its permissions.
fn files(repo: &Repo) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
    let mut out = BTreeMap::new();
    let mut folders = vec![repo.path(".git"), repo.home()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("listed") {
            let path = entry.expect("listed").path();
            let mode = path.metadata().expect("there").permissions().mode() & 0o777;
            let content = if path.is_dir() {
                folders.push(path.clone());
                Vec::new()
            } else {
                std::fs::read(&path).expect("read")
            };
            out.insert(path, (content, mode));
        }
    }
    out
}

fn run(repo: &Repo, command: &str, fault: Option<(&str, u64)>) -> Output {
    let mut program = repo.program();
    program.args(["hooks", command]);
    if let Some((name, at)) = fault {
        program.env(name, at.to_string());
    }
    program.output().expect("the program can be started")
}

/// Runs a command with a fault at every step; after each, `then` must bring the files to what they were.
fn at_every_step(shared: bool, command: &str, then: &[&str]) {
    for fault in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
        let mut at = 1;
        loop {
            let repo = world(shared);
            let clean = files(&repo);
            if command == "uninstall" {
                assert!(run(&repo, "install", None).status.success());
            }
            let ended = run(&repo, command, Some((fault, at)));
            let hook = files(&repo)
                .into_iter()
                .filter(|(_, (content, _))| content == FORMER.as_bytes())
                .count();
            assert_eq!(hook, 2, "{fault} {at}");
            for next in then {
                let ended = run(&repo, next, None);
                assert!(ended.status.success(), "{fault} {at}, {next}: {ended:?}");
            }
            let now = files(&repo);
            // Temporary files of a killed run bear names that nobody takes for a hook.
            let strange: Vec<_> = now
                .iter()
                .filter(|(path, found)| {
                    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                    clean.get(*path) != Some(found) && !name.is_some_and(|name| name.starts_with('.'))
                })
                .map(|(path, _)| path)
                .collect();
            // A folder that holds one stays with it.
            let strange: Vec<_> = strange.into_iter().filter(|path| !path.is_dir()).collect();
            assert!(strange.is_empty(), "{fault} {at}: {strange:?}");
            assert!(clean.keys().all(|path| now.contains_key(path)), "{fault} {at}");
            if ended.status.success() {
                break;
            }
            at += 1;
        }
        assert!(at > 5, "{command} has {at} steps");
    }
}

#[test]
fn an_installation_that_broke_off_can_be_ended_and_undone() {
    for shared in [false, true] {
        at_every_step(shared, "install", &["install", "uninstall"]);
        at_every_step(shared, "install", &["uninstall"]);
    }
}

#[test]
fn an_uninstallation_that_broke_off_can_be_ended() {
    for shared in [false, true] {
        at_every_step(shared, "uninstall", &["uninstall"]);
    }
}
