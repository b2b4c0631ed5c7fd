//! Evidence of tests: the reuse list of a proposal, and the structured ids that the stage of a change asks for (change.md
//! L3, flow.md 8.4). Lint and the flow read the same.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rayon::prelude::*;
use regex::Regex;

use super::facts::{Stage, stage};
use super::{Change, Delta, DeltaContent, Proposal, headings};
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

/// A line of the reuse list, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReuseEntry {
    /// Index of its line in the proposal.
    pub line: usize,
    /// Trimmed.
    pub text: String,
    /// The id, if the line has the form.
    id: Option<String>,
    pub fault: Option<ReuseFault>,
}

/// What a change shows of its tests.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub stage: Stage,
    /// The reuse list; empty without one.
    pub reused: Vec<ReuseEntry>,
    /// Whether the stage's own evidence is there, or a reuse list that is valid as a whole.
    pub shown: bool,
}

impl Evidence {
    /// Whether real test ids stand behind the change: something is shown, and no line of the reuse list is at fault.
    pub fn is_evident(&self) -> bool {
        self.shown && self.reused.iter().all(|entry| entry.fault.is_none())
    }
}

/// Gathers the evidence of a change.
pub fn gather(change: &Change, tree: &dyn Tree) -> Result<Evidence, ReadError> {
    let mut reused = reuse_list(&change.proposal);
    judge(&mut reused, tree)?;
    let stage = stage(change);
    let valid = !reused.is_empty() && reused.iter().all(|entry| entry.fault.is_none());
    let shown = valid || stage_evidence(change, tree, stage)?;
    Ok(Evidence { stage, reused, shown })
}

/// The lines of the reuse list that are neither masked nor blank, not judged yet.
fn reuse_list(proposal: &Proposal) -> Vec<ReuseEntry> {
    let document = proposal.document();
    let Some(start) = proposal.heading_line(&headings::REUSED_TEST_IDS) else {
        return Vec::new();
    };
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
        ReuseEntry {
            line,
            text,
            id,
            fault: None,
        }
    };
    inside.map(entry).collect()
}

fn judge(entries: &mut [ReuseEntry], tree: &dyn Tree) -> Result<(), ReadError> {
    let known = if entries.iter().any(|e| e.id.is_some()) {
        known_ids(tree)?
    } else {
        BTreeSet::new()
    };
    let mut met = BTreeSet::new();
    for entry in entries {
        entry.fault = match &entry.id {
            None => Some(ReuseFault::Syntax),
            Some(id) if !met.insert(id.clone()) => Some(ReuseFault::Duplicate),
            Some(id) if !known.contains(id) => Some(ReuseFault::NotFound),
            Some(_) => None,
        };
    }
    Ok(())
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
fn stage_evidence(change: &Change, tree: &dyn Tree, stage: Stage) -> Result<bool, ReadError> {
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
        DeltaContent::Sections(sections) => ids::test_ids(&sections.document, sections.document.all_lines()),
        DeltaContent::WholeFile(bytes) => {
            let document = Document::scan(bytes.clone());
            ids::test_ids(&document, document.all_lines())
        }
        DeltaContent::Unread => Vec::new(),
    }
}
