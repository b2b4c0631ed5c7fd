//! What a job is told, made up, and the choice in short.

use std::ffi::{OsStr, OsString};

use super::graph::{Graph, hex};
use crate::ci::*;
use crate::files::{ObjectId, Unread};
use crate::text::Bytes;

/// Variables, and the content of any event file.
#[derive(Clone, Default)]
pub(super) struct Told {
    pub(super) variables: Vec<(String, OsString)>,
    pub(super) event: Option<String>,
}

impl Job for Told {
    fn variable(&self, name: &str) -> Option<OsString> {
        let mut found = self.variables.iter().rev().filter(|(n, _)| n == name);
        found.next().map(|(_, value)| value.clone())
    }

    fn event_file(&self, _: &OsStr) -> Result<Bytes, EventFault> {
        let event = self.event.as_ref().map(|event| event.clone().into_bytes());
        event.ok_or(EventFault::Unread(Unread::Missing))
    }
}

impl Told {
    pub(super) fn new(variables: &[(&str, &str)]) -> Self {
        Self::default().and(variables)
    }

    pub(super) fn and(mut self, variables: &[(&str, &str)]) -> Self {
        let more = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).into()));
        self.variables.extend(more);
        self
    }

    pub(super) fn github(name: &str, reference: &str, head: char, event: &str) -> Self {
        let mut told = Self::new(&[
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_NAME", name),
            ("GITHUB_EVENT_PATH", "/event.json"),
            ("GITHUB_REF", reference),
            ("GITHUB_SHA", &hex(head)),
        ]);
        told.event = Some(event.to_owned());
        told
    }

    pub(super) fn push(reference: &str, head: char, before: &str, forced: bool) -> Self {
        let event = format!(
            r#"{{"before": "{before}", "forced": {forced}, "repository": {{"default_branch": "main"}}}}"#
        );
        Self::github("push", reference, head, &event)
    }

    pub(super) fn gitlab(source: &str, head: char, variables: &[(&str, &str)]) -> Self {
        Self::new(&[
            ("GITLAB_CI", "true"),
            ("CI_PIPELINE_SOURCE", source),
            ("CI_COMMIT_SHA", &hex(head)),
            ("CI_DEFAULT_BRANCH", "main"),
        ])
        .and(variables)
    }

    pub(super) fn request(name: &str, head: char, source: char, target: char) -> Self {
        let event = format!(
            r#"{{"pull_request": {{"head": {{"sha": "{}"}}, "base": {{"sha": "{}", "ref": "main"}}}}}}"#,
            hex(source),
            hex(target)
        );
        Self::github(name, "refs/pull/1/merge", head, &event)
    }
}

pub(super) fn chosen(told: &Told, graph: &Graph, from_merge_base: bool) -> Result<Choice, Error> {
    choose(&Facts::of(told)?, from_merge_base, graph)
}

/// The choice as `name base..head`; an error as its kind and what it is about.
pub(super) fn of(told: &Told, graph: &Graph) -> String {
    shown(chosen(told, graph, false))
}

pub(super) fn of_merge_base(told: &Told, graph: &Graph) -> String {
    shown(chosen(told, graph, true))
}

pub(super) fn shown(choice: Result<Choice, Error>) -> String {
    let letter = |id: &ObjectId| char::from(id.as_bytes()[0]);
    match choice {
        Ok(choice) => {
            let base: String = match &choice.base {
                Base::EmptyTree => "-".to_owned(),
                Base::Commits(commits) => commits.iter().map(letter).collect(),
            };
            format!("{} {base}..{}", choice.rule.as_str(), letter(&choice.head))
        }
        Err(Error::Unanswered(gap)) => match gap.sought {
            Sought::Commit { role, id } => format!("git: {role:?} {}", letter(&id)),
            Sought::UnbornHead => "git: unborn".to_owned(),
            Sought::Branch { references, .. } => format!("git: no {}", references.join(" ")),
            Sought::MergeBase { .. } => "git: merge base hidden".to_owned(),
            Sought::CommonHistory { .. } => "git: unrelated".to_owned(),
            Sought::PreviousTag { .. } => "git: tag hidden".to_owned(),
        },
        Err(error) => format!("{:?}: {error}", error.blame()).chars().take(40).collect(),
    }
}
