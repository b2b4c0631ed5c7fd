//! Builds values from the events of the parser, within bounds: one document, distinct keys, aliases that resolve,
//! limited depth, and a limit on what aliases may multiply.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Marker, Parser, Span as CharSpan};

use super::position::Source;
use super::scalar::resolve;
use super::{Error, List, Map, Scalar, Style, Value};
use crate::text::Span;

/// Levels of nesting. Registries have four.
const MAX_DEPTH: usize = 128;

/// Bytes, roughly, that aliases may add to a document: a bomb multiplies, honest use does not.
const MAX_COPIED: usize = 16 << 20;

/// Nodes of a document, aliases not counted: far above any honest file, and read within a second.
const MAX_NODES: usize = 1_000_000;

/// Reads a file of one document. An empty file, and one of comments only, is null.
///
/// # Errors
/// Anything that YAML 1.2 does not allow, and also: a key given twice in one mapping, a second document, an alias
/// without anchor, nesting beyond 128 levels, a million nodes, aliases that multiply beyond 16 MB (logos-project.md 4.1).
pub fn parse(bytes: &[u8]) -> Result<Value, Error> {
    let source = Source::new(bytes)?;
    let mut builder = Builder {
        source: &source,
        open: Vec::new(),
        root: None,
        anchors: HashMap::new(),
        copied: 0,
        nodes: 0,
    };
    for event in Parser::new_from_str(&source.text) {
        let (event, span) = event.map_err(|e| error(*e.marker(), e.info()))?;
        builder.take(event, span)?;
    }
    Ok(builder.root.unwrap_or_else(|| Value::Null(Scalar::default())))
}

fn error(at: Marker, message: impl Into<String>) -> Error {
    Error {
        message: message.into(),
        line: at.line().max(1),
        column: at.col() + 1,
    }
}

/// A list or mapping that has begun.
struct Open {
    start: CharSpan,
    anchor: usize,
    content: Content,
}

enum Content {
    List(Vec<Value>),
    Map {
        entries: Vec<(Value, Value)>,
        key: Option<Value>,
        seen: Keys,
    },
}

/// What makes two keys of a mapping the same one.
#[derive(PartialEq, Eq, Hash)]
enum Key<'v> {
    Null,
    Bool(bool),
    Number(u64),
    Text(Cow<'v, str>),
}

impl<'v> Key<'v> {
    /// None for a list or mapping: such keys are not compared.
    fn of(value: &'v Value) -> Option<Self> {
        match value {
            Value::Null(_) => Some(Self::Null),
            Value::Bool(value, _) => Some(Self::Bool(*value)),
            Value::Number(value, _) => Some(Self::Number(value.to_bits())),
            Value::String(scalar) => Some(Self::Text(Cow::Borrowed(&scalar.text))),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    fn into_owned(self) -> Key<'static> {
        match self {
            Self::Null => Key::Null,
            Self::Bool(value) => Key::Bool(value),
            Self::Number(bits) => Key::Number(bits),
            Self::Text(text) => Key::Text(Cow::Owned(text.into_owned())),
        }
    }
}

/// The keys of a mapping with many of them; in a small one all are looked at.
#[derive(Default)]
struct Keys(HashSet<Key<'static>>);

impl Keys {
    const MANY: usize = 16;

    /// Whether `key` is none of the keys of `entries`. It is to become one.
    fn is_new(&mut self, key: &Value, entries: &[(Value, Value)]) -> bool {
        let Some(key) = Key::of(key) else {
            return true;
        };
        let mut known = entries.iter().filter_map(|(known, _)| Key::of(known));
        if entries.len() < Self::MANY {
            return !known.any(|known| known == key);
        }
        if self.0.is_empty() {
            self.0 = known.map(Key::into_owned).collect();
        }
        self.0.insert(key.into_owned())
    }
}

struct Builder<'s> {
    source: &'s Source<'s>,
    open: Vec<Open>,
    root: Option<Value>,
    anchors: HashMap<usize, (Value, usize)>,
    copied: usize,
    nodes: usize,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: CharSpan) -> Result<(), Error> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => Err(error(
                span.start,
                "a second document begins here, and only one is allowed",
            )),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
            Event::Scalar(text, style, anchor, tag) => {
                let style = Style::of(style);
                let mut text = text.into_owned();
                // The parser makes room for more than most scalars need.
                text.shrink_to_fit();
                let scalar = Scalar {
                    span: self.scalar_span(span, style, text.is_empty()),
                    text,
                    style,
                };
                self.put(resolve(scalar, tag.as_deref()), anchor, span)
            }
            Event::Alias(anchor) => self.alias(anchor, span),
            Event::SequenceStart(anchor, _) => self.begin(Content::List(Vec::new()), anchor, span),
            Event::MappingStart(anchor, _) => {
                let map = Content::Map {
                    entries: Vec::new(),
                    key: None,
                    seen: Keys::default(),
                };
                self.begin(map, anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
        }
    }

