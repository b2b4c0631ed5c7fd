//! `state json` and `state get`.

use crate::files::ReadError;
use crate::state::body::{Body, section};
use crate::state::derive::{Derived, Moment, stored_progress};
use crate::state::error::Error;
use crate::state::front::{FrontMatter, Parts, Value};
use crate::state::planning::{Planning, Progress, Warning};
use crate::state::policy::{FIELDS, VERSION_KEY};
use crate::state::settle::{Touch, settle, version_key};
use crate::text::trim;

/// The front matter that a write would produce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// Keys and values in the order in which they are written, the progress block left out.
    pub texts: Vec<(&'static str, String)>,
    pub progress: Progress,
    pub warnings: Vec<Warning>,
}

/// What a write that changes nothing in the body would store.
pub fn fields(content: &str, planning: &Planning<'_>, moment: &Moment) -> Result<Fields, ReadError> {
    let parts = Parts::of(content);
    let body = Body::new(parts.body);
    let stored = parts.front.unwrap_or_default();
    let derived = Derived::of(&body, &stored, planning, moment)?;
    let (settled, _) = settle(&stored, &derived, (&body, &body), &Touch::default());
    let mut texts = Vec::new();
    for field in FIELDS {
        // A name that the roadmap does not give is kept by writes, and not told.
        let text = match field.key {
            "milestone" => derived.milestone.as_deref(),
            "milestone_name" => derived.milestone_name.as_deref(),
            key => settled.text(version_key(&stored, key)),
        };
        if let Some(text) = text {
            let key = if field.key == VERSION_KEY {
                version_key(&stored, VERSION_KEY)
            } else {
                field.key
            };
            texts.push((key, text.to_owned()));
        }
    }
    Ok(Fields {
        texts,
        progress: ratchet(stored_progress(&stored), &derived.progress),
        warnings: derived.progress.warnings,
    })
}

/// The stored block if it knows of more that is done (#3242).
fn ratchet(stored: Progress, derived: &Progress) -> Progress {
    // What was not counted is no more and no less than none.
    let is_ahead = |stored: Option<u64>, derived: Option<u64>| stored.unwrap_or(0) > derived.unwrap_or(0);
    let ahead = is_ahead(stored.completed_phases, derived.completed_phases)
        || is_ahead(stored.completed_plans, derived.completed_plans);
    if ahead { stored } else { derived.clone() }
}

/// The value of a field, else of a key, else the text of a section.
pub fn get(content: &str, name: &str) -> Result<String, Error> {
    let parts = Parts::of(content);
    let body = Body::new(parts.body);
    // A label may be asked for in any case; where a key is spelled as the name is, the label must be, too.
    let in_key = parts.front.as_ref().and_then(|front| key(front, name));
    let is_spelled = || {
        body.line_of(name)
            .is_some_and(|line| line.contains(&format!("{name}:")) || line.contains(&format!("| {name} ")))
    };
    match (body.value(name), in_key) {
        (Some(_), Some(value)) if !is_spelled() => return Ok(value),
        (Some(value), _) => return Ok(value.to_owned()),
        (None, Some(value)) => return Ok(value),
        (None, None) => {}
    }
    let found = body.heading(|heading| heading.level >= 2, &[trim(name)]);
    let Some(at) = found.filter(|_| !trim(name).is_empty()) else {
        return Err(Error::FieldNotFound(name.to_owned()));
    };
    let level = body.headings()[at].level;
    let span = section(body.text(), body.headings(), at, |next| next <= level);
    Ok(trim(body.slice(span)).to_owned())
}

fn key(front: &FrontMatter, name: &str) -> Option<String> {
    Some(match front.get(name)? {
        Value::Text(text) => text.clone(),
        // As it is written, without its key.
        Value::List(_) | Value::Block(_) => {
            let only = FrontMatter {
                entries: front
                    .entry(name)
                    .cloned()
                    .into_iter()
                    .map(|entry| entry.after(Vec::new()))
                    .collect(),
                trailing: Vec::new(),
            };
            let written = only.write();
            let inner = written.trim_start_matches("---\n").trim_end_matches("---\n");
            trim(inner.split_once(':').map_or(inner, |(_, value)| value)).to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_block_stands_where_it_knows_of_more() {
        let block = |phases: Option<u64>, plans: Option<u64>, percent: u64| Progress {
            completed_phases: phases,
            completed_plans: plans,
            percent: Some(percent),
            ..Progress::default()
        };
        for (stored, derived, percent) in [
            ((Some(2), Some(3)), (Some(1), Some(3)), 1),
            ((Some(1), Some(4)), (Some(2), Some(3)), 1),
            ((Some(1), Some(3)), (Some(1), Some(3)), 2),
            ((None, None), (Some(0), Some(0)), 2),
            ((Some(1), None), (None, None), 1),
            ((Some(0), Some(0)), (None, None), 2),
        ] {
            let told = ratchet(block(stored.0, stored.1, 1), &block(derived.0, derived.1, 2));
            assert_eq!(told.percent, Some(percent), "{stored:?} {derived:?}");
        }
    }
}
