//! L3: a change that needs code must show real test ids (change.md L3).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rayon::prelude::*;
use regex::Regex;

use super::{Code, Findings, Message, Target, places};
use crate::change::facts::{self, Stage};
use crate::change::headings;
use crate::change::{Delta, deltas};
use crate::files::{ReadError, RepoPath, Tree, walk};
use crate::ids;
use crate::markdown::Document;
use crate::project::layout;
use crate::text::{is_blank, js, trim};

static ENTRY: LazyLock<Regex> = LazyLock::new(|| js(r"^-\s+(\S+)\s+—\s+(.+)$"));
static LEVEL_TWO: LazyLock<Regex> = LazyLock::new(|| js(r"^##\s"));

/// What is wrong with a line of the reuse list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReuseFault {
    Syntax,
    Duplicate,
    NotFound,
}

pub(super) fn check(target: &Target, tree: &dyn Tree, findings: &mut Findings) -> Result<(), ReadError> {
    let mut reused = false;
    if let Some(entries) = reuse_list(target) {
        let faults = judge(&entries, tree)?;
        reused = !entries.is_empty() && faults.iter().all(Option::is_none);
        for (entry, fault) in entries.iter().zip(faults) {
            if let Some(fault) = fault {
                let at = places::proposal(target, Some(entry.line));
                let message = Message::ReuseLine {
                    fault,
                    text: entry.text.clone(),
                };
                findings.add(Code::RealTestIdsRequired, at, message);
            }
        }
    }
    let stage = facts::stage(&target.change);
    if !reused && !evidence(target, tree, stage)? {
        findings.add(
            Code::RealTestIdsRequired,
            places::tasks(target),
            Message::NoTestEvidence(stage),
        );
    }
    Ok(())
}

/// A line of the reuse list.
struct Entry {
    line: usize,
    text: String,
    /// The id, if the line has the form.
    id: Option<String>,
}

/// The lines of the reuse list that are neither masked nor blank; none without the list.
fn reuse_list(target: &Target) -> Option<Vec<Entry>> {
    let document = target.change.proposal.document();
    let start = places::heading_line(target, &headings::REUSED_TEST_IDS)?;
    let lines = document.unmasked(start + 1..document.line_count());
    let inside = lines
        .take_while(|(_, text)| !LEVEL_TWO.is_match(text))
        .filter(|(_, text)| !is_blank(text));
    let entry = |(line, text): (usize, std::borrow::Cow<'_, str>)| {
        let text = trim(&text).to_owned();
        let id = ENTRY
            .captures(&text)
            .map(|found| found[1].to_owned())
            .filter(|id| ids::is_test_id(id));
        Entry { line, text, id }
    };
    Some(inside.map(entry).collect())
}

fn judge(entries: &[Entry], tree: &dyn Tree) -> Result<Vec<Option<ReuseFault>>, ReadError> {
    let known = if entries.iter().any(|e| e.id.is_some()) {
        known_ids(tree)?
    } else {
        BTreeSet::new()
    };
    let mut met = BTreeSet::new();
    let fault = |entry: &Entry| match &entry.id {
        None => Some(ReuseFault::Syntax),
        Some(id) if !met.insert(id.clone()) => Some(ReuseFault::Duplicate),
        Some(id) if !known.contains(id) => Some(ReuseFault::NotFound),
        Some(_) => None,
    };
    Ok(entries.iter().map(fault).collect())
}

/// The structured ids of all test documents.
fn known_ids(tree: &dyn Tree) -> Result<BTreeSet<String>, ReadError> {
    let documents: Vec<RepoPath> = walk(tree, &RepoPath::of(layout::TESTS))?
        .into_iter()
        .filter(|p| p.has_extension("md"))
        .collect();
    let lists: Vec<Vec<String>> = documents
        .par_iter()
        .map(|path| ids_of(tree, path))
        .collect::<Result<_, _>>()?;
    Ok(lists.into_iter().flatten().collect())
}

fn ids_of(tree: &dyn Tree, path: &RepoPath) -> Result<Vec<String>, ReadError> {
    let document = Document::scan(tree.read(path)?.unwrap_or_default());
    Ok(ids::test_ids(&document, document.all_lines())
        .into_iter()
        .map(|id| id.id)
        .collect())
}

/// Whether the stage's evidence is there.
fn evidence(target: &Target, tree: &dyn Tree, stage: Stage) -> Result<bool, ReadError> {
    let change = &target.change;
    let tests = || change.counting().filter(|d| d.category == Some("test"));
    match stage {
        Stage::Plan => Ok(match change.tasks.section("delta") {
            Some(section) => section
                .items
                .iter()
                .any(|item| item.text.contains("deltas/test/")),
            None => tests().next().is_some(),
        }),
        Stage::SpecComplete => Ok(tests().any(|d| !ids_in(d).is_empty())),
        Stage::Slice => {
            for target in tests().filter_map(|d| d.target.as_ref()) {
                if tree.is_file(target)? && !ids_of(tree, target)?.is_empty() {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

/// The structured ids of a delta, whatever kind of file it is.
fn ids_in(delta: &Delta) -> Vec<ids::Id> {
    match &delta.content {
        deltas::DeltaContent::Sections(sections) => {
            ids::test_ids(&sections.document, sections.document.all_lines())
        }
        deltas::DeltaContent::WholeFile(bytes) => {
            let document = Document::scan(bytes.clone());
            ids::test_ids(&document, document.all_lines())
        }
        deltas::DeltaContent::Unread => Vec::new(),
    }
}
