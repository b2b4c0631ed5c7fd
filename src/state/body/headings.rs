//! The headings of a state document or a roadmap (state.md 3.1).

use crate::text::{Span, each_line, is_blank, trim};

/// A heading with `#` outside code fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    pub level: usize,
    /// Its text, trimmed, closing `#`s dropped.
    pub title: Span,
    /// The line, with its end.
    pub line: Span,
}

impl Heading {
    pub fn title<'t>(&self, text: &'t str) -> &'t str {
        &text[self.title.start..self.title.end]
    }

    /// Whether it has this text; case does not count.
    pub fn is_named(&self, text: &str, name: &str) -> bool {
        let title = self.title(text);
        // Without a copy of every heading where that can be.
        title.eq_ignore_ascii_case(name)
            || !(title.is_ascii() && name.is_ascii()) && title.to_lowercase() == name.to_lowercase()
    }
}

/// A line outside code fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenLine {
    /// Its number, from 0.
    pub number: usize,
    /// The line, with its end.
    pub line: Span,
    /// Its text, without its end.
    pub content: Span,
    pub heading: Option<Heading>,
}

/// Finds the headings of a text, in order.
pub fn headings(text: &str) -> Vec<Heading> {
    open_lines(text).filter_map(|line| line.heading).collect()
}

/// The lines of a text that stand in no code fence and open none.
pub fn open_lines(text: &str) -> impl Iterator<Item = OpenLine> {
    let mut fence: Option<Fence> = None;
    each_line(text.as_bytes())
        .enumerate()
        .filter_map(move |(number, line)| {
            let content = &text[line.span.start..line.span.end];
            if !Fence::step(&mut fence, content) {
                return None;
            }
            let heading = unindented(content).and_then(|rest| heading(rest, line.span.end - rest.len()));
            let whole = Span::new(line.span.start, line.next);
            Some(OpenLine {
                number,
                line: whole,
                content: line.span,
                heading: heading.map(|(level, title)| Heading {
                    level,
                    title,
                    line: whole,
                }),
            })
        })
}

/// The line that closes the code fence in which a text ends, if it ends in one.
pub(super) fn closing_fence(text: &str) -> Option<String> {
    let mut fence = None;
    for line in each_line(text.as_bytes()) {
        Fence::step(&mut fence, &text[line.span.start..line.span.end]);
    }
    fence.map(|fence| fence.mark.to_string().repeat(fence.length))
}

/// The content of a section: from below a heading to the next one for which `ends` holds.
pub fn section(text: &str, headings: &[Heading], at: usize, ends: impl Fn(usize) -> bool) -> Span {
    let end = headings[at + 1..]
        .iter()
        .find(|next| ends(next.level))
        .map_or(text.len(), |next| next.line.start);
    Span::new(headings[at].line.end, end)
}

struct Fence {
    mark: char,
    length: usize,
}

/// A line without the blanks before it; none if they are so many that it is code.
fn unindented(content: &str) -> Option<&str> {
    let rest = content.trim_start_matches(' ');
    (content.len() - rest.len() <= 3).then_some(rest)
}

impl Fence {
    /// Goes on by one line; whether it stands in no fence, and opens none.
    fn step(open: &mut Option<Self>, content: &str) -> bool {
        let rest = unindented(content);
        let Some(fence) = open else {
            *open = rest.and_then(Self::opened_by);
            return open.is_none();
        };
        if rest.is_some_and(|rest| fence.is_closed_by(rest)) {
            *open = None;
        }
        false
    }

    fn opened_by(rest: &str) -> Option<Self> {
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let length = rest.len() - info.len();
        (length >= 3 && (mark == '~' || !info.contains('`'))).then_some(Self { mark, length })
    }

    fn is_closed_by(&self, rest: &str) -> bool {
        let after = rest.trim_start_matches(self.mark);
        rest.len() - after.len() >= self.length && is_blank(after)
    }
}

/// Level and title of a line that begins at `start`.
fn heading(rest: &str, start: usize) -> Option<(usize, Span)> {
    let after = rest.trim_start_matches('#');
    let level = rest.len() - after.len();
    if !(1..=6).contains(&level) || !(after.is_empty() || after.starts_with([' ', '\t'])) {
        return None;
    }
    let title = trim(after);
    let open = title.trim_end_matches('#');
    // Closing marks stand alone: `C#` keeps its own.
    let title = if open.is_empty() || open.ends_with([' ', '\t']) {
        trim(open)
    } else {
        title
    };
    let offset = if title.is_empty() {
        rest.len()
    } else {
        title.as_ptr() as usize - rest.as_ptr() as usize
    };
    let begin = start + offset;
    Some((level, Span::new(begin, begin + title.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<(usize, &str)> {
        headings(text).iter().map(|h| (h.level, h.title(text))).collect()
    }

    #[test]
    fn what_is_a_heading() {
        let text = "# One\n   ## Two ##\n    ## code\n####### seven\n#no\n###\n## C#\n### x #y\r\n";
        assert_eq!(
            titles(text),
            [(1, "One"), (2, "Two"), (3, ""), (2, "C#"), (3, "x #y")]
        );
    }

    #[test]
    fn none_inside_a_fence() {
        let text = "```md\n## a\n~~~\n``\n```` \n## b\n~~~ `x`\n## c\n~~~\n``` a`b\n## d\n  ```\n## e\n";
        assert_eq!(titles(text), [(2, "b"), (2, "d")]);
    }

    #[test]
    fn a_fence_that_is_open_at_the_end_can_be_closed() {
        for (text, closing) in [
            ("a\n", None),
            ("```\na\n```\n", None),
            ("~~~~ x\n```\n", Some("~~~~")),
            ("```\n```\n   ```rust", Some("```")),
            ("    ```\n", None),
        ] {
            assert_eq!(closing_fence(text).as_deref(), closing, "{text}");
        }
    }

    #[test]
    fn a_section_ends_where_it_is_told() {
        let text = "## a\none\n### b\ntwo\n## c\n";
        let headings = headings(text);
        let span = section(text, &headings, 0, |level| level <= 2);
        assert_eq!(&text[span.start..span.end], "one\n### b\ntwo\n");
        let span = section(text, &headings, 0, |level| level >= 2);
        assert_eq!(&text[span.start..span.end], "one\n");
    }
}
