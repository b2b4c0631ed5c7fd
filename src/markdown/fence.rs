//! A fence as a piece of text: which lines stand in it, and whether it ends.

use std::ops::Range;

use super::scan::{closes, cut_comments, fence_run};
use super::{Document, Mask};
use crate::text::decode;

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The lines between the fence lines.
    pub content: Range<usize>,
    /// Whether a closing line follows; without one it runs to the end of the document.
    pub closed: bool,
}

impl Document {
    /// The fence that opens at this line; none if none does. `line` must not stand inside another fence.
    pub fn fence(&self, line: usize) -> Option<Fence> {
        if self.mask(line) != Mask::Fence {
            return None;
        }
        // Comments in front of the marks do not count.
        let raw = decode(self.line(line));
        let text = cut_comments(&raw)?;
        let (mark, len, _) = fence_run(text.as_bytes())?;
        let end = (line + 1..self.line_count()).find(|l| closes(self.line(*l), mark, len));
        Some(Fence {
            content: line + 1..end.unwrap_or(self.line_count()),
            closed: end.is_some(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_fences_are_told_apart() {
        let doc = Document::scan("```yaml\na\n```\n~~~~\n```\n~~~\n~~~~\n<!-- c -->```\nopen\n");
        assert_eq!(
            doc.fence(0),
            Some(Fence {
                content: 1..2,
                closed: true
            })
        );
        assert_eq!(
            doc.fence(3),
            Some(Fence {
                content: 4..6,
                closed: true
            })
        );
        assert_eq!(
            doc.fence(7),
            Some(Fence {
                content: 8..9,
                closed: false
            })
        );
    }
}
