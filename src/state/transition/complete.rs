//! A phase is complete (state.md 7, 8).

use serde::Serialize;

use super::{Deps, Draft};
use crate::state::body::{Body, Form};
use crate::state::derive::Moment;
use crate::state::error::Error;
use crate::state::meaning::{is_same_phase, leading_number, phase_name, total};
use crate::state::phase_id::PhaseId;
use crate::state::phases::fraction;
use crate::text::is_blank;

/// What follows a complete phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// It was the last one.
    Last,
    Phase {
        phase: String,
        /// As given; else the roadmap's.
        name: Option<String>,
    },
}

/// The answer of `complete-phase`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Completed {
    pub updated: Vec<&'static str>,
    pub phase: String,
    #[serde(flatten)]
    pub way: Way,
}

/// How far `complete-phase` went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Way {
    On {
        next_phase: Option<String>,
        is_last_phase: bool,
    },
    Superseded {
        idempotent: bool,
    },
    Marked {},
}

pub(super) fn complete(
    draft: &mut Draft,
    deps: &Deps<'_>,
    phase: &str,
    next: &Next,
) -> Result<Completed, Error> {
    let today = &deps.moment.today;
    let (name, old_name) = match next {
        Next::Phase { phase: next, name } => match name {
            Some(name) => (Some(name.clone()), None),
            None => match PhaseId::of(next) {
                Some(id) => (deps.planning.phase_name(&id)?, None),
                None => (None, None),
            },
        },
        Next::Last => {
            let old = draft.body.value("Phase").and_then(phase_name);
            let is_stored = draft
                .front
                .stored("current_phase")
                .is_none_or(|stored| is_same_phase(stored, phase));
            let stored = draft.front.stored("current_phase_name").filter(|_| is_stored);
            (stored.map(str::to_owned).or_else(|| old.clone()), old)
        }
    };
    let body = &mut draft.body;
    let now = match next {
        Next::Phase { phase, .. } => phase.as_str(),
        Next::Last => phase,
    };
    if !body.set("Current Phase", now) {
        let shown = match next {
            Next::Phase { .. } => name.as_deref(),
            Next::Last => old_name.as_deref(),
        };
        let value = position(body.value("Phase").unwrap_or_default(), now, shown);
        body.set("Phase", &value);
    }
    if let Some(name) = &name {
        body.set("Current Phase Name", name);
        draft
            .touch
            .authoritative
            .push(("current_phase_name", name.clone()));
    }
    let (status, description, stopped) = match next {
        Next::Phase { phase: next, .. } => (
            "Ready to plan",
            format!("Phase {phase} complete, transitioned to Phase {next}"),
            format!("Phase {phase} complete, ready to plan Phase {next}"),
        ),
        Next::Last => (
            "All phases complete",
            format!("Phase {phase} complete"),
            format!("Phase {phase} complete — all phases complete"),
        ),
    };
    body.set("Status", status);
    if !body.set("Current Plan", "Not started") {
        body.set("Plan", "Not started");
    }
    if is_plain_last_activity(body) {
        body.set("Last activity", &format!("{today} — {description}"));
    } else {
        body.set("Last Activity", today);
    }
    body.set("Last Activity Description", &description);
    body.set("Stopped at", &stopped);
    count_phases(body, deps)?;
    Ok(Completed {
        updated: Vec::new(),
        phase: phase.to_owned(),
        way: Way::On {
            next_phase: match next {
                Next::Phase { phase, .. } => Some(phase.clone()),
                Next::Last => None,
            },
            is_last_phase: *next == Next::Last,
        },
    })
}

/// A new `Phase` in the manner of the old one: `3 of 4 (Rigging)`, `3 — Rigging`, `3`.
fn position(old: &str, phase: &str, name: Option<&str>) -> String {
    match (total(old), name) {
        (Some(total), Some(name)) => format!("{phase} of {total} ({name})"),
        (Some(total), None) => format!("{phase} of {total}"),
        (None, Some(name)) => format!("{phase} — {name}"),
        (None, None) => phase.to_owned(),
    }
}

/// Whether the label stands at the beginning of a line, in exactly this spelling.
fn is_plain_last_activity(body: &Body) -> bool {
    const LABEL: &str = "Last activity:";
    body.form("Last activity") == Some(Form::Plain)
        && body
            .line_of("Last activity")
            .is_some_and(|line| line.starts_with(LABEL))
}

/// `Completed Phases` and `Progress` from the roadmap's table, in bodies that have the former.
fn count_phases(body: &mut Body, deps: &Deps<'_>) -> Result<(), Error> {
    let Some(old) = body.value("Completed Phases").map(str::to_owned) else {
        return Ok(());
    };
    let rows = deps.planning.progress_table()?;
    let complete = match &rows {
        Some(rows) if rows.complete > 0 => {
            body.set("Completed Phases", &rows.complete.to_string());
            Some(rows.complete)
        }
        _ => leading_number(&old),
    };
    let total = match &rows {
        Some(rows) => Some(rows.total),
        None => body.value("Total Phases").and_then(leading_number),
    };
    let percent = complete
        .zip(total)
        .and_then(|(complete, total)| fraction(complete, total));
    if let Some(percent) = percent {
        body.set("Progress", &format!("{percent}%"));
    }
    Ok(())
}

/// Marks a phase complete and stays there.
pub(super) fn mark(draft: &mut Draft, moment: &Moment, phase: Option<&str>) -> Result<Completed, Error> {
    let known = super::current_phase(&draft.front, &draft.body);
    let phase = phase.map(str::to_owned).or(known).ok_or(Error::PhaseUnresolved)?;
    let stored = draft.front.stored("current_phase");
    let own = draft.body.value("Current Phase").filter(|own| !is_blank(own));
    let is_another = [stored, own]
        .into_iter()
        .flatten()
        .any(|current| !is_same_phase(current, &phase));
    let marked = |way| Completed {
        updated: Vec::new(),
        phase: phase.clone(),
        way,
    };
    if is_another {
        return Ok(marked(Way::Superseded { idempotent: true }));
    }
    let today = &moment.today;
    let body = &mut draft.body;
    let description = format!("Phase {phase} marked complete");
    body.set("Status", &format!("Phase {phase} complete"));
    body.set("Last Activity", today);
    body.set("Last Activity Description", &description);
    body.set_in_position("Phase", &format!("{phase} — COMPLETE"));
    body.set_in_position("Last activity", &format!("{today} — {description}"));
    Ok(marked(Way::Marked {}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manner_of_the_old_position_stays() {
        for (old, name, new) in [
            ("1 of 4 (Keel)", Some("Mast"), "2 of 4 (Mast)"),
            ("1 of 4: Keel", Some("Mast"), "2 of 4 (Mast)"),
            ("1 (Port of Call) of 04", None, "2 of 04"),
            ("1 — Keel", Some("Mast"), "2 — Mast"),
            ("1 of TBD", None, "2"),
        ] {
            assert_eq!(position(old, "2", name), new, "{old}");
        }
    }

    #[test]
    fn the_manner_of_the_old_value() {
        assert_eq!(position("1 of 4 (Keel)", "2", Some("Mast")), "2 of 4 (Mast)");
        assert_eq!(position("1 of 4", "2", None), "2 of 4");
        assert_eq!(position("1 — Keel", "2", Some("Mast")), "2 — Mast");
        assert_eq!(position("1 of many", "2", None), "2");
    }
}
