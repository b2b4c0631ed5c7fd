//! The rules of a `.sillyspec/` project (silly.md 7): sources are written in the work tree of a change that is executed, and
//! commands beside it only read. What is open, what reads and what is dangerous are tables.

use super::programs::git_command;
use super::shell::{Command, Program, RedirectKind, Word, parse, program};
use crate::files::RepoPath;
use crate::silly::layout;
use crate::silly::stage::Stage;
use crate::text::is_blank;

/// A call of a tool, as far as the rules look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Files that are written; none is an error of the caller.
    Write(Vec<String>),
    Shell(String),
    /// Another tool.
    Other,
    /// What came is no call.
    Unreadable,
}

/// Where a path leads, `..` and links resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// From the root of the project.
    Inside(RepoPath),
    /// Its parts from the top of the file system.
    Outside(Vec<String>),
}

/// What the rules are told of the project.
pub struct Scene<'a> {
    /// That of the gate, or of the only active change.
    pub stage: Option<String>,
    /// The caller stands in a work tree of a change.
    pub in_worktree: bool,
    /// Commands that the project takes as reading, each with its first words.
    pub readonly: &'a [String],
    pub place: &'a dyn Fn(&str) -> Place,
}

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Unreadable,
    NoPath,
    /// A file that programs write.
    Generated(String),
    /// A source outside of the stages in which sources are written.
    NotNow(String),
    /// A source of the main tree.
    MainTree(String),
    /// A command that does more than read.
    Writes(String),
    /// A command that is not for the main tree.
    Dangerous(String),
}

/// The name of the rule in the answer.
pub const RULE: &str = "worktree_guard";

/// A folder on the way to a file that opens it.
const OPEN_FOLDERS: [&str; 2] = [".sillyspec", ".git"];
const OPEN_EXTENSION: &str = ".md";
const OPEN_NAMES: [&str; 4] = ["package.json", "tsconfig.json", "local.yaml", "local.yml"];
/// Where programs write for themselves, and the part of it that is the user's.
const GENERATED: [&str; 2] = [".sillyspec", ".runtime"];
const WORKTREES: &str = "worktrees";

const READERS: [&str; 15] = [
    "grep", "rg", "ag", "find", "ls", "cat", "head", "tail", "wc", "stat", "echo", "pwd", "basename",
    "dirname", "realpath",
];
/// Options with which a reader writes or runs something.
const READER_WRITES: [(&str, &[&str]); 2] = [
    (
        "find",
        &[
            "-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls",
        ],
    ),
    ("rg", &["--pre"]),
];
/// Programs that only tell their version or run the tests.
const RUNNERS: [&str; 3] = ["node", "npm", "npx"];
const GIT_READERS: [&str; 6] = ["diff", "status", "log", "show", "branch", "stash"];
const STASH_READERS: [&str; 2] = ["list", "show"];
/// Letters of short options, and long ones, with which `git branch` changes branches that are there.
const BRANCH_LETTERS: &str = "dDmMfcC";
const BRANCH_WRITES: [&str; 6] = [
    "--delete",
    "--move",
    "--force",
    "--copy",
    "--set-upstream-to",
    "--unset-upstream",
];
/// Options of git before its command with which it still only reads; the first takes the next word.
const GIT_PLAIN: [&str; 3] = ["-C", "--no-pager", "-P"];
/// Commands of our own that write nothing.
const OWN_READERS: [&[&str]; 31] = [
    &["blame"],
    &["change-lint"],
    &["check"],
    &["detect"],
    &["doctor"],
    &["feature", "list"],
    &["flow", "show"],
    &["impact"],
    &["lint"],
    &["log"],
    &["module", "list"],
    &["next"],
    &["radar"],
    &["schema"],
    &["show"],
    &["status"],
    &["statusline"],
    &["worktree", "list"],
    &["worktree", "status"],
    &["silly", "detect-local"],
    &["silly", "doctor"],
    &["silly", "glob"],
    &["silly", "knowledge"],
    &["silly", "lint"],
    &["silly", "modules"],
    &["silly", "parse"],
    &["silly", "progress", "show"],
    &["silly", "progress", "status"],
    &["silly", "progress", "validate"],
    &["silly", "status"],
    &["silly", "worktree"],
];
/// What makes one of them write.
const OWN_WRITES: [&str; 2] = ["--write", "--fix"];
const OWN_PROGRAMS: [&[&str]; 3] = [&["git", "spec"], &["git-spec"], &["openlogos"]];
/// A family of another program that may be called.
const KNOWN_FAMILY: [&str; 2] = ["sillyspec", "worktree"];

