//! `renumber`: which number, what is rewritten and what is left, refusals, and the commit.

use serde_json::{Value, json};

use crate::common::{Out, Repo, Tolls, out};
use crate::{added, answer, judged, pairs, propose};

const DELTA: &str = "logos/changes/tram/deltas/test/core-01-test-cases.md";

/// `bus` on a branch `a` and `tram` on a branch `b`, each with UT-S01-04; `b` is checked out.
fn two() -> Tolls {
    let tolls = Tolls::new();
    propose(
        &tolls,
        "a",
        "bus",
        &[(Tolls::DELTA, &added("Buses", "UT-S01-04", "bus"))],
    );
    propose(
        &tolls,
        "b",
        "tram",
        &[(Tolls::DELTA, &added("Trams", "UT-S01-04", "tram"))],
    );
    tolls.git(["switch", "-q", "b"]);
    tolls
}

fn renumber(repo: &Repo, args: &[&str]) -> Out {
    let mut all = vec!["renumber", "--format", "json"];
    all.extend(args);
    judged(repo.spec(all))
}

#[track_caller]
fn refused(repo: &Repo, args: &[&str], code: &str) -> Out {
    let before = repo.snapshot();
    let out = renumber(repo, args).exits(1);
    assert!(out.stderr.contains(&format!("\"code\":\"{code}\"")), "{out:?}");
    assert_eq!(repo.snapshot(), before);
    out
}

#[track_caller]
fn done(repo: &Repo, args: &[&str]) -> Value {
    renumber(repo, args).exits(0).json()["data"].clone()
}

#[test]
fn the_next_free_number_ends_the_collision() {
    let tolls = two();
    assert_eq!(pairs(&answer(&tolls, &[])), ["bus tram duplicate_id -"]);
    let before = tolls.git(["rev-parse", "HEAD"]);
    let found = done(&tolls, &["UT-S01-04", "--change", "tram"]);
    let head = tolls.git(["rev-parse", "HEAD"]);
    assert_eq!(
        found,
        json!({
            "schema_version": "git-spec-renumber.v1", "change": "tram", "project": "", "from": "UT-S01-04",
            "to": "UT-S01-05", "dry_run": false,
            "files": [{"path": DELTA, "old_path": null, "mentions": 1}], "also_in": [], "commit": head.trim()
        })
    );
    assert_eq!(tolls.read(DELTA), added("Trams", "UT-S01-05", "tram"));
    assert_eq!(tolls.git(["rev-parse", "HEAD~1"]), before);
    assert_eq!(
        tolls.git(["log", "-1", "--format=%B"]),
        "docs(tram): renumber UT-S01-04 to UT-S01-05\n\nSpec-Change: tram\nSpec-Operation: renumber\n\n"
    );
    assert_eq!(
        tolls.git(["show", "--name-only", "--format=", "HEAD"]),
        format!("{DELTA}\n")
    );
    assert_eq!(pairs(&answer(&tolls, &[])), [""; 0]);
    tolls.fsck();
    // What is renumbered is no longer there to be.
    refused(&tolls, &["UT-S01-04", "--change", "tram"], "RENUMBER_NOT_ADDED");
}

