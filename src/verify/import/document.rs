//! What the readers of JSON share: text that may have any escape, objects and lists that are read a part at a time, times.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::error::{Fault, Reason};
use super::source::{Allowance, Source};
use crate::clock::{Timestamp, is_rfc3339};

/// Bytes that are kept of a text: names and first lines are shorter.
const KEPT: usize = 64 << 10;

/// A text of a report. Half a surrogate pair, which JavaScript writes, is replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // As text it would be refused for its surrogates.
        from.deserialize_bytes(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_bytes<E: serde::de::Error>(self, text: &[u8]) -> Result<Text, E> {
        let kept = &text[..text.len().min(KEPT)];
        Ok(Text(String::from_utf8_lossy(kept).into_owned()))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Text, E> {
        self.visit_bytes(text.as_bytes())
    }
}

/// An object whose fields are taken as they come. What is large in it is read further, not kept.
pub(super) trait Object {
    /// Before the first field.
    fn begin(&mut self) {}

    /// Reads the value of a field, or reads over it.
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error>;

    /// After the last field. False stops the reading.
    fn end(&mut self) -> bool {
        true
    }
}

/// Reads over the value of a field.
pub(super) fn skip<'de, M: MapAccess<'de>>(map: &mut M) -> Result<(), M::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// What the reader of JSON says where it counts the levels itself.
const TOO_DEEP: &str = "recursion limit exceeded";

/// Goes a level deeper. An error ends the reading: nobody comes back from it.
fn enter<E: serde::de::Error>(allowance: &Allowance) -> Result<(), E> {
    match allowance.enter() {
        true => Ok(()),
        false => Err(E::custom(TOO_DEEP)),
    }
}

/// An error that stands for a reason kept elsewhere.
pub(super) fn stopped<E: serde::de::Error>() -> E {
    E::custom("stopped")
}

/// Reads one object.
pub(super) struct One<'a, O> {
    pub(super) object: &'a mut O,
    pub(super) allowance: &'a Allowance,
}

impl<'de, O: Object> DeserializeSeed<'de> for One<'_, O> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, O: Object> Visitor<'de> for One<'_, O> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        enter(self.allowance)?;
        self.object.begin();
        self.allowance.renew();
        while let Some(key) = map.next_key::<Text>()? {
            self.object.field(&key.0, &mut map)?;
            self.allowance.renew();
        }
        self.allowance.leave();
        if self.object.end() { Ok(()) } else { Err(stopped()) }
    }
}

/// Reads a sequence of such objects.
pub(super) struct Each<'a, O> {
    pub(super) object: &'a mut O,
    pub(super) allowance: &'a Allowance,
}

impl<'de, O: Object> DeserializeSeed<'de> for Each<'_, O> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, O: Object> Visitor<'de> for Each<'_, O> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<(), S::Error> {
        enter(self.allowance)?;
        loop {
            let item = One {
                object: &mut *self.object,
                allowance: self.allowance,
            };
            if items.next_element_seed(item)?.is_none() {
                self.allowance.leave();
                return Ok(());
            }
        }
    }
}

/// Hands on the values of a sequence, each read as a whole. False stops the reading.
pub(super) struct Values<'a, T, F> {
    take: F,
    allowance: &'a Allowance,
    of: PhantomData<T>,
}

impl<'a, T, F: FnMut(T) -> bool> Values<'a, T, F> {
    pub(super) fn new(allowance: &'a Allowance, take: F) -> Self {
        Self {
            take,
            allowance,
            of: PhantomData,
        }
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> bool> DeserializeSeed<'de> for Values<'_, T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> bool> Visitor<'de> for Values<'_, T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<S: SeqAccess<'de>>(mut self, mut items: S) -> Result<(), S::Error> {
        enter(self.allowance)?;
        self.allowance.renew();
        while let Some(item) = items.next_element()? {
            self.allowance.renew();
            if !(self.take)(item) {
                return Err(stopped());
            }
        }
        self.allowance.leave();
        Ok(())
    }
}

/// Reads a report that is one object, and nothing behind it.
pub(super) fn read_object(source: &mut Source<'_>, report: &mut impl Object) -> Result<(), Fault> {
    let allowance = source.allowance();
    let mut json = serde_json::Deserializer::from_reader(&mut *source);
    // The levels are counted where reading goes deeper: what is passed over is not, and what one test consists of has a
    // few levels of its own.
    json.disable_recursion_limit();
    let whole = One {
        object: report,
        allowance: &allowance,
    };
    let read = whole.deserialize(&mut json).and_then(|()| json.end());
    read.map_err(|e| Fault {
        line: e.line() as u64,
        ..source.fault(of_json(&e))
    })
}

/// A complaint of the reader of JSON, without the place, which is told anyway.
pub(super) fn of_json(error: &serde_json::Error) -> Reason {
    if error.is_eof() {
        return Reason::Cut;
    }
    let words = error.to_string();
    let words = words
        .rsplit_once(" at line ")
        .map_or(words.as_str(), |(words, _)| words);
    if words == TOO_DEEP {
        return Reason::TooDeep;
    }
    Reason::Syntax(words.to_owned())
}

/// An instant with a zone. Without one it is not trusted (verify.md 15).
pub(super) fn zoned(text: &str) -> Option<Timestamp> {
    is_rfc3339(text).then(|| Timestamp::parse(text)).flatten()
}

/// A time in milliseconds since 1970, as JavaScript gives it.
pub(super) fn since_1970(millis: f64) -> Option<Timestamp> {
    micros(millis / 1000.0).and_then(|micros| Some(Timestamp::from_millis((micros / 1000).try_into().ok()?)))
}

/// Microseconds of a duration in seconds; none of what is no duration.
pub(super) fn micros(seconds: f64) -> Option<u64> {
    let micros = Duration::try_from_secs_f64(seconds).ok()?.as_micros();
    u64::try_from(micros).ok()
}

/// An instant and what has passed since.
pub(super) fn later(start: Timestamp, micros: u64) -> Timestamp {
    let millis = i64::try_from(micros / 1000).unwrap_or(i64::MAX);
    Timestamp::from_millis(start.millis().saturating_add(millis))
}
