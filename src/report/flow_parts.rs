//! Pieces that the answers of `status`, `next` and `watch` share (flow.md 10 to 15), keys in contract order.

use serde::{Serialize, Serializer};

use crate::baseline;
use crate::change::Item;
use crate::files::RepoPath;
use crate::flow::loops::{LoopState, SliceState};
use crate::flow::nodes::{AddedNode, NodeView};
use crate::flow::phases::ModulePhases;
use crate::flow::plan_state::{PlanState, PlanningReason};
use crate::flow::status::{ChangeStatus, CommandGate, ModuleStatus};
use crate::flow::{CompletionState, Diagnostic, DiagnosticReason, Ground, SuggestedNode};
use crate::project::modules::PRODUCT_TYPES;
use crate::project::{GUI_TYPES, layout};
use crate::say;
use crate::voice::{Invocation, Say, Voice};

/// The version of the contract that an answer keeps to: 1.1.0 where features are shown.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Contract {
    version: &'static str,
}

impl Contract {
    pub(super) fn of<'m>(mut modules: impl Iterator<Item = &'m ModuleStatus>) -> Self {
        let version = if modules.any(|module| module.features.is_some()) {
            "1.1.0"
        } else {
            "1.0.0"
        };
        Self { version }
    }
}

/// What a whole project says beside its modules.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) missing_product_types: Vec<String>,
    pub(super) ui_prototype_render: Option<bool>,
    /// Whether the modules are registered: else what they show stands at the top.
    pub(super) legacy: bool,
}

impl Frame {
    pub(super) fn of(ground: &Ground<'_>) -> Self {
        Self {
            missing_product_types: ground.without_product_type(),
            ui_prototype_render: ground.ui_prototype_render,
            legacy: ground.legacy.is_some(),
        }
    }

    pub(super) fn confirmation(&self, voice: &Voice) -> Option<ProductTypeConfirmation> {
        let missing = &self.missing_product_types;
        (!missing.is_empty()).then(|| ProductTypeConfirmation {
            signal: "PRODUCT_TYPE_CONFIRMATION_REQUIRED",
            level: "warning",
            missing_module_ids: missing.clone(),
            next_action: ProductTypeAction {
                command: Invocation::new("module set-product-type", &[]).say(voice),
                r#enum: PRODUCT_TYPES,
                gui_enum: GUI_TYPES,
                hint: say!(
                    voice,
                    "say what kind of product each of these modules is",
                    "请为这些模块指明产品类型"
                ),
            },
        })
    }

    pub(super) fn capabilities(&self) -> Option<Capabilities> {
        let ui_prototype_render = self.ui_prototype_render?;
        Some(Capabilities { ui_prototype_render })
    }
}

#[derive(Serialize)]
pub(super) struct ProductTypeConfirmation {
    signal: &'static str,
    level: &'static str,
    missing_module_ids: Vec<String>,
    next_action: ProductTypeAction,
}

#[derive(Serialize)]
struct ProductTypeAction {
    command: String,
    r#enum: [&'static str; 8],
    gui_enum: [&'static str; 3],
    hint: String,
}

#[derive(Serialize)]
pub(super) struct Capabilities {
    ui_prototype_render: bool,
}

/// The phases of a module by key.
#[derive(Serialize)]
pub(super) struct PhaseProgress(#[serde(serialize_with = "by_key")] ModulePhases);

impl PhaseProgress {
    pub(super) fn of(phases: &ModulePhases) -> Self {
        Self(phases.clone())
    }
}

fn by_key<S: Serializer>(phases: &ModulePhases, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        phases
            .progress
            .iter()
            .map(|(phase, progress)| (phase.key(), progress)),
    )
}

#[derive(Serialize)]
pub(super) struct OverlayNode {
    id: String,
    name: String,
    state: &'static str,
    subflow_id: String,
    node_index: usize,
    overlay_op: &'static str,
}

#[derive(Serialize)]
struct CurrentNode {
    id: String,
    name: String,
    state: &'static str,
    subflow_id: String,
    node_index: usize,
    /// Added nodes belong to no phase.
    phase_key: Option<&'static str>,
    overlay_op: &'static str,
}

pub(super) fn overlay_nodes(view: Option<&NodeView>) -> Option<Vec<OverlayNode>> {
    let node = |node: &AddedNode| OverlayNode {
        id: node.id.clone(),
        name: node.name.clone(),
        state: node.state.as_str(),
        subflow_id: node.subflow.clone(),
        node_index: node.index,
        overlay_op: "add",
    };
    view.filter(|view| !view.added.is_empty())
        .map(|view| view.added.iter().map(node).collect())
}

fn current_node(module: &ModuleStatus) -> Option<CurrentNode> {
    module.current_added().map(|node| CurrentNode {
        id: node.id.clone(),
        name: node.name.clone(),
        state: node.state.as_str(),
        subflow_id: node.subflow.clone(),
        node_index: node.index,
        phase_key: None,
        overlay_op: "add",
    })
}

/// A box of tasks.md.
#[derive(Clone, Serialize)]
pub(super) struct Task {
    text: String,
    checked: bool,
}

impl Task {
    pub(super) fn of(item: &Item) -> Self {
        Self {
            text: item.text.clone(),
            checked: item.checked,
        }
    }

