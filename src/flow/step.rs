//! The step of a change: the registry of steps, and the one rule that finds which it is (flow.md 8 and 9).

use serde::Serialize;

use super::{Node, Predicate, ResolvedFlow};
use crate::change::Count;
use crate::change::deployment::Deployment;
use crate::change::facts::Facts;
use crate::change::ui;
use crate::files::{ReadError, RepoPath, Tree};
use crate::project::{Module, layout, listing};

/// Where a change stands. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Writing,
    ReadyToDelta,
    DeltaWriting,
    ReadyToMerge,
    MergeGenerated,
    SpecCompleteRequired,
    TestIdRequired,
    ReadyToImplement,
    Coding,
    ReadyToVerify,
    VerifyFailed,
    VerifyPassed,
    ReadyToDeploy,
    DeployDone,
    ReadyToSmoke,
    SmokePassed,
    SmokeFailed,
}

/// What kind of step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StepMeta {
    pub phase: StepPhase,
    pub kind: StepKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepPhase {
    PreImplement,
    Implement,
    PostImplement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    Produce,
    Gate,
    CommandRequired,
    Residency,
}

/// A human gate of the built-in flow; an overlay cannot change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    PlanExit,
    SpecExit,
    SliceExit,
    DeliverEntry,
}

impl Step {
    /// Every step, in the order of the registry.
    pub const ALL: [Self; 17] = [
        Self::Writing,
        Self::ReadyToDelta,
        Self::DeltaWriting,
        Self::ReadyToMerge,
        Self::MergeGenerated,
        Self::SpecCompleteRequired,
        Self::TestIdRequired,
        Self::ReadyToImplement,
        Self::Coding,
        Self::ReadyToVerify,
        Self::VerifyFailed,
        Self::VerifyPassed,
        Self::ReadyToDeploy,
        Self::DeployDone,
        Self::ReadyToSmoke,
        Self::SmokePassed,
        Self::SmokeFailed,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Writing => "writing",
            Self::ReadyToDelta => "ready-to-delta",
            Self::DeltaWriting => "delta-writing",
            Self::ReadyToMerge => "ready-to-merge",
            Self::MergeGenerated => "merge-generated",
            Self::SpecCompleteRequired => "spec-complete-required",
            Self::TestIdRequired => "test-id-required",
            Self::ReadyToImplement => "ready-to-implement",
            Self::Coding => "coding",
            Self::ReadyToVerify => "ready-to-verify",
            Self::VerifyFailed => "verify-failed",
            Self::VerifyPassed => "verify-passed",
            Self::ReadyToDeploy => "ready-to-deploy",
            Self::DeployDone => "deploy-done",
            Self::ReadyToSmoke => "ready-to-smoke",
            Self::SmokePassed => "smoke-passed",
            Self::SmokeFailed => "smoke-failed",
        }
    }

    pub const fn meta(self) -> StepMeta {
        use StepKind::{CommandRequired, Gate, Produce, Residency};
        use StepPhase::{Implement, PostImplement, PreImplement};
        let (phase, kind) = match self {
            Self::Writing | Self::DeltaWriting => (PreImplement, Produce),
            Self::ReadyToDelta | Self::ReadyToMerge => (PreImplement, Gate),
            Self::MergeGenerated | Self::SpecCompleteRequired => (PreImplement, CommandRequired),
            Self::TestIdRequired | Self::ReadyToImplement => (PreImplement, Residency),
            Self::Coding => (Implement, Produce),
            Self::ReadyToVerify => (Implement, CommandRequired),
            Self::VerifyFailed => (Implement, Residency),
            Self::ReadyToDeploy => (PostImplement, Gate),
            Self::ReadyToSmoke => (PostImplement, CommandRequired),
            Self::VerifyPassed | Self::DeployDone | Self::SmokePassed | Self::SmokeFailed => {
                (PostImplement, Residency)
            }
        };
        StepMeta { phase, kind }
    }

    /// Whether the code is not begun.
    pub fn is_before_code(self) -> bool {
        self.meta().phase == StepPhase::PreImplement
    }

    /// Whether the implementation is taken to be verified, or beyond: an open loop takes that back (flow.md 10.7).
    pub const fn is_behind_verify(self) -> bool {
        matches!(
            self,
            Self::VerifyPassed
                | Self::ReadyToDeploy
                | Self::DeployDone
                | Self::ReadyToSmoke
                | Self::SmokePassed
                | Self::SmokeFailed
        )
    }

    /// The id of the node that is due (flow.md 2.3).
    pub const fn due_node(self) -> &'static str {
        match self {
            Self::Writing => "write-proposal",
            Self::ReadyToDelta | Self::DeltaWriting => "write-delta",
            Self::ReadyToMerge => "generate-merge-prompt",
            Self::MergeGenerated | Self::SpecCompleteRequired | Self::TestIdRequired => "apply-merge",
            Self::ReadyToImplement => "plan-slices",
            Self::Coding => "code",
            Self::ReadyToVerify | Self::VerifyFailed => "verify",
            Self::ReadyToDeploy => "deploy",
            Self::ReadyToSmoke | Self::SmokeFailed => "smoke",
            Self::VerifyPassed | Self::DeployDone | Self::SmokePassed => "archive",
        }
    }

    /// The node whose command may be run at this step.
    pub fn command_node(self) -> Option<&'static str> {
        let asks = matches!(
            self,
            Self::ReadyToVerify | Self::ReadyToDeploy | Self::ReadyToSmoke
        );
        asks.then(|| self.due_node())
    }

    /// The human gate before which it stands.
    pub fn gate(self) -> Option<Gate> {
        GATES
            .iter()
            .find(|(step, _)| *step == self)
            .map(|(_, gate)| *gate)
    }
}

