//! The stages as a state machine (silly.md 5): what `run` does to the rows, and what is to be written beside them.

use super::archive::{self, Move};
use super::database::{DatabaseError, Rows};
use super::left_behind::missing_files;
use super::rows::{ACTIVE, ARCHIVED, Change, StageRow, StepRow};
use super::settings::Settings;
use super::stage::{CONFIRM_ARCHIVE, Circumstances, Stage, Status, is_known_list, is_optional, steps};
use super::words::{Note, Refused};
use super::{layout, plan, progress};
use crate::clock::Timestamp;
use crate::files::{ReadError, Tree};
use crate::worktree::check_name;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The step that is next.
    Show,
    Done,
    Skip,
    Reset,
}

/// A call of `run`.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// None: `auto`.
    pub stage: Option<Stage>,
    pub action: Action,
    pub change: Option<&'a str>,
    pub confirm: bool,
    pub force: bool,
    pub skip_approval: bool,
    pub output: Option<&'a str>,
    pub input: Option<&'a str>,
    pub now: Timestamp,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub stage: Stage,
    pub project: String,
    pub change: Option<String>,
    pub total: usize,
    /// The step that is next, from 1, and its name; none if nothing is left.
    pub next: Option<(usize, String)>,
    /// The step that was completed or skipped.
    pub finished: Option<String>,
    /// Whether the stage is completed by that.
    pub completed: bool,
    pub notes: Vec<Note>,
    /// An output that is too long for its row: the name of its file without the end, and all of it.
    pub artifact: Option<(String, String)>,
    /// What goes to the words of the user.
    pub words: Option<String>,
    pub archive: Option<Move>,
    /// The folder of a new change.
    pub makes_folder: bool,
}

/// Characters of an output that its row takes.
const LONGEST_OUTPUT: usize = 200;

/// Does what is asked for.
pub fn run(rows: &Rows<'_>, tree: &dyn Tree, asked: &Request<'_>, project: &str) -> Result<Outcome, Refused> {
    let now = asked.now.rfc3339();
    rows.ensure_project(project, &now)?;
    let project = progress::known_project(rows)?;
    let stage_for_choice = asked.stage.unwrap_or(Stage::Brainstorm);
    let name = choose(rows, tree, asked, stage_for_choice)?;
    let Some(name) = name else {
        return without_change(asked, stage_for_choice, project);
    };
    let (change, makes_folder) = ensure_change(rows, tree, &name, asked, &now)?;
    let stage = match asked.stage {
        Some(stage) => stage,
        None => next_of_auto(rows, &change)?,
    };
    if asked.stage.is_none() && asked.action == Action::Show && is_completed(rows, &change, stage)? {
        // The walk is over: to go through a stage again it has to be named.
        return look(rows, tree, asked);
    }
    let mut notes = Vec::new();
    if stage == Stage::Execute && !asked.skip_approval {
        notes.extend(judge_approval(rows, &change)?);
    }
    let given = circumstances(tree, &change.name)?;
    let (mut row, mut list) = ensure_steps(rows, &change, stage, given, &now)?;
    let mut outcome = Outcome {
        stage,
        project,
        change: Some(change.name.clone()),
        total: list.len(),
        next: None,
        finished: None,
        completed: false,
        notes,
        artifact: None,
        words: None,
        archive: None,
        makes_folder,
    };
    match asked.action {
        Action::Show => {
            rows.set_current_stage(change.id, stage)?;
            if list.iter().all(StepRow::is_finished) {
                restart(rows, &mut row, &mut list, &now)?;
            } else if row.is(Status::Pending) || row.is(Status::Completed) {
                row.begin(&now);
                rows.set_stage(&row)?;
            }
        }
        Action::Reset => restart(rows, &mut row, &mut list, &now)?,
        Action::Done | Action::Skip => {
            finish_step(rows, tree, asked, &change, &mut row, &mut list, &mut outcome)?;
        }
    }
    rows.touch(change.id, &now)?;
    if !outcome.completed {
        let next = list.iter().position(|step| !step.is_finished());
        outcome.next = next.map(|at| (at + 1, list[at].name.clone()));
    }
    Ok(outcome)
}

