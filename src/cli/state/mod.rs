//! `state`: the document `.planning/STATE.md`, read and changed (state.md 8, 11).

mod arguments;
mod intent;
mod place;
mod regenerate;
mod signal;
mod write;

use std::ffi::OsString;

use super::{Context, Exit, Format, finish};
use crate::report::state::{Answered, Told};
use crate::state::planning::Planning;
use crate::state::{Error, read};
use crate::voice::{Fail, Say, Voice};
use arguments::Arguments;
#[cfg(test)]
pub(super) use arguments::commands;
use place::Place;

/// Read and change the project's memory, .planning/STATE.md
///
/// Every form takes `--format json` for one line of JSON. Writers wait for each other.
/// A value that begins with `--` is written as `--option=value`.
///
///   Reading
///   [json]                          the front matter as a write would store it
///   get [NAME]                      a field, a key or a section; without a name the whole text
///   snapshot                        every field as it stands
///   load                            the text, and which files there are
///   validate [--strict]             what contradicts itself or the disk; with --strict exit code 2
///
///   Transitions
///   begin-phase --phase N [--name X] [--plans K]
///   advance-plan
///   planned-phase --phase N [--name X] [--plans K]
///   complete-phase [--phase N] [--next M [--next-name X] | --last]
///   milestone-switch --milestone V [--name X]
///   milestone-complete --milestone V [--next-command C]
///   patch --Field value … | '{"Field": "value"}'
///   update FIELD VALUE
///   sync [--verify]
///   prune [--keep-recent N] [--dry-run]
///
///   Records
///   update-progress
///   add-decision [--phase N] --summary T | --summary-file F [--rationale T | --rationale-file F]
///   add-blocker --text T | --text-file F
///   resolve-blocker --text T
///   record-metric --phase N --plan P --duration D [--tasks T] [--files F]
///   record-session [--stopped-at T] [--resume-file F]
///   add-roadmap-evolution [--phase N] [--action A] [--after M] --note T | --note-file F [--urgent]
///   signal-waiting [--type T] [--question Q] [--options "a|b"] [--phase N]
///   signal-resume
///   regenerate [--force]            a fresh document from roadmap and disk; a copy of the old one is kept
///
/// Example: state begin-phase --phase 2 --name Mast --plans 3
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct State {
    /// The command and its arguments
    #[arg(value_name = "COMMAND", allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// The name of a command in envelopes: of the group, and of the first word behind it that is no option.
pub(super) fn name(words: &[&OsString]) -> String {
    let first = words.first().and_then(|word| word.to_str());
    let own = first.filter(|word| !word.starts_with('-')).unwrap_or("json");
    format!("state {own}")
}

/// Whether JSON is asked for.
pub(super) fn is_json(words: &[&OsString]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        *word == "--format=json"
            || (*word == "--format" && words.get(at + 1).is_some_and(|next| *next == "json"))
    })
}

impl State {
    pub(super) fn run(self, context: &Context) -> Exit {
        let words: Vec<&OsString> = self.words.iter().collect();
        let (name, json) = (name(&words), is_json(&words));
        let format = if json { Format::Json } else { Format::Text };
        let told = Arguments::read(&self.words).and_then(|arguments| run(context, &arguments));
        finish(
            context,
            &name,
            format,
            told.map_err(|error| Failure {
                error,
                name: name.clone(),
            }),
        )
    }
}

/// An error of a command of the group.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
struct Failure {
    error: Error,
    name: String,
}

impl Say for Failure {
    fn say(&self, voice: &Voice) -> String {
        self.error.say(voice)
    }
}

impl Fail for Failure {
    fn code(&self) -> &'static str {
        self.error.code()
    }
}

fn run(context: &Context, arguments: &Arguments) -> Result<Answered, Error> {
    let place = Place::find(context);
    match arguments.command {
        "json" | "snapshot" | "validate" | "get" | "load" => look(context, &place, arguments),
        "signal-waiting" => signal::wait(context, &place, arguments),
        "signal-resume" => signal::resume(&place),
        "regenerate" => regenerate::regenerate(context, &place, arguments),
        _ => write::write(context, &place, arguments),
    }
}

fn look(context: &Context, place: &Place, arguments: &Arguments) -> Result<Answered, Error> {
    let tree = place.tree();
    if arguments.command == "load" {
        return place.load().map(|told| Answered::of(Told::Loaded(told)));
    }
    let bytes = place.read()?.ok_or(Error::NotFound)?;
    if arguments.command == "validate" {
        let version = read::stored_version(&crate::text::decode(&bytes));
        let planning = Planning::new(&tree, version.as_deref());
        return Ok(Answered::of(Told::Validated {
            validation: read::validate(&bytes, &planning)?,
            strict: arguments.has("strict"),
        }));
    }
    let content = read::text(&bytes)?;
    let told = match arguments.command {
        "snapshot" => Told::Snapshot(Box::new(read::snapshot(content))),
        "get" => match arguments.positionals.first() {
            None => Told::Content(content.to_owned()),
            Some(name) => Told::Value {
                value: read::get(content, name)?,
                name: name.clone(),
            },
        },
        _ => {
            let version = read::stored_version(content);
            let planning = Planning::new(&tree, version.as_deref());
            Told::Fields(read::fields(content, &planning, &place.moment(context))?)
        }
    };
    Ok(Answered::of(told).warn_unclosed(content))
}
