//! Documents of every kind: line ends, byte order marks, what is not text, sizes.

use git_spec::state::malformed::Malformed;
use serde_json::json;

use super::common::Repo;
use super::{BODY, NOW, STATE, code, data, litter, project, state};

fn document() -> String {
    format!(
        "---\nmsd_state_version: 1.0\n# by hand\nstatus: executing\nnotes: |\n  one\n\n  two\nlist:\n  - a: b\n    c: d\n---\n\n{BODY}"
    )
}

const WRITERS: [&[&str]; 12] = [
    &["update", "Plan", "2 of 2"],
    &["patch", "--Status", "Paused"],
    &["begin-phase", "--phase", "3", "--name", "Rigging"],
    &["advance-plan"],
    &["complete-phase"],
    &["milestone-complete", "--milestone", "v1.2"],
    &["sync"],
    &["add-decision", "--summary", "x"],
    &["record-metric", "--phase", "2", "--plan", "1", "--duration", "1h"],
    &["record-session", "--stopped-at", "x"],
    &["add-roadmap-evolution", "--note", "x"],
    &["milestone-switch", "--milestone", "v2.0"],
];

/// The document after a verb.
fn after(document: &str, args: &[&str]) -> String {
    let repo = project(document);
    data(state(&repo, args));
    let new = std::fs::read(repo.path(STATE)).expect("there");
    assert_eq!(Malformed::all(&new), [], "{args:?}");
    String::from_utf8(new).expect("it is UTF-8")
}

#[test]
fn line_ends_stay_as_they_are() {
    let unix = document();
    let windows = unix.replace('\n', "\r\n");
    for args in WRITERS {
        let expected = after(&unix, args).replace('\n', "\r\n");
        assert_eq!(after(&windows, args), expected, "{args:?}");
    }
}

/// What the body says of plans is not what lies on disk.
#[test]
fn without_phases_there_are_no_plans() {
    let repo = Repo::without_git();
    let text = "Total Plans in Phase: 3\nProgress: 10%\n";
    repo.write(STATE, text)
        .write(".planning/ROADMAP.md", "### Phase 1: Keel\n");
    let answer = data(state(&repo, &["update-progress"]));
    assert_eq!(answer, json!({"updated": false, "reason": "no_plans"}));
    assert_eq!(repo.read(STATE), text);
}

/// Where nothing was counted, no phase is known to be open.
#[test]
fn a_complete_phase_stays_complete_where_none_are_counted() {
    let repo = Repo::without_git();
    repo.write(STATE, "Total Phases: 4\nStatus: Phase 2 complete\n")
        .write(".planning/ROADMAP.md", "### Phase 1: Keel\n");
    assert_eq!(data(state(&repo, &["json"]))["status"], "completed");
    repo.write(".planning/phases/01-keel/01-01-PLAN.md", "x\n");
    assert_eq!(data(state(&repo, &["json"]))["status"], "executing");
}

#[test]
fn a_byte_order_mark_is_read_over_and_gone_after_a_write() {
    let marked = format!("\u{feff}{}", document());
    for args in WRITERS {
        assert_eq!(after(&marked, args), after(&document(), args), "{args:?}");
    }
    // A read does not write it away.
    let repo = project(&marked);
    assert_eq!(data(state(&repo, &["json"]))["status"], "executing");
    assert_eq!(repo.read(STATE), marked);
}

#[test]
fn an_empty_file_and_one_without_a_line_end_are_documents() {
    for text in ["", "\n", "# S", "Plan: 1 of 2", "---\n---\n", "---\n"] {
        let repo = project(text);
        data(state(&repo, &["add-decision", "--summary", "x"]));
        let new = repo.read(STATE);
        assert!(
            new.ends_with("\n## Decisions\n\n- [Phase ?]: x\n"),
            "{text:?}: {new}"
        );
        assert!(
            new.starts_with("---\nmsd_state_version: 1.0\n"),
            "{text:?}: {new}"
        );
        let again = repo.read(STATE);
        data(state(&repo, &["update", "Plan", "2 of 2"]));
        assert!(repo.read(STATE) == again || text.starts_with("Plan"));
    }
}

#[test]
fn what_is_no_text_is_told_and_left_alone() {
    let bad = [&b"---\nstatus: executing\n---\n\nPlan: 1 of 2\n"[..], b"ca\xf1\n"].concat();
    let repo = project("");
    repo.write(STATE, &bad);
    for args in WRITERS
        .iter()
        .chain(&[&["json"][..], &["snapshot"], &["get"], &["get", "Plan"]])
    {
        let told = state(&repo, args);
        assert!(told.stderr.contains("line 6"), "{args:?}: {told:?}");
        assert_eq!(code(told), "STATE_UNREADABLE", "{args:?}");
    }
    assert!(std::fs::read(repo.path(STATE)).expect("there") == bad);
    assert_eq!(litter(&repo), [""; 0]);
    let found = data(state(&repo, &["validate"]));
    assert_eq!(
        (&found["valid"], &found["warnings"][0]["code"]),
        (&json!(false), &json!("S008"))
    );
    assert!(
        data(state(&repo, &["load"]))["state_raw"]
            .as_str()
            .expect("text")
            .contains("ca\u{fffd}")
    );
}

#[test]
fn a_nul_byte_is_a_fault_that_a_write_does_not_spread() {
    let repo = project("Plan: 1 of 2\nStatus: a\0b\n");
    let found = data(state(&repo, &["validate"]));
    assert_eq!(found["warnings"][0]["code"], "S001");
    assert!(found.get("scope").is_none());
    let strict = state(&repo, &["validate", "--strict"]);
    assert_eq!(strict.code, 2, "{strict:?}");
    data(state(&repo, &["update", "Plan", "2 of 2"]));
    let text = repo.read(STATE);
    assert!(
        text.ends_with("\n---\n\nPlan: 2 of 2\nStatus: a\0b\n"),
        "{text:?}"
    );
    assert_eq!(text.matches('\0').count(), 1);
}

