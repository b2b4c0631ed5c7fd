//! The answer of `check` (git.md 2.7).

use std::io;

use serde::Serialize;

use super::{Answer, Exit, Screen, Style, snippet};
use crate::check::{Found, Judgement, passes};
use crate::files::ObjectId;
use crate::finding::{Finding, Severity};
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

/// What was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckMode {
    Range,
    Staged,
    Tree,
}

impl CheckMode {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Staged => "staged",
            Self::Tree => "tree",
        }
    }
}

/// A judgement, and what it is of.
pub struct Check {
    pub judgement: Judgement,
    pub mode: CheckMode,
    pub base: Option<ObjectId>,
    pub head: Option<ObjectId>,
    /// The rule by which a CI job's range was chosen.
    pub chosen_by: Option<&'static str>,
    pub strict: bool,
}

#[derive(Serialize)]
pub struct Data {
    schema_version: &'static str,
    mode: &'static str,
    base: Option<String>,
    head: Option<String>,
    chosen_by: Option<&'static str>,
    judge: &'static str,
    projects: Vec<String>,
    commits: usize,
    pass: bool,
    errors: usize,
    warnings: usize,
    findings: Vec<FindingData>,
}

#[derive(Serialize)]
struct FindingData {
    code: &'static str,
    severity: &'static str,
    commit: Option<String>,
    project: String,
    path: String,
    line: Option<usize>,
    change: Option<String>,
    item: Option<String>,
    message: String,
    fix_hint: String,
}

const fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warn",
    }
}

impl FindingData {
    fn of(found: &Found, voice: &Voice) -> Self {
        let finding = &found.finding;
        Self {
            code: finding.code,
            severity: word(finding.severity),
            commit: finding.at.commit.map(|id| id.to_string()),
            project: found.project.text().into_owned(),
            path: finding.at.path.text().into_owned(),
            line: finding.at.line.as_ref().map(|line| line.number),
            change: found.change.clone(),
            item: found.item.clone(),
            message: finding.message.say(voice),
            fix_hint: finding
                .fix
                .as_ref()
                .map_or_else(String::new, |fix| fix.say(voice)),
        }
    }
}

impl Check {
    fn count(&self, severity: Severity) -> usize {
        self.judgement
            .found
            .iter()
            .filter(|f| f.finding.severity == severity)
            .count()
    }

    fn passes(&self) -> bool {
        passes(&self.judgement.found, self.strict)
    }
}

impl Answer for Check {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let judgement = &self.judgement;
        let id = |id: Option<ObjectId>| id.map(|id| id.to_string());
        Data {
            schema_version: "git-spec-check.v1",
            mode: self.mode.as_str(),
            base: id(self.base),
            head: id(self.head),
            chosen_by: self.chosen_by,
            judge: if judgement.result_only { "result" } else { "each" },
            projects: judgement
                .projects
                .iter()
                .map(|project| project.text().into_owned())
                .collect(),
            commits: judgement.commits,
            pass: self.passes(),
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            findings: judgement
                .found
                .iter()
                .map(|found| FindingData::of(found, voice))
                .collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let mut section = None;
        for found in &self.judgement.found {
            let finding = &found.finding;
            if section != Some(finding.at.commit) {
                section = Some(finding.at.commit);
                let title = match (finding.at.commit, self.mode) {
                    (Some(id), _) => {
                        let id = id.short();
                        say!(voice, "commit {id}", "提交 {id}")
                    }
                    (None, CheckMode::Staged) => say!(voice, "the index", "索引"),
                    (None, CheckMode::Range | CheckMode::Tree) => say!(voice, "the result", "结果"),
                };
                screen.line(&screen.paint(Style::Bold, &title))?;
            }
            print_one(found, screen)?;
        }
        let (errors, warnings) = (self.count(Severity::Error), self.count(Severity::Warning));
        let (commits, projects) = (self.judgement.commits, self.judgement.projects.len());
        let verdict = if self.passes() {
            screen.paint(Style::Good, "PASS")
        } else {
            screen.paint(Style::Bad, "FAIL")
        };
        let totals = say!(
            voice,
            "{errors} errors, {warnings} warnings; commits: {commits}, projects touched: {projects}",
            "{errors} 个错误，{warnings} 个警告；提交：{commits}，涉及项目：{projects}"
        );
        screen.line(&format!("{verdict} {totals}"))
    }

    fn findings(&self) -> Vec<&Finding> {
        self.judgement.found.iter().map(|found| &found.finding).collect()
    }

    /// Code, path, change and item: the message may be worded anew.
    fn identity(&self, finding: usize) -> Option<Vec<u8>> {
        let found = self.judgement.found.get(finding)?;
        let text = |text: &Option<String>| text.clone().unwrap_or_default().into_bytes();
        let parts = [
            found.finding.code.as_bytes().to_vec(),
            found.finding.at.path.as_bytes().to_vec(),
            text(&found.change),
            text(&found.item),
        ];
        Some(parts.join(&0))
    }

    fn exit(&self) -> Exit {
        if self.passes() { Exit::Done } else { Exit::Found }
    }
}

/// `path:line: severity[code] message`, the line itself, and the cure.
fn print_one(found: &Found, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let finding = &found.finding;
    let style = match finding.severity {
        Severity::Error => Style::Bad,
        Severity::Warning => Style::Warn,
    };
    let severity = screen.paint(style, word(finding.severity));
    let line = finding
        .at
        .line
        .as_ref()
        .map_or_else(String::new, |line| format!(":{}", line.number));
    let path = escape(&finding.at.path.text()).into_owned();
    let message = finding.message.say(voice);
    screen.line(&format!("  {path}{line}: {severity}[{}] {message}", finding.code))?;
    snippet::print_line(&finding.at, screen)?;
    match &finding.fix {
        Some(fix) => screen.line(&format!("      → {}", fix.say(voice))),
        None => Ok(()),
    }
}
