//! Where new entries of a list come, and how they are written there.

use super::place::{NO_PLACE, behind_comments, dash_column};
use super::{Edits, Field, Fields, Planned};
use crate::text::{Bytes, Span, line_end, lines};
use crate::yaml::edit::{behind_colon, column, next_line, own_line, plain_or_quoted, within_brackets};
use crate::yaml::{List, Value};

/// Entries as lines, the dash in column `dash` and `pad` blanks behind it.
pub(super) fn block(entries: &[&Fields<'_>], dash: usize, pad: usize, end: &[u8]) -> Bytes {
    let mut out = Bytes::new();
    for entry in entries {
        let mut lines = Vec::new();
        block_lines(entry, 0, &mut lines);
        for (nth, line) in lines.iter().enumerate() {
            let lead = if nth == 0 {
                format!("{}-{}", " ".repeat(dash), " ".repeat(pad))
            } else {
                " ".repeat(dash + 1 + pad)
            };
            out.extend_from_slice(format!("{lead}{line}").as_bytes());
            out.extend_from_slice(end);
        }
    }
    out
}

/// `a: b` line over `c:` line over `  d: e` line.
fn block_lines(fields: &Fields<'_>, indent: usize, out: &mut Vec<String>) {
    for (name, value) in fields {
        let name = format!("{}{}:", " ".repeat(indent), plain_or_quoted(name));
        match value {
            Field::Text(text) => out.push(format!("{name} {}", plain_or_quoted(text))),
            Field::Null => out.push(format!("{name} null")),
            Field::Map(inner) => {
                out.push(name);
                block_lines(inner, indent + 2, out);
            }
        }
    }
}

/// `{a: b, c: {d: e}}`.
fn in_braces(fields: &Fields<'_>) -> String {
    let field = |(name, value): &(&str, Field<'_>)| {
        let value = match value {
            Field::Text(text) => plain_or_quoted(text),
            Field::Null => "null".to_owned(),
            Field::Map(inner) => in_braces(inner),
        };
        format!("{}: {value}", plain_or_quoted(name))
    };
    let inner: Vec<String> = fields.iter().map(field).collect();
    format!("{{{}}}", inner.join(", "))
}

pub(super) fn addition(bytes: &[u8], root: &Value, key: &str, entries: &[&Fields<'_>]) -> Planned<Edits> {
    let end = line_end(bytes);
    let new = || block(entries, 2, 1, end);
    let (braces, found) = match root {
        Value::Null(_) => (None, None),
        Value::Map(map) => (Some(map).filter(|_| map.flow), map.get(key)),
        Value::Bool(..) | Value::Number(..) | Value::String(_) | Value::List(_) => {
            return Err("the file holds no mapping");
        }
    };
    match (found, braces) {
        (None, Some(map)) => {
            let list = format!("{}: [{}]", plain_or_quoted(key), all_in_braces(entries));
            Ok(vec![within_brackets(bytes, map.span, map.last(), &list)])
        }
        (None, None) => {
            let section = [plain_or_quoted(key).as_bytes(), b":", end, &new()].concat();
            Ok(vec![own_line(bytes, bytes.len(), section)])
        }
        (Some(Value::List(_)), Some(_)) if entries.is_empty() => Ok(Vec::new()),
        (Some(Value::List(list)), Some(_)) if list.flow => {
            let new = all_in_braces(entries);
            Ok(vec![within_brackets(bytes, list.span, list.items.last(), &new)])
        }
        (Some(Value::List(list)), _) if list.flow => {
            let mut block = dashed(bytes, list, end)?;
            block.extend(new());
            unbracketed(bytes, root, key, list.span.end, block)
        }
        (Some(Value::List(list)), _) => Ok(vec![behind_last(bytes, list, entries)?]),
        (Some(Value::Null(scalar)), braces) => {
            let colon = behind_colon(bytes, root, &[key]).ok_or(NO_PLACE)?;
            let value_end = scalar.span.end.max(colon.end);
            if braces.is_some() {
                let list = format!(" [{}]", all_in_braces(entries));
                return Ok(vec![(Span::new(colon.end, value_end), list.into_bytes())]);
            }
            unbracketed(bytes, root, key, value_end, new())
        }
        (Some(Value::Bool(..) | Value::Number(..) | Value::String(_) | Value::Map(_)), _) => {
            Err("it is no list")
        }
    }
}

/// `{a: b}, {c: d}`.
fn all_in_braces(entries: &[&Fields<'_>]) -> String {
    let new: Vec<String> = entries.iter().map(|entry| in_braces(entry)).collect();
    new.join(", ")
}

/// What stands between the colon of `key` and `value_end` goes; `block` comes below that line.
fn unbracketed(bytes: &[u8], root: &Value, key: &str, value_end: usize, block: Bytes) -> Planned<Edits> {
    let colon = behind_colon(bytes, root, &[key]).ok_or(NO_PLACE)?.end;
    let value = Span::new(colon, value_end);
    let below = own_line(bytes, next_line(bytes, value_end), block);
    Ok(if value.is_empty() {
        vec![below]
    } else {
        vec![(value, Bytes::new()), below]
    })
}

/// The entries of a list in brackets, each with a dash; comments between them get lines of their own.
fn dashed(bytes: &[u8], list: &List, end: &[u8]) -> Planned<Bytes> {
    let mut out = Bytes::new();
    let mut at = list.span.start + 1;
    for item in &list.items {
        let span = item.span();
        if span.is_empty() || span.start < at || span.end >= list.span.end {
            return Err("its entries do not stand in it one by one");
        }
        comments(&bytes[at..span.start], end, &mut out)?;
        out.extend_from_slice(b"  - ");
        out.extend_from_slice(span.of(bytes));
        out.extend_from_slice(end);
        at = span.end;
    }
    comments(&bytes[at..list.span.end - 1], end, &mut out)?;
    Ok(out)
}

/// The comments of a gap between entries, which holds nothing else but blanks and commas.
fn comments(gap: &[u8], end: &[u8], out: &mut Bytes) -> Planned<()> {
    for line in lines(gap) {
        let line = line.span.of(gap);
        let comment = line.iter().position(|b| *b == b'#').unwrap_or(line.len());
        if !line[..comment].iter().all(|b| matches!(b, b' ' | b'\t' | b',')) {
            return Err("something stands between its entries");
        }
        if comment < line.len() {
            out.extend_from_slice(b"  ");
            out.extend_from_slice(&line[comment..]);
            out.extend_from_slice(end);
        }
    }
    Ok(())
}

fn behind_last(bytes: &[u8], list: &List, entries: &[&Fields<'_>]) -> Planned<(Span, Bytes)> {
    let dash = dash_column(bytes, list)?;
    let last = list.items.last().ok_or(NO_PLACE)?.span();
    let line = last.start - column(bytes, last.start);
    let on_its_line = bytes[line..last.start].iter().all(|b| matches!(b, b' ' | b'-'))
        && bytes.get(line + dash) == Some(&b'-');
    let pad = if on_its_line && !last.is_empty() {
        (column(bytes, last.start) - dash).max(2) - 1
    } else {
        1
    };
    // A comment in column 0 belongs to what follows, also where the dashes stand in column 0.
    let place = behind_comments(bytes, next_line(bytes, list.span.end), dash.max(1));
    Ok(own_line(bytes, place, block(entries, dash, pad, line_end(bytes))))
}
