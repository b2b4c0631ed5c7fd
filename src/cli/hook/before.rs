//! The hook that stood in the place of ours before: it runs first, with the same arguments and input, and its refusal is
//! the hook's (git.md 3.1).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Context, Error};
use crate::files::is_executable;
use crate::hooks::{Hook, script::BEFORE};
use crate::process::Run;

/// Our script tells where it stands; no manager does.
const SCRIPT: &str = "GIT_SPEC_HOOK";
/// The former hook that is running: one that calls ours again is not run a second time.
const RUNNING: &str = "GIT_SPEC_HOOK_RUNNING";

/// Runs it. Some code, if it refuses; none if there is none, or it has nothing against it.
pub(super) fn run(ctx: &Context, hook: Hook, args: &[OsString], input: &[u8]) -> Result<Option<u8>, Error> {
    let Some(script) = ctx.env.get(SCRIPT).filter(|script| !script.is_empty()) else {
        return Ok(None);
    };
    let folder = Path::new(&script)
        .parent()
        .map_or_else(PathBuf::new, Path::to_owned);
    let former = folder.join(format!("{}{BEFORE}", hook.as_str()));
    // The same name from another folder is another hook.
    let path = std::path::absolute(&former).unwrap_or(former);
    if ctx.env.get(RUNNING).is_some_and(|running| running == path) || !is_executable(&path) {
        return Ok(None);
    }
    let ended = Run::new(&path)
        .args(args)
        .unset([SCRIPT])
        .set(RUNNING, &path)
        .input(input.to_vec())
        .pass_through()
        .map_err(|source| Error::Before {
            path: path.display().to_string(),
            source,
        })?;
    // A signal ends it with no code; git takes any other than 0 for a refusal.
    let code = ended.code.map_or(1, |code| u8::try_from(code).unwrap_or(1));
    Ok((code != 0).then_some(code))
}