/// The steps that stand before a gate of the built-in flow (flow.md 2.3).
const GATES: [(Step, Gate); 4] = [
    (Step::ReadyToDelta, Gate::PlanExit),
    (Step::ReadyToMerge, Gate::SpecExit),
    (Step::ReadyToImplement, Gate::SliceExit),
    (Step::ReadyToDeploy, Gate::DeliverEntry),
];

impl Serialize for Step {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Which of a node's predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    DoneWhen,
    FailWhen,
}

impl Field {
    /// The key in a flow file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DoneWhen => "done_when",
            Self::FailWhen => "fail_when",
        }
    }

    pub fn of(self, node: &Node) -> Option<Predicate> {
        let text = match self {
            Self::DoneWhen => node.done_when(),
            Self::FailWhen => node.fail_when(),
        };
        text.map(Predicate::parse)
    }
}

/// What came of a command that `next` ran. It counts for one answer only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandResult {
    pub node: String,
    pub field: Field,
    /// None if it was ended for its time limit, or by a signal.
    pub exit_code: Option<i32>,
    pub timed_out: bool,
}

impl CommandResult {
    pub fn satisfied(&self) -> bool {
        self.exit_code == Some(0) && !self.timed_out
    }

    pub(super) fn is_of(&self, node: &str, field: Field) -> bool {
        self.node == node && self.field == field
    }
}

/// Where a change stands, by the markers that the flow names (flow.md 8.2).
pub(super) fn step(
    facts: &Facts<'_>,
    flow: &ResolvedFlow,
    deployment: &Deployment,
    module: Option<&Module>,
    command: Option<&CommandResult>,
) -> Result<Step, ReadError> {
    if !facts.exists() {
        return Ok(Step::Writing);
    }
    let markers = Markers { facts, flow, command };
    let tasks = &facts.tasks;
    let merged = markers.is_met("apply-merge", Field::DoneWhen)?;
    if merged && facts.code_required && !tasks.is_code_planned() {
        let evident = facts.has_test_ids()?;
        return Ok(if evident {
            Step::ReadyToImplement
        } else {
            Step::TestIdRequired
        });
    }
    if markers.is_met("verify", Field::FailWhen)? {
        return Ok(Step::VerifyFailed);
    }
    if markers.is_met("verify", Field::DoneWhen)? {
        return markers.after_verify(deployment);
    }
    if merged {
        let code = tasks.section("code").map(|code| code.count);
        return Ok(match code {
            None => Step::ReadyToVerify,
            Some(count) if count.is_done() => Step::ReadyToVerify,
            Some(_) if facts.slices_approved => Step::Coding,
            Some(_) => Step::ReadyToImplement,
        });
    }
    if markers.is_met("generate-merge-prompt", Field::DoneWhen)? {
        return Ok(Step::MergeGenerated);
    }
    if !facts.proposal_filled || !facts.tasks_filled {
        return Ok(Step::Writing);
    }
    if tasks.is_null() {
        let ready = !facts.deltas.is_empty() && tasks.count().is_done();
        return Ok(if ready {
            Step::ReadyToMerge
        } else {
            Step::DeltaWriting
        });
    }
    let Some(delta) = tasks.section("delta").map(|delta| delta.count) else {
        return Ok(if facts.code_required {
            Step::SpecCompleteRequired
        } else {
            Step::ReadyToVerify
        });
    };
    if delta.is_done() {
        return Ok(Step::ReadyToMerge);
    }
    let untouched = delta.checked == 0 && !facts.plan_approved;
    let at_plan_gate = untouched && (facts.deltas.is_empty() || only_prototypes_are_there(facts, module));
    Ok(if at_plan_gate {
        Step::ReadyToDelta
    } else {
        Step::DeltaWriting
    })
}

