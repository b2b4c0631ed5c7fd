//! The event file of the GitHub family: one JSON object, each key once (git.md 4.2, 10.2). All of it is read, but only
//! what may be asked for is kept: it is long, and others have a say in it.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::error::{Error, EventFault, Expected};
use super::job::{BranchName, HEADS, Origin, id};
use crate::files::ObjectId;

/// What is asked for lies at most this many keys deep.
const DEPTH: usize = 3;
/// The keys of the top that something is asked for at or below.
const ROOTS: [&str; 8] = [
    "after",
    "before",
    "deleted",
    "forced",
    "merge_group",
    "pull_request",
    "ref_type",
    "repository",
];

/// A JSON value, as far as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Null,
    Truth(bool),
    Text(String),
    Object(Vec<(String, Self)>),
    /// Numbers and lists, and what lies too deep.
    Other,
}

/// The event that a job runs for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event(Value);

impl Event {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, EventFault> {
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let fault = |e: serde_json::Error| EventFault::NotJson(e.to_string());
        let value = Keep { depth: 0 }.deserialize(&mut reader).map_err(fault)?;
        reader.end().map_err(fault)?;
        match value {
            Value::Object(_) => Ok(Self(value)),
            Value::Null | Value::Truth(_) | Value::Text(_) | Value::Other => Err(EventFault::NotAnObject),
        }
    }

    /// The value under keys joined by dots; `null` is not there.
    fn get(&self, key: &'static str) -> Result<Option<&Value>, Error> {
        debug_assert!(
            ROOTS.iter().any(|root| key.split('.').next() == Some(root)),
            "{key}"
        );
        let mut at = &self.0;
        for part in key.split('.') {
            at = match at {
                Value::Object(entries) => match entries.iter().find(|(name, _)| name == part) {
                    Some((_, value)) => value,
                    None => return Ok(None),
                },
                Value::Null => return Ok(None),
                Value::Truth(_) | Value::Text(_) | Value::Other => {
                    return Err(unfit(key, Expected::Object));
                }
            };
        }
        Ok(Some(at).filter(|value| **value != Value::Null))
    }

    pub(super) fn text(&self, key: &'static str) -> Result<Option<&str>, Error> {
        match self.get(key)? {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null | Value::Truth(_) | Value::Object(_) | Value::Other) => {
                Err(unfit(key, Expected::Text))
            }
        }
    }

    /// Whether it says yes; it need not say anything.
    pub(super) fn says(&self, key: &'static str) -> Result<bool, Error> {
        match self.get(key)? {
            None => Ok(false),
            Some(Value::Truth(truth)) => Ok(*truth),
            Some(Value::Null | Value::Text(_) | Value::Object(_) | Value::Other) => {
                Err(unfit(key, Expected::Truth))
            }
        }
    }

    pub(super) fn id(&self, key: &'static str) -> Result<Option<ObjectId>, Error> {
        let text = self.text(key)?;
        text.map(|text| id(text.as_bytes(), Origin::Event(key)))
            .transpose()
    }

    pub(super) fn branch(&self, key: &'static str) -> Result<Option<BranchName>, Error> {
        let text = self.text(key)?;
        text.map(|text| BranchName::new(text.as_bytes(), Origin::Event(key)))
            .transpose()
    }

    /// A branch that is given with its folder.
    pub(super) fn branch_or_reference(&self, key: &'static str) -> Result<Option<BranchName>, Error> {
        let text = self.text(key)?.map(str::as_bytes);
        let short = text.map(|text| text.strip_prefix(HEADS).unwrap_or(text));
        short
            .map(|name| BranchName::new(name, Origin::Event(key)))
            .transpose()
    }
}

fn unfit(key: &'static str, expected: Expected) -> Error {
    Error::Unfit {
        from: Origin::Event(key),
        expected,
    }
}

/// What an event must give.
pub(super) fn needed<T>(value: Option<T>, key: &'static str) -> Result<T, Error> {
    value.ok_or(Error::NotSet {
        from: Origin::Event(key),
    })
}

/// Reads a value, so many keys below the top.
#[derive(Clone, Copy)]
struct Keep {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Keep {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keep {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Truth(truth))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(if self.depth > DEPTH {
            Value::Other
        } else {
            Value::Text(text.to_owned())
        })
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        while list.next_element_seed(Self { depth: DEPTH + 1 })?.is_some() {}
        Ok(Value::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut seen = HashSet::new();
        let mut kept = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom(format!(
                    "the key `{key}` stands twice in one object"
                )));
            }
            let is_kept = self.depth < DEPTH && (self.depth > 0 || ROOTS.contains(&&*key));
            let depth = if is_kept { self.depth + 1 } else { DEPTH + 1 };
            let value = map.next_value_seed(Self { depth })?;
            if is_kept {
                kept.push((key.clone(), value));
            }
            seen.insert(key);
        }
        Ok(if self.depth < DEPTH {
            Value::Object(kept)
        } else {
            Value::Other
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_found_by_their_keys() {
        let text = r#"{
            "before": "00", "forced": true, "after": null, "ref_type": [1, {"x": 2}], "commits": {"a": {"b": "c"}},
            "pull_request": {"head": {"sha": "deep", "repo": {"id": 1}}, "base": null}
        }"#;
        let event = Event::parse(text.as_bytes()).expect("an object");
        assert_eq!(event.text("before").ok(), Some(Some("00")));
        assert_eq!(event.text("pull_request.head.sha").ok(), Some(Some("deep")));
        for absent in [
            "after",
            "after.x",
            "deleted",
            "pull_request.x",
            "pull_request.base.ref",
        ] {
            assert_eq!(event.text(absent).ok(), Some(None), "{absent}");
        }
        assert_eq!(event.says("forced").ok(), Some(true));
        assert_eq!(event.says("after").ok(), Some(false));
        for unfit in [
            "forced",
            "ref_type",
            "ref_type.x",
            "before.x",
            "pull_request.head",
        ] {
            assert!(event.text(unfit).is_err(), "{unfit}");
        }
        assert!(event.says("before").is_err());
    }

    #[test]
    fn what_is_not_one_object_with_each_key_once_is_no_event() {
        for no in [
            "",
            "{",
            "null",
            "[]",
            "1",
            "\"x\"",
            "{} {}",
            "{}x",
            "\u{feff}{}",
            "{\"a\": 1, \"a\": 1}",
            "{\"a\": 1, \"\\u0061\": 1}",
            "{\"x\": [{\"y\": {\"z\": {\"a\": 1, \"a\": 2}}}]}",
            "{\"a\": 01}",
            "{'a': 1}",
        ] {
            assert!(Event::parse(no.as_bytes()).is_err(), "{no:?}");
        }
        assert!(Event::parse(b"{\"a\": \"\xff\"}").is_err());
        assert!(Event::parse(b" {\n} \n").is_ok());
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_the_reader_of_json_reads_it(text in "([{}:, \\[\\]1a\"]|null|true|\"[ab]\"){0,12}") {
            let is_object = serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|value| value.is_object());
            let is_event = Event::parse(text.as_bytes()).is_ok();
            prop_assert!(is_object || !is_event, "{text}");
            let keys = text.matches(':').count();
            prop_assert!(!is_object || is_event || keys > 1, "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        for deep in ["[".repeat(100_000), "{\"a\":".repeat(100_000)] {
            assert!(Event::parse(deep.as_bytes()).is_err());
            assert!(Event::parse(format!("{{\"x\":{deep}").as_bytes()).is_err());
        }
    }
}
