//! Overlays from text to the flow that counts, or to the place that is refused.

use super::*;
use crate::files::MemoryTree;
use crate::voice::Say;

fn load(lifecycle: Lifecycle, overlay: &str) -> Result<ResolvedFlow, Error> {
    let path = lifecycle.overlay_path();
    ResolvedFlow::load(&MemoryTree::new([(path.text(), overlay)]), lifecycle)
}

fn launched(operations: &str) -> ResolvedFlow {
    load(Lifecycle::Launched, &format!("overlay:\n{operations}")).expect(operations)
}

#[allow(dead_code)]
/// What is said in English.
fn refused(lifecycle: Lifecycle, overlay: &str) -> String {
    let error = load(lifecycle, overlay).expect_err(overlay);
    error.say(&crate::voice::Voice::default())
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
    let loop_ = subflow.loop_().expect("it is repeated");
    assert_eq!(
        (loop_.until, loop_.max_iters, loop_.exhausted_skippable),
        (Until::CodeSlicesGreen, 30, None)
    );
    assert_eq!(
        flow.nodes().position(|(_, node)| node.id() == "archive"),
        Some(10)
    );
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
}
