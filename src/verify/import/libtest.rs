//! The JSON lines of libtest, as `cargo test` and `cargo nextest run` print them.

use std::collections::HashMap;

use serde::Deserialize;

use super::case::Titles;
use super::collect::{Collector, Nesting, Test};
use super::document::{Text, micros, of_json};
use super::error::{Fault, Reason};
use super::format::Format;
use super::lines::Lines;
use super::source::Source;
use crate::ledger::Outcome;

/// Tests that may run at once.
const MOST_OPEN: usize = 1 << 20;

#[derive(Deserialize)]
struct Event {
    /// A line of cargo's own.
    reason: Option<Text>,
    r#type: Option<Text>,
    event: Option<Text>,
    name: Option<Text>,
    exec_time: Option<f64>,
    stdout: Option<Text>,
    message: Option<Text>,
}

pub(super) fn read(source: &mut Source<'_>, into: &mut Collector<'_>) -> Result<(), Fault> {
    let mut report = Report {
        into,
        open: HashMap::new(),
        has_failed: false,
    };
    let mut lines = Lines::of(source);
    let mut is_report = false;
    while let Some(line) = lines.next()? {
        // The rest is output of the tests, or of cargo.
        if !line.starts_with('{') {
            continue;
        }
        let event: Result<Event, _> = serde_json::from_str(line);
        let event = event.map_err(|e| lines.fault(of_json(&e)))?;
        if event.reason.is_none() {
            is_report = true;
            report.take(&event).map_err(|reason| lines.fault(reason))?;
        }
    }
    if !is_report {
        return Err(lines.fault(Reason::NotOfFormat(Format::Nextest)));
    }
    report.end();
    Ok(())
}

struct Report<'c, 'k> {
    into: &'c mut Collector<'k>,
    /// The tests that have begun, and what is known of them so far.
    open: HashMap<String, State>,
    /// Whether a test of the present suite has failed.
    has_failed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Started,
    /// It has run for long; what it comes to may still be told.
    TimedOut,
}

impl Report<'_, '_> {
    fn take(&mut self, event: &Event) -> Result<(), Reason> {
        let text = |field: &Option<Text>| field.as_ref().map_or(String::new(), |text| text.0.clone());
        let word = text(&event.event);
        let name = text(&event.name);
        let name = without_attempt(&name);
        match text(&event.r#type).as_str() {
            "suite" => match word.as_str() {
                "started" => self.has_failed = false,
                // What was listed as failed is told by its own event.
                "failed" if !self.has_failed && self.open.is_empty() => self.into.failure("the run", ""),
                "failed" | "ok" => {}
                other => return Err(Reason::Word(other.to_owned())),
            },
            "test" => match word.as_str() {
                "started" => self.begin(name, State::Started)?,
                "timeout" => self.begin(name, State::TimedOut)?,
                "ok" => self.result(name, Outcome::Pass, event),
                "ignored" => self.result(name, Outcome::Skip, event),
                "failed" => self.result(name, Outcome::Fail, event),
                other => return Err(Reason::Word(other.to_owned())),
            },
            "bench" | "report" | "debug" => {}
            other => return Err(Reason::Word(other.to_owned())),
        }
        Ok(())
    }

    fn begin(&mut self, name: &str, state: State) -> Result<(), Reason> {
        if self.open.len() >= MOST_OPEN {
            return Err(Reason::TooManyOpen);
        }
        self.open.insert(name.to_owned(), state);
        Ok(())
    }

    fn result(&mut self, name: &str, outcome: Outcome, event: &Event) {
        self.open.remove(name);
        self.has_failed |= outcome == Outcome::Fail;
        let stdout = event.stdout.as_ref().or(event.message.as_ref());
        let micros = event.exec_time.and_then(micros);
        self.tell(name, outcome, micros, stdout.map_or("", |text| &text.0));
    }

    fn tell(&mut self, name: &str, outcome: Outcome, micros: Option<u64>, message: &str) {
        // Nextest writes `binary-id$path`.
        let path = name.split_once('$').map_or(name, |(_, path)| path);
        let (around, own) = path.rsplit_once("::").unwrap_or(("", path));
        let titles: Vec<String> = around.split("::").map(str::to_owned).collect();
        self.into.test(&Test {
            name: own,
            titles: Titles::of(&titles),
            explicit: "",
            outcome,
            micros,
            message,
            ended: None,
            nesting: Nesting::default(),
        });
    }

    /// What has begun and not ended has failed: its process died, or was stopped.
    fn end(&mut self) {
        let mut open: Vec<_> = self.open.drain().collect();
        open.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        for (name, state) in open {
            let message = match state {
                State::Started => "did not end",
                State::TimedOut => "timed out",
            };
            self.tell(&name, Outcome::Fail, None, message);
        }
    }
}

/// A name without what nextest puts behind it, `#2`, for a second attempt. It begins without that.
fn without_attempt(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((rest, attempt))
            if name.contains('$') && !attempt.is_empty() && attempt.bytes().all(|b| b.is_ascii_digit()) =>
        {
            rest
        }
        Some(_) | None => name,
    }
}
