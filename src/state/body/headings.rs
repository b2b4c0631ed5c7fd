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
        self.title(text).to_lowercase() == name.to_lowercase()
    }
}

/// Finds the headings of a text, in order.
pub fn headings(text: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut fence: Option<Fence> = None;
    for line in each_line(text.as_bytes()) {
        let content = &text[line.span.start..line.span.end];
        let rest = content.trim_start_matches(' ');
        if content.len() - rest.len() > 3 {
            continue;
        }
        match &fence {
            Some(open) => {
                if open.is_closed_by(rest) {
                    fence = None;
                }
            }
            None => match Fence::opened_by(rest) {
                Some(open) => fence = Some(open),
                None => {
                    let start = line.span.end - rest.len();
                    if let Some((level, title)) = heading(rest, start) {
                        let line = Span::new(line.span.start, line.next);
                        found.push(Heading { level, title, line });
                    }
                }
            },
        }
    }
    found
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

impl Fence {
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
    fn a_section_ends_where_it_is_told() {
        let text = "## a\none\n### b\ntwo\n## c\n";
        let headings = headings(text);
        let span = section(text, &headings, 0, |level| level <= 2);
        assert_eq!(&text[span.start..span.end], "one\n### b\ntwo\n");
        let span = section(text, &headings, 0, |level| level >= 2);
        assert_eq!(&text[span.start..span.end], "one\n");
    }
}