#[test]
fn front_matter_that_never_closes_is_told_and_kept_as_text() {
    let open = format!("---\nstatus: executing\nowner: mira\n\n{BODY}");
    let repo = project(&open);
    assert_eq!(code(state(&repo, &["complete-phase"])), "FRONTMATTER_UNREADABLE");
    let last = ["complete-phase", "--phase", "2", "--last"];
    assert_eq!(code(state(&repo, &last)), "FRONTMATTER_UNREADABLE");
    assert_eq!(repo.read(STATE), open);
    let told = repo.spec(["state", "update", "Plan", "2 of 2"]).exits(0).stderr;
    assert!(told.contains("never closed"), "{told}");
    let kept = open.replace("Plan: 1 of 2 in current phase", "Plan: 2 of 2");
    assert!(
        repo.read(STATE).ends_with(&format!("---\n\n{kept}")),
        "{}",
        repo.read(STATE)
    );
}

#[test]
fn five_megabytes_are_read_and_written_as_five_lines_are() {
    let log = "- the lane **was**: `dry` | or not\n".repeat(150_000);
    let long = format!("{}\n## Log\n\n{log}", document());
    assert!(long.len() > 5_000_000);
    let repo = project(&long);
    assert_eq!(
        data(state(&repo, &["json"])),
        data(state(&project(&document()), &["json"]))
    );
    data(state(&repo, &["update", "Plan", "2 of 2"]));
    let short = after(&document(), &["update", "Plan", "2 of 2"]);
    assert!(
        repo.read(STATE) == format!("{short}\n## Log\n\n{log}"),
        "it is another text"
    );
}

#[test]
fn values_are_text_and_nothing_else() {
    for value in [
        "$1 & \\1 `id` $(id)",
        "a: b # c",
        "\"quoted\" 'too'",
        "- [x]",
        "日本 🌊",
        "--",
        "%s%n",
    ] {
        let repo = project(&document());
        data(state(&repo, &["patch", &format!("--Status={value}")]));
        assert!(
            repo.read(STATE).contains(&format!("\nStatus: {value}\n")),
            "{value}"
        );
        assert_eq!(data(state(&repo, &["get", "Status"])), json!({"Status": value}));
    }
}

#[test]
fn a_value_that_is_more_than_a_line_is_refused() {
    let repo = project(&document());
    for (field, value) in [("Status", "a\nb"), ("Plan", "1\r2"), ("Stopped at", "x\n---\n")] {
        assert_eq!(
            code(state(&repo, &["update", field, value])),
            "INVALID_ARGUMENT",
            "{value:?}"
        );
    }
    assert_eq!(repo.read(STATE), document());
}

#[test]
fn a_text_of_several_lines_is_added_with_the_line_ends_of_the_document() {
    let repo = project(&document().replace('\n', "\r\n"));
    repo.write("note.txt", "one\ntwo\r\nthree\n\n");
    data(state(&repo, &["add-blocker", "--text-file", "note.txt"]));
    assert!(
        repo.read(STATE)
            .contains("- Paint is late\r\n- one\r\ntwo\r\nthree\r\n\r\n## Session")
    );
}

#[test]
fn text_files_lie_in_the_project() {
    let repo = project(&document());
    let outside = Repo::without_git();
    outside.write("secret.txt", "secret\n");
    std::os::unix::fs::symlink(outside.path("secret.txt"), repo.path("link.txt")).expect("linked");
    std::os::unix::fs::symlink(outside.root(), repo.path("folder")).expect("linked");
    std::os::unix::fs::symlink("nowhere.txt", repo.path("dangling.txt")).expect("linked");
    let absolute = outside.path("secret.txt").display().to_string();
    for (file, reason) in [
        ("link.txt", "path_rejected"),
        ("folder/secret.txt", "path_rejected"),
        (&absolute, "path_rejected"),
        ("../../../../etc/passwd", "path_rejected"),
        ("dangling.txt", "path_rejected"),
        ("x/../../secret.txt", "path_rejected"),
        ("missing.txt", "file_not_found"),
        (".planning/../missing.txt", "file_not_found"),
        ("missing/x.txt", "file_not_found"),
        (".planning", "file_not_found"),
    ] {
        let told = data(state(&repo, &["add-blocker", "--text-file", file]));
        assert_eq!(told, json!({"added": false, "reason": reason}), "{file}");
    }
    assert_eq!(repo.read(STATE), document());
}

#[test]
fn a_document_is_made_where_there_is_none() {
    let repo = project("");
    repo.remove(STATE);
    data(state(&repo, &["milestone-switch", "--milestone", "v1.2"]));
    assert!(
        repo.read(STATE)
            .contains("\n# Project State\n\n## Current Position\n\nPhase: Not started")
    );
    repo.remove(".planning");
    assert_eq!(
        data(state(&repo, &["regenerate"])),
        json!({"regenerated": true, "backup": null})
    );
    assert!(repo.read(STATE).contains(NOW));
    let old = repo.read(STATE);
    let told = data(state(&repo, &["regenerate", "--force"]));
    let backup = ".planning/STATE.md.bak-2026-01-02T03-04-05";
    assert_eq!(told["backup"], backup);
    assert_eq!(repo.read(backup), old);
    assert_eq!(litter(&repo), [""; 0]);
}
