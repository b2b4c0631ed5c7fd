//! The one scan that decides for every line whether it counts as structure (change.md 1.2 to 1.4).

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::{Document, Heading, Mask, code_spans, without_code};
use crate::text::{Bytes, LineStarts, decode, each_line, is_space, js, trim};

static HEADING: LazyLock<Regex> = LazyLock::new(|| js(r"^(#{1,6})\s+(.+?)\s*$"));

enum State {
    Open,
    Fence { mark: u8, len: usize },
    Comment,
}

impl Document {
    /// Judges the lines of a text.
    pub fn scan(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let mut all = LineStarts::default();
        let mut masks = Vec::with_capacity(bytes.len() / 32 + 1);
        let mut cut = BTreeMap::new();
        let mut state = State::Open;
        let mut opened = 0;
        for (index, line) in each_line(&bytes).enumerate() {
            all.push(line.span.start);
            let raw = line.span.of(&bytes);
            let mask = match state {
                State::Comment => {
                    if bstr::ByteSlice::contains_str(raw, "-->") {
                        state = State::Open;
                    }
                    Mask::Comment
                }
                State::Fence { mark, len } => {
                    if closes(raw, mark, len) {
                        state = State::Open;
                    }
                    Mask::Fence
                }
                State::Open => {
                    let judged = judge(raw);
                    if let Some(text) = judged.cut {
                        cut.insert(index, text);
                    }
                    if let Some(next) = judged.opens {
                        state = next;
                        opened = index;
                    }
                    judged.mask
                }
            };
            masks.push(mask);
        }
        Self {
            bytes,
            lines: all,
            masks,
            cut,
            unclosed: (!matches!(state, State::Open)).then_some(opened),
            headings: OnceLock::new(),
        }
    }

    pub(super) fn find_headings(&self) -> Vec<Heading> {
        let may_be = |line: &usize| may_be_heading(self.line(*line));
        let lines = self.all_lines().filter(may_be);
        lines
            .filter_map(|line| heading(line, &self.text(line)?))
            .collect()
    }
}

struct Judged {
    mask: Mask,
    opens: Option<State>,
    cut: Option<String>,
}

/// Steps 3 to 7 for a line outside comments and fences.
fn judge(raw: &[u8]) -> Judged {
    let mut cut = None;
    if raw.contains(&b'<') && raw.contains(&b'!') {
        let text = decode(raw);
        match cut_comments(&text) {
            None => {
                return Judged {
                    mask: Mask::Comment,
                    opens: Some(State::Comment),
                    cut: None,
                };
            }
            Some(rest) if rest.len() != text.len() => cut = Some(rest),
            Some(_) => {}
        }
    }
    let text = cut.as_deref().map_or(raw, str::as_bytes);
    if let Some((mark, len)) = opens_fence(text) {
        return Judged {
            mask: Mask::Fence,
            opens: Some(State::Fence { mark, len }),
            cut: None,
        };
    }
    let indented = text.starts_with(b"    ") || text.starts_with(b"\t");
    if indented && decode(text).chars().any(|c| !is_space(c)) {
        return Judged {
            mask: Mask::Code,
            opens: None,
            cut: None,
        };
    }
    Judged {
        mask: Mask::None,
        opens: None,
        cut,
    }
}

