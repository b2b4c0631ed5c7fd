//! What stands where a file or folder is expected: folders, pipes, links in circles and out of the project, names that
//! are no text, files that may not be read.

#![cfg(unix)]

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::{Repo, all_succeed, ask, ask_all, coding, fifo, for_each, in_change};

/// Everything that some reader looks at.
fn places() -> Vec<String> {
    let in_logos = [
        "logos.config.json",
        "logos-project.yaml",
        ".openlogos-guard",
        ".session-capabilities.json",
        "flow",
        "flow/launched.yaml",
        "flow/initial.yaml",
        "changes",
        "changes/archive",
        "changes/dearer",
        "resources",
        "resources/api",
        "resources/test",
        "resources/test/core-S01-test-cases.md",
        "resources/test/smoke",
        "resources/verify",
        "resources/verify/test-results.jsonl",
        "resources/verify/acceptance-report.md",
        "resources/verify/LOOP_ITERS",
        "resources/verify/baseline-seed-runs",
    ];
    let in_change_folder = [
        "proposal.md",
        "tasks.md",
        "LOOP_ITERS",
        "SLICES_APPROVED",
        "PLAN_APPROVED",
        "SPEC_MERGED",
        "VERIFY_PASS",
        "VERIFY_FAIL",
        "GATE_AUTO_PASSED",
        "MERGE_PROMPT.md",
        "deltas",
        "deltas/test",
        "deltas/test/core-S01-test-cases.md",
    ];
    let places = in_logos.iter().map(|name| format!("logos/{name}"));
    places
        .chain(in_change_folder.iter().map(|name| in_change(name)))
        .collect()
}

/// The project with something else in one place.
fn with(place: &str, put: impl Fn(&std::path::Path)) -> Repo {
    let repo = coding();
    if repo.exists(place) {
        repo.remove(place);
    }
    let at = repo.path(place);
    fs::create_dir_all(at.parent().expect("it is below the root")).expect("folders can be made");
    put(&at);
    repo
}

/// Every reader ends, and either answers or says what it could not read.
#[track_caller]
fn all_end(repo: &Repo, name: &str) {
    for (words, answer) in ask_all(repo) {
        let known = [
            "PROJECT_UNREADABLE",
            "PROJECT_NOT_INITIALIZED",
            "FLOW_SCHEMA_INVALID",
            "PROJECT_YAML_UNPARSABLE",
        ];
        if let Err(code) = answer {
            assert!(
                known.contains(&code.as_str()) || words == ["next", "--auto"],
                "{name}: {words:?}: {code}"
            );
            assert_ne!(words, ["detect"], "{name}: {code}");
        }
    }
}

#[test]
fn no_pipe_makes_a_reader_wait() {
    for_each(&places(), |place| {
        let repo = with(place, fifo);
        all_end(&repo, place);
        let status = ask(&repo, &["status"]);
        let read = [
            "proposal.md",
            "tasks.md",
            "LOOP_ITERS",
            "logos-project.yaml",
            "test-results.jsonl",
        ];
        if read.iter().any(|name| place.ends_with(name)) && !place.ends_with("verify/LOOP_ITERS") {
            assert_eq!(status, Err("PROJECT_UNREADABLE".to_owned()), "{place}");
        }
        if place.contains("/flow/") {
            assert_eq!(status, Err("FLOW_SCHEMA_INVALID".to_owned()), "{place}");
        }
    });
}

#[test]
fn a_folder_in_the_place_of_a_file_is_no_file() {
    for_each(&places(), |place| {
        all_end(
            &with(place, |at| fs::create_dir(at).expect("there is room")),
            place,
        );
    });
}

#[test]
fn a_link_that_leads_nowhere_is_nothing() {
    for_each(&places(), |place| {
        for target in ["nowhere", "."] {
            all_end(
                &with(place, |at| symlink(target, at).expect("there is room")),
                place,
            );
        }
        // A link to itself.
        let itself =
            |at: &std::path::Path| symlink(at.file_name().expect("it has one"), at).expect("there is room");
        all_end(&with(place, itself), place);
    });
}