struct Markers<'a> {
    facts: &'a Facts<'a>,
    flow: &'a ResolvedFlow,
    command: Option<&'a CommandResult>,
}

impl Markers<'_> {
    fn predicate(&self, node: &str, field: Field) -> Option<Predicate> {
        field.of(self.flow.node(node)?.1)
    }

    /// Whether a predicate of a built-in node holds. A command does only if it was just run and satisfied.
    fn is_met(&self, node: &str, field: Field) -> Result<bool, ReadError> {
        match self.predicate(node, field) {
            Some(Predicate::Marker(name)) => self.facts.has_marker(&name),
            Some(Predicate::AnyPresent(names)) => any_marker(self.facts, &names),
            Some(Predicate::Cmd(_)) => {
                let result = self.command.filter(|result| result.is_of(node, field));
                Ok(result.is_some_and(CommandResult::satisfied))
            }
            Some(_) | None => Ok(false),
        }
    }

    fn after_verify(&self, deployment: &Deployment) -> Result<Step, ReadError> {
        if deployment.conflict.is_some() || deployment.required != Some(true) {
            return Ok(Step::VerifyPassed);
        }
        let tasks = self.facts.tasks.section("deploy").map(|deploy| deploy.count);
        let Some(tasks) = tasks.filter(|count| count.total > 0) else {
            return Ok(Step::ReadyToDeploy);
        };
        let by_marker = matches!(
            self.predicate("deploy", Field::DoneWhen),
            Some(Predicate::Marker(_))
        );
        if !self.is_met("deploy", Field::DoneWhen)? || (by_marker && !Count::is_done(tasks)) {
            return Ok(Step::ReadyToDeploy);
        }
        if self.is_met("smoke", Field::FailWhen)? {
            return Ok(Step::SmokeFailed);
        }
        if self.is_met("smoke", Field::DoneWhen)? {
            return Ok(Step::SmokePassed);
        }
        after_deployment(self.facts.tree(), deployment.smoke)
    }
}

/// The step of a change that is deployed and not smoke-tested. Undecided, it is to be tested if there are smoke cases.
pub fn after_deployment(tree: &dyn Tree, smoke: Option<bool>) -> Result<Step, ReadError> {
    let needed = match smoke {
        Some(needed) => needed,
        None => !listing::files(tree, &RepoPath::of(layout::SMOKE_TESTS))?.is_empty(),
    };
    Ok(if needed {
        Step::ReadyToSmoke
    } else {
        Step::DeployDone
    })
}

/// Whether one of these names is in the change folder.
pub(super) fn any_marker(facts: &Facts<'_>, names: &[String]) -> Result<bool, ReadError> {
    for name in names {
        if facts.has_marker(name)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the change has an interface that shows, and all its delta files are pages of it: such pages may be drawn
/// before the plan is approved (flow.md 8.5).
fn only_prototypes_are_there(facts: &Facts<'_>, module: Option<&Module>) -> bool {
    let pages = RepoPath::of(layout::PAGE_DESIGN_DELTAS);
    let pages = pages
        .strip_prefix(&RepoPath::of("deltas"))
        .expect("it lies there");
    let is_page = |file: &RepoPath| file.starts_with(&pages) && *file != pages && file.has_extension("html");
    has_ui_impact(facts, module) && !facts.deltas.is_empty() && facts.deltas.iter().all(is_page)
}

/// Whether the module has a user interface and the proposal declares that the change shows in it.
pub(super) fn has_ui_impact(facts: &Facts<'_>, module: Option<&Module>) -> bool {
    module.is_some_and(Module::is_gui)
        && matches!(
            ui::declaration(facts.proposal.document()),
            Ok(ui::Declaration::Impact(_))
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_before_the_code_has_a_loop_to_be_taken_back_to() {
        for step in Step::ALL {
            assert!(!(step.is_before_code() && step.is_behind_verify()), "{step:?}");
            let gate = step.meta().kind == StepKind::Gate || step == Step::ReadyToImplement;
            assert_eq!(step.gate().is_some(), gate, "{step:?}");
        }
    }

    #[test]
    fn every_step_has_its_node_in_the_built_in_flow() {
        let flow = ResolvedFlow::builtin(super::super::Lifecycle::Launched);
        for step in Step::ALL {
            assert!(flow.node(step.due_node()).is_some(), "{step:?}");
        }
    }
}
