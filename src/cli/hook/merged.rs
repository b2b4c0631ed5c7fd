//! `post-merge`: says what came with a merge, on stderr, and never refuses (git.md 3.1).

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Context, complain};
use super::{Error, asked, in_changes};
use crate::change::marks::{Place, newly_merged};
use crate::check::Range;
use crate::check::rules::{ID_DUPLICATE, ID_TAKEN};
use crate::files::{ObjectId, RepoPath, Tree};
use crate::git::{NameStatusOptions, Renames, Repository};
use crate::project::layout;
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say};
use crate::worktree::Layout;

pub(super) fn run(ctx: &Context, repository: &Repository) -> Result<(), Error> {
    let (Some(before), Some(head)) = (repository.reference("ORIG_HEAD".into())?, repository.head()?) else {
        return Ok(());
    };
    if let Some(before) = repository.commit_of(before)? {
        let came = Came::between(repository, before, head)?;
        came.tell(ctx);
        came.tell_worktrees(ctx, repository)?;
        tell_ids(ctx, repository, before, head)?;
    }
    Ok(())
}

/// Names of changes by what happened to them.
#[derive(Default)]
struct Came {
    new: BTreeSet<String>,
    merged: BTreeSet<String>,
    archived: BTreeSet<String>,
}

impl Came {
    fn between(repository: &Repository, before: ObjectId, head: ObjectId) -> Result<Self, Error> {
        let (old, new) = (repository.tree_of(before)?, repository.tree_of(head)?);
        let changes = repository.name_status(old, new, NameStatusOptions::new(Renames::Off))?;
        let mut by_project: BTreeMap<RepoPath, BTreeSet<RepoPath>> = BTreeMap::new();
        let whole = |commit| repository.commit_tree(commit, &RepoPath::root());
        let trees: [&dyn Tree; 2] = [&whole(before)?, &whole(head)?];
        for (project, path) in in_changes(repository, &trees, &changes)? {
            by_project.entry(project).or_default().insert(path);
        }
        let mut came = Self::default();
        for (project, touched) in &by_project {
            let before = repository.commit_tree(before, project)?;
            let head = repository.commit_tree(head, project)?;
            came.add(&before, &head, touched)?;
        }
        Ok(came)
    }

    fn add(&mut self, before: &dyn Tree, head: &dyn Tree, touched: &BTreeSet<RepoPath>) -> Result<(), Error> {
        for change in newly_merged(touched, head, &[before]).map_err(crate::check::Error::from)? {
            self.merged.insert(change.slug.as_str().to_owned());
        }
        for place in touched.iter().filter_map(Place::of) {
            let there = |tree: &dyn Tree| tree.exists(&place.folder).map_err(crate::check::Error::from);
            if there(before)? || !there(head)? {
                continue;
            }
            let slug = String::from_utf8_lossy(place.slug).into_owned();
            if place.folder.starts_with(&layout::archive()) {
                self.archived.insert(slug);
            } else {
                self.new.insert(slug);
            }
        }
        Ok(())
    }

    fn tell(&self, ctx: &Context) {
        let voice = ctx.voice();
        let names = |slugs: &BTreeSet<String>| {
            let names: Vec<String> = slugs.iter().map(|slug| escape(slug).into_owned()).collect();
            names.join(", ")
        };
        let (new, merged, archived) = (names(&self.new), names(&self.merged), names(&self.archived));
        if !new.is_empty() {
            complain(&say!(
                voice,
                "git-spec: new changes: {new}",
                "git-spec: 新提案：{new}"
            ));
        }
        if !merged.is_empty() {
            complain(&say!(
                voice,
                "git-spec: merged: {merged}",
                "git-spec: 已合并：{merged}"
            ));
        }
        if !archived.is_empty() {
            complain(&say!(
                voice,
                "git-spec: archived: {archived}",
                "git-spec: 已归档：{archived}"
            ));
        }
    }
}

impl Came {
    /// Work trees of changes that are merged or archived have done their work.
    fn tell_worktrees(&self, ctx: &Context, repository: &Repository) -> Result<(), Error> {
        if self.merged.is_empty() && self.archived.is_empty() {
            return Ok(());
        }
        let voice = ctx.voice();
        let layout = Layout::beside(repository, Vec::new())?;
        for tree in repository.worktrees()?.into_iter().skip(1) {
            let change = tree.branch.as_deref().and_then(|branch| layout.change_of(branch));
            let Some(change) =
                change.filter(|change| self.merged.contains(*change) || self.archived.contains(*change))
            else {
                continue;
            };
            let path = escape(&tree.path.to_string_lossy()).into_owned();
            let remove = Invocation::new("worktree remove", &[change]).say(voice);
            complain(&say!(
                voice,
                "git-spec: its work tree {path} may go: `{remove}`",
                "git-spec: 其工作树 {path} 可以移除：`{remove}`"
            ));
        }
        Ok(())
    }
}

/// Tells ids that are defined twice now, or that an open change is about to define again.
fn tell_ids(ctx: &Context, repository: &Repository, before: ObjectId, head: ObjectId) -> Result<(), Error> {
    let judgement = asked(repository).judge_range(&Range {
        commits: Vec::new(),
        base: Some(before),
        head,
        first_parent: false,
        policy: Some(before),
        with_result: true,
    })?;
    for found in judgement.found {
        let finding = found.finding;
        if [ID_DUPLICATE, ID_TAKEN].contains(&finding.code) {
            let path = escape(&finding.at.path.text()).into_owned();
            let message = finding.message.say(ctx.voice());
            complain(&format!("git-spec: {path}: {message}"));
        }
    }
    Ok(())
}
