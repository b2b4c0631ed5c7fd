//! `loop guard stop|state|command`: what a coding tool is about to do, judged before it does it (loop.md 6).

use std::io::{self, Read};

use serde_json::Value;

use super::place::Place;
use super::{Context, Exit, complain, look, print_line, settle};
use crate::files::{Digest, RepoPath, Tree, real_path, regular_content, rewrite};
use crate::guard::loops::{Call, Ground, Hit, judge_command, judge_state};
use crate::loops::operation::Operation;
use crate::loops::stop::refusal;
use crate::loops::{Actor, Error, Mode, Phase, STATE, STOPS, Stops, Store, in_folder};
use crate::report::loops::Block;
use crate::voice::{Fail, Say};

/// Refusals in a row, with nothing changed, after which a session may stop.
const MOST_REFUSALS: u32 = 3;

/// Judge a tool call: the payload of the tool's hook on stdin, exit code 2 and a reason if it is refused
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Guard {
    #[command(subcommand)]
    command: Which,
}

#[derive(clap::Subcommand)]
enum Which {
    /// May the gate state be touched so
    State(Nothing),
    /// May the command be run
    #[command(name = "command")]
    Line(Nothing),
    /// May the session stop
    Stop(Nothing),
}

#[derive(clap::Args)]
struct Nothing {
    /// Taken, and without effect: the answer is JSON anyway
    #[arg(long)]
    json: bool,
}

impl Guard {
    pub(super) fn run(self, context: &Context) -> Exit {
        let mut input = String::new();
        let read = io::stdin().lock().read_to_string(&mut input);
        let payload = read.ok().map(|_| input);
        let place = Place::find(context);
        let (rule, verdict) = match self.command {
            Which::State(Nothing { json: _ }) => ("G1", state(&place, context, payload.as_deref())),
            Which::Line(Nothing { json: _ }) => ("G2", command(&place, context, payload.as_deref())),
            Which::Stop(Nothing { json: _ }) => ("G3", stop(&place, context, payload.as_deref())),
        };
        let voice = context.voice();
        match verdict {
            Ok(None) => Exit::Done,
            Ok(Some(block)) => refuse(&block),
            Err(error @ Error::ChainBroken(_)) => refuse(&Block::new(error.code(), &error.say(voice))),
            // What cannot be judged is not allowed.
            Err(error) => refuse(&Block::new(rule, &error.say(voice))),
        }
    }
}

fn refuse(block: &Block<'_>) -> Exit {
    complain(block.reason());
    settle(print_line(&block.line()), Exit::Found)
}

fn block(context: &Context, hit: &Hit) -> Block<'static> {
    Block::new(hit.rule, &hit.say(context.voice()))
}

type Verdict = Result<Option<Block<'static>>, Error>;

fn state(place: &Place, context: &Context, payload: Option<&str>) -> Verdict {
    let Some(call) = payload.and_then(Call::read) else {
        return Ok(Some(block(context, &Hit::malformed("G1"))));
    };
    if let Some(hit) = judge_state(&call) {
        return Ok(Some(block(context, &hit)));
    }
    // A chain that is broken is no ground to go on.
    place.stored()?;
    Ok(None)
}

fn command(place: &Place, context: &Context, payload: Option<&str>) -> Verdict {
    let Some(call) = payload.and_then(Call::read) else {
        return Ok(Some(block(context, &Hit::malformed("G2"))));
    };
    let path = |name: &str| {
        context
            .env
            .get(name)
            .filter(|value| !value.is_empty())
            .map(Into::into)
    };
    let ground = Ground {
        root: place.root.clone(),
        cwd: call.cwd.clone().unwrap_or_else(|| context.cwd.clone()),
        home: path("HOME"),
        temporary: path("TMPDIR"),
        real: real_path,
    };
    let broken = place.stored();
    let stored = broken.as_ref().ok().and_then(Option::as_ref);
    let is_unsafe = || {
        // A state that cannot be read counts as not unsafe.
        let state = crate::loops::read_state(&place.tree()).unwrap_or_default();
        look::mode(&state, stored) == Some(Mode::Unsafe)
    };
    if let Some(hit) = judge_command(&call, &ground, &is_unsafe) {
        return Ok(Some(block(context, &hit)));
    }
    broken?;
    Ok(None)
}

fn stop(place: &Place, context: &Context, payload: Option<&str>) -> Verdict {
    let (gate, stored) = place.gate()?;
    let tree = place.tree();
    let bytes = tree.read(&state_path())?;
    // A state that cannot be read has no issues that are known to be resolved.
    let state: Value = bytes
        .as_deref()
        .and_then(|bytes| serde_json::from_slice(bytes).ok())
        .unwrap_or_default();
    let mode = look::mode(&state, stored.as_ref());
    let Some(layer) = refusal(&tree, &state, &gate, mode)? else {
        return Ok(None);
    };
    let payload: Value = payload
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let again = payload.get("stop_hook_active").and_then(Value::as_bool) == Some(true);
    if place.has_folder() && has_waited(place, context, stored.is_some(), bytes.as_deref(), again)? {
        return Ok(None);
    }
    Ok(Some(Block::new(layer.as_str(), &layer.say(context.voice()))))
}

fn state_path() -> RepoPath {
    in_folder(STATE)
}

/// Counts a refusal; whether there were so many in a row that the session would hang. Then the loop is paused.
fn has_waited(
    place: &Place,
    context: &Context,
    is_stored: bool,
    state: Option<&[u8]>,
    again: bool,
) -> Result<bool, Error> {
    let repository = match is_stored {
        true => place.repository()?,
        false => None,
    };
    let store = repository.as_ref().and_then(Store::of);
    // Without a store they are counted beside the state.
    let beside = in_folder(STOPS);
    let keep = |stops: &Stops| match &store {
        Some(store) => store.keep_stops(stops),
        None => rewrite(&beside.on_disk(&place.root), &stops.text()).map_err(|source| Error::Write {
            path: beside.on_disk(&place.root),
            source,
        }),
    };
    let digest = |bytes: Option<&[u8]>| bytes.map(|bytes| Digest::of(bytes).hex()).unwrap_or_default();
    let mut stops = match &store {
        Some(store) => store.stops()?,
        None => Stops::read(regular_content(&place.tree(), &beside)?.as_deref()),
    };
    let now = digest(state);
    if stops.state_sha256 != now {
        stops = Stops {
            state_sha256: now,
            count: 0,
        };
    }
    if !again || stops.count < MOST_REFUSALS {
        stops.count += 1;
        keep(&stops)?;
        return Ok(false);
    }
    place.write_own(context, |held| {
        let operation = Operation::begin(held, Actor::Program)?;
        let phase = crate::loops::transition::phase(operation.state())?;
        if phase.is_running() {
            operation.stop(Phase::Paused, Some("stop_blocked"))?;
        }
        Ok(())
    })?;
    // The state is another one now, and the session still may not hang.
    stops.state_sha256 = digest(place.tree().read(&state_path())?.as_deref());
    keep(&stops)?;
    Ok(true)
}
