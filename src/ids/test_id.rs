//! The form of a test id (change.md L3), and the looser one that a mention has (L2).

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::text::js;

static TEST_ID: LazyLock<Regex> =
    LazyLock::new(|| js(r"^(?:UT|ST|SMOKE)-[A-Za-z0-9]+(?:-[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*)*$"));
static MENTION: LazyLock<Regex> =
    LazyLock::new(|| js(r"\b(?:UT|ST|SMOKE)-[A-Za-z0-9]+(?:-[A-Za-z0-9.]+)*\b"));

/// Last parts that stand for an id still to be given.
const PLACEHOLDERS: [&str; 4] = ["xx", "nn", "tbd", "todo"];

/// Whether `id` is a concrete test id.
pub fn is_test_id(id: &str) -> bool {
    let last = id.rsplit('-').next().unwrap_or(id);
    TEST_ID.is_match(id) && !PLACEHOLDERS.iter().any(|p| last.eq_ignore_ascii_case(p))
}

/// Whether a text mentions something that looks like a test id.
pub fn mentions_test_id(text: &str) -> bool {
    text.contains('-') && MENTION.is_match(text)
}

static CASE: LazyLock<Regex> = LazyLock::new(|| js(r"\b(?:UT|ST)-[A-Za-z0-9]+(?:-[A-Za-z0-9.]+)*\b"));

/// What looks like the id of a unit or system test in a text, each once, in order of first sight (flow.md 11).
pub fn mentioned_cases(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let found = CASE.find_iter(text).map(|found| found.as_str());
    found.filter(|id| seen.insert(*id)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_patterns_are_no_ids() {
        for id in ["UT-S01-01", "SMOKE-1", "ST-a-1.2.3-b"] {
            assert!(is_test_id(id), "{id}");
        }
        for no in [
            "UT-S01-XX",
            "UT-S01-*",
            "ut-S01-01",
            "UT-",
            "UT-S01-1.",
            "UT-S01-TBD",
            "UT-S01-01 ",
        ] {
            assert!(!is_test_id(no), "{no}");
        }
    }

    #[test]
    fn a_mention_stands_between_word_boundaries() {
        assert!(mentions_test_id("see UT-S01-xx."));
        assert!(!mentions_test_id("xUT-S01"));
        assert!(!mentions_test_id("UT_S01"));
    }
}
