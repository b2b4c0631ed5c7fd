//! The collapsed blocks of a roadmap: what shipped is folded away in `<details>`.

use std::ops::Range;

use crate::state::body::OpenLine;
use crate::text::trim;

/// A collapsed block with its end. One that is never closed is none, and `<details open>` is not collapsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Details {
    /// Indices into the open lines of the roadmap.
    pub lines: Range<usize>,
    /// The text between `<summary>` and its end.
    pub summary: Option<String>,
}

/// Finds the outermost blocks.
pub(super) fn details(text: &str, lines: &[OpenLine]) -> Vec<Details> {
    let content =
        |index: usize| text[lines[index].content.start..lines[index].content.end].to_ascii_lowercase();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(end) = content(at)
            .find("<details>")
            .and_then(|_| end_of(at, lines.len(), &content))
        else {
            at += 1;
            continue;
        };
        let block = at..end + 1;
        let inner = &text[lines[at].content.start..lines[end].content.end];
        found.push(Details {
            summary: summary(inner),
            lines: block,
        });
        at = end + 1;
    }
    found
}

/// The line in which the block that begins in line `start` ends; blocks inside it do not end it.
fn end_of(start: usize, count: usize, content: &impl Fn(usize) -> String) -> Option<usize> {
    let mut depth = 0;
    for index in start..count {
        let line = content(index);
        depth += line.matches("<details").count();
        depth = depth.saturating_sub(line.matches("</details>").count());
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

fn summary(block: &str) -> Option<String> {
    const OPENING: &str = "<summary>";
    let lower = block.to_ascii_lowercase();
    let start = lower.find(OPENING)? + OPENING.len();
    let end = start + lower[start..].find("</summary>")?;
    Some(trim(&block[start..end]).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::body::open_lines;

    fn found(text: &str) -> Vec<(Range<usize>, Option<String>)> {
        let lines: Vec<OpenLine> = open_lines(text).collect();
        details(text, &lines)
            .into_iter()
            .map(|block| (block.lines, block.summary))
            .collect()
    }

    #[test]
    fn a_block_spans_the_lines_of_its_tags() {
        let text = "a\n<details>\n<summary>v1.0\nMVP</summary>\nb\n</DETAILS>\nc\n<details>x</details>\n";
        assert_eq!(found(text), [(1..6, Some("v1.0\nMVP".to_owned())), (7..8, None)]);
    }

    #[test]
    fn a_block_inside_a_block_does_not_end_it() {
        let text = "<details>\n<details open>\n</details>\nb\n</details>\n";
        assert_eq!(found(text), [(0..5, None)]);
    }

    #[test]
    fn open_blocks_and_blocks_without_an_end_are_none() {
        assert_eq!(found("<details open>\na\n</details>\n<details>\nb\n"), []);
        assert_eq!(found("```\n<details>\n```\n</details>\n"), []);
    }
}
