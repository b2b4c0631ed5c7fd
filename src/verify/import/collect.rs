//! Tests become rows, one per id, whatever the format they came from: merging, manual cases, failures without an id.
//! Holds nothing per test.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::case::{Finder, KnownCases, Titles};
use super::message::first_line;
use super::row::Row;
use crate::clock::Timestamp;
use crate::ledger::Outcome;
use crate::say;
use crate::text::{Bytes, escape};
use crate::voice::{Say, Voice, quoted_list};

/// As many failures without an id are listed; the rest are counted.
const MOST_LISTED: usize = 100;

/// What a failure says that has no words of its own.
const NO_MESSAGE: &str = "failed without a message";

/// A test as a report tells of it, after its last attempt.
pub(super) struct Test<'a> {
    pub(super) name: &'a str,
    pub(super) titles: Titles<'a>,
    /// The ids of an explicit property, as they are written.
    pub(super) explicit: &'a str,
    pub(super) outcome: Outcome,
    pub(super) micros: Option<u64>,
    pub(super) message: &'a str,
    /// Its own end, or that of its report, if that has a zone.
    pub(super) ended: Option<Timestamp>,
    pub(super) nesting: Nesting,
}

/// How a test lies among others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Nesting {
    /// The titles around it are of tests that are reported too: their time has this one's in it.
    pub(super) is_inside: bool,
    /// It failed since a test inside of it did, which is reported on its own.
    pub(super) is_echo: bool,
}

/// A failing test, or a run, that no case stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmappedFailure {
    pub name: String,
    pub error: String,
}

/// Something to look at that is no error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    /// No row: a person does this case.
    ManualCase { id: String },
    /// A name could mean either.
    Ambiguous { ids: Vec<String> },
}

impl Warning {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ManualCase { .. } => "manual_case_has_automated_test",
            Self::Ambiguous { .. } => "case_id_ambiguous",
        }
    }
}

impl Say for Warning {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::ManualCase { id } => {
                let id = escape(id);
                say!(
                    voice,
                    "`{id}` is a manual case, yet a test names it; that test was left out",
                    "`{id}` 是手工用例，却有测试引用它；该测试已略过"
                )
            }
            Self::Ambiguous { ids } => {
                let ids = quoted_list(ids);
                say!(
                    voice,
                    "a test's name could mean each of {ids}; write the id as it is, or in an explicit property",
                    "某个测试名称可能指 {ids} 中的任何一个；请原样写出编号，或使用显式属性"
                )
            }
        }
    }
}

/// What came of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Whole lines of a ledger.
    pub ledger: Bytes,
    pub rows: usize,
    pub tests: u64,
    /// Tests without an id.
    pub unmapped: u64,
    pub unmapped_failures: Vec<UnmappedFailure>,
    /// With those that are not listed.
    pub unmapped_failure_count: u64,
    /// Each once, in order.
    pub warnings: Vec<Warning>,
}

/// Takes in the tests of one import.
pub struct Collector<'k> {
    known: &'k KnownCases,
    finder: Finder,
    imported: Timestamp,
    rows: Vec<Row>,
    places: HashMap<String, usize>,
    /// Rows that wait for the time of their report.
    undated: Vec<usize>,
    tests: u64,
    unmapped: u64,
    failures: Failures,
    warnings: BTreeSet<Warning>,
}

impl<'k> Collector<'k> {
    /// `imported` is the time of rows whose report has none.
    pub fn new(known: &'k KnownCases, imported: Timestamp) -> Self {
        Self {
            known,
            finder: Finder::new(known),
            imported,
            rows: Vec::new(),
            places: HashMap::new(),
            undated: Vec::new(),
            tests: 0,
            unmapped: 0,
            failures: Failures::default(),
            warnings: BTreeSet::new(),
        }
    }

    pub(super) fn test(&mut self, test: &Test<'_>) {
        self.tests += 1;
        let found = self.finder.find(test.explicit, test.name, test.titles);
        for ids in found.ambiguous {
            let ids = ids.to_vec();
            self.warnings.insert(Warning::Ambiguous { ids });
        }
        let is_failure = test.outcome == Outcome::Fail;
        if found.ids.is_empty() {
            self.unmapped += 1;
            if is_failure && !test.nesting.is_echo {
                let name = test.titles.nearest.map_or_else(
                    || Cow::Borrowed(test.name),
                    |class| format!("{class} {}", test.name).into(),
                );
                self.failures.add(&name, test.message);
            }
            return;
        }
        let is_counted = !(test.nesting.is_inside && found.by_title);
        let micros = test.micros.filter(|_| is_counted);
        let error = is_failure.then(|| (first_line(test.name), words(test.message)));
        for id in found.ids {
            if self.known.manual.contains(id.as_ref()) {
                let id = id.into_owned();
                self.warnings.insert(Warning::ManualCase { id });
                continue;
            }
            let known = self.places.get(id.as_ref()).copied();
            let at = known.unwrap_or(self.rows.len());
            if known.is_none() {
                let row = Row::new(id.into_owned(), test.outcome);
                self.places.insert(row.id.clone(), at);
                self.rows.push(row);
            }
            let row = &mut self.rows[at];
            row.join(test.outcome, micros);
            if let Some((name, message)) = &error {
                row.add_error(name, message);
            }
            match test.ended {
                Some(ended) => row.date(ended),
                None if row.is_undated => {}
                None => {
                    row.is_undated = true;
                    self.undated.push(at);
                }
            }
        }
    }

    /// A failure that no test tells of: of a build, a suite, a run.
    pub(super) fn failure(&mut self, name: &str, message: &str) {
        self.failures.add(name, message);
    }

    /// The time of the tests so far that have none: that of their report, else that of the import.
    pub(super) fn date(&mut self, report: Option<Timestamp>) {
        for at in self.undated.drain(..) {
            self.rows[at].is_undated = false;
            self.rows[at].date(report.unwrap_or(self.imported));
        }
    }

    pub fn finish(mut self) -> Imported {
        self.date(None);
        let mut ledger = Bytes::new();
        for row in &self.rows {
            row.write(self.imported, &mut ledger);
        }
        Imported {
            ledger,
            rows: self.rows.len(),
            tests: self.tests,
            unmapped: self.unmapped,
            unmapped_failures: self.failures.listed,
            unmapped_failure_count: self.failures.count,
            warnings: self.warnings.into_iter().collect(),
        }
    }
}

/// Failures without an id, the first of them in words.
#[derive(Default)]
struct Failures {
    listed: Vec<UnmappedFailure>,
    count: u64,
}

impl Failures {
    fn add(&mut self, name: &str, message: &str) {
        self.count += 1;
        if self.listed.len() < MOST_LISTED {
            self.listed.push(UnmappedFailure {
                name: first_line(name),
                error: words(message),
            });
        }
    }
}

fn words(message: &str) -> String {
    let line = first_line(message);
    if line.is_empty() {
        NO_MESSAGE.to_owned()
    } else {
        line
    }
}
