//! One scalar changed in place, all other bytes kept (logos-project.md 4.4): splice, parse again, compare with what was
//! meant, refuse if it is anything else.

use super::scalar::reads_as_string;
use super::{Error, Scalar, Style, Value, parse};
use crate::say;
use crate::text::{Bytes, Span, escape, line_end, splice};
use crate::voice::{Say, Voice};

/// The edit was not made.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the file is no valid YAML: {0}")]
    Unparsable(#[from] Error),
    #[error("`{path}` cannot be set: {reason}; edit it by hand")]
    Refused { path: String, reason: &'static str },
}

impl Say for EditError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Unparsable(error) => {
                let error = error.say(voice);
                say!(
                    voice,
                    "the file is no valid YAML: {error}",
                    "文件不是有效的 YAML：{error}"
                )
            }
            Self::Refused { path, reason } => {
                say!(
                    voice,
                    "`{path}` cannot be set: {reason}; edit it by hand",
                    "无法设置 `{path}`：{reason}；请手工修改"
                )
            }
        }
    }
}

/// Sets the scalar at `path` (keys of mappings; in a list the index, from 0) to `new`, in the quoting it has. A string
/// stays a string: it is quoted where `new` written plain would read as something else. A missing last key is added
/// behind the other keys of its mapping, a missing top-level mapping at the end of the file.
///
/// # Errors
/// If the file does not parse, or the edit would change anything but that value.
pub fn set_scalar(bytes: &[u8], path: &[&str], new: &str) -> Result<Bytes, EditError> {
    set_scalars(bytes, &[path], new)
}

/// As [`set_scalar`], for one value in several places: the file is read once before and once after.
///
/// # Errors
/// As [`set_scalar`]; also if two of the places are the same.
pub fn set_scalars(bytes: &[u8], paths: &[&[&str]], new: &str) -> Result<Bytes, EditError> {
    let old = parse(bytes)?;
    let mut meant = old.clone();
    let mut edits = Vec::with_capacity(paths.len());
    for path in paths {
        let (edit, value) =
            plan(bytes, &old, path, new).map_err(|reason| refused(&path.join("."), reason))?;
        place(&mut meant, path, value);
        edits.push(edit);
    }
    edits.sort_by_key(|(span, _)| span.start);
    let first = paths.first().map_or(String::new(), |path| path.join("."));
    if edits.windows(2).any(|pair| pair[1].0.start < pair[0].0.end) {
        return Err(refused(&first, "two of its places are the same"));
    }
    checked(splice(bytes, &edits), &meant, &first)
}

pub(super) fn refused(path: &str, reason: &'static str) -> EditError {
    EditError::Refused {
        path: escape(path).into_owned(),
        reason,
    }
}

/// The edited file, if it means what it is to mean.
pub(super) fn checked(edited: Bytes, meant: &Value, path: &str) -> Result<Bytes, EditError> {
    match parse(&edited) {
        Ok(now) if now.same(meant) => Ok(edited),
        Ok(_) | Err(_) => Err(refused(path, "the result would not read as it was meant")),
    }
}

type Edit = (Span, Bytes);

/// The splice, and the value that is to stand at the path after it.
fn plan(bytes: &[u8], root: &Value, path: &[&str], new: &str) -> Result<(Edit, Value), &'static str> {
    let mut at = root;
    for (depth, key) in path.iter().enumerate() {
        match step(at, key) {
            Some(next) => at = next,
            None => return add(bytes, root, at, path, depth, new),
        }
    }
    let (text, value) = match at {
        Value::List(_) | Value::Map(_) => return Err("it is no single value"),
        Value::Null(scalar) | Value::Bool(_, scalar) | Value::Number(_, scalar) => {
            written(new, scalar, false)?
        }
        Value::String(scalar) => written(new, scalar, true)?,
    };
    let edit = if at.span().is_empty() {
        let place = behind_colon(bytes, root, path).ok_or("its place in the file is not found")?;
        (place, [b" ", text.as_bytes()].concat())
    } else {
        (at.span(), text.into_bytes())
    };
    Ok((edit, value))
}

