//! One field of a text: `**Label:** value`, `Label: value` or `| Label | value |` (state.md 3.2, 3.3).

use bstr::ByteSlice;

use crate::text::{Span, each_line, trim};

/// How a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Bold,
    Plain,
    Table,
}

/// Where a field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub form: Form,
    /// The trimmed value; empty at the place where one would begin.
    pub value: Span,
}

/// The field that a label names in a part of a text: the first form that occurs at all, its first occurrence.
pub(super) fn find(text: &str, within: Span, label: &str) -> Option<Field> {
    bold(text, within, label, true)
        .or_else(|| plain(text, within, label, true))
        .or_else(|| table(text, within, label))
}

/// A label with nothing behind it, which can be filled in at the end of its line.
pub(super) fn find_bare(text: &str, within: Span, label: &str) -> Option<Field> {
    bold(text, within, label, false).or_else(|| plain(text, within, label, false))
}

fn starts_with_label<'t>(rest: &'t str, label: &str) -> Option<&'t str> {
    let head = rest.get(..label.len())?;
    head.eq_ignore_ascii_case(label).then(|| &rest[label.len()..])
}

/// The end of the line that holds a place, its CR not counted.
fn line_end(text: &str, at: usize, within: Span) -> usize {
    let rest = &text[at..within.end];
    let line = rest.split('\n').next().unwrap_or(rest);
    at + line.strip_suffix('\r').unwrap_or(line).len()
}

fn field(form: Form, text: &str, start: usize, end: usize) -> Field {
    let value = trim(&text[start..end]);
    let value = if value.is_empty() {
        Span::new(end, end)
    } else {
        let begin = start
            + (text[start..end].len() - text[start..end].trim_start_matches(crate::text::is_space).len());
        Span::new(begin, begin + value.len())
    };
    Field { form, value }
}

fn bold(text: &str, within: Span, label: &str, filled: bool) -> Option<Field> {
    let part = &text[within.start..within.end];
    part.as_bytes().find_iter("**").find_map(|at| {
        // Of three stars in a row the last two open; a longer row goes on with the next pair.
        let rest = &part[at + 2..];
        let rest = rest.strip_prefix('*').unwrap_or(rest);
        let rest = starts_with_label(rest, label)?.strip_prefix(":**")?;
        let start = within.end - rest.len();
        let end = line_end(text, start, within);
        ((start < end) == filled).then(|| field(Form::Bold, text, start, end))
    })
}

fn plain(text: &str, within: Span, label: &str, filled: bool) -> Option<Field> {
    let part = &text[within.start..within.end];
    each_line(part.as_bytes()).find_map(|line| {
        let content = &part[line.span.start..line.span.end];
        let rest = starts_with_label(content, label)?.strip_prefix(':')?;
        let end = within.start + line.span.end;
        (rest.is_empty() != filled).then(|| field(Form::Plain, text, end - rest.len(), end))
    })
}

fn table(text: &str, within: Span, label: &str) -> Option<Field> {
    let part = &text[within.start..within.end];
    each_line(part.as_bytes()).find_map(|line| {
        let content = &part[line.span.start..line.span.end];
        let inner = content
            .trim_end_matches([' ', '\t'])
            .strip_prefix('|')?
            .strip_suffix('|')?;
        let (first, second) = inner.split_once('|')?;
        if second.contains('|') || !trim(first).eq_ignore_ascii_case(label) || is_delimiter(first, second) {
            return None;
        }
        let start = within.start + line.span.start + 1 + first.len() + 1;
        let mut field = field(Form::Table, text, start, start + second.len());
        if field.value.start == field.value.end && second.starts_with([' ', '\t']) {
            // After one blank, so that what follows stays.
            field.value = Span::new(start + 1, start + 1);
        }
        Some(field)
    })
}

fn is_delimiter(first: &str, second: &str) -> bool {
    let is_rule = |cell: &str| {
        let cell = trim(cell);
        cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':'))
    };
    is_rule(first) && is_rule(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'t>(text: &'t str, label: &str) -> Option<&'t str> {
        let field = find(text, Span::new(0, text.len()), label)?;
        Some(&text[field.value.start..field.value.end])
    }

    #[test]
    fn the_form_decides_before_the_place() {
        assert_eq!(
            read("| Phase | 3 |\nPhase: 2\n**Phase:** 1\n", "phase"),
            Some("1")
        );
        assert_eq!(read("| Phase | 3 |\nPhase: 2\n", "PHASE"), Some("2"));
        assert_eq!(read("| Phase | 3 |  \n", "Phase"), Some("3"));
        assert_eq!(read("Phase: 2\nPhase: 3\n", "Phase"), Some("2"));
        assert_eq!(read("said **Phase:** 4 there", "Phase"), Some("4 there"));
        assert_eq!(read("***Phase:** 4", "Phase"), Some("4"));
    }

    #[test]
    fn empty_and_absent_differ() {
        assert_eq!(read("**Phase:**   \nPhase: 2\n", "Phase"), Some(""));
        assert_eq!(read("**Phase:**\nPhase: 2\n", "Phase"), Some("2"));
        assert_eq!(read("**Phase:**\r\nPhase: \r\n", "Phase"), Some(""));
        assert_eq!(read(" Phase: 2\n", "Phase"), None);
        assert_eq!(read("| Phase | |\n", "Phase"), Some(""));
        assert_eq!(read("| Phase ||\n", "Phase"), Some(""));
        assert_eq!(read("| **Phase:** | 3 |\n", "Phase"), Some("| 3 |"));
        assert_eq!(read("| Phase | 3 | 4 |\n", "Phase"), None);
        assert_eq!(read("| - | - |\n| --- | :-: |\n", "---"), None);
    }

    #[test]
    fn a_bare_label_is_found_at_its_end() {
        let text = "Phase:\n**Phase:**\r\n";
        let whole = Span::new(0, text.len());
        let bare = find_bare(text, whole, "phase").map(|field| (field.form, field.value.start));
        assert_eq!(bare, Some((Form::Bold, "Phase:\n**Phase:**".len())));
        assert_eq!(find_bare("x Phase:\n", Span::new(0, 9), "Phase"), None);
    }
}
