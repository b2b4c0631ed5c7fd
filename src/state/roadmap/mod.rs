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
        let text = text.into();
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