fn step<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    match value {
        Value::Map(map) => map.get(key),
        Value::List(list) => list.items.get(key.parse::<usize>().ok()?),
        Value::Null(_) | Value::Bool(..) | Value::Number(..) | Value::String(_) => None,
    }
}

/// How `new` is written where `old` stood, and the value it reads as.
pub(super) fn written(new: &str, old: &Scalar, string: bool) -> Result<(String, Value), &'static str> {
    let style = match old.style {
        Style::Block => return Err("it is a block of text"),
        Style::Plain if string && !(is_plain(new) && reads_as_string(new)) => Style::Double,
        Style::Plain if !string && !is_plain(new) => Style::Double,
        Style::Single if new.contains(char::is_control) => Style::Double,
        Style::Plain => Style::Plain,
        Style::Single => Style::Single,
        Style::Double => Style::Double,
    };
    let text = quoted(new, style);
    let value = parse(text.as_bytes()).map_err(|_| "the new value cannot be written")?;
    Ok((text, value))
}

fn quoted(new: &str, style: Style) -> String {
    match style {
        Style::Plain | Style::Block => new.to_owned(),
        Style::Single => format!("'{}'", new.replace('\'', "''")),
        Style::Double => double_quoted(new),
    }
}

/// Text in double quotes, with escapes that every reader of YAML and JSON knows.
pub fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in serde_json::to_string(text).expect("text is always JSON").chars() {
        // JSON lets these stand; YAML wants them escaped.
        if matches!(
            c,
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        ) {
            let digits = format!("{:04x}", u32::from(c));
            out.extend(["\\u", &digits]);
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a text may stand without quotes anywhere: more careful than YAML is.
fn is_plain(text: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || " ./_+-@()~".contains(c);
    text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '/' | '+' | '-' | '~'))
        && !text.starts_with("- ")
        && !text.starts_with("--")
        && !text.ends_with(' ')
        && text != "-"
        && text.chars().all(inner)
}

/// A scalar as new entries are written: plain if it may, else in double quotes.
pub fn plain_or_quoted(text: &str) -> String {
    let plain = is_plain(text) && reads_as_string(text);
    quoted(text, if plain { Style::Plain } else { Style::Double })
}

/// Behind the colon of the last key of `path`, whose value is not written.
pub(super) fn behind_colon(bytes: &[u8], root: &Value, path: &[&str]) -> Option<Span> {
    let (last, above) = path.split_last()?;
    let map = above.iter().try_fold(root, |at, key| step(at, key))?.as_map()?;
    let end = map.entry(last)?.0.span().end;
    let colon = bytes[end..].iter().position(|b| !matches!(b, b' ' | b'\t'))?;
    (bytes[end + colon] == b':').then(|| Span::new(end + colon + 1, end + colon + 1))
}

/// Adds what is missing from `depth` on below `at`.
fn add(
    bytes: &[u8],
    root: &Value,
    at: &Value,
    path: &[&str],
    depth: usize,
    new: &str,
) -> Result<(Edit, Value), &'static str> {
    let end = line_end(bytes);
    let missing = &path[depth..];
    let (_, value) = written(new, &Scalar::default(), false)?;
    let edit = match at {
        Value::Map(map) if map.flow => within_brackets(bytes, map.span, map.last(), &in_braces(missing, new)),
        // The end of the file.
        Value::Map(_) | Value::Null(_) if depth == 0 => {
            own_line(bytes, bytes.len(), nested(missing, new, 0, end))
        }
        Value::Map(map) => {
            let indent = map
                .entries
                .first()
                .map_or(0, |(key, _)| column(bytes, key.span().start));
            let place = next_line(bytes, map.span.end);
            own_line(bytes, place, nested(missing, new, indent, end))
        }
        Value::Null(scalar) if scalar.span.is_empty() => {
            let place =
                behind_colon(bytes, root, &path[..depth]).ok_or("its place in the file is not found")?;
            let mut text = end.to_vec();
            text.extend(nested(missing, new, 2 * depth, end));
            text.truncate(text.len() - end.len());
            (place, text)
        }
        Value::Null(_) | Value::Bool(..) | Value::Number(..) | Value::String(_) | Value::List(_) => {
            return Err("there is no mapping to add it to");
        }
    };
    Ok((edit, value))
}

