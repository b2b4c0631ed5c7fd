//! Every code of state.md 11: what brings it about, and that nothing is written then.

use serde_json::Value;

use super::common::Repo;
use super::{BODY, STATE, code, project, state};

const NONE: &str = "---\nstatus: executing\nnever closed\n\nno fields\n";

#[test]
fn every_code_is_told_and_nothing_written() {
    for (document, args, expected) in [
        (BODY, &["get", "Nothing"][..], "FIELD_NOT_FOUND"),
        (BODY, &["get", ""], "FIELD_NOT_FOUND"),
        ("# S\n", &["advance-plan"], "PLAN_UNPARSABLE"),
        ("Plan: 0 of TBD\n", &["advance-plan"], "PLAN_UNPARSABLE"),
        ("# S\n", &["complete-phase"], "PHASE_UNRESOLVED"),
        (BODY, &["begin-phase"], "ARGUMENT_REQUIRED"),
        (BODY, &["begin-phase", "--phase"], "ARGUMENT_REQUIRED"),
        (BODY, &["planned-phase"], "ARGUMENT_REQUIRED"),
        (BODY, &["complete-phase", "--next", "3"], "ARGUMENT_REQUIRED"),
        (
            BODY,
            &["complete-phase", "--phase", "2", "--next"],
            "ARGUMENT_REQUIRED",
        ),
        (BODY, &["milestone-switch"], "ARGUMENT_REQUIRED"),
        (BODY, &["milestone-complete"], "ARGUMENT_REQUIRED"),
        (BODY, &["patch"], "ARGUMENT_REQUIRED"),
        (BODY, &["patch", "--Status"], "ARGUMENT_REQUIRED"),
        (BODY, &["update", "Status"], "ARGUMENT_REQUIRED"),
        (BODY, &["add-decision"], "ARGUMENT_REQUIRED"),
        (BODY, &["add-decision", "--summary", "  "], "ARGUMENT_REQUIRED"),
        (BODY, &["add-blocker"], "ARGUMENT_REQUIRED"),
        (BODY, &["resolve-blocker"], "ARGUMENT_REQUIRED"),
        (BODY, &["record-metric", "--phase", "1"], "ARGUMENT_REQUIRED"),
        (BODY, &["add-roadmap-evolution"], "ARGUMENT_REQUIRED"),
        (BODY, &["begin-phase", "--phase", "x"], "INVALID_ARGUMENT"),
        (
            BODY,
            &["begin-phase", "--phase", "2", "--plans", "-1"],
            "INVALID_ARGUMENT",
        ),
        (
            BODY,
            &["complete-phase", "--phase", "2", "--next", "3", "--last"],
            "INVALID_ARGUMENT",
        ),
        (BODY, &["prune", "--keep-recent", "few"], "INVALID_ARGUMENT"),
        (BODY, &["sync", "--dry-run"], "INVALID_ARGUMENT"),
        (BODY, &["json", "more"], "INVALID_ARGUMENT"),
        (BODY, &["update", "Sta|tus", "x"], "INVALID_FIELD_NAME"),
        (
            BODY,
            &["patch", "--Plan", "2 of 2", "--9", "x"],
            "INVALID_FIELD_NAME",
        ),
        (BODY, &["patch", "[1]"], "INVALID_JSON"),
        (BODY, &["patch", "{\"Plan\": [1]}"], "INVALID_JSON"),
        (BODY, &["frobnicate"], "UNKNOWN_SUBCOMMAND"),
        (
            NONE,
            &["complete-phase", "--phase", "2"],
            "FRONTMATTER_UNREADABLE",
        ),
        (BODY, &["regenerate"], "CONFIRM_REQUIRED"),
    ] {
        let document = if document == NONE {
            "---\nstatus: a\nowner: b\n\n# S\n"
        } else {
            document
        };
        let repo = project(document);
        let before = repo.snapshot();
        assert_eq!(code(state(&repo, args)), expected, "{args:?}");
        // To people: one line, the same exit code.
        let told = repo.spec([&["state"], args].concat()).exits(1);
        assert_eq!(told.stdout, "", "{args:?}");
        assert_eq!(told.stderr.lines().count(), 1, "{args:?}: {}", told.stderr);
        assert!(told.stderr.contains(expected), "{args:?}: {}", told.stderr);
        assert_eq!(repo.snapshot(), before, "{args:?}");
    }
}

/// Every command but those that do without a document.
const NEED_ONE: [&[&str]; 20] = [
    &["json"],
    &["get"],
    &["snapshot"],
    &["validate"],
    &["begin-phase", "--phase", "2"],
    &["advance-plan"],
    &["planned-phase", "--phase", "2"],
    &["complete-phase"],
    &["milestone-complete", "--milestone", "v1"],
    &["patch", "--Plan", "x"],
    &["update", "Plan", "x"],
    &["sync"],
    &["prune"],
    &["update-progress"],
    &["add-decision", "--summary", "x"],
    &["add-blocker", "--text", "x"],
    &["resolve-blocker", "--text", "x"],
    &["record-metric", "--phase", "1", "--plan", "1", "--duration", "1h"],
    &["record-session"],
    &["add-roadmap-evolution", "--note", "x"],
];

#[test]
fn without_a_document_nothing_is_made() {
    let empty = Repo::without_git();
    let folder = Repo::without_git();
    folder.write(".planning/ROADMAP.md", super::ROADMAP);
    for repo in [&empty, &folder] {
        let before = repo.snapshot();
        for args in NEED_ONE {
            assert_eq!(code(state(repo, args)), "STATE_NOT_FOUND", "{args:?}");
        }
        let loaded = super::data(state(repo, &["load"]));
        assert_eq!(
            (&loaded["state_exists"], &loaded["state_raw"]),
            (&Value::Bool(false), &Value::from(""))
        );
        assert_eq!(super::data(state(repo, &["signal-resume"]))["removed"], false);
        assert_eq!(repo.snapshot(), before);
    }
}

#[test]
fn reads_change_nothing() {
    let repo = project(&format!(
        "\u{feff}---\nstatus: 'x'\n---\nno blank line\n{BODY}\n\n"
    ));
    let before = repo.snapshot();
    for args in [
        &["json"][..],
        &["get"],
        &["get", "Plan"],
        &["get", "Decisions"],
        &["snapshot"],
        &["load"],
        &["validate"],
        &["sync", "--verify"],
        &["prune", "--keep-recent", "1", "--dry-run"],
    ] {
        super::data(state(&repo, args));
        assert_eq!(repo.snapshot(), before, "{args:?}");
    }
    assert!(repo.exists(STATE));
}
