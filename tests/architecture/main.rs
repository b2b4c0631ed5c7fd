//! The layering of `src/`: who may use whom, by the table in `src/lib.rs`, and which words have one owner.

mod names;
mod source;
mod table;

use std::path::{Path, PathBuf};

use source::{File, Token};
use table::Table;

const LONGEST_FILE: usize = 500;

#[test]
fn the_table_names_every_module_once_and_only_what_stands_before() {
    let (table, mut faults) = Table::read(&lib());
    faults.extend(table.faults_against(&modules()));
    report(&faults);
}

#[test]
fn a_module_uses_only_what_its_entry_names() {
    let (table, _) = Table::read(&lib());
    let files = files();
    let macros = names::exported_macros(&files);
    let mut faults = Vec::new();
    for file in &files {
        for (used, line) in names::modules_used(file, &macros) {
            if file.module == "main" && used != "cli" {
                faults.push(format!(
                    "{}:{line}: the binary uses `cli` only, not `{used}`",
                    file.path
                ));
            } else if file.module != "main" && !table.allows(&file.module, &used) {
                faults.push(format!(
                    "{}:{line}: `{}` may not use `{used}`",
                    file.path, file.module
                ));
            }
        }
    }
    report(&faults);
}

#[test]
fn words_stay_with_their_owner() {
    let faults: Vec<String> = files().iter().flat_map(faults_of_words).collect();
    report(&faults);
}

#[test]
fn no_file_is_longer_than_can_be_read_at_once() {
    let long = files().into_iter().filter(|file| file.lines > LONGEST_FILE);
    let faults: Vec<String> = long
        .map(|file| format!("{}: {} lines, at most {LONGEST_FILE}", file.path, file.lines))
        .collect();
    report(&faults);
}

/// Names with an owner: the start of a path, who owns it, and the modules that may use it.
const OWNED: [(&str, &str, &[&str]); 7] = [
    ("gix", "git access", &["git"]),
    ("std::process::Command", "starting processes", &["process"]),
    ("std::env", "the environment", &["cli", "main"]),
    ("std::time::SystemTime", "the clock", &["clock"]),
    ("std::time::UNIX_EPOCH", "the clock", &["clock"]),
    ("std::os::unix::fs::symlink", "writing files", &["files", "git"]),
    ("std::os::windows::fs", "writing files", &["files", "git"]),
];

/// The only file that knows the database.
const DATABASE: &str = "src/silly/database.rs";

/// Folders of other modules that may write too: a private copy is not the project.
const COPIES: &str = "src/verify/sandbox/";

/// What of `std::fs` writes; its owners are `files` and `git`.
const WRITING: [&str; 17] = [
    "*",
    "write",
    "rename",
    "copy",
    "hard_link",
    "soft_link",
    "set_permissions",
    "remove_file",
    "remove_dir",
    "remove_dir_all",
    "create_dir",
    "create_dir_all",
    "DirBuilder",
    "OpenOptions",
    "File::create",
    "File::create_new",
    "File::options",
];

const PRINTING: [&str; 5] = ["println", "eprintln", "print", "eprint", "dbg"];

/// A command as text: it is a value everywhere but in `voice`.
const COMMAND: &str = "git spec ";

fn faults_of_words(file: &File) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, line) in names::paths(file) {
        let name = path.join("::");
        let is_below = |owned: &str| name == owned || name.starts_with(&format!("{owned}::"));
        for (owned, subject, owners) in OWNED {
            let is_copy = subject == "writing files" && file.path.starts_with(COPIES);
            if is_below(owned) && !owners.contains(&file.module.as_str()) && !is_copy {
                faults.push(format!(
                    "{}:{line}: `{name}`: {subject} belongs to {}",
                    file.path,
                    owners.join(", ")
                ));
            }
        }
        if is_below("rusqlite") && file.path != DATABASE {
            faults.push(format!(
                "{}:{line}: `{name}`: the database belongs to {DATABASE}",
                file.path
            ));
        }
        let writes = WRITING.iter().any(|word| is_below(&format!("std::fs::{word}")));
        let is_copy = file.path.starts_with(COPIES);
        if writes && !["files", "git"].contains(&file.module.as_str()) && !is_copy {
            faults.push(format!(
                "{}:{line}: `{name}`: writing belongs to files, git",
                file.path
            ));
        }
    }
    for (i, (token, line)) in file.tokens.iter().enumerate() {
        match token {
            Token::Text(text) if text.contains(COMMAND) && file.module != "voice" => faults.push(format!(
                "{}:{line}: a printed command is a `voice::Invocation`, not the text `{COMMAND}…`",
                file.path
            )),
            Token::Word(word) if PRINTING.contains(&word.as_str()) && file.is_macro_call(i) => {
                faults.push(format!(
                    "{}:{line}: `{word}!`: answers go through `report`",
                    file.path
                ));
            }
            Token::Word(_) | Token::Sign(_) | Token::Text(_) | Token::Quote => {}
        }
    }
    faults
}

