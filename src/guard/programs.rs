//! Programs that run what they are given, and the words of git: known once for all guards.

use super::shell::Word;

/// Programs that read a script of the shell.
pub(super) const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh"];

const INTERPRETERS: [&str; 8] = ["python", "perl", "ruby", "node", "nodejs", "php", "deno", "bun"];

/// Options of git before its command that take the next word.
const GIT_VALUES: [&str; 8] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--config-env",
    "--super-prefix",
];

/// The interpreter that a program is; `python3.11` is python.
pub(super) fn interpreter(name: &str) -> Option<&'static str> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.into_iter().find(|known| *known == stem)
}

/// The command of git, and what follows it.
pub(super) fn git_command(arguments: &[Word]) -> Option<(&str, &[Word])> {
    let mut at = 0;
    loop {
        let word = arguments.get(at)?;
        if !word.text.starts_with('-') {
            return Some((word.text.as_str(), &arguments[at + 1..]));
        }
        at += 1 + usize::from(GIT_VALUES.contains(&word.text.as_str()));
    }
}
