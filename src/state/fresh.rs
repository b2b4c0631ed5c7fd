//! A document made anew from roadmap and disk (state.md 8, `regenerate`; its sections: 3.1).

use super::body::Body;
use super::derive::{Derived, Moment, count};
use super::front::{Entry, FrontMatter, Parts, Value};
use super::planning::Planning;
use super::policy::{OLD_VERSION_KEY, VERSION_KEY};
use super::settle::{Touch, settle, version_key};
use super::transition::{bar, compose};
use crate::files::ReadError;
use crate::text::{Bytes, decode};

/// The text of a new document. Of the old one only the name of its version key counts.
pub fn document(old: Option<&[u8]>, planning: &Planning<'_>, moment: &Moment) -> Result<String, ReadError> {
    let old: Bytes = old.map(<[u8]>::to_vec).unwrap_or_default();
    let front = Parts::of(&decode(&old)).front.unwrap_or_default();
    let mut stored = FrontMatter::default();
    if version_key(&front, VERSION_KEY) == OLD_VERSION_KEY {
        stored
            .entries
            .push(Entry::new(OLD_VERSION_KEY, Value::Text(String::new())));
    }
    let body = Body::new(body(planning, moment)?);
    let derived = Derived::of(&body, &stored, planning, moment)?;
    let (front, _) = settle(&stored, &derived, (&body, &body), &Touch::default());
    Ok(compose(&front, &body))
}

fn body(planning: &Planning<'_>, moment: &Moment) -> Result<String, ReadError> {
    let directories = planning.directories()?;
    let open = directories.iter().find(|directory| !directory.is_complete());
    let current = open.or_else(|| directories.last());
    let progress = count(&Body::new(""), &FrontMatter::default(), planning)?;
    let (number, name) = match current.and_then(|directory| directory.id.as_ref()) {
        Some(id) => (Some(id.to_string()), planning.phase_name(id)?),
        None => (None, None),
    };
    let of_total = progress
        .total_phases
        .map(|total| format!(" of {total}"))
        .unwrap_or_default();
    let in_parens = name
        .as_deref()
        .map(|name| format!(" ({name})"))
        .unwrap_or_default();
    let phase = match &number {
        Some(number) => format!("{number}{of_total}{in_parens}"),
        None => "Not started".to_owned(),
    };
    let focus = match (&number, name) {
        (Some(number), Some(name)) => format!("Phase {number} — {name}"),
        (Some(number), None) => format!("Phase {number}"),
        (None, _) => "None".to_owned(),
    };
    let status = if current.is_some() && open.is_none() {
        "All phases complete"
    } else {
        "Ready to plan"
    };
    let bar = bar(progress.percent.unwrap_or(0));
    let (today, now) = (&moment.today, moment.now.rfc3339());
    Ok(format!(
        "# Project State

## Project Reference

See: .planning/PROJECT.md

**Core value:** see .planning/PROJECT.md
**Current focus:** {focus}

## Current Position

Phase: {phase}
Plan: Not started
Status: {status}
Last activity: {today}

Progress: {bar}

## Performance Metrics

**Velocity:**

- Total plans completed: {done}

**By Phase:**

| Phase | Plans | Total | Avg/Plan |
|-------|-------|-------|----------|
| - | - | - | - |

## Accumulated Context

### Decisions

None yet.

### Pending Todos

None yet.

### Blockers/Concerns

None yet.

## Session Continuity

Last session: {now}
Stopped at:
Resume file: None
",
        done = progress.completed_plans.unwrap_or(0),
    ))
}
