//! Two JSON values side by side: every place where they differ, with its path.

use serde_json::Value;

const LONG: usize = 200;

/// The differences between what is expected and what came; an object's key order does not count.
pub(crate) fn differences(expected: &Value, got: &Value) -> Vec<String> {
    let mut out = Vec::new();
    walk(expected, got, "", &mut out);
    out
}

fn walk(expected: &Value, got: &Value, path: &str, out: &mut Vec<String>) {
    match (expected, got) {
        (Value::Object(want), Value::Object(have)) => {
            for (key, value) in want {
                match have.get(key) {
                    Some(other) => walk(value, other, &format!("{path}.{key}"), out),
                    None => out.push(format!("{path}.{key}: missing (expected {})", short(value))),
                }
            }
            for (key, value) in have.iter().filter(|(key, _)| !want.contains_key(*key)) {
                out.push(format!("{path}.{key}: not expected (got {})", short(value)));
            }
        }
        (Value::Array(want), Value::Array(have)) if want.len() == have.len() => {
            for (i, (value, other)) in want.iter().zip(have).enumerate() {
                walk(value, other, &format!("{path}[{i}]"), out);
            }
        }
        (Value::Array(want), Value::Array(have)) => out.push(format!(
            "{path}: expected {} items {}, got {} {}",
            want.len(),
            short(expected),
            have.len(),
            short(got)
        )),
        _ if expected == got => {}
        _ => out.push(format!(
            "{path}: expected {}, got {}",
            short(expected),
            short(got)
        )),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(LONG).collect()
}

#[test]
fn every_difference_is_told_with_its_path() {
    let expected = serde_json::json!({"a": 1, "b": [1, {"c": "x"}], "d": [], "e": null, "f": 1});
    let got = serde_json::json!({"f": 1.0, "a": 1, "b": [true, {"c": "y", "g": 0}], "d": [1]});
    assert_eq!(
        differences(&expected, &got),
        [
            ".b[0]: expected 1, got true",
            ".b[1].c: expected \"x\", got \"y\"",
            ".b[1].g: not expected (got 0)",
            ".d: expected 0 items [], got 1 [1]",
            ".e: missing (expected null)",
            ".f: expected 1, got 1.0",
        ]
    );
}
