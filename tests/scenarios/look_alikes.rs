//! U05: what looks like structure inside code or comments is none.

use super::common::Tolls;
use super::{codes, lint};

/// Headings, an id row, delta markers: everything that would be structure outside.
const INSIDE: &str = "\
# Not a heading
## Not a section
## REMOVED — Unit cases
## MODIFIED — Elsewhere
| ID | Title | Expected |
|----|-------|----------|
| UT-S09-09 | ghost | 1 |
";

fn indented(text: &str, by: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{by}{line}")).collect();
    lines.join("\n") + "\n"
}

/// Examples that are closed, by name.
fn closed() -> Vec<(&'static str, String)> {
    vec![
        ("backtick fence", format!("```text\n{INSIDE}```\n")),
        ("tilde fence", format!("~~~\n{INSIDE}~~~\n")),
        ("fence indented by three", format!("   ```\n{INSIDE}   ```\n")),
        (
            "three inside of four",
            format!("````\n```\n{INSIDE}```\n{INSIDE}````\n"),
        ),
        (
            "text after the closer",
            format!("```\n{INSIDE}``` no\n{INSIDE}```\n"),
        ),
        ("longer closer", format!("```\n{INSIDE}``````\n")),
        ("other character inside", format!("```\n~~~\n{INSIDE}```\n")),
        (
            "closer indented too far",
            format!("```\n{INSIDE}    ```\n{INSIDE}```\n"),
        ),
        (
            "fence in a list item",
            format!("- item\n\n  ```\n{}  ```\n", indented(INSIDE, "  ")),
        ),
        (
            "deep fence in a list item",
            format!("- item\n\n    ```\n{}    ```\n", indented(INSIDE, "    ")),
        ),
        ("indented code", format!("Words.\n\n{}", indented(INSIDE, "    "))),
        (
            "indented by a tab",
            format!("Words.\n\n{}", indented(INSIDE, "\t")),
        ),
        ("comment", format!("<!-- a\n{INSIDE}-->\n")),
        ("comment with a fence", format!("<!--\n```\n{INSIDE}-->\n")),
        ("fence with a comment", format!("```\n<!--\n{INSIDE}```\n")),
    ]
}

/// The document after a merge of the three rows, the example, and a sentence that stands after it.
fn with_example(example: &str, tail: &str) -> (String, String) {
    let rows = Tolls::prices("6", "12", "0");
    let delta = format!("{rows}\n{example}{tail}");
    let body = rows.split_once('\n').expect("a marker line").1;
    let document = format!("# Toll tests\n## Unit cases\n\n{body}\n{example}{tail}");
    (delta, document)
}

#[test]
fn u05_examples_are_kept_byte_for_byte_and_count_as_nothing() {
    for (name, example) in closed() {
        let tolls = Tolls::new();
        let (delta, document) = with_example(&example, "\nAfter it.\n");
        tolls.change("example", &[(Tolls::DELTA, &delta)]);
        let verdict = lint(&tolls, "example", &[]);
        assert_eq!(verdict["pass"], true, "{name}: {verdict:#}");
        assert_eq!(codes(&verdict, "warnings"), [""; 0], "{name}: {verdict:#}");
        tolls.spec(["merge", "example"]).exits(0);
        let merged = tolls.read(Tolls::DOCUMENT);
        assert!(merged.contains(&example), "{name}: {merged}");
        assert_eq!(merged, document, "{name}");
    }
}

#[test]
fn u05_what_stands_after_a_proper_close_is_structure() {
    for (name, example) in closed() {
        let tolls = Tolls::new();
        let taken = "\n| ID | Title | Expected |\n|----|-------|----------|\n| UT-S01-04 | bus | 9 |\n\n## ADDED — More\nWords.\n";
        let (delta, _) = with_example(&example, taken);
        tolls.change("example", &[(Tolls::DELTA, &delta)]);
        tolls.spec(["merge", "example"]).exits(0);
        let merged = tolls.read(Tolls::DOCUMENT);
        assert!(
            merged.ends_with("| UT-S01-04 | bus | 9 |\n\n## More\n\nWords.\n"),
            "{name}: {merged}"
        );
        // The id is known from now on: a block that leaves it out is refused.
        let (delta, _) = with_example(&example, "");
        tolls.change("again", &[(Tolls::DELTA, &delta)]);
        let verdict = lint(&tolls, "again", &[]);
        assert_eq!(
            codes(&verdict, "violations"),
            ["delta_implicit_id_removal"],
            "{name}: {verdict:#}"
        );
        let message = verdict["violations"][0]["message"].as_str().expect("text");
        assert!(message.contains("UT-S01-04"), "{name}: {message}");
    }
}

