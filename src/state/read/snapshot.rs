//! `state snapshot`: every field as it stands, stored values first.

use serde::Serialize;

use crate::markdown::cells;
use crate::state::body::{Body, section};
use crate::state::front::Parts;
use crate::state::meaning::{self, Activity, leading_number};
use crate::text::{each_line, is_blank};

/// Every key is there, null where nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    pub current_phase: Option<String>,
    pub current_phase_name: Option<String>,
    pub total_phases: Option<u64>,
    pub current_plan: Option<String>,
    pub total_plans_in_phase: Option<u64>,
    pub status: Option<String>,
    pub progress_percent: Option<u64>,
    pub last_activity: Option<String>,
    pub last_activity_desc: Option<String>,
    pub decisions: Vec<Decision>,
    pub blockers: Vec<String>,
    pub paused_at: Option<String>,
    pub session: Session,
}

/// A row of the table of decisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    pub phase: String,
    pub summary: String,
    pub rationale: String,
}

/// Where the last session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Session {
    pub last_date: Option<String>,
    pub stopped_at: Option<String>,
    pub resume_file: Option<String>,
}

/// Reads everything that the document says.
pub fn snapshot(content: &str) -> Snapshot {
    let parts = Parts::of(content);
    let body = Body::new(parts.body);
    let front = parts.front.unwrap_or_default();
    let stored = |key: &str| front.stored(key).map(str::to_owned);
    let filled = |labels: &[&str]| {
        let value = body.first_of(labels)?;
        (!is_blank(value)).then(|| value.to_owned())
    };
    let number = |label: &str| body.value(label).and_then(leading_number);
    let last_activity = body.value("Last activity").filter(|value| !is_blank(value));
    Snapshot {
        current_phase: stored("current_phase").or_else(|| meaning::current_phase(&body).map(str::to_owned)),
        current_phase_name: stored("current_phase_name").or_else(|| meaning::current_phase_name(&body)),
        total_phases: number("Total Phases"),
        current_plan: stored("current_plan").or_else(|| filled(&["Current Plan"])),
        total_plans_in_phase: number("Total Plans in Phase"),
        status: stored("status").or_else(|| filled(&["Status"])),
        progress_percent: body.value("Progress").and_then(leading_number),
        last_activity: stored("last_activity")
            .or_else(|| last_activity.map(|value| Activity::of(value).when)),
        last_activity_desc: stored("last_activity_desc").or_else(|| meaning::activity_description(&body)),
        decisions: decisions(&body),
        blockers: blockers(&body),
        paused_at: stored("paused_at").or_else(|| filled(&["Paused at"])),
        session: Session {
            last_date: filled(&["Last Date", "Last session"]),
            stopped_at: filled(&["Stopped at"]),
            resume_file: filled(&["Resume file"]),
        },
    }
}

/// The rows of the table below `Decisions Made` that have three filled cells.
fn decisions(body: &Body) -> Vec<Decision> {
    let Some(at) = body.heading(|heading| (2..=3).contains(&heading.level), &["Decisions Made"]) else {
        return Vec::new();
    };
    let span = section(body.text(), body.headings(), at, |level| level <= 3);
    let content = body.slice(span);
    let rows = each_line(content.as_bytes())
        .map(|line| &content[line.span.start..line.span.end])
        .filter(|line| line.trim_start().starts_with('|'))
        .map(cells);
    // Header and delimiter come first.
    rows.skip(2)
        .filter_map(|row| match &row[..] {
            [phase, summary, rationale, ..] if row[..3].iter().all(|cell| !cell.is_empty()) => {
                Some(Decision {
                    phase: phase.clone(),
                    summary: summary.clone(),
                    rationale: rationale.clone(),
                })
            }
            _ => None,
        })
        .collect()
}

fn blockers(body: &Body) -> Vec<String> {
    let Some(span) = body.section_named(2, "Blockers") else {
        return Vec::new();
    };
    body.slice(span)
        .lines()
        .filter_map(|line| line.strip_prefix("- "))
        .map(|text| crate::text::trim(text).to_owned())
        .collect()
}
