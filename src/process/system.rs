//! Shells, groups of processes and signals, as the system has them.

use std::ffi::OsStr;
use std::io;
use std::process::{Child, Command};
use std::time::Duration;
#[cfg(not(unix))]
use std::time::Instant;

#[cfg(not(unix))]
pub(super) use other::*;
#[cfg(unix)]
pub(super) use unix::*;

#[cfg(unix)]
mod unix {
    #[cfg(target_os = "linux")]
    use std::os::fd::AsFd;
    use std::os::unix::process::CommandExt;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
    use std::sync::{Arc, OnceLock};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::{flag, low_level};

    use super::{Child, Command, Duration, OsStr, io};

    pub(in crate::process) fn shell(text: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(text);
        alone(command)
    }

    /// A command in a process group of its own.
    pub(in crate::process) fn alone(mut command: Command) -> Command {
        command.process_group(0);
        command
    }

    /// Becomes a shell that runs a text; comes back only if it cannot.
    pub(in crate::process) fn become_shell(text: &OsStr) -> io::Error {
        Command::new("sh").arg("-c").arg(text).exec()
    }

    /// Becomes a program whose complaints go where its output goes; comes back only if it cannot.
    #[cfg(target_os = "linux")]
    pub(in crate::process) fn become_program(program: &OsStr, args: &[std::ffi::OsString]) -> io::Error {
        match io::stdout().as_fd().try_clone_to_owned() {
            Ok(out) => Command::new(program).args(args).stderr(out).exec(),
            Err(error) => error,
        }
    }

    /// A child that leads a process group of its own.
    pub(in crate::process) struct Group {
        pub(in crate::process) child: Child,
        id: Pid,
        ended: Receiver<rustix::io::Result<()>>,
    }

    impl Group {
        pub(in crate::process) fn start(mut command: Command) -> io::Result<Self> {
            let child = command.spawn()?;
            let id = Pid::from_child(&child);
            let (tell, ended) = channel();
            std::thread::spawn(move || {
                // The child stays to be waited for: until then nobody else can have its id, and the group can be named.
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                let waited = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(id), options));
                // A parent that went away does not want to know.
                let _unheard = tell.send(waited.map(|_| ()));
            });
            Ok(Self { child, id, ended })
        }

        /// Waits a little for the shell to end.
        pub(in crate::process) fn has_ended(&self, wait: Duration) -> io::Result<bool> {
            match self.ended.recv_timeout(wait) {
                Ok(waited) => Ok(waited.map(|()| true)?),
                Err(RecvTimeoutError::Timeout) => Ok(false),
                Err(RecvTimeoutError::Disconnected) => {
                    Err(io::Error::other("the thread that waits for a command is gone"))
                }
            }
        }

        /// Kills what is left of a group whose leader has ended and is not yet waited for.
        pub(in crate::process) fn end_rest(&self) {
            // Nobody may be left, or only who has other rights than ours.
            let _gone = kill_process_group(self.id, Signal::KILL);
        }

        /// Kills the whole group. A member with other rights than ours may live on: it is not waited for.
        pub(in crate::process) fn end(&mut self) -> io::Result<()> {
            let killed = kill_process_group(self.id, Signal::KILL);
            if killed.is_ok() && self.has_ended(Duration::from_secs(1))? {
                self.child.wait()?;
            }
            Ok(())
        }
    }

    /// The signals that end us. A child in a group of its own does not get those of the terminal.
    pub(in crate::process) struct Interrupts(&'static Handlers);

    struct Handlers {
        /// While no command runs a signal does what it always did.
        idle: Arc<AtomicBool>,
        /// The signal that came while one ran; 0 is none.
        pending: Arc<AtomicUsize>,
        /// How many want to be told before a signal ends us.
        watchers: AtomicUsize,
    }

    impl Interrupts {
        pub(in crate::process) fn watch() -> io::Result<Self> {
            static HANDLERS: OnceLock<Handlers> = OnceLock::new();
            if HANDLERS.get().is_none() {
                let _first = HANDLERS.set(Handlers::install()?);
            }
            let handlers = HANDLERS.get().expect("just set");
            handlers.watchers.fetch_add(1, Ordering::SeqCst);
            handlers.idle.store(false, Ordering::SeqCst);
            Ok(Self(handlers))
        }

        /// Whether somebody else has something to do first.
        pub(in crate::process) fn is_held(&self) -> bool {
            self.0.watchers.load(Ordering::SeqCst) > 1
        }

        pub(in crate::process) fn pending(&self) -> Option<i32> {
            let signal = self.0.pending.load(Ordering::SeqCst);
            i32::try_from(signal).ok().filter(|signal| *signal != 0)
        }

        /// Ends us as the signal would have.
        pub(in crate::process) fn obey(signal: i32) -> io::Result<()> {
            low_level::emulate_default_handler(signal)
        }
    }

    impl Drop for Interrupts {
        fn drop(&mut self) {
            if self.0.watchers.fetch_sub(1, Ordering::SeqCst) > 1 {
                return;
            }
            self.0.idle.store(true, Ordering::SeqCst);
            // One that came after the last look is not lost.
            if let Some(signal) = self.pending() {
                let _ends_us = Self::obey(signal);
            }
        }
    }

    impl Handlers {
        fn install() -> io::Result<Self> {
            let handlers = Self {
                idle: Arc::new(AtomicBool::new(true)),
                pending: Arc::new(AtomicUsize::new(0)),
                watchers: AtomicUsize::new(0),
            };
            for (signal, number) in [(SIGINT, 2), (SIGTERM, 15)] {
                debug_assert_eq!(usize::try_from(signal), Ok(number));
                flag::register_usize(signal, Arc::clone(&handlers.pending), number)?;
                flag::register_conditional_default(signal, Arc::clone(&handlers.idle))?;
            }
            Ok(handlers)
        }
    }
}

