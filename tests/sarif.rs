//! What machines read of a lint: SARIF that its schema accepts, and workflow annotations of one line each, whatever the names are.

mod common;

use common::Repo;
use serde_json::Value;

/// A change that fails in many ways, in a project below the top level, with names that bite.
fn project() -> Repo {
    let repo = Repo::new();
    let below = |path: &str| format!("toll station %/{path}");
    repo.write(&below("logos/logos.config.json"), "{\"locale\":\"en\"}\n")
        .write(
            &below("logos/logos-project.yaml"),
            "modules:\n  - {id: core, name: Core, product_type: web}\n",
        )
        .write(
            &below("logos/resources/prd/a: b,c.md"),
            "# T\n## A\n| ID | x |\n|---|---|\n| UT-S01-01 | x |\n",
        );
    let change = |path: &str| below(&format!("logos/changes/odd/{path}"));
    repo.write(
        &change("proposal.md"),
        "> module: core\n\ncode-level\n\n## 复用测试 ID\n- ::error::no\u{1b}[31m%0A\n\n## 已确定的设计决策\n",
    )
    .write(&change("tasks.md"), "## [delta] t\n")
    .write(
        &change("deltas/prd/a: b,c.md"),
        "## MODIFIED — A\n\nGone.\n\n## MODIFIED — `%0A::`\n\n## ADDED — B > C\n",
    )
    .write(
        &change("deltas/prd/new\nline\t::.md"),
        "No marker.\n[新增的完整内容]\n",
    )
    .write(&change("deltas/根/计划 %0A.md"), "x")
    .write(&change("deltas/stray"), "x");
    repo.commit("A change");
    repo
}

fn schema() -> jsonschema::Validator {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/testdata/sarif/sarif-2.1.0.schema.json"
    );
    let text = std::fs::read_to_string(path).expect("the schema is there");
    let mut schema: Value = serde_json::from_str(&text).expect("it is JSON");
    // Its patterns for languages have a bracket too many, which not every engine takes; we name no language.
    for definition in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][definition]["properties"]["language"];
        language
            .as_object_mut()
            .and_then(|language| language.remove("pattern"))
            .expect("it has a pattern");
    }
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("the schema is one")
}

fn lint(repo: &Repo, format: &str) -> String {
    repo.spec_in(
        "toll station %",
        ["change-lint", "--slug", "odd", "--format", format],
    )
    .exits(2)
    .stdout
}

#[test]
fn the_sarif_log_is_what_its_schema_says() {
    let schema = schema();
    let log = lint(&project(), "sarif");
    let log: Value = serde_json::from_str(&log).expect("a log is JSON");
    let errors: Vec<String> = schema
        .iter_errors(&log)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert_eq!(errors, Vec::<String>::new());

    let results = log["runs"][0]["results"].as_array().expect("a list");
    let uri = |r: &Value| {
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            .as_str()
            .map(str::to_owned)
    };
    let uris: Vec<String> = results.iter().filter_map(uri).collect();
    assert_eq!(uris.len(), results.len());
    assert!(
        uris.iter().all(|u| u.starts_with("toll%20station%20%25/logos/")),
        "{uris:?}"
    );
    let ends = |end: &str| uris.iter().any(|u| u.ends_with(end));
    assert!(
        ends("/new%0Aline%09%3A%3A.md") && ends("/%E8%AE%A1%E5%88%92%20%250A.md"),
        "{uris:?}"
    );
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .expect("a list");
    let known = |r: &Value| rules.iter().any(|rule| rule["id"] == r["ruleId"]);
    assert!(results.iter().all(known));
}

#[test]
fn the_sarif_log_of_a_clean_change_is_valid_too() {
    let tolls = common::Tolls::new();
    tolls.change(
        "car-price",
        &[(common::Tolls::DELTA, &common::Tolls::prices("6", "12", "0"))],
    );
    let log = tolls
        .spec(["change-lint", "--slug", "car-price", "--format", "sarif"])
        .exits(0);
    assert!(schema().is_valid(&log.json()), "{log:?}");
}

#[test]
fn every_annotation_is_one_line_and_none_can_open_another() {
    let repo = project();
    let out = lint(&repo, "github");
    let findings = lint(&repo, "sarif");
    let log: Value = serde_json::from_str(&findings).expect("a log is JSON");
    let results = log["runs"][0]["results"].as_array().expect("a list").len();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), results, "{out}");
    for line in &lines {
        assert!(
            line.starts_with("::error file=") || line.starts_with("::warning file="),
            "{line}"
        );
        assert!(!line.contains(['\r', '\u{1b}']), "{line}");
        let rest = &line[2..];
        let (properties, message) = rest.split_once("::").expect("a message follows");
        assert!(properties.contains("title=") && !message.is_empty(), "{line}");
        assert!(
            !properties.contains(':'),
            "a name with a colon would end the properties: {line}"
        );
    }
    assert!(
        out.contains("file=toll station %25/logos/changes/odd/deltas/prd/new%0Aline\t%3A%3A.md,"),
        "{out}"
    );
    assert!(out.contains("a%3A b%2Cc.md"), "{out}");
    assert!(
        out.contains("%250A"),
        "a percent sign is never taken for an escape: {out}"
    );
}
