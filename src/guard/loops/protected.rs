//! Files that a driver leaves alone: the gate state, the hooks that guard it, the settings that call them, the store.

use std::path::{Path, PathBuf};

use super::super::shell::{RedirectKind, Word};
use super::Ground;
use super::script::{List, Script, Step};
use crate::files::plain_path;
use crate::git::is_match;

/// Parts of names that only `loop` writes.
const GATE: [&str; 4] = [
    "gate_state.json",
    ".gate_lock",
    ".checksums.sha256",
    ".checksums-anchor",
];

/// Programs that may change a file, or hand its content on (G1).
const TOUCHING: [&str; 19] = [
    "tee", "sed", "jq", "cp", "mv", "rm", "chmod", "chown", "cat", "python", "perl", "ruby", "dd",
    "truncate", "unlink", "shred", "wipe", "install", "find",
];

/// Programs that write what they are given.
const WRITING: [&str; 15] = [
    "tee", "sed", "jq", "cp", "mv", "rm", "chmod", "chown", "truncate", "dd", "ln", "install", "shred",
    "unlink", "rsync",
];

/// Files that the guards rest upon.
const INFRASTRUCTURE: [&str; 4] = [
    "settings.json",
    "settings.local.json",
    "gate_state.json",
    ".checksums.sha256",
];

/// Paths that are not even named, from the root of the project.
const NAMED: [&str; 4] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/loop-claudecode/hooks",
    ".claude/loop-claudecode/gate_state.json",
];

/// Commands of git that only look.
const LOOKING: [&str; 10] = [
    "log",
    "show",
    "rev-parse",
    "for-each-ref",
    "show-ref",
    "cat-file",
    "ls-remote",
    "rev-list",
    "diff",
    "reflog",
];

fn gate_name(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    GATE.into_iter().find(|name| text.contains(name))
}

/// Whether a path is the store below a git directory.
fn is_store(path: &str) -> bool {
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let git = parts.iter().position(|part| *part == ".git");
    git.is_some_and(|git| parts[git + 1..].contains(&"spec"))
}

/// G1 for a file: what of it is protected.
pub(super) fn file(path: &str) -> Option<&'static str> {
    gate_name(path).or_else(|| is_store(path).then_some(".git/…/spec/"))
}

/// G1 for a command.
pub(super) fn touches_gate(list: &List, at: usize) -> Option<String> {
    let step = &list[at];
    let named = |word: &Word| gate_name(&word.text).is_some();
    let redirected = step
        .writes()
        .chain(step.reads())
        .any(|to| named(to) || is_pattern_of_gate(to, step));
    let stem = step
        .name
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let touches = TOUCHING.contains(&stem) || WRITING.contains(&stem);
    let words = || step.args.iter();
    let touched = touches
        && (words().any(named)
            || words().any(|word| is_pattern_of_gate(word, step))
            || step.given().any(|text| gate_name(text).is_some()));
    let linked = step.name == "ln" && words().any(|word| word.text.to_lowercase().contains("gate_state"));
    let moved = ["rm", "mv", "chmod", "chown"].contains(&step.name.as_str()) && words().any(holds_gate);
    // A name put together by the shell: the line speaks of the file, and this writes to what cannot be read here.
    let hidden = touches && words().any(|word| word.dynamic) && mentions(list, at);
    (redirected || touched || linked || moved || hidden).then(|| step.shown())
}

/// Whether some other command of the list names the gate state.
fn mentions(list: &List, at: usize) -> bool {
    list.iter().enumerate().any(|(other, step)| {
        let assigned = step.command.assignments.iter();
        let words = step.command.words.iter().filter(|_| other != at && !step.talks());
        assigned
            .chain(words)
            .any(|word| word.text.to_lowercase().contains("gate_state"))
    })
}

/// The folder that the gate state lies in, or one above it within the project.
fn holds_gate(word: &Word) -> bool {
    let path = plain_path(Path::new(word.text.trim_end_matches('*')));
    [".claude", ".claude/loop-claudecode"]
        .iter()
        .any(|folder| path.ends_with(folder))
}

/// A pattern in the loop's folder that means the gate state, too.
fn is_pattern_of_gate(word: &Word, step: &Step) -> bool {
    if !word.text.contains(['*', '?', '[']) {
        return false;
    }
    let path = match &step.cwd {
        Some(cwd) => cwd.join(&word.text),
        None => PathBuf::from(&word.text),
    };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return false;
    };
    let is_folder = folder.ends_with(".claude/loop-claudecode")
        || folder
            .components()
            .any(|part| part.as_os_str().to_string_lossy().contains(['*', '?', '[']));
    is_folder && GATE.iter().any(|gate| is_match(name.into(), (*gate).into()))
}

