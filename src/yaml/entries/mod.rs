//! Entries of a top-level list or mapping added, removed or renamed in place, all other bytes kept (logos-project.md
//! 4.4): as in [`super::edit`], the result is read again and refused if it means anything but what was asked for.

mod add;
mod place;
mod remove;

use super::edit::{EditError, checked, refused, written};
use super::{List, Value, parse};
use crate::text::{Bytes, Span, splice};

/// The value of a field of a new entry.
#[derive(Clone, Copy, Debug)]
pub enum Field<'a> {
    Text(&'a str),
    Null,
    Map(&'a Fields<'a>),
}

/// Fields of a new entry, in order.
pub type Fields<'a> = [(&'a str, Field<'a>)];

type Edits = Vec<(Span, Bytes)>;
type Planned<T> = Result<T, &'static str>;

/// Adds a mapping of texts behind the last entry of the list at `key`. A list that is missing comes to the end of the
/// file; one in brackets becomes one with dashes.
///
/// # Errors
/// If the file does not parse, or holds something else at `key`, or would then mean anything else.
pub fn add_entry(bytes: &[u8], key: &str, fields: &[(&str, &str)]) -> Result<Bytes, EditError> {
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, text)| (*name, Field::Text(text)))
        .collect();
    add_entries(bytes, key, &[&fields])
}

/// As [`add_entry`], for several mappings of any depth.
///
/// # Errors
/// As [`add_entry`].
pub fn add_entries(bytes: &[u8], key: &str, entries: &[&Fields<'_>]) -> Result<Bytes, EditError> {
    let root = parse(bytes)?;
    let edits = add::addition(bytes, &root, key, entries).map_err(|reason| refused(key, reason))?;
    let Value::List(list) = parse(&add::block(entries, 0, 1, b"\n"))? else {
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
    let edits = remove::removal(bytes, &root, key, index).map_err(|reason| refused(key, reason))?;
    let meant = with_list(&root, key, |items| drop(items.remove(index)));
    checked(splice(bytes, &edits), &meant, key)
}

/// Takes a key with its value out of the mapping at `path` (keys of mappings; in a list the index, from 0).
///
/// # Errors
/// As [`add_entry`]; also if there is no such mapping, or nothing would be left of it.
pub fn remove_key(bytes: &[u8], path: &[&str], key: &str) -> Result<Bytes, EditError> {
    let mut meant = parse(bytes)?;
    let Some(Value::Map(map)) = path.iter().try_fold(&mut meant, |at, step| inside(at, step)) else {
        return Err(refused(&path.join("."), "it is no mapping"));
    };
    let edits = remove::key_removal(bytes, map, key).map_err(|reason| refused(key, reason))?;
    map.entries
        .retain(|(k, _)| k.scalar().is_none_or(|s| s.text != key));
    checked(splice(bytes, &edits), &meant, key)
}

fn inside<'v>(value: &'v mut Value, step: &str) -> Option<&'v mut Value> {
    match value {
        Value::List(list) => list.items.get_mut(step.parse::<usize>().ok()?),
        Value::Map(_) => value_mut(value, step),
        Value::Null(_) | Value::Bool(..) | Value::Number(..) | Value::String(_) => None,
    }
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
    fn entries_of_any_depth_are_added_in_one_go() {
        let inner = [("id", Field::Text("x")), ("none", Field::Null)];
        let first = [("op", Field::Text("add")), ("node", Field::Map(&inner))];
        let second = [("op", Field::Text("skip"))];
        let add = |text: &str| self::text(add_entries(text.as_bytes(), "m", &[&first, &second]));
        let new = "  - op: add\n    node:\n      id: x\n      none: null\n  - op: skip\n";
        assert_eq!(add("m: []\n"), format!("m:\n{new}"));
        assert_eq!(add("m:\n  - a\nn: 1\n"), format!("m:\n  - a\n{new}n: 1\n"));
        assert_eq!(
            add("{m: [a]}\n"),
            "{m: [a, {op: add, node: {id: x, none: null}}, {op: skip}]}\n"
        );
    }

    #[test]
    fn a_key_goes_with_its_line_or_its_comma() {
        let remove = |before: &str| text(remove_key(before.as_bytes(), &["m", "0"], "k"));
        assert_eq!(
            remove("m:\n- id: a\n  k: true # x\n  # y\n  n: 1\n"),
            "m:\n- id: a\n  # y\n  n: 1\n"
        );
        assert_eq!(remove("m:\n  - k: true\n    id: a\n"), "m:\n  - id: a\n");
        assert_eq!(remove("m:\n- id: a\n  k: true"), "m:\n- id: a\n");
        assert_eq!(remove("m:\n- k:\n  id: a\n"), "m:\n- id: a\n");
        assert_eq!(remove("m: [{id: a, k: true}]\n"), "m: [{id: a}]\n");
        assert_eq!(remove("m:\n- {k: true, id: a} # x\n"), "m:\n- {id: a} # x\n");
        for bad in ["m:\n- k: true\n", "m: [a]\n", "m: [{id: a}]\n"] {
            assert!(remove_key(bad.as_bytes(), &["m", "0"], "k").is_err(), "{bad}");
        }
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
