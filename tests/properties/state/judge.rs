//! What the specification says of a document, told in another way than the program does.

use std::collections::BTreeMap;

use git_spec::state::append::Entry as Record;
use git_spec::state::body::{Body, Scope};
use git_spec::state::front::Parts;
use git_spec::state::policy::FIELDS;
use git_spec::state::transition::{Intent, LABELS};
use git_spec::text::{Span, trim};
use proptest::prelude::*;

use super::documents::{BLOCK, Document};

/// The value of a label by the words of state.md 3.2, read line by line.
pub(super) fn value(body: &Body, label: &str) -> Option<String> {
    let whole = Span::new(0, body.text().len());
    let places = match Scope::of(label) {
        Scope::Position => vec![body.position().unwrap_or(whole)],
        Scope::PositionFirst => body.position().into_iter().chain([whole]).collect(),
        Scope::Session => vec![body.session().unwrap_or(whole)],
        Scope::Body => vec![whole],
    };
    let label = label.to_ascii_lowercase();
    places.into_iter().find_map(|place| {
        let text = &body.text()[place.start..place.end];
        let lines = || {
            text.split('\n')
                .map(|line| line.strip_suffix('\r').unwrap_or(line))
        };
        let bold = format!("**{label}:**");
        let in_bold = |line: &str| {
            let low = line.to_ascii_lowercase();
            let ends = low.match_indices(&bold).map(|(at, _)| at + bold.len());
            ends.map(|end| line[end..].to_owned())
                .find(|rest| !rest.is_empty())
        };
        let in_plain = |line: &str| {
            let begins = line.to_ascii_lowercase().starts_with(&format!("{label}:"));
            begins
                .then(|| line[label.len() + 1..].to_owned())
                .filter(|rest| !rest.is_empty())
        };
        let in_table = |line: &str| {
            let line = line.trim_end_matches([' ', '\t']);
            let cells: Vec<&str> = line.split('|').collect();
            let [before, first, second, after] = cells[..] else {
                return None;
            };
            let fits = before.is_empty() && after.is_empty() && trim(first).to_ascii_lowercase() == label;
            fits.then(|| second.to_owned())
        };
        let found = lines()
            .find_map(in_bold)
            .or_else(|| lines().find_map(in_plain))
            .or_else(|| lines().find_map(in_table));
        found.map(|value| trim(&value).to_owned())
    })
}

pub(super) fn body_of(text: &str) -> Body {
    Body::new(Parts::of(text).body)
}

/// Lines that say something, with how often they stand there.
pub(super) fn counted<'l>(lines: impl Iterator<Item = &'l str>) -> BTreeMap<&'l str, usize> {
    let mut out = BTreeMap::new();
    for line in lines.map(str::trim_end).filter(|line| !line.is_empty()) {
        *out.entry(line).or_default() += 1;
    }
    out
}

/// Whether lines come one after the other in a text. Blanks at the end of the last line of all are nobody's.
pub(super) fn is_subsequence<'l>(some: impl Iterator<Item = &'l str>, all: &str) -> Result<(), String> {
    let mut all = all.lines();
    for line in some.filter(|line| !trim(line).is_empty()) {
        if !all.any(|other| other.trim_end() == line.trim_end()) {
            return Err(line.to_owned());
        }
    }
    Ok(())
}

/// Whether a line may be one of those fields.
pub(super) fn names_one_of(line: &str, labels: &[&str]) -> bool {
    let low = line.to_lowercase();
    labels.iter().any(|label| low.contains(&label.to_lowercase()))
}

