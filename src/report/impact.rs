//! The answer of `impact` (seed 003 §3.16, change.md 8.4).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::ci::RangeLine;
use crate::impact::{Fault, File, Operation, Verdict};
use crate::say;
use crate::text::{decode, escape_bytes};
use crate::voice::{Say, Voice};

/// The verdict over a range or stream.
pub struct Impact {
    pub verdict: Verdict,
    /// How the range was chosen, if a CI job left that to us. JSON says nothing of it (git.md 4.4).
    pub range: Option<RangeLine>,
}

#[derive(Serialize)]
pub struct Data {
    schema_version: &'static str,
    lifecycle_only: bool,
    files: Vec<FileData>,
    non_lifecycle_paths: Vec<String>,
    operations: Vec<&'static str>,
    changes: Vec<String>,
    reasons: Vec<String>,
}

#[derive(Serialize)]
struct FileData {
    status: &'static str,
    path: String,
    old_path: Option<String>,
    class: &'static str,
}

impl FileData {
    fn of(file: &File) -> Self {
        Self {
            status: file.letter.as_str(),
            path: decode(&file.path).into_owned(),
            old_path: file.old_path.as_ref().map(|old| decode(old).into_owned()),
            class: file.class.as_str(),
        }
    }
}

impl Impact {
    fn reasons(&self, voice: &Voice) -> Vec<String> {
        let faults = self.verdict.faults.iter().map(|fault: &Fault| fault.say(voice));
        let outside = self.verdict.non_lifecycle_paths.iter().map(|path| {
            let path = escape_bytes(path);
            say!(voice, "non-lifecycle path: {path}", "非生命周期路径：{path}")
        });
        faults.chain(outside).collect()
    }

    fn operations(&self) -> Vec<&'static str> {
        self.verdict
            .operations
            .iter()
            .map(|o: &Operation| o.as_str())
            .collect()
    }
}

impl Answer for Impact {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let text = |paths: &[bstr::BString]| paths.iter().map(|p| decode(p).into_owned()).collect();
        Data {
            schema_version: "openlogos-change-impact.v1",
            lifecycle_only: self.verdict.lifecycle_only,
            files: self.verdict.files.iter().map(FileData::of).collect(),
            non_lifecycle_paths: text(&self.verdict.non_lifecycle_paths),
            operations: self.operations(),
            changes: text(&self.verdict.changes),
            reasons: self.reasons(voice),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if let Some(range) = &self.range {
            screen.warn(&range.say(voice))?;
        }
        let verdict = &self.verdict;
        let headline = if verdict.lifecycle_only {
            screen.paint(Style::Good, voice.pick("lifecycle only: yes", "仅生命周期：是"))
        } else {
            screen.paint(Style::Bad, voice.pick("lifecycle only: no", "仅生命周期：否"))
        };
        screen.line(&headline)?;
        let files = verdict.files.iter().map(|file| {
            let path = escape_bytes(&file.path);
            let old = file
                .old_path
                .as_ref()
                .map_or(String::new(), |old| format!("{} -> ", escape_bytes(old)));
            format!(
                "{}  {:<9}  {old}{path}",
                file.letter.as_str(),
                file.class.as_str()
            )
        });
        section(screen, voice.pick("files", "文件"), files)?;
        let bullets = |paths: &[bstr::BString]| -> Vec<String> {
            paths
                .iter()
                .map(|path| format!("- {}", escape_bytes(path)))
                .collect()
        };
        let outside = bullets(&verdict.non_lifecycle_paths);
        section(
            screen,
            voice.pick("non-lifecycle paths", "非生命周期路径"),
            outside,
        )?;
        let operations = self.operations().into_iter().map(|o| format!("- {o}"));
        section(screen, voice.pick("operations", "操作"), operations)?;
        section(screen, voice.pick("changes", "提案"), bullets(&verdict.changes))?;
        let reasons = self.reasons(voice).into_iter().map(|r| format!("- {r}"));
        section(screen, voice.pick("reasons", "原因"), reasons)?;
        screen.line("")?;
        let footer = voice.pick(
            "Only `lifecycle_only` decides; operations and changes are for reading.",
            "只有 `lifecycle_only` 用于决策；操作与提案仅供阅读。",
        );
        screen.line(&screen.paint(Style::Dim, footer))
    }
}

/// A title and its lines; nothing if there are none.
fn section(screen: &mut Screen<'_>, title: &str, lines: impl IntoIterator<Item = String>) -> io::Result<()> {
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_none() {
        return Ok(());
    }
    screen.line("")?;
    screen.line(&screen.paint(Style::Bold, title))?;
    lines.try_for_each(|line| screen.line(&format!("  {line}")))
}
