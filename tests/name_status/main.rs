//! The name-status of two trees is byte for byte what git prints (engineering.md 2 and 3), over generated histories and
//! over every repository that `GIT_SPEC_TEST_REPOSITORIES` names (paths with `:` between them).
#![cfg(unix)]

mod history;

use std::path::Path;

use git_spec::files::ObjectId;
use git_spec::git::{Error, NameStatusOptions, Renames, Repository, name_status_stream};

use history::{Dice, Files, ask, ask_line, file, git, history, random_states};

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

#[test]
fn generated_histories_read_as_git_prints_them() {
    for seed in [0x5eed, 0xfeed_f00d, 0x0dd_ba11] {
        let dir = history("sha1", &random_states(seed, 90));
        compare_all(dir.path(), 1000);
    }
}

#[test]
fn a_repository_with_sha256_reads_as_git_prints_it() {
    let dir = history("sha256", &random_states(0x00ab_cdef, 40));
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

#[test]
fn ties_of_the_matrix_are_broken_as_git_breaks_them() {
    let mut dice = Dice(0x71e5);
    let mut states = vec![Files::new()];
    for round in 0..30 {
        // Few distinct contents, all names different: scores are equal in heaps.
        let folder = if round % 2 == 0 { "old" } else { "new" };
        let text = |dice: &mut Dice| -> String {
            let shared = (0..6)
                .map(|n| format!("a shared line {n}\n"))
                .collect::<Vec<_>>()
                .concat();
            let own = (0..3)
                .map(|_| format!("own line {}\n", dice.below(3)))
                .collect::<Vec<_>>()
                .concat();
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
    let text = (0..40)
        .map(|n| format!("line {n}\n"))
        .collect::<Vec<_>>()
        .concat();
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
