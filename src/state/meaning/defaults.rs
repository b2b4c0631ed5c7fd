//! Values that a handler wrote and the next one may replace; all others are somebody's own words (state.md 4).

use super::is_date;
use crate::text::{is_space, trim};

const STATUS: [&str; 14] = [
    "ready to execute",
    "phase complete — ready for verification",
    "ready to plan",
    "defining requirements",
    "planning complete",
    "executing",
    "in progress",
    "planning",
    "verifying",
    "completed",
    "done",
    "active",
    "paused",
    "unknown",
];
/// Beginnings in which `#` stands for digits.
const STATUS_BEGINS: [&str; 5] = [
    "executing phase #",
    "planning phase #",
    "phase # complete",
    "verifying phase #",
    "phase complete",
];
const TICKS: [&str; 4] = ["✓", "✔", "✅", "☑"];

/// Whether a `Status` may be replaced.
pub fn is_default_status(value: &str) -> bool {
    let value = trim(value).to_lowercase();
    let is_ticked = || {
        value.strip_prefix("complete").is_some_and(|rest| {
            rest.is_empty() || {
                // The emoji form of a tick has a selector behind it.
                let tick = rest.trim_start_matches(is_space).trim_end_matches('\u{fe0f}');
                TICKS.contains(&tick)
            }
        })
    };
    value.is_empty()
        || STATUS.contains(&value.as_str())
        || STATUS_BEGINS.iter().any(|pattern| begins(&value, pattern))
        || is_ticked()
}

fn begins(value: &str, pattern: &str) -> bool {
    match pattern.split_once('#') {
        None => value.starts_with(pattern),
        Some((before, after)) => value.strip_prefix(before).is_some_and(|rest| {
            let end = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            end.len() < rest.len() && end.starts_with(after)
        }),
    }
}

/// Whether a `Last activity` may be replaced.
pub fn is_default_activity(value: &str) -> bool {
    let value = trim(value);
    value.is_empty() || is_date(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_handler_wrote() {
        for value in [
            "",
            "Ready to Execute",
            "Executing Phase 7",
            "executing phase 12 (Mast)",
            "Phase 2 complete",
            "Phase complete",
            "Complete",
            "Complete ✓",
            "complete  ✅",
            "Complete ✔\u{fe0f}",
            "Phase complete — ready for verification",
            "unknown",
        ] {
            assert!(is_default_status(value), "{value}");
        }
        for value in [
            "Executing carefully",
            "Phase two complete",
            "Complete — waiting",
            "Completely new",
            "Executing Phase two",
            "Ready",
        ] {
            assert!(!is_default_status(value), "{value}");
        }
        assert!(is_default_activity("2026-01-02") && !is_default_activity("2026-01-02 — cut"));
    }
}
