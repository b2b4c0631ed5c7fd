//! The answer of `import` (verify.md 15).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::files::RepoPath;
use crate::say;
use crate::text::escape;
use crate::verify::import::{Imported, Warning};
use crate::voice::{Say, Voice};

/// What was imported, and where to.
pub struct Import {
    pub out: RepoPath,
    pub files: usize,
    pub appended: bool,
    pub imported: Imported,
}

#[derive(Serialize)]
pub struct Data {
    schema_version: &'static str,
    out: String,
    appended: bool,
    files: usize,
    rows: usize,
    tests: u64,
    unmapped: u64,
    unmapped_failure_count: u64,
    unmapped_failures: Vec<UnmappedFailure>,
    warnings: Vec<Warned>,
}

#[derive(Serialize)]
struct UnmappedFailure {
    name: String,
    error: String,
}

#[derive(Serialize)]
struct Warned {
    code: &'static str,
    ids: Vec<String>,
    message: String,
}

impl Answer for Import {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let imported = &self.imported;
        let failures = imported.unmapped_failures.iter();
        let warned = |warning: &Warning| Warned {
            code: warning.code(),
            ids: match warning {
                Warning::ManualCase { id } => vec![id.clone()],
                Warning::Ambiguous { ids } => ids.clone(),
            },
            message: warning.say(voice),
        };
        Data {
            schema_version: "git-spec-import.v1",
            out: self.out.text().into_owned(),
            appended: self.appended,
            files: self.files,
            rows: imported.rows,
            tests: imported.tests,
            unmapped: imported.unmapped,
            unmapped_failure_count: imported.unmapped_failure_count,
            unmapped_failures: failures
                .map(|failure| UnmappedFailure {
                    name: failure.name.clone(),
                    error: failure.error.clone(),
                })
                .collect(),
            warnings: imported.warnings.iter().map(warned).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let Imported {
            rows,
            tests,
            unmapped,
            ..
        } = self.imported;
        let out = &self.out;
        let done = say!(
            voice,
            "`{out}`: rows: {rows}, from {tests} tests; without a case id: {unmapped}",
            "`{out}`：{rows} 行，来自 {tests} 个测试；无用例编号：{unmapped} 个"
        );
        screen.line(&screen.paint(Style::Good, &done))?;
        for failure in &self.imported.unmapped_failures {
            let (name, error) = (escape(&failure.name), escape(&failure.error));
            screen.warn(&say!(
                voice,
                "failed without a case id: {name}: {error}",
                "失败但无用例编号：{name}：{error}"
            ))?;
        }
        let more = self.imported.unmapped_failure_count - self.imported.unmapped_failures.len() as u64;
        if more > 0 {
            screen.warn(&say!(voice, "and {more} more of them", "另有 {more} 个"))?;
        }
        for warning in &self.imported.warnings {
            screen.warn(&warning.say(voice))?;
        }
        Ok(())
    }
}
