//! The reporters that the README shows, as projects would use them.

use serde_json::json;

use crate::common::Tolls;
use crate::{project, verify};

/// The first block of the README in a language that holds a word.
fn example(language: &str, word: &str) -> String {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let fence = format!("```{language}\n");
    let mut blocks = readme.split(&fence).skip(1);
    let block = blocks.find_map(|rest| {
        let block = rest.split("\n```").next()?;
        block.contains(word).then(|| block.to_owned())
    });
    block.unwrap_or_else(|| panic!("README.md has no block of {language} with `{word}`"))
}

/// Of the one case that passes and the two that are not there.
#[track_caller]
fn first_case_passes(tolls: &Tolls) {
    let found = verify(tolls);
    assert_eq!(found["summary"]["passed_count"], 1, "{found}");
    assert_eq!(found["consistency"]["ok"], true, "{found}");
}

#[test]
fn the_shell_reports() {
    let tolls = project(&json!({"pre_run_command": "sh ./test.sh"}));
    tolls.write("test.sh", example("bash", "GIT_SPEC_RESULT_PATH"));
    first_case_passes(&tolls);
    let failing = example("bash", "GIT_SPEC_RESULT_PATH").replace("= 12", "= 13");
    tolls.write("test.sh", failing);
    let found = verify(&tolls);
    assert_eq!(
        found["failed_cases"],
        json!([{"id": "UT-S01-01", "error": "no sum"}])
    );
}

#[test]
fn rust_reports() {
    let tolls = project(&json!({"pre_run_command": "rustc --edition 2021 -o test test.rs && ./test"}));
    let source = example("rust", "GIT_SPEC_RESULT_PATH");
    let main = "\nfn main() -> std::io::Result<()> {\n    report(\"UT-S01-01\", true)?;\n    report(\"UT-S01-02\", false)\n}\n";
    tolls.write("test.rs", source + main);
    let found = verify(&tolls);
    assert_eq!(found["summary"]["passed_count"], 1, "{found}");
    assert_eq!(
        found["failed_cases"],
        json!([{"id": "UT-S01-02", "error": "it is not so"}])
    );
}