#[test]
fn every_mention_in_the_change_goes_along_and_others_are_told() {
    let tolls = two();
    let folder = "logos/changes/tram";
    let text = "See UT-S01-04, `UT-S01-04`: 见UT-S01-04。\r\nNot UT-S01-041, UT-S01-04-1, xUT-S01-04, UT-S01-04.1.\n";
    tolls.write(
        &format!("{folder}/proposal.md"),
        format!("# Change: tram\n\n{text}"),
    );
    tolls.write(
        &format!("{folder}/tasks.md"),
        "# Tasks\n\n## [code] Code\n- [ ] UT-S01-04\n\n```\nrun UT-S01-04\n```\n",
    );
    tolls.write(
        &format!("{folder}/deltas/api/core.yaml"),
        b"x: UT-S01-04 # \xff UT-S01-04",
    );
    tolls.write(&format!("{folder}/deltas/api/blob.bin"), b"UT-S01-04\0");
    tolls.write(&format!("{folder}/notes.md"), "UT-S01-04\n");
    tolls.write(
        "logos/changes/other/proposal.md",
        "# Other\n\nxUT-S01-04 but UT-S01-04.\n",
    );
    tolls.write("src/tram.rs", "// one\n// UT-S01-04\n// UT-S01-04-1\n");
    tolls.commit("Mention it");
    let found = done(&tolls, &["UT-S01-04", "--change", "tram", "--to", "UT-S01-10"]);
    let counts = found["files"].as_array().expect("a list").iter();
    let counts: Vec<String> = counts
        .map(|f| format!("{} {}", f["path"], f["mentions"]).replace('"', ""))
        .collect();
    assert_eq!(
        counts,
        [
            format!("{folder}/proposal.md 3"),
            format!("{folder}/tasks.md 2"),
            format!("{folder}/deltas/api/core.yaml 2"),
            format!("{DELTA} 1")
        ]
    );
    assert_eq!(
        found["also_in"],
        json!([
            {"path": "logos/changes/other/proposal.md", "line": 3},
            {"path": format!("{folder}/notes.md"), "line": 1},
            {"path": "src/tram.rs", "line": 2}
        ])
    );
    let rewritten = "See UT-S01-10, `UT-S01-10`: 见UT-S01-10。\r\nNot UT-S01-041, UT-S01-04-1, xUT-S01-04, UT-S01-04.1.\n";
    assert_eq!(
        tolls.read(&format!("{folder}/proposal.md")),
        format!("# Change: tram\n\n{rewritten}")
    );
    let read =
        |path: &str| std::fs::read(tolls.path(&format!("{folder}/deltas/api/{path}"))).expect("it is there");
    assert_eq!(read("core.yaml"), b"x: UT-S01-10 # \xff UT-S01-10");
    assert_eq!(read("blob.bin"), b"UT-S01-04\0");
}

#[test]
fn a_new_row_or_heading_is_brought_and_an_old_one_is_not() {
    let tolls = Tolls::new();
    let requirements = "logos/resources/prd/1-product-requirements/core-01-requirements.md";
    tolls.write(requirements, "# Requirements\n\n## S01: pay\n\nx\n");
    tolls.commit("Requirements");
    let rows = format!("{}| UT-S01-04 | cart | 1 |\n", Tolls::prices("5", "12", "0"));
    let heading = "## MODIFIED — S01: pay\n\nx\n\n### S02: pay later\n\nUT-S02-01\n";
    let name = "prd/1-product-requirements/core-01-requirements.md";
    tolls.change("cart", &[(Tolls::DELTA, &rows), (name, heading)]);
    refused(&tolls, &["UT-S01-03", "--change", "cart"], "RENUMBER_NOT_ADDED");
    refused(&tolls, &["S01", "--change", "cart"], "RENUMBER_NOT_ADDED");
    assert_eq!(
        done(&tolls, &["UT-S01-04", "--change", "cart"])["to"],
        "UT-S01-05"
    );
    assert_eq!(done(&tolls, &["S02", "--change", "cart"])["to"], "S03");
    assert!(
        tolls
            .read(&format!("logos/changes/cart/deltas/{name}"))
            .contains("### S03: pay later\n\nUT-S02-01")
    );
}

