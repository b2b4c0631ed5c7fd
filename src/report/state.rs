//! The answers of the `state` commands (state.md 7, 8).

mod text;

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::{Answer, Exit, Screen};
use crate::say;
use crate::state::front::Parts;
use crate::state::planning;
use crate::state::read::{Fields, Severity, Snapshot, Validation};
use crate::state::roadmap::Scope;
use crate::state::settle::Disagreement;
use crate::state::transition::Done;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// What one command found or did.
pub enum Told {
    Fields(Fields),
    Snapshot(Box<Snapshot>),
    /// The whole text.
    Content(String),
    Value {
        name: String,
        value: String,
    },
    Loaded(Loaded),
    Validated {
        validation: Validation,
        strict: bool,
    },
    Done(Box<Done>),
    Signaled {
        path: String,
    },
    Resumed {
        removed: bool,
    },
    Regenerated {
        backup: Option<String>,
    },
}

/// The text, and which files there are.
#[derive(Serialize)]
pub struct Loaded {
    pub state_raw: String,
    pub state_exists: bool,
    pub roadmap_exists: bool,
    pub config_exists: bool,
}

/// An answer, with what a person should know beside it.
pub struct Answered {
    pub told: Told,
    pub disagreements: Vec<Disagreement>,
    pub warnings: Vec<planning::Warning>,
    /// Front matter that never closes.
    pub unclosed: bool,
}

impl Answered {
    pub fn of(told: Told) -> Self {
        let warnings = if let Told::Fields(fields) = &told {
            fields.warnings.clone()
        } else {
            Vec::new()
        };
        Self {
            told,
            disagreements: Vec::new(),
            warnings,
            unclosed: false,
        }
    }

    /// This answer, which tells that the front matter of a text never closes, if it does not.
    #[must_use]
    pub fn warn_unclosed(self, content: &str) -> Self {
        Self {
            unclosed: Parts::of(content).unclosed,
            ..self
        }
    }
}

/// Keys of the front matter with their values; the progress block holds numbers.
#[derive(Serialize)]
pub struct FieldsData {
    #[serde(skip_serializing_if = "Option::is_none")]
    msd_state_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gsd_state_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    milestone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    milestone_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_phase: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_phase_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_plan: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paused_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_updated: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_activity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_activity_desc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state_head: Option<String>,
    #[serde(skip_serializing_if = "ProgressData::is_empty")]
    progress: ProgressData,
}

#[derive(Serialize)]
struct ProgressData {
    #[serde(skip_serializing_if = "Option::is_none")]
    total_phases: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_phases: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_plans: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_plans: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    percent: Option<u64>,
}

impl ProgressData {
    const fn is_empty(&self) -> bool {
        self.total_phases.is_none()
            && self.completed_phases.is_none()
            && self.total_plans.is_none()
            && self.completed_plans.is_none()
            && self.percent.is_none()
    }
}

impl FieldsData {
    fn of(fields: &Fields) -> Self {
        let text = |key: &str| {
            fields
                .texts
                .iter()
                .find(|(known, _)| *known == key)
                .map(|(_, text)| text.clone())
        };
        let progress = &fields.progress;
        Self {
            msd_state_version: text("msd_state_version"),
            gsd_state_version: text("gsd_state_version"),
            milestone: text("milestone"),
            milestone_name: text("milestone_name"),
            current_phase: text("current_phase"),
            current_phase_name: text("current_phase_name"),
            current_plan: text("current_plan"),
            status: text("status"),
            stopped_at: text("stopped_at"),
            paused_at: text("paused_at"),
            last_updated: text("last_updated"),
            last_activity: text("last_activity"),
            last_activity_desc: text("last_activity_desc"),
            state_head: text("state_head"),
            progress: ProgressData {
                total_phases: progress.total_phases,
                completed_phases: progress.completed_phases,
                total_plans: progress.total_plans,
                completed_plans: progress.completed_plans,
                percent: progress.percent,
            },
        }
    }
}

