//! Milestones of a roadmap: their headings, whether they are closed, and which one is current (state.md 5.4).

use std::sync::LazyLock;

use regex::Regex;

use super::{Roadmap, listing};
use crate::state::body::OpenLine;
use crate::text::{is_space, js, trim};

static VERSION: LazyLock<Regex> = LazyLock::new(|| js(r"\bv\d+(?:\.\d+)*\b"));
/// Outside headings a version has a dot: `v2` in prose may be anything.
static DOTTED: LazyLock<Regex> = LazyLock::new(|| js(r"\bv\d+(?:\.\d+)+\b"));
static CLOSED: LazyLock<Regex> =
    LazyLock::new(|| js(r"(?i-u:\b(?:closed|archived|abandoned|shipped|failed)\b)|✅|🗄"));
static OPEN: LazyLock<Regex> = LazyLock::new(|| js(r"(?i-u:\b(?:started|active|wip|in progress)\b)|🚧|🔄"));
static CURRENT: LazyLock<Regex> = LazyLock::new(|| js(r"🚧\s*(\*\*)?\s*(v\d+(?:\.\d+)*)(.*)$"));
static ASKED: LazyLock<Regex> = LazyLock::new(|| js(r"[🚧🔄]\s*\*\*(v\d+(?:\.\d+)+)\s"));

/// Milestone and name, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Milestone {
    pub version: Option<String>,
    pub name: Option<String>,
}

/// A heading of level 1 to 3 that names a version and is no phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MilestoneHeading {
    /// Index of its line among the open lines.
    pub(super) index: usize,
    pub(super) level: usize,
    /// The title from its version on.
    from_version: String,
    pub version: String,
    pub name: Option<String>,
    pub closed: bool,
    /// Says that it holds the phases of a milestone whose heading stands further up.
    pub(super) is_phase_details: bool,
}

impl MilestoneHeading {
    /// Whether it is one of this version.
    pub fn is_of(&self, version: &str) -> bool {
        begins_with_version(&self.from_version, trim(version))
    }
}

/// Finds the milestone headings.
pub(super) fn headings(text: &str, lines: &[OpenLine]) -> Vec<MilestoneHeading> {
    let read = |(index, line): (usize, &OpenLine)| {
        let heading = line.heading.filter(|heading| heading.level <= 3)?;
        let title = heading.title(text);
        if listing::begins_with_phase(title).is_some() {
            return None;
        }
        let version = VERSION.find(title)?;
        Some(MilestoneHeading {
            index,
            level: heading.level,
            from_version: title[version.start()..].to_owned(),
            version: version.as_str().to_owned(),
            name: name(&title[version.end()..]),
            closed: is_closed(title),
            is_phase_details: title.to_lowercase().contains("(phase details)"),
        })
    };
    lines.iter().enumerate().filter_map(read).collect()
}

/// Whether the words and signs of a title say that a milestone is over.
fn is_closed(title: &str) -> bool {
    CLOSED.is_match(title) && !OPEN.is_match(title)
}

/// A name from what follows a version.
fn name(after: &str) -> Option<String> {
    let leads = |c: char| matches!(c, '-' | '–' | '—' | ':') || is_space(c);
    let name = without_marks(after.trim_start_matches(leads));
    (!name.is_empty()).then(|| name.to_owned())
}

/// A text without the signs of its state at its end.
pub(super) fn without_marks(text: &str) -> &str {
    text.trim_end_matches(|c| matches!(c, '✅' | '📋' | '🚧' | '\u{fe0f}') || is_space(c))
}

/// Whether a text begins with this version: `v1.2` neither `v1.20` nor `v1.2.1`. A missing `v` does not count.
fn begins_with_version(text: &str, version: &str) -> bool {
    let bare = |text: &str| text.strip_prefix('v').unwrap_or(text).to_owned();
    let (text, version) = (bare(text), bare(version));
    let Some(rest) = text.strip_prefix(version.as_str()) else {
        return false;
    };
    let mut next = rest.chars();
    match next.next() {
        None => true,
        Some('.') => !next.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => !(c.is_alphanumeric() || c == '_'),
    }
}

