//! `silly guard`: a tool call, judged before it is made (silly.md 7).

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::super::{Context, Exit};
use super::error::Error;
use super::store::Store;
use super::{place, tell};
use crate::files::{RepoPath, Tree, real_path};
use crate::guard::silly::{Call, Place, Scene, judge};
use crate::report::silly::guard::Guarded;
use crate::silly::settings::Settings;
use crate::silly::{gate, layout, progress};

/// Judge a tool call of a coding agent, given as JSON on stdin
///
/// For hooks that run before a tool. Exit code 0 lets the call pass, 2 blocks it. Sources are written in the work tree of a
/// change only; `SILLYSPEC_DISABLE_HOOKS=1` lets everything pass.
#[derive(clap::Args)]
pub(super) struct Guard {}

/// More than this is no tool call.
const LARGEST: u64 = 16 << 20;

pub(super) fn run(ctx: &Context) -> Exit {
    if ctx.env.text("SILLYSPEC_DISABLE_HOOKS").as_deref() == Some("1") {
        return Exit::Done;
    }
    let judged = guard(ctx);
    let is_unknown = judged.is_err();
    let exit = tell(ctx, false, judged);
    // What cannot be judged is not let through.
    if is_unknown { Exit::Found } else { exit }
}

fn guard(ctx: &Context) -> Result<Guarded, Error> {
    let mut payload = Vec::new();
    // What cannot be read is refused below.
    let _unread = std::io::stdin().lock().take(LARGEST).read_to_end(&mut payload);
    let call = call(&payload);
    let root = place::root(ctx);
    let here = ctx.cwd.canonicalize().unwrap_or_else(|_| ctx.cwd.clone());
    let store = Store::at(ctx, root.clone())?;
    let settings = Settings::load(&store.tree())?;
    let scene = Scene {
        stage: stage(&store)?,
        in_worktree: layout::holder_of(&here).is_some(),
        readonly: &settings.readonly_commands,
        place: &|path| resolve(&here, &root, path),
    };
    Ok(Guarded(judge(&scene, &call)))
}

/// The stage of the gate, else that of the only active change.
fn stage(store: &Store<'_>) -> Result<Option<String>, Error> {
    let file = store.tree().read(&layout::gate())?;
    if let Some(stage) = file.and_then(|bytes| gate::stage_in(&bytes)) {
        return Ok(Some(stage));
    }
    let stage = store.read(|rows| {
        let mut active = progress::active(rows)?;
        let only = active.pop().filter(|_| active.is_empty());
        Ok(only.map(|change| change.current_stage))
    })?;
    Ok(stage.flatten())
}

fn call(payload: &[u8]) -> Call {
    let Ok(payload) = serde_json::from_slice::<Value>(payload) else {
        return Call::Unreadable;
    };
    if !payload.is_object() {
        return Call::Unreadable;
    }
    let tool = payload["tool_name"].as_str().or(payload["tool"].as_str());
    let input = &payload["tool_input"];
    match tool {
        Some("Write" | "Edit") => Call::Write(path_of(input).into_iter().collect()),
        Some("MultiEdit") => {
            let edits = input["edits"].as_array().into_iter().flatten();
            let mut paths: Vec<String> = edits.filter_map(path_of).collect();
            paths.extend(path_of(input));
            Call::Write(paths)
        }
        Some("Bash") => match &input["command"] {
            Value::String(line) => Call::Shell(line.clone()),
            Value::Null => Call::Shell(String::new()),
            // A list of words would be run as well.
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Call::Unreadable,
        },
        Some(_) | None => Call::Other,
    }
}

fn path_of(input: &Value) -> Option<String> {
    let path = input["file_path"].as_str().or(input["filePath"].as_str())?;
    (!path.is_empty()).then(|| path.to_owned())
}

/// Where a path leads: `.` and `..` taken away, the deepest part that is there without links.
fn resolve(here: &Path, root: &Path, path: &str) -> Place {
    let real = real_path(&here.join(path));
    if let Some(inside) = real.strip_prefix(root).ok().and_then(RepoPath::from_disk) {
        return Place::Inside(inside);
    }
    let parts = PathBuf::from(&real);
    let parts = parts.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    Place::Outside(parts.collect())
}
