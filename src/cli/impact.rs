//! `impact`: arguments, the stream of a range or of standard input, the verdict (change.md 8); with `--ci` of the range
//! that the CI job is about (git.md 4).

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;

use bstr::ByteSlice;

use super::{Context, Format, finish};
use crate::ci::{self, Blame, RangeLine};
use crate::files::{self, ObjectId, RepoPath};
use crate::git::{self, NameStatusOptions, Renames, Repository};
use crate::impact::{self, ArgumentFault, Error, MAX_STREAM, Verdict};
use crate::report::{self, Exit};
use crate::voice::{Fail, Say, Voice};

/// Say whether a range of commits is pure lifecycle bookkeeping
///
/// Compares the trees of two commits, or reads `git diff --no-relative --name-status -z` from standard input, and answers
/// `lifecycle_only`: true if every changed file is bookkeeping of changes, verification or the tools. What is
/// uncertain is false. The exit code is 0 for either answer.
///
/// With --ci the range is the one that the job is about, as the CI provider's variables and the event file tell it.
///
/// Example: impact --base origin/main --head HEAD --format json
#[derive(clap::Args)]
pub(super) struct Impact {
    /// Compare from this commit
    #[arg(long, value_name = "REV")]
    base: Option<OsString>,
    /// Compare to this commit
    #[arg(long, value_name = "REV")]
    head: Option<OsString>,
    /// Compare from the merge base of the two; with --ci, measure a push from a merge base too
    #[arg(long)]
    merge_base: bool,
    /// Read the list of changes from standard input; no repository is needed
    #[arg(long)]
    stdin: bool,
    /// With --stdin: the folder of the project from the top level
    #[arg(long, value_name = "DIR")]
    prefix: Option<OsString>,
    /// Take the range that this CI job is about: a push, a request, a merge queue, a tag
    #[arg(long)]
    ci: bool,
    /// json: one line for programs; github: text, and `lifecycle_only` into `$GITHUB_OUTPUT`
    #[arg(long, value_name = "FORMAT")]
    format: Option<OsString>,
}

/// What is to be judged, once the arguments are in order.
enum Subject {
    Stdin { prefix: RepoPath },
    Range { base: String, head: String },
    Job,
}

/// No verdict.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Impact(#[from] Error),
    #[error(transparent)]
    Range(#[from] ci::Error),
}

impl From<git::Error> for Failure {
    fn from(error: git::Error) -> Self {
        Self::Impact(error.into())
    }
}

impl Say for Failure {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Impact(error) => error.say(voice),
            Self::Range(error) => error.say(voice),
        }
    }
}

impl Fail for Failure {
    fn code(&self) -> &'static str {
        match self {
            Self::Impact(error) => error.code(),
            Self::Range(error) => match error.blame() {
                Blame::Input => "IMPACT_INPUT_INVALID",
                Blame::Git => "IMPACT_GIT_DIFF_FAILED",
            },
        }
    }
}

impl Impact {
    pub(super) fn run(self, context: &Context) -> Exit {
        let format = Format::of(self.format.as_deref().and_then(|f| f.to_str()));
        let result = self.judge(context).and_then(|answer| {
            if format == Format::Github {
                tell_github(context, &answer.verdict)?;
            }
            Ok(answer)
        });
        finish(context, "impact", format, result)
    }

    fn judge(&self, context: &Context) -> Result<report::Impact, Failure> {
        let verdict = match self.subject(context.project_option())? {
            Subject::Stdin { prefix } => {
                let mut stream = Vec::new();
                io::stdin()
                    .lock()
                    .read_to_end(&mut stream)
                    .map_err(Error::Input)?;
                Verdict::of(&stream, &prefix)
            }
            Subject::Range { base, head } => judge_range(context, &base, &head, self.merge_base)?,
            Subject::Job => return judge_job(context, self.merge_base),
        };
        Ok(report::Impact { verdict, range: None })
    }

    /// Checks the arguments in the order of change.md 8.1.
    fn subject(&self, project: Option<&str>) -> Result<Subject, Error> {
        let (base, head) = (self.base.as_ref(), self.head.as_ref());
        let ranged = base.is_some() || head.is_some();
        let fault = if self.ci && (ranged || self.stdin || self.prefix.is_some()) {
            Some(ArgumentFault::CiWithRange)
        } else if self.stdin && ranged {
            Some(ArgumentFault::StdinWithRange)
        } else if !self.ci && !self.stdin && !ranged {
            Some(ArgumentFault::Nothing)
        } else if self.merge_base && base.is_none() && !self.ci {
            Some(ArgumentFault::MergeBaseWithoutBase)
        } else if base.is_some() != head.is_some() {
            Some(ArgumentFault::HalfARange)
        } else if self.prefix.is_some() && !self.stdin {
            Some(ArgumentFault::PrefixWithoutStdin)
        } else {
            None
        };
        if let Some(fault) = fault {
            return Err(Error::Arguments(fault));
        }
        match (base, head) {
            (Some(base), Some(head)) => Ok(Subject::Range {
                base: revision("base", base)?,
                head: revision("head", head)?,
            }),
            _ if self.ci => Ok(Subject::Job),
            _ => {
                let named = project.map(OsStr::new);
                let given = self.prefix.as_deref().or(named).unwrap_or_default();
                let given = <[u8]>::from_os_str(given)
                    .ok_or_else(|| Error::Prefix(files::InvalidPath(given.to_string_lossy().into_owned())))?;
                Ok(Subject::Stdin {
                    prefix: impact::prefix(given)?,
                })
            }
        }
    }
}