#[test]
fn u05_ids_inside_an_example_are_not_kept_by_it() {
    let tolls = Tolls::new();
    let hidden = "```\n| UT-S01-03 | bicycle | 0 |\n```\n";
    let rows = Tolls::prices("6", "12", "0").replace("| UT-S01-03 | bicycle | 0 |\n", "");
    tolls.change("example", &[(Tolls::DELTA, &format!("{rows}\n{hidden}"))]);
    let verdict = lint(&tolls, "example", &[]);
    assert_eq!(codes(&verdict, "violations"), ["delta_implicit_id_removal"]);
}

#[test]
fn u05_a_backtick_in_the_info_string_opens_no_fence() {
    let tolls = Tolls::new();
    let (delta, _) = with_example("``` a`b\n\n### Real heading\n\nWords.\n", "");
    tolls.change("example", &[(Tolls::DELTA, &delta)]);
    tolls.spec(["merge", "example"]).exits(0);
    // It is a section now, and can be named.
    tolls.change(
        "next",
        &[(
            Tolls::DELTA,
            "## MODIFIED — Unit cases > Real heading\nOther words.\n",
        )],
    );
    tolls.spec(["merge", "next"]).exits(0);
    let merged = tolls.read(Tolls::DOCUMENT);
    assert!(
        merged.ends_with("``` a`b\n\n### Real heading\n\nOther words.\n"),
        "{merged}"
    );
}

#[test]
fn u05_a_fence_that_is_never_closed_takes_the_rest_of_the_delta() {
    let tolls = Tolls::new();
    let example = format!("```\n{INSIDE}## ADDED — Never\n");
    let (delta, document) = with_example(&example, "");
    tolls.change("example", &[(Tolls::DELTA, &delta)]);
    let verdict = lint(&tolls, "example", &[]);
    assert_eq!(verdict["pass"], true, "{verdict:#}");
    tolls.spec(["merge", "example"]).exits(0);
    assert_eq!(tolls.read(Tolls::DOCUMENT), document);
}

#[test]
fn u05_an_open_fence_never_swallows_what_follows_in_the_document() {
    let tolls = Tolls::new();
    let behind = "\n## Smoke cases\n| ID | Title |\n|----|-------|\n| SMOKE-S01-01 | gate opens |\n";
    tolls.write(Tolls::DOCUMENT, format!("{}{behind}", Tolls::CONTENT));
    tolls.commit("A section behind");
    let (delta, _) = with_example("```\nopen\n", "");
    tolls.change("example", &[(Tolls::DELTA, &delta)]);
    let before = tolls.snapshot();
    let out = tolls.spec(["merge", "example"]).exits(1);
    assert!(
        out.stderr.contains("conflict: id_count_mismatch"),
        "{}",
        out.stderr
    );
    assert!(out.stderr.contains("SMOKE-S01-01"), "{}", out.stderr);
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn u05_an_example_survives_the_change_of_another() {
    for (name, example) in closed() {
        let tolls = Tolls::new();
        let (delta, _) = with_example(&example, "");
        tolls.change("example", &[(Tolls::DELTA, &delta)]);
        tolls.change("lorry", &[(Tolls::DELTA, &Tolls::prices("5", "14", "0"))]);
        tolls.spec(["merge", "example"]).exits(0);
        tolls.spec(["merge", "lorry"]).exits(0);
        let (_, document) = with_example(&example, "");
        assert_eq!(
            tolls.read(Tolls::DOCUMENT),
            document.replace("| 12 |", "| 14 |"),
            "{name}"
        );
    }
}
