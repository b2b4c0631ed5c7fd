//! What the parsers answer (silly.md 10): always one JSON object.

use serde::Serialize;

use crate::silly::change_list::{ListedFile, Operation};
use crate::silly::knowledge::Entry;
use crate::silly::local::Detected;
use crate::silly::modules::{Module, ModuleMap, owner};
use crate::silly::plan::Wave;
use crate::silly::tasks::Task;

#[derive(Serialize)]
pub struct ChangeList {
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    path: String,
    operation: Option<&'static str>,
    incidental: bool,
}

impl From<Vec<ListedFile>> for ChangeList {
    fn from(files: Vec<ListedFile>) -> Self {
        let files = files.into_iter().map(|file| File {
            path: file.path,
            operation: file.operation.map(Operation::as_str),
            incidental: file.incidental,
        });
        Self {
            files: files.collect(),
        }
    }
}

#[derive(Serialize)]
pub struct Plan {
    waves: Vec<PlanWave>,
}

#[derive(Serialize)]
struct PlanWave {
    index: u64,
    tasks: Vec<PlanTask>,
}

#[derive(Serialize)]
struct PlanTask {
    number: Option<u64>,
    name: String,
    file: Option<String>,
}

impl From<Vec<Wave>> for Plan {
    fn from(waves: Vec<Wave>) -> Self {
        let waves = waves.into_iter().map(|wave| PlanWave {
            index: wave.index,
            tasks: wave
                .tasks
                .into_iter()
                .map(|task| PlanTask {
                    number: task.number,
                    name: task.name,
                    file: task.file,
                })
                .collect(),
        });
        Self {
            waves: waves.collect(),
        }
    }
}

#[derive(Serialize)]
pub struct Tasks {
    tasks: Vec<OneTask>,
}

#[derive(Serialize)]
struct OneTask {
    id: String,
    number: u64,
    name: String,
    done: bool,
    model: Option<String>,
    depends_on: Vec<String>,
    file: Option<String>,
}

impl From<Vec<Task>> for Tasks {
    fn from(tasks: Vec<Task>) -> Self {
        let tasks = tasks.into_iter().map(|task| OneTask {
            id: task.id(),
            number: task.number,
            name: task.name,
            done: task.done,
            model: task.model,
            depends_on: task.depends_on,
            file: task.file,
        });
        Self {
            tasks: tasks.collect(),
        }
    }
}

#[derive(Serialize)]
pub struct Map {
    modules: Vec<OneModule>,
}

#[derive(Serialize)]
struct OneModule {
    id: String,
    paths: Vec<String>,
    description: Option<String>,
}

impl From<Vec<Module>> for Map {
    fn from(modules: Vec<Module>) -> Self {
        let modules = modules.into_iter().map(|module| OneModule {
            id: module.id,
            paths: module.paths,
            description: module.description,
        });
        Self {
            modules: modules.collect(),
        }
    }
}

#[derive(Serialize)]
pub struct Owners {
    matches: Vec<Owned>,
}

#[derive(Serialize)]
struct Owned {
    path: String,
    module: Option<String>,
    project: Option<String>,
}

impl Owners {
    pub fn of(maps: &[ModuleMap], paths: Vec<String>) -> Self {
        let matches = paths.into_iter().map(|path| {
            let found = owner(maps, &path);
            Owned {
                module: found.map(|owner| owner.module.to_owned()),
                project: found.map(|owner| owner.project.to_owned()),
                path,
            }
        });
        Self {
            matches: matches.collect(),
        }
    }
}

#[derive(Serialize)]
pub struct Matches {
    matches: Vec<Matched>,
}

#[derive(Serialize)]
struct Matched {
    path: String,
    #[serde(rename = "match")]
    is_match: bool,
}

impl Matches {
    pub fn of(pattern: &str, paths: Vec<String>) -> Self {
        let matches = paths.into_iter().map(|path| Matched {
            is_match: crate::silly::glob::matches(pattern, &path),
            path,
        });
        Self {
            matches: matches.collect(),
        }
    }
}

/// What a text asks for.
#[derive(Serialize)]
pub struct Asked {
    matched: bool,
    entry_count: usize,
    entries: Vec<AskedEntry>,
}

#[derive(Serialize)]
struct AskedEntry {
    file: String,
    anchor: String,
    keywords: Vec<String>,
    category: String,
}

impl Asked {
    pub fn of(entries: &[&Entry]) -> Self {
        Self {
            matched: !entries.is_empty(),
            entry_count: entries.len(),
            entries: entries
                .iter()
                .map(|entry| AskedEntry {
                    file: entry.file.clone(),
                    anchor: entry.anchor.clone(),
                    keywords: entry.keywords.clone(),
                    category: entry.category.clone(),
                })
                .collect(),
        }
    }
}

/// All that an index holds.
#[derive(Serialize)]
pub struct Index {
    entries: Vec<IndexEntry>,
}

#[derive(Serialize)]
struct IndexEntry {
    file: String,
    anchor: String,
    keywords: Vec<String>,
    category: String,
    display: String,
}

impl From<Vec<Entry>> for Index {
    fn from(entries: Vec<Entry>) -> Self {
        let entries = entries.into_iter().map(|entry| IndexEntry {
            file: entry.file,
            anchor: entry.anchor,
            keywords: entry.keywords,
            category: entry.category,
            display: entry.title,
        });
        Self {
            entries: entries.collect(),
        }
    }
}

#[derive(Serialize)]
pub struct Local {
    project: LocalProject,
    commands: Commands,
    /// Whether the file was written; only where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<bool>,
}

#[derive(Serialize)]
struct LocalProject {
    r#type: &'static str,
}

#[derive(Serialize)]
struct Commands {
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lint: Option<String>,
}

impl Local {
    pub fn of(found: Detected) -> Self {
        Self {
            project: LocalProject { r#type: found.kind },
            commands: Commands {
                build: found.build,
                test: found.test,
                lint: found.lint,
            },
            written: None,
        }
    }

    /// As the answer of a command that was to write the file.
    #[must_use]
    pub fn written(self, written: bool) -> Self {
        Self {
            written: Some(written),
            ..self
        }
    }
}

/// The entry that was added to a quick log.
#[derive(Serialize)]
pub struct Logged {
    pub id: String,
    pub file: String,
    /// What the file was put aside as.
    pub rotated_to: Option<String>,
}
