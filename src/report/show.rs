//! The answer of `show` (git.md 8).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::files::ObjectId;
use crate::history::Found;
use crate::say;
use crate::text::{escape, escape_bytes};
use crate::voice::Voice;

/// The definitions of an id.
pub struct Show {
    pub id: String,
    /// None for the work tree.
    pub rev: Option<ObjectId>,
    pub found: Vec<Found>,
}

#[derive(Serialize)]
pub struct Data {
    schema_version: &'static str,
    id: String,
    rev: Option<String>,
    found: Vec<FoundData>,
}

#[derive(Serialize)]
struct FoundData {
    document: String,
    anchor: String,
    line: usize,
    text: String,
    change: Option<String>,
}

impl Answer for Show {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let found = self.found.iter().map(|found| FoundData {
            document: found.document.text().into_owned(),
            anchor: found.anchor.clone(),
            line: found.line + 1,
            text: found.text.clone(),
            change: found.change.clone(),
        });
        Data {
            schema_version: "git-spec-show.v1",
            id: self.id.clone(),
            rev: self.rev.map(|rev| rev.to_string()),
            found: found.collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        for found in &self.found {
            let id = screen.paint(Style::Bold, &format!("`{}`", escape(&self.id)));
            let document = escape_bytes(found.document.as_bytes());
            let anchor = escape(&found.anchor);
            let line = found.line + 1;
            screen.line(&format!("{id}  {document}:{line}  {anchor}"))?;
            for line in found.text.lines() {
                screen.line(&format!("  {}", escape(line)))?;
            }
            if let Some(change) = &found.change {
                let change = escape(change);
                let line = say!(
                    voice,
                    "  last touched by change {change}",
                    "  最近一次由变更 {change} 改动"
                );
                screen.line(&screen.paint(Style::Dim, &line))?;
            }
        }
        Ok(())
    }
}
