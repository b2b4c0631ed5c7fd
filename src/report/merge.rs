//! What `merge` and `rebase` print: conflicts with their texts and cures, unified diffs.

use std::io;

use similar::TextDiff;

use super::{Screen, Style};
use crate::files::{Recovered, RepoPath};
use crate::git::{Committed, LastChange};
use crate::merge::{Conflict, DocumentEdit};
use crate::say;
use crate::text::{Bytes, decode, escape};

/// Why a command that writes did not: conflicts, each with the commit that moved its document if history tells.
pub struct Refusal {
    pub conflicts: Vec<(Conflict, Option<LastChange>)>,
}

impl Refusal {
    /// Conflicts without history.
    pub fn bare(conflicts: Vec<Conflict>) -> Self {
        Self {
            conflicts: conflicts.into_iter().map(|c| (c, None)).collect(),
        }
    }
}

/// Says what was done with an interrupted run.
pub fn print_recovered(recovered: Recovered, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    match recovered {
        Recovered::Nothing => Ok(()),
        Recovered::Completed => screen.warn(&say!(
            voice,
            "an interrupted run was completed",
            "已补完先前中断的运行"
        )),
        Recovered::RolledBack => screen.warn(&say!(
            voice,
            "an interrupted run was rolled back",
            "已回滚先前中断的运行"
        )),
    }
}

/// Says what the hooks of a commit said, and which commit it is.
pub fn print_committed(committed: &Committed, screen: &mut Screen<'_>) -> io::Result<()> {
    if !committed.said.is_empty() {
        screen.warn(&committed.said)?;
    }
    let id = committed.id.map_or_else(|| "HEAD".to_owned(), |id| id.short());
    screen.line(&say!(screen.voice, "commit {id}", "提交 {id}"))
}

/// Prints every conflict to stderr: the line of the contract, then what helps a person.
pub fn print_conflicts(refusal: &Refusal, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    for (conflict, last) in &refusal.conflicts {
        screen.warn(&format!("conflict: {}", conflict.line()))?;
        screen.warn(&format!("  {}", conflict.explanation(voice)))?;
        if let Some(at) = &conflict.at {
            let line = at
                .line
                .as_ref()
                .map_or(String::new(), |line| format!(":{}", line.number));
            screen.warn(&format!("  {}{line}", at.path))?;
        }
        if let Some(texts) = &conflict.texts {
            print_text(&say!(voice, "when created", "创建时"), &texts.base, screen)?;
            print_text(&say!(voice, "document now", "文档现状"), &texts.document, screen)?;
            print_text(&say!(voice, "delta", "delta"), &texts.delta, screen)?;
        }
        if let Some(last) = last {
            let (id, subject) = (&last.id, escape(&last.subject));
            let change = last
                .change
                .as_ref()
                .map_or(String::new(), |c| format!(" [{}]", escape(c)));
            let text = say!(
                voice,
                "last changed by {id} {subject}{change}",
                "最近改动：{id} {subject}{change}"
            );
            screen.warn(&format!("  {text}"))?;
        }
        screen.warn(&format!("  → {}", conflict.cure(voice)))?;
    }
    Ok(())
}

/// At most this many lines of a text are shown.
const SHOWN: usize = 12;

fn print_text(label: &str, text: &Bytes, screen: &mut Screen<'_>) -> io::Result<()> {
    let shown = decode(text);
    let mut lines = shown.lines();
    let none = say!(screen.voice, "(nothing)", "（无）");
    screen.warn(&format!(
        "    {label}: {}",
        if text.is_empty() { none } else { String::new() }
    ))?;
    for line in lines.by_ref().take(SHOWN) {
        screen.warn(&format!("      | {}", escape(line)))?;
    }
    let rest = lines.count();
    if rest > 0 {
        screen.warn(&format!("      | … {rest}"))?;
    }
    Ok(())
}

/// The unified diff of edits, as git shows it. Foreign text is shown escaped.
pub fn unified_diff(edits: &[DocumentEdit], screen: &mut Screen<'_>) -> io::Result<()> {
    for edit in edits {
        let side = |prefix: &str, path: &RepoPath, there: bool| {
            if there {
                format!("{prefix}/{path}")
            } else {
                "/dev/null".to_owned()
            }
        };
        let (old, new) = (
            edit.old.clone().unwrap_or_default(),
            edit.new.clone().unwrap_or_default(),
        );
        let from = side("a", &edit.document, edit.old.is_some());
        let to = side("b", &edit.document, edit.new.is_some());
        if old.contains(&0) || new.contains(&0) {
            screen.line(&format!("Binary files {from} and {to} differ"))?;
            continue;
        }
        let (old, new) = (decode(&old), decode(&new));
        let diff = TextDiff::from_lines(old.as_ref(), new.as_ref());
        let text = diff
            .unified_diff()
            .context_radius(3)
            .header(&from, &to)
            .to_string();
        for line in text.lines() {
            let shown = escape(line);
            let style = match line.as_bytes().first() {
                Some(b'+') => Some(Style::Good),
                Some(b'-') => Some(Style::Bad),
                Some(b'@') => Some(Style::Dim),
                _ => None,
            };
            let shown = style.map_or_else(|| shown.to_string(), |style| screen.paint(style, &shown));
            screen.line(&shown)?;
        }
    }
    Ok(())
}
