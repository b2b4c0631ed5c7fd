//! Clones of every depth, forced pushes, merge queues, tags, several merge bases, both hashes and both stores.

use serde_json::json;

use super::{Story, ZEROS, github, impact, judged, paths, range_of, refused};
use crate::repo::{Repo, data, git_in};

#[test]
fn a_first_push_is_measured_from_the_default_branch_in_either_hash_and_either_store() {
    for options in [&[][..], &["--object-format=sha256"], &["--ref-format=reftable"]] {
        let story = Story::with_init(options);
        let zeros = ZEROS.repeat(2);
        let zeros = &zeros[..story.side.len()];
        let event = story.pushed(zeros, false);
        let variables = github("push", "refs/heads/side", &story.side, &event);
        let new = judged(&story.repo.dir, &variables);
        assert_eq!(
            paths(&new),
            ["logos/changes/c/proposal.md", "src/code"],
            "{options:?}"
        );
        // Of the default branch there is nothing before.
        let variables = github("push", "refs/heads/main", &story.main, &event);
        assert_eq!(
            paths(&judged(&story.repo.dir, &variables)),
            ["src/a", "src/b"],
            "{options:?}"
        );
    }
}

#[test]
fn a_tag_is_measured_from_the_tag_before_it_in_either_store() {
    for options in [&[][..], &["--ref-format=reftable"]] {
        let story = Story::with_init(options);
        story.repo.git(&["tag", "v2", &story.side]);
        story.repo.git(&["tag", "blob", &format!("{}:src/a", story.side)]);
        let event = story.event("{}");
        let variables = github("push", "refs/tags/v2", &story.side, &event);
        let found = judged(&story.repo.dir, &variables);
        assert_eq!(
            paths(&found),
            ["logos/changes/c/proposal.md", "src/code"],
            "{options:?}"
        );
        story.repo.git(&["pack-refs", "--all"]);
        assert_eq!(judged(&story.repo.dir, &variables), found, "{options:?}");
        story.repo.git(&["tag", "-d", "v1", "v1-again"]);
        assert_eq!(
            paths(&judged(&story.repo.dir, &variables)).len(),
            3,
            "{options:?}"
        );
    }
}

#[test]
fn a_request_is_judged_by_its_merge_commit_at_depth_two_and_not_at_depth_one() {
    let story = Story::new();
    let merge = story.merge();
    let event = story.event(&format!(
        r#"{{"pull_request": {{"head": {{"sha": "{}"}}, "base": {{"sha": "{}", "ref": "main"}}}}}}"#,
        story.side, story.start
    ));
    let variables = github("pull_request", "refs/pull/1/merge", &merge, &event);
    let one = story.clone("one", &["--depth", "1", "--branch", "pull"]);
    let (code, message) = refused(&one, &variables);
    assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
    for part in [&*story.main, "shallow", &merge, "`fetch-depth: 2`"] {
        assert!(message.contains(part), "{message}");
    }
    let two = story.clone("two", &["--depth", "2", "--branch", "pull"]);
    let expected = ["logos/changes/c/proposal.md", "src/code"];
    assert_eq!(paths(&judged(&two, &variables)), expected);
    // A graft that takes the second parent away, and a replacement of the commit, change nothing.
    git_in(&two, &["replace", &merge, &story.main]);
    std::fs::create_dir_all(two.join(".git/info")).expect("a folder");
    std::fs::write(two.join(".git/info/grafts"), format!("{merge} {}\n", story.main)).expect("written");
    assert_eq!(paths(&judged(&two, &variables)), expected);
    // The request's own head is checked out.
    let whole = story.clone("whole", &["--branch", "side"]);
    let gone = "5".repeat(40);
    let variables = github("pull_request", "refs/pull/1/merge", &gone, &event);
    assert_eq!(paths(&judged(&whole, &variables)), expected);
}

