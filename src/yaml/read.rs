//! Builds values from the events of the parser, within bounds: one document, distinct keys, aliases that resolve,
//! limited depth, and a limit on what aliases may multiply.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Marker, Parser, ScanError, Span as CharSpan};

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

/// What the parser says of a tab that separates a colon or dash from what follows. YAML allows it, and the reference.
const TAB_REFUSED: &str = "must be followed by a valid YAML whitespace";

/// Reads a file of one document. An empty file, and one of comments only, is null.
///
/// # Errors
/// Anything that YAML 1.2 does not allow, and also: a key given twice in one mapping, a second document, an alias
/// without anchor, nesting beyond 128 levels, a million nodes, aliases that multiply beyond 16 MB (logos-project.md 4.1).
pub fn parse(bytes: &[u8]) -> Result<Value, Error> {
    let mut source = Source::new(bytes)?;
    let refused = match attempt(&source, &[]) {
        Err(Trouble::Syntax(e)) if e.info().ends_with(TAB_REFUSED) => e,
        read => return read.map(|read| read.value).map_err(Error::from),
    };
    // Once with all such tabs as blanks, then with those back that stand in a text.
    let blanked = source.blank_tabs();
    if blanked.is_empty() {
        return Err(Trouble::Syntax(refused).into());
    }
    let read = attempt(&source, &blanked)?;
    if read.in_text.is_empty() {
        return Ok(read.value);
    }
    source.put_tabs_back(&read.in_text);
    Ok(attempt(&source, &[])?.value)
}

/// Why a text cannot be read: in the parser's words, or in ours.
enum Trouble {
    Syntax(ScanError),
    Bounds(Error),
}

impl From<Trouble> for Error {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Syntax(e) => error(*e.marker(), e.info()),
            Trouble::Bounds(e) => e,
        }
    }
}

/// A text that was read, and which of the marked characters stand in a scalar.
struct Read {
    value: Value,
    in_text: Vec<usize>,
}

/// Reads the text as it is. `marked` are indices of characters, ascending.
fn attempt(source: &Source<'_>, marked: &[usize]) -> Result<Read, Trouble> {
    let mut builder = Builder {
        source,
        open: Vec::new(),
        root: None,
        anchors: HashMap::new(),
        copied: 0,
        nodes: 0,
    };
    let mut in_text = Vec::new();
    for event in Parser::new_from_str(&source.text) {
        let (event, span) = event.map_err(Trouble::Syntax)?;
        if matches!(event, Event::Scalar(..)) {
            let from = marked.partition_point(|at| *at < span.start.index());
            let inside = marked[from..].iter().take_while(|at| **at < span.end.index());
            in_text.extend(inside);
        }
        builder.take(event, span).map_err(Trouble::Bounds)?;
    }
    let value = builder.root.unwrap_or_else(|| Value::Null(Scalar::default()));
    Ok(Read { value, in_text })
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

/// The length of the quoted scalar that a text begins with, both quotes included.
fn quoted_len(text: &[u8]) -> Option<usize> {
    let quote = *text.first().filter(|b| matches!(b, b'\'' | b'"'))?;
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' if quote == b'"' => at += 2,
            b'\'' if quote == b'\'' && text.get(at + 1) == Some(&b'\'') => at += 2,
            b if b == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
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
                // The parser makes room for more than most scalars need.
                let text = text.as_ref().to_owned();
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

    /// A scalar ends before the blanks that follow it, a quoted one before comments too: the parser counts both as its own.
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
            Style::Plain => Span::new(span.start, span.end - blanks),
            Style::Single | Style::Double => {
                let len = quoted_len(bytes).unwrap_or(bytes.len() - blanks);
                Span::new(span.start, span.start + len)
            }
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
        // The parser's last token may take the blanks behind the bracket along, or be the comma before it.
        let written = |open: u8, close: u8| {
            let opened = first.of(bytes).first() == Some(&open);
            match last.of(bytes).first() {
                Some(b) if opened && *b == close => Some(last.start + 1),
                Some(b',') if opened => behind_bracket(bytes, last.start + 1, close),
                _ => None,
            }
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

/// The place behind the bracket that comes next, blanks and comments aside.
fn behind_bracket(bytes: &[u8], from: usize, close: u8) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' => at += bytes[at..].iter().position(|b| *b == b'\n')?,
            b if *b == close => return Some(at + 1),
            _ => return None,
        }
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
mod tests;
