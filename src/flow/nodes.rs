//! The nodes that an overlay adds: which of them are met, and which one is current (flow.md 5.2 and 12).

use std::collections::HashMap;

use super::command::IMPLEMENT;
use super::listings::{Documents, Listings};
use super::loops::LoopState;
use super::phases;
use super::step::{CommandResult, Field, any_marker, has_ui_impact};
use super::{Flag, Node, Predicate, ResolvedFlow, Step, Subflow, When};
use crate::change::deployment::Deployment;
use crate::change::facts::Facts;
use crate::files::{ReadError, RepoPath};
use crate::project::{Module, Registry};

/// The state of an added node. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    Skipped,
    Done,
    Failed,
    /// It waits for its command to be run.
    Pending,
    Active,
}

impl NodeState {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Pending => "pending",
            Self::Active => "active",
        }
    }

    /// Whether the walk does not go past it.
    const fn holds(self) -> bool {
        matches!(self, Self::Active | Self::Failed | Self::Pending)
    }
}

/// An added node that the walk came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedNode {
    pub id: String,
    pub name: String,
    pub state: NodeState,
    pub subflow: String,
    /// Position in the whole flow.
    pub index: usize,
}

/// What the walk over a flow with an overlay came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeView {
    pub added: Vec<AddedNode>,
    /// The last of `added` is the current node of the module.
    pub is_held: bool,
    /// A built-in node was passed on the way.
    passed: bool,
}

impl NodeView {
    /// The added node at which the module stands.
    pub fn current(&self) -> Option<&AddedNode> {
        self.added.last().filter(|_| self.is_held)
    }

    /// The step of a change that stands at an added node: it is not taken to be further than that.
    pub(super) fn corrected(&self, step: Step, uncorrected: Step) -> Step {
        match self.current() {
            None => step,
            Some(_) if self.passed => uncorrected,
            Some(_) => Step::Writing,
        }
    }
}

/// Whose nodes are looked at.
pub(super) struct Walk<'a> {
    pub flow: &'a ResolvedFlow,
    pub listings: &'a Listings<'a>,
    pub registry: &'a Registry,
    pub module: &'a Module,
    /// None for an initial module.
    pub change: Option<Of<'a>>,
    pub state: Option<&'a LoopState>,
    pub command: Option<&'a CommandResult>,
}

/// The change of a launched module.
pub(super) struct Of<'a> {
    pub facts: &'a Facts<'a>,
    pub deployment: &'a Deployment,
    /// The module whose interface it may change (change.md 2.3).
    pub owner: Option<&'a Module>,
    /// Its step before any correction, and without the result of a gate's command.
    pub due: Step,
}

