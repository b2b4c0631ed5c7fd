//! What can be saved of a file that does not parse (logos-project.md 4.3): it is cut at its top-level keys, each part is
//! read by itself, and a list that is broken is cut at its dashes.

use std::collections::HashSet;

use super::{List, Scalar, Style, Value, parse};
use crate::text::{Bytes, Line, Span, is_blank_line, lines};

/// Entries of a broken list that are looked at one by one: far above any honest list, and done within a second.
const MAX_ENTRIES: usize = 20_000;

/// The wanted top-level keys of the first document whose values could be read, in file order. Of a key given twice the
/// first counts. Positions inside the values are not those of the file.
pub fn salvage(bytes: &[u8], wanted: &[&str]) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = Vec::new();
    let mut seen = HashSet::new();
    // Parts with anchors that later parts may name.
    let mut anchors = Bytes::new();
    for part in parts(bytes) {
        if !seen.insert(part.key.clone()) {
            continue;
        }
        let text = part.span.of(bytes);
        if text.contains(&b'&') && parse(text).is_ok() {
            anchors.extend_from_slice(text);
            anchors.push(b'\n');
        }
        if wanted.contains(&part.key.as_str())
            && let Some(value) = whole(text, &part.key, &anchors).or_else(|| items(text))
        {
            out.push((part.key, value));
        }
    }
    out
}

/// One top-level key with its value: from its line to the next key.
struct Part {
    key: String,
    span: Span,
}

fn parts(bytes: &[u8]) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    let bytes_from = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for (index, line) in lines(bytes).iter().enumerate() {
        let start = if index == 0 { bytes_from } else { line.span.start };
        let text = &bytes[start..line.span.end];
        if is_document_mark(text) {
            // Whatever comes before the first key may still belong to the first document.
            if out.is_empty() {
                continue;
            }
            break;
        }
        if let Some(key) = key_of(text) {
            out.push(Part {
                key: String::from_utf8_lossy(key).into_owned(),
                span: Span::new(start, start),
            });
        }
        if let Some(last) = out.last_mut() {
            last.span.end = line.next;
        }
    }
    out
}

/// The key in column 0 of a line: quoted, or plain without a character that starts something else, before a colon.
fn key_of(line: &[u8]) -> Option<&[u8]> {
    let (key, rest) = match line.first()? {
        quote @ (b'"' | b'\'') => {
            let end = line[1..].iter().position(|b| b == quote || *b == b'\\')? + 1;
            (&line[1..end], line[end..].strip_prefix(&[*quote])?)
        }
        b' ' | b'\t' | b'-' | b'&' | b'*' | b'!' | b'|' | b'>' | b'%' | b'@' | b'`' | b'?' => return None,
        _ => {
            let end = line
                .iter()
                .position(|b| b":#\"'[]{},".contains(b))
                .filter(|end| *end > 0)?;
            (&line[..end], &line[end..])
        }
    };
    let rest = rest.trim_ascii_start().strip_prefix(b":")?;
    matches!(rest.first(), None | Some(b' ' | b'\t')).then(|| key.trim_ascii_end())
}

/// `---` or `...`, alone or before a blank.
fn is_document_mark(line: &[u8]) -> bool {
    (line.starts_with(b"---") || line.starts_with(b"...")) && matches!(line.get(3), None | Some(b' ' | b'\t'))
}

/// The value of a part that is sound, if need be with the anchors of the parts before it.
fn whole(text: &[u8], key: &str, anchors: &[u8]) -> Option<Value> {
    let value = match parse(text) {
        Ok(value) => value,
        Err(_) if !anchors.is_empty() && text.contains(&b'*') => parse(&[anchors, text].concat()).ok()?,
        Err(_) => return None,
    };
    value.get(key).cloned()
}