/// Takes complete comments outside code spans out of a line; none if a comment stays open.
/// Comments are looked for in the line without its code spans, and cut where they stand in the line.
pub(super) fn cut_comments(text: &str) -> Option<String> {
    let spans = code_spans(text);
    let mut reduced = String::with_capacity(text.len());
    // Where the pieces that are left begin: in what is left, and in the line.
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    let mut keep = |range: std::ops::Range<usize>| {
        pieces.push((reduced.len(), range.start));
        reduced.push_str(&text[range]);
    };
    for span in spans {
        keep(at..span.start);
        at = span.end;
    }
    keep(at..text.len());
    let origin = |at: usize| {
        let (begin, start) = pieces[pieces.partition_point(|(begin, _)| *begin <= at) - 1];
        start + at - begin
    };
    let mut cuts = Vec::new();
    let mut rest = String::with_capacity(reduced.len());
    let mut from = 0;
    while let Some(start) = reduced[from..].find("<!--").map(|i| from + i) {
        let end = start + 4 + reduced[start + 4..].find("-->")? + 3;
        cuts.push(origin(start)..origin(end - 1) + 1);
        rest.push_str(&reduced[from..start]);
        from = end;
    }
    rest.push_str(&reduced[from..]);
    // What a comment leaves on its two sides may make the beginning of another.
    if rest.contains("<!--") {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        out.push_str(&text[at..cut.start]);
        at = cut.end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

/// At most three spaces, then the first run of one mark: its place and length.
pub(super) fn fence_run(text: &[u8]) -> Option<(u8, usize, &[u8])> {
    let spaces = text.iter().take_while(|b| **b == b' ').count();
    let rest = &text[spaces..];
    let mark = *rest.first().filter(|b| matches!(b, b'`' | b'~'))?;
    let len = rest.iter().take_while(|b| **b == mark).count();
    (spaces <= 3 && len >= 3).then_some((mark, len, &rest[len..]))
}

/// A backtick fence has no backtick in its info string: such a line is text (change.md part 9).
fn opens_fence(text: &[u8]) -> Option<(u8, usize)> {
    let (mark, len, info) = fence_run(text)?;
    (mark == b'~' || !info.contains(&b'`')).then_some((mark, len))
}

pub(super) fn closes(raw: &[u8], mark: u8, len: usize) -> bool {
    fence_run(raw).is_some_and(|(m, l, rest)| m == mark && l >= len && decode(rest).chars().all(is_space))
}

/// A cheap look before the pattern: a comment may stand before the hashes.
fn may_be_heading(raw: &[u8]) -> bool {
    matches!(raw.first(), Some(b'#' | b'<'))
}

fn heading(line: usize, text: &str) -> Option<Heading> {
    let found = HEADING.captures(text)?;
    let title = trim(&found[2]).to_owned();
    let plain = trim(&without_code(&title)).to_owned();
    Some(Heading {
        line,
        level: found[1].len(),
        title,
        plain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masks(text: &str) -> String {
        let doc = Document::scan(text);
        (0..doc.line_count())
            .map(|l| match doc.mask(l) {
                Mask::None => '.',
                Mask::Fence => 'f',
                Mask::Comment => 'c',
                Mask::Code => 'i',
            })
            .collect()
    }

    fn titles(text: &str) -> Vec<String> {
        Document::scan(text)
            .headings()
            .iter()
            .map(|h| format!("{} {}", h.level, h.title))
            .collect()
    }

    #[test]
    fn a_fence_closes_only_on_a_bare_run_at_least_as_long() {
        assert_eq!(masks("```\n# a\n``\n``` x\n~~~\n````  \nb\n"), "ffffff.");
        assert_eq!(masks("   ~~~ `x`\n# a\n~~~~\nb\n"), "fff.");
        assert_eq!(masks("````\n```\n````\nb"), "fff.");
        assert_eq!(masks("```\nnever closed\n# a"), "fff");
    }

    #[test]
    fn what_stays_open_is_told_by_its_line() {
        for (text, line) in [
            ("a\n```\nb\n", Some(1)),
            ("```\n```\n<!-- x\n", Some(2)),
            ("~~~\n~~~\n", None),
            ("", None),
        ] {
            assert_eq!(Document::scan(text).unclosed(), line, "{text}");
        }
    }

    #[test]
    fn a_backtick_in_the_info_string_makes_no_backtick_fence() {
        assert_eq!(masks("```js `x`\n# a\n"), "..");
        assert_eq!(masks("```js```\n# a\n"), "..");
    }

    #[test]
    fn comments_hide_lines_until_they_end() {
        assert_eq!(masks("a <!-- b\n# c\n--> d\ne\n"), "ccc.");
        assert_eq!(masks("`<!--` a\n# b\n"), "..");
        assert_eq!(masks("<`x`!-- a\n# b\n--> c\nd\n"), "ccc.");
        assert_eq!(masks("<!<!-- x -->-- a\n# b\n-->\n"), "ccc");
        assert_eq!(titles("## A <!-- x --> b\n<!-- y --># C\n"), ["2 A  b", "1 C"]);
    }

    #[test]
    fn indented_code_needs_four_spaces_or_a_tab_and_something_in_it() {
        assert_eq!(masks("    a\n\tb\n    \n   c\n"), "ii..");
    }

    #[test]
    fn headings_stand_in_column_one_and_keep_closing_hashes() {
        assert_eq!(
            titles("# A\n ## B\n##C\n## Open ##\n####### x\n\u{feff}# D\n"),
            ["1 A", "2 Open ##"]
        );
    }

    #[test]
    fn a_byte_order_mark_hides_a_heading() {
        assert_eq!(titles("\u{feff}# A\n# B\n"), ["1 B"]);
    }
}
