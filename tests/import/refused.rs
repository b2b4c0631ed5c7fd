//! What is no report: an error with its place, never a pass.

use git_spec::verify::import::{Error, Format, Reason};
use git_spec::voice::Fail as _;

use crate::read_bytes;

#[track_caller]
fn refusal(report: &[u8], format: Format) -> (u64, Reason) {
    let error = read_bytes(report, format).expect_err("it is refused");
    assert_eq!(error.code(), "IMPORT_PARSE_FAILED");
    let Error::Parse { fault, .. } = error else {
        panic!("{error}")
    };
    (fault.line, fault.reason)
}

#[test]
fn an_unknown_word_is_never_a_pass() {
    let word = |word: &str| Reason::Word(word.to_owned());
    for (report, line, reason) in [
        (
            "<testsuite>\n<testcase name='UT-1' status='odd'/></testsuite>",
            2,
            word("odd"),
        ),
        (
            "{\"Action\":\"run\"}\n{\"Action\":\"won\",\"Test\":\"T\"}\n",
            2,
            word("won"),
        ),
        (
            "{\"type\":\"test\",\"event\":\"passed\",\"name\":\"a\"}\n",
            1,
            word("passed"),
        ),
        ("{\"type\":\"toast\",\"event\":\"ok\"}\n", 1, word("toast")),
        (
            "{\"suites\":[{\"specs\":[\n{\"title\":\"a\",\"tests\":[{\"status\":\"good\"}]}]}]}",
            2,
            word("good"),
        ),
        (
            "{\"testResults\":[{\"assertionResults\":[\n{\"title\":\"a\",\"status\":\"ok\"}]}]}",
            2,
            word("ok"),
        ),
    ] {
        assert_eq!(
            refusal(report.as_bytes(), Format::Auto),
            (line, reason),
            "{report}"
        );
    }
}

#[test]
fn what_ends_too_early_is_refused() {
    for (report, line) in [
        ("<testsuites>\n<testsuite>\n<testcase name='UT-1'/>", 3),
        ("<testsuite><testcase name='UT-1'><system-out><![CDATA[\n", 2),
        ("{\"suites\":[\n{\"specs\":[]}", 2),
        ("{\"testResults\":[", 1),
        ("{\"Action\":\"run\"}\n{\"Action\":\"pa", 2),
    ] {
        let found = refusal(report.as_bytes(), Format::Auto);
        assert_eq!(found, (line, Reason::Cut), "{report}");
    }
}

#[test]
fn what_is_another_format_is_refused() {
    for format in Format::ALL {
        for nothing in ["", "\n", "hello\n", "[]", "{}"] {
            refusal(nothing.as_bytes(), format);
        }
    }
    for (report, format) in [
        ("<html><body/></html>", Format::Junit),
        ("ok then\n", Format::GoTest),
        ("{\"reason\":\"build-finished\"}\n", Format::Nextest),
        ("{\"config\":{},\"errors\":[]}", Format::Playwright),
        ("{\"success\":true}", Format::Vitest),
        ("TAP version 14x\nhello\n", Format::GoTest),
    ] {
        assert_eq!(
            refusal(report.as_bytes(), format).1,
            Reason::NotOfFormat(format),
            "{report}"
        );
    }
    assert_eq!(refusal(b"hello\n", Format::Auto), (1, Reason::Unrecognised));
}

#[test]
fn xml_is_read_without_declarations_and_entities() {
    let bomb = "<!DOCTYPE a [<!ENTITY b 'bbbb'><!ENTITY c '&b;&b;'>]>\n<testsuite><testcase name='&c;'/></testsuite>";
    assert_eq!(refusal(bomb.as_bytes(), Format::Junit).1, Reason::DocumentType);
    let outside = "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><testsuite><testcase name='UT-1'/></testsuite>";
    assert_eq!(
        read_bytes(outside.as_bytes(), Format::Junit).map(|i| i.rows).ok(),
        Some(1)
    );
    for entity in [
        "<testsuite><testcase name='&x;'/></testsuite>",
        "<testsuite><testcase name='UT-1'><failure>&x;</failure></testcase></testsuite>",
        "<testsuite><testcase name='UT-1'></testsuite>",
        "<testsuite/><testsuite/>",
        "<testsuite><testcase name='a'><testcase name='b'/></testcase></testsuite>",
    ] {
        assert!(
            matches!(refusal(entity.as_bytes(), Format::Junit).1, Reason::Syntax(_)),
            "{entity}"
        );
    }
}
