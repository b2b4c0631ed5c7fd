//! A value as JSON: what a file of a stranger says is carried into our output (flow.md 3, "Unknown keys").

use std::collections::HashMap;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Map, Value};

/// A value that is written as JSON. What JSON has no number for is null; keys are texts, of equal ones the last counts.
#[derive(Clone, Copy, Debug)]
pub struct Json<'v>(pub &'v Value);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null(_) => to.serialize_unit(),
            Value::Bool(value, _) => to.serialize_bool(*value),
            Value::Number(value, _) => number(*value).serialize(to),
            Value::String(scalar) => to.serialize_str(&scalar.text),
            Value::List(list) => to.collect_seq(list.items.iter().map(Json)),
            Value::Map(map) => entries(map, to),
        }
    }
}

fn entries<S: Serializer>(map: &Map, to: S) -> Result<S::Ok, S::Error> {
    let keys: Vec<String> = map.entries.iter().map(|(key, _)| key.key_text()).collect();
    let last: HashMap<&str, usize> = keys
        .iter()
        .enumerate()
        .map(|(at, key)| (key.as_str(), at))
        .collect();
    let mut out = to.serialize_map(Some(last.len()))?;
    for (at, (key, (_, value))) in keys.iter().zip(&map.entries).enumerate() {
        if last.get(key.as_str()) == Some(&at) {
            out.serialize_entry(key, &Json(value))?;
        }
    }
    out.end()
}

/// The number as JSON: a whole one without a fraction, as far as its digits are those that tell it apart.
fn number(value: f64) -> serde_json::Value {
    let text = value.to_string();
    if let Ok(whole) = text.parse::<i64>() {
        whole.into()
    } else if let Ok(whole) = text.parse::<u64>() {
        whole.into()
    } else {
        value.into()
    }
}

impl Value {
    /// The text that this value is as a key of JSON.
    pub fn key_text(&self) -> String {
        match self {
            Self::Null(_) => String::new(),
            Self::String(scalar) => scalar.text.clone(),
            Self::Bool(..) | Self::Number(..) | Self::List(_) | Self::Map(_) => {
                serde_json::to_string(&Json(self)).expect("keys of JSON are texts")
            }
        }
    }

    /// As [`Value::key_text`], of a value that is not needed any more.
    pub fn into_key_text(self) -> String {
        match self {
            Self::String(scalar) => scalar.text,
            Self::Null(_) | Self::Bool(..) | Self::Number(..) | Self::List(_) | Self::Map(_) => {
                self.key_text()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn json(yaml: &str) -> String {
        serde_json::to_string(&Json(&parse(yaml.as_bytes()).expect(yaml))).expect("it is JSON")
    }

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        assert_eq!(
            json("[1, 1.0, 1e3, 0x10, -0, -3, 0.5, 12345678901234567890, .inf, .nan]"),
            "[1,1,1000,16,0,-3,0.5,12345678901234567000,null,null]"
        );
    }

    #[test]
    fn keys_are_texts_and_the_last_of_equal_ones_counts() {
        assert_eq!(
            json("{1: a, ~: b, true: c, [x]: d, '1': e}"),
            r#"{"":"b","true":"c","[\"x\"]":"d","1":"e"}"#
        );
    }
}
