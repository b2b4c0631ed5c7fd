//! What a job says it runs for (git.md 4.2), each provider in its own words.

use super::error::Error;
use super::github;
use super::job::{BranchName, HEADS, Job, Origin, TAGS, Told, needed};
use super::provider::Provider;
use crate::files::ObjectId;
use crate::text::decode;

/// What a job is told, in the words of the decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub provider: Provider,
    /// The event in the provider's words; as given, so not to be shown without escaping.
    pub event: String,
    pub head: Head,
    pub kind: Kind,
}

/// The commit that the job runs for: H.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    Id(ObjectId),
    /// What is checked out.
    CheckedOut,
}

/// Why the job runs, with what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Queue {
        target: BranchName,
    },
    /// The source is H where the provider has no other name for it: S and T.
    Request {
        source: Option<ObjectId>,
        target: Target,
    },
    Tag,
    Push {
        before: Before,
        forced: bool,
        place: Place,
    },
    Other {
        place: Place,
    },
}

/// What a request goes to: T.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub id: Option<ObjectId>,
    pub branch: Option<BranchName>,
    /// Whether the id is the base itself and not the tip of the target.
    pub is_base: bool,
    /// Who was to say it.
    pub from: Origin,
}

impl Target {
    fn branch(branch: Option<BranchName>, from: &'static str) -> Self {
        Self {
            id: None,
            branch,
            is_base: false,
            from: Origin::Variable(from),
        }
    }
}

/// What the branch named before the push: B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Nothing: it is new.
    Zeros,
    Commit(ObjectId),
    Unknown,
}

/// The branch pushed to, and the default branch as far as the provider tells it: N and D.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub branch: Option<BranchName>,
    pub default: Option<BranchName>,
}

impl From<ObjectId> for Before {
    fn from(id: ObjectId) -> Self {
        if id.is_zeros() {
            Self::Zeros
        } else {
            Self::Commit(id)
        }
    }
}

/// What our own variables say in the provider's stead.
pub(super) struct Ours {
    pub(super) before: Option<ObjectId>,
    pub(super) default: Option<BranchName>,
}

impl Ours {
    pub(super) fn before_or(&self, theirs: Before) -> Before {
        self.before.map_or(theirs, Before::from)
    }

    pub(super) fn place(self, branch: Option<BranchName>, default: Option<BranchName>) -> Place {
        Place {
            branch,
            default: self.default.or(default),
        }
    }
}

impl Facts {
    /// Reads the facts of a job.
    ///
    /// # Errors
    /// For what the variables or the event file say wrongly, or fail to say.
    pub fn of(job: &dyn Job) -> Result<Self, Error> {
        let told = Told(job);
        let provider = Provider::detect(told).ok_or(Error::NoProvider)?;
        let ours = Ours {
            before: told.id("GIT_SPEC_CI_BEFORE")?,
            default: told.branch("GIT_SPEC_CI_DEFAULT_BRANCH")?,
        };
        match provider {
            Provider::Gitea | Provider::GitHub => github::facts(provider, told, ours),
            Provider::GitLab => gitlab(told, ours),
            Provider::Bitbucket => bitbucket(told, ours),
            Provider::Azure => azure(told, ours),
            Provider::CircleCi => circle_ci(told, ours),
            Provider::Buildkite => buildkite(told, ours),
            Provider::Jenkins => jenkins(told, ours),
        }
    }

    fn new(provider: Provider, event: Option<String>, head: Head, kind: Kind) -> Self {
        let event = event.unwrap_or_else(|| kind.as_str().to_owned());
        Self {
            provider,
            event,
            head,
            kind,
        }
    }
}

impl Kind {
    const fn as_str(&self) -> &'static str {
        match self {
            Self::Queue { .. } => "queue",
            Self::Request { .. } => "request",
            Self::Tag => "tag",
            Self::Push { .. } => "push",
            Self::Other { .. } => "other",
        }
    }
}

