//! Arguments, standard input, text, and what a workflow is told.

use std::path::Path;

use assert_fs::TempDir;

use crate::repo::{RANGE, clean, failure, impact_in, project, run, text};

#[test]
fn a_workflow_is_told_the_verdict_and_reads_the_text() {
    let repo = project();
    repo.write("app/logos/changes/c1/x", "1\n").commit("two");
    let told = repo.dir.parent().expect("a folder").join("output");
    std::fs::write(&told, "before=1").expect("written");
    let github = |output: &Path| {
        let mut command = clean(env!("CARGO_BIN_EXE_git-spec"), &repo.dir.join("app"));
        command
            .arg("impact")
            .args(RANGE)
            .args(["--format", "github"])
            .env("GITHUB_OUTPUT", output);
        run(command, None)
    };
    assert!(text(&github(&told)).starts_with("lifecycle only: yes\n"));
    assert_eq!(
        std::fs::read_to_string(&told).expect("read"),
        "before=1\nlifecycle_only=true\n"
    );
    let refused = github(&told.join("no folder"));
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty());
    assert!(String::from_utf8_lossy(&refused.stderr).starts_with("Error [IMPACT_INPUT_INVALID]: "));
}

#[test]
fn arguments_are_checked_before_anything_else() {
    let nowhere = TempDir::new().expect("a folder");
    let cases: [&[&str]; 12] = [
        &[],
        &["--merge-base"],
        &["--ci"],
        &["--ci", "--base", "x"],
        &["--ci", "--prefix", "x"],
        &["--ci", "--stdin"],
        &["--stdin", "--head", "x"],
        &["--stdin", "--merge-base"],
        &["--base", "x", "--merge-base"],
        &["--head", "x", "--merge-base"],
        &["--base", "x", "--head", "y", "--prefix", "z"],
        &["--stdin", "--prefix", "../z"],
    ];
    for case in cases {
        let out = impact_in(nowhere.path(), &[case, &["--format", "json"]].concat(), None);
        assert_eq!(failure(&out).0, "IMPACT_INPUT_INVALID", "{case:?}");
    }
    let out = impact_in(
        nowhere.path(),
        &["--base", "x", "--head", "y", "--format", "json"],
        None,
    );
    assert_eq!(failure(&out).0, "IMPACT_GIT_DIFF_FAILED");
}

#[test]
fn standard_input_that_cannot_be_read_is_no_verdict() {
    let dir = TempDir::new().expect("a folder");
    let mut command = clean(env!("CARGO_BIN_EXE_git-spec"), dir.path());
    command.args(["impact", "--stdin", "--format", "json"]);
    command.stdin(std::fs::File::open(dir.path()).expect("a folder opens"));
    assert_eq!(
        failure(&command.output().expect("it runs")).0,
        "IMPACT_INPUT_INVALID"
    );
}

#[test]
fn the_text_says_verdict_files_and_reasons_in_the_language_of_the_reader() {
    let dir = TempDir::new().expect("a folder");
    let stream = b"R090\0logos/changes/a/p\0src/p\0T\0x\0";
    let shown = text(&impact_in(dir.path(), &["--stdin"], Some(stream)));
    assert_eq!(
        shown,
        "lifecycle only: no\n\
         \n\
         files\n\
         \x20 R  external   logos/changes/a/p -> src/p\n\
         \n\
         non-lifecycle paths\n\
         \x20 - src/p\n\
         \n\
         reasons\n\
         \x20 - unknown status `T` of `x`\n\
         \x20 - non-lifecycle path: src/p\n\
         \n\
         Only `lifecycle_only` decides; operations and changes are for reading.\n"
    );
    let mut command = clean(env!("CARGO_BIN_EXE_git-spec"), dir.path());
    command.args(["impact", "--stdin"]).env("GIT_SPEC_LANG", "zh");
    assert!(text(&run(command, Some(stream))).starts_with("仅生命周期：否\n"));
}
