//! Commands that write, killed or failing at every step that changes the disk: the next run makes it whole.
#![cfg(all(unix, debug_assertions))]

mod common;

use std::process::Output;

use common::{Repo, Snapshot, Tolls};

const SLUG: &str = "car-price";

/// A copy of a folder as it is, its repository too.
fn copy(of: &Repo) -> Repo {
    let copy = Repo::in_memory();
    let done = copy
        .command("cp")
        .args(["-a", "--"])
        .arg(of.path("."))
        .arg(copy.root())
        .status();
    assert!(done.expect("cp can be started").success());
    copy
}

/// A copy of its files without the repository.
fn without_git(of: &Repo) -> Repo {
    let copy = copy(of);
    copy.remove(".git");
    copy
}

/// A change whose merge changes, makes and deletes documents, counts a decision on and resets the task list.
fn rich_change() -> Repo {
    let tolls = Tolls::new();
    tolls
        .write("logos/resources/prd/core-old.md", "# Old\n\nNobody needs this.\n")
        .write(
            "logos/logos-project.yaml",
            "project:\n  name: tolls\nmodules:\n  - id: core\n    name: Core\n    lifecycle: launched\ndecision_counter:\n  next_id: 1 # counts on\n",
        );
    tolls.commit("More documents");
    tolls.change(
        SLUG,
        &[
            (Tolls::DELTA, &Tolls::prices("6", "12", "0")),
            ("prd/core-old.md", "## REMOVED — Old\nIt is wrong.\n"),
            (
                "scenario/core-07-new.md",
                "## ADDED — Scenario\n# S07 New\n\nWords.\n",
            ),
            (
                "decisions/core-D01-cash.md",
                "## ADDED — D01 Cash\n# D01 Cash\n\nOnly cash.\n",
            ),
            ("api/core.json", "{}\n"),
        ],
    );
    tolls.write(
        &format!("logos/changes/{SLUG}/tasks.md"),
        "# Tasks\n\n## [delta] Spec\n- [x] write deltas/test/core-01-test-cases.md\n\n## [code] Code\n- [x] change the price\n- [ ] test it\n",
    );
    tolls.write(
        "logos/.openlogos-guard",
        format!("{{\"activeChange\":\"{SLUG}\",\"module\":\"core\"}}\n"),
    );
    tolls.commit("Tell the tasks");
    copy(&tolls)
}

fn run(repo: &Repo, args: &[&str], fault: Option<(&str, u64)>) -> Output {
    let mut command = repo.program();
    command.args(args);
    if let Some((kind, n)) = fault {
        command.env(kind, n.to_string());
    }
    command.output().expect("it starts")
}

fn said(out: &Output) -> String {
    format!(
        "{:?}: {}{}",
        out.status,
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    )
}

/// Nothing of ours is left beside what the project consists of.
#[track_caller]
fn no_litter(repo: &Repo, at: &str) {
    assert!(!repo.exists(".git/spec"), "{at}: .git/spec is left");
    assert!(!repo.exists("logos/.runtime"), "{at}: logos/.runtime is left");
    if repo.exists(".git") {
        repo.fsck();
    }
}

/// A reader while a journal is pending: it judges, and leaves everything alone.
#[track_caller]
fn lint_only_reads(repo: &Repo, at: &str) {
    let journal = |repo: &Repo| std::fs::read(repo.path(".git/spec/journal")).ok();
    let (files, pending) = (repo.snapshot(), journal(repo));
    for format in ["json", "text"] {
        let args = ["change-lint", "--slug", SLUG, "--format", format];
        let out = run(repo, &args, None);
        let told = said(&out);
        // An archive that is half done has moved the folder.
        let moved = !repo.exists(&format!("logos/changes/{SLUG}"));
        assert!(matches!(out.status.code(), Some(0 | 2)) || moved, "{at}: {told}");
    }
    assert_eq!(repo.snapshot(), files, "{at}");
    assert_eq!(journal(repo), pending, "{at}");
}