/// One finding of `validate`.
#[derive(Serialize)]
pub struct WarningData {
    code: &'static str,
    severity: &'static str,
    message: String,
    hint: String,
}

/// The data of every command of the group, each in its own shape.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Data {
    Fields(Box<FieldsData>),
    Snapshot(Box<Snapshot>),
    Content {
        content: String,
    },
    /// One key, the name that was asked for.
    Value(BTreeMap<String, String>),
    Loaded {
        state_raw: String,
        state_exists: bool,
        roadmap_exists: bool,
        config_exists: bool,
    },
    Validated {
        valid: bool,
        warnings: Vec<WarningData>,
        #[serde(skip_serializing_if = "Option::is_none")]
        scope: Option<&'static str>,
    },
    Done(Box<Done>),
    Signaled {
        signaled: bool,
        path: String,
    },
    Resumed {
        resumed: bool,
        removed: bool,
    },
    Regenerated {
        regenerated: bool,
        backup: Option<String>,
    },
}

const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

impl Answer for Answered {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        match &self.told {
            Told::Fields(fields) => Data::Fields(Box::new(FieldsData::of(fields))),
            Told::Snapshot(snapshot) => Data::Snapshot(snapshot.clone()),
            Told::Content(content) => Data::Content {
                content: content.clone(),
            },
            Told::Value { name, value } => Data::Value(BTreeMap::from([(name.clone(), value.clone())])),
            Told::Loaded(loaded) => Data::Loaded {
                state_raw: loaded.state_raw.clone(),
                state_exists: loaded.state_exists,
                roadmap_exists: loaded.roadmap_exists,
                config_exists: loaded.config_exists,
            },
            Told::Validated { validation, .. } => Data::Validated {
                valid: validation.warnings.is_empty(),
                warnings: validation
                    .warnings
                    .iter()
                    .map(|warning| WarningData {
                        code: warning.code(),
                        severity: severity(warning.severity()),
                        message: warning.say(voice),
                        hint: warning.hint(voice),
                    })
                    .collect(),
                scope: validation.scope.map(Scope::as_str),
            },
            Told::Done(done) => Data::Done(done.clone()),
            Told::Signaled { path } => Data::Signaled {
                signaled: true,
                path: path.clone(),
            },
            Told::Resumed { removed } => Data::Resumed {
                resumed: true,
                removed: *removed,
            },
            Told::Regenerated { backup } => Data::Regenerated {
                regenerated: true,
                backup: backup.clone(),
            },
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if self.unclosed {
            screen.warn(&say!(
                voice,
                "warning: the front matter of STATE.md is opened but never closed; it is read as text",
                "警告：STATE.md 的 front matter 没有结束，被当作正文"
            ))?;
        }
        for warning in &self.warnings {
            let warning = warning.say(voice);
            screen.warn(&say!(voice, "warning: {warning}", "警告：{warning}"))?;
        }
        for Disagreement { key, stored, body } in &self.disagreements {
            let (stored, body) = (escape(stored), escape(body));
            screen.warn(&say!(
                voice,
                "warning: `{key}` is `{stored}` in the front matter, and the body says `{body}`; both stay as they are",
                "警告：front matter 中 `{key}` 为 `{stored}`，正文为 `{body}`；两者均保持原样"
            ))?;
        }
        text::print(&self.told, screen)
    }

    fn exit(&self) -> Exit {
        match &self.told {
            Told::Validated {
                validation,
                strict: true,
            } if !validation.warnings.is_empty() => Exit::Found,
            Told::Validated { .. }
            | Told::Fields(_)
            | Told::Snapshot(_)
            | Told::Content(_)
            | Told::Value { .. }
            | Told::Loaded(_)
            | Told::Done(_)
            | Told::Signaled { .. }
            | Told::Resumed { .. }
            | Told::Regenerated { .. } => Exit::Done,
        }
    }
}
