//! From the words of a writing command to its intent.

use std::io;
use std::path::{Path, PathBuf};

use super::Context;
use super::arguments::Arguments;
use super::place::Place;
use crate::files::{ReadError, RepoPath, Unread, read_regular, real_path};
use crate::state::Error;
use crate::state::append::{Appended, Entry};
use crate::state::phase_id::PhaseId;
use crate::state::transition::{Done, Intent, Next};
use crate::text::{is_blank, is_space};
use crate::voice::{Invocation, Say};

/// Text files are texts of people: more than this is none.
const LARGEST_TEXT: u64 = 1 << 20;

/// What a command comes to before the document is read.
pub(super) enum Asked {
    Intent(Intent),
    /// A text file was not taken; nothing is written.
    Refused(Done),
}

pub(super) fn of(context: &Context, place: &Place, arguments: &Arguments) -> Result<Asked, Error> {
    let phase = || phase(arguments, "phase");
    let begin = || -> Result<_, Error> {
        let phase = phase()?.ok_or(Error::ArgumentRequired("`--phase <number>`"))?;
        Ok((phase, arguments.filled("name"), arguments.number("plans")?))
    };
    Ok(Asked::Intent(match arguments.command {
        "begin-phase" => {
            let (phase, name, plans) = begin()?;
            Intent::BeginPhase { phase, name, plans }
        }
        "planned-phase" => {
            let (phase, name, plans) = begin()?;
            Intent::PlannedPhase { phase, name, plans }
        }
        "advance-plan" => Intent::AdvancePlan,
        "complete-phase" => complete(arguments, phase()?)?,
        "milestone-switch" => Intent::MilestoneSwitch {
            version: arguments.required("milestone", "`--milestone <version>`")?,
            name: arguments.filled("name"),
        },
        "milestone-complete" => Intent::MilestoneComplete {
            version: arguments.required("milestone", "`--milestone <version>`")?,
            next_command: arguments.filled("next-command").unwrap_or_else(|| {
                Invocation::new("state", &["milestone-switch", "--milestone", "<version>"])
                    .say(context.voice())
            }),
        },
        "patch" => Intent::Patch(fields(arguments)?),
        "update" => match &arguments.positionals[..] {
            [field, value] => Intent::Update {
                field: field.clone(),
                value: value.clone(),
            },
            _ => return Err(Error::ArgumentRequired("a field and its value")),
        },
        "sync" => Intent::Sync {
            verify: arguments.has("verify"),
        },
        "prune" => Intent::Prune {
            keep_recent: arguments.number("keep-recent")?.unwrap_or(3),
            dry_run: arguments.has("dry-run"),
        },
        "update-progress" => Intent::UpdateProgress,
        _ => {
            return Ok(match entry(context, place, arguments)? {
                Ok(entry) => Asked::Intent(Intent::Append(entry)),
                Err(reason) => Asked::Refused(Done::Appended(Appended::NotAdded { added: false, reason })),
            });
        }
    }))
}

/// The number of a phase.
fn phase(arguments: &Arguments, option: &str) -> Result<Option<String>, Error> {
    let Some(value) = arguments.filled(option) else {
        return Ok(None);
    };
    let number = value.trim();
    match PhaseId::of(number) {
        Some(_) => Ok(Some(number.to_owned())),
        None => Err(Error::InvalidArgument {
            name: format!("--{option}"),
            value,
            expected: "the number of a phase, such as 2, 02, 2a or 2.1",
        }),
    }
}

fn complete(arguments: &Arguments, given: Option<String>) -> Result<Intent, Error> {
    let next = phase(arguments, "next")?;
    let next = match (next, arguments.has("last")) {
        (Some(_), true) => {
            return Err(Error::InvalidArgument {
                name: "--last".to_owned(),
                value: "--next".to_owned(),
                expected: "one of the two",
            });
        }
        (Some(phase), false) => Next::Phase {
            phase,
            name: arguments.filled("next-name"),
        },
        (None, true) => Next::Last,
        (None, false) if arguments.has("next") => {
            return Err(Error::ArgumentRequired("a phase after `--next`"));
        }
        (None, false) => return Ok(Intent::MarkPhase { phase: given }),
    };
    let phase = given.ok_or(Error::ArgumentRequired("`--phase <number>`"))?;
    Ok(Intent::CompletePhase { phase, next })
}

