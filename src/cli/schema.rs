//! `schema`: prints the JSON Schema of a command's JSON.

use clap::CommandFactory;

use super::{Cli, Context, Exit, Format, fail, settle, with_screen};
use crate::report::schema;
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice, quoted_list};

/// Print the JSON Schema of a command's JSON
///
/// Without a command the names are listed; `error` is what every command prints when it could not do its work.
///
/// Example: schema change-lint
#[derive(clap::Args)]
pub(super) struct Schema {
    /// The command, its words joined by blanks or by `-`
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

/// There is no schema of that name.
#[derive(Debug, thiserror::Error)]
#[error("`{}` has no JSON Schema", escape(.0))]
struct Unknown(String);

impl Say for Unknown {
    fn say(&self, voice: &Voice) -> String {
        let (name, known) = (escape(&self.0), schema::ALL.map(|(name, _)| name.to_owned()));
        let known = quoted_list(&known);
        say!(
            voice,
            "`{name}` has no JSON Schema; these have one: {known}",
            "`{name}` 没有 JSON Schema；有的是：{known}"
        )
    }
}

impl Fail for Unknown {
    fn code(&self) -> &'static str {
        "SCHEMA_UNKNOWN"
    }
}

impl Schema {
    pub(super) fn run(self, context: &Context) -> Exit {
        if self.words.is_empty() {
            let list = |(name, _): &(&str, &str)| format!("{name}\n");
            return print(context, &schema::ALL.iter().map(list).collect::<String>());
        }
        let asked = self.words.join(" ");
        match schema::find(&full_name(&asked)) {
            Some(text) => print(context, text),
            None => fail(context, "schema", Format::Text, &Unknown(asked)),
        }
    }
}

/// The name of a command that was named by an alias.
fn full_name(asked: &str) -> String {
    let definition = Cli::command();
    let found = definition.find_subcommand(asked);
    found.map_or(asked, clap::Command::get_name).to_owned()
}

fn print(context: &Context, text: &str) -> Exit {
    let written = with_screen(context, |screen| screen.out.write_all(text.as_bytes()));
    settle(written, Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_format(command: &clap::Command, words: &[&str], out: &mut Vec<String>) {
        let words = [words, &[command.get_name()]].concat();
        // In groups without envelope some always answer in JSON.
        let is_bare = schema::BARE.contains(words.get(1).unwrap_or(&"")) && !command.has_subcommands();
        if is_bare || command.get_arguments().any(|a| a.get_long() == Some("format")) {
            out.push(words[1..].join(" "));
        }
        for below in command.get_subcommands() {
            with_format(below, &words, out);
        }
    }

    #[test]
    fn every_command_with_a_format_has_a_schema_and_every_schema_a_command() {
        let mut commands = Vec::new();
        with_format(&Cli::command(), &[], &mut commands);
        // This group reads its words itself.
        commands.extend(super::super::state::commands().map(|command| format!("state {command}")));
        for command in &commands {
            assert!(schema::find(command).is_some(), "`{command}` has no schema");
        }
        for (name, _) in schema::ALL {
            let known = commands.iter().any(|command| command.replace(' ', "-") == name);
            let shared = schema::FAMILIES.contains(&name);
            assert!(
                known || shared || schema::DOCUMENTS.contains(&name),
                "`{name}` is no command with a format"
            );
        }
    }

    #[test]
    fn an_alias_names_its_command() {
        assert_eq!(full_name("lint"), "change-lint");
        assert_eq!(full_name("change lint"), "change lint");
    }
}
