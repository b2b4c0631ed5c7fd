//! Where a new section goes: its parent, level and place (change.md 6.6, "ADDED"). Placement is never guessed.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::BaseView;
use crate::markdown::three_way::LineCounts;
use crate::markdown::{Document, Resolution, SectionAnchor, code_spans};
use crate::text::{is_space, js, natural_cmp, trim};

static DOTTED: LazyLock<Regex> = LazyLock::new(|| js(r"^(\d+(?:\.\d+)*)\.\d+\.?(?:$|\s)"));

/// What a new section is put below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Parent {
    Document,
    /// A heading by index.
    Section(usize),
}

impl Parent {
    /// The level of the parent; 0 for the document.
    pub(super) fn level(self, document: &Document) -> usize {
        match self {
            Self::Document => 0,
            Self::Section(heading) => document.headings()[heading].level,
        }
    }

    fn lines(self, document: &Document) -> std::ops::Range<usize> {
        match self {
            Self::Document => document.all_lines(),
            Self::Section(heading) => document.section(heading),
        }
    }

    /// The line behind the last one of the parent that is not blank.
    pub(super) fn end(self, document: &Document) -> usize {
        document.trimmed(self.lines(document)).end
    }

    /// The same parent in the base, found by the titles above it.
    fn in_base(self, document: &Document, base: &Document) -> Option<Self> {
        match self {
            Self::Document => Some(Self::Document),
            Self::Section(heading) => find_again(document, heading, base)
                .or_else(|| renamed_from(document, heading, base))
                .map(Self::Section),
        }
    }
}

/// A section of one document in another: the one of its title, and of its titles above where there are several.
pub(super) fn find_again(document: &Document, heading: usize, other: &Document) -> Option<usize> {
    let path = |doc: &Document, h: usize| -> Vec<String> {
        doc.ancestors(h)
            .map(|a| doc.headings()[a].plain.clone())
            .collect()
    };
    let title = &document.headings()[heading].plain;
    let mut found: Vec<usize> = (0..other.headings().len())
        .filter(|&h| other.headings()[h].plain == *title)
        .collect();
    if found.len() > 1 {
        let own = path(document, heading);
        found.retain(|&h| path(other, h) == own);
    }
    (found.len() == 1).then(|| found[0])
}

/// Cuts the title of an ADDED marker at its last ` > ` outside code: the parent's anchor, if there is one, and the title.
pub fn split_title(spelling: &str) -> (Option<&str>, &str) {
    const BETWEEN: &str = " > ";
    let code = code_spans(spelling);
    let outside = |at: &usize| !code.iter().any(|span| span.contains(at));
    let cut = spelling.rmatch_indices(BETWEEN).map(|(at, _)| at).find(outside);
    match cut {
        Some(at) => (Some(&spelling[..at]), trim(&spelling[at + BETWEEN.len()..])),
        None => (None, trim(spelling)),
    }
}

/// The number of the section that one with this title stands below: its own without the last part.
fn number_above(title: &str) -> Option<String> {
    DOTTED.captures(title).map(|found| found[1].to_owned())
}

/// A new section's title, with the parent that it names or that its number names.
pub(super) struct Wanted<'a> {
    pub(super) title: String,
    pub(super) named: Option<SectionAnchor>,
    /// The number of the parent that its own dotted number, or the marker's, points to.
    number: Option<String>,
    own_level: Option<usize>,
    document: &'a Document,
}

impl<'a> Wanted<'a> {
    /// Reads a marker's spelling and the block's own heading, whose title replaces the marker's.
    pub(super) fn new(
        spelling: &str,
        own: Option<&crate::markdown::Heading>,
        document: &'a Document,
    ) -> Self {
        let (above, marked) = split_title(spelling);
        let title = own.map_or(marked, |h| &h.title).to_owned();
        Self {
            number: number_above(&title).or_else(|| number_above(marked)),
            title,
            named: above.map(SectionAnchor::new),
            own_level: own.map(|h| h.level),
            document,
        }
    }

    /// The parent; none if it is named but not exactly one.
    pub(super) fn parent(&self) -> Option<Parent> {
        if let Some(anchor) = &self.named {
            return anchor.resolve(self.document).one().map(Parent::Section);
        }
        let Some(number) = &self.number else {
            return Some(Parent::Document);
        };
        let first = |title: &str| title.split(is_space).next().unwrap_or_default().to_owned();
        let has_number = |h: &usize| {
            let token = first(&self.document.headings()[*h].title);
            token == *number || token.strip_suffix('.') == Some(number.as_str())
        };
        let found: Vec<usize> = (0..self.document.headings().len()).filter(has_number).collect();
        Some(if found.len() == 1 {
            Parent::Section(found[0])
        } else {
            Parent::Document
        })
    }

    /// The level below a parent; none if its own heading is too deep to stand at the top of the document.
    pub(super) fn level(&self, parent: Parent) -> Option<usize> {
        match parent {
            Parent::Section(heading) => Some(self.document.headings()[heading].level + 1).filter(|l| *l <= 6),
            Parent::Document => {
                let top = top_level(self.document);
                Some(self.own_level.unwrap_or(top)).filter(|own| *own <= top)
            }
        }
    }
}