/// A word that says what happened, to be shown.
fn word(told: Told<'_>, name: &'static str) -> Option<String> {
    told.bytes(name).map(|value| decode(&value).into_owned())
}

fn gitlab(told: Told<'_>, ours: Ours) -> Result<Facts, Error> {
    const BEFORE: &str = "CI_COMMIT_BEFORE_SHA";
    const BASE: &str = "CI_MERGE_REQUEST_DIFF_BASE_SHA";
    const TRAIN_TARGET: &str = "CI_MERGE_REQUEST_TARGET_BRANCH_NAME";
    let head = Head::Id(needed(told.id("CI_COMMIT_SHA")?, "CI_COMMIT_SHA")?);
    let event = word(told, "CI_PIPELINE_SOURCE");
    let kind = if told.bytes("CI_COMMIT_TAG").is_some() {
        Kind::Tag
    } else if told
        .bytes("CI_MERGE_REQUEST_EVENT_TYPE")
        .is_some_and(|kind| kind == "merge_train")
    {
        Kind::Queue {
            target: needed(told.branch(TRAIN_TARGET)?, TRAIN_TARGET)?,
        }
    } else {
        match event.as_deref() {
            Some("merge_request_event") => Kind::Request {
                source: told.id("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")?,
                target: Target {
                    id: told.id(BASE)?,
                    branch: None,
                    is_base: true,
                    from: Origin::Variable(BASE),
                },
            },
            Some("external_pull_request_event") => {
                let source = "CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA";
                let target = "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_SHA";
                Kind::Request {
                    source: Some(needed(told.id(source)?, source)?),
                    target: Target {
                        id: told.id(target)?,
                        ..Target::branch(None, target)
                    },
                }
            }
            source => {
                let (branch, default) = (
                    told.branch("CI_COMMIT_BRANCH")?,
                    told.branch("CI_DEFAULT_BRANCH")?,
                );
                if source == Some("push") {
                    let before = needed(ours.before.or(told.id(BEFORE)?), BEFORE)?;
                    Kind::Push {
                        before: before.into(),
                        forced: false,
                        place: ours.place(branch, default),
                    }
                } else {
                    Kind::Other {
                        place: ours.place(branch, default),
                    }
                }
            }
        }
    };
    Ok(Facts::new(Provider::GitLab, event, head, kind))
}

/// A push of which the provider does not tell what was before.
fn push(ours: Ours, branch: Option<BranchName>, default: Option<BranchName>) -> Kind {
    Kind::Push {
        before: ours.before_or(Before::Unknown),
        forced: false,
        place: ours.place(branch, default),
    }
}

fn bitbucket(told: Told<'_>, ours: Ours) -> Result<Facts, Error> {
    const TARGET: &str = "BITBUCKET_PR_DESTINATION_BRANCH";
    let head = Head::Id(needed(told.id("BITBUCKET_COMMIT")?, "BITBUCKET_COMMIT")?);
    let kind = if told.bytes("BITBUCKET_TAG").is_some() {
        Kind::Tag
    } else if told.bytes("BITBUCKET_PR_ID").is_some() {
        Kind::Request {
            source: None,
            target: Target {
                id: told.id("BITBUCKET_PR_DESTINATION_COMMIT")?,
                ..Target::branch(told.branch(TARGET)?, TARGET)
            },
        }
    } else {
        push(ours, told.branch("BITBUCKET_BRANCH")?, None)
    };
    Ok(Facts::new(Provider::Bitbucket, None, head, kind))
}

