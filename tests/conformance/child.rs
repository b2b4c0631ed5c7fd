//! Children of a case: the program under test and git, in one fixed environment.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const ENV: [(&str, &str); 11] = [
    ("GIT_AUTHOR_NAME", "Ada"),
    ("GIT_AUTHOR_EMAIL", "ada@example.com"),
    ("GIT_COMMITTER_NAME", "Ada"),
    ("GIT_COMMITTER_EMAIL", "ada@example.com"),
    ("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z"),
    ("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC"),
    ("NO_COLOR", "1"),
    ("GIT_SPEC_TRUST", "1"),
];

/// What a hook that runs these tests would hand on: it names another repository.
const FOREIGN: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
];

/// How a child ended. A signal counts as its negative number.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// A command in the fixed environment.
pub(crate) fn command(program: &Path, dir: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(dir).envs(ENV).env("HOME", home);
    for name in FOREIGN {
        command.env_remove(name);
    }
    command
}

/// Runs git, which must succeed, and returns what it printed.
pub(crate) fn git(dir: &Path, home: &Path, args: &[&str]) -> Result<String, String> {
    let mut command = command(Path::new("git"), dir, home);
    let ended = run(command.args(args), b"", Duration::from_secs(120))?;
    if ended.code == 0 {
        Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
    } else {
        let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        Err(format!("git {}: exit {}: {said}", args.join(" "), ended.code))
    }
}

/// Runs a command to its end; one that takes longer than `limit` is killed, and that is an error.
pub(crate) fn run(command: &mut Command, input: &[u8], limit: Duration) -> Result<Ended, String> {
    let until = Instant::now() + limit;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", command.get_program().display()))?;
    let mut stdin = child.stdin.take().expect("piped above");
    let input = input.to_vec();
    // A child that stops reading early has decided on what it read.
    thread::spawn(move || stdin.write_all(&input).ok());
    let stdout = collect(child.stdout.take().expect("piped above"));
    let stderr = collect(child.stderr.take().expect("piped above"));
    let rest = || until.saturating_duration_since(Instant::now());
    let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(rest()), stderr.recv_timeout(rest())) else {
        child.kill().map_err(|e| e.to_string())?;
        child.wait().map_err(|e| e.to_string())?;
        return Err(format!("it did not end within {} s", limit.as_secs()));
    };
    let status = child.wait().map_err(|e| e.to_string())?;
    Ok(Ended {
        code: code(status),
        stdout: stdout.map_err(|e| e.to_string())?,
        stderr: stderr.map_err(|e| e.to_string())?,
    })
}

/// The first line that a command prints; it is ended then.
pub(crate) fn first_line(command: &mut Command) -> Result<String, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("{}: {e}", command.get_program().display()))?;
    let mut line = String::new();
    let read = BufReader::new(child.stdout.take().expect("piped above")).read_line(&mut line);
    child.kill().map_err(|e| e.to_string())?;
    child.wait().map_err(|e| e.to_string())?;
    read.map_err(|e| e.to_string())?;
    Ok(line)
}

fn collect(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<std::io::Result<Vec<u8>>> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut out = Vec::new();
        let read = pipe.read_to_end(&mut out).map(|_| out);
        // Nobody listens once the time is up.
        let _late = send.send(read);
    });
    receive
}

fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status
        .code()
        .or_else(|| status.signal().map(|s| -s))
        .expect("a child that ended has a code or a signal")
}