impl Walk<'_> {
    /// Goes through the flow up to where the module is.
    pub(super) fn go(&self) -> Result<NodeView, ReadError> {
        let mut anchors = Anchors::default();
        let mut view = NodeView::default();
        let due = self.change.as_ref().map(|change| change.due.due_node());
        let last_looping = self.flow.subflow(IMPLEMENT).and_then(|looping| {
            looping
                .nodes()
                .iter()
                .rev()
                .find(|node| node.added().is_none())
                .map(Node::id)
        });
        let halts = self.state.is_some_and(|state| !state.converged);
        for (index, (subflow, node)) in self.flow.nodes().enumerate() {
            if node.added().is_some() {
                let off = self.is_skipped_here(subflow, node) || self.anchor_is_skipped(node, &mut anchors);
                let state = match off {
                    true => NodeState::Skipped,
                    false => self.state_of(node)?,
                };
                view.added.push(AddedNode {
                    id: node.id().to_owned(),
                    name: node.name().to_owned(),
                    state,
                    subflow: subflow.id().to_owned(),
                    index,
                });
                if state.holds() {
                    view.is_held = true;
                    return Ok(view);
                }
                continue;
            }
            match due {
                Some(due) if node.id() == due => return Ok(view),
                Some(_) => view.passed = true,
                None if self.is_skipped_here(subflow, node) => {}
                None if self.is_done(node)? => {}
                None => return Ok(view),
            }
            if halts && last_looping == Some(node.id()) {
                return Ok(view);
            }
        }
        Ok(view)
    }

    fn is_done(&self, node: &Node) -> Result<bool, ReadError> {
        match Field::DoneWhen.of(node) {
            Some(predicate) => self.holds(node, &predicate),
            None => Ok(false),
        }
    }

    /// The state of an added node that counts.
    fn state_of(&self, node: &Node) -> Result<NodeState, ReadError> {
        let (fail, done) = (Field::FailWhen.of(node), Field::DoneWhen.of(node));
        let done_now = || match &done {
            Some(predicate) => self.holds(node, predicate),
            None => Ok(false),
        };
        let by_done = |done: bool| if done { NodeState::Done } else { NodeState::Active };
        let result = |field| self.command.filter(|result| result.is_of(node.id(), field));
        match &fail {
            Some(Predicate::Cmd(_)) => {
                return Ok(match result(Field::FailWhen) {
                    None => NodeState::Pending,
                    Some(result) if result.satisfied() => NodeState::Failed,
                    Some(_) => by_done(done_now()?),
                });
            }
            Some(predicate) if self.holds(node, predicate)? => return Ok(NodeState::Failed),
            Some(_) | None => {}
        }
        if let Some(Predicate::Cmd(_)) = &done {
            return Ok(match result(Field::DoneWhen) {
                None => NodeState::Pending,
                Some(result) => by_done(result.satisfied()),
            });
        }
        Ok(by_done(done_now()?))
    }

    /// Whether a `when` holds for the module and its change.
    fn counts(&self, when: Option<&str>) -> bool {
        let when = When::parse(when);
        let Some(change) = &self.change else {
            return phases::counts(&when, self.module, self.registry);
        };
        match &when {
            When::Always => true,
            When::If(flag) => change.flag(flag),
            When::Unless(flag) => !change.flag(flag),
        }
    }

    fn subflow_is_off(&self, subflow: &Subflow) -> bool {
        self.change.is_some() && !self.counts(subflow.when())
    }

    /// Whether the built-in node next to which it was added, maybe by way of other added ones, does not count.
    fn anchor_is_skipped<'w>(&'w self, node: &'w Node, anchors: &mut Anchors<'w>) -> bool {
        let mut way = Vec::new();
        let mut at = node;
        // Each step goes to a node that was there before. In a flow that lies the way ends where it was before.
        let skipped = loop {
            if let Some(known) = anchors.0.get(at.id()) {
                break *known;
            }
            let Some((subflow, _)) = self.flow.node(at.id()) else {
                break false;
            };
            let Some(anchor) = at.added() else {
                break self.is_skipped_here(subflow, at);
            };
            anchors.0.insert(at.id(), false);
            way.push(at.id());
            match self.flow.node(anchor.id()) {
                Some((_, next)) => at = next,
                None => break false,
            }
        };
        anchors.0.extend(way.into_iter().map(|id| (id, skipped)));
        skipped
    }

    /// Whether a node is left out by itself: by overlay (initial flows only), by its own `when`, by its subflow's.
    fn is_skipped_here(&self, subflow: &Subflow, node: &Node) -> bool {
        node.skipped() || !self.counts(node.when()) || self.subflow_is_off(subflow)
    }

    /// Whether a predicate that is no command holds (flow.md 5.2).
    fn holds(&self, node: &Node, predicate: &Predicate) -> Result<bool, ReadError> {
        let tree = self.listings.tree();
        let facts = self.change.as_ref().map(|change| change.facts);
        Ok(match predicate {
            Predicate::DirNonempty => {
                let path = node.produces().and_then(RepoPath::normalised);
                self.listings.has_output(path.as_ref(), &self.module.id)?
            }
            Predicate::File(path) => match RepoPath::normalised(path) {
                Some(path) => tree.exists(&path)?,
                None => false,
            },
            Predicate::Marker(name) => facts.map_or(Ok(false), |facts| facts.has_marker(name))?,
            Predicate::AnyPresent(names) => facts.map_or(Ok(false), |facts| any_marker(facts, names))?,
            Predicate::SectionComplete(tag) => facts.is_some_and(|facts| {
                facts
                    .tasks
                    .section(tag)
                    .is_none_or(|section| section.count.is_done())
            }),
            Predicate::ProposalPackageFilled => {
                facts.is_some_and(|facts| facts.proposal_filled && facts.tasks_filled)
            }
            Predicate::Archived => match facts {
                Some(facts) => facts.is_archived()?,
                None => false,
            },
            Predicate::AllPresent => {
                let folder = node
                    .produces()
                    .and_then(|p| RepoPath::normalised(phases::folder_of(p)));
                self.listings
                    .coverage(folder.as_ref(), &self.module.id, Documents::All)?
                    .suffices(node.coverage_threshold())
            }
            Predicate::Cmd(_) | Predicate::Other(_) => false,
        })
    }
}

/// For added nodes that were looked at: whether the built-in node that they hang on does not count.
#[derive(Default)]
struct Anchors<'w>(HashMap<&'w str, bool>);

impl Of<'_> {
    /// A flag of a change; unknown ones are false (flow.md 5.1).
    fn flag(&self, flag: &Flag) -> bool {
        match flag {
            Flag::DeploymentRequired => self.deployment.required == Some(true),
            Flag::SmokeRequired => self.deployment.smoke == Some(true),
            Flag::DeltaRequired => self.facts.tasks.section("delta").is_some(),
            Flag::CodeRequired => self.facts.code_required,
            Flag::UiImpact => has_ui_impact(self.facts, self.owner),
            Flag::NotAdopted
            | Flag::ApiEnabled
            | Flag::DbEnabled
            | Flag::ScenarioEnabled
            | Flag::Unknown(_) => false,
        }
    }
}
