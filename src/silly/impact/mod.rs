//! What a change does to the modules of a project (silly.md 11): its changed files by module, held against what its
//! design declares and its tasks plan. The difference is what counts. Opens no repository and writes nothing.

mod document;
mod results;

pub use document::{Facts, Left, MATRIX, Outcome, RESULTS, Row, UNMATCHED, is_left, plan};
pub use results::{Done, with_results};

use std::collections::{BTreeMap, BTreeSet};

use super::change_list::{self, Operation, clean_path};
use super::modules::{ModuleMap, Owner, name_in, owner};
use super::{layout, plan as waves, tasks};
use crate::files::{ReadError, RepoPath, Tree};
use crate::git::Status;
use crate::text::escape_invalid;
use crate::worktree::{ChangedFile, SILLY};

/// The words for what is done to a module (silly.md 9).
pub const KINDS: [&str; 6] = [
    "逻辑变更",
    "数据结构变更",
    "接口变更",
    "调用关系变更",
    "配置变更",
    "新增",
];
/// The word where every changed file of a module is new.
const NEW: &str = KINDS[5];
/// The word where nothing more can be known from the difference alone.
const USUAL: &str = KINDS[0];

/// A file of the difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// From the root of the project; what lies beside it begins with `../`.
    pub path: String,
    pub operation: Operation,
    /// The old path of a rename, which is a deletion of its own.
    pub from: Option<String>,
    pub project: Option<String>,
    pub module: Option<String>,
    /// Whether the design lists it, or the other path of its rename.
    pub declared: bool,
    /// Whether a task names it.
    pub planned: bool,
}

/// A module that has changed files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub project: String,
    pub id: String,
    /// As documents of the change name it.
    pub name: String,
    pub files: Vec<String>,
    /// What its row says where nobody has said more.
    pub kind: &'static str,
    /// Where its document lies, and whether it is there; none if its id is no name of a file.
    pub document: Option<(RepoPath, bool)>,
}

/// What a change does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    pub files: Vec<File>,
    /// By name.
    pub modules: Vec<Module>,
    /// Files of no module.
    pub unmatched: Vec<String>,
    /// Files that the design does not list; none where it lists nothing.
    pub undeclared: Vec<String>,
    /// What the design lists and the difference does not have.
    pub declared_not_changed: Vec<String>,
    /// What tasks name and the difference does not have.
    pub planned_not_changed: Vec<String>,
}

/// Paths as a document of the change writes them, and what they stand for from the top level.
struct Mentioned {
    written: BTreeMap<String, Option<RepoPath>>,
}

impl Mentioned {
    /// `project` is the root of the project, from the top level.
    fn of(paths: impl Iterator<Item = String>, project: &RepoPath) -> Self {
        let read = |path: &str| {
            let whole = format!("{}/{path}", project.text());
            let is_absolute = path.starts_with('/');
            RepoPath::normalised(whole.trim_start_matches('/')).filter(|_| !is_absolute)
        };
        Self {
            written: paths
                .map(|path| {
                    let read = read(&path);
                    (path, read)
                })
                .collect(),
        }
    }

    fn has(&self, path: &RepoPath) -> bool {
        self.written.values().any(|read| read.as_ref() == Some(path))
    }

    fn without(&self, changed: &BTreeSet<&RepoPath>) -> Vec<String> {
        let missing = self
            .written
            .iter()
            .filter(|(_, read)| read.as_ref().is_none_or(|read| !changed.contains(read)));
        missing.map(|(path, _)| path.clone()).collect()
    }
}

