//! Who runs the job (git.md 4.1).

use super::job::Told;

/// A CI provider that says what it runs for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Gitea or Forgejo, which speak as GitHub does.
    Gitea,
    GitHub,
    GitLab,
    Bitbucket,
    Azure,
    CircleCi,
    Buildkite,
    Jenkins,
}

impl Provider {
    /// All of them, in the order they are looked for.
    pub const ALL: [Self; 8] = [
        Self::Gitea,
        Self::GitHub,
        Self::GitLab,
        Self::Bitbucket,
        Self::Azure,
        Self::CircleCi,
        Self::Buildkite,
        Self::Jenkins,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gitea => "Gitea / Forgejo",
            Self::GitHub => "GitHub Actions",
            Self::GitLab => "GitLab CI",
            Self::Bitbucket => "Bitbucket Pipelines",
            Self::Azure => "Azure Pipelines",
            Self::CircleCi => "CircleCI",
            Self::Buildkite => "Buildkite",
            Self::Jenkins => "Jenkins",
        }
    }

    pub(super) fn detect(told: Told<'_>) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.is_there(told))
    }

    fn is_there(self, told: Told<'_>) -> bool {
        let is_true = |name| told.bytes(name).is_some_and(|value| value == "true");
        match self {
            Self::Gitea => is_true("GITEA_ACTIONS") || is_true("FORGEJO_ACTIONS"),
            Self::GitHub => is_true("GITHUB_ACTIONS"),
            Self::GitLab => is_true("GITLAB_CI"),
            Self::Bitbucket => told.bytes("BITBUCKET_BUILD_NUMBER").is_some(),
            Self::Azure => told
                .bytes("TF_BUILD")
                .is_some_and(|value| value.eq_ignore_ascii_case(b"true")),
            Self::CircleCi => is_true("CIRCLECI"),
            Self::Buildkite => is_true("BUILDKITE"),
            Self::Jenkins => told.bytes("JENKINS_URL").is_some(),
        }
    }

    /// What brings the whole history in the provider's own words; with `two`, what brings the parents of one commit.
    pub(super) const fn deeper(self, two: bool) -> &'static str {
        match self {
            Self::Gitea | Self::GitHub if two => "fetch-depth: 2",
            Self::Gitea | Self::GitHub => "fetch-depth: 0",
            Self::GitLab => "GIT_DEPTH: 0",
            Self::Bitbucket => "clone: depth: full",
            Self::Azure => "fetchDepth: 0",
            Self::CircleCi | Self::Buildkite | Self::Jenkins => "git fetch --unshallow",
        }
    }
}
