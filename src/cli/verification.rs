//! What `verify`, `smoke` and `deploy-done` share: files that a run empties and fills, edits in one transaction, smoke
//! runners, and what can go wrong.

use std::path::{Path, PathBuf};

use super::page::{self, Target};
use super::trouble::{Trouble, through_trouble};
use super::usage::Usage;
use super::{Context, complain};
use crate::change::facts::Facts;
use crate::files::{Digest, Kind, ReadError, RepoPath, Resolved, Tree, WorkTree, Writer, unignored};
use crate::flow;
#[cfg(target_os = "linux")]
use crate::git::Repository;
use crate::ledger::SmokeRecords;
use crate::project::session::Guard;
use crate::project::{Config, Slug, layout};
use crate::say;
use crate::text::{Bytes, escape};
use crate::verify::import::{self, KnownCases};
use crate::verify::outcome::{Edit, OutcomeError};
use crate::verify::pre_run::{Ledgers, Ran};
use crate::verify::precheck::{NO_RUNNERS, is_runner};
#[cfg(target_os = "linux")]
use crate::verify::sandbox::find_bwrap;
use crate::verify::sandbox::{Backend, Means};
use crate::verify::settings::SettingsError;
use crate::voice::{Fail, Say, Voice};

/// The variable that names the only way to isolate commands.
const BACKEND: &str = "GIT_SPEC_SANDBOX_BACKEND";

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("`{0}` does not exist: no results were written")]
    NoResults(String),
    #[error("no automated case is defined below `{dir}`", dir = layout::TESTS)]
    NoCases,
    #[error("`{0}` does not exist: no smoke results were written")]
    NoSmokeResults(String),
    #[error("no smoke case is defined below `{dir}`", dir = layout::SMOKE_TESTS)]
    NoSmokeCases,
    #[error("the path of this program is not known: {0}")]
    Program(#[source] std::io::Error),
    #[error("`{BACKEND}` is `{}`: it may be `overlay`, `copy` or `bwrap`", escape(.0))]
    Backend(String),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Import(#[from] import::Error),
    #[error(transparent)]
    Flow(#[from] flow::Error),
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error(transparent)]
    Page(#[from] page::Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl From<OutcomeError> for Error {
    fn from(error: OutcomeError) -> Self {
        match error {
            OutcomeError::Read(error) => error.into(),
            OutcomeError::Flow(error) => error.into(),
        }
    }
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NoResults(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "`{path}` does not exist: run the tests with a reporter that writes it, or configure `verify.pre_run_command`",
                    "`{path}` 不存在：请用会写入该文件的 reporter 运行测试，或配置 `verify.pre_run_command`"
                )
            }
            Self::NoCases => {
                let dir = layout::TESTS;
                say!(
                    voice,
                    "no automated case is defined in any `*-test-cases.md` below `{dir}`",
                    "`{dir}` 下的 `*-test-cases.md` 中没有定义任何自动化用例"
                )
            }
            Self::NoSmokeResults(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "`{path}` does not exist: run the smoke tests, or configure `smoke.command`",
                    "`{path}` 不存在：请运行冒烟测试，或配置 `smoke.command`"
                )
            }
            Self::NoSmokeCases => {
                let dir = layout::SMOKE_TESTS;
                say!(
                    voice,
                    "no smoke case is defined below `{dir}`",
                    "`{dir}` 下没有定义任何冒烟用例"
                )
            }
            Self::Program(error) => say!(
                voice,
                "the path of this program is not known: {error}",
                "无法得知本程序的路径：{error}"
            ),
            Self::Backend(name) => {
                let name = escape(name);
                say!(
                    voice,
                    "`{BACKEND}` is `{name}`: it may be `overlay`, `copy` or `bwrap`",
                    "`{BACKEND}` 为 `{name}`：只能是 `overlay`、`copy` 或 `bwrap`"
                )
            }
            Self::Settings(error) => error.say(voice),
            Self::Import(error) => error.say(voice),
            Self::Flow(error) => error.say(voice),
            Self::Usage(error) => error.say(voice),
            Self::Page(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NoResults(_) => "NO_TEST_RESULTS",
            Self::NoCases => "NO_TEST_CASES",
            Self::NoSmokeResults(_) => "NO_SMOKE_RESULTS",
            Self::NoSmokeCases => "NO_SMOKE_CASES",
            Self::Program(_) => "PROJECT_UNREADABLE",
            Self::Backend(_) => "USAGE",
            Self::Settings(error) => error.code(),
            Self::Import(error) => error.code(),
            Self::Flow(error) => error.code(),
            Self::Usage(error) => error.code(),
            Self::Page(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

/// Files of the project, changed one at a time while commands run in between: the lock is never held meanwhile.
pub(super) struct Files<'c> {
    pub(super) ctx: &'c Context,
    pub(super) command: &'static str,
    /// The ids that reports of tests may name.
    pub(super) known: fn(&WorkTree) -> Result<KnownCases, ReadError>,
}

impl Ledgers for Files<'_> {
    type Error = Error;

    fn empty(&self, path: &RepoPath) -> Result<(), Error> {
        self.fill(path, Bytes::new())
    }

    fn is_there(&self, path: &RepoPath) -> Result<bool, Error> {
        Ok(self.ctx.work_tree()?.is_file(path)?)
    }

    fn content(&self, path: &RepoPath) -> Result<Option<Bytes>, Error> {
        match self.is_there(path)? {
            true => Ok(self.ctx.work_tree()?.read(path)?),
            false => Ok(None),
        }
    }

    fn known_cases(&self) -> Result<KnownCases, Error> {
        Ok((self.known)(&self.ctx.work_tree()?)?)
    }

    fn is_tracked(&self, path: &RepoPath) -> Result<bool, Error> {
        let Some(repository) = self.ctx.repository()? else {
            return Ok(false);
        };
        let index = repository.index_tree(&self.ctx.place()?.prefix)?;
        Ok(index.entry(path)?.is_some())
    }

    fn fill(&self, path: &RepoPath, content: Bytes) -> Result<(), Error> {
        Ok(self.ctx.writer(self.command)?.write(path, content)?)
    }
}

/// Makes edits together or not at all.
pub(super) fn apply(writer: &Writer, edits: Vec<Edit>) -> Result<(), Error> {
    let tree = writer.tree();
    let mut transaction = writer.begin();
    for Edit { path, content } in edits {
        let old = tree.read(&path)?.map(|bytes| Digest::of(&bytes));
        match (old, content) {
            (old, Some(new)) => transaction.replace(&path, old, new),
            (Some(old), None) => transaction.remove(&path, old),
            (None, None) => {}
        }
    }
    transaction.commit()?;
    Ok(())
}

/// As [`apply`], with a page that is there if they are made: of their transaction if it lies in the project.
pub(super) fn apply_with(
    writer: &Writer,
    mut edits: Vec<Edit>,
    page: Option<(&Target, Bytes)>,
) -> Result<(), Error> {
    let Some((target, page)) = page else {
        return apply(writer, edits);
    };
    let tree = writer.tree();
    target.keep_off(edits.iter().map(|edit| edit.path.on_disk(tree.root())))?;
    match target.inside(tree.root()) {
        Some(path) => {
            target.check()?;
            edits.push(Edit::write(path, page));
            apply(writer, edits)
        }
        None => target.write_with(&page, || apply(writer, edits)),
    }
}

/// The active change, with its folder if it is there.
pub(super) struct Active<'t> {
    pub(super) guard: Guard,
    pub(super) slug: Option<Slug>,
    /// None where there is no such folder.
    pub(super) facts: Option<Facts<'t>>,
}

