//! The journal of a loop: entries that each name the one before by its digest (loop.md 7).

use std::collections::BTreeSet;

use serde_json::Value;

use super::document::{integer, object, text};
use super::error::Break;
use super::{Gate, Mode};
use crate::clock::Timestamp;
use crate::files::Digest;

/// What the first entry names as the one before.
const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// On whose word something was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    User,
    Program,
    Driver,
}

impl Actor {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Program => "program",
            Self::Driver => "driver",
        }
    }
}

/// One entry, to be appended.
#[derive(Clone, Debug)]
pub struct Entry {
    pub actor: Actor,
    pub op: &'static str,
    pub data: Value,
    /// Of the state file as it is then; null if there is none.
    pub state: Option<Digest>,
    pub gate: Digest,
}

/// A journal whose entries hold together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    text: String,
    entries: Vec<Value>,
}

impl Journal {
    /// Reads a journal, and proves it: numbers without a gap, times that never go back, links and digests that fit, no
    /// nonce twice.
    pub fn read(text: &str) -> Result<Self, Break> {
        let mut journal = Self::default();
        let mut nonces = BTreeSet::new();
        for (at, line) in text.lines().enumerate() {
            let line_number = at + 1;
            let entry: Value = serde_json::from_str(line).map_err(|_| Break::Line(line_number))?;
            let seq = entry.get("seq").and_then(integer);
            if seq.and_then(|seq| usize::try_from(seq).ok()) != Some(line_number) {
                return Err(Break::Sequence(line_number));
            }
            let time = time(&entry).ok_or(Break::Line(line_number))?;
            if journal.time().is_some_and(|before| time < before) {
                return Err(Break::Time(line_number));
            }
            if field(&entry, "prev") != Some(journal.head()) {
                return Err(Break::Link(line_number));
            }
            if field(&entry, "hash") != Some(&digest(&entry)) {
                return Err(Break::Hash(line_number));
            }
            if let Some(nonce) = entry.pointer("/data/nonce").and_then(Value::as_str)
                && !nonces.insert(nonce.to_owned())
            {
                return Err(Break::Nonce(line_number));
            }
            journal.entries.push(entry);
        }
        if !text.is_empty() && !text.ends_with('\n') {
            return Err(Break::Line(journal.entries.len()));
        }
        text.clone_into(&mut journal.text);
        Ok(journal)
    }

    /// The digest of the last entry.
    pub fn head(&self) -> &str {
        let last = self.entries.last().and_then(|entry| field(entry, "hash"));
        last.unwrap_or(NOTHING)
    }

    /// The time of the last entry.
    pub fn time(&self) -> Option<Timestamp> {
        time(self.entries.last()?)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The mode as the loop began with it, or as it was set with the user's consent since.
    pub fn mode(&self) -> Option<Mode> {
        let said = self
            .entries
            .iter()
            .rev()
            .find_map(|entry| entry.pointer("/data/mode"));
        said.and_then(Value::as_str).and_then(Mode::parse)
    }

    /// Whether this is the gate state that the last entry wrote.
    pub fn wrote(&self, gate: &[u8]) -> bool {
        let said = self
            .entries
            .last()
            .and_then(|entry| entry.pointer("/data/gate_sha256"));
        said.and_then(Value::as_str) == Some(&Digest::of(gate).hex())
    }

    /// Whether a nonce, by its digest, was accepted already.
    pub fn has_accepted(&self, nonce: &str) -> bool {
        let said = |entry: &Value| entry.pointer("/data/nonce").and_then(Value::as_str) == Some(nonce);
        self.entries.iter().any(said)
    }

    /// The line of a new entry. Its time is not before that of the last one, whatever the clock says.
    pub fn line(&self, entry: &Entry, now: Timestamp) -> String {
        let at = self.time().map_or(now, |before| before.max(now));
        let mut data = entry.data.clone();
        if let Some(data) = data.as_object_mut() {
            data.insert("gate_sha256".to_owned(), Value::from(entry.gate.hex()));
        }
        let mut line = object([
            ("seq", Value::from(self.entries.len() + 1)),
            ("at", Value::from(at.rfc3339())),
            ("actor", Value::from(entry.actor.as_str())),
            ("op", Value::from(entry.op)),
            ("data", data),
            (
                "state_sha256",
                entry
                    .state
                    .map_or(Value::Null, |digest| Value::from(digest.hex())),
            ),
            ("prev", Value::from(self.head())),
        ]);
        let hash = digest(&line);
        super::document::set(&mut line, "hash", hash);
        format!("{line}\n")
    }

    /// The journal with one more line, which [`Journal::line`] made.
    pub fn with(&self, line: &str) -> Result<Self, Break> {
        Self::read(&format!("{}{line}", self.text))
    }
}

/// The digest that a line of a journal says it has.
pub(super) fn hash_of(line: &str) -> Option<String> {
    let entry: Value = serde_json::from_str(line).ok()?;
    field(&entry, "hash").map(str::to_owned)
}

/// The digest that a line of a journal names as the one before.
pub(super) fn link_of(line: &str) -> Option<String> {
    let entry: Value = serde_json::from_str(line).ok()?;
    field(&entry, "prev").map(str::to_owned)
}

fn field<'v>(entry: &'v Value, name: &str) -> Option<&'v str> {
    text(entry, name)
}

