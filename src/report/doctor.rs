//! The answer of `doctor` (git.md 9).

use std::io;

use serde::Serialize;

use super::{Answer, Exit, Screen, Style};
use crate::finding::Severity;
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

/// One thing that is wrong.
pub struct Check {
    pub code: &'static str,
    pub severity: Severity,
    pub detail: String,
    pub cure: String,
}

/// What was looked at.
pub struct Examined {
    /// All codes there are.
    pub known: Vec<&'static str>,
    /// What is wrong; a code that is not among them is well.
    pub checks: Vec<Check>,
    /// What `--fix` could not do.
    pub not_cured: Vec<String>,
}

#[derive(Serialize)]
pub struct Data {
    checks: Vec<CheckData>,
}

#[derive(Serialize)]
struct CheckData {
    code: &'static str,
    ok: bool,
    severity: &'static str,
    detail: Option<String>,
    cure: Option<String>,
}

const fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

impl Answer for Examined {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let mut checks = Vec::new();
        let others = self
            .checks
            .iter()
            .map(|check| check.code)
            .filter(|code| !self.known.contains(code));
        let mut codes = self.known.clone();
        codes.extend(others);
        codes.dedup();
        for code in &codes {
            let mut wrong = self.checks.iter().filter(|check| check.code == *code).peekable();
            if wrong.peek().is_none() {
                checks.push(CheckData {
                    code,
                    ok: true,
                    severity: "info",
                    detail: None,
                    cure: None,
                });
            }
            checks.extend(wrong.map(|check| CheckData {
                code,
                ok: false,
                severity: word(check.severity),
                detail: Some(check.detail.clone()),
                cure: Some(check.cure.clone()),
            }));
        }
        Data { checks }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        for check in &self.checks {
            let style = match check.severity {
                Severity::Error => Style::Bad,
                Severity::Warning => Style::Warn,
            };
            let head = screen.paint(style, &format!("{} {}", word(check.severity), check.code));
            screen.line(&format!("{head}: {}", check.detail))?;
            screen.line(&format!("  {}", check.cure))?;
        }
        for why in &self.not_cured {
            let why = escape(why);
            screen.warn(&say!(voice, "not cured: {why}", "未能修复：{why}"))?;
        }
        if self.checks.is_empty() {
            let well = self.known.len();
            return screen.line(&say!(
                voice,
                "All is well: {well} things were looked at.",
                "一切正常：检查了 {well} 项。"
            ));
        }
        Ok(())
    }

    fn exit(&self) -> Exit {
        let is_error = |check: &Check| check.severity == Severity::Error;
        if self.checks.iter().any(is_error) {
            Exit::Found
        } else {
            Exit::Done
        }
    }
}
