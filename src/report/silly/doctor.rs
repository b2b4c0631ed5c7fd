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
pub struct Examined {
    pub findings: Vec<Finding>,
    /// With `--fix`; the findings are those that are left.
    pub mended: Option<Mended>,
}

/// What `--fix` did, and what it could not do.
#[derive(Default)]
pub struct Mended {
    fixed: Vec<Finding>,
    /// With the reason.
    not_fixed: Vec<(Finding, String)>,
}

impl Mended {
    pub fn note(&mut self, finding: Finding, done: Result<(), String>) {
        match done {
            Ok(()) => self.fixed.push(finding),
            Err(why) => self.not_fixed.push((finding, why)),
        }
    }

    /// One line for each thing that could not be done.
    pub fn failed(&self, voice: &Voice) -> Vec<String> {
        let line = |(finding, why): &(Finding, String)| {
            let (path, code) = (escape(&finding.path), finding.problem.code());
            say!(
                voice,
                "{path} [{code}] is as it was: {why}",
                "{path} [{code}] 未能修复：{why}"
            )
        };
        self.not_fixed.iter().map(line).collect()
    }
}

#[derive(Serialize)]
pub struct Data {
    findings: Vec<OneFinding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed: Option<Vec<Fixed>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_fixed: Option<Vec<NotFixed>>,
}

#[derive(Serialize)]
struct Fixed {
    code: &'static str,
    path: String,
}

#[derive(Serialize)]
struct NotFixed {
    code: &'static str,
    path: String,
    message: String,
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
        let findings = self.findings.iter().map(|finding| {
            let [message, fix] = finding.say(voice);
            OneFinding {
                code: finding.problem.code(),
                severity: level(finding.problem.severity()),
                path: finding.path.clone(),
                message,
                fix,
            }
        });
        let mended = self.mended.as_ref();
        let fixed = |mended: &Mended| {
            let one = |finding: &Finding| Fixed {
                code: finding.problem.code(),
                path: finding.path.clone(),
            };
            mended.fixed.iter().map(one).collect()
        };
        let not_fixed = |mended: &Mended| {
            let one = |(finding, why): &(Finding, String)| NotFixed {
                code: finding.problem.code(),
                path: finding.path.clone(),
                message: why.clone(),
            };
            mended.not_fixed.iter().map(one).collect()
        };
        Data {
            findings: findings.collect(),
            fixed: mended.map(fixed),
            not_fixed: mended.map(not_fixed),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if let Some(mended) = &self.mended {
            for finding in &mended.fixed {
                let (path, code) = (escape(&finding.path), finding.problem.code());
                screen.line(&say!(
                    voice,
                    "{path} [{code}] is put right",
                    "{path} [{code}] 已修复"
                ))?;
            }
            for why in mended.failed(voice) {
                screen.warn(&why)?;
            }
        }
        if self.findings.is_empty() {
            return screen.line(&say!(voice, "everything fits together", "一切正常"));
        }
        for finding in &self.findings {
            let [message, fix] = finding.say(voice);
            let (code, severity) = (finding.problem.code(), level(finding.problem.severity()));
            let path = escape(&finding.path);
            screen.line(&format!("{path}: {severity} [{code}] {message}; {fix}"))?;
        }
        Ok(())
    }

    fn exit(&self) -> Exit {
        let is_error = |finding: &Finding| finding.problem.severity() == Severity::Error;
        if self.findings.iter().any(is_error) {
            Exit::Found
        } else {
            Exit::Done
        }
    }
}
