//! The answer of `silly lint` (silly.md 9).

use std::io;

use serde::Serialize;

use super::super::{Answer, Exit, Screen};
use crate::finding::Severity;
use crate::say;
use crate::silly::lint::Finding;
use crate::text::escape;
use crate::voice::Voice;

/// What was found, by change.
pub struct Linted {
    pub changes: Vec<(String, Vec<Finding>)>,
    /// Warnings count as errors.
    pub strict: bool,
}

#[derive(Serialize)]
pub struct Data {
    changes: Vec<OneChange>,
}

#[derive(Serialize)]
struct OneChange {
    change: String,
    findings: Vec<OneFinding>,
}

#[derive(Serialize)]
struct OneFinding {
    code: &'static str,
    level: &'static str,
    path: String,
    line: Option<usize>,
    message: String,
}

pub(super) const fn level(level: Severity) -> &'static str {
    match level {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

impl Answer for Linted {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let one = |finding: &Finding| OneFinding {
            code: finding.code.as_str(),
            level: level(finding.level),
            path: finding.path.text().into_owned(),
            line: finding.line,
            message: finding.code.say(&finding.subject, voice),
        };
        let changes = self.changes.iter().map(|(change, findings)| OneChange {
            change: change.clone(),
            findings: findings.iter().map(one).collect(),
        });
        Data {
            changes: changes.collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        for (change, findings) in &self.changes {
            let change = escape(change);
            if findings.is_empty() {
                screen.line(&say!(voice, "{change}: nothing found", "{change}：没有发现问题"))?;
            }
            for finding in findings {
                let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
                let message = finding.code.say(&finding.subject, voice);
                let (level, code) = (level(finding.level), finding.code.as_str());
                screen.line(&format!("{}{line}: {level} [{code}] {message}", finding.path))?;
            }
        }
        Ok(())
    }

    fn exit(&self) -> Exit {
        let counts = |finding: &Finding| self.strict || finding.level == Severity::Error;
        let mut all = self.changes.iter().flat_map(|(_, findings)| findings);
        if all.any(counts) { Exit::Found } else { Exit::Done }
    }
}
