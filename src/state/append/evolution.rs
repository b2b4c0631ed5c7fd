//! `add-roadmap-evolution` (state.md 8).

use super::{Appended, add_bullet};
use crate::state::body::{Body, section};
use crate::state::transition::{Draft, current_phase};
use crate::text::{Span, each_line};

const CONTEXT: &str = "Accumulated Context";
const SUBSECTION: &str = "Roadmap Evolution";

/// What an entry is made of.
pub(super) struct Parts<'a> {
    pub phase: Option<&'a str>,
    pub action: &'a str,
    pub after: Option<&'a str>,
    pub note: &'a str,
    pub urgent: bool,
}

impl Parts<'_> {
    fn entry(&self, current: Option<&str>) -> String {
        let phase = self.phase.or(current).unwrap_or("?");
        let after = self
            .after
            .map(|after| format!(" after Phase {after}"))
            .unwrap_or_default();
        let urgent = if self.urgent { " (URGENT)" } else { "" };
        let entry = format!("- Phase {phase} {}{after}: {}{urgent}", self.action, self.note);
        // One line, or it would not be known again.
        let lines: Vec<&str> = entry
            .split(['\n', '\r'])
            .filter(|line| !line.is_empty())
            .collect();
        lines.join(" ").trim_end().to_owned()
    }
}

pub(super) fn add(draft: &mut Draft, parts: &Parts<'_>) -> Appended {
    let entry = parts.entry(current_phase(&draft.front, &draft.body).as_deref());
    let body = &mut draft.body;
    let context = body.section_named(2, CONTEXT);
    let subsection = context.and_then(|context| subsection(body, context));
    match (subsection, context) {
        (Some(subsection), _) => {
            let content = body.slice(subsection);
            let is_there = each_line(content.as_bytes())
                .any(|line| content[line.span.start..line.span.end].trim_end() == entry);
            if is_there {
                return Appended::Duplicate {
                    added: false,
                    reason: "duplicate",
                    entry,
                };
            }
            add_bullet(body, subsection, &["None", "None.", "None yet."], &entry);
        }
        (None, Some(context)) => {
            let lines = ["", &format!("### {SUBSECTION}"), "", &entry].map(str::to_owned);
            body.append_lines(context, &lines);
        }
        (None, None) => {
            let lines = [&format!("### {SUBSECTION}"), "", &entry].map(str::to_owned);
            body.append_section(&format!("## {CONTEXT}"), &lines);
        }
    }
    Appended::Evolution {
        added: true,
        entry,
        subsection_created: subsection.is_none(),
        created: context.is_none(),
    }
}

fn subsection(body: &Body, context: Span) -> Option<Span> {
    let inside = |start: usize| start >= context.start && start < context.end;
    let at = body.heading(
        |heading| heading.level == 3 && inside(heading.line.start),
        &[SUBSECTION],
    )?;
    Some(section(body.text(), body.headings(), at, |level| level <= 3))
}
