//! The parsers as commands (silly.md 10): JSON in any case, nothing is written.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::super::{Context, Exit};
use super::error::Error;
use super::store::Store;
use super::{answer, place};
use crate::files::{RepoPath, Unread, WorkTree, read_regular};
use crate::report::silly::parsed;
use crate::silly::{change_list, knowledge, local, modules, plan, tasks};
use crate::text::Bytes;

/// More than this is no document.
const LARGEST: u64 = 64 << 20;

/// Show what a parser makes of a file, as JSON
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Parse {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// The files that a design lists
    #[command(name = "change-list")]
    ChangeList(File),
    /// The entries of the index in a folder of knowledge
    Knowledge(File),
    /// The modules of a map
    #[command(name = "module-map")]
    ModuleMap(File),
    /// The waves of a plan
    Plan(File),
    /// The tasks of a list
    Tasks(File),
}

#[derive(clap::Args)]
struct File {
    /// The file; a folder of knowledge
    #[arg(value_name = "PATH")]
    path: PathBuf,
}

impl Parse {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match self.what {
            What::ChangeList(file) => {
                file.show(ctx, |bytes| parsed::ChangeList::from(change_list::parse(bytes)))
            }
            What::Plan(file) => file.show(ctx, |bytes| parsed::Plan::from(plan::parse(bytes))),
            What::Tasks(file) => file.show(ctx, |bytes| parsed::Tasks::from(tasks::parse(bytes))),
            What::ModuleMap(file) => {
                let map = file.read(ctx).and_then(|bytes| {
                    modules::parse(&bytes).map_err(|reason| Error::Malformed {
                        path: file.path.clone(),
                        reason,
                    })
                });
                answer(ctx, map.map(parsed::Map::from))
            }
            What::Knowledge(folder) => answer(ctx, entries(ctx, &folder.path).map(parsed::Index::from)),
        }
    }
}

impl File {
    fn read(&self, ctx: &Context) -> Result<Bytes, Error> {
        read_regular(&ctx.cwd.join(&self.path), LARGEST).map_err(|unread| match unread {
            Unread::Missing => Error::NoFile(self.path.display().to_string()),
            Unread::NotAFile => unreadable(&self.path, std::io::Error::other("it is no regular file")),
            Unread::TooLong => unreadable(&self.path, std::io::Error::other("it is too long")),
            Unread::Io(source) => unreadable(&self.path, source),
        })
    }

    fn show<T: Serialize>(&self, ctx: &Context, parse: impl Fn(&[u8]) -> T) -> Exit {
        answer(ctx, self.read(ctx).map(|bytes| parse(&bytes)))
    }
}

fn unreadable(path: &Path, source: std::io::Error) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        source,
    }
}

fn entries(ctx: &Context, folder: &Path) -> Result<Vec<knowledge::Entry>, Error> {
    let tree = WorkTree::new(&ctx.cwd.join(folder));
    Ok(knowledge::load(&tree, &RepoPath::root())?)
}

/// Show which module files belong to, as JSON
#[derive(clap::Args)]
pub(super) struct Modules {
    /// Files, from the root of the project
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
}

impl Modules {
    pub(super) fn run(self, ctx: &Context) -> Result<parsed::Owners, Error> {
        let maps = modules::load(&WorkTree::new(&place::root(ctx)))?;
        Ok(parsed::Owners::of(&maps, self.paths))
    }
}

/// Show which paths a pattern matches, as JSON
#[derive(clap::Args)]
pub(super) struct Glob {
    /// The pattern
    #[arg(value_name = "PATTERN")]
    pattern: String,
    /// What is compared with it
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
}

impl Glob {
    pub(super) fn run(self) -> parsed::Matches {
        parsed::Matches::of(&self.pattern, self.paths)
    }
}

/// Show which entries of a knowledge index a text asks for, as JSON
#[derive(clap::Args)]
pub(super) struct Knowledge {
    /// The folder with the index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The text
    #[arg(value_name = "TEXT")]
    text: String,
}

impl Knowledge {
    pub(super) fn run(self, ctx: &Context) -> Result<parsed::Asked, Error> {
        let entries = entries(ctx, &self.folder)?;
        Ok(parsed::Asked::of(&knowledge::asked_for(&entries, &self.text)))
    }
}

/// Show which tools build and test the project, as JSON
///
/// With `--write` they are written to `.sillyspec/local.yaml`, where they can be changed by hand. A file that is there is
/// left alone.
#[derive(clap::Args)]
pub(super) struct DetectLocal {
    /// Write `.sillyspec/local.yaml` if there is none
    #[arg(long)]
    write: bool,
}

impl DetectLocal {
    pub(super) fn run(&self, ctx: &Context) -> Result<parsed::Local, Error> {
        if !self.write {
            let found = local::detect(&WorkTree::new(&place::root(ctx)))?;
            return Ok(parsed::Local::of(found));
        }
        let store = Store::of(ctx)?;
        let found = local::detect(&store.tree())?;
        let written = store.write_local(&found.file())?;
        Ok(parsed::Local::of(found).written(written))
    }
}
