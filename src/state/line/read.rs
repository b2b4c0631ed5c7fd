//! What the status line reads of STATE.md: stricter than any other reader of front matter, and on purpose apart from it
//! (state.md 10.1).

use std::str::Lines;

use crate::text::{decode, trim};

/// What was read. What is empty or `null` is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub status: Option<String>,
    pub milestone: Option<String>,
    pub milestone_name: Option<String>,
    pub active_phase: Option<String>,
    pub next_action: Option<String>,
    pub next_phases: Vec<String>,
    pub completed_phases: Option<u64>,
    pub total_phases: Option<u64>,
    pub percent: Option<u64>,
    /// Of the body.
    pub phase: Option<PhaseOf>,
}

/// `Phase: <number> of <total> (<name>)`, digits as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseOf {
    pub number: String,
    pub total: String,
    pub name: Option<String>,
}

impl Seen {
    /// Reads what is there; bad UTF-8 spoils only the value it stands in.
    pub fn read(text: &[u8]) -> Self {
        let text = decode(text);
        let (front, body) = cut(&text);
        let mut seen = Self::default();
        let mut lines = front.lines();
        while let Some(line) = lines.next() {
            seen.key(line, &mut lines);
        }
        seen.phase = body.lines().find_map(phase_of);
        if seen.status.is_none() {
            let written =
                |line| Some(trim(str::strip_prefix(line, "Status:")?)).filter(|text| !text.is_empty());
            let status = body.lines().find_map(written);
            seen.status = status.and_then(status_of_body).map(str::to_owned);
        }
        seen
    }

    /// Takes a top-level line, and of the lines behind it what belongs to it. Of a repeated key the last one counts.
    fn key(&mut self, line: &str, behind: &mut Lines<'_>) {
        let Some((key, value)) = key_value(line) else {
            return;
        };
        match key {
            "status" => self.status = scalar(value),
            "milestone" => self.milestone = scalar(value),
            "milestone_name" => self.milestone_name = scalar(value),
            "active_phase" => self.active_phase = scalar(value),
            "next_action" => self.next_action = scalar(value),
            "next_phases" => self.next_phases = list(value, behind),
            "progress" if value.is_empty() => self.progress(behind),
            _ => {}
        }
    }

    /// The lines right behind `progress:`; the first one that is none of it, a comment too, hides all that follow.
    fn progress(&mut self, behind: &mut Lines<'_>) {
        while let Some((key, value)) = peek(behind).and_then(indented) {
            let _taken = behind.next();
            match key {
                "completed_phases" => self.completed_phases = number(value),
                "total_phases" => self.total_phases = number(value),
                "percent" => self.percent = number(value),
                _ => {}
            }
        }
    }
}

/// Front matter and body. The fence is the first three characters, and nothing stands behind it on its line.
fn cut(text: &str) -> (&str, &str) {
    let opened = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"));
    let Some(inside) = opened else {
        return ("", text);
    };
    let mut at = 0;
    for line in inside.split_inclusive('\n') {
        if line.starts_with("---") {
            return (&inside[..at], &inside[at + line.len()..]);
        }
        at += line.len();
    }
    ("", text)
}

/// `word: value` at the very start of a line, the value trimmed.
fn key_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_word = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_word.then(|| (key, trim(value)))
}

fn indented(line: &str) -> Option<(&str, &str)> {
    let inner = line.trim_start_matches([' ', '\t']);
    if inner.len() == line.len() {
        return None;
    }
    key_value(inner)
}

fn peek<'t>(lines: &Lines<'t>) -> Option<&'t str> {
    lines.clone().next()
}

/// A value without one quote at either end.
fn scalar(value: &str) -> Option<String> {
    let quote = ['"', '\''];
    let value = value.strip_prefix(quote).unwrap_or(value);
    let value = value.strip_suffix(quote).unwrap_or(value);
    (!value.is_empty() && value != "null").then(|| value.to_owned())
}