/// A revision that may be looked up. Names that are not UTF-8 are told as unknown by the look-up.
fn revision(option: &'static str, value: &OsString) -> Result<String, Error> {
    let value = value.to_string_lossy().into_owned();
    if value.is_empty() || value.starts_with('-') {
        return Err(Error::Revision { option, value });
    }
    Ok(value)
}

fn judge_range(context: &Context, base: &str, head: &str, merge_base: bool) -> Result<Verdict, Error> {
    let repository = context.repository()?.ok_or(git::Error::NotARepository)?;
    let base = commit(repository, "base", base)?;
    let head = commit(repository, "head", head)?;
    let bases = if merge_base {
        match repository.merge_bases(base, head) {
            Err(git::Error::Shallow { boundary }) => {
                return Err(Error::HiddenBase {
                    one: base,
                    other: head,
                    boundary,
                });
            }
            found => found?,
        }
    } else {
        vec![base]
    };
    let bases = bases.into_iter().map(Some);
    let (_, verdict) = judge_from(context, repository, bases, head)?;
    Ok(verdict)
}

fn judge_job(context: &Context, merge_base: bool) -> Result<report::Impact, Failure> {
    let choice = super::ci::choose(context, merge_base)?;
    let repository = context.repository()?.ok_or(git::Error::NotARepository)?;
    let (base, verdict) = judge_from(context, repository, choice.bases(), choice.head)?;
    let range = RangeLine {
        choice,
        base,
        now: context.now,
    };
    Ok(report::Impact {
        verdict,
        range: Some(range),
    })
}

/// Judges from each base, of which there is at least one and none is the empty tree: the first that speaks against it
/// answers, else the first (git.md 4.3).
fn judge_from(
    context: &Context,
    repository: &Repository,
    bases: impl IntoIterator<Item = Option<ObjectId>>,
    head: ObjectId,
) -> Result<(Option<ObjectId>, Verdict), Error> {
    let prefix = if let Some(named) = context.project_option() {
        impact::prefix(named.as_bytes())?
    } else {
        let told = ["GIT_DIR", "GIT_WORK_TREE"];
        repository.show_prefix(told.iter().any(|name| context.env.get(name).is_some()))?
    };
    let head = repository.tree_of(head)?;
    let mut answer = None;
    for base in bases {
        let tree = match base {
            Some(base) => repository.tree_of(base)?,
            None => repository.empty_tree(),
        };
        let verdict = Verdict::of(&stream(repository, tree, head)?, &prefix);
        if !verdict.lifecycle_only {
            return Ok((base, verdict));
        }
        answer.get_or_insert((base, verdict));
    }
    Ok(answer.expect("there is at least one base"))
}

fn commit(repository: &Repository, option: &'static str, revision: &str) -> Result<ObjectId, Error> {
    if ObjectId::from_hex(revision).is_some_and(|id| id.is_zeros()) {
        return Err(Error::Zeros { option });
    }
    repository.commit_id(revision).map_err(|missing| {
        match repository.shallow_boundary().map(|ids| ids.first().copied()) {
            Ok(Some(boundary)) => Error::CutOff {
                missing: Box::new(missing),
                boundary,
            },
            // A boundary that cannot be read adds nothing to what is missing.
            Ok(None) | Err(_) => Error::Git(missing),
        }
    })
}

/// The difference of two trees as plumbing with fixed options has it (change.md 8.2).
fn stream(repository: &Repository, base: ObjectId, head: ObjectId) -> Result<Vec<u8>, Error> {
    let found = repository.name_status(base, head, NameStatusOptions::new(Renames::Renames));
    let changes = match found {
        // The verdict is the same with any renames (8.5).
        Err(git::Error::Blob { .. }) => {
            repository.name_status(base, head, NameStatusOptions::new(Renames::Exact))?
        }
        found => found?,
    };
    if git::name_status_len(&changes) > MAX_STREAM {
        return Err(Error::TooLong);
    }
    Ok(git::name_status_stream(&changes))
}

/// Hands the verdict to the steps of a workflow that follow.
fn tell_github(context: &Context, verdict: &Verdict) -> Result<(), Error> {
    let Some(path) = context.env.get("GITHUB_OUTPUT").filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let line = format!("lifecycle_only={}\n", verdict.lifecycle_only);
    files::append(Path::new(&path), &line).map_err(|source| Error::Output {
        path: path.to_string_lossy().into_owned(),
        source,
    })
}
