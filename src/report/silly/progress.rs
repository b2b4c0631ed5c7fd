//! The answers of `silly init` and `silly progress` (silly.md 2 and 4).

use std::io;
use std::path::PathBuf;

use serde::Serialize;

use super::super::{Answer, Exit, Screen};
use crate::say;
use crate::silly::progress::Shown;
use crate::silly::rows::{Batch, StageRow, StepRow, is_known_version};
use crate::text::escape;
use crate::voice::Voice;

/// What was laid down.
#[derive(Clone, Serialize)]
pub struct Initialised {
    pub project: String,
    pub tools: Vec<&'static str>,
    pub written: Vec<String>,
}

impl Answer for Initialised {
    type Data = Self;

    fn data(&self, _: &Voice) -> Self {
        self.clone()
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let project = escape(&self.project);
        screen.line(&say!(
            voice,
            "the project `{project}` is ready",
            "项目 `{project}` 已就绪"
        ))?;
        for path in &self.written {
            screen.line(&format!("  {}", escape(path)))?;
        }
        Ok(())
    }
}

/// Changes and where they stand.
#[derive(Default)]
pub struct Progress {
    pub changes: Vec<Shown>,
    /// Without the steps.
    pub brief: bool,
}

#[derive(Serialize)]
pub struct Changes {
    changes: Vec<OneChange>,
}

#[derive(Serialize)]
pub struct OneChange {
    name: String,
    status: String,
    current_stage: String,
    no_worktree: bool,
    last_active: String,
    stages: Vec<OneStage>,
    batch: Option<Batch>,
}

#[derive(Serialize)]
struct OneStage {
    stage: String,
    status: String,
    started_at: Option<String>,
    completed_at: Option<String>,
    steps: Vec<OneStep>,
}

#[derive(Serialize)]
struct OneStep {
    name: String,
    status: String,
    output: Option<String>,
    completed_at: Option<String>,
}

fn one(shown: &Shown) -> OneChange {
    let step = |step: &StepRow| OneStep {
        name: step.name.clone(),
        status: step.status.clone(),
        output: step.output.clone(),
        completed_at: step.completed_at.clone(),
    };
    let stage = |(row, steps): &(StageRow, Vec<StepRow>)| OneStage {
        stage: row.stage.clone(),
        status: row.status.clone(),
        started_at: row.started_at.clone(),
        completed_at: row.completed_at.clone(),
        steps: steps.iter().map(step).collect(),
    };
    OneChange {
        name: shown.change.name.clone(),
        status: shown.change.status.clone(),
        current_stage: shown.change.current_stage.clone(),
        no_worktree: shown.change.no_worktree,
        last_active: shown.change.last_active.clone(),
        stages: shown.stages.iter().map(stage).collect(),
        batch: shown.batch,
    }
}

fn print(shown: &Shown, brief: bool, screen: &mut Screen<'_>) -> io::Result<()> {
    let change = &shown.change;
    let (name, stage) = (escape(&change.name), escape(&change.current_stage));
    screen.line(&format!("{name}: {stage}"))?;
    if brief {
        return Ok(());
    }
    for (row, steps) in shown
        .stages
        .iter()
        .filter(|(row, steps)| !steps.is_empty() || row.started_at.is_some() || row.completed_at.is_some())
    {
        screen.line(&format!("  {}: {}", escape(&row.stage), escape(&row.status)))?;
        for step in steps {
            screen.line(&format!("    {}: {}", escape(&step.name), escape(&step.status)))?;
        }
    }
    Ok(())
}

impl Answer for Progress {
    type Data = Changes;

    fn data(&self, _: &Voice) -> Changes {
        Changes {
            changes: self.changes.iter().map(one).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        if self.changes.is_empty() {
            let voice = screen.voice;
            return screen.line(&say!(voice, "there is no active change", "没有活动变更"));
        }
        self.changes
            .iter()
            .try_for_each(|shown| print(shown, self.brief, screen))
    }
}

/// A change after it was changed, and what else came of it.
pub struct Changed<T>(pub (Shown, T));

impl<T> Answer for Changed<T> {
    type Data = OneChange;

    fn data(&self, _: &Voice) -> OneChange {
        one(&self.0.0)
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        print(&self.0.0, true, screen)
    }
}

/// A change whose stage was completed.
pub struct WithHistory {
    pub shown: Shown,
    /// What was kept of it.
    pub file: PathBuf,
}

impl Answer for WithHistory {
    type Data = OneChange;

    fn data(&self, _: &Voice) -> OneChange {
        one(&self.shown)
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        print(&self.shown, true, screen)?;
        let (voice, file) = (screen.voice, escape(&self.file.to_string_lossy()).into_owned());
        screen.line(&say!(voice, "kept in `{file}`", "已存入 `{file}`"))
    }
}

/// What a database lacks.
pub struct Validated {
    pub schema_version: i64,
    /// Changes and the stages that they lack.
    pub missing: Vec<(String, &'static str)>,
}

#[derive(Serialize)]
pub struct Validity {
    valid: bool,
    schema_version: i64,
    missing_stages: Vec<Missing>,
}

#[derive(Serialize)]
struct Missing {
    change: String,
    stage: &'static str,
}

impl Validated {
    fn is_valid(&self) -> bool {
        self.missing.is_empty() && is_known_version(self.schema_version)
    }
}

impl Answer for Validated {
    type Data = Validity;

    fn data(&self, _: &Voice) -> Validity {
        let missing = self.missing.iter().map(|(change, stage)| Missing {
            change: change.clone(),
            stage,
        });
        Validity {
            valid: self.is_valid(),
            schema_version: self.schema_version,
            missing_stages: missing.collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        for (change, stage) in &self.missing {
            let change = escape(change);
            screen.line(&say!(
                voice,
                "`{change}` has no stage {stage}",
                "`{change}` 没有阶段 {stage}"
            ))?;
        }
        let version = self.schema_version;
        screen.line(&match self.is_valid() {
            true => say!(
                voice,
                "valid, schema version {version}",
                "有效，结构版本 {version}"
            ),
            false => say!(
                voice,
                "not valid, schema version {version}",
                "无效，结构版本 {version}"
            ),
        })
    }

    fn exit(&self) -> Exit {
        if self.is_valid() { Exit::Done } else { Exit::Found }
    }
}
