//! Open files that a child was handed down by whoever started us: a way past every path.

use std::fs;
use std::io;
use std::os::fd::RawFd;

/// Closes what this process has open of files and folders beside its standard streams. Pipes and sockets stay: with them
/// `make` shares its jobs.
pub(super) fn close_files() -> io::Result<()> {
    let mut open: Vec<RawFd> = Vec::new();
    for entry in fs::read_dir("/proc/self/fd")? {
        open.extend(
            entry?
                .file_name()
                .to_str()
                .and_then(|name| name.parse::<RawFd>().ok()),
        );
    }
    for number in open.into_iter().filter(|number| *number > 2) {
        // The one that listed them is gone by now.
        let found = fs::metadata(format!("/proc/self/fd/{number}"));
        if found.is_ok_and(|found| found.is_file() || found.is_dir()) {
            nix::unistd::close(number)?;
        }
    }
    Ok(())
}
