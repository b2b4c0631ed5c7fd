//! The answer of `next` (flow.md 15 and 16).

use std::io;

use serde::Serialize;

use super::active_change::conflict;
use super::detect::lifecycle;
use super::flow_parts::{
    Capabilities, CodePlanning, Contract, Coverage, Frame, Plan, ProductTypeConfirmation, Task, Work,
};
use super::status::bootstrap;
use super::{Answer, Screen, Style};
use crate::flow::next::{Item, Next};
use crate::flow::next_node::NextNode;
use crate::flow::plan_state::Reason;
use crate::flow::status::{ModuleStatus, ShownFacts, Status};
use crate::flow::{Dispatch, Field, Gate, Ground, Step, StepMeta};
use crate::project::SeedState;
use crate::project::features::FeatureGroup;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// What is next, and the status that it follows from.
pub struct NextAnswer {
    next: Next,
    status: Status,
    frame: Frame,
}

impl NextAnswer {
    pub fn of(ground: &Ground<'_>, status: Status, next: Next) -> Self {
        Self {
            next,
            status,
            frame: Frame::of(ground),
        }
    }
}

#[derive(Serialize)]
pub struct Data {
    contract: Contract,
    action: String,
    command: Option<String>,
    detail: String,
    active_change: Option<String>,
    proposal_step: Option<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modules: Option<Vec<Row>>,
    #[serde(flatten)]
    legacy: Option<Legacy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    product_type_confirmation: Option<ProductTypeConfirmation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Capabilities>,
    #[serde(flatten)]
    auto: Option<AutoData>,
    #[serde(flatten)]
    command_result: Option<CommandData>,
}

#[derive(Serialize)]
struct AutoData {
    auto: bool,
    gate_id: Option<&'static str>,
    skippable: Option<bool>,
    gate_auto_passed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    auto_execute: Option<bool>,
}

#[derive(Serialize)]
struct CommandData {
    cmd_node_id: String,
    cmd_predicate_field: Field,
    cmd_exit_code: Option<i32>,
    cmd_timed_out: bool,
    cmd_satisfied: bool,
}

#[derive(Serialize)]
struct Legacy {
    #[serde(flatten)]
    work: Work,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_node: Option<NodeData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan_state: Option<Plan>,
}

#[derive(Serialize)]
struct Row {
    id: String,
    name: String,
    lifecycle: &'static str,
    /// Only where no change is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    bootstrap: Option<&'static str>,
    action: String,
    command: Option<String>,
    detail: String,
    active_change: Option<String>,
    proposal_step: Option<Step>,
    #[serde(flatten)]
    change: Option<ChangeData>,
    #[serde(flatten)]
    work: Work,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_node: Option<NodeData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_seed_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_coverage: Option<Coverage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<Vec<FeatureGroup>>,
}

#[derive(Serialize)]
struct ChangeData {
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    #[serde(flatten)]
    conflict: Option<ConflictData>,
    code_required: bool,
    facts: ShownFacts,
    step_meta: StepMeta,
    plan_state: Plan,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_planning_diagnostic: Option<CodePlanning>,
}

#[derive(Serialize)]
struct ConflictData {
    deployment_decision_conflict: bool,
    deployment_decision_conflict_reason: String,
    deployment_warnings: [String; 1],
}

#[derive(Serialize)]
struct NodeData {
    id: String,
    name: String,
    subflow_id: String,
    skill: Option<String>,
    working_agent: Option<String>,
    review_agent: Option<String>,
    pre_script: Option<String>,
    post_script: Option<String>,
    dispatch: Dispatch,
    #[serde(skip_serializing_if = "Option::is_none")]
    requires_reviewed: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate_id: Option<Gate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slice_children: Option<Vec<Task>>,
}

impl NodeData {
    fn of(node: &NextNode) -> Self {
        Self {
            id: node.id.clone(),
            name: node.name.clone(),
            subflow_id: node.subflow_id.clone(),
            skill: node.skill.clone(),
            working_agent: node.working_agent.clone(),
            review_agent: node.review_agent.clone(),
            pre_script: node.pre_script.clone(),
            post_script: node.post_script.clone(),
            dispatch: node.dispatch.clone(),
            requires_reviewed: node.requires_reviewed.clone(),
            gate_id: node.gate,
            slice: node.slice.as_ref().map(|(text, _)| text.clone()),
            slice_children: node.slice.as_ref().and_then(|(_, children)| Task::list(children)),
        }
    }
}