#[cfg(not(unix))]
mod other {
    use super::{Child, Command, Duration, Instant, OsStr, io};

    pub(in crate::process) fn shell(text: &str) -> Command {
        let mut command = Command::new("cmd");
        command.arg("/c").arg(text);
        command
    }

    pub(in crate::process) fn alone(command: Command) -> Command {
        command
    }

    pub(in crate::process) fn become_shell(_text: &OsStr) -> io::Error {
        io::Error::from(io::ErrorKind::Unsupported)
    }

    /// A child whose children are found by the system's own program.
    pub(in crate::process) struct Group {
        pub(in crate::process) child: Child,
    }

    impl Group {
        pub(in crate::process) fn start(mut command: Command) -> io::Result<Self> {
            Ok(Self {
                child: command.spawn()?,
            })
        }

        pub(in crate::process) fn has_ended(&mut self, wait: Duration) -> io::Result<bool> {
            let until = Instant::now() + wait;
            while self.child.try_wait()?.is_none() {
                if Instant::now() >= until {
                    return Ok(false);
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            Ok(true)
        }

        /// Children of a child that is gone are not found any more.
        pub(in crate::process) fn end_rest(&self) {}

        pub(in crate::process) fn end(&mut self) -> io::Result<()> {
            let id = self.child.id().to_string();
            Command::new("taskkill")
                .args(["/F", "/T", "/PID", &id])
                .output()?;
            self.child.kill()?;
            self.child.wait()?;
            Ok(())
        }
    }

    /// A console sends its signals to the child as well.
    pub(in crate::process) struct Interrupts;

    impl Interrupts {
        pub(in crate::process) fn watch() -> io::Result<Self> {
            Ok(Self)
        }

        #[allow(clippy::unused_self)]
        pub(in crate::process) fn pending(&self) -> Option<i32> {
            None
        }

        #[allow(clippy::unused_self)]
        pub(in crate::process) fn is_held(&self) -> bool {
            false
        }

        pub(in crate::process) fn obey(_: i32) -> io::Result<()> {
            Ok(())
        }
    }
}