fn time(entry: &Value) -> Option<Timestamp> {
    Timestamp::parse(field(entry, "at")?)
}

/// SHA-256 of the canonical JSON of an entry, its own digest left out.
fn digest(entry: &Value) -> String {
    let mut entry = entry.clone();
    if let Some(map) = entry.as_object_mut() {
        map.shift_remove("hash");
    }
    let mut text = String::new();
    canonical(&entry, &mut text);
    Digest::of(text.as_bytes()).hex()
}

/// JSON with sorted keys and without blanks.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            out.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                canonical(&map[key], out);
            }
            out.push('}');
        }
        Value::Array(list) => {
            out.push('[');
            for (at, item) in list.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                canonical(item, out);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string());
        }
    }
}

/// The bytes of a gate state as they are stored.
pub(super) fn gate_bytes(gate: &Gate) -> Vec<u8> {
    super::document::bytes(&gate.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(data: &str) -> Entry {
        Entry {
            actor: Actor::Driver,
            op: "test",
            data: serde_json::from_str(data).expect("JSON"),
            state: None,
            gate: Digest::of(b"gate"),
        }
    }

    fn three() -> Journal {
        let mut journal = Journal::default();
        for (at, data) in [(5, r#"{"mode":"safe"}"#), (5, r#"{"nonce":"n"}"#), (9, "{}")] {
            let line = journal.line(&entry(data), Timestamp::from_seconds(at));
            journal = journal.with(&line).expect("it follows");
        }
        journal
    }

    /// The text with a line rewritten and its digest made to fit.
    fn forged(text: &str, line: usize, change: impl Fn(&mut Value)) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut entry: Value = serde_json::from_str(&lines[line - 1]).expect("JSON");
        change(&mut entry);
        let hash = digest(&entry);
        super::super::document::set(&mut entry, "hash", hash);
        lines[line - 1] = entry.to_string();
        lines.join("\n") + "\n"
    }

    #[test]
    fn what_was_written_is_read_again() {
        let journal = three();
        assert_eq!(Journal::read(journal.text()), Ok(journal.clone()));
        assert_eq!(journal.mode(), Some(Mode::Safe));
        assert!(journal.has_accepted("n") && !journal.has_accepted("m"));
        assert!(journal.wrote(b"gate") && !journal.wrote(b"gates"));
    }

    #[test]
    fn a_clock_set_back_does_not_go_back_in_the_journal() {
        let journal = three();
        let line = journal.line(&entry("{}"), Timestamp::from_seconds(1));
        let journal = journal.with(&line).expect("it follows");
        assert_eq!(journal.time(), Some(Timestamp::from_seconds(9)));
    }

    #[test]
    fn every_kind_of_forgery_breaks_the_chain() {
        let text = three().text().to_owned();
        let set = |entry: &mut Value, path: &str, text: &str| super::super::document::set(entry, path, text);
        assert_eq!(
            Journal::read(&text.replace("\"mode\":\"safe\"", "\"mode\":\"unsafe\"")),
            Err(Break::Hash(1))
        );
        assert_eq!(
            Journal::read(&forged(&text, 1, |entry| set(entry, "data.mode", "unsafe"))),
            Err(Break::Link(2))
        );
        assert_eq!(
            Journal::read(&forged(&text, 3, |entry| set(entry, "data.nonce", "n"))),
            Err(Break::Nonce(3))
        );
        assert_eq!(
            Journal::read(&forged(&text, 3, |entry| set(
                entry,
                "at",
                "1970-01-01T00:00:01Z"
            ))),
            Err(Break::Time(3))
        );
        let gap: Vec<&str> = text
            .lines()
            .enumerate()
            .filter(|(at, _)| *at != 1)
            .map(|(_, l)| l)
            .collect();
        assert_eq!(Journal::read(&(gap.join("\n") + "\n")), Err(Break::Sequence(2)));
        assert_eq!(Journal::read(&format!("{text}oops\n")), Err(Break::Line(4)));
        assert_eq!(Journal::read(text.trim_end()), Err(Break::Line(3)));
    }

    #[test]
    fn canonical_json_has_sorted_keys_and_no_blanks() {
        let value: Value =
            serde_json::from_str(r#"{"b": [1, {"d": "ü\n", "c": null}], "a": true}"#).expect("JSON");
        let mut out = String::new();
        canonical(&value, &mut out);
        assert_eq!(out, "{\"a\":true,\"b\":[1,{\"c\":null,\"d\":\"ü\\n\"}]}");
    }
}
