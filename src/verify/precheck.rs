//! Whether the smoke cases of a change can be run, and were (verify.md 10).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::cases::counted_lines;
use crate::files::{ReadError, RepoPath, Tree, walk};
use crate::ledger::SmokeRecords;
use crate::markdown::Document;
use crate::project::{Slug, layout};
use crate::say;
use crate::text::{js, trim};
use crate::voice::Voice;

static SMOKE_ID: LazyLock<Regex> = LazyLock::new(|| js(r"^SMOKE-[A-Za-z0-9-]+-[0-9]{1,3}$"));
static SMOKE_MENTION: LazyLock<Regex> = LazyLock::new(|| js(r"\bSMOKE-[A-Za-z0-9-]+-[0-9]{1,3}\b"));
static RUN_ALL: LazyLock<Regex> = LazyLock::new(|| js(r"(?:^|\s)(?:\./)?scripts/run-smoke\.js(?:\s|$)"));
static RUNNER: LazyLock<Regex> = LazyLock::new(|| js(r"^smoke-.+\.(?:sh|js|mjs|cjs|ts)$"));

pub const RUNNER_MISSING: &str = "smoke_runner_missing";
pub const REPORTER_MISSING: &str = "smoke_reporter_missing";
pub const CASES_UNCOVERED: &str = "smoke_cases_uncovered";

/// Folders in which no runner is looked for.
pub const NO_RUNNERS: [&str; 4] = [".git", "node_modules", "dist", "logos"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum GateResult {
    Pass,
    Fail,
}

impl GateResult {
    pub const fn of(passes: bool) -> Self {
        if passes { Self::Pass } else { Self::Fail }
    }

    pub const fn passes(self) -> bool {
        matches!(self, Self::Pass)
    }
}

/// Something that keeps smoke cases from counting; keys in contract order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SmokeDiagnostic {
    pub code: &'static str,
    pub message: String,
    pub case_ids: Vec<String>,
    /// Null where no command is configured; absent where it does not matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_paths: Option<Vec<String>>,
}

/// Keys in contract order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Precheck {
    pub result: GateResult,
    pub changed_case_ids: Vec<String>,
    pub executed_case_ids: Vec<String>,
    pub uncovered_case_ids: Vec<String>,
    pub diagnostics: Vec<SmokeDiagnostic>,
    pub runners: Vec<String>,
    pub command: Option<String>,
    pub result_path: String,
}

impl Precheck {
    /// `runners` are the files that [`is_runner`] takes for such, sorted; `active` is the active change.
    pub fn look(
        tree: &dyn Tree,
        active: Option<&Slug>,
        records: &SmokeRecords,
        runners: Vec<String>,
        command: Option<&str>,
        result_path: &str,
        voice: &Voice,
    ) -> Result<Self, ReadError> {
        let changed = match active {
            Some(slug) => smoke_ids(
                tree,
                &RepoPath::of("deltas/test/smoke").below(&layout::change(slug)),
            )?,
            None => BTreeSet::new(),
        };
        let executed: BTreeSet<String> = records.executed.iter().cloned().collect();
        let uncovered: Vec<String> = changed.difference(&executed).cloned().collect();
        let changed: Vec<String> = changed.into_iter().collect();
        let mut out = Self {
            result: GateResult::Pass,
            changed_case_ids: changed,
            executed_case_ids: executed.into_iter().collect(),
            uncovered_case_ids: uncovered,
            diagnostics: Vec::new(),
            runners,
            command: command.map(str::to_owned),
            result_path: result_path.to_owned(),
        };
        if !out.changed_case_ids.is_empty() {
            out.diagnostics = out.diagnose(voice);
            out.result = GateResult::of(out.diagnostics.is_empty());
        }
        Ok(out)
    }

