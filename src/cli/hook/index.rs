//! `pre-commit` and `pre-merge-commit`: the index is judged, never the work tree (git.md 3.1).

use super::super::Context;
use super::tell::{self, Cure};
use super::{Error, Verdict, asked};
use crate::check::passes;
use crate::git::Repository;

fn cure() -> Cure {
    Cure {
        check: vec!["--staged".to_owned()],
        client: true,
    }
}

/// `pre-commit`. What is refused may be an amended commit, which nothing tells apart: then it counts against the parent of
/// the commit that it takes the place of.
pub(super) fn commit(ctx: &Context, repository: &Repository) -> Result<Verdict, Error> {
    let asked = asked(repository);
    let parents = repository.parents_of_index(&[])?;
    let judgement = asked.judge_index(&parents)?;
    if !passes(&judgement.found, false)
        && let [head] = parents.as_slice()
        && let [before] = repository.parents(*head)?.as_slice()
    {
        let amended = asked.judge_index(&[*before])?;
        if passes(&amended.found, false) {
            return Ok(tell::findings(ctx, &amended.found, &cure()));
        }
    }
    Ok(tell::findings(ctx, &judgement.found, &cure()))
}

/// `pre-merge-commit`: git has not yet written down what it merges; it names it in the environment.
pub(super) fn merge(ctx: &Context, repository: &Repository) -> Result<Verdict, Error> {
    let parents = repository.parents_of_index(&ctx.env.merged_heads())?;
    let judgement = asked(repository).judge_index(&parents)?;
    Ok(tell::findings(ctx, &judgement.found, &cure()))
}
