//! From the words of a command line to what clap parses: the lenient rules of the contract (change.md 2.1 and 8.1,
//! logos-project.md part 1), applied with the options that clap knows. Options come out as `--name=value`, positionals
//! behind `--`, so that no value is ever taken for an option.

use std::ffi::{OsStr, OsString};

use crate::text::trim;

/// How a command takes words that it does not know, options that are repeated, and values that are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Unknown words are positionals, for clap to refuse when there are too many.
    Strict,
    /// As strict; behind `--` every word is a positional.
    Closed,
    /// Unknown words are ignored; the first occurrence counts; a value starting with `--` is none (change-lint).
    FirstCounts,
    /// Unknown words are ignored; the last occurrence counts; a value may look like an option (impact).
    LastCounts,
    /// The command reads its words itself (state).
    Own,
}

fn rule_of(command: &str) -> Rule {
    match command {
        "change-lint" => Rule::FirstCounts,
        "impact" => Rule::LastCounts,
        "worktree" | "loop" => Rule::Closed,
        "state" => Rule::Own,
        _ => Rule::Strict,
    }
}

/// Options that shield the next word from the global help and version (logos-project.md part 1).
const SHIELDING: [&str; 14] = [
    "--locale",
    "--ai-tool",
    "--aitool",
    "--module",
    "--interval",
    "--env",
    "--manifest",
    "--run-id",
    "--slug",
    "--lifecycle",
    "--format",
    "--base",
    "--head",
    "--prefix",
];

/// What a command line asks for.
pub(super) enum Asked {
    Help(Vec<String>),
    Version,
    Unknown(String),
    /// A command that is only a group, without one of its members behind it.
    Incomplete {
        path: Vec<String>,
        unknown: Option<String>,
    },
    Command {
        argv: Vec<OsString>,
        name: String,
        json: bool,
    },
}

/// The name that printed commands start with: `openlogos` under a link of that name, else `git spec`.
pub(super) fn program_name(argv0: Option<&OsStr>) -> String {
    let stem = argv0
        .map(std::path::Path::new)
        .and_then(std::path::Path::file_stem)
        .unwrap_or_default();
    if stem == "openlogos" {
        "openlogos".to_owned()
    } else {
        "git spec".to_owned()
    }
}

pub(super) fn normalise(definition: &clap::Command, words: &[OsString]) -> Asked {
    let mut argv: Vec<OsString> = vec!["git-spec".into()];
    let mut rest = words.iter().peekable();
    // Options before the command.
    while let Some(word) = rest.peek() {
        match word.to_str() {
            Some("-h" | "--help") => return Asked::Help(Vec::new()),
            Some("-v" | "--version") => return Asked::Version,
            Some("-C" | "--project" | "--color") => argv.extend(rest.by_ref().take(2).cloned()),
            Some(option) if option.starts_with('-') => {
                argv.push(option.into());
                rest.next();
            }
            _ => break,
        }
    }
    let Some(first) = rest.next() else {
        if argv.len() == 1 {
            return Asked::Help(Vec::new());
        }
        return Asked::Command {
            argv,
            name: String::new(),
            json: false,
        };
    };
    let mut words: Vec<&OsString> = rest.collect();
    if first == "help" {
        let path = words.iter().map(|word| word.to_string_lossy().into_owned());
        return Asked::Help(path.collect());
    }
    let Some(mut command) = definition.find_subcommand(first) else {
        return match global_flag(&words) {
            Some(Global::Help) => Asked::Help(Vec::new()),
            Some(Global::Version) => Asked::Version,
            None => Asked::Unknown(first.to_string_lossy().into_owned()),
        };
    };
    let mut path = vec![command.get_name().to_owned()];
    while let Some((at, next)) = member(command, &words) {
        path.push(next.get_name().to_owned());
        command = next;
        words.remove(at);
    }
    if rule_of(&path[0]) == Rule::Own {
        if words.iter().any(|word| *word == "--help") || words.first().is_some_and(|word| *word == "-h") {
            return Asked::Help(path);
        }
        let (name, json) = (super::state::name(&words), super::state::is_json(&words));
        argv.extend(path.iter().map(OsString::from));
        argv.push("--".into());
        argv.extend(words.into_iter().cloned());
        return Asked::Command { argv, name, json };
    }
    match global_flag(&words) {
        Some(Global::Help) => return Asked::Help(path),
        Some(Global::Version) => return Asked::Version,
        None => {}
    }
    // A group may do something by itself, with words of its own.
    if command.has_subcommands() && command.get_positionals().next().is_none() {
        return Asked::Incomplete {
            path,
            unknown: words.first().map(|word| word.to_string_lossy().into_owned()),
        };
    }
    argv.extend(path.iter().map(OsString::from));
    let name = path.join(" ");
    let (options, positionals, json) = sort_words(command, definition, &words, rule_of(&path[0]));
    argv.extend(options);
    if !positionals.is_empty() {
        argv.push("--".into());
        argv.extend(positionals);
    }
    Asked::Command { argv, name, json }
}

