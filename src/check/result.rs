//! What a tree is, whatever led to it: lint of its open changes, ids, conflict marks, registry (git.md 2.4).

use rayon::prelude::*;

use super::definitions;
use super::rules::{ARTIFACT_UNREADABLE, CONFLICT_MARKS, MODULE_UNRESOLVED, REGISTRY_UNREADABLE};
use super::step::Touched;
use super::words::Message;
use super::{About, Error, Found, Policy, Report};
use crate::change::provenance::PLAN_APPROVED;
use crate::change::{Change, ChangeFolder, gate};
use crate::files::{ObjectId, RepoPath, Tree, regular_content, walk};
use crate::finding::{Finding, SourceLine};
use crate::git::Repository;
use crate::lint::{self, Target, Verdict};
use crate::markdown::Document;
use crate::merge::{ConflictCode, MergePlan};
use crate::project::{Registry, layout};

/// A project to judge.
pub(super) struct Scope<'r> {
    pub(super) repository: &'r Repository,
    /// Its prefix.
    pub(super) project: &'r RepoPath,
    pub(super) tree: &'r dyn Tree,
    /// The project before.
    pub(super) before: &'r dyn Tree,
    /// From where bases are looked for; none is HEAD.
    pub(super) commit: Option<ObjectId>,
    /// What differs; none if everything is to be judged.
    pub(super) touched: Option<&'r Touched>,
}

impl Scope<'_> {
    pub(super) fn is_touched(&self, path: &RepoPath) -> bool {
        self.touched.is_none_or(|touched| touched.contains_key(path))
    }

    fn is_touched_below(&self, folder: &RepoPath) -> bool {
        let begins = |touched: &Touched| {
            let next = touched.range(folder.clone()..).find(|(path, _)| *path != folder);
            next.is_some_and(|(path, _)| path.starts_with(folder))
        };
        self.touched.is_none_or(begins)
    }

    /// The paths that differ and are there; without a difference the documents and open changes.
    fn paths(&self) -> Result<Vec<RepoPath>, Error> {
        if let Some(touched) = self.touched {
            let there = touched
                .iter()
                .filter(|(_, (_, new))| new.is_some_and(|new| new.mode.is_regular()));
            return Ok(there.map(|(path, _)| path.clone()).collect());
        }
        let mut out = vec![layout::registry(), layout::config()];
        out.extend(walk(self.tree, &layout::resources())?);
        for change in ChangeFolder::list(self.tree)? {
            out.extend(walk(self.tree, &change.path)?);
        }
        Ok(out)
    }
}

/// Judges the result in one project.
pub(super) fn judge(scope: &Scope<'_>, policy: &Policy) -> Result<Vec<Found>, Error> {
    let mut report = Report::new(policy, None, scope.project);
    let folders = ChangeFolder::list(scope.tree)?;
    let (touched, others): (Vec<_>, Vec<_>) = folders
        .into_iter()
        .partition(|folder| scope.is_touched_below(&folder.path));
    let verdicts: Vec<(ChangeFolder, Result<Linted, lint::Error>)> = touched
        .into_par_iter()
        .map(|folder| {
            let linted = lint_one(scope, &folder);
            (folder, linted)
        })
        .collect();
    let mut open = Vec::new();
    for (folder, linted) in verdicts {
        match linted {
            Ok(linted) => {
                add_verdict(&folder, linted.verdict, linted.draft, linted.merged, &mut report);
                open.push(linted.change);
            }
            Err(error) => add_failure(&folder, error, &mut report)?,
        }
    }
    definitions::judge(scope, &open, others, policy, &mut report)?;
    judge_marks(scope, &mut report)?;
    judge_registry(scope, &mut report)?;
    Ok(report.found)
}

struct Linted {
    verdict: Verdict,
    change: Change,
    draft: bool,
    merged: bool,
}

fn lint_one(scope: &Scope<'_>, folder: &ChangeFolder) -> Result<Linted, lint::Error> {
    let tree = scope.tree;
    // As if it were named: a folder that leads out of the project is not read.
    let folder = gate::folder(tree, Some(folder.slug.as_str()))?;
    let target = Target::read(tree, tree, folder)?;
    let merged = target.change.is_merged();
    let verdict = if merged {
        lint::run(&target, tree, &MergePlan::default(), None)?
    } else {
        let repository = Some(scope.repository);
        lint::judge(&target, repository, scope.project, tree, scope.commit, false)?
    };
    let approved = tree.exists(&target.change.folder.path.join(PLAN_APPROVED))?;
    Ok(Linted {
        verdict,
        change: target.change,
        draft: !approved && !merged,
        merged,
    })
}

