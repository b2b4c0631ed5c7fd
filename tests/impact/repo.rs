//! A repository of its own for every test, the program run in it, and its answers.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use assert_fs::TempDir;
use serde_json::Value;

pub(crate) fn clean(program: &str, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(dir);
    for (name, _) in std::env::vars_os() {
        if name.as_bytes().starts_with(b"GIT_") || name == "GITHUB_OUTPUT" {
            command.env_remove(name);
        }
    }
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Ada");
        command.env(format!("GIT_{role}_EMAIL"), "ada@example.com");
        command.env(format!("GIT_{role}_DATE"), "2026-01-02T03:04:05Z");
    }
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// A work tree of its own.
pub(crate) struct Repo {
    _home: TempDir,
    pub(crate) dir: PathBuf,
}

impl Repo {
    pub(crate) fn new() -> Self {
        Self::with_init(&[])
    }

    pub(crate) fn with_init(options: &[&str]) -> Self {
        let home = TempDir::new().expect("a folder");
        let dir = home.path().join("work tree");
        std::fs::create_dir(&dir).expect("a folder");
        let repo = Self { _home: home, dir };
        repo.git(&[&["init", "-q", "-b", "main"], options].concat());
        repo
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        git_in(&self.dir, args)
    }

    pub(crate) fn write(&self, path: impl AsRef<OsStr>, content: &str) -> &Self {
        let path = self.dir.join(Path::new(path.as_ref()));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("written");
        self
    }

    pub(crate) fn mv(&self, from: &str, to: &str) -> &Self {
        let to_path = self.dir.join(to);
        std::fs::create_dir_all(to_path.parent().expect("a folder")).expect("a folder");
        std::fs::rename(self.dir.join(from), to_path).expect("moved");
        self
    }

    pub(crate) fn remove(&self, path: &str) -> &Self {
        std::fs::remove_file(self.dir.join(path)).expect("removed");
        self
    }

    pub(crate) fn commit(&self, message: &str) -> &Self {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self
    }

    pub(crate) fn impact(&self, args: &[&str]) -> Output {
        impact_in(&self.dir, args, None)
    }

    pub(crate) fn data(&self, args: &[&str]) -> Value {
        data(&self.impact(&[args, &["--format", "json"]].concat()))
    }
}

pub(crate) fn git_in(dir: &Path, args: &[&str]) -> String {
    let out = clean("git", dir).args(args).output().expect("git runs");
    let complaint = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "git {args:?}: {complaint}");
    String::from_utf8_lossy(&out.stdout).trim_end().to_owned()
}

pub(crate) fn impact_in(dir: &Path, args: &[&str], input: Option<&[u8]>) -> Output {
    let mut command = clean(env!("CARGO_BIN_EXE_git-spec"), dir);
    command.arg("impact").args(args);
    run(command, input)
}

pub(crate) fn run(mut command: Command, input: Option<&[u8]>) -> Output {
    command.stdin(if input.is_some() {
        Stdio::piped()
    } else {
        Stdio::null()
    });
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    if let Some(input) = input {
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(input).expect("it reads");
    }
    child.wait_with_output().expect("it ends")
}

pub(crate) fn data(out: &Output) -> Value {
    let complaint = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && complaint.is_empty(), "{complaint}");
    let text = std::str::from_utf8(&out.stdout).expect("JSON is UTF-8");
    assert_eq!(text.matches('\n').count(), 1, "one line");
    let envelope: Value = serde_json::from_str(text).expect("JSON");
    envelope["data"].clone()
}

/// Code and message of the one line on stderr.
pub(crate) fn failure(out: &Output) -> (String, String) {
    assert_eq!(out.status.code(), Some(1));
    assert!(out.stdout.is_empty());
    let envelope: Value = serde_json::from_slice(&out.stderr).expect("one line of JSON");
    let text = |key: &str| envelope["error"][key].as_str().expect("text").to_owned();
    (text("code"), text("message"))
}

pub(crate) fn text(out: &Output) -> String {
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout.clone()).expect("text is UTF-8")
}

pub(crate) const RANGE: [&str; 4] = ["--base", "HEAD~1", "--head", "HEAD"];

pub(crate) fn notes(count: usize) -> String {
    (0..count)
        .map(|n| format!("note {n}\n"))
        .collect::<Vec<_>>()
        .concat()
}

/// A project in a folder of a repository, with the change `c1` and a file outside it.
pub(crate) fn project() -> Repo {
    let repo = Repo::new();
    let notes = notes(30);
    repo.write("app/logos/logos.config.json", "{}\n")
        .write("app/logos/.openlogos-guard", "c1\n")
        .write("app/logos/changes/c1/proposal.md", "# c1\n")
        .write("app/logos/changes/c1/notes.md", &notes)
        .write("app/src/x.c", &notes.replace("note", "int"))
        .commit("start");
    repo
}

/// A clone of `repo` that has the last commit only.
pub(crate) fn shallow_clone(repo: &Repo) -> PathBuf {
    let url = format!("file://{}", repo.dir.display()).replace(' ', "%20");
    let parent = repo.dir.parent().expect("a folder");
    git_in(parent, &["clone", "-q", "--depth", "1", &url, "shallow"]);
    parent.join("shallow")
}
