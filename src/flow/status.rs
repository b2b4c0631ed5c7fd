//! Where a project, its modules and its active change stand (flow.md 14), as it is derived: without words.

use super::loops::{LoopState, SliceState};
use super::nodes::{AddedNode, NodeView};
use super::phases::{ModulePhases, Phase, ProjectPhase};
use super::plan_state::{PlanState, PlanningReason, Reason};
use super::step::{Field, Step};
use super::{Diagnostic, Node, diagnostic};
use crate::baseline::Coverage;
use crate::change::deployment::{Conflict, Deployment};
use crate::change::{Count, Item};
use crate::project::features::FeatureGroup;
use crate::project::{SeedState, Slug};

/// The whole answer, without words.
pub struct Status {
    pub phases: Vec<ProjectPhase>,
    pub current_phase: Option<Phase>,
    /// The modules that were asked for; none where the project has no list of them.
    pub modules: Option<Vec<ModuleStatus>>,
    /// What stands for a list of modules.
    pub legacy: Option<ModuleStatus>,
    pub proposals: Vec<ProposalRow>,
    pub active: Option<Slug>,
    pub proposal_step: Option<Step>,
    pub reason: Option<Reason>,
    /// Of the active change, whichever module it is of.
    pub conflict: Option<Conflict>,
    pub suggestion: Suggestion,
}

/// A module, or what stands for one.
pub struct ModuleStatus {
    pub id: String,
    pub name: String,
    pub launched: bool,
    pub adopted: bool,
    /// Of an initial module.
    pub phases: Option<ModulePhases>,
    /// The active change, if it is this module's.
    pub change: Option<ChangeStatus>,
    /// Another module's change is active.
    pub blocked: bool,
    pub suggestion: Suggestion,
    /// Only where the flow has an overlay.
    pub nodes: Option<NodeView>,
    pub loop_state: Option<LoopState>,
    pub slices: Option<SliceState>,
    pub command_gate: Option<CommandGate>,
    pub diagnostic: Option<Diagnostic>,
    pub baseline_state: Option<SeedState>,
    pub coverage: Option<Coverage>,
    pub features: Option<Vec<FeatureGroup>>,
}

/// The active change of a module.
pub struct ChangeStatus {
    pub slug: Slug,
    /// Whether its folder is there.
    pub exists: bool,
    pub step: Step,
    pub reason: Option<Reason>,
    pub has_proposal: bool,
    pub has_tasks: bool,
    pub tasks: Count,
    pub delta_count: usize,
    pub facts: ShownFacts,
    pub deployment: Deployment,
    pub deploy_tasks: Vec<Item>,
    pub plan: PlanState,
    pub planning: Option<PlanningReason>,
}

/// `facts`; keys in contract order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ShownFacts {
    pub spec_complete: bool,
    pub slices_planned: bool,
    pub slices_approved: bool,
    pub code_required: bool,
    pub has_delta_tasks: bool,
    pub verify_pass: bool,
}

/// A gate of the flow that a command decides.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CommandGate {
    pub node_id: String,
    pub field: Field,
    pub command: String,
    pub timeout_seconds: u64,
}

/// A folder of `logos/changes`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ProposalRow {
    pub name: String,
    pub has_proposal: bool,
    pub has_tasks: bool,
    pub delta_count: usize,
}

/// What to suggest; words are in `advice`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestion {
    AllDone,
    Launch,
    StartChange,
    Baseline(SeedState),
    /// The document phases are no work of an adopted module.
    DocumentsSkipped,
    Phase(Phase),
    Blocked(Slug),
    Conflict,
    Step {
        step: Step,
        slices_planned: bool,
    },
    AddedNode {
        id: String,
        name: String,
    },
    Loop {
        iteration: u64,
        max_iters: u64,
        escalated: bool,
    },
    CommandGate {
        node: String,
    },
}

impl ModuleStatus {
    pub fn step(&self) -> Option<Step> {
        self.change.as_ref().map(|change| change.step)
    }

    /// The loop that keeps the module at verification (flow.md 10.7).
    pub fn blocking_loop(&self) -> Option<&LoopState> {
        let at_verify = match (&self.change, &self.phases) {
            (Some(change), _) => matches!(change.step, Step::ReadyToVerify | Step::VerifyFailed),
            (None, Some(phases)) => phases.current == Some(Phase::Verify),
            (None, None) => false,
        };
        self.loop_state
            .as_ref()
            .filter(|state| at_verify && state.is_red())
    }

    /// Whether a driver can mend what failed by itself.
    pub fn is_recoverable(&self) -> bool {
        diagnostic::is_recoverable(self.diagnostic.as_ref(), self.loop_state.as_ref())
    }

    /// The added node at which it stands.
    pub fn current_added(&self) -> Option<&AddedNode> {
        self.nodes.as_ref().and_then(NodeView::current)
    }
}

impl Status {
    /// The module that carries the active change, if it is in the answer.
    pub fn carrier(&self) -> Option<&ModuleStatus> {
        self.lanes().find(|module| module.change.is_some())
    }

    /// The modules of the answer, or what stands for them.
    pub fn lanes(&self) -> impl Iterator<Item = &ModuleStatus> {
        self.modules.iter().flatten().chain(&self.legacy)
    }
}

/// The command that decides a node: that of `fail_when` first.
pub fn command_of(node: &Node) -> Option<(Field, String)> {
    let commands = node.commands();
    [Field::FailWhen, Field::DoneWhen].into_iter().find_map(|field| {
        let command = commands.iter().find(|command| command.key == field.as_str())?;
        Some((field, command.text.clone()))
    })
}
