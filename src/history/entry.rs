//! What an id stands for in a document: the row or the section that defines it (git.md 2.5 and 8).

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::change::definitions;
use crate::files::{Digest, ReadError, RepoPath, Tree, regular_content, walk};
use crate::ids::Definition;
use crate::markdown::Document;
use crate::markdown::three_way::{row_content, section_content};
use crate::project::layout;
use crate::text::decode;

/// The row or section that defines an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) is_row: bool,
    /// Titles from the top down to it; of a section its own is the last.
    pub(super) titles: Arc<[String]>,
    /// Its lines, without blank ones at the end.
    pub(super) lines: Range<usize>,
    /// Of what it is compared by.
    pub(super) content: Digest,
}

impl Entry {
    /// The titles above it.
    pub(super) fn above(&self) -> &[String] {
        let own = usize::from(!self.is_row);
        &self.titles[..self.titles.len() - own]
    }

    /// As it is shown.
    pub(super) fn anchor(&self) -> String {
        self.titles.join(" > ")
    }

    /// Its text, as the document has it.
    pub(super) fn text(&self, document: &Document) -> String {
        let text = decode(document.slice(self.lines.clone())).into_owned();
        text.trim_end_matches(['\n', '\r']).to_owned()
    }
}

/// The entries of a document, in the order of its lines. Where a row defines a scenario, its headings only elaborate it.
pub(super) fn entries(path: &RepoPath, document: &Document) -> Vec<Arc<Entry>> {
    let defined = definitions::of_document(path, document);
    let by_row: BTreeSet<&str> = defined
        .iter()
        .filter(|one| is_row(&one.by))
        .map(|one| one.id.id.as_str())
        .collect();
    let mut known: Option<(usize, Arc<[String]>)> = None;
    let mut out = Vec::new();
    for one in &defined {
        let (id, line) = (&one.id.id, one.id.line);
        let is_row = is_row(&one.by);
        if !is_row && by_row.contains(id.as_str()) {
            continue;
        }
        // Of a section the heading is on its line, of a row before it.
        let heading = document.heading_before(line + 1);
        let titles = match (heading, &known) {
            (None, _) => Arc::default(),
            (Some(heading), Some((at, titles))) if *at == heading => Arc::clone(titles),
            (Some(heading), _) => {
                let titles = titles(document, heading);
                known = Some((heading, Arc::clone(&titles)));
                titles
            }
        };
        let (lines, content) = match heading.filter(|_| !is_row) {
            Some(heading) => (
                document.trimmed(document.section(heading)),
                section_content(document, heading),
            ),
            None => (line..line + 1, row_content(document, line)),
        };
        out.push(Arc::new(Entry {
            id: id.clone(),
            is_row,
            titles,
            lines,
            content: Digest::of(&content),
        }));
    }
    out
}

const fn is_row(by: &Definition) -> bool {
    match by {
        Definition::Test | Definition::Row(_) => true,
        Definition::Heading(_) | Definition::Decision => false,
    }
}

/// The titles down to a heading, its own last.
pub(super) fn titles(document: &Document, heading: usize) -> Arc<[String]> {
    let title = |at: usize| document.headings()[at].plain.clone();
    let mut titles: Vec<String> = document.ancestors(heading).map(title).collect();
    titles.reverse();
    titles.push(title(heading));
    titles.into()
}

/// Whether a file of the project lies where documents do.
pub(super) fn is_document(path: &RepoPath) -> bool {
    let inner = path.strip_prefix(&layout::resources());
    let folder = inner.as_ref().and_then(|inner| inner.parts().next());
    folder.is_some_and(|folder| layout::DOCUMENT_FOLDERS.iter().any(|known| folder == *known))
}

/// Whether a document may define ids.
pub(super) fn may_define(path: &RepoPath) -> bool {
    path.has_extension("md")
}

/// A document of a tree.
pub(super) struct Standing {
    pub(super) path: RepoPath,
    pub(super) document: Document,
    pub(super) entries: Vec<Arc<Entry>>,
}

/// The documents of a tree that define ids, in path order.
pub(super) fn read_all(tree: &dyn Tree) -> Result<Vec<Standing>, ReadError> {
    let mut paths = Vec::new();
    for folder in layout::DOCUMENT_FOLDERS {
        paths.extend(walk(tree, &layout::resources().join(folder))?);
    }
    paths.retain(may_define);
    paths.sort();
    let read = |path: RepoPath| -> Result<Option<Standing>, ReadError> {
        let Some(content) = regular_content(tree, &path)? else {
            return Ok(None);
        };
        let document = Document::scan(content);
        let entries = entries(&path, &document);
        let standing = Standing {
            path,
            document,
            entries,
        };
        Ok((!standing.entries.is_empty()).then_some(standing))
    };
    let read: Vec<Option<Standing>> = paths.into_par_iter().map(read).collect::<Result<_, _>>()?;
    Ok(read.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_defined_by_its_line_and_a_decision_by_its_section() {
        let table = "# T\n\n## Unit\n\n| ID | x |\n|---|---|\n| UT-S01-01 | a |\n";
        let found = entries(&RepoPath::of("logos/resources/test/a.md"), &Document::scan(table));
        assert_eq!(
            (
                found[0].anchor().as_str(),
                found[0].lines.clone(),
                found[0].is_row
            ),
            ("T > Unit", 6..7, true)
        );
        let decision = "# D01: why\n\nbecause\n\n\n";
        let document = Document::scan(decision);
        let found = entries(&RepoPath::of("logos/resources/decisions/D01.md"), &document);
        assert_eq!(found[0].lines, 0..3);
        assert_eq!(found[0].text(&document), "# D01: why\n\nbecause");
        assert!(found[0].above().is_empty());
    }

    #[test]
    fn blanks_around_cells_and_blank_lines_do_not_count() {
        let path = RepoPath::of("logos/resources/test/a.md");
        let digest = |text: &str| entries(&path, &Document::scan(text))[0].content;
        let one = digest("| ID | x |\n|---|---|\n| UT-S01-01 | a |\n");
        assert_eq!(digest("| ID | x | \n|---|---|\n|UT-S01-01|  a|\n"), one);
        assert_ne!(digest("| ID | x |\n|---|---|\n| UT-S01-01 | b |\n"), one);
    }
}
