//! What to do next: the command that is due, the gate that may be passed, and what every module's next step is
//! (flow.md 13, 15 and 16).

use super::ground::Ground;
use super::next_node::{self, NextNode};
use super::nodes::NodeState;
use super::plan_state::{PlanState, Reason};
use super::status::{ModuleStatus, Status, Suggestion, command_of};
use super::step::{CommandResult, Field, Gate, Step};
use super::{Diagnostic, Lifecycle, Phase, ResolvedFlow, later};
use crate::change::deployment::Conflict;
use crate::files::ReadError;
use crate::project::{SeedState, Slug};
use crate::voice::Invocation;

/// A command that `next` runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueCommand {
    /// The flow that it stands in.
    pub lifecycle: Lifecycle,
    pub node: String,
    pub field: Field,
    pub command: String,
    pub timeout_seconds: u64,
}

/// The command that is due, if there is one: that of an added node that waits for it, else that of the gate.
pub fn due_command(ground: &Ground<'_>, status: &Status, only: Option<&str>) -> Option<DueCommand> {
    let lane = focus(ground, status);
    if let Some((lane, added)) = lane.and_then(|lane| Some((lane, lane.current_added()?))) {
        let flow = if lane.launched {
            ground.launched.as_ref()?
        } else {
            &ground.initial
        };
        return (added.state == NodeState::Pending).then(|| due(ground, flow, &added.id))?;
    }
    let step = match (only, status.carrier()) {
        (Some(_), _) => lane?.step(),
        (None, Some(carrier)) => carrier.step(),
        (None, None) => status.proposal_step,
    };
    due(ground, ground.launched.as_ref()?, step?.command_node()?)
}

fn due(ground: &Ground<'_>, flow: &ResolvedFlow, id: &str) -> Option<DueCommand> {
    let (_, node) = flow.node(id)?;
    let (field, command) = command_of(node)?;
    Some(DueCommand {
        lifecycle: flow.lifecycle,
        node: id.to_owned(),
        field,
        command,
        timeout_seconds: later::command_seconds(node, &ground.config),
    })
}

/// The module that an answer is about as a whole: the one asked for, the one that carries the change, the only one.
fn focus<'s>(ground: &Ground<'_>, status: &'s Status) -> Option<&'s ModuleStatus> {
    let mut lanes = status.lanes();
    if let (Some(only), None) = (lanes.next(), lanes.next()) {
        return Some(only);
    }
    let module = ground.loop_module()?;
    status.lanes().find(|lane| lane.id == module.id)
}

/// A gate that `next --auto` stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoGate {
    Human(Gate),
    LoopExhausted,
}

impl AutoGate {
    pub const fn id(self) -> &'static str {
        match self {
            Self::Human(Gate::PlanExit) => "plan-exit",
            Self::Human(Gate::SpecExit) => "spec-exit",
            Self::Human(Gate::SliceExit) => "slice-exit",
            Self::Human(Gate::DeliverEntry) => "deliver-entry",
            Self::LoopExhausted => "gate:implement:loop-exhausted",
        }
    }

    /// Whether the step is another one after it was passed.
    pub const fn moves_on(self) -> bool {
        matches!(self, Self::Human(Gate::PlanExit | Gate::SliceExit))
    }
}

/// What `next --auto` makes of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Auto {
    pub gate: Option<AutoGate>,
    /// Whether the gate may be passed without a person.
    pub skippable: Option<bool>,
    /// Whether this answer passes it.
    pub passed: bool,
    /// The step before.
    pub step: Option<Step>,
}

