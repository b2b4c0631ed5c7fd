//! Ledgers: result records and loop records, a line of JSON each, read leniently (flow.md 10.7 and 11). A line that
//! cannot be read is passed over, and so is one of more than a megabyte.

use std::collections::HashMap;
use std::io;
use std::io::{BufRead, BufReader, Read};

use bstr::ByteSlice;

use fields::Field;

mod fields;
mod records;
pub mod reported;

pub use records::{BadLine, Fault, Record, Records, SmokeRecords};

/// Bytes of a line: far above any honest record.
const MAX_LINE: usize = 1 << 20;

/// What a test came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail,
    Skip,
}

impl Outcome {
    /// The word of a record.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "pass" => Some(Self::Pass),
            "fail" => Some(Self::Fail),
            "skip" => Some(Self::Skip),
            _ => None,
        }
    }
}

/// The outcome of every id; the last record of an id counts.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// With the place of its first sight among all ids.
    records: HashMap<String, (usize, Outcome)>,
}

impl Results {
    /// Reads a ledger to its end, a line at a time.
    pub fn read(ledger: impl Read) -> io::Result<Self> {
        let mut results = Self::default();
        for_each_line(ledger, MAX_LINE, |line| {
            if let Some(line) = line
                && let Some([Some(Field::Text(id)), Some(Field::Text(status))]) =
                    fields::of(line, ["id", "status"]).fields()
                && let Some(outcome) = Outcome::of(&status)
                && !id.is_empty()
            {
                results.record(id.into_owned(), outcome);
            }
        })?;
        Ok(results)
    }

    /// Outcomes that are known already, in order of first sight.
    pub fn of(rows: Vec<(String, Outcome)>) -> Self {
        let mut results = Self::default();
        for (id, outcome) in rows {
            results.record(id, outcome);
        }
        results
    }

    fn record(&mut self, id: String, outcome: Outcome) {
        let sight = self.records.len();
        let record = self.records.entry(id).or_insert((sight, outcome));
        record.1 = outcome;
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub fn outcome(&self, id: &str) -> Option<Outcome> {
        self.records.get(id).map(|(_, outcome)| *outcome)
    }

    pub fn has(&self, wanted: Outcome) -> bool {
        self.records.values().any(|(_, outcome)| *outcome == wanted)
    }

    /// The ids with this outcome, in order of first sight.
    pub fn ids(&self, wanted: Outcome) -> Vec<&str> {
        let all = self.records.iter().filter(|(_, (_, outcome))| *outcome == wanted);
        let mut ids: Vec<(usize, &str)> = all.map(|(id, (sight, _))| (*sight, id.as_str())).collect();
        ids.sort_unstable();
        ids.into_iter().map(|(_, id)| id).collect()
    }
}

/// The rounds of a loop, as far as they belong to one module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    pub count: u64,
    /// Whether the last of them passed.
    pub last_passed: bool,
}

impl Rounds {
    /// Counts the rounds of `module`; a round that names no module is one of `core`.
    pub fn read(ledger: impl Read, module: &str) -> io::Result<Self> {
        let mut rounds = Self::default();
        for_each_line(ledger, MAX_LINE, |line| {
            let line = line.map(|line| fields::of(line, ["module", "result"]));
            let Some([of, result]) = line.and_then(fields::Line::fields) else {
                return;
            };
            let of = match &of {
                None | Some(Field::Null) => Some("core"),
                Some(named) => named.text(),
            };
            if of == Some(module) {
                rounds.count += 1;
                rounds.last_passed = result.as_ref().and_then(Field::text) == Some("pass");
            }
        })?;
        Ok(rounds)
    }
}

/// Gives every line without its end; none for one that is longer than `limit`.
fn for_each_line(ledger: impl Read, limit: usize, mut each: impl FnMut(Option<&[u8]>)) -> io::Result<()> {
    let mut ledger = BufReader::with_capacity(64 << 10, ledger);
    // The beginning of a line whose end is not read yet, as far as it is kept.
    let mut begun = Vec::new();
    loop {
        let read = ledger.fill_buf()?;
        let end = read.find_byte(b'\n');
        let piece = &read[..end.unwrap_or(read.len())];
        let is_last = read.is_empty();
        if begun.is_empty() && (end.is_some() || is_last) {
            each(Some(piece).filter(|piece| piece.len() <= limit));
        } else {
            begun.extend_from_slice(&piece[..piece.len().min(limit + 1 - begun.len())]);
            if end.is_some() || is_last {
                each(Some(&begun[..]).filter(|begun| begun.len() <= limit));
                begun.clear();
            }
        }
        if is_last {
            return Ok(());
        }
        let used = piece.len() + usize::from(end.is_some());
        ledger.consume(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_record_of_an_id_counts_and_odd_lines_do_not() {
        let ledger = br#"{"id":"UT-1","status":"fail","x":{}}
{"id":"UT-2","status":"pass"}
not json
{"id":"","status":"pass"}
{"id":"UT-3","status":"PASS"}

{"id":"UT-1","status":"skip"}"#;
        let results = Results::read(&ledger[..]).expect("memory can be read");
        assert_eq!(
            [Outcome::Pass, Outcome::Fail, Outcome::Skip].map(|outcome| results.ids(outcome)),
            [vec!["UT-2"], vec![], vec!["UT-1"]]
        );
        assert!(results.has(Outcome::Pass) && !results.has(Outcome::Fail));
        assert_eq!(results.outcome("UT-3"), None);
    }

    #[test]
    fn a_line_too_long_for_a_record_is_passed_over_and_not_kept() {
        let padded = |record: &str, len: usize| record.to_owned() + &" ".repeat(len - record.len()) + "\n";
        let (fail, pass) = (r#"{"result":"fail"}"#, r#"{"result":"pass"}"#);
        let ledger = padded(fail, MAX_LINE + 1) + &padded(pass, MAX_LINE) + &padded("", 3 * MAX_LINE) + fail;
        let rounds = Rounds::read(ledger.as_bytes(), "core").expect("memory can be read");
        assert_eq!((rounds.count, rounds.last_passed), (2, false));
        let endless = io::repeat(b'[').take(50 << 20);
        assert_eq!(
            Rounds::read(endless, "core").expect("memory can be read"),
            Rounds::default()
        );
    }

    #[test]
    fn rounds_are_counted_by_module() {
        let ledger = b"{\"module\":\"till\",\"result\":\"pass\"}\n{\"result\":\"fail\"}\n[]\n{\"module\":7}\n{\"module\":\"core\",\"result\":\"pass\"}\n";
        let of = |module| Rounds::read(&ledger[..], module).expect("memory can be read");
        assert_eq!(
            of("core"),
            Rounds {
                count: 2,
                last_passed: true
            }
        );
        assert_eq!(of("till").count, 1);
        assert_eq!(of("x"), Rounds::default());
    }
}
