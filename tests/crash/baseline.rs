//! A commit of the baseline, which has a journal of its own: whatever stops it, readers have the old baseline or the new
//! one.

use super::common::Repo;
use super::seed::{BEGIN, COMMIT, LOCK, REGISTRY, RUN, RUNS, STATUS, adopted, stage, what_counts};
use super::{copy, no_litter, run, said};

type Baseline = Vec<Option<String>>;

/// Everything staged, nothing committed.
fn staged() -> Repo {
    let repo = adopted(Repo::in_memory());
    assert!(run(&repo, &BEGIN, None).status.success());
    stage(&repo);
    repo
}

fn committed(template: &Repo) -> Baseline {
    let whole = copy(template);
    let out = run(&whole, &COMMIT, None);
    assert!(out.status.success(), "{}", said(&out));
    nothing_is_left(&whole, "a whole run");
    what_counts(&whole)
}

/// No lock, no journal that is not ended, no file that was being written.
#[track_caller]
fn nothing_is_left(repo: &Repo, at: &str) {
    no_litter(repo, at);
    assert!(!repo.exists(LOCK), "{at}: the lock is left");
    let journal = format!("{RUNS}/{RUN}/commit-journal.json");
    if repo.exists(&journal) {
        assert!(repo.read(&journal).contains("\"phase\": \"committed\""), "{at}");
    }
    let listed = repo.command("find").args([".", "-name", "*git-spec*"]).output();
    let listed = String::from_utf8(listed.expect("find can be started").stdout).expect("UTF-8");
    assert_eq!(listed, "", "{at}");
}

/// What is there now, once a reader that recovers has looked.
#[track_caller]
fn recovered(repo: &Repo, at: &str) -> Baseline {
    let out = run(repo, &STATUS, None);
    assert!(out.status.success(), "{at}: {}", said(&out));
    what_counts(repo)
}

#[track_caller]
fn one_or_the_other(now: &Baseline, old: &Baseline, new: &Baseline, at: &str) {
    assert!(now == old || now == new, "{at}: a mixture: {now:#?}");
}

/// Committing again ends in the new baseline, whatever was there.
#[track_caller]
fn can_be_committed(repo: &Repo, new: &Baseline, at: &str) {
    let out = run(repo, &COMMIT, None);
    assert!(out.status.success(), "{at}: {}", said(&out));
    assert_eq!(&what_counts(repo), new, "{at}");
    nothing_is_left(repo, at);
}

/// Copies of a project in which a commit was killed, one for each step.
fn killed(template: &Repo) -> Vec<Repo> {
    let mut all = Vec::new();
    for n in 1.. {
        let repo = copy(template);
        let out = run(&repo, &COMMIT, Some(("GIT_SPEC_ABORT_AT", n)));
        if out.status.code().is_some() {
            assert!(out.status.success(), "{}", said(&out));
            return all;
        }
        all.push(repo);
    }
    unreachable!("a command has an end")
}

#[test]
fn a_killed_commit_leaves_the_old_baseline_or_the_new_one() {
    let template = staged();
    let (old, new) = (what_counts(&template), committed(&template));
    let (mut back, mut forward) = (0, 0);
    let all = killed(&template);
    for (n, repo) in all.iter().enumerate() {
        let at = format!("killed at {}", n + 1);
        let now = recovered(repo, &at);
        one_or_the_other(&now, &old, &new, &at);
        if now == old {
            back += 1;
        } else {
            forward += 1;
        }
        assert_eq!(recovered(repo, &at), now, "{at}: a second look changes nothing");
        can_be_committed(repo, &new, &at);
    }
    assert!(back > 5 && forward > 5, "{back} went back, {forward} forward");
}

#[test]
fn a_killed_commit_without_its_final_contents_goes_back() {
    let template = staged();
    let (old, new) = (what_counts(&template), committed(&template));
    for (n, repo) in killed(&template).iter().enumerate() {
        let at = format!("killed at {}", n + 1);
        let resolved = format!("{RUNS}/{RUN}/resolved");
        if repo.exists(&resolved) {
            repo.remove(&resolved);
        }
        // Events are only ever added: that of a commit which went back stays, and is not told twice.
        let mut now = recovered(repo, &at);
        if now[3] == new[3] && now[2] == old[2] {
            now[3].clone_from(&old[3]);
        }
        one_or_the_other(&now, &old, &new, &at);
        can_be_committed(repo, &new, &at);
    }
}

