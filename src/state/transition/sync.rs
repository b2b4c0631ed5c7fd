//! Body and front matter follow the disk (state.md 7).

use serde::Serialize;

use super::{Deps, Draft};
use crate::state::derive::percent;
use crate::state::error::Error;
use crate::state::meaning::leading_number;
use crate::state::roadmap::Scope;

/// One value that was changed, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    pub field: &'static str,
    pub from: String,
    pub to: String,
}

/// One field that was left alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    pub field: &'static str,
    pub reason: &'static str,
}

/// The answer of `sync`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Synced {
    pub synced: bool,
    pub dry_run: bool,
    pub changes: Vec<Change>,
    pub skipped: Vec<Skipped>,
}

pub(super) fn sync(draft: &mut Draft, deps: &Deps<'_>, verify: bool) -> Result<Synced, Error> {
    let mut changes = Vec::new();
    let mut skipped = Vec::new();
    let planning = deps.planning;
    if !planning.has_phases_dir()? {
        return Ok(Synced {
            synced: true,
            dry_run: verify,
            changes,
            skipped,
        });
    }
    draft.touch.body_wins = true;
    let before = draft.body.clone();
    let mut change = |draft: &mut Draft, field: &'static str, to: String| {
        let from = draft.body.value(field).unwrap_or_default().to_owned();
        draft.body.set(field, &to);
        changes.push(Change { field, from, to });
    };
    let plans = draft.body.value("Total Plans in Phase").map(leading_number);
    if let (Some(shown), Some(plans)) = (plans, planning.plans_of_running_phase()?)
        && shown != Some(plans)
    {
        change(draft, "Total Plans in Phase", plans.to_string());
    }
    if let Some(shown) = draft.body.value("Progress").map(percent) {
        let percent = planning.percent_of_all()?;
        let reason = if !planning.is_bounded()? {
            Some("milestone_unbounded")
        } else if planning.scope()? != Scope::Complete {
            Some("scope_not_complete")
        } else {
            None
        };
        match reason {
            Some(reason) => skipped.push(Skipped {
                field: "Progress",
                reason,
            }),
            None if shown != Some(percent) => change(draft, "Progress", bar(percent)),
            None => {}
        }
    }
    let today = &deps.moment.today;
    if draft.body.value("Last Activity").is_some_and(|day| day != today) {
        change(draft, "Last Activity", today.clone());
    }
    if verify {
        draft.body = before;
    }
    Ok(Synced {
        synced: !verify,
        dry_run: verify,
        changes,
        skipped,
    })
}

/// A bar of ten cells with its number: `[█████░░░░░] 50%`.
pub fn bar(percent: u64) -> String {
    const CELLS: u64 = 10;
    let full = ((percent + CELLS / 2) / CELLS).min(CELLS);
    let cells: String = (0..CELLS)
        .map(|cell| if cell < full { '█' } else { '░' })
        .collect();
    format!("[{cells}] {percent}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        assert_eq!(bar(25), "[███░░░░░░░] 25%");
        assert_eq!(bar(4), "[░░░░░░░░░░] 4%");
        assert_eq!(bar(100), "[██████████] 100%");
    }
}