/// `[a, b]` on the line, else the `- ` lines right behind it.
fn list(value: &str, behind: &mut Lines<'_>) -> Vec<String> {
    if let Some((items, _)) = value.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return items.split(',').filter_map(|item| scalar(trim(item))).collect();
    }
    let mut items = Vec::new();
    if value.is_empty() {
        let item = |line: &'_ str| line.trim_start_matches([' ', '\t']).starts_with("- ");
        while let Some(line) = peek(behind).filter(|line| item(line)) {
            let _taken = behind.next();
            items.extend(scalar(trim(line.trim_start_matches([' ', '\t', '-']))));
        }
    }
    items
}

fn number(value: &str) -> Option<u64> {
    let digits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    // More digits than any project has phases: not a number that can be read.
    digits.then(|| value.parse().ok()).flatten()
}

/// `Phase: <digits> of <digits>`, and a name in parentheses behind it.
fn phase_of(line: &str) -> Option<PhaseOf> {
    let (number, rest) = digits(line.strip_prefix("Phase:")?.trim_start())?;
    let (total, rest) = digits(
        rest.strip_prefix(blank)?
            .trim_start()
            .strip_prefix("of")?
            .strip_prefix(blank)?
            .trim_start(),
    )?;
    let name = rest
        .trim_start()
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'));
    let name = name.map(|(name, _)| trim(name)).filter(|name| !name.is_empty());
    Some(PhaseOf {
        number: number.to_owned(),
        total: total.to_owned(),
        name: name.map(str::to_owned),
    })
}