/// Whether a text names this version.
pub(super) fn names_version(text: &str, version: &str) -> bool {
    VERSION
        .find_iter(text)
        .any(|found| begins_with_version(&text[found.start()..], version))
}

/// Whether a text names a version, and none of those that it names is this one.
pub(super) fn names_another_version(text: &str, version: &str) -> bool {
    VERSION.is_match(text) && !names_version(text, version)
}

/// Whether a heading ends the text of a milestone of its level: it names a version or carries the sign of a milestone.
pub(super) fn ends_milestone(title: &str) -> bool {
    listing::begins_with_phase(title).is_none()
        && (VERSION.is_match(title) || title.contains(['✅', '📋', '🚧']))
}

/// `🚧 **v1.2 name**` in a line.
struct CurrentEntry<'t> {
    version: &'t str,
    name: Option<String>,
    /// Version and name stand in bold together.
    is_bold: bool,
}

fn current_entry(line: &str) -> Option<CurrentEntry<'_>> {
    let found = CURRENT.captures(line)?;
    let (version, rest) = (found.get(2)?, found.get(3)?.as_str());
    // A version goes on where its digits do: `v1.2x` is none.
    if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let opened = found.get(1).is_some();
    let (is_bold, rest) = match rest.strip_prefix("**").filter(|_| opened) {
        Some(after) => (false, after),
        None if opened => (true, rest.split("**").next().unwrap_or(rest)),
        None => (false, rest),
    };
    Some(CurrentEntry {
        version: version.as_str(),
        name: name(rest),
        is_bold,
    })
}

impl Roadmap {
    /// The milestone that STATE.md stores, else the one that the roadmap calls current (state.md 5.4).
    pub fn milestone(&self, stored: Option<&str>) -> Milestone {
        match stored {
            Some(version) => Milestone {
                version: Some(version.to_owned()),
                name: self.name_of(version),
            },
            None => self.current(),
        }
    }

    fn name_of(&self, version: &str) -> Option<String> {
        let entry = (0..self.lines.len())
            .filter(|index| self.lines[*index].heading.is_none())
            .filter_map(|index| current_entry(self.content(index)))
            .filter(|entry| begins_with_version(entry.version, version))
            .find_map(|entry| entry.name);
        entry.or_else(|| {
            self.milestones
                .iter()
                .filter(|heading| !heading.closed && heading.is_of(version))
                .find_map(|heading| heading.name.clone())
        })
    }

    fn current(&self) -> Milestone {
        let entry = (0..self.lines.len())
            .filter_map(|index| current_entry(self.content(index)))
            .find(|entry| entry.is_bold && entry.version.contains('.') && entry.name.is_some());
        if let Some(entry) = entry {
            return Milestone {
                version: Some(entry.version.to_owned()),
                name: entry.name,
            };
        }
        let unfolded = |heading: &&MilestoneHeading| self.details_of(heading.index).is_none();
        if let Some(heading) = self.milestones.iter().filter(unfolded).find(|h| !h.closed) {
            return Milestone {
                version: Some(heading.version.clone()),
                name: heading.name.clone(),
            };
        }
        Milestone {
            version: (0..self.lines.len())
                .filter(|index| self.details_of(*index).is_none())
                .find_map(|index| self.version_in(index)),
            name: None,
        }
    }

    /// The first version that a line outside phase headings names.
    pub(super) fn version_in(&self, index: usize) -> Option<String> {
        let pattern = match self.lines[index].heading {
            None => &DOTTED,
            Some(heading) if listing::begins_with_phase(heading.title(&self.text)).is_some() => return None,
            Some(_) => &VERSION,
        };
        pattern
            .find(self.content(index))
            .map(|found| found.as_str().to_owned())
    }

