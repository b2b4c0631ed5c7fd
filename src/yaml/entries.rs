//! Entries of a top-level list or mapping added, removed or renamed in place, all other bytes kept (logos-project.md
//! 4.4): as in [`super::edit`], the result is read again and refused if it means anything but what was asked for.

use super::edit::{
    EditError, behind_colon, checked, column, next_line, own_line, plain_or_quoted, refused, within_brackets,
    written,
};
use super::{List, Value, parse};
use crate::text::{Bytes, Span, is_blank_line, line_end, lines, splice};

/// Fields of a new entry, in order, as texts.
pub type Fields<'a> = [(&'a str, &'a str)];

type Edits = Vec<(Span, Bytes)>;
type Planned<T> = Result<T, &'static str>;

const NO_PLACE: &str = "its place in the file is not found";

/// Adds a mapping behind the last entry of the list at `key`. A list that is missing comes to the end of the file; one in
/// brackets becomes one with dashes.
///
/// # Errors
/// If the file does not parse, or holds something else at `key`, or would then mean anything else.
pub fn add_entry(bytes: &[u8], key: &str, fields: &Fields<'_>) -> Result<Bytes, EditError> {
    let root = parse(bytes)?;
    let entry = parse(&block_entry(fields, 0, 1, b"\n"))?;
    let edits = addition(bytes, &root, key, fields).map_err(|reason| refused(key, reason))?;
    let Value::List(list) = entry else {
        return Err(refused(key, "the new entry cannot be written"));
    };
    let meant = with_list(&root, key, |items| items.extend(list.items));
    checked(splice(bytes, &edits), &meant, key)
}

/// Removes the entry with this index from the list at `key`; a list without entries stays as `[]`. Comments inside the
/// entry go with it, those at the indent of its dash stay.
///
/// # Errors
/// As [`add_entry`].
pub fn remove_entry(bytes: &[u8], key: &str, index: usize) -> Result<Bytes, EditError> {
    let root = parse(bytes)?;
    let edits = removal(bytes, &root, key, index).map_err(|reason| refused(key, reason))?;
    let meant = with_list(&root, key, |items| drop(items.remove(index)));
    checked(splice(bytes, &edits), &meant, key)
}

/// Gives the entry `old` of the mapping at `key` the name `new`. Nothing happens if there is none.
///
/// # Errors
/// As [`add_entry`]; also if there is an entry `new` already.
pub fn rename_key(bytes: &[u8], key: &str, old: &str, new: &str) -> Result<Bytes, EditError> {
    let root = parse(bytes)?;
    let Some(map) = root.get(key).and_then(Value::as_map) else {
        return Ok(bytes.to_vec());
    };
    let Some(scalar) = map.entry(old).and_then(|(name, _)| name.scalar()) else {
        return Ok(bytes.to_vec());
    };
    if map.get(new).is_some() {
        return Err(refused(&format!("{key}.{new}"), "it is there already"));
    }
    let (text, name) = written(new, scalar, true).map_err(|reason| refused(key, reason))?;
    let mut meant = root.clone();
    let inner = value_mut(&mut meant, key).and_then(|value| match value {
        Value::Map(map) => map.entries.iter_mut().find(|(k, _)| k.span() == scalar.span),
        Value::Null(_) | Value::Bool(..) | Value::Number(..) | Value::String(_) | Value::List(_) => None,
    });
    if let Some((place, _)) = inner {
        *place = name;
    }
    checked(splice(bytes, &[(scalar.span, text.into_bytes())]), &meant, key)
}

fn value_mut<'v>(root: &'v mut Value, key: &str) -> Option<&'v mut Value> {
    let Value::Map(map) = root else { return None };
    map.entry_mut(key).map(|(_, value)| value)
}

