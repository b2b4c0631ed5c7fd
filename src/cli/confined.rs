//! This program started again for a sandboxed command (verify.md 7.4): as its shell, which forbids itself to write into the
//! project first, or as what makes and holds the namespaces in which it runs. Nobody else calls it.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::path::Path;

use super::complain;
use crate::process::become_shell;
use crate::verify::sandbox::{CONFINED, PROBE, confine};

/// What a shell gives that cannot run what it is told to.
const CANNOT_RUN: u8 = 126;

/// Does its work if the words ask for it; the exit code.
pub(super) fn run(words: &[OsString]) -> Option<u8> {
    match words {
        [word, folder, text] if word == CONFINED => Some(shell(confine(Path::new(folder)), text)),
        [word, folder] if word == PROBE => {
            let folder = Path::new(folder);
            Some(told(match confine(folder) {
                Ok(()) if tempfile::NamedTempFile::new_in(folder).is_err() => Ok(()),
                Ok(()) => Err("what was forbidden can be done".to_owned()),
                Err(error) => Err(error.to_string()),
            }))
        }
        _ => with_namespaces(words),
    }
}

#[cfg(target_os = "linux")]
fn with_namespaces(words: &[OsString]) -> Option<u8> {
    use std::io::{Write, stdin, stdout};

    use crate::verify::sandbox::{
        BIND, BOUND, BOUND_PROBE, ENTER, LAYERED, bind, enter, hold, hold_bound, probe_bound,
    };

    let number = |word: &OsString| word.to_str()?.parse().ok();
    let silent = |ended: std::io::Result<()>| u8::from(ended.is_err());
    match words {
        [word, holder, folder, text] if word == ENTER => {
            Some(shell(enter(number(holder)?, Path::new(folder)), text))
        }
        [word, project, private] if word == LAYERED => {
            let (project, private) = (Path::new(project), Path::new(private));
            Some(silent(hold(
                project,
                private,
                &mut stdin().lock(),
                &mut stdout().lock(),
            )))
        }
        [word, bwrap, program, project, copy] if word == BIND => {
            let (bwrap, program) = (Path::new(bwrap), Path::new(program));
            let Err(error) = bind(bwrap, program, Path::new(project), Path::new(copy));
            // Who waits for what `bwrap` says hears this in its place, or is gone.
            let _unheard = writeln!(stdout(), "{error}");
            Some(1)
        }
        [word, _] if word == BOUND => Some(silent(hold_bound(&mut stdin().lock(), &mut stdout().lock()))),
        [word, holder, project, copy] if word == BOUND_PROBE => {
            let (project, copy) = (Path::new(project), Path::new(copy));
            Some(told(probe_bound(number(holder)?, project, copy)))
        }
        _ => None,
    }
}

/// Elsewhere there are none.
#[cfg(not(target_os = "linux"))]
fn with_namespaces(_: &[OsString]) -> Option<u8> {
    None
}

/// Becomes the shell, if what comes before it has gone well.
fn shell<E: Display>(ready: Result<(), E>, text: &OsStr) -> u8 {
    match ready {
        Ok(()) => complain(&format!("git-spec: {}", become_shell(text))),
        Err(error) => complain(&format!("git-spec: {error}")),
    }
    CANNOT_RUN
}

/// Says what a probe has found wrong.
fn told<E: Display>(probed: Result<(), E>) -> u8 {
    match probed {
        Ok(()) => 0,
        Err(error) => {
            complain(&error.to_string());
            1
        }
    }
}
