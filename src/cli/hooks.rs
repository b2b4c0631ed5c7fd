//! `hooks install|uninstall|status`, and `install` for hooks and merge driver together (git.md 3.6).

use std::path::PathBuf;

use super::{Context, Exit, Format, finish, merge_driver, settle, with_screen};
use crate::git::{self, Repository};
use crate::hooks::{self, Error, Hook, Wanted};
use crate::report::hooks::{HooksDone, HooksStatus, print_done};
use crate::voice::Fail;

/// Install, uninstall or show the git hooks of this clone
#[derive(clap::Args)]
pub(super) struct Hooks {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Install(Install),
    Uninstall(Uninstall),
    Status(Status),
}

/// Lay the hooks down where git looks for them, in every work tree
///
/// Hooks that are there already are kept, and run first. A hook manager's are not touched: what to tell it is printed.
///
/// Example: hooks install
#[derive(clap::Args)]
struct Install {
    /// For all repositories of this user
    #[arg(long, conflicts_with = "server")]
    global: bool,
    /// Chain a manager's hooks too, and keep what an earlier installation left aside
    #[arg(long)]
    force: bool,
    /// The hook of a repository that receives pushes, alone
    #[arg(long)]
    server: bool,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Take the hooks away, and put back what stood there
///
/// Example: hooks uninstall
#[derive(clap::Args)]
struct Uninstall {
    /// From all repositories of this user
    #[arg(long)]
    global: bool,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Show which hooks are there, and whether git finds them from every work tree
///
/// Exit code 2 if it does not.
///
/// Example: hooks status --format json
#[derive(clap::Args)]
struct Status {
    /// The hook of a repository that receives pushes, alone
    #[arg(long)]
    server: bool,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Install the git hooks and the merge driver in this clone
///
/// As `hooks install` and `merge-driver --install`.
///
/// Example: install
#[derive(clap::Args)]
pub(super) struct InstallAll {
    /// For all repositories of this user
    #[arg(long)]
    global: bool,
    /// Chain a manager's hooks too, and keep what an earlier installation left aside
    #[arg(long)]
    force: bool,
}

impl Hooks {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match self.command {
            Command::Install(command) => command.run(ctx),
            Command::Uninstall(command) => command.run(ctx),
            Command::Status(command) => command.run(ctx),
        }
    }
}

impl Install {
    fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        let result = install(ctx, self.global, self.force, self.server);
        finish(ctx, "hooks install", format, result)
    }
}

impl Uninstall {
    fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        let result = match self.global {
            true => config_folder(ctx).and_then(|config| hooks::uninstall_global(&config, &ctx.cwd)),
            false => repository(ctx).and_then(hooks::uninstall),
        };
        let done = HooksDone {
            installed: false,
            folders: Vec::new(),
            hooks: Vec::new(),
            not_run: Vec::new(),
        };
        finish(ctx, "hooks uninstall", format, result.map(|()| done))
    }
}

impl Status {
    fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        let result = repository(ctx).and_then(|repository| {
            let names = names(repository, self.server)?;
            hooks::status(repository, &names, &program()?).map(HooksStatus)
        });
        finish(ctx, "hooks status", format, result)
    }
}

impl InstallAll {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match install(ctx, self.global, self.force, false) {
            Ok(done) => {
                let printed = with_screen(ctx, |screen| print_done(&done, screen));
                let exit = settle(printed, Exit::Done);
                if exit == Exit::Done {
                    merge_driver::install(ctx, self.global)
                } else {
                    exit
                }
            }
            Err(error) => super::fail(ctx, "install", Format::Text, &error as &dyn Fail),
        }
    }
}

fn repository(ctx: &Context) -> Result<&Repository, Error> {
    Ok(ctx.repository()?.ok_or(git::Error::NotARepository)?)
}

/// What stands in the place of the hooks of a clone.
pub(super) fn status_of(repository: &Repository) -> Result<hooks::Status, Error> {
    hooks::status(repository, &names(repository, false)?, &program()?)
}

/// Lays the hooks of this clone down again.
pub(super) fn install_again(ctx: &Context) -> Result<(), Error> {
    install(ctx, false, false, false).map(drop)
}

/// The program that runs now, by its full path.
fn program() -> Result<PathBuf, Error> {
    std::env::current_exe().map_err(|source| Error::Io {
        path: "git-spec".into(),
        source,
    })
}

/// Where the user's configuration lies.
fn config_folder(ctx: &Context) -> Result<PathBuf, Error> {
    let home = || Some(PathBuf::from(ctx.env.text("HOME")?).join(".config"));
    ctx.env
        .text("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(home)
        .ok_or(Error::NoHome)
}

/// The hooks of a clone: those of whoever commits, and of a bare repository the one that receives. Commits are made in a
/// bare repository's linked work trees, too.
fn names(repository: &Repository, server: bool) -> Result<Vec<Hook>, Error> {
    let client = || Hook::ALL.into_iter().filter(|hook| !hook.is_server());
    let receiving = Hook::ALL.into_iter().filter(|hook| hook.is_server());
    if server {
        return Ok(receiving.collect());
    }
    let worktrees = repository.worktrees()?;
    let is_bare = worktrees
        .first()
        .is_some_and(|main| main.path == repository.common_dir());
    Ok(match (is_bare, worktrees.len()) {
        (false, _) => client().collect(),
        (true, 0 | 1) => receiving.collect(),
        (true, _) => client().chain(receiving).collect(),
    })
}

fn install(ctx: &Context, global: bool, force: bool, server: bool) -> Result<HooksDone, Error> {
    let program = program()?;
    let hooks = if global {
        Hook::ALL.into_iter().filter(|hook| !hook.is_server()).collect()
    } else {
        names(repository(ctx)?, server)?
    };
    let wanted = Wanted {
        hooks: &hooks,
        program: &program,
        force,
    };
    let installed = match global {
        true => hooks::install_global(&wanted, &config_folder(ctx)?, &ctx.cwd)?,
        false => hooks::install(repository(ctx)?, &wanted)?,
    };
    Ok(HooksDone {
        installed: true,
        folders: installed.folders,
        hooks,
        not_run: installed.not_run,
    })
}
