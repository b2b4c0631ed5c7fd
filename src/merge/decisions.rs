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

/// Files below `decisions` that are not named like a record are none. Checks that new decision records are numbered on from the last one, and sets the counter behind them.
pub(super) fn number(
    deltas: &[&Delta],
    now: &dyn Tree,
    next_id: Option<u64>,
    plan: &mut MergePlan,
) -> Result<(), ReadError> {
    let is_new = |delta: &&&Delta| {
        delta.category == Some("decisions")
            && FILE.is_match(&decode(delta.path.name()))
            && plan
                .edits
                .iter()
                .any(|e| e.old.is_none() && Some(&e.document) == delta.target.as_ref())
    };
    let mut new: Vec<&Delta> = deltas.iter().filter(is_new).copied().collect();
    if new.is_empty() {
        return Ok(());
    }
    new.sort_by(|a, b| a.path.name().cmp(b.path.name()));
    let mut largest = 0;
    let decisions = crate::files::RepoPath::of(layout::DECISIONS);
    for path in walk(now, &decisions)? {
        let number = FILE
            .captures(&decode(path.name()))
            .and_then(|found| found[1].parse::<u64>().ok());
        largest = largest.max(number.unwrap_or(0));
    }
    let first = next_id.unwrap_or(1).max(largest + 1);
    for (expected, delta) in (first..).zip(&new) {
        let target = delta.target.as_ref().expect("a new document is a target");
        let in_name = FILE
            .captures(&decode(target.name()))
            .and_then(|found| found[1].parse::<u64>().ok());
        let edit = plan.edits.iter().find(|e| e.document == *target);
        let text = edit.and_then(|e| e.new.clone()).unwrap_or_default();
        let title = Document::scan(text)
            .headings()
            .first()
            .map(|h| h.title.clone())
            .unwrap_or_default();
        let in_title = TITLE
            .captures(&title)
            .and_then(|found| found[1].parse::<u64>().ok());
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
