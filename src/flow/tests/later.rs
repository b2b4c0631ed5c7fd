//! What a status says against a flow that `flow show` shows (flow.md 4, D1 to D9).

use super::*;
use crate::project::Config;

/// What a status says against a flow that `flow show` shows.
fn later(lifecycle: Lifecycle, overlay: &str, has_change: bool) -> Option<String> {
    let flow = load(lifecycle, overlay).expect(overlay);
    let error = flow.check_for_status(&Config::default(), has_change).err()?;
    assert_eq!(error.code(), "FLOW_SCHEMA_INVALID");
    Some(error.say(&Voice::default()))
}

#[track_caller]
fn refused_later(lifecycle: Lifecycle, overlay: &str, place: &str) {
    let said = later(lifecycle, overlay, true).unwrap_or_default();
    let expected = format!("logos/flow/{}.yaml{place}", lifecycle.as_str());
    assert!(said.starts_with(&expected), "{overlay}\n{said}");
}

#[test]
fn nodes_of_the_launched_flow_are_neither_skipped_nor_moved() {
    for operation in [
        "{op: skip, target: smoke}",
        "{op: reorder, target: smoke, before: deploy}",
    ] {
        let overlay = format!("overlay:\n- {operation}\n- {{op: modify, target: smoke, set: {{}}}}\n");
        refused_later(
            Lifecycle::Launched,
            &overlay,
            ":2: node `smoke`: nodes of the launched flow cannot",
        );
        assert_eq!(
            later(Lifecycle::Initial, &format!("overlay:\n- {operation}\n"), true),
            None
        );
    }
}

#[test]
fn an_added_node_needs_a_predicate_that_can_be_judged() {
    let add = |keys: &str| format!("overlay:\n- op: add\n  after: code\n  node: {{id: x, name: X{keys}}}\n");
    for (keys, place) in [
        ("", ":2: node `x`, `done_when`: must be text; it is missing"),
        (", done_when: 7", ":4: node `x`, `done_when`: must be text"),
        (
            ", done_when: archived, fail_when: [a]",
            ":4: node `x`, `fail_when`: must be text",
        ),
        (
            ", done_when: proposal_filled",
            ":4: node `x`, `done_when`: `proposal_filled` is no predicate",
        ),
        (
            ", done_when: archived, fail_when: x",
            ":4: node `x`, `fail_when`: `x` is no predicate",
        ),
        (
            ", done_when: 'cmd: '",
            ":4: node `x`, `done_when`: the command is empty",
        ),
        (
            ", done_when: 'cmd:a', fail_when: 'cmd:b'",
            ":4: node `x`, `fail_when`: ",
        ),
        (
            ", done_when: dir_nonempty",
            ":4: node `x`, `done_when`: this predicate needs `produces`",
        ),
        (
            ", done_when: all_present, produces: a",
            ":4: node `x`, `done_when`: this predicate needs `for_each`",
        ),
        (
            ", done_when: all_present, for_each: a",
            ":4: node `x`, `done_when`: this predicate needs `produces`",
        ),
    ] {
        refused_later(Lifecycle::Launched, &add(keys), place);
        refused_later(
            Lifecycle::Initial,
            &add(keys).replace("archived", "dir_nonempty, produces: a"),
            place,
        );
    }
    for (predicate, of_a_change) in [
        ("'marker:X'", true),
        ("'any_present:[X]'", true),
        ("'section_complete:code'", true),
        ("proposal_package_filled", true),
        ("archived", true),
        ("'file:x'", false),
        ("'cmd:x'", false),
    ] {
        let overlay = add(&format!(", done_when: {predicate}, fail_when: ~"));
        assert_eq!(later(Lifecycle::Launched, &overlay, true), None, "{predicate}");
        let initial = later(Lifecycle::Initial, &overlay, false);
        assert_eq!(initial.is_some(), of_a_change, "{predicate} {initial:?}");
    }
    let modified = add("") + "- {op: modify, target: x, set: {skill: s}}\n";
    refused_later(Lifecycle::Launched, &modified, ":2: node `x`, `done_when`: ");
}

#[test]
fn steps_of_an_active_change_need_markers() {
    let modify =
        |target: &str, set: &str| format!("overlay:\n- {{op: modify, target: {target}, set: {{{set}}}}}\n");
    for (target, set, key) in [
        ("verify", "done_when: archived", "done_when"),
        ("verify", "fail_when: ~", "fail_when"),
        ("deploy", "done_when: 'file:x'", "done_when"),
        ("smoke", "fail_when: 7", "fail_when"),
        ("apply-merge", "done_when: 'marker:X'", "done_when"),
        ("generate-merge-prompt", "done_when: x", "done_when"),
    ] {
        let overlay = modify(target, set);
        let place = format!(":2: node `{target}`, `{key}`: the step of a change is derived from this");
        refused_later(Lifecycle::Launched, &overlay, &place);
        assert_eq!(later(Lifecycle::Launched, &overlay, false), None, "{overlay}");
    }
    let fine = modify("deploy", "fail_when: x, done_when: 'cmd:y'");
    assert_eq!(later(Lifecycle::Launched, &fine, true), None);
}

#[test]
fn the_time_limit_of_the_project_is_checked_where_there_is_an_overlay() {
    let config = |value: &str| {
        let text = format!(r#"{{"flow": {{"cmd_timeout_seconds": {value}}}}}"#);
        let tree = MemoryTree::new([(layout::CONFIG, text)]);
        Config::load(&tree).expect("readable").expect("sound")
    };
    let flow = launched("- {op: modify, target: code, set: {cmd_timeout_seconds: 5}}\n");
    let node = |id| flow.node(id).expect(id).1;
    for (value, seconds) in [("9", 9), ("9.0", 9), ("null", 60)] {
        flow.check_for_status(&config(value), true).expect(value);
        assert_eq!(command_seconds(node("verify"), &config(value)), seconds);
        assert_eq!(command_seconds(node("code"), &config(value)), 5);
    }
    for value in ["0", "1.5", "\"9\"", "true", "[]", "{}"] {
        let error = flow.check_for_status(&config(value), false).expect_err(value);
        let said = error.say(&Voice::default());
        assert!(
            said.starts_with("logos/logos.config.json: `flow.cmd_timeout_seconds`: must be"),
            "{said}"
        );
        let builtin = ResolvedFlow::builtin(Lifecycle::Launched);
        builtin
            .check_for_status(&config(value), true)
            .expect("no overlay");
    }
}
