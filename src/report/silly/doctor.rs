//! The answer of `silly doctor` (silly.md 12).

use std::io;

use serde::Serialize;

use super::super::{Answer, Exit, Screen};
use super::lint::level;
use crate::finding::Severity;
use crate::say;
use crate::silly::doctor::Finding;
use crate::text::escape;
use crate::voice::Voice;

/// What does not fit together.
pub struct Examined(pub Vec<Finding>);

#[derive(Serialize)]
pub struct Data {
    findings: Vec<OneFinding>,
}

#[derive(Serialize)]
struct OneFinding {
    code: &'static str,
    severity: &'static str,
    path: String,
    message: String,
    fix: String,
}

impl Answer for Examined {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let findings = self.0.iter().map(|finding| {
            let [message, fix] = finding.problem.say(voice);
            OneFinding {
                code: finding.problem.code(),
                severity: level(finding.problem.severity()),
                path: finding.path.clone(),
                message,
                fix,
            }
        });
        Data {
            findings: findings.collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if self.0.is_empty() {
            return screen.line(&say!(voice, "everything fits together", "一切正常"));
        }
        for finding in &self.0 {
            let [message, fix] = finding.problem.say(voice);
            let (code, severity) = (finding.problem.code(), level(finding.problem.severity()));
            let path = escape(&finding.path);
            screen.line(&format!("{path}: {severity} [{code}] {message}; {fix}"))?;
        }
        Ok(())
    }

    fn exit(&self) -> Exit {
        let is_error = |finding: &Finding| finding.problem.severity() == Severity::Error;
        if self.0.iter().any(is_error) {
            Exit::Found
        } else {
            Exit::Done
        }
    }
}
