//! Commands that write, killed or failing at every step that changes the disk: the next run makes it whole.
#![cfg(all(unix, debug_assertions))]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/seed.rs"]
mod seed;

mod baseline;
mod hooks;
mod in_the_way;
mod recovery;
mod state;
mod steps;
mod taking;
mod verify;
mod worktree;

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
        assert!(out.status.code() == Some(0) || moved, "{at}: {told}");
    }
    assert_eq!(repo.snapshot(), files, "{at}");
    assert_eq!(journal(repo), pending, "{at}");
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
