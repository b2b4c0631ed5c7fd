//! What tests come to: merging, statuses, times, manual cases, failures without an id.

use git_spec::verify::import::{Format, Warning};
use serde_json::json;

use crate::{NOW, outcomes, read, rows};

fn junit(cases: &str) -> String {
    format!("<testsuite name='s'>{cases}</testsuite>")
}

#[test]
fn several_tests_of_an_id_are_one_row() {
    let report = junit(
        "<testcase name='UT-1 a' time='0.001'><skipped/></testcase>
        <testcase name='UT-1 b' time='0.0015'/>
        <testcase name='UT-2 a'><failure message='one&#10;two'/></testcase>
        <testcase name='UT-2 b' time='1'><failure/></testcase>
        <testcase name='UT-2 c' time='1'/>
        <testcase name='UT-3 a'><skipped/></testcase>",
    );
    assert_eq!(
        rows(&read(&report, Format::Junit)),
        [
            json!({"id": "UT-1", "status": "pass", "duration_ms": 2.5, "timestamp": NOW}),
            json!({
                "id": "UT-2", "status": "fail", "error": "UT-2 a: one; UT-2 b: failed without a message",
                "duration_ms": 2000, "timestamp": NOW
            }),
            json!({"id": "UT-3", "status": "skip", "timestamp": NOW}),
        ]
    );
}

#[test]
fn an_error_has_2000_characters_at_most_and_no_escapes() {
    let long = "用".repeat(1500);
    let case = format!("<testcase name='UT-1'><error message='&#27;[31m&#9;{long}&#x7;'/></testcase>");
    let report = junit(&case.repeat(2));
    let rows = rows(&read(&report, Format::Junit));
    let error = rows[0]["error"].as_str().expect("it failed");
    assert_eq!(
        error,
        &format!("UT-1: {long}; UT-1: {long}")
            .chars()
            .take(2000)
            .collect::<String>()
    );
}

#[test]
fn the_statuses_of_junit() {
    for (case, status) in [
        ("/>", "pass"),
        (" status='run'/>", "pass"),
        (" status='notrun'/>", "skip"),
        (" status='failed'/>", "fail"),
        ("><disabled/></testcase>", "skip"),
        ("><error/></testcase>", "fail"),
        ("><skipped/><failure/></testcase>", "fail"),
        ("><flakyError/><flakyFailure/></testcase>", "pass"),
        ("><rerunFailure/><failure/></testcase>", "fail"),
        ("><system-out>failure</system-out></testcase>", "pass"),
        ("><x:failure xmlns:x='u'/></testcase>", "fail"),
    ] {
        let report = junit(&format!("<testcase name='UT-1'{case}"));
        assert_eq!(
            outcomes(&report, Format::Auto).0,
            [format!("UT-1 {status}")],
            "{case}"
        );
    }
}

#[test]
fn a_time_without_zone_is_not_trusted_and_the_nearest_with_one_counts() {
    let case = |attributes: &str| format!("<testcase name='UT-1' time='2' {attributes}/>");
    for (report, time) in [
        (
            junit(&case("timestamp='2026-01-01T00:00:00+01:00'")),
            "2025-12-31T23:00:02.000Z",
        ),
        (junit(&case("timestamp='2026-01-01T00:00:00'")), NOW),
        (
            format!(
                "<testsuites timestamp='2026-01-01T00:00:00Z' time='5'>{}</testsuites>",
                junit(&case(""))
            ),
            "2026-01-01T00:00:05.000Z",
        ),
        (
            format!(
                "<testsuite timestamp='2026-01-01T00:00:00.5Z'>{}</testsuite>",
                case("")
            ),
            "2026-01-01T00:00:00.500Z",
        ),
        // The latest of several is when the id was last seen.
        (
            junit(&format!(
                "{}{}",
                case("timestamp='2026-02-01T00:00:00Z'"),
                case("timestamp='2026-01-01T00:00:00Z'")
            )),
            "2026-02-01T00:00:02.000Z",
        ),
    ] {
        assert_eq!(
            rows(&read(&report, Format::Junit))[0]["timestamp"],
            time,
            "{report}"
        );
    }
}

