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

#[cfg(test)]
mod tests {
    use super::*;

    /// The phases of a window, and how far it reaches.
    fn window(text: &str, stored: Option<&str>) -> (String, Scope) {
        let window = Roadmap::read(text).window(stored);
        (joined(window.ids()), window.scope())
    }

    fn joined(ids: &BTreeSet<PhaseId>) -> String {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        ids.join(" ")
    }

    fn complete(ids: &str) -> (String, Scope) {
        (ids.to_owned(), Scope::Complete)
    }

    const TWO: &str = "# Roadmap\n## v1.1 One ✅ SHIPPED\n### Phase 1: a\n### Phase 2: b\n\
                       ## v1.2 Two\n### Phase 3: c\n### Phase 4: d\n";

    #[test]
    fn a_version_has_the_phases_below_its_heading() {
        assert_eq!(window(TWO, Some("v1.2")), complete("3 4"));
        assert_eq!(window(TWO, Some("v1.1")), complete("1 2"));
        assert_eq!(window(TWO, Some("1.2")), complete("3 4"));
    }

    #[test]
    fn without_a_version_it_is_the_whole_roadmap_without_folds() {
        let text = "# Roadmap\n<details>\n### Phase 1: a\n</details>\n### Phase 2: b\n";
        assert_eq!(window(text, None), complete("2"));
        assert_eq!(window(TWO, None), ("1 2 3 4".to_owned(), Scope::Unscoped));
    }

    #[test]
    fn the_marked_version_is_taken_where_none_is_stored() {
        for mark in ["🚧 **v1.2 Two**", "🔄 **v1.2 Two**"] {
            assert_eq!(
                window(&format!("- {mark}\n{TWO}"), None),
                complete("3 4"),
                "{mark}"
            );
        }
        for other in ["🚧 v1.2 Two", "🚧 **v1.2** Two", "**v1.2 Two**"] {
            let (_, scope) = window(&format!("- {other}\n{TWO}"), None);
            assert_eq!(scope, Scope::Unscoped, "{other}");
        }
    }

    #[test]
    fn the_first_open_heading_of_a_version_is_taken_before_a_closed_one() {
        let text =
            "## v1.2 ARCHIVED\n### Phase 1: a\n## v1.2 again\n### Phase 2: b\n## v1.20\n### Phase 3: c\n";
        assert_eq!(window(text, Some("v1.2")), complete("2"));
        assert_eq!(window(text, Some("v1.20")), complete("3"));
        let closed = "## v1.2 ✅\n### Phase 1: a\n## v1.2 SHIPPED\n### Phase 2: b\n";
        assert_eq!(window(closed, Some("v1.2")), complete("1"));
    }

    #[test]
    fn only_a_milestone_of_its_own_or_a_higher_level_ends_a_window() {
        let text = "## v1 a\n### v1.5 deeper\n#### Phase 1: x\n## Phase 2: to v9\n## Notes\n- [ ] Phase 3: y\n\
                    # Later 📋\n### Phase 4: z\n";
        assert_eq!(window(text, Some("v1")), complete("1 2 3"));
    }

    #[test]
    fn text_before_all_milestones_counts_without_phases_where_the_window_has_its_own() {
        let text = "# Roadmap\n<details>\n### Phase 8: old\n</details>\n### Phase 1: a\n- [ ] Phase 7: inside\n\
                    ## Overview\n- [ ] Phase 2: b\n## v1.1 x\n### Phase 5: c\n## v1.2 y\n";
        assert_eq!(
            window(&format!("{text}### Phase 3: d\n"), Some("v1.2")),
            complete("2 3")
        );
        assert_eq!(window(text, Some("v1.2")), complete("1 2 7"));
    }

    #[test]
    fn a_later_section_with_phase_details_belongs_to_its_version() {
        let text = "## v1.2 Two\n### Phase 1: a\n## v1.3 Three\n### Phase 2: b\n\
                    ## v1.2 Two (Phase Details)\n### Phase 3: c\n## v1.3 (Phase Details)\n### Phase 4: d\n";
        assert_eq!(window(text, Some("v1.2")), complete("1 3"));
        let closed = text.replace("Two (Phase", "SHIPPED (Phase");
        assert_eq!(window(&closed, Some("v1.2")), complete("1"));
    }