/// The file's value with the list at `key` changed; what is no list yet is an empty one first.
fn with_list(root: &Value, key: &str, change: impl FnOnce(&mut Vec<Value>)) -> Value {
    let empty = || {
        Value::List(List {
            items: Vec::new(),
            span: Span::default(),
            flow: false,
        })
    };
    let mut root = match root {
        Value::Map(_) => root.clone(),
        Value::Null(_) | Value::Bool(..) | Value::Number(..) | Value::String(_) | Value::List(_) => {
            Value::empty_map()
        }
    };
    if let Value::Map(map) = &mut root
        && map.get(key).is_none()
    {
        map.entries.push((Value::text(key), empty()));
    }
    if let Some(value) = value_mut(&mut root, key) {
        if value.is_null() {
            *value = empty();
        }
        if let Value::List(list) = value {
            change(&mut list.items);
        }
    }
    root
}

/// `- a: b` line over `  c: d` line, the dash in column `dash` and `pad` blanks behind it.
fn block_entry(fields: &Fields<'_>, dash: usize, pad: usize, end: &[u8]) -> Bytes {
    let mut out = Bytes::new();
    for (nth, (name, value)) in fields.iter().enumerate() {
        let lead = if nth == 0 {
            format!("{}-{}", " ".repeat(dash), " ".repeat(pad))
        } else {
            " ".repeat(dash + 1 + pad)
        };
        let line = format!("{lead}{}: {}", plain_or_quoted(name), plain_or_quoted(value));
        out.extend_from_slice(line.as_bytes());
        out.extend_from_slice(end);
    }
    out
}

fn addition(bytes: &[u8], root: &Value, key: &str, fields: &Fields<'_>) -> Planned<Edits> {
    let end = line_end(bytes);
    let new = || block_entry(fields, 2, 1, end);
    let (braces, found) = match root {
        Value::Null(_) => (None, None),
        Value::Map(map) => (Some(map).filter(|_| map.flow), map.get(key)),
        Value::Bool(..) | Value::Number(..) | Value::String(_) | Value::List(_) => {
            return Err("the file holds no mapping");
        }
    };
    match (found, braces) {
        (None, Some(map)) => {
            let list = format!("{}: [{}]", plain_or_quoted(key), in_braces(fields));
            Ok(vec![within_brackets(bytes, map.span, map.last(), &list)])
        }
        (None, None) => {
            let section = [plain_or_quoted(key).as_bytes(), b":", end, &new()].concat();
            Ok(vec![own_line(bytes, bytes.len(), section)])
        }
        (Some(Value::List(list)), Some(_)) if list.flow => {
            let edit = within_brackets(bytes, list.span, list.items.last(), &in_braces(fields));
            Ok(vec![edit])
        }
        (Some(Value::List(list)), _) if list.flow => {
            let mut block = dashed(bytes, list, end)?;
            block.extend(new());
            unbracketed(bytes, root, key, list.span.end, block)
        }
        (Some(Value::List(list)), _) => Ok(vec![behind_last(bytes, list, fields)?]),
        (Some(Value::Null(scalar)), braces) => {
            let colon = behind_colon(bytes, root, &[key]).ok_or(NO_PLACE)?;
            let value_end = scalar.span.end.max(colon.end);
            if braces.is_some() {
                let list = format!(" [{}]", in_braces(fields));
                return Ok(vec![(Span::new(colon.end, value_end), list.into_bytes())]);
            }
            unbracketed(bytes, root, key, value_end, new())
        }
        (Some(Value::Bool(..) | Value::Number(..) | Value::String(_) | Value::Map(_)), _) => {
            Err("it is no list")
        }
    }
}

