//! `module`: the commands that list and change the modules of a project.

use std::io::{self, IsTerminal};

use super::trouble::Trouble;
use super::usage::{self, Common, Usage, in_project};
use super::{Context, Exit, Format, complain, with_screen};
use crate::change::Proposal;
use crate::files::{Digest, RepoPath, Tree, WorkTree, Writer};
use crate::project::modules::{self, Addition, ModuleError, Removal, SoundRegistry, Typing};
use crate::project::{ParseStatus, Registry, layout};
use crate::report::module::{self as answer, Added, Listed, Removed, Renamed, TypeSet};
use crate::say;
use crate::text::{Bytes, escape, trim};
use crate::voice::{Fail, Invocation, Say, Voice};

/// The modules of the project
///
/// Every change belongs to one. The registry logos/logos-project.yaml is changed in place: comments, quoting and order
/// stay as they are.
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Module {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    List(List),
    Add(Add),
    SetProductType(SetProductType),
    Remove(Remove),
    Rename(Rename),
}

/// List the modules: initial ones first, then the launched ones
#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    common: Common,
}

/// Register a module
#[derive(clap::Args)]
struct Add {
    /// Its id: a lower-case letter, then lower-case letters, digits and `-`
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// What it is: web, desktop, mobile, cli, api, library, skills or service
    #[arg(long, value_name = "TYPE")]
    product_type: Option<Option<String>>,
    #[command(flatten)]
    common: Common,
}

/// Say what a module is
#[derive(clap::Args)]
struct SetProductType {
    /// The module
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// web, desktop, mobile, cli, api, library, skills or service
    #[arg(value_name = "TYPE")]
    product_type: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Take a module out of the registry; its files stay
#[derive(clap::Args)]
struct Remove {
    /// The module
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Do it; without this, a line `yes` on standard input does
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    common: Common,
}

/// Give a module another id
///
/// Its files below logos/resources, and whatever names them in logos/ and spec/, follow. Finished changes stay as they
/// are.
#[derive(clap::Args)]
struct Rename {
    /// The id it has
    #[arg(value_name = "OLD")]
    old: Option<String>,
    /// The id it gets
    #[arg(value_name = "NEW")]
    new: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Why a command of the family did nothing.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error(transparent)]
    Module(#[from] ModuleError),
    #[error("`{0}` is removed only with `--yes`")]
    Unconfirmed(String),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::Module(error) => error.say(voice),
            Self::Unconfirmed(id) => {
                let command = Invocation::new("module remove", &[id, "--yes"]).say(voice);
                let id = escape(id);
                say!(
                    voice,
                    "module `{id}` would be removed from the registry; `{command}` does it",
                    "将从注册表移除模块 `{id}`；执行请用 `{command}`"
                )
            }
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::Module(error) => error.code(),
            Self::Unconfirmed(_) => "CONFIRMATION_REQUIRED",
            Self::Trouble(error) => error.code(),
        }
    }
}

impl Module {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match self.command {
            Command::List(command) => command.run(ctx),
            Command::Add(command) => command.run(ctx),
            Command::SetProductType(command) => command.run(ctx),
            Command::Remove(command) => command.run(ctx),
            Command::Rename(command) => command.run(ctx),
        }
    }
}

/// Runs a command of the family in its project.
fn within<A: crate::report::Answer>(
    ctx: &Context,
    name: &str,
    common: &Common,
    work: impl FnOnce(Format, &WorkTree) -> Result<A, Error>,
) -> Exit {
    in_project(ctx, name, common, work)
}

/// Puts a new registry in the place of the one that was read.
fn replace(writer: &Writer, sound: &SoundRegistry, file: Bytes) -> Result<(), Trouble> {
    let mut transaction = writer.begin();
    transaction.replace(&layout::registry(), sound.bytes.as_deref().map(Digest::of), file);
    transaction.commit()?;
    Ok(())
}

/// Says that a change is active, or may be, while its module is being changed.
fn warn_of_guard(ctx: &Context, format: Format, tree: &dyn Tree) -> Result<(), Trouble> {
    if format == Format::Json || tree.entry(&layout::guard())?.is_none() {
        return Ok(());
    }
    let (voice, guard) = (ctx.voice(), layout::GUARD);
    complain(&say!(
        voice,
        "warning: a change is active (`{guard}`); it may belong to this module",
        "警告：有进行中的变更（`{guard}`），它可能属于此模块"
    ));
    Ok(())
}

impl List {
    fn run(self, ctx: &Context) -> Exit {
        within(ctx, "module list", &self.common, |_, tree| {
            let registry = Registry::load(tree).map_err(Trouble::from)?;
            match registry.diagnostics {
                Some(damage) if damage.status == ParseStatus::Error => {
                    Err(ModuleError::Damaged(damage).into())
                }
                Some(_) | None => Ok(Listed(registry)),
            }
        })
    }
}

