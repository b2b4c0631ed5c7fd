//! The side of the child: it makes the namespaces and the layer.

use std::io::{self, BufRead, Write};
use std::os::fd::AsRawFd;
use std::path::Path;

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{Mode, OFlags, XattrFlags};
use rustix::mount::{MountFlags, mount, mount_bind};
use rustix::process::chdir;

use super::{OPAQUE, UNSHARED, UPPER, WORK};
use crate::verify::sandbox::handed::close_files;
use crate::verify::sandbox::holder::{MAPPED, READY};
use crate::verify::sandbox::mounts;

/// Makes a user and a mount namespace with a layer above the project, and keeps them until the input ends.
///
/// Mapping users is up to who started us: he has rights that we have given up.
pub fn hold(project: &Path, private: &Path, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<()> {
    let mut tell = |line: &str| -> io::Result<()> {
        writeln!(out, "{}", line.replace('\n', " "))?;
        out.flush()
    };
    let both = CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS;
    match close_files().and_then(|()| Ok(unshare(both)?)) {
        Ok(()) => tell(UNSHARED)?,
        Err(error) => return tell(&format!("no namespaces: {error}")),
    }
    let mut line = String::new();
    input.read_line(&mut line)?;
    if line.trim_end() != MAPPED {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    match lay(project, private) {
        Ok(()) => tell(READY)?,
        Err(error) => return tell(&error.to_string()),
    }
    input.read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Lays the layer above the project, wherever the project can be reached, and looks whether it holds.
fn lay(project: &Path, private: &Path) -> io::Result<()> {
    let mounts = mounts::all()?;
    if mounts::below(&mounts, project).next().is_some() {
        return Err(io::Error::other("something is mounted inside the project"));
    }
    let aliases = mounts::aliases(&mounts, project);
    let open = |path: &Path| {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty())
    };
    let (lower, upper, work) = (
        open(project)?,
        open(&private.join(UPPER))?,
        open(&private.join(WORK))?,
    );
    // A folder that was removed and made anew is marked so; without marks the removed content would come back.
    let marked = private.join(UPPER);
    rustix::fs::setxattr(&marked, OPAQUE, b"n", XattrFlags::empty())?;
    rustix::fs::removexattr(&marked, OPAQUE)?;
    // Numbers, since a path may hold a comma or a colon.
    let options = format!(
        "lowerdir=/proc/self/fd/{},upperdir=/proc/self/fd/{},workdir=/proc/self/fd/{},userxattr",
        lower.as_raw_fd(),
        upper.as_raw_fd(),
        work.as_raw_fd(),
    );
    let options = std::ffi::CString::new(options)?;
    mount(
        "overlay",
        project,
        "overlay",
        MountFlags::empty(),
        options.as_c_str(),
    )?;
    for alias in aliases {
        mount_bind(project.join(&alias.inside), &alias.place)?;
    }
    probe(
        project,
        &format!("/proc/self/fd/{}", lower.as_raw_fd()),
        &private.join(UPPER),
    )?;
    // Who changes the layer behind its back changes what is judged.
    mount(
        "tmpfs",
        private,
        "tmpfs",
        MountFlags::RDONLY,
        c"size=4k,mode=0700",
    )?;
    // Nothing of this process leads to the project itself.
    chdir(project)?;
    Ok(())
}

/// Whether what is written arrives in the layer, and not in the project.
fn probe(project: &Path, lower: &str, upper: &Path) -> io::Result<()> {
    let file = tempfile::Builder::new()
        .prefix(".git-spec-")
        .tempfile_in(project)?;
    let name = file.path().file_name().unwrap_or_default();
    let is_through = Path::new(lower).join(name).symlink_metadata().is_ok();
    if is_through || !upper.join(name).is_file() {
        return Err(io::Error::other("what is written does not go to the layer"));
    }
    file.close()
}