#[test]
fn a_manual_case_gets_no_row_and_one_warning() {
    let report = junit("<testcase name='ST-S01-09 a'/><testcase name='ST-S01-09 UT-1 b'/>");
    let imported = read(&report, Format::Junit);
    assert_eq!(rows(&imported).len(), 1);
    assert_eq!(rows(&imported)[0]["id"], "UT-1");
    let id = "ST-S01-09".to_owned();
    assert_eq!(imported.warnings, [Warning::ManualCase { id }]);
    assert_eq!((imported.tests, imported.unmapped), (2, 0));
}

#[test]
fn failures_without_an_id_are_counted_and_the_first_hundred_listed() {
    let cases =
        "<testcase name='n' classname='c'><failure>\n first \n</failure></testcase><testcase name='ok'/>";
    let imported = read(&junit(&cases.repeat(101)), Format::Junit);
    assert_eq!((imported.unmapped, imported.unmapped_failure_count), (202, 101));
    assert_eq!(imported.unmapped_failures.len(), 100);
    let first = &imported.unmapped_failures[0];
    assert_eq!((first.name.as_str(), first.error.as_str()), ("c n", "first"));
    let suite = "<testsuite name='cannot load'><error message='no'/></testsuite>";
    assert_eq!(outcomes(suite, Format::Junit).1, ["cannot load: no"]);
}

#[test]
fn a_go_parent_that_fails_for_its_subtest_is_not_told_twice() {
    let event = |action: &str, test: &str| {
        format!("{{\"Action\":\"{action}\",\"Package\":\"p\",\"Test\":\"{test}\"}}\n")
    };
    let inner = event("run", "TestA")
        + &event("run", "TestA/b")
        + &event("fail", "TestA/b")
        + &event("fail", "TestA");
    let package = "{\"Action\":\"fail\",\"Package\":\"p\"}\n";
    let (none, failures) = outcomes(&(inner.clone() + package), Format::Auto);
    assert_eq!(
        (none, failures),
        (vec![], vec!["b: failed without a message".to_owned()])
    );
    // One that fails with it, by its own name, does.
    let named = inner.replace("TestA", "TestUT_S01_03");
    assert_eq!(outcomes(&(named + package), Format::Auto).0, ["UT-S01-03 fail"]);
    let died = "{\"Action\":\"start\",\"Package\":\"p\"}\n{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"exit 3\"}\n";
    assert_eq!(
        outcomes(&format!("{died}{package}"), Format::Auto).1,
        ["p: exit 3"]
    );
    let text = "FAIL\tp [build failed]\n";
    assert_eq!(outcomes(text, Format::Auto).1, ["p: FAIL p [build failed]"]);
    // The end of the stream came before that of the test.
    assert_eq!(
        outcomes(&event("run", "TestUT_S01_03"), Format::Auto).0,
        ["UT-S01-03 fail"]
    );
    let stopped = event("run", "TestUT_S01_03") + "{\"Action\":\"pass\",\"Package\":\"p\"}\n";
    assert_eq!(outcomes(&stopped, Format::Auto).0, ["UT-S01-03 fail"]);
    let bench = event("run", "BenchmarkUT_S01_03") + "{\"Action\":\"pass\",\"Package\":\"p\"}\n";
    assert_eq!(outcomes(&bench, Format::Auto), (vec![], vec![]));
}

