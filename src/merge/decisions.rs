//! Numbers of new decision records (change.md 6.11).

use std::sync::LazyLock;

use regex::Regex;

use super::{Conflict, ConflictCode, Hint, MergePlan};
use crate::change::Delta;
use crate::files::{ReadError, Tree, walk};
use crate::finding::Location;
use crate::markdown::Document;
use crate::project::layout;
use crate::text::{decode, js};

static FILE: LazyLock<Regex> = LazyLock::new(|| js(r"^(?:[a-z][a-z0-9-]*-)?D(\d+)-.+\.md$"));
static TITLE: LazyLock<Regex> = LazyLock::new(|| js(r"^D(\d+)(?:$|[\s:：])"));

/// Larger numbers are none: the counter of the registry cannot hold them.
const LARGEST: u64 = 1 << 53;

fn number_of(pattern: &Regex, text: &str) -> Option<u64> {
    let number = pattern.captures(text)?[1].parse().ok()?;
    (number < LARGEST).then_some(number)
}

/// The file name of a decision record with another id in it; none if it is not named like the record of `from`.
pub fn renumbered_record(name: &str, from: &str, to: &str) -> Option<String> {
    let digits = FILE.captures(name)?.get(1)?;
    let is_it = from.strip_prefix('D') == Some(digits.as_str());
    let number = to.strip_prefix('D').filter(|_| is_it)?;
    Some(format!(
        "{}{number}{}",
        &name[..digits.start()],
        &name[digits.end()..]
    ))
}

/// Names in order, D99 before D100.
fn by_name(name: &str) -> (&str, Option<u64>, &str) {
    let digits = FILE.captures(name).and_then(|found| found.get(1));
    (
        &name[..digits.map_or(0, |d| d.start())],
        number_of(&FILE, name),
        name,
    )
}

/// Checks that new decision records are numbered on from the last one, and sets the counter behind them. Files below
/// `decisions` that are not named like a record are none.
pub(super) fn number(
    deltas: &[&Delta],
    now: &dyn Tree,
    next_id: Option<u64>,
    plan: &mut MergePlan,
) -> Result<(), ReadError> {
    let mut new: Vec<&Delta> = Vec::new();
    for delta in deltas {
        let is_record = delta.category == Some("decisions") && FILE.is_match(&decode(delta.path.name()));
        if let Some(target) = delta.target.as_ref().filter(|_| is_record)
            && now.entry(target)?.is_none()
        {
            new.push(delta);
        }
    }
    if new.is_empty() {
        return Ok(());
    }
    new.sort_by(|a, b| {
        let (a, b) = (decode(a.path.name()), decode(b.path.name()));
        by_name(&a).cmp(&by_name(&b))
    });
    let mut largest = 0;
    let decisions = crate::files::RepoPath::of(layout::DECISIONS);
    for path in walk(now, &decisions)? {
        largest = largest.max(number_of(&FILE, &decode(path.name())).unwrap_or(0));
    }
    let first = next_id.unwrap_or(1).max(largest + 1);
    for (expected, delta) in (first..).zip(&new) {
        let target = delta.target.as_ref().expect("a new document is a target");
        let in_name = number_of(&FILE, &decode(target.name()));
        let edit = plan.edits.iter().find(|e| e.document == *target);
        // One that is refused for another reason takes its number all the same.
        let Some(text) = edit.and_then(|e| e.new.clone()) else {
            continue;
        };
        let title = Document::scan(text)
            .headings()
            .first()
            .map(|h| h.title.clone())
            .unwrap_or_default();
        let in_title = number_of(&TITLE, &title);
        if in_name != Some(expected) || in_title != Some(expected) {
            plan.conflicts.push(Conflict {
                at: Some(Location::file(&delta.path)),
                hint: Hint::Decision(expected),
                ..Conflict::of_file(ConflictCode::DecisionNumberMismatch, target)
            });
        }
    }
    plan.next_decision = Some(first + new.len() as u64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::renumbered_record;

    #[test]
    fn only_the_number_of_the_record_changes() {
        let name = |name: &str| renumbered_record(name, "D02", "D10");
        assert_eq!(name("D02-D02-why.md").as_deref(), Some("D10-D02-why.md"));
        assert_eq!(name("core-D02-why.md").as_deref(), Some("core-D10-why.md"));
        for other in ["D2-why.md", "D021-why.md", "why-D02.md", "D02.md"] {
            assert_eq!(name(other), None, "{other}");
        }
    }
}
