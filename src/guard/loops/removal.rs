//! Recursive removal, judged by what its targets are: the root, the home, the work tree, what lies above it, and what
//! lies outside it are not removed.

use std::path::{Path, PathBuf};

use super::super::shell::Word;
use super::Ground;
use super::script::{List, Script, Step, upstream};
use crate::files::plain_path;

/// Folders for temporary files on every machine.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/private/tmp"];

pub(super) fn find(script: &Script, ground: &Ground) -> Option<String> {
    script.commands().find_map(|(list, at)| removes(list, at, ground))
}

fn removes(list: &List, at: usize, ground: &Ground) -> Option<String> {
    let step = &list[at];
    let flags = step.flags();
    // A program whose name the shell puts together is taken for what its flags look like.
    let may_be_rm = step.name == "rm" || (step.name.is_empty() && flags.has('f', "force"));
    let refused = match step.name.as_str() {
        "rm" | "" if may_be_rm && flags.has('r', "recursive") => {
            let forced = flags.has('f', "force");
            flags
                .operands
                .iter()
                .any(|word| is_refused(word, step, ground, forced))
                || (step
                    .wrappers
                    .iter()
                    .any(|name| name == "xargs" || name == "parallel")
                    && fed(list, at).any(|word| is_refused(word, step, ground, true)))
        }
        "find" => {
            let deletes = step.has(&["-delete"])
                || step.has(&["-exec", "-execdir"]) && step.has(&["rm", "shred", "unlink"]);
            deletes && find_is_refused(step, ground)
        }
        _ => false,
    };
    refused.then(|| step.shown())
}

/// The words that a command before in the pipe prints.
fn fed(list: &List, at: usize) -> impl Iterator<Item = &Word> {
    upstream(list, at)
        .into_iter()
        .filter(|step| step.talks())
        .flat_map(|step| &step.args)
}

/// A search that deletes: everything in a folder that stays, or anything outside.
fn find_is_refused(step: &Step, ground: &Ground) -> bool {
    let starts: Vec<&Word> = step
        .args
        .iter()
        .take_while(|word| !word.text.starts_with(['-', '(', '!']))
        .collect();
    let narrows = [
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-regex",
        "-iregex",
        "-empty",
        "-newer",
        "-wholename",
    ];
    let narrow = step.has(&narrows);
    let here = Word::plain(".");
    let starts = if starts.is_empty() { vec![&here] } else { starts };
    starts.into_iter().any(|word| match verdict(word, step, ground) {
        Verdict::Inside => false,
        Verdict::Project => !narrow,
        Verdict::Kept | Verdict::Outside => true,
    })
}

fn is_refused(word: &Word, step: &Step, ground: &Ground, forced: bool) -> bool {
    match verdict(word, step, ground) {
        Verdict::Inside => false,
        Verdict::Kept | Verdict::Project => true,
        Verdict::Outside => forced,
    }
}

/// Whether a path is neither in the project nor among temporary files.
pub(super) fn is_foreign(word: &Word, step: &Step, ground: &Ground) -> bool {
    let is_path = word.text.starts_with(['/', '~']);
    is_path && matches!(verdict(word, step, ground), Verdict::Kept | Verdict::Outside)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// In the work tree, or among temporary files.
    Inside,
    /// The work tree itself.
    Project,
    /// The root, the home, what lies above the work tree, its repository, or what cannot be told.
    Kept,
    Outside,
}

fn verdict(word: &Word, step: &Step, ground: &Ground) -> Verdict {
    let text = word.text.as_str();
    if text.is_empty() {
        // `rm -rf ""` removes nothing; what an expansion makes of it nobody knows.
        return if word.dynamic {
            Verdict::Kept
        } else {
            Verdict::Inside
        };
    }
    let (text, everything) = without_pattern(text);
    let is_home = text.starts_with('~') && !word.quoted;
    let path = if is_home {
        match (&ground.home, text.strip_prefix('~').unwrap_or_default()) {
            (Some(home), rest) if rest.is_empty() || rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => return Verdict::Kept,
        }
    } else {
        match &step.cwd {
            Some(cwd) => cwd.join(&text),
            None if Path::new(&text).is_absolute() => PathBuf::from(&text),
            None => {
                let plain = plain_path(Path::new(&text));
                let stays = !plain.as_os_str().is_empty() && !text.starts_with("..") && !everything;
                return if stays { Verdict::Inside } else { Verdict::Kept };
            }
        }
    };
    let plain = plain_path(&path);
    let by_words = place(&plain, ground);
    // A link on the way may lead elsewhere.
    let real = match (plain.parent(), plain.file_name()) {
        // The last part is taken away itself, not what it leads to.
        (Some(parent), Some(name)) if !text.ends_with('/') => (ground.real)(parent).join(name),
        _ => (ground.real)(&plain),
    };
    let by_links = place(&real, ground);
    if by_words == Verdict::Inside {
        by_links
    } else {
        by_words
    }
}

fn place(path: &Path, ground: &Ground) -> Verdict {
    let root = &ground.root;
    let home = ground.home.as_deref();
    if path == root {
        return Verdict::Project;
    }
    let above = |kept: &Path| kept.starts_with(path);
    if above(root) || home.is_some_and(above) || above(Path::new("/usr")) {
        return Verdict::Kept;
    }
    if let Ok(below) = path.strip_prefix(root) {
        let is_kept = below == Path::new(".git") || below == Path::new(".claude");
        return if is_kept { Verdict::Kept } else { Verdict::Inside };
    }
    let temporary = TEMPORARY
        .into_iter()
        .map(Path::new)
        .chain(ground.temporary.as_deref());
    for dir in temporary {
        if path == dir {
            return Verdict::Kept;
        }
        if path.starts_with(dir) {
            return Verdict::Inside;
        }
    }
    Verdict::Outside
}

/// A path up to its first pattern; whether the pattern means everything there. A pattern for some of it stays as a name.
fn without_pattern(text: &str) -> (String, bool) {
    let mut out: Vec<&str> = Vec::new();
    for part in text.split('/') {
        if !part.contains(['*', '?', '[']) {
            out.push(part);
            continue;
        }
        let everything = part
            .chars()
            .all(|c| matches!(c, '*' | '?' | '.' | '[' | ']' | '!' | '^'));
        if !everything {
            out.push("some");
        }
        let mut path = out.join("/");
        if path.is_empty() {
            path = if text.starts_with('/') {
                "/".to_owned()
            } else {
                ".".to_owned()
            };
        }
        return (path, everything);
    }
    (text.to_owned(), false)
}
