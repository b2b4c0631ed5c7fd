//! `index`: a work instruction for whoever lists the documents in the registry.

use super::module_locks;
use super::trouble::{Trouble, through_trouble};
use super::usage::{self, Common, Usage};
use super::{Context, Exit};
use crate::files::{RepoPath, Tree};
use crate::project::{Config, ConfigFile, Registry, documents, index, layout};
use crate::report::index::Indexed;
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Invocation, Say, Voice};

/// Write down what is needed to list the documents in the registry
///
/// Writes logos/index-prompt.md: what to do, the registry as it is, and how each document begins. The registry itself
/// stays as it is. Refused while a baseline is being committed.
#[derive(clap::Args)]
pub(super) struct Index {
    #[command(flatten)]
    common: Common,
}

/// Why no prompt was written.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error("there is no registry")]
    NoRegistry,
    #[error("the config cannot be understood: {0}")]
    Config(String),
    #[error(transparent)]
    Locks(#[from] module_locks::Error),
    #[error(transparent)]
    Documents(#[from] documents::Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::NoRegistry => {
                let (file, init) = (layout::REGISTRY, Invocation::new("init", &[]).say(voice));
                say!(
                    voice,
                    "there is no `{file}` to list documents in; restore it, or write one as `{init}` does in an empty folder",
                    "没有可登记文档的 `{file}`；请恢复它，或参照 `{init}` 在空目录中生成的文件编写"
                )
            }
            Self::Config(reason) => {
                let (file, reason) = (layout::CONFIG, escape(reason));
                say!(
                    voice,
                    "`{file}` names the documents and cannot be understood; repair it: {reason}",
                    "`{file}` 指明文档所在，但无法解析；请修复：{reason}"
                )
            }
            Self::Locks(error) => error.say(voice),
            Self::Documents(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::NoRegistry => "PROJECT_YAML_MISSING",
            Self::Config(_) => "PROJECT_CONFIG_UNPARSABLE",
            Self::Locks(error) => error.code(),
            Self::Documents(documents::Error::OutsidePath { .. }) => "DOCUMENT_PATH_INVALID",
            Self::Documents(documents::Error::Read(_)) => "PROJECT_UNREADABLE",
            Self::Trouble(error) => error.code(),
        }
    }
}

impl Index {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        usage::in_project(ctx, "index", &self.common, |_, _| write(ctx))
    }
}

fn write(ctx: &Context) -> Result<Indexed, Error> {
    let writer = ctx.writer("index")?;
    let tree = writer.tree();
    let config = config(&tree)?;
    if !tree.exists(&layout::registry())? {
        return Err(Error::NoRegistry);
    }
    let _locks = module_locks::take_all(ctx, &writer)?;
    let registry = tree.read(&layout::registry())?.ok_or(Error::NoRegistry)?;
    let documents = documents::to_index(&tree, &config)?;
    let damage = Registry::parse(&registry).diagnostics;
    if !documents.is_empty() {
        let voice = ctx.project_voice(&tree)?;
        let prompt = index::prompt(&tree, &registry, damage.as_ref(), &documents, &voice)?;
        writer.apply_together(&[(RepoPath::of(layout::INDEX_PROMPT), Some(prompt))])?;
    }
    Ok(Indexed {
        files: documents.len(),
        damage,
    })
}

fn config(tree: &dyn Tree) -> Result<Config, Error> {
    match ConfigFile::load(tree)? {
        ConfigFile::Sound(config) => Ok(*config),
        ConfigFile::Broken(reason) => Err(Error::Config(reason)),
        // It was there before the lock was had.
        ConfigFile::Missing => Err(Error::Config("it is missing".to_owned())),
    }
}
