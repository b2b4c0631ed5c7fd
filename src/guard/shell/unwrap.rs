//! The program that a simple command runs in the end: without assignments, wrappers and the folder of its name.

use super::{Command, Word};

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<'c> {
    /// Without folder.
    pub name: &'c str,
    /// The name is not all that is written: the shell may make another one of it.
    pub dynamic: bool,
    pub arguments: &'c [Word],
    /// Wrappers before it, in their order: `sudo`, `env`, …
    pub wrappers: Vec<&'c str>,
    /// The folders that wrappers go to first, in their order.
    pub folders: Vec<&'c Word>,
}

/// A wrapper, and which of its options take the next word.
struct Wrapper {
    name: &'static str,
    with_value: &'static [&'static str],
    /// Words that are its own before the command.
    operands: usize,
}

const fn wrapper(name: &'static str, with_value: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper {
        name,
        with_value,
        operands,
    }
}

const WRAPPERS: [Wrapper; 18] = [
    wrapper(
        "sudo",
        &[
            "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "--user", "--group", "--chdir",
        ],
        0,
    ),
    wrapper("doas", &["-u", "-C"], 0),
    wrapper("env", &["-u", "-C", "-S", "--unset", "--chdir"], 0),
    wrapper("nohup", &[], 0),
    wrapper("time", &["-f", "-o"], 0),
    wrapper(
        "xargs",
        &[
            "-a",
            "-d",
            "-E",
            "-I",
            "-L",
            "-n",
            "-P",
            "-s",
            "--max-args",
            "--max-procs",
            "--replace",
            "--delimiter",
        ],
        0,
    ),
    wrapper("command", &[], 0),
    wrapper("builtin", &[], 0),
    wrapper("exec", &["-a"], 0),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("ionice", &["-c", "-n", "-p"], 0),
    wrapper("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper("stdbuf", &["-i", "-o", "-e"], 0),
    wrapper("setsid", &[], 0),
    wrapper("busybox", &[], 0),
    wrapper("toybox", &[], 0),
    wrapper("unbuffer", &[], 0),
    wrapper("parallel", &["-j", "-a", "--jobs"], 0),
];

/// The last part of a path.
fn base_name(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

/// What a command runs; none if it only assigns or redirects, or only asks where a program is.
pub fn program(command: &Command) -> Option<Program<'_>> {
    let mut words = &command.words[..];
    let mut wrappers = Vec::new();
    let mut folders = Vec::new();
    loop {
        let (first, rest) = words.split_first()?;
        if first.text == "!" {
            words = rest;
            continue;
        }
        let name = base_name(&first.text);
        let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) else {
            return Some(Program {
                name,
                dynamic: first.dynamic,
                arguments: rest,
                wrappers,
                folders,
            });
        };
        wrappers.push(name);
        words = wrapper.skip(rest, &mut folders)?;
    }
}

impl Wrapper {
    /// The words behind the wrapper's own; none if it runs nothing.
    fn skip<'w>(&self, words: &'w [Word], folders: &mut Vec<&'w Word>) -> Option<&'w [Word]> {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if text == "--" {
                at += 1;
                break;
            }
            let assigns = matches!(self.name, "env" | "sudo" | "doas");
            let is_assignment = assigns && text.contains('=') && !text.starts_with('-');
            // `env -` is `env -i`.
            if is_assignment || self.name == "env" && text == "-" {
                at += 1;
                continue;
            }
            if !text.starts_with('-') || text == "-" {
                break;
            }
            if self.name == "command" && matches!(text, "-v" | "-V") {
                return None;
            }
            let taken = self.takes_next(text);
            let goes = match self.name {
                "env" => text.ends_with('C') || text == "--chdir",
                "sudo" => text.ends_with('D') || text == "--chdir",
                _ => false,
            };
            folders.extend(words.get(at + 1).filter(|_| taken && goes));
            at += 1 + usize::from(taken);
        }
        words.get(at + self.operands..).filter(|rest| !rest.is_empty())
    }

    /// Whether an option takes the next word: of joined letters the last one may, unless one before it takes the rest.
    fn takes_next(&self, text: &str) -> bool {
        if text.starts_with("--") {
            return self.with_value.contains(&text);
        }
        let takes = |c: char| self.with_value.contains(&format!("-{c}").as_str());
        text[1..].find(takes).is_some_and(|at| at + 2 == text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn wrappers_are_dropped() {
        for (text, name, arguments) in [
            ("/bin/rm a", "rm", "a"),
            ("sudo -u ada rm a", "rm", "a"),
            ("env -i X=1 -u Y rm a", "rm", "a"),
            ("A=1 nohup nice -n 5 rm a", "rm", "a"),
            ("timeout -k 1 5 rm a", "rm", "a"),
            ("xargs -n 1 -I {} rm {}", "rm", "{}"),
            ("command rm a", "rm", "a"),
            ("command -- rm a", "rm", "a"),
            ("time -p ls", "ls", ""),
            ("time ! ls", "ls", ""),
            ("sudo FOO=1 rm a", "rm", "a"),
            ("sudo -u root A=1 rm a", "rm", "a"),
            ("sudo -nu root rm a", "rm", "a"),
            ("sudo -ujoseph rm a", "rm", "a"),
            ("env - rm a", "rm", "a"),
            ("env -iu A rm a", "rm", "a"),
            ("env -C / rm a", "rm", "a"),
        ] {
            let commands = parse(text).expect("readable");
            let program = program(&commands[0]).expect("one");
            let shown: Vec<&str> = program.arguments.iter().map(|word| word.text.as_str()).collect();
            assert_eq!(
                (program.name, shown.join(" ").as_str()),
                (name, arguments),
                "{text}"
            );
        }
        for text in ["command -v rm", "X=1", "sudo", "> x"] {
            let commands = parse(text).expect("readable");
            assert_eq!(program(&commands[0]), None, "{text}");
        }
    }
}
