//! This program started again for a sandboxed command (verify.md 7.4): as its shell, which forbids itself to write into the
//! project first, or as the holder of the layer above the project. Nobody else calls it.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::path::Path;

use super::complain;
use crate::process::become_shell;
use crate::verify::sandbox::{CONFINED, ENTER, LAYERED, PROBE, confine};

/// What a shell gives that cannot run what it is told to.
const CANNOT_RUN: u8 = 126;

/// Does its work if the words ask for it; the exit code.
pub(super) fn run(words: &[OsString]) -> Option<u8> {
    match words {
        [word, folder, text] if word == CONFINED => Some(shell(confine(Path::new(folder)), text)),
        [word, folder] if word == PROBE => {
            let folder = Path::new(folder);
            let held = match confine(folder) {
                Ok(()) if tempfile::NamedTempFile::new_in(folder).is_err() => return Some(0),
                Ok(()) => "what was forbidden can be done".to_owned(),
                Err(error) => error.to_string(),
            };
            complain(&held);
            Some(1)
        }
        [word, holder, project, text] if word == ENTER => {
            Some(shell(enter(holder.to_str(), Path::new(project)), text))
        }
        [word, project, private] if word == LAYERED => {
            Some(match hold(Path::new(project), Path::new(private)) {
                Ok(()) => 0,
                Err(_) => 1,
            })
        }
        _ => None,
    }
}

/// Becomes the shell, if what comes before it has gone well.
fn shell<E: Display>(ready: Result<(), E>, text: &OsStr) -> u8 {
    match ready {
        Ok(()) => complain(&format!("git-spec: {}", become_shell(text))),
        Err(error) => complain(&format!("git-spec: {error}")),
    }
    CANNOT_RUN
}

#[cfg(target_os = "linux")]
fn enter(holder: Option<&str>, project: &Path) -> std::io::Result<()> {
    let holder = holder.and_then(|holder| holder.parse().ok());
    let holder = holder.ok_or(std::io::ErrorKind::InvalidInput)?;
    crate::verify::sandbox::enter(holder, project)
}

#[cfg(target_os = "linux")]
fn hold(project: &Path, private: &Path) -> std::io::Result<()> {
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
    crate::verify::sandbox::hold(project, private, &mut input, &mut out)
}

/// Elsewhere there is no layer.
#[cfg(not(target_os = "linux"))]
fn enter(_: Option<&str>, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn hold(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
