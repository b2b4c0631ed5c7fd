//! The words of a `state` command (state.md 11): options with values, flags, positionals; a value never begins with `--`.

use std::ffi::OsString;

use crate::state::Error;

/// What a command takes.
struct Form {
    command: &'static str,
    values: &'static [&'static str],
    flags: &'static [&'static str],
    positionals: usize,
}

const fn form(
    command: &'static str,
    values: &'static [&'static str],
    flags: &'static [&'static str],
    positionals: usize,
) -> Form {
    Form {
        command,
        values,
        flags,
        positionals,
    }
}

/// The one that takes options of any name: the fields to set.
const PATCH: &str = "patch";
/// The one that needs all of its words.
const UPDATE: &str = "update";
/// What is missing where the next word begins with `--`.
const VALUE: &str = "a value (one that begins with `--` is written `--option=value`)";

const FORMS: [Form; 25] = [
    form("json", &[], &[], 0),
    form("get", &[], &[], 1),
    form("snapshot", &[], &[], 0),
    form("load", &[], &[], 0),
    form("validate", &[], &["strict"], 0),
    form("begin-phase", &["phase", "name", "plans"], &[], 0),
    form("advance-plan", &[], &[], 0),
    form("planned-phase", &["phase", "name", "plans"], &[], 0),
    form("complete-phase", &["phase", "next", "next-name"], &["last"], 0),
    form("milestone-switch", &["milestone", "name"], &[], 0),
    form("milestone-complete", &["milestone", "next-command"], &[], 0),
    form(PATCH, &[], &[], 1),
    form(UPDATE, &[], &[], 2),
    form("sync", &[], &["verify"], 0),
    form("prune", &["keep-recent"], &["dry-run"], 0),
    form("update-progress", &[], &[], 0),
    form(
        "add-decision",
        &["phase", "summary", "summary-file", "rationale", "rationale-file"],
        &[],
        0,
    ),
    form("add-blocker", &["text", "text-file"], &[], 0),
    form("resolve-blocker", &["text"], &[], 0),
    form(
        "record-metric",
        &["phase", "plan", "duration", "tasks", "files"],
        &[],
        0,
    ),
    form("record-session", &["stopped-at", "resume-file"], &[], 0),
    form(
        "add-roadmap-evolution",
        &["phase", "action", "after", "note", "note-file"],
        &["urgent"],
        0,
    ),
    form(
        "signal-waiting",
        &["type", "question", "options", "phase"],
        &[],
        0,
    ),
    form("signal-resume", &[], &[], 0),
    form("regenerate", &[], &["force"], 0),
];

/// The names of the commands.
#[cfg(test)]
pub(in crate::cli) fn commands() -> impl Iterator<Item = &'static str> {
    FORMS.iter().map(|form| form.command)
}

/// A command with what was given.
pub(super) struct Arguments {
    pub command: &'static str,
    pub positionals: Vec<String>,
    /// In the order given; without a value where none followed.
    pub options: Vec<(String, Option<String>)>,
}

impl Arguments {
    pub(super) fn read(words: &[OsString]) -> Result<Self, Error> {
        let mut texts = Vec::with_capacity(words.len());
        for word in words {
            let text = word.to_str().ok_or_else(|| Error::InvalidArgument {
                name: "argument".to_owned(),
                value: word.to_string_lossy().into_owned(),
                expected: "text in UTF-8",
            })?;
            texts.push(text);
        }
        let (command, rest) = match texts.first() {
            Some(first) if !first.starts_with('-') => (*first, &texts[1..]),
            _ => ("json", &texts[..]),
        };
        let form = FORMS
            .iter()
            .find(|form| form.command == command)
            .ok_or_else(|| Error::UnknownSubcommand(command.to_owned()))?;
        form.sort(rest)
    }

    /// The last value of an option, a blank one too.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .and_then(|(_, value)| value.as_deref())
    }

    /// The value of an option, if it says anything.
    pub(super) fn filled(&self, name: &str) -> Option<String> {
        self.value(name)
            .filter(|value| !crate::text::is_blank(value))
            .map(str::to_owned)
    }

    /// The value of an option that must be given; `shown` as it is told.
    pub(super) fn required(&self, name: &str, shown: &'static str) -> Result<String, Error> {
        self.filled(name).ok_or(Error::ArgumentRequired(shown))
    }

    pub(super) fn has(&self, flag: &str) -> bool {
        self.options.iter().any(|(known, _)| known == flag)
    }

    /// A whole number.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, Error> {
        let Some(value) = self.filled(name) else {
            return Ok(None);
        };
        let digits = value.trim();
        let number = digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| digits.parse().ok())
            .flatten();
        number.map(Some).ok_or(Error::InvalidArgument {
            name: format!("--{name}"),
            value,
            expected: "a whole number",
        })
    }
}

