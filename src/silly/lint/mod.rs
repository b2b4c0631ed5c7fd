//! Checks of the documents of a change (silly.md 9). A document that is not there yet is no finding.

mod code;
mod documents;
mod metadata;
mod plan;

pub use code::Code;

use crate::files::{ReadError, RepoPath, Tree};
use crate::finding::Severity;
use crate::silly::{layout, verification};
use crate::text::without_mark;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    pub level: Severity,
    pub path: RepoPath,
    /// From 1.
    pub line: Option<usize>,
    /// What it is about: a title, an id, a name.
    pub subject: String,
}

/// What is found in one document.
struct Findings<'f> {
    path: &'f RepoPath,
    out: &'f mut Vec<Finding>,
}

impl Findings<'_> {
    fn error(&mut self, code: Code, line: Option<usize>, subject: impl Into<String>) {
        self.add(code, Severity::Error, line, subject.into());
    }

    fn warn(&mut self, code: Code, line: Option<usize>, subject: impl Into<String>) {
        self.add(code, Severity::Warning, line, subject.into());
    }

    /// `line` counts from 0.
    fn add(&mut self, code: Code, level: Severity, line: Option<usize>, subject: String) {
        self.out.push(Finding {
            code,
            level,
            path: self.path.clone(),
            line: line.map(|line| line + 1),
            subject,
        });
    }
}

/// Judges the documents of a change, in the order of their paths, lines and codes.
pub fn lint(tree: &dyn Tree, change: &str) -> Result<Vec<Finding>, ReadError> {
    let folder = layout::change(change);
    let mut out = Vec::new();
    if !layout::is_dated(change) {
        let mut found = Findings {
            path: &folder,
            out: &mut out,
        };
        found.warn(Code::ChangeNameFormat, None, change);
    }
    let mut reports = 0;
    for path in crate::files::walk(tree, &folder)? {
        let Some(bytes) = tree.read(&path)? else { continue };
        let inner = path.strip_prefix(&folder).unwrap_or_default();
        let mut found = Findings {
            path: &path,
            out: &mut out,
        };
        if crate::silly::left_behind::has_metadata_rule(&path) {
            metadata::judge(&bytes, &mut found);
        }
        let name = inner.text().into_owned();
        if verification::NAMES.contains(&name.as_str()) {
            reports += 1;
            if reports == 2 {
                found.warn(Code::VerificationDuplicate, None, name);
                continue;
            }
        }
        judge(tree, &folder, &name, &bytes, &mut found)?;
    }
    out.sort_by(|a, b| {
        let key = |f: &Finding| (f.path.clone(), f.line, f.code.as_str(), f.subject.clone());
        key(a).cmp(&key(b))
    });
    Ok(out)
}

