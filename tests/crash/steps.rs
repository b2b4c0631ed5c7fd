//! Every command that writes, at every one of its steps.

use super::common::{Repo, Snapshot, Tolls};
use super::{
    SLUG, completed_by_another_run, copy, lint_only_reads, no_litter, rich_change, run, said, without_git,
};

/// Kills and fails a command at each of its steps. `again` are the codes with which it refuses to do its work twice.
pub(super) fn at_every_step(template: &Repo, args: &[&str], again: &[&str]) {
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

#[test]
fn a_gate_is_passed_whole_whenever_the_driver_dies() {
    let next = ["next", "--auto", "--format", "json"];
    let proposal = "## Reason\nx\n## Change Type\nx\n## Scope\nx\n## Summary\nx\n## Reused test IDs\n- UT-S01-01 — stays\n";
    let plan = "# Tasks\n\n## [delta] Spec\n- [ ] write deltas/prd/x.md\n";
    let slices = "# Tasks\n\n## [code] Code\n- [ ] change the price\n";
    for (tasks, markers) in [(plan, [].as_slice()), (slices, ["SPEC_MERGED"].as_slice())] {
        let tolls = Tolls::new();
        let folder = format!("logos/changes/{SLUG}");
        tolls
            .write(&format!("{folder}/proposal.md"), proposal)
            .write(&format!("{folder}/tasks.md"), tasks)
            .write(
                "logos/.openlogos-guard",
                format!("{{\"activeChange\":\"{SLUG}\",\"module\":\"core\"}}\n"),
            );
        for marker in markers {
            tolls.write(&format!("{folder}/{marker}"), "");
        }
        tolls.commit("A change at its gate");
        let template = copy(&tolls);
        for template in [&template, &without_git(&template)] {
            at_every_step(template, &next, &[]);
        }
    }
}
/// A project of adopted code in which a sync has something of every kind to do.
fn out_of_date(repo: Repo) -> Repo {
    repo.write(
        "logos/logos.config.json",
        "{\"name\":\"tolls\",\"lifecycle\":\"active\"}\n",
    )
    .write(
        "logos/logos-project.yaml",
        "project:\n  name: \"old\" # x\nmodules:\n  - id: core\n    name: Core\n    bootstrap: adopted\n    product_type: web\n\
         scenarios:\n  - id: S01\n",
    )
    .write("logos/resources/api/core.yaml", "{}\n")
    .write("logos/resources/verify/.gitkeep", "");
    repo
}

#[test]
fn sync_is_made_whole_whenever_it_dies() {
    let born = out_of_date(Repo::new());
    born.commit("Begin");
    for template in [born, out_of_date(Repo::without_git())] {
        at_every_step(&template, &["sync"], &[]);
    }
}

#[test]
fn feature_backfill_is_made_whole_whenever_it_dies() {
    at_every_step(&out_of_date(Repo::without_git()), &["feature-backfill"], &[]);
}
