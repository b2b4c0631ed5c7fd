//! The UI declaration of a proposal and the prototypes it names (change.md L7): judged once, for lint,
//! `check-ui-prototype`, `check-ui-hash-match` and merge.

mod finding;
mod words;

pub use finding::UiFinding;

use std::sync::LazyLock;

use regex::Regex;

use super::headings;
use crate::files::{Digest, Kind, ReadError, RepoPath, Resolved, Tree};
use crate::markdown::Document;
use crate::project::layout;
use crate::text::{decode, is_blank, js, trim};
use crate::yaml::{self, Value};

/// A finding and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UiProblem {
    pub finding: UiFinding,
    /// The prototype, or the parser's words for an unparsable declaration.
    pub subject: Option<String>,
}

impl UiProblem {
    fn of(finding: UiFinding) -> Self {
        Self {
            finding,
            subject: None,
        }
    }

    fn about(finding: UiFinding, subject: &str) -> Self {
        Self {
            finding,
            subject: Some(subject.to_owned()),
        }
    }
}

const DESIGN_SYSTEM: &str = "design-system.json";

/// A declaration that could be read.
#[derive(Clone, Debug, PartialEq)]
pub enum Declaration {
    /// `ui_impact: false`: the rest does not matter.
    NoImpact,
    Impact(Fields),
}

/// The other fields of a declaration with UI impact.
#[derive(Clone, Debug, PartialEq)]
pub struct Fields {
    fields: Value,
}

/// Reads the declaration: the first fence behind the heading, as YAML.
pub fn declaration(proposal: &Document) -> Result<Declaration, UiProblem> {
    let heading = proposal
        .unmasked(proposal.all_lines())
        .find(|(_, text)| headings::UI_DECLARATION.is(trim(text)));
    let (heading, _) = heading.ok_or_else(|| UiProblem::of(UiFinding::DeclarationMissing))?;
    let unparsable = || UiProblem::of(UiFinding::DeclarationUnparsable);
    let next = proposal.headings().iter().find(|h| h.line > heading);
    let end = next.map_or(proposal.line_count(), |h| h.line);
    let fence = (heading + 1..end).find_map(|line| proposal.fence(line));
    let fence = fence.filter(|f| f.closed).ok_or_else(unparsable)?;
    let lines: Vec<&[u8]> = fence.content.map(|line| proposal.line(line)).collect();
    let fields = yaml::parse(&lines.join(&b'\n'))
        .map_err(|e| UiProblem::about(UiFinding::DeclarationUnparsable, &e.to_string()))?;
    if fields.as_map().is_none() {
        return Err(unparsable());
    }
    match fields.get("ui_impact").and_then(Value::as_bool) {
        None => Err(UiProblem::of(UiFinding::ImpactNotBoolean)),
        Some(false) => Ok(Declaration::NoImpact),
        Some(true) => Ok(Declaration::Impact(Fields { fields })),
    }
}

/// Where the design comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DesignSystemMode {
    Generated,
    Fallback,
}

impl DesignSystemMode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Fallback => "fallback",
        }
    }
}

impl Fields {
    fn mode(&self) -> Option<DesignSystemMode> {
        match self.fields.get("design_system_mode")?.as_str()? {
            "generated" => Some(DesignSystemMode::Generated),
            "fallback" => Some(DesignSystemMode::Fallback),
            _ => None,
        }
    }

    /// The prototype of every page, in order; empty where it is no string. Pages that are no mapping do not count.
    pub fn prototypes(&self) -> Vec<&str> {
        let pages = self
            .fields
            .get("pages")
            .and_then(Value::as_list)
            .unwrap_or_default();
        pages
            .iter()
            .filter(|page| page.as_map().is_some())
            .map(|page| page.get("prototype").and_then(Value::as_str).unwrap_or_default())
            .collect()
    }

    fn has_fallback_reason(&self) -> bool {
        let reason = self.fields.get("design_system_fallback_reason");
        reason
            .and_then(Value::as_str)
            .is_some_and(|reason| !is_blank(reason))
    }
}

/// What a change shows: its mode, and its pages with the digests of their prototypes, in the order declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototypes {
    pub mode: DesignSystemMode,
    pub pages: Vec<(String, Digest)>,
}

