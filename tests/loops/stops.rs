//! A session that cannot stop does not hang.

use super::Loop;

const AGAIN: &str = r#"{"stop_hook_active": true}"#;

#[test]
fn after_three_refusals_with_nothing_changed_the_loop_is_paused() {
    let found = Loop::new("auto");
    for payload in ["{}", AGAIN, AGAIN] {
        assert_eq!(found.guard("stop", payload).as_deref(), Some("G3_L1"));
    }
    assert_eq!(found.guard("stop", AGAIN), None);
    let shown = found.run(&["show"]).exits(0).json();
    assert_eq!(shown["gate"]["termination"]["status"], "paused");
    assert_eq!(shown["gate"]["termination"]["exit_reason"], "stop_blocked");
    assert!(found.journal().contains(r#""actor":"program","op":"pause""#));
    assert_eq!(
        found.guard("stop", AGAIN),
        None,
        "it does not hang afterwards either"
    );
    found.run(&["transition", "--resume"]).exits(0);
    assert_eq!(
        found.guard("stop", AGAIN).as_deref(),
        Some("G3_L1"),
        "it runs again"
    );
}

#[test]
fn a_state_that_changes_is_no_standstill() {
    let found = Loop::new("auto");
    for round in 0..4 {
        found.edit(|state| state["housekeeping"]["invocation_count"] = round.into());
        for payload in ["{}", AGAIN] {
            assert_eq!(found.guard("stop", payload).as_deref(), Some("G3_L1"));
        }
    }
}

#[test]
fn without_the_hooks_word_that_it_goes_in_circles_it_is_refused_forever() {
    let found = Loop::new("auto");
    for _ in 0..6 {
        assert_eq!(found.guard("stop", "{}").as_deref(), Some("G3_L1"));
    }
}

#[test]
fn a_loop_without_a_store_does_not_hang_either() {
    let found = Loop::new("auto");
    let alone = crate::common::Repo::without_git();
    for name in [crate::STATE, crate::COPY] {
        alone.write(name, found.repo.read(name));
    }
    let stop = |payload: &str| alone.spec_reading(payload, ["loop", "guard", "stop"]).code;
    for payload in ["{}", AGAIN, AGAIN] {
        assert_eq!(stop(payload), 2);
    }
    assert_eq!(stop(AGAIN), 0);
    assert!(
        alone.read(crate::COPY).contains("stop_blocked"),
        "{}",
        alone.read(crate::COPY)
    );
    assert_eq!(stop(AGAIN), 0);
}