/// Where a stage stands; nothing changes.
pub fn look(rows: &Rows<'_>, tree: &dyn Tree, asked: &Request<'_>) -> Result<Outcome, Refused> {
    let project = progress::known_project(rows)?;
    let stage = asked.stage.unwrap_or(Stage::Brainstorm);
    let Some(name) = choose(rows, tree, asked, stage)? else {
        return without_change(asked, stage, project);
    };
    let change = rows.change(&name)?.ok_or(Refused::UnknownChange(name))?;
    let stage = match asked.stage {
        Some(stage) => stage,
        None => next_of_auto(rows, &change)?,
    };
    let row = rows.stage(change.id, stage)?;
    let stored = match &row {
        Some(row) => rows.steps(row.id)?,
        None => Vec::new(),
    };
    let mut outcome = without_change(asked, stage, project)?;
    if !stored.is_empty() {
        let next = stored.iter().position(|step| !step.is_finished());
        outcome.total = stored.len();
        outcome.next = next.map(|at| (at + 1, stored[at].name.clone()));
        outcome.completed = next.is_none();
    }
    outcome.change = Some(change.name);
    Ok(outcome)
}

/// The change that is meant; none where a stage does without.
fn choose(
    rows: &Rows<'_>,
    tree: &dyn Tree,
    asked: &Request<'_>,
    stage: Stage,
) -> Result<Option<String>, Refused> {
    if let Some(name) = asked.change {
        return Ok(Some(name.to_owned()));
    }
    let active = progress::active(rows)?;
    let active: Vec<String> = active.into_iter().map(|change| change.name).collect();
    if let Some(only) = progress::only(tree, &active)? {
        return Ok(Some(only));
    }
    if stage.begins_changes() {
        return Ok(Some(format!("{}-new-change", asked.now.date(0))));
    }
    if stage.is_auxiliary() {
        return Ok(None);
    }
    Err(progress::none_meant(active))
}

/// The row of a change, made or woken where that is needed, and whether its folder is to be made.
fn ensure_change(
    rows: &Rows<'_>,
    tree: &dyn Tree,
    name: &str,
    asked: &Request<'_>,
    now: &str,
) -> Result<(Change, bool), Refused> {
    check_name(name)?;
    let found = rows.change(name)?;
    let goes_on = asked.stage == Some(Stage::Archive) && matches!(asked.action, Action::Done | Action::Skip);
    match &found {
        None => rows.add_change(name, now)?,
        // The steps that follow the move are still to be done.
        Some(change) if !change.is_active() && !goes_on => rows.set_change_status(change.id, ACTIVE)?,
        Some(_) => {}
    }
    let change = rows.change(name)?;
    let change = change.ok_or_else(|| Refused::UnknownChange(name.to_owned()))?;
    let has_folder = tree.entry(&layout::change(name))?.is_some();
    let makes_folder = change.is_active() && !has_folder;
    Ok((change, makes_folder))
}

/// The first stage of the walk that is not completed, else the last.
fn next_of_auto(rows: &Rows<'_>, change: &Change) -> Result<Stage, DatabaseError> {
    for stage in Stage::AUTO {
        if !is_completed(rows, change, stage)? {
            return Ok(stage);
        }
    }
    Ok(Stage::Verify)
}

fn is_completed(rows: &Rows<'_>, change: &Change, stage: Stage) -> Result<bool, DatabaseError> {
    let row = rows.stage(change.id, stage)?;
    Ok(row.is_some_and(|row| row.is(Status::Completed)))
}

