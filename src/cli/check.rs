//! `check`: the arguments of a range check, what they name in the repository, the judgement (git.md 2).

use super::{Context, Format, complain, fail, finish_findings};
use crate::check::policy::BadRule;
use crate::check::{self, Asked, Judgement, Policy, Range};
use crate::ci::{self, Blame, Choice, RangeLine, Rule};
use crate::files::{ObjectId, ReadError, RepoPath};
use crate::git::{self, Repository, Without};
use crate::report::{self, CheckMode, Exit};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Invocation, Say, Voice};

/// Judge a range of commits: documents change only as merged deltas change them
///
/// Reads objects only: it works in a bare repository, and takes nothing from messages or the environment. Without
/// arguments the commits since the upstream branch are judged, else the tree of HEAD. Exit code 0: clean; 2: findings;
/// 1: it could not be judged.
///
/// Example: check origin/main..HEAD --format json
#[derive(clap::Args)]
pub(super) struct Check {
    /// The commits to judge, `<base>..<head>`; with three dots from the merge base
    #[arg(value_name = "RANGE")]
    range: Option<String>,
    /// Judge what is staged
    #[arg(long)]
    staged: bool,
    /// Judge a whole tree, of HEAD or of the commit given
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    tree: Option<String>,
    /// Judge the range that the environment of a CI job is about
    #[arg(long)]
    ci: bool,
    /// Judge from the merge base of the two ends
    #[arg(long)]
    merge_base: bool,
    /// Walk only first parents: a merge commit is a step from the first
    #[arg(long)]
    first_parent: bool,
    /// How to take a rule or a group: `<code>=error`, `warn` or `off`
    #[arg(long = "rule", value_name = "RULE")]
    rules: Vec<String>,
    /// Let warnings fail too
    #[arg(long)]
    strict: bool,
    /// text, json, sarif or github
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

const COMMAND: &str = "check";

/// Why there is no judgement.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("more than one of a range, `--staged`, `--tree` and `--ci` is given")]
    TwoSubjects,
    #[error("`{}` is no range of commits", escape(.0))]
    NoRange(String),
    #[error("`{}` is no rule with a severity", escape(.0))]
    BadRule(String),
    #[error("`{}` is no folder of the repository", escape(.0))]
    NoProject(String),
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Check(#[from] check::Error),
    #[error(transparent)]
    Job(#[from] ci::Error),
}

impl From<BadRule> for Error {
    fn from(BadRule(word): BadRule) -> Self {
        Self::BadRule(word)
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::Check(error.into())
    }
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::TwoSubjects => say!(
                voice,
                "name one of: a range, `--staged`, `--tree`, `--ci`",
                "请只给出其中之一：提交范围、`--staged`、`--tree`、`--ci`"
            ),
            Self::NoRange(given) => {
                let given = escape(given);
                let example = Invocation::new("check", &["origin/main..HEAD"]).say(voice);
                say!(
                    voice,
                    "`{given}` is no range of commits; name both ends: `{example}`",
                    "`{given}` 不是提交范围；请给出两端：`{example}`"
                )
            }
            Self::BadRule(given) => {
                let given = escape(given);
                say!(
                    voice,
                    "`--rule {given}`: it must be a code or a group with `=error`, `=warn` or `=off`, as `document_edited=warn`",
                    "`--rule {given}`：应为规则代码或分组加 `=error`、`=warn` 或 `=off`，例如 `document_edited=warn`"
                )
            }
            Self::NoProject(given) => {
                let given = escape(given);
                say!(
                    voice,
                    "`--project {given}` is no folder of this repository",
                    "`--project {given}` 不是此仓库的目录"
                )
            }
            Self::Git(error) => error.say(voice),
            Self::Check(error) => error.say(voice),
            Self::Job(error) => error.say_with("<base>..<head>", voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::TwoSubjects
            | Self::NoRange(_)
            | Self::BadRule(_)
            | Self::NoProject(_)
            | Self::Check(check::Error::NoProject(_))
            | Self::Git(git::Error::OptionLike { .. }) => "CHECK_INPUT_INVALID",
            Self::Git(git::Error::NotARepository) => "NOT_A_REPOSITORY",
            Self::Job(error) if error.blame() == Blame::Input => "CHECK_INPUT_INVALID",
            Self::Git(_) | Self::Check(_) | Self::Job(_) => "CHECK_GIT_FAILED",
        }
    }
}

/// What the arguments name.
enum Subject {
    Nothing,
    Range(Span),
    Staged,
    Tree(ObjectId),
    Job(Choice),
}

/// The ends of a range.
struct Span {
    /// Excluded with what lies before; none excludes nothing.
    without: Without<'static>,
    /// The tree that the result is compared with; none is the empty one.
    base: Option<ObjectId>,
    head: ObjectId,
}

fn without(commit: Option<ObjectId>) -> Without<'static> {
    Without {
        commits: commit.into_iter().collect(),
        ..Without::default()
    }
}

impl Check {
    pub(super) fn run(self, context: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        match self.judge(context) {
            Ok((answer, line)) => {
                if let Some(line) = line.filter(|_| matches!(format, Format::Text | Format::Github)) {
                    complain(&line.say(context.voice()));
                }
                for warning in answer
                    .judgement
                    .warnings
                    .iter()
                    .filter(|_| format == Format::Text)
                {
                    complain(&format!("git-spec: {}", warning.say(context.voice())));
                }
                finish_findings(context, COMMAND, format, &RepoPath::root(), &answer)
            }
            Err(error) => fail(context, COMMAND, format, &error),
        }
    }

