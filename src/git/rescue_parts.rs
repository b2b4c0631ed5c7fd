//! The commits that a rescue is made of (git.md 5.6).

use std::path::Path;

use bstr::ByteVec;

use super::history::operation_trailers;
use super::nested::{Nested, commit_of, refs_to_keep};
use super::{Error, Git, RescueNote};
use crate::fault;
use crate::files::ObjectId;

/// What the commit of conflicts and heads is called in its message.
pub(super) const HEADS_PART: &str = "conflicts and heads";

/// The file that names heads, each with its commit.
pub(super) fn list_of_heads(git: Git, heads: &[(String, ObjectId)]) -> Result<ObjectId, Error> {
    let lines: Vec<String> = heads.iter().map(|(name, id)| format!("{id} {name}\n")).collect();
    git.args(["hash-object", "-w", "--stdin"])
        .input(lines.concat().into_bytes())
        .ask_id()
}

pub(super) fn distinct(heads: &[(String, ObjectId)]) -> Vec<ObjectId> {
    let mut out: Vec<ObjectId> = Vec::new();
    for (_, id) in heads {
        if !out.contains(id) {
            out.push(*id);
        }
    }
    out
}

/// A submodule whose files are not there: its commits.
pub(super) fn rescue_module(module: &Nested, note: &RescueNote) -> Result<ObjectId, Error> {
    fault::point().map_err(Error::Spawn)?;
    let question = || module.question();
    let mut heads = refs_to_keep(&question)?;
    let head = match commit_of(&question, "HEAD")? {
        Some(head) => Some(head),
        None => heads.first().map(|(_, id)| *id),
    };
    let head = head.ok_or_else(|| Error::Object {
        what: module.place.display().to_string(),
        reason: "it has no commit".to_owned(),
    })?;
    heads.retain(|(_, id)| *id != head);
    without_work_tree(&|| module.change(), &module.place, note, head, &heads)
}

/// A rescue in which nothing but commits is kept: work tree and index are as `head` has them.
pub(super) fn without_work_tree(
    git: &dyn Fn() -> Git,
    place: &Path,
    note: &RescueNote,
    head: ObjectId,
    heads: &[(String, ObjectId)],
) -> Result<ObjectId, Error> {
    let stand_in = needs_stand_in(git())?;
    let commit = |tree: ObjectId, parents: &[ObjectId], part: &str| {
        commit_tree(git(), place, note, stand_in, tree, parents, part)
    };
    let tree = git()
        .args(["rev-parse", "--verify", &format!("{head}^{{tree}}")])
        .ask_id()?;
    let empty = git().args(["mktree"]).ask_id()?;
    let mut parents = vec![
        head,
        commit(tree, &[head], "index")?,
        commit(empty, &[], "untracked files")?,
    ];
    if !heads.is_empty() {
        let entry = format!("100644 blob {}\theads\n", list_of_heads(git(), heads)?);
        let list = git().args(["mktree"]).input(entry.into_bytes()).ask_id()?;
        parents.push(commit(list, &distinct(heads), HEADS_PART)?);
    }
    commit(tree, &parents, "")
}

/// Whether no name and address are configured for commits.
pub(super) fn needs_stand_in(git: Git) -> Result<bool, Error> {
    let known = git.args(["var", "GIT_COMMITTER_IDENT"]).output()?;
    Ok(!known.success())
}

/// Lets a commit be made by nobody in particular.
pub(super) fn with_stand_in(git: Git) -> Git {
    git.config("user.name=git-spec")
        .config("user.email=git-spec@localhost")
}

pub(super) fn commit_tree(
    mut git: Git,
    work_tree: &Path,
    note: &RescueNote,
    stand_in: bool,
    tree: ObjectId,
    parents: &[ObjectId],
    part: &str,
) -> Result<ObjectId, Error> {
    if stand_in {
        git = with_stand_in(git);
    }
    let mut subject = format!("rescue of {}", note.change);
    if !part.is_empty() {
        subject = format!("{subject} ({part})");
    }
    let place = crate::text::escape_bytes(&Vec::from_path_lossy(work_tree));
    let mut body = format!("path: {place}\n");
    if let Some((branch, _)) = &note.branch {
        body.push_str(&format!("branch: {branch}\n"));
    }
    let trailers = operation_trailers(&note.change, "rescue").concat();
    let message = format!("{subject}\n\n{body}\n{trailers}");
    let parents = parents.iter().flat_map(|id| ["-p".to_owned(), id.to_string()]);
    git.args(["commit-tree", &tree.to_string()])
        .args(parents)
        .args(["-F", "-"])
        .input(message.into_bytes())
        .ask_id()
}
