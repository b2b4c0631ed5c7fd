//! This program started again as the shell of a sandboxed command (verify.md 7.4): it forbids itself to write into the
//! project, and then becomes the shell. Nobody else calls it.

use std::ffi::OsString;
use std::path::Path;

use super::complain;
use crate::process::become_shell;
use crate::verify::sandbox::{CONFINED, PROBE, confine};

/// Does its work if the words ask for it; the exit code.
pub(super) fn run(words: &[OsString]) -> Option<u8> {
    match words {
        [word, folder, text] if word == CONFINED => {
            if let Err(error) = confine(Path::new(folder)) {
                complain(&format!("git-spec: {error}"));
                return Some(126);
            }
            complain(&format!("git-spec: {}", become_shell(text)));
            Some(126)
        }
        [word, folder] if word == PROBE => {
            let folder = Path::new(folder);
            let held = confine(folder).is_ok() && tempfile::NamedTempFile::new_in(folder).is_err();
            Some(u8::from(!held))
        }
        _ => None,
    }
}
