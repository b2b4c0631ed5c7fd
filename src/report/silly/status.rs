//! The answer of `silly status` (silly.md 12).

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::super::{Answer, Screen};
use crate::say;
use crate::silly::gate::Gate;
use crate::silly::progress::Shown;
use crate::silly::rows::{Batch, Project, StepRow};
use crate::text::escape;
use crate::voice::Voice;

/// Files that the user may have made, by their keys.
pub const OPTIONAL_FILES: [(&str, &str); 5] = [
    ("roadmap", "ROADMAP.md"),
    ("project", "PROJECT.md"),
    ("requirements", "REQUIREMENTS.md"),
    ("handoff", "HANDOFF.json"),
    ("stack", "STACK.md"),
];

/// Where a project stands.
pub struct Stand {
    pub project: Project,
    pub active: Vec<Shown>,
    pub archived: Vec<String>,
    /// The work tree of each active change, from the root.
    pub worktrees: Vec<Option<String>>,
    pub gate: Option<Gate>,
    pub optional: [bool; OPTIONAL_FILES.len()],
}

#[derive(Serialize)]
pub struct Data {
    project: String,
    schema_version: i64,
    active: Vec<OneChange>,
    archived: Vec<String>,
    optional_files: Optional,
}

#[derive(Serialize)]
struct OneChange {
    name: String,
    current_stage: String,
    stages: BTreeMap<String, String>,
    progress: Counts,
    batch: Option<Batch>,
    worktree: Option<String>,
    gate: Option<&'static str>,
    last_active: String,
}

#[derive(Serialize)]
struct Counts {
    done: usize,
    total: usize,
}

#[derive(Serialize)]
struct Optional {
    roadmap: bool,
    project: bool,
    requirements: bool,
    handoff: bool,
    stack: bool,
}

fn counts(shown: &Shown) -> Counts {
    let steps = || shown.stages.iter().flat_map(|(_, steps)| steps);
    Counts {
        done: steps().filter(|step| StepRow::is_finished(step)).count(),
        total: steps().count(),
    }
}

impl Answer for Stand {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let gate_of = |name: &String| {
            let gate = self.gate.as_ref().filter(|gate| gate.changes.contains(name));
            gate.map(|gate| gate.stage.as_str())
        };
        let one = |(shown, worktree): (&Shown, &Option<String>)| OneChange {
            name: shown.change.name.clone(),
            current_stage: shown.change.current_stage.clone(),
            stages: shown
                .stages
                .iter()
                .map(|(row, _)| (row.stage.clone(), row.status.clone()))
                .collect(),
            progress: counts(shown),
            batch: shown.batch,
            worktree: worktree.clone(),
            gate: gate_of(&shown.change.name),
            last_active: shown.change.last_active.clone(),
        };
        let [roadmap, project, requirements, handoff, stack] = self.optional;
        Data {
            project: self.project.name.clone(),
            schema_version: self.project.schema_version,
            active: self.active.iter().zip(&self.worktrees).map(one).collect(),
            archived: self.archived.clone(),
            optional_files: Optional {
                roadmap,
                project,
                requirements,
                handoff,
                stack,
            },
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let project = escape(&self.project.name);
        screen.line(&say!(voice, "project {project}", "项目 {project}"))?;
        if self.active.is_empty() {
            screen.line(&say!(voice, "there is no active change", "没有活动变更"))?;
        }
        for shown in &self.active {
            let Counts { done, total } = counts(shown);
            let (name, stage) = (escape(&shown.change.name), escape(&shown.change.current_stage));
            screen.line(&format!("  {name}: {stage} ({done}/{total})"))?;
        }
        if !self.archived.is_empty() {
            let count = self.archived.len();
            screen.line(&say!(voice, "archived: {count}", "已归档：{count}"))?;
        }
        Ok(())
    }
}