impl Add {
    fn run(self, ctx: &Context) -> Exit {
        within(ctx, "module add", &self.common, |_, _| {
            let product_type = usage::value("--product-type", self.product_type.as_ref())?;
            let wanted = Addition::of(self.id.as_deref(), product_type)?;
            let writer = ctx.writer("module add")?;
            let sound = SoundRegistry::load(&writer.tree())?;
            replace(&writer, &sound, wanted.apply(&sound)?)?;
            Ok(Added {
                id: wanted.id.to_owned(),
                product_type: wanted.product_type.map(str::to_owned),
                created_file: sound.bytes.is_none(),
            })
        })
    }
}

impl SetProductType {
    fn run(self, ctx: &Context) -> Exit {
        within(ctx, "module set-product-type", &self.common, |_, _| {
            let wanted = Typing::of(self.id.as_deref(), self.product_type.as_deref())?;
            let writer = ctx.writer("module set-product-type")?;
            let sound = SoundRegistry::load(&writer.tree())?;
            let typed = wanted.apply(&sound)?;
            let changed = typed.file.is_some();
            if let Some(file) = typed.file {
                replace(&writer, &sound, file)?;
            }
            Ok(TypeSet {
                id: wanted.id.to_owned(),
                product_type: wanted.product_type.to_owned(),
                is_gui: typed.is_gui,
                changed,
                sync: typed.first_gui,
            })
        })
    }
}

impl Remove {
    fn run(self, ctx: &Context) -> Exit {
        within(ctx, "module remove", &self.common, |format, tree| {
            warn_of_guard(ctx, format, tree)?;
            let wanted = Removal::of(self.id.as_deref())?;
            let sound = SoundRegistry::load(tree)?;
            sound.find(wanted.id)?;
            let remaining = wanted.remaining(tree, &sound.registry).map_err(Trouble::from)?;
            let removed = self.yes || confirmed(ctx, format, wanted.id, &remaining)?;
            if removed {
                // The question may have taken its time: what counts is what the registry holds under the lock.
                let writer = ctx.writer("module remove")?;
                let sound = SoundRegistry::load(&writer.tree())?;
                replace(&writer, &sound, wanted.apply(&sound)?)?;
            }
            Ok(Removed {
                id: wanted.id.to_owned(),
                removed,
                remaining,
            })
        })
    }
}

/// Whether the one line on standard input says `yes`. On a terminal, and where JSON is read, nobody is asked.
fn confirmed(ctx: &Context, format: Format, id: &str, remaining: &[RepoPath]) -> Result<bool, Error> {
    let stdin = io::stdin();
    if format == Format::Json || stdin.is_terminal() {
        return Err(Error::Unconfirmed(id.to_owned()));
    }
    // Whoever cannot read the question still decides by the answer.
    let _unheard = with_screen(ctx, |screen| {
        answer::print_remaining(screen, remaining)?;
        let (voice, id) = (screen.voice, escape(id));
        screen.line(&say!(
            voice,
            "remove module `{id}` from the registry? `yes` does it, anything else does not",
            "是否从注册表移除模块 `{id}`？输入 `yes` 移除，其他输入则不移除"
        ))
    });
    let mut line = Vec::new();
    // A line that cannot be read says no.
    let read = io::BufRead::read_until(&mut stdin.lock(), b'\n', &mut line).is_ok();
    Ok(read && trim(&crate::text::decode(&line)).eq_ignore_ascii_case("yes"))
}

impl Rename {
    fn run(self, ctx: &Context) -> Exit {
        within(ctx, "module rename", &self.common, |format, tree| {
            warn_of_guard(ctx, format, tree)?;
            let (old, new) = (self.old.as_deref(), self.new.as_deref());
            let writer = ctx.writer("module rename")?;
            let plan = modules::plan_rename(&writer.tree(), old, new, &Proposal::with_module)?;
            let mut transaction = writer.begin();
            for (from, before, to, after) in &plan.moved {
                transaction.create_like(to, from, after.clone());
                transaction.remove(from, Digest::of(before));
            }
            for (path, before, after) in &plan.changed {
                transaction.replace(path, Some(Digest::of(before)), after.clone());
            }
            transaction.commit().map_err(Trouble::from)?;
            Ok(Renamed {
                from: old.unwrap_or_default().to_owned(),
                to: new.unwrap_or_default().to_owned(),
                updated: plan.updated(),
                moved: plan
                    .moved
                    .into_iter()
                    .map(|(from, _, to, _)| (from, to))
                    .collect(),
            })
        })
    }
}
