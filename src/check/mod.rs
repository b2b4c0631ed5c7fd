//! Judges the way from one tree to the next: whether documents change only as merged deltas change them, whether ids,
//! archive and markers stay what they are (git.md 2). From objects alone; nothing is taken from messages or environment.

mod archive;
mod definitions;
mod documents;
mod markers;
mod merged;
mod own;
pub mod policy;
mod registries;
mod replay;
mod result;
pub mod rules;
mod run;
mod step;
mod words;

pub use policy::Policy;
pub use run::{Asked, Judgement, Range};

use std::collections::BTreeSet;

use crate::change::ui::UiFinding;
use crate::files::{ObjectId, ReadError, RepoPath};
use crate::finding::{Finding, Location, Severity, SourceLine};
use crate::git;
use crate::lint;
use crate::say;
use crate::text::escape;
use words::Message;

/// A finding of the range check. Its location is from the top level of the repository.
#[derive(Debug)]
pub struct Found {
    pub finding: Finding,
    /// The prefix of its project.
    pub project: RepoPath,
    /// The change that it is about.
    pub change: Option<String>,
    /// An id, or the code of a conflict.
    pub item: Option<String>,
}

/// What could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no project at `{}`", escape(&.0.text()))]
    NoProject(RepoPath),
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Lint(#[from] lint::Error),
}

impl crate::voice::Say for Error {
    fn say(&self, voice: &crate::voice::Voice) -> String {
        match self {
            Self::NoProject(project) => {
                let project = project.text();
                let project = escape(&project);
                say!(
                    voice,
                    "`--project {project}`: nothing that is looked at has a project there",
                    "`--project {project}`：所查看的内容中没有该项目"
                )
            }
            Self::Git(error) => error.say(voice),
            Self::Read(error) => error.say(voice),
            Self::Lint(error) => error.say(voice),
        }
    }
}

/// Gathers findings of one project and one commit.
struct Report<'a> {
    policy: &'a Policy,
    commit: Option<ObjectId>,
    project: &'a RepoPath,
    found: Vec<Found>,
}

/// What a finding is about beside its place.
#[derive(Default)]
struct About {
    line: Option<SourceLine>,
    change: Option<String>,
    item: Option<String>,
    draft: bool,
}

impl<'a> Report<'a> {
    const fn new(policy: &'a Policy, commit: Option<ObjectId>, project: &'a RepoPath) -> Self {
        Self {
            policy,
            commit,
            project,
            found: Vec::new(),
        }
    }

    /// Whether findings of a rule are told at all.
    fn counts(&self, code: &'static str) -> bool {
        self.policy.severity(code, false).is_some()
    }

    /// Adds a finding at a path of the project, unless its rule is off.
    fn add(&mut self, code: &'static str, path: &RepoPath, message: Message, about: About) {
        let fix = message.cure();
        self.add_said(code, path, Box::new(message), fix, about);
    }

    fn add_said(
        &mut self,
        code: &'static str,
        path: &RepoPath,
        message: Box<dyn crate::voice::Say>,
        fix: Option<Box<dyn crate::voice::Say>>,
        about: About,
    ) {
        let Some(severity) = self.policy.severity(code, about.draft) else {
            return;
        };
        self.found.push(Found {
            finding: Finding {
                code,
                severity,
                at: Location {
                    commit: self.commit,
                    path: path.below(self.project),
                    line: about.line,
                },
                message,
                fix,
            },
            project: self.project.clone(),
            change: about.change,
            item: about.item,
        });
    }
}

/// Every name under which `spec.rule.*` knows a finding or a group, with `-`.
pub fn rule_names() -> Vec<String> {
    let codes = codes().into_iter().map(|code| code.replace('_', "-"));
    codes
        .chain(rules::GROUPS.iter().map(|group| (*group).to_owned()))
        .collect()
}

/// Every code that a finding can have.
pub(crate) fn codes() -> BTreeSet<&'static str> {
    use crate::merge::ConflictCode;
    let own = rules::own_codes();
    let lint = lint::Code::ALL.iter().map(|code| code.as_str());
    let ui = UiFinding::ALL.iter().map(|finding| finding.as_str());
    let merge = ConflictCode::ALL.iter().map(|code| code.as_warning());
    own.chain(lint).chain(ui).chain(merge).collect()
}

/// Sorts as they are shown: by commit as walked, then path, line, code, item.
pub fn sort(found: &mut [Found], walked: &[ObjectId]) {
    let place = |commit: Option<ObjectId>| {
        commit.map_or(usize::MAX, |id| {
            walked.iter().position(|w| *w == id).unwrap_or(usize::MAX - 1)
        })
    };
    found.sort_by(|a, b| {
        let at = |f: &Found| {
            (
                place(f.finding.at.commit),
                f.finding.at.path.clone(),
                f.finding.at.line.as_ref().map(|line| line.number),
                f.finding.code,
            )
        };
        at(a).cmp(&at(b)).then_with(|| {
            let item = |f: &Found| f.item.clone().unwrap_or_default();
            crate::text::natural_cmp(&item(a), &item(b))
        })
    });
}

/// Whether nothing of this is an error; with `strict`, whether there is nothing.
pub fn passes(found: &[Found], strict: bool) -> bool {
    !found
        .iter()
        .any(|f| strict || f.finding.severity == Severity::Error)
}
