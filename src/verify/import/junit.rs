//! The XML of `JUnit`, as surefire, pytest, nextest, Jest, Playwright and others write it.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::case::Titles;
use super::collect::{Collector, Nesting, Test};
use super::document::{later, micros, zoned};
use super::error::{Fault, Reason};
use super::format::Format;
use super::source::{DEEPEST, Source};
use super::xml::{each_attribute, skip_content};
use crate::clock::Timestamp;
use crate::ledger::Outcome;
use crate::text::is_blank;

/// Bytes of an element's name: the reader keeps those that are open.
const LONGEST_NAME: usize = 1 << 10;
/// Bytes that are kept of a name, a title, a list of ids, and of what a failure says.
const KEPT: usize = 64 << 10;

pub(super) fn read(source: &mut Source<'_>, into: &mut Collector<'_>) -> Result<(), Fault> {
    let mut report = Report {
        into,
        open: Vec::new(),
        suites: Vec::new(),
        titles: Vec::new(),
        case: Case::default(),
        has_root: false,
    };
    let mut reader = Reader::from_reader(&mut *source);
    let mut buffer = Vec::new();
    let read = loop {
        match step(&mut reader, &mut buffer, &mut report) {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(reason) => break Err(reason),
        }
    };
    read.map_err(|reason| source.fault(reason))
}

