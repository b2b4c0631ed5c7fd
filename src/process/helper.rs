//! A child that stays beside us and is spoken with a line at a time.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::system;

/// It is ended when this is dropped. If we die before, its input ends: it ends by itself then.
pub struct Helper {
    child: Child,
    tell: ChildStdin,
    hear: BufReader<ChildStdout>,
}

impl Helper {
    /// Starts a program that no signal of the terminal reaches.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start<S: AsRef<OsStr>>(program: &Path, args: impl IntoIterator<Item = S>) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(args);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = system::alone(command).spawn()?;
        let (Some(tell), Some(hear)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both were asked for");
        };
        Ok(Self {
            child,
            tell,
            hear: BufReader::new(hear),
        })
    }

    /// Nobody else has this id as long as the helper is there.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// # Errors
    /// If it does not listen any more.
    pub fn tell(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.tell, "{line}")
    }

    /// Waits for its next line.
    ///
    /// # Errors
    /// If it has ended.
    pub fn hear(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.hear.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end_matches('\n').to_owned()),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // It may have been stopped, and then hears nothing; it may be gone, and then nothing is left to do.
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn it_hears_and_answers() {
        let args = ["-c", "while read -r line; do echo \"<$line>\"; done"];
        let mut helper = Helper::start(Path::new("sh"), args).expect("sh starts");
        for line in ["one", "two"] {
            helper.tell(line).expect("it listens");
            assert_eq!(helper.hear().expect("it answers"), format!("<{line}>"));
        }
        drop(helper);
    }

    #[test]
    fn one_that_has_ended_says_nothing() {
        let mut helper = Helper::start(Path::new("sh"), ["-c", "exit 0"]).expect("sh starts");
        let error = helper.hear().expect_err("it has ended");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