const DANGEROUS: [&str; 2] = ["rm", "rmdir"];
const DANGEROUS_WRAPPERS: [&str; 2] = ["sudo", "doas"];
const DANGEROUS_GIT: [&str; 9] = [
    "add", "commit", "push", "checkout", "restore", "reset", "clean", "mv", "rm",
];
const DANGEROUS_STASH: [&str; 3] = ["drop", "clear", "pop"];

/// Judges a call; nothing said is allowed.
pub fn judge(scene: &Scene<'_>, call: &Call) -> Option<Reason> {
    match call {
        Call::Unreadable => Some(Reason::Unreadable),
        Call::Write(paths) if paths.is_empty() => Some(Reason::NoPath),
        Call::Write(paths) => paths.iter().find_map(|path| judge_path(scene, path)),
        Call::Shell(line) if !is_blank(line) && !scene.in_worktree => match is_gated(scene) {
            true => judge_in_main_tree(scene, line),
            false => judge_reading(scene, line),
        },
        Call::Shell(_) | Call::Other => None,
    }
}

fn is_gated(scene: &Scene<'_>) -> bool {
    let stage = scene.stage.as_deref().and_then(Stage::recorded);
    stage.is_some_and(Stage::is_gated)
}

fn judge_path(scene: &Scene<'_>, path: &str) -> Option<Reason> {
    let parts: Vec<String> = match (scene.place)(path) {
        Place::Inside(path) => path.parts().map(ToString::to_string).collect(),
        Place::Outside(parts) => parts,
    };
    let generated = parts.windows(2).position(|two| two == GENERATED);
    if let Some(at) = generated {
        // The folder of work trees and its files are no more than the rest.
        let is_in_worktree = parts.get(at + 2).is_some_and(|part| part == WORKTREES) && parts.len() > at + 4;
        return (!is_in_worktree).then(|| Reason::Generated(path.to_owned()));
    }
    let (name, folders) = parts.split_last()?;
    let has_open_folder = folders.iter().any(|part| OPEN_FOLDERS.contains(&part.as_str()));
    let is_open_name = name == OPEN_FOLDERS[0] || name.ends_with(OPEN_EXTENSION);
    if has_open_folder || is_open_name || OPEN_NAMES.contains(&name.as_str()) {
        return None;
    }
    Some(if is_gated(scene) {
        Reason::MainTree(path.to_owned())
    } else {
        Reason::NotNow(path.to_owned())
    })
}

fn judge_reading(scene: &Scene<'_>, line: &str) -> Option<Reason> {
    let refused = || Some(Reason::Writes(line.to_owned()));
    match parse(line) {
        Ok(commands) if commands.iter().all(|command| only_reads(scene, command)) => None,
        // What cannot be read is not known to read only.
        Ok(_) | Err(_) => refused(),
    }
}

fn only_reads(scene: &Scene<'_>, command: &Command) -> bool {
    let is_write = |kind: RedirectKind, target: &Word| {
        kind == RedirectKind::Write && (target.dynamic || target.text != "/dev/null")
    };
    let redirects = command.redirects.iter();
    if redirects.into_iter().any(|r| is_write(r.kind, &r.target)) || !command.assignments.is_empty() {
        return false;
    }
    let Some((first, arguments)) = command.words.split_first() else {
        return true;
    };
    if first.dynamic {
        return false;
    }
    let texts: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    let begins = |words: &[&str]| texts.starts_with(words);
    let is_own = OWN_PROGRAMS.iter().any(|program| {
        begins(program)
            && OWN_READERS
                .iter()
                .any(|own| texts[program.len()..].starts_with(own))
            && !texts.iter().any(|text| OWN_WRITES.contains(text))
    });
    let is_set = scene.readonly.iter().any(|set| {
        let words: Vec<&str> = set.split_whitespace().collect();
        !words.is_empty() && begins(&words)
    });
    if is_own || is_set || begins(&KNOWN_FAMILY) {
        return true;
    }
    let name = first.text.as_str();
    match name {
        "git" => git_only_reads(arguments),
        _ if RUNNERS.contains(&name) => runner_only_tells(&texts[1..]),
        _ if READERS.contains(&name) => {
            let writes = READER_WRITES.iter().find(|(reader, _)| *reader == name);
            let is_writing = |text: &str| {
                writes.is_some_and(|(_, options)| {
                    options.iter().any(|option| {
                        let rest = text.strip_prefix(option);
                        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
                    })
                })
            };
            // An option may hide in what only the shell knows.
            !arguments
                .iter()
                .any(|word| is_writing(&word.text) || (writes.is_some() && hides(word)))
        }
        _ => false,
    }
}

