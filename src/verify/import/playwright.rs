//! Playwright's JSON report: suites in suites; the outermost are files.

use serde::Deserialize;
use serde::de::MapAccess;

use super::case::Titles;
use super::collect::{Collector, Nesting, Test};
use super::document::{Each, Object, Text, Values, later, micros, read_object, skip, stopped, zoned};
use super::error::{Fault, Reason};
use super::format::Format;
use super::source::{Allowance, Source};
use crate::ledger::Outcome;

pub(super) fn read(source: &mut Source<'_>, into: &mut Collector<'_>) -> Result<(), Fault> {
    let mut report = Report {
        reading: Reading {
            into,
            allowance: source.allowance(),
            titles: Vec::new(),
            reason: None,
        },
        has_suites: false,
    };
    let read = read_object(source, &mut report);
    if let Some(reason) = report.reading.reason {
        let line = read.err().map_or(1, |fault| fault.line);
        return Err(Fault { line, reason });
    }
    read?;
    if !report.has_suites {
        return Err(source.fault(Reason::NotOfFormat(Format::Playwright)));
    }
    Ok(())
}

struct Reading<'c, 'k> {
    into: &'c mut Collector<'k>,
    allowance: Allowance,
    titles: Vec<String>,
    reason: Option<Reason>,
}

struct Report<'c, 'k> {
    reading: Reading<'c, 'k>,
    has_suites: bool,
}

impl Object for Report<'_, '_> {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        let allowance = self.reading.allowance.clone();
        match key {
            "suites" => {
                self.has_suites = true;
                let mut files = Suite {
                    reading: &mut self.reading,
                    is_file: true,
                    title: None,
                    is_entered: false,
                };
                map.next_value_seed(Each {
                    object: &mut files,
                    allowance: &allowance,
                })
            }
            // Of the run, not of a test: a file that cannot be loaded, a worker that died.
            "errors" => map.next_value_seed(Values::new(&allowance, |error: Problem| {
                self.reading
                    .into
                    .failure("playwright", &error.message.unwrap_or_default().0);
                true
            })),
            _ => skip(map),
        }
    }
}

struct Suite<'s, 'c, 'k> {
    reading: &'s mut Reading<'c, 'k>,
    is_file: bool,
    title: Option<String>,
    is_entered: bool,
}

impl Suite<'_, '_, '_> {
    /// Puts the title around what follows.
    fn enter(&mut self) {
        if !self.is_file && !self.is_entered {
            self.reading.titles.push(self.title.take().unwrap_or_default());
            self.is_entered = true;
        }
    }
}

impl Object for Suite<'_, '_, '_> {
    fn begin(&mut self) {
        (self.title, self.is_entered) = (None, false);
    }

    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        let allowance = self.reading.allowance.clone();
        match key {
            "title" if self.is_entered => {
                // The tests before it were taken for those of a suite without a title.
                self.reading.reason = Some(Reason::Syntax(
                    "the title of a suite stands behind its tests".to_owned(),
                ));
                Err(stopped())
            }
            "title" => {
                self.title = Some(map.next_value::<Text>()?.0);
                Ok(())
            }
            "specs" => {
                self.enter();
                let reading = &mut *self.reading;
                map.next_value_seed(Values::new(&allowance, |spec: Spec| {
                    match report(&spec, reading) {
                        Ok(()) => true,
                        Err(reason) => {
                            reading.reason = Some(reason);
                            false
                        }
                    }
                }))
            }
            "suites" => {
                self.enter();
                let mut inner = Suite {
                    reading: &mut *self.reading,
                    is_file: false,
                    title: None,
                    is_entered: false,
                };
                map.next_value_seed(Each {
                    object: &mut inner,
                    allowance: &allowance,
                })
            }
            _ => skip(map),
        }
    }

    fn end(&mut self) -> bool {
        if self.is_entered {
            self.reading.titles.pop();
        }
        true
    }
}

#[derive(Deserialize)]
struct Spec {
    title: Text,
    #[serde(default)]
    tags: Vec<Text>,
    tests: Vec<Run>,
}

/// A spec in one project.
#[derive(Deserialize)]
struct Run {
    status: Text,
    #[serde(default)]
    annotations: Vec<Annotation>,
    #[serde(default)]
    results: Vec<Attempt>,
}

#[derive(Deserialize)]
struct Annotation {
    r#type: Option<Text>,
    description: Option<Text>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attempt {
    status: Option<Text>,
    duration: Option<f64>,
    start_time: Option<Text>,
    error: Option<Problem>,
    #[serde(default)]
    errors: Vec<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    message: Option<Text>,
}

fn report(spec: &Spec, reading: &mut Reading<'_, '_>) -> Result<(), Reason> {
    const PROPERTY: &str = "case-id";
    let tagged = spec.tags.iter().filter_map(|tag| {
        let tag = tag.0.strip_prefix('@').unwrap_or(&tag.0);
        tag.strip_prefix(PROPERTY)?.strip_prefix([':', '='])
    });
    let tagged: Vec<&str> = tagged.collect();
    for run in &spec.tests {
        let last = run.results.last();
        let was_interrupted = || {
            last.and_then(|last| last.status.as_ref())
                .is_some_and(|s| s.0 == "interrupted")
        };
        let outcome = match run.status.0.as_str() {
            "expected" | "flaky" => Outcome::Pass,
            "unexpected" | "interrupted" => Outcome::Fail,
            // A test that was stopped is among the skipped ones.
            "skipped" if was_interrupted() => Outcome::Fail,
            "skipped" => Outcome::Skip,
            other => return Err(Reason::Word(other.to_owned())),
        };
        let noted = run.annotations.iter().filter_map(|note| {
            let is_ours = note.r#type.as_ref().is_some_and(|kind| kind.0 == PROPERTY);
            note.description
                .as_ref()
                .filter(|_| is_ours)
                .map(|ids| ids.0.as_str())
        });
        let explicit: Vec<&str> = noted.chain(tagged.iter().copied()).collect();
        let problem = last.and_then(|last| last.error.as_ref().or(last.errors.first()));
        let message = problem.and_then(|problem| problem.message.as_ref());
        let micros = last.and_then(|last| micros(last.duration? / 1000.0));
        let ended = last.and_then(|last| Some(later(zoned(&last.start_time.as_ref()?.0)?, micros?)));
        reading.into.test(&Test {
            name: &spec.title.0,
            titles: Titles::of(&reading.titles),
            explicit: &explicit.join(" "),
            outcome,
            micros,
            message: message.map_or("", |message| &message.0),
            ended,
            nesting: Nesting::default(),
        });
    }
    Ok(())
}