#[test]
fn a_forced_push_whose_old_tip_is_gone_is_measured_from_the_default_branch() {
    let story = Story::new();
    let gone = "5".repeat(40);
    let whole = story.clone("whole", &["--branch", "side"]);
    let expected = ["logos/changes/c/proposal.md", "src/code"];
    for forced in [true, false] {
        let event = story.pushed(&gone, forced);
        let variables = github("push", "refs/heads/side", &story.side, &event);
        assert_eq!(paths(&judged(&whole, &variables)), expected);
    }
    let event = story.pushed(&gone, true);
    let variables = github("push", "refs/heads/main", &story.main, &event);
    let (code, message) = refused(&whole, &variables);
    assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
    assert!(
        message.contains(&gone) && message.contains("not shallow"),
        "{message}"
    );
    let shallow = story.clone("shallow", &["--depth", "1", "--branch", "side"]);
    let variables = github("push", "refs/heads/side", &story.side, &event);
    let (code, message) = refused(&shallow, &variables);
    assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
    assert!(
        message.contains("`git fetch origin main:refs/remotes/origin/main`"),
        "{message}"
    );
    // What the message says helps as far as it goes, and the next one says what is missing then.
    git_in(
        &shallow,
        &[
            "fetch",
            "-q",
            "--depth",
            "1",
            "origin",
            "main:refs/remotes/origin/main",
        ],
    );
    let (_, message) = refused(&shallow, &variables);
    assert!(
        message.contains("too short") && message.contains("fetch-depth: 0"),
        "{message}"
    );
    git_in(&shallow, &["fetch", "-q", "--unshallow"]);
    assert_eq!(paths(&judged(&shallow, &variables)), expected);
}

#[test]
fn a_queue_is_measured_from_the_target_and_not_from_the_entry_before() {
    let story = Story::new();
    let repo = &story.repo;
    repo.git(&["checkout", "-q", "-b", "entry", &story.start]);
    repo.write("logos/changes/d/proposal.md", "# d\n").commit("entry");
    repo.git(&["checkout", "-q", "-b", "queue", &story.main]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "one", "side"]);
    let first = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "two", "entry"]);
    let second = repo.git(&["rev-parse", "HEAD"]);
    let event = story.event(&format!(
        r#"{{"merge_group": {{"head_sha": "{second}", "base_sha": "{first}", "base_ref": "refs/heads/main"}}}}"#
    ));
    let variables = github(
        "merge_group",
        "refs/heads/gh-readonly-queue/main/pr-2",
        &second,
        &event,
    );
    let clone = story.clone("whole", &["--branch", "queue"]);
    let expected = [
        "logos/changes/c/proposal.md",
        "logos/changes/d/proposal.md",
        "src/code",
    ];
    assert_eq!(paths(&judged(&clone, &variables)), expected);
    let single = story.clone("single", &["--single-branch", "--branch", "queue"]);
    let (code, message) = refused(&single, &variables);
    assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
    assert!(message.contains("`refs/remotes/origin/main`"), "{message}");
}

#[test]
fn of_several_merge_bases_the_one_that_speaks_against_it_is_named() {
    let repo = Repo::new();
    repo.commit("root");
    repo.git(&["branch", "other"]);
    repo.write("logos/changes/a", "1\n").commit("a");
    let docs = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["checkout", "-q", "other"]);
    repo.write("src/code", "1\n").commit("b");
    let code = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "m2", &docs]);
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "m1", &code]);
    let head = repo.git(&["rev-parse", "other"]);
    let variables = [
        ("GITLAB_CI", "true"),
        ("CI_PIPELINE_SOURCE", "web"),
        ("CI_COMMIT_SHA", &*head),
        ("CI_COMMIT_BRANCH", "other"),
        ("CI_DEFAULT_BRANCH", "main"),
    ];
    let out = impact(&repo.dir, &variables, &[]);
    let expected = format!(
        "range: {}..{} (branch; GitLab CI web; refs/heads/main is 3 days old)\n",
        &docs[..12],
        &head[..12]
    );
    assert_eq!(range_of(&out), expected);
    assert!(String::from_utf8_lossy(&out.stdout).contains("src/code"));
}

#[test]
fn the_range_is_said_on_stderr_and_json_says_nothing_of_it() {
    let story = Story::new();
    let output = story.repo.dir.with_file_name("output");
    let output = output.to_str().expect("text");
    let event = story.pushed(&story.start, false);
    let mut variables = github("push", "refs/heads/main", &story.main, &event).to_vec();
    variables.push(("GITHUB_OUTPUT", output));
    let line = format!(
        "range: {}..{} (push; GitHub Actions push)\n",
        &story.start[..12],
        &story.main[..12]
    );
    for format in [&[][..], &["--format", "github"]] {
        assert_eq!(range_of(&impact(&story.repo.dir, &variables, format)), line);
    }
    assert_eq!(
        std::fs::read_to_string(output).expect("read"),
        "lifecycle_only=false\n"
    );
    let json = impact(&story.repo.dir, &variables, &["--format", "json"]);
    assert!(json.stderr.is_empty());
    variables.push(("GIT_SPEC_LANG", "zh"));
    let chinese = range_of(&impact(&story.repo.dir, &variables, &[]));
    assert!(chinese.starts_with("范围："), "{chinese}");
    // Nothing is judged, and nothing is written, after an error.
    let event = story.pushed("HEAD", false);
    let variables = github("push", "refs/heads/main", &story.main, &event);
    let out = impact(
        &story.repo.dir,
        &[&variables[..], &[("GITHUB_OUTPUT", output)]].concat(),
        &["--format", "github"],
    );
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(
        std::fs::read_to_string(output).expect("read"),
        "lifecycle_only=false\n"
    );
}

