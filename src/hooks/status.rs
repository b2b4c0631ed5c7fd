//! Which hooks are there, and whether git reaches them from every work tree (git.md 3.6).

use std::fs;
use std::path::{Path, PathBuf};

use super::install::{Before, is_reached, own_folder};
use super::place::{Reach, Scope};
use super::script::{self, manager};
use super::{Error, Hook};
use crate::files::is_executable;
use crate::git::Repository;

/// What stands in the place of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Installed,
    Absent,
    Foreign,
    Managed,
    /// Ours, for another program or of another version.
    Outdated,
    /// Ours, changed by hand.
    Changed,
    /// Turned off by `spec.hook.<name>`.
    Off,
}

impl State {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Absent => "absent",
            Self::Foreign => "foreign",
            Self::Managed => "managed",
            Self::Outdated => "outdated",
            Self::Changed => "changed",
            Self::Off => "off",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookStatus {
    pub hook: Hook,
    pub state: State,
    /// What stood there before it, which runs first if it may.
    pub before: Before,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Where git looks for hooks in the main work tree.
    pub folder: PathBuf,
    pub scope: Scope,
    pub hooks: Vec<HookStatus>,
    /// Each work tree, and whether git finds in it the hooks that are installed.
    pub worktrees: Vec<(PathBuf, bool)>,
}

/// The status of these hooks, whose scripts call `program`.
pub fn status(repository: &Repository, hooks: &[Hook], program: &Path) -> Result<Status, Error> {
    let reaches = Reach::all(repository)?;
    let main = reaches.first().ok_or(crate::git::Error::NotARepository)?;
    let of = |hook: &Hook| {
        let at = main.folder.join(hook.as_str());
        let off = repository.setting(&format!("spec.hook.{}", hook.as_str()));
        let state = match fs::read(&at) {
            Err(_) if at.symlink_metadata().is_err() => State::Absent,
            Ok(script) if script::is_ours(&script) => {
                if !script::is_unchanged(*hook, &script) {
                    State::Changed
                } else if off.is_some_and(|value| value == "off") {
                    State::Off
                } else if script == script::script(*hook, program) && is_executable(&at) {
                    State::Installed
                } else {
                    State::Outdated
                }
            }
            Ok(script) if manager(&main.folder, &script).is_some() => State::Managed,
            Err(_) | Ok(_) => State::Foreign,
        };
        HookStatus {
            hook: *hook,
            state,
            before: Before::of(&at),
        }
    };
    let found: Vec<HookStatus> = hooks.iter().map(of).collect();
    let ours =
        |status: &&HookStatus| !matches!(status.state, State::Absent | State::Foreign | State::Managed);
    let installed: Vec<Hook> = found.iter().filter(ours).map(|status| status.hook).collect();
    let installed = if installed.is_empty() {
        hooks.to_vec()
    } else {
        installed
    };
    // A folder of ours is set in the clone's configuration by us, not by the user.
    let own = main.scope == Scope::Local && main.folder == own_folder(repository);
    let scope = if own { Scope::Global } else { main.scope };
    Ok(Status {
        folder: main.folder.clone(),
        scope,
        hooks: found,
        worktrees: reaches
            .iter()
            .map(|reach| (reach.worktree.clone(), is_reached(reach, &installed)))
            .collect(),
    })
}

/// Hooks of the folder that git looked in before ours was set in its place, which nothing runs any more (git.md 9).
pub fn unforwarded(repository: &Repository) -> Result<Vec<PathBuf>, Error> {
    let own = own_folder(repository);
    let folders = repository.settings("core.hooksPath");
    if folders.last().map(PathBuf::from).as_ref() != Some(&own) {
        return Ok(Vec::new());
    }
    let Some(former) = folders
        .iter()
        .rev()
        .map(PathBuf::from)
        .find(|folder| *folder != own)
    else {
        return Ok(Vec::new());
    };
    let wanted = super::forward::forwards_to(&former, &own)?;
    let missing = wanted
        .into_iter()
        .filter(|(at, _)| at.symlink_metadata().is_err());
    let name = |at: PathBuf| {
        let name = at.file_name()?.to_string_lossy().into_owned();
        Some(former.join(name.split('.').next().unwrap_or_default()))
    };
    Ok(missing.filter_map(|(at, _)| name(at)).collect())
}
