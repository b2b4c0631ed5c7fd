//! The sections of a change's documents by their titles (silly.md 9): levels 2 and 3, a number in front and remarks in
//! brackets do not count, fenced blocks hold none.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::markdown::{Document, Mask};
use crate::text::{js, trim};

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| js(r"^(?:\d+(?:\.\d+)*[.)、]?|[一二三四五六七八九十]+[、.])\s*"));
static REMARK: LazyLock<Regex> =
    LazyLock::new(|| js(r"\s*(?:\([^()]*\)|（[^（）]*）|\[[^\]]*\]|【[^】]*】)"));

/// A document by its sections.
pub struct Sections {
    document: Document,
    /// The index of the heading and its bare title.
    titles: Vec<(usize, String)>,
}

impl Sections {
    pub fn of(bytes: &[u8]) -> Self {
        let document = Document::scan(bytes);
        let headings = document.headings().iter().enumerate();
        let titles = headings
            .filter(|(_, heading)| matches!(heading.level, 2 | 3))
            .map(|(at, heading)| (at, bare(&heading.title)))
            .collect();
        Self { document, titles }
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The title of the document, if it has one.
    pub fn has_title(&self) -> bool {
        self.document.headings().iter().any(|heading| heading.level == 1)
    }

    /// The lines of the first section with one of these titles, its heading first.
    pub fn find(&self, titles: &[&str]) -> Option<Range<usize>> {
        let is_it = |title: &str| titles.iter().any(|known| known.eq_ignore_ascii_case(title));
        let (at, _) = self.titles.iter().find(|(_, title)| is_it(title))?;
        Some(self.document.section(*at))
    }

    /// The titles with the lines of their headings.
    pub fn titles(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.document.headings();
        self.titles
            .iter()
            .map(move |(at, title)| (lines[*at].line, title.as_str()))
    }

    /// The lines below the heading of a section that are in no fence, with their numbers from 0.
    pub fn texts(&self, section: Range<usize>) -> Vec<(usize, String)> {
        (section.start + 1..section.end)
            .filter(|line| self.document.mask(*line) != Mask::Fence)
            .map(|line| (line, self.document.raw(line).into_owned()))
            .collect()
    }
}

/// A title without its number and remarks.
pub fn bare(title: &str) -> String {
    let title = NUMBER.replace(trim(title), "");
    let title = REMARK.replace_all(&title, "");
    let title = trim(&title);
    // A colon announces what stands below.
    trim(title.strip_suffix([':', '：']).unwrap_or(title)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_remarks_do_not_count() {
        for title in [
            "结论",
            "结论：",
            "6. 结论",
            "6.1 结论（必填）",
            "三、结论 (x)",
            "结论 [y]",
        ] {
            assert_eq!(bare(title), "结论");
        }
    }
}