#[test]
fn a_bare_repository_a_sub_folder_and_a_linked_work_tree_answer_alike() {
    let story = Story::new();
    let event = story.pushed(&story.start, false);
    let variables = github("push", "refs/heads/main", &story.main, &event);
    let expected = judged(&story.repo.dir, &variables);
    story.repo.git(&["worktree", "add", "-q", "../linked", "side"]);
    let linked = story.repo.dir.with_file_name("linked");
    let bare = story.clone("bare", &["--bare"]);
    for dir in [story.repo.dir.join("src"), linked, bare] {
        assert_eq!(
            judged(&dir, &variables)["non_lifecycle_paths"],
            expected["non_lifecycle_paths"]
        );
    }
    let nowhere = story.repo.dir.parent().expect("a folder");
    assert_eq!(refused(nowhere, &variables).0, "IMPACT_GIT_DIFF_FAILED");
    assert_eq!(refused(nowhere, &[]).0, "IMPACT_INPUT_INVALID");
}

#[test]
fn nothing_is_written_and_nothing_fetched() {
    let story = Story::new();
    let clone = story.clone("shallow", &["--depth", "1", "--branch", "side"]);
    let list = || {
        let found = std::process::Command::new("find")
            .arg(&clone)
            .args(["-printf", "%p %T@ %s\n"])
            .output();
        String::from_utf8(found.expect("find runs").stdout).expect("text")
    };
    let before = list();
    let event = story.pushed(ZEROS, false);
    refused(&clone, &github("push", "refs/heads/side", &story.side, &event));
    judged(&clone, &github("push", "refs/heads/main", &story.side, &event));
    assert_eq!(list(), before);
}

#[test]
fn a_request_outside_the_project_is_judged_from_its_folder() {
    let story = Story::new();
    let event = story.pushed(&story.start, false);
    let variables = github("push", "refs/heads/side", &story.side, &event);
    let out = impact(&story.repo.dir, &variables, &["--merge-base", "--format", "json"]);
    assert_eq!(data(&out)["lifecycle_only"], json!(false));
    let named = impact(
        &story.repo.dir,
        &variables,
        &["--project", "logos", "--format", "json"],
    );
    assert_eq!(paths(&data(&named)).len(), 2);
    assert_eq!(data(&named)["files"][0]["class"], json!("external"));
}

#[test]
fn in_a_shallow_clone_no_history_counts_as_unrelated() {
    let story = Story::new();
    let mut islands = Vec::new();
    for name in ["one", "other"] {
        story.repo.git(&["checkout", "-q", "--orphan", name]);
        story.repo.write("logos/changes/i", name).commit(name);
        islands.push(story.repo.git(&["rev-parse", "HEAD"]));
    }
    let whole = story.clone("whole", &["--branch", "one"]);
    let shallow = story.clone("shallow", &["--depth", "1", "--branch", "side"]);
    let branches = ["one:refs/remotes/origin/one", "other:refs/remotes/origin/other"];
    git_in(&shallow, &[&["fetch", "-q", "origin"], &branches[..]].concat());
    let event = story.event(&format!(
        r#"{{"before": "{ZEROS}", "repository": {{"default_branch": "other"}}}}"#
    ));
    let variables = github("push", "refs/heads/one", &islands[0], &event);
    assert_eq!(
        paths(&judged(&whole, &variables)),
        ["logos/changes/i", "src/a", "src/b"]
    );
    let (code, message) = refused(&shallow, &variables);
    assert_eq!(code, "IMPACT_GIT_DIFF_FAILED");
    assert!(
        message.contains("too short") && message.contains(&story.side),
        "{message}"
    );
}
