//! A repository in a temporary folder, git and the program run in it with a fixed author, clock and home.
#![allow(dead_code, reason = "every test program uses its own part of the builder")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::io::Write as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use assert_fs::TempDir;
use serde_json::Value;

/// The time of every commit and of every command.
pub(crate) const NOW: &str = "2026-01-02T03:04:05Z";

const ENV: [(&str, &str); 12] = [
    ("GIT_AUTHOR_NAME", "Ada"),
    ("GIT_AUTHOR_EMAIL", "ada@example.com"),
    ("GIT_AUTHOR_DATE", NOW),
    ("GIT_COMMITTER_NAME", "Ada"),
    ("GIT_COMMITTER_EMAIL", "ada@example.com"),
    ("GIT_COMMITTER_DATE", NOW),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_SPEC_NOW", NOW),
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC"),
    ("NO_COLOR", "1"),
];

/// What a hook that runs the tests, or the user's shell, would hand on.
const FOREIGN: [&str; 16] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_CONFIG_GLOBAL",
    "GIT_SPEC_LANG",
    "GIT_SPEC_SANDBOX_BACKEND",
    "GIT_SPEC_SANDBOX_WRITE_PROTECTION",
    "OPENLOGOS_SANDBOX_WRITE_PROTECTION",
    "GIT_SPEC_TRANSACTION",
    "GIT_SPEC_TRUST",
    "XDG_CONFIG_HOME",
    "CLICOLOR_FORCE",
];

/// What a run of the program left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Out {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Out {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().expect("no signal ends the program"),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Itself, after a run that must have ended with this code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout: {}\nstderr: {}",
            self.stdout, self.stderr
        );
        self
    }

    /// The one line of JSON on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let line = self.stdout.strip_suffix('\n');
        let line = line.filter(|line| !line.contains('\n'));
        let line = line.unwrap_or_else(|| panic!("no single line on stdout: {self:?}"));
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// A folder, most often a repository, that is gone when it is dropped.
pub(crate) struct Repo {
    temporary: TempDir,
    root: PathBuf,
}

impl Repo {
    /// An empty repository on branch main.
    pub(crate) fn new() -> Self {
        let repo = Self::without_git();
        repo.git(["init", "-q", "-b", "main"]);
        repo
    }

    /// An empty folder outside any repository.
    pub(crate) fn without_git() -> Self {
        Self::below(&std::env::temp_dir())
    }

    /// As [`Repo::without_git`], in memory where the system has such a place: for tests that sync many files.
    pub(crate) fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() {
            Self::below(memory)
        } else {
            Self::without_git()
        }
    }

    fn below(dir: &Path) -> Self {
        let temporary = TempDir::new_in(dir).expect("a temporary folder can be made");
        let top = temporary.path().canonicalize().expect("it is there");
        for name in ["repo", "home"] {
            std::fs::create_dir(top.join(name)).expect("it is empty");
        }
        Self {
            temporary,
            root: top.join("repo"),
        }
    }

    /// The top folder, as the system spells it.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The home folder of every child, empty at first.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.with_file_name("home")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a file, its folders too.
    #[track_caller]
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let at = self.path(path);
        std::fs::create_dir_all(at.parent().expect("below the root")).expect("folders can be made");
        std::fs::write(&at, content).unwrap_or_else(|e| panic!("{path}: {e}"));
        self
    }

    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    /// Removes a file or a whole folder.
    #[track_caller]
    pub(crate) fn remove(&self, path: &str) -> &Self {
        let at = self.path(path);
        let done = if at.is_dir() {
            std::fs::remove_dir_all(&at)
        } else {
            std::fs::remove_file(&at)
        };
        done.unwrap_or_else(|e| panic!("{path}: {e}"));
        self
    }

    /// Commits the whole work tree and returns the commit's id.
    #[track_caller]
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "--allow-empty", "-m", message]);
        self.git(["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Runs git, which must succeed, and returns what it printed.
    #[track_caller]
    pub(crate) fn git<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        let mut command = self.command("git");
        let output = command.args(args).output().expect("git can be started");
        assert!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs the program in the top folder, with nothing on its standard input.
    #[track_caller]
    pub(crate) fn spec<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Out {
        out(self.program().args(args), b"")
    }

    /// Runs the program in a folder below the top.
    #[track_caller]
    pub(crate) fn spec_in<S: AsRef<OsStr>>(&self, dir: &str, args: impl IntoIterator<Item = S>) -> Out {
        out(self.program().current_dir(self.path(dir)).args(args), b"")
    }

    /// Runs the program with these bytes on its standard input.
    #[track_caller]
    pub(crate) fn spec_reading<S: AsRef<OsStr>>(
        &self,
        input: impl AsRef<[u8]>,
        args: impl IntoIterator<Item = S>,
    ) -> Out {
        out(self.program().args(args), input.as_ref())
    }

    /// The program, ready to be given arguments; for runs that need more than these functions offer.
    pub(crate) fn program(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_git-spec"))
    }

    /// A command in the top folder, in the fixed environment.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .envs(ENV)
            .env("HOME", self.home());
        for name in FOREIGN {
            command.env_remove(name);
        }
        command
    }

    /// Everything that a command could change: refs, index, work tree, and what git says about them.
    #[track_caller]
    pub(crate) fn snapshot(&self) -> Snapshot {
        let lines = |text: String| text.lines().map(str::to_owned).collect();
        let mut files = BTreeMap::new();
        collect(&self.root, "", &mut files);
        let mut snapshot = Snapshot {
            refs: Vec::new(),
            index: Vec::new(),
            status: Vec::new(),
            files,
        };
        if self.path(".git").exists() {
            let head = std::fs::read_to_string(self.path(".git/HEAD")).expect("a repository has a HEAD");
            snapshot.refs = lines(head + &self.git(["for-each-ref", "--format=%(refname) %(objectname)"]));
            snapshot.index = lines(self.git(["ls-files", "-s"]));
            let status = [
                "--no-optional-locks",
                "status",
                "--porcelain=v2",
                "--untracked-files=all",
            ];
            snapshot.status = lines(self.git(status));
        }
        snapshot
    }

    /// The repository is sound, and git has nothing to say about it.
    #[track_caller]
    pub(crate) fn fsck(&self) {
        let mut command = self.command("git");
        let output = command
            .args(["fsck", "--strict", "--no-dangling", "--no-progress"])
            .output()
            .expect("git can be started");
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "git fsck: {said}");
    }
}

