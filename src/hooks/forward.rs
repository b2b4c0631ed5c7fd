//! Scripts that run the hooks of another folder, which git no longer looks into once ours is named (git.md 3.6).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::install::before;
use super::{Error, Hook, script};
use crate::files::is_executable;

/// The hooks that git documents beside ours, but for `fsmonitor-watchman`, `reference-transaction`, `proc-receive` and
/// `push-to-checkout`: their presence alone changes how git works, so none is made for a repository that may have none.
const OTHERS: [&str; 18] = [
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "prepare-commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "update",
    "post-receive",
    "post-update",
    "pre-auto-gc",
    "post-rewrite",
    "sendemail-validate",
    "p4-changelist",
    "p4-prepare-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "post-index-change",
];

/// For every hook of a folder that may run, of whatever name, a script that runs it, in the place where ours looks for a
/// former hook.
pub(super) fn forwards_to(former: &Path, target: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
    let entries = match fs::read_dir(former) {
        Ok(entries) => entries,
        // `/dev/null` is how hooks are turned off.
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(e) => return Err(Error::io(former, e)),
    };
    let mut out = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| Error::io(former, e))?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        // No hook of git's has a dot in its name: samples, and what stood before ours.
        if name.contains('.') || !is_executable(&path) {
            continue;
        }
        let at = target.join(&name);
        let at = if Hook::named(&name).is_some() {
            before(&at)
        } else {
            at
        };
        out.push((at, script::forward(&path)));
    }
    out.sort();
    Ok(out)
}

/// For every hook that git documents a script that runs the repository's own.
pub(super) fn forwards_to_repositories(target: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let ours = Hook::ALL.into_iter().filter(|hook| !hook.is_server());
    let ours = ours.map(|hook| (before(&target.join(hook.as_str())), hook.as_str()));
    let others = OTHERS.into_iter().chain([Hook::PreReceive.as_str()]);
    let others = others.map(|name| (target.join(name), name));
    ours.chain(others)
        .map(|(at, name)| (at, script::forward_to_repository(name)))
        .collect()
}
