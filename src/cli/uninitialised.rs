//! What every command says where there is no project: two lines, and at the top of a repository the projects below it.

use std::path::Path;

use ignore::WalkBuilder;

use super::trouble::Trouble;
use super::{Context, Exit, Format, complain, complain_in_json, fail};
use crate::files::{RepoPath, WorkTree};
use crate::git::Repository;
use crate::project::{self, SKIPPED_FOLDERS, layout, search_depth};
use crate::report;
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say};

/// The code of most commands; lint and merge have their own.
pub(super) const NOT_INITIALIZED: &str = "PROJECT_NOT_INITIALIZED";

/// The files of the project; or the exit code, after it was said that there is none.
pub(super) fn require(ctx: &Context, command: &str, format: Format, code: &str) -> Result<WorkTree, Exit> {
    let found = ctx.work_tree().map_err(Trouble::from).and_then(|tree| {
        let initialised = project::is_initialised(&tree)?;
        Ok(initialised.then_some(tree))
    });
    match found {
        Ok(Some(tree)) => Ok(tree),
        Ok(None) => Err(tell(ctx, command, format, code)),
        Err(error) => Err(fail(ctx, command, format, &error)),
    }
}

/// Says that there is no project here.
pub(super) fn tell(ctx: &Context, command: &str, format: Format, code: &str) -> Exit {
    let voice = ctx.voice();
    let config = layout::CONFIG;
    let missing = say!(
        voice,
        "this is no project: there is no `{config}`",
        "这里不是项目：没有 `{config}`"
    );
    if format == Format::Json {
        complain_in_json(&report::failure(command, ctx.now, code, &missing));
        return Exit::Failed;
    }
    complain(&format!("Error [{code}]: {missing}"));
    let begin = Invocation::new("init", &[]).say(voice);
    let below = match ctx.repository() {
        Ok(Some(repository)) => projects_at_top(ctx, repository),
        Ok(None) | Err(_) => Vec::new(),
    };
    if below.is_empty() {
        complain(&say!(
            voice,
            "`{begin}` lays one down in this folder",
            "用 `{begin}` 在此目录建立项目"
        ));
        return Exit::Failed;
    }
    complain(&say!(
        voice,
        "projects below this folder (go there, or name one with `--project`):",
        "此目录之下的项目（进入其中，或用 `--project` 指明）："
    ));
    for path in below {
        complain(&format!("  {path}"));
    }
    Exit::Failed
}

/// The projects below the current folder, if that is the top level of a work tree.
fn projects_at_top(ctx: &Context, repository: &Repository) -> Vec<String> {
    let here = std::fs::canonicalize(&ctx.cwd).ok();
    match repository.work_dir() {
        Some(top) if here.as_ref() == Some(&top) && ctx.project_option().is_none() => {
            // What is not understood there is told by commands that need it.
            search_depth(repository).map_or_else(|_| Vec::new(), |depth| projects_below(&top, depth))
        }
        Some(_) | None => Vec::new(),
    }
}

/// Paths of the projects below a top level, in byte order; what git ignores and other repositories are passed over.
fn projects_below(top: &Path, depth: usize) -> Vec<String> {
    let walk = WalkBuilder::new(top)
        .hidden(false)
        .parents(false)
        .max_depth(Some(depth))
        .filter_entry(|entry| {
            let skipped = SKIPPED_FOLDERS.iter().any(|name| entry.file_name() == *name);
            entry.depth() == 0 || !(skipped || entry.path().join(".git").exists())
        })
        .build();
    let mut out: Vec<RepoPath> = walk
        // A folder that cannot be looked into has no project to offer.
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()))
        .filter(|entry| entry.path().join(layout::CONFIG).exists())
        .filter_map(|entry| RepoPath::from_disk(entry.path().strip_prefix(top).ok()?))
        .collect();
    out.sort();
    out.iter().map(|path| escape(&path.text()).into_owned()).collect()
}
