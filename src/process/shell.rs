//! A command of a project, as a shell runs it: without input, ended with all its children when its time is over or we
//! are interrupted (flow.md 13, verify.md 6).

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::head::Head;
use super::system;

/// How often a waiting parent looks whether it was interrupted.
const TICK: Duration = Duration::from_millis(20);

/// A program that gets a command's text as its last argument in the shell's place, with the arguments before.
pub type Through = (PathBuf, Vec<OsString>);

/// A command text and what it is given.
#[derive(Clone, Debug)]
pub struct Shell {
    pub text: String,
    /// The folder it runs in.
    pub dir: PathBuf,
    /// [`Duration::MAX`] is none.
    pub limit: Duration,
    /// Variables beside our own.
    pub env: Vec<(&'static str, String)>,
    pub streams: Streams,
    /// What stands in the shell's place.
    pub through: Option<Through>,
    /// Whether what it leaves running is ended with it.
    pub ends_all: bool,
}

/// Where the output of a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    Dropped,
    /// To ours.
    Ours,
    /// Dropped, but for so many bytes of what it says first on standard error.
    Head(usize),
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// None if a signal ended the shell, or we did.
    pub exit_code: Option<i32>,
    pub timed_out: bool,
}

impl Ended {
    /// Exit code 0 within its time.
    pub fn satisfied(self) -> bool {
        self.exit_code == Some(0)
    }
}

/// As long as it lives, SIGINT and SIGTERM end a command but not us: then they do.
pub struct Hold {
    _interrupts: system::Interrupts,
}

impl Hold {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            _interrupts: system::Interrupts::watch()?,
        })
    }
}

/// Becomes a shell that runs a text; comes back only if it cannot.
pub fn become_shell(text: &OsStr) -> io::Error {
    system::become_shell(text)
}

/// Becomes a program whose complaints go where its output goes; comes back only if it cannot.
#[cfg(target_os = "linux")]
pub fn become_program(program: &OsStr, args: &[OsString]) -> io::Error {
    system::become_program(program, args)
}

impl Shell {
    /// Runs the command to its end, or ends it. What it leaves running in the background is not waited for: nothing of
    /// it holds a stream of ours. Interrupted by SIGINT or SIGTERM, it ends the command and then us.
    ///
    /// # Errors
    /// If the shell cannot be started. A command that does not exist is no error here, but exit code 127.
    pub fn run(&self) -> io::Result<Ended> {
        self.run_reading().map(|(ended, _)| ended)
    }

    /// As [`Shell::run`], with what was kept of standard error.
    pub fn run_reading(&self) -> io::Result<(Ended, Vec<u8>)> {
        let interrupts = system::Interrupts::watch()?;
        let mut group = system::Group::start(self.command())?;
        let head = match self.streams {
            Streams::Head(limit) => Head::of(&mut group.child, limit),
            Streams::Dropped | Streams::Ours => None,
        };
        let ended = self.wait(&interrupts, &mut group)?;
        Ok((ended, head.map(Head::take).unwrap_or_default()))
    }

