//! `trust`: which flow files may run their commands in this clone (git.md 9).

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::trouble::{Trouble, through_trouble};
use super::uninitialised::{self, NOT_INITIALIZED};
use super::{Context, Exit, Format, finish};
use crate::files::{
    Digest, Guarded, Lock, LockRule, RepoPath, Tree, Weakness, WorkTree, WriteError, read_guarded,
    replace_guarded,
};
use crate::flow::trust::{Entry, Record};
use crate::flow::{self, Lifecycle, ResolvedFlow};
use crate::git::{self, Repository};
use crate::report::trust::{Recorded, Trusted, TrustedFile};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice};

/// Trust the commands of the project's flow files as they are now
///
/// A flow file in logos/flow may hold commands (cmd:). They run under `next` and `deploy-done` only, and only while the
/// file is trusted: its digest is recorded in the git directory of this clone, where no commit can put it. A file that
/// changes in any byte is no longer trusted. For CI `GIT_SPEC_TRUST=1` trusts all of them.
///
/// Example: trust logos/flow/launched.yaml
#[derive(clap::Args)]
pub(super) struct Trust {
    /// The flow files; without any, those there are
    #[arg(value_name = "FLOW-FILE")]
    files: Vec<PathBuf>,
    /// Only show what is trusted
    #[arg(long, conflicts_with_all = ["files", "revoke", "all"])]
    list: bool,
    /// Trust these files no longer, whatever they held
    #[arg(long)]
    revoke: bool,
    /// With --revoke: nothing is trusted any more
    #[arg(long, requires = "revoke", conflicts_with = "files")]
    all: bool,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Why nothing was recorded.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Flow(#[from] flow::Error),
    #[error("trust is recorded in a git directory, and there is none here")]
    NeedsRepository,
    #[error("`{}` is no flow file of this project", escape(.0))]
    NotAFlowFile(String),
    #[error("there is no `{0}`")]
    Missing(RepoPath),
    #[error("this project has no flow file")]
    NothingThere,
    #[error("`--revoke` needs a flow file or `--all`")]
    NothingNamed,
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Flow(error) => error.say(voice),
            Self::NeedsRepository => say!(
                voice,
                "trust is recorded in a git directory, and there is none here: a record in the project could come with the project; `git init` makes one, `GIT_SPEC_TRUST=1` trusts for one run",
                "信任记录保存在 git 目录中，而这里没有：若放在项目里，记录可能随项目而来；用 `git init` 建立，或用 `GIT_SPEC_TRUST=1` 仅信任一次运行"
            ),
            Self::NotAFlowFile(name) => {
                let (name, [one, other]) = (escape(name), flow_files());
                say!(
                    voice,
                    "`{name}` is no flow file of this project; there may be `{one}` and `{other}`",
                    "`{name}` 不是此项目的流程文件；只能是 `{one}` 与 `{other}`"
                )
            }
            Self::Missing(path) => say!(
                voice,
                "there is no `{path}`: nothing was recorded",
                "没有 `{path}`：未记录任何内容"
            ),
            Self::NothingThere => {
                let [one, other] = flow_files();
                say!(
                    voice,
                    "this project has no flow file (`{one}`, `{other}`): there is nothing to trust",
                    "此项目没有流程文件（`{one}`、`{other}`）：无需信任"
                )
            }
            Self::NothingNamed => say!(
                voice,
                "`--revoke` needs a flow file, or `--all`",
                "`--revoke` 需要指明流程文件，或使用 `--all`"
            ),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Flow(error) => error.code(),
            Self::NeedsRepository => "TRUST_NEEDS_REPOSITORY",
            Self::NotAFlowFile(_) | Self::Missing(_) | Self::NothingThere => "TRUST_FILE_NOT_FOUND",
            Self::NothingNamed => "USAGE",
            Self::Trouble(error) => error.code(),
        }
    }
}

through_trouble!(Error);

fn flow_files() -> [RepoPath; 2] {
    LIFECYCLES.map(Lifecycle::overlay_path)
}

const LIFECYCLES: [Lifecycle; 2] = [Lifecycle::Initial, Lifecycle::Launched];