    /// A scalar ends before the blanks that follow it, which the parser counts as its own.
    fn scalar_span(&self, span: CharSpan, style: Style, empty: bool) -> Span {
        let span = self.source.span(span);
        let bytes = span.of(self.source.bytes());
        let blanks = bytes
            .iter()
            .rev()
            .take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
            .count();
        match style {
            // A value that is not written has a place, but no bytes.
            Style::Plain if empty => Span::new(span.start, span.start),
            Style::Plain | Style::Single | Style::Double => Span::new(span.start, span.end - blanks),
            Style::Block => span,
        }
    }

    fn begin(&mut self, content: Content, anchor: usize, start: CharSpan) -> Result<(), Error> {
        if self.open.len() >= MAX_DEPTH {
            return Err(error(
                start.start,
                format!("this is nested deeper than {MAX_DEPTH} levels"),
            ));
        }
        let at = self.source.span(start).start;
        let bytes = self.source.bytes();
        let line = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let before = &bytes[line..at];
        let flow = matches!(bytes.get(at), Some(b'[' | b'{'));
        // The parser lets a tab pass in front of the first key of a document.
        if !flow && before.contains(&b'\t') && before.iter().all(|b| matches!(b, b' ' | b'\t')) {
            return Err(error(start.start, "a tab is used as indentation"));
        }
        self.open.push(Open {
            start,
            anchor,
            content,
        });
        Ok(())
    }

    fn end(&mut self, end: CharSpan) -> Result<(), Error> {
        let Some(Open {
            start,
            anchor,
            content,
        }) = self.open.pop()
        else {
            return Err(error(end.start, "a collection ends that has not begun"));
        };
        let bytes = self.source.bytes();
        let (first, last) = (self.source.span(start), self.source.span(end));
        // The parser's last token may take the blanks behind the bracket along.
        let written = |open: u8, close: u8| {
            let brackets = first.of(bytes).first() == Some(&open) && last.of(bytes).first() == Some(&close);
            brackets.then_some(last.start + 1)
        };
        let value = match content {
            Content::List(mut items) => {
                items.shrink_to_fit();
                let close = written(b'[', b']');
                let inner = items.last().map_or(first.start, |item| item.span().end);
                let span = Span::new(first.start, close.unwrap_or(inner.max(first.start)));
                let flow = close.is_some();
                Value::List(List { items, span, flow })
            }
            Content::Map { mut entries, .. } => {
                entries.shrink_to_fit();
                let close = written(b'{', b'}');
                let inner = entries
                    .last()
                    .map_or(first.start, |(k, v)| v.span().end.max(k.span().end));
                let span = Span::new(first.start, close.unwrap_or(inner.max(first.start)));
                let flow = close.is_some();
                Value::Map(Map { entries, span, flow })
            }
        };
        self.put(value, anchor, start)
    }

    fn alias(&mut self, anchor: usize, span: CharSpan) -> Result<(), Error> {
        let Some((value, weight)) = self.anchors.get(&anchor) else {
            return Err(error(span.start, "this alias stands inside its own anchor"));
        };
        self.copied = self.copied.saturating_add(*weight);
        if self.copied > MAX_COPIED {
            return Err(error(
                span.start,
                "the aliases of this file multiply to more than 16 MB",
            ));
        }
        let value = value.clone();
        self.put(value, 0, span)
    }

    /// Puts a complete node where it belongs.
    fn put(&mut self, value: Value, anchor: usize, at: CharSpan) -> Result<(), Error> {
        if anchor != 0 {
            let weight = weight(&value);
            self.copied = self.copied.saturating_add(weight);
            self.anchors.insert(anchor, (value.clone(), weight));
        }
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(error(at.start, "this file has more than a million nodes"));
        }
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(value),
            Some(Content::List(items)) => items.push(value),
            Some(Content::Map { entries, key, seen }) => {
                if let Some(key) = key.take() {
                    entries.push((key, value));
                } else if !seen.is_new(&value, entries) {
                    let text = value.scalar().map(|s| s.text.as_str()).unwrap_or_default();
                    let text = crate::text::escape(text);
                    return Err(error(
                        at.start,
                        format!("the key `{text}` is given twice in one mapping"),
                    ));
                } else {
                    *key = Some(value);
                }
            }
        }
        Ok(())
    }
}

