//! What of a project does not fit together (silly.md 12). Looks only.

mod problem;

pub use problem::{Finding, Problem};

use std::cell::LazyCell;
use std::sync::LazyLock;

use regex::Regex;

use super::gate::{self, Gate};
use super::rows::{Change, Project};
use super::{init, layout, lint, modules, settings, verification};
use crate::clock::Timestamp;
use crate::files::{Kind, ReadError, RepoPath, Tree};
use crate::text::{decode, js};

/// What the database says.
#[derive(Clone, Debug)]
pub struct Known {
    /// What is wrong with the file.
    pub faults: Vec<String>,
    pub project: Option<Project>,
    pub changes: Vec<Change>,
    /// The times that are stored, each with the place where.
    pub times: Vec<(String, String)>,
}

/// Looks at the files and at what the database says; an error of it is told in its own words. `files` lists the files of
/// the project that git does not ignore: only patterns with stars need them.
pub fn examine(
    tree: &dyn Tree,
    read: Result<Option<Known>, String>,
    files: impl FnOnce() -> Vec<RepoPath>,
) -> Result<Vec<Finding>, ReadError> {
    let mut out = Vec::new();
    let mut add = |problem: Problem, path: &RepoPath| out.push(Finding::at(problem, path));
    let path = layout::database();
    match read {
        Ok(None) => add(Problem::DatabaseMissing, &path),
        Err(fault) => out.push(Finding::at(Problem::DatabaseCorrupt, &path).about(fault)),
        Ok(Some(known)) => {
            if let Some(fault) = known.faults.into_iter().next() {
                out.push(Finding::at(Problem::DatabaseCorrupt, &path).about(fault));
            }
            let mut add = |problem: Problem, path: &RepoPath| out.push(Finding::at(problem, path));
            if known.project.is_none_or(|project| !project.is_known()) {
                add(Problem::SchemaVersion, &path);
            }
            examine_changes(tree, &known.changes, &mut add)?;
            for (place, time) in known.times.into_iter().filter(|(_, time)| !is_time(time)) {
                let finding = Finding::at(Problem::DateUnreadable, &path);
                out.push(finding.about(format!("{place}: {time}")));
            }
        }
    }
    examine_files(tree, &mut out)?;
    examine_modules(tree, files, &mut out)?;
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
            (true, false) => match archived_folder(tree, &change.name)? {
                Some(folder) => add(Problem::ArchivedNotRecorded, &folder),
                None => add(Problem::ChangeWithoutFolder, &layout::change(&change.name)),
            },
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
    let is_stale = match (Gate::of(changes), tree.read(&layout::gate())?) {
        (Some(gate), Some(written)) => !gate::says(&written, &gate),
        (None, None) => false,
        (Some(_), None) | (None, Some(_)) => true,
    };
    if is_stale {
        add(Problem::GateStale, &layout::gate());
    }
    Ok(())
}

/// Whether a stored time can be read: an instant, or the local time that other programs write (silly.md 3).
fn is_time(text: &str) -> bool {
    static LOCAL: LazyLock<Regex> =
        LazyLock::new(|| js(r"^\d{4}([-/])\d{1,2}[-/]\d{1,2}[ T]\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?$"));
    Timestamp::parse(text).is_some() || LOCAL.is_match(text)
}

/// The folder of a change in the archive: with the day in front, or bare.
pub fn archived_folder(tree: &dyn Tree, change: &str) -> Result<Option<RepoPath>, ReadError> {
    let archive = layout::archive();
    let found = tree.list(&archive)?.into_iter().find(|(name, entry)| {
        let name = name.to_string();
        entry.kind == Kind::Dir && (name == change || layout::archived_name(&name) == change)
    });
    Ok(found.map(|(name, _)| archive.join(&name)))
}