/// A word that is nothing but an expansion may become any option.
fn hides(word: &Word) -> bool {
    word.dynamic && word.text.is_empty()
}

fn runner_only_tells(arguments: &[&str]) -> bool {
    let asks_version = arguments.len() <= 2 && arguments.iter().any(|a| matches!(*a, "--version" | "-v"));
    let tests = match arguments {
        ["run", what, ..] => what.starts_with("test"),
        [first, ..] => first.starts_with("test"),
        [] => false,
    };
    asks_version || tests
}

fn git_only_reads(arguments: &[Word]) -> bool {
    let mut rest = arguments;
    while let Some((option, after)) = rest.split_first().filter(|(word, _)| word.text.starts_with('-')) {
        if !GIT_PLAIN.contains(&option.text.as_str()) {
            return false;
        }
        let taken = usize::from(option.text == GIT_PLAIN[0]).min(after.len());
        rest = &after[taken..];
    }
    let Some((name, rest)) = rest.split_first() else {
        return true;
    };
    let has = |is_it: &dyn Fn(&str) -> bool| rest.iter().any(|word| is_it(&word.text));
    if name.dynamic || !GIT_READERS.contains(&name.text.as_str()) || has(&|text| text.starts_with("--output"))
    {
        return false;
    }
    match name.text.as_str() {
        "stash" => rest
            .first()
            .is_some_and(|word| STASH_READERS.contains(&word.text.as_str())),
        "branch" => !has(&|text| {
            let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            let by_letter = letters.is_some_and(|rest| rest.contains(|c| BRANCH_LETTERS.contains(c)));
            by_letter || BRANCH_WRITES.iter().any(|option| text.starts_with(option))
        }),
        _ => true,
    }
}

fn judge_in_main_tree(scene: &Scene<'_>, line: &str) -> Option<Reason> {
    let refused = || Some(Reason::Dangerous(line.to_owned()));
    let Ok(commands) = parse(line) else {
        // No shell would run it either, but a part of it before that.
        let is_dangerous = |word: &str| DANGEROUS.contains(&word) || DANGEROUS_WRAPPERS.contains(&word);
        return line.split_whitespace().any(is_dangerous).then(refused).flatten();
    };
    let is_dangerous = |command: &Command| {
        program(command).is_some_and(|program| is_dangerous_program(scene, &program))
            || command
                .words
                .first()
                .is_some_and(|word| DANGEROUS_WRAPPERS.contains(&word.text.as_str()))
    };
    commands.iter().any(is_dangerous).then(refused).flatten()
}

fn is_dangerous_program(scene: &Scene<'_>, program: &Program<'_>) -> bool {
    let by_wrapper = program
        .wrappers
        .iter()
        .any(|name| DANGEROUS_WRAPPERS.contains(name));
    if by_wrapper || DANGEROUS.contains(&program.name) {
        return true;
    }
    if program.name != "git" || works_in_worktree(scene, program.arguments) {
        return false;
    }
    match git_command(program.arguments) {
        Some(("stash", rest)) => rest
            .first()
            .is_some_and(|word| DANGEROUS_STASH.contains(&word.text.as_str())),
        Some((name, _)) => DANGEROUS_GIT.contains(&name),
        None => false,
    }
}

