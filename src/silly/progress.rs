//! What the commands of `progress` do to the rows (silly.md 4). Each is one transaction of its caller.

use serde::Serialize;

use super::database::{DatabaseError, Rows};
use super::layout;
use super::rows::{Batch, Change, Project, StageRow, StepRow};
use super::stage::{Stage, Status};
use super::words::Refused;
use crate::files::{ReadError, Tree};

/// The moment of a stage's completion, as its history file keeps it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    pub change: String,
    pub stage: String,
    data: HistoryData,
    completed_at: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HistoryData {
    status: String,
    steps: Vec<HistoryStep>,
    started_at: Option<String>,
    completed_at: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HistoryStep {
    name: String,
    status: String,
    output: Option<String>,
    completed_at: Option<String>,
}

/// A change and its stages.
#[derive(Clone, Debug)]
pub struct Shown {
    pub change: Change,
    pub stages: Vec<(StageRow, Vec<StepRow>)>,
    pub batch: Option<Batch>,
}

/// The name of the project, in a database of a version that is known (silly.md 3).
pub fn known_project(rows: &Rows<'_>) -> Result<String, Refused> {
    let project = rows.project()?.ok_or(Refused::NotInitialised)?;
    refuse_unknown(&project)?;
    Ok(project.name)
}

/// Refuses to write to a database whose version is not known. One without a project says none.
pub fn refuse_unknown_schema(rows: &Rows<'_>) -> Result<(), Refused> {
    rows.project()?.as_ref().map_or(Ok(()), refuse_unknown)
}

fn refuse_unknown(project: &Project) -> Result<(), Refused> {
    match project.is_known() {
        true => Ok(()),
        false => Err(Refused::UnknownSchema(project.schema_version)),
    }
}

/// The change of a name, else the only active one.
pub fn choose(rows: &Rows<'_>, name: Option<&str>) -> Result<Change, Refused> {
    if let Some(name) = name {
        let found = rows.change(name)?;
        return found.ok_or_else(|| Refused::UnknownChange(name.to_owned()));
    }
    let mut active = active(rows)?;
    match (active.pop(), active.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(Refused::NoChange),
        (Some(last), false) => {
            active.push(last);
            Err(Refused::ManyChanges(
                active.into_iter().map(|change| change.name).collect(),
            ))
        }
    }
}

/// The change that is meant where none is named: the only active one, else the only one that has a folder (silly.md 5).
pub fn only(tree: &dyn Tree, active: &[String]) -> Result<Option<String>, ReadError> {
    if let [only] = active {
        return Ok(Some(only.clone()));
    }
    let mut folders = layout::change_folders(tree)?;
    Ok(folders.pop().filter(|_| folders.is_empty()))
}

/// Why no change is meant.
pub fn none_meant(active: Vec<String>) -> Refused {
    if active.is_empty() {
        Refused::NoChange
    } else {
        Refused::ManyChanges(active)
    }
}

/// The active changes by name.
pub fn active(rows: &Rows<'_>) -> Result<Vec<Change>, DatabaseError> {
    let mut all = rows.changes()?;
    all.retain(Change::is_active);
    Ok(all)
}

/// A stage by the name that was given.
pub fn known_stage(name: &str) -> Result<Stage, Refused> {
    Stage::recorded(name).ok_or_else(|| Refused::UnknownStage(name.to_owned()))
}

pub fn set_stage(rows: &Rows<'_>, change: &Change, stage: Stage, now: &str) -> Result<(), Refused> {
    rows.set_current_stage(change.id, stage)?;
    let mut row = rows.ensure_stage(change.id, stage)?;
    if row.is(Status::Pending) {
        row.begin(now);
        rows.set_stage(&row)?;
    }
    Ok(rows.touch(change.id, now)?)
}

fn stage_row(rows: &Rows<'_>, change: &Change, stage: Stage) -> Result<StageRow, Refused> {
    let row = rows.stage(change.id, stage)?;
    row.ok_or_else(|| Refused::NoStage(stage.as_str()))
}

/// Adds a step at the end; one of that name is left alone.
pub fn add_step(
    rows: &Rows<'_>,
    change: &Change,
    stage: Stage,
    name: &str,
    now: &str,
) -> Result<(), Refused> {
    let row = stage_row(rows, change, stage)?;
    let steps = rows.steps(row.id)?;
    if steps.iter().all(|step| step.name != name) {
        let last = steps.iter().map(|step| step.ordering).max().unwrap_or(0);
        rows.add_step(row.id, name, last + 1)?;
    }
    Ok(rows.touch(change.id, now)?)
}

/// Sets a step; the last one that is completed completes its stage.
pub fn update_step(
    rows: &Rows<'_>,
    change: &Change,
    stage: Stage,
    name: &str,
    status: Status,
    output: Option<&str>,
    now: &str,
) -> Result<(), Refused> {
    let mut row = stage_row(rows, change, stage)?;
    let mut steps = rows.steps(row.id)?;
    let step = steps.iter_mut().find(|step| step.name == name);
    let step = step.ok_or_else(|| Refused::NoStep(name.to_owned()))?;
    status.as_str().clone_into(&mut step.status);
    step.completed_at = Some(now.to_owned());
    if let Some(output) = output {
        step.output = Some(output.to_owned());
    }
    rows.set_step(step)?;
    if status == Status::Completed && steps.iter().all(|step| step.is(Status::Completed)) {
        row.complete(now);
        rows.set_stage(&row)?;
    }
    Ok(rows.touch(change.id, now)?)
}

/// Completes a stage and what is pending in it.
pub fn complete_stage(rows: &Rows<'_>, change: &Change, stage: Stage, now: &str) -> Result<History, Refused> {
    let mut row = stage_row(rows, change, stage)?;
    for mut step in rows.steps(row.id)? {
        if step.is(Status::Pending) {
            Status::Completed.as_str().clone_into(&mut step.status);
            step.completed_at = Some(now.to_owned());
            rows.set_step(&step)?;
        }
    }
    row.complete(now);
    rows.set_stage(&row)?;
    rows.touch(change.id, now)?;
    let steps = rows.steps(row.id)?.into_iter().map(|step| HistoryStep {
        name: step.name,
        status: step.status,
        output: step.output,
        completed_at: step.completed_at,
    });
    Ok(History {
        change: change.name.clone(),
        stage: row.stage,
        data: HistoryData {
            status: row.status,
            steps: steps.collect(),
            started_at: row.started_at,
            completed_at: row.completed_at,
        },
        completed_at: now.to_owned(),
    })
}

/// Empties one stage.
pub fn reset_stage(rows: &Rows<'_>, change: &Change, stage: Stage, now: &str) -> Result<(), Refused> {
    clear_stage(rows, stage_row(rows, change, stage)?)?;
    Ok(rows.touch(change.id, now)?)
}

/// Makes all stages of a change anew.
pub fn reset_change(rows: &Rows<'_>, change: &Change, now: &str) -> Result<(), Refused> {
    rows.remove_stages(change.id)?;
    rows.add_stages(change.id)?;
    Ok(rows.touch(change.id, now)?)
}

/// Empties all stages of all active changes.
pub fn reset_all(rows: &Rows<'_>, now: &str) -> Result<(), Refused> {
    for change in active(rows)? {
        for row in rows.stages(change.id)? {
            clear_stage(rows, row)?;
        }
        rows.touch(change.id, now)?;
    }
    Ok(())
}

fn clear_stage(rows: &Rows<'_>, mut row: StageRow) -> Result<(), DatabaseError> {
    rows.remove_steps(row.id)?;
    row.clear();
    rows.set_stage(&row)
}

pub fn set_batch(rows: &Rows<'_>, change: &Change, batch: Batch, now: &str) -> Result<(), Refused> {
    rows.set_batch(change.id, batch)?;
    Ok(rows.touch(change.id, now)?)
}

/// The stages that a change lacks.
pub fn missing_stages(rows: &Rows<'_>, change: &Change) -> Result<Vec<&'static str>, DatabaseError> {
    let there = rows.stages(change.id)?;
    let is_missing = |stage: &Stage| there.iter().all(|row| row.stage != stage.as_str());
    Ok(Stage::RECORDED
        .into_iter()
        .filter(is_missing)
        .map(Stage::as_str)
        .collect())
}

/// A change with all that is known of it.
pub fn show(rows: &Rows<'_>, change: Change) -> Result<Shown, DatabaseError> {
    let mut stages = Vec::new();
    for row in rows.stages(change.id)? {
        let steps = rows.steps(row.id)?;
        stages.push((row, steps));
    }
    Ok(Shown {
        batch: rows.batch(change.id)?,
        stages,
        change,
    })
}
