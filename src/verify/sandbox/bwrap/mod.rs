//! A private copy whose commands run where the project is mounted read-only, by the program `bwrap` (verify.md 7.4, B).
//!
//! `bwrap` makes a user and a mount namespace in which everything is as outside but the project, wherever it can be
//! reached: there nothing can be written, and neither can modes, times and attributes be changed. A child of it, the holder,
//! is this program; the command's shell enters its namespaces, as it does with a layer. So the shell is a child of ours as
//! everywhere: how it ended is not told by `bwrap`, which would turn a signal into a number, and it is ended with its
//! group, and with all that are in the namespace. A new session would take the command out of that group; a process
//! namespace of its own would need a `/proc` of its own, which containers often do not allow, and is not needed.
//!
//! Users and groups are mapped by us: `bwrap` itself would know one of each, and root could then give no file away.
//!
//! **When it is not to be had**: where none is found, or none that the project could not have brought ([`find`]); where
//! it may not make namespaces; where it runs with other rights than ours (set-uid), since then we may not map. What remains
//! as a way to the project is what remains with a layer (see the module `overlay`). As there, a folder above the project can
//! be renamed; what is mounted goes with it.

mod find;
mod inside;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::copy::Copy;
use super::holder::{MAPPED, READY, expect, way_in};
use super::isolation::{Ground, Isolation, Unprepared};
use super::private::Private;
use super::{BIND, BOUND_PROBE, ids};
use crate::files::{RepoPath, WorkTree};
use crate::process::{Ended, Helper, MountNamespace, Run, Shell, end_members};

pub use find::find;
pub use inside::{bind, hold_bound, probe_bound};

/// The copy, and what keeps the project from being written.
pub(super) struct Bound {
    // It goes first: who is in the namespace may be at work in the copy.
    namespace: Namespace,
    copy: Copy,
}

/// The namespace, all in it ended when it is dropped.
struct Namespace {
    mounts: MountNamespace,
    holder: u32,
    _bwrap: Helper,
}

/// What `bwrap` tells of itself.
#[derive(Deserialize)]
struct Info {
    /// The process that becomes the holder.
    #[serde(rename = "child-pid")]
    child: u32,
}

impl Bound {
    /// Makes the namespace, and looks from inside whether it holds; then the copy.
    pub(super) fn prepare(ground: &Ground<'_>) -> Result<Self, Unprepared> {
        let private = ground.root.folder().map_err(Unprepared::NoCopy)?;
        let namespace =
            Namespace::make(ground, &private).map_err(|error| Unprepared::Unavailable(error.to_string()))?;
        let way = way_in(ground.means, namespace.holder, private.path());
        let copy = Copy::fill_in(ground, private, Some(way))?;
        Ok(Self { namespace, copy })
    }
}

impl Namespace {
    fn make(ground: &Ground<'_>, private: &Private) -> io::Result<Self> {
        let Ground { real, means, .. } = *ground;
        let bwrap = means.bwrap.as_deref();
        let bwrap = bwrap.ok_or_else(|| io::Error::other("there is none to be used on `PATH`"))?;
        let args: [&OsStr; 5] = [
            BIND.as_ref(),
            bwrap.as_ref(),
            means.program.as_ref(),
            real.as_ref(),
            private.path().as_ref(),
        ];
        let mut bwrap = Helper::start(&means.program, args)?;
        let holder = holder_of(&mut bwrap)?;
        ids::map(holder)?;
        bwrap.tell(MAPPED)?;
        expect(&mut bwrap, READY)?;
        let namespace = Self {
            mounts: MountNamespace::of(holder)?,
            holder,
            _bwrap: bwrap,
        };
        let probe = Run::new(&means.program)
            .args([BOUND_PROBE, &holder.to_string()])
            .arg(real)
            .arg(private.path())
            .output()?;
        match probe.success() {
            true => Ok(namespace),
            false => Err(io::Error::other(probe.complaint())),
        }
    }
}

impl Drop for Namespace {
    /// The program that made it has no signal to give to its child when we end it, but the kernel's, at some time.
    fn drop(&mut self) {
        end_members(&self.mounts, None);
    }
}

/// Reads which process is to be the holder; what else is said is why there is none.
fn holder_of(bwrap: &mut Helper) -> io::Result<u32> {
    let mut told = String::new();
    loop {
        told += &bwrap.hear()?;
        match serde_json::from_str::<Info>(&told) {
            Ok(info) => return Ok(info.child),
            Err(error) if error.is_eof() => {}
            Err(_) => return Err(io::Error::other(told)),
        }
    }
}

impl Isolation for Bound {
    fn folder(&self) -> &Path {
        self.copy.folder()
    }

    fn run(&self, shell: Shell) -> io::Result<(Ended, Vec<u8>)> {
        let ended = self.copy.run(shell);
        // Who has left the group is still in the namespace, and would go on writing to the copy.
        end_members(&self.namespace.mounts, Some(self.namespace.holder));
        ended
    }

    fn tree(&self) -> WorkTree {
        self.copy.tree()
    }

    fn changed_paths(&self) -> io::Result<Vec<PathBuf>> {
        self.copy.changed_paths()
    }

    fn has_exempt(&self) -> bool {
        self.copy.has_exempt()
    }

    fn open(&self, path: &RepoPath) -> Result<Option<File>, String> {
        self.copy.open(path)
    }
}