impl<'t> Active<'t> {
    pub(super) fn read(tree: &'t dyn Tree) -> Result<Self, Error> {
        let guard = Guard::load(tree);
        let slug = guard.active_slug();
        let facts = slug.as_ref().map(|slug| Facts::read(tree, slug)).transpose()?;
        let is_folder = match &slug {
            Some(slug) => matches!(
                tree.resolve(&layout::change(slug))?,
                Resolved::Inside { kind: Kind::Dir, .. }
            ),
            None => false,
        };
        Ok(Self {
            guard,
            slug,
            facts: facts.filter(Facts::exists).filter(|_| is_folder),
        })
    }

    /// Says on a terminal that the folder of the active change is gone.
    pub(super) fn warn(&self, voice: &Voice) {
        if let (Some(slug), None) = (&self.slug, &self.facts) {
            complain(&say!(
                voice,
                "git-spec: the active change `{slug}` has no folder: no marker is written",
                "git-spec：当前提案 `{slug}` 的目录不存在：不写入任何标记"
            ));
        }
    }
}

/// Says on a terminal which commands failed.
pub(super) fn complain_of(ran: &Ran) {
    for error in ran.complaints() {
        complain(&format!("git-spec: {}", escape(error)));
    }
}

/// The config, empty if it cannot be understood.
pub(super) fn config(tree: &WorkTree) -> Result<Config, Error> {
    Ok(Config::load(tree)?.unwrap_or_default())
}

/// What commands can be isolated with here.
pub(super) fn means(ctx: &Context) -> Result<Means, Error> {
    let program = std::env::current_exe().map_err(Error::Program)?;
    let is_off = |name: &str| ctx.env.text(name).as_deref() == Some("off");
    let only = match ctx.env.text(BACKEND).as_deref() {
        None | Some("") => None,
        Some(name) => Some(Backend::named(name).ok_or_else(|| Error::Backend(name.to_owned()))?),
    };
    Ok(Means {
        program,
        temporary: std::env::temp_dir(),
        bwrap: bwrap(ctx)?,
        protection_off: is_off("OPENLOGOS_SANDBOX_WRITE_PROTECTION")
            || is_off("GIT_SPEC_SANDBOX_WRITE_PROTECTION"),
        only,
    })
}

/// The `bwrap` that the user has; what the work tree brings is none.
#[cfg(target_os = "linux")]
fn bwrap(ctx: &Context) -> Result<Option<PathBuf>, Error> {
    let top = ctx.repository()?.and_then(Repository::work_dir);
    let tree = match top {
        Some(top) => top,
        None => ctx.place()?.root.clone(),
    };
    let path = ctx.env.get("PATH").unwrap_or_default();
    Ok(find_bwrap(std::env::split_paths(&path), &tree))
}

/// Elsewhere there is none.
#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps)]
fn bwrap(_: &Context) -> Result<Option<PathBuf>, Error> {
    Ok(None)
}

/// The smoke ledger; nothing if it is not there.
pub(super) fn smoke_records(tree: &WorkTree, path: &RepoPath) -> Result<SmokeRecords, Error> {
    if !tree.is_file(path)? {
        return Ok(SmokeRecords::default());
    }
    let Some(ledger) = tree.open(path)? else {
        return Ok(SmokeRecords::default());
    };
    let fail = |error| ReadError::new(path, error);
    Ok(SmokeRecords::read(ledger).map_err(fail)?)
}

/// The smoke runners of a project, sorted: what git ignores is no part of it, and no link is followed.
pub(super) fn smoke_runners(root: &Path) -> Vec<String> {
    unignored(root, &NO_RUNNERS)
        .into_iter()
        .filter(is_runner)
        .map(|path| path.text().into_owned())
        .collect()
}