/// Kills and fails a command at each of its steps. `again` are the codes with which it refuses to do its work twice.
fn at_every_step(template: &Repo, args: &[&str], again: &[&str]) {
    let whole = copy(template);
    let out = run(&whole, args, None);
    assert!(out.status.success(), "{}", said(&out));
    let (old, new) = (template.snapshot(), whole.snapshot());
    let steps = killed_at_every_step(template, args, again, &new);
    assert!(steps > 5, "{args:?}: only {steps} steps were found");
    for n in 1..=steps {
        failed_at(template, args, again, n, &old, &new);
    }
}

fn killed_at_every_step(template: &Repo, args: &[&str], again: &[&str], new: &Snapshot) -> u64 {
    for n in 1.. {
        let at = format!("{args:?} killed at {n}");
        let repo = copy(template);
        let out = run(&repo, args, Some(("GIT_SPEC_ABORT_AT", n)));
        if out.status.code().is_some() {
            assert!(out.status.success(), "{at}: {}", said(&out));
            assert_eq!(&repo.snapshot(), new, "{at}");
            return n - 1;
        }
        if args[0] == "merge" {
            lint_only_reads(&repo, &at);
        }
        completed_by_another_run(&repo, args, again, new, &at);
    }
    unreachable!("a command has an end")
}

#[track_caller]
fn completed_by_another_run(repo: &Repo, args: &[&str], again: &[&str], new: &Snapshot, at: &str) {
    let out = run(repo, args, None);
    let told = said(&out);
    let refused = again.iter().any(|code| told.contains(code));
    assert!(out.status.success() || refused, "{at}: {told}");
    assert_eq!(&repo.snapshot(), new, "{at}: {told}");
    no_litter(repo, at);
}

fn failed_at(template: &Repo, args: &[&str], again: &[&str], n: u64, old: &Snapshot, new: &Snapshot) {
    let at = format!("{args:?} failing at {n}");
    let repo = copy(template);
    let out = run(&repo, args, Some(("GIT_SPEC_FAIL_AT", n)));
    let told = said(&out);
    let left = repo.snapshot();
    // Once git has made the commit there is no way back: the work is done, and the next run takes the journal away.
    let committed = repo.exists(".git") && &left == new;
    if !committed {
        assert_eq!(out.status.code(), Some(1), "{at}: {told}");
        assert!(told.contains("a fault was injected here"), "{at}: {told}");
        assert_eq!(&left, old, "{at}: {told}");
        no_litter(&repo, &at);
    }
    completed_by_another_run(&repo, args, again, new, &at);
}

#[test]
fn merge_is_made_whole_whenever_it_dies() {
    at_every_step(&rich_change(), &["merge", SLUG], &[]);
}

#[test]
fn merge_without_a_repository_is_made_whole_whenever_it_dies() {
    at_every_step(&without_git(&rich_change()), &["merge", SLUG], &[]);
}

#[test]
fn archive_is_made_whole_whenever_it_dies() {
    let repo = rich_change();
    repo.write(&format!("logos/changes/{SLUG}/untracked.md"), "Words.\n");
    for template in [&repo, &without_git(&repo)] {
        at_every_step(template, &["archive", SLUG, "--force"], &["slug_not_found"]);
    }
}

#[test]
fn rebase_is_made_whole_whenever_it_dies() {
    let repo = rich_change();
    repo.write(Tolls::DOCUMENT, Tolls::CONTENT.replace("| 5 |", "| 9 |"));
    repo.commit("Another price");
    at_every_step(&repo, &["rebase", SLUG], &[]);
}

#[test]
fn a_mended_anchor_is_made_whole_whenever_it_dies() {
    let repo = rich_change();
    let delta = Tolls::prices("6", "12", "0").replace("Unit cases", "## unit  cases");
    repo.write(&format!("logos/changes/{SLUG}/deltas/{}", Tolls::DELTA), delta);
    repo.commit("A shaky anchor");
    at_every_step(&repo, &["change-lint", "--slug", SLUG, "--fix"], &[]);
}

#[test]
fn change_is_made_whole_whenever_it_dies() {
    let repo = Tolls::new();
    for template in [&copy(&repo), &without_git(&repo)] {
        at_every_step(template, &["change", "boat-price"], &["CHANGE_EXISTS", "exists"]);
    }
}