const fn blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn status_of_body(status: &str) -> Option<&'static str> {
    let status = status.to_lowercase();
    let holds = |words: [&str; 2]| words.iter().any(|word| status.contains(word));
    if holds(["ready to plan", "planning"]) {
        Some("planning")
    } else if status.contains("execut") {
        Some("executing")
    } else if holds(["complet", "archived"]) {
        Some("complete")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn front(lines: &str) -> Seen {
        Seen::read(format!("---\n{lines}\n---\n").as_bytes())
    }

    #[test]
    fn the_fence_is_the_first_three_characters_and_ends_with_its_line() {
        for opened in ["---\n", "---\r\n"] {
            assert_eq!(
                Seen::read(format!("{opened}status: a\n---").as_bytes())
                    .status
                    .as_deref(),
                Some("a")
            );
        }
        for spoilt in ["\u{feff}---\n", "--- \n", "\n---\n", "----\n", "---\t\n"] {
            assert_eq!(
                Seen::read(format!("{spoilt}status: a\n---\n").as_bytes()),
                Seen::default()
            );
        }
        // Opened and never closed: all of it is body.
        assert_eq!(
            Seen::read(b"---\nstatus: a\nStatus: Planning\n")
                .status
                .as_deref(),
            Some("planning")
        );
    }

    #[test]
    fn one_quote_at_either_end_is_dropped_and_null_is_absent() {
        for (value, expected) in [
            ("\"4.5\"", Some("4.5")),
            ("'4.5\"", Some("4.5")),
            ("\"\"4\"\"", Some("\"4\"")),
            ("  a b  ", Some("a b")),
            ("a # b", Some("a # b")),
            ("null", None),
            ("\"null\"", None),
            ("nullable", Some("nullable")),
            ("\"\"", None),
            ("", None),
        ] {
            let seen = front(&format!("active_phase: {value}"));
            assert_eq!(seen.active_phase.as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn only_lines_at_the_very_left_are_top_level() {
        assert_eq!(
            front(" status: a\n- milestone: b\n# next_action: c\n\"status\": d"),
            Seen::default()
        );
    }

    #[test]
    fn next_phases_are_a_flow_list_or_a_block_list() {
        for (lines, expected) in [
            ("next_phases: [\"4.5\", 4.6]", vec!["4.5", "4.6"]),
            ("next_phases: [4] # soon", vec!["4"]),
            ("next_phases: []", vec![]),
            ("next_phases: null", vec![]),
            ("next_phases: 4.5", vec![]),
            (
                "next_phases:\n  - \"4.5\"\n  - 4.6\nstatus: a",
                vec!["4.5", "4.6"],
            ),
            ("next_phases:\n- 4\n- 5", vec!["4", "5"]),
            ("next_phases:\n\n- 4", vec![]),
            ("next_phases:\n  - 4\n  # 5\n  - 6", vec!["4"]),
        ] {
            assert_eq!(front(lines).next_phases, expected, "{lines}");
        }
    }

    #[test]
    fn progress_ends_at_the_first_line_that_is_not_an_indented_key() {
        let read = |lines: &str| {
            let seen = front(&format!("progress:\n{lines}\nstatus: a"));
            assert_eq!(seen.status.as_deref(), Some("a"), "{lines}");
            (seen.completed_phases, seen.total_phases, seen.percent)
        };
        assert_eq!(
            read("  completed_phases: 1\n\ttotal_phases: 5\n percent: 20"),
            (Some(1), Some(5), Some(20))
        );
        assert_eq!(
            read("  total_phases: 5\n  # why\n  percent: 20"),
            (None, Some(5), None)
        );
        assert_eq!(read("# why\n  percent: 20"), (None, None, None));
        assert_eq!(read("\n  percent: 20"), (None, None, None));
        assert_eq!(read("percent: 20"), (None, None, None));
        assert_eq!(read("  - a\n  percent: 20"), (None, None, None));
        assert_eq!(read("  other:\n  percent: 20"), (None, None, Some(20)));
        for spoilt in ["-5", "2.5", "20%", "99999999999999999999", "", "\"20\""] {
            assert_eq!(read(&format!("  percent: {spoilt}")).2, None, "{spoilt}");
        }
        assert_eq!(front("progress: {percent: 20}").percent, None);
    }

    #[test]
    fn the_phase_is_read_at_line_start_only() {
        let read = |line: &str| Seen::read(format!("# S\n{line}\n").as_bytes()).phase;
        let phase = |name: Option<&str>| {
            Some(PhaseOf {
                number: "2".to_owned(),
                total: "5".to_owned(),
                name: name.map(str::to_owned),
            })
        };
        assert_eq!(read("Phase: 2 of 5"), phase(None));
        assert_eq!(read("Phase: 2 of 5 (Mast)\r"), phase(Some("Mast")));
        assert_eq!(read("Phase:2  of\t5(Mast) and more"), phase(Some("Mast")));
        assert_eq!(read("Phase: 2 of 5 — Mast"), phase(None));
        for none in [
            "**Phase:** 2 of 5",
            " Phase: 2 of 5",
            "Phase: 2.1 of 5",
            "Phase: 2 of x",
            "Phase: 2of5",
            "Phase: 2",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn the_status_of_the_body_counts_only_without_one_above() {
        let read = |front: &str, status: &str| {
            Seen::read(format!("---\n{front}\n---\nStatus: {status}\n").as_bytes()).status
        };
        assert_eq!(
            read("status: Odd words", "Planning").as_deref(),
            Some("Odd words")
        );
        assert_eq!(read("status: null", "Ready to plan").as_deref(), Some("planning"));
        assert_eq!(read("", "Planning complete").as_deref(), Some("planning"));
        assert_eq!(read("", "EXECUTING Phase 2").as_deref(), Some("executing"));
        assert_eq!(read("", "v1 archived").as_deref(), Some("complete"));
        assert_eq!(read("", "Defining requirements"), None);
    }

    #[test]
    fn bad_utf_8_spoils_only_its_own_value() {
        let seen = Seen::read(b"---\nstatus: a\xff\nmilestone: v1\n---\n");
        assert_eq!(seen.status.as_deref(), Some("a\u{fffd}"));
        assert_eq!(seen.milestone.as_deref(), Some("v1"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _read = Seen::read(&bytes);
        }

        #[test]
        fn any_lines_are_read(lines in prop::collection::vec(prop::sample::select(vec![
            "---", "---\r", "progress:", "  percent: 1", "  percent:", "next_phases: [", "next_phases:", "- ", "- a", "Phase: 1 of",
            "Phase: 1 of 2 (", "Status:", "status: \"", "\u{feff}", "",
        ]), 0..12)) {
            let _read = Seen::read(lines.join("\n").as_bytes());
        }
    }
}
