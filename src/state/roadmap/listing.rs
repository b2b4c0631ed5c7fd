//! Lines of a roadmap that name a phase: its heading, a bullet of a checklist, struck-out text (state.md 5.5, 5.6).

use std::sync::LazyLock;

use regex::Regex;

use super::milestone::without_marks;
use crate::state::phase_id::{LeadingId, PhaseId};
use crate::text::{js, trim};

static TAGS: LazyLock<Regex> = LazyLock::new(|| js(r"^(?:\s*\([^()]*\))*\s*"));
static BULLET: LazyLock<Regex> = LazyLock::new(|| js(r"^\s*(?:[-*+]|\d+[.)])\s+"));
static BOX: LazyLock<Regex> = LazyLock::new(|| js(r"^\[[ xX]\]\s+"));
static STRUCK: LazyLock<Regex> = LazyLock::new(|| js(r"~~(.+?)~~"));

/// A phase that a line names, with what follows its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named<'t> {
    pub id: PhaseId,
    /// The rest of the line, behind the colon or dash.
    rest: &'t str,
}

impl Named<'_> {
    /// The name that the line gives.
    pub(super) fn name(&self) -> Option<String> {
        let is_markup = |c: char| matches!(c, '*' | '~' | '_') || crate::text::is_space(c);
        let name = without_marks(self.rest).trim_matches(is_markup);
        (!name.is_empty()).then(|| name.to_owned())
    }
}

/// The phase that a text begins with, after tags in brackets and marks of emphasis.
pub(super) fn begins_with_phase(text: &str) -> Option<LeadingId<'_>> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c| matches!(c, '*' | '~' | '_') || crate::text::is_space(c));
        if let Some(found) = PhaseId::after_phase(rest) {
            return Some(found);
        }
        let tag = rest.strip_prefix('[')?;
        if let Some(linked) = PhaseId::after_phase(tag) {
            return Some(linked);
        }
        rest = &tag[tag.find(']')? + 1..];
    }
}

/// Reads the title of a phase heading: `[tag] Phase <id> (tag): name`.
pub(super) fn heading(title: &str) -> Option<Named<'_>> {
    let found = begins_with_phase(title)?;
    let after = found.rest.trim_start_matches(['*', '~']);
    let after = &after[TAGS.find(after).map_or(0, |tags| tags.end())..];
    Some(Named {
        id: found.id,
        rest: after.strip_prefix(':')?,
    })
}

/// Reads a bullet of a checklist that names a phase.
pub(super) fn bullet(line: &str) -> Option<Named<'_>> {
    let item = &line[BULLET.find(line)?.end()..];
    let item = &item[BOX.find(item)?.end()..];
    let found = begins_with_phase(item)?;
    let after = &found.rest[TAGS.find(found.rest).map_or(0, |tags| tags.end())..];
    let name = after.trim_start_matches([':', '-', '–', '—', ' ']);
    // Behind the emphasised or linked name stands what the phase is for.
    let end = ["**", "~~", "](", " — ", " – ", " - "]
        .iter()
        .filter_map(|mark| name.find(mark).filter(|at| *at > 0))
        .min();
    Some(Named {
        id: found.id,
        rest: &name[..end.unwrap_or(name.len())],
    })
}

/// The phases that a bullet or a heading strikes out.
pub(super) fn struck_out(line: &str) -> Vec<PhaseId> {
    if !(line.contains("~~") && (trim(line).starts_with('#') || BULLET.is_match(line))) {
        return Vec::new();
    }
    let texts = STRUCK.captures_iter(line).filter_map(|found| found.get(1));
    texts
        .filter_map(|text| begins_with_phase(without_box(text.as_str())))
        .map(|found| found.id)
        .collect()
}

fn without_box(text: &str) -> &str {
    BOX.find(text).map_or(text, |found| &text[found.end()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number and the name, empty if there is none.
    fn read(found: Option<Named<'_>>) -> Option<(String, String)> {
        found.map(|found| (found.id.to_string(), found.name().unwrap_or_default()))
    }

    fn named(id: &str, name: &str) -> (String, String) {
        (id.to_owned(), name.to_owned())
    }

    #[test]
    fn a_phase_heading_has_its_number_and_a_colon() {
        for (title, id, name) in [
            ("Phase 1: Keel", "1", "Keel"),
            (
                "[URGENT] [x] Phase 01.2 (inserted) (small): Keel repair ✅",
                "1.2",
                "Keel repair",
            ),
            ("phase PROJ-02a :Mast", "2a", "Mast"),
            ("**Phase 3: Rigging**", "3", "Rigging"),
            ("Phase 4:", "4", ""),
        ] {
            assert_eq!(read(heading(title)), Some(named(id, name)), "{title}");
        }
        for title in [
            "Phase 1",
            "Phase 1 Keel",
            "Phase Details: all",
            "Old Phase 1: Keel",
            "Phase 1 — Keel: x",
        ] {
            assert_eq!(read(heading(title)), None, "{title}");
        }
    }

    #[test]
    fn a_bullet_of_a_checklist_names_a_phase() {
        for (line, id, name) in [
            ("- [ ] Phase 1: Keel", "1", "Keel"),
            ("  * [X] **Phase 02: Mast** - carries the sails", "2", "Mast"),
            ("+ [x] ~~Phase 3: Rigging~~ folded into 4", "3", "Rigging"),
            (
                "1. [ ] [Phase 4: Sails](phases/04-sails) — all of them",
                "4",
                "Sails",
            ),
            ("- [ ] **Phase 5 (inserted): Boom** — Two-mast hull", "5", "Boom"),
            ("- [ ] Phase 6 — Night berths", "6", "Night berths"),
        ] {
            assert_eq!(read(bullet(line)), Some(named(id, name)), "{line}");
        }
        for line in [
            "- Phase 1: Keel",
            "[ ] Phase 1: Keel",
            "- [ ] after Phase 1",
            "- [ ] 01-01: plan",
        ] {
            assert_eq!(read(bullet(line)), None, "{line}");
        }
    }

    #[test]
    fn struck_out_text_of_a_bullet_or_heading_retires_its_phase() {
        let ids = |line: &str| -> Vec<String> { struck_out(line).iter().map(ToString::to_string).collect() };
        for line in [
            "- [ ] ~~Phase 2: Mast~~ folded into 3",
            "- ~~[ ] **Phase 2**~~",
            "- [x] **~~Phase 02: Mast~~**",
            "### ~~Phase 2: Mast~~",
            "#### [old] ~~Phase 2~~: gone",
        ] {
            assert_eq!(ids(line), ["2"], "{line}");
        }
        for line in [
            "~~Phase 2: Mast~~",
            "- ~~a~~ Phase 2",
            "- [ ] Phase 2: ~~Mast~~ Boom",
            "- ~~After Phase 2~~",
        ] {
            assert_eq!(ids(line), [""; 0], "{line}");
        }
    }
}
