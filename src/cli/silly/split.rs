//! `silly split`: the packages of a large change as changes of their own (silly.md 9).

use super::super::Context;
use super::error::Error;
use super::store::Store;
use crate::files::Tree;
use crate::git::Repository;
use crate::report::silly::split::Split as Answered;
use crate::silly::{Refused, layout, split};
use crate::worktree::check_name;

/// Make the changes that the MASTER.md of a change names
///
/// Folders that are there are left alone.
#[derive(clap::Args)]
pub(super) struct Split {
    /// The change with the MASTER.md
    #[arg(value_name = "CHANGE")]
    change: String,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Split {
    pub(super) fn run(&self, ctx: &Context) -> Result<Answered, Error> {
        check_name(&self.change).map_err(Refused::from)?;
        let store = Store::of(ctx)?;
        let path = layout::change(&self.change).join("MASTER.md");
        let bytes = store.tree().read(&path)?;
        let bytes = bytes.ok_or_else(|| Error::NoFile(path.text().into_owned()))?;
        let packages = split::parse(&bytes).map_err(Error::Split)?;
        let writer = store.writer("silly split")?;
        let author = store.author()?;
        let created_at = ctx.now.local(Repository::local_offset());
        let planned = split::plan(&writer.tree(), &self.change, &packages, &author, &created_at)?;
        let made = planned.iter().map(|(path, _)| path.text().into_owned()).collect();
        let mut transaction = writer.begin();
        for (path, text) in planned {
            transaction.create_new(&path, text);
        }
        transaction.commit()?;
        Ok(Answered { made })
    }
}