    fn wait(&self, interrupts: &system::Interrupts, group: &mut system::Group) -> io::Result<Ended> {
        // A time beyond what a clock can tell is no limit.
        let deadline = Instant::now().checked_add(self.limit);
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if group.has_ended(left.map_or(TICK, |left| left.min(TICK)))? {
                if self.ends_all {
                    group.end_rest();
                }
                return Ok(Ended {
                    exit_code: group.child.wait()?.code(),
                    timed_out: false,
                });
            }
            if let Some(signal) = interrupts.pending() {
                group.end()?;
                if interrupts.is_held() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                system::Interrupts::obey(signal)?;
            }
            if left.is_some_and(|left| left.is_zero()) {
                group.end()?;
                return Ok(Ended {
                    exit_code: None,
                    timed_out: true,
                });
            }
        }
    }

    fn command(&self) -> Command {
        let mut command = match &self.through {
            None => system::shell(&self.text),
            Some((program, args)) => system::alone({
                let mut command = Command::new(program);
                command.args(args).arg(&self.text);
                command
            }),
        };
        let (out, err) = match self.streams {
            Streams::Dropped => (Stdio::null(), Stdio::null()),
            Streams::Ours => (Stdio::inherit(), Stdio::inherit()),
            Streams::Head(_) => (Stdio::null(), Stdio::piped()),
        };
        command
            .current_dir(&self.dir)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err);
        command
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;

    use super::*;

    fn shell(dir: &Path, text: &str, limit: Duration) -> Shell {
        Shell {
            text: text.to_owned(),
            dir: dir.to_owned(),
            limit,
            env: Vec::new(),
            streams: Streams::Dropped,
            through: None,
            ends_all: false,
        }
    }

    fn run(text: &str) -> Ended {
        let long = Duration::from_secs(30);
        shell(Path::new("/"), text, long).run().expect("sh starts")
    }

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    /// Waits for a file of a child, and reads the process id that it holds.
    fn pid_in(path: &Path) -> u32 {
        let end = Instant::now() + Duration::from_secs(20);
        while Instant::now() < end {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            if let Some(pid) = text.strip_suffix('\n').and_then(|pid| pid.parse().ok()) {
                return pid;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("{} does not come", path.display());
    }

    /// Whether a process ends soon; one that has ended and is not yet waited for counts as ended.
    fn ends(pid: u32) -> bool {
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let is_zombie = stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'));
            if is_zombie || !crate::process::is_alive(pid) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    #[test]
    fn the_beginning_of_what_it_says_is_kept_and_a_child_of_it_is_not_waited_for() {
        let long = Duration::from_secs(30);
        let read = |text: &str| {
            let shell = Shell {
                streams: Streams::Head(4),
                env: vec![("GREETING", "hello".to_owned())],
                ..shell(Path::new("/"), text, long)
            };
            shell.run_reading().expect("sh starts").1
        };
        assert_eq!(read("echo out; echo $GREETING >&2; exit 1"), b"hell");
        let before = Instant::now();
        assert_eq!(read("echo ab >&2; sleep 20 &"), b"ab\n");
        assert!(before.elapsed() < Duration::from_secs(15), "it was waited for");
        // More than a pipe holds.
        assert_eq!(read("head -c 3000000 /dev/zero >&2"), [0; 4]);
    }

    #[test]
    fn the_exit_code_tells_how_it_went() {
        let code = |exit_code| Ended {
            exit_code,
            timed_out: false,
        };
        assert_eq!(run("exit 0"), code(Some(0)));
        assert!(run("true").satisfied());
        assert_eq!(run("exit 3"), code(Some(3)));
        assert_eq!(run("no-such-command-here"), code(Some(127)));
        assert_eq!(run("kill -9 $$"), code(None));
        assert!(!run("kill -9 $$").satisfied());
    }

    #[test]
    fn it_runs_in_the_folder_with_an_empty_input() {
        let dir = folder();
        let long = Duration::from_secs(30);
        let text =
            "cat > input && test ! -s input && test -f input && read -r line; test $? = 1 && pwd > here";
        let ended = shell(dir.path(), text, long).run().expect("sh starts");
        assert!(ended.satisfied());
        let here = std::fs::read_to_string(dir.path().join("here")).expect("written");
        let own = dir.path().canonicalize().expect("it is there");
        assert_eq!(Path::new(here.trim_end()).canonicalize().ok(), Some(own));
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_with_its_number() {
        let long = Duration::from_secs(30);
        let error = shell(Path::new("/no/such/folder"), "true", long).run();
        assert_eq!(error.expect_err("no folder").raw_os_error(), Some(2));
    }

    #[test]
    fn fifty_megabytes_of_output_are_dropped() {
        assert!(run("head -c 52428800 /dev/zero && head -c 52428800 /dev/zero >&2").satisfied());
    }

    #[test]
    fn time_over_ends_grandchildren_too() {
        let dir = folder();
        let text = "(sh -c 'echo $$ > grandchild; exec sleep 600') & sleep 600";
        let begin = Instant::now();
        let ended = shell(dir.path(), text, Duration::from_millis(600)).run();
        let ended = ended.expect("sh starts");
        assert_eq!((ended.exit_code, ended.timed_out), (None, true));
        assert!(!ended.satisfied());
        assert!(begin.elapsed() < Duration::from_secs(20));
        assert!(ends(pid_in(&dir.path().join("grandchild"))));
    }

    #[test]
    fn a_child_left_in_the_background_is_not_waited_for() {
        let dir = folder();
        let begin = Instant::now();
        let text = "sleep 600 & echo $! > background";
        let ended = shell(dir.path(), text, Duration::from_secs(60)).run();
        assert!(ended.expect("sh starts").satisfied());
        assert!(begin.elapsed() < Duration::from_secs(30));
        let pid = pid_in(&dir.path().join("background")).to_string();
        assert!(run(&format!("kill -9 {pid}")).satisfied());
    }

    #[test]
    fn a_limit_beyond_all_clocks_is_none() {
        let ended = shell(Path::new("/"), "exit 4", Duration::from_secs(u64::MAX)).run();
        assert_eq!(ended.expect("sh starts").exit_code, Some(4));
    }

    /// Not a test of its own: the process that the next one interrupts.
    #[test]
    fn process_to_be_interrupted() {
        let Some(dir) = std::env::var_os("SHELL_TEST_FOLDER") else {
            return;
        };
        let text = "(sh -c 'echo $$ > grandchild; exec sleep 600') & sleep 600";
        let ended = shell(Path::new(&dir), text, Duration::from_secs(600)).run();
        panic!("it went on: {ended:?}");
    }

    #[test]
    fn an_interrupt_ends_the_group_and_then_us() {
        use std::os::unix::process::ExitStatusExt;
        for signal in [2, 15] {
            let dir = folder();
            let name = "process::shell::tests::process_to_be_interrupted";
            let mut child = Command::new(std::env::current_exe().expect("the tests"))
                .args(["--exact", name])
                .env("SHELL_TEST_FOLDER", dir.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the tests start");
            let grandchild = pid_in(&dir.path().join("grandchild"));
            assert!(run(&format!("kill -{signal} {}", child.id())).satisfied());
            assert_eq!(child.wait().expect("it ends").signal(), Some(signal));
            assert!(ends(grandchild));
        }
    }
}
