//! The cases that are held to be wrong: lines `- area/case: reason` of `DISPUTED.md`.

use std::collections::BTreeMap;
use std::path::Path;

/// Reason by `area/case`.
pub(crate) fn read(file: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    parse(&text)
}

fn parse(text: &str) -> BTreeMap<String, String> {
    let mut cases = BTreeMap::new();
    for item in text.lines().filter_map(|line| line.strip_prefix("- ")) {
        let (case, reason) = item
            .split_once(": ")
            .unwrap_or_else(|| panic!("DISPUTED.md: `- {item}` is not `- area/case: reason`"));
        let twice = cases.insert(case.trim().to_owned(), reason.trim().to_owned());
        assert!(twice.is_none(), "DISPUTED.md names `{case}` twice");
    }
    cases
}

#[test]
fn a_line_is_a_case_and_a_reason() {
    let text = "# Disputed\n\nProse - not: a case.\n\n- change/a-b: it says: no\n";
    let expected = BTreeMap::from([("change/a-b".to_owned(), "it says: no".to_owned())]);
    assert_eq!(parse(text), expected);
}
