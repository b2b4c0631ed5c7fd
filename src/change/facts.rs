//! Facts of a change that lint and the flow read alike, each from one place (change.md L2 and L3).

use std::cell::OnceCell;
use std::convert::Infallible;
use std::sync::LazyLock;

use bstr::ByteSlice;
use regex::Regex;

use super::deltas::CATEGORIES;
use super::provenance::PLAN_APPROVED;
use super::{Change, ChangeFolder, MERGED, Proposal, SPEC_MERGED, Tasks, evidence};
use crate::files::{ReadError, RepoPath, Resolved, Tree};
use crate::ids;
use crate::project::{Slug, layout, listing};
use crate::text::{decode, js};

/// The marker of the slice gate.
pub const SLICES_APPROVED: &str = "SLICES_APPROVED";

static NO_CODE: LazyLock<Regex> = LazyLock::new(|| {
    js(
        r"无需代码|无代码|纯文档|不涉及代码|(?i-u:no)\s+(?i-u:code)|(?i-u:docs-only)|(?i-u:documentation-only)",
    )
});
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    js(
        r"代码级|(?i-u:code-level)|(?i-u:code)\s+(?i-u:level)|业务代码|实现代码|代码实现|(?i-u:runner)|(?i-u:reporter)",
    )
});
static TEST_DELTAS: LazyLock<Regex> = LazyLock::new(|| js(r"\bdeltas/test/"));

/// Where a change stands, as far as its evidence of tests goes (change.md L3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Plan,
    SpecComplete,
    Slice,
}

/// Whether the change needs code: its tasks say so, its tests do, or its proposal's words.
pub fn code_required(change: &Change) -> bool {
    let tested = || Ok::<_, Infallible>(change.test_texts().any(mentions_test_id));
    let Ok(required) = needs_code(&change.tasks, &change.proposal, tested);
    required
}

/// The rule of [`code_required`]; `tested` tells whether a file below `deltas/test/` mentions a test id.
fn needs_code<E>(
    tasks: &Tasks,
    proposal: &Proposal,
    tested: impl FnOnce() -> Result<bool, E>,
) -> Result<bool, E> {
    if tasks.section("code").is_some() {
        return Ok(true);
    }
    let text = tasks.text();
    if (TEST_DELTAS.is_match(&text) && ids::mentions_test_id(&text)) || tested()? {
        return Ok(true);
    }
    let proposal = decode(proposal.bytes());
    Ok(!NO_CODE.is_match(&proposal) && CODE.is_match(&proposal))
}

fn mentions_test_id(bytes: &[u8]) -> bool {
    ids::mentions_test_id(&decode(bytes))
}

/// The stage that decides which evidence counts.
pub fn stage(change: &Change) -> Stage {
    if change.is_merged() {
        return Stage::Slice;
    }
    let Some(section) = change.tasks.section("delta") else {
        return Stage::Plan;
    };
    let mut delta_items = section
        .items
        .iter()
        .filter(|i| i.text.contains("deltas/"))
        .peekable();
    if delta_items.peek().is_some() && delta_items.all(|i| i.checked) {
        Stage::SpecComplete
    } else {
        Stage::Plan
    }
}

/// What the flow asks of a change (flow.md 7 to 10), each fact from one place. The folder may be missing. Contents of
/// deltas are read only where a fact needs them.
pub struct Facts<'t> {
    tree: &'t dyn Tree,
    pub slug: Slug,
    /// Where its folder is, or would be.
    pub path: RepoPath,
    /// None if the folder is missing, or leads out of `logos/changes`.
    folder: Option<ChangeFolder>,
    pub has_proposal: bool,
    pub has_tasks: bool,
    pub proposal: Proposal,
    pub tasks: Tasks,
    /// Files below `deltas/` in its categories, relative to it (flow.md 7.4); hidden ones count.
    pub deltas: Vec<RepoPath>,
    pub code_required: bool,
    /// `SPEC_MERGED` or `MERGED` is there.
    pub spec_complete: bool,
    pub plan_approved: bool,
    pub slices_approved: bool,
    pub verify_pass: bool,
    /// The proposal is no longer the template's (flow.md 7.2).
    pub proposal_filled: bool,
    /// Nor are the tasks (flow.md 7.3).
    pub tasks_filled: bool,
    evident: OnceCell<bool>,
    archived: OnceCell<bool>,
}