/// Takes one event. False at the end.
fn step(
    reader: &mut Reader<&mut Source<'_>>,
    buffer: &mut Vec<u8>,
    report: &mut Report<'_, '_>,
) -> Result<bool, Reason> {
    buffer.clear();
    reader.get_mut().begin_piece();
    match reader.read_event_into(buffer).map_err(|e| of_xml(&e))? {
        Event::Start(tag) => {
            let element = report.start(&tag)?;
            if element == Element::Unread || (element == Element::Verdict && !report.wants_text()) {
                skip_content(reader.get_mut())?;
            }
        }
        Event::Empty(tag) => {
            report.start(&tag)?;
            report.end()?;
        }
        Event::End(_) => report.end()?,
        Event::Text(text) => report.text(&text),
        Event::CData(text) => report.text(&text),
        Event::GeneralRef(name) => {
            let name: &str = &name;
            let sign = unescape(&format!("&{name};"))
                .map_err(|e| Reason::Syntax(e.to_string()))?
                .into_owned();
            report.text(&sign);
        }
        Event::DocType(declared) if declared.contains('[') => return Err(Reason::DocumentType),
        Event::DocType(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        Event::Eof if !report.open.is_empty() => return Err(Reason::Cut),
        Event::Eof if !report.has_root => return Err(Reason::NotOfFormat(Format::Junit)),
        Event::Eof => return Ok(false),
    }
    Ok(true)
}

fn of_xml(error: &quick_xml::Error) -> Reason {
    Reason::Syntax(error.to_string())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    Suites,
    Suite,
    Case,
    Properties,
    /// What says how a case ended; its text is the message.
    Verdict,
    /// Read, though it means nothing itself.
    Other,
    /// Read over: its content may be long.
    Unread,
}

struct Report<'c, 'k> {
    into: &'c mut Collector<'k>,
    open: Vec<Element>,
    /// The time that each of the open suites gives for what is in it.
    suites: Vec<Option<Timestamp>>,
    titles: Vec<String>,
    case: Case,
    has_root: bool,
}

/// A test while its element is open.
#[derive(Default)]
struct Case {
    name: String,
    class: String,
    explicit: String,
    micros: Option<u64>,
    ended: Option<Timestamp>,
    is_failed: bool,
    is_skipped: bool,
    message: String,
}

impl Case {
    fn clear(&mut self) {
        for text in [
            &mut self.name,
            &mut self.class,
            &mut self.explicit,
            &mut self.message,
        ] {
            text.clear();
        }
        (self.micros, self.ended) = (None, None);
        (self.is_failed, self.is_skipped) = (false, false);
    }
}

impl Report<'_, '_> {
    fn start(&mut self, tag: &BytesStart<'_>) -> Result<Element, Reason> {
        let name = tag.local_name();
        let name: &str = name.as_ref();
        if self.open.len() >= DEEPEST {
            return Err(Reason::TooDeep);
        }
        if tag.name().as_ref().len() > LONGEST_NAME {
            return Err(Reason::PieceTooLong);
        }
        let around = self.open.last().copied();
        let element = match (around, name) {
            (None, "testsuites" | "testsuite") if self.has_root => {
                return Err(Reason::Syntax("there is a second root element".to_owned()));
            }
            (None | Some(Element::Suites | Element::Suite | Element::Other), "testsuites") => Element::Suites,
            (None | Some(Element::Suites | Element::Suite | Element::Other), "testsuite") => Element::Suite,
            (None, _) => return Err(Reason::NotOfFormat(Format::Junit)),
            (Some(Element::Case), "testcase") => {
                return Err(Reason::Syntax("there is a testcase in a testcase".to_owned()));
            }
            (Some(Element::Suites | Element::Suite | Element::Other), "testcase") => Element::Case,
            (Some(Element::Case), "properties") => Element::Properties,
            (Some(Element::Case), _) => verdict(name).map_or(Element::Unread, |_| Element::Verdict),
            (Some(Element::Suites | Element::Suite), "failure" | "error") => Element::Verdict,
            (Some(Element::Suites | Element::Suite), "system-out" | "system-err" | "properties") => {
                Element::Unread
            }
            (Some(Element::Verdict), _) => Element::Unread,
            (Some(_), _) => Element::Other,
        };
        self.has_root = true;
        self.open.push(element);
        match element {
            Element::Suites | Element::Suite => self.begin_suite(tag)?,
            Element::Case => self.begin_case(tag)?,
            Element::Verdict => self.begin_verdict(name, tag)?,
            Element::Other if around == Some(Element::Properties) => self.property(tag)?,
            Element::Properties | Element::Other | Element::Unread => {}
        }
        Ok(element)
    }

    fn begin_suite(&mut self, tag: &BytesStart<'_>) -> Result<(), Reason> {
        let (mut title, mut start, mut taken) = (String::new(), None, None);
        each_attribute(tag, |name, value| {
            match name {
                "name" => keep(&mut title, value),
                "timestamp" => start = zoned(value),
                "time" => taken = seconds(value),
                _ => {}
            }
            Ok(())
        })?;
        let own = start.map(|start| later(start, taken.unwrap_or_default()));
        let around = self.suites.last().copied().flatten();
        self.suites.push(own.or(around));
        self.titles.push(title);
        Ok(())
    }

    fn begin_case(&mut self, tag: &BytesStart<'_>) -> Result<(), Reason> {
        let case = &mut self.case;
        case.clear();
        let mut start = None;
        each_attribute(tag, |name, value| {
            match name {
                "name" => keep(&mut case.name, value),
                "classname" | "class" if case.class.is_empty() => keep(&mut case.class, value),
                "time" => case.micros = seconds(value),
                "timestamp" => start = zoned(value),
                "status" => match status(value)? {
                    Some(Outcome::Fail) => case.is_failed = true,
                    Some(Outcome::Skip) => case.is_skipped = true,
                    Some(Outcome::Pass) | None => {}
                },
                _ => {}
            }
            Ok(())
        })?;
        let own = start.map(|start| later(start, case.micros.unwrap_or_default()));
        case.ended = own.or(self.suites.last().copied().flatten());
        Ok(())
    }

    fn begin_verdict(&mut self, name: &str, tag: &BytesStart<'_>) -> Result<(), Reason> {
        if self.open[self.open.len() - 2] != Element::Case {
            // Of a suite itself, which could not be run.
            self.case.clear();
        }
        let case = &mut self.case;
        match verdict(name) {
            Some(Outcome::Fail) => case.is_failed = true,
            Some(Outcome::Skip) => case.is_skipped = true,
            // An attempt that was followed by another.
            Some(Outcome::Pass) | None => return Ok(()),
        }
        each_attribute(tag, |attribute, value| {
            if attribute == "message" && case.is_failed && is_blank(&case.message) {
                keep(&mut case.message, value);
            }
            Ok(())
        })
    }

    /// Whether the verdict that was just begun has not said anything yet.
    fn wants_text(&self) -> bool {
        self.case.is_failed && is_blank(&self.case.message)
    }

    fn text(&mut self, text: &str) {
        if self.open.last() == Some(&Element::Verdict) && self.case.is_failed {
            keep(&mut self.case.message, text);
        }
    }

    fn property(&mut self, tag: &BytesStart<'_>) -> Result<(), Reason> {
        let (mut is_ours, mut ids) = (false, String::new());
        each_attribute(tag, |name, value| {
            match name {
                "name" => is_ours = value == "case-id",
                "value" => keep(&mut ids, value),
                _ => {}
            }
            Ok(())
        })?;
        if is_ours {
            keep(&mut self.case.explicit, " ");
            keep(&mut self.case.explicit, &ids);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Reason> {
        match self.open.pop() {
            Some(Element::Suites | Element::Suite) => {
                self.suites.pop();
                self.titles.pop();
            }
            Some(Element::Case) => self.tell(),
            Some(Element::Verdict) if self.open.last() != Some(&Element::Case) => {
                let suite = self.titles.last().map_or("", String::as_str);
                self.into.failure(suite, &self.case.message);
            }
            Some(Element::Verdict | Element::Properties | Element::Other | Element::Unread) => {}
            None => return Err(Reason::Syntax("an element ends that has not begun".to_owned())),
        }
        Ok(())
    }

    fn tell(&mut self) {
        let case = &self.case;
        let outcome = match (case.is_failed, case.is_skipped) {
            (true, _) => Outcome::Fail,
            (false, true) => Outcome::Skip,
            (false, false) => Outcome::Pass,
        };
        self.into.test(&Test {
            name: &case.name,
            titles: Titles {
                nearest: Some(case.class.as_str()).filter(|class| !class.is_empty()),
                outer: &self.titles,
            },
            explicit: &case.explicit,
            outcome,
            micros: case.micros,
            message: &case.message,
            ended: case.ended,
            nesting: Nesting::default(),
        });
    }
}

/// What an element in a case says of it: an attempt that failed and was followed by one that did not is no failure.
fn verdict(name: &str) -> Option<Outcome> {
    Some(match name {
        "failure" | "error" | "rerunFailure" | "rerunError" => Outcome::Fail,
        "skipped" | "disabled" => Outcome::Skip,
        "flakyFailure" | "flakyError" => Outcome::Pass,
        _ => return None,
    })
}

/// What the attribute says of a case. Most leave it to the elements inside.
fn status(word: &str) -> Result<Option<Outcome>, Reason> {
    Ok(match word.to_ascii_lowercase().as_str() {
        "" | "run" | "completed" => None,
        "pass" | "passed" | "success" | "successful" | "ok" => Some(Outcome::Pass),
        "fail" | "failed" | "failure" | "error" | "errored" | "broken" => Some(Outcome::Fail),
        "notrun" | "skip" | "skipped" | "disabled" | "ignored" | "pending" | "todo" => Some(Outcome::Skip),
        _ => return Err(Reason::Word(word.to_owned())),
    })
}

/// Seconds, in some writers with a comma between thousands. What is no number is no time: it is not required.
fn seconds(text: &str) -> Option<u64> {
    let number: f64 = if text.contains(',') {
        text.replace(',', "").parse().ok()?
    } else {
        text.trim().parse().ok()?
    };
    micros(number)
}

fn keep(text: &mut String, more: &str) {
    let room = KEPT.saturating_sub(text.len());
    let mut end = room.min(more.len());
    while !more.is_char_boundary(end) {
        end -= 1;
    }
    text.push_str(&more[..end]);
}
