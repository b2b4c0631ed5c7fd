//! Any bytes: no panic. Any size: the same memory. Any depth: a limit.

use std::io::{self, Read};

use git_spec::clock::Timestamp;
use git_spec::verify::import::{self, Collector, Error, Format, KnownCases, Reason};
use proptest::prelude::*;

use crate::{read, read_bytes};

/// A report that is made while it is read: a head, so many times a middle, an end.
struct Made {
    parts: Vec<(Vec<u8>, u64)>,
    at: usize,
}

impl Made {
    fn of(head: &str, middle: &str, times: u64, end: &str) -> Self {
        let part = |text: &str, times| (text.as_bytes().to_vec(), times);
        let mut parts = vec![part(end, 1), part(middle, times), part(head, 1)];
        parts.retain(|(text, _)| !text.is_empty());
        Self { parts, at: 0 }
    }
}

impl Read for Made {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        while done < into.len() {
            let Some((text, times)) = self.parts.last_mut() else {
                break;
            };
            let len = (into.len() - done).min(text.len() - self.at);
            into[done..done + len].copy_from_slice(&text[self.at..self.at + len]);
            (done, self.at) = (done + len, self.at + len);
            if self.at == text.len() {
                self.at = 0;
                *times -= 1;
                if *times == 0 {
                    self.parts.pop();
                }
            }
        }
        Ok(done)
    }
}

fn reason(report: Made, format: Format) -> Option<Reason> {
    let known = KnownCases::default();
    let mut collector = Collector::new(&known, Timestamp::from_seconds(0));
    match import::read(report, format, "report", &mut collector) {
        Ok(()) => None,
        Err(Error::Parse { fault, .. }) => Some(fault.reason),
        Err(other) => panic!("{other}"),
    }
}

/// Suites in suites, with a test in the innermost: values of JSON inside of one another.
fn suites(depth: usize) -> String {
    // The list of specs is the innermost value that is read a part at a time.
    let (pairs, rest) = ((depth - 2) / 2, (depth - 2) % 2);
    let (open, close) = ("{\"suites\":[", "]}");
    let (open, close) = (open.repeat(pairs), close.repeat(pairs));
    let spec = "{\"title\":\"UT-S01-01\",\"tests\":[{\"status\":\"expected\"}]}";
    // A list in the place of an object is one level more.
    let inner = if rest == 0 {
        format!("{{\"specs\":[{spec}]}}")
    } else {
        "{\"suites\":[{}]}".to_owned()
    };
    format!("{open}{inner}{close}")
}

#[test]
fn nesting_has_a_limit() {
    let nested = |open: &str, close: &str, depth: usize| open.repeat(depth) + &close.repeat(depth);
    assert_eq!(
        read(&nested("<testsuite>", "</testsuite>", 1000), Format::Junit).tests,
        0
    );
    for report in [
        nested("<testsuite>", "</testsuite>", 1001),
        format!(
            "<testsuite><testcase><x>{}</x></testcase></testsuite>",
            nested("<y>", "</y>", 1001)
        ),
        (0..1001).map(|depth| " ".repeat(4 * depth) + "ok\n").collect(),
        suites(1001),
        format!("{{\"suites\":[{{{}", "\"suites\":[{".repeat(100_000)),
    ] {
        let found = read_bytes(report.as_bytes(), Format::Auto);
        let Err(Error::Parse { fault, .. }) = found else {
            panic!("{report:.80}")
        };
        assert_eq!(fault.reason, Reason::TooDeep, "{report:.80}");
    }
    assert_eq!(read(&suites(1000), Format::Auto).tests, 1);
    // What is not read may be as deep as it likes.
    let ignored = format!("{{\"config\":{},\"suites\":[]}}", nested("[", "]", 100_000));
    assert_eq!(read(&ignored, Format::Auto).tests, 0);
}

