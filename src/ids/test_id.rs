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

/// The ids that a text mentions, without those that only begin where a longer word stands: of `UT-S01-03_x` it is not
/// `UT-S01` that is meant.
pub fn whole_mentions(text: &str) -> impl Iterator<Item = &str> {
    let found = text.contains('-').then(|| MENTION.find_iter(text));
    found.into_iter().flatten().filter_map(|found| {
        let id = found.as_str().trim_end_matches('.');
        let mut behind = text.bytes().skip(found.start() + id.len());
        let goes_on = match behind.next() {
            Some(b'-') => true,
            // The part behind the first dash has no dots.
            Some(b'.') => id.matches('-').count() > 1,
            Some(_) | None => false,
        };
        let is_cut = goes_on && behind.next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        (!is_cut).then_some(id)
    })
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
    fn a_whole_mention_is_not_the_beginning_of_a_word() {
        let ids = |text| whole_mentions(text).collect::<Vec<_>>();
        assert_eq!(
            ids("UT-S01-03.2, UT-1.2; SMOKE-a-."),
            ["UT-S01-03.2", "UT-1", "SMOKE-a"]
        );
        assert_eq!(ids("UT-S01-03_x UT-S01-03.2_x xUT-1 ut-1 UT-1-"), ["UT-1"]);
    }

    #[test]
    fn a_mention_stands_between_word_boundaries() {
        assert!(mentions_test_id("see UT-S01-xx."));
        assert!(!mentions_test_id("xUT-S01"));
        assert!(!mentions_test_id("UT_S01"));
    }
}
