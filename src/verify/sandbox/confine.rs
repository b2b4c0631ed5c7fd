//! A process that may write anywhere but below one folder (verify.md 7.4, C). Only Linux has a way to ask for it that needs
//! no privilege; it cannot be undone, and children inherit it.

use std::io;
use std::path::Path;

/// Why a process was not confined.
#[derive(Debug, thiserror::Error)]
pub enum Unconfined {
    #[error("this system has no way to forbid writing")]
    Unsupported,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Forbids this process, and all that it starts, to write below `folder`.
///
/// New entries directly in the folders above it are forbidden too: what may be written is named by what lies beside the way
/// down to it.
#[cfg(target_os = "linux")]
pub fn confine(folder: &Path) -> Result<(), Unconfined> {
    use landlock::{
        ABI, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetStatus,
    };
    let fail = |error: landlock::RulesetError| io::Error::other(error);
    // Truncation is known from the third version on.
    let writes = AccessFs::from_write(ABI::V3);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(writes)
        .map_err(|_| Unconfined::Unsupported)?
        .create()
        .map_err(|_| Unconfined::Unsupported)?
        .set_compatibility(CompatLevel::BestEffort);
    let folder = folder.canonicalize()?;
    let mut way = folder.as_path();
    while let Some(above) = way.parent() {
        for entry in std::fs::read_dir(above)? {
            let path = entry?.path();
            if path == way || path.is_symlink() {
                continue;
            }
            // What cannot be opened cannot be written either.
            let Ok(place) = PathFd::new(&path) else { continue };
            let access = if path.is_dir() {
                writes
            } else {
                writes & AccessFs::from_file(ABI::V3)
            };
            rules = rules.add_rule(PathBeneath::new(place, access)).map_err(fail)?;
        }
        way = above;
    }
    let status = rules.restrict_self().map_err(fail)?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok(()),
        RulesetStatus::PartiallyEnforced | RulesetStatus::NotEnforced => Err(Unconfined::Unsupported),
    }
}

/// No other system has a way.
#[cfg(not(target_os = "linux"))]
pub fn confine(_folder: &Path) -> Result<(), Unconfined> {
    Err(Unconfined::Unsupported)
}