#[test]
fn init_is_made_whole_whenever_it_dies() {
    let args = ["init", "tolls", "--locale", "en"];
    let born = Repo::new();
    born.commit("Begin");
    for template in [born, Repo::without_git()] {
        at_every_step(&template, &args, &["PROJECT_ALREADY_INITIALIZED"]);
    }
}

/// A merge that died with its documents written and no commit made.
fn interrupted() -> Repo {
    let repo = rich_change();
    let steps = (1..).find(|n| {
        let trial = copy(&repo);
        let died = run(&trial, &["merge", SLUG], Some(("GIT_SPEC_ABORT_AT", *n)));
        assert!(died.status.code().is_none(), "{}", said(&died));
        trial.exists(&format!("logos/changes/{SLUG}/SPEC_MERGED"))
    });
    let steps = steps.expect("the marker is written at some step");
    let left = copy(&repo);
    run(&left, &["merge", SLUG], Some(("GIT_SPEC_ABORT_AT", steps)));
    left
}

#[test]
fn a_recovery_that_dies_is_recovered_from() {
    let template = rich_change();
    let whole = copy(&template);
    assert!(run(&whole, &["merge", SLUG], None).status.success());
    let new = whole.snapshot();
    let left = interrupted();
    for kind in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
        // The steps of the recovery come first; those of the merge after it are another test's.
        for n in 1..=12 {
            let at = format!("{kind} at {n} of the recovery");
            let repo = copy(&left);
            let out = run(&repo, &["merge", SLUG], Some((kind, n)));
            assert_ne!(out.status.code(), Some(0), "{at}: {}", said(&out));
            lint_only_reads(&repo, &at);
            completed_by_another_run(&repo, &["merge", SLUG], &[], &new, &at);
        }
    }
}

#[test]
fn a_merge_that_fails_and_dies_while_it_goes_back_is_recovered_from() {
    let template = rich_change();
    let whole = copy(&template);
    assert!(run(&whole, &["merge", SLUG], None).status.success());
    let new = whole.snapshot();
    let fails = 20;
    for dies in fails + 1.. {
        let at = format!("failing at {fails}, killed at {dies}");
        let repo = copy(&template);
        let mut command = repo.program();
        command
            .args(["merge", SLUG])
            .env("GIT_SPEC_FAIL_AT", fails.to_string())
            .env("GIT_SPEC_ABORT_AT", dies.to_string());
        let out = command.output().expect("it starts");
        if out.status.code().is_some() {
            assert!(dies > fails + 3, "{at}: {}", said(&out));
            return;
        }
        completed_by_another_run(&repo, &["merge", SLUG], &[], &new, &at);
    }
}

#[test]
fn a_journal_that_cannot_be_understood_is_named_and_kept() {
    let repo = rich_change();
    for garbage in [
        "",
        "no JSON",
        "{}",
        "{\"version\":99,\"command\":\"merge\",\"prefix\":\"\",\"applying\":true,\"commit\":true,\"steps\":[],\"announced\":[]}",
        "{\"version\":1,\"command\":\"merge\",\"prefix\":\"\",\"applying\":true,\"commit\":false,\"steps\":[{\"do\":\"remove\",\"path\":\"../../etc/passwd\",\"old\":\"00\",\"saved\":\"0\"}],\"announced\":[]}",
        "{\"version\":1,\"command\":\"merge\",\"prefix\":\"..\",\"applying\":false,\"commit\":false,\"steps\":[],\"announced\":[]}",
    ] {
        repo.write(".git/spec/journal", garbage);
        let before = repo.snapshot();
        for args in [
            &["merge", SLUG][..],
            &["archive", SLUG, "--force"],
            &["change", "boat-price"],
        ] {
            let out = repo.spec(args).exits(1);
            assert!(
                out.stderr.contains(".git/spec/journal"),
                "{garbage}: {}",
                out.stderr
            );
            assert_eq!(out.stdout, "");
            assert_eq!(repo.read(".git/spec/journal"), garbage);
        }
        lint_only_reads(&repo, garbage);
        assert_eq!(repo.snapshot(), before, "{garbage}");
        repo.remove(".git/spec");
    }
    repo.spec(["merge", SLUG]).exits(0);
}

