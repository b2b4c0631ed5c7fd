//! The warnings channel: what does not fail the change but will bite later (change.md 2.6, part 4 "Warnings", 6.5).

use super::{Code, Target, Violation, words};
use crate::files::RepoPath;
use crate::finding::{Finding, Location, Severity};
use crate::merge::{Conflict, ConflictCode, MergePlan};
use crate::text::utf16_cmp;
use crate::voice::Voice;

const DECISIONS_HEADING: &str = "已确定的设计决策";

pub(super) fn collect(
    target: &Target,
    plan: &MergePlan,
    violations: &[Violation],
    base_problem: Option<String>,
) -> Vec<Finding> {
    let mut out: Vec<Finding> = Vec::new();
    out.extend(undocumented_decisions(target));
    for moved in &plan.moved {
        let message = words::Warning::BaseMoved {
            document: moved.document.clone(),
            anchor: moved.anchor.clone(),
        };
        out.push(warning(
            "delta_base_moved",
            Location::file(&moved.document),
            message,
        ));
    }
    if let Some(problem) = base_problem {
        let at = Location::file(&target.change.folder.path);
        out.push(warning(
            ConflictCode::BaseUnavailable.as_warning(),
            at,
            words::Warning::BaseUnavailable(problem),
        ));
    }
    for conflict in plan.conflicts.iter().filter(|c| is_news(c, violations)) {
        let at = conflict
            .at
            .clone()
            .unwrap_or_else(|| Location::file(&conflict.document));
        out.push(warning(
            conflict.code.as_warning(),
            at,
            words::Warning::Conflict(Box::new(conflict.clone())),
        ));
    }
    let plain = Voice::default();
    out.sort_by(|a, b| {
        a.code
            .cmp(b.code)
            .then_with(|| utf16_cmp(&a.message.say(&plain), &b.message.say(&plain)))
    });
    out
}

fn warning(code: &'static str, at: Location, message: words::Warning) -> Finding {
    let fix = Box::new(words::Cure(message.clone()));
    Finding {
        code,
        severity: Severity::Warning,
        at,
        message: Box::new(message),
        fix: Some(fix),
    }
}

/// A conflict that no violation tells already, of a delta that may be planned at all.
fn is_news(conflict: &Conflict, violations: &[Violation]) -> bool {
    let told = match conflict.code {
        ConflictCode::AnchorUnresolvable
        | ConflictCode::ImplicitIdRemoval
        | ConflictCode::RemovedUnknownId
        | ConflictCode::RemovedUpstream => true,
        ConflictCode::BothChanged
        | ConflictCode::ChangedAndRemoved
        | ConflictCode::AddedTwice
        | ConflictCode::DocumentRemoved
        | ConflictCode::TargetMissing
        | ConflictCode::AddedExists
        | ConflictCode::AddedParentUnresolved
        | ConflictCode::BlockEscapesSection
        | ConflictCode::OverlappingBlocks
        | ConflictCode::ContradictingBlocks
        | ConflictCode::IdTaken
        | ConflictCode::ConflictMarksLeft
        | ConflictCode::BaseUnavailable
        | ConflictCode::DirtyDocument
        | ConflictCode::IdCountMismatch
        | ConflictCode::DecisionNumberMismatch => false,
    };
    let unplanned = |path: &RepoPath| {
        violations.iter().any(|v| {
            matches!(
                v.code,
                Code::DeltaMissingSectionMarker | Code::DeltaTemplateSkeleton | Code::DeltaPathInvalid
            ) && v.finding.at.path == *path
        })
    };
    !told && !conflict.at.as_ref().is_some_and(|at| unplanned(&at.path))
}

/// A proposal that tells decisions which no record will keep.
fn undocumented_decisions(target: &Target) -> Option<Finding> {
    let change = &target.change;
    let document = change.proposal.document();
    let heading = document
        .headings()
        .iter()
        .find(|h| h.title.contains(DECISIONS_HEADING))?;
    // Through the masked lines here, unlike the flow's own reading of tasks.md.
    let tasks = crate::markdown::Document::scan(change.tasks.bytes());
    let planned = change.tasks.section("delta").is_some_and(|section| {
        section
            .items
            .iter()
            .any(|item| item.text.contains("deltas/decisions/") && tasks.text(item.line).is_some())
    });
    let written = change
        .deltas
        .iter()
        .any(|d| d.mergeable && d.category == Some("decisions"));
    if planned || written {
        return None;
    }
    let path = change.folder.path.join("proposal.md");
    let at = Location::line(&path, heading.line + 1, document.raw(heading.line));
    Some(warning(
        "decision_record_section_without_delta",
        at,
        words::Warning::DecisionsWithoutDelta,
    ))
}
