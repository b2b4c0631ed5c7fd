//! A mapping as it is written: keys in order by their text, values with their places. What the flow does not know is kept.

use std::collections::HashMap;

use crate::text::Span;
use crate::yaml::{self, Scalar, Value};

/// Keys are distinct. Of two keys that differ in type alone, as `1` and `"1"`, the later one counts.
#[derive(Clone, Debug, Default)]
pub struct Written {
    entries: Vec<(String, Value)>,
    /// Where the keys are, once there are many.
    at: HashMap<String, usize>,
}

/// From how many keys on an index is kept: most mappings are small enough to look at every key.
const MANY: usize = 16;

impl Written {
    pub(super) fn of(map: yaml::Map) -> Self {
        let mut written = Self::default();
        written.lay_over(map);
        written
    }

    fn position(&self, key: &str) -> Option<usize> {
        if self.entries.len() < MANY {
            self.entries.iter().position(|(known, _)| known == key)
        } else {
            self.at.get(key).copied()
        }
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.position(key).map(|at| &self.entries[at].1)
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
        if let Some(at) = self.position(&key) {
            self.entries[at].1 = value;
            return;
        }
        self.entries.push((key, value));
        let last = self.entries.len() - 1;
        if last >= MANY {
            self.at.insert(self.entries[last].0.clone(), last);
        } else if last + 1 == MANY {
            self.index();
        }
    }

    fn index(&mut self) {
        let places = self.entries.iter().enumerate();
        self.at = places.map(|(at, (key, _))| (key.clone(), at)).collect();
    }

    /// Takes a value out; the key is as good as never written.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        let at = self.position(key)?;
        let (_, value) = self.entries.remove(at);
        if self.entries.len() >= MANY {
            self.index();
        }
        Some(value)
    }

    /// Puts all keys of `over`.
    pub(super) fn lay_over(&mut self, over: yaml::Map) {
        for (key, value) in over.entries {
            self.put(key.into_key_text(), value);
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
        let mut below = self.open(key);
        below.lay_over(over);
        self.close(key, below);
    }

    /// Lends the mapping that stands under `key`; an empty one if there is none. Null holds its place.
    pub(super) fn open(&mut self, key: &str) -> Self {
        let Some(at) = self.position(key) else {
            self.put(key.to_owned(), Value::Null(Scalar::default()));
            return Self::default();
        };
        match std::mem::replace(&mut self.entries[at].1, Value::Null(Scalar::default())) {
            Value::Map(map) => Self::of(map),
            Value::Null(_) | Value::Bool(..) | Value::Number(..) | Value::String(_) | Value::List(_) => {
                Self::default()
            }
        }
    }

    /// Puts back what [`Written::open`] lent.
    pub(super) fn close(&mut self, key: &str, below: Self) {
        self.put(key.to_owned(), Value::Map(below.into_map(Span::default())));
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value))
    }
}