/// `{a: b, c: d}`.
fn in_braces(fields: &Fields<'_>) -> String {
    let inner: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{}: {}", plain_or_quoted(name), plain_or_quoted(value)))
        .collect();
    format!("{{{}}}", inner.join(", "))
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

fn behind_last(bytes: &[u8], list: &List, fields: &Fields<'_>) -> Planned<(Span, Bytes)> {
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
    let entry = block_entry(fields, dash, pad, line_end(bytes));
    Ok(own_line(bytes, place, entry))
}

/// The column of the dashes: of the one that the list begins with, or of the one before its first entry.
fn dash_column(bytes: &[u8], list: &List) -> Planned<usize> {
    let first = list.span.start;
    if bytes.get(first) == Some(&b'-')
        && bytes[first - column(bytes, first)..first]
            .iter()
            .all(|b| *b == b' ')
    {
        return Ok(column(bytes, first));
    }
    let item = list.items.first().ok_or(NO_PLACE)?;
    dash_before(bytes, item.span().start).map(|dash| column(bytes, dash))
}

/// The dash before an entry; between the two are blanks only, and before it in its line too.
fn dash_before(bytes: &[u8], item: usize) -> Planned<usize> {
    let blank = |b: &&u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
    let blanks = bytes[..item].iter().rev().take_while(blank).count();
    let dash = (item - blanks).checked_sub(1).ok_or(NO_PLACE)?;
    let start = dash - column(bytes, dash);
    let begins_line = bytes[start..dash].iter().all(|b| *b == b' ');
    (bytes[dash] == b'-' && begins_line)
        .then_some(dash)
        .ok_or(NO_PLACE)
}

/// Behind the comments from `from` on that are indented by `least` or more.
fn behind_comments(bytes: &[u8], from: usize, least: usize) -> usize {
    let rest = &bytes[from..];
    let mut behind = from;
    for line in lines(rest) {
        let text = line.span.of(rest);
        let indent = text.iter().take_while(|b| **b == b' ').count();
        if indent >= least && text.get(indent) == Some(&b'#') {
            behind = from + line.next;
        } else if !is_blank_line(text) {
            break;
        }
    }
    behind
}

fn removal(bytes: &[u8], root: &Value, key: &str, index: usize) -> Planned<Edits> {
    let Some(Value::List(list)) = root.get(key) else {
        return Err("it is no list");
    };
    let item = list.items.get(index).ok_or("it has no such entry")?.span();
    if list.flow {
        return Ok(vec![(from_brackets(bytes, list, index)?, Bytes::new())]);
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

/// An entry in brackets with its comma.
fn from_brackets(bytes: &[u8], list: &List, index: usize) -> Planned<Span> {
    let item = list.items[index].span();
    let blanks = |b: &&u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
    let behind = &bytes[item.end..list.span.end];
    let gap = behind.iter().take_while(blanks).count();
    if behind.get(gap) == Some(&b',') {
        let after = item.end + gap + 1;
        let inline = bytes[after..].iter().take_while(|b| matches!(b, b' ' | b'\t'));
        return Ok(Span::new(item.start, after + inline.count()));
    }
    if index > 0 {
        let previous = list.items[index - 1].span().end;
        let between = bytes.get(previous..item.start).ok_or(NO_PLACE)?;
        if between.iter().all(|b| blanks(&b) || *b == b',') {
            return Ok(Span::new(previous, item.end));
        }
    }
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: [(&str, &str); 2] = [("id", "b"), ("name", "yes: B")];

    fn text(edited: Result<Bytes, EditError>) -> String {
        String::from_utf8(edited.expect("it can be edited")).expect("UTF-8 stays UTF-8")
    }

    fn add(before: &str) -> String {
        text(add_entry(before.as_bytes(), "m", &NEW))
    }

    #[test]
    fn a_new_entry_is_indented_like_its_neighbours_and_stands_before_comments_of_a_smaller_indent() {
        assert_eq!(
            add("m:\r\n   -   id: a # x\r\n       # y\r\n\r\n# z\r\nn: 1"),
            "m:\r\n   -   id: a # x\r\n       # y\r\n   -   id: b\r\n       name: \"yes: B\"\r\n\r\n# z\r\nn: 1"
        );
        assert_eq!(
            add("m:\n- {id: a}\n# z\nn: 1\n"),
            "m:\n- {id: a}\n- id: b\n  name: \"yes: B\"\n# z\nn: 1\n"
        );
        assert_eq!(add("m:\n- id: a"), "m:\n- id: a\n- id: b\n  name: \"yes: B\"\n");
        assert_eq!(
            add("m:\n  -\n    id: a\n"),
            "m:\n  -\n    id: a\n  - id: b\n    name: \"yes: B\"\n"
        );
    }

    #[test]
    fn a_list_that_is_missing_or_in_brackets_becomes_one_with_dashes() {
        let new = "  - id: b\n    name: \"yes: B\"\n";
        assert_eq!(add(""), format!("m:\n{new}"));
        assert_eq!(add("# only"), format!("# only\nm:\n{new}"));
        assert_eq!(add("a: 1\n# end\n"), format!("a: 1\n# end\nm:\n{new}"));
        assert_eq!(add("m: [] # none\nn: 1\n"), format!("m: # none\n{new}n: 1\n"));
        assert_eq!(
            add("m: [{id: a} ]   \nn: 1\n"),
            format!("m:   \n  - {{id: a}}\n{new}n: 1\n")
        );
        assert_eq!(add("m: ~ # none\nn: 1\n"), format!("m: # none\n{new}n: 1\n"));
        assert_eq!(add("m:\n# c\nn: 1\n"), format!("m:\n{new}# c\nn: 1\n"));
        assert_eq!(
            add("m: [ # all\n  {id: 'a'}, # first\n  x\n]\n"),
            format!("m:\n  # all\n  - {{id: 'a'}}\n  # first\n  - x\n{new}")
        );
    }

    #[test]
    fn in_a_file_written_in_braces_the_list_is_too() {
        let new = "[{id: b, name: \"yes: B\"}]";
        assert_eq!(add("{m: [a]}\n"), "{m: [a, {id: b, name: \"yes: B\"}]}\n");
        assert_eq!(add("{m: [a,]}\n"), "{m: [a,{id: b, name: \"yes: B\"}]}\n");
        assert_eq!(add("{}\n"), format!("{{m: {new}}}\n"));
        assert_eq!(add("{a: 1}"), format!("{{a: 1, m: {new}}}"));
        assert_eq!(
            add("{\n  a: 1, # one\n}\n"),
            format!("{{\n  a: 1, # one\nm: {new}}}\n")
        );
        assert_eq!(add("{m: ~, a: 1}\n"), format!("{{m: {new}, a: 1}}\n"));
        assert_eq!(add("{m: , a: 1}\n"), format!("{{m: {new} , a: 1}}\n"));
    }

    #[test]
    fn an_entry_goes_with_its_comments_and_the_last_one_leaves_an_empty_list() {
        let remove = |before: &str, index| text(remove_entry(before.as_bytes(), "m", index));
        let list = "m: # m\n  # of a\n  - id: a\n    # in a\n  # of b\n  - id: b # b\n\n# z\n";
        assert_eq!(
            remove(list, 0),
            "m: # m\n  # of a\n  # of b\n  - id: b # b\n\n# z\n"
        );
        assert_eq!(
            remove(list, 1),
            "m: # m\n  # of a\n  - id: a\n    # in a\n  # of b\n\n# z\n"
        );
        assert_eq!(remove("m: # m\n- a\nn: 1\n", 0), "m: [] # m\nn: 1\n");
        assert_eq!(remove("m: [a, b, c]\n", 1), "m: [a, c]\n");
        assert_eq!(remove("m: [a, b]\n", 1), "m: [a]\n");
        assert_eq!(remove("m: [a,\n b, # c\n]\n", 1), "m: [a,\n # c\n]\n");
        assert_eq!(remove("m: [a]\n", 0), "m: []\n");
    }

    #[test]
    fn a_key_keeps_its_quoting_and_never_takes_the_place_of_another() {
        let rename = |before: &str| rename_key(before.as_bytes(), "g", "a", "true");
        assert_eq!(text(rename("g:\n  'a': 1 # x\n")), "g:\n  'true': 1 # x\n");
        assert_eq!(text(rename("g: {a: 1}\n")), "g: {\"true\": 1}\n");
        assert_eq!(text(rename("g: [a]\n")), "g: [a]\n");
        assert!(rename("g: {a: 1, 'true': 2}\n").is_err());
    }

    #[test]
    fn what_cannot_be_done_safely_is_refused() {
        for bad in [
            "m: x\n",
            "m: {a: 1}\n",
            "- a\n",
            "m: [\n",
            "a: 1\n...\n",
            "x: &x a\nm: [*x]\n",
        ] {
            assert!(add_entry(bad.as_bytes(), "m", &NEW).is_err(), "{bad}");
        }
        for bad in ["m:\n- &x a\n- *x\n", "x: &x a\nm:\n- *x\n- b\n"] {
            assert!(remove_entry(bad.as_bytes(), "m", 0).is_err(), "{bad}");
        }
    }
}
