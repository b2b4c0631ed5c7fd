//! What is old goes to the archive (state.md 7; #1760).

use serde::Serialize;

use super::{Deps, Draft};
use crate::markdown::cells;
use crate::state::body::{Body, Heading, section};
use crate::state::meaning::{leading_number, phase_number};
use crate::text::{Span, each_line, is_blank, line_end};

/// What was moved out of one section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Archived {
    Moved {
        section: &'static str,
        entries_archived: usize,
    },
    WouldMove {
        section: &'static str,
        entries_would_archive: usize,
    },
}

/// The answer of `prune`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Pruned {
    Nothing {
        pruned: bool,
        reason: &'static str,
    },
    DryRun {
        pruned: bool,
        dry_run: bool,
        cutoff_phase: u64,
        keep_recent: u64,
        sections: Vec<Archived>,
        total_would_archive: usize,
    },
    Done {
        pruned: bool,
        cutoff_phase: u64,
        keep_recent: u64,
        sections: Vec<Archived>,
        total_archived: usize,
        archive_file: Option<&'static str>,
    },
}

/// The file that takes what is old, beside STATE.md.
pub const ARCHIVE: &str = "STATE-ARCHIVE.md";

/// The name of a section in the archive, and the lines that were taken out of it.
type Moved = (&'static str, Vec<String>);

/// A kind of section, and which of its lines may go.
struct Kind {
    /// Its name in the archive.
    name: &'static str,
    is_heading: fn(&str) -> bool,
    /// The phase that a line belongs to, if it may go with it.
    phase: fn(&str) -> Option<u64>,
}

const KINDS: [Kind; 4] = [
    Kind {
        name: "Decisions",
        is_heading: is_decisions,
        phase: |line| leading_number(line.strip_prefix("- [Phase ")?),
    },
    Kind {
        name: "Recently Completed",
        is_heading: |title| title == "recently completed",
        phase: named_phase,
    },
    Kind {
        name: "Blockers (resolved)",
        is_heading: |title| title.starts_with("blockers"),
        phase: |line| {
            let struck = line.split_once("~~").is_some_and(|(_, rest)| rest.contains("~~"));
            named_phase(line).filter(|_| struck || line.to_uppercase().contains("[RESOLVED]"))
        },
    },
    Kind {
        name: "Performance Metrics",
        is_heading: |title| title == "performance metrics",
        phase: |line| {
            let first = line.strip_prefix('|').map(|_| cells(line))?.into_iter().next()?;
            first
                .chars()
                .all(|c| c.is_ascii_digit())
                .then(|| first.parse().ok())?
        },
    },
];

/// Whether a section, its title in lower case, holds decisions.
pub(in crate::state) fn is_decisions(title: &str) -> bool {
    matches!(title, "decisions" | "decisions made")
        || title.starts_with("accumulated") && title.ends_with("decisions")
}

/// The first `Phase n` of a line.
fn named_phase(line: &str) -> Option<u64> {
    let lower = line.to_lowercase();
    lower.match_indices("phase").find_map(|(at, word)| {
        let rest = &lower[at + word.len()..];
        rest.starts_with([' ', '\t']).then(|| leading_number(rest))?
    })
}

pub(super) fn prune(draft: &mut Draft, deps: &Deps<'_>, keep_recent: u64, dry_run: bool) -> Pruned {
    let current = super::current_phase(&draft.front, &draft.body)
        .and_then(|phase| leading_number(phase_number(&phase).unwrap_or(&phase)));
    let cutoff = current.unwrap_or(0).saturating_sub(keep_recent);
    if cutoff == 0 {
        return Pruned::Nothing {
            pruned: false,
            reason: "nothing_to_prune",
        };
    }
    let mut moved: Vec<Moved> = Vec::new();
    let mut body = draft.body.clone();
    for kind in &KINDS {
        let lines = take(&mut body, kind, cutoff);
        if !lines.is_empty() {
            moved.push((kind.name, lines));
        }
    }
    let total = moved.iter().map(|(_, lines)| lines.len()).sum();
    let sections = moved
        .iter()
        .map(|(section, lines)| match dry_run {
            true => Archived::WouldMove {
                section,
                entries_would_archive: lines.len(),
            },
            false => Archived::Moved {
                section,
                entries_archived: lines.len(),
            },
        })
        .collect();
    if dry_run {
        return Pruned::DryRun {
            pruned: false,
            dry_run,
            cutoff_phase: cutoff,
            keep_recent,
            sections,
            total_would_archive: total,
        };
    }
    if total > 0 {
        let title = format!(
            "## Pruned {} (phases 1-{cutoff}, kept recent {keep_recent})",
            deps.moment.today
        );
        draft.archive = Some(archive(deps.archive, &title, &moved));
        draft.body = body;
    }
    Pruned::Done {
        pruned: total > 0,
        cutoff_phase: cutoff,
        keep_recent,
        sections,
        total_archived: total,
        archive_file: (total > 0).then_some(ARCHIVE),
    }
}

/// Cuts the old lines out of the sections of a kind.
fn take(body: &mut Body, kind: &Kind, cutoff: u64) -> Vec<String> {
    let mut taken = Vec::new();
    for span in spans(body, kind).into_iter().rev() {
        let content = body.slice(span).to_owned();
        let mut kept = String::with_capacity(content.len());
        let mut lines = Vec::new();
        for line in each_line(content.as_bytes()) {
            let text = &content[line.span.start..line.span.end];
            if (kind.phase)(text).is_some_and(|phase| phase <= cutoff) {
                lines.push(text.to_owned());
            } else {
                kept.push_str(&content[line.span.start..line.next]);
            }
        }
        if !lines.is_empty() {
            body.splice(span, &kept);
            taken.splice(0..0, lines);
        }
    }
    taken
}

/// What the sections of a kind hold, each up to the next heading of level 2 or 3.
fn spans(body: &Body, kind: &Kind) -> Vec<Span> {
    let headings = body.headings();
    let is_outer = |level: usize| (2..=3).contains(&level);
    let is_one = |heading: &Heading| {
        is_outer(heading.level) && (kind.is_heading)(&heading.title(body.text()).to_lowercase())
    };
    (0..headings.len())
        .filter(|at| is_one(&headings[*at]))
        .map(|at| section(body.text(), headings, at, |level| level <= 3))
        .collect()
}

/// The archive with one more block, for what it does not hold yet.
fn archive(old: Option<&str>, title: &str, moved: &[Moved]) -> String {
    let old = match old {
        Some(old) if !old.trim().is_empty() => old,
        _ => "# STATE Archive\n\nEntries pruned from STATE.md.\n",
    };
    let moved = not_yet_archived(old, moved);
    if moved.is_empty() {
        return old.to_owned();
    }
    let end = if line_end(old.as_bytes()) == b"\r\n" {
        "\r\n"
    } else {
        "\n"
    };
    let mut block = format!("{title}{end}");
    for (name, lines) in moved {
        block.push_str(&format!("{end}### {name}{end}{end}"));
        for line in lines {
            block.push_str(&line);
            block.push_str(end);
        }
    }
    format!("{}{end}{end}{block}", old.trim_end())
}

/// What is left when the last block is taken off, if all of it is still to be moved: then a run was killed when it had
/// written the archive, and not yet STATE.md.
fn not_yet_archived(old: &str, moved: &[Moved]) -> Vec<Moved> {
    let Some((_, block)) = old.rsplit_once("\n## Pruned ") else {
        return moved.to_vec();
    };
    let mut rest = moved.to_vec();
    let mut section = "";
    for line in block.lines().skip(1).filter(|line| !is_blank(line)) {
        if let Some(title) = line.strip_prefix("### ") {
            section = title;
            continue;
        }
        let lines = rest.iter_mut().find(|(name, _)| *name == section);
        let found = lines.and_then(|(_, lines)| {
            let at = lines.iter().position(|known| known == line)?;
            Some(lines.remove(at))
        });
        if found.is_none() {
            return moved.to_vec();
        }
    }
    rest.retain(|(_, lines)| !lines.is_empty());
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_of_lines() {
        assert_eq!((KINDS[0].phase)("- [Phase 12.1]: x"), Some(12));
        assert_eq!((KINDS[0].phase)("- Phase 1: x"), None);
        assert_eq!((KINDS[1].phase)("* finished phase 03 (x)"), Some(3));
        assert_eq!((KINDS[2].phase)("- ~~Phase 2 crane~~"), Some(2));
        assert_eq!((KINDS[2].phase)("- Phase 2 crane"), None);
        assert_eq!((KINDS[2].phase)("- [RESOLVED] Phase 4 late"), Some(4));
        assert_eq!((KINDS[3].phase)("| 5 | 1h |"), Some(5));
        assert_eq!((KINDS[3].phase)("| Phase 5 P1 | 1h |"), None);
        assert_eq!((KINDS[3].phase)("|---|---|"), None);
    }

    #[test]
    fn a_block_is_not_written_twice() {
        let moved = [("Decisions", vec!["- [Phase 1]: x".to_owned()])];
        let once = archive(None, "## Pruned a", &moved);
        assert_eq!(
            once,
            "# STATE Archive\n\nEntries pruned from STATE.md.\n\n## Pruned a\n\n### Decisions\n\n- [Phase 1]: x\n"
        );
        for title in ["## Pruned a", "## Pruned b"] {
            assert_eq!(archive(Some(&once), title, &moved), once);
            assert_eq!(
                archive(Some(&once.replace('\n', "\r\n")), title, &moved),
                once.replace('\n', "\r\n")
            );
        }
        // One more was added since.
        let more = [(
            "Decisions",
            vec!["- [Phase 1]: x".to_owned(), "- [Phase 1]: y".to_owned()],
        )];
        let both = format!("{once}\n## Pruned b\n\n### Decisions\n\n- [Phase 1]: y\n");
        assert_eq!(archive(Some(&once), "## Pruned b", &more), both);
        // What the last block holds besides was moved for good.
        let other = [("Decisions", vec!["- [Phase 1]: y".to_owned()])];
        assert_eq!(archive(Some(&once), "## Pruned b", &other), both);
        let elsewhere = [("Blockers (resolved)", vec!["- [Phase 1]: x".to_owned()])];
        assert!(
            archive(Some(&once), "## Pruned b", &elsewhere)
                .ends_with("### Blockers (resolved)\n\n- [Phase 1]: x\n")
        );
    }
}
