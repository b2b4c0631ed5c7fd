//! The list of evasions and harmless commands: what each of the three guards makes of them (`testdata/guard/commands.tsv`).

#[path = "../common/mod.rs"]
mod common;

use std::path::Path;

use common::Repo;
use git_spec::guard::shell::parse;
use git_spec::guard::writes::{Writes, writes};
use proptest::prelude::*;
use serde_json::json;

/// One row of the list.
struct Row {
    kind: String,
    verdicts: [String; 3],
    command: String,
}

fn rows() -> Vec<Row> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/guard/commands.tsv");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let columns: Vec<&str> = line.splitn(5, '\t').collect();
            let [kind, first, second, third, command] = columns[..] else {
                panic!("`{line}` has not five columns");
            };
            Row {
                kind: kind.to_owned(),
                verdicts: [first, second, third].map(str::to_owned),
                command: unescape(command),
            }
        })
        .collect()
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, false) => out.push(c),
            (_, true) => out.push(match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            }),
        }
    }
    out
}

/// Runs a guard over every row; the rows that it judges otherwise.
fn judge(repo: &Repo, arguments: &[&str], column: usize) {
    let mut wrong = Vec::new();
    for row in rows() {
        let payload = json!({"tool_name": "Bash", "tool_input": {"command": row.command}}).to_string();
        let out = repo.spec_reading(&payload, arguments.iter().copied());
        let expected = if row.verdicts[column] == "block" { 2 } else { 0 };
        if out.code != expected {
            wrong.push(format!(
                "{} {:?}: {} not {expected}",
                row.kind, row.command, out.code
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_list_is_long_enough() {
    let rows = rows();
    let count = |kind: &str| rows.iter().filter(|row| row.kind == kind).count();
    assert!(count("evasion") >= 40 && count("harmless") >= 40);
    for row in &rows {
        let words: &[&str] = match row.kind.as_str() {
            "evasion" => &["block", "pass"],
            _ => &["allow", "block"],
        };
        assert!(
            row.verdicts
                .iter()
                .all(|verdict| words.contains(&verdict.as_str())),
            "{}",
            row.command
        );
    }
}

fn project_with_changes() -> Repo {
    let repo = Repo::new();
    repo.write(
        "logos/logos.config.json",
        "{\"name\":\"tolls\",\"locale\":\"en\"}\n",
    );
    repo.write(
        "logos/logos-project.yaml",
        "project:\n  name: tolls\nmodules:\n  - id: core\n    name: Core\n    lifecycle: launched\n",
    );
    repo
}

#[test]
fn of_a_project_with_changes() {
    judge(&project_with_changes(), &["guard"], 0);
}

#[test]
fn a_long_call_is_judged_as_a_short_one() {
    let repo = project_with_changes();
    for (path, exit) in [("src/a.rs", 2), ("logos/changes/a/proposal.md", 0)] {
        for length in [1, 20 << 20] {
            let input = json!({"content": "x".repeat(length), "file_path": path});
            let payload = json!({"tool_input": input, "tool_name": "Write"}).to_string();
            assert_eq!(
                repo.spec_reading(&payload, ["guard"]).code,
                exit,
                "{path} {length}"
            );
        }
    }
}

#[test]
fn a_command_that_is_no_text_is_refused_where_nothing_is_allowed_unread() {
    let repo = Repo::new();
    repo.spec(["silly", "init"]).exits(0);
    let payload = json!({"tool_name": "Bash", "tool_input": {"command": ["rm", "-r", "src"]}}).to_string();
    assert_eq!(repo.spec_reading(&payload, ["silly", "guard"]).code, 2);
}

#[test]
fn of_a_sillyspec_project_without_a_stage() {
    let repo = Repo::new();
    repo.spec(["silly", "init"]).exits(0);
    judge(&repo, &["silly", "guard"], 1);
}

#[test]
fn of_a_loop() {
    let repo = Repo::new();
    repo.spec(["loop", "init"]).exits(0);
    judge(&repo, &["loop", "guard", "command"], 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Whatever stands on a line, it is read or refused, and a removal behind it is seen if it is read at all.
    #[test]
    fn any_line_is_read_or_refused(line in "[a-z $`'\"(){}<>|&;#\\\\\n\\[\\]=*?~!é]{0,60}") {
        let _read = parse(&line);
        if let Ok(found) = writes(&format!("rm x\n{line}")) {
            prop_assert_ne!(found, Writes::Nothing);
        }
    }
}
