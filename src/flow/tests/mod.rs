//! Overlays from text to the flow that counts, or to the place that is refused.

mod later;
mod refusals;

use super::*;
use crate::files::MemoryTree;
use crate::voice::{Fail, Language, Say, Voice};

fn load(lifecycle: Lifecycle, overlay: &str) -> Result<ResolvedFlow, Error> {
    let path = lifecycle.overlay_path();
    ResolvedFlow::load(&MemoryTree::new([(path.text(), overlay)]), lifecycle)
}

fn launched(operations: &str) -> ResolvedFlow {
    load(Lifecycle::Launched, &format!("overlay:\n{operations}")).expect(operations)
}

/// The place and the start of what is said in English; both languages say something.
fn refused(lifecycle: Lifecycle, overlay: &str) -> String {
    let start: String = overlay.chars().take(200).collect();
    let error = load(lifecycle, overlay).expect_err(&start);
    assert_eq!(error.code(), "FLOW_SCHEMA_INVALID");
    let chinese = Voice {
        language: Language::Chinese,
        ..Voice::default()
    };
    assert!(error.say(&chinese).starts_with("logos/flow/"));
    error.say(&Voice::default())
}

/// Refused, with this place behind the path of the file.
#[track_caller]
fn refused_at(overlay: &str, place: &str) {
    let said = refused(Lifecycle::Launched, overlay);
    let expected = format!("logos/flow/launched.yaml{place}");
    assert!(said.starts_with(&expected), "{overlay}\n{said}");
}

fn ids(flow: &ResolvedFlow, subflow: &str) -> Vec<String> {
    let nodes = flow.subflow(subflow).expect(subflow).nodes();
    nodes.iter().map(|node| node.id().to_owned()).collect()
}

#[test]
fn without_a_file_the_built_in_flow_counts() {
    let tree = MemoryTree::new([("logos/flow/initial.yaml", "overlay: []")]);
    let flow = ResolvedFlow::load(&tree, Lifecycle::Launched).expect("built in");
    assert!(!flow.overlay_applied && flow.warnings.is_empty());
    let (subflow, code) = flow.node("code").expect("it is there");
    assert_eq!(subflow.id(), "implement");
    assert_eq!(
        (code.dispatch().timeout_seconds, code.dispatch().idempotent),
        (3600, true)
    );
    let expected = Loop {
        until: Until::CodeSlicesGreen,
        max_iters: 30,
        exhausted_skippable: None,
    };
    assert_eq!(subflow.loop_(), Some(expected));
    assert_eq!(
        flow.nodes().position(|(_, node)| node.id() == "archive"),
        Some(10)
    );
}

#[test]
fn an_unreadable_file_is_refused() {
    let tree = MemoryTree::new([("logos/flow/launched.yaml/x", "")]);
    let error = ResolvedFlow::load(&OnDisk(tree), Lifecycle::Launched).expect_err("a folder");
    assert_eq!(error.code(), "FLOW_SCHEMA_INVALID");
    assert!(
        error
            .to_string()
            .starts_with("logos/flow/launched.yaml: the file cannot be read")
    );
}

/// A tree in which a folder cannot be read as a file, as on a disk.
struct OnDisk(MemoryTree);

impl Tree for OnDisk {
    fn entry(&self, path: &RepoPath) -> Result<Option<crate::files::Entry>, crate::files::ReadError> {
        self.0.entry(path)
    }

    fn list(
        &self,
        dir: &RepoPath,
    ) -> Result<Vec<(crate::files::Name, crate::files::Entry)>, crate::files::ReadError> {
        self.0.list(dir)
    }

