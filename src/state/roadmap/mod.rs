//! What ROADMAP.md says: its milestones, the phases of the current one, the phases that were given up (state.md 5.4 to
//! 5.6). Pure functions of its text.

mod lines;
mod listing;
mod milestone;
mod table;
mod window;

pub use milestone::{Milestone, MilestoneHeading};
pub use table::ProgressRows;
pub use window::{Scope, Window};

use std::collections::BTreeSet;

use self::lines::Details;
use super::body::{OpenLine, open_lines};
use super::phase_id::PhaseId;
use crate::text::Span;

/// A byte order mark, which would hide a heading in the first line.
const MARK: char = '\u{feff}';

/// A roadmap with its lines judged once.
#[derive(Clone, Debug)]
pub struct Roadmap {
    text: String,
    /// Those outside code fences.
    lines: Vec<OpenLine>,
    details: Vec<Details>,
    milestones: Vec<MilestoneHeading>,
}

impl Roadmap {
    /// Reads the text of a roadmap.
    pub fn read(text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with(MARK) {
            text.drain(..MARK.len_utf8());
        }
        let lines: Vec<OpenLine> = open_lines(&text).collect();
        let details = lines::details(&text, &lines);
        let milestones = milestone::headings(&text, &lines);
        Self {
            text,
            lines,
            details,
            milestones,
        }
    }

    /// Its milestone headings, closed ones and those in `<details>` too.
    pub fn milestones(&self) -> &[MilestoneHeading] {
        &self.milestones
    }

    /// Whether a milestone heading for this version exists (state.md 5.5); where none is stored it counts as bounded.
    pub fn is_bounded(&self, stored: Option<&str>) -> bool {
        stored.is_none_or(|version| self.milestones.iter().any(|m| m.is_of(version)))
    }

    /// The phases that were given up: their line in a list, or their heading, is struck out (state.md 5.6). One that
    /// another milestone gave up is alive where the window names it anew.
    pub fn retired(&self, window: &Window) -> BTreeSet<PhaseId> {
        let mut inside = BTreeSet::new();
        let mut outside = BTreeSet::new();
        for index in 0..self.lines.len() {
            let found = if window.has_line(index) {
                &mut inside
            } else {
                &mut outside
            };
            found.extend(listing::struck_out(self.content(index)));
        }
        outside.retain(|id| !window.ids().contains(id));
        inside.append(&mut outside);
        inside
    }

    /// The name of a phase: from its heading or its line in a checklist, in the window if they stand there.
    pub fn phase_name(&self, id: &PhaseId, window: &Window) -> Option<String> {
        let inside = |index: &usize| window.has_line(*index);
        let all = || 0..self.lines.len();
        let (own, other): (Vec<usize>, Vec<usize>) = all().partition(inside);
        let of_heading = |index: &usize| self.phase_heading(*index).filter(|found| found.id == *id);
        let of_bullet = |index: &usize| listing::bullet(self.content(*index)).filter(|found| found.id == *id);
        let name = |found: listing::Named<'_>| found.name();
        let in_lines = |lines: &[usize]| {
            let headings = lines.iter().filter_map(of_heading);
            headings.chain(lines.iter().filter_map(of_bullet)).find_map(name)
        };
        in_lines(&own).or_else(|| in_lines(&other))
    }

    fn span(&self, span: Span) -> &str {
        &self.text[span.start..span.end]
    }

    fn content(&self, index: usize) -> &str {
        self.span(self.lines[index].content)
    }

    /// The phase heading that a line is, at a level where phases are counted.
    fn phase_heading(&self, index: usize) -> Option<listing::Named<'_>> {
        let heading = self.lines[index].heading?;
        if !(2..=4).contains(&heading.level) {
            return None;
        }
        listing::heading(heading.title(&self.text))
    }

    /// The outermost closed `<details>` block that a line stands in.
    fn details_of(&self, index: usize) -> Option<&Details> {
        let at = self.details.partition_point(|block| block.lines.end <= index);
        self.details.get(at).filter(|block| block.lines.contains(&index))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lines that mean something, cut and mixed.
    fn roadmap() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            prop::sample::select(vec![
                "# ",
                "## ",
                "### ",
                "Phase ",
                "1",
                "02.1",
                "999",
                ":",
                "v1.2",
                "v1",
                " ",
                "\n",
                "\r\n",
                "~~",
                "**",
                "[",
                "]",
                "(",
                ")",
                "- [ ] ",
                "| ",
                "|---|---|\n",
                "| Phase | Status |\n",
                "<details>",
                "</details>",
                "<summary>",
                "</summary>",
                "```",
                "🚧 ",
                "✅",
                "SHIPPED",
                "(Phase Details)",
                "\u{feff}",
                "é",
                "\u{3000}",
            ])
            .prop_map(str::to_owned),
            any::<String>(),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in roadmap(), stored in prop::option::of("v?[0-9.é]{0,4}")) {
            let roadmap = Roadmap::read(text);
            let window = roadmap.window(stored.as_deref());
            let retired = roadmap.retired(&window);
            roadmap.milestone(stored.as_deref());
            roadmap.progress_rows();
            prop_assert!(window.headed().is_subset(window.ids()));
            prop_assert!(window.ids().iter().all(|id| !id.is_backlog()));
            for id in window.ids().union(&retired) {
                roadmap.phase_name(id, &window);
            }
            prop_assert_eq!(window.scope() == Scope::Truncated && !window.ids().is_empty(), false);
        }
    }

    #[test]
    fn struck_out_phases_are_retired_unless_the_window_names_them_anew() {
        let retired = |text: &str, stored: Option<&str>| {
            let roadmap = Roadmap::read(text);
            let ids = roadmap.retired(&roadmap.window(stored));
            ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        let text = "- [ ] ~~Phase 2: b~~\n### Phase 2: b\n### ~~Phase 3: c~~\n### ~~Phase 4~~: d\n";
        assert_eq!(retired(text, None), "2 3 4");
        let text = "## v1.1 ✅\n- ~~Phase 1: a~~\n- ~~Phase 2: b~~\n## v1.2\n### Phase 1: c\n";
        assert_eq!(retired(text, Some("v1.2")), "2");
    }

    #[test]
    fn the_window_names_its_phases_before_the_rest_does() {
        let text = "## v1.1 ✅\n### Phase 1: Old\n### Phase 2: Mast\n## v1.2\n- [ ] **Phase 1: Listed** - x\n\
                    ### Phase 1 (new): Keel ✅\n- [x] Phase 4: Sails\n";
        let roadmap = Roadmap::read(text);
        let window = roadmap.window(Some("v1.2"));
        let name = |id: &str| roadmap.phase_name(&PhaseId::of(id).expect("a number"), &window);
        assert_eq!(name("01").as_deref(), Some("Keel"));
        assert_eq!(name("2").as_deref(), Some("Mast"));
        assert_eq!(name("4").as_deref(), Some("Sails"));
        assert_eq!(name("5"), None);
    }

    #[test]
    fn a_byte_order_mark_hides_no_heading() {
        let roadmap = Roadmap::read("\u{feff}## v1.2 Two\n");
        assert!(roadmap.is_bounded(Some("v1.2")));
        assert!(!roadmap.is_bounded(Some("v1.3")));
        assert!(roadmap.is_bounded(None));
    }
}
