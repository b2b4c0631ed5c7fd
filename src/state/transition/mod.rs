//! The transitions of STATE.md (state.md 6, 7; seed 002): each changes the body and declares what it means for the front
//! matter; [`transition_core`] does the rest. Nothing here reads a file, the clock or the environment.

mod advance;
mod begin;
mod complete;
mod milestone;
mod patch;
mod prune;
mod sync;

use serde::Serialize;

pub use advance::Advanced;
pub use begin::{Begun, Planned};
pub use complete::{Completed, Next};
pub use milestone::{Closed, Switched};
pub use patch::{Patched, Updated, is_field_name};
pub use prune::{ARCHIVE, Archived, Pruned};
pub use sync::{Synced, bar};

pub(super) use prune::is_decisions;

use super::append::{self, Appended};
use super::body::Body;
use super::derive::{Derived, Moment};
use super::error::Error;
use super::front::{FrontMatter, Parts};
use super::meaning;
use super::planning::{Planning, Warning};
use super::settle::{Disagreement, Touch, settle};
use crate::text::{is_blank, is_space};

/// What is to be done; values are as they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    BeginPhase {
        phase: String,
        name: Option<String>,
        plans: Option<u64>,
    },
    AdvancePlan,
    CompletePhase {
        phase: String,
        next: Next,
    },
    /// Only marks the phase, the current one by default.
    MarkPhase {
        phase: Option<String>,
    },
    PlannedPhase {
        phase: String,
        name: Option<String>,
        plans: Option<u64>,
    },
    MilestoneSwitch {
        version: String,
        name: Option<String>,
    },
    MilestoneComplete {
        version: String,
        next_command: String,
    },
    /// Fields and their new values.
    Patch(Vec<(String, String)>),
    Update {
        field: String,
        value: String,
    },
    Sync {
        verify: bool,
    },
    Prune {
        keep_recent: u64,
        dry_run: bool,
    },
    UpdateProgress,
    Append(append::Entry),
}

/// What was done, as it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Done {
    Begun(Begun),
    Advanced(Advanced),
    Completed(Completed),
    Planned(Planned),
    Switched(Switched),
    Closed(Closed),
    Patched(Patched),
    Updated(Updated),
    Synced(Synced),
    Pruned(Pruned),
    Appended(Appended),
}

/// What a transition may ask.
#[derive(Clone, Copy)]
pub struct Deps<'a> {
    pub planning: &'a Planning<'a>,
    pub moment: &'a Moment,
    /// Text of the archive that `prune` appends to, if there is one.
    pub archive: Option<&'a str>,
}

/// A text with the changes that were made to it so far.
pub(super) struct Draft {
    pub body: Body,
    /// The stored front matter.
    pub front: FrontMatter,
    pub touch: Touch,
    /// Takes the place of all that was stored and could be derived.
    pub anew: Option<FrontMatter>,
    pub archive: Option<String>,
}

/// What a transition comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub done: Done,
    /// The new text; none if no byte changes.
    pub content: Option<String>,
    /// The new text of the archive.
    pub archive: Option<String>,
    pub disagreements: Vec<Disagreement>,
    pub warnings: Vec<Warning>,
}

/// The one way in which STATE.md changes.
///
/// # Errors
/// If the intent does not fit the document, or roadmap or disk cannot be read. Nothing is written here in any case.
pub fn transition_core(content: &str, intent: &Intent, deps: &Deps<'_>) -> Result<Outcome, Error> {
    let parts = Parts::of(content);
    let before = Body::of(parts.body, content);
    let stored = parts.front.unwrap_or_default();
    let mut draft = Draft {
        body: before.clone(),
        front: stored.clone(),
        touch: Touch::default(),
        anew: None,
        archive: None,
    };
    let closes = matches!(intent, Intent::CompletePhase { .. } | Intent::MarkPhase { .. });
    if parts.unclosed && closes {
        return Err(Error::FrontMatterUnreadable);
    }
    let mut done = intent.apply(&mut draft, deps)?;
    if let Some(unfit) = draft.body.unfit() {
        return Err(Error::Unfit(unfit.clone()));
    }
    if let Some(updated) = done.updated_mut() {
        *updated = changed_labels(&before, &draft.body);
    }
    // Blanks at the end are nobody's: they are never written.
    let unchanged = draft.anew.is_none() && draft.front == stored && written(&draft.body) == written(&before);
    if unchanged {
        return Ok(Outcome {
            done,
            content: None,
            archive: None,
            disagreements: Vec::new(),
            warnings: Vec::new(),
        });
    }
    let (front, disagreements, warnings) = if let Some(anew) = draft.anew {
        (anew, Vec::new(), Vec::new())
    } else {
        let derived = Derived::of(&draft.body, &draft.front, deps.planning, deps.moment)?;
        let bodies = (&before, &draft.body);
        let (front, disagreements) = settle(&draft.front, &derived, bodies, &draft.touch);
        (front, disagreements, derived.progress.warnings)
    };
    Ok(Outcome {
        done,
        content: Some(compose(&front, &draft.body)),
        archive: draft.archive,
        disagreements,
        warnings,
    })
}

