//! `doctor` in clones that something is wrong with, and what `--fix` makes of them (git.md 9).

mod common;
#[path = "common/schemas.rs"]
mod schemas;

use std::collections::BTreeSet;
use std::path::Path;

use common::Repo;

const GUARD: &str = "logos/.openlogos-guard";

fn project() -> Repo {
    let repo = Repo::new();
    repo.write(
        "logos/logos.config.json",
        "{\"name\":\"tolls\",\"locale\":\"en\"}\n",
    );
    repo.write(
        "logos/logos-project.yaml",
        "project:\n  name: tolls\nmodules:\n  - id: core\n    name: Core\n    lifecycle: launched\n",
    );
    repo.write("logos/resources/prd/a.md", "# A\n");
    repo.commit("first");
    repo
}

/// The codes of what is wrong, and the exit code.
#[track_caller]
fn wrong(repo: &Repo, args: &[&str]) -> (Vec<String>, i32) {
    let out = repo.spec([&["doctor", "--format", "json"], args].concat());
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    let json = out.json();
    let checks = json["data"]["checks"].as_array().expect("a list").clone();
    let codes = checks.iter().filter(|check| check["ok"] == false);
    let codes = codes.map(|check| {
        assert!(
            check["detail"].is_string() && check["cure"].is_string(),
            "{check}"
        );
        check["code"].as_str().expect("a code").to_owned()
    });
    (codes.collect(), out.code)
}

#[track_caller]
fn finds(repo: &Repo, codes: &[&str], exit: i32) {
    assert_eq!(
        wrong(repo, &[]),
        (codes.iter().map(|code| (*code).to_owned()).collect(), exit)
    );
}

#[test]
fn a_sound_clone_is_well_and_nothing_is_written() {
    let repo = project();
    let before = repo.snapshot();
    finds(&repo, &[], 0);
    assert_eq!(
        repo.snapshot().files_without("none"),
        before.files_without("none")
    );
    let text = repo.spec(["doctor"]).exits(0);
    assert!(text.stdout.starts_with("All is well"), "{}", text.stdout);
    let outside = Repo::without_git();
    finds(&outside, &[], 0);
}

#[test]
fn hooks_that_were_changed_or_turned_off_are_told_and_laid_down_again() {
    let repo = project();
    repo.spec(["hooks", "install"]).exits(0);
    finds(&repo, &[], 0);
    let hook = ".git/hooks/pre-commit";
    let script = repo.read(hook);
    repo.write(hook, format!("{script}# mine\n"));
    repo.git(["config", "spec.hook.commit-msg", "off"]);
    finds(&repo, &["hooks_changed", "hooks_bypassed"], 0);
    assert_eq!(wrong(&repo, &["--fix"]).0, ["hooks_bypassed"]);
    assert_eq!(repo.read(hook), script);
    repo.git(["config", "--unset", "spec.hook.commit-msg"]);
    // Another folder: git no longer looks where ours are.
    repo.git(["config", "core.hooksPath", "elsewhere"]);
    finds(&repo, &[], 0);
}

#[test]
fn a_driver_without_its_other_half_is_told_and_completed() {
    let repo = project();
    repo.write(".gitattributes", "# x merge=spec\n");
    finds(&repo, &[], 0);
    repo.write(".gitattributes", "*.md merge=spec\n");
    finds(&repo, &["driver_missing"], 0);
    assert_eq!(wrong(&repo, &["--fix"]), (Vec::new(), 0));
    repo.remove(".gitattributes").remove(".git/info/attributes");
    finds(&repo, &["driver_unused"], 0);
}

#[test]
fn work_trees_that_are_gone_or_cut_off_are_told_and_no_work_is_taken() {
    let repo = project();
    repo.spec(["change", "dearer", "--module", "core"]).exits(0);
    repo.git(["add", "-A"]);
    repo.git(["commit", "-qm", "change"]);
    let added = repo.spec(["worktree", "add", "dearer", "--format", "json"]);
    let path = added.json()["data"]["path"]
        .as_str()
        .map(str::to_owned)
        .expect("a path");
    let git_file = Path::new(&path).join(".git");
    std::fs::write(Path::new(&path).join("work.txt"), "mine").expect("written");
    std::fs::remove_file(&git_file).expect("removed");
    let (codes, exit) = wrong(&repo, &[]);
    assert_eq!(
        (codes.contains(&"worktree_broken".to_owned()), exit),
        (true, 2),
        "{codes:?}"
    );
    let (codes, _) = wrong(&repo, &["--fix"]);
    assert!(!codes.contains(&"worktree_broken".to_owned()), "{codes:?}");
    assert!(git_file.exists());
    assert_eq!(
        std::fs::read_to_string(Path::new(&path).join("work.txt")).expect("there"),
        "mine"
    );
    std::fs::remove_dir_all(&path).expect("removed");
    assert!(wrong(&repo, &[]).0.contains(&"worktree_missing".to_owned()));
}

#[test]
fn what_of_the_history_others_see_differently() {
    let repo = project();
    repo.git(["remote", "add", "--mirror=push", "backup", "/nowhere"]);
    repo.git(["config", "--add", "remote.other.push", "+refs/spec/*:refs/spec/*"]);
    finds(&repo, &["refs_pushed", "refs_pushed"], 0);
    repo.git(["config", "--remove-section", "remote.backup"]);
    repo.git(["config", "--remove-section", "remote.other"]);
    let head = repo.git(["rev-parse", "HEAD"]);
    repo.write("x", "1");
    repo.commit("second");
    repo.git(["replace", "HEAD", head.trim()]);
    repo.write(".git/info/grafts", "");
    finds(&repo, &["grafts", "replace_refs"], 0);
}