    fn resolve(&self, path: &RepoPath) -> Result<crate::files::Resolved, crate::files::ReadError> {
        self.0.resolve(path)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<crate::text::Bytes>, crate::files::ReadError> {
        let source = std::io::Error::from(std::io::ErrorKind::IsADirectory);
        Err(crate::files::ReadError::new(path, source))
    }

    fn link_target(&self, path: &RepoPath) -> Result<crate::text::Bytes, crate::files::ReadError> {
        self.0.link_target(path)
    }
}

#[test]
fn a_node_stays_added_when_it_is_modified_and_moved() {
    let flow = launched(
        "- {op: add, after: code, node: {id: weigh, name: W}}\n- {op: modify, target: weigh, set: {skill: s}}\n\
         - {op: reorder, target: weigh, before: plan-slices}\n",
    );
    let (subflow, node) = flow.node("weigh").expect("added");
    assert_eq!((subflow.id(), node.skill()), ("slice", Some("s")));
    assert_eq!(node.added(), Some(&Anchor::After("code".to_owned())));
    assert_eq!(node.overlay_op(), Some(OverlayOp::Reorder));
    assert_eq!(ids(&flow, "slice"), ["weigh", "plan-slices"]);
    assert_eq!(ids(&flow, "implement"), ["code", "verify"]);
}

#[test]
fn operations_work_on_the_running_result() {
    let flow = launched(
        "- {op: add, before: deploy, node: {id: a, name: A}}\n- {op: add, after: a, node: {id: b, name: B}}\n\
         - {op: reorder, target: smoke, before: a}\n- {op: reorder, target: b, after: smoke}\n",
    );
    assert_eq!(ids(&flow, "deliver"), ["smoke", "b", "a", "deploy"]);
    refused_at(
        "overlay:\n- {op: modify, target: a, set: {}}\n- {op: add, after: code, node: {id: a, name: A}}\n",
        ":2: operation 1, `target`: ",
    );
}

#[test]
fn what_was_skipped_stays_so_and_cannot_be_written() {
    let flow = launched(
        "- {op: skip, target: smoke}\n- {op: modify, target: smoke, set: {skipped: false, overlay_op: add}}\n\
         - {op: modify, target: code, set: {skipped: true}}\n",
    );
    let node = |id| flow.node(id).expect(id).1;
    assert!(node("smoke").skipped() && !node("code").skipped());
    assert_eq!(node("smoke").overlay_op(), Some(OverlayOp::Modify));
    assert!(node("smoke").added().is_none());
}

#[test]
fn dispatch_is_that_of_the_node_then_the_overlay_then_the_flow_then_ours() {
    let flow = launched("- {op: modify, target: code, set: {dispatch: {timeout_seconds: null}}}\n");
    let node = flow.node("code").expect("code").1;
    assert_eq!(node.dispatch().timeout_seconds, 900);
    assert!(node.dispatch().idempotent);
    let overlay = "defaults: {dispatch: {timeout_seconds: 7, color: red}, size: 1}\n";
    let flow = load(Lifecycle::Launched, overlay).expect("fine");
    let seconds = |id: &str| flow.node(id).expect(id).1.dispatch().timeout_seconds;
    assert_eq!((seconds("verify"), seconds("code")), (7, 3600));
    let keys: Vec<&str> = flow.top().iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["version", "flow", "defaults"]);
    for nothing in ["defaults: null", "defaults: {dispatch: null}", "defaults: {}"] {
        let flow = load(Lifecycle::Launched, nothing).expect(nothing);
        assert_eq!(
            flow.node("verify").expect("verify").1.dispatch().timeout_seconds,
            900
        );
    }
    let flow =
        load(Lifecycle::Launched, "defaults: {dispatch: {timeout_seconds: ~}}").expect("null is absent");
    assert_eq!(
        flow.node("verify").expect("verify").1.dispatch().timeout_seconds,
        900
    );
}

#[test]
fn numbers_are_whole_by_their_value() {
    let seconds = |text: &str| {
        let flow = launched(&format!(
            "- {{op: modify, target: code, set: {{cmd_timeout_seconds: {text}}}}}\n"
        ));
        flow.node("code").expect("code").1.cmd_timeout_seconds()
    };
    assert_eq!(seconds("1.0"), Some(1));
    assert_eq!(seconds("0x10"), Some(16));
    assert_eq!(seconds("1e30"), Some(u64::MAX));
    assert_eq!(seconds("~"), None);
    for bad in ["0", "-1", "1.5", ".inf", ".nan", "'9'", "true", "[]", "{}"] {
        refused_at(
            &format!("overlay:\n- op: modify\n  target: code\n  set:\n    cmd_timeout_seconds: {bad}\n"),
            ":5: node `code`, `cmd_timeout_seconds`: must be a whole number from 1 on",
        );
    }
}

#[test]
fn extends_is_trimmed_for_reading_and_kept_as_written() {
    let text = "extends: ' builtin:launched@v3\t'\n";
    let flow = load(Lifecycle::Launched, text).expect("fine");
    assert_eq!(flow.extends.as_deref(), Some(" builtin:launched@v3\t"));
    assert!(flow.warnings.is_empty());
    for (version, warned) in [("@v1", true), ("@v3.0", true), ("", false), ("@v3", false)] {
        let text = format!("extends: builtin:launched{version}\n");
        let flow = load(Lifecycle::Launched, &text).expect(version);
        assert_eq!(flow.warnings.len(), usize::from(warned), "{version}");
    }
    for bad in [
        "builtin:launched@",
        "builtin:launched@3",
        "builtin:launched@v",
        "builtin:launched@v3 x",
        "builtin:",
        "launched",
        "Builtin:launched",
        "builtin:launched@v3@v3",
        "builtin:läunched",
        "",
    ] {
        refused_at(&format!("\nextends: \"{bad}\"\n"), ":2: `extends`: ");
    }
    refused_at("extends: builtin:initial", ":1: `extends`: it extends `initial`");
}

