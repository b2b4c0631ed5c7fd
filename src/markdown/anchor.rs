//! Anchors: a title, or a path of titles, that names one section (change.md 3.3).

use super::{Document, without_code};
use crate::text::trim;

/// The parts of an anchor, the last one the section's own title, code spans out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SectionAnchor {
    /// As the marker spells it.
    spelling: String,
    parts: Vec<String>,
}

/// What an anchor names in a document; headings by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    One(usize),
    Missing,
    Many(Vec<usize>),
}

impl Resolution {
    pub fn one(&self) -> Option<usize> {
        match self {
            Self::One(heading) => Some(*heading),
            Self::Missing | Self::Many(_) => None,
        }
    }
}

impl SectionAnchor {
    /// Cuts a spelling at ` > `.
    pub fn new(spelling: &str) -> Self {
        let parts = spelling
            .split(" > ")
            .map(|part| trim(&without_code(part)).to_owned());
        Self {
            spelling: spelling.to_owned(),
            parts: parts.filter(|p| !p.is_empty()).collect(),
        }
    }

    pub fn spelling(&self) -> &str {
        &self.spelling
    }

    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The headings whose title equals the last part and above which the other parts occur, right to left from the
    /// nearest outward, skipping allowed. Comparison is exact.
    pub fn resolve(&self, document: &Document) -> Resolution {
        let Some((last, above)) = self.parts.split_last() else {
            return Resolution::Missing;
        };
        let headings = document.headings();
        let counts = |&h: &usize| {
            let mut wanted = above.iter().rev().peekable();
            if wanted.peek().is_some() {
                for ancestor in document.ancestors(h) {
                    wanted.next_if(|part| headings[ancestor].plain == **part);
                }
            }
            wanted.next().is_none()
        };
        let mut found: Vec<usize> = (0..headings.len())
            .filter(|&h| headings[h].plain == *last)
            .filter(counts)
            .collect();
        match found.len() {
            0 => Resolution::Missing,
            1 => Resolution::One(found.remove(0)),
            _ => Resolution::Many(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_skips_levels_but_keeps_their_order() {
        let doc = Document::scan("# Top\n## A\n### X\n#### Deep\n## B\n### X\n");
        let at = |s: &str| SectionAnchor::new(s).resolve(&doc);
        assert_eq!(at("X"), Resolution::Many(vec![2, 5]));
        assert_eq!(at("B > X"), Resolution::One(5));
        assert_eq!(at("Top > A > Deep"), Resolution::One(3));
        assert_eq!(at("A > Top > Deep"), Resolution::Missing);
        assert_eq!(at("A>X"), Resolution::Missing);
    }

    #[test]
    fn code_spans_do_not_count_and_nothing_else_is_forgiven() {
        let doc = Document::scan("## Cost `x` of it\n## Price\n");
        assert_eq!(
            SectionAnchor::new("Cost `y` of it").resolve(&doc),
            Resolution::One(0)
        );
        assert_eq!(SectionAnchor::new("price").resolve(&doc), Resolution::Missing);
        assert_eq!(SectionAnchor::new("`x`").resolve(&doc), Resolution::Missing);
    }
}