/// `git -C` names a folder in the work tree of a change.
fn works_in_worktree(scene: &Scene<'_>, arguments: &[Word]) -> bool {
    let mut folders = arguments.windows(2).filter(|two| two[0].text == "-C");
    folders.next().is_some_and(|two| {
        let is_plain = !two[1].dynamic;
        let place = (scene.place)(&two[1].text);
        let trees = layout::worktrees();
        is_plain && matches!(place, Place::Inside(path) if path.starts_with(&trees) && path != trees)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene_of<'a>(stage: Option<&str>, readonly: &'a [String]) -> Scene<'a> {
        Scene {
            stage: stage.map(str::to_owned),
            in_worktree: false,
            readonly,
            place: &|path| Place::Inside(RepoPath::normalised(path).expect("inside")),
        }
    }

    fn is_allowed(stage: Option<&str>, line: &str) -> bool {
        judge(&scene_of(stage, &[]), &Call::Shell(line.to_owned())).is_none()
    }

    fn may_write(stage: Option<&str>, path: &str) -> bool {
        judge(&scene_of(stage, &[]), &Call::Write(vec![path.to_owned()])).is_none()
    }

    #[test]
    fn commands_that_only_read_are_allowed_at_any_time() {
        for line in [
            "ls -la",
            "cat a | grep -v b | wc -l",
            "git log --oneline",
            "git --no-pager -C sub diff",
            "git branch -a",
            "git stash show",
            "find . -name '*.rs'",
            "npm run test",
            "npm test -- a",
            "node -v",
            "echo a >/dev/null 2>&1",
            "git spec status",
            "git spec silly worktree create csv",
            "sillyspec worktree list",
            "ls # > x",
        ] {
            assert!(is_allowed(None, line), "{line}");
        }
    }

    #[test]
    fn whatever_may_write_is_refused_before_the_stage() {
        for line in [
            "echo x > src/a.rs",
            "cat a >> b",
            "find . -exec rm {} +",
            "find . $X",
            "git branch -D x",
            "git branch --delete x",
            "git branch -qD x",
            "git stash",
            "git stash push",
            "git -c core.pager=x log",
            "git diff --output=x",
            "ls; rm a",
            "ls & rm a",
            "ls\nrm a",
            "ls $(rm a)",
            "echo `touch a`",
            "A=1 ls",
            "sudo ls",
            "./grep x",
            "$X",
            "node build.js",
            "npm install --version x y",
            "git spec silly run plan",
            "git spec silly impact",
            "git spec silly sync-docs",
            "git spec merge x",
            "sillyspec run plan",
            "ls '",
            "rg --pre=x y",
        ] {
            assert!(!is_allowed(None, line), "{line}");
            assert!(!is_allowed(Some("verify"), line), "{line}");
        }
    }

    #[test]
    fn in_a_stage_everything_but_what_is_dangerous_goes() {
        for line in [
            "cargo build",
            "git status",
            "git stash",
            "echo x > a",
            "git -C .sillyspec/.runtime/worktrees/csv commit -m x",
        ] {
            assert!(is_allowed(Some("execute"), line), "{line}");
        }
        for line in [
            "ls && rm -r x",
            "/bin/rm x",
            "env rm x",
            "sudo ls",
            "git -C src commit -m x",
            "git stash pop",
            "git push",
            "ls; rmdir a",
            "echo $(git clean -fd)",
        ] {
            assert!(!is_allowed(Some("quick"), line), "{line}");
        }
    }

    #[test]
    fn commands_of_the_projects_own_list_read() {
        let own = ["cargo check".to_owned()];
        let scene = scene_of(None, &own);
        assert_eq!(judge(&scene, &Call::Shell("cargo check -q".to_owned())), None);
        assert!(judge(&scene, &Call::Shell("cargo build".to_owned())).is_some());
    }

    #[test]
    fn files_are_open_by_folder_name_and_ending() {
        for path in [
            "docs/a.md",
            ".sillyspec/changes/x.rs",
            "web/package.json",
            ".git/info/exclude",
            ".sillyspec/.runtime/worktrees/csv/src/a.rs",
        ] {
            assert!(may_write(None, path), "{path}");
        }
        for path in [
            "src/a.rs",
            ".git",
            ".sillyspec/../src/a.rs",
            ".sillyspec/.runtime/gate-status.json",
            ".sillyspec/.runtime/user-inputs.md",
            ".sillyspec/.runtime/worktrees/csv",
        ] {
            assert!(!may_write(None, path), "{path}");
            assert!(!may_write(Some("execute"), path), "{path}");
        }
    }

    #[test]
    fn a_call_without_paths_and_one_that_is_none_are_refused() {
        let scene = scene_of(Some("execute"), &[]);
        assert_eq!(judge(&scene, &Call::Write(Vec::new())), Some(Reason::NoPath));
        assert_eq!(judge(&scene, &Call::Unreadable), Some(Reason::Unreadable));
        assert_eq!(judge(&scene, &Call::Other), None);
    }
}