/// The entries of a block list that are sound. What an entry loses at a line in column 0 that cannot belong to it, such
/// as the mark of a merge conflict, it keeps up to there.
fn items(text: &[u8]) -> Option<Value> {
    let all = lines(text);
    let body = all.get(1..)?;
    let indent = |line: &Line| line.span.of(text).iter().take_while(|b| **b == b' ').count();
    let dash = |line: &Line| {
        let rest = &line.span.of(text)[indent(line)..];
        rest.first() == Some(&b'-') && matches!(rest.get(1), None | Some(b' ' | b'\t'))
    };
    let first = body.iter().find(|line| !is_nothing(line.span.of(text)))?;
    if !dash(first) {
        return None;
    }
    let depth = indent(first);
    let begins = |line: &Line| dash(line) && indent(line) == depth;
    let mut found = Vec::new();
    let mut at = body.iter().position(begins)?;
    while at < body.len() && found.len() < MAX_ENTRIES {
        let next = body[at + 1..]
            .iter()
            .position(begins)
            .map_or(body.len(), |n| at + 1 + n);
        let own = &body[at..next];
        let cut = own[1..].iter().position(|line| {
            let line = line.span.of(text);
            !is_nothing(line) && !line.starts_with(b" ") && !line.starts_with(b"\t")
        });
        let last = own[cut.unwrap_or(own.len() - 1)];
        if let Ok(Value::List(list)) = parse(&text[own[0].span.start..last.next]) {
            found.extend(list.items);
        }
        at = next;
    }
    if found.is_empty() {
        return None;
    }
    Some(Value::List(List {
        items: found,
        span: Span::default(),
        flow: false,
    }))
}

/// Blank, or a comment.
fn is_nothing(line: &[u8]) -> bool {
    is_blank_line(line) || line.iter().find(|b| !matches!(b, b' ' | b'\t')) == Some(&b'#')
}

impl Value {
    /// A string that is not written anywhere.
    pub fn text(text: &str) -> Self {
        Self::String(Scalar {
            text: text.to_owned(),
            span: Span::default(),
            style: Style::Double,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        let parts = salvage(text.as_bytes(), &["modules"]);
        let list = parts
            .iter()
            .find(|(key, _)| key == "modules")
            .and_then(|(_, v)| v.as_list());
        let id = |item: &Value| item.get("id").and_then(Value::as_str).unwrap_or("?").to_owned();
        list.unwrap_or_default().iter().map(id).collect()
    }

    const MODULES: &str = "modules:\n  - id: core\n    name: Core\n  - id: tide\n    name: Tides\n";

    #[test]
    fn damage_in_another_section_costs_nothing() {
        for bad in [
            "x: \"open\n",
            "x: [1, 2\n",
            "x:\n\tname: tab\n",
            "x: a: b\n",
            "x: @a\n",
            "x: \"\\q\"\n",
            "x: *nowhere\n",
            "x: 1\n}\n",
            "x: 1\nx: 2\n",
            "modules: []\n---\n",
        ] {
            let before = if bad.starts_with("modules") {
                String::new()
            } else {
                format!("{bad}{MODULES}")
            };
            if !before.is_empty() {
                assert_eq!(ids(&before), ["core", "tide"], "{before}");
            }
            assert_eq!(ids(&format!("{MODULES}{bad}")), ["core", "tide"], "{bad}");
        }
    }

    #[test]
    fn a_broken_entry_is_lost_alone() {
        let text = "modules:\n- id: a\n  name: A: b\n# note\n- id: b\n  list:\n  - \"x\n- id: c\n";
        assert_eq!(ids(text), ["c"]);
        assert_eq!(ids(&MODULES.replace("Core", "\"Core")), ["tide"]);
        assert_eq!(
            ids(&MODULES.replace("    name: Tides", "\tname: Tides")),
            ["core"]
        );
    }

    #[test]
    fn of_a_key_given_twice_the_first_counts_and_of_documents_too() {
        assert_eq!(
            ids(&format!("{MODULES}modules:\n  - id: other\n")),
            ["core", "tide"]
        );
        assert_eq!(
            ids(&format!("---\n{MODULES}---\nmodules:\n  - id: other\n")),
            ["core", "tide"]
        );
    }

    #[test]
    fn an_entry_cut_by_a_conflict_mark_keeps_what_stands_before_it() {
        let text = "modules:\n  - id: core\n    name: Core\n<<<<<<< ours\n    lifecycle: launched\n=======\n    \
                    lifecycle: initial\n>>>>>>> theirs\n  - id: tide\n    name: Tides\n";
        assert_eq!(ids(text), ["core", "tide"]);
        let parts = salvage(text.as_bytes(), &["modules"]);
        assert!(
            parts[0].1.as_list().expect("a list")[0]
                .get("lifecycle")
                .is_none()
        );
    }

    #[test]
    fn anchors_of_sound_parts_are_known_in_later_ones() {
        assert_eq!(ids("x: &m\n  id: tide\nbad: [\nmodules:\n  - *m\n"), ["tide"]);
    }

    #[test]
    fn garbage_saves_nothing() {
        assert!(salvage(b"[", &["a"]).is_empty());
        assert!(salvage(b"\x00\xff{{{", &["a"]).is_empty());
        assert_eq!(ids("modules: gone\nx: [\n"), [""; 0]);
    }
}