/// The judgement of L7.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UiVerdict {
    /// Missing, unreadable or undecided declaration: whether there is UI impact is not said.
    Undeclared(UiProblem),
    NoImpact,
    /// Declared, and not kept.
    Broken(UiProblem),
    Kept(Prototypes),
}

impl UiVerdict {
    /// What L7 reports.
    pub fn problem(&self) -> Option<&UiProblem> {
        match self {
            Self::Undeclared(problem) | Self::Broken(problem) => Some(problem),
            Self::NoImpact | Self::Kept(_) => None,
        }
    }

    /// Whether the proposal declares `ui_impact: true`.
    pub fn has_impact(&self) -> bool {
        matches!(self, Self::Broken(_) | Self::Kept(_))
    }
}

/// Judges the declaration of a proposal and the prototypes in its change folder. The first failure counts.
pub fn check(tree: &dyn Tree, change: &RepoPath, proposal: &[u8]) -> Result<UiVerdict, ReadError> {
    check_document(tree, change, &Document::scan(proposal))
}

/// As [`check`], for a proposal that is scanned already.
pub fn check_document(
    tree: &dyn Tree,
    change: &RepoPath,
    proposal: &Document,
) -> Result<UiVerdict, ReadError> {
    Ok(match declaration(proposal) {
        Err(problem) => UiVerdict::Undeclared(problem),
        Ok(Declaration::NoImpact) => UiVerdict::NoImpact,
        Ok(Declaration::Impact(fields)) => match judge(tree, change, &fields)? {
            Ok(prototypes) => UiVerdict::Kept(prototypes),
            Err(problem) => UiVerdict::Broken(problem),
        },
    })
}

type Judged<T> = Result<Result<T, UiProblem>, ReadError>;

/// The nine tests of the table.
fn judge(tree: &dyn Tree, change: &RepoPath, fields: &Fields) -> Judged<Prototypes> {
    let Some(mode) = fields.mode() else {
        return Ok(Err(UiProblem::of(UiFinding::DesignSystemModeInvalid)));
    };
    let prototypes = fields.prototypes();
    if let Err(problem) = judge_names(&prototypes) {
        return Ok(Err(problem));
    }
    let pages = match judge_files(tree, change, &prototypes)? {
        Ok(pages) => pages,
        Err(problem) => return Ok(Err(problem)),
    };
    let design_system = match mode {
        DesignSystemMode::Generated => judge_generated(tree, change)?,
        DesignSystemMode::Fallback => judge_fallback(tree, change, fields)?,
    };
    Ok(match design_system {
        Some(finding) => Err(UiProblem::of(finding)),
        None => Ok(Prototypes { mode, pages }),
    })
}

static BASENAME: LazyLock<Regex> = LazyLock::new(|| js(r"^core-\d+-[a-z0-9]+(?:-[a-z0-9]+)*\.html$"));

/// Whether a name is that of a page prototype.
pub(super) fn is_prototype_basename(name: &str) -> bool {
    BASENAME.is_match(name) && !name.contains("..")
}

fn judge_names(prototypes: &[&str]) -> Result<(), UiProblem> {
    if prototypes.is_empty() {
        return Err(UiProblem::of(UiFinding::NoPagesDeclared));
    }
    for name in prototypes {
        if name.contains("..") {
            return Err(UiProblem::about(UiFinding::PrototypePathTraversal, name));
        }
        if !is_prototype_basename(name) {
            return Err(UiProblem::about(UiFinding::PrototypeBasenameInvalid, name));
        }
    }
    let twice = prototypes
        .iter()
        .enumerate()
        .find(|(at, name)| prototypes[..*at].contains(name));
    twice.map_or(Ok(()), |(_, name)| {
        Err(UiProblem::about(UiFinding::PrototypeBasenameDuplicate, name))
    })
}