fn judge_approval(rows: &Rows<'_>, change: &Change) -> Result<Option<Note>, Refused> {
    match rows.approval(change.id)? {
        Some((status, reason)) if status == "rejected" => Err(Refused::Rejected(reason.unwrap_or_default())),
        Some((status, _)) if status == "pending" => Ok(Some(Note::ApprovalPending)),
        Some(_) | None => Ok(None),
    }
}

/// What the steps of a change depend on.
pub fn circumstances(tree: &dyn Tree, change: &str) -> Result<Circumstances, ReadError> {
    let bytes = tree.read(&layout::change(change).join("plan.md"))?;
    let waves = bytes.map(|bytes| plan::parse(&bytes)).unwrap_or_default();
    Ok(Circumstances {
        waves: waves.len(),
        has_tasks: waves.iter().any(|wave| !wave.tasks.is_empty()),
        full: Settings::load(tree)?.full_steps,
    })
}

/// The steps of a stage, laid down or laid anew where their number is another one.
fn ensure_steps(
    rows: &Rows<'_>,
    change: &Change,
    stage: Stage,
    given: Circumstances,
    now: &str,
) -> Result<(StageRow, Vec<StepRow>), Refused> {
    let mut row = rows.ensure_stage(change.id, stage)?;
    let stored = rows.steps(row.id)?;
    let wanted = steps(stage, given);
    let names: Vec<&str> = stored.iter().map(|step| step.name.as_str()).collect();
    if stored.is_empty() {
        row.begin(now);
        rows.set_stage(&row)?;
    } else if stored.len() == wanted.len() || is_known_list(stage, given, &names) {
        return Ok((row, stored));
    }
    let mut left = stored;
    for (ordering, name) in (0..).zip(&wanted) {
        match left.iter().position(|step| step.name == *name) {
            Some(at) => {
                let mut step = left.remove(at);
                step.ordering = ordering;
                rows.set_step(&step)?;
            }
            None => rows.add_step(row.id, name, ordering)?,
        }
    }
    for step in left {
        rows.remove_step(step.id)?;
    }
    let list = rows.steps(row.id)?;
    Ok((row, list))
}

fn restart(rows: &Rows<'_>, row: &mut StageRow, list: &mut [StepRow], now: &str) -> Result<(), Refused> {
    row.begin(now);
    rows.set_stage(row)?;
    clear(rows, list)
}

fn clear(rows: &Rows<'_>, list: &mut [StepRow]) -> Result<(), Refused> {
    for step in list {
        step.clear();
        rows.set_step(step)?;
    }
    Ok(())
}

/// Completes or skips the first step that is pending.
fn finish_step(
    rows: &Rows<'_>,
    tree: &dyn Tree,
    asked: &Request<'_>,
    change: &Change,
    row: &mut StageRow,
    list: &mut [StepRow],
    outcome: &mut Outcome,
) -> Result<(), Refused> {
    let stage = outcome.stage;
    let now = asked.now.rfc3339();
    let at = list.iter().position(|step| step.is(Status::Pending));
    let at = at.ok_or(Refused::NothingPending(stage.as_str()))?;
    let step = &mut list[at];
    if asked.action == Action::Skip {
        if !is_optional(stage, &step.name) {
            return Err(Refused::NotOptional(step.name.clone()));
        }
        Status::Skipped.as_str().clone_into(&mut step.status);
    } else {
        Status::Completed.as_str().clone_into(&mut step.status);
        step.completed_at = Some(now.clone());
        if let Some(output) = asked.output {
            let (stored, artifact) = cut(output, Some(&change.name), stage, at + 1, asked.now);
            step.output = Some(stored);
            outcome.artifact = artifact;
            outcome.words = Some(words(
                &now,
                Some(&change.name),
                stage,
                &step.name,
                asked.input,
                output,
            ));
        }
        if stage == Stage::Archive && step.name == CONFIRM_ARCHIVE && change.is_active() {
            if asked.confirm {
                let day = asked.now.date(0);
                outcome.archive = Some(archive::plan_move(tree, &change.name, &day, asked.force)?);
                rows.set_change_status(change.id, ARCHIVED)?;
            } else {
                outcome.notes.push(Note::ArchiveUnconfirmed);
            }
        }
    }
    rows.set_step(step)?;
    outcome.finished = Some(step.name.clone());
    if list.iter().any(|step| step.is(Status::Pending)) {
        return Ok(());
    }
    row.complete(&now);
    rows.set_stage(row)?;
    outcome.completed = true;
    // An archived change has its files elsewhere, and they were judged before.
    if change.is_active() && outcome.archive.is_none() {
        outcome.notes.extend(missing_files(tree, &change.name, stage)?);
    }
    if stage.is_auxiliary() {
        clear(rows, list)?;
    }
    Ok(())
}