/// Which gate is passed (flow.md 16, rows 0 to 10).
pub fn auto(ground: &Ground<'_>, status: &Status, only: Option<&str>) -> Auto {
    let none = Auto::default();
    let lane = focus(ground, status);
    let carried = lane.is_some_and(|lane| lane.change.is_some());
    if (only.is_some() && ground.active.is_some() && !carried) || status.conflict.is_some() {
        return none;
    }
    if lane.is_some_and(|lane| lane.current_added().is_some()) {
        return none;
    }
    if let Some((lane, state)) = lane.and_then(|lane| Some((lane, lane.blocking_loop()?))) {
        if state.escalated {
            let skippable = state.exhausted_skippable == Some(true);
            return Auto {
                gate: Some(AutoGate::LoopExhausted),
                skippable: Some(skippable),
                passed: skippable && ground.active.is_some(),
                step: status.proposal_step,
            };
        }
        if !lane.is_recoverable() {
            return none;
        }
    }
    let step = lane.and_then(ModuleStatus::step).or(status.proposal_step);
    let unplanned = step == Some(Step::ReadyToImplement)
        && lane
            .and_then(|lane| lane.change.as_ref())
            .is_some_and(|change| !change.facts.slices_planned);
    match step.and_then(Step::gate).filter(|_| !unplanned) {
        None => none,
        Some(gate) => Auto {
            gate: Some(AutoGate::Human(gate)),
            skippable: Some(true),
            passed: true,
            step,
        },
    }
}

/// Words of an answer: they become text in `report`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Words {
    Empty,
    /// The word that stands for the action of a blocked module.
    BlockedWord,
    Suggestion(Suggestion),
    StepLabel(Step),
    Phase(Phase),
    Conflict(Conflict),
    GatePassed(AutoGate),
    Command(CommandResult),
    Repair,
    Diagnostic(Box<Diagnostic>),
}

/// What is next, as a whole and for every module of the status, in its order.
pub struct Next {
    pub action: Words,
    pub command: Option<Invocation>,
    pub detail: Words,
    pub active_change: Option<Slug>,
    pub step: Option<Step>,
    pub reason: Option<Reason>,
    pub items: Vec<Item>,
    pub auto: Option<AutoAnswer>,
    pub command_result: Option<CommandResult>,
}

/// What is next for one module, or what stands for one.
pub struct Item {
    pub action: Words,
    pub command: Option<Invocation>,
    pub detail: Words,
    pub next_node: Option<NextNode>,
}

/// What an answer keeps of the status before the gate that it passed: passing derives the change anew, and not what a
/// driver should look at (flow.md 16, rows 7 and 8).
#[derive(Clone, Debug)]
pub struct Before {
    legacy_plan: Option<PlanState>,
}

impl Before {
    pub fn of(status: &Status) -> Self {
        let change = status.legacy.as_ref().and_then(|core| core.change.as_ref());
        Self {
            legacy_plan: change.map(|change| change.plan.clone()),
        }
    }

    /// Puts it into the status behind the gate.
    pub fn keep_in(self, status: &mut Status) {
        for lane in status.modules.iter_mut().flatten().chain(&mut status.legacy) {
            lane.diagnostic = None;
        }
        let change = status.legacy.as_mut().and_then(|core| core.change.as_mut());
        if let (Some(change), Some(plan)) = (change, self.legacy_plan) {
            change.plan = plan;
        }
    }
}

/// What `--auto` adds to the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutoAnswer {
    pub gate: Auto,
    /// The command of the answer is to be run by the driver.
    pub execute: bool,
}

fn change_command() -> Invocation {
    Invocation::new("change", &["<slug>"])
}

fn baseline_command(state: SeedState) -> Invocation {
    match state {
        SeedState::Required => Invocation::new("baseline-seed begin", &[]),
        SeedState::Partial => Invocation::new("baseline-seed commit", &[]),
        SeedState::Seeded => change_command(),
    }
}