fn judge_files(tree: &dyn Tree, change: &RepoPath, prototypes: &[&str]) -> Judged<Vec<(String, Digest)>> {
    let present = prototype_files(tree, change)?;
    let about = |finding, name: &str| Ok(Err(UiProblem::about(finding, name)));
    if let Some(name) = prototypes
        .iter()
        .find(|name| !present.iter().any(|p| p == **name))
    {
        return about(UiFinding::PrototypeMissing, name);
    }
    if let Some(name) = present.iter().find(|name| !prototypes.contains(&name.as_str())) {
        return about(UiFinding::PrototypeExtra, name);
    }
    let mut pages = Vec::with_capacity(prototypes.len());
    for name in prototypes {
        let content = read_prototype(tree, change, name)?;
        if content.is_empty() {
            return about(UiFinding::PrototypeEmpty, name);
        }
        pages.push(((*name).to_owned(), Digest::of(&content)));
    }
    Ok(Ok(pages))
}

/// The content of a prototype; gone since it was listed is empty.
pub(super) fn read_prototype(tree: &dyn Tree, change: &RepoPath, name: &str) -> Result<Vec<u8>, ReadError> {
    let path = change.join(layout::PAGE_DESIGN_DELTAS).join(name);
    Ok(tree.read(&path)?.unwrap_or_default())
}

/// Names of the regular `*.html` files in the page-design folder of a change, sub-folders not looked into. A name that
/// is not UTF-8 cannot be declared; it stands with U+FFFD.
pub fn prototype_files(tree: &dyn Tree, change: &RepoPath) -> Result<Vec<String>, ReadError> {
    let folder = change.join(layout::PAGE_DESIGN_DELTAS);
    let is_dir = match tree.entry(&folder)?.map(|e| e.kind) {
        Some(Kind::Dir) => true,
        // What a link outside the project shows is not of this change.
        Some(Kind::Link) => matches!(tree.resolve(&folder)?, Resolved::Inside { kind: Kind::Dir, .. }),
        Some(Kind::File | Kind::Submodule | Kind::Special) | None => false,
    };
    if !is_dir {
        return Ok(Vec::new());
    }
    let entries = tree.list(&folder)?.into_iter();
    let files = entries.filter(|(name, entry)| entry.kind == Kind::File && name.ends_with(b".html"));
    Ok(files.map(|(name, _)| decode(&name).into_owned()).collect())
}

fn judge_generated(tree: &dyn Tree, change: &RepoPath) -> Result<Option<UiFinding>, ReadError> {
    let Some(content) = tree.read(&change.join(DESIGN_SYSTEM))? else {
        return Ok(Some(UiFinding::DesignSystemMissing));
    };
    Ok(
        match serde_json::from_str::<serde_json::Value>(&decode(&content)) {
            Err(_) => Some(UiFinding::DesignSystemInvalid),
            Ok(value) if value.as_object().is_none_or(serde_json::Map::is_empty) => {
                Some(UiFinding::DesignSystemEmpty)
            }
            Ok(_) => None,
        },
    )
}

