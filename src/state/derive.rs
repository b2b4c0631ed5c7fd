//! The front matter that body, roadmap, disk, clock and repository give by themselves (state.md 5, 9.3).

use super::body::Body;
use super::front::{Entry, FrontMatter, Value};
use super::meaning::{self, Activity, Counted, is_date, leading_number};
use super::planning::{BodyTotals, Planning, Progress};
use super::policy::{PROGRESS, VERSION_KEY};
use super::roadmap::Scope;
use crate::clock::Timestamp;
use crate::files::ReadError;
use crate::text::{Span, is_blank, trim};

/// The version of the format.
pub(super) const VERSION: &str = "1.0";

/// The moment of a command, and what the repository says at it.
#[derive(Clone, Debug)]
pub struct Moment {
    pub now: Timestamp,
    /// The local calendar day, `YYYY-MM-DD`.
    pub today: String,
    /// The commit to stamp, if it can be verified.
    pub head: Option<String>,
}

/// The numbers of a progress block in the order of [`PROGRESS`].
pub fn numbers(progress: &Progress) -> [Option<u64>; 5] {
    [
        progress.total_phases,
        progress.completed_phases,
        progress.total_plans,
        progress.completed_plans,
        progress.percent,
    ]
}

/// The stored block, as numbers.
pub fn stored_progress(front: &FrontMatter) -> Progress {
    let number = |key| {
        front
            .nested("progress", key)
            .and_then(|text| trim(text).parse().ok())
    };
    let [
        total_phases,
        completed_phases,
        total_plans,
        completed_plans,
        percent,
    ] = PROGRESS.map(number);
    Progress {
        total_phases,
        completed_phases,
        total_plans,
        completed_plans,
        percent,
        warnings: Vec::new(),
    }
}

/// The block; none if nothing is known.
pub(super) fn progress_value(progress: &Progress) -> Option<Value> {
    let entries: Vec<Entry> = PROGRESS
        .into_iter()
        .zip(numbers(progress))
        .filter_map(|(key, number)| Some(Entry::new(key, Value::Text(number?.to_string()))))
        .collect();
    (!entries.is_empty()).then_some(Value::Block(entries))
}

/// What is counted for a body (state.md 5.6).
pub(super) fn count(
    body: &Body,
    stored: &FrontMatter,
    planning: &Planning<'_>,
) -> Result<Progress, ReadError> {
    let number = |label| body.value(label).and_then(leading_number);
    let totals = BodyTotals {
        total_phases: number("Total Phases"),
        total_plans: number("Total Plans in Phase"),
        percent: body.value("Progress").and_then(percent),
    };
    planning.progress(stored_progress(stored).total_phases, &totals)
}

/// The first `<digits>%` of a text: where it stands, and the number.
pub(super) fn percent_at(text: &str) -> Option<(Span, u64)> {
    text.match_indices('%').find_map(|(at, _)| {
        let start = text[..at].trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let number = text[start..at].parse().ok()?;
        Some((Span::new(start, at + 1), number))
    })
}

/// The first `<digits>%` of a text.
pub(super) fn percent(text: &str) -> Option<u64> {
    percent_at(text).map(|(_, number)| number)
}

/// Derived values, each none if nothing gives it.
#[derive(Clone, Debug)]
pub struct Derived {
    pub milestone: Option<String>,
    pub milestone_name: Option<String>,
    pub current_phase: Option<String>,
    pub current_phase_name: Option<String>,
    pub current_plan: Option<String>,
    pub status: &'static str,
    pub stopped_at: Option<String>,
    pub paused_at: Option<String>,
    pub last_updated: String,
    pub last_activity: Option<String>,
    pub last_activity_desc: Option<String>,
    pub state_head: Option<String>,
    pub progress: Progress,
}

impl Derived {
    /// Derives all fields from a body.
    pub fn of(
        body: &Body,
        stored: &FrontMatter,
        planning: &Planning<'_>,
        moment: &Moment,
    ) -> Result<Self, ReadError> {
        let filled = |label| {
            body.value(label)
                .filter(|value| !is_blank(value))
                .map(str::to_owned)
        };
        let progress = count(body, stored, planning)?;
        let milestone = planning.milestone()?;
        let phases = progress.completed_phases.zip(progress.total_phases);
        let is_open = phases.is_some_and(|(completed, total)| completed < total)
            && planning.scope()? == Scope::Complete
            && planning.is_bounded()?;
        let paused_at = filled("Paused at");
        let status = meaning::normalise(
            body.value("Status"),
            paused_at.as_deref(),
            if is_open {
                Counted::PhasesOpen
            } else {
                Counted::Otherwise
            },
        );
        Ok(Self {
            milestone: milestone.version,
            milestone_name: milestone.name,
            current_phase: meaning::current_phase(body).map(str::to_owned),
            current_phase_name: meaning::current_phase_name(body),
            current_plan: filled("Current Plan"),
            status,
            stopped_at: filled("Stopped at"),
            paused_at,
            last_updated: moment.now.rfc3339(),
            last_activity: last_activity(body, stored),
            last_activity_desc: meaning::activity_description(body),
            state_head: moment.head.clone(),
            progress,
        })
    }

    /// The value of a key, but for the progress block.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match key {
            VERSION_KEY => Some(VERSION),
            "milestone" => self.milestone.as_deref(),
            "milestone_name" => self.milestone_name.as_deref(),
            "current_phase" => self.current_phase.as_deref(),
            "current_phase_name" => self.current_phase_name.as_deref(),
            "current_plan" => self.current_plan.as_deref(),
            "status" => Some(self.status),
            "stopped_at" => self.stopped_at.as_deref(),
            "paused_at" => self.paused_at.as_deref(),
            "last_updated" => Some(&self.last_updated),
            "last_activity" => self.last_activity.as_deref(),
            "last_activity_desc" => self.last_activity_desc.as_deref(),
            "state_head" => self.state_head.as_deref(),
            _ => None,
        }
    }
}

/// The day of the body; an older one never replaces a newer one that is stored.
fn last_activity(body: &Body, stored: &FrontMatter) -> Option<String> {
    let derived = body
        .value("Last activity")
        .filter(|value| !is_blank(value))
        .map(|value| Activity::of(value).when);
    let day = |text: &str| text.get(..10).filter(|day| is_date(day)).map(str::to_owned);
    let stored = stored.stored("last_activity");
    let newer = match (derived.as_deref().and_then(day), stored.and_then(day)) {
        (Some(derived), Some(stored)) => stored > derived,
        _ => false,
    };
    if newer { stored.map(str::to_owned) } else { derived }
}
