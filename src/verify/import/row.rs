//! A row of an import as a line of the ledger (verify.md 4.1).

use serde::Serialize;

use super::message::LONGEST;
use crate::clock::Timestamp;
use crate::ledger::Outcome;
use crate::text::Bytes;

/// What an import has found for one id.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) outcome: Outcome,
    pub(super) micros: Option<u64>,
    /// Empty unless it failed.
    pub(super) error: String,
    pub(super) ended: Option<Timestamp>,
    /// Whether a test of it waits for the time of its report.
    pub(super) is_undated: bool,
}

#[derive(Serialize)]
struct Record<'a> {
    id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<Milliseconds>,
    timestamp: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Milliseconds {
    Whole(u64),
    Part(f64),
}

impl Row {
    pub(super) fn new(id: String, outcome: Outcome) -> Self {
        Self {
            id,
            outcome,
            micros: None,
            error: String::new(),
            ended: None,
            is_undated: false,
        }
    }

    /// Takes in another test: any failure fails, else any pass passes.
    pub(super) fn join(&mut self, outcome: Outcome, micros: Option<u64>) {
        self.outcome = match (self.outcome, outcome) {
            (Outcome::Fail, _) | (_, Outcome::Fail) => Outcome::Fail,
            (Outcome::Pass, _) | (_, Outcome::Pass) => Outcome::Pass,
            (Outcome::Skip, Outcome::Skip) => Outcome::Skip,
        };
        if let Some(more) = micros {
            self.micros = Some(self.micros.unwrap_or_default().saturating_add(more));
        }
    }

    /// Adds what a failing test says, as far as there is room.
    pub(super) fn add_error(&mut self, name: &str, message: &str) {
        let used = self.error.chars().count();
        let parts = [if used > 0 { "; " } else { "" }, name, ": ", message];
        let added = parts.into_iter().flat_map(str::chars);
        self.error.extend(added.take(LONGEST - used));
    }

    pub(super) fn date(&mut self, ended: Timestamp) {
        self.ended = self.ended.max(Some(ended));
    }

    /// Appends the row as a line.
    pub(super) fn write(&self, imported: Timestamp, out: &mut Bytes) {
        let record = Record {
            id: &self.id,
            status: match self.outcome {
                Outcome::Pass => "pass",
                Outcome::Fail => "fail",
                Outcome::Skip => "skip",
            },
            error: (self.outcome == Outcome::Fail).then_some(self.error.as_str()),
            duration_ms: self.micros.map(milliseconds),
            timestamp: self.ended.unwrap_or(imported).rfc3339(),
        };
        serde_json::to_writer(&mut *out, &record).expect("memory can be written, and its keys are text");
        out.push(b'\n');
    }
}

fn milliseconds(micros: u64) -> Milliseconds {
    let (whole, part) = (
        micros / 1000,
        u32::try_from(micros % 1000).expect("it is below 1000"),
    );
    match u32::try_from(whole) {
        Ok(whole) if part > 0 => Milliseconds::Part(f64::from(whole) + f64::from(part) / 1000.0),
        // Nobody needs the microseconds of seven weeks.
        Ok(_) | Err(_) => Milliseconds::Whole(whole),
    }
}