    fn diagnose(&self, voice: &Voice) -> Vec<SmokeDiagnostic> {
        let mut found = Vec::new();
        if !self.is_reachable() {
            found.push(SmokeDiagnostic {
                code: RUNNER_MISSING,
                message: say!(
                    voice,
                    "no command runs the smoke cases of this change: `smoke.command` names no runner",
                    "没有命令运行本提案的冒烟用例：`smoke.command` 未指向任何运行脚本"
                ),
                case_ids: self.changed_case_ids.clone(),
                command: Some(self.command.clone()),
                result_path: None,
                runner_paths: Some(self.runners.clone()),
            });
        }
        if !self.runners.is_empty() && self.executed_case_ids.is_empty() {
            let path = &self.result_path;
            found.push(SmokeDiagnostic {
                code: REPORTER_MISSING,
                message: say!(
                    voice,
                    "there are smoke runners, but `{path}` has no result of any case",
                    "存在冒烟运行脚本，但 `{path}` 中没有任何用例结果"
                ),
                case_ids: self.changed_case_ids.clone(),
                command: None,
                result_path: Some(path.clone()),
                runner_paths: Some(self.runners.clone()),
            });
        }
        if !self.executed_case_ids.is_empty() && !self.uncovered_case_ids.is_empty() {
            let path = &self.result_path;
            found.push(SmokeDiagnostic {
                code: CASES_UNCOVERED,
                message: say!(
                    voice,
                    "`{path}` lacks results of smoke cases of this change",
                    "`{path}` 缺少本提案冒烟用例的结果"
                ),
                case_ids: self.uncovered_case_ids.clone(),
                command: None,
                result_path: Some(path.clone()),
                runner_paths: None,
            });
        }
        found
    }

    fn is_reachable(&self) -> bool {
        let Some(command) = &self.command else {
            return false;
        };
        let slashed = command.replace('\\', "/");
        let named = |runner: &String| {
            let base = runner.rsplit('/').next().unwrap_or(runner);
            slashed.contains(runner.as_str()) || slashed.contains(base)
        };
        RUN_ALL.is_match(command) || self.runners.iter().any(named)
    }
}

/// Whether a path, from the project's root, is that of a smoke runner.
pub fn is_runner(path: &RepoPath) -> bool {
    let mut parts: Vec<_> = path.parts().collect();
    let name = parts.pop().map(|name| String::from_utf8_lossy(name).into_owned());
    name.is_some_and(|name| RUNNER.is_match(&name)) && parts.iter().any(|part| *part == "scripts")
}

/// The ids of smoke cases in the documents below a folder (verify.md 12.1).
pub fn smoke_ids(tree: &dyn Tree, folder: &RepoPath) -> Result<BTreeSet<String>, ReadError> {
    let mut ids = BTreeSet::new();
    for path in walk(tree, folder)?.iter().filter(|path| path.has_extension("md")) {
        if let Some(bytes) = tree.read(path)? {
            ids.extend(ids_of(&Document::scan(bytes)));
        }
    }
    Ok(ids)
}

fn ids_of(document: &Document) -> Vec<String> {
    let lines = counted_lines(document);
    let rows = lines.iter().filter_map(|line| {
        let row = trim(line);
        let cell = trim(row.strip_prefix('|')?.split('|').next()?);
        let bare = cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
        let id = bare.unwrap_or(cell);
        SMOKE_ID.is_match(id).then(|| id.to_owned())
    });
    let rows: Vec<String> = rows.collect();
    if !rows.is_empty() {
        return rows;
    }
    let mentions = lines.iter().flat_map(|line| SMOKE_MENTION.find_iter(line));
    mentions.map(|found| found.as_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_in_rows_or_else_anywhere() {
        let ids = |text: &str| ids_of(&Document::scan(text));
        assert_eq!(
            ids("see SMOKE-x-9\n| `SMOKE-a-1` | x |\n| SMOKE-a-b-002 |\n"),
            ["SMOKE-a-1", "SMOKE-a-b-002"]
        );
        assert_eq!(
            ids("see SMOKE-x-9, 跑SMOKE-y-1吧\n| SMOKE-z-1 [manual] |\n"),
            ["SMOKE-x-9", "SMOKE-y-1", "SMOKE-z-1"]
        );
        assert_eq!(ids("| SMOKE-a-1234 |"), [""; 0]);
    }

    #[test]
    fn runners_lie_below_scripts() {
        let is = |path: &str| is_runner(&RepoPath::of(path));
        assert!(is("scripts/smoke-a.sh") && is("x/scripts/y/smoke-a.b.mjs"));
        assert!(
            !is("smoke-a.sh") && !is("scripts/smoke-.sh") && !is("scripts/smoke-a.py") && !is("scripts/a.sh")
        );
    }
}
