//! Reports as the frameworks write them (`testdata/reports/`), each with the ledger that it must become.

use std::fmt::Write as _;
use std::path::Path;

use git_spec::verify::import::Format;

use crate::read_bytes;

const REPORTS: [(&str, Format); 23] = [
    ("go-junit-report.xml", Format::Junit),
    ("go-test.jsonl", Format::GoTest),
    ("go-test-run.jsonl", Format::GoTest),
    ("gotestsum.xml", Format::Junit),
    ("jest-junit.xml", Format::Junit),
    ("jest.json", Format::Vitest),
    ("libtest.jsonl", Format::Nextest),
    ("nextest-junit.xml", Format::Junit),
    ("nextest.jsonl", Format::Nextest),
    ("node-junit.xml", Format::Junit),
    ("node.tap", Format::Tap),
    ("playwright-junit.xml", Format::Junit),
    ("playwright.json", Format::Playwright),
    ("pytest.xml", Format::PytestJunit),
    ("surefire.xml", Format::Junit),
    ("surefire-run.xml", Format::Junit),
    ("surefire-run-error.xml", Format::Junit),
    ("tap13-cut.tap", Format::Tap),
    ("tap14.tap", Format::Tap),
    ("tap14-run.tap", Format::Tap),
    ("utf16-go.jsonl", Format::GoTest),
    ("vitest-junit.xml", Format::Junit),
    ("vitest.json", Format::Vitest),
];

/// The rows, then what has no id: in a form that can be compared, and read.
fn account(bytes: &[u8], format: Format) -> String {
    let imported = read_bytes(bytes, format).unwrap_or_else(|e| panic!("{e}"));
    let mut out = String::from_utf8(imported.ledger).expect("it is UTF-8");
    writeln!(
        out,
        "# tests: {}, without an id: {}",
        imported.tests, imported.unmapped
    )
    .expect("it is memory");
    for failure in imported.unmapped_failures {
        writeln!(out, "# failed: {}: {}", failure.name, failure.error).expect("it is memory");
    }
    for warning in imported.warnings {
        writeln!(out, "# {warning:?}").expect("it is memory");
    }
    out
}

#[test]
fn every_report_becomes_the_ledger_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/reports");
    let mut faults = Vec::new();
    for (name, format) in REPORTS {
        let bytes = std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = account(&bytes, format);
        assert_eq!(
            account(&bytes, Format::Auto),
            found,
            "{name} is seen for what it is"
        );
        let path = folder.join(format!("{name}.expected"));
        let expected = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        if expected != found {
            faults.push(format!("{name}:\n{found}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
