//! What goes with an entry of a list, or with a key of a mapping.

use super::place::{NO_PLACE, behind_comments, dash_before, dash_column};
use super::{Edits, Planned};
use crate::text::{Bytes, Span};
use crate::yaml::edit::{behind_colon, column, next_line};
use crate::yaml::{Map, Value};

pub(super) fn removal(bytes: &[u8], root: &Value, key: &str, index: usize) -> Planned<Edits> {
    let Some(Value::List(list)) = root.get(key) else {
        return Err("it is no list");
    };
    let item = list.items.get(index).ok_or("it has no such entry")?.span();
    if list.flow {
        let previous = index.checked_sub(1).map(|before| list.items[before].span());
        return Ok(vec![(
            from_brackets(bytes, list.span.end, previous, item)?,
            Bytes::new(),
        )]);
    }
    let dash = dash_column(bytes, list)?;
    let mark = dash_before(bytes, item.start)?;
    let start = mark - column(bytes, mark);
    if mark - start != dash {
        return Err(NO_PLACE);
    }
    let end = behind_comments(bytes, next_line(bytes, item.end), dash + 1);
    let lines = (Span::new(start, end), Bytes::new());
    if list.items.len() > 1 {
        return Ok(vec![lines]);
    }
    let colon = behind_colon(bytes, root, &[key]).ok_or(NO_PLACE)?;
    Ok(vec![(colon, b" []".to_vec()), lines])
}

/// An entry in brackets or braces with its comma: where the container ends, and the entry before.
fn from_brackets(bytes: &[u8], end: usize, previous: Option<Span>, item: Span) -> Planned<Span> {
    let blanks = |b: &&u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
    let behind = bytes.get(item.end..end).ok_or(NO_PLACE)?;
    let gap = behind.iter().take_while(blanks).count();
    if behind.get(gap) == Some(&b',') {
        let after = item.end + gap + 1;
        let inline = bytes[after..].iter().take_while(|b| matches!(b, b' ' | b'\t'));
        return Ok(Span::new(item.start, after + inline.count()));
    }
    if let Some(previous) = previous {
        let between = bytes.get(previous.end..item.start).ok_or(NO_PLACE)?;
        if between.iter().all(|b| blanks(&b) || *b == b',') {
            return Ok(Span::new(previous.end, item.end));
        }
    }
    Ok(item)
}

/// The edit that takes a key and its value out of a mapping.
pub(super) fn key_removal(bytes: &[u8], map: &Map, key: &str) -> Planned<Edits> {
    let at = map
        .entries
        .iter()
        .position(|(k, _)| k.scalar().is_some_and(|s| s.text == key));
    let at = at.ok_or("it has no such key")?;
    let entry = whole(bytes, &map.entries[at])?;
    let span = if map.flow {
        let before = at.checked_sub(1).map(|before| whole(bytes, &map.entries[before]));
        let previous = before.transpose()?;
        from_brackets(bytes, map.span.end, previous, entry)?
    } else {
        let line = entry.start - column(bytes, entry.start);
        if bytes[line..entry.start].iter().all(|b| *b == b' ') {
            Span::new(line, next_line(bytes, entry.end))
        } else {
            // Behind a dash: the next key takes its place.
            let next = map.entries.get(at + 1).ok_or("it is the only key")?;
            Span::new(entry.start, next.0.span().start)
        }
    };
    Ok(vec![(span, Bytes::new())])
}

/// A key with its value, or with its colon if no value is written.
fn whole(bytes: &[u8], (key, value): &(Value, Value)) -> Planned<Span> {
    let (start, behind, end) = (key.span().start, key.span().end, value.span().end);
    if !value.span().is_empty() && end > behind {
        return Ok(Span::new(start, end));
    }
    let colon = bytes[behind..].iter().position(|b| *b == b':').ok_or(NO_PLACE)?;
    Ok(Span::new(start, behind + colon + 1))
}