#[test]
fn a_flow_of_its_own_is_refused_with_the_cure() {
    refused_at(
        "flow: launched\nsubflows: []\n",
        ":2: `subflows`: a project cannot bring a flow of its own",
    );
    let flow = load(Lifecycle::Launched, "extends: builtin:launched\nsubflows: 7\n");
    assert!(flow.is_ok(), "other keys are not looked at");
}

#[test]
fn an_absent_value_is_the_same_as_null_but_in_the_gate_of_a_loop() {
    let flow = launched(
        "- {op: modify, target: code, set: {dispatch: ~, requires_reviewed: ~, coverage_threshold: ~}}\n\
         - {op: set-loop, subflow: implement, set: {max_iters: ~, until: ~}}\n",
    );
    let (subflow, node) = flow.node("code").expect("code");
    assert_eq!(node.dispatch().timeout_seconds, 3600);
    assert_eq!(
        (node.requires_reviewed(), node.coverage_threshold()),
        (None, None)
    );
    let l = subflow.loop_().expect("written");
    assert_eq!((l.max_iters, l.until), (1, Until::TestsGreen));
}

#[test]
fn a_threshold_needs_all_three_of_what_it_counts() {
    let overlay = |set: &str| {
        format!("overlay:\n- {{op: modify, target: test-cases, set: {{coverage_threshold: 0.5, {set}}}}}\n")
    };
    let flow = load(Lifecycle::Initial, &overlay("skill: x")).expect("it counts");
    assert_eq!(
        flow.node("test-cases").expect("it").1.coverage_threshold(),
        Some(0.5)
    );
    for missing in [
        "done_when: dir_nonempty",
        "done_when: ~",
        "for_each: ~",
        "produces: ' '",
        "produces: 7",
    ] {
        let said = refused(Lifecycle::Initial, &overlay(missing));
        assert!(
            said.contains(":2: node `test-cases`, `coverage_threshold`: a threshold needs"),
            "{said}"
        );
    }
}

#[test]
fn commands_stand_on_gates_of_the_launched_flow_only() {
    let modify =
        |target: &str, set: &str| format!("overlay:\n- {{op: modify, target: {target}, set: {{{set}}}}}\n");
    let one_round = "- {op: set-loop, subflow: implement, set: {max_iters: 1}}\n";
    for (target, key) in [
        ("verify", "done_when"),
        ("verify", "fail_when"),
        ("smoke", "done_when"),
        ("smoke", "fail_when"),
        ("deploy", "done_when"),
    ] {
        let overlay = modify(target, &format!("{key}: 'cmd: x '")) + one_round;
        let flow = load(Lifecycle::Launched, &overlay).expect(&overlay);
        let commands = flow.commands();
        assert_eq!(
            (commands[0].0.id(), commands[0].1.key, commands[0].1.text.as_str()),
            (target, key, "x")
        );
        assert!(refused(Lifecycle::Initial, &overlay).contains("initial flow"));
    }
    let refuse =
        |target, set, what| refused_at(&modify(target, set), &format!(":2: node `{target}`, {what}"));
    refuse(
        "deploy",
        "fail_when: 'cmd:x'",
        "`fail_when`: no command may stand here",
    );
    refuse(
        "archive",
        "done_when: 'cmd:x'",
        "`done_when`: no command may stand here",
    );
    refuse(
        "smoke",
        "done_when: \"cmd: \\t\"",
        "`done_when`: the command is empty",
    );
    refuse(
        "smoke",
        "done_when: 'cmd:a', fail_when: 'cmd:b'",
        "`fail_when`: `done_when` and `fail_when`",
    );
    refuse(
        "verify",
        "fail_when: 'cmd:x'",
        "`fail_when`: a command on `verify` and the loop",
    );
    let twice =
        modify("smoke", "done_when: 'cmd:a'") + "- {op: modify, target: smoke, set: {fail_when: 'cmd:b'}}\n";
    refused_at(&twice, ":3: node `smoke`, `fail_when`: ");
}
