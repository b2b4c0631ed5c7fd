//! What of a project does not fit together (silly.md 12). Looks only.

use super::gate::{Gate, stage_in};
use super::rows::{Change, Project};
use super::{database, layout, lint, modules, settings, verification};
use crate::files::{ReadError, RepoPath, Tree};
use crate::finding::Severity;
use crate::say;
use crate::text::decode;
use crate::voice::Voice;

/// What the database says.
#[derive(Clone, Debug)]
pub struct Known {
    /// What is wrong with the file.
    pub faults: Vec<String>,
    pub project: Option<Project>,
    pub changes: Vec<Change>,
}

/// What does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    DatabaseMissing,
    DatabaseCorrupt,
    SchemaVersion,
    ChangeWithoutFolder,
    FolderWithoutChange,
    ArchivedStillThere,
    GateStale,
    OrphanFolder,
    OrphanMeta,
    OrphanRegistration,
    OrphanBranch,
    LegacyJson,
    IgnoreRuleMissing,
    LocalYamlUnreadable,
    ModuleMapUnreadable,
    ModuleWithoutDoc,
    VerificationDuplicate,
    DateUnreadable,
}

impl Problem {
    pub const fn code(self) -> &'static str {
        match self {
            Self::DatabaseMissing => "database_missing",
            Self::DatabaseCorrupt => "database_corrupt",
            Self::SchemaVersion => "schema_version",
            Self::ChangeWithoutFolder => "change_without_folder",
            Self::FolderWithoutChange => "folder_without_change",
            Self::ArchivedStillThere => "archived_still_there",
            Self::GateStale => "gate_stale",
            Self::OrphanFolder => "orphan_folder",
            Self::OrphanMeta => "orphan_meta",
            Self::OrphanRegistration => "orphan_registration",
            Self::OrphanBranch => "orphan_branch",
            Self::LegacyJson => "legacy_json",
            Self::IgnoreRuleMissing => "ignore_rule_missing",
            Self::LocalYamlUnreadable => "local_yaml_unreadable",
            Self::ModuleMapUnreadable => "module_map_unreadable",
            Self::ModuleWithoutDoc => "module_without_doc",
            Self::VerificationDuplicate => "verification_duplicate",
            Self::DateUnreadable => "date_unreadable",
        }
    }

    pub const fn severity(self) -> Severity {
        match self {
            Self::DatabaseMissing
            | Self::DatabaseCorrupt
            | Self::SchemaVersion
            | Self::ArchivedStillThere
            | Self::ModuleMapUnreadable => Severity::Error,
            Self::ChangeWithoutFolder
            | Self::FolderWithoutChange
            | Self::GateStale
            | Self::OrphanFolder
            | Self::OrphanMeta
            | Self::OrphanRegistration
            | Self::OrphanBranch
            | Self::LegacyJson
            | Self::IgnoreRuleMissing
            | Self::LocalYamlUnreadable
            | Self::ModuleWithoutDoc
            | Self::VerificationDuplicate
            | Self::DateUnreadable => Severity::Warning,
        }
    }

    /// What is wrong, and the way out of it.
    pub fn say(self, voice: &Voice) -> [String; 2] {
        match self {
            Self::DatabaseMissing => [
                say!(voice, "there is no database", "没有数据库"),
                say!(voice, "initialise the project", "初始化项目"),
            ],
            Self::DatabaseCorrupt => [
                say!(voice, "the database is damaged", "数据库已损坏"),
                say!(voice, "restore a copy of it", "从备份恢复"),
            ],
            Self::SchemaVersion => [
                say!(voice, "the schema version is not known", "结构版本无法识别"),
                say!(voice, "use a program that knows it", "使用支持该版本的程序"),
            ],
            Self::ChangeWithoutFolder => [
                say!(voice, "an active change has no folder", "活动变更没有目录"),
                say!(
                    voice,
                    "run one of its stages, or archive it",
                    "运行其阶段，或将其归档"
                ),
            ],
            Self::FolderWithoutChange => [
                say!(
                    voice,
                    "a folder of a change is not in the database",
                    "变更目录不在数据库中"
                ),
                say!(voice, "run one of its stages", "运行其阶段"),
            ],
            Self::ArchivedStillThere => [
                say!(
                    voice,
                    "an archived change still has its folder",
                    "已归档的变更仍有目录"
                ),
                say!(voice, "move the folder to the archive", "将目录移入归档"),
            ],
            Self::GateStale => [
                say!(
                    voice,
                    "the gate file is not what the database says",
                    "门控文件与数据库不一致"
                ),
                say!(voice, "run the stage again", "重新运行该阶段"),
            ],
            Self::OrphanFolder => [
                say!(voice, "a work tree has no record", "工作树没有记录"),
                say!(voice, "look through it, then remove it", "检查后移除"),
            ],
            Self::OrphanMeta => [
                say!(voice, "git does not know this work tree", "git 不认识该工作树"),
                say!(voice, "look through it, then remove it", "检查后移除"),
            ],
            Self::OrphanRegistration => [
                say!(
                    voice,
                    "git knows a work tree whose folder is gone",
                    "git 记录的工作树目录已不存在"
                ),
                say!(voice, "prune it", "清理该记录"),
            ],
            Self::OrphanBranch => [
                say!(voice, "a branch has no work tree", "分支没有工作树"),
                say!(voice, "merge or delete it", "合并或删除该分支"),
            ],
            Self::LegacyJson => [
                say!(
                    voice,
                    "a file of an old version is not read",
                    "旧版本文件不会被读取"
                ),
                say!(voice, "remove it", "删除该文件"),
            ],
            Self::IgnoreRuleMissing => [
                say!(
                    voice,
                    "git does not ignore what belongs to one machine",
                    "git 没有忽略本机文件"
                ),
                say!(voice, "initialise the project again", "重新初始化项目"),
            ],
            Self::LocalYamlUnreadable => [
                say!(
                    voice,
                    "the settings cannot be understood, and set nothing",
                    "无法理解设置，设置未生效"
                ),
                say!(voice, "correct its YAML", "修正其 YAML"),
            ],
            Self::ModuleMapUnreadable => [
                say!(voice, "the module map cannot be understood", "无法理解模块映射"),
                say!(voice, "correct its YAML", "修正其 YAML"),
            ],
            Self::ModuleWithoutDoc => [
                say!(voice, "a module has no document", "模块没有文档"),
                say!(voice, "write it", "编写该文档"),
            ],
            Self::VerificationDuplicate => [
                say!(
                    voice,
                    "there are two reports of one verification",
                    "同一验证有两份报告"
                ),
                say!(voice, "keep `verification.md`", "保留 `verification.md`"),
            ],
            Self::DateUnreadable => [
                say!(voice, "a date cannot be read", "日期无法解析"),
                say!(
                    voice,
                    "write it as `YYYY-MM-DD HH:mm:ss`",
                    "写成 `YYYY-MM-DD HH:mm:ss`"
                ),
            ],
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub problem: Problem,
    pub path: String,
}

/// Looks at the files and at what the database says; an error of it is told in its own words.
pub fn examine(tree: &dyn Tree, read: Result<Option<Known>, String>) -> Result<Vec<Finding>, ReadError> {
    let mut out = Vec::new();
    let mut add = |problem: Problem, path: &RepoPath| {
        out.push(Finding {
            problem,
            path: path.text().into_owned(),
        });
    };
    let path = layout::database();
    match read {
        Ok(None) => add(Problem::DatabaseMissing, &path),
        Err(_) => add(Problem::DatabaseCorrupt, &path),
        Ok(Some(known)) => {
            if !known.faults.is_empty() {
                add(Problem::DatabaseCorrupt, &path);
            }
            let versions = [database::SCHEMA_VERSION, database::SCHEMA_VERSION + 1];
            if known
                .project
                .is_none_or(|project| !versions.contains(&project.schema_version))
            {
                add(Problem::SchemaVersion, &path);
            }
            examine_changes(tree, &known.changes, &mut add)?;
        }
    }
    examine_files(tree, &mut add)?;
    examine_modules(tree, &mut add)?;
    Ok(out)
}

fn examine_changes(
    tree: &dyn Tree,
    changes: &[Change],
    add: &mut dyn FnMut(Problem, &RepoPath),
) -> Result<(), ReadError> {
    let folders = layout::change_folders(tree)?;
    for change in changes
        .iter()
        .filter(|change| RepoPath::is_path(change.name.as_bytes()))
    {
        match (change.is_active(), folders.contains(&change.name)) {
            (true, false) => add(Problem::ChangeWithoutFolder, &layout::change(&change.name)),
            (false, true) => add(Problem::ArchivedStillThere, &layout::change(&change.name)),
            _ => {}
        }
    }
    for folder in &folders {
        let path = layout::change(folder);
        if changes.iter().all(|change| change.name != *folder) {
            add(Problem::FolderWithoutChange, &path);
        }
        for finding in lint::lint(tree, folder)? {
            if finding.code == lint::Code::MetadataFormat {
                add(Problem::DateUnreadable, &finding.path);
            }
        }
    }
    let expected = Gate::of(changes).map(|gate| gate.stage.as_str().to_owned());
    let written = tree.read(&layout::gate())?.map(|bytes| stage_in(&bytes));
    if expected != written.clone().flatten() || expected.is_some() != written.is_some() {
        add(Problem::GateStale, &layout::gate());
    }
    Ok(())
}

fn examine_files(tree: &dyn Tree, add: &mut dyn FnMut(Problem, &RepoPath)) -> Result<(), ReadError> {
    let mut legacy = vec![
        layout::runtime().join("global.json"),
        layout::runtime().join("progress.json"),
    ];
    for folder in layout::change_folders(tree)? {
        let folder = layout::change(&folder);
        legacy.extend([folder.join("progress.json"), folder.join("progress.json.bak")]);
        let mut reports = 0;
        for name in verification::NAMES {
            reports += usize::from(tree.is_file(&folder.join(name))?);
        }
        if reports > 1 {
            add(
                Problem::VerificationDuplicate,
                &folder.join(verification::NAMES[1]),
            );
        }
    }
    for path in legacy {
        if tree.entry(&path)?.is_some() {
            add(Problem::LegacyJson, &path);
        }
    }
    let ignored = RepoPath::of(".gitignore");
    let rules = tree.read(&ignored)?.unwrap_or_default();
    let runtime = layout::runtime();
    let has_rule = decode(&rules).lines().any(|line| {
        let line = line.trim().trim_matches('/');
        line.as_bytes() == runtime.as_bytes()
    });
    if !has_rule {
        add(Problem::IgnoreRuleMissing, &ignored);
    }
    if !settings::is_readable(tree)? {
        add(Problem::LocalYamlUnreadable, &layout::local());
    }
    Ok(())
}

fn examine_modules(tree: &dyn Tree, add: &mut dyn FnMut(Problem, &RepoPath)) -> Result<(), ReadError> {
    for project in modules::projects(tree)? {
        let map = match modules::load_one(tree, &project) {
            Ok(Some(map)) => map,
            Ok(None) => continue,
            Err(modules::MapError::Malformed { path, .. }) => {
                add(Problem::ModuleMapUnreadable, &path);
                continue;
            }
            Err(modules::MapError::Read(error)) => return Err(error),
        };
        for module in &map.modules {
            let doc = map.document(&module.id);
            let is_there = match &doc {
                Some(doc) => tree.is_file(doc)?,
                // An id that is no name of a file has no document either.
                None => false,
            };
            if !is_there {
                add(
                    Problem::ModuleWithoutDoc,
                    &doc.unwrap_or_else(|| map.path.clone()),
                );
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn change(name: &str, stage: &str, status: &str) -> Change {
        Change {
            id: 1,
            name: name.to_owned(),
            current_stage: stage.to_owned(),
            status: status.to_owned(),
            no_worktree: false,
            last_active: String::new(),
        }
    }

    #[test]
    fn rows_and_folders_are_compared() {
        let tree = MemoryTree::new([
            (".gitignore", ".sillyspec/.runtime/\n"),
            (".sillyspec/changes/b/x.txt", ""),
            (".sillyspec/changes/c/x.txt", ""),
            (".sillyspec/.runtime/global.json", "{}"),
            (".sillyspec/local.yaml", "steps: [full\n"),
            (
                ".sillyspec/docs/p/modules/_module-map.yaml",
                "modules:\n  m: {paths: [x]}\n",
            ),
            (".sillyspec/docs/q/modules/_module-map.yaml", "modules: [\n"),
        ]);
        let known = Known {
            faults: Vec::new(),
            project: Some(Project {
                name: "p".to_owned(),
                schema_version: 4,
            }),
            changes: vec![change("a", "execute", "active"), change("b", "plan", "archived")],
        };
        let found = examine(&tree, Ok(Some(known))).expect("read");
        let mut codes: Vec<&str> = found.iter().map(|finding| finding.problem.code()).collect();
        codes.sort_unstable();
        assert_eq!(
            codes,
            [
                "archived_still_there",
                "change_without_folder",
                "folder_without_change",
                "gate_stale",
                "legacy_json",
                "local_yaml_unreadable",
                "module_map_unreadable",
                "module_without_doc",
            ]
        );
        let found = examine(&tree, Ok(None)).expect("read");
        assert_eq!(found[0].problem, Problem::DatabaseMissing);
    }
}
