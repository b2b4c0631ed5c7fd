//! A process that may write anywhere but below one folder (verify.md 7.4, C). Only Linux has a way to ask for it that needs
//! no privilege; it cannot be undone, and children inherit it.

use std::io;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;

#[cfg(target_os = "linux")]
use super::handed::close_files;
#[cfg(target_os = "linux")]
use super::mounts;

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
/// That holds for other places where it is mounted, too. New entries directly in the folders above it are forbidden as well:
/// what may be written is named by what lies beside the ways down to it. Files that were handed down open are closed.
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
    let mut forbidden = vec![folder.clone()];
    forbidden.extend(
        mounts::aliases(&mounts::all()?, &folder)
            .into_iter()
            .map(|alias| alias.place),
    );
    let mut places = Vec::new();
    beside(Path::new("/"), &forbidden, &mut places)?;
    for path in places {
        // What cannot be opened cannot be written either.
        let Ok(place) = PathFd::new(&path) else { continue };
        let access = if path.is_dir() {
            writes
        } else {
            writes & AccessFs::from_file(ABI::V3)
        };
        rules = rules.add_rule(PathBeneath::new(place, access)).map_err(fail)?;
    }
    close_files()?;
    let status = rules.restrict_self().map_err(fail)?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok(()),
        RulesetStatus::PartiallyEnforced | RulesetStatus::NotEnforced => Err(Unconfined::Unsupported),
    }
}

/// What is below a folder and neither forbidden nor on the way to it.
#[cfg(target_os = "linux")]
fn beside(folder: &Path, forbidden: &[PathBuf], places: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        // What is not named stays forbidden.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_symlink() || forbidden.contains(&path) {
            continue;
        }
        match forbidden.iter().any(|forbidden| forbidden.starts_with(&path)) {
            true => beside(&path, forbidden, places)?,
            false => places.push(path),
        }
    }
    Ok(())
}

/// No other system has a way.
#[cfg(not(target_os = "linux"))]
pub fn confine(_folder: &Path) -> Result<(), Unconfined> {
    Err(Unconfined::Unsupported)
}
