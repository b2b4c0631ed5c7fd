//! `commit-msg`: a commit that touches exactly one change says so in a trailer (git.md 3.1, 1.5). It never refuses.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use bstr::ByteSlice;

use super::super::Context;
use super::{Error, in_changes};
use crate::change::marks::Place;
use crate::files::{RepoPath, Tree, rewrite};
use crate::git::Repository;
use crate::git::SPEC_CHANGE;
use crate::project::Slug;

/// Subjects of commits that are to be melted into another.
const MELTED: [&str; 3] = ["fixup!", "squash!", "amend!"];

pub(super) fn run(ctx: &Context, repository: &Repository, args: &[OsString]) -> Result<(), Error> {
    let file = args.first().ok_or(Error::Argument("the path of the message"))?;
    let file: PathBuf = ctx.cwd.join(file);
    if repository.boolean("spec.trailer")? == Some(false) {
        return Ok(());
    }
    let Some(slug) = only_change(repository)? else {
        return Ok(());
    };
    let message = std::fs::read(&file)?;
    // What remains when git has cleaned it: nothing is a commit that is not made.
    let subject = repository
        .question()
        .args(["stripspace", "--strip-comments"])
        .input(message.clone())
        .ask()?;
    if subject.is_empty() || MELTED.iter().any(|word| subject.starts_with_str(word)) {
        return Ok(());
    }
    let there = repository.trailers(&message);
    if there
        .iter()
        .any(|trailer| trailer.token.eq_ignore_ascii_case(SPEC_CHANGE))
    {
        return Ok(());
    }
    let trailer = format!("{SPEC_CHANGE}: {slug}");
    // Where in a message it belongs is for git to say.
    let new = repository
        .question()
        .args(["interpret-trailers", "--if-exists", "addIfDifferent"])
        .args(["--trailer", &trailer])
        .input(message)
        .ask()?;
    rewrite(&file, &new)?;
    Ok(())
}

/// The change that the commit to be made touches, if it is only one: an archived one by its own name.
fn only_change(repository: &Repository) -> Result<Option<String>, Error> {
    let head = repository.head()?;
    let mut slugs = BTreeSet::new();
    let index = repository.index_tree(&RepoPath::root())?;
    let before = head
        .map(|head| repository.commit_tree(head, &RepoPath::root()))
        .transpose()?;
    let mut trees: Vec<&dyn Tree> = vec![&index];
    trees.extend(before.as_ref().map(|tree| tree as &dyn Tree));
    for (_, path) in in_changes(repository, &trees, &repository.staged(head)?)? {
        slugs.extend(Place::of(&path).map(|place| place.slug.to_vec()));
    }
    let only = slugs.pop_first().filter(|_| slugs.is_empty());
    let slug = only.and_then(|slug| String::from_utf8(slug).ok());
    Ok(slug.filter(|slug| Slug::for_new(slug).is_ok()))
}