/// Of a merged change its anchors may be gone by its own merge, and nothing warns of a merge that is done.
fn add_verdict(folder: &ChangeFolder, verdict: Verdict, draft: bool, merged: bool, report: &mut Report<'_>) {
    const OF_MERGED: [u8; 5] = [1, 2, 3, 5, 7];
    let change = || Some(folder.slug.as_str().to_owned());
    for violation in verdict.violations {
        let forgiven = OF_MERGED.contains(&violation.code.check());
        if forgiven || !merged {
            add_finding(violation.finding, change(), draft && forgiven, report);
        }
    }
    let told_elsewhere = ConflictCode::IdTaken.as_warning();
    for warning in verdict
        .warnings
        .into_iter()
        .filter(|warning| !merged && warning.code != told_elsewhere)
    {
        add_finding(warning, change(), false, report);
    }
}

fn add_finding(finding: Finding, change: Option<String>, draft: bool, report: &mut Report<'_>) {
    let about = About {
        line: finding.at.line,
        change,
        item: None,
        draft,
    };
    report.add_said(
        finding.code,
        &finding.at.path,
        finding.message,
        finding.fix,
        about,
    );
}

/// A change that could not be judged keeps nobody from judging the others.
fn add_failure(folder: &ChangeFolder, error: lint::Error, report: &mut Report<'_>) -> Result<(), Error> {
    use crate::voice::Fail;
    let code = match (&error, error.code()) {
        (lint::Error::ModuleUnresolved { .. }, _) => MODULE_UNRESOLVED,
        (_, "artifact_unreadable" | "invalid_slug" | "change_not_found") => ARTIFACT_UNREADABLE,
        // Git could not answer: then nothing is known.
        _ => return Err(error.into()),
    };
    let about = About {
        change: Some(folder.slug.as_str().to_owned()),
        ..About::default()
    };
    let path = folder.path.join("proposal.md");
    report.add_said(code, &path, Box::new(error), None, about);
    Ok(())
}

fn judge_marks(scope: &Scope<'_>, report: &mut Report<'_>) -> Result<(), Error> {
    let roots = [RepoPath::of("logos"), RepoPath::of(".planning")];
    let mut paths = scope.paths()?;
    paths.retain(|path| roots.iter().any(|root| path.starts_with(root)));
    let found: Vec<(RepoPath, SourceLine)> = paths
        .into_par_iter()
        .map(|path| Ok(left_marks(scope.tree, &path)?.map(|line| (path, line))))
        .collect::<Result<Vec<_>, Error>>()?
        .into_iter()
        .flatten()
        .collect();
    for (path, line) in found {
        let about = About {
            line: Some(line),
            ..About::default()
        };
        report.add(CONFLICT_MARKS, &path, Message::ConflictMarks, about);
    }
    Ok(())
}

/// The first of git's conflict marks in a file, outside fences and comments.
fn left_marks(tree: &dyn Tree, path: &RepoPath) -> Result<Option<SourceLine>, Error> {
    use bstr::ByteSlice;
    const MARKS: [&str; 2] = ["<<<<<<<", ">>>>>>>"];
    let bytes = regular_content(tree, path)?.unwrap_or_default();
    if !MARKS.iter().all(|mark| bytes.contains_str(mark)) {
        return Ok(None);
    }
    let document = Document::scan(bytes);
    let is = |text: &str, mark: &str| {
        text.strip_prefix(mark)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let mut lines = document.unmasked(document.all_lines());
    let Some((at, text)) = lines.find(|(_, text)| is(text, MARKS[0])) else {
        return Ok(None);
    };
    let line = SourceLine::new(at + 1, text);
    Ok(lines.any(|(_, text)| is(&text, MARKS[1])).then_some(line))
}

fn judge_registry(scope: &Scope<'_>, report: &mut Report<'_>) -> Result<(), Error> {
    let path = layout::registry();
    if !scope.is_touched(&path) {
        return Ok(());
    }
    if let Some(damage) = Registry::load(scope.tree)?.diagnostics {
        let message = Message::RegistryUnreadable(damage.error.to_string());
        report.add(REGISTRY_UNREADABLE, &path, message, About::default());
    }
    Ok(())
}
