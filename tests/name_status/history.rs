//! Generated histories, the same on every machine, and the git that holds them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A generator of numbers that gives the same history on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }

    fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) mode: &'static str,
    pub(crate) content: Vec<u8>,
}

pub(crate) type Files = BTreeMap<String, File>;

pub(crate) fn git(dir: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_NO_LAZY_FETCH", "1");
    git
}

pub(crate) fn ask(dir: &Path, args: &[&str]) -> Vec<u8> {
    let out = git(dir).args(args).output().expect("git runs");
    assert!(
        out.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    out.stdout
}

pub(crate) fn ask_line(dir: &Path, args: &[&str]) -> String {
    String::from_utf8(ask(dir, args))
        .expect("text")
        .trim_end()
        .to_owned()
}

/// Commits the states one after the other on `main` of a new bare repository.
pub(crate) fn history(format: &str, states: &[Files]) -> assert_fs::TempDir {
    let dir = assert_fs::TempDir::new().expect("a folder");
    ask(
        dir.path(),
        &["init", "-q", "--bare", "-b", "main", "--object-format", format],
    );
    let mut stream: Vec<u8> = Vec::new();
    for (n, files) in states.iter().enumerate() {
        let _ = write!(
            stream,
            "commit refs/heads/main\ncommitter A <a@example.com> {n} +0000\ndata 0\n"
        );
        let _ = writeln!(stream, "deleteall");
        for (path, file) in files {
            if file.mode == "160000" {
                let id = String::from_utf8_lossy(&file.content).into_owned();
                let width = if format == "sha1" { 40 } else { 64 };
                let _ = writeln!(stream, "M 160000 {id:1>width$} {path}");
            } else {
                let _ = writeln!(
                    stream,
                    "M {} inline {path}\ndata {}",
                    file.mode,
                    file.content.len()
                );
                stream.extend_from_slice(&file.content);
                stream.push(b'\n');
            }
        }
    }
    let mut import = git(dir.path())
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("git runs");
    let mut pipe = import.stdin.take().expect("a pipe");
    pipe.write_all(&stream).expect("git reads");
    drop(pipe);
    assert!(import.wait().expect("it ends").success());
    dir
}

/// Contents that are like each other in many ways, and equal often enough for ties.
fn content(dice: &mut Dice) -> Vec<u8> {
    let line = |n: usize| format!("line {n} of a text that is long enough to matter\n");
    let kind = dice.below(10);
    if kind == 0 {
        return Vec::new();
    }
    if kind == 1 {
        return (0..dice.below(4))
            .map(|n| b'a' + u8::try_from(n).unwrap_or(0))
            .collect();
    }
    let (from, length) = (dice.below(4) * 10, 4 + dice.below(8));
    let mut text = (from..from + length).map(line).collect::<Vec<_>>().concat();
    for _ in 0..dice.below(4) {
        text.push_str(&line(dice.below(60)));
    }
    match kind {
        2 | 3 => text.replace('\n', "\r\n").into_bytes(),
        4 => [b"\0\x01".as_slice(), text.replace('\n', "\r\n").as_bytes()].concat(),
        5 => text.replace('\n', " ").into_bytes(),
        6 => text.trim_end().as_bytes().to_vec(),
        _ => text.into_bytes(),
    }
}

fn changed(dice: &mut Dice, content: &[u8]) -> Vec<u8> {
    let mut out = content.to_vec();
    match dice.below(6) {
        0 => out.extend_from_slice(b"one line more\n"),
        1 => out.truncate(out.len() * 2 / 3),
        2 => {
            out = out
                .iter()
                .flat_map(|b| if *b == b'\n' { vec![b'\r', b'\n'] } else { vec![*b] })
                .collect();
        }
        3 => out.splice(0..0, *b"before\n").for_each(drop),
        4 => out.retain(|b| *b != b'\r'),
        _ => out.extend_from_within(..out.len() / 2),
    }
    out
}

const FOLDERS: [&str; 7] = ["", "a/", "b/", "a/c/", "a-b/", "b/d/e/", "z.x/"];
const NAMES: [&str; 9] = ["one", "two.md", "three", "a", "b", "a-b", "x.rs", "y.rs", "deep"];

fn free_path(dice: &mut Dice, files: &Files) -> Option<String> {
    let mut path = format!("{}{}", dice.one_of(&FOLDERS), dice.one_of(&NAMES));
    if dice.below(3) == 0 {
        let _ = write!(path, "{}", dice.below(6));
    }
    let within = |a: &str, b: &str| {
        a.strip_prefix(b)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let taken = files
        .keys()
        .any(|other| within(other, &path) || within(&path, other));
    (!taken).then_some(path)
}

fn next_state(dice: &mut Dice, files: &Files) -> Files {
    let mut next = files.clone();
    for _ in 0..=dice.below(14) {
        let paths: Vec<String> = next.keys().cloned().collect();
        let picked = (!paths.is_empty()).then(|| dice.one_of(&paths).clone());
        match (dice.below(12), picked) {
            (0..=2, _) | (_, None) => {
                let mode = *dice.one_of(&["100644", "100644", "100644", "100755", "120000", "160000"]);
                let content = match mode {
                    "160000" => format!("{}", 2 + dice.below(4)).into_bytes(),
                    "120000" => format!("target{}", dice.below(3)).into_bytes(),
                    _ => content(dice),
                };
                if let Some(path) = free_path(dice, &next) {
                    next.insert(path, File { mode, content });
                }
            }
            (3, Some(path)) => {
                next.remove(&path);
            }
            (4, Some(path)) => {
                let mode = *dice.one_of(&["100644", "100755", "120000", "160000"]);
                let content = if mode == "160000" {
                    b"7".to_vec()
                } else {
                    b"short".to_vec()
                };
                next.insert(path, File { mode, content });
            }
            (5, Some(path)) => {
                let file = next.get_mut(&path).expect("just picked");
                match file.mode {
                    "100644" => file.mode = "100755",
                    "100755" => file.mode = "100644",
                    _ => {}
                }
            }
            (what, Some(path)) => {
                let mut file = next[&path].clone();
                let editable = file.mode.starts_with("100");
                if editable && what % 2 == 0 {
                    file.content = changed(dice, &file.content);
                }
                let keeps_name = dice.below(2) == 0;
                if what == 6 {
                    next.insert(path, file);
                    continue;
                }
                // Moves, and copies; the source of a copy changes at times.
                if what < 10 {
                    next.remove(&path);
                } else if editable && dice.below(2) == 0 {
                    let source = next.get_mut(&path).expect("just picked");
                    source.content = changed(dice, &source.content);
                }
                let name = path.rsplit('/').next().unwrap_or_default();
                let same_name = format!("{}{name}", dice.one_of(&["m/", "n/", "n/o/"]));
                let to = if keeps_name {
                    Some(same_name)
                } else {
                    free_path(dice, &next)
                };
                if let Some(to) = to.filter(|to| !next.contains_key(to)) {
                    next.insert(to, file);
                }
            }
        }
    }
    next
}

pub(crate) fn random_states(seed: u64, count: usize) -> Vec<Files> {
    let mut dice = Dice(seed);
    let mut states = vec![Files::new()];
    for _ in 0..count {
        let last = states.last().expect("there is one");
        // A big step now and then: everything is picked from anew.
        let next = match dice.below(12) {
            0 => (0..8).fold(last.clone(), |files, _| next_state(&mut dice, &files)),
            1 => last
                .iter()
                .map(|(path, file)| (format!("moved/{path}"), file.clone()))
                .collect(),
            _ => next_state(&mut dice, last),
        };
        let next = if next.len() > 80 {
            next_state(&mut dice, &Files::new())
        } else {
            next
        };
        states.push(next);
    }
    states
}

pub(crate) fn file(content: &str) -> File {
    File {
        mode: "100644",
        content: content.as_bytes().to_vec(),
    }
}