fn examine_files(tree: &dyn Tree, out: &mut Vec<Finding>) -> Result<(), ReadError> {
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
            let path = folder.join(verification::NAMES[1]);
            out.push(Finding::at(Problem::VerificationDuplicate, &path));
        }
    }
    for path in legacy {
        if tree.entry(&path)?.is_some() {
            out.push(Finding::at(Problem::LegacyJson, &path));
        }
    }
    let ignored = RepoPath::of(".gitignore");
    let rules = tree.read(&ignored)?.unwrap_or_default();
    let rules = decode(&rules);
    let has = |rule: &str| {
        let bare = |line: &str| line.trim().trim_matches('/').to_owned();
        rules.lines().any(|line| bare(line) == bare(rule))
    };
    for rule in init::IGNORED.into_iter().filter(|rule| !has(rule)) {
        out.push(Finding::at(Problem::IgnoreRuleMissing, &ignored).about(rule.to_owned()));
    }
    if !settings::is_readable(tree)? {
        out.push(Finding::at(Problem::LocalYamlUnreadable, &layout::local()));
    }
    Ok(())
}

fn examine_modules(
    tree: &dyn Tree,
    files: impl FnOnce() -> Vec<RepoPath>,
    out: &mut Vec<Finding>,
) -> Result<(), ReadError> {
    let files = LazyCell::new(files);
    for project in modules::projects(tree)? {
        let map = match modules::load_one(tree, &project) {
            Ok(Some(map)) => map,
            Ok(None) => continue,
            Err(modules::MapError::Malformed { path, reason }) => {
                out.push(Finding::at(Problem::ModuleMapUnreadable, &path).about(reason));
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
                let path = doc.unwrap_or_else(|| map.path.clone());
                out.push(Finding::at(Problem::ModuleWithoutDoc, &path));
            }
            for pattern in &module.paths {
                let is_met = match map.place_of(pattern) {
                    Some(place) => tree.entry(&place)?.is_some(),
                    None => files.iter().any(|path| map.is_met(pattern, &path.text())),
                };
                if !is_met {
                    let finding = Finding::at(Problem::ModulePatternWithoutFiles, &map.path);
                    out.push(finding.about(format!("{}: {pattern}", module.id)));
                }
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
            (
                ".gitignore",
                ".sillyspec/.runtime/\n/.sillyspec/codebase/SCAN-RAW.md\n.sillyspec/local.yaml\n",
            ),
            (".sillyspec/changes/b/x.txt", ""),
            (".sillyspec/changes/c/x.txt", ""),
            (".sillyspec/.runtime/global.json", "{}"),
            (".sillyspec/local.yaml", "steps: [full\n"),
            (
                ".sillyspec/docs/p/modules/_module-map.yaml",
                "modules:\n  m: {paths: [src/**, gone/, 'src/*.rs', 'src/*.go']}\n",
            ),
            ("src/a.rs", ""),
            (".sillyspec/docs/q/modules/_module-map.yaml", "modules: [\n"),
        ]);
        let known = Known {
            faults: Vec::new(),
            project: Some(Project {
                name: "p".to_owned(),
                schema_version: 4,
            }),
            changes: vec![change("a", "execute", "active"), change("b", "plan", "archived")],
            times: ["2026-03-01T10:00:00.000Z", "2026/5/28 9:00:00", "gestern"]
                .map(|time| ("x".to_owned(), time.to_owned()))
                .to_vec(),
        };
        let files = || vec![RepoPath::of("src/a.rs")];
        let found = examine(&tree, Ok(Some(known)), files).expect("read");
        let mut codes: Vec<&str> = found.iter().map(|finding| finding.problem.code()).collect();
        codes.sort_unstable();
        assert_eq!(
            codes,
            [
                "archived_still_there",
                "change_without_folder",
                "date_unreadable",
                "folder_without_change",
                "gate_stale",
                "legacy_json",
                "local_yaml_unreadable",
                "module_map_unreadable",
                "module_pattern_without_files",
                "module_pattern_without_files",
                "module_without_doc",
            ]
        );
        let about: Vec<&str> = found.iter().filter_map(|f| f.about.as_deref()).collect();
        assert!(
            about.contains(&"m: gone/") && about.contains(&"m: src/*.go"),
            "{about:?}"
        );
        let found = examine(&tree, Ok(None), Vec::new).expect("read");
        assert_eq!(found[0].problem, Problem::DatabaseMissing);
    }
}