#[test]
fn a_row_of_the_documents_keeps_its_id() {
    let tolls = two();
    tolls.git(["switch", "-q", "main"]);
    tolls.git(["merge", "-q", "--no-edit", "a"]);
    tolls.spec(["merge", "bus"]).exits(0);
    tolls.git(["switch", "-q", "b"]);
    tolls.git(["merge", "-q", "--no-edit", "main"]);
    // `tram` speaks of the section that holds the bus as it is now, and brings its own id in another.
    let buses = "## MODIFIED — Buses\n| ID | Title | Expected |\n|----|-------|----------|\n| UT-S01-04 | bus | 2 |\n";
    tolls.write(DELTA, format!("{buses}\n{}", added("Trams", "UT-S01-04", "tram")));
    tolls.commit("Onto the buses");
    let base = tolls.git(["rev-parse", "HEAD"]);
    let message = format!("Onto main\n\nSpec-Change: tram\nSpec-Base: {}\n", base.trim());
    tolls.git(["commit", "-q", "--allow-empty", "-m", &message]);
    let found = done(&tolls, &["UT-S01-04", "--change", "tram"]);
    assert_eq!(
        tolls.read(DELTA),
        format!("{buses}\n{}", added("Trams", "UT-S01-05", "tram"))
    );
    let others = found["also_in"].as_array().expect("a list");
    for (path, line) in [(DELTA, 4), (Tolls::DOCUMENT, 13)] {
        assert!(others.contains(&json!({"path": path, "line": line})), "{found}");
    }
    tolls.spec(["merge", "tram"]).exits(0);
}

#[test]
fn numbers_are_free_where_nobody_uses_them() {
    let tolls = two();
    for (to, code) in [
        ("UT-S01-03", "RENUMBER_TAKEN"),
        ("UT-S01-04", "RENUMBER_TAKEN"),
        ("UT-S01-5", "RENUMBER_INPUT_INVALID"),
        ("UT-S02-05", "RENUMBER_INPUT_INVALID"),
        ("S05", "RENUMBER_INPUT_INVALID"),
        ("", "RENUMBER_INPUT_INVALID"),
    ] {
        refused(&tolls, &["UT-S01-04", "--change", "tram", "--to", to], code);
    }
    // In an older version on another branch, and in what a work tree has not committed.
    tolls.git(["switch", "-q", "a"]);
    let bus = "logos/changes/bus/deltas/test/core-01-test-cases.md";
    tolls.write(bus, added("Buses", "UT-S01-20", "bus"));
    tolls.commit("Another number");
    tolls.write(bus, added("Buses", "UT-S01-04", "bus"));
    tolls.commit("And back");
    tolls.git(["branch", "-q", "older", "HEAD~1"]);
    tolls.git(["switch", "-q", "b"]);
    tolls.git(["worktree", "add", "-q", "../linked", "main"]);
    let ferry = "../linked/logos/changes/ferry";
    tolls.write(&format!("{ferry}/proposal.md"), "# Ferry\n");
    tolls.write(
        &format!("{ferry}/deltas/{}", Tolls::DELTA),
        added("Ferries", "UT-S01-30", "ferry"),
    );
    refused(
        &tolls,
        &["UT-S01-04", "--change", "tram", "--to", "UT-S01-20"],
        "RENUMBER_TAKEN",
    );
    refused(
        &tolls,
        &["UT-S01-04", "--change", "tram", "--to", "UT-S01-30"],
        "RENUMBER_TAKEN",
    );
    let dry = done(&tolls, &["UT-S01-04", "--change", "tram", "--dry-run"]);
    assert_eq!(dry["to"], "UT-S01-31");
    assert_eq!(
        done(&tolls, &["UT-S01-04", "--change", "tram", "--to", "UT-S01-100"])["to"],
        "UT-S01-100"
    );
}

