//! Fields of a record: what a line has besides them is read over and not kept.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// The values of these keys in a line that is a JSON object; none if it is not. Of a key given twice the last counts.
pub(super) fn of<const N: usize>(line: &[u8], keys: [&str; N]) -> Option<[Option<Value>; N]> {
    // Most lines that are no record are told apart by their first byte.
    if !line.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let mut json = serde_json::Deserializer::from_slice(line);
    let fields = json.deserialize_map(Fields(keys)).ok()?;
    json.end().is_ok().then_some(fields)
}

struct Fields<'k, const N: usize>([&'k str; N]);

impl<'de, const N: usize> Visitor<'de> for Fields<'_, N> {
    type Value = [Option<Value>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut found = [const { None }; N];
        while let Some(wanted) = map.next_key_seed(Key(&self.0))? {
            match wanted {
                Some(at) => found[at] = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// Which of the wanted keys a key is; no key is kept.
struct Key<'k>(&'k [&'k str]);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|wanted| *wanted == key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<[Option<Value>; 1]> {
        of(line.as_bytes(), ["a"])
    }

    #[test]
    fn only_a_whole_object_has_fields_and_the_last_of_a_key_counts() {
        assert_eq!(
            read(r#"{"b":[{}],"a":1,"\u0061":"x","a":2} "#),
            Some([Some(2.into())])
        );
        assert_eq!(read(r#"{"\u0061":null}"#), Some([Some(Value::Null)]));
        assert_eq!(read("{}"), Some([None]));
        for no in ["", "[]", "7", r#"{"a":1"#, r#"{"a":1} x"#, r#"{"a":1}{}"#] {
            assert_eq!(read(no), None, "{no}");
        }
    }
}