/// `a: {b: new}` and so on.
fn in_braces(keys: &[&str], new: &str) -> String {
    let inner = |value: String, key: &&str| format!("{{{}: {value}}}", plain_or_quoted(key));
    let entry = keys.iter().rev().fold(in_flow(new), inner);
    entry[1..entry.len() - 1].to_owned()
}

/// One more entry before the closing bracket of a list or mapping, behind the last one if there is one.
pub(super) fn within_brackets(bytes: &[u8], span: Span, last: Option<&Value>, entry: &str) -> Edit {
    let close = span.end - 1;
    let behind = last.map(|last| &bytes[last.span().end.min(close)..close]);
    let comma = match behind {
        None => "",
        Some(behind) if behind.trim_ascii_start().starts_with(b",") => "",
        Some(_) => ", ",
    };
    (Span::new(close, close), format!("{comma}{entry}").into_bytes())
}

/// Text that begins a line of its own at `place`.
pub(super) fn own_line(bytes: &[u8], place: usize, text: Bytes) -> Edit {
    let mut whole = Bytes::new();
    if bytes[..place].last().is_some_and(|b| *b != b'\n') {
        whole.extend_from_slice(line_end(bytes));
    }
    whole.extend(text);
    (Span::new(place, place), whole)
}

/// The start of the line behind `from`, unless a line starts there: a block of text may end behind its line end.
pub(super) fn next_line(bytes: &[u8], from: usize) -> usize {
    if from > 0 && bytes[from - 1] == b'\n' {
        return from;
    }
    let ahead = bytes[from..].iter().position(|b| *b == b'\n');
    ahead.map_or(bytes.len(), |n| from + n + 1)
}

/// `a:` line over `b: new` line and so on, each level two blanks deeper.
fn nested(keys: &[&str], new: &str, indent: usize, end: &[u8]) -> Bytes {
    let mut out = Bytes::new();
    for (level, key) in keys.iter().enumerate() {
        out.extend(std::iter::repeat_n(b' ', indent + 2 * level));
        out.extend_from_slice(plain_or_quoted(key).as_bytes());
        out.push(b':');
        if level + 1 == keys.len() {
            out.push(b' ');
            out.extend_from_slice(in_flow(new).as_bytes());
        }
        out.extend_from_slice(end);
    }
    out
}

/// A new value: plain where that is safe, whatever it reads as.
fn in_flow(new: &str) -> String {
    quoted(
        new,
        if is_plain(new) {
            Style::Plain
        } else {
            Style::Double
        },
    )
}

/// Blanks before `at` in its line, a dash counting as one of them.
pub(super) fn column(bytes: &[u8], at: usize) -> usize {
    bytes[..at].iter().rev().take_while(|b| **b != b'\n').count()
}

