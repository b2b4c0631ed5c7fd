//! `silly init`: lays a project down.

use std::path::PathBuf;

use super::super::Context;
use super::error::Error;
use super::store::{Store, failed};
use crate::files::make_folder;
use crate::report::silly::progress::Initialised;
use crate::silly::init::{NewProject, Tool};

/// Lay down a .sillyspec/ project, or what one lacks
///
/// Nothing that is there is replaced. Without `--tool` the tools are found by what lies in the folder.
#[derive(clap::Args)]
pub(super) struct Init {
    /// The folder; the current one if it is not given
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// claude, cursor, openclaw, codex, gemini or opencode
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// The folder
    #[arg(long, value_name = "PATH")]
    dir: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Init {
    pub(super) fn run(&self, ctx: &Context) -> Result<Initialised, Error> {
        let tool = match &self.tool {
            None => None,
            Some(name) => Some(Tool::of(name).ok_or_else(|| Error::UnknownTool(name.clone()))?),
        };
        let given = self.path.as_ref().or(self.dir.as_ref());
        let folder = given.map_or_else(|| ctx.cwd.clone(), |path| ctx.cwd.join(path));
        make_folder(&folder).map_err(|source| failed(&folder, source))?;
        let root = folder.canonicalize().map_err(|source| failed(&folder, source))?;
        let store = Store::at(ctx, root)?;
        let tree = store.tree();
        let tools = match tool {
            Some(tool) => vec![tool],
            None => Tool::found(&tree)?,
        };
        let name = store.name();
        let plan = NewProject::plan(&tree, &name, &tools)?;
        let made = plan
            .files
            .iter()
            .map(|(path, _, _)| path.text().into_owned())
            .collect();
        store.lay_down("silly init", plan)?;
        store.make_or_change::<_, Error>(|rows| Ok(rows.ensure_project(&name, &ctx.now.rfc3339())?))?;
        Ok(Initialised {
            project: name,
            tools: tools.into_iter().map(Tool::as_str).collect(),
            written: made,
        })
    }
}
