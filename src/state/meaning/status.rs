//! The value of `Status` (state.md 5.3).

use crate::text::trim;

/// Whether all phases of the milestone were counted, and are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The milestone has a place of its own in the roadmap, all of it was read, and phases are open.
    PhasesOpen,
    Otherwise,
}

/// Words and what they say, the first that is contained.
const WORDS: [(&str, &str); 12] = [
    ("paused", "paused"),
    ("stopped", "paused"),
    ("executing", "executing"),
    ("in progress", "executing"),
    ("planning", "planning"),
    ("ready to plan", "planning"),
    ("discussing", "discussing"),
    ("verif", "verifying"),
    ("complete", "completed"),
    ("done", "completed"),
    ("ready to execute", "executing"),
    ("", "unknown"),
];

/// A status in one of seven words. `paused_at`: what `Paused At` says.
pub fn normalise(status: Option<&str>, paused_at: Option<&str>, counted: Counted) -> &'static str {
    let text = status.unwrap_or_default().to_lowercase();
    if paused_at.is_some_and(|at| !trim(at).is_empty()) {
        return "paused";
    }
    let found = WORDS
        .iter()
        .find(|(word, _)| text.contains(word))
        .map_or("unknown", |(_, result)| result);
    if found == "completed" && counted == Counted::PhasesOpen && is_one_phase(&text) {
        return "executing";
    }
    found
}

/// `phase <token> complete`, and nothing else.
fn is_one_phase(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    matches!(words[..], ["phase", _, "complete"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_is_contained() {
        for (status, result) in [
            ("Executing, then paused", "paused"),
            ("Planning the verification", "planning"),
            ("In Progress", "executing"),
            ("in_progress", "unknown"),
            ("Ready to plan", "planning"),
            ("Ready to execute", "executing"),
            ("Phase complete — ready for verification", "verifying"),
            ("All phases complete", "completed"),
            ("Phase 2 complete", "completed"),
            ("Waiting", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(
                normalise(Some(status), None, Counted::Otherwise),
                result,
                "{status}"
            );
        }
        assert_eq!(normalise(None, Some(" "), Counted::Otherwise), "unknown");
        assert_eq!(
            normalise(Some("Done"), Some("noon"), Counted::Otherwise),
            "paused"
        );
        assert_eq!(
            normalise(Some("Phase 2 Complete"), None, Counted::PhasesOpen),
            "executing"
        );
        assert_eq!(
            normalise(Some("All phases complete"), None, Counted::PhasesOpen),
            "completed"
        );
        assert_eq!(
            normalise(Some("Phase 2 complete, good"), None, Counted::PhasesOpen),
            "completed"
        );
    }
}
