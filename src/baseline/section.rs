//! The section of a document that holds candidates (logos-project.md 10.1): where it stands, what is in it, and the
//! document with another list in its place.

use std::ops::Range;

use super::candidate::Candidate;
use crate::files::Digest;
use crate::markdown::{Document, Fence, Mask};
use crate::text::{Bytes, decode, is_space, line_end, splice, trim, with_line_ends};
use crate::yaml::{self, Value, block_scalar};

/// The line that the section starts with.
const HEADING: &str = "## 逆向基线来源";

/// A section as a reader finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// SHA-256 of its text without the blank end: 64 hexadecimal digits.
    pub source_hash: String,
    /// None if it is broken.
    pub candidates: Option<Vec<Candidate>>,
}

impl Section {
    /// The section of a document; none if it has none.
    pub fn find(bytes: &[u8]) -> Option<Self> {
        // Most documents have none: no need to look at their lines.
        if !bstr::ByteSlice::contains_str(bytes, HEADING) {
            return None;
        }
        let document = Document::scan(bytes);
        let lines = place(&document)?;
        let text = decode(document.slice(lines.clone()));
        Some(Self {
            source_hash: Digest::of(text.trim_end_matches(is_space).as_bytes()).hex(),
            candidates: candidates(&document, lines),
        })
    }
}

/// Whether a line counts: examples in fences and comments do not.
fn counts(document: &Document, line: usize) -> bool {
    matches!(document.mask(line), Mask::None | Mask::Code)
}

fn place(document: &Document) -> Option<Range<usize>> {
    let mut counted = document.all_lines().filter(|line| counts(document, *line));
    let start = counted.find(|line| trim(&document.raw(*line)) == HEADING)?;
    let ends = |line: &usize| {
        let raw = document.raw(*line);
        raw.strip_prefix("##")
            .is_some_and(|rest| rest.starts_with(is_space))
    };
    Some(start..counted.find(ends).unwrap_or(document.line_count()))
}

/// The entries of the list in the first fence of YAML; none if there is no such list.
fn candidates(document: &Document, lines: Range<usize>) -> Option<Vec<Candidate>> {
    let fence = yaml_fence(document, lines)?;
    if !fence.closed {
        return None;
    }
    let text = with_line_ends(document.slice(fence.content), b"\n");
    let root = yaml::parse(&text).ok()?;
    let items = root.get("candidates").and_then(Value::as_list)?;
    items.iter().map(Candidate::read).collect()
}

fn yaml_fence(document: &Document, lines: Range<usize>) -> Option<Fence> {
    let mut line = lines.start;
    while line < lines.end {
        let Some(fence) = document.fence(line) else {
            line += 1;
            continue;
        };
        let raw = document.raw(line);
        let info = trim(&raw).trim_start_matches('`');
        if matches!(trim(info), "yaml" | "yml") {
            return Some(fence);
        }
        line = fence.content.end + 1;
    }
    None
}

/// The document with these candidates in the place of its own; none if it has no section. What follows the section stays.
pub fn with_candidates(bytes: &[u8], candidates: &[Candidate]) -> Option<Bytes> {
    let document = Document::scan(bytes);
    let lines = place(&document)?;
    let span = document.span(lines.clone());
    let end = line_end(bytes);
    let mut text = written(candidates).into_bytes();
    if lines.end < document.line_count() {
        text.push(b'\n');
    }
    Some(splice(bytes, &[(span, with_line_ends(&text, end))]))
}

/// The section in its one form.
fn written(candidates: &[Candidate]) -> String {
    let mut out = format!("{HEADING}\n```yaml\n");
    if candidates.is_empty() {
        out += "candidates: []\n";
    } else {
        out += "candidates:\n";
    }
    for candidate in candidates {
        write_candidate(&mut out, candidate);
    }
    out + "```\n"
}