/// Maps the files of a difference, and compares them with the documents of the change; `project` is the root of the
/// project from the top level. Documents of a `.sillyspec/` folder are no work.
pub fn judge(
    tree: &dyn Tree,
    change: &str,
    maps: &[ModuleMap],
    project: &RepoPath,
    changed: &[ChangedFile],
) -> Result<Impact, ReadError> {
    let counted: Vec<&ChangedFile> = changed
        .iter()
        .filter(|file| file.path.parts().all(|part| part != SILLY))
        .collect();
    let declared = Mentioned::of(declared(tree, change)?.into_iter(), project);
    let planned = Mentioned::of(planned(tree, change)?.into_iter(), project);
    let paths: BTreeSet<&RepoPath> = counted.iter().map(|file| &file.path).collect();
    let mut out = Impact {
        declared_not_changed: declared.without(&paths),
        planned_not_changed: planned.without(&paths),
        ..Impact::default()
    };
    let other_of: BTreeMap<&RepoPath, &RepoPath> = counted
        .iter()
        .filter_map(|file| Some((file, file.from.as_ref()?)))
        .flat_map(|(file, from)| [(&file.path, from), (from, &file.path)])
        .collect();
    let mut by_module: BTreeMap<(String, String), Vec<&File>> = BTreeMap::new();
    let files: Vec<File> = counted
        .iter()
        .map(|file| {
            let has = |mentioned: &Mentioned| {
                let other = other_of.get(&file.path);
                mentioned.has(&file.path) || other.is_some_and(|other| mentioned.has(other))
            };
            let path = shown(&file.path, project);
            let owner = owner(maps, &path);
            File {
                operation: operation(file.status),
                from: file.from.as_ref().map(|from| shown(from, project)),
                project: owner.map(|owner| owner.project.to_owned()),
                module: owner.map(|owner| owner.module.to_owned()),
                declared: has(&declared),
                planned: has(&planned),
                path,
            }
        })
        .collect();
    for file in &files {
        match (&file.project, &file.module) {
            (Some(project), Some(module)) => by_module
                .entry((project.clone(), module.clone()))
                .or_default()
                .push(file),
            _ => out.unmatched.push(file.path.clone()),
        }
        if !file.declared && !declared.written.is_empty() {
            out.undeclared.push(file.path.clone());
        }
    }
    for ((project, id), files) in by_module {
        out.modules.push(module(tree, maps, project, id, &files)?);
    }
    out.modules.sort_by(|a, b| a.name.cmp(&b.name));
    out.files = files;
    Ok(out)
}

fn module(
    tree: &dyn Tree,
    maps: &[ModuleMap],
    project: String,
    id: String,
    files: &[&File],
) -> Result<Module, ReadError> {
    let own = maps.iter().find(|map| map.project == project);
    let document = match own.and_then(|map| map.document(&id)) {
        Some(path) => {
            let is_there = tree.is_file(&path)?;
            Some((path, is_there))
        }
        None => None,
    };
    let is_new = files.iter().all(|file| file.operation == Operation::Add);
    Ok(Module {
        name: name_in(
            maps,
            Owner {
                project: &project,
                module: &id,
            },
        ),
        files: files.iter().map(|file| file.path.clone()).collect(),
        kind: if is_new { NEW } else { USUAL },
        document,
        project,
        id,
    })
}

const fn operation(status: Status) -> Operation {
    match status {
        Status::Added | Status::Copied(_) => Operation::Add,
        Status::Deleted => Operation::Delete,
        Status::Modified | Status::TypeChanged => Operation::Modify,
        Status::Renamed(_) => Operation::Rename,
    }
}

/// A path as it is shown: from the root of the project, also where it lies beside it.
fn shown(path: &RepoPath, project: &RepoPath) -> String {
    let mut above = project.clone();
    let mut out = String::new();
    loop {
        if let Some(rest) = path.strip_prefix(&above) {
            return out + &escape_invalid(rest.as_bytes());
        }
        out.push_str("../");
        above = above.parent().unwrap_or_default();
    }
}

fn declared(tree: &dyn Tree, change: &str) -> Result<Vec<String>, ReadError> {
    let design = tree.read(&layout::change(change).join("design.md"))?;
    let listed = design.map(|bytes| change_list::parse(&bytes));
    Ok(listed.into_iter().flatten().map(|file| file.path).collect())
}