fn azure(told: Told<'_>, ours: Ours) -> Result<Facts, Error> {
    const REFERENCE: &str = "BUILD_SOURCEBRANCH";
    const SOURCE: &str = "SYSTEM_PULLREQUEST_SOURCECOMMITID";
    const TARGET: &str = "SYSTEM_PULLREQUEST_TARGETBRANCH";
    let head = Head::Id(needed(told.id("BUILD_SOURCEVERSION")?, "BUILD_SOURCEVERSION")?);
    let event = word(told, "BUILD_REASON");
    let is_tag = told.bytes(REFERENCE).is_some_and(|name| name.starts_with(TAGS));
    let kind = match event.as_deref() {
        _ if is_tag => Kind::Tag,
        Some("PullRequest") => Kind::Request {
            source: Some(needed(told.id(SOURCE)?, SOURCE)?),
            target: Target::branch(told.branch_without(TARGET, HEADS)?, TARGET),
        },
        Some("IndividualCI" | "BatchedCI") => push(ours, told.branch_of_reference(REFERENCE)?, None),
        Some(_) | None => Kind::Other {
            place: ours.place(told.branch_of_reference(REFERENCE)?, None),
        },
    };
    Ok(Facts::new(Provider::Azure, event, head, kind))
}

fn circle_ci(told: Told<'_>, ours: Ours) -> Result<Facts, Error> {
    let head = Head::Id(needed(told.id("CIRCLE_SHA1")?, "CIRCLE_SHA1")?);
    let kind = if told.bytes("CIRCLE_TAG").is_some() {
        Kind::Tag
    } else {
        push(ours, told.branch("CIRCLE_BRANCH")?, None)
    };
    Ok(Facts::new(Provider::CircleCi, None, head, kind))
}

fn buildkite(told: Told<'_>, ours: Ours) -> Result<Facts, Error> {
    const COMMIT: &str = "BUILDKITE_COMMIT";
    const QUEUE: &str = "BUILDKITE_MERGE_QUEUE_BASE_BRANCH";
    const TARGET: &str = "BUILDKITE_PULL_REQUEST_BASE_BRANCH";
    let head = if told.bytes(COMMIT).is_some_and(|commit| commit == "HEAD") {
        Head::CheckedOut
    } else {
        Head::Id(needed(told.id(COMMIT)?, COMMIT)?)
    };
    let event = word(told, "BUILDKITE_SOURCE");
    let request = told.bytes("BUILDKITE_PULL_REQUEST");
    let kind = if told.bytes("BUILDKITE_TAG").is_some() {
        Kind::Tag
    } else if let Some(target) = told.branch(QUEUE)? {
        Kind::Queue { target }
    } else if request.is_some_and(|request| request != "false") {
        Kind::Request {
            source: None,
            target: Target::branch(told.branch(TARGET)?, TARGET),
        }
    } else {
        let branch = told.branch("BUILDKITE_BRANCH")?;
        let default = told.branch("BUILDKITE_PIPELINE_DEFAULT_BRANCH")?;
        if event.as_deref() == Some("webhook") {
            push(ours, branch, default)
        } else {
            Kind::Other {
                place: ours.place(branch, default),
            }
        }
    };
    Ok(Facts::new(Provider::Buildkite, event, head, kind))
}

fn jenkins(told: Told<'_>, ours: Ours) -> Result<Facts, Error> {
    const TARGET: &str = "CHANGE_TARGET";
    let head = told.id("GIT_COMMIT")?.map_or(Head::CheckedOut, Head::Id);
    let kind = if told.bytes("TAG_NAME").is_some() {
        Kind::Tag
    } else if told.bytes("CHANGE_ID").is_some() {
        Kind::Request {
            source: None,
            target: Target::branch(told.branch(TARGET)?, TARGET),
        }
    } else {
        let branch = match told.branch("BRANCH_NAME")? {
            Some(branch) => Some(branch),
            None => told.branch_without("GIT_BRANCH", b"origin/")?,
        };
        let previous = told.id("GIT_PREVIOUS_COMMIT")?;
        Kind::Push {
            before: ours.before_or(previous.map_or(Before::Zeros, Before::from)),
            forced: false,
            place: ours.place(branch, None),
        }
    };
    Ok(Facts::new(Provider::Jenkins, None, head, kind))
}
