//! The locks of the baseline, one for each module (logos-project.md 10.4): taken beside the lock of the project, and what
//! an earlier commit left is ended under them.

use std::collections::BTreeSet;

use super::Context;
use super::trouble::{Trouble, through_trouble};
use crate::baseline::journal;
use crate::baseline::lock::{self, Held};
use crate::baseline::recovery::{self, Unsettled};
use crate::files::{Owner, PeerLock, PeerLockError, Writer};
use crate::process;
use crate::say;
use crate::voice::{Fail, Say, Voice};

/// Locks that are held; they have to go before the writer they were taken with.
#[derive(Default)]
pub(super) struct ModuleLocks {
    held: Vec<PeerLock>,
}

impl Drop for ModuleLocks {
    fn drop(&mut self) {
        // The first one has made the folder of all.
        while self.held.pop().is_some() {}
    }
}

/// Why the modules could not be locked.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Held(Held),
    #[error("there are no random numbers: {0}")]
    NoNonce(getrandom::Error),
    #[error("a module cannot be locked: {0}")]
    Lock(PeerLockError),
    #[error(transparent)]
    Unsettled(#[from] Unsettled),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Held(held) => held.say(voice),
            Self::NoNonce(error) => say!(
                voice,
                "the system has no random numbers: {error}",
                "系统无法提供随机数：{error}"
            ),
            Self::Lock(error) => say!(voice, "{error}", "无法为模块加锁：{error}"),
            Self::Unsettled(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Held(_) | Self::Unsettled(Unsettled::Journal { .. } | Unsettled::Lost { .. }) => {
                "BASELINE_COMMIT_IN_PROGRESS"
            }
            Self::NoNonce(_) | Self::Lock(_) => "PROJECT_NOT_WRITTEN",
            Self::Unsettled(Unsettled::Registry(error)) => error.code(),
            Self::Unsettled(Unsettled::Read(_)) => "PROJECT_UNREADABLE",
            Self::Trouble(error) => error.code(),
        }
    }
}

/// 16 random bytes as hexadecimal digits.
pub(super) fn nonce() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(Error::NoNonce)?;
    Ok(bytes
        .iter()
        .fold(String::new(), |hex, b| hex + &format!("{b:02x}")))
}

/// Takes the locks of modules and ends what commits of theirs have left.
pub(super) fn take(ctx: &Context, writer: &Writer, modules: &BTreeSet<String>) -> Result<ModuleLocks, Error> {
    let pid = std::process::id();
    let millis = ctx.now.millis();
    let owner = Owner {
        pid,
        at: millis.into(),
        token: format!("{pid}-{millis}-{}", nonce()?),
    };
    let mut locks = ModuleLocks::default();
    for module in modules {
        let lock = writer.peer_lock(&lock::path(module), &owner, &process::is_alive);
        locks.held.push(lock.map_err(|error| match error {
            PeerLockError::Held { path, pid } => Error::Held(Held { path, pid }),
            error @ PeerLockError::Io { .. } => Error::Lock(error),
        })?);
    }
    for module in modules {
        recover(ctx, writer, module)?;
    }
    Ok(locks)
}

/// Takes the locks of all modules.
pub(super) fn take_all(ctx: &Context, writer: &Writer) -> Result<ModuleLocks, Error> {
    let modules = lock::modules(&writer.tree())?;
    take(ctx, writer, &modules)
}

fn recover(ctx: &Context, writer: &Writer, module: &str) -> Result<(), Error> {
    let tree = writer.tree();
    for unfinished in journal::unfinished(&tree, Some(module))? {
        let edits = recovery::settle(&tree, &unfinished, ctx.now)?;
        writer.apply(&edits)?;
        for path in unfinished.written() {
            writer.tidy(&path)?;
        }
    }
    Ok(())
}