    /// None of none.
    pub(super) fn list(items: &[Item]) -> Option<Vec<Self>> {
        (!items.is_empty()).then(|| items.iter().map(Self::of).collect())
    }
}

#[derive(Serialize)]
struct Slices {
    total: usize,
    done: usize,
    remaining: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_children: Option<Vec<Task>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_unchecked_children: Option<Vec<String>>,
}

impl Slices {
    pub(super) fn of(state: &SliceState) -> Self {
        let open: Vec<String> = state.open_children().map(|item| item.text.clone()).collect();
        Self {
            total: state.total,
            done: state.done,
            remaining: state.remaining(),
            current: state.current.as_ref().map(|slice| slice.item.text.clone()),
            current_children: state
                .current
                .as_ref()
                .and_then(|slice| Task::list(&slice.children)),
            current_unchecked_children: (!open.is_empty()).then_some(open),
        }
    }
}

#[derive(Serialize)]
pub(super) struct AutomationDiagnostic {
    reason: DiagnosticReason,
    completion_state: CompletionState,
    failed_tests: Vec<String>,
    required_test_ids: Vec<String>,
    /// Only `verify` validates artifacts.
    validated_artifacts: [String; 0],
    missing_artifacts: Vec<String>,
    suggested_next_node: SuggestedNode,
    human_action_required: bool,
    remediation: String,
}

impl AutomationDiagnostic {
    pub(super) fn of(diagnostic: &Diagnostic, voice: &Voice) -> Self {
        Self {
            reason: diagnostic.reason,
            completion_state: diagnostic.completion_state,
            failed_tests: diagnostic.failed_tests.clone(),
            required_test_ids: diagnostic.required_test_ids.clone(),
            validated_artifacts: [],
            missing_artifacts: diagnostic.missing_artifacts.clone(),
            suggested_next_node: diagnostic.suggested_next_node,
            human_action_required: diagnostic.human_action_required,
            remediation: diagnostic.remediation(voice),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Plan {
    plan_ready: bool,
    plan_gate_pending: bool,
    plan_approved: bool,
    tasks_template_filled: bool,
    tasks_execution_done: usize,
    tasks_execution_total: usize,
    tasks_execution_scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostic: Option<String>,
}

impl Plan {
    /// Of a project without modules: only while the folder of the change is there.
    pub(super) fn of_legacy(core: &ModuleStatus, voice: &Voice) -> Option<Self> {
        let change = core.change.as_ref().filter(|change| change.exists)?;
        Some(Self::of(&change.plan, voice))
    }

    pub(super) fn of(plan: &PlanState, voice: &Voice) -> Self {
        Self {
            plan_ready: plan.plan_ready,
            plan_gate_pending: plan.plan_gate_pending,
            plan_approved: plan.plan_approved,
            tasks_template_filled: plan.tasks_template_filled,
            tasks_execution_done: plan.execution.checked,
            tasks_execution_total: plan.execution.total,
            tasks_execution_scope: plan.scope,
            diagnostic: plan.note.map(|note| note.say(voice)),
        }
    }
}

/// The work in hand of a module, or of a project without modules.
#[derive(Serialize)]
pub(super) struct Work {
    #[serde(skip_serializing_if = "Option::is_none")]
    current_node: Option<CurrentNode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_state: Option<LoopState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slice_state: Option<Slices>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cmd_gate: Option<CommandGate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    automation_diagnostic: Option<AutomationDiagnostic>,
}

impl Work {
    pub(super) fn of(module: &ModuleStatus, voice: &Voice) -> Self {
        Self {
            current_node: current_node(module),
            loop_state: module.loop_state.clone(),
            slice_state: module.slices.as_ref().map(Slices::of),
            cmd_gate: module.command_gate.clone(),
            automation_diagnostic: module
                .diagnostic
                .as_ref()
                .map(|d| AutomationDiagnostic::of(d, voice)),
        }
    }
}

/// The one object of the contract that has a key in camel case.
#[derive(Serialize)]
pub(super) struct CodePlanning {
    reason: PlanningReason,
    #[serde(rename = "tasksPath")]
    tasks_path: String,
    remediation: String,
}

impl CodePlanning {
    pub(super) fn of(change: &ChangeStatus, voice: &Voice) -> Option<Self> {
        change.planning.map(|reason| Self {
            reason,
            tasks_path: tasks_path(change),
            remediation: reason.say(voice),
        })
    }
}

pub(super) fn tasks_path(change: &ChangeStatus) -> String {
    let path: RepoPath = layout::change(&change.slug).join("tasks.md");
    path.text().into_owned()
}

#[derive(Serialize)]
pub(super) struct Coverage {
    state: &'static str,
    incomplete: bool,
    denominator: u64,
    tombstones: u64,
    source: &'static str,
    freshness: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery: Option<Recovery>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_in_progress: Option<bool>,
}

#[derive(Serialize)]
struct Recovery {
    available: bool,
    entry: String,
    run_id: Option<String>,
}

impl Coverage {
    pub(super) fn of(coverage: &baseline::Coverage, voice: &Voice) -> Self {
        Self {
            state: coverage.state.as_str(),
            incomplete: coverage.incomplete,
            denominator: coverage.denominator,
            tombstones: coverage.tombstones,
            source: coverage.source.as_str(),
            freshness: coverage.freshness.as_str(),
            recovery: coverage.recovery.as_ref().map(|recovery| Recovery {
                available: true,
                entry: recovery.entry(voice),
                run_id: recovery.run_id.clone(),
            }),
            commit_in_progress: coverage.commit_in_progress.then_some(true),
        }
    }
}