/// Runs a command with bytes on its standard input.
#[track_caller]
pub(crate) fn out(command: &mut Command, input: &[u8]) -> Out {
    if !input.is_empty() {
        command.stdin(Stdio::piped());
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let feeder = child.stdin.take().map(|mut stdin| {
        let input = input.to_vec();
        // A child that stops reading early has decided on what it read.
        std::thread::spawn(move || stdin.write_all(&input).ok())
    });
    let output = child.wait_with_output().expect("its output can be read");
    if let Some(feeder) = feeder {
        feeder.join().expect("it only writes");
    }
    Out::of(&output)
}

/// A repository at one moment. Two of them are equal if nothing was changed in between.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    refs: Vec<String>,
    index: Vec<String>,
    status: Vec<String>,
    files: BTreeMap<String, Vec<u8>>,
}

impl Snapshot {
    /// Its files and folders, but for those whose path begins so.
    pub(crate) fn files_without(&self, prefix: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = self.files.clone();
        files.retain(|path, _| !path.starts_with(prefix));
        files
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.files.iter().map(|(k, v)| (k, String::from_utf8_lossy(v)));
        f.debug_struct("Snapshot")
            .field("refs", &self.refs)
            .field("index", &self.index)
            .field("status", &self.status)
            .field("files", &texts.collect::<BTreeMap<_, _>>())
            .finish()
    }
}

/// Files by path; a folder ends in a slash, so that an empty one counts; a link is its target.
fn collect(dir: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
        let entry = entry.expect("a folder can be listed");
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().expect("an entry has a type");
        if kind.is_dir() && entry.file_name() != ".git" {
            files.insert(format!("{path}/"), Vec::new());
            collect(&entry.path(), &format!("{path}/"), files);
        } else if kind.is_symlink() {
            let target = std::fs::read_link(entry.path()).expect("a link has a target");
            files.insert(path, target.into_os_string().into_encoded_bytes());
        } else if kind.is_file() {
            let content = std::fs::read(entry.path()).unwrap_or_else(|e| panic!("{path}: {e}"));
            files.insert(path, content);
        }
    }
}

/// A project with one launched module and one document, committed: the table of a toll station's tests.
pub(crate) struct Tolls {
    repo: Repo,
}

impl Tolls {
    /// The one document.
    pub(crate) const DOCUMENT: &str = "logos/resources/test/core-01-test-cases.md";
    /// Its delta, from the `deltas` folder of a change.
    pub(crate) const DELTA: &str = "test/core-01-test-cases.md";
    pub(crate) const CONTENT: &str = "\
# Toll tests
## Unit cases
| ID | Title | Expected |
|----|-------|----------|
| UT-S01-01 | car | 5 |
| UT-S01-02 | lorry | 12 |
| UT-S01-03 | bicycle | 0 |
";

    pub(crate) fn new() -> Self {
        let repo = Repo::new();
        repo.write(
            "logos/logos.config.json",
            "{\"name\":\"tolls\",\"locale\":\"en\"}\n",
        )
        .write(
            "logos/logos-project.yaml",
            "project:\n  name: tolls\nmodules:\n  - id: core\n    name: Core\n    lifecycle: launched\n",
        )
        .write(Self::DOCUMENT, Self::CONTENT);
        repo.commit("Lay down the tolls");
        Self { repo }
    }

    /// Commits a change with these deltas, by their path below `deltas`. Its base is the commit before.
    #[track_caller]
    pub(crate) fn change(&self, slug: &str, deltas: &[(&str, &str)]) -> &Self {
        let folder = format!("logos/changes/{slug}");
        self.write(
            &format!("{folder}/proposal.md"),
            format!(
                "# Change: {slug}\n\n> module: core\n\n## Why\nPrices change. Documentation only: no code.\n"
            ),
        );
        let mut tasks = "# Tasks\n\n## [delta] Spec changes\n".to_owned();
        for (path, content) in deltas {
            self.write(&format!("{folder}/deltas/{path}"), content);
            tasks.extend(["- [x] write deltas/", path, "\n"]);
        }
        tasks += "\n## [code] Implementation\n- [ ] Implement code changes\n";
        self.write(&format!("{folder}/tasks.md"), tasks);
        self.commit(&format!("Propose {slug}"));
        self
    }

    /// A delta that rewrites the table of unit cases with these prices of car, lorry and bicycle.
    pub(crate) fn prices(car: &str, lorry: &str, bicycle: &str) -> String {
        format!(
            "## MODIFIED — Unit cases\n\
             | ID | Title | Expected |\n\
             |----|-------|----------|\n\
             | UT-S01-01 | car | {car} |\n\
             | UT-S01-02 | lorry | {lorry} |\n\
             | UT-S01-03 | bicycle | {bicycle} |\n"
        )
    }
}

impl Deref for Tolls {
    type Target = Repo;

    fn deref(&self) -> &Repo {
        &self.repo
    }
}
