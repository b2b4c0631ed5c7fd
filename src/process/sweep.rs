//! Ending what has left the group of its command but not the namespace.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// How often it is looked again: who is being killed may just have started another.
const ROUNDS: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// The mount namespace of a process that has another than we have, as the system names it.
///
/// # Errors
/// If there is no such process, or it is none of ours; if its namespace is ours, whose members nobody wants to end.
pub fn other_mount_namespace(pid: u32) -> io::Result<PathBuf> {
    let found = mount_namespace(pid)?;
    match found == mount_namespace(std::process::id())? {
        true => Err(io::Error::other("it has no mount namespace of its own")),
        false => Ok(found),
    }
}

fn mount_namespace(pid: u32) -> io::Result<PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/mnt"))
}

/// Kills all processes of a mount namespace but, it may be, one. Who has other rights than ours is not seen, and lives on.
pub fn end_members(namespace: &Path, but: Option<u32>) {
    for _ in 0..ROUNDS {
        let Ok(entries) = fs::read_dir("/proc") else {
            return;
        };
        let members: Vec<Pid> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid: &u32| Some(*pid) != but)
            .filter(|pid| mount_namespace(*pid).is_ok_and(|own| own == namespace))
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
