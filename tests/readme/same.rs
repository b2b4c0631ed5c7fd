//! Whether a command printed what is shown: ids and dates may differ, and a line `...` stands for any lines.

use std::sync::LazyLock;

use regex::Regex;

/// What may differ, and what it becomes.
static FREE: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
    [
        (
            r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?( ?(Z|[+-][0-9]{2}:?[0-9]{2}))?)?",
            "<date>",
        ),
        (
            r"[A-Z][a-z]{2} [A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4} [+-][0-9]{4}",
            "<date>",
        ),
        (r"(?-u:\b)[0-9]{8}-[0-9]{4}(?-u:\b)", "<date>"),
        (r"(?-u:\b)[0-9a-f]{7,64}(?-u:\b)", "<id>"),
    ]
    .map(|(pattern, name)| (Regex::new(pattern).expect("these patterns are valid"), name))
});

/// Whether the printed lines are the ones shown.
pub(crate) fn matches(shown: &[&str], printed: &[String]) -> bool {
    let last = shown
        .iter()
        .rposition(|line| !line.trim().is_empty())
        .map_or(0, |at| at + 1);
    let shown: Vec<String> = shown[..last].iter().map(|line| normal(line)).collect();
    let printed: Vec<String> = printed.iter().map(|line| normal(line)).collect();
    fits(&shown, &printed)
}

fn fits(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, more)| first == line && fits(rest, more)),
    }
}

fn normal(line: &str) -> String {
    let mut line = line.trim_end().to_owned();
    for (pattern, name) in FREE.iter() {
        line = pattern.replace_all(&line, *name).into_owned();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(shown: &str, printed: &str) -> bool {
        let printed: Vec<String> = printed.lines().map(str::to_owned).collect();
        matches(&shown.lines().collect::<Vec<_>>(), &printed)
    }

    #[test]
    fn ids_dates_and_blanks_at_the_end_do_not_count() {
        assert!(is_same("commit 1234567  ", "commit abcdef0"));
        assert!(is_same("archive/20260102-0304-x", "archive/20271231-2359-x"));
        assert!(is_same(
            "at 2026-01-02T03:04:05Z",
            "at 2027-01-02T03:04:05.678+01:00"
        ));
        assert!(is_same(
            "Date:   Fri Jan 2 03:04:05 2026 +0000",
            "Date:   Sat Jan 31 03:04:05 2026 +0100"
        ));
        assert!(is_same("a\n\n", "a"));
        assert!(!is_same("12 files", "13 files"));
    }

    #[test]
    fn three_dots_stand_for_any_lines() {
        assert!(is_same("a\n...\nd", "a\nb\nc\nd"));
        assert!(is_same("...", ""));
        assert!(is_same("...\nb\n...", "a\nb"));
        assert!(!is_same("a\n...\nd", "a\nb"));
        assert!(!is_same("", "a"));
        assert!(!is_same("a", ""));
    }
}
