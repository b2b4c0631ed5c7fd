//! One version of the document: front matter by keys, and the body.

use super::front;
use crate::markdown::three_way::Field;
use crate::state::body::Body;
use crate::state::front::{FrontMatter, OPENING, Parts};
use crate::text::{Bytes, each_line};

pub(super) struct Version {
    /// What stands before the first key.
    opening: String,
    /// The keys with their lines; empty where there is no front matter, none where it is no list of keys.
    pub(super) fields: Option<Vec<Field>>,
    /// What stands between the last key and the body.
    closing: String,
    pub(super) body: Body,
}

impl Version {
    pub(super) fn of(text: &str) -> Self {
        let Some((start, end)) = region(text) else {
            return Self {
                opening: String::new(),
                fields: Some(Vec::new()),
                closing: String::new(),
                body: Body::new(text),
            };
        };
        let fields = front::keyed(&text.as_bytes()[start..end]);
        // What is no list of keys stays where it is.
        let opened = if fields.is_some() { start } else { end };
        // Where the body begins is found without the keys: there may be a million of them.
        let closed = [&text[..start], &text[end..]].concat();
        let body = end + Parts::of(&closed).body_start.saturating_sub(start);
        Self {
            opening: text[..opened].to_owned(),
            fields,
            closing: text[end..body].to_owned(),
            body: Body::new(&text[body..]),
        }
    }

    pub(super) fn into_bytes(self) -> Bytes {
        let mut out = self.opening.into_bytes();
        for field in self.fields.unwrap_or_default() {
            out.extend(field.text);
        }
        out.extend_from_slice(self.closing.as_bytes());
        out.extend_from_slice(self.body.text().as_bytes());
        out
    }

    /// The text of a key that holds one.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let lines = String::from_utf8(self.lines(key)?).ok()?;
        FrontMatter::read(&lines).text(key).map(str::to_owned)
    }

    pub(super) fn field(&self, key: &str) -> Option<&Field> {
        self.fields.as_ref()?.iter().find(|field| field.name == key)
    }

    /// The lines of a key, without comments above it.
    pub(super) fn lines(&self, key: &str) -> Option<Bytes> {
        let field = self.field(key)?;
        Some(field.text[above(&field.text)..].to_vec())
    }

    /// Puts other lines in place of those of a key; the comments above it stay. Returns the old lines.
    pub(super) fn replace(&mut self, key: &str, lines: &[u8]) -> Option<Bytes> {
        let field = self.fields.as_mut()?.iter_mut().find(|field| field.name == key)?;
        let old = field.text.split_off(above(&field.text));
        field.text.extend_from_slice(lines);
        Some(old)
    }

    /// Takes a key out, comments above it too. Returns its lines.
    pub(super) fn remove(&mut self, key: &str) -> Option<Bytes> {
        let fields = self.fields.as_mut()?;
        let at = fields.iter().position(|field| field.name == key)?;
        Some(fields.remove(at).text)
    }
}

/// How many bytes of a field are comments and blank lines above its key.
fn above(text: &[u8]) -> usize {
    each_line(text)
        .find(|line| !front::is_between(line.span.of(text)))
        .map_or(text.len(), |line| line.span.start)
}

/// The lines between the dashes; none without front matter (state.md 2.2).
fn region(text: &str) -> Option<(usize, usize)> {
    let inside = text.strip_prefix(OPENING)?;
    let inside = inside
        .strip_prefix('\n')
        .or_else(|| inside.strip_prefix("\r\n"))?;
    let start = text.len() - inside.len();
    let closing = each_line(inside.as_bytes()).find(|line| inside[line.span.start..].starts_with(OPENING))?;
    Some((start, start + closing.span.start))
}
