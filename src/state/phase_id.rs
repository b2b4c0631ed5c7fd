//! The number of a phase, wherever one is written: `02`, `2a`, `1.2`, `PROJ-02` (state.md 5.1, 5.5, 5.6).

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

use crate::text::js;

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| js(r"^(?:[A-Za-z][A-Za-z0-9_]*-)?((\d+)([A-Za-z])?((?:\.\d+)*))\b"));
static PHASE_WORD: LazyLock<Regex> = LazyLock::new(|| js(r"^(?i-u:phase)\s+"));

/// The whole part of the backlog: no phase of any milestone.
const BACKLOG: &str = "999";

/// A number of any length without its leading zeros. The length stands first, so that the derived order is that of
/// numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Digits {
    length: usize,
    text: String,
}

impl Digits {
    fn of(written: &str) -> Self {
        let text = written.trim_start_matches('0').to_owned();
        Self {
            length: text.len(),
            text,
        }
    }

    fn is_zero(&self) -> bool {
        self.length == 0
    }
}

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_zero() { "0" } else { &self.text })
    }
}

/// The number of a phase. Leading zeros, the case of its letter and a project code do not count: `PROJ-02A` is `2a`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhaseId {
    whole: Digits,
    letter: Option<char>,
    decimals: Vec<Digits>,
}

/// A number at the beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadingId<'t> {
    pub id: PhaseId,
    /// As it is written, without a project code.
    pub written: &'t str,
    /// What follows it.
    pub rest: &'t str,
}

impl PhaseId {
    /// Reads the number that a text begins with, a project code before it or not; it must end at a word boundary.
    pub fn leading(text: &str) -> Option<LeadingId<'_>> {
        let found = NUMBER.captures(text)?;
        let written = found.get(1)?;
        let letter = found.get(3).and_then(|letter| letter.as_str().chars().next());
        Some(LeadingId {
            id: Self {
                whole: Digits::of(&found[2]),
                letter: letter.map(|letter| letter.to_ascii_lowercase()),
                decimals: found[4].split('.').skip(1).map(Digits::of).collect(),
            },
            written: written.as_str(),
            rest: &text[written.end()..],
        })
    }

    /// Reads the number after the word `Phase` that a text begins with.
    pub fn after_phase(text: &str) -> Option<LeadingId<'_>> {
        Self::leading(&text[PHASE_WORD.find(text)?.end()..])
    }

    /// Reads a text that is a number and nothing else, blanks around it or not.
    pub fn of(text: &str) -> Option<Self> {
        let found = Self::leading(crate::text::trim(text))?;
        found.rest.is_empty().then_some(found.id)
    }

    /// The number of a directory `<number>-<slug>`; none if its name does not begin with one.
    pub fn of_directory(name: &str) -> Option<Self> {
        let found = Self::leading(name)?;
        (found.rest.is_empty() || found.rest.starts_with('-')).then_some(found.id)
    }

    /// Whether this is phase 0 or one of the backlog: neither counts (state.md 5.6).
    pub fn is_sentinel(&self) -> bool {
        self.is_backlog() || (self.whole.is_zero() && self.letter.is_none() && self.decimals.is_empty())
    }

    /// Whether this is 999 or something inserted after it.
    pub fn is_backlog(&self) -> bool {
        self.whole.text == BACKLOG
    }
}

impl fmt::Display for PhaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.whole)?;
        if let Some(letter) = self.letter {
            write!(f, "{letter}")?;
        }
        self.decimals.iter().try_for_each(|part| write!(f, ".{part}"))
    }
}

#[cfg(test)]
mod tests {
    use super::PhaseId;

    fn directory(name: &str) -> Option<String> {
        PhaseId::of_directory(name).map(|id| id.to_string())
    }

    #[test]
    fn a_directory_begins_with_its_number() {
        for (name, id) in [
            ("02-mast", "2"),
            ("PROJ-02-mast", "2"),
            ("p_2-02-mast", "2"),
            ("1.2-x", "1.2"),
            ("01.10.03-x", "1.10.3"),
            ("02A-x", "2a"),
            ("2b.1-x", "2b.1"),
            ("02", "2"),
            ("00-setup", "0"),
            (
                "123456789012345678901234567890-x",
                "123456789012345678901234567890",
            ),
        ] {
            assert_eq!(directory(name).as_deref(), Some(id), "{name}");
        }
        for name in [
            "mast",
            "02mast",
            "02_mast",
            "1.2a-x",
            "1.-x",
            "-02-mast",
            "my-app-02-x",
            ".git",
            "é-02",
        ] {
            assert_eq!(directory(name), None, "{name}");
        }
    }

    #[test]
    fn leading_zeros_case_and_project_code_do_not_count() {
        assert_eq!(PhaseId::of("01"), PhaseId::of(" 1 "));
        assert_eq!(PhaseId::of("PROJ-01.02B"), None);
        assert_eq!(PhaseId::of("PROJ-01B.02"), PhaseId::of("1b.2"));
        assert_ne!(PhaseId::of("1"), PhaseId::of("1.1"));
        assert_ne!(PhaseId::of("1"), PhaseId::of("1a"));
    }

    #[test]
    fn what_is_written_and_what_follows_are_told() {
        let found = PhaseId::leading("PROJ-02.1 of 4").expect("a number");
        assert_eq!((found.written, found.rest), ("02.1", " of 4"));
        let found = PhaseId::after_phase("phase  3: Rigging").expect("a number");
        assert_eq!((found.written, found.rest), ("3", ": Rigging"));
        assert_eq!(PhaseId::after_phase("3: Rigging"), None);
        assert_eq!(PhaseId::after_phase("Phase Details"), None);
    }

    #[test]
    fn numbers_are_ordered_as_numbers() {
        let mut ids: Vec<_> = ["10", "2.10", "2a", "2.9", "2", "1"]
            .iter()
            .filter_map(|id| PhaseId::of(id))
            .collect();
        ids.sort();
        let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
        assert_eq!(ids, ["1", "2", "2.9", "2.10", "2a", "10"]);
    }

    #[test]
    fn phase_0_and_the_backlog_are_sentinels() {
        let is = |id: &str| PhaseId::of(id).is_some_and(|id| id.is_sentinel());
        for id in ["0", "00", "999", "0999", "999.1", "999a"] {
            assert!(is(id), "{id}");
        }
        for id in ["0.1", "1", "99", "9990", "1.999"] {
            assert!(!is(id), "{id}");
        }
    }
}
