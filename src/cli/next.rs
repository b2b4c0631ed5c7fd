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
use crate::process::{Shell, is_alive};
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
        let result = run_due(ctx, tree, only)?;
        let (auto, before) = match self.auto {
            true => {
                let (auto, before) = pass_gate(ctx, tree, only, result.as_ref())?;
                (Some(auto), before)
            }
            false => (None, None),
        };
        // What a command or we ourselves wrote is there now.
        let tree = ctx.work_tree()?;
        derived(ctx, &tree, only, result.as_ref(), |ground, mut status| {
            if let Some(before) = before {
                before.keep_in(&mut status);
            }
            let next: Answered = next::assemble(ground, &status, only, auto, result.clone())?;
            Ok(NextAnswer::of(ground, status, next))
        })
    }
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
fn run_due(ctx: &Context, tree: &WorkTree, only: Option<&str>) -> Result<Option<CommandResult>, FlowError> {
    derived(ctx, tree, only, None, |ground, status| {
        let Some(due) = next::due_command(ground, &status, only) else {
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
    })
}

fn run(ctx: &Context, due: &DueCommand) -> Result<crate::process::Ended, FlowError> {
    let shell = Shell {
        text: due.command.clone(),
        dir: ctx.place()?.root.clone(),
        limit: Duration::from_secs(due.timeout_seconds),
    };
    shell.run().map_err(|source| FlowError::Spawn {
        node: due.node.clone(),
        command: due.command.clone(),
        source,
    })
}

/// Passes the gate that the change stands before, if it may be passed: judged again under the lock, so that of two
/// drivers one passes it.
fn pass_gate(
    ctx: &Context,
    tree: &WorkTree,
    only: Option<&str>,
    result: Option<&CommandResult>,
) -> Result<(Auto, Option<Before>), FlowError> {
    ctx.settle_leftovers("next")?;
    let auto = derived(ctx, tree, only, result, |ground, status| {
        Ok(next::auto(ground, &status, only))
    })?;
    if !auto.passed {
        return Ok((auto, None));
    }
    let writer = ctx.writer("next")?;
    let tree = writer.tree();
    derived(ctx, &tree, only, result, |ground, status| {
        let auto = next::auto(ground, &status, only);
        if let (Some(gate), Some(step), Some(slug)) =
            (auto.gate.filter(|_| auto.passed), auto.step, &status.active)
        {
            consume(ctx, &writer, slug, gate, step)?;
        }
        let moved = auto.gate.is_some_and(|gate| auto.passed && gate.moves_on());
        Ok((auto, moved.then(|| Before::of(&status))))
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
