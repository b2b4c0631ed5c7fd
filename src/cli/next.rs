//! `next`: what to do next; with `--auto` it passes the gates that the flow lets a driver pass.

use std::time::Duration;

use serde::Serialize;

use super::check_ui;
use super::flow_error::FlowError;
use super::usage::{self, Common};
use super::{Context, Exit, complain};
use crate::baseline::Reader;
use crate::change::facts::SLICES_APPROVED;
use crate::change::provenance::PLAN_APPROVED;
use crate::files::{Digest, RepoPath, Tree, WorkTree, Writer};
use crate::flow::next::{self, Auto, AutoGate, Before, DueCommand, Next as Answered};
use crate::flow::status::Status;
use crate::flow::trust::Untrusted;
use crate::flow::{self, CommandResult, Gate, Ground, Lifecycle, Step, loops};
use crate::process::{Shell, Streams, is_alive};
use crate::project::{Slug, layout};
use crate::report::next::NextAnswer;
use crate::text::Bytes;
use crate::voice::Say;

/// Show what to do next, for the project and for every module
///
/// A command of the flow that is due is run, if its flow file is trusted. With --auto the gate that the change stands
/// before is passed where the flow allows it, and an audit line is kept in `GATE_AUTO_PASSED`.
#[derive(clap::Args)]
pub(super) struct Next {
    /// Only this module
    #[arg(long, value_name = "ID")]
    module: Option<Option<String>>,
    /// Pass the gate that the change stands before
    #[arg(long)]
    auto: bool,
    #[command(flatten)]
    common: Common,
}

/// The audit trail of gates that were passed without a person; never read.
const GATE_AUTO_PASSED: &str = "GATE_AUTO_PASSED";

impl Next {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        usage::in_project(ctx, "next", &self.common, |_, tree| self.answer(ctx, tree))
    }

    fn answer(&self, ctx: &Context, tree: &WorkTree) -> Result<NextAnswer, FlowError> {
        let only = usage::value("--module", self.module.as_ref())?;
        if self.auto {
            ctx.settle_leftovers("next")?;
        }
        let first = derived(ctx, tree, only, None, |ground, status| {
            match run_due(ctx, ground, &status, only)? {
                Some(result) => Ok(Look::CommandRan(result)),
                None => self.look(ground, status, only, None),
            }
        })?;
        // What a command wrote is there now.
        let (look, result) = match first {
            Look::CommandRan(result) => {
                let tree = ctx.work_tree()?;
                let second = derived(ctx, &tree, only, Some(&result), |ground, status| {
                    self.look(ground, status, only, Some(&result))
                })?;
                (second, Some(result))
            }
            look @ (Look::Answered(_) | Look::AtGate) => (look, None),
        };
        match look {
            Look::Answered(answer) => Ok(*answer),
            Look::CommandRan(_) | Look::AtGate => pass_gate(ctx, only, result.as_ref()),
        }
    }

    /// What follows from a status where no command is to be run any more.
    fn look(
        &self,
        ground: &Ground<'_>,
        status: Status,
        only: Option<&str>,
        result: Option<&CommandResult>,
    ) -> Result<Look, FlowError> {
        let auto = self.auto.then(|| next::auto(ground, &status, only));
        if auto.is_some_and(|auto| auto.passed) {
            return Ok(Look::AtGate);
        }
        answer(ground, status, only, auto, result).map(|answer| Look::Answered(Box::new(answer)))
    }
}

/// What a look at the files led to.
enum Look {
    Answered(Box<NextAnswer>),
    /// The files have to be looked at again.
    CommandRan(CommandResult),
    /// A gate may be passed.
    AtGate,
}

fn answer(
    ground: &Ground<'_>,
    status: Status,
    only: Option<&str>,
    auto: Option<Auto>,
    result: Option<&CommandResult>,
) -> Result<NextAnswer, FlowError> {
    let next: Answered = next::assemble(ground, &status, only, auto, result.cloned())?;
    Ok(NextAnswer::of(ground, status, next))
}