impl Trust {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        let needs_project = !self.list && !self.all;
        match needs_project.then(|| uninitialised::require(ctx, "trust", format, NOT_INITIALIZED)) {
            Some(Err(exit)) => exit,
            Some(Ok(_)) | None => finish(ctx, "trust", format, self.act(ctx)),
        }
    }

    fn act(&self, ctx: &Context) -> Result<Trusted, Error> {
        let repository = ctx.repository()?.ok_or(Error::NeedsRepository)?;
        let file = record_file(repository);
        if self.list {
            return self.answer(repository, &read(&file), Vec::new(), Vec::new());
        }
        if self.revoke && self.files.is_empty() && !self.all {
            return Err(Error::NothingNamed);
        }
        let named = self.named(ctx)?;
        let _lock = Lock::acquire(&lock_rule(ctx, repository, &file)?).map_err(WriteError::from)?;
        let mut found = read(&file);
        let (mut trusted, mut revoked) = (Vec::new(), Vec::new());
        if self.all {
            revoked = found.record.revoke(|_| true);
        } else if self.revoke {
            for lifecycle in named {
                revoked.extend(revoke(ctx, lifecycle, &mut found.record)?);
            }
        } else {
            for lifecycle in named {
                match trust(ctx, lifecycle, &mut found.record)? {
                    Some(file) => trusted.push(file),
                    None if self.files.is_empty() => {}
                    None => return Err(Error::Missing(lifecycle.overlay_path())),
                }
            }
            if trusted.is_empty() {
                return Err(Error::NothingThere);
            }
        }
        replace_guarded(&file, &found.record.to_bytes()).map_err(|source| WriteError::Io {
            path: file.clone(),
            source,
        })?;
        self.answer(repository, &found, trusted, revoked)
    }

    /// What was done, and what is recorded now.
    fn answer(
        &self,
        repository: &Repository,
        found: &Found,
        trusted: Vec<TrustedFile>,
        revoked: Vec<Entry>,
    ) -> Result<Trusted, Error> {
        let tree = repository.work_dir().map(|top| WorkTree::new(&top));
        let recorded = |entry: &Entry| -> Result<Recorded, Error> {
            let now = match (&tree, RepoPath::new(&entry.path)) {
                (Some(tree), Ok(path)) => tree.read(&path)?,
                (None, _) | (_, Err(_)) => None,
            };
            Ok(Recorded {
                entry: entry.clone(),
                is_current: now.is_some_and(|bytes| Digest::of(&bytes).hex() == entry.digest),
            })
        };
        let records = found
            .record
            .entries()
            .iter()
            .map(recorded)
            .collect::<Result<_, _>>()?;
        Ok(Trusted {
            trusted,
            revoked,
            is_revoking: self.revoke,
            records,
            weakness: found.weakness,
        })
    }

    /// The flows whose files are named; without any, both.
    fn named(&self, ctx: &Context) -> Result<Vec<Lifecycle>, Error> {
        if self.files.is_empty() {
            return Ok(LIFECYCLES.to_vec());
        }
        let root = &ctx.place()?.root;
        let of = |file: &PathBuf| {
            let is_meant = |lifecycle: &Lifecycle| {
                let path = lifecycle.overlay_path();
                *file == path.on_disk(Path::new("")) || same_place(&ctx.cwd.join(file), &path.on_disk(root))
            };
            let name = || Error::NotAFlowFile(file.to_string_lossy().into_owned());
            LIFECYCLES.into_iter().find(is_meant).ok_or_else(name)
        };
        self.files.iter().map(of).collect()
    }
}

/// Whether two paths name one place; the last part need not be there.
fn same_place(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| Some((path.parent()?.canonicalize().ok()?, path.file_name()?.to_owned()));
    real(one).is_some_and(|place| real(other) == Some(place))
}

/// Records the flow file of a lifecycle, if there is one that can be used.
fn trust(ctx: &Context, lifecycle: Lifecycle, record: &mut Record) -> Result<Option<TrustedFile>, Error> {
    let flow = ResolvedFlow::load(&ctx.work_tree()?, lifecycle)?;
    let Some(digest) = flow.digest() else {
        return Ok(None);
    };
    let path = lifecycle.overlay_path().below(&ctx.place()?.prefix);
    let is_new = record.add(&digest, &path, ctx.now);
    Ok(Some(TrustedFile::of(&flow, &path, &digest, is_new)))
}

/// Takes out what is recorded for a flow file, by its name and by what it holds.
fn revoke(ctx: &Context, lifecycle: Lifecycle, record: &mut Record) -> Result<Vec<Entry>, Error> {
    let path = lifecycle.overlay_path();
    let held = ctx
        .work_tree()?
        .read(&path)?
        .map(|bytes| Digest::of(&bytes).hex());
    let name = path.below(&ctx.place()?.prefix).to_string();
    Ok(record.revoke(|entry| entry.path == name || Some(&entry.digest) == held.as_ref()))
}

/// The record as it is found.
struct Found {
    record: Record,
    weakness: Option<Weakness>,
}

/// The file of the record, and whether somebody else can have written it.
pub(super) fn weakness_of_record(repository: &Repository) -> (PathBuf, bool) {
    let file = record_file(repository);
    let found = read(&file);
    (file, found.weakness.is_some())
}

fn record_file(repository: &Repository) -> PathBuf {
    repository.shared_spec_dir().join("trust")
}

/// A record that somebody else can have written says nothing.
fn read(file: &Path) -> Found {
    let (record, weakness) = match read_guarded(file) {
        Guarded::Missing => (Record::default(), None),
        Guarded::Unsafe(weakness) => (Record::default(), Some(weakness)),
        Guarded::Sound(bytes) => (Record::parse(&bytes), None),
    };
    Found { record, weakness }
}

/// One `trust` at a time in all work trees of a clone.
fn lock_rule(ctx: &Context, repository: &Repository, file: &Path) -> Result<LockRule, git::Error> {
    let wait = repository.lock_timeout()?.unwrap_or(10);
    let dir = repository.shared_spec_dir();
    Ok(LockRule {
        path: file.with_extension("lock"),
        holder: "trust".to_owned(),
        wait: Duration::from_secs(wait),
        keep: dir.parent().unwrap_or(&dir).to_owned(),
        nested: ctx.env.get("GIT_SPEC_TRANSACTION").is_some(),
    })
}

impl Context {
    /// Whether the commands of a flow may run: it has no overlay, the user trusts its file, or all are trusted for this
    /// run (`GIT_SPEC_TRUST=1`).
    pub fn trusts(&self, flow: &ResolvedFlow) -> Result<bool, git::Error> {
        if !flow.overlay_applied || self.env.text("GIT_SPEC_TRUST").as_deref() == Some("1") {
            return Ok(true);
        }
        let Some(repository) = self.repository()? else {
            return Ok(false);
        };
        Ok(read(&record_file(repository)).record.trusts(flow))
    }
}
