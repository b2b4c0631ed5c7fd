//! U08: a verb writes what it names. Front matter and body disagree, and stay as they are.

mod table;

use super::common::{Out, Repo, out};
use super::{ARCHIVE, LOCK, NOW, STATE, TODAY, data, project, state};
use table::{Again, DOCUMENT, VERBS, Verb};

const LATER: &str = "2026-01-02T08:00:00Z";
const LATER_STAMP: &str = "2026-01-02T08:00:00.000Z";

/// The document after a verb at [`NOW`].
#[track_caller]
fn expected(verb: &Verb) -> String {
    let mut text = DOCUMENT.to_owned();
    for (old, new) in verb.changes {
        // The front matter and the log have lines of the same words.
        assert!(text.contains(old), "{old}");
        let at = match text.find(&format!("\n{old}")) {
            Some(at) => at + 1,
            None => text.find(old).expect("there"),
        };
        text.replace_range(at..at + old.len(), new);
    }
    if !verb.changes.is_empty() {
        text = text.replacen(
            "last_updated: \"2025-12-20T10:00:00.000Z\"",
            &format!("last_updated: \"{NOW}\""),
            1,
        );
    }
    text
}

fn later(repo: &Repo, args: &[&str]) -> Out {
    let mut command = repo.program();
    command.arg("state").args(args).env("GIT_SPEC_NOW", LATER);
    out(&mut command, b"")
}

#[test]
fn u08_a_verb_writes_what_it_names() {
    for verb in VERBS {
        let repo = project(DOCUMENT);
        let answer = data(state(&repo, verb.args));
        assert_eq!(repo.read(STATE), expected(verb), "{:?}", verb.args);
        if let Some(updated) = verb.updated {
            assert_eq!(answer["updated"], serde_json::json!(updated), "{:?}", verb.args);
        }
        assert!(!repo.exists(LOCK));
    }
}

#[test]
fn u08_a_disagreement_is_told_to_people_and_left_alone() {
    for verb in VERBS {
        let repo = project(DOCUMENT);
        let told = repo.spec([&["state"], verb.args].concat()).exits(0).stderr;
        let warnings: Vec<&str> = told
            .lines()
            .filter(|line| line.contains("front matter"))
            .collect();
        assert_eq!(warnings.len(), verb.told.len(), "{:?}: {told}", verb.args);
        for (warning, part) in warnings.iter().zip(verb.told) {
            let begin = format!("warning: {part}");
            assert!(warning.starts_with(&begin), "{:?}: {warning}", verb.args);
        }
        assert_eq!(repo.read(STATE), expected(verb), "{:?}", verb.args);
    }
}

#[test]
fn u08_twice_changes_only_the_time() {
    for verb in VERBS {
        let repo = project(DOCUMENT);
        state(&repo, verb.args).exits(0);
        let once = repo.read(STATE);
        later(&repo, verb.args).exits(0);
        let twice = repo.read(STATE);
        match verb.again {
            Again::Nothing => assert_eq!(twice, once, "{:?}", verb.args),
            Again::Times => {
                assert_eq!(once.matches(NOW).count(), 2, "{:?}", verb.args);
                assert_eq!(twice, once.replace(NOW, LATER_STAMP), "{:?}", verb.args);
            }
            Again::More => assert_ne!(twice, once, "{:?}", verb.args),
        }
    }
}

#[test]
fn u08_in_a_repository_the_commit_is_stamped_beside_it() {
    let repo = Repo::new();
    super::lay(&repo, "", DOCUMENT);
    let head = repo.commit("Lay the keel");
    let verb = &VERBS[1];
    data(state(&repo, verb.args));
    let stamped = expected(verb).replacen(
        "last_activity: 2025-12-20\n",
        &format!("last_activity: 2025-12-20\nstate_head: {head}\n"),
        1,
    );
    assert_eq!(repo.read(STATE), stamped);
}

#[test]
fn what_prune_takes_out_is_in_the_archive() {
    let repo = project(DOCUMENT);
    data(state(&repo, &["prune", "--keep-recent", "1"]));
    assert_eq!(
        repo.read(ARCHIVE),
        format!(
            "# STATE Archive\n\nEntries pruned from STATE.md.\n\n## Pruned {TODAY} (phases 1-1, kept recent 1)\n\n### Decisions\n\n- [Phase 1]: Oak keel\n"
        )
    );
}

#[test]
fn a_milestone_switch_keeps_nothing_of_the_front_matter_and_all_of_the_body_but_its_position() {
    let repo = project(DOCUMENT);
    data(state(
        &repo,
        &["milestone-switch", "--milestone", "v2.0", "--name", "Ocean"],
    ));
    let (_, body) = DOCUMENT.split_once("\n---\n\n").expect("front matter");
    let start = body.find("Phase: 2 of 3").expect("there");
    let end = body.find("## Performance").expect("there");
    let position = format!(
        "Phase: Not started (defining requirements)\nPlan: —\nStatus: Defining requirements\nLast activity: {TODAY} — Milestone v2.0 started\n\n"
    );
    let front = format!(
        "---\nmsd_state_version: 1.0\nmilestone: v2.0\nmilestone_name: Ocean\nstatus: planning\nlast_updated: \"{NOW}\"\nlast_activity: {TODAY}\nprogress:\n  total_phases: 0\n  completed_phases: 0\n  total_plans: 0\n  completed_plans: 0\n  percent: 0\n---\n\n"
    );
    assert_eq!(
        repo.read(STATE),
        format!("{front}{}{position}{}", &body[..start], &body[end..])
    );
}