/// Puts a value at `path`, behind the other keys of its mapping if it is not there yet.
fn place(at: &mut Value, path: &[&str], new: Value) {
    let Some((key, rest)) = path.split_first() else {
        *at = new;
        return;
    };
    if at.is_null() {
        *at = Value::empty_map();
    }
    match at {
        Value::Map(map) => {
            if let Some((_, inner)) = map.entry_mut(key) {
                place(inner, rest, new);
                return;
            }
            let mut inner = Value::Null(Scalar::default());
            place(&mut inner, rest, new);
            map.entries.push((Value::text(key), inner));
        }
        Value::List(list) => {
            if let Some(inner) = key.parse::<usize>().ok().and_then(|n| list.items.get_mut(n)) {
                place(inner, rest, new);
            }
        }
        Value::Null(_) | Value::Bool(..) | Value::Number(..) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, path: &[&str], new: &str) -> String {
        let edited = set_scalar(text.as_bytes(), path, new).expect(text);
        String::from_utf8(edited).expect("UTF-8 stays UTF-8")
    }

    #[test]
    fn everything_but_the_value_stays_byte_for_byte() {
        let text = "\u{feff}# 头\r\nproject: {name:  'Hafen' ,  n: 1}  # note\r\n\r\nlist:\r\n  - a:   7 # seven\r\n    名: 値";
        assert_eq!(set(text, &["list", "0", "a"], "8"), text.replace('7', "8"));
        assert_eq!(
            set(text, &["project", "name"], "it's"),
            text.replace("Hafen", "it''s")
        );
        assert_eq!(set(text, &["list", "0", "名"], "新"), text.replace('値', "新"));
    }

    #[test]
    fn a_string_stays_a_string_and_is_quoted_when_it_must_be() {
        assert_eq!(set("a: x # c\n", &["a"], "12"), "a: \"12\" # c\n");
        assert_eq!(set("a: x\n", &["a"], "b: c"), "a: \"b: c\"\n");
        assert_eq!(set("a: 1\n", &["a"], "12"), "a: 12\n");
        assert_eq!(set("a: true\n", &["a"], "false"), "a: false\n");
    }

    #[test]
    fn a_missing_counter_comes_to_the_end_of_the_file() {
        let path = ["decision_counter", "next_id"];
        assert_eq!(set("a: 1", &path, "4"), "a: 1\ndecision_counter:\n  next_id: 4\n");
        assert_eq!(
            set("a: 1\r\n# end\r\n", &path, "4"),
            "a: 1\r\n# end\r\ndecision_counter:\r\n  next_id: 4\r\n"
        );
        assert_eq!(set("", &path, "4"), "decision_counter:\n  next_id: 4\n");
        assert_eq!(
            set("decision_counter:\n# c\nb: 1\n", &path, "4"),
            "decision_counter:\n  next_id: 4\n# c\nb: 1\n"
        );
        assert_eq!(
            set("decision_counter: {}\n", &path, "4"),
            "decision_counter: {next_id: 4}\n"
        );
        assert_eq!(
            set("{a: 1}\n", &path, "4"),
            "{a: 1, decision_counter: {next_id: 4}}\n"
        );
        assert_eq!(set("{a: 1, }", &["b"], "4"), "{a: 1, b: 4}");
        assert_eq!(
            set("decision_counter: {a: b}\n", &path, "4"),
            "decision_counter: {a: b, next_id: 4}\n"
        );
        assert_eq!(
            set("decision_counter:\n    a: b # c\n# d\nb: 1\n", &path, "4"),
            "decision_counter:\n    a: b # c\n    next_id: 4\n# d\nb: 1\n"
        );
        assert_eq!(
            set("decision_counter:\n  next_id:   # none\nb: 1\n", &path, "4"),
            "decision_counter:\n  next_id: 4   # none\nb: 1\n"
        );
    }

    #[test]
    fn one_value_comes_to_several_places_at_once_but_not_twice_to_one() {
        let text = "l:\n- a: x\n  b: 1\n- b: 2\n- {b: 3}\n";
        let paths: [&[&str]; 3] = [&["l", "2", "a"], &["l", "0", "a"], &["l", "1", "a"]];
        let edited = set_scalars(text.as_bytes(), &paths, "y").expect("it can be edited");
        assert_eq!(edited, b"l:\n- a: y\n  b: 1\n- b: 2\n  a: y\n- {b: 3, a: y}\n");
        let aliased = b"x: &x {a: 1}\nl: [*x, *x]\n";
        assert!(set_scalars(aliased, &[&["l", "0", "a"], &["l", "1", "a"]], "2").is_err());
    }

    #[test]
    fn what_cannot_be_done_safely_is_refused() {
        for (text, path) in [
            ("a: &x 1\nb: *x\n", &["b"][..]),
            ("a: 1\n...\n", &["b"]),
            ("- a\n", &["b"]),
            ("a: |\n  text\n", &["a"]),
            ("a: [1]\n", &["a"]),
            ("a: 1\n", &["a", "b"]),
            ("a: \"open\n", &["a"]),
        ] {
            let refused = set_scalar(text.as_bytes(), path, "2");
            assert!(refused.is_err(), "{text} became {refused:?}");
        }
    }
}
