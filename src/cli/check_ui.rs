//! `check-ui-prototype` and `check-ui-hash-match`: the two UI gates of a change (change.md part 5).

use super::trouble::{Trouble, through_trouble};
use super::uninitialised::{self, NOT_INITIALIZED};
use super::usage::{Unknown, Usage};
use super::{Context, Exit, Format, fail, finish};
use crate::change::provenance::{HashMatch as Comparison, Provenance, compare};
use crate::change::ui::{self, Prototypes, UiProblem, UiVerdict};
use crate::change::{ChangeFolder, FolderProblem, read_proposal};
use crate::files::{RepoPath, Tree};
use crate::project::Guard;
use crate::report::check_ui::{HashesMatch, PrototypesPass, hashes_file};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice, own_command};

/// Check that the declared page prototypes are there
///
/// Judges the UI/UX declaration of the change's proposal and the prototypes it names. When they are as declared, their
/// hashes are written to `UI_PROTOTYPE_HASHES.json` in the change folder. Exits 1 if they are not.
#[derive(clap::Args)]
pub(super) struct Prototype {
    /// The change; without it the active one, else the only one
    #[arg(value_name = "CHANGE")]
    slug: Option<String>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Check that the page prototypes are those that were approved
///
/// Compares the prototypes in the change folder with what `PLAN_APPROVED` recorded. Exits 1 if they differ, 2 if there
/// is no change to look at.
#[derive(clap::Args)]
pub(super) struct HashMatch {
    /// The change; without it the active one, else the only one
    #[arg(value_name = "CHANGE")]
    slug: Option<String>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    unknown: Unknown,
}

const PROTOTYPE: &str = "check-ui-prototype";
const HASH_MATCH: &str = "check-ui-hash-match";

/// Why a gate does not pass.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("no change is named, and none is active")]
    NoChange,
    #[error("`{}` is no name of a change", escape(.0))]
    SlugInvalid(String),
    #[error("there is no change `{}`", escape(.0))]
    FolderMissing(String),
    #[error("{}", .0.finding.as_str())]
    Broken(UiProblem),
    #[error("{}", .0.as_str())]
    Differs(Comparison),
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NoChange => say!(
                voice,
                "no change is active, and there is not exactly one below `logos/changes`; name the change",
                "没有进行中的变更，且 `logos/changes` 下并非恰有一个；请指明变更"
            ),
            Self::SlugInvalid(slug) => {
                let slug = escape(slug);
                say!(
                    voice,
                    "`{slug}` is no name of a change: it must be one folder below `logos/changes`",
                    "`{slug}` 不是变更名：必须是 `logos/changes` 下的一个目录"
                )
            }
            Self::FolderMissing(slug) => {
                let slug = escape(slug);
                say!(
                    voice,
                    "there is no folder `logos/changes/{slug}`",
                    "没有目录 `logos/changes/{slug}`"
                )
            }
            Self::Broken(problem) => {
                let (what, cure) = (problem.say(voice), problem.cure(voice));
                say!(voice, "{what}; {cure}", "{what}；{cure}")
            }
            Self::Differs(comparison) => comparison.say(voice),
            Self::Usage(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NoChange => "no_active_proposal",
            Self::SlugInvalid(_) => "slug_invalid",
            Self::FolderMissing(_) => "proposal_dir_missing",
            Self::Broken(problem) => problem.finding.as_str(),
            Self::Differs(comparison) => comparison.as_str(),
            Self::Usage(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

impl Prototype {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        finish(
            ctx,
            PROTOTYPE,
            format,
            judge_prototypes(ctx, self.slug.as_deref()),
        )
    }
}

fn judge_prototypes(ctx: &Context, slug: Option<&str>) -> Result<PrototypesPass, Error> {
    let tree = ctx.work_tree().map_err(Trouble::from)?;
    let folder = find(&tree, slug)?;
    let proposal = read_proposal(&tree, &folder)?;
    let kept = match ui::check_document(&tree, &folder.path, proposal.document())? {
        UiVerdict::Undeclared(_) | UiVerdict::NoImpact => None,
        UiVerdict::Broken(problem) => return Err(Error::Broken(problem)),
        UiVerdict::Kept(prototypes) => Some(prototypes),
    };
    if let Some(prototypes) = &kept {
        record(ctx, &folder.path, prototypes)?;
    }
    Ok(PrototypesPass {
        slug: folder.slug,
        prototypes: kept,
    })
}

/// Runs a command of a flow that is exactly one of these two, under either name of the program: it is ours, so that it
/// needs neither a shell nor trust (logos-project.md 9.4). None for any other command.
pub(super) fn run_in_process(ctx: &Context, command: &str) -> Option<Exit> {
    let name = own_command(command)?;
    let tree = ctx.work_tree().ok()?;
    match name {
        PROTOTYPE if judge_prototypes(ctx, None).is_ok() => Some(Exit::Done),
        PROTOTYPE => Some(Exit::Failed),
        HASH_MATCH => Some(match judge_hashes(&tree, None) {
            Ok(_) => Exit::Done,
            Err(Error::NoChange) => Exit::Found,
            Err(_) => Exit::Failed,
        }),
        _ => None,
    }
}

/// Keeps the hashes beside the proposal; nothing is written if they stand there already.
fn record(ctx: &Context, folder: &RepoPath, prototypes: &Prototypes) -> Result<(), Error> {
    let path = folder.join("UI_PROTOTYPE_HASHES.json");
    let new = hashes_file(prototypes);
    let tree = ctx.work_tree().map_err(Trouble::from)?;
    if tree.read(&path)?.as_ref() == Some(&new) {
        return Ok(());
    }
    let writer = ctx.writer(PROTOTYPE)?;
    writer.write(&path, new).map_err(Trouble::from)?;
    Ok(())
}

impl HashMatch {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        let tree = match uninitialised::require(ctx, HASH_MATCH, format, NOT_INITIALIZED) {
            Ok(tree) => tree,
            Err(exit) => return exit,
        };
        let refused = self.unknown.refuse().map_err(Error::from);
        match refused.and_then(|()| judge_hashes(&tree, self.slug.as_deref())) {
            // The one error of this command that a recorded driver tells by its exit code.
            Err(error @ Error::NoChange) => {
                fail(ctx, HASH_MATCH, format, &error);
                Exit::Found
            }
            result => finish(ctx, HASH_MATCH, format, result),
        }
    }
}

fn judge_hashes(tree: &dyn Tree, slug: Option<&str>) -> Result<HashesMatch, Error> {
    let folder = find(tree, slug)?;
    let provenance = Provenance::load(tree, &folder.path)?;
    let proposal = read_proposal(tree, &folder)?;
    let comparison = compare(tree, &folder.path, &provenance, proposal.document())?;
    if !comparison.passes() {
        return Err(Error::Differs(comparison));
    }
    Ok(HashesMatch {
        slug: folder.slug,
        class: provenance.as_str(),
        comparison,
    })
}

/// The change that is meant: the one named, else the guard's, else the only one there is.
fn find(tree: &dyn Tree, named: Option<&str>) -> Result<ChangeFolder, Error> {
    let slug = match named {
        Some(slug) => slug.to_owned(),
        None => match Guard::load(tree).active_change() {
            Some(slug) => slug.to_owned(),
            None => match ChangeFolder::list(tree)?.as_slice() {
                [only] => only.slug.as_str().to_owned(),
                _ => return Err(Error::NoChange),
            },
        },
    };
    if crate::project::Slug::lexical(&slug).is_none() {
        return Err(Error::SlugInvalid(slug));
    }
    match ChangeFolder::find(tree, &slug)? {
        Ok(folder) => Ok(folder),
        // A name outside the recommended form is found or missing here, like any other.
        Err(FolderProblem::Invalid) if tree.exists(&crate::project::layout::changes().join(&slug))? => {
            Err(Error::SlugInvalid(slug))
        }
        Err(FolderProblem::Invalid | FolderProblem::NotFound) => Err(Error::FolderMissing(slug)),
    }
}
