//! Whether a change may be said to be deployed, and what that changes (verify.md 13).

use super::outcome::{DEPLOY_DONE, Edit, SMOKE_FAIL, SMOKE_PASS, markers};
use crate::change::deployment::{Conflict, Deployment, ProgressStatus};
use crate::change::facts::Facts;
use crate::files::{ReadError, RepoPath, Tree};
use crate::flow::Step;
use crate::project::{DeploymentFlags, Registry};

pub const DEPLOYMENT_REPORT: &str = "logos/resources/verify/deployment-report.md";

/// Why a deployment cannot be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hindrance {
    Conflict(Conflict),
    NotRequired,
    TasksMissing,
    ReportMissing,
}

/// What a recorded deployment changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    pub edits: Vec<Edit>,
    pub tasks: usize,
    /// The markers of a smoke test that are not true any more.
    pub cleared: Vec<&'static str>,
    pub smoke: Option<bool>,
}

/// The decision about the active change, for the module that it is of.
pub fn decide(facts: &Facts<'_>, registry: &Registry, module: Option<&str>) -> Deployment {
    let module = module.and_then(|id| registry.module(id));
    let flags = module.map_or_else(DeploymentFlags::default, |module| {
        registry.deployment_flags(module)
    });
    Deployment::decide(facts, flags)
}

/// What keeps the deployment from being recorded.
pub fn hindrance(tree: &dyn Tree, deployment: &Deployment) -> Result<Option<Hindrance>, ReadError> {
    if let Some(conflict) = deployment.conflict {
        return Ok(Some(Hindrance::Conflict(conflict)));
    }
    if deployment.required != Some(true) {
        return Ok(Some(Hindrance::NotRequired));
    }
    Ok(match deployment.progress.status {
        ProgressStatus::Unavailable | ProgressStatus::Empty => Some(Hindrance::TasksMissing),
        ProgressStatus::Pending | ProgressStatus::Done => {
            let there = tree.is_file(&RepoPath::of(DEPLOYMENT_REPORT))?;
            (!there).then_some(Hindrance::ReportMissing)
        }
    })
}

/// What the record of a deployment changes.
pub fn record(facts: &Facts<'_>, deployment: &Deployment) -> Result<Deployed, ReadError> {
    let mut cleared = Vec::new();
    for marker in [SMOKE_PASS, SMOKE_FAIL] {
        if facts.has_marker(marker)? {
            cleared.push(marker);
        }
    }
    let mut edits = vec![Edit::write(
        facts.path.join("tasks.md"),
        facts.tasks.ticked("deploy"),
    )];
    edits.extend(markers(&facts.slug, DEPLOY_DONE, &[SMOKE_PASS, SMOKE_FAIL]));
    Ok(Deployed {
        edits,
        tasks: deployment.progress.count.total,
        cleared,
        smoke: deployment.smoke,
    })
}

/// The step that comes next; the contract knows two.
pub fn next_step(tree: &dyn Tree, smoke: Option<bool>) -> Result<Step, ReadError> {
    crate::flow::after_deployment(tree, smoke)
}