#[test]
fn the_journal_of_another_tool_is_named_and_kept() {
    let repo = rich_change();
    let journal = format!("logos/changes/{SLUG}/UI_COMMIT_JOURNAL.json");
    repo.write(&journal, "{}\n");
    let before = repo.snapshot();
    let out = repo.spec(["merge", SLUG]).exits(1);
    assert!(out.stderr.contains(&journal), "{}", out.stderr);
    assert_eq!(repo.snapshot(), before);
}

#[test]
fn a_file_that_someone_changed_since_stops_the_recovery() {
    let repo = interrupted();
    let mine = format!("{}\nMy own line.\n", repo.read(Tolls::DOCUMENT));
    repo.write(Tolls::DOCUMENT, &mine);
    let (before, journal) = (repo.snapshot(), repo.read(".git/spec/journal"));
    for args in [&["merge", SLUG][..], &["change", "boat-price"]] {
        let out = repo.spec(args).exits(1);
        assert!(out.stderr.contains(Tolls::DOCUMENT), "{}", out.stderr);
        assert_eq!(repo.snapshot(), before);
        assert_eq!(repo.read(".git/spec/journal"), journal);
    }
    lint_only_reads(&repo, "a changed file");
    // With the document as one of the two runs knows it, the next one goes on.
    repo.git(["checkout", "-q", "--", Tolls::DOCUMENT]);
    repo.spec(["merge", SLUG]).exits(0);
    no_litter(&repo, "after all");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn a_dry_run_leaves_a_pending_journal_alone() {
    let repo = interrupted();
    let (before, journal) = (repo.snapshot(), repo.read(".git/spec/journal"));
    run(&repo, &["merge", SLUG, "--dry-run"], None);
    run(&repo, &["archive", SLUG, "--dry-run", "--force"], None);
    run(&repo, &["detect", "--format", "json"], None);
    run(&repo, &["impact", "--base", "HEAD~1", "--head", "HEAD"], None);
    assert_eq!(repo.snapshot(), before);
    assert_eq!(repo.read(".git/spec/journal"), journal);
}

#[test]
fn a_lock_of_git_left_by_a_kill_is_named_and_nothing_is_undone() {
    let repo = interrupted();
    repo.write(".git/index.lock", "");
    let before = repo.read(Tolls::DOCUMENT);
    let out = repo.spec(["merge", SLUG]).exits(1);
    assert!(out.stderr.contains("index.lock"), "{}", out.stderr);
    assert_eq!(repo.read(Tolls::DOCUMENT), before);
    repo.remove(".git/index.lock");
    repo.spec(["merge", SLUG]).exits(0);
    no_litter(&repo, "after the lock");
}

#[test]
fn what_one_project_left_is_ended_by_a_command_of_its_neighbour() {
    let one = rich_change();
    let both = Repo::new();
    for path in one.git(["ls-files"]).lines() {
        for project in ["apps/tolls", "apps/ferry"] {
            both.write(&format!("{project}/{path}"), one.read(path));
        }
    }
    both.commit("Two projects");
    let both = copy(&both);
    let clean = both.snapshot();
    for n in 1..=30 {
        let repo = copy(&both);
        let mut command = repo.program();
        command
            .current_dir(repo.path("apps/tolls"))
            .args(["merge", SLUG])
            .env("GIT_SPEC_ABORT_AT", n.to_string());
        if command.output().expect("it starts").status.code().is_some() {
            return;
        }
        // Refused by its own guard file, but only after what is left was ended.
        let out = repo.spec_in("apps/ferry", ["change", "boat-price"]);
        assert!(!repo.exists(".git/spec"), "killed at {n}: {out:?}");
        repo.fsck();
        if repo.git(["rev-list", "--count", "HEAD"]) == both.git(["rev-list", "--count", "HEAD"]) {
            assert_eq!(repo.snapshot(), clean, "killed at {n}: {out:?}");
        } else {
            assert_eq!(repo.git(["status", "--porcelain"]), "", "killed at {n}: {out:?}");
        }
    }
}