#[test]
fn a_link_out_of_the_project_is_not_walked() {
    for_each(&places(), |place| {
        for target in ["/", "/dev/zero", "/proc/self"] {
            // That everything of the disk is a change or a document of the project is no answer, but an end.
            if place == "logos" || place.ends_with("resources") && target == "/" {
                continue;
            }
            all_end(
                &with(place, |at| symlink(target, at).expect("there is room")),
                place,
            );
        }
    });
}

#[test]
fn folders_that_link_to_each_other_are_entered_once() {
    let repo = coding();
    for dir in [
        "logos/resources/test",
        "logos/resources/api",
        &in_change("deltas/test"),
    ] {
        for one in 0..8 {
            fs::create_dir_all(repo.path(&format!("{dir}/a{one}"))).expect("there is room");
            for other in 0..8 {
                symlink(
                    format!("../a{other}"),
                    repo.path(&format!("{dir}/a{one}/l{other}")),
                )
                .expect("there is room");
            }
        }
        repo.write(&format!("{dir}/a3/x.md"), "x");
        symlink("..", repo.path(&format!("{dir}/up"))).expect("there is room");
    }
    symlink("..", repo.path("logos/changes/up")).expect("there is room");
    symlink(".", repo.path(&in_change("self"))).expect("there is room");
    let status = all_succeed(&repo);
    let api = status["phases"].as_array().expect("a list").iter();
    let api = api
        .map(|phase| (&phase["key"], &phase["files"]))
        .find(|(key, _)| *key == "phase.3-2-api");
    let files = api.expect("it is one of them").1.as_array().expect("a list");
    assert!(files.iter().any(|file| file == "a3/x.md"), "{files:?}");
}

#[test]
fn a_folder_may_be_deep() {
    let repo = coding();
    let mut deep = repo.path("logos/resources/api");
    for _ in 0..400 {
        deep.push("d");
    }
    fs::create_dir_all(&deep).expect("paths may be that long");
    fs::write(deep.join("x.yaml"), "").expect("there is room");
    all_succeed(&repo);
}

#[test]
fn names_that_are_no_text_are_shown_as_far_as_they_are() {
    let repo = coding();
    let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe.md");
    for dir in [
        "logos",
        "logos/changes",
        "logos/flow",
        "logos/resources/api",
        "logos/resources/test",
        "logos/changes/dearer/deltas/test",
    ] {
        let dir = repo.path(dir);
        fs::create_dir_all(dir.join(odd).join("x")).expect("there is room");
        fs::write(dir.join(std::ffi::OsStr::from_bytes(b"\x80\n\x1b[31m.md")), "").expect("there is room");
    }
    let status = all_succeed(&repo);
    assert_eq!(
        status["active_proposals"].as_array().map(Vec::len),
        Some(1),
        "what has no name as text is no change"
    );
    assert!(status.to_string().contains("\\u001b[31m.md"));
}

#[test]
fn a_plan_is_approved_by_whatever_stands_there() {
    let repo = coding();
    for marker in ["SPEC_MERGED", "SLICES_APPROVED", "PLAN_APPROVED", "LOOP_ITERS"] {
        repo.remove(&in_change(marker));
    }
    repo.write(
        &in_change("tasks.md"),
        "## [delta]\n- [ ] write deltas/test/x.md\n## [code]\n",
    )
    .remove(&in_change("deltas"));
    assert_eq!(
        ask(&repo, &["status"]).expect("it is sound")["proposal_step"],
        "ready-to-delta"
    );
    repo.write(&in_change("PLAN_APPROVED/x"), "");
    assert_eq!(all_succeed(&repo)["proposal_step"], "delta-writing");
}

#[test]
fn what_may_not_be_read_is_told() {
    let repo = coding();
    let file = repo.path(&in_change("proposal.md"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("it is ours");
    let status = ask(&repo, &["status"]);
    // The superuser reads everything.
    if fs::read(&file).is_err() {
        assert_eq!(status, Err("PROJECT_UNREADABLE".to_owned()));
    } else {
        assert!(status.is_ok(), "{status:?}");
    }
}