/// The part of an output that its row takes, and the file that keeps a longer one.
fn cut(
    output: &str,
    change: Option<&str>,
    stage: Stage,
    step: usize,
    now: Timestamp,
) -> (String, Option<(String, String)>) {
    let Some((end, _)) = output.char_indices().nth(LONGEST_OUTPUT) else {
        return (output.to_owned(), None);
    };
    let change = change.unwrap_or("unknown");
    let stem = format!("{change}-{}-step{step}-{}", stage.as_str(), digits(now));
    (format!("{}…", &output[..end]), Some((stem, output.to_owned())))
}

/// `YYYYMMDDHHmmss`.
pub fn digits(now: Timestamp) -> String {
    now.compact().replace(['T', 'Z'], "")
}

fn words(
    now: &str,
    change: Option<&str>,
    stage: Stage,
    step: &str,
    input: Option<&str>,
    output: &str,
) -> String {
    let head = format!(
        "\n## {now} | {} | {}: {step}\n",
        change.unwrap_or("?"),
        stage.as_str()
    );
    let input = input.map(|input| format!("- 输入：{input}\n"));
    format!("{head}{}- 输出：{output}\n", input.unwrap_or_default())
}

/// A stage that stands beside every change is shown from its beginning: nothing keeps where it is.
fn without_change(asked: &Request<'_>, stage: Stage, project: String) -> Result<Outcome, Refused> {
    let list = steps(stage, Circumstances::default());
    if asked.action == Action::Skip && !is_optional(stage, &list[0]) {
        return Err(Refused::NotOptional(list[0].clone()));
    }
    let is_done = asked.action == Action::Done;
    let output = asked.output.filter(|_| is_done);
    let now = asked.now.rfc3339();
    Ok(Outcome {
        stage,
        project,
        change: None,
        total: list.len(),
        finished: is_done.then(|| list[0].clone()),
        completed: false,
        notes: Vec::new(),
        artifact: output.and_then(|output| cut(output, None, stage, 1, asked.now).1),
        words: output.map(|output| words(&now, None, stage, &list[0], asked.input, output)),
        next: Some((1, list[0].clone())),
        archive: None,
        makes_folder: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hundred_characters_are_kept_and_more_are_cut() {
        let now = Timestamp::from_millis(0);
        let whole = "字".repeat(200);
        let (stored, artifact) = cut(&whole, Some("c"), Stage::Plan, 2, now);
        assert_eq!((stored, artifact), (whole.clone(), None));
        let longer = format!("{whole}x");
        let (stored, artifact) = cut(&longer, None, Stage::Plan, 2, now);
        assert_eq!(stored, format!("{whole}…"));
        let name = "unknown-plan-step2-19700101000000".to_owned();
        assert_eq!(artifact, Some((name, longer)));
    }

    #[test]
    fn the_words_of_the_user_are_kept_whole() {
        let text = words("T", None, Stage::Scan, "s", Some("i"), "o");
        assert_eq!(text, "\n## T | ? | scan: s\n- 输入：i\n- 输出：o\n");
    }
}
