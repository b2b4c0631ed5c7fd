//! The writing commands: lock, read, transition, write (state.md 6, 9).

use super::arguments::Arguments;
use super::intent::{self, Asked};
use super::place::Place;
use super::{Answered, Context, Told};
use crate::files::{PidLock, PidLockRule};
use crate::process::is_alive;
use crate::state::planning::Planning;
use crate::state::transition::{ARCHIVE, Deps, Intent, transition_core};
use crate::state::{Error, read};

pub(super) const STATE: &str = "STATE.md";
pub(super) const WAITING: &str = "WAITING.json";
/// What the name of a copy begins with.
pub(super) const BACKUP: &str = "STATE.md.bak-";

/// Takes the lock of STATE.md, and clears away what dead writers have left.
pub(super) fn lock(place: &Place) -> Result<PidLock, Error> {
    let rule = PidLockRule::of_state(place.file("STATE.md.lock"));
    let lock = PidLock::acquire(&rule, &is_alive, &chance)?;
    lock.clear_left_over(&is_written, &is_alive)
        .map_err(|source| failed(place, "", source))?;
    Ok(lock)
}

/// Whether a file of `.planning/` is one that these commands write.
fn is_written(name: &str) -> bool {
    [STATE, ARCHIVE, WAITING].contains(&name) || name.starts_with(BACKUP)
}

/// A number that two waiting processes do not share.
fn chance() -> u64 {
    let mut bytes = [0; 8];
    // Without randomness the process ids spread them.
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        Err(_) => u64::from(std::process::id()).wrapping_mul(0x9e37_79b9_7f4a_7c15),
    }
}

/// Writes a file of `.planning/` while the lock is held.
pub(super) fn replace(place: &Place, lock: &PidLock, name: &str, content: &[u8]) -> Result<(), Error> {
    lock.replace(&place.file(name), content)
        .map_err(|source| failed(place, name, source))
}

pub(super) fn failed(place: &Place, name: &str, source: std::io::Error) -> Error {
    Error::Write {
        path: place.file(name).display().to_string(),
        source,
    }
}

pub(super) fn write(context: &Context, place: &Place, arguments: &Arguments) -> Result<Answered, Error> {
    let intent = match intent::of(context, place, arguments)? {
        Asked::Intent(intent) => intent,
        Asked::Refused(done) => {
            place.read()?.ok_or(Error::NotFound)?;
            return Ok(Answered::of(Told::Done(Box::new(done))));
        }
    };
    let creates = matches!(intent, Intent::MilestoneSwitch { .. });
    if place.read()?.is_none() && !creates {
        return Err(Error::NotFound);
    }
    if creates {
        crate::files::make_folder(&place.file("")).map_err(|source| failed(place, "", source))?;
    }
    let lock = lock(place)?;
    let bytes = match place.read()? {
        Some(bytes) => bytes,
        None if creates => b"# Project State\n".to_vec(),
        None => return Err(Error::NotFound),
    };
    let content = read::text(&bytes)?;
    let version = read::stored_version(content);
    let tree = place.tree();
    let planning = Planning::new(&tree, version.as_deref());
    let archive = if matches!(intent, Intent::Prune { .. }) {
        place.text(ARCHIVE)?
    } else {
        None
    };
    let moment = place.moment(context);
    let deps = Deps {
        planning: &planning,
        moment: &moment,
        archive: archive.as_deref(),
    };
    let outcome = transition_core(content, &intent, &deps)?;
    // The archive first: a run that is killed between the two has lost nothing, and the next one adds nothing twice.
    if let Some(archive) = &outcome.archive {
        replace(place, &lock, ARCHIVE, archive.as_bytes())?;
    }
    if let Some(new) = &outcome.content {
        replace(place, &lock, STATE, new.as_bytes())?;
    }
    Ok(Answered {
        told: Told::Done(Box::new(outcome.done)),
        disagreements: outcome.disagreements,
        warnings: outcome.warnings,
        unclosed: false,
    }
    .warn_unclosed(content))
}
