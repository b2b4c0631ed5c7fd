//! A layer above the project, at its own path, in a user and a mount namespace of the command (verify.md 7.4, E).
//!
//! Nothing is copied. What the command writes goes to the upper folder of an overlay in this run's private folder: that is
//! the audit, and what is brought back is read through the overlay. A child of ours, the holder, makes the namespaces and
//! the mounts and looks whether they hold; the command's shell enters them.
//!
//! **What must not happen meanwhile.** The kernel leaves open what an overlay shows of a lower file that changes while it
//! is mounted. We change nothing in the project between its mount and the end of the command: ledgers are emptied and old
//! reports removed before it, and what is brought back is written after the command and all it started have ended and the
//! audit is made; a file that is read then comes from the upper folder, which no change below touches. What others
//! change meanwhile is seen by the command as if it ran in the project, but for files that it has written itself; it is
//! never written over, unless it is a result.
//!
//! **Other ways to the project.** Bind mounts of it are covered by the layer as well; open folders and files that were
//! handed down are closed; `/proc/<pid>/root`, `cwd` and `fd` of processes outside are refused by the kernel, since they
//! belong to another user namespace, and so is `ptrace`; the layer cannot be unmounted (see `holder::enter`). What remains, as with
//! every other way: other names (hard links) of a project's file elsewhere; services that run outside and do what the command
//! asks them (a container engine, a session bus, `cron`); for root, raw block devices.
//!
//! **When it is not to be had**: where users cannot have namespaces; where the folder of sandboxes cannot hold an upper
//! layer; where something is mounted inside the project, since a layer does not show it; where something in the project belongs to a user or a
//! group that the namespace does not know, since it could not be written. Renaming a folder of the project fails with `EXDEV`, as
//! across file systems, and programs copy it then: redirects, which the audit would have to follow, are off (`userxattr`).

mod audit;
mod inside;

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use super::holder::{MAPPED, READY, expect, way_in};
use super::isolation::{Ground, Isolation, Unprepared};
use super::private::Private;
use super::survey::has_exempt;
use super::{LAYERED, ids};
use crate::files::{RepoPath, WorkTree};
use crate::process::{Ended, Helper, MountNamespace, Run, Shell, Through, end_members};

pub use inside::hold;

/// What the command changed.
const UPPER: &str = "upper";
/// The kernel's own, beside it.
const WORK: &str = "work";
/// The mark of a folder that hides what the project has in its place.
const OPAQUE: &str = "user.overlay.opaque";

/// What the holder says when it has its namespaces.
const UNSHARED: &str = "unshared";

/// The layer, taken away when it is dropped.
pub(super) struct Overlay {
    real: PathBuf,
    had_exempt: bool,
    through: Through,
    /// The project as the command sees it: a folder that has no path out here.
    view: File,
    namespace: MountNamespace,
    holder: Helper,
    private: Private,
}

impl Overlay {
    /// Mounts the layer, and starts a shell there that does nothing.
    pub(super) fn prepare(ground: &Ground<'_>) -> Result<Self, Unprepared> {
        let unavailable = |error: io::Error| Unprepared::Unavailable(error.to_string());
        let layer = Self::mount(ground).map_err(unavailable)?;
        let (program, args) = &layer.through;
        let probe = Run::new(program)
            .args(args)
            .arg(":")
            .output()
            .map_err(unavailable)?;
        match probe.success() {
            true => Ok(layer),
            false => Err(Unprepared::Unavailable(probe.complaint())),
        }
    }

    fn mount(ground: &Ground<'_>) -> io::Result<Self> {
        let Ground { real, means, .. } = *ground;
        let private = ground.root.folder()?;
        fs::create_dir(private.path().join(WORK))?;
        make_like(&private.path().join(UPPER), real)?;
        let args = [LAYERED.as_ref(), real.as_os_str(), private.path().as_os_str()];
        let mut holder = Helper::start(&means.program, args)?;
        expect(&mut holder, UNSHARED)?;
        let known = ids::map(holder.id())?;
        if !ground.survey.owners.iter().all(|owner| known.has(*owner)) {
            return Err(io::Error::other("not all files in it are of known users"));
        }
        holder.tell(MAPPED)?;
        expect(&mut holder, READY)?;
        let id = holder.id();
        Ok(Self {
            real: real.to_owned(),
            had_exempt: ground.survey.has_exempt,
            through: way_in(means, id, real),
            view: File::open(format!("/proc/{id}/cwd"))?,
            namespace: MountNamespace::of(id)?,
            holder,
            private,
        })
    }
}

/// Makes the folder that lends the project's its mode and owner.
fn make_like(folder: &Path, other: &Path) -> io::Result<()> {
    fs::create_dir(folder)?;
    let (found, like) = (fs::metadata(folder)?, fs::metadata(other)?);
    if (found.uid(), found.gid()) != (like.uid(), like.gid()) {
        chown(folder, Some(like.uid()), Some(like.gid()))?;
    }
    fs::set_permissions(folder, like.permissions())
}

impl Isolation for Overlay {
    fn folder(&self) -> &Path {
        self.private.path()
    }

    fn run(&self, shell: Shell) -> io::Result<(Ended, Vec<u8>)> {
        let shell = Shell {
            dir: self.real.clone(),
            through: Some(self.through.clone()),
            ends_all: true,
            ..shell
        };
        let ended = shell.run_reading();
        // Who has left the group is still in the namespace, and would go on writing to the layer.
        end_members(&self.namespace, Some(self.holder.id()));
        ended
    }

    fn tree(&self) -> WorkTree {
        WorkTree::without_a_path(Path::new(&format!("/proc/self/fd/{}", self.view.as_raw_fd())))
    }

    fn changed_paths(&self) -> io::Result<Vec<PathBuf>> {
        audit::changes(&self.folder().join(UPPER), &self.real)
    }

    fn has_exempt(&self) -> bool {
        self.had_exempt || has_exempt(&self.folder().join(UPPER))
    }

    fn open(&self, path: &RepoPath) -> Result<Option<File>, String> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let name = std::ffi::OsStr::from_bytes(path.as_bytes());
        let opened = match openat2(&self.view, name, flags, Mode::empty(), beneath) {
            Ok(opened) => File::from(opened),
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
            Err(Errno::XDEV) => return Err("it lies outside of the project".to_owned()),
            Err(Errno::LOOP | Errno::NXIO) => return Err("it is no regular file".to_owned()),
            Err(error) => return Err(error.to_string()),
        };
        let found = opened.metadata().map_err(|error| error.to_string())?;
        match found.is_file() {
            true => Ok(Some(opened)),
            false => Err("it is no regular file".to_owned()),
        }
    }
}