impl Form {
    /// Whether a value was to follow what was read so far.
    fn misses_value(&self, read: &Arguments) -> bool {
        let option = read.options.last();
        let of_option =
            option.is_some_and(|(name, value)| value.is_none() && !self.flags.contains(&name.as_str()));
        of_option || self.command == UPDATE && read.positionals.len() == 1
    }

    fn sort(&self, words: &[&str]) -> Result<Arguments, Error> {
        let mut arguments = Arguments {
            command: self.command,
            positionals: Vec::new(),
            options: Vec::new(),
        };
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let Some(option) = word.strip_prefix("--") else {
                arguments.positionals.push((*word).to_owned());
                continue;
            };
            let (name, joined) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (option, None),
            };
            let is_flag = self.flags.contains(&name);
            let takes_value = name == "format" || self.command == PATCH || self.values.contains(&name);
            if !is_flag && !takes_value {
                if self.misses_value(&arguments) {
                    return Err(Error::ArgumentRequired(VALUE));
                }
                return Err(Error::InvalidArgument {
                    name: format!("state {}", self.command),
                    value: (*word).to_owned(),
                    expected: "only the options that `state --help` names",
                });
            }
            let value = match joined {
                Some(value) => Some(value),
                None if takes_value => words.get(at).copied().filter(|next| !next.starts_with("--")),
                None => None,
            };
            if joined.is_none() && value.is_some() {
                at += 1;
            }
            if name != "format" {
                arguments
                    .options
                    .push((name.to_owned(), value.map(str::to_owned)));
            }
        }
        if let Some(more) = arguments.positionals.get(self.positionals) {
            return Err(Error::InvalidArgument {
                name: format!("state {}", self.command),
                value: more.clone(),
                expected: "no further words; put quotes around a value with blanks",
            });
        }
        Ok(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[&str]) -> Result<Arguments, Error> {
        let words: Vec<OsString> = line.iter().map(OsString::from).collect();
        Arguments::read(&words)
    }

    #[test]
    fn an_option_is_no_value() {
        let given = read(&["add-blocker", "--text", "--format", "json"]).expect("read");
        assert_eq!(given.filled("text"), None);
        let given = read(&["add-blocker", "--text=--x"]).expect("read");
        assert_eq!(given.filled("text").as_deref(), Some("--x"));
        let given = read(&["update", "Plan", "-"]).expect("read");
        assert_eq!(given.positionals, ["Plan", "-"]);
    }

    #[test]
    fn what_was_to_be_a_value_is_missing() {
        for line in [
            &["add-blocker", "--text", "--oops"][..],
            &["begin-phase", "--phase", "2", "--name", "--dry"],
            &["update", "Status", "--x"],
        ] {
            assert!(matches!(read(line), Err(Error::ArgumentRequired(_))), "{line:?}");
        }
        for line in [
            &["add-blocker", "--text", "x", "--oops"][..],
            &["validate", "--strict", "--oops"],
            &["update", "--x"],
        ] {
            assert!(
                matches!(read(line), Err(Error::InvalidArgument { .. })),
                "{line:?}"
            );
        }
    }

    #[test]
    fn without_a_command_it_is_json() {
        assert_eq!(read(&[]).expect("read").command, "json");
        assert_eq!(read(&["--format", "json"]).expect("read").command, "json");
    }

    #[test]
    fn what_is_unknown_is_told() {
        assert!(matches!(read(&["frobnicate"]), Err(Error::UnknownSubcommand(_))));
        assert!(matches!(
            read(&["sync", "--very"]),
            Err(Error::InvalidArgument { .. })
        ));
        assert!(matches!(
            read(&["update", "a", "b", "c"]),
            Err(Error::InvalidArgument { .. })
        ));
        let given = read(&["prune", "--keep-recent", "-1"]).expect("read");
        assert!(matches!(
            given.number("keep-recent"),
            Err(Error::InvalidArgument { .. })
        ));
        assert!(read(&["patch", "--Last activity", "x"]).is_ok());
    }
}
