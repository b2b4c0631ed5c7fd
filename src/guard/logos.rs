//! The rules of a project with changes (logos-project.md 13): outside a change, and before a plan is approved, what is
//! bound to the process is not to be written.

use super::writes::{Writes, looks_like_writing, writes};
use crate::change::provenance::PLAN_APPROVED;
use crate::files::{Kind, ReadError, RepoPath, Tree};
use crate::project::{ConfigFile, Guard, Registry, layout};

/// A call of a tool, as far as the rules look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Files that are written.
    Write(Vec<String>),
    Shell(String),
    /// Another tool, or nothing to judge.
    Other,
}

/// Where a path leads, links resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Inside(RepoPath),
    Outside,
}

/// What is decided, and by which row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    /// The row.
    pub rule: Rule,
    /// The path or command that was judged last.
    pub subject: Option<String>,
    /// The change whose plan is not approved yet.
    pub change: Option<String>,
}

/// The rows of the table, by what they look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    NotInitialised,
    NothingLaunched,
    OtherTool,
    PlanNotApproved,
    ActiveChange,
    AlwaysAllowed,
    NoActiveChange,
    CommandReads,
    CommandUnreadable,
}

impl Rule {
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotInitialised => "not_initialised",
            Self::NothingLaunched => "nothing_launched",
            Self::OtherTool => "other_tool",
            Self::PlanNotApproved => "plan_not_approved",
            Self::ActiveChange => "active_change",
            Self::AlwaysAllowed => "always_allowed",
            Self::NoActiveChange => "no_active_change",
            Self::CommandReads => "command_reads",
            Self::CommandUnreadable => "command_unreadable",
        }
    }
}

/// Folders below which everything is always allowed.
const OPEN_FOLDERS: [&str; 7] = [
    "logos/changes",
    "logos/skills",
    "logos/spec",
    ".claude",
    ".opencode",
    ".codex-plugin",
    ".cursor",
];
/// Files that are always allowed.
const OPEN_FILES: [&str; 7] = [
    "logos/.openlogos-guard",
    "logos/logos-project.yaml",
    ".gitignore",
    "README.md",
    "CLAUDE.md",
    "AGENTS.md",
    "opencode.json",
];
/// Prototypes are drawn before the plan is approved: they are what is approved.
const PROTOTYPES: &str = "prd/2-product-design/2-page-design";

/// Judges a call in a project. `place` resolves a path of the call.
pub fn judge(tree: &dyn Tree, call: &Call, place: &dyn Fn(&str) -> Place) -> Result<Decision, ReadError> {
    if matches!(ConfigFile::load(tree)?, ConfigFile::Missing) {
        return Ok(allow(Rule::NotInitialised, None));
    }
    let registry = Registry::load(tree)?;
    if !registry.registered().iter().any(|module| module.launched) {
        return Ok(allow(Rule::NothingLaunched, None));
    }
    let paths = match call {
        Call::Other => return Ok(allow(Rule::OtherTool, None)),
        Call::Write(paths) => paths.as_slice(),
        Call::Shell(_) => &[],
    };
    if let Some(change) = active_change(tree)? {
        if !tree.exists(&change.join(PLAN_APPROVED))? {
            for path in paths {
                if is_early_delta(&place(path), &change) {
                    return Ok(Decision {
                        allowed: false,
                        rule: Rule::PlanNotApproved,
                        subject: Some(path.clone()),
                        change: Some(change.name().to_string()),
                    });
                }
            }
        }
        return Ok(allow(Rule::ActiveChange, None));
    }
    Ok(match call {
        Call::Shell(line) => judge_line(line, place),
        Call::Write(_) | Call::Other => judge_paths(paths, place),
    })
}

const fn allow(rule: Rule, subject: Option<String>) -> Decision {
    Decision {
        allowed: true,
        rule,
        subject,
        change: None,
    }
}

fn block(rule: Rule, subject: &str) -> Decision {
    Decision {
        allowed: false,
        rule,
        subject: Some(subject.to_owned()),
        change: None,
    }
}

/// The folder of the active change, if there is one.
fn active_change(tree: &dyn Tree) -> Result<Option<RepoPath>, ReadError> {
    let Some(slug) = Guard::load(tree).active_slug() else {
        return Ok(None);
    };
    let folder = layout::change(&slug);
    let archived = tree.exists(&layout::archive().join(slug.as_str()))?;
    let is_there = tree.entry(&folder)?.is_some_and(|entry| entry.kind == Kind::Dir);
    Ok((is_there && !archived).then_some(folder))
}

fn is_early_delta(place: &Place, change: &RepoPath) -> bool {
    let Place::Inside(path) = place else { return false };
    let Some(inner) = path
        .strip_prefix(&change.join("deltas"))
        .filter(|inner| !inner.is_root())
    else {
        return false;
    };
    let is_prototype = inner.starts_with(&RepoPath::of(PROTOTYPES)) && inner.has_extension("html");
    !is_prototype
}

fn is_always_allowed(place: &Place) -> bool {
    let Place::Inside(path) = place else { return false };
    let is_below = |folder: &&str| {
        path.strip_prefix(&RepoPath::of(folder))
            .is_some_and(|inner| !inner.is_root())
    };
    let is_file = |file: &&str| path.as_bytes() == file.as_bytes();
    let text = path.text();
    let is_translation = text
        .strip_prefix("README.")
        .and_then(|rest| rest.strip_suffix(".md"))
        .is_some_and(|language| !language.is_empty() && !language.contains('/'));
    OPEN_FOLDERS.iter().any(is_below) || OPEN_FILES.iter().any(is_file) || is_translation
}

fn judge_paths(paths: &[String], place: &dyn Fn(&str) -> Place) -> Decision {
    match paths.iter().find(|path| !is_always_allowed(&place(path))) {
        Some(path) => block(Rule::NoActiveChange, path),
        None => allow(Rule::AlwaysAllowed, paths.last().cloned()),
    }
}

fn judge_line(line: &str, place: &dyn Fn(&str) -> Place) -> Decision {
    match writes(line) {
        Ok(Writes::Nothing) => allow(Rule::CommandReads, Some(line.to_owned())),
        Ok(Writes::Targets(targets)) if targets.iter().all(|path| is_always_allowed(&place(path))) => {
            allow(Rule::AlwaysAllowed, Some(line.to_owned()))
        }
        Ok(Writes::Targets(_) | Writes::Unknown) => block(Rule::NoActiveChange, line),
        // No shell would run it either; what it looks like decides.
        Err(_) if looks_like_writing(line) => block(Rule::CommandUnreadable, line),
        Err(_) => allow(Rule::CommandUnreadable, Some(line.to_owned())),
    }
}