#[test]
fn a_decision_takes_its_file_along() {
    let tolls = Tolls::new();
    let decision =
        |number: &str| format!("## ADDED — D{number}: why\n\n# D{number}: why\n\nNot D011, but D{number}.\n");
    tolls.change("why", &[("decisions/core-D01-why.md", &decision("01"))]);
    tolls.change("because", &[("decisions/core-D02-because.md", &decision("02"))]);
    let from = "logos/changes/why/deltas/decisions/core-D01-why.md";
    let to = "logos/changes/why/deltas/decisions/core-D03-why.md";
    let found = done(&tolls, &["D01", "--change", "why"]);
    assert_eq!(found["to"], "D03");
    assert!(!tolls.exists(from));
    assert_eq!(tolls.read(to), decision("03"));
    assert!(
        tolls
            .read("logos/changes/why/tasks.md")
            .contains("write deltas/decisions/core-D03-why.md\n")
    );
    let files: Vec<_> = found["files"].as_array().expect("a list").iter().collect();
    assert_eq!(files[1], &json!({"path": to, "old_path": from, "mentions": 3}));
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
    let moved = tolls.git(["show", "--no-renames", "--name-status", "--format=", "HEAD"]);
    assert_eq!(
        moved,
        format!("D\t{from}\nA\t{to}\nM\tlogos/changes/why/tasks.md\n")
    );
    tolls.fsck();
    // A file that is in the way stays.
    let other = "logos/changes/why/deltas/decisions/core-D05-why.md";
    tolls.write(other, "mine\n");
    refused(
        &tolls,
        &["D03", "--change", "why", "--to", "D05"],
        "RENUMBER_FILE_EXISTS",
    );
}