/// The member of a group that the words name, and where: first, as `--format json` before it is no positional.
fn member<'c>(group: &'c clap::Command, words: &[&OsString]) -> Option<(usize, &'c clap::Command)> {
    let at = if words.first().is_some_and(|word| *word == "--format") {
        2
    } else {
        0
    };
    Some((at, group.find_subcommand(words.get(at)?)?))
}

enum Global {
    Help,
    Version,
}

/// `--help` and `--version` win over everything, but not in the value position of an option that takes one.
fn global_flag(words: &[&OsString]) -> Option<Global> {
    let mut shielded = false;
    for word in words {
        let was_shielded = std::mem::take(&mut shielded);
        match word.to_str() {
            Some(option) if !was_shielded && SHIELDING.contains(&option) => shielded = true,
            Some("-h" | "--help") if !was_shielded => return Some(Global::Help),
            Some("-v" | "--version") if !was_shielded => return Some(Global::Version),
            _ => {}
        }
    }
    None
}

/// Sorts words into options (each as one word) and positionals, and says whether JSON was asked for.
fn sort_words(
    command: &clap::Command,
    top: &clap::Command,
    words: &[&OsString],
    rule: Rule,
) -> (Vec<OsString>, Vec<OsString>, bool) {
    let (words, behind) = match words.iter().position(|word| *word == "--") {
        Some(at) if rule == Rule::Closed => (&words[..at], &words[at + 1..]),
        Some(_) | None => (words, &[][..]),
    };
    let is_strict = matches!(rule, Rule::Strict | Rule::Closed);
    let mut options: Vec<(String, OsString)> = Vec::new();
    let mut positionals = Vec::new();
    let mut json = false;
    let takes_positionals = command.get_positionals().next().is_some();
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        at += 1;
        let text = word.to_str().unwrap_or_default();
        // The contract has no `--slug=x` form; commands that it does not bind take what people write.
        if is_strict
            && let Some((name, value)) = text.split_once('=')
            && let Some((id, true)) = known_option(command, top, name)
        {
            json |= id == "format" && value == "json";
            set_option(&mut options, command, id, word.clone());
            continue;
        }
        let Some((id, takes_value)) = known_option(command, top, text) else {
            let looks_like_option = text.starts_with('-') && text.len() > 1;
            if is_strict || (takes_positionals && !looks_like_option) {
                positionals.push(word.clone());
            }
            continue;
        };
        if !takes_value {
            if repeatable(command, &id) || options.iter().all(|(seen, _)| *seen != id) {
                options.push((id, text.into()));
            }
            continue;
        }
        let value = match words.get(at) {
            Some(value) if rule == Rule::LastCounts || !value.to_string_lossy().starts_with("--") => {
                at += 1;
                (*value).clone()
            }
            // `--format` of nothing is text, and no error (logos-project.md part 1).
            _ if is_strict && id == "format" => continue,
            _ if is_strict => {
                // Left as it is, without a value, for clap to refuse.
                options.push((id, text.into()));
                continue;
            }
            _ => OsString::new(),
        };
        if id == "format" && trim(&value.to_string_lossy()) == "json" {
            json = true;
        }
        // `--format json` is JSON anywhere, even where `--format` is another option's value (logos-project.md part 1).
        if value == "--format" && words.get(at).is_some_and(|next| *next == "json") {
            json = true;
            let format = ("format".to_owned(), "--format=json".into());
            options.retain(|(seen, _)| *seen != format.0);
            options.push(format);
        }
        let mut whole = OsString::from(format!("{text}="));
        whole.push(value);
        if rule != Rule::FirstCounts || options.iter().all(|(seen, _)| *seen != id) {
            set_option(&mut options, command, id, whole);
        }
    }
    positionals.extend(behind.iter().map(|word| (*word).clone()));
    (
        options.into_iter().map(|(_, word)| word).collect(),
        positionals,
        json,
    )
}

