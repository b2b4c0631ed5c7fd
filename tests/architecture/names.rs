//! The full names that a file uses: its imports taken apart, and every path with its first word looked up in them.

use std::collections::BTreeMap;

use crate::source::File;

/// A name's words and its line.
type Name = (Vec<String>, usize);

/// Every path of a file, imports included, as full as its own imports make it.
pub(crate) fn paths(file: &File) -> Vec<Name> {
    let mut imports = Vec::new();
    let mut written: Vec<Name> = Vec::new();
    let mut at = 0;
    while at < file.tokens.len() {
        let line = file.tokens[at].1;
        match file.word(at) {
            Some("use") => at = import(file, at + 1, &[], &mut imports),
            Some(first) if file.is_separator(at + 1) => {
                let mut path = vec![first.to_owned()];
                at += 1;
                while let (true, Some(next)) = (file.is_separator(at), file.word(at + 2)) {
                    path.push(next.to_owned());
                    at += 3;
                }
                written.push((path, line));
            }
            Some(_) | None => at += 1,
        }
    }
    let mut known: BTreeMap<&str, Vec<&[String]>> = BTreeMap::new();
    for import in &imports {
        known.entry(&import.alias).or_default().push(&import.path);
    }
    for import in &imports {
        written.push((import.path.clone(), import.line));
    }
    let mut full = Vec::new();
    for (path, line) in written {
        match known
            .get(path[0].as_str())
            .filter(|found| found.iter().all(|f| f[0] != path[0]))
        {
            Some(found) => full.extend(found.iter().map(|start| ([*start, &path[1..]].concat(), line))),
            None => full.push((path, line)),
        }
    }
    full
}

struct Import {
    path: Vec<String>,
    alias: String,
    line: usize,
}

/// Reads one tree of a `use` below `prefix` and returns where it ends.
fn import(file: &File, start: usize, prefix: &[String], out: &mut Vec<Import>) -> usize {
    let mut path = prefix.to_vec();
    let mut at = start;
    loop {
        if file.is_separator(at) {
            at += 2;
        }
        if file.is_sign(at, '{') {
            at += 1;
            while at < file.tokens.len() && !file.is_sign(at, '}') {
                at = import(file, at, &path, out) + 1;
                if file.is_sign(at - 1, '}') {
                    return at;
                }
            }
            return at + 1;
        }
        let line = file.tokens.get(at).map_or(0, |(_, line)| *line);
        let word = if file.is_sign(at, '*') {
            Some("*")
        } else {
            file.word(at)
        };
        let Some(word) = word else { return at };
        // `a::{self}` is `a`.
        if word != "self" || path.is_empty() {
            path.push(word.to_owned());
        }
        at += 1;
        if file.is_separator(at) {
            continue;
        }
        let mut alias = path.last().cloned().unwrap_or_default();
        if let (Some("as"), Some(name)) = (file.word(at), file.word(at + 1)) {
            name.clone_into(&mut alias);
            at += 2;
        }
        out.push(Import { path, alias, line });
        return at;
    }
}

/// The modules directly below the library that a file uses, but its own.
pub(crate) fn modules_used(file: &File, macros: &BTreeMap<String, String>) -> Vec<(String, usize)> {
    let mut used = Vec::new();
    for (path, line) in paths(file) {
        let name = match path[0].as_str() {
            "crate" => path.get(1),
            "git_spec" if file.module == "main" => path.get(1),
            "super" => {
                let ups = path.iter().take_while(|word| *word == "super").count();
                path.get(ups).filter(|_| ups >= file.depth)
            }
            _ => None,
        };
        if let Some(name) = name {
            let module = macros.get(name).unwrap_or(name);
            if *module != file.module && !used.contains(&(module.clone(), line)) {
                used.push((module.clone(), line));
            }
        }
    }
    used
}

/// Macros stand at the top of the library, wherever they are written: name and module.
pub(crate) fn exported_macros(files: &[File]) -> BTreeMap<String, String> {
    let mut macros = BTreeMap::new();
    for file in files {
        for at in 0..file.tokens.len() {
            if let (Some("macro_rules"), true, Some(name)) =
                (file.word(at), file.is_macro_call(at), file.word(at + 2))
            {
                macros.insert(name.to_owned(), file.module.clone());
            }
        }
    }
    macros
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut names: Vec<String> = paths(&File::read("a/b.rs", text))
            .into_iter()
            .map(|(path, _)| path.join("::"))
            .collect();
        names.sort();
        names
    }

    fn used(path: &str, text: &str) -> Vec<String> {
        let macros = BTreeMap::from([("say".to_owned(), "voice".to_owned())]);
        let file = File::read(path, text);
        let mut used: Vec<String> = modules_used(&file, &macros)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        used.sort();
        used
    }

    #[test]
    fn imports_are_taken_apart() {
        let cases: [(&str, &[&str]); 6] = [
            ("use a::b;", &["a::b"]),
            (
                "use a::{b, c::{self, d as e}, f::*};",
                &["a::b", "a::c", "a::c::d", "a::f::*"],
            ),
            ("use ::a::b as c; c::d(x)", &["a::b", "a::b::d"]),
            ("pub(crate) use a::{b,};", &["a::b"]),
            ("use {a::b, c};", &["a::b", "c"]),
            ("use a::{}; b::c", &["b::c"]),
        ];
        for (text, expected) in cases {
            assert_eq!(all(text), expected, "{text}");
        }
    }

    #[test]
    fn a_path_starts_with_what_its_first_word_was_imported_as() {
        assert_eq!(
            all("use std::fs; fs::File::open(x)"),
            ["std::fs", "std::fs::File::open"]
        );
        assert_eq!(all("use gix; gix::open(x)"), ["gix", "gix::open"]);
        assert_eq!(all("x.map(a::b::<c::d>)"), ["a::b", "c::d"]);
    }

    #[test]
    fn every_spelling_of_another_module_is_found() {
        let cases: [(&str, &[&str]); 7] = [
            ("use crate::{text, yaml::read};", &["text", "yaml"]),
            (
                "use crate::{files::{Tree, RepoPath}, voice::Say};",
                &["files", "voice"],
            ),
            ("fn f(x: &crate::merge::Plan) {}", &["merge"]),
            ("use crate::say; say!(v)", &["voice"]),
            ("pub(in crate::change) fn f() {}", &[]),
            ("use super::super::lint;", &["lint"]),
            ("use super::delta; use crate::change::ui;", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(used("change/deltas.rs", text), expected, "{text}");
        }
        assert_eq!(
            used("change/mod.rs", "use super::lint; mod x { use super::y; }"),
            ["lint", "y"]
        );
        assert_eq!(used("main.rs", "git_spec::cli::run()"), ["cli"]);
    }
}