impl Row {
    fn of(module: &ModuleStatus, item: &Item, voice: &Voice) -> Self {
        let change = module.change.as_ref();
        let free = change.is_none() && !module.blocked;
        Self {
            id: module.id.clone(),
            name: module.name.clone(),
            lifecycle: lifecycle(module.launched),
            bootstrap: free.then(|| bootstrap(module.adopted)),
            action: item.action.say(voice),
            command: item.command.as_ref().map(|command| command.say(voice)),
            detail: item.detail.say(voice),
            active_change: change.map(|change| change.slug.as_str().to_owned()),
            proposal_step: module.step(),
            change: change.map(|change| {
                let conflict = conflict(&change.deployment, voice);
                ChangeData {
                    reason: change.reason,
                    code_planning_diagnostic: match conflict {
                        Some(_) => None,
                        None => CodePlanning::of(change, voice),
                    },
                    conflict: conflict.map(|text| ConflictData {
                        deployment_decision_conflict: true,
                        deployment_decision_conflict_reason: text.clone(),
                        deployment_warnings: [text],
                    }),
                    code_required: change.facts.code_required,
                    facts: change.facts,
                    step_meta: change.step.meta(),
                    plan_state: Plan::of(&change.plan, voice),
                }
            }),
            work: Work::of(module, voice),
            next_node: item.next_node.as_ref().map(NodeData::of),
            baseline_seed_state: module.baseline_state.map(SeedState::as_str),
            baseline_coverage: module
                .coverage
                .as_ref()
                .map(|coverage| Coverage::of(coverage, voice)),
            features: module.features.clone(),
        }
    }
}

impl Answer for NextAnswer {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let Self { next, status, .. } = self;
        let rows = || status.lanes().zip(&next.items);
        let modules: Vec<Row> = match status.modules {
            Some(_) => rows()
                .map(|(module, item)| Row::of(module, item, voice))
                .collect(),
            None => Vec::new(),
        };
        let legacy = rows().next().filter(|_| status.legacy.is_some());
        let legacy = legacy.map(|(core, item)| Legacy {
            work: Work::of(core, voice),
            next_node: item.next_node.as_ref().map(NodeData::of),
            plan_state: Plan::of_legacy(core, voice),
        });
        Data {
            contract: Contract::of(status.modules.iter().flatten()),
            action: next.action.say(voice),
            command: next.command.as_ref().map(|command| command.say(voice)),
            detail: next.detail.say(voice),
            active_change: next.active_change.as_ref().map(|slug| slug.as_str().to_owned()),
            proposal_step: next.step,
            reason: next.reason,
            modules: (!modules.is_empty()).then_some(modules),
            legacy,
            product_type_confirmation: self.frame.confirmation(voice),
            capabilities: self.frame.capabilities(),
            auto: next.auto.map(|auto| AutoData {
                auto: true,
                gate_id: auto.gate.gate.map(crate::flow::next::AutoGate::id),
                skippable: auto.gate.skippable,
                gate_auto_passed: auto.gate.passed,
                auto_execute: auto.execute.then_some(true),
            }),
            command_result: next.command_result.as_ref().map(|result| CommandData {
                cmd_node_id: result.node.clone(),
                cmd_predicate_field: result.field,
                cmd_exit_code: result.exit_code,
                cmd_timed_out: result.timed_out,
                cmd_satisfied: result.satisfied(),
            }),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let Self { next, status, .. } = self;
        print_one(
            screen,
            "",
            &next.action.say(voice),
            next.command.as_ref().map(|command| command.say(voice)).as_deref(),
            &next.detail.say(voice),
        )?;
        let several = status.modules.as_ref().is_some_and(|modules| modules.len() > 1);
        for (module, item) in status.lanes().zip(&next.items).filter(|_| several) {
            let heading = screen.paint(Style::Bold, &escape(&module.id));
            screen.line("")?;
            screen.line(&format!("{heading}  {}", escape(&module.name)))?;
            print_one(
                screen,
                "  ",
                &item.action.say(voice),
                item.command.as_ref().map(|command| command.say(voice)).as_deref(),
                &item.detail.say(voice),
            )?;
        }
        Ok(())
    }
}

fn print_one(
    screen: &mut Screen<'_>,
    indent: &str,
    action: &str,
    command: Option<&str>,
    detail: &str,
) -> io::Result<()> {
    let arrow = screen.paint(Style::Good, "→");
    screen.line(&format!("{indent}{arrow} {action}"))?;
    if let Some(command) = command {
        screen.line(&format!("{indent}  {}", screen.paint(Style::Bold, command)))?;
    }
    if !detail.is_empty() && detail != action {
        screen.line(&format!("{indent}  {}", screen.paint(Style::Dim, detail)))?;
    }
    Ok(())
}
