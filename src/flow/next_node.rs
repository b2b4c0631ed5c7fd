//! The node that a module's work goes on with (flow.md 15.3).

use super::ground::Ground;
use super::loops::LoopState;
use super::status::ModuleStatus;
use super::step::{Gate, Step};
use super::{Dispatch, Node, ResolvedFlow, Subflow, Until};
use crate::change::Item;

/// A node as it is handed to a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextNode {
    pub id: String,
    pub name: String,
    pub subflow_id: String,
    pub skill: Option<String>,
    pub working_agent: Option<String>,
    pub review_agent: Option<String>,
    pub pre_script: Option<String>,
    pub post_script: Option<String>,
    pub dispatch: Dispatch,
    /// What must have been reviewed before; none of none.
    pub requires_reviewed: Option<Vec<String>>,
    /// A gate stands behind it.
    pub gate: Option<Gate>,
    /// The slice in hand, and its boxes.
    pub slice: Option<(String, Vec<Item>)>,
}

/// The next node of a module, if nothing else is to be done first.
pub(super) fn of(ground: &Ground<'_>, lane: &ModuleStatus) -> Option<NextNode> {
    let flow = if lane.launched {
        ground.launched.as_ref()?
    } else {
        &ground.initial
    };
    let added = lane.current_added().map(|node| node.id.as_str());
    let id = match lane.blocking_loop() {
        Some(state) if state.escalated && !lane.is_recoverable() => return None,
        Some(_) => added.unwrap_or("code"),
        None => match (added, lane.step(), &lane.phases) {
            (Some(added), ..) => added,
            (None, Some(step), _) => step.due_node(),
            (None, None, Some(phases)) => phases.current?.node(),
            (None, None, None) => return None,
        },
    };
    let (subflow, node) = find(flow, id)?;
    Some(handed_out(lane, subflow, node))
}

fn find<'f>(flow: &'f ResolvedFlow, id: &str) -> Option<(&'f Subflow, &'f Node)> {
    flow.node(id).filter(|(_, node)| !node.skipped())
}

fn handed_out(lane: &ModuleStatus, subflow: &Subflow, node: &Node) -> NextNode {
    let own = |text: Option<&str>| text.map(str::to_owned);
    let change = lane.change.as_ref();
    let reviewed = node.requires_reviewed().map(|wanted| {
        let no_deltas = change.is_some_and(|change| !change.facts.has_delta_tasks);
        let needed = wanted.iter().filter(|what| !(no_deltas && *what == "delta"));
        needed.cloned().collect::<Vec<_>>()
    });
    let at_slices = change.is_some_and(|change| {
        change.step == Step::ReadyToImplement && change.facts.slices_planned && !change.facts.slices_approved
    });
    let open_loop = |state: &LoopState| state.until == Until::CodeSlicesGreen.as_str() && !state.converged;
    let current = lane.slices.as_ref().and_then(|slices| slices.current.as_ref());
    let slice = current
        .filter(|_| node.id() == "code" && lane.loop_state.as_ref().is_some_and(open_loop))
        .map(|slice| (slice.item.text.clone(), slice.children.clone()));
    NextNode {
        id: node.id().to_owned(),
        name: node.name().to_owned(),
        subflow_id: subflow.id().to_owned(),
        skill: own(node.skill()),
        working_agent: own(node.working_agent()),
        review_agent: own(node.review_agent()),
        pre_script: own(node.pre_script()),
        post_script: own(node.post_script()),
        dispatch: node.dispatch().clone(),
        requires_reviewed: reviewed.filter(|list| !list.is_empty()),
        gate: (at_slices && node.id() == "plan-slices").then_some(Gate::SliceExit),
        slice,
    }
}
