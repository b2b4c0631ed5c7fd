//! Access to a JSON document by dotted paths. Keys keep their order; what is not understood stays.

use serde_json::{Map, Value};

/// The value at a dotted path; none if a part of it is missing.
pub fn get<'v>(document: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(document, |value, key| value.get(key))
}

/// An integer as loop.md 2 means it: no boolean, no fraction.
pub fn integer(value: &Value) -> Option<i128> {
    let number = value.as_number()?;
    if let Some(small) = number.as_i64() {
        return Some(small.into());
    }
    if let Some(large) = number.as_u64() {
        return Some(large.into());
    }
    // Integers beyond 64 bits are held as floating point numbers: those of this size have no fraction.
    let huge = number.as_f64().filter(|n| n.abs() >= 9.2e18)?;
    #[allow(clippy::cast_possible_truncation, reason = "a cast saturates")]
    Some(huge as i128)
}

/// The integer at a path.
pub fn number(document: &Value, path: &str) -> Option<i128> {
    integer(get(document, path)?)
}

/// The text at a path.
pub fn text<'v>(document: &'v Value, path: &str) -> Option<&'v str> {
    get(document, path)?.as_str()
}

/// The boolean at a path.
pub fn flag(document: &Value, path: &str) -> Option<bool> {
    get(document, path)?.as_bool()
}

/// The list at a path.
pub fn list<'v>(document: &'v Value, path: &str) -> Option<&'v Vec<Value>> {
    get(document, path)?.as_array()
}

/// Sets the value at a path; what is no object on the way becomes one.
pub fn set(document: &mut Value, path: &str, new: impl Into<Value>) {
    let mut at = document;
    for key in path.split('.') {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        let Value::Object(map) = at else { return };
        at = map.entry(key).or_insert(Value::Null);
    }
    *at = new.into();
}

/// Appends to the list at a path; what is no list becomes one.
pub fn push(document: &mut Value, path: &str, new: Value) {
    let mut list = list(document, path).cloned().unwrap_or_default();
    list.push(new);
    set(document, path, list);
}

/// An object of texts, in this order.
pub fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(
        fields
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

/// An integer as a JSON value.
pub fn value_of(number: i128) -> Value {
    i64::try_from(number).map_or_else(
        |_| Value::from(u64::try_from(number).unwrap_or(u64::MAX)),
        Value::from,
    )
}

/// The bytes of a document: two blanks a level, a line end at its end (loop.md 1).
pub fn bytes(document: &Value) -> Vec<u8> {
    let mut text = format!("{document:#}");
    text.push('\n');
    text.into_bytes()
}

/// Whether a key is documentation (loop.md 1).
pub fn is_comment(key: &str) -> bool {
    key.starts_with("_comment") || key.ends_with("_comment") || key == "_note"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn integers_are_no_booleans_and_no_fractions() {
        for (text, expected) in [
            ("3", Some(3)),
            ("-1", Some(-1)),
            ("18446744073709551615", Some(18_446_744_073_709_551_615)),
            ("100000000000000000000", Some(100_000_000_000_000_000_000)),
            ("true", None),
            ("1.5", None),
            ("2.0", None),
            ("\"2\"", None),
        ] {
            assert_eq!(integer(&of(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_document_is_changed_in_place() {
        let mut document = of(r#"{"b": {"x": 1, "y": 2}, "a": [1]}"#);
        set(&mut document, "b.x", 3);
        set(&mut document, "c.d", "e");
        push(&mut document, "a", Value::from(2));
        assert_eq!(
            document.to_string(),
            r#"{"b":{"x":3,"y":2},"a":[1,2],"c":{"d":"e"}}"#
        );
        assert_eq!(bytes(&of("{\"a\":1}")), b"{\n  \"a\": 1\n}\n");
    }
}