    #[test]
    fn a_summary_names_a_version_that_has_no_heading() {
        let text = "<details>\n<summary>✅ v1.0 MVP</summary>\n### Phase 1: a\n</details>\n\
                    <details>\n<summary>v1.1</summary>\n### Phase 2: b\n</details>\n### Phase 3: c\n";
        assert_eq!(window(text, Some("v1.0")), ("1".to_owned(), Scope::Unscoped));
        assert_eq!(window(text, Some("v1.9")), ("3".to_owned(), Scope::Unscoped));
    }

    #[test]
    fn another_milestone_folded_away_inside_does_not_count() {
        let text = "## v1.2 Two\n<details>\n<summary>v1.1 One</summary>\n### Phase 1: a\n</details>\n\
                    <details>\n<summary>done</summary>\n### Phase 2: b\n</details>\n### Phase 3: c\n";
        assert_eq!(window(text, Some("v1.2")), complete("2 3"));
    }

    #[test]
    fn a_folded_milestone_ends_with_its_fold() {
        let text = "<details>\n## v1.0 MVP\n### Phase 1: a\n</details>\n### Phase 2: b\n";
        assert_eq!(window(text, Some("v1.0")), complete("1"));
    }

    #[test]
    fn phases_elsewhere_and_none_inside_is_truncated() {
        let text = "## v1.1 One\n### Phase 1: a\n## v1.2 Two\nNothing yet.\n";
        assert_eq!(window(text, Some("v1.2")), (String::new(), Scope::Truncated));
        assert_eq!(window("## v1.2 Two\nNothing.\n", Some("v1.2")), complete(""));
        let folded = "<details>\n### Phase 1: a\n</details>\n## v1.2 Two\n";
        assert_eq!(window(folded, Some("v1.2")), (String::new(), Scope::Truncated));
    }

    #[test]
    fn versions_in_phase_headings_leave_the_scope_complete() {
        assert_eq!(window("### Phase 1: to v2.0\n", None), complete("1"));
        assert_eq!(window("Since v2.0.\n### Phase 1: a\n", None).1, Scope::Unscoped);
        assert_eq!(window("Since v2.0.\n", Some("v2.0")).1, Scope::Unscoped);
    }

    #[test]
    fn headings_bullets_and_tables_name_phases_and_the_backlog_never_counts() {
        let text = "# Phase 1: too high\n## Phase 2: a\n#### Phase 02.1 (x): b\n##### Phase 3: too deep\n\
                    ### Phase 999.1: later\n- [ ] Phase 4: c\n- [ ] Phase 999: d\n- Phase 5: no box\n\
                    ```\n### Phase 6: code\n```\n\n| # | Goal |\n|---|---|\n| 7 | e |\n| 999 | f |\n";
        let window = Roadmap::read(text).window(None);
        assert_eq!(joined(window.ids()), "2 2.1 4 7");
        assert_eq!(joined(window.headed()), "2 2.1");
    }

    #[test]
    fn a_progress_table_lists_phases_only_where_nothing_else_does() {
        let table = "| Phase | Milestone | Plans | Status |\n|---|---|---|---|\n\
                     | 1 | v1.1 | 1/1 | Complete |\n| 2 | v1.2 | 0/1 | - |\n| 3 | | 0/1 | - |\n";
        let text = format!("## v1.1 ✅\n### Phase 1: a\n## v1.2\n\n{table}");
        assert_eq!(window(&text, Some("v1.2")), complete("2 3"));
        let text = format!("## v1.2\n### Phase 5: a\n\n{table}");
        assert_eq!(window(&text, Some("v1.2")), complete("5"));
        let outside = format!(
            "## v1.2\n### Phase 5: a\n## v1.3\n\n{}",
            table.replace("Plans", "Goal").replace("Status", "x")
        );
        assert_eq!(window(&outside, Some("v1.2")), complete("5"));
    }
}
