//! `add-decision` (state.md 8).

use super::{Appended, add_bullet, list};
use crate::state::transition::{Draft, current_phase, is_decisions};
use crate::text::is_blank;

pub(super) fn add(
    draft: &mut Draft,
    phase: Option<&str>,
    summary: &str,
    rationale: Option<&str>,
) -> Appended {
    let current = current_phase(&draft.front, &draft.body);
    let phase = phase.or(current.as_deref()).unwrap_or("?");
    let mut bullet = format!("- [Phase {phase}]: {summary}");
    if let Some(rationale) = rationale.filter(|rationale| !is_blank(rationale)) {
        bullet.push_str(&format!(" — {rationale}"));
    }
    let section = list(&draft.body, is_decisions);
    match section {
        Some(section) => add_bullet(
            &mut draft.body,
            section,
            &["None yet.", "No decisions yet."],
            &bullet,
        ),
        None => draft
            .body
            .append_section("## Decisions", std::slice::from_ref(&bullet)),
    }
    Appended::Decision {
        added: true,
        decision: bullet,
        created: section.is_none(),
    }
}
