//! When a command that never ends by itself has to end: a signal, or nobody left to read what it prints.

use std::io;

/// Calls `tell` from another thread when SIGINT or SIGTERM asks us to end; the signal then does nothing by itself.
///
/// # Errors
/// If the handlers cannot be installed.
#[cfg(unix)]
pub fn on_interrupt(tell: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::low_level::pipe;

    let (mut asked, asking) = UnixStream::pair()?;
    pipe::register(SIGINT, asking.try_clone()?)?;
    pipe::register(SIGTERM, asking)?;
    std::thread::spawn(move || {
        let mut byte = [0];
        // The handlers keep the other end for good: what ends the wait is a signal.
        if asked.read_exact(&mut byte).is_ok() {
            tell();
        }
    });
    Ok(())
}

#[cfg(not(unix))]
pub fn on_interrupt(_: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// Whether the reader of standard output is gone. Where that cannot be found out it counts as there: writing tells.
#[cfg(unix)]
pub fn is_output_closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let out = io::stdout();
    let mut asked = [PollFd::new(&out, PollFlags::empty())];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut asked, Some(&at_once)).is_ok() && asked[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

#[cfg(not(unix))]
pub fn is_output_closed() -> bool {
    false
}
