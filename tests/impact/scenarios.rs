//! Scenarios U14 to U16, and configuration that must not change a verdict.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::{Value, json};

use crate::repo::{RANGE, Repo, data, failure, git_in, impact_in, project, shallow_clone, text};

const ZEROS: &str = "0000000000000000000000000000000000000000";

/// In every configuration that could change a diff, from the folder of the project.
fn in_every_configuration(repo: &Repo, check: impl Fn(&Value)) {
    for renames in ["false", "true", "copies"] {
        for relative in ["false", "true"] {
            repo.git(&["config", "diff.renames", renames]);
            repo.git(&["config", "diff.relative", relative]);
            repo.git(&["config", "diff.renameLimit", "1"]);
            repo.git(&["config", "diff.ignoreSubmodules", "all"]);
            let out = impact_in(
                &repo.dir.join("app"),
                &[&RANGE[..], &["--format", "json"]].concat(),
                None,
            );
            check(&data(&out));
        }
    }
}

#[test]
fn u14_a_file_that_leaves_a_change_is_judged_on_both_sides() {
    let repo = project();
    repo.mv("app/logos/changes/c1/notes.md", "app/src/notes.md")
        .commit("out");
    in_every_configuration(&repo, |data| {
        assert_eq!(data["lifecycle_only"], json!(false));
        assert_eq!(data["non_lifecycle_paths"], json!(["app/src/notes.md"]));
        assert_eq!(
            data["files"],
            json!([{
                "status": "R", "path": "app/src/notes.md",
                "old_path": "app/logos/changes/c1/notes.md", "class": "external"
            }])
        );
    });
}

#[test]
fn u14_a_file_that_enters_a_change_is_judged_on_both_sides() {
    let repo = project();
    repo.mv("app/src/x.c", "app/logos/changes/c1/x.c").commit("in");
    in_every_configuration(&repo, |data| {
        assert_eq!(data["lifecycle_only"], json!(false));
        assert_eq!(data["non_lifecycle_paths"], json!(["app/src/x.c"]));
    });
}

#[test]
fn u14_an_archive_is_recognised() {
    let repo = project();
    let archive = "app/logos/changes/archive/20260102-0304-c1";
    repo.mv("app/logos/changes/c1", archive)
        .remove("app/logos/.openlogos-guard")
        .commit("archive");
    in_every_configuration(&repo, |data| {
        assert_eq!(data["lifecycle_only"], json!(true));
        assert_eq!(data["operations"], json!(["archive"]));
        assert_eq!(data["changes"], json!(["c1"]));
        assert_eq!(data["reasons"], json!([]));
    });
}

#[test]
fn u14_empty_markers_may_be_paired_at_random() {
    let repo = project();
    repo.write("app/logos/changes/c1/SPEC_MERGED", "")
        .write("app/logos/changes/c1/other", "")
        .commit("markers");
    repo.remove("app/logos/changes/c1/SPEC_MERGED")
        .remove("app/logos/changes/c1/other")
        .write("app/logos/changes/c2/a", "")
        .write("app/logos/changes/c3/b", "")
        .commit("moved");
    in_every_configuration(&repo, |data| assert_eq!(data["lifecycle_only"], json!(true)));
}

#[test]
fn an_addition_that_resembles_a_changed_file_is_no_copy() {
    let repo = project();
    let source = std::fs::read_to_string(repo.dir.join("app/src/x.c")).expect("read");
    repo.write("app/src/x.c", &format!("{source}more\n"))
        .write("app/logos/changes/c1/x.c", &source)
        .commit("like x.c");
    in_every_configuration(&repo, |data| {
        let status = |n: usize| data["files"][n]["status"].clone();
        assert_eq!((status(0), status(1)), (json!("A"), json!("M")));
        assert_eq!(data["files"][0]["class"], json!("lifecycle"));
    });
}

#[test]
fn a_moved_submodule_is_never_hidden() {
    let repo = project();
    let link = |n: u8| format!("160000,{},app/sub", n.to_string().repeat(40));
    repo.write(
        ".gitmodules",
        "[submodule \"sub\"]\n\tpath = app/sub\n\turl = ./sub\n\tignore = all\n",
    );
    repo.git(&["add", ".gitmodules"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &link(1)]);
    repo.git(&["commit", "-q", "-m", "one"]);
    repo.git(&["update-index", "--cacheinfo", &link(2)]);
    repo.git(&["commit", "-q", "-m", "two"]);
    in_every_configuration(&repo, |data| {
        assert_eq!(data["lifecycle_only"], json!(false));
        assert_eq!(data["non_lifecycle_paths"], json!(["app/sub"]));
    });
}

#[test]
fn replacements_and_grafts_change_nothing() {
    let repo = project();
    repo.write("src/code", "1\n").commit("code");
    repo.write("logos/changes/a", "1\n").commit("bookkeeping");
    let expected = repo.data(&["--base", "HEAD~2", "--head", "HEAD"]);
    assert_eq!(expected["lifecycle_only"], json!(false));
    repo.git(&["replace", "HEAD~2", "HEAD~1"]);
    std::fs::create_dir_all(repo.dir.join(".git/info")).expect("a folder");
    std::fs::write(
        repo.dir.join(".git/info/grafts"),
        repo.git(&["rev-parse", "HEAD"]) + "\n",
    )
    .expect("written");
    assert_eq!(repo.data(&["--base", "HEAD~2", "--head", "HEAD"]), expected);
}