/// Fields of `patch`: options, or one JSON object.
fn fields(arguments: &Arguments) -> Result<Vec<(String, String)>, Error> {
    let mut fields = Vec::new();
    if let Some(object) = arguments.positionals.first() {
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(object).map_err(|error| Error::InvalidJson(error.to_string()))?;
        for (field, value) in object {
            let text = match value {
                serde_json::Value::String(text) => text,
                serde_json::Value::Number(number) => number.to_string(),
                serde_json::Value::Bool(truth) => truth.to_string(),
                serde_json::Value::Null => String::new(),
                serde_json::Value::Array(_) | serde_json::Value::Object(_) => {
                    return Err(Error::InvalidJson(format!("the value of `{field}` is no text")));
                }
            };
            fields.push((field, text));
        }
    }
    for (field, value) in &arguments.options {
        let value = value
            .clone()
            .ok_or(Error::ArgumentRequired("a value for every field"))?;
        fields.push((field.clone(), value));
    }
    if fields.is_empty() {
        return Err(Error::ArgumentRequired("a field and its value"));
    }
    Ok(fields)
}

/// The entry of an appending command; else why a file was not taken.
fn entry(
    context: &Context,
    place: &Place,
    arguments: &Arguments,
) -> Result<Result<Entry, &'static str>, Error> {
    let text = |name: &str| text(context, place, arguments, name);
    macro_rules! taken {
        ($name:expr) => {
            match text($name)? {
                Ok(text) => text,
                Err(reason) => return Ok(Err(reason)),
            }
        };
    }
    Ok(Ok(match arguments.command {
        "add-decision" => Entry::Decision {
            phase: arguments.filled("phase"),
            summary: taken!("summary").ok_or(Error::ArgumentRequired(
                "`--summary <text>` or `--summary-file <file>`",
            ))?,
            rationale: taken!("rationale"),
        },
        "add-blocker" => Entry::Blocker {
            text: taken!("text").ok_or(Error::ArgumentRequired("`--text <text>` or `--text-file <file>`"))?,
        },
        "resolve-blocker" => Entry::ResolveBlocker {
            text: arguments.required("text", "`--text <text>`")?,
        },
        "record-metric" => Entry::Metric {
            phase: arguments.required("phase", "`--phase <number>`")?,
            plan: arguments.required("plan", "`--plan <number>`")?,
            duration: arguments.required("duration", "`--duration <time>`")?,
            tasks: arguments.filled("tasks"),
            files: arguments.filled("files"),
        },
        "record-session" => Entry::Session {
            stopped_at: arguments.filled("stopped-at"),
            resume_file: arguments.filled("resume-file"),
        },
        "add-roadmap-evolution" => Entry::Evolution {
            phase: arguments.filled("phase"),
            action: arguments.filled("action").unwrap_or_else(|| "changed".to_owned()),
            after: arguments.filled("after"),
            note: taken!("note").ok_or(Error::ArgumentRequired("`--note <text>` or `--note-file <file>`"))?,
            urgent: arguments.has("urgent"),
        },
        other => return Err(Error::UnknownSubcommand(other.to_owned())),
    }))
}

/// A text that is given, or stands in a file; none if it says nothing.
fn text(
    context: &Context,
    place: &Place,
    arguments: &Arguments,
    name: &str,
) -> Result<Result<Option<String>, &'static str>, Error> {
    let option = format!("{name}-file");
    let Some(file) = arguments.filled(&option) else {
        return Ok(Ok(arguments.filled(name)));
    };
    let path = context.cwd.join(&file);
    let path = match inside(place.root(), &path) {
        Ok(path) => path,
        Err(reason) => return Ok(Err(reason)),
    };
    let bytes = match read_regular(&path, LARGEST_TEXT) {
        Ok(bytes) => bytes,
        Err(Unread::Missing | Unread::NotAFile) => return Ok(Err("file_not_found")),
        Err(Unread::TooLong) => {
            return Err(Error::InvalidArgument {
                name: format!("--{option}"),
                value: file,
                expected: "a text file of at most 1 MiB",
            });
        }
        Err(Unread::Io(source)) => {
            let inside = path.strip_prefix(place.root()).ok().and_then(RepoPath::from_disk);
            let Some(inside) = inside else {
                return Ok(Err("path_rejected"));
            };
            return Err(ReadError::new(&inside, source).into());
        }
    };
    let text = String::from_utf8(bytes).map_err(|_| Error::InvalidArgument {
        name: format!("--{option}"),
        value: file,
        expected: "a file in UTF-8",
    })?;
    let text = text.trim_end_matches(is_space).to_owned();
    Ok(Ok((!is_blank(&text)).then_some(text)))
}

/// A file with its links resolved, if it lies in the project; else the reason.
fn inside(root: &Path, path: &Path) -> Result<PathBuf, &'static str> {
    let real = real_path(path);
    if !real.starts_with(real_path(root)) {
        return Err("path_rejected");
    }
    // A link that leads nowhere could lead anywhere.
    match real.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => Err("path_rejected"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err("file_not_found"),
        // Why it cannot be looked at is told when it is read.
        Ok(_) | Err(_) => Ok(real),
    }
}
