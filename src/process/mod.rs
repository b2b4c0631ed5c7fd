//! A child process: its arguments, environment, input and captured output. The only place that starts one.

mod end;
mod head;
mod helper;
mod shell;
#[cfg(target_os = "linux")]
mod sweep;
mod system;

pub use end::{is_output_closed, on_interrupt};
pub use helper::Helper;
#[cfg(target_os = "linux")]
pub use shell::become_program;
pub use shell::{Ended, Hold, Shell, Streams, Through, become_shell};
#[cfg(target_os = "linux")]
pub use sweep::{MountNamespace, end_members};

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program to be run to its end, its output captured.
#[derive(Clone, Debug)]
pub struct Run {
    program: OsString,
    args: Vec<OsString>,
    dir: Option<PathBuf>,
    unset: Vec<OsString>,
    set: Vec<(OsString, OsString)>,
    input: Vec<u8>,
}

/// What a child left behind. `code` is none if a signal ended it.
#[derive(Clone, Debug)]
pub struct Output {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Output {
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }

    /// What it said on stderr, as text without the final line end.
    pub fn complaint(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim_end().to_owned()
    }
}

impl Run {
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            dir: None,
            unset: Vec::new(),
            set: Vec::new(),
            input: Vec::new(),
        }
    }

    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|a| a.as_ref().to_owned()));
        self
    }

    /// Runs in `dir` instead of the current folder.
    #[must_use]
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    #[must_use]
    pub fn unset<S: AsRef<OsStr>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.unset
            .extend(names.into_iter().map(|n| n.as_ref().to_owned()));
        self
    }

    #[must_use]
    pub fn set(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.set
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Bytes for its standard input; without any it reads an empty one.
    #[must_use]
    pub fn input(mut self, input: Vec<u8>) -> Self {
        self.input = input;
        self
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// If it cannot be started or its pipes break. An exit code other than 0 is no error here.
    pub fn output(self) -> io::Result<Output> {
        self.run_with(Stdio::piped, Stdio::piped)
    }

    /// Runs it to its end, speaking for itself: what it says goes where ours goes. The output is empty.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn pass_through(self) -> io::Result<Output> {
        self.run_with(Stdio::inherit, Stdio::inherit)
    }

    fn run_with(self, stdout: fn() -> Stdio, stderr: fn() -> Stdio) -> io::Result<Output> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).stdout(stdout()).stderr(stderr());
        command.stdin(if self.input.is_empty() {
            Stdio::null()
        } else {
            Stdio::piped()
        });
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        for name in &self.unset {
            command.env_remove(name);
        }
        command.envs(self.set.iter().map(|(k, v)| (k, v)));
        let mut child = command.spawn()?;
        let writer = child.stdin.take().map(|mut pipe| {
            let input = self.input;
            // A child that stops reading early has decided on what it read; that is its business.
            std::thread::spawn(move || pipe.write_all(&input).ok())
        });
        let out = child.wait_with_output()?;
        if let Some(writer) = writer {
            let _ended = writer.join();
        }
        Ok(Output {
            code: out.status.code(),
            stdout: out.stdout,
            stderr: out.stderr,
        })
    }
}

/// Whether a process with this id lives: it takes signal 0, or refuses it for want of permission. One that ended and whose
/// parent has not asked for it yet lives no more.
#[cfg(unix)]
pub fn is_alive(pid: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH) && !has_ended(pid))
}

/// Whether the system says that a process which it still knows has ended; systems without `/proc` do not tell.
#[cfg(unix)]
fn has_ended(pid: rustix::process::Pid) -> bool {
    let stat = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    // The name before the state is in parentheses, and may hold any others.
    let state = bstr::ByteSlice::rfind(&stat[..], ") ").and_then(|at| stat.get(at + 2));
    matches!(state, Some(b'Z' | b'X'))
}

/// Where it cannot be found out, a process counts as living, so that nothing of it is taken over.
#[cfg(not(unix))]
pub fn is_alive(_: u32) -> bool {
    true
}

/// What this machine is called; empty where that cannot be found out.
pub fn host_name() -> String {
    if let Ok(name) = std::fs::read_to_string("/proc/sys/kernel/hostname") {
        return name.trim().to_owned();
    }
    let asked = Run::new("uname").arg("-n").output();
    asked.map_or_else(
        |_| String::new(),
        |out| String::from_utf8_lossy(&out.stdout).trim().to_owned(),
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_one_that_ended_does_not() {
        assert!(is_alive(std::process::id()));
        let ended = Run::new("sh")
            .args(["-c", "echo $$"])
            .output()
            .expect("sh starts");
        let pid = String::from_utf8_lossy(&ended.stdout).trim().parse();
        assert!(!is_alive(pid.expect("a number")));
        assert!(!is_alive(0) && !is_alive(u32::MAX));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_ended_and_was_not_asked_for_lives_no_more() {
        let mut ended = Command::new("sleep").arg("60").spawn().expect("sleep starts");
        assert!(is_alive(ended.id()));
        ended.kill().expect("it can be killed");
        while is_alive(ended.id()) {
            std::thread::yield_now();
        }
        ended.wait().expect("it is there to be asked for");
    }

    #[test]
    fn a_process_of_another_user_lives() {
        assert!(is_alive(1));
    }
}