fn write_candidate(out: &mut String, candidate: &Candidate) {
    let optional = |text: &Option<String>| text.as_deref().map_or("null".to_owned(), block_scalar);
    let list = |texts: &[String]| {
        let lines = texts
            .iter()
            .map(|text| format!("\n      - {}", block_scalar(text)));
        let lines: String = lines.collect();
        if lines.is_empty() { " []".to_owned() } else { lines }
    };
    *out += &format!("  - key: {}\n", block_scalar(&candidate.key));
    for (name, text) in [("anchor", &candidate.anchor), ("display", &candidate.display)] {
        if let Some(text) = text {
            *out += &format!("    {name}: {}\n", block_scalar(text));
        }
    }
    *out += &format!("    state: {}\n", candidate.state.as_str());
    *out += &format!("    verified: {}\n", candidate.verified);
    *out += &format!("    aliases:{}\n", list(&candidate.aliases));
    *out += &format!("    superseded_by:{}\n", list(&candidate.superseded_by));
    for (name, text) in [
        ("confirmed_by", &candidate.confirmed_by),
        ("evidence", &candidate.evidence),
        ("confirmed_at", &candidate.confirmed_at),
        ("retired_by", &candidate.retired_by),
        ("retire_event_id", &candidate.retire_event_id),
    ] {
        *out += &format!("    {name}: {}\n", optional(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "```yaml\ncandidates:\n  - key: core::df2b13627dee\n    anchor: \"cli: login\"\n```\n";

    fn keys(text: &str) -> Option<Option<Vec<String>>> {
        let section = Section::find(text.as_bytes())?;
        let keys = |all: Vec<Candidate>| all.into_iter().map(|c| c.key).collect();
        Some(section.candidates.map(keys))
    }

    fn is_found(text: &str) -> bool {
        keys(text) == Some(Some(vec!["core::df2b13627dee".to_owned()]))
    }

    #[test]
    fn the_first_heading_outside_of_fences_and_comments_starts_the_section() {
        assert!(is_found(&format!("# A\n  ## 逆向基线来源 \n{LIST}")));
        assert_eq!(keys(&format!("````\n{HEADING}\n{LIST}````\n")), None);
        assert_eq!(keys(&format!("<!--\n{HEADING}\n{LIST}-->\n")), None);
        assert!(is_found(&format!(
            "````\n{HEADING}\n```yaml\n[\n```\n````\n{HEADING}\n{LIST}"
        )));
    }

    #[test]
    fn the_section_ends_before_the_next_heading_of_its_level() {
        assert_eq!(keys(&format!("{HEADING}\n## B\n{LIST}")), Some(None));
        assert!(is_found(&format!("{HEADING}\n### B\n```\n## C\n```\n{LIST}")));
    }

    #[test]
    fn line_ends_of_two_bytes_are_no_part_of_the_values() {
        let text = format!("{HEADING}\n{LIST}").replace('\n', "\r\n");
        assert!(is_found(&text));
    }

    #[test]
    fn a_section_that_cannot_be_read_is_broken() {
        for bad in [
            "",
            "text\n",
            "```yaml\n: [\n```\n",
            "```yaml\ncandidates: {}\n```\n",
            "```yaml\ncandidates:\n- {key: ''}\n```\n",
            "```yaml\ncandidates:\n- a\n```\n",
            "```yaml\ncandidates: []\n",
            "```json\ncandidates: []\n```\n",
        ] {
            assert_eq!(keys(&format!("{HEADING}\n{bad}")), Some(None), "{bad}");
        }
        assert_eq!(
            keys(&format!("{HEADING}\n```yml\ncandidates: []\n```\n")),
            Some(Some(Vec::new()))
        );
    }

    #[test]
    fn another_list_takes_the_place_of_the_section_and_what_follows_stays() {
        let text =
            format!("# A\r\n{HEADING}\r\nprose\r\n```yaml\r\ncandidates: []\r\n```\r\n\r\n\r\n## B\r\n");
        let new = with_candidates(text.as_bytes(), &[]).expect("it has a section");
        assert_eq!(
            decode(&new),
            format!("# A\r\n{HEADING}\r\n```yaml\r\ncandidates: []\r\n```\r\n\r\n## B\r\n")
        );
        assert_eq!(with_candidates(b"# A\n", &[]), None);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut candidate = Section::find(format!("{HEADING}\n{LIST}").as_bytes())
            .and_then(|s| s.candidates)
            .expect("it is sound")
            .remove(0);
        candidate.aliases = vec!["a: b".to_owned(), "c".to_owned()];
        candidate.evidence = Some("# x".to_owned());
        let written = written(std::slice::from_ref(&candidate));
        let read = Section::find(written.as_bytes())
            .and_then(|s| s.candidates)
            .expect("it is sound");
        assert_eq!(
            read,
            [Candidate {
                says_active: true,
                says_unverified: true,
                ..candidate
            }]
        );
        assert!(written.contains("    aliases:\n      - \"a: b\"\n      - c\n    superseded_by: []\n"));
    }
}