/// Names that bite, as bytes.
fn names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        "计费 规则.md",
        "tab\t.md",
        "quote\".md",
        "back\\slash.md",
        "line\n::error::x.md",
        " x ",
    ]
    .map(|name| name.as_bytes().to_vec())
    .into();
    if cfg!(target_os = "linux") {
        names.push(b"\xff\xfe.md".to_vec());
    }
    names
}

#[test]
fn u15_names_that_bite_are_names() {
    let repo = Repo::new();
    repo.commit("start");
    let mut stream = Vec::new();
    for name in names() {
        let path = [b"logos/changes/c1/", &name[..]].concat();
        repo.write(OsStr::from_bytes(&path), "x\n");
        stream.extend_from_slice(&[b"A\0", &path[..], b"\0"].concat());
    }
    repo.write("::error::at the top", "x\n")
        .write("\u{1b}[31m", "x\n")
        .commit("names");
    stream.extend_from_slice(b"A\0::error::at the top\0A\0\x1b[31m\0zz\n::error::\0");
    for (args, input) in [(&RANGE[..], None), (&["--stdin"][..], Some(&stream[..]))] {
        let json = data(&impact_in(
            &repo.dir,
            &[args, &["--format", "json"]].concat(),
            input,
        ));
        let files = json["files"].as_array().expect("files");
        let lifecycle = files.iter().filter(|file| file["class"] == "lifecycle").count();
        assert_eq!((lifecycle, files.len()), (names().len(), names().len() + 2));
        let shown = text(&impact_in(&repo.dir, args, input));
        assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown}");
        // A workflow runner cuts blanks off before it looks for a command.
        assert!(
            !shown.lines().any(|line| line.trim_start().starts_with("::")),
            "{shown}"
        );
        assert!(shown.contains("计费 规则.md") && shown.contains("line\\n::error::x.md"));
    }
}

#[test]
fn u16_a_base_beyond_a_shallow_clone_is_told_with_the_cure() {
    let repo = project();
    repo.write("a", "1\n")
        .commit("two")
        .write("a", "2\n")
        .commit("three");
    let base = repo.git(&["rev-parse", "HEAD~1"]);
    let clone = shallow_clone(&repo);
    for revision in [base.as_str(), "HEAD~1", "HEAD^"] {
        let out = impact_in(
            &clone,
            &["--base", revision, "--head", "HEAD", "--format", "json"],
            None,
        );
        let (code, message) = failure(&out);
        assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
        assert!(
            message.contains("shallow") && message.contains("git fetch --unshallow"),
            "{message}"
        );
    }
    // Commits beyond the boundary that are here by another way are still beyond it.
    git_in(&clone, &["fetch", "-q", "--depth", "1", "origin", &base]);
    let out = impact_in(
        &clone,
        &["--base", "HEAD~1", "--head", "HEAD", "--format", "json"],
        None,
    );
    assert_eq!(failure(&out).0, "IMPACT_GIT_DIFF_FAILED");
    let out = impact_in(
        &clone,
        &["--base", &base, "--head", "HEAD", "--format", "json"],
        None,
    );
    assert_eq!(data(&out)["non_lifecycle_paths"], json!(["a"]));
}

#[test]
fn u16_forty_zeros_are_the_first_push() {
    let repo = project();
    for zeros in [ZEROS.to_owned(), "0".repeat(64)] {
        let (code, message) =
            failure(&repo.impact(&["--base", &zeros, "--head", "HEAD", "--format", "json"]));
        assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
        assert!(message.contains("first push"), "{message}");
    }
    let (code, message) = failure(&repo.impact(&["--base", "HEAD", "--head", ZEROS, "--format", "json"]));
    assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
    assert!(message.contains("deleted"), "{message}");
}

#[test]
fn u16_equal_revisions_are_no_proof() {
    let repo = project();
    let data = repo.data(&["--base", "HEAD", "--head", "main"]);
    assert_eq!(data["lifecycle_only"], json!(false));
    assert_eq!(data["files"], json!([]));
    assert_eq!(data["reasons"].as_array().map(Vec::len), Some(1));
}

#[test]
fn u16_a_tag_object_is_peeled_and_a_tree_is_no_base() {
    let repo = project();
    repo.git(&["tag", "-a", "-m", "t", "annotated"]);
    repo.write("logos/changes/a", "1\n").commit("two");
    assert_eq!(
        repo.data(&["--base", "annotated", "--head", "HEAD"])["lifecycle_only"],
        json!(true)
    );
    for tree in ["HEAD^{tree}", "HEAD:", &repo.git(&["rev-parse", "HEAD^{tree}"])] {
        let out = repo.impact(&["--base", tree, "--head", "HEAD", "--format", "json"]);
        assert_eq!(failure(&out).0, "IMPACT_GIT_DIFF_FAILED", "{tree}");
    }
}

#[test]
fn u16_an_option_is_no_revision_and_an_unborn_head_no_commit() {
    let repo = Repo::new();
    let out = repo.impact(&["--base", "-x", "--head", "HEAD", "--format", "json"]);
    assert_eq!(failure(&out).0, "IMPACT_INPUT_INVALID");
    let out = repo.impact(&["--base", "HEAD", "--head", "HEAD", "--format", "json"]);
    assert_eq!(failure(&out).0, "IMPACT_GIT_DIFF_FAILED");
}
