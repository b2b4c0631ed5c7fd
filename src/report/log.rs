//! The answer of `log` (git.md 8).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::files::{ObjectId, RepoPath};
use crate::history::{self, Event, Kind};
use crate::say;
use crate::text::{escape, escape_bytes};
use crate::voice::Voice;

/// The events of an id.
pub struct Log {
    pub id: String,
    pub rev: ObjectId,
    pub log: history::Log,
}

#[derive(Serialize)]
pub struct Data {
    schema_version: &'static str,
    id: String,
    rev: String,
    events: Vec<EventData>,
    truncated: bool,
}

#[derive(Serialize)]
struct EventData {
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    commit: String,
    date: String,
    author: String,
    change: Option<String>,
    change_path: Option<String>,
    document: String,
    anchor: String,
    reason: Option<String>,
    before: Option<String>,
    after: Option<String>,
}

impl EventData {
    fn of(event: &Event) -> Self {
        let text = |path: &RepoPath| path.text().into_owned();
        Self {
            event: event.kind.as_str(),
            from: event.from.clone(),
            commit: event.commit.to_string(),
            date: event.date.rfc3339(),
            author: event.author.clone(),
            change: event.change.clone(),
            change_path: event.change_path.as_ref().map(text),
            document: text(&event.document),
            anchor: event.anchor.clone(),
            reason: event.reason.clone(),
            before: event.before.clone(),
            after: event.after.clone(),
        }
    }
}

impl Answer for Log {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        Data {
            schema_version: "git-spec-log.v1",
            id: self.id.clone(),
            rev: self.rev.to_string(),
            events: self.log.events.iter().map(EventData::of).collect(),
            truncated: self.log.truncated,
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        for event in &self.log.events {
            print_one(event, screen)?;
        }
        if self.log.truncated {
            let voice = screen.voice;
            let line = say!(
                voice,
                "history ends here: this clone is shallow; `git fetch --unshallow` brings the rest",
                "历史到此为止：这是浅克隆；用 `git fetch --unshallow` 取回其余部分"
            );
            screen.line(&screen.paint(Style::Warn, &line))?;
        }
        Ok(())
    }
}

fn print_one(event: &Event, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let style = match event.kind {
        Kind::Added => Style::Good,
        Kind::Removed => Style::Bad,
        Kind::Changed | Kind::Moved | Kind::Renumbered => Style::Warn,
    };
    let word = match event.kind {
        Kind::Added => voice.pick("added", "新增"),
        Kind::Changed => voice.pick("changed", "修改"),
        Kind::Removed => voice.pick("removed", "删除"),
        Kind::Moved => voice.pick("moved", "移动"),
        Kind::Renumbered => voice.pick("renumbered", "改号"),
    };
    let from = event.from.as_ref().map_or_else(String::new, |from| {
        let from = escape(from);
        say!(voice, " from `{from}`", "，原为 `{from}`")
    });
    let (commit, date, author) = (event.commit.short(), day(event), escape(&event.author));
    let word = screen.paint(style, word);
    screen.line(&format!("{word}{from}  {commit}  {date}  {author}"))?;
    if let Some(change) = &event.change {
        let change = escape(change);
        let at = event.change_path.as_ref().map_or_else(String::new, |path| {
            format!("  ({})", escape_bytes(path.as_bytes()))
        });
        let line = say!(voice, "  change {change}{at}", "  变更 {change}{at}");
        screen.line(&line)?;
    }
    let document = escape_bytes(event.document.as_bytes());
    let anchor = if event.anchor.is_empty() {
        String::new()
    } else {
        format!("  {}", escape(&event.anchor))
    };
    screen.line(&format!("  {document}{anchor}"))?;
    if let Some(reason) = &event.reason {
        let reason = escape(reason);
        screen.line(&say!(voice, "  reason: {reason}", "  原因：{reason}"))?;
    }
    if event.before != event.after {
        print_text("-", Style::Bad, event.before.as_deref(), screen)?;
        print_text("+", Style::Good, event.after.as_deref(), screen)?;
    }
    screen.line("")
}

/// The day of an event, in UTC.
fn day(event: &Event) -> String {
    event.date.date(0)
}

fn print_text(sign: &str, style: Style, text: Option<&str>, screen: &mut Screen<'_>) -> io::Result<()> {
    for line in text.unwrap_or_default().lines() {
        let line = format!("{sign} {}", escape(line));
        screen.line(&format!("  {}", screen.paint(style, &line)))?;
    }
    Ok(())
}
