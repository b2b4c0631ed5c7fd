//! The events of `go test -json` (test2json), a line each.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::case::Titles;
use super::collect::{Collector, Nesting, Test};
use super::document::{Text, micros, of_json, zoned};
use super::error::{Fault, Reason};
use super::format::Format;
use super::lines::Lines;
use super::source::Source;
use crate::clock::Timestamp;
use crate::ledger::Outcome;
use crate::text::is_blank;

/// Tests that may run at once.
const MOST_OPEN: usize = 1 << 20;
/// Subtests inside of one another.
const DEEPEST: usize = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: Text,
    time: Option<Text>,
    package: Option<Text>,
    import_path: Option<Text>,
    test: Option<Text>,
    elapsed: Option<f64>,
    output: Option<Text>,
    /// What could not be built, so that a package failed.
    failed_build: Option<Text>,
}

/// Whether a line tells, as text, that a package could not be built: older versions write it among the events.
pub(super) fn is_package_failure(line: &str) -> bool {
    line.starts_with("FAIL\t")
}

pub(super) fn read(source: &mut Source<'_>, into: &mut Collector<'_>) -> Result<(), Fault> {
    let mut report = Report {
        into,
        open: HashMap::new(),
        failed: HashSet::new(),
    };
    let mut lines = Lines::of(source);
    let mut is_report = false;
    while let Some(line) = lines.next()? {
        if line.starts_with('{') {
            let event: Result<Event, _> = serde_json::from_str(line);
            let event = event.map_err(|e| lines.fault(of_json(&e)))?;
            is_report = true;
            report.take(&event).map_err(|reason| lines.fault(reason))?;
        } else if is_package_failure(line) {
            is_report = true;
            let package = line.split_whitespace().nth(1).unwrap_or("the run");
            report.into.failure(package, line);
        }
        // All else is what the compiler and the tests say.
    }
    if !is_report {
        return Err(lines.fault(Reason::NotOfFormat(Format::GoTest)));
    }
    report.end_open(|_| true, None);
    Ok(())
}

/// A package and, if it is one, a test in it.
type Place = (String, String);

struct Report<'c, 'k> {
    into: &'c mut Collector<'k>,
    /// What has begun, with the first line that it said.
    open: HashMap<Place, String>,
    /// What has failed in itself or in something inside, until it ends: a package has an empty name.
    failed: HashSet<Place>,
}

impl Report<'_, '_> {
    fn take(&mut self, event: &Event) -> Result<(), Reason> {
        let text = |field: &Option<Text>| field.as_ref().map_or(String::new(), |text| text.0.clone());
        let package = event.package.as_ref().or(event.import_path.as_ref());
        let package = package.map_or(String::new(), |text| text.0.clone());
        let place = (package, text(&event.test));
        let is_test = !place.1.is_empty();
        match event.action.0.as_str() {
            "run" | "start" => self.begin(place)?,
            "output" => self.note(&place, &text(&event.output)),
            // It stands before the package begins.
            "build-output" => {
                self.begin(place.clone())?;
                self.note(&place, &text(&event.output));
            }
            // A package that was not built fails too, and names no test then.
            "pause" | "cont" | "bench" | "attr" | "artifacts" | "build-fail" => {}
            "pass" if is_test => self.result(&place, Outcome::Pass, event),
            "skip" if is_test => self.result(&place, Outcome::Skip, event),
            "fail" if is_test => self.result(&place, Outcome::Fail, event),
            "pass" | "skip" | "fail" => self.end_package(&place, event),
            other => return Err(Reason::Word(other.to_owned())),
        }
        Ok(())
    }

    fn begin(&mut self, place: Place) -> Result<(), Reason> {
        if self.open.len() >= MOST_OPEN {
            return Err(Reason::TooManyOpen);
        }
        self.open.entry(place).or_default();
        Ok(())
    }

    /// Keeps the first line that says something; how a test began and ended is told by events.
    fn note(&mut self, place: &Place, output: &str) {
        const FRAMES: [&str; 6] = ["=== ", "--- ", "# ", "FAIL", "exit status", "PASS"];
        let said = output.trim_start();
        if is_blank(said) || FRAMES.iter().any(|frame| said.starts_with(frame)) {
            return;
        }
        if let Some(message) = self.open.get_mut(place).filter(|message| message.is_empty()) {
            said.trim_end().clone_into(message);
        }
    }

    fn result(&mut self, place: &Place, outcome: Outcome, event: &Event) {
        let message = self.open.remove(place).unwrap_or_default();
        let ended = event.time.as_ref().and_then(|time| zoned(&time.0));
        let micros = event.elapsed.and_then(micros);
        self.tell(place, outcome, &message, micros, ended);
    }

    fn tell(
        &mut self,
        place: &Place,
        outcome: Outcome,
        message: &str,
        micros: Option<u64>,
        ended: Option<Timestamp>,
    ) {
        let (package, test) = place;
        let is_echo = self.failed.remove(place) && message.is_empty();
        // Beyond that, a parent that fails with its test is told twice.
        if outcome == Outcome::Fail && self.failed.len() < MOST_OPEN {
            self.failed.insert((package.clone(), String::new()));
            let parents = test.match_indices('/').take(DEEPEST).map(|(end, _)| &test[..end]);
            self.failed
                .extend(parents.map(|parent| (package.clone(), parent.to_owned())));
        }
        let mut titles: Vec<String> = test.split('/').map(str::to_owned).collect();
        let name = titles.pop().unwrap_or_default();
        self.into.test(&Test {
            name: &name,
            titles: Titles::of(&titles),
            explicit: "",
            outcome,
            micros,
            message,
            ended,
            nesting: Nesting {
                is_inside: true,
                is_echo,
            },
        });
    }

    /// What is open in a package that ends has not ended itself.
    fn end_package(&mut self, place: &Place, event: &Event) {
        let built = event
            .failed_build
            .as_ref()
            .map(|built| (built.0.clone(), String::new()));
        let message = built.and_then(|built| self.open.remove(&built));
        let message = message.or_else(|| self.open.remove(place)).unwrap_or_default();
        let ended = event.time.as_ref().and_then(|time| zoned(&time.0));
        self.end_open(|package| package == place.0, ended);
        if event.action.0 == "fail" && !self.failed.contains(place) {
            self.into.failure(&place.0, &message);
        }
        self.open.retain(|(package, _), _| *package != place.0);
        self.failed.retain(|(package, _)| *package != place.0);
    }

    /// Benchmarks have no end of their own.
    fn end_open(&mut self, is_meant: impl Fn(&str) -> bool, ended: Option<Timestamp>) {
        let mut open: Vec<(Place, String)> = self
            .open
            .extract_if(|(package, test), _| {
                is_meant(package) && !test.is_empty() && !test.starts_with("Benchmark")
            })
            .collect();
        // The inner ones first, as they would have ended.
        open.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
        for (place, said) in open {
            let message = if said.is_empty() {
                "did not end".to_owned()
            } else {
                said
            };
            self.tell(&place, Outcome::Fail, &message, None, ended);
        }
    }
}
