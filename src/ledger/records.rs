//! The records of a ledger that count, and the lines that do not (verify.md 4).

use std::collections::HashMap;
use std::io::{self, Read};

use serde::Serialize;

use super::fields::{self, Field, Line};
use super::{Outcome, for_each_line};
use crate::clock::{self, Instant};
use crate::text::{decode, is_blank, trim};

/// Bytes of a line: what nobody would hold in memory is no record.
const MAX_LINE: usize = 256 << 20;

/// Why a line is no record. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    InvalidJson,
    InvalidRecord,
    MissingId,
    MissingStatus,
    InvalidStatus,
    MissingError,
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
        let mut effective = Groups::default();
        let mut rows = Groups::default();
        let mut bad = Vec::new();
        let mut number = 0;
        for_each_line(ledger, MAX_LINE, |line| {
            number += 1;
            let line = line.map(decode);
            let line = line.as_deref().map(trim);
            if line.is_some_and(str::is_empty) {
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
            if let (Some(id), Some(outcome)) = (&raw.id, outcome) {
                rows.add(id, raw.at, outcome);
            }
            match raw.judge(outcome) {
                Err(reason) => bad.push(BadLine {
                    line: number,
                    id: raw.id,
                    status: raw.status,
                    reason,
                }),
                Ok((id, outcome)) => {
                    let error = raw.error.clone().filter(|_| outcome == Outcome::Fail);
                    effective.add(id, raw.at, (outcome, error));
                }
            }
        })?;
        let record = |(id, (outcome, error))| Record { id, outcome, error };
        Ok(Self {
            effective: effective.effective().map(record).collect(),
            bad,
            rows: rows.effective().collect(),
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
        let mut effective = Groups::default();
        let mut executed = Groups::default();
        for_each_line(ledger, MAX_LINE, |line| {
            let line = line.map(decode);
            let raw = line.and_then(|line| Raw::of(trim(&line)).ok());
            let Some(raw) = raw else { return };
            let (Some(id), Some(status)) = (raw.id, raw.status) else {
                return;
            };
            if let Some(outcome) = Outcome::of(&status) {
                let error = raw.error.unwrap_or_else(|| "unknown".to_owned());
                effective.add(&id, raw.at, (outcome, error));
            }
            executed.add(&id, None, status);
        })?;
        let record = |(id, (outcome, error))| Record {
            id,
            outcome,
            error: (outcome == Outcome::Fail).then_some(error),
        };
        let mut out = Self {
            effective: effective.effective().map(record).collect(),
            ..Self::default()
        };
        for (id, status) in executed.effective() {
            if Outcome::of(&status).is_none() {
                out.unknown_words.push((id.clone(), status));
            }
            out.executed.push(id);
        }
        Ok(out)
    }
}

/// A line that is an object: its texts, trimmed where that is the rule, and not blank.
struct Raw {
    id: Option<String>,
    status: Option<String>,
    error: Option<String>,
    at: Option<Instant>,
}

impl Raw {
    fn of(line: &str) -> Result<Self, Fault> {
        let keys = ["id", "status", "error", "timestamp"];
        let [id, status, error, at] = match fields::of(line.as_bytes(), keys) {
            Line::Invalid => return Err(Fault::InvalidJson),
            Line::NotObject => return Err(Fault::InvalidRecord),
            Line::Object(fields) => fields,
        };
        let text = |field: &Option<Field<'_>>| {
            let text = field.as_ref().and_then(Field::text)?;
            (!is_blank(text)).then(|| text.to_owned())
        };
        let trimmed = |field| text(field).map(|text| trim(&text).to_owned());
        Ok(Self {
            id: trimmed(&id),
            status: trimmed(&status),
            error: text(&error),
            at: at.as_ref().and_then(Field::text).and_then(clock::instant),
        })
    }

    fn judge(&self, outcome: Option<Outcome>) -> Result<(&str, Outcome), Fault> {
        let id = self.id.as_deref().ok_or(Fault::MissingId)?;
        if self.status.is_none() {
            return Err(Fault::MissingStatus);
        }
        let outcome = outcome.ok_or(Fault::InvalidStatus)?;
        if outcome == Outcome::Fail && self.error.is_none() {
            return Err(Fault::MissingError);
        }
        Ok((id, outcome))
    }
}

/// The values of each id, of which one counts: the newest if all have a time, else the last.
struct Groups<V> {
    places: HashMap<String, usize>,
    groups: Vec<Group<V>>,
}

struct Group<V> {
    /// The newest, as long as all have a time.
    newest: Option<(Instant, V)>,
    /// The last, once one had no time.
    last: Option<V>,
}

impl<V> Default for Groups<V> {
    fn default() -> Self {
        Self {
            places: HashMap::new(),
            groups: Vec::new(),
        }
    }
}

impl<V> Groups<V> {
    fn add(&mut self, id: &str, at: Option<Instant>, value: V) {
        let Some(place) = self.places.get(id) else {
            self.places.insert(id.to_owned(), self.groups.len());
            self.groups.push(match at {
                Some(at) => Group {
                    newest: Some((at, value)),
                    last: None,
                },
                None => Group {
                    newest: None,
                    last: Some(value),
                },
            });
            return;
        };
        let group = &mut self.groups[*place];
        match (&group.newest, at) {
            (Some((newest, _)), Some(at)) => {
                if at >= *newest {
                    group.newest = Some((at, value));
                }
            }
            _ => {
                *group = Group {
                    newest: None,
                    last: Some(value),
                };
            }
        }
    }

    /// What counts of each id, in order of first sight.
    fn effective(self) -> impl Iterator<Item = (String, V)> {
        let mut ids: Vec<(usize, String)> = self.places.into_iter().map(|(id, at)| (at, id)).collect();
        ids.sort_unstable();
        let values = self.groups.into_iter().map(|group| {
            let newest = group.newest.map(|(_, value)| value);
            newest.or(group.last).expect("each group has a value")
        });
        ids.into_iter().map(|(_, id)| id).zip(values)
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
    fn a_smoke_ledger_tells_what_it_can() {
        let ledger = b"x\n{\"id\":\"A\",\"status\":\"fail\"}\n{\"id\":\"B\",\"status\":\"odd\"}\n";
        let records = SmokeRecords::read(&ledger[..]).expect("memory can be read");
        assert_eq!(records.executed, ["A", "B"]);
        assert_eq!(records.effective[0].error.as_deref(), Some("unknown"));
        assert_eq!(records.unknown_words, [("B".to_owned(), "odd".to_owned())]);
    }
}
