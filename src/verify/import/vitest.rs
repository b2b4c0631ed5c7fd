//! The JSON report of Vitest and Jest: files, and in each a flat list of tests.

use serde::Deserialize;
use serde::de::MapAccess;

use super::case::Titles;
use super::collect::{Collector, Nesting, Test};
use super::document::{Each, Object, Text, Values, later, micros, read_object, since_1970, skip};
use super::error::{Fault, Reason};
use super::format::Format;
use super::source::{Allowance, Source};
use crate::ledger::Outcome;

pub(super) fn read(source: &mut Source<'_>, into: &mut Collector<'_>) -> Result<(), Fault> {
    let mut report = Report {
        reading: Reading {
            into,
            allowance: source.allowance(),
            reason: None,
        },
        has_results: false,
        has_failed: false,
        success: true,
    };
    let read = read_object(source, &mut report);
    if let Some(reason) = report.reading.reason {
        let line = read.err().map_or(1, |fault| fault.line);
        return Err(Fault { line, reason });
    }
    read?;
    if !report.has_results {
        return Err(source.fault(Reason::NotOfFormat(Format::Vitest)));
    }
    if !report.success && !report.has_failed {
        into.failure("the run", "");
    }
    Ok(())
}

struct Reading<'c, 'k> {
    into: &'c mut Collector<'k>,
    allowance: Allowance,
    reason: Option<Reason>,
}

struct Report<'c, 'k> {
    reading: Reading<'c, 'k>,
    has_results: bool,
    has_failed: bool,
    success: bool,
}

impl Object for Report<'_, '_> {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "testResults" => {
                self.has_results = true;
                let allowance = self.reading.allowance.clone();
                let mut files = File {
                    reading: &mut self.reading,
                    has_failed: &mut self.has_failed,
                    about: About::default(),
                };
                map.next_value_seed(Each {
                    object: &mut files,
                    allowance: &allowance,
                })
            }
            "success" => {
                self.success = map.next_value()?;
                Ok(())
            }
            _ => skip(map),
        }
    }
}

struct File<'s, 'c, 'k> {
    reading: &'s mut Reading<'c, 'k>,
    has_failed: &'s mut bool,
    about: About,
}

/// What a file's entry says besides its tests.
#[derive(Default)]
struct About {
    name: String,
    message: String,
    is_failed: bool,
    has_failed_test: bool,
    ended: Option<f64>,
}

impl Object for File<'_, '_, '_> {
    fn begin(&mut self) {
        self.about = About::default();
    }

    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        let text = |map: &mut M| Ok(map.next_value::<Option<Text>>()?.unwrap_or_default().0);
        match key {
            "name" => self.about.name = text(map)?,
            "message" => self.about.message = text(map)?,
            "status" => self.about.is_failed = text(map)? == "failed",
            "endTime" => self.about.ended = map.next_value()?,
            "assertionResults" => {
                let allowance = self.reading.allowance.clone();
                let Self { reading, about, .. } = self;
                map.next_value_seed(Values::new(&allowance, |test: Assertion| {
                    match report(&test, reading.into) {
                        Ok(outcome) => {
                            about.has_failed_test |= outcome == Outcome::Fail;
                            true
                        }
                        Err(reason) => {
                            reading.reason = Some(reason);
                            false
                        }
                    }
                }))?;
            }
            _ => skip(map)?,
        }
        Ok(())
    }

    fn end(&mut self) -> bool {
        let about = &self.about;
        self.reading.into.date(about.ended.and_then(since_1970));
        // A file that could not be loaded has no test to tell it.
        if about.is_failed && !about.has_failed_test {
            self.reading.into.failure(&about.name, &about.message);
        }
        *self.has_failed |= about.is_failed || about.has_failed_test;
        true
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    title: Text,
    status: Text,
    #[serde(default)]
    ancestor_titles: Vec<Text>,
    duration: Option<f64>,
    start_at: Option<f64>,
    failure_messages: Option<Vec<Text>>,
}

fn report(test: &Assertion, into: &mut Collector<'_>) -> Result<Outcome, Reason> {
    let outcome = match test.status.0.as_str() {
        "passed" => Outcome::Pass,
        "failed" => Outcome::Fail,
        "skipped" | "pending" | "todo" | "disabled" => Outcome::Skip,
        other => return Err(Reason::Word(other.to_owned())),
    };
    let titles: Vec<String> = test.ancestor_titles.iter().map(|title| title.0.clone()).collect();
    let micros = test.duration.and_then(|millis| micros(millis / 1000.0));
    let message = test.failure_messages.iter().flatten().next();
    let ended = test
        .start_at
        .and_then(since_1970)
        .and_then(|start| Some(later(start, micros?)));
    into.test(&Test {
        name: &test.title.0,
        titles: Titles::of(&titles),
        explicit: "",
        outcome,
        micros,
        message: message.map_or("", |message| &message.0),
        ended,
        nesting: Nesting::default(),
    });
    Ok(outcome)
}