    /// The version that the roadmap marks as current, as the window takes it (state.md 5.5).
    pub(super) fn marked_version(&self) -> Option<String> {
        (0..self.lines.len()).find_map(|index| {
            ASKED
                .captures(self.content(index))
                .map(|found| found[1].to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milestone(text: &str, stored: Option<&str>) -> (Option<String>, Option<String>) {
        let found = Roadmap::read(text).milestone(stored);
        (found.version, found.name)
    }

    fn known(version: &str, name: &str) -> (Option<String>, Option<String>) {
        (
            Some(version.to_owned()),
            (!name.is_empty()).then(|| name.to_owned()),
        )
    }

    #[test]
    fn a_milestone_heading_names_a_version_and_is_no_phase() {
        let text = "# v1 One\n## Milestone v1.2: Two 🚧\n### v1.2.3 — Three (In Progress) ✅\n#### v4 deep\n\
                    ### Phase 3: to v5\n### [late] Phase 4\n## dev6\n## ~~Phase 7~~ v7\n```\n## v8\n```\n## 🚧 v9\n";
        let found: Vec<_> = Roadmap::read(text)
            .milestones()
            .iter()
            .map(|m| (m.version.clone(), m.name.clone().unwrap_or_default()))
            .collect();
        let expected = [
            ("v1", "One"),
            ("v1.2", "Two"),
            ("v1.2.3", "Three (In Progress)"),
            ("v9", ""),
        ];
        assert_eq!(found, expected.map(|(v, n)| (v.to_owned(), n.to_owned())));
    }

    #[test]
    fn a_closed_milestone_says_so_and_says_nothing_else() {
        for title in [
            "v1 CLOSED",
            "v1 ARCHIVED",
            "v1 (Shipped: 2025-01-01)",
            "v1 ABANDONED",
            "v1 FAILED",
            "v1 ✅",
            "v1 🗄️",
        ] {
            assert!(is_closed(title), "{title}");
        }
        for title in [
            "v1",
            "v1 unshipped",
            "v1 SHIPPED, WIP",
            "v1 ✅ In Progress",
            "v1 CLOSED STARTED",
            "v1 FAILED 🔄",
            "v1 ACTIVE ✅",
            "v1 🚧 ✅",
            "v1 foreclosed",
        ] {
            assert!(!is_closed(title), "{title}");
        }
    }

    #[test]
    fn a_stored_version_is_the_milestone_and_the_roadmap_names_it() {
        let text = "- 🚧 **v1.2 Night Berths** — phases 3-4\n## v1.3 Wide Berths ✅ SHIPPED\n## v1.4 — Long Berths 📋\n";
        assert_eq!(milestone(text, Some("v1.2")), known("v1.2", "Night Berths"));
        assert_eq!(milestone(text, Some("v1.3")), known("v1.3", ""));
        assert_eq!(milestone(text, Some("v1.4")), known("v1.4", "Long Berths"));
        assert_eq!(milestone(text, Some("v1")), known("v1", ""));
        assert_eq!(
            milestone("* 🚧 v1.2: Plain\n", Some("v1.2")),
            known("v1.2", "Plain")
        );
        assert_eq!(
            milestone("* 🚧 **v1.2** - Half\n", Some("v1.2")),
            known("v1.2", "Half")
        );
        assert_eq!(
            milestone("## v1.2.1 Patch\n## v1.20 X\n", Some("v1.2")),
            known("v1.2", "")
        );
    }

    #[test]
    fn without_one_the_marked_entry_comes_first() {
        let text = "## v1.1 One\n- 🚧 **v1.2 Two** (a)\n";
        assert_eq!(milestone(text, None), known("v1.2", "Two"));
        assert_eq!(
            milestone("## v1.1 One\n- 🚧 v1.2 Two\n", None),
            known("v1.1", "One")
        );
    }

    #[test]
    fn then_the_first_open_heading_that_is_not_folded_away() {
        let text = "<details>\n## v1.0 Zero\n</details>\n## v1.1 One ✅\n## v1.2 Two\n## v1.3 Three\n";
        assert_eq!(milestone(text, None), known("v1.2", "Two"));
    }

    #[test]
    fn then_any_version_outside_phases_and_folds() {
        let text = "### Phase 1: v0.1\n<details>v0.2\n</details>\nSince v2 of v2.1 and v2.2\n## v1.1 ✅\n";
        assert_eq!(milestone(text, None), known("v2.1", ""));
        assert_eq!(milestone("# Roadmap\n### Phase 1: to v2.0\n", None), (None, None));
    }
}
