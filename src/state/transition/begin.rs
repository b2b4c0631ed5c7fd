//! A phase is begun, a phase was planned (state.md 7).

use serde::Serialize;

use super::Draft;
use crate::state::derive::Moment;
use crate::state::meaning::{is_default_activity, is_default_status};
use crate::state::settle::Resync;

/// The answer of `begin-phase`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Begun {
    pub updated: Vec<&'static str>,
    pub phase: String,
    pub phase_name: Option<String>,
    pub plan_count: Option<u64>,
}

/// The answer of `planned-phase`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Planned {
    pub updated: Vec<&'static str>,
    pub phase: String,
    pub plan_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

pub(super) fn begin(
    draft: &mut Draft,
    moment: &Moment,
    phase: &str,
    name: Option<&str>,
    plans: Option<u64>,
) -> Begun {
    let today = &moment.today;
    let body = &mut draft.body;
    let status = format!("Executing Phase {phase}");
    let again = body.value("Status").is_some_and(|now| has_words(now, &status));
    body.set("Status", &status);
    body.set_in_position("Status", &status);
    if again {
        body.set_in_position(
            "Last activity",
            &format!("{today} — Phase {phase} execution resumed (wave continue)"),
        );
    } else {
        let started = format!("Phase {phase} execution started");
        body.set("Last Activity", today);
        body.set("Last Activity Description", &started);
        body.set("Current Phase", phase);
        if let Some(name) = name {
            body.set("Current Phase Name", name);
            draft
                .touch
                .authoritative
                .push(("current_phase_name", name.to_owned()));
        }
        body.set("Current Plan", "1");
        if let Some(plans) = plans {
            body.set("Total Plans in Phase", &plans.to_string());
        }
        let focus = match name {
            Some(name) => format!("Phase {phase} — {name}"),
            None => format!("Phase {phase}"),
        };
        body.set("Current focus", &focus);
        body.set_in_position("Phase", &titled(phase, name, "EXECUTING"));
        let count = plans.map_or("?".to_owned(), |plans| plans.to_string());
        body.set_in_position("Plan", &format!("1 of {count}"));
        body.set_in_position("Last activity", &format!("{today} — {started}"));
    }
    Begun {
        updated: Vec::new(),
        phase: phase.to_owned(),
        phase_name: name.map(str::to_owned),
        plan_count: plans,
    }
}

pub(super) fn planned(
    draft: &mut Draft,
    moment: &Moment,
    phase: &str,
    name: Option<&str>,
    plans: Option<u64>,
) -> Planned {
    draft.touch.resync = Resync::Ratchet;
    if let Some(name) = name {
        draft
            .touch
            .authoritative
            .push(("current_phase_name", name.to_owned()));
    }
    let today = &moment.today;
    let count = plans.map_or("?".to_owned(), |plans| plans.to_string());
    let body = &mut draft.body;
    let is_default = body.value("Last activity").is_none_or(is_default_activity);
    let mut found = body.set_if("Status", "Ready to execute", is_default_status);
    if let Some(plans) = plans {
        found |= body.set("Total Plans in Phase", &plans.to_string());
    }
    found |= body.set_if("Last Activity", today, is_default_activity);
    found |= body.set(
        "Last Activity Description",
        &format!("Phase {phase} planning complete — {count} plans ready"),
    );
    found |= body.set_in_position("Phase", &titled(phase, name, "READY TO EXECUTE"));
    if is_default {
        found |= body.set_in_position(
            "Last activity",
            &format!("{today} — Phase {phase} planning complete"),
        );
    }
    Planned {
        updated: Vec::new(),
        phase: phase.to_owned(),
        plan_count: plans,
        reason: (!found).then_some("no_recognised_fields"),
    }
}

/// `2 (Mast) — EXECUTING`.
fn titled(phase: &str, name: Option<&str>, state: &str) -> String {
    match name {
        Some(name) => format!("{phase} ({name}) — {state}"),
        None => format!("{phase} — {state}"),
    }
}

/// Whether a text contains words as a whole: `Executing Phase 2` is not in `Executing Phase 2.1`.
fn has_words(text: &str, words: &str) -> bool {
    let (text, words) = (text.to_lowercase(), words.to_lowercase());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + words.len()..].chars();
        let next = after.next();
        let goes_on = next == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit());
        !before.is_some_and(is_word) && !next.is_some_and(is_word) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words() {
        assert!(has_words("Executing Phase 2", "Executing Phase 2"));
        assert!(has_words("now executing phase 2.", "Executing Phase 2"));
        assert!(has_words("Executing Phase 2 (wave 3)", "Executing Phase 2"));
        assert!(!has_words("Executing Phase 21", "Executing Phase 2"));
        assert!(!has_words("Executing Phase 2.1", "Executing Phase 2"));
        assert!(!has_words("Executing Phase 2a", "Executing Phase 2"));
    }
}
