//! The phases of an initial flow: of one module, and of the project as a whole (flow.md 6).

use serde::Serialize;

use super::coverage::Coverage;
use super::listings::{Documents, Listings};
use super::loops::LoopState;
use super::{Flag, Node, ResolvedFlow, When};
use crate::files::{ReadError, RepoPath};
use crate::project::{Module, Registry};

/// A phase. Its key is contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Requirements,
    ProductDesign,
    Architecture,
    Scenarios,
    Api,
    Database,
    DeploymentDesign,
    TestCases,
    Orchestration,
    Code,
    Verify,
    Deploy,
    Smoke,
}

/// Phases and the nodes that they are shown for (flow.md 2.3).
const PHASES: [(Phase, &str, &str); 13] = [
    (Phase::Requirements, "phase.1", "prd"),
    (Phase::ProductDesign, "phase.2", "product-design"),
    (Phase::Architecture, "phase.3-0", "architecture"),
    (Phase::Scenarios, "phase.3-1", "scenario-modeling"),
    (Phase::Api, "phase.3-2-api", "api-design"),
    (Phase::Database, "phase.3-2-db", "db-design"),
    (
        Phase::DeploymentDesign,
        "phase.3-3-deployment",
        "deployment-design",
    ),
    (Phase::TestCases, "phase.3-4a", "test-cases"),
    (Phase::Orchestration, "phase.3-4b", "orchestration-test"),
    (Phase::Code, "phase.3-5", "code"),
    (Phase::Verify, "phase.3-6", "verify"),
    (Phase::Deploy, "phase.3-7-deploy", "deploy"),
    (Phase::Smoke, "phase.3-8-smoke", "smoke"),
];

impl Phase {
    pub fn key(self) -> &'static str {
        PHASES
            .iter()
            .find(|(phase, ..)| *phase == self)
            .expect("every phase has a key")
            .1
    }

    /// The id of its node.
    pub fn node(self) -> &'static str {
        PHASES
            .iter()
            .find(|(phase, ..)| *phase == self)
            .expect("every phase has a node")
            .2
    }

    fn of_node(id: &str) -> Option<Self> {
        PHASES
            .iter()
            .find(|(.., node)| *node == id)
            .map(|(phase, ..)| *phase)
    }

    /// One of the document phases that an adopted module never goes through.
    pub const fn is_document(self) -> bool {
        matches!(
            self,
            Self::Requirements | Self::ProductDesign | Self::Architecture
        )
    }

    /// A later phase that is done does not let these pass as skipped.
    const fn is_never_passed_over(self) -> bool {
        matches!(self, Self::DeploymentDesign | Self::Deploy | Self::Smoke)
    }
}

/// A phase of the resolved flow.
struct Planned<'f> {
    phase: Phase,
    node: &'f Node,
    when: When,
}

impl Planned<'_> {
    /// What its files are below; none if the flow names no path of the project.
    fn path(&self) -> Option<RepoPath> {
        output(self.node)
    }

    fn is_fan_out(&self) -> bool {
        self.node.for_each().is_some()
    }
}

/// Where the output of a node lies: for one made once per scenario the folder of its pattern.
pub(super) fn output(node: &Node) -> Option<RepoPath> {
    let produces = node.produces()?;
    let path = if node.for_each().is_some() {
        folder_of(produces)
    } else {
        produces
    };
    RepoPath::normalised(path)
}

/// The part of a pattern up to its last slash.
pub(super) fn folder_of(pattern: &str) -> &str {
    pattern.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Which phases there are, in the order of the flow.
fn plan(flow: &ResolvedFlow) -> Vec<Planned<'_>> {
    let planned = |node| {
        Some(Planned {
            phase: Phase::of_node(Node::id(node))?,
            when: When::parse(node.when()),
            node,
        })
    };
    flow.nodes().filter_map(|(_, node)| planned(node)).collect()
}

/// A flag of an initial flow for a module; unknown ones are false (flow.md 5.1).
fn flag(flag: &Flag, module: &Module, registry: &Registry) -> bool {
    let lacks = |phase: &str| !module.skip_phases.iter().any(|skipped| skipped == phase);
    let deployed = || {
        let value = registry.deployment_flags(module).deployment_required;
        value != Some(false) && lacks("deployment")
    };
    match flag {
        Flag::NotAdopted => !module.adopted,
        Flag::ApiEnabled => lacks("api"),
        Flag::DbEnabled => lacks("database"),
        Flag::ScenarioEnabled => lacks("scenario"),
        Flag::DeploymentRequired => deployed(),
        Flag::SmokeRequired => deployed() && registry.deployment_flags(module).smoke_required != Some(false),
        Flag::DeltaRequired | Flag::CodeRequired | Flag::UiImpact | Flag::Unknown(_) => false,
    }
}

/// Whether a node of an initial flow counts for a module.
pub(super) fn counts(when: &When, module: &Module, registry: &Registry) -> bool {
    match when {
        When::Always => true,
        When::If(asked) => flag(asked, module, registry),
        When::Unless(asked) => !flag(asked, module, registry),
    }
}

/// A phase of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    pub done: bool,
    pub skipped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario_coverage: Option<Coverage>,
}

