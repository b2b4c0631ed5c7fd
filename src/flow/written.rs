//! A mapping as it is written: keys in order by their text, values with their places. What the flow does not know is kept.

use std::collections::HashMap;

use crate::text::Span;
use crate::yaml::{self, Scalar, Value};

/// Keys are distinct. Of two keys that differ in type alone, as `1` and `"1"`, the later one counts.
#[derive(Clone, Debug, Default)]
pub struct Written {
    entries: Vec<(String, Value)>,
    at: HashMap<String, usize>,
}

impl Written {
    pub(super) fn of(map: yaml::Map) -> Self {
        let mut written = Self::default();
        for (key, value) in map.entries {
            written.put(key.key_text(), value);
        }
        written
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.at.get(key).map(|at| &self.entries[*at].1)
    }

    /// The value of a key that is written and not null.
    pub fn present(&self, key: &str) -> Option<&Value> {
        self.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    /// Takes the place of the value there was, else stands last.
    pub(super) fn put(&mut self, key: String, value: Value) {
        if let Some(at) = self.at.get(&key) {
            self.entries[*at].1 = value;
        } else {
            self.at.insert(key.clone(), self.entries.len());
            self.entries.push((key, value));
        }
    }

    /// Takes a value out; the key is as good as never written.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        let at = self.at.remove(key)?;
        let (_, value) = self.entries.remove(at);
        for place in self.at.values_mut().filter(|place| **place > at) {
            *place -= 1;
        }
        Some(value)
    }

    /// Puts all keys of `over`.
    pub(super) fn lay_over(&mut self, over: yaml::Map) {
        for (key, value) in over.entries {
            self.put(key.key_text(), value);
        }
    }

    /// The mapping again; its keys have no place any more.
    pub(super) fn into_map(self, span: Span) -> yaml::Map {
        let key = |text| {
            Value::String(Scalar {
                text,
                ..Scalar::default()
            })
        };
        let entries = self.entries.into_iter();
        yaml::Map {
            entries: entries.map(|(text, value)| (key(text), value)).collect(),
            span,
            flow: false,
        }
    }

    /// Lays the keys of `over` over the mapping that stands under `key`, which is made where there is none.
    pub(super) fn lay_over_below(&mut self, key: &str, over: yaml::Map) {
        let span = over.span;
        let mut below = match self.take_value(key) {
            Some(Value::Map(map)) => Self::of(map),
            Some(_) | None => Self::default(),
        };
        below.lay_over(over);
        self.put(key.to_owned(), Value::Map(below.into_map(span)));
    }

    /// Takes a value and leaves null in its place.
    pub(super) fn take_value(&mut self, key: &str) -> Option<Value> {
        let value = &mut self.entries[*self.at.get(key)?].1;
        Some(std::mem::replace(value, Value::Null(Scalar::default())))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value))
    }
}