#[test]
fn what_must_not_be_tracked_and_what_is_one_file_elsewhere() {
    let repo = project();
    repo.write(GUARD, "{}").write("logos/.runtime/x", "1");
    repo.write("logos/resources/prd/B.md", "a\r\nb\n");
    repo.git(["add", "-f", "-A"]);
    repo.git([
        "update-index",
        "--add",
        "--cacheinfo",
        &format!(
            "100644,{},logos/resources/prd/b.md",
            repo.git(["hash-object", "logos/resources/prd/a.md"]).trim()
        ),
    ]);
    finds(&repo, &["guard_tracked", "runtime_tracked", "case_collision"], 2);
    repo.git(["config", "core.autocrlf", "input"]);
    assert!(wrong(&repo, &[]).0.contains(&"autocrlf_mixed".to_owned()));
}

#[test]
fn keys_and_values_that_nobody_understands_are_told_with_the_nearest_name() {
    let repo = project();
    repo.git(["config", "spec.lockTimeoot", "5"]);
    repo.git(["config", "spec.rule.lint", "loud"]);
    let out = repo.spec(["doctor", "--format", "json"]).exits(0);
    let text = out.stdout;
    assert!(
        text.contains("spec.locktimeout") && text.contains("spec.rule.lint"),
        "{text}"
    );
    repo.git(["config", "--unset", "spec.lockTimeoot"]);
    repo.git(["config", "--unset", "spec.rule.lint"]);
    repo.git(["config", "spec.hook.pre-commit", "on"]);
    repo.git(["config", "spec.receive.rewrites", "deny"]);
    finds(&repo, &[], 0);
}

/// Every literal in the sources that is the name of a key of ours.
fn keys_of_the_sources() -> BTreeSet<String> {
    fn walk(dir: &Path, out: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(dir).expect("sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, out);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("text");
            let literals = text
                .split('"')
                .filter(|literal| literal.strip_prefix("spec.").is_some_and(|key| !key.is_empty()));
            let is_key = |literal: &&str| {
                let is_file = literal.rsplit('.').next() == Some("json");
                !is_file && literal.bytes().all(|b| b.is_ascii_alphabetic() || b == b'.')
            };
            out.extend(literals.filter(is_key).map(str::to_ascii_lowercase));
        }
    }
    let mut out = BTreeSet::new();
    walk(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut out);
    out
}

#[test]
fn every_key_that_is_read_is_known() {
    let repo = project();
    let keys = keys_of_the_sources();
    assert!(keys.contains("spec.drafts") && keys.len() > 10, "{keys:?}");
    for key in &keys {
        // Some take a number or a name, some a word.
        let is_known = ["1", "error", "each"].iter().any(|value| {
            repo.git(["config", key, value]);
            !wrong(&repo, &[]).0.contains(&"config_unknown".to_owned())
        });
        assert!(is_known, "{key}");
        repo.git(["config", "--unset", key]);
    }
}

#[cfg(unix)]
#[test]
fn attributes_that_cannot_be_read_are_no_attributes_without_the_driver() {
    let repo = project();
    repo.spec(["merge-driver", "--install"]).exits(0);
    finds(&repo, &[], 0);
    let attributes = repo.path(".git/info/attributes");
    std::fs::remove_file(&attributes).expect("removed");
    std::os::unix::fs::symlink("attributes", &attributes).expect("linked");
    finds(&repo, &["unreadable"], 2);
}

#[test]
fn files_that_cannot_be_read_again_are_errors() {
    let repo = project();
    repo.write(
        ".planning/STATE.md",
        "---\na: b\na: c\nlast_updated: never\n---\n",
    );
    finds(&repo, &["state_malformed", "state_malformed"], 2);
    repo.write("logos/logos.config.json", "{");
    finds(&repo, &["config_broken", "state_malformed", "state_malformed"], 2);
}

#[cfg(unix)]
#[test]
fn an_unsafe_record_and_a_damaged_cache_are_made_anew() {
    use std::os::unix::fs::PermissionsExt;
    let repo = project();
    repo.write(".git/spec/trust", "x");
    let mode = |mode| std::fs::set_permissions(repo.path(".git/spec/trust"), PermissionsExt::from_mode(mode));
    mode(0o666).expect("set");
    repo.write(
        ".git/spec/cache/v1/steps",
        "git-spec steps 1\nrubbish that is no record",
    );
    finds(&repo, &["cache_damaged", "trust_unsafe"], 2);
    assert_eq!(wrong(&repo, &["--fix"]), (Vec::new(), 0));
    assert!(!repo.exists(".git/spec/trust"));
}

#[test]
fn what_the_part_for_sillyspec_finds_is_told_too() {
    let repo = project();
    repo.spec(["silly", "init"]).exits(0);
    let (before, _) = wrong(&repo, &[]);
    repo.remove(".sillyspec/.runtime/sillyspec.db");
    let (codes, exit) = wrong(&repo, &[]);
    assert!(!before.contains(&"database_missing".to_owned()), "{before:?}");
    assert!(codes.contains(&"database_missing".to_owned()), "{codes:?}");
    assert_eq!(exit, 2);
}