fn judge_fallback(
    tree: &dyn Tree,
    change: &RepoPath,
    fields: &Fields,
) -> Result<Option<UiFinding>, ReadError> {
    if !fields.has_fallback_reason() {
        return Ok(Some(UiFinding::FallbackReasonMissing));
    }
    let forged = tree.exists(&change.join(DESIGN_SYSTEM))?;
    Ok(forged.then_some(UiFinding::FallbackTokenForged))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    const HEAD: &str = "# t\n\n## UI/UX 变更声明\n";

    fn read(text: &str) -> Result<Declaration, UiFinding> {
        declaration(&Document::scan(text)).map_err(|p| p.finding)
    }

    #[test]
    fn the_declaration_is_the_first_fence_below_the_first_heading_in_either_language() {
        let none = "```yaml\nui_impact: false\n```\n";
        assert_eq!(read(&format!("{HEAD}{none}")), Ok(Declaration::NoImpact));
        assert_eq!(
            read(&format!(
                "## UI/UX Change Declaration\r\n{}",
                none.replace('\n', "\r\n")
            )),
            Ok(Declaration::NoImpact)
        );
        assert_eq!(read(&format!("  {HEAD}")), Err(UiFinding::DeclarationUnparsable));
        let masked = format!("```\n## UI/UX 变更声明\n```\n<!--\n## UI/UX 变更声明\n-->\n{none}");
        assert_eq!(read(&masked), Err(UiFinding::DeclarationMissing));
        assert_eq!(
            read(&format!("{HEAD}### x\n{none}")),
            Err(UiFinding::DeclarationUnparsable)
        );
        let hidden = format!("{HEAD}<!--\n{none}-->\n    ```\n\n~~~\nui_impact: yes\n~~~\n{none}");
        assert_eq!(read(&hidden), Err(UiFinding::ImpactNotBoolean));
    }

    #[test]
    fn a_fence_that_is_open_no_yaml_or_no_mapping_is_unparsable() {
        for body in [
            "no fence\n",
            "```\nui_impact: false\n",
            "```\nui_impact: false\nui_impact: false\n```\n",
            "```\n- a\n```\n",
            "```\n```\n",
            "```\na: [\n```\n",
        ] {
            assert_eq!(
                read(&format!("{HEAD}{body}")),
                Err(UiFinding::DeclarationUnparsable),
                "{body}"
            );
        }
    }

    const PAGE: &str = "c/deltas/prd/2-product-design/2-page-design/core-01-home.html";

    fn judged(fields: &str, files: &[(&str, &str)]) -> String {
        let proposal = format!("{HEAD}```yaml\nui_impact: true\n{fields}```\n");
        let tree = MemoryTree::new(files.iter().copied());
        match check(&tree, &RepoPath::of("c"), proposal.as_bytes()).expect("memory is readable") {
            UiVerdict::Undeclared(problem) | UiVerdict::Broken(problem) => {
                problem.finding.as_str().to_owned()
            }
            UiVerdict::NoImpact => "no impact".to_owned(),
            UiVerdict::Kept(kept) => format!("{} {}", kept.mode.as_str(), kept.pages.len()),
        }
    }

    #[test]
    fn the_first_test_that_fails_counts() {
        let pages = "pages: [{prototype: core-01-home.html}, text]\n";
        let generated = format!("design_system_mode: generated\n{pages}");
        let fallback = format!("design_system_mode: fallback\n{pages}");
        let system = ("c/design-system.json", r#"{"a":1}"#);
        let extra = "c/deltas/prd/2-product-design/2-page-design/x.html";
        let below = "c/deltas/prd/2-product-design/2-page-design/old/x.html";
        let with = |names: &str| format!("design_system_mode: generated\npages: [{names}]\n");
        for (fields, files, expected) in [
            (pages.to_owned(), vec![], "design_system_mode_invalid"),
            (with("a, b"), vec![], "no_pages_declared"),
            (
                with("{prototype: ../core-01-a.html}"),
                vec![],
                "prototype_path_traversal",
            ),
            (with("{prototype: 7}"), vec![], "prototype_basename_invalid"),
            (
                with("{prototype: core-1-A.html}"),
                vec![],
                "prototype_basename_invalid",
            ),
            (
                with("{prototype: core-1-a.html}, {prototype: core-1-a.html}"),
                vec![],
                "prototype_basename_duplicate",
            ),
            (generated.clone(), vec![], "prototype_missing"),
            (
                generated.clone(),
                vec![(PAGE, "x"), (extra, "x")],
                "prototype_extra",
            ),
            (generated.clone(), vec![(PAGE, "")], "prototype_empty"),
            (generated.clone(), vec![(PAGE, "x")], "design_system_missing"),
            (
                generated.clone(),
                vec![(PAGE, "x"), ("c/design-system.json", "{")],
                "design_system_invalid",
            ),
            (
                generated.clone(),
                vec![(PAGE, "x"), ("c/design-system.json", "{}")],
                "design_system_empty",
            ),
            (
                generated.clone(),
                vec![(PAGE, "x"), system, (below, "x")],
                "generated 1",
            ),
            (fallback.clone(), vec![(PAGE, "x")], "fallback_reason_missing"),
            (
                format!("{fallback}design_system_fallback_reason: why\n"),
                vec![(PAGE, "x"), system],
                "fallback_token_forged",
            ),
            (
                format!("{fallback}design_system_fallback_reason: why\n"),
                vec![(PAGE, "x")],
                "fallback 1",
            ),
        ] {
            assert_eq!(judged(&fields, &files), expected, "{fields}");
        }
    }
}
