//! `signal-waiting`, `signal-resume` (state.md 8).

use serde::Serialize;

use super::arguments::Arguments;
use super::place::Place;
use super::write::{WAITING, failed, lock, replace};
use super::{Answered, Context, Told};
use crate::state::Error;
use crate::text::trim;

/// The file, keys in the order in which they are written.
#[derive(Serialize)]
struct Waiting<'a> {
    status: &'static str,
    #[serde(rename = "type")]
    kind: &'a str,
    question: Option<&'a str>,
    options: Vec<&'a str>,
    since: String,
    phase: Option<&'a str>,
}

pub(super) fn wait(context: &Context, place: &Place, arguments: &Arguments) -> Result<Answered, Error> {
    let kind = arguments.filled("type");
    let question = arguments.filled("question");
    let options = arguments.filled("options").unwrap_or_default();
    let phase = arguments.filled("phase");
    let waiting = Waiting {
        status: "waiting",
        kind: kind.as_deref().unwrap_or("decision_point"),
        question: question.as_deref(),
        options: options
            .split('|')
            .map(trim)
            .filter(|option| !option.is_empty())
            .collect(),
        since: context.now.rfc3339(),
        phase: phase.as_deref(),
    };
    let text = serde_json::to_string_pretty(&waiting)
        .map_err(|error| failed(place, WAITING, std::io::Error::other(error)))?;
    crate::files::make_folder(&place.file("")).map_err(|source| failed(place, "", source))?;
    let lock = lock(place)?;
    replace(place, &lock, WAITING, format!("{text}\n").as_bytes())?;
    Ok(Answered::of(Told::Signaled {
        path: format!("{}/{WAITING}", super::place::FOLDER),
    }))
}

pub(super) fn resume(place: &Place) -> Result<Answered, Error> {
    if !place.file("").is_dir() {
        return Ok(Answered::of(Told::Resumed { removed: false }));
    }
    let lock = lock(place)?;
    let removed = lock
        .remove(&place.file(WAITING))
        .map_err(|source| failed(place, WAITING, source))?;
    Ok(Answered::of(Told::Resumed { removed }))
}
