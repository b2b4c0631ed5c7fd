//! The loop of a module: how often it went round, and whether it came to its end (flow.md 10.6 and 10.7).

use std::io;

use serde::Serialize;
use serde_json::Value;

use super::command::IMPLEMENT;
use super::{Loop, ResolvedFlow, Step, Until};
use crate::change::facts::{Facts, SLICES_APPROVED};
use crate::change::{Item, Slice};
use crate::clock;
use crate::files::{ReadError, RepoPath, Tree};
use crate::ledger::Rounds;
use crate::project::layout;
use crate::text::{Bytes, decode};

/// A round a line.
pub const LEDGER: &str = "LOOP_ITERS";
const APPROVAL_SCHEMA: &str = "openlogos/slices-approved@1";

/// The state of a loop; keys in contract order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoopState {
    pub subflow_id: &'static str,
    pub until: &'static str,
    pub max_iters: u64,
    pub iteration: u64,
    pub converged: bool,
    pub escalated: bool,
    /// When the slices were approved, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exhausted_skippable: Option<bool>,
}

impl LoopState {
    /// Whether it went round, and is not at its end.
    pub fn is_red(&self) -> bool {
        !self.converged && self.iteration >= 1
    }
}

/// The loop of the flow, if it goes round more than once.
pub fn active_loop(flow: &ResolvedFlow) -> Option<Loop> {
    flow.subflow(IMPLEMENT)?.loop_().filter(|l| l.max_iters > 1)
}

/// The slices of a change, as they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceState {
    pub total: usize,
    pub done: usize,
    /// The first that is not done.
    pub current: Option<Slice>,
}

impl SliceState {
    /// None unless the flow's loop is over slices.
    pub fn of(facts: &Facts<'_>, flow: &ResolvedFlow) -> Option<Self> {
        active_loop(flow).filter(|l| l.until == Until::CodeSlicesGreen)?;
        Some(Self::count(facts.tasks.slices()))
    }

    pub(super) fn count(slices: &[Slice]) -> Self {
        Self {
            total: slices.len(),
            done: slices.iter().filter(|slice| slice.is_done()).count(),
            current: slices.iter().find(|slice| !slice.is_done()).cloned(),
        }
    }

    pub fn remaining(&self) -> usize {
        self.total - self.done
    }

    /// The children of the current slice that are open.
    pub fn open_children(&self) -> impl Iterator<Item = &Item> {
        let children = self.current.iter().flat_map(|slice| &slice.children);
        children.filter(|child| !child.checked)
    }
}

/// The loop of a launched module's change; none as long as its implementation is not entered.
pub fn of_change(
    facts: &Facts<'_>,
    flow: &ResolvedFlow,
    module: &str,
) -> Result<Option<LoopState>, ReadError> {
    let Some(definition) = active_loop(flow).filter(|_| is_entered(facts)) else {
        return Ok(None);
    };
    let rounds = read_rounds(facts.tree(), &facts.path.join(LEDGER), module)?;
    let converged = match definition.until {
        Until::TestsGreen => rounds.last_passed,
        Until::CodeSlicesGreen => {
            let slices = facts.tasks.slices();
            let rest = if slices.is_empty() {
                !facts.code_required
            } else {
                slices.iter().all(Slice::is_done)
            };
            rounds.last_passed && rest
        }
    };
    let approval = facts.tree().read(&facts.path.join(SLICES_APPROVED))?;
    Ok(Some(LoopState {
        activated_at: approval.and_then(|bytes| approved_at(&bytes)),
        ..state(definition, rounds, converged)
    }))
}

/// The loop of an initial module; only where an overlay makes one.
pub fn of_initial(
    tree: &dyn Tree,
    flow: &ResolvedFlow,
    module: &str,
) -> Result<Option<LoopState>, ReadError> {
    let Some(definition) = active_loop(flow) else {
        return Ok(None);
    };
    let ledger = RepoPath::of(layout::VERIFY).join(LEDGER);
    let rounds = read_rounds(tree, &ledger, module)?;
    Ok(Some(state(definition, rounds, rounds.last_passed)))
}

/// Whether the implementation of a change is entered: the four facts of flow.md 10.7 row 4.
pub fn is_entered(facts: &Facts<'_>) -> bool {
    facts.code_required && facts.spec_complete && facts.tasks.is_code_planned() && facts.slices_approved
}

fn state(definition: Loop, rounds: Rounds, converged: bool) -> LoopState {
    LoopState {
        subflow_id: IMPLEMENT,
        until: definition.until.as_str(),
        max_iters: definition.max_iters,
        iteration: rounds.count,
        converged,
        escalated: rounds.count >= definition.max_iters && !converged,
        activated_at: None,
        exhausted_skippable: definition.exhausted_skippable,
    }
}

/// The rounds of a module that a ledger holds.
pub fn read_rounds(tree: &dyn Tree, ledger: &RepoPath, module: &str) -> Result<Rounds, ReadError> {
    match tree.open(ledger)? {
        None => Ok(Rounds::default()),
        Some(open) => Rounds::read(open, module).map_err(|e: io::Error| ReadError::new(ledger, e)),
    }
}

/// A step as an open loop lets it be: what lies behind verification is taken back to it.
pub fn corrected(step: Step, state: Option<&LoopState>) -> Step {
    match state {
        Some(state) if !state.converged && step.is_behind_verify() => Step::ReadyToVerify,
        Some(_) | None => step,
    }
}

/// What `next --auto` writes when it approves slices.
pub fn approval(now: clock::Timestamp) -> Bytes {
    #[derive(Serialize)]
    struct Approval {
        schema: &'static str,
        approved_at: String,
    }
    let approval = Approval {
        schema: APPROVAL_SCHEMA,
        approved_at: now.rfc3339(),
    };
    let mut line = serde_json::to_vec(&approval).expect("two texts are always JSON");
    line.push(b'\n');
    line
}

/// When slices were approved, as written; none if the approval does not soundly say so.
fn approved_at(bytes: &[u8]) -> Option<String> {
    let approval: Value = serde_json::from_str(&decode(bytes)).ok()?;
    let of_schema = approval.get("schema").and_then(Value::as_str) == Some(APPROVAL_SCHEMA);
    let at = approval.get("approved_at").and_then(Value::as_str)?;
    (of_schema && clock::is_rfc3339(at)).then(|| at.to_owned())
}