/// Derives the status of a tree and makes something of it.
fn derived<T>(
    ctx: &Context,
    tree: &dyn Tree,
    only: Option<&str>,
    result: Option<&CommandResult>,
    make: impl FnOnce(&Ground<'_>, Status) -> Result<T, FlowError>,
) -> Result<T, FlowError> {
    let baseline = Reader::open(tree, &is_alive, ctx.now)?;
    let ground = Ground::read(&baseline)?;
    let status = flow::derive(&ground, only, result)?;
    make(&ground, status)
}

/// Runs the command that is due, if there is one and its flow file is trusted. No lock is held meanwhile.
fn run_due(
    ctx: &Context,
    ground: &Ground<'_>,
    status: &Status,
    only: Option<&str>,
) -> Result<Option<CommandResult>, FlowError> {
    let Some(due) = next::due_command(ground, status, only) else {
        return Ok(None);
    };
    let ended = |exit_code, timed_out| CommandResult {
        node: due.node.clone(),
        field: due.field,
        exit_code,
        timed_out,
    };
    if let Some(exit) = check_ui::run_in_process(ctx, &due.command) {
        return Ok(Some(ended(Some(i32::from(exit.code())), false)));
    }
    let flow = match due.lifecycle {
        Lifecycle::Initial => Some(&ground.initial),
        Lifecycle::Launched => ground.launched.as_ref(),
    };
    let trusted = flow.map_or(Ok(false), |flow| ctx.trusts(flow))?;
    if !trusted {
        complain(&Untrusted(due.lifecycle.overlay_path()).say(ctx.voice()));
        return Ok(None);
    }
    let ran = run(ctx, &due)?;
    Ok(Some(ended(ran.exit_code, ran.timed_out)))
}

fn run(ctx: &Context, due: &DueCommand) -> Result<crate::process::Ended, FlowError> {
    let shell = Shell {
        text: due.command.clone(),
        dir: ctx.place()?.root.clone(),
        limit: Duration::from_secs(due.timeout_seconds),
        env: Vec::new(),
        streams: Streams::Dropped,
        through: None,
        ends_all: false,
    };
    shell.run().map_err(|source| FlowError::Spawn {
        node: due.node.clone(),
        command: due.command.clone(),
        source,
    })
}

/// Passes the gate that the change stands before, if it still does: judged again under the lock, so that of two drivers
/// one passes it.
fn pass_gate(
    ctx: &Context,
    only: Option<&str>,
    result: Option<&CommandResult>,
) -> Result<NextAnswer, FlowError> {
    let writer = ctx.writer("next")?;
    let tree = writer.tree();
    let passed = derived(ctx, &tree, only, result, |ground, status| {
        let auto = next::auto(ground, &status, only);
        if let (Some(gate), Some(step), Some(slug)) =
            (auto.gate.filter(|_| auto.passed), auto.step, &status.active)
        {
            consume(ctx, &writer, slug, gate, step)?;
            if gate.moves_on() {
                return Ok(Err((auto, Before::of(&status))));
            }
        }
        // The audit trail is all that was written, and nothing is derived from it.
        answer(ground, status, only, Some(auto), result).map(Ok)
    })?;
    let (auto, before) = match passed {
        Ok(answer) => return Ok(answer),
        Err(moved) => moved,
    };
    derived(ctx, &tree, only, result, |ground, mut status| {
        before.keep_in(&mut status);
        answer(ground, status, only, Some(auto), result)
    })
}

/// A line of the audit trail, keys in contract order.
#[derive(Serialize)]
struct AuditLine {
    gate_id: &'static str,
    proposal_step: Step,
    timestamp: String,
}

/// Writes the marker of a gate, then its audit line: one transaction (flow.md 16 and 21 row 11).
fn consume(ctx: &Context, writer: &Writer, slug: &Slug, gate: AutoGate, step: Step) -> Result<(), FlowError> {
    let tree = writer.tree();
    let folder = layout::change(slug);
    let mut transaction = writer.begin();
    let marker: Option<(&str, Bytes)> = match gate {
        AutoGate::Human(Gate::PlanExit) => Some((PLAN_APPROVED, Bytes::new())),
        AutoGate::Human(Gate::SliceExit) => Some((SLICES_APPROVED, loops::approval(ctx.now))),
        AutoGate::Human(Gate::SpecExit | Gate::DeliverEntry) | AutoGate::LoopExhausted => None,
    };
    if let Some((name, content)) = marker {
        let path: RepoPath = folder.join(name);
        // What a reviewer put there stays as it is.
        if tree.entry(&path)?.is_none() {
            transaction.create_new(&path, content);
        }
    }
    let line = AuditLine {
        gate_id: gate.id(),
        proposal_step: step,
        timestamp: ctx.now.rfc3339(),
    };
    let trail = folder.join(GATE_AUTO_PASSED);
    let old = tree.read(&trail)?;
    let mut new = old.clone().unwrap_or_default();
    if !new.is_empty() && !new.ends_with(b"\n") {
        new.push(b'\n');
    }
    serde_json::to_writer(&mut new, &line).expect("three texts are always JSON");
    new.push(b'\n');
    transaction.replace(&trail, old.as_deref().map(Digest::of), new);
    transaction.commit()?;
    Ok(())
}
