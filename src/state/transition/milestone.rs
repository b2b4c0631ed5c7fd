//! A milestone ends, another one begins (state.md 7).

use serde::Serialize;

use super::Draft;
use crate::state::derive::{Moment, VERSION, progress_value};
use crate::state::error::{Error, one_line};
use crate::state::front::{Entry, FrontMatter, Value};
use crate::state::planning::Progress;
use crate::state::policy::VERSION_KEY;
use crate::state::settle::version_key;

/// The answer of `milestone-switch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Switched {
    pub switched: bool,
    pub version: String,
    pub name: String,
    pub status: &'static str,
}

/// The answer of `milestone-complete`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Closed {
    pub updated: Vec<&'static str>,
    pub milestone: String,
}

pub(super) fn switch(
    draft: &mut Draft,
    moment: &Moment,
    version: &str,
    name: Option<&str>,
) -> Result<Switched, Error> {
    const STATUS: &str = "planning";
    let name = name.unwrap_or("milestone");
    one_line("milestone", version)?;
    one_line("milestone_name", name)?;
    let none = Progress {
        total_phases: Some(0),
        completed_phases: Some(0),
        total_plans: Some(0),
        completed_plans: Some(0),
        percent: Some(0),
        warnings: Vec::new(),
    };
    let text = |key: &str, value: &str| Entry::new(key, Value::Text(value.to_owned()));
    let mut entries = vec![
        text(version_key(&draft.front, VERSION_KEY), VERSION),
        text("milestone", version),
        text("milestone_name", name),
        text("status", STATUS),
        text("last_updated", &moment.now.rfc3339()),
        text("last_activity", &moment.today),
    ];
    entries.extend(progress_value(&none).map(|value| Entry::new("progress", value)));
    draft.anew = Some(FrontMatter {
        entries,
        trailing: Vec::new(),
    });
    set_position(
        draft,
        &[
            "Phase: Not started (defining requirements)".to_owned(),
            "Plan: —".to_owned(),
            "Status: Defining requirements".to_owned(),
            format!("Last activity: {} — Milestone {version} started", moment.today),
        ],
    );
    Ok(Switched {
        switched: true,
        version: version.to_owned(),
        name: name.to_owned(),
        status: STATUS,
    })
}

pub(super) fn close(
    draft: &mut Draft,
    moment: &Moment,
    version: &str,
    next_command: &str,
) -> Result<Closed, Error> {
    one_line("milestone", version)?;
    let today = &moment.today;
    draft.touch.authoritative.push(("status", "completed".to_owned()));
    // Closing a milestone does not erase where it ended.
    for key in ["current_phase", "current_phase_name"] {
        if let Some(stored) = draft.front.stored(key) {
            draft.touch.authoritative.push((key, stored.to_owned()));
        }
    }
    let body = &mut draft.body;
    body.set("Status", &format!("{version} milestone complete"));
    body.set("Last Activity", today);
    body.set(
        "Last Activity Description",
        &format!("{version} milestone completed and archived"),
    );
    set_position(
        draft,
        &[
            format!("Phase: Milestone {version} complete"),
            "Plan: —".to_owned(),
            "Status: Awaiting next milestone".to_owned(),
            format!("Last activity: {today} — Milestone {version} completed and archived"),
        ],
    );
    set_section(
        draft,
        "Operator Next Steps",
        &[format!("- Start the next milestone with {next_command}")],
    );
    Ok(Closed {
        updated: Vec::new(),
        milestone: version.to_owned(),
    })
}

fn set_position(draft: &mut Draft, lines: &[String]) {
    set_section(draft, "Current Position", lines);
}

/// Replaces what a section of level 2 holds; appends one if there is none.
fn set_section(draft: &mut Draft, name: &str, lines: &[String]) {
    let body = &mut draft.body;
    match body.section_named(2, name) {
        Some(section) => body.replace_content(section, lines),
        None => body.append_section(&format!("## {name}"), lines),
    }
}
