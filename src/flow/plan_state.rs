//! Whether the plan of a change is ready and approved, and what blocks a change (flow.md 10.1 to 10.5).

use serde::Serialize;

use super::Step;
use crate::change::Count;
use crate::change::deployment::Deployment;
use crate::change::facts::Facts;
use crate::files::ReadError;

/// Why a change cannot go on. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    NoDeltaSpecMarkerMissing,
    CodeChangeRequiresRealTestIds,
}

impl Reason {
    pub fn of(step: Step, facts: &Facts<'_>) -> Result<Option<Self>, ReadError> {
        if !facts.code_required {
            return Ok(None);
        }
        if step == Step::SpecCompleteRequired && !facts.spec_complete {
            return Ok(Some(Self::NoDeltaSpecMarkerMissing));
        }
        let asks = step == Step::TestIdRequired && facts.spec_complete && !facts.has_test_ids()?;
        Ok(asks.then_some(Self::CodeChangeRequiresRealTestIds))
    }
}

/// What is wrong with the slices of a change that needs code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanningReason {
    TasksCodeSectionMissing,
    SlicesNotPlanned,
}

impl PlanningReason {
    pub fn of(facts: &Facts<'_>) -> Option<Self> {
        if !facts.code_required || facts.tasks.is_code_planned() {
            None
        } else if facts.tasks.section("code").is_none() {
            Some(Self::TasksCodeSectionMissing)
        } else {
            Some(Self::SlicesNotPlanned)
        }
    }
}

/// `plan_state` without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanState {
    pub plan_ready: bool,
    pub plan_gate_pending: bool,
    pub plan_approved: bool,
    pub tasks_template_filled: bool,
    /// Of the first section that there is.
    pub execution: Count,
    /// Its tag, or `none`.
    pub scope: &'static str,
    pub note: Option<PlanNote>,
}

/// What is to be said of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanNote {
    Conflict,
    NotFilled,
    GatePending,
    Approved,
}

/// Sections whose tasks are the ones in hand, the first that exists.
const SCOPES: [&str; 3] = ["delta", "deploy", "code"];

impl PlanState {
    /// The state of a plan; `step` is the one before any correction.
    pub fn of(facts: &Facts<'_>, step: Step, deployment: &Deployment) -> Self {
        let tasks = &facts.tasks;
        let tasks_template_filled = facts.tasks_filled && !tasks.is_null();
        let filled = facts.proposal_filled && tasks_template_filled;
        let conflict = deployment.conflict.is_some();
        let plan_ready = filled && !conflict;
        let plan_approved = facts.plan_approved || !matches!(step, Step::Writing | Step::ReadyToDelta);
        let plan_gate_pending = step == Step::ReadyToDelta && !facts.plan_approved && plan_ready;
        let scope = SCOPES
            .iter()
            .find_map(|tag| Some((*tag, tasks.section(tag)?.count)));
        let (scope, execution) = scope.unwrap_or(("none", Count::default()));
        let note = if conflict {
            Some(PlanNote::Conflict)
        } else if !filled {
            Some(PlanNote::NotFilled)
        } else if plan_gate_pending {
            Some(PlanNote::GatePending)
        } else {
            plan_approved.then_some(PlanNote::Approved)
        };
        Self {
            plan_ready,
            plan_gate_pending,
            plan_approved,
            tasks_template_filled,
            execution,
            scope,
            note,
        }
    }
}
