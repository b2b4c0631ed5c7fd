//! The checks L1 to L8 over a change, the warnings, and their order (change.md parts 2 to 4). Writes nothing.

mod code;
pub mod fix;
mod l3;
mod l8;
mod places;
mod target;
mod warnings;
mod words;

pub use code::Code;
pub use target::{Error, Target};
pub use words::Message;

use crate::change::base::{BaseError, BaseTree};
use crate::change::{Change, Validity, facts, headings, ui};
use crate::files::{ObjectId, ReadError, RepoPath, Tree};
use crate::finding::{Finding, Location, Severity};
use crate::git::{MergeFile, Repository};
use crate::merge::{self, MergePlan};
use crate::project::Registry;
use crate::text::utf16_cmp;

/// A violation: its code, and the finding that shows it.
#[derive(Debug)]
pub struct Violation {
    pub code: Code,
    pub finding: Finding,
}

/// What lint says of a change.
#[derive(Debug)]
pub struct Verdict {
    pub slug: String,
    /// Whether L7 was asked at all.
    pub gui: bool,
    /// By check, then path, then order of detection.
    pub violations: Vec<Violation>,
    /// By code, then message in English.
    pub warnings: Vec<Finding>,
    /// Numbers for people: section deltas that L4 looked at, entries that merge takes, entries that L6 refuses.
    pub section_deltas: usize,
    pub mergeable: usize,
    pub invalid: usize,
}

impl Verdict {
    pub fn passes(&self) -> bool {
        self.violations.is_empty()
    }
}

/// The violations as they are found; sorted once, at the end.
struct Findings {
    found: Vec<Violation>,
}

impl Findings {
    fn add(&mut self, code: Code, at: Location, message: Message) {
        let finding = Finding {
            code: code.as_str(),
            severity: Severity::Error,
            at,
            message: Box::new(message.clone()),
            fix: Some(Box::new(words::Fix(message))),
        };
        self.found.push(Violation { code, finding });
    }
}

/// Finds the base of a change from a commit backwards, plans its merge, and judges it. `checked_out` reads the base as
/// the work tree would hold it.
pub fn judge(
    target: &Target,
    repository: Option<&Repository>,
    prefix: &RepoPath,
    tree: &dyn Tree,
    start: Option<ObjectId>,
    checked_out: bool,
) -> Result<Verdict, Error> {
    let slug = target.change.folder.slug.as_str();
    let mut problem = None;
    let base = if target.change.counting().next().is_none() {
        BaseTree::none()
    } else {
        match BaseTree::find(repository, prefix, start, slug, None, checked_out) {
            Ok(base) => base,
            Err(BaseError::Unavailable(why)) => {
                problem = Some(why.to_string());
                BaseTree::none()
            }
            Err(BaseError::Git(e)) => return Err(e.into()),
        }
    };
    let next_decision = Registry::load(tree)?.decision_next;
    let plan = merge::plan(&target.change, base.as_tree(), tree, &MergeFile, next_decision)?;
    Ok(run(target, tree, &plan, problem)?)
}

/// Judges a change. L8 and the `merge_*` warnings come from the plan of its merge.
///
/// # Errors
/// If a document that a check needs cannot be read.
pub fn run(
    target: &Target,
    tree: &dyn Tree,
    plan: &MergePlan,
    base_problem: Option<String>,
) -> Result<Verdict, ReadError> {
    let change = &target.change;
    let mut findings = Findings { found: Vec::new() };
    check_tasks(target, tree, &mut findings)?;
    check_sections(change, &mut findings);
    check_deployment(target, &mut findings);
    check_places(change, &mut findings);
    if target.gui {
        let folder = &change.folder.path;
        if let Some(problem) = ui::check_document(tree, folder, change.proposal.document())?.problem() {
            let at = places::proposal(
                target,
                target.change.proposal.heading_line(&headings::UI_DECLARATION),
            );
            findings.add(Code::Ui(problem.finding), at, Message::Ui(problem.clone()));
        }
    }
    l8::check(target, plan, &mut findings);
    let mut violations = findings.found;
    // Stable: what was found earlier within a check and path stays earlier.
    violations.sort_by(|a, b| {
        let key = |v: &Violation| v.code.check();
        key(a)
            .cmp(&key(b))
            .then_with(|| utf16_cmp(&a.finding.at.path.text(), &b.finding.at.path.text()))
    });
    let warnings = warnings::collect(target, plan, &violations, base_problem);
    let counts =
        |test: &dyn Fn(&crate::change::Delta) -> bool| change.deltas.iter().filter(|d| test(d)).count();
    Ok(Verdict {
        slug: change.folder.slug.as_str().to_owned(),
        gui: target.gui,
        violations,
        warnings,
        section_deltas: counts(&|d| d.counts() && d.sections().is_some()),
        mergeable: counts(&|d| d.mergeable),
        invalid: counts(&|d| d.validity == Validity::Invalid),
    })
}

/// What L4 and L6 find: what merge refuses whatever else is true of the change.
pub fn delta_findings(change: &Change) -> Vec<Violation> {
    let mut findings = Findings { found: Vec::new() };
    check_sections(change, &mut findings);
    check_places(change, &mut findings);
    findings.found
}

/// L1 to L3.
fn check_tasks(target: &Target, tree: &dyn Tree, findings: &mut Findings) -> Result<(), ReadError> {
    let change = &target.change;
    let required = facts::code_required(change);
    if change.tasks.is_null() {
        findings.add(
            Code::TasksSectionsUnparsable,
            places::tasks(target),
            Message::TasksUnparsable,
        );
    } else if required && change.tasks.section("code").is_none() {
        findings.add(
            Code::TasksCodeHeaderMissing,
            places::tasks(target),
            Message::CodeHeaderMissing,
        );
    }
    if required {
        l3::check(target, tree, findings)?;
    }
    Ok(())
}

/// L4.
fn check_sections(change: &Change, findings: &mut Findings) {
    for delta in change.counting() {
        let Some(sections) = delta.sections() else {
            continue;
        };
        if !sections.has_section_marker() {
            findings.add(
                Code::DeltaMissingSectionMarker,
                Location::file(&delta.path),
                Message::MarkerMissing,
            );
        }
        if let Some(&line) = sections.template_lines.first() {
            let at = Location::line(&delta.path, line + 1, sections.document.raw(line));
            findings.add(Code::DeltaTemplateSkeleton, at, Message::TemplateLeft);
        }
    }
}

/// L5.
fn check_deployment(target: &Target, findings: &mut Findings) {
    let has_section = target.change.tasks.section("deploy").is_some();
    if let Some(required) = target
        .change
        .proposal
        .deployment_required()
        .filter(|required| *required != has_section)
    {
        let at = places::proposal(target, target.change.proposal.heading_line(&headings::DEPLOYMENT));
        findings.add(
            Code::DeploymentDecisionConflict,
            at,
            Message::DeploymentConflict { required },
        );
    }
}

/// L6.
fn check_places(change: &Change, findings: &mut Findings) {
    for delta in change.deltas.iter().filter(|d| d.validity == Validity::Invalid) {
        findings.add(
            Code::DeltaPathInvalid,
            Location::file(&delta.path),
            Message::PathInvalid,
        );
    }
}
