//! Whether a change is deployed and smoke-tested, who decided it, and how far its tasks are (flow.md 10.4).

use serde::Serialize;

use super::facts::Facts;
use super::{Count, Item};
use crate::project::DeploymentFlags;
use crate::text::trim;

/// Who decided. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    Proposal,
    Tasks,
    ModuleDefault,
    LegacyFallback,
}

/// The proposal says one thing and the task list another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Not to be deployed, and yet there is a `[deploy]` section.
    Unwanted,
    /// To be deployed, and there is no `[deploy]` section.
    Missing,
}

/// The decision about deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    pub required: Option<bool>,
    pub smoke: Option<bool>,
    pub source: Source,
    /// As the proposal gives it; only where the proposal decides.
    pub reason: Option<String>,
    pub conflict: Option<Conflict>,
    pub progress: Progress,
}

/// How far the `[deploy]` section is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub count: Count,
    pub status: ProgressStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgressStatus {
    /// There is no such section.
    Unavailable,
    /// It has no task.
    Empty,
    Pending,
    Done,
}

impl Progress {
    fn of(section: Option<Count>) -> Self {
        let status = match section {
            None => ProgressStatus::Unavailable,
            Some(count) if count.total == 0 => ProgressStatus::Empty,
            Some(count) if count.is_done() => ProgressStatus::Done,
            Some(_) => ProgressStatus::Pending,
        };
        Self {
            count: section.unwrap_or_default(),
            status,
        }
    }

    /// In per cent, halves rounded up; 0 without tasks.
    pub fn percent(&self) -> usize {
        let Count { checked, total } = self.count;
        if total == 0 {
            0
        } else {
            (200 * checked + total) / (2 * total)
        }
    }
}

impl Deployment {
    /// The decision about a change, for a module that says `flags`.
    pub fn decide(facts: &Facts<'_>, flags: DeploymentFlags) -> Self {
        let section = facts.tasks.section("deploy").map(|s| s.count);
        let decision = |required, smoke, source| Self {
            required,
            smoke,
            source,
            reason: None,
            conflict: None,
            progress: Progress::of(section),
        };
        if !facts.exists() {
            return decision(None, None, Source::LegacyFallback);
        }
        let declared = facts.proposal.deployment();
        if let Some(declared) = &declared
            && let Some(required) = declared.is_required()
        {
            let conflict = match (required, section) {
                (false, Some(_)) => Some(Conflict::Unwanted),
                (true, None) => Some(Conflict::Missing),
                (true, Some(_)) | (false, None) => None,
            };
            return Self {
                reason: declared.reason().map(str::to_owned),
                conflict,
                ..decision(Some(required), declared.smoke_required(), Source::Proposal)
            };
        }
        if section.is_some_and(|count| count.total > 0) {
            return decision(Some(true), flags.smoke_required, Source::Tasks);
        }
        if flags.deployment_required == Some(false) || flags.smoke_required == Some(false) {
            return decision(
                flags.deployment_required,
                flags.smoke_required,
                Source::ModuleDefault,
            );
        }
        decision(Some(false), Some(false), Source::LegacyFallback)
    }
}

/// The items of `[deploy]`, texts trimmed.
pub fn deploy_tasks(facts: &Facts<'_>) -> Vec<Item> {
    let items = facts.tasks.section("deploy").map_or(&[][..], |s| &s.items);
    let trimmed = |item: &Item| Item {
        text: trim(&item.text).to_owned(),
        ..item.clone()
    };
    items.iter().map(trimmed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;
    use crate::project::Slug;

    fn decide(proposal: &str, tasks: &str, flags: DeploymentFlags) -> Deployment {
        let tree = MemoryTree::new([
            ("logos/changes/x/proposal.md", proposal),
            ("logos/changes/x/tasks.md", tasks),
        ]);
        let slug = Slug::lexical("x").expect("a name");
        Deployment::decide(&Facts::read(&tree, &slug).expect("memory can be read"), flags)
    }

    const YES: &str = "## 部署影响\n- 是否需要部署：是\n";

    #[test]
    fn what_the_proposal_decides_the_tasks_must_bear_out() {
        let none = DeploymentFlags::default();
        assert_eq!(decide(YES, "", none).conflict, Some(Conflict::Missing));
        assert_eq!(decide(YES, "## [deploy]\n", none).conflict, None);
        let no = YES.replace("：是", "：否");
        let unwanted = decide(&no, "## [deploy]\n", none);
        assert_eq!(
            (unwanted.conflict, unwanted.smoke),
            (Some(Conflict::Unwanted), None)
        );
        assert_eq!(decide(&no, "", none).conflict, None);
    }

    #[test]
    fn without_a_decision_tasks_and_then_the_module_decide() {
        let flags = |deployment_required, smoke_required| DeploymentFlags {
            deployment_required,
            smoke_required,
        };
        let told = |tasks: &str, flags| {
            let d = decide("", tasks, flags);
            (d.required, d.smoke, d.source)
        };
        let task = "## [deploy]\n- [ ] a\n";
        assert_eq!(
            told(task, flags(Some(false), Some(true))),
            (Some(true), Some(true), Source::Tasks)
        );
        assert_eq!(
            told("## [deploy]\n", flags(None, Some(false))),
            (None, Some(false), Source::ModuleDefault)
        );
        assert_eq!(
            told("", flags(Some(true), None)),
            (Some(false), Some(false), Source::LegacyFallback)
        );
    }

    #[test]
    fn halves_of_a_per_cent_are_rounded_up() {
        let percent = |checked, total| Progress::of(Some(Count { checked, total })).percent();
        assert_eq!(
            (percent(1, 8), percent(1, 3), percent(2, 3), percent(1, 200)),
            (13, 33, 67, 1)
        );
    }
}