impl<'t> Facts<'t> {
    pub fn read(tree: &'t dyn Tree, slug: &Slug) -> Result<Self, ReadError> {
        let folder = ChangeFolder::find(tree, slug.as_str())?.ok();
        let path = layout::change(slug);
        let there = |name: &str| Ok(folder.is_some() && tree.exists(&path.join(name))?);
        let read = |name: &str| -> Result<_, ReadError> {
            Ok(match &folder {
                Some(_) => tree.read(&path.join(name))?.unwrap_or_default(),
                None => Vec::new(),
            })
        };
        let proposal = Proposal::read(read("proposal.md")?);
        let tasks = Tasks::read(read("tasks.md")?);
        let root = path.join("deltas");
        let deltas = match &folder {
            Some(_) => delta_files(tree, &root)?,
            None => Vec::new(),
        };
        let tested = || {
            let test = RepoPath::of("test");
            for file in deltas.iter().filter(|file| file.starts_with(&test)) {
                let file = file.below(&root);
                // What a link leads to outside the project is not opened.
                let inside = matches!(tree.resolve(&file)?, Resolved::Inside { .. });
                if inside && tree.read(&file)?.is_some_and(|text| mentions_test_id(&text)) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let code_required = needs_code(&tasks, &proposal, tested)?;
        Ok(Self {
            has_proposal: there("proposal.md")?,
            has_tasks: there("tasks.md")?,
            spec_complete: there(SPEC_MERGED)? || there(MERGED)?,
            plan_approved: there(PLAN_APPROVED)?,
            slices_approved: there(SLICES_APPROVED)?,
            verify_pass: there("VERIFY_PASS")?,
            proposal_filled: proposal.is_filled(),
            tasks_filled: tasks.is_filled(),
            tree,
            slug: slug.clone(),
            path,
            folder,
            proposal,
            tasks,
            deltas,
            code_required,
            evident: OnceCell::new(),
            archived: OnceCell::new(),
        })
    }

    pub fn tree(&self) -> &'t dyn Tree {
        self.tree
    }

    /// Whether its folder is there.
    pub fn exists(&self) -> bool {
        self.folder.is_some()
    }

    /// Whether something of this name is in the folder. A name that is no path inside it is not.
    pub fn has_marker(&self, name: &str) -> Result<bool, ReadError> {
        match (&self.folder, RepoPath::normalised(name)) {
            (Some(_), Some(name)) if !name.is_root() => self.tree.exists(&name.below(&self.path)),
            _ => Ok(false),
        }
    }

    /// Whether real test ids stand behind the change (flow.md 8.4).
    pub fn has_test_ids(&self) -> Result<bool, ReadError> {
        if let Some(known) = self.evident.get() {
            return Ok(*known);
        }
        let evident = match &self.folder {
            Some(folder) => {
                let change = Change::load_rest(self.tree, folder.clone(), self.proposal.clone())?;
                evidence::gather(&change, self.tree)?.is_evident()
            }
            None => false,
        };
        Ok(*self.evident.get_or_init(|| evident))
    }

    /// Whether an archived folder carries the name of the change, stamped or not (flow.md 21 row 7).
    pub fn is_archived(&self) -> Result<bool, ReadError> {
        if let Some(known) = self.archived.get() {
            return Ok(*known);
        }
        let slug = self.slug.as_str().as_bytes();
        let is_of_change = |name: &[u8]| name == slug || name.strip_suffix(slug).is_some_and(is_stamp);
        let found = self.tree.list(&layout::archive())?;
        let archived = found.iter().any(|(name, _)| is_of_change(name));
        Ok(*self.archived.get_or_init(|| archived))
    }

    /// Whether `[delta]` has a task.
    pub fn has_delta_tasks(&self) -> bool {
        self.tasks
            .section("delta")
            .is_some_and(|delta| delta.count.total > 0)
    }
}

/// `YYYYMMDD-HHMM-`.
fn is_stamp(text: &[u8]) -> bool {
    let form = b"00000000-0000-";
    let fits = |(form, byte): (&u8, &u8)| {
        if *form == b'0' {
            byte.is_ascii_digit()
        } else {
            byte == form
        }
    };
    text.len() == form.len() && form.iter().zip(text).all(fits)
}

fn delta_files(tree: &dyn Tree, root: &RepoPath) -> Result<Vec<RepoPath>, ReadError> {
    let known = |file: &RepoPath| {
        let mut parts = file.parts();
        let category = parts.next().unwrap_or_default();
        parts.next().is_some()
            && CATEGORIES
                .iter()
                .any(|(name, _)| category == name.as_bytes().as_bstr())
    };
    let mut files = listing::files(tree, root)?;
    files.retain(known);
    Ok(files)
}
