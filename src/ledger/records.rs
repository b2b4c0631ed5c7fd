//! The records of a ledger that count, and the lines that do not (verify.md 4).

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Read};

use bstr::ByteSlice;
use serde::{Serialize, Serializer};

use super::fields::{self, Field, Line};
use super::{Outcome, for_each_line};
use crate::clock::{self, Instant};
use crate::text::{is_blank, is_space, trim};

/// Bytes of a line: what nobody would hold in memory is no record.
const MAX_LINE: usize = 256 << 20;

/// Why a line is no record. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    InvalidJson,
    InvalidRecord,
    MissingId,
    MissingStatus,
    InvalidStatus,
    MissingError,
}

impl Fault {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::InvalidRecord => "invalid_record",
            Self::MissingId => "missing_id",
            Self::MissingStatus => "missing_status",
            Self::InvalidStatus => "invalid_status",
            Self::MissingError => "missing_error",
        }
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

/// A line that is no record; keys in contract order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BadLine {
    /// From 1.
    pub line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    pub reason: Fault,
}

/// What one case came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub id: String,
    pub outcome: Outcome,
    /// As written; of a failure only.
    pub error: Option<String>,
}

/// The record of each id that counts, in order of first sight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    pub effective: Vec<Record>,
    pub bad: Vec<BadLine>,
    /// As [`Records::effective`], of all lines with an id and an outcome, whatever else they lack (verify.md 9).
    pub rows: Vec<(String, Outcome)>,
}

impl Records {
    /// Reads a ledger to its end, a line at a time.
    pub fn read(ledger: impl Read) -> io::Result<Self> {
        let mut ids = Ids::default();
        let mut effective = Groups::default();
        let mut rows = Groups::default();
        let mut bad = Vec::new();
        let mut number = 0;
        for_each_line(ledger, MAX_LINE, |line| {
            number += 1;
            let line = line.map(|line| line.trim_with(is_space));
            if line.is_some_and(<[u8]>::is_empty) {
                return;
            }
            let raw = match line.ok_or(Fault::InvalidJson).and_then(Raw::of) {
                Ok(raw) => raw,
                Err(reason) => {
                    bad.push(BadLine {
                        line: number,
                        id: None,
                        status: None,
                        reason,
                    });
                    return;
                }
            };
            let outcome = raw.status.as_deref().and_then(Outcome::of);
            let fault = raw.fault(outcome);
            if let (Some(id), Some(outcome)) = (&raw.id, outcome) {
                let id = ids.number(id);
                rows.add(id, raw.at, outcome);
                if fault.is_none() {
                    let error = raw.error.filter(|_| outcome == Outcome::Fail);
                    effective.add(id, raw.at, (outcome, error.map(Cow::into_owned)));
                }
            }
            if let Some(reason) = fault {
                bad.push(BadLine {
                    line: number,
                    id: raw.id.map(Cow::into_owned),
                    status: raw.status.map(Cow::into_owned),
                    reason,
                });
            }
        })?;
        let ids = ids.into_list();
        let record = |(id, (outcome, error))| Record { id, outcome, error };
        Ok(Self {
            effective: effective.effective(&ids).map(record).collect(),
            bad,
            rows: rows.effective(&ids).collect(),
        })
    }
}

/// The records of a smoke ledger: what cannot be read is passed over (verify.md 12.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmokeRecords {
    pub effective: Vec<Record>,
    /// Ids with a status, whatever word it is, in order of first sight.
    pub executed: Vec<String>,
    /// Ids whose last word is none of the three.
    pub unknown_words: Vec<(String, String)>,
}