/// Front matter and body, with the line ends of the body's document.
pub(super) fn compose(front: &FrontMatter, body: &Body) -> String {
    let end = body.line_end();
    let mut text = front.write();
    if end != "\n" {
        text = text.replace('\n', end);
    }
    let body = written(body);
    if !body.is_empty() {
        text.push_str(end);
        text.push_str(body);
        text.push_str(end);
    }
    text
}

/// What of a body is written, before its last line end.
fn written(body: &Body) -> &str {
    body.text().trim_end_matches(is_space)
}

impl Intent {
    fn apply(&self, draft: &mut Draft, deps: &Deps<'_>) -> Result<Done, Error> {
        Ok(match self {
            Self::BeginPhase { phase, name, plans } => {
                Done::Begun(begin::begin(draft, deps.moment, phase, name.as_deref(), *plans))
            }
            Self::AdvancePlan => Done::Advanced(advance::advance(draft, deps.moment)?),
            Self::CompletePhase { phase, next } => {
                Done::Completed(complete::complete(draft, deps, phase, next)?)
            }
            Self::MarkPhase { phase } => {
                Done::Completed(complete::mark(draft, deps.moment, phase.as_deref())?)
            }
            Self::PlannedPhase { phase, name, plans } => {
                Done::Planned(begin::planned(draft, deps.moment, phase, name.as_deref(), *plans))
            }
            Self::MilestoneSwitch { version, name } => {
                Done::Switched(milestone::switch(draft, deps.moment, version, name.as_deref())?)
            }
            Self::MilestoneComplete {
                version,
                next_command,
            } => Done::Closed(milestone::close(draft, deps.moment, version, next_command)?),
            Self::Patch(fields) => Done::Patched(patch::patch(draft, fields)?),
            Self::Update { field, value } => Done::Updated(patch::update(draft, field, value)?),
            Self::Sync { verify } => Done::Synced(sync::sync(draft, deps, *verify)?),
            Self::Prune { keep_recent, dry_run } => {
                Done::Pruned(prune::prune(draft, deps, *keep_recent, *dry_run))
            }
            Self::UpdateProgress => Done::Appended(append::update_progress(draft, deps)?),
            Self::Append(entry) => Done::Appended(append::append(draft, deps.moment, entry)?),
        })
    }
}

impl Done {
    /// The list of labels, where the answer has one that is computed.
    fn updated_mut(&mut self) -> Option<&mut Vec<&'static str>> {
        match self {
            Self::Begun(done) => Some(&mut done.updated),
            Self::Advanced(done) => Some(done.updated_mut()),
            Self::Completed(done) => Some(&mut done.updated),
            Self::Planned(done) => Some(&mut done.updated),
            Self::Closed(done) => Some(&mut done.updated),
            Self::Switched(_)
            | Self::Patched(_)
            | Self::Updated(_)
            | Self::Synced(_)
            | Self::Pruned(_)
            | Self::Appended(_) => None,
        }
    }
}

/// The labels that `updated` may name, in its order.
pub const LABELS: [&str; 16] = [
    "Phase",
    "Plan",
    "Status",
    "Last activity",
    "Progress",
    "Current focus",
    "Current Phase",
    "Current Phase Name",
    "Current Plan",
    "Total Plans in Phase",
    "Total Phases",
    "Completed Phases",
    "Last Activity Description",
    "Stopped at",
    "Resume file",
    "Last session",
];

/// The labels whose value differs.
pub fn changed_labels(before: &Body, after: &Body) -> Vec<&'static str> {
    LABELS
        .into_iter()
        .filter(|label| before.value(label) != after.value(label))
        .collect()
}

/// The current phase for whoever asks: stored, else of the body (state.md 7, 8; #1760).
pub(super) fn current_phase(front: &FrontMatter, body: &Body) -> Option<String> {
    front
        .stored("current_phase")
        .or_else(|| meaning::current_phase(body))
        .filter(|phase| !is_blank(phase))
        .map(str::to_owned)
}
