//! `import`: reports of test frameworks as rows of the ledger (verify.md 15).

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use super::trouble::{Trouble, through_trouble};
use super::uninitialised::{self, NOT_INITIALIZED};
use super::{Context, Exit, Format, finish};
use crate::files::{self, Kind, RepoPath, Resolved, Tree, Unread, WriteError, Writer, open_regular};
use crate::project::{Config, layout};
use crate::report::import::Import as Answer;
use crate::say;
use crate::text::{Bytes, escape};
use crate::verify::cases::Cases;
use crate::verify::import::{self, Collector, KnownCases};
use crate::voice::{Fail, Say, Voice};

/// Write the results of test reports into the ledger
///
/// Reads what test frameworks report (the XML of `JUnit`, TAP, the JSON of go test, nextest, Playwright, Vitest and Jest) and
/// writes a row for every case id that a test names: in a `case-id` property, in its own name, or in a title around it.
/// The ledger is replaced, or appended to with --append. On an error nothing is written.
///
/// Example: import --from junit target/nextest/ci/junit.xml
#[derive(clap::Args)]
pub(super) struct Import {
    /// auto, junit, pytest-junit, tap, go-test-json, nextest-json, playwright-json or vitest-json (also Jest)
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = report_format)]
    from: import::Format,
    /// The ledger to write, inside the project; else the one that the config names
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Keep the rows that the ledger has
    #[arg(long)]
    append: bool,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// The reports
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

fn report_format(name: &str) -> Result<import::Format, String> {
    import::Format::named(name).ok_or_else(|| {
        let names = import::Format::ALL.map(import::Format::as_str);
        format!("it is none of {}", names.join(", "))
    })
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Import(#[from] import::Error),
    #[error("`{}` lies outside the project", escape(.0))]
    OutOutside(String),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Import(error) => error.say(voice),
            Self::OutOutside(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "`{path}` lies outside the project: a ledger is a file of it",
                    "`{path}` 位于项目之外：台账必须是项目中的文件"
                )
            }
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Import(error) => error.code(),
            Self::OutOutside(_) => "CONFIG_PATH_INVALID",
            Self::Trouble(error) => error.code(),
        }
    }
}

impl Import {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        match uninitialised::require(ctx, "import", format, NOT_INITIALIZED) {
            Ok(tree) => finish(ctx, "import", format, self.import(ctx, &tree)),
            Err(exit) => exit,
        }
    }

    fn import(&self, ctx: &Context, tree: &dyn Tree) -> Result<Answer, Error> {
        let out = self.ledger(ctx, tree)?;
        let known = KnownCases::from(&Cases::read(tree)?);
        let mut collector = Collector::new(&known, ctx.now);
        for path in &self.files {
            let file = path.to_string_lossy().into_owned();
            let report = open(&ctx.cwd.join(path), &file)?;
            import::read(report, self.from, &file, &mut collector)?;
        }
        let mut imported = collector.finish();
        let writer = ctx.writer("import")?;
        let ledger = std::mem::take(&mut imported.ledger);
        let appended = self.append && writer.tree().entry(&out)?.is_some();
        if appended {
            append(&writer, &out, ledger)?;
        } else {
            writer.write(&out, ledger)?;
        }
        Ok(Answer {
            out,
            files: self.files.len(),
            appended,
            imported,
        })
    }

    /// Where the rows go: the option from the current folder, the config's from the root.
    fn ledger(&self, ctx: &Context, tree: &dyn Tree) -> Result<RepoPath, Error> {
        if let Some(out) = &self.out {
            let outside = || Error::OutOutside(out.to_string_lossy().into_owned());
            let root = &ctx.place()?.root;
            let here = if out.is_absolute() {
                PathBuf::new()
            } else {
                ctx.start_folder(root)
            };
            let full = without_dots(&here.join(out)).ok_or_else(outside)?;
            let below = full.strip_prefix(root).ok().and_then(RepoPath::from_disk);
            return below.filter(|below| !below.is_root()).ok_or_else(outside);
        }
        let config = Config::load(tree)?;
        let named = config
            .as_ref()
            .and_then(|config| config.verify_text("result_path"));
        let named = named.unwrap_or(layout::TEST_RESULTS);
        let inside = RepoPath::normalised(named).filter(|path| !path.is_root());
        inside.ok_or_else(|| Error::OutOutside(named.to_owned()))
    }
}

/// A path without `.` and `..`, by its words alone; none if it leads above its beginning.
fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if !out.pop() => return None,
            Component::CurDir | Component::ParentDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    Some(out)
}

fn open(path: &Path, file: &str) -> Result<File, import::Error> {
    open_regular(path).map_err(|unread| match unread {
        Unread::Missing | Unread::NotAFile | Unread::TooLong => import::Error::Missing(file.to_owned()),
        Unread::Io(e) => import::Error::Parse {
            file: file.to_owned(),
            fault: import::Fault {
                line: 1,
                reason: import::Reason::Io(e.to_string()),
            },
        },
    })
}

/// Whole lines in one write, so that other writers' lines stay whole.
fn append(writer: &Writer, out: &RepoPath, rows: Bytes) -> Result<(), Error> {
    let tree = writer.tree();
    let is_own = matches!(tree.resolve(out)?, Resolved::Inside { path, kind: Kind::File } if path == *out);
    if !is_own {
        return Err(WriteError::NotAFile { path: out.clone() }.into());
    }
    if rows.is_empty() {
        return Ok(());
    }
    let path = out.on_disk(tree.root());
    let rows = String::from_utf8(rows).expect("they are JSON");
    files::append(&path, &rows).map_err(|source| WriteError::Io { path, source })?;
    Ok(())
}
