//! The part of a roadmap that the current milestone is, and the phases it names (state.md 5.5).

use std::collections::BTreeSet;
use std::ops::Range;

use super::lines::Details;
use super::{MilestoneHeading, Roadmap, listing, milestone};
use crate::state::phase_id::PhaseId;

/// How far the answer of a roadmap reaches. The names are part of the JSON contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// There is no roadmap.
    Unreadable,
    Complete,
    /// A version was asked for that has no heading, or there are versions and none was asked for.
    Unscoped,
    /// The heading was found, its phases stand somewhere else.
    Truncated,
}

impl Scope {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Complete => "complete",
            Self::Unscoped => "unscoped",
            Self::Truncated => "truncated",
        }
    }
}

/// The lines of the current milestone, and what they name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    version: Option<String>,
    /// For each open line whether it belongs to the milestone.
    lines: Vec<bool>,
    ids: BTreeSet<PhaseId>,
    /// Those with a heading.
    headed: BTreeSet<PhaseId>,
    scope: Scope,
}

impl Window {
    /// The version that was asked for: the stored one, else the one that the roadmap marks.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The phases of the milestone, phase 0 and retired ones too; never one of the backlog.
    pub fn ids(&self) -> &BTreeSet<PhaseId> {
        &self.ids
    }

    /// The phases with a heading of their own.
    pub fn headed(&self) -> &BTreeSet<PhaseId> {
        &self.headed
    }

    pub fn scope(&self) -> Scope {
        self.scope
    }

    pub(super) fn has_line(&self, index: usize) -> bool {
        self.lines[index]
    }
}

/// Where the version that was asked for was found.
enum Found<'r> {
    Heading(&'r MilestoneHeading),
    Summary(&'r Details),
    Nothing,
}

impl Roadmap {
    /// Cuts out the current milestone: that of the stored version, else of the one that the roadmap marks.
    pub fn window(&self, stored: Option<&str>) -> Window {
        let version = stored.map(str::to_owned).or_else(|| self.marked_version());
        let found = match &version {
            Some(version) => self.find(version),
            None => Found::Nothing,
        };
        let lines = match (&found, &version) {
            (Found::Heading(heading), Some(version)) => self.lines_of(heading, version),
            (Found::Summary(block), _) => (0..self.lines.len()).map(|i| block.lines.contains(&i)).collect(),
            (Found::Heading(_) | Found::Nothing, _) => self.unfolded(),
        };
        let is_found = matches!(found, Found::Heading(_));
        let mut window = Window {
            version,
            lines,
            ids: BTreeSet::new(),
            headed: BTreeSet::new(),
            scope: Scope::Complete,
        };
        (window.ids, window.headed) = self.phases_of(&window);
        window.scope = self.scope_of(&window, is_found);
        window
    }

    fn find(&self, version: &str) -> Found<'_> {
        let own = || self.milestones.iter().filter(|heading| heading.is_of(version));
        if let Some(heading) = own().find(|heading| !heading.closed).or_else(|| own().next()) {
            return Found::Heading(heading);
        }
        let names = |block: &&Details| {
            let summary = block.summary.as_deref();
            summary.is_some_and(|summary| milestone::names_version(summary, version))
        };
        self.details
            .iter()
            .find(names)
            .map_or(Found::Nothing, Found::Summary)
    }

    fn unfolded(&self) -> Vec<bool> {
        (0..self.lines.len())
            .map(|index| self.details_of(index).is_none())
            .collect()
    }

    /// The lines of the milestone of a heading, with what stands before all milestones and, further down, its details.
    fn lines_of(&self, heading: &MilestoneHeading, version: &str) -> Vec<bool> {
        let mut lines = vec![false; self.lines.len()];
        let own = self.text_of(heading);
        self.take(&mut lines, own.clone(), heading, version);
        let later = self.milestones.iter().find(|later| {
            later.index >= own.end && later.is_phase_details && !later.closed && later.is_of(version)
        });
        if let Some(later) = later {
            self.take(&mut lines, self.text_of(later), later, version);
        }
        let has_phases = (0..lines.len()).any(|index| lines[index] && self.phase_heading(index).is_some());
        let first = self
            .milestones
            .iter()
            .find(|first| self.details_of(first.index).is_none());
        let preamble = first.map_or(heading.index, |first| first.index.min(heading.index));
        let mut index = 0;
        while index < preamble {
            if has_phases && self.phase_heading(index).is_some() {
                index = self.end_of_section(index).min(preamble);
                continue;
            }
            lines[index] = self.details_of(index).is_none();
            index += 1;
        }
        lines
    }

    /// The lines from a milestone heading to the next one, or to the end of the block it is folded away in.
    fn text_of(&self, heading: &MilestoneHeading) -> Range<usize> {
        let limit = self
            .details_of(heading.index)
            .map_or(self.lines.len(), |block| block.lines.end);
        let ends = |index: &usize| {
            let next = self.lines[*index].heading;
            next.is_some_and(|next| {
                next.level <= heading.level && milestone::ends_milestone(next.title(&self.text))
            })
        };
        let end = (heading.index + 1..limit).find(ends);
        heading.index..end.unwrap_or(limit)
    }

    /// Takes lines of a milestone, but those of another one that is folded away between them.
    fn take(&self, lines: &mut [bool], taken: Range<usize>, heading: &MilestoneHeading, version: &str) {
        let own_block = self.details_of(heading.index);
        for index in taken {
            let block = self.details_of(index).filter(|block| Some(*block) != own_block);
            let summary = block.and_then(|block| block.summary.as_deref());
            lines[index] = !summary.is_some_and(|text| milestone::names_another_version(text, version));
        }
    }

    fn end_of_section(&self, index: usize) -> usize {
        let level = |index: usize| self.lines[index].heading.map(|heading| heading.level);
        let own = level(index);
        (index + 1..self.lines.len())
            .find(|next| level(*next).is_some_and(|level| Some(level) <= own))
            .unwrap_or(self.lines.len())
    }

    /// The phases that the lines of a window name, and those of them with a heading.
    fn phases_of(&self, window: &Window) -> (BTreeSet<PhaseId>, BTreeSet<PhaseId>) {
        let inside = || (0..self.lines.len()).filter(|index| window.lines[*index]);
        let headed: BTreeSet<PhaseId> = inside()
            .filter_map(|index| self.phase_heading(index))
            .map(|named| named.id)
            .filter(|id| !id.is_backlog())
            .collect();
        let bullets = inside().filter_map(|index| listing::bullet(self.content(index)));
        let mut ids = headed.clone();
        ids.extend(bullets.map(|named| named.id));
        let nothing_else = ids.is_empty();
        ids.extend(self.listed_in_tables(window, nothing_else));
        ids.retain(|id| !id.is_backlog());
        (ids, headed)
    }

    fn scope_of(&self, window: &Window, is_found: bool) -> Scope {
        if is_found {
            return if window.ids.is_empty() && self.has_phases_outside(window) {
                Scope::Truncated
            } else {
                Scope::Complete
            };
        }
        let names_version = || (0..self.lines.len()).any(|index| self.version_in(index).is_some());
        if window.version.is_some() || names_version() {
            Scope::Unscoped
        } else {
            Scope::Complete
        }
    }

    fn has_phases_outside(&self, window: &Window) -> bool {
        let everything = Window {
            lines: window.lines.iter().map(|inside| !inside).collect(),
            ..window.clone()
        };
        !self.phases_of(&everything).0.is_empty()
    }
}