#[test]
fn a_recovery_that_dies_or_fails_is_recovered_from() {
    let template = staged();
    let (old, new) = (what_counts(&template), committed(&template));
    for (step, left) in killed(&template).iter().enumerate() {
        for kind in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
            for n in 1.. {
                let at = format!("killed at {}, then {kind} at {n}", step + 1);
                let repo = copy(left);
                let out = run(&repo, &STATUS, Some((kind, n)));
                if out.status.success() {
                    break;
                }
                let now = recovered(&repo, &at);
                one_or_the_other(&now, &old, &new, &at);
            }
        }
    }
}

#[test]
fn a_commit_that_fails_is_taken_back() {
    let template = staged();
    let (old, new) = (what_counts(&template), committed(&template));
    for n in 1.. {
        let at = format!("failing at {n}");
        let repo = copy(&template);
        let out = run(&repo, &COMMIT, Some(("GIT_SPEC_FAIL_AT", n)));
        if out.status.success() {
            assert!(n > 20, "{at}: {}", said(&out));
            return;
        }
        assert!(
            said(&out).contains("a fault was injected here"),
            "{at}: {}",
            said(&out)
        );
        assert_eq!(what_counts(&repo), old, "{at}");
        nothing_is_left(&repo, &at);
        can_be_committed(&repo, &new, &at);
    }
}

#[test]
fn a_commit_that_fails_and_dies_while_it_goes_back_is_recovered_from() {
    let template = staged();
    let (old, new) = (what_counts(&template), committed(&template));
    let fails = 20;
    for dies in fails + 1.. {
        let at = format!("failing at {fails}, killed at {dies}");
        let repo = copy(&template);
        let mut command = repo.program();
        command
            .args(COMMIT)
            .env("GIT_SPEC_FAIL_AT", fails.to_string())
            .env("GIT_SPEC_ABORT_AT", dies.to_string());
        let out = command.output().expect("it starts");
        if out.status.code().is_some() {
            assert!(dies > fails + 1, "{at}: {}", said(&out));
            return;
        }
        one_or_the_other(&recovered(&repo, &at), &old, &new, &at);
        can_be_committed(&repo, &new, &at);
    }
}

#[test]
fn a_killed_begin_issues_a_run_or_none() {
    let template = adopted(Repo::in_memory());
    assert!(run(&template, &BEGIN, None).status.success());
    for n in 1.. {
        let at = format!("killed at {n}");
        let repo = copy(&template);
        let died = run(&repo, &BEGIN, Some(("GIT_SPEC_ABORT_AT", n)));
        let out = run(&repo, &BEGIN, None);
        assert!(out.status.success(), "{at}: {}", said(&out));
        nothing_is_left(&repo, &at);
        let ledger = repo.read(&format!("{RUNS}/.issued-runs-core.json"));
        let records: Vec<String> = (1..=3)
            .map(|number| format!("{RUNS}/seed-core-000{number}/run.json"))
            .filter(|path| repo.exists(path))
            .map(|path| repo.read(&path))
            .collect();
        let open = records
            .iter()
            .filter(|record| record.contains("\"status\": \"open\""))
            .count();
        assert_eq!(
            (open, ledger.matches("seed-core-").count()),
            (1, records.len()),
            "{at}"
        );
        if died.status.success() {
            assert!(n > 5, "{at}");
            return;
        }
    }
}

#[test]
fn a_killed_commit_of_a_part_changes_the_state_or_nothing() {
    let template = staged();
    template.remove(&format!("{RUNS}/{RUN}/staging/{}", super::seed::MAP));
    let old = template.read(REGISTRY);
    let new = old.replace("required", "partial");
    for n in 1.. {
        let at = format!("killed at {n}");
        let repo = copy(&template);
        let out = run(&repo, &COMMIT, Some(("GIT_SPEC_ABORT_AT", n)));
        let now = repo.read(REGISTRY);
        assert!(now == old || now == new, "{at}: {now}");
        if out.status.success() {
            assert_eq!((repo.read(REGISTRY), n > 3), (new, true), "{at}");
            return;
        }
    }
}