/// Roughly the bytes that a copy takes. Its recursion is bounded by the depth of the document.
fn weight(value: &Value) -> usize {
    let own = size_of::<Value>();
    match value {
        Value::Null(s) | Value::Bool(_, s) | Value::Number(_, s) | Value::String(s) => own + s.text.len(),
        Value::List(list) => own + list.items.iter().map(weight).sum::<usize>(),
        Value::Map(map) => {
            own + map
                .entries
                .iter()
                .map(|(k, v)| weight(k) + weight(v))
                .sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse(text.as_bytes()).expect_err(text).to_string()
    }

    #[test]
    fn a_key_given_twice_is_an_error_at_the_second_one() {
        assert_eq!(
            message("a:\n  b: 1\n  \"b\": 2\n"),
            "the key `b` is given twice in one mapping at line 3, column 3"
        );
        assert!(message("{16: a, 0x10: b}").contains("given twice"));
        assert!(parse(b"1: a\n'1': b\n").is_ok());
    }

    #[test]
    fn a_second_document_is_an_error() {
        assert!(message("a: 1\n---\nb: 2\n").contains("second document"));
        assert!(message("---\n---\n").contains("second document"));
        assert!(parse(b"---\na: 1\n...\n").is_ok());
    }

    #[test]
    fn an_alias_without_anchor_and_one_inside_its_anchor_are_errors() {
        assert!(parse(b"a: *b\n").is_err());
        assert!(message("a: &a [*a]").contains("inside its own anchor"));
        let value = parse(b"a: &a [1]\nb: *a\n").expect("resolves");
        assert_eq!(value.get("b").and_then(Value::as_list).map(<[_]>::len), Some(1));
    }

    #[test]
    fn a_tab_as_indentation_is_an_error() {
        for text in [
            "a:\n\tb: 1\n",
            "a:\n  b: 1\n\tc: 2\n",
            "- a\n\t- b\n",
            "a:\n  \tb: 1\n  c: 2\n",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn merge_keys_are_ordinary_keys() {
        let value = parse(b"x: &x {a: 1}\ny: {<<: *x, b: 2}\n").expect("valid");
        let y = value.get("y").expect("there");
        assert!(y.get("a").is_none());
        assert!(y.get("<<").is_some());
    }

    #[test]
    fn marks_line_ends_bad_bytes_and_empty_files_are_read() {
        let value = parse(b"\xef\xbb\xbfa: x\xff\r\nb: 2\r\n").expect("valid");
        assert_eq!(value.get("a").and_then(Value::as_str), Some("x\u{fffd}"));
        for text in ["", "# only a comment\n", "\u{feff}", "\n\n"] {
            assert!(parse(text.as_bytes()).expect(text).is_null());
        }
    }

    #[test]
    fn what_stands_behind_a_nul_does_not_vanish() {
        assert_eq!(
            message("a: 1\nb\0: 2\n"),
            "a NUL character is not allowed in YAML at line 2, column 2"
        );
    }

    #[test]
    fn spans_are_bytes_of_the_file() {
        let text = "名: 値 # note\n\"q\": 'it''s'\nlist:\n  - a b  \n  - {x: [1, 2]}\nend: |\n  block\n";
        let value = parse(text.as_bytes()).expect("valid");
        let of = |value: &Value| &text[value.span().start..value.span().end];
        assert_eq!(of(value.get("名").expect("there")), "値");
        assert_eq!(of(value.get("q").expect("there")), "'it''s'");
        let list = value.get("list").and_then(Value::as_list).expect("a list");
        assert_eq!((of(&list[0]), of(&list[1])), ("a b", "{x: [1, 2]}"));
        assert_eq!(of(list[1].get("x").expect("there")), "[1, 2]");
        let keys: Vec<&str> = value
            .as_map()
            .expect("a map")
            .entries
            .iter()
            .map(|(k, _)| of(k))
            .collect();
        assert_eq!(keys, ["名", "\"q\"", "list", "end"]);
    }

    #[test]
    fn bombs_and_towers_are_refused() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for n in 1..12 {
            let last = format!("*a{}", n - 1);
            let line = format!("a{n}: &a{n} [{}]\n", vec![last; 10].join(", "));
            bomb.push_str(&line);
        }
        assert!(message(&bomb).contains("multiply"));
        for unit in ["[", "{a: ", "- ", "? "] {
            assert!(parse(unit.repeat(100_000).as_bytes()).is_err(), "{unit}");
        }
    }
}
