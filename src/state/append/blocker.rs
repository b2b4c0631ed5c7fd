//! `add-blocker`, `resolve-blocker` (state.md 8).

use super::{Appended, add_bullet, list};
use crate::state::body::Body;
use crate::state::transition::Draft;
use crate::text::{Span, each_line, is_blank, trim};

/// What stands in the section while nothing blocks.
const NOTHING: [&str; 3] = ["None", "None.", "None yet."];

fn blockers(body: &Body) -> Option<Span> {
    list(body, |title| {
        matches!(title, "blockers" | "blockers/concerns" | "concerns")
    })
}

pub(super) fn add(draft: &mut Draft, text: &str) -> Appended {
    let bullet = format!("- {text}");
    let section = blockers(&draft.body);
    match section {
        Some(section) => add_bullet(&mut draft.body, section, &NOTHING, &bullet),
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
    let rest = trim(&kept);
    if bullets == 0 && rest != NOTHING[0] && (is_blank(rest) || NOTHING.contains(&rest)) {
        draft.body.replace_content(span, &[NOTHING[0].to_owned()]);
    } else if kept != content {
        // Prose between the bullets is nobody's to take away.
        draft.body.splice(span, &kept);
    }
    Appended::Resolved {
        resolved: true,
        blocker: text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::front::FrontMatter;
    use crate::state::settle::Touch;

    fn resolved(text: &str, blocker: &str) -> String {
        let mut draft = Draft {
            body: Body::new(text),
            front: FrontMatter::default(),
            touch: Touch::default(),
            anew: None,
            archive: None,
        };
        resolve(&mut draft, blocker);
        draft.body.text().to_owned()
    }

    #[test]
    fn where_no_bullet_is_left_there_is_none() {
        for (before, after) in [
            ("\n- Crane\n- Wood\n", "\n- Wood\n"),
            ("\n- Crane\n", "\nNone\n"),
            ("\nNone yet.\n", "\nNone\n"),
            ("\n", "\nNone\n"),
            ("None\n", "None\n"),
            ("\nSee the log.\n\n- Crane\n", "\nSee the log.\n\n"),
            ("\nSee the log.\n", "\nSee the log.\n"),
        ] {
            let text = format!("## Blockers\n{before}");
            assert_eq!(
                resolved(&text, "CRANE"),
                format!("## Blockers\n{after}"),
                "{before:?}"
            );
        }
    }
}