/// The store: its path in any word, and references of ours in what git changes.
pub(super) fn touches_store(script: &Script) -> Option<String> {
    let found = script.commands().map(|(list, at)| &list[at]).find(|step| {
        let git = step.git().is_some_and(|(command, args)| {
            let ours = args.iter().any(|word| word.text.contains("refs/spec"));
            command == "update-ref" || ours && !LOOKING.contains(&command.as_str())
        });
        git || step.writes().any(|to| is_store(&to.text))
            || step.spoken().iter().any(|word| is_store(&word.text))
    });
    found.map(Step::shown)
}

/// A writing verb, or a redirection, before a file that the guards rest upon.
pub(super) fn writes_infrastructure(list: &List, at: usize, ground: &Ground) -> Option<String> {
    let step = &list[at];
    let is_one = |word: &Word| {
        let text = word.text.to_lowercase();
        let name = text.rsplit(['/', '=']).next().unwrap_or_default();
        let hook = text.contains("hooks/") && name.strip_suffix(".sh").is_some();
        hook || INFRASTRUCTURE.iter().any(|known| name.starts_with(known))
            || word.text.contains(['*', '?', '[']) && means_named(word, step, ground)
    };
    let holds = |word: &Word| {
        let path = absolute(word, step, ground);
        ["rm", "mv"].contains(&step.name.as_str()) && path.is_some_and(|path| holds_named(&path, ground))
    };
    let redirected = step.writes().any(is_one);
    let written =
        WRITING.contains(&step.name.as_str()) && step.args.iter().any(|word| is_one(word) || holds(word));
    (redirected || written).then(|| step.shown())
}

/// Whether a folder holds a path that is not to be named.
fn holds_named(path: &Path, ground: &Ground) -> bool {
    let path = path.to_string_lossy().trim_end_matches(['*', '/']).to_owned();
    let mut all = NAMED.iter().map(|named| ground.root.join(named));
    Path::new(&path).starts_with(&ground.root)
        && Path::new(&path) != ground.root
        && all.any(|named| named.starts_with(&path))
}

/// The place of a word on disk; none if that cannot be told.
fn absolute(word: &Word, step: &Step, ground: &Ground) -> Option<PathBuf> {
    let text = word
        .text
        .split_once('=')
        .map_or(word.text.as_str(), |(_, value)| value);
    if text.is_empty() {
        return None;
    }
    if let (Some(rest), Some(home)) = (text.strip_prefix("~/"), &ground.home) {
        return Some(plain_path(&home.join(rest)));
    }
    Some(plain_path(&step.cwd.as_ref()?.join(text)))
}

/// Whether a word is, or as a pattern may be, a path that is not to be named.
fn means_named(word: &Word, step: &Step, ground: &Ground) -> bool {
    let Some(path) = absolute(word, step, ground) else {
        return false;
    };
    let Ok(below) = path.strip_prefix(&ground.root) else {
        return false;
    };
    let below = below.to_string_lossy().to_lowercase();
    NAMED.iter().any(|named| {
        below == *named
            || below
                .strip_prefix(named)
                .is_some_and(|rest| rest.starts_with('/'))
            || below.contains(['*', '?', '['])
                && below.starts_with(".claude/")
                && is_match(below.as_str().into(), (*named).into())
    })
}

/// Any mention of a path that is not to be named.
pub(super) fn names_path(list: &List, at: usize, ground: &Ground) -> Option<String> {
    let step = &list[at];
    let is_one = |word: &Word| {
        let text = word.text.to_lowercase().replace("/./", "/").replace("//", "/");
        let written = NAMED.iter().any(|named| match named.ends_with("hooks") {
            true => text.contains(&format!("{named}/")),
            false => text.contains(named),
        });
        written || means_named(word, step, ground)
    };
    // A text given on the line is no path; a shell's is a script of its own.
    let files = step
        .command
        .redirects
        .iter()
        .filter(|redirect| redirect.kind != RedirectKind::Text);
    let redirects = files.map(|redirect| &redirect.target);
    let named = step
        .spoken()
        .into_iter()
        .chain(redirects)
        .chain(step.command.assignments.iter())
        .any(is_one);
    named.then(|| step.shown())
}
