//! `add-blocker`, `resolve-blocker` (state.md 8).

use super::{Appended, add_bullet, list};
use crate::state::body::Body;
use crate::state::transition::Draft;
use crate::text::{Span, each_line, is_blank};

fn blockers(body: &Body) -> Option<Span> {
    list(body, |title| {
        matches!(title, "blockers" | "blockers/concerns" | "concerns")
    })
}

pub(super) fn add(draft: &mut Draft, text: &str) -> Appended {
    let bullet = format!("- {text}");
    let section = blockers(&draft.body);
    match section {
        Some(section) => add_bullet(&mut draft.body, section, &["None", "None.", "None yet."], &bullet),
        None => draft.body.append_section("### Blockers", &[bullet]),
    }
    Appended::Blocker {
        added: true,
        blocker: text.to_owned(),
        created: section.is_none(),
    }
}

pub(super) fn resolve(draft: &mut Draft, text: &str) -> Appended {
    let Some(span) = blockers(&draft.body) else {
        return Appended::NotResolved {
            resolved: false,
            reason: "section_not_found",
        };
    };
    let wanted = text.to_lowercase();
    let content = draft.body.slice(span).to_owned();
    let mut kept = String::with_capacity(content.len());
    let mut bullets = 0;
    for line in each_line(content.as_bytes()) {
        let shown = &content[line.span.start..line.span.end];
        let is_bullet = shown.starts_with("- ");
        if is_bullet && shown.to_lowercase().contains(&wanted) {
            continue;
        }
        bullets += usize::from(is_bullet);
        kept.push_str(&content[line.span.start..line.next]);
    }
    if kept != content {
        if bullets == 0 && is_blank(&kept) {
            draft.body.replace_content(span, &["None".to_owned()]);
        } else {
            // Prose between the bullets is nobody's to take away.
            draft.body.splice(span, &kept);
        }
    }
    Appended::Resolved {
        resolved: true,
        blocker: text.to_owned(),
    }
}