#[test]
fn plans_of_tap() {
    for (report, failures) in [
        ("1..1\nok UT-1\n", vec![]),
        ("ok UT-1\n1..1\n", vec![]),
        ("1..0 # SKIP none\n", vec![]),
        (
            "1..2\nok UT-1\n",
            vec!["the plan: 2 tests were planned, 1 were run"],
        ),
        ("ok UT-1\nok\n", vec!["the plan: no plan, 2 tests were run"]),
        ("1..1\nok UT-1\nBail out!\nnot ok\n", vec!["the plan: Bail out!"]),
        (
            "1..1\n    1..2\n    ok UT-1\nok UT-2\n",
            vec!["the plan: 2 tests were planned, 1 were run"],
        ),
    ] {
        assert_eq!(outcomes(report, Format::Auto).1, failures, "{report}");
    }
    assert_eq!(
        outcomes(
            "1..4\nnot ok UT-1 # Todo x\nok UT-2 # skipped\nnot ok UT-3 \\# SKIP\nok 4 UT-4 # 5\n",
            Format::Tap
        )
        .0,
        ["UT-1 skip", "UT-2 skip", "UT-3 fail", "UT-4 pass"]
    );
}

#[test]
fn a_subtest_has_the_title_that_stands_before_it() {
    let report = "TAP version 14\n# Subtest: UT-1 group\n    # Subtest: one\n    ok 1 - one\n      ---\n      duration_ms: 3\n      ...\n    1..1\nok 1 - UT-1 group\n  ---\n  duration_ms: 4\n  ...\n1..1\n";
    let rows = rows(&read(report, Format::Tap));
    assert_eq!(
        rows,
        [json!({"id": "UT-1", "status": "pass", "duration_ms": 4, "timestamp": NOW})]
    );
}

#[test]
fn the_title_of_a_subtest_may_be_indented() {
    let report = "1..1\n    # Subtest: UT-1 group\n    ok 1 - one\n    1..1\nok 1 - group\n";
    assert_eq!(outcomes(report, Format::Tap).0, ["UT-1 pass"]);
}

#[test]
fn the_final_attempt_counts() {
    let nextest = r#"{"type":"test","event":"started","name":"b$ut_s01_03"}
{"type":"test","event":"ok","name":"b$ut_s01_03#2"}
{"type":"test","event":"timeout","name":"b$ut_s01_04"}
{"type":"test","event":"started","name":"UT-S01-05$other"}
"#;
    let (rows, failures) = outcomes(nextest, Format::Auto);
    assert_eq!(rows, ["UT-S01-03 pass", "UT-S01-04 fail"]);
    assert_eq!(failures, ["other: did not end"]);
    let spec = |status: &str, last: &str| {
        format!(
            r#"{{"suites":[{{"title":"UT-9.spec.ts","specs":[{{"title":"UT-1","tests":[{{"status":"{status}","results":[{{"status":"failed"}},{{"status":"{last}"}}]}}]}}]}}]}}"#
        )
    };
    for (status, last, outcome) in [
        ("flaky", "passed", "pass"),
        ("unexpected", "failed", "fail"),
        ("skipped", "skipped", "skip"),
        ("skipped", "interrupted", "fail"),
    ] {
        let found = outcomes(&spec(status, last), Format::Auto).0;
        assert_eq!(found, [format!("UT-1 {outcome}")], "{status}");
    }
}

#[test]
fn what_goes_wrong_besides_the_tests_is_a_failure_without_an_id() {
    let playwright = r#"{"errors":[{"message":"no server"}],"suites":[]}"#;
    assert_eq!(outcomes(playwright, Format::Auto).1, ["playwright: no server"]);
    let file = r#"{"testResults":[{"status":"failed","message":"cannot load","name":"a.ts","assertionResults":[]}],"success":false}"#;
    assert_eq!(outcomes(file, Format::Auto).1, ["a.ts: cannot load"]);
    let run = r#"{"success":false,"testResults":[]}"#;
    assert_eq!(
        outcomes(run, Format::Auto).1,
        ["the run: failed without a message"]
    );
}

#[test]
fn half_a_surrogate_pair_is_no_reason_to_refuse_a_report() {
    let report = r#"{"testResults":[{"assertionResults":[{"title":"UT-1 \ud83d","status":"failed","failureMessages":["x \ude00"]}]}]}"#;
    let rows = rows(&read(report, Format::Auto));
    assert!(
        rows[0]["error"]
            .as_str()
            .is_some_and(|error| error.starts_with("UT-1 ")),
        "{rows:?}"
    );
}
