//! The packages of a large change (silly.md 9, MASTER.md): which there are, what they need, and the documents that each
//! begins with. Plans only.

use std::collections::BTreeSet;

use super::layout;
use crate::files::{ReadError, RepoPath, Tree};
use crate::markdown::Document;
use crate::text::{Bytes, trim};
use crate::worktree::check_name;

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The name of its folder.
    pub name: String,
    pub title: String,
    pub boundary: String,
    pub needs: Vec<String>,
}

/// Why nothing is split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    NoTable,
    Name(String),
    UnknownDependency(String),
    Cycle(String),
}

const COLUMNS: [&str; 4] = ["变更包", "名称", "边界描述", "依赖"];

/// The packages of a master document, the main change first.
pub fn parse(bytes: &[u8]) -> Result<Vec<Package>, Fault> {
    let document = Document::scan(bytes);
    let tables = document.table_frames(document.all_lines());
    let found = tables.iter().find_map(|table| {
        let at = |name: &str| table.header.iter().position(|cell| cell == name);
        let columns: Option<Vec<usize>> = COLUMNS.iter().map(|name| at(name)).collect();
        columns.map(|columns| (table, columns))
    });
    let (table, columns) = found.ok_or(Fault::NoTable)?;
    let mut packages = Vec::new();
    for row in &table.rows {
        let cell = |at: usize| {
            let cell = row.cells.get(columns[at]).map_or("", String::as_str);
            trim(&cell.replace('`', "")).to_owned()
        };
        let needs = cell(3);
        let needs = needs.split([',', '，', '、']).map(trim);
        packages.push(Package {
            name: cell(0),
            title: cell(1),
            boundary: cell(2),
            needs: needs
                .filter(|need| !need.chars().all(|c| matches!(c, '-' | '–' | '—' | '无')))
                .map(str::to_owned)
                .collect(),
        });
    }
    judge(&packages)?;
    Ok(packages)
}

fn judge(packages: &[Package]) -> Result<(), Fault> {
    for package in packages {
        check_name(&package.name).map_err(|_| Fault::Name(package.name.clone()))?;
        for need in &package.needs {
            if find(packages, need).is_none() {
                return Err(Fault::UnknownDependency(need.clone()));
            }
        }
    }
    for package in packages {
        let mut seen = BTreeSet::new();
        let mut open = vec![package];
        while let Some(one) = open.pop() {
            for need in one.needs.iter().filter_map(|need| find(packages, need)) {
                if need.name == package.name {
                    return Err(Fault::Cycle(package.name.clone()));
                }
                if seen.insert(&need.name) {
                    open.push(need);
                }
            }
        }
    }
    Ok(())
}

/// A package by its name, which may leave out the day.
fn find<'p>(packages: &'p [Package], name: &str) -> Option<&'p Package> {
    let exact = packages.iter().find(|package| package.name == name);
    exact.or_else(|| {
        packages
            .iter()
            .find(|package| layout::archived_name(&package.name) == name)
    })
}

/// The documents of the packages behind the main change, or of all where it has no row, that have no folder yet.
pub fn plan(
    tree: &dyn Tree,
    main: &str,
    packages: &[Package],
    author: &str,
    created_at: &str,
) -> Result<Vec<(RepoPath, Bytes)>, ReadError> {
    let mut out = Vec::new();
    let own = packages.iter().position(|package| {
        let bare = layout::archived_name(main);
        package.name == main || package.name == bare
    });
    for package in packages.iter().skip(own.map_or(0, |at| at + 1)) {
        let folder = layout::change(&package.name);
        if tree.entry(&folder)?.is_some() {
            continue;
        }
        let Package { title, boundary, .. } = package;
        let head = |kind: &str| {
            format!("---\nauthor: {author}\ncreated_at: {created_at}\n---\n\n# {kind}: {title}\n\n")
        };
        let documents = [
            (
                "proposal.md",
                format!(
                    "{}## 动机\n\n{title}\n\n## 变更范围\n\n{boundary}\n",
                    head("Proposal")
                ),
            ),
            (
                "design.md",
                format!(
                    "{}待设计 - 本包 design 在该包进入 brainstorm 时完善\n",
                    head("Design")
                ),
            ),
            ("requirements.md", format!("{}待完善\n", head("Requirements"))),
            ("tasks.md", format!("{}待 plan 阶段展开\n", head("Tasks"))),
        ];
        out.extend(documents.map(|(name, text)| (folder.join(name), text.into_bytes())));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn master(rows: &[&str]) -> Result<Vec<Package>, Fault> {
        let head = "# M\n\n| 变更包 | 名称 | 边界描述 | 依赖 |\n|---|---|---|---|\n";
        parse(format!("{head}{}\n", rows.join("\n")).as_bytes())
    }

    #[test]
    fn packages_name_what_they_need_with_or_without_the_day() {
        let rows = [
            "| 2026-03-01-a | A | x | 无 |",
            "| `2026-03-02-b` | B | y | a，2026-03-01-a |",
        ];
        let packages = master(&rows).expect("sound");
        assert_eq!(packages[1].name, "2026-03-02-b");
        assert_eq!(packages[1].needs, ["a", "2026-03-01-a"]);
        let made = |main: &str| {
            let planned = plan(
                &MemoryTree::default(),
                main,
                &packages,
                "ada",
                "2026-03-01 10:00:00",
            );
            let planned = planned.expect("read").into_iter();
            planned.map(|(path, _)| path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(made("2026-03-01-a").len(), 4, "the main change is there already");
        assert_eq!(made("2026-03-02-b"), [""; 0], "nothing stands behind it");
        assert_eq!(made("2026-01-01-other").len(), 8);
        let there = MemoryTree::new([(".sillyspec/changes/2026-03-02-b/x", "")]);
        assert!(
            plan(&there, "2026-03-01-a", &packages, "ada", "x")
                .expect("read")
                .is_empty()
        );
    }

    #[test]
    fn unknown_and_circular_needs_are_refused() {
        assert_eq!(
            master(&["| a | A | x | z |"]),
            Err(Fault::UnknownDependency("z".to_owned()))
        );
        assert_eq!(
            master(&["| 2026-03-01-a | A | x | |", "| b | B | y | 2020-01-01-a |"]),
            Err(Fault::UnknownDependency("2020-01-01-a".to_owned()))
        );
        let circle = ["| a | A | x | b |", "| b | B | y | a |"];
        assert_eq!(master(&circle), Err(Fault::Cycle("a".to_owned())));
        assert_eq!(
            master(&["| ../a | A | x | |"]),
            Err(Fault::Name("../a".to_owned()))
        );
        assert_eq!(parse(b"# M\n"), Err(Fault::NoTable));
    }
}
