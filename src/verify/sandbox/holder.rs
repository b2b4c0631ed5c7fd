//! A process that holds the namespaces of a command, and how the command's shell gets into them (verify.md 7.4, B and E).

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::chdir;
use rustix::thread::{
    CapabilitySet, LinkNameSpaceType, move_into_link_name_space, remove_capability_from_bounding_set,
    set_no_new_privs,
};

use super::handed::close_files;
use super::{ENTER, Means};
use crate::process::{Helper, Through};

/// What it hears when the users and groups of its namespace are mapped.
pub(super) const MAPPED: &str = "mapped";
/// What it says when the command may come.
pub(super) const READY: &str = "ready";

/// Waits for a word of the holder; what else it says is why it cannot.
pub(super) fn expect(holder: &mut Helper, word: &str) -> io::Result<()> {
    let heard = holder.hear()?;
    match heard == word {
        true => Ok(()),
        false => Err(io::Error::other(heard)),
    }
}

/// What starts a shell in the namespaces of a holder, in the folder where the holder is.
pub(super) fn way_in(means: &Means, holder: u32, folder: &Path) -> Through {
    let args: [OsString; 3] = [ENTER.into(), holder.to_string().into(), folder.into()];
    (means.program.clone(), args.to_vec())
}

/// Enters the namespaces of a process that holds them, goes to the folder where it is, and gives up what could undo its
/// mounts (verify.md 7.4, B and E).
///
/// Without `CAP_SYS_ADMIN` there, nobody takes a mount away or makes it writable, and in namespaces below it stays locked;
/// without `CAP_SYS_PTRACE` nobody makes the holder do it.
pub fn enter(holder: u32, folder: &Path) -> io::Result<()> {
    let of_holder = |name: &str| format!("/proc/{holder}/{name}");
    let there = fs::metadata(of_holder("cwd"))?;
    let (users, mounts) = (
        File::open(of_holder("ns/user"))?,
        File::open(of_holder("ns/mnt"))?,
    );
    move_into_link_name_space(users.as_fd(), Some(LinkNameSpaceType::User))?;
    move_into_link_name_space(mounts.as_fd(), Some(LinkNameSpaceType::Mount))?;
    drop((users, mounts));
    chdir(folder)?;
    let here = fs::metadata(".")?;
    if (here.dev(), here.ino()) != (there.dev(), there.ino()) {
        return Err(io::Error::other("the folder is not what the holder has there"));
    }
    close_files()?;
    for capability in [CapabilitySet::SYS_ADMIN, CapabilitySet::SYS_PTRACE] {
        remove_capability_from_bounding_set(capability)?;
    }
    set_no_new_privs(true)?;
    Ok(())
}
