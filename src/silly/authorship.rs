//! Who made a document of a change, and when (silly.md 9): front matter, or plain lines in its first lines.

use crate::markdown::Document;
use crate::text::{Bytes, decode, line_end, trim};

/// Lines that count where there is no front matter.
const HEAD: usize = 20;

/// A value of the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// From 0.
    pub line: usize,
    /// May be empty.
    pub value: String,
}

/// What the head of a document tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authorship {
    pub author: Option<Told>,
    pub created_at: Option<Told>,
    /// The last line of the front matter.
    front_end: Option<usize>,
}

/// Reads the head of a document.
pub fn read(bytes: &[u8]) -> Authorship {
    let text = decode(bytes);
    let mut lines = text.lines().enumerate();
    let mut front_end = None;
    let head: Vec<(usize, &str)> = if text.lines().next().map(trim) == Some("---") {
        let mut head = Vec::new();
        for (at, line) in lines.by_ref().skip(1) {
            if trim(line) == "---" {
                front_end = Some(at);
                break;
            }
            head.push((at, line));
        }
        head
    } else {
        lines.take(HEAD).collect()
    };
    let told = |key: &str| {
        head.iter().find_map(|(at, line)| {
            let rest = trim(line).strip_prefix(key)?.trim_start();
            let value = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'))?;
            Some(Told {
                line: *at,
                value: trim(value).trim_matches(['"', '\'']).to_owned(),
            })
        })
    };
    Authorship {
        author: told("author"),
        created_at: told("created_at"),
        front_end,
    }
}

/// The document with what its head lacks; what it tells stays.
pub fn completed(bytes: &[u8], author: &str, created_at: &str) -> Bytes {
    let mut out = bytes.to_vec();
    for (key, value) in [("author", author), ("created_at", created_at)] {
        out = with(&out, key, value);
    }
    out
}

fn with(bytes: &[u8], key: &str, value: &str) -> Bytes {
    let known = read(bytes);
    let (own, other) = match key {
        "author" => (&known.author, &known.created_at),
        _ => (&known.created_at, &known.author),
    };
    let document = Document::scan(bytes);
    let begin = |line: usize| document.span(line..line).start;
    let end = decode(line_end(bytes)).into_owned();
    let line = format!("{key}: {value}{end}");
    let (at, text) = match (own, other, known.front_end) {
        (Some(own), _, _) if !own.value.is_empty() => return bytes.to_vec(),
        (Some(own), _, _) => (
            begin(own.line) + document.line(own.line).len(),
            format!(" {value}"),
        ),
        (None, Some(other), _) => {
            let next = usize::from(key != "author");
            (begin(other.line + next), line)
        }
        (None, None, Some(front_end)) => (begin(front_end), line),
        (None, None, None) => below_title(&document, &line, &end),
    };
    let is_first = trim(&decode(&bytes[..at])).is_empty();
    let open = !is_first && own.is_none() && !bytes[..at].ends_with(b"\n");
    let text = if open { format!("{end}{text}") } else { text };
    let mut out = bytes.to_vec();
    out.splice(at..at, text.into_bytes());
    out
}

/// Where the first line of a head comes: below the title, if it stands where heads are looked for, else at the beginning.
fn below_title(document: &Document, line: &str, end: &str) -> (usize, String) {
    let title = document
        .headings()
        .first()
        .filter(|heading| heading.level == 1 && heading.line + 2 < HEAD);
    let Some(title) = title else {
        // Behind a byte order mark.
        let at = if document.bytes().starts_with("\u{feff}".as_bytes()) {
            3
        } else {
            0
        };
        return (at, format!("{line}{end}"));
    };
    let next = title.line + 1;
    let is_apart = next >= document.line_count() || document.is_blank(next);
    let gap = if is_apart { "" } else { end };
    (document.span(next..next).start, format!("{end}{line}{gap}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_added_beside_what_is_there() {
        let done = |text: &str| String::from_utf8(completed(text.as_bytes(), "ada", "T")).expect("text");
        for (text, expected) in [
            ("# A\n\nx\n", "# A\n\nauthor: ada\ncreated_at: T\n\nx\n"),
            ("# A\nx\n", "# A\n\nauthor: ada\ncreated_at: T\n\nx\n"),
            ("# A", "# A\n\nauthor: ada\ncreated_at: T\n"),
            ("x\n", "author: ada\ncreated_at: T\n\nx\n"),
            (
                "---\r\na: b\r\n---\r\n",
                "---\r\na: b\r\nauthor: ada\r\ncreated_at: T\r\n---\r\n",
            ),
            ("# A\ncreated_at: Y\n", "# A\nauthor: ada\ncreated_at: Y\n"),
            ("author：b", "author：b\ncreated_at: T\n"),
            ("author:\ncreated_at: Y\n", "author: ada\ncreated_at: Y\n"),
            ("author: b\ncreated_at: Y", "author: b\ncreated_at: Y"),
        ] {
            assert_eq!(done(text), expected, "{text}");
            assert_eq!(done(expected), expected);
        }
    }
}
