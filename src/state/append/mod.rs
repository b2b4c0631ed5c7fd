//! What only adds to the document (state.md 8): decisions, blockers, metrics, sessions, the evolution of the roadmap.

mod blocker;
mod decision;
mod evolution;
mod metric;
mod progress;
mod session;

use serde::Serialize;

pub(super) use progress::update_progress;

use super::body::{Body, Heading, section};
use super::derive::Moment;
use super::error::Error;
use super::transition::Draft;
use crate::text::{Span, each_line, trim};

/// What is to be added, or taken out again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Decision {
        phase: Option<String>,
        summary: String,
        rationale: Option<String>,
    },
    Blocker {
        text: String,
    },
    ResolveBlocker {
        text: String,
    },
    Metric {
        phase: String,
        plan: String,
        duration: String,
        tasks: Option<String>,
        files: Option<String>,
    },
    Session {
        stopped_at: Option<String>,
        resume_file: Option<String>,
    },
    Evolution {
        phase: Option<String>,
        action: String,
        after: Option<String>,
        note: String,
        urgent: bool,
    },
}

/// What was added, as it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Appended {
    Decision {
        added: bool,
        decision: String,
        #[serde(skip_serializing_if = "is_false")]
        created: bool,
    },
    Blocker {
        added: bool,
        blocker: String,
        #[serde(skip_serializing_if = "is_false")]
        created: bool,
    },
    Resolved {
        resolved: bool,
        blocker: String,
    },
    NotResolved {
        resolved: bool,
        reason: &'static str,
    },
    Metric {
        recorded: bool,
        phase: String,
        plan: String,
        duration: String,
        #[serde(skip_serializing_if = "is_false")]
        created: bool,
    },
    Session {
        recorded: bool,
        updated: Vec<&'static str>,
        #[serde(skip_serializing_if = "is_false")]
        created: bool,
    },
    NoSession {
        recorded: bool,
        reason: &'static str,
    },
    Evolution {
        added: bool,
        entry: String,
        #[serde(skip_serializing_if = "is_false")]
        subsection_created: bool,
        #[serde(skip_serializing_if = "is_false")]
        created: bool,
    },
    Duplicate {
        added: bool,
        reason: &'static str,
        entry: String,
    },
    /// A text file was not taken: nothing was added.
    NotAdded {
        added: bool,
        reason: &'static str,
    },
    Progress {
        updated: bool,
        percent: u64,
        completed: u64,
        total: u64,
        bar: String,
    },
    NoProgress {
        updated: bool,
        reason: &'static str,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

pub(super) fn append(draft: &mut Draft, moment: &Moment, entry: &Entry) -> Result<Appended, Error> {
    match entry {
        Entry::Decision {
            phase,
            summary,
            rationale,
        } => Ok(decision::add(
            draft,
            phase.as_deref(),
            summary,
            rationale.as_deref(),
        )),
        Entry::Blocker { text } => Ok(blocker::add(draft, text)),
        Entry::ResolveBlocker { text } => Ok(blocker::resolve(draft, text)),
        Entry::Metric {
            phase,
            plan,
            duration,
            tasks,
            files,
        } => metric::record(
            draft,
            [phase, plan, duration],
            [tasks.as_deref(), files.as_deref()],
        ),
        Entry::Session {
            stopped_at,
            resume_file,
        } => session::record(draft, moment, stopped_at.as_deref(), resume_file.as_deref()),
        Entry::Evolution {
            phase,
            action,
            after,
            note,
            urgent,
        } => Ok(evolution::add(
            draft,
            &evolution::Parts {
                phase: phase.as_deref(),
                action,
                after: after.as_deref(),
                note,
                urgent: *urgent,
            },
        )),
    }
}

/// The content of the first section of level 2 or 3 with such a title (in lower case), up to the next of either level.
fn list(body: &Body, is_title: impl Fn(&str) -> bool) -> Option<Span> {
    let headings = body.headings();
    let is_list = |heading: &Heading| {
        (2..=3).contains(&heading.level) && is_title(&heading.title(body.text()).to_lowercase())
    };
    let at = headings.iter().position(is_list)?;
    Some(section(body.text(), headings, at, |level| level <= 3))
}

/// Adds a bullet at the end of a list; a line that said there was none yet goes.
fn add_bullet(body: &mut Body, span: Span, placeholders: &[&str], bullet: &str) {
    let content = body.slice(span).to_owned();
    let mut kept = String::with_capacity(content.len());
    for line in each_line(content.as_bytes()) {
        let text = trim(&content[line.span.start..line.span.end]);
        if !placeholders.contains(&text) {
            kept.push_str(&content[line.span.start..line.next]);
        }
    }
    body.splice(span, &kept);
    body.append_lines(
        Span::new(span.start, span.start + kept.len()),
        &[bullet.to_owned()],
    );
}