impl SmokeRecords {
    pub fn read(ledger: impl Read) -> io::Result<Self> {
        let mut ids = Ids::default();
        let mut effective = Groups::default();
        let mut executed = Groups::default();
        for_each_line(ledger, MAX_LINE, |line| {
            let raw = line.and_then(|line| Raw::of(line.trim_with(is_space)).ok());
            let Some(raw) = raw else { return };
            let (Some(id), Some(status)) = (raw.id, raw.status) else {
                return;
            };
            let id = ids.number(&id);
            if let Some(outcome) = Outcome::of(&status) {
                let error = raw.error.unwrap_or(Cow::Borrowed("unknown"));
                effective.add(id, raw.at, (outcome, error.into_owned()));
            }
            executed.add(id, None, status.into_owned());
        })?;
        let ids = ids.into_list();
        let record = |(id, (outcome, error))| Record {
            id,
            outcome,
            error: (outcome == Outcome::Fail).then_some(error),
        };
        let mut out = Self {
            effective: effective.effective(&ids).map(record).collect(),
            ..Self::default()
        };
        for (id, status) in executed.effective(&ids) {
            if Outcome::of(&status).is_none() {
                out.unknown_words.push((id.clone(), status));
            }
            out.executed.push(id);
        }
        Ok(out)
    }
}

/// A line that is an object: its texts, trimmed where that is the rule, and not blank.
struct Raw<'l> {
    id: Option<Cow<'l, str>>,
    status: Option<Cow<'l, str>>,
    error: Option<Cow<'l, str>>,
    at: Option<Instant>,
}

impl<'l> Raw<'l> {
    fn of(line: &'l [u8]) -> Result<Self, Fault> {
        let keys = ["id", "status", "error", "timestamp"];
        let [id, status, error, at] = match fields::of(line, keys) {
            Line::Invalid => return Err(Fault::InvalidJson),
            Line::NotObject => return Err(Fault::InvalidRecord),
            Line::Object(fields) => fields,
        };
        let text = |field: Option<Field<'l>>| field?.into_text().filter(|text| !is_blank(text));
        let trimmed = |field| {
            text(field).map(|text| match text {
                Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
                Cow::Owned(text) => Cow::Owned(trim(&text).to_owned()),
            })
        };
        Ok(Self {
            id: trimmed(id),
            status: trimmed(status),
            error: text(error),
            at: at.as_ref().and_then(Field::text).and_then(clock::instant),
        })
    }

    /// What is wrong with it; `outcome` is what its status means.
    fn fault(&self, outcome: Option<Outcome>) -> Option<Fault> {
        match (&self.id, &self.status, outcome) {
            (None, ..) => Some(Fault::MissingId),
            (_, None, _) => Some(Fault::MissingStatus),
            (.., None) => Some(Fault::InvalidStatus),
            (.., Some(Outcome::Fail)) if self.error.is_none() => Some(Fault::MissingError),
            (.., Some(_)) => None,
        }
    }
}

/// Every id once: a ledger has many lines of each.
#[derive(Default)]
struct Ids(HashMap<String, usize>);

impl Ids {
    /// The place of its first sight among all ids.
    fn number(&mut self, id: &str) -> usize {
        let next = self.0.len();
        self.0.get(id).copied().unwrap_or_else(|| {
            self.0.insert(id.to_owned(), next);
            next
        })
    }

    fn into_list(self) -> Vec<String> {
        let mut ids: Vec<(usize, String)> = self.0.into_iter().map(|(id, number)| (number, id)).collect();
        ids.sort_unstable();
        ids.into_iter().map(|(_, id)| id).collect()
    }
}

/// The values of each id, of which one counts: the newest if all have a time, else the last.
struct Groups<V> {
    /// By the number of the id: where its group is.
    places: Vec<Option<usize>>,
    /// With the number of the id, in order of first sight.
    groups: Vec<(usize, Group<V>)>,
}

/// The value that counts so far.
struct Group<V> {
    /// Its time, as long as all have one.
    at: Option<Instant>,
    value: V,
}

impl<V> Default for Groups<V> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            groups: Vec::new(),
        }
    }
}

impl<V> Groups<V> {
    fn add(&mut self, id: usize, at: Option<Instant>, value: V) {
        if self.places.len() <= id {
            self.places.resize(id + 1, None);
        }
        let Some(place) = self.places[id] else {
            self.places[id] = Some(self.groups.len());
            self.groups.push((id, Group { at, value }));
            return;
        };
        let group = &mut self.groups[place].1;
        match (group.at, at) {
            (Some(newest), Some(at)) if at < newest => {}
            (Some(_), Some(_)) => *group = Group { at, value },
            (None, _) | (_, None) => *group = Group { at: None, value },
        }
    }

