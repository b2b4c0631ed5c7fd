//! README.md tells no lies: every command in its `sh` and `console` blocks is run, and prints what a `console` block shows.
//!
//! All blocks share one new folder, in their order, with the built program on the path as `git-spec`; commands of
//! cargo are checked without a second build. `UPDATE_README=1` writes the output of today into the README.

#[path = "../common/mod.rs"]
mod common;
mod document;
mod same;
mod workflows;

use std::path::{Path, PathBuf};

use common::Repo;
use document::{Command, Document};

/// What the README must offer to a newcomer.
const REQUIRED: [&str; 2] = ["cargo run --release -- demo", "cargo test"];
/// How the README calls the folder that the commands run in.
const FOLDER: &str = "/home/ada";

#[test]
fn every_command_of_the_readme_does_what_it_shows() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let readme = Document::read(&text);
    let shell = Shell::new();
    let (mut faults, mut stale, mut updates) = (Vec::new(), Vec::new(), Vec::new());
    for command in readme.commands() {
        let place = format!("README.md:{}: `{}`", command.line, command.text);
        match shell.judge(&command, &readme) {
            Verdict::Good => {}
            Verdict::Bad(reason) => faults.push(format!("{place}: {reason}")),
            Verdict::Prints(lines) => {
                let shown = readme.shown(&command).join("\n");
                stale.push(format!("{place} prints\n{}\nnot\n{shown}", lines.join("\n")));
                updates.push((command.output, lines));
            }
        }
    }
    for required in REQUIRED {
        if !readme.commands().iter().any(|command| command.text == required) {
            faults.push(format!("README.md has no command `{required}` in a `sh` block"));
        }
    }
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&file, readme.with(&updates)).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    } else if !stale.is_empty() {
        stale.push(
            "UPDATE_README=1 cargo test --test readme writes what is printed into the README".to_owned(),
        );
        faults.extend(stale);
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n\n"));
}

enum Verdict {
    Good,
    Bad(String),
    /// It prints this instead of what is shown.
    Prints(Vec<String>),
}

/// The folder where the commands run, one after the other, as in one terminal.
struct Shell {
    repo: Repo,
    path: std::ffi::OsString,
}

impl Shell {
    fn new() -> Self {
        let repo = Repo::without_git();
        let path = path_with_program(&repo);
        Self { repo, path }
    }

    fn judge(&self, command: &Command, readme: &Document) -> Verdict {
        let words: Vec<&str> = command.text.split_whitespace().collect();
        match words.as_slice() {
            ["cargo", rest @ ..] => self.cargo(rest),
            [script] if script.starts_with("./") || script.starts_with('.') => own_script(script),
            _ => self.run(command, readme),
        }
    }

    /// What cargo would do is known: the program and the tests are built by whoever runs this.
    fn cargo(&self, words: &[&str]) -> Verdict {
        match words {
            ["run", "--release", "--", args @ ..] => {
                let out = self.repo.spec(args);
                if out.code == 0 && !out.stdout.is_empty() {
                    Verdict::Good
                } else {
                    Verdict::Bad(format!("exit {}\n{}{}", out.code, out.stdout, out.stderr))
                }
            }
            ["test" | "build" | "bench"] | ["build", "--release"] | ["install", "--path", "."] => {
                Verdict::Good
            }
            ["test", "--test", name] => {
                own_file(&[format!("tests/{name}.rs"), format!("tests/{name}/main.rs")])
            }
            ["bench", "--bench", name] => own_file(&[format!("benches/{name}.rs")]),
            _ => Verdict::Bad("this test does not know what that does".to_owned()),
        }
    }

    fn run(&self, command: &Command, readme: &Document) -> Verdict {
        let at = self.repo.home().join(".pwd");
        let script = format!(
            "exec 2>&1\ncd \"$(cat '{at}' 2>/dev/null || pwd)\"\n{text}\ncode=$?\npwd >'{at}'\nexit $code",
            at = at.display(),
            text = command.text
        );
        let mut shell = self.repo.command("sh");
        let out = common::out(shell.env("PATH", &self.path).args(["-c", &script]), b"");
        let root = self
            .repo
            .root()
            .to_str()
            .expect("temporary folders have plain names");
        let said = out.stdout.replace(root, FOLDER);
        let printed: Vec<String> = said
            .trim_end()
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
        if !command.is_shown && out.code != 0 {
            Verdict::Bad(format!("exit {}\n{said}", out.code))
        } else if command.is_shown && !same::matches(&readme.shown(command), &printed) {
            Verdict::Prints(printed)
        } else {
            Verdict::Good
        }
    }
}

/// The path that finds the built program as `git-spec`, which makes it `git spec`.
fn path_with_program(repo: &Repo) -> std::ffi::OsString {
    let programs = repo.root().with_file_name("bin");
    std::fs::create_dir(&programs).expect("the folder is new");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_git-spec"), programs.join("git-spec"))
        .expect("links can be made");
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(programs).chain(std::env::split_paths(&inherited));
    std::env::join_paths(all).expect("these paths were split before")
}

fn own_script(path: &str) -> Verdict {
    use std::os::unix::fs::PermissionsExt;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    match std::fs::metadata(&file) {
        Ok(meta) if meta.permissions().mode() & 0o100 != 0 => Verdict::Good,
        Ok(_) => Verdict::Bad("cannot be run: it is not executable".to_owned()),
        Err(e) => Verdict::Bad(e.to_string()),
    }
}

fn own_file(candidates: &[String]) -> Verdict {
    let top = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    if candidates.iter().any(|path| top.join(path).is_file()) {
        Verdict::Good
    } else {
        Verdict::Bad(format!("there is no {}", candidates.join(" and no ")))
    }
}

#[test]
fn a_tour_runs_in_one_folder_and_shows_what_is_printed() {
    let text = "\
```console
$ git init -q -b main tolls && cd tolls
$ cat >a.md <<'END'
# A
END
$ git add -A
$ git commit -q -m 'Add a'
$ git log --oneline
1234567 Add a
$ git show --stat HEAD
commit 0123456789012345678901234567890123456789
...
    Add a
...
$ pwd; git spec --version
/home/ada/tolls
git-spec 0
```
";
    let readme = Document::read(text);
    let shell = Shell::new();
    let verdicts: Vec<Verdict> = readme
        .commands()
        .iter()
        .map(|c| shell.judge(c, &readme))
        .collect();
    let (last, others) = verdicts.split_last().expect("there are commands");
    for verdict in others {
        assert!(matches!(verdict, Verdict::Good));
    }
    let Verdict::Prints(lines) = last else {
        panic!("the version is another");
    };
    let version = format!("git-spec {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(*lines, ["/home/ada/tolls".to_owned(), version]);
}

#[test]
fn commands_of_cargo_are_known_or_refused() {
    let shell = Shell::new();
    let is_good = |words: &[&str]| matches!(shell.cargo(words), Verdict::Good);
    assert!(is_good(&["run", "--release", "--", "--version"]));
    assert!(is_good(&["test", "--test", "readme"]));
    assert!(is_good(&["install", "--path", "."]));
    assert!(!is_good(&["run", "--release", "--", "no-such-command"]));
    assert!(!is_good(&["test", "--test", "no-such-test"]));
    assert!(!is_good(&["publish"]));
}
