//! Ending what has left the group of its command but not the namespace.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// How often it is looked again: who is being killed may just have started another.
const ROUNDS: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// A mount namespace that is not ours.
#[derive(Debug)]
pub struct MountNamespace {
    /// As the system names it.
    name: PathBuf,
    /// While it is open the system gives its name to no other: whoever is found under it is a member.
    _open: File,
}

impl MountNamespace {
    /// That of a process which has another than we have.
    ///
    /// # Errors
    /// If there is no such process, or it is none of ours; if its namespace is ours, whose members nobody wants to end.
    pub fn of(pid: u32) -> io::Result<Self> {
        let open = File::open(format!("/proc/{pid}/ns/mnt"))?;
        let name = fs::read_link(format!("/proc/self/fd/{}", open.as_raw_fd()))?;
        match name == mount_namespace(std::process::id())? {
            true => Err(io::Error::other("it has no mount namespace of its own")),
            false => Ok(Self { name, _open: open }),
        }
    }
}

fn mount_namespace(pid: u32) -> io::Result<PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/mnt"))
}

/// Kills all processes of a mount namespace but, it may be, one. Who has other rights than ours is not seen, and lives on.
pub fn end_members(namespace: &MountNamespace, but: Option<u32>) {
    for _ in 0..ROUNDS {
        let Ok(entries) = fs::read_dir("/proc") else {
            return;
        };
        let members: Vec<Pid> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid: &u32| Some(*pid) != but)
            .filter(|pid| mount_namespace(*pid).is_ok_and(|own| own == namespace.name))
            .filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?))
            .collect();
        if members.is_empty() {
            return;
        }
        for member in members {
            // It may have ended by itself.
            let _gone = kill_process(member, Signal::KILL);
        }
        std::thread::sleep(PAUSE);
    }
}