/// What of a body a verb leaves alone is there afterwards.
pub(super) fn the_rest_stays(
    intent: &Intent,
    old: &Body,
    new: &Body,
    archive: Option<&str>,
) -> Result<(), TestCaseError> {
    const SESSION: [&str; 4] = ["Last session", "Last Date", "Stopped at", "Resume file"];
    let fail = |line: String| TestCaseError::fail(format!("gone: {line:?}"));
    let is_placeholder =
        |line: &str| ["None", "None.", "None yet.", "No decisions yet."].contains(&trim(line));
    match intent {
        Intent::Append(Record::ResolveBlocker { text }) => {
            let text = text.to_lowercase();
            // Without a bullet the section says `None`, whatever word for it was there (state.md 7).
            let kept = old
                .text()
                .lines()
                .filter(|line| !line.to_lowercase().contains(&text) && !is_placeholder(line));
            is_subsequence(kept, new.text()).map_err(fail)
        }
        Intent::Append(_) => {
            let kept = old
                .text()
                .lines()
                .filter(|line| !is_placeholder(line) && !names_one_of(line, &SESSION));
            is_subsequence(kept, new.text()).map_err(fail)
        }
        Intent::Prune { .. } => {
            let gone = archive.unwrap_or_default();
            let before = counted(old.text().lines());
            let after = counted(new.text().lines().chain(gone.lines()));
            for (line, count) in before {
                prop_assert!(
                    after.get(line).is_some_and(|there| *there >= count),
                    "lost: {line:?}"
                );
            }
            Ok(())
        }
        Intent::MilestoneSwitch { .. } | Intent::MilestoneComplete { .. } => {
            let replaced: Vec<Span> = ["Current Position", "Operator Next Steps"]
                .into_iter()
                .filter_map(|name| old.section_named(2, name))
                .collect();
            let start = old.text().as_ptr() as usize;
            let is_replaced = |line: &str| {
                let at = line.as_ptr() as usize - start;
                replaced.iter().any(|span| at >= span.start && at < span.end)
            };
            let fields = ["Status", "Last Activity"];
            let kept = old
                .text()
                .lines()
                .filter(|line| !is_replaced(line) && !names_one_of(line, &fields));
            is_subsequence(kept, new.text()).map_err(fail)
        }
        Intent::BeginPhase { .. }
        | Intent::AdvancePlan
        | Intent::CompletePhase { .. }
        | Intent::MarkPhase { .. }
        | Intent::PlannedPhase { .. }
        | Intent::Patch(_)
        | Intent::Update { .. }
        | Intent::Sync { .. }
        | Intent::UpdateProgress => {
            let labels: Vec<String> = match intent {
                Intent::Patch(fields) => fields.iter().map(|(name, _)| name.clone()).collect(),
                Intent::Update { field, .. } => vec![field.clone()],
                Intent::BeginPhase { .. }
                | Intent::AdvancePlan
                | Intent::CompletePhase { .. }
                | Intent::MarkPhase { .. }
                | Intent::PlannedPhase { .. }
                | Intent::Sync { .. }
                | Intent::UpdateProgress
                | Intent::MilestoneSwitch { .. }
                | Intent::MilestoneComplete { .. }
                | Intent::Prune { .. }
                | Intent::Append(_) => LABELS.iter().map(|label| (*label).to_owned()).collect(),
            };
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let (before, after): (Vec<_>, Vec<_>) = (
                old.text().trim_end().split('\n').collect(),
                new.text().trim_end().split('\n').collect(),
            );
            prop_assert_eq!(before.len(), after.len(), "lines came or went");
            for (before, after) in before.iter().zip(&after) {
                prop_assert!(
                    before.trim_end() == after.trim_end() || names_one_of(before, &labels),
                    "{:?} became {:?}",
                    before,
                    after
                );
            }
            Ok(())
        }
    }
}

/// Whether a second run at the same moment finds nothing to do.
pub(super) fn is_idempotent(intent: &Intent) -> bool {
    match intent {
        Intent::BeginPhase { .. } | Intent::AdvancePlan => false,
        Intent::Append(record) => matches!(
            record,
            Record::ResolveBlocker { .. } | Record::Session { .. } | Record::Evolution { .. }
        ),
        Intent::CompletePhase { .. }
        | Intent::MarkPhase { .. }
        | Intent::PlannedPhase { .. }
        | Intent::MilestoneSwitch { .. }
        | Intent::MilestoneComplete { .. }
        | Intent::Patch(_)
        | Intent::Update { .. }
        | Intent::Sync { .. }
        | Intent::Prune { .. }
        | Intent::UpdateProgress => true,
    }
}

/// Lines of somebody's own that must be found in the front matter.
pub(super) fn own_lines(document: &Document) -> Vec<&str> {
    let chunks = document.front.as_deref().unwrap_or_default();
    let is_known = |chunk: &str| {
        let key = chunk.split(':').next().unwrap_or_default();
        key.ends_with("_state_version") || FIELDS.iter().any(|field| field.key == key)
    };
    let mut lines: Vec<&str> = chunks
        .iter()
        .filter(|chunk| !is_known(chunk))
        .flat_map(|chunk| chunk.lines())
        .collect();
    if chunks.iter().any(|chunk| chunk == BLOCK) {
        lines.extend(["  # by hand", "  own: key", "  # last"]);
    }
    lines
}