    /// What counts of each id, in order of first sight.
    fn effective(self, ids: &[String]) -> impl Iterator<Item = (String, V)> {
        let groups = self.groups.into_iter();
        groups.map(|(id, group)| (ids[id].clone(), group.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(ledger: &str) -> Records {
        Records::read(ledger.as_bytes()).expect("memory can be read")
    }

    #[test]
    fn the_newest_counts_where_all_have_a_time_else_the_last() {
        let at = |id: &str, status: &str, time: &str| {
            format!("{{\"id\":\"{id}\",\"status\":\"{status}\",\"timestamp\":\"{time}\"}}\n")
        };
        let (early, late) = ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000001Z");
        let outcome = |ledger: &str| read(ledger).effective[0].outcome;
        let timed = at("A", "pass", late) + &at("A", "skip", early);
        assert_eq!(outcome(&timed), Outcome::Pass);
        assert_eq!(outcome(&(timed.clone() + &at("A", "skip", late))), Outcome::Skip);
        let untimed = "{\"id\":\"A\",\"status\":\"skip\"}\n";
        assert_eq!(outcome(&(untimed.to_owned() + &timed)), Outcome::Skip);
        assert_eq!(outcome(&(timed.clone() + untimed + &timed)), Outcome::Skip);
        let zones = at("A", "pass", "2026-01-02T05:04:05+01:00") + &at("A", "skip", "2026-01-02T03:04:05Z");
        assert_eq!(outcome(&zones), Outcome::Pass);
    }

    #[test]
    fn a_line_that_is_no_record_is_told_with_its_first_fault() {
        let ledger = "\u{feff}\n[]\n{\n{\"status\":\" fail \"}\n{\"id\":\" A \"}\n{\"id\":\"A\",\"status\":\"PASS\"}\n{\"id\":\"A\",\"status\":\"fail\",\"error\":\" \"}\n";
        let bad = read(ledger).bad;
        let told: Vec<_> = bad
            .iter()
            .map(|bad| (bad.line, bad.id.as_deref(), bad.status.as_deref(), bad.reason))
            .collect();
        assert_eq!(
            told,
            [
                (2, None, None, Fault::InvalidRecord),
                (3, None, None, Fault::InvalidJson),
                (4, None, Some("fail"), Fault::MissingId),
                (5, Some("A"), None, Fault::MissingStatus),
                (6, Some("A"), Some("PASS"), Fault::InvalidStatus),
                (7, Some("A"), Some("fail"), Fault::MissingError),
            ]
        );
    }

    #[test]
    fn white_space_and_bad_bytes_around_a_line_are_as_in_its_text() {
        let ledger = b"\xef\xbb\xbf\xe3\x80\x80{\"id\":\"A\xff\",\"status\":\"\xc2\xa0pass\"}\xc2\xa0\r\n{\"id\":\"B\",\"status\":\"pass\"}\xe3\x80\n\xc2\xa0\n";
        let Records { effective, bad, .. } = Records::read(&ledger[..]).expect("memory can be read");
        assert_eq!(effective[0].id, "A\u{fffd}");
        assert_eq!(
            (bad.len(), bad[0].line, bad[0].reason),
            (1, 2, Fault::InvalidJson)
        );
    }

    #[test]
    fn ids_stand_where_their_first_record_that_counts_is() {
        let records = read(
            "{\"id\":\"A\",\"status\":\"fail\"}\n{\"id\":\"B\",\"status\":\"pass\"}\n{\"id\":\"A\",\"status\":\"skip\"}\n",
        );
        let effective: Vec<_> = records
            .effective
            .iter()
            .map(|record| record.id.as_str())
            .collect();
        let rows: Vec<_> = records.rows.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!((effective, rows), (vec!["B", "A"], vec!["A", "B"]));
    }

    #[test]
    fn a_smoke_ledger_tells_what_it_can() {
        let ledger = b"x\n{\"id\":\"A\",\"status\":\"fail\"}\n{\"id\":\"B\",\"status\":\"odd\"}\n";
        let records = SmokeRecords::read(&ledger[..]).expect("memory can be read");
        assert_eq!(records.executed, ["A", "B"]);
        assert_eq!(records.effective[0].error.as_deref(), Some("unknown"));
        assert_eq!(records.unknown_words, [("B".to_owned(), "odd".to_owned())]);
    }
}