/// Puts the answer together from the last derivation.
pub fn assemble(
    ground: &Ground<'_>,
    status: &Status,
    only: Option<&str>,
    auto: Option<Auto>,
    command_result: Option<CommandResult>,
) -> Result<Next, ReadError> {
    let passed = auto.filter(|auto| auto.passed).and_then(|auto| auto.gate);
    let mut items: Vec<Item> = status.lanes().map(|lane| item(ground, lane)).collect();
    let (action, command, detail) = global(ground, status)?;
    let mut next = Next {
        action,
        command,
        detail,
        active_change: status.active.clone(),
        step: status.proposal_step,
        reason: status.reason,
        items: Vec::new(),
        auto: auto.map(|gate| AutoAnswer { gate, execute: false }),
        command_result,
    };
    let lane = focus(ground, status);
    next.take_gate(status, passed, &mut items);
    if let Some(added) = lane.filter(|lane| lane.current_added().is_some()) {
        (next.action, next.command) = (Words::Suggestion(added.suggestion.clone()), None);
    } else if let Some(lane) = lane.filter(|lane| lane.blocking_loop().is_some())
        && !lane.is_recoverable()
        && passed.is_none()
    {
        (next.action, next.command) = (Words::Suggestion(lane.suggestion.clone()), None);
    }
    if let Some(result) = &next.command_result {
        next.detail = Words::Command(result.clone());
    }
    if let (Some(_), Some(item), Some(lane)) = (only, items.first(), status.lanes().next()) {
        (next.action, next.command, next.detail) =
            (item.action.clone(), item.command.clone(), item.detail.clone());
        next.active_change = lane.change.as_ref().map(|change| change.slug.clone());
        next.step = lane.step();
        next.reason = lane.change.as_ref().and_then(|change| change.reason);
    }
    if lane.is_some_and(ModuleStatus::is_recoverable) {
        (next.action, next.command) = (Words::Repair, None);
    }
    next.take_execution(status, lane, passed, &mut items);
    for (item, lane) in items.iter_mut().zip(status.lanes()) {
        let silent = [&next.command, &item.command]
            .into_iter()
            .flatten()
            .any(starts_something);
        let consumed = passed.is_some_and(|gate| !gate.moves_on()) && lane.change.is_some();
        if !silent && !consumed {
            item.next_node = next_node::of(ground, lane);
        }
    }
    next.items = items;
    Ok(next)
}

/// Whether a command begins something new, so that no node of the flow is next (R5).
fn starts_something(command: &Invocation) -> bool {
    matches!(command.command, "change" | "launch") || command.command.starts_with("baseline-seed")
}

impl Next {
    fn take_gate(&mut self, status: &Status, passed: Option<AutoGate>, items: &mut [Item]) {
        let Some(gate) = passed else {
            return;
        };
        let merge = |slug: &Slug| Invocation::new("merge", &[slug.as_str()]);
        let command = match gate {
            AutoGate::Human(Gate::SpecExit) => status.active.as_ref().map(merge),
            AutoGate::Human(_) | AutoGate::LoopExhausted => None,
        };
        (self.action, self.command) = (Words::GatePassed(gate), command.clone());
        for (item, lane) in items.iter_mut().zip(status.lanes()) {
            if lane.change.is_some() {
                (item.action, item.command) = (Words::GatePassed(gate), command.clone());
            }
        }
    }

    /// Orders the command that a driver may run by itself.
    fn take_execution(
        &mut self,
        status: &Status,
        lane: Option<&ModuleStatus>,
        passed: Option<AutoGate>,
        items: &mut [Item],
    ) {
        let held = lane.is_some_and(|lane| {
            lane.current_added().is_some() || lane.blocking_loop().is_some() || lane.is_recoverable()
        });
        let (Some(auto), Some(slug), None, false, None) =
            (&mut self.auto, &self.active_change, status.conflict, held, passed)
        else {
            return;
        };
        let command = match self.step {
            Some(Step::ReadyToVerify) => Invocation::new("verify", &[]),
            Some(Step::ReadyToSmoke) => Invocation::new("smoke", &[]),
            Some(Step::VerifyPassed | Step::DeployDone | Step::SmokePassed) => {
                Invocation::new("archive", &[slug.as_str()])
            }
            _ => return,
        };
        auto.execute = true;
        self.command = Some(command.clone());
        for (item, lane) in items.iter_mut().zip(status.lanes()) {
            if lane.change.is_some() {
                item.command = Some(command.clone());
            }
        }
    }
}