    fn judge(&self, context: &Context) -> Result<(report::Check, Option<RangeLine>), Error> {
        let mut policy = Policy::new(&self.rules, self.strict)?;
        let project = match context.project_option() {
            None => None,
            Some(given) => Some(RepoPath::new(given).map_err(|_| Error::NoProject(given.to_owned()))?),
        };
        let repository = context.repository()?.ok_or(git::Error::NotARepository)?;
        policy.add_git(repository);
        let asked = Asked {
            repository,
            policy,
            project,
        };
        let mut answer = report::Check {
            judgement: Judgement::default(),
            mode: CheckMode::Range,
            base: None,
            head: None,
            chosen_by: None,
            strict: self.strict,
        };
        let mut line = None;
        match self.subject(context, repository)? {
            Subject::Nothing => {}
            Subject::Range(span) => self.judge_span(&asked, &span, &mut answer)?,
            Subject::Job(choice) => {
                answer.chosen_by = Some(choice.rule.as_str());
                let base = choice.bases()[0];
                if choice.rule == Rule::NoRange {
                    (answer.mode, answer.head) = (CheckMode::Tree, Some(choice.head));
                    answer.judgement = asked.judge_tree(choice.head)?;
                } else {
                    let measured = choice.measured.as_ref().map(|measured| measured.tip);
                    let span = Span {
                        without: without(measured.or(base)),
                        base,
                        head: choice.head,
                    };
                    self.judge_span(&asked, &span, &mut answer)?;
                }
                line = Some(RangeLine {
                    choice,
                    base,
                    now: context.now,
                });
            }
            Subject::Staged => {
                let parents = repository.parents_of_index(&context.env.merged_heads())?;
                answer.mode = CheckMode::Staged;
                answer.base = parents.first().copied();
                answer.judgement = asked.judge_index(&parents)?;
            }
            Subject::Tree(commit) => {
                (answer.mode, answer.head) = (CheckMode::Tree, Some(commit));
                answer.judgement = asked.judge_tree(commit)?;
            }
        }
        Ok((answer, line))
    }

    fn judge_span(&self, asked: &Asked<'_>, span: &Span, answer: &mut report::Check) -> Result<(), Error> {
        (answer.base, answer.head) = (span.base, Some(span.head));
        if span.base != Some(span.head) {
            let commits = asked
                .repository
                .range(&[span.head], &span.without, self.first_parent)?;
            answer.judgement = asked.judge_range(&Range {
                commits,
                base: span.base,
                head: span.head,
                first_parent: self.first_parent,
                policy: span.base,
                with_result: true,
            })?;
        }
        Ok(())
    }

    fn subject(&self, context: &Context, repository: &Repository) -> Result<Subject, Error> {
        let named = [self.range.is_some(), self.staged, self.tree.is_some(), self.ci];
        if named.into_iter().filter(|named| *named).count() > 1 {
            return Err(Error::TwoSubjects);
        }
        if self.ci {
            return Ok(Subject::Job(super::ci::choose(context, self.merge_base)?));
        }
        if self.staged {
            return Ok(Subject::Staged);
        }
        if let Some(revision) = &self.tree {
            return Ok(match repository.head()? {
                None if revision == "HEAD" => Subject::Nothing,
                _ => Subject::Tree(repository.commit_id(revision)?),
            });
        }
        if let Some(range) = &self.range {
            return self.named_range(repository, range);
        }
        let Some(head) = repository.head()? else {
            return Ok(Subject::Nothing);
        };
        Ok(match repository.upstream_tip()? {
            Some(upstream) => Subject::Range(span(repository, upstream, head, self.merge_base)?),
            None => Subject::Tree(head),
        })
    }

    fn named_range(&self, repository: &Repository, range: &str) -> Result<Subject, Error> {
        let symmetric = range.split_once("...");
        let (base, head) = symmetric
            .or_else(|| range.split_once(".."))
            .ok_or_else(|| Error::NoRange(range.to_owned()))?;
        let or_head = |end: &str| {
            if end.is_empty() {
                "HEAD".to_owned()
            } else {
                end.to_owned()
            }
        };
        let head = repository.commit_id(&or_head(head))?;
        let is_zeros = matches!(base.len(), 40 | 64) && base.bytes().all(|byte| byte == b'0');
        if is_zeros {
            return Ok(Subject::Range(Span {
                without: Without::default(),
                base: None,
                head,
            }));
        }
        let side = repository.commit_id(&or_head(base))?;
        let from_merge_base = symmetric.is_some() || self.merge_base;
        Ok(Subject::Range(span(repository, side, head, from_merge_base)?))
    }
}

/// What head has and a side has not; measured from that, or from where the two parted.
fn span(
    repository: &Repository,
    side: ObjectId,
    head: ObjectId,
    from_merge_base: bool,
) -> Result<Span, Error> {
    let base = match from_merge_base {
        true => repository.merge_bases(side, head)?.first().copied(),
        false => Some(side),
    };
    Ok(Span {
        without: without(Some(side)),
        base,
        head,
    })
}