#[test]
fn files_that_are_not_committed_are_refused_and_all_else_stays() {
    let tolls = two();
    let clean = tolls.read(DELTA);
    tolls.write(DELTA, format!("{clean}\nMore.\n"));
    let out = refused(&tolls, &["UT-S01-04", "--change", "tram"], "RENUMBER_DIRTY");
    assert!(out.stderr.contains(DELTA), "{out:?}");
    tolls.git(["add", "-A"]);
    refused(&tolls, &["UT-S01-04", "--change", "tram"], "RENUMBER_DIRTY");
    tolls.write(DELTA, &clean);
    refused(&tolls, &["UT-S01-04", "--change", "tram"], "RENUMBER_DIRTY");
    tolls.git(["reset", "-q"]);
    // Staged, unstaged, both at once, untracked; one of them in the change itself.
    tolls
        .write("staged.md", "1\n")
        .write("both.md", "1\n")
        .write("logos/changes/tram/notes.md", "1\n");
    tolls.git(["add", "-A"]);
    tolls.write("both.md", "2\n");
    tolls.write(Tolls::DOCUMENT, format!("{}\n", Tolls::CONTENT));
    tolls.write("untracked.md", "1\n");
    let (index, status) = (
        tolls.git(["ls-files", "-s"]),
        tolls.git(["status", "--porcelain"]),
    );
    done(&tolls, &["UT-S01-04", "--change", "tram"]);
    let others = |listing: &str| -> Vec<String> {
        listing
            .lines()
            .filter(|line| !line.ends_with(DELTA))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(others(&tolls.git(["ls-files", "-s"])), others(&index));
    assert_eq!(tolls.git(["status", "--porcelain"]), status);
    assert_eq!(tolls.read("both.md"), "2\n");
    assert_eq!(
        tolls.git(["show", "--name-only", "--format=", "HEAD"]),
        format!("{DELTA}\n")
    );
}

#[test]
fn a_dry_run_shows_a_diff_and_writes_nothing() {
    let tolls = two();
    let before = tolls.snapshot();
    let out = tolls
        .spec(["renumber", "UT-S01-04", "--change", "tram", "--dry-run"])
        .exits(0);
    assert_eq!(tolls.snapshot(), before);
    assert_eq!(
        out.stdout,
        format!(
            "--- a/{DELTA}\n+++ b/{DELTA}\n@@ -1,4 +1,4 @@\n ## ADDED — Trams\n | ID | Title | Expected |\n \
             |----|-------|----------|\n-| UT-S01-04 | tram | 1 |\n+| UT-S01-05 | tram | 1 |\n"
        )
    );
    let found = done(&tolls, &["UT-S01-04", "--change", "tram", "--dry-run"]);
    assert_eq!(
        (&found["dry_run"], &found["commit"]),
        (&json!(true), &json!(null))
    );
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn what_cannot_be_renumbered_is_refused() {
    let tolls = two();
    for (args, code) in [
        (&["UT-S01-04", "--change", "nothing"][..], "slug_not_found"),
        (&["UT-S01-04", "--change", "../tram"], "slug_invalid"),
        (&["UT-S01-04", "--change", "archive"], "slug_not_found"),
        (&["UT-S01-xx", "--change", "tram"], "RENUMBER_INPUT_INVALID"),
        (
            &["UT-S01-99999999999999999999", "--change", "tram"],
            "RENUMBER_INPUT_INVALID",
        ),
        (&["", "--change", "tram"], "RENUMBER_INPUT_INVALID"),
        (&["UT-S01-04"], "USAGE"),
    ] {
        refused(&tolls, args, code);
    }
    tolls.spec(["merge", "tram"]).exits(0);
    refused(&tolls, &["UT-S01-04", "--change", "tram"], "already_merged");
    let bare = tolls.root().with_file_name("bare.git");
    tolls.git(["clone", "-q", "--bare", ".", "../bare.git"]);
    let mut command = tolls.program();
    command
        .current_dir(bare)
        .args(["renumber", "UT-S01-04", "--change", "tram"]);
    out(&mut command, b"").exits(1);
    let folder = Repo::without_git();
    folder.write("logos/logos.config.json", "{}\n");
    refused(&folder, &["UT-S01-04", "--change", "tram"], "no_work_tree");
}

#[test]
fn a_hook_that_refuses_leaves_everything_as_it_was() {
    let tolls = two();
    tolls.write(".git/hooks/pre-commit", "#!/bin/sh\necho no >&2\nexit 1\n");
    tolls
        .command("chmod")
        .args(["+x", ".git/hooks/pre-commit"])
        .status()
        .expect("chmod runs");
    let out = refused(&tolls, &["UT-S01-04", "--change", "tram"], "GIT_FAILED");
    assert!(out.stderr.contains("no"), "{out:?}");
    assert!(!tolls.exists(".git/spec"));
}

#[test]
fn in_a_project_of_several_only_its_own_files_are_touched() {
    let repo = Repo::new();
    for project in ["apps/a", "apps/b"] {
        repo.write(
            &format!("{project}/logos/logos.config.json"),
            "{\"name\":\"x\",\"locale\":\"en\"}\n",
        );
        repo.write(&format!("{project}/{}", Tolls::DOCUMENT), Tolls::CONTENT);
        repo.write(&format!("{project}/logos/changes/bus/proposal.md"), "# Bus\n");
        let number = if project == "apps/a" {
            "UT-S01-04"
        } else {
            "UT-S01-40"
        };
        let delta = added("Buses", number, "bus");
        repo.write(
            &format!("{project}/logos/changes/bus/deltas/{}", Tolls::DELTA),
            delta,
        );
    }
    repo.write("apps/b/src/x.rs", "// UT-S01-04\n")
        .write("apps/a/src/x.rs", "// UT-S01-04\n");
    repo.commit("Two projects");
    let out = judged(repo.spec_in(
        "apps/a/src",
        ["renumber", "UT-S01-04", "--change", "bus", "--format", "json"],
    ));
    let found = out.exits(0).json()["data"].clone();
    assert_eq!(
        (&found["to"], &found["project"]),
        (&json!("UT-S01-05"), &json!("apps/a"))
    );
    assert_eq!(found["also_in"], json!([{"path": "apps/a/src/x.rs", "line": 1}]));
    assert_eq!(
        found["files"][0]["path"],
        format!("apps/a/logos/changes/bus/deltas/{}", Tolls::DELTA)
    );
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}