fn judge(
    tree: &dyn Tree,
    folder: &RepoPath,
    name: &str,
    bytes: &[u8],
    found: &mut Findings<'_>,
) -> Result<(), ReadError> {
    let bytes = without_mark(bytes);
    match name {
        "proposal.md" => documents::proposal(bytes, found),
        "design.md" => documents::design(bytes, found),
        "requirements.md" => documents::requirements(bytes, found),
        "tasks.md" => documents::tasks(bytes, found),
        "module-impact.md" => documents::module_impact(bytes, found),
        "plan.md" => {
            let has_file = |id: &str| tree.is_file(&folder.join("tasks").join(format!("{id}.md")));
            plan::judge(bytes, &has_file, found)?;
        }
        _ if verification::NAMES.contains(&name) => documents::verification(bytes, found),
        _ => {
            let task = name
                .strip_prefix("tasks/")
                .and_then(|rest| rest.strip_suffix(".md"));
            if let Some(task) = task.filter(|task| task.starts_with("task-")) {
                documents::task(task, bytes, found);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    const HEAD: &str = "author: ada\ncreated_at: 2026-03-01 10:00:00\n";

    fn codes(files: &[(&str, String)]) -> Vec<(&'static str, String)> {
        let name = "2026-03-01-csv";
        let at = |(path, text): &(&str, String)| (format!(".sillyspec/changes/{name}/{path}"), text.clone());
        let found = lint(&MemoryTree::new(files.iter().map(at)), name).expect("read");
        found.into_iter().map(|f| (f.code.as_str(), f.subject)).collect()
    }

    #[test]
    fn a_sound_proposal_has_no_findings() {
        let text = format!(
            "# P\n{HEAD}\n## 动机\nx\n## 关键问题\nx\n## 3. 变更范围（必填）\nx\n## Non-Goals\n- a\n## 成功标准\n- b\n"
        );
        assert_eq!(codes(&[("proposal.md", text)]), []);
    }

    #[test]
    fn what_a_proposal_lacks_is_told() {
        let text = "x\n## 动机\n## 非目标\nx\n```\n## 变更范围\n```\n";
        let found = codes(&[("proposal.md", text.to_owned())]);
        for expected in [
            ("title_missing", ""),
            ("section_missing", "变更范围"),
            ("section_missing", "成功标准"),
            ("list_missing", "非目标"),
            ("metadata_missing", "author"),
        ] {
            assert!(
                found
                    .iter()
                    .any(|(code, subject)| (*code, subject.as_str()) == expected),
                "{found:?}"
            );
        }
    }

    #[test]
    fn requirements_need_given_when_then_in_order_and_numbers_without_gaps() {
        let text = format!(
            "# R\n{HEAD}\n### FR-01: a\nGiven x\nWhen y\nThen z\n### FR-03: b\nWhen y\nGiven x\nThen z\n## 角色\n| a | b |\n|---|---|\n| 1 | 2 |\n## 非功能需求\n"
        );
        let found = codes(&[("requirements.md", text)]);
        assert_eq!(
            found,
            [
                ("id_gap", "FR-03".to_owned()),
                ("steps_out_of_order", "FR-03".to_owned())
            ]
        );
    }

    #[test]
    fn dependencies_of_a_plan_are_judged() {
        let text = format!(
            "# P\n{HEAD}\n## Wave 1\n- [ ] task-01: a\n- [ ] task-02: b\n## Wave 2\n- [ ] task-03: c\n## 任务总表\n\
             | 编号 | 任务 | Wave | 优先级 | 估时 | 依赖 | 说明 |\n|---|---|---|---|---|---|---|\n\
             | task-01 | a | 1 | P0 | 2h | task-02 | |\n| task-02 | b | 1 | P0 | 1d | task-01 | |\n\
             | task-03 | c | 2 | P0 | 1h | task-01,09 | |\n## 依赖关系图\n```mermaid\ngraph TD\ntask-01 --> task-02\n```\n\
             ## 关键路径\ntask-01 → task-03\n## 全局验收标准\n- a\n"
        );
        let found = codes(&[("plan.md", text)]);
        let has = |code: &str| found.iter().any(|(found, _)| *found == code);
        assert!(
            has("plan_cycle") && has("plan_wave_order") && has("plan_unknown_dependency"),
            "{found:?}"
        );
        assert!(has("plan_graph"), "{found:?}");
    }

    #[test]
    fn the_longest_chain_is_the_critical_path() {
        let plan = |path: &str| {
            format!(
                "# P\n{HEAD}\n## Wave 1\n- [ ] task-01: a\n- [ ] task-02: b\n## Wave 2\n- [ ] task-03: c\n## 任务总表\n\
                 | 编号 | 任务 | Wave | 优先级 | 估时 | 依赖 | 说明 |\n|---|---|---|---|---|---|---|\n\
                 | task-01 | a | 1 | P0 | 4h | — | |\n| task-02 | b | 1 | P0 | 1d | - | |\n\
                 | task-03 | c | 2 | P0 | | task-01,02 | |\n## 依赖关系图\n```mermaid\ngraph TD\ntask-01 --> task-03\n\
                 task-02 --> task-03\n```\n## 关键路径\n{path}\n## 全局验收标准\n- a\n"
            )
        };
        let of_tasks = |found: Vec<(&'static str, String)>| {
            found
                .into_iter()
                .filter(|(code, _)| *code != "task_file_missing")
                .collect::<Vec<_>>()
        };
        assert_eq!(of_tasks(codes(&[("plan.md", plan("task-02 → task-03"))])), []);
        let wrong = of_tasks(codes(&[("plan.md", plan("task-01 → task-03"))]));
        assert_eq!(wrong, [("plan_critical_path", "task-02 → task-03".to_owned())]);
    }
}
