//! The scripts that git runs (git.md 3.1): they find this program, and do without it where it is gone.

use std::path::Path;

use bstr::{ByteSlice, ByteVec};

use super::Hook;
use crate::text::Bytes;

/// The file beside a script of ours that stood in its place before.
pub const BEFORE: &str = ".before-spec";

/// What tells a script of ours: the beginning of its second line.
const MARK: &[u8] = b"# git-spec hook ";
/// As [`MARK`], of a script that only calls another hook.
const FORWARD_MARK: &[u8] = b"# git-spec forward ";

const fn template(hook: Hook) -> &'static str {
    match hook {
        Hook::PreCommit => include_str!("../../git-hooks/pre-commit"),
        Hook::PreMergeCommit => include_str!("../../git-hooks/pre-merge-commit"),
        Hook::CommitMsg => include_str!("../../git-hooks/commit-msg"),
        Hook::PrePush => include_str!("../../git-hooks/pre-push"),
        Hook::PostMerge => include_str!("../../git-hooks/post-merge"),
        Hook::PreReceive => include_str!("../../git-hooks/pre-receive"),
    }
}

/// Bytes as one word of a shell.
fn quoted(bytes: &[u8]) -> Bytes {
    let mut out = b"'".to_vec();
    out.extend_from_slice(&bytes.replace("'", r"'\''"));
    out.push(b'\'');
    out
}

fn path_bytes(path: &Path) -> Bytes {
    Vec::from_path_lossy(path).into_owned()
}

/// The script of a hook that calls the program at a path, or whichever `git-spec` is found where that is gone.
pub fn script(hook: Hook, program: &Path) -> Bytes {
    with_program(hook, &quoted(&path_bytes(program)))
}

fn with_program(hook: Hook, word: &[u8]) -> Bytes {
    let mut find = b"p=".to_vec();
    find.extend_from_slice(word);
    find.extend_from_slice(br#"; [ -x "$p" ] || p=git-spec"#);
    template(hook).as_bytes().replacen("p=git-spec", &find, 1)
}

fn second_line(script: &[u8]) -> &[u8] {
    script.lines().nth(1).unwrap_or_default()
}

/// Whether a script is one of ours, of whatever version and however changed.
pub fn is_ours(script: &[u8]) -> bool {
    second_line(script).starts_with(MARK)
}

/// Whether a script is what we write, for some path of the program.
pub fn is_unchanged(hook: Hook, script: &[u8]) -> bool {
    let Some(begin) = script.find(b"\np=").map(|at| at + 3) else {
        return false;
    };
    let Some(end) = script
        .find(br#"; [ -x "$p" ] || p=git-spec"#)
        .filter(|end| begin <= *end)
    else {
        return script == template(hook).as_bytes();
    };
    script == with_program(hook, &script[begin..end])
}

/// A script that does nothing but run another hook.
pub fn forward(to: &Path) -> Bytes {
    let mut out = b"#!/bin/sh\n# git-spec forward 1\nexec ".to_vec();
    out.extend_from_slice(&quoted(&path_bytes(to)));
    out.extend_from_slice(b" \"$@\"\n");
    out
}

/// A script that runs the repository's own hook of this name, if there is one.
pub fn forward_to_repository(name: &str) -> Bytes {
    format!(
        "#!/bin/sh\n# git-spec forward 1\nh=\"$(git rev-parse --git-common-dir)/hooks/{name}\"\n\
         if [ -x \"$h\" ]; then exec \"$h\" \"$@\"; fi\n"
    )
    .into_bytes()
}

/// Whether a script of ours only runs another hook.
pub fn is_forward(script: &[u8]) -> bool {
    second_line(script).starts_with(FORWARD_MARK)
}

/// Programs that write the hooks themselves, and would write over ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manager {
    Husky,
    Lefthook,
    /// pre-commit, prek and others that read `.pre-commit-config.yaml`.
    PreCommit,
    Other,
}

/// How much of a file is looked at for the name of a manager.
const HEAD: usize = 4 << 10;

/// What managers write into their hooks.
const WORDS: [(&str, Manager); 6] = [
    ("lefthook", Manager::Lefthook),
    ("pre-commit.com", Manager::PreCommit),
    ("prek", Manager::PreCommit),
    ("overcommit", Manager::Other),
    ("simple-git-hooks", Manager::Other),
    ("husky", Manager::Husky),
];

/// The manager that a hook is of, by its folder or by what it says of itself.
pub fn manager(folder: &Path, script: &[u8]) -> Option<Manager> {
    if folder.ends_with(".husky") || folder.ends_with(".husky/_") {
        return Some(Manager::Husky);
    }
    let head = &script[..script.len().min(HEAD)];
    WORDS
        .into_iter()
        .find(|(word, _)| head.contains_str(word))
        .map(|(_, manager)| manager)
}

impl Manager {
    /// What to write down for it, so that it runs this hook.
    pub fn snippet(self, hook: Hook) -> String {
        let name = hook.as_str();
        match self {
            Self::Husky => format!("# .husky/{name}\ngit-spec hook {name} \"$@\"\n"),
            Self::Lefthook => {
                format!(
                    "# lefthook.yml\n{name}:\n  commands:\n    git-spec:\n      run: git-spec hook {name} {{0}}\n      use_stdin: true\n"
                )
            }
            Self::PreCommit => format!(
                "# .pre-commit-config.yaml\nrepos:\n  - repo: local\n    hooks:\n      - id: git-spec-{name}\n        \
                 name: git-spec\n        entry: git-spec hook {name}\n        language: system\n        \
                 stages: [{name}]\n        always_run: true\n        pass_filenames: false\n"
            ),
            Self::Other => format!("git-spec hook {name} \"$@\"\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_known_again_for_any_path_and_no_other_change() {
        for hook in Hook::ALL {
            for path in ["/usr/bin/git-spec", "/a b/it's/git-spec", "/ä/x"] {
                let script = script(hook, Path::new(path));
                assert!(is_ours(&script) && is_unchanged(hook, &script), "{path}");
                let mut changed = script.clone();
                changed.extend_from_slice(b"true\n");
                assert!(is_ours(&changed) && !is_unchanged(hook, &changed));
            }
            assert!(is_unchanged(hook, template(hook).as_bytes()));
            assert!(template(hook).contains(hook.as_str()));
        }
        let quoted = script(Hook::PreCommit, Path::new("/it's"));
        assert!(quoted.contains_str(r#"p='/it'\''s'; [ -x "$p" ]"#));
        assert!(!is_ours(b"#!/bin/sh\ntrue\n") && !is_unchanged(Hook::PreCommit, b""));
    }

    #[test]
    fn managers_are_known_by_folder_and_words() {
        let none = Path::new("/r/.git/hooks");
        assert_eq!(manager(Path::new("/r/.husky/_"), b""), Some(Manager::Husky));
        assert_eq!(
            manager(none, b"# https://pre-commit.com\n"),
            Some(Manager::PreCommit)
        );
        assert_eq!(manager(none, b"call_lefthook run\n"), Some(Manager::Lefthook));
        assert_eq!(manager(none, b"#!/bin/sh\nmake\n"), None);
    }
}