/// The files that the tasks of the plan and of the list name; one task may name several.
fn planned(tree: &dyn Tree, change: &str) -> Result<Vec<String>, ReadError> {
    let folder = layout::change(change);
    let mut named = Vec::new();
    if let Some(bytes) = tree.read(&folder.join("plan.md"))? {
        let all = waves::parse(&bytes).into_iter().flat_map(|wave| wave.tasks);
        named.extend(all.filter_map(|task| task.file));
    }
    if let Some(bytes) = tree.read(&folder.join("tasks.md"))? {
        named.extend(tasks::parse(&bytes).into_iter().filter_map(|task| task.file));
    }
    let parts = named.iter().flat_map(|text| text.split([',', '，', '、']));
    Ok(parts
        .filter_map(clean_path)
        // The brackets at the end of a task may hold any words.
        .filter(|path| path.contains(['/', '.']))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;
    use crate::silly::modules;

    const MAP: &str = "modules:\n  core: {paths: [src/core/**]}\n  cli: {paths: [bin/**]}\n";

    fn file(path: &str, status: Status, from: Option<&str>) -> ChangedFile {
        ChangedFile {
            path: RepoPath::of(path),
            status,
            from: from.map(RepoPath::of),
        }
    }

    fn judged(files: &[(&str, &str)], project: &str, changed: &[ChangedFile]) -> Impact {
        let at = |(name, text): &(&str, &str)| (format!(".sillyspec/{name}"), (*text).to_owned());
        let tree = MemoryTree::new(files.iter().map(at));
        let maps = modules::load(&tree).expect("maps");
        judge(&tree, "c", &maps, &RepoPath::of(project), changed).expect("read")
    }

    #[test]
    fn the_difference_wins_over_what_was_declared_and_planned() {
        let files = [
            ("docs/p/modules/_module-map.yaml", MAP),
            (
                "changes/c/design.md",
                "## 文件变更清单\n| 操作 | 文件 |\n|---|---|\n| 修改 | ./src/core/a.rs |\n| 新增 | src/gone.rs |\n| 新增 | /abs.rs |\n",
            ),
            (
                "changes/c/tasks.md",
                "- [ ] task-01: a (bin/x，src/later.rs)\n- [ ] task-02: b (optional)\n",
            ),
        ];
        let changed = [
            file(".sillyspec/changes/c/design.md", Status::Modified, None),
            file("README.md", Status::Modified, None),
            file("bin/x", Status::Added, None),
            file("src/core/a.rs", Status::Modified, None),
        ];
        let found = judged(&files, "", &changed);
        assert_eq!(found.undeclared, ["README.md", "bin/x"]);
        assert_eq!(found.declared_not_changed, ["/abs.rs", "src/gone.rs"]);
        assert_eq!(found.planned_not_changed, ["src/later.rs"]);
        assert_eq!(found.unmatched, ["README.md"]);
        let modules: Vec<_> = found.modules.iter().map(|m| (m.name.as_str(), m.kind)).collect();
        assert_eq!(modules, [("cli", "新增"), ("core", "逻辑变更")]);
        assert!(found.files[1].planned && !found.files[1].declared);
        assert_eq!(found.files.len(), 3, "documents of the project are no work");
    }

    #[test]
    fn one_path_of_a_rename_declares_the_other() {
        let design = "## 文件变更清单\n- `bin/new.rs`\n";
        let changed = [
            file("bin/new.rs", Status::Renamed(90), Some("src/core/old.rs")),
            file("src/core/old.rs", Status::Deleted, None),
        ];
        let files = [
            ("docs/p/modules/_module-map.yaml", MAP),
            ("changes/c/design.md", design),
        ];
        let found = judged(&files, "", &changed);
        assert!(found.undeclared.is_empty(), "{found:?}");
        let names: Vec<&str> = found.modules.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["cli", "core"]);
        assert_eq!(found.files[0].from.as_deref(), Some("src/core/old.rs"));
        assert_eq!(
            judged(&files[..1], "", &changed).undeclared,
            [""; 0],
            "nothing is declared"
        );
    }

    #[test]
    fn what_lies_beside_the_project_is_shown_from_it() {
        let seen = |path: &str, project: &str| shown(&RepoPath::of(path), &RepoPath::of(project));
        assert_eq!(seen("apps/x/a", "apps/x"), "a");
        assert_eq!(seen("apps/y/a", "apps/x"), "../y/a");
        assert_eq!(seen("a", "apps/x"), "../../a");
        let design = "## 文件变更清单\n- `../y/a.rs`\n";
        let changed = [file("apps/y/a.rs", Status::Modified, None)];
        let found = judged(&[("changes/c/design.md", design)], "apps/x", &changed);
        assert_eq!(
            (found.undeclared.len(), found.unmatched[0].as_str()),
            (0, "../y/a.rs")
        );
    }
}
