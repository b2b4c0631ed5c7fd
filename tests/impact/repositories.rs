//! Where a project lies in its repository, unusual repositories, merge bases.

use std::path::Path;

use serde_json::json;

use crate::repo::{RANGE, Repo, clean, data, failure, git_in, impact_in, notes, project, run, shallow_clone};

#[test]
fn the_prefix_of_a_folder_keeps_its_blanks() {
    let repo = Repo::new();
    repo.commit("start");
    let folder = " a b ";
    repo.write(format!("{folder}/logos/changes/x"), "1\n")
        .commit("two");
    let json = [&RANGE[..], &["--format", "json"]].concat();
    let out = data(&impact_in(&repo.dir.join(folder), &json, None));
    assert_eq!(out["lifecycle_only"], json!(true));
    assert_eq!(out["files"][0]["path"], json!(" a b /logos/changes/x"));
    // From the top it is somebody else's folder; named, it is the project again.
    assert_eq!(repo.data(&RANGE)["lifecycle_only"], json!(false));
    let named = [&RANGE[..], &["--project", folder]].concat();
    assert_eq!(repo.data(&named)["lifecycle_only"], json!(true));
}

#[test]
fn the_top_level_is_what_the_environment_makes_of_it() {
    let repo = project();
    repo.write("app/logos/changes/c1/more", "1\n")
        .write("logos/changes/c9/more", "1\n")
        .commit("two");
    let app = repo.dir.join("app");
    let git_dir = repo.dir.join(".git");
    let judged = |set: &[(&str, &Path)]| {
        let mut command = clean(env!("CARGO_BIN_EXE_git-spec"), &app);
        command.arg("impact").args(RANGE).args(["--format", "json"]);
        command.envs(set.iter().copied());
        data(&run(command, None))["non_lifecycle_paths"].clone()
    };
    assert_eq!(judged(&[]), json!(["logos/changes/c9/more"]));
    // With GIT_DIR alone the current folder is the top level.
    assert_eq!(
        judged(&[("GIT_DIR", &git_dir)]),
        json!(["app/logos/changes/c1/more"])
    );
    assert_eq!(
        judged(&[("GIT_DIR", &git_dir), ("GIT_WORK_TREE", &repo.dir)]),
        json!(["logos/changes/c9/more"])
    );
}

#[test]
fn unusual_repositories_are_judged_alike() {
    for options in [&["--object-format=sha256"][..], &["--ref-format=reftable"][..]] {
        let repo = Repo::with_init(options);
        repo.write("logos/changes/a", "1\n").commit("one");
        repo.write("logos/changes/a", "2\n").commit("two");
        assert_eq!(repo.data(&RANGE)["lifecycle_only"], json!(true), "{options:?}");
        let merge_base = [&RANGE[..], &["--merge-base"]].concat();
        assert_eq!(
            repo.data(&merge_base)["lifecycle_only"],
            json!(true),
            "{options:?}"
        );
    }
    let repo = project();
    repo.write("logos/changes/a", "2\n").commit("two");
    let parent = repo.dir.parent().expect("a folder");
    git_in(parent, &["clone", "-q", "--bare", "work tree", "bare.git"]);
    let json = [&RANGE[..], &["--format", "json"]].concat();
    assert_eq!(
        data(&impact_in(&parent.join("bare.git"), &json, None)),
        repo.data(&RANGE)
    );
    repo.git(&["worktree", "add", "-q", "../linked", "HEAD"]);
    assert_eq!(
        data(&impact_in(&parent.join("linked"), &json, None)),
        repo.data(&RANGE)
    );
    assert_eq!(
        data(&impact_in(&repo.dir.join(".git"), &json, None)),
        repo.data(&RANGE)
    );
}

#[test]
fn a_partial_clone_is_judged_without_its_blobs() {
    let repo = project();
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let notes = notes(31);
    repo.remove("app/logos/changes/c1/notes.md")
        .write("app/src/notes.md", &notes)
        .commit("moved and edited");
    let parent = repo.dir.parent().expect("a folder");
    let url = format!("file://{}", repo.dir.display()).replace(' ', "%20");
    git_in(
        parent,
        &["clone", "-q", "--bare", "--filter=blob:none", &url, "partial"],
    );
    let json = [&RANGE[..], &["--format", "json"]].concat();
    let partial = data(&impact_in(&parent.join("partial"), &json, None));
    let whole = repo.data(&RANGE);
    assert_eq!(whole["files"][0]["status"], json!("R"));
    assert_eq!(partial["files"][0]["status"], json!("D"));
    for key in ["lifecycle_only", "non_lifecycle_paths"] {
        assert_eq!(partial[key], whole[key]);
    }
    // Without trees there is nothing to judge, and nothing is fetched.
    git_in(
        parent,
        &["clone", "-q", "--bare", "--filter=tree:0", &url, "treeless"],
    );
    let (code, message) = failure(&impact_in(&parent.join("treeless"), &json, None));
    assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
    assert!(
        message.contains("tree ") && message.contains("git fetch"),
        "{message}"
    );
}

#[test]
fn a_merge_base_leaves_out_what_the_other_side_did() {
    let repo = project();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("logos/changes/a", "1\n").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("src/code", "1\n").commit("main");
    let range = ["--base", "main", "--head", "side"];
    assert_eq!(repo.data(&range)["lifecycle_only"], json!(false));
    let merge_base = [&range[..], &["--merge-base"]].concat();
    assert_eq!(repo.data(&merge_base)["lifecycle_only"], json!(true));

    repo.git(&["checkout", "-q", "--orphan", "island"]);
    repo.commit("island");
    let out = repo.impact(&[
        "--base",
        "main",
        "--head",
        "island",
        "--merge-base",
        "--format",
        "json",
    ]);
    let (code, message) = failure(&out);
    assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
    assert!(message.contains("no common history"), "{message}");
}

#[test]
fn a_merge_base_that_a_shallow_clone_may_hide_does_not_count() {
    let repo = project();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("logos/changes/a", "1\n").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("src/code", "1\n").commit("main");
    let clone = shallow_clone(&repo);
    git_in(&clone, &["fetch", "-q", "--depth", "1", "origin", "side:side"]);
    let args = [
        "--base",
        "origin/main",
        "--head",
        "side",
        "--merge-base",
        "--format",
        "json",
    ];
    let (code, message) = failure(&impact_in(&clone, &args, None));
    assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
    assert!(message.contains("shallow"), "{message}");
    git_in(&clone, &["fetch", "-q", "--unshallow", "origin", "main", "side"]);
    assert_eq!(
        data(&impact_in(&clone, &args, None))["lifecycle_only"],
        json!(true)
    );
}

#[test]
fn of_several_merge_bases_one_that_speaks_against_it_decides() {
    let repo = Repo::new();
    repo.commit("root");
    repo.git(&["branch", "other"]);
    repo.write("logos/changes/a", "1\n").commit("a");
    repo.git(&["checkout", "-q", "other"]);
    repo.write("src/code", "1\n").commit("b");
    repo.git(&["merge", "-q", "--no-ff", "-m", "m2", "main~0"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "m1", "other^1"]);
    let bases = repo.git(&["merge-base", "--all", "main", "other"]);
    assert_eq!(bases.lines().count(), 2);
    let data = repo.data(&["--base", "main", "--head", "other", "--merge-base"]);
    assert_eq!(data["lifecycle_only"], json!(false));
    assert_eq!(data["non_lifecycle_paths"], json!(["src/code"]));
}
