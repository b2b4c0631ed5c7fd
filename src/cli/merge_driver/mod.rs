//! `merge-driver`: what git calls to merge a document, and how it is told to.

mod attributes;
mod install;

pub(super) use install::{attributes_files, install_in_clone};

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Context, Exit, complain};
use crate::files::rewrite;
use crate::git::Git;
use crate::merge::driver::{self, Driven, Look, Versions};
use crate::say;
use crate::state;
use crate::text::escape_bytes;

/// Merge one document for git, by section, row and front-matter key
///
/// git calls it with %O %A %B %L %P: base, ours, theirs, size of the conflict marks, path. The result is written to %A.
/// Exits 0 if it is clean, 1 if there are conflicts, 129 if it could not be done.
///
/// Example: merge-driver --install
#[derive(clap::Args)]
pub(super) struct MergeDriver {
    #[arg(value_name = "FILES")]
    words: Vec<OsString>,
    /// Tell git of the driver: in its configuration, and in the attributes of this clone
    #[arg(long, conflicts_with_all = ["words", "uninstall"])]
    install: bool,
    /// Take that back
    #[arg(long, conflicts_with = "words")]
    uninstall: bool,
    /// Name the documents in .gitattributes at the top level, for everybody
    #[arg(long, conflicts_with = "words")]
    attributes: bool,
    /// In the user's own configuration and attributes, for all repositories
    #[arg(long, conflicts_with_all = ["words", "attributes"])]
    global: bool,
}

/// Tells git of the driver, as `--install` does.
pub(super) fn install(ctx: &Context, global: bool) -> Exit {
    let place = if global {
        install::Place::Global
    } else {
        install::Place::Clone
    };
    install::run(ctx, place, true)
}

impl MergeDriver {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        if self.install || self.uninstall {
            let place = if self.global {
                install::Place::Global
            } else if self.attributes {
                install::Place::Tracked
            } else {
                install::Place::Clone
            };
            return install::run(ctx, place, self.install);
        }
        match self.merge(ctx) {
            Ok(exit) => exit,
            Err(reason) => {
                complain(&format!("merge-driver: {reason}"));
                Exit::Stopped
            }
        }
    }

    fn merge(&self, ctx: &Context) -> Result<Exit, String> {
        let voice = ctx.plain_voice();
        let [base, ours, theirs, size, path] = self.words.as_slice() else {
            return Err(say!(
                voice,
                "it takes five words: base, ours, theirs, size of the marks, path; `--install` tells git so",
                "需要五个参数：基准、我方、对方、标记长度、路径；`--install` 会告知 git"
            ));
        };
        let size = size
            .to_str()
            .and_then(|size| size.parse().ok())
            .filter(|size| *size > 0);
        let size = size.ok_or_else(|| {
            say!(
                voice,
                "the size of the marks is no number from 1 on",
                "标记长度不是从 1 起的数字"
            )
        })?;
        let read = |file: &OsString| {
            let shown = Path::new(file).display().to_string();
            std::fs::read(ctx.cwd.join(file))
                .map_err(|e| say!(voice, "`{shown}` cannot be read: {e}", "无法读取 `{shown}`：{e}"))
        };
        let (base, mine, theirs) = (read(base)?, read(ours)?, read(theirs)?);
        let base_style = conflict_style(ctx);
        let look = Look {
            size,
            base_style: base_style.as_deref(),
        };
        let versions = Versions {
            base: &base,
            ours: &mine,
            theirs: &theirs,
        };
        let name = path.as_encoded_bytes();
        let result: PathBuf = ctx.cwd.join(ours);
        let write = |text: &[u8]| {
            rewrite(&result, text).map_err(|e| {
                let shown = result.display();
                say!(
                    voice,
                    "`{shown}` cannot be written: {e}",
                    "无法写入 `{shown}`：{e}"
                )
            })
        };
        let rules = state::merge::is_state(name).then_some(&state::merge::RULES);
        match driver::merge(versions, name, look, rules) {
            Driven::Clean(text) => {
                write(&text)?;
                Ok(Exit::Done)
            }
            Driven::Conflicts(text, conflicts) => {
                write(&text)?;
                tell(name, &conflicts);
                Ok(Exit::Failed)
            }
            Driven::Binary => {
                tell(name, &[("binary", None)]);
                Ok(Exit::Failed)
            }
        }
    }
}

/// A line per conflict.
fn tell(path: &[u8], conflicts: &[(&'static str, Option<String>)]) {
    let path = escape_bytes(path);
    for (code, item) in conflicts {
        let item = item
            .as_ref()
            .map_or_else(String::new, |item| format!(" :: {}", crate::text::escape(item)));
        complain(&format!("conflict: {code} {path}{item}"));
    }
}

/// `merge.conflictStyle`, where it shows the base. The one thing of the configuration that counts; without an answer
/// marks look as git's do by default.
fn conflict_style(ctx: &Context) -> Option<String> {
    let asked = Git::anywhere(&ctx.cwd)
        .args(["config", "--get", "merge.conflictStyle"])
        .output()
        .ok()?;
    let style = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
    (asked.success() && matches!(style.as_str(), "diff3" | "zdiff3")).then_some(style)
}