/// Two if the document has exactly one level-one heading, one if several, else the smallest level present, two if none.
fn top_level(document: &Document) -> usize {
    match document.headings().iter().filter(|h| h.level == 1).count() {
        0 => document.headings().iter().map(|h| h.level).min().unwrap_or(2),
        1 => 2,
        _ => 1,
    }
}

/// The section of a level and title that a parent already holds.
pub(super) fn twin(document: &Document, parent: Parent, level: usize, title: &str) -> Option<usize> {
    let inside = document.headings_in(&parent.lines(document));
    inside
        .filter(|&h| parent != Parent::Section(h))
        .find(|&h| document.headings()[h].level == level && document.headings()[h].title == title)
}

/// Whether the base holds such a section below the same parent.
pub(super) fn twin_in_base(
    document: &Document,
    parent: Parent,
    level: usize,
    title: &str,
    base: &Document,
) -> bool {
    parent
        .in_base(document, base)
        .is_some_and(|parent| twin(base, parent, level, title).is_some())
}

/// For each new title, in order, the line behind which it goes: interleaved in natural order with the sections that
/// other changes appended to the parent since the base, each side keeping its own order.
pub(super) fn places(
    document: &Document,
    parent: Parent,
    level: usize,
    titles: &[&str],
    base: BaseView<'_>,
) -> Vec<usize> {
    let end = parent.end(document);
    let appended = match base {
        BaseView::Unknown => Vec::new(),
        BaseView::Known(base) => appended(document, parent, level, base),
    };
    let mut places = Vec::with_capacity(titles.len());
    let mut next = appended.iter().peekable();
    for title in titles {
        while let Some(&&heading) = next.peek() {
            if natural_cmp(&document.headings()[heading].title, title).is_gt() {
                break;
            }
            next.next();
        }
        places.push(next.peek().map_or(end, |&&heading| {
            let line = document.headings()[heading].line;
            document.trimmed(0..line).end
        }));
    }
    places
}

/// The sections that stand last in the parent and are not in the base's, renamed ones excepted.
fn appended(document: &Document, parent: Parent, level: usize, base: Option<&Document>) -> Vec<usize> {
    let inside = document
        .headings_in(&parent.lines(document))
        .filter(|&h| parent != Parent::Section(h));
    let siblings: Vec<usize> = inside
        .filter(|&h| document.headings()[h].level <= level)
        .collect();
    let base_parent = base.and_then(|base| Some((base, parent.in_base(document, base)?)));
    let gone = base_parent.map_or_else(Vec::new, |(base, _)| gone(base, document));
    let is_new = |&h: &usize| {
        let heading = &document.headings()[h];
        heading.level == level
            && base_parent.is_none_or(|(base, parent)| {
                twin(base, parent, level, &heading.title).is_none() && like(&gone, document, h).is_none()
            })
    };
    let count = siblings.iter().rev().take_while(|h| is_new(h)).count();
    siblings[siblings.len() - count..].to_vec()
}

/// The section of the base, gone from the document, that a section of the document was before it was renamed: one that
/// shares at least half of the non-blank lines of the longer one, counted with repetition.
pub(super) fn renamed_from(document: &Document, heading: usize, base: &Document) -> Option<usize> {
    like(&gone(base, document), document, heading)
}

/// The section of the document that a section of the base has most likely become.
pub(super) fn renamed_to(base: &Document, heading: usize, document: &Document) -> Option<usize> {
    like(&gone(document, base), base, heading)
}

/// The first of some sections that shares half of its lines with another document's section.
fn like(sections: &[(usize, LineCounts<'_>)], document: &Document, heading: usize) -> Option<usize> {
    let own = LineCounts::of(document.slice(document.section(heading)));
    sections
        .iter()
        .find(|(_, counts)| counts.share_half(&own))
        .map(|(heading, _)| *heading)
}

/// The sections of one document whose titles the other does not have, with their lines.
fn gone<'a>(document: &'a Document, other: &Document) -> Vec<(usize, LineCounts<'a>)> {
    let there: HashSet<&str> = other.headings().iter().map(|h| h.plain.as_str()).collect();
    (0..document.headings().len())
        .filter(|&h| !there.contains(document.headings()[h].plain.as_str()))
        .map(|h| (h, LineCounts::of(document.slice(document.section(h)))))
        .collect()
}

/// The section of the base that a section of the document was, found by the anchor that names it now.
pub(super) fn section_before(
    anchor: &SectionAnchor,
    document: &Document,
    heading: usize,
    base: &Document,
) -> Option<usize> {
    match anchor.resolve(base) {
        Resolution::One(found) => Some(found),
        Resolution::Many(_) => find_again(document, heading, base),
        Resolution::Missing => renamed_from(document, heading, base),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_cut_at_its_last_mark_outside_code() {
        assert_eq!(split_title("A > B > C"), (Some("A > B"), "C"));
        assert_eq!(split_title("A > Use `x > y`"), (Some("A"), "Use `x > y`"));
        assert_eq!(split_title("Use `x > y`"), (None, "Use `x > y`"));
    }

    #[test]
    fn the_number_of_the_marker_counts_if_the_own_heading_has_none() {
        let document = Document::scan("# T\n## 1. Stock\n## 2. Tolls\n");
        let own = Document::scan("### Returns\n");
        let wanted = Wanted::new("1.3 Returns", own.headings().first(), &document);
        assert_eq!(
            (wanted.title.as_str(), wanted.parent()),
            ("Returns", Some(Parent::Section(1)))
        );
    }
}
