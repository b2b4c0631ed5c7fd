//! The value of `Phase` (state.md 5.1).

use crate::state::phase_id::PhaseId;
use crate::text::{is_space, trim};

/// The number that a `Phase` value begins with, as written: `2.1` of `Phase HBR-2.1 of 4 (Mast)`.
pub fn phase_number(value: &str) -> Option<&str> {
    let value = trim(value);
    PhaseId::leading(value)
        .or_else(|| PhaseId::after_phase(value))
        .map(|found| found.written)
}

/// Words behind the dash that tell how far a phase is, not what it is called.
const STATUS_WORDS: [&str; 11] = [
    "complete",
    "completed",
    "executing",
    "not started",
    "planning",
    "planned",
    "ready",
    "done",
    "in progress",
    "blocked",
    "paused",
];

fn is_status_word(text: &str) -> bool {
    let text = trim(text).to_lowercase();
    STATUS_WORDS.contains(&text.as_str()) || text == "verifying" || text.starts_with("ready to ")
}

/// The name in a `Phase` value: behind the dash, else in parentheses.
pub fn phase_name(value: &str) -> Option<String> {
    let paren = first_parens(value);
    let bare = without_parens(value);
    let dash = bare
        .split_once('—')
        .map(|(_, after)| trim(after.lines().next().unwrap_or_default()))
        .filter(|dash| !dash.is_empty());
    let is_shouted = |text: &str| {
        !text.contains(is_space)
            && text.chars().any(char::is_alphabetic)
            && !text.chars().any(char::is_lowercase)
    };
    let dash = dash.filter(|dash| {
        let is_milestone = dash.to_lowercase().starts_with("milestone:");
        let is_state = paren.is_some() && is_shouted(dash);
        ![is_status_word(dash), is_milestone, is_state].contains(&true)
    });
    dash.or(paren)
        .filter(|name| !is_status_word(name))
        .map(str::to_owned)
}

/// The text of the first `( … )`, if there is any.
fn first_parens(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once('(')?;
    let (inner, _) = rest.split_once(')')?;
    Some(trim(inner)).filter(|inner| !inner.is_empty())
}

fn without_parens(value: &str) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('(') {
        let Some((_, after)) = after.split_once(')') else {
            break;
        };
        out.push_str(before);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The total of `2 of 4 (Mast)`, as written: digits after the word `of`, outside parentheses.
pub fn total(value: &str) -> Option<String> {
    let bare = without_parens(value);
    let words: Vec<&str> = bare.split_whitespace().collect();
    words.windows(2).find_map(|pair| {
        let rest = pair[1].trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &pair[1][..pair[1].len() - rest.len()];
        (pair[0].eq_ignore_ascii_case("of") && !digits.is_empty()).then(|| digits.to_owned())
    })
}

/// Whether two phases are one, whatever is said behind their numbers.
pub fn is_same_phase(one: &str, other: &str) -> bool {
    let id = |phase: &str| PhaseId::leading(trim(phase)).map(|found| found.id);
    match (id(one), id(other)) {
        (Some(one), Some(other)) => one == other,
        _ => trim(one) == trim(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (value, number) in [
            ("2 of 4 (Mast)", Some("2")),
            ("02-mast-stepping", Some("02")),
            ("Phase 3a.1 of 9", Some("3a.1")),
            ("phase  HBR-2 of 4", Some("2")),
            ("P_1-07.2", Some("07.2")),
            ("1.2.x", Some("1.2")),
            ("2nd try", None),
            ("2a", Some("2a")),
            ("🚧 2 of 4", None),
            ("Not started (x)", None),
            ("Milestone v1.2 complete", None),
            ("— ", None),
            ("", None),
            ("12_3", None),
        ] {
            assert_eq!(phase_number(value), number, "{value}");
        }
    }

    #[test]
    fn totals() {
        for (value, expected) in [
            ("2 of 4 (Mast)", Some("4")),
            ("02 OF 04", Some("04")),
            ("1 of 4: Keel", Some("4")),
            ("1 (Port of Call) of 4", Some("4")),
            ("01-01 (1 of 2) of 3", Some("3")),
            ("1 — out of sight", None),
            ("0 of TBD", None),
        ] {
            assert_eq!(total(value).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn names() {
        for (value, name) in [
            ("2 of 4 (Mast)", Some("Mast")),
            ("2 of 4 — Mast", Some("Mast")),
            ("2 — COMPLETE", None),
            ("2 (Mast) — EXECUTING", Some("Mast")),
            ("2 (Mast) — API", Some("Mast")),
            ("2 — API", Some("API")),
            ("2 — Mast fitting (D1a)", Some("Mast fitting")),
            ("2 — ready to plan", None),
            ("2 (Mast) — Ready to plan", Some("Mast")),
            ("2 (Mast) — milestone: v2", Some("Mast")),
            ("2 — verifying", None),
            ("2 (done)", None),
            ("2 of 4", None),
            ("2 ()", None),
            ("2 (open", None),
        ] {
            assert_eq!(phase_name(value).as_deref(), name, "{value}");
        }
    }

    #[test]
    fn sameness() {
        assert!(is_same_phase("01", "1"));
        assert!(is_same_phase("00", "0") && is_same_phase("x", " x"));
        assert!(is_same_phase("2A", "02a"));
        assert!(!is_same_phase("1.1", "1"));
    }
}
