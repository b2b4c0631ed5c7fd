//! The answer of `silly run` (silly.md 5): the head of the step that is next.

use std::io;

use serde::Serialize;

use super::super::{Answer, Exit, Screen};
use crate::say;
use crate::silly::run::Outcome;
use crate::silly::{Note, layout};
use crate::text::escape;
use crate::voice::{Say, Voice};

/// What came of one call.
pub struct Ran {
    pub outcome: Outcome,
    /// Missing files are findings.
    pub strict: bool,
}

#[derive(Serialize)]
pub struct Data {
    stage: &'static str,
    step: Option<usize>,
    total: usize,
    step_name: Option<String>,
    project: String,
    change: Option<String>,
    change_dir: Option<String>,
    completed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_to: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Warning>,
}

#[derive(Serialize)]
struct Warning {
    code: &'static str,
    message: String,
}

impl Answer for Ran {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let outcome = &self.outcome;
        let warnings = outcome.notes.iter().map(|note| Warning {
            code: note.code(),
            message: note.say(voice),
        });
        Data {
            stage: outcome.stage.as_str(),
            step: outcome.next.as_ref().map(|(number, _)| *number),
            total: outcome.total,
            step_name: outcome.next.as_ref().map(|(_, name)| name.clone()),
            project: outcome.project.clone(),
            change: outcome.change.clone(),
            change_dir: outcome
                .change
                .as_deref()
                .map(|change| layout::change(change).text().into_owned()),
            completed: outcome.completed,
            archived_to: outcome.archive.as_ref().map(|moved| moved.to.text().into_owned()),
            warnings: warnings.collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let outcome = &self.outcome;
        for note in &outcome.notes {
            screen.warn(&say!(voice, "warning: {}", "警告：{}", note.say(voice)))?;
        }
        if let Some(step) = &outcome.finished {
            let step = escape(step);
            screen.line(&say!(voice, "done: {step}", "已完成：{step}"))?;
        }
        if let Some(moved) = &outcome.archive {
            let (from, to) = (&moved.from, &moved.to);
            screen.line(&say!(
                voice,
                "moved `{from}` to `{to}`",
                "已将 `{from}` 移至 `{to}`"
            ))?;
        }
        let stage = outcome.stage.as_str();
        let Some((number, name)) = &outcome.next else {
            return screen.line(&say!(
                voice,
                "the stage {stage} is completed",
                "阶段 {stage} 已完成"
            ));
        };
        screen.line(&format!("{stage} {number}/{}: {}", outcome.total, escape(name)))?;
        screen.line(&say!(voice, "project: {}", "项目：{}", escape(&outcome.project)))?;
        if let Some(change) = &outcome.change {
            let folder = layout::change(change);
            let change = escape(change);
            screen.line(&say!(
                voice,
                "change: {change} (`{folder}`)",
                "变更：{change}（`{folder}`）"
            ))?;
        }
        Ok(())
    }

    fn exit(&self) -> Exit {
        if self.strict && self.outcome.notes.iter().any(Note::is_of_files) {
            Exit::Found
        } else {
            Exit::Done
        }
    }
}