#[test]
fn a_piece_that_must_be_held_has_a_limit() {
    let mebibyte = "x".repeat(1 << 20);
    for (head, format) in [
        ("<testsuite><testcase name='", Format::Junit),
        ("<testsuite><testcase name='UT-1'><failure>", Format::Junit),
        ("{\"Action\":\"", Format::GoTest),
        ("{\"suites\":[{\"title\":\"", Format::Playwright),
        ("1..1\nok ", Format::Tap),
    ] {
        let found = reason(Made::of(head, &mebibyte, 70, ""), format);
        assert_eq!(found, Some(Reason::PieceTooLong), "{head}");
    }
}

#[test]
fn output_that_nobody_wants_has_none() {
    let mebibyte = "x <y> ]] ".repeat(1 << 17);
    let report = Made::of(
        "<testsuite><testcase name='UT-1'><system-out><![CDATA[",
        &mebibyte,
        100,
        "]]></system-out></testcase></testsuite>",
    );
    assert_eq!(reason(report, Format::Junit), None);
}

/// A corpus of the formats' words.
fn pieces() -> impl Strategy<Value = String> {
    const PIECES: [&str; 44] = [
        "<testsuites>",
        "<testsuite name='UT-1' timestamp='2026-01-02T03:04:05Z'>",
        "</testsuite>",
        "</testsuites>",
        "<testcase name='UT-S01-03' time='1e300'>",
        "<testcase classname=\"ut_s01_03\" name=\"&#x1b;[3\"/>",
        "</testcase>",
        "<failure message='a'>",
        "</failure>",
        "<skipped/>",
        "<system-out>",
        "</system-out>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "&lt;",
        "&",
        "<properties><property name='case-id' value='UT-1,UT-2'/></properties>",
        "<?xml version='1.0'?>",
        "TAP version 14\n",
        "1..2\n",
        "ok 1 - UT-1\n",
        "    not ok # TODO\n",
        "  ---\n",
        "  ...\n",
        "  message: |\n",
        "# Subtest: x\n",
        "Bail out!",
        "{\"Action\":\"run\",\"Test\":\"TestUT_S01_03/a\"}\n",
        "{\"Action\":\"fail\",\"Package\":\"p\"}\n",
        "{\"Action\":\"output\",\"Test\":\"T\",\"Output\":\"x\"}\n",
        "{\"type\":\"test\",\"event\":\"ok\",\"name\":\"a$b#2\"}\n",
        "{\"type\":\"suite\",\"event\":\"failed\"}\n",
        "{\"suites\":[",
        "{\"title\":\"UT-1\",",
        "\"specs\":[",
        "{\"title\":\"a\",\"tests\":[{\"status\":\"expected\"}]}",
        "{\"testResults\":[",
        "{\"assertionResults\":[",
        "]}",
        "\"",
        ",",
        "\u{feff}",
    ];
    let piece = prop::sample::select(&PIECES[..]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn never_panics(report: &[u8]) {
    for format in Format::ALL {
        let Ok(imported) = read_bytes(report, format) else {
            continue;
        };
        let lines = imported.ledger.split_inclusive(|byte| *byte == b'\n');
        let mut count = 0;
        for line in lines {
            let row: serde_json::Value = serde_json::from_slice(line).expect("a row is JSON");
            assert!(line.ends_with(b"\n") && !row["id"].as_str().expect("it has one").trim().is_empty());
            let error = row["error"].as_str();
            assert_eq!(
                row["status"] == "fail",
                error.is_some_and(|error| !error.trim().is_empty())
            );
            assert!(error.is_none_or(|error| error.chars().count() <= 2000));
            count += 1;
        }
        assert_eq!(count, imported.rows);
        assert!(imported.unmapped <= imported.tests);
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(report in prop::collection::vec(any::<u8>(), 0..200)) {
        never_panics(&report);
    }

    #[test]
    fn no_report_of_known_words_makes_it_panic(report in pieces()) {
        never_panics(report.as_bytes());
    }
}
