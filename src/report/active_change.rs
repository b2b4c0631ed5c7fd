//! The active change of a module, as `status` shows it (flow.md 10 and 14), keys in contract order.

use serde::Serialize;

use super::flow_parts::{CodePlanning, Plan, Task, tasks_path};
use crate::change::deployment::{Deployment, ProgressStatus, Source};
use crate::flow::advice::deployment_reason;
use crate::flow::plan_state::Reason;
use crate::flow::status::{ChangeStatus, ShownFacts};
use crate::flow::{Step, StepMeta};
use crate::voice::{Say, Voice};

/// `active_change` of a module.
#[derive(Serialize)]
pub(super) struct ActiveChange {
    slug: String,
    proposal_step: Step,
    proposal_step_label: String,
    step_meta: StepMeta,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    has_proposal: bool,
    has_tasks: bool,
    tasks_checked: usize,
    tasks_total: usize,
    delta_count: usize,
    code_required: bool,
    facts: ShownFacts,
    deployment_required: Option<bool>,
    smoke_required: Option<bool>,
    deployment_reason: Option<String>,
    deployment_decision_source: Source,
    deployment_decision_conflict: bool,
    deployment_decision_conflict_reason: Option<String>,
    deployment_progress: DeploymentProgress,
    deployment_document: DeploymentDocument,
    #[serde(skip_serializing_if = "Option::is_none")]
    deployment_warnings: Option<[String; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deploy_tasks: Option<Vec<Task>>,
    plan_state: Plan,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_planning_diagnostic: Option<CodePlanning>,
}

#[derive(Serialize)]
struct DeploymentProgress {
    checked: usize,
    total: usize,
    percent: usize,
    status: ProgressStatus,
    label: String,
}

#[derive(Serialize)]
struct DeploymentDocument {
    path: String,
    name: &'static str,
    exists: bool,
}

impl ActiveChange {
    pub(super) fn of(change: &ChangeStatus, voice: &Voice) -> Self {
        let deployment = &change.deployment;
        let count = deployment.progress.count;
        let conflict = conflict(deployment, voice);
        Self {
            slug: change.slug.as_str().to_owned(),
            proposal_step: change.step,
            proposal_step_label: change.step.label(voice).to_owned(),
            step_meta: change.step.meta(),
            reason: change.reason,
            has_proposal: change.has_proposal,
            has_tasks: change.has_tasks,
            tasks_checked: change.tasks.checked,
            tasks_total: change.tasks.total,
            delta_count: change.delta_count,
            code_required: change.facts.code_required,
            facts: change.facts,
            deployment_required: deployment.required,
            smoke_required: deployment.smoke,
            deployment_reason: reason_text(change, voice),
            deployment_decision_source: deployment.source,
            deployment_decision_conflict: conflict.is_some(),
            deployment_decision_conflict_reason: conflict.clone(),
            deployment_progress: DeploymentProgress {
                checked: count.checked,
                total: count.total,
                percent: deployment.progress.percent(),
                status: deployment.progress.status,
                label: format!("{}/{}", count.checked, count.total),
            },
            deployment_document: DeploymentDocument {
                path: tasks_path(change),
                name: "tasks.md",
                exists: change.has_tasks,
            },
            deployment_warnings: conflict.map(|text| [text]),
            deploy_tasks: Task::list(&change.deploy_tasks),
            plan_state: Plan::of(&change.plan, voice),
            code_planning_diagnostic: CodePlanning::of(change, voice),
        }
    }
}

/// What the two documents disagree about.
pub(super) fn conflict(deployment: &Deployment, voice: &Voice) -> Option<String> {
    deployment.conflict.map(|conflict| conflict.say(voice))
}

/// The proposal's reason; where the proposal does not decide, ours.
fn reason_text(change: &ChangeStatus, voice: &Voice) -> Option<String> {
    let deployment = &change.deployment;
    match deployment.source {
        Source::Proposal => deployment.reason.clone(),
        Source::Tasks | Source::ModuleDefault | Source::LegacyFallback => change
            .exists
            .then(|| deployment_reason(deployment.required, voice)),
    }
}