/// The phases of an initial module in the order of the flow, and which of them is the current one.
#[derive(Clone, Debug)]
pub struct ModulePhases {
    pub progress: Vec<(Phase, Progress)>,
    pub current: Option<Phase>,
}

impl ModulePhases {
    pub(super) fn of(
        listings: &Listings<'_>,
        flow: &ResolvedFlow,
        registry: &Registry,
        module: &Module,
        state: Option<&LoopState>,
    ) -> Result<Self, ReadError> {
        let mut progress = Vec::new();
        for planned in plan(flow) {
            progress.push((
                planned.phase,
                module_progress(listings, registry, module, &planned)?,
            ));
        }
        let marks: Vec<_> = progress
            .iter()
            .map(|(phase, p)| (*phase, p.done, p.skipped))
            .collect();
        for at in passed_over(&marks) {
            progress[at].1.skipped = true;
        }
        let first_open = |all: &[(Phase, Progress)]| all.iter().position(|(_, p)| !p.done && !p.skipped);
        let mut current = first_open(&progress);
        let verify = progress.iter().position(|(phase, _)| *phase == Phase::Verify);
        if let (Some(verify), true) = (verify, state.is_some_and(|state| !state.converged)) {
            progress[verify].1.done = false;
            if current.is_none_or(|current| current > verify) {
                current = Some(verify);
            }
        }
        Ok(Self {
            current: current.map(|at| progress[at].0),
            progress,
        })
    }
}

fn module_progress(
    listings: &Listings<'_>,
    registry: &Registry,
    module: &Module,
    planned: &Planned<'_>,
) -> Result<Progress, ReadError> {
    let skipped = |skip_reason| Progress {
        done: false,
        skipped: true,
        skip_reason,
        scenario_coverage: None,
    };
    if planned.node.skipped() {
        return Ok(skipped(None));
    }
    if !counts(&planned.when, module, registry) {
        let adopted = planned.when == When::If(Flag::NotAdopted);
        return Ok(skipped(adopted.then_some("bootstrap-adopted")));
    }
    let path = planned.path();
    let open = |done| Progress {
        done,
        skipped: false,
        skip_reason: None,
        scenario_coverage: None,
    };
    if planned.is_fan_out() {
        let documents = match planned.phase == Phase::Scenarios {
            true => Documents::All,
            false => Documents::TestCases,
        };
        let coverage = listings.coverage(path.as_ref(), &module.id, documents)?;
        return Ok(Progress {
            scenario_coverage: Some(Coverage::clone(&coverage)),
            ..open(coverage.suffices(planned.node.coverage_threshold()))
        });
    }
    Ok(open(listings.has_output(path.as_ref(), &module.id)?))
}

/// The phases before the last one done that are open: work went past them.
fn passed_over(phases: &[(Phase, bool, bool)]) -> Vec<usize> {
    let last = phases.iter().rposition(|(_, done, _)| *done).unwrap_or(0);
    let open = |at: &usize| {
        let (phase, done, _) = phases[*at];
        !done && !phase.is_never_passed_over()
    };
    (0..last).filter(open).collect()
}

/// A phase of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectPhase {
    pub phase: Phase,
    pub done: bool,
    pub skipped: bool,
    /// Relative to the folder of the phase, in listing order.
    pub files: Vec<RepoPath>,
}

/// The phases of the project; `state` is the loop that counts for it.
pub(super) fn of_project(
    listings: &Listings<'_>,
    flow: &ResolvedFlow,
    registry: &Registry,
    state: Option<&LoopState>,
) -> Result<Vec<ProjectPhase>, ReadError> {
    let initial: Vec<&Module> = registry.registered().iter().filter(|m| !m.launched).collect();
    let adopted = registry.registered().iter().any(|m| m.adopted);
    let mut phases = Vec::new();
    for planned in plan(flow) {
        let explicit = planned.when != When::Always && planned.when != When::If(Flag::NotAdopted);
        let by_all = explicit
            && !initial.is_empty()
            && initial
                .iter()
                .all(|module| !counts(&planned.when, module, registry));
        let skipped = by_all || planned.node.skipped() || (adopted && planned.phase.is_document());
        let files = if skipped {
            Vec::new()
        } else {
            listings.of(planned.path().as_ref())?.files().to_vec()
        };
        phases.push(ProjectPhase {
            phase: planned.phase,
            done: !files.is_empty(),
            skipped,
            files,
        });
    }
    let marks: Vec<_> = phases.iter().map(|p| (p.phase, p.done, p.skipped)).collect();
    for at in passed_over(&marks) {
        phases[at].skipped = true;
    }
    if state.is_some_and(|state| !state.converged) {
        for phase in phases.iter_mut().filter(|p| p.phase == Phase::Verify) {
            phase.done = false;
        }
    }
    Ok(phases)
}

/// The first phase that is neither done nor skipped.
pub fn current(phases: &[ProjectPhase]) -> Option<Phase> {
    phases.iter().find(|p| !p.done && !p.skipped).map(|p| p.phase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_phases_before_the_last_done_are_passed_over_but_three() {
        let marks = [
            (Phase::Requirements, false, false),
            (Phase::DeploymentDesign, false, false),
            (Phase::Code, true, false),
            (Phase::Verify, false, false),
        ];
        assert_eq!(passed_over(&marks), [0]);
    }
}