/// The last occurrence of an option counts, unless it may be repeated.
fn set_option(options: &mut Vec<(String, OsString)>, command: &clap::Command, id: String, whole: OsString) {
    match options.iter_mut().find(|(seen, _)| *seen == id) {
        Some((_, old)) if !repeatable(command, &id) => *old = whole,
        _ => options.push((id, whole)),
    }
}

fn repeatable(command: &clap::Command, id: &str) -> bool {
    command.get_arguments().any(|a| {
        a.get_id() == id && matches!(a.get_action(), clap::ArgAction::Append | clap::ArgAction::Count)
    })
}

/// The option of a command, or a global one, by its long name: its id, and whether it takes a value.
fn known_option(command: &clap::Command, top: &clap::Command, word: &str) -> Option<(String, bool)> {
    let name = word.strip_prefix("--").filter(|name| !name.is_empty())?;
    let own = command
        .get_arguments()
        .chain(top.get_arguments().filter(|a| a.is_global_set()));
    let mut found = own
        .filter(|a| a.get_long() == Some(name) || a.get_all_aliases().is_some_and(|all| all.contains(&name)));
    let arg = found.next()?;
    Some((arg.get_id().to_string(), arg.get_action().takes_values()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn normalised(line: &str) -> Vec<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        match normalise(&crate::cli::Cli::command(), &words) {
            Asked::Command { argv, .. } => {
                let words = argv.into_iter().skip(2);
                words.map(|w| w.to_string_lossy().into_owned()).collect()
            }
            Asked::Help(_) | Asked::Version | Asked::Unknown(_) | Asked::Incomplete { .. } => Vec::new(),
        }
    }

    #[test]
    fn an_equals_sign_joins_name_and_value_where_the_contract_does_not_forbid_it() {
        assert_eq!(
            normalised("change --module=tide s1"),
            ["--module=tide", "--", "s1"]
        );
        assert_eq!(normalised("change-lint --slug=s1"), Vec::<String>::new());
    }

    #[test]
    fn help_names_the_command_that_it_explains() {
        let words = ["help", "merge"].map(OsString::from);
        let asked = normalise(&crate::cli::Cli::command(), &words);
        assert!(matches!(asked, Asked::Help(path) if path == ["merge"]));
    }

    #[test]
    fn impact_passes_over_unknown_words_and_takes_the_last_of_an_option() {
        assert_eq!(
            normalised("impact --stdin --prefix a/ --prefix b/ extra --other -x"),
            ["--stdin", "--prefix=b/"]
        );
    }

    #[test]
    fn a_value_of_impact_may_look_like_an_option_and_a_last_option_has_an_empty_one() {
        assert_eq!(
            normalised("impact --base --help --head"),
            ["--base=--help", "--head="]
        );
    }

    #[test]
    fn a_family_without_one_of_its_commands_is_a_question_of_usage() {
        for line in ["module", "module --format json", "module frobnicate"] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let asked = normalise(&crate::cli::Cli::command(), &words);
            assert!(
                matches!(asked, Asked::Incomplete { path, .. } if path == ["module"]),
                "{line}"
            );
        }
        assert_eq!(normalised("module add -quay"), ["add", "--", "-quay"]);
    }

    #[test]
    fn json_is_asked_for_even_within_a_value() {
        assert_eq!(
            normalised("impact --base HEAD --head --format json"),
            ["--base=HEAD", "--format=json", "--head=--format"]
        );
    }

    #[test]
    fn a_format_may_stand_before_the_member_of_a_group() {
        assert_eq!(
            normalised("feature --format json list --module a"),
            ["list", "--format=json", "--module=a"]
        );
        assert_eq!(normalised("feature --format json"), [""; 0]);
    }

    #[test]
    fn a_format_without_a_value_is_left_out() {
        assert_eq!(normalised("detect --format"), [""; 0]);
    }
}