/// The item of a module (flow.md 15.1), without its next node.
fn item(ground: &Ground<'_>, lane: &ModuleStatus) -> Item {
    let held = lane.current_added().is_some() || (lane.blocking_loop().is_some() && !lane.is_recoverable());
    let suggestion = Words::Suggestion(lane.suggestion.clone());
    let (action, command, detail) = if let Some(change) = &lane.change {
        match change.deployment.conflict {
            _ if held => (suggestion, None, detail_of(lane)),
            Some(conflict) => (
                Words::Suggestion(Suggestion::Conflict),
                None,
                Words::Conflict(conflict),
            ),
            None => (suggestion, None, detail_of(lane)),
        }
    } else if lane.phases.is_some() {
        let detail = if held { detail_of(lane) } else { Words::Empty };
        (suggestion, None, detail)
    } else if ground.active.is_some() {
        (Words::BlockedWord, None, suggestion)
    } else {
        let command = lane.baseline_state.map_or_else(change_command, baseline_command);
        (suggestion.clone(), Some(command), suggestion)
    };
    Item {
        action,
        command,
        detail,
        next_node: None,
    }
}

/// The second line about a module at work.
fn detail_of(lane: &ModuleStatus) -> Words {
    match (&lane.diagnostic, lane.step(), &lane.phases) {
        (Some(diagnostic), ..) => Words::Diagnostic(Box::new(diagnostic.clone())),
        (None, Some(step), _) => Words::StepLabel(step),
        (None, None, Some(phases)) => phases.current.map_or(Words::Empty, Words::Phase),
        (None, None, None) => Words::Empty,
    }
}

/// The action of the project as a whole (flow.md 15.2), before anything overrides it.
fn global(ground: &Ground<'_>, status: &Status) -> Result<(Words, Option<Invocation>, Words), ReadError> {
    let of = |suggestion: Suggestion, command| {
        let words = Words::Suggestion(suggestion);
        (words.clone(), command, words)
    };
    let modules = ground.modules();
    if ground.is_launched() {
        if ground.active.is_some() {
            return Ok(match (status.conflict, status.carrier()) {
                (Some(conflict), _) => (
                    Words::Suggestion(Suggestion::Conflict),
                    None,
                    Words::Conflict(conflict),
                ),
                (None, Some(lane)) => (Words::Suggestion(lane.suggestion.clone()), None, detail_of(lane)),
                (None, None) => {
                    let step = status.proposal_step.map_or(Words::Empty, Words::StepLabel);
                    (Words::Suggestion(status.suggestion.clone()), None, step)
                }
            });
        }
        let adopted = modules.iter().find(|module| module.adopted && module.launched);
        return Ok(match adopted {
            Some(module) => {
                let state = ground.baseline.effective_state(module)?;
                of(Suggestion::Baseline(state), Some(baseline_command(state)))
            }
            None => of(Suggestion::StartChange, Some(change_command())),
        });
    }
    if status.current_phase.is_none() {
        return Ok(of(Suggestion::Launch, Some(Invocation::new("launch", &[]))));
    }
    if modules.first().is_some_and(|module| module.adopted) && ground.active.is_none() {
        // A state of the baseline is shown of launched modules only: here there is none to go by.
        let required = SeedState::Required;
        return Ok(of(
            Suggestion::Baseline(required),
            Some(baseline_command(required)),
        ));
    }
    let detail = status.current_phase.map_or(Words::Empty, Words::Phase);
    Ok((Words::Suggestion(status.suggestion.clone()), None, detail))
}
