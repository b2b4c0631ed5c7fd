//! The name-status of two trees is byte for byte what git prints (engineering.md 2 and 3), over generated histories and
//! over every repository that `GIT_SPEC_TEST_REPOSITORIES` names (paths with `:` between them).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use git_spec::files::ObjectId;
use git_spec::git::{Error, NameStatusOptions, Renames, Repository, name_status_stream};

/// A generator of numbers that gives the same history on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
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
struct File {
    mode: &'static str,
    content: Vec<u8>,
}

type Files = BTreeMap<String, File>;

fn git(dir: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_NO_LAZY_FETCH", "1");
    git
}

fn ask(dir: &Path, args: &[&str]) -> Vec<u8> {
    let out = git(dir).args(args).output().expect("git runs");
    assert!(
        out.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    out.stdout
}

fn ask_line(dir: &Path, args: &[&str]) -> String {
    String::from_utf8(ask(dir, args))
        .expect("text")
        .trim_end()
        .to_owned()
}

/// Commits the states one after the other on `main` of a new bare repository.
fn history(format: &str, states: &[Files]) -> assert_fs::TempDir {
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

fn open(dir: &Path) -> Repository {
    Repository::discover(dir, false)
        .expect("it opens")
        .expect("it is there")
}

/// Our stream and git's for two commits.
fn compare(repository: &Repository, dir: &Path, empty_tree: &str, base: &str, head: &str, limit: usize) {
    let id = |hex: &str| {
        repository
            .tree_of(ObjectId::from_hex(hex).expect("an id"))
            .expect("a tree")
    };
    let (base_tree, head_tree) = (id(base), id(head));
    for (renames, option) in [
        (Renames::Off, "--no-renames"),
        (Renames::Renames, "-M"),
        (Renames::Copies, "-C"),
    ] {
        let options = NameStatusOptions { renames, limit };
        let ours = repository
            .name_status(base_tree, head_tree, options)
            .expect("objects are here");
        let attributes = format!("--attr-source={empty_tree}");
        let limit = format!("-l{limit}");
        let fixed = ["--no-relative", "--no-ext-diff", "--ignore-submodules=none"];
        let theirs = git(dir)
            .args([&attributes, "diff", "--name-status", "-z", option, &limit])
            .args(fixed)
            .args([base, head])
            .output()
            .expect("git runs");
        assert!(theirs.status.success());
        assert!(
            name_status_stream(&ours) == theirs.stdout,
            "{option} {limit} {base} {head} in {}\nours:   {}\ntheirs: {}",
            dir.display(),
            shown(&name_status_stream(&ours)),
            shown(&theirs.stdout)
        );
    }
}

fn shown(stream: &[u8]) -> String {
    String::from_utf8_lossy(stream).replace('\0', " ")
}

/// Every commit of `main` against the one before it.
fn compare_all(dir: &Path, limit: usize) {
    let repository = open(dir);
    let empty_tree = ask_line(dir, &["hash-object", "-t", "tree", "/dev/null"]);
    let commits = ask_line(dir, &["rev-list", "--first-parent", "HEAD"]);
    let commits: Vec<&str> = commits.lines().collect();
    for pair in commits.windows(2) {
        compare(&repository, dir, &empty_tree, pair[1], pair[0], limit);
    }
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
    let mut text: String = (from..from + length).map(line).collect();
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
                .collect()
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
                match what {
                    6 => {
                        next.insert(path, file);
                    }
                    // Moves, and copies; the source of a copy changes at times.
                    _ => {
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
        }
    }
    next
}

fn random_states(seed: u64, count: usize) -> Vec<Files> {
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

#[test]
fn generated_histories_read_as_git_prints_them() {
    for seed in [0x5eed, 0xfeed_f00d, 0x0dd_ba11] {
        let dir = history("sha1", &random_states(seed, 90));
        compare_all(dir.path(), 1000);
    }
}

#[test]
fn a_repository_with_sha256_reads_as_git_prints_it() {
    let dir = history("sha256", &random_states(0xabcdef, 40));
    compare_all(dir.path(), 1000);
}

#[test]
fn candidates_beyond_the_limit_are_not_compared() {
    let dir = history("sha1", &random_states(0x11417, 40));
    for limit in [1, 2, 4] {
        compare_all(dir.path(), limit);
    }
    compare_all(dir.path(), 0);
}

fn file(content: &str) -> File {
    File {
        mode: "100644",
        content: content.as_bytes().to_vec(),
    }
}

#[test]
fn ties_of_the_matrix_are_broken_as_git_breaks_them() {
    let mut dice = Dice(0x71e5);
    let mut states = vec![Files::new()];
    for round in 0..30 {
        // Few distinct contents, all names different: scores are equal in heaps.
        let folder = if round % 2 == 0 { "old" } else { "new" };
        let text = |dice: &mut Dice| -> String {
            let shared: String = (0..6).map(|n| format!("a shared line {n}\n")).collect();
            let own: String = (0..3).map(|_| format!("own line {}\n", dice.below(3))).collect();
            let filler = "x".repeat(dice.below(2) * 200);
            format!("{shared}{own}{filler}\n")
        };
        let files = (0..12).map(|n| (format!("{folder}/{round}-{n}"), file(&text(&mut dice))));
        states.push(files.collect());
    }
    let dir = history("sha1", &states);
    compare_all(dir.path(), 1000);
}

#[test]
fn of_many_equal_sources_only_the_first_are_looked_at() {
    let sources: Files = (0..120)
        .map(|n| (format!("s/{n:03}"), file("the same\n")))
        .collect();
    let mut states = Vec::new();
    for n in [0, 50, 98, 99, 100, 101, 102, 103, 119] {
        states.push(sources.clone());
        states.push(Files::from([(format!("t/{n:03}"), file("the same\n"))]));
    }
    let dir = history("sha1", &states);
    compare_all(dir.path(), 1000);
}

#[test]
fn a_missing_blob_is_an_error_and_never_an_empty_file() {
    let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
    let before = Files::from([("a".to_owned(), file(&text))]);
    let after = Files::from([("b".to_owned(), file(&format!("{text}more\n")))]);
    let dir = history("sha1", &[before, after]);
    let blob = ask_line(dir.path(), &["rev-parse", "HEAD:b"]);
    // Unpacked, so that the one blob can be taken away.
    let packs = dir.path().join("objects/pack");
    let aside = dir.path().join("aside");
    std::fs::create_dir(&aside).expect("a folder");
    for entry in std::fs::read_dir(&packs).expect("a folder") {
        let path = entry.expect("an entry").path();
        std::fs::rename(&path, aside.join(path.file_name().expect("a name"))).expect("moved");
    }
    for entry in std::fs::read_dir(&aside).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "pack") {
            let pack = std::fs::File::open(path).expect("a pack");
            let unpacked = git(dir.path())
                .args(["unpack-objects", "-q"])
                .stdin(pack)
                .status()
                .expect("git runs");
            assert!(unpacked.success());
        }
    }
    let loose = dir.path().join("objects").join(&blob[..2]).join(&blob[2..]);
    std::fs::remove_file(loose).expect("it was there");

    let repository = open(dir.path());
    let tree = |revision: &str| {
        let commit = repository.commit_id(revision).expect("a commit");
        repository.tree_of(commit).expect("a tree")
    };
    let ask = |renames| repository.name_status(tree("HEAD~1"), tree("HEAD"), NameStatusOptions::new(renames));
    match ask(Renames::Renames) {
        Err(Error::Blob { id, .. }) => assert_eq!(id.to_string(), blob),
        other => panic!("{other:?}"),
    }
    let exact = ask(Renames::Exact).expect("no content is needed");
    assert_eq!(name_status_stream(&exact), b"D\0a\0A\0b\0");
}

#[test]
fn revisions_name_what_git_says_they_name() {
    let dir = history("sha1", &random_states(9, 6));
    let d = dir.path();
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    ask(
        d,
        &[
            identity.as_slice(),
            &["tag", "-a", "-m", "t", "annotated", "HEAD~2"],
        ]
        .concat(),
    );
    ask(
        d,
        &[
            identity.as_slice(),
            &["tag", "-a", "-m", "t", "nested", "annotated"],
        ]
        .concat(),
    );
    ask(d, &["tag", "both", "HEAD~1"]);
    ask(d, &["branch", "both", "HEAD~3"]);
    ask(d, &["tag", "-f", "tree", "HEAD^{tree}"]);
    let repository = open(d);
    let short = ask_line(d, &["rev-parse", "--short=9", "HEAD~1"]);
    for revision in [
        "HEAD",
        "@",
        "HEAD~1",
        "HEAD^",
        "HEAD^0",
        "HEAD~99",
        "HEAD^2",
        "main",
        "heads/main",
        "refs/heads/main",
        "nope",
        "annotated",
        "nested",
        "nested~1",
        "annotated^{}",
        "both",
        "tree",
        "HEAD^{tree}",
        "HEAD:",
        "HEAD..HEAD",
        "^HEAD",
        "HEAD HEAD",
        "HEAD^!",
        "HEAD^@",
        "main@{0}",
        "main@{u}",
        ":/",
        "HEAD^{/x}",
        "HEAD\n",
        " HEAD",
        "head~1",
        "deadbeef",
        "0000000000000000000000000000000000000000",
        "v1-4-g",
        "HEAD~1~1",
        "~1",
        "@{-1}",
        "...",
        short.as_str(),
    ] {
        let asked = git(d)
            .args([
                "rev-parse",
                "--verify",
                "-q",
                "--end-of-options",
                &format!("{revision}^{{commit}}"),
            ])
            .output()
            .expect("git runs");
        let theirs = asked
            .status
            .success()
            .then(|| String::from_utf8_lossy(&asked.stdout).trim_end().to_owned());
        let theirs = theirs.filter(|id| ObjectId::from_hex(id).is_some());
        let ours = repository.commit_id(revision).ok().map(|id| id.to_string());
        assert_eq!(ours, theirs, "{revision:?}");
    }
}

#[test]
fn named_repositories_read_as_git_prints_them() {
    let Some(named) = std::env::var_os("GIT_SPEC_TEST_REPOSITORIES") else {
        return;
    };
    for dir in std::env::split_paths(&named).filter(|dir| !dir.as_os_str().is_empty()) {
        compare_all(&dir, 1000);
    }
}