#[track_caller]
fn report(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn lib() -> String {
    std::fs::read_to_string(src().join("lib.rs")).expect("there is a library")
}

/// All files of `src/` but `lib.rs`, without what is compiled for tests only.
fn files() -> Vec<File> {
    let mut paths = Vec::new();
    walk(&src(), &mut paths);
    paths.sort();
    let mut files: Vec<File> = paths
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let name = path.strip_prefix(src()).expect("it was found there");
            File::read(name.to_str().expect("our names are text"), &text)
        })
        .collect();
    let tests: Vec<String> = files.iter().flat_map(|file| file.test_files.clone()).collect();
    files.retain(|file| file.path != "src/lib.rs" && !tests.iter().any(|test| file.path.starts_with(test)));
    files
}

fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a folder of sources can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            walk(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The modules directly below the library.
fn modules() -> Vec<String> {
    let mut modules: Vec<String> = files().into_iter().map(|file| file.module).collect();
    modules.dedup();
    modules.retain(|module| module != "main");
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        faults_of_words(&File::read(path, text))
            .iter()
            .map(|fault| fault.split('`').nth(1).unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn every_spelling_of_an_owned_name_is_found() {
        let cases = [
            ("use std::fs; fn f() { fs::write(a, b); }", "std::fs::write"),
            ("fn f() { std::fs::rename(a, b); }", "std::fs::rename"),
            (
                "use std::fs::{self, File as F}; fn f() { F::create(a); }",
                "std::fs::File::create",
            ),
            (
                "use std::{io, process as p}; fn f() { p::Command::new(a); }",
                "std::process::Command::new",
            ),
            ("fn f() { println!(\"x\"); }", "println!"),
            ("fn f() { gix::open(a); }", "gix::open"),
            ("use rusqlite::Row;", "rusqlite::Row"),
        ];
        for (text, name) in cases {
            assert_eq!(faults("lint/l1.rs", text), [name], "{text}");
        }
    }

    #[test]
    fn owners_readers_comments_and_tests_are_left_alone() {
        let reading = "use std::fs::{self, File}; fn f() { fs::read(a); File::open(a); env!(\"X\"); }";
        let talking =
            "/// Runs git spec merge.\n// git spec x\n#[command(bin_name = \"git spec\")] struct A;";
        let testing = "fn f() {} #[cfg(test)] mod tests { fn g() { std::fs::write(a, b); } }";
        for text in [reading, talking, testing] {
            assert!(faults("lint/l1.rs", text).is_empty(), "{text}");
        }
        assert!(faults("silly/database.rs", "use rusqlite::Row;").is_empty());
        assert!(faults("files/write.rs", "fn f() { std::fs::write(a, b); }").is_empty());
        assert!(faults("voice.rs", "const A: &str = \"git spec x\";").is_empty());
    }

    #[test]
    fn a_command_as_text_is_found_in_every_kind_of_string() {
        for literal in [
            "\"run git spec merge\"",
            "r#\"git spec \"x\"\"#",
            "b\"git spec x\"",
            "\"\\\"git spec x\"",
        ] {
            let text = format!("const A: X = {literal};");
            assert_eq!(faults("lint/l1.rs", &text).len(), 1, "{text}");
        }
    }
}
