//! The JSON Schemas of `schema/`: valid and closed, printed by `schema`, and kept by what the commands print.

mod common;
#[path = "common/schemas.rs"]
mod schemas;

use common::{Out, Repo, Tolls};
use serde_json::{Value, json};

/// The answer of a run that printed one success, which its schema accepts.
#[track_caller]
fn answer(out: &Out) -> Value {
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    let answer = out.json();
    assert!(answer.get("data").is_some(), "{out:?}");
    answer
}

/// The code of a run that printed one error, which the schema of errors accepts.
#[track_caller]
fn error(out: &Out) -> String {
    assert_eq!(out.stdout, "", "{out:?}");
    assert_eq!(schemas::faults(b"", out.stderr.as_bytes()), [""; 0]);
    let lines = schemas::envelopes(out.stderr.as_bytes());
    assert_eq!(lines.len(), 1, "{out:?}");
    lines[0]["error"]["code"].as_str().expect("it has one").to_owned()
}

#[test]
fn every_schema_is_one_of_draft_2020_12() {
    for (name, schema) in schemas::all() {
        assert_eq!(
            schema["$schema"], "https://json-schema.org/draft/2020-12/schema",
            "{name}"
        );
        if let Err(e) = jsonschema::draft202012::meta::validate(&schema) {
            panic!("{name}: {e}");
        }
    }
}

/// Schemas of files whose unknown keys are kept (loop.md 1).
const OPEN: [&str; 1] = ["loop-state"];

/// Every object that declares keys, or must be one, is closed; what must stand is declared, in the same order.
fn closed(schema: &Value, at: &str) {
    match schema {
        Value::Array(list) => list.iter().for_each(|item| closed(item, at)),
        Value::Object(map) => {
            if schema["type"] == "object" {
                let rest = map
                    .get("additionalProperties")
                    .unwrap_or_else(|| panic!("{at} is open"));
                // Files that others write, too, may hold what we do not know.
                let is_open = OPEN.iter().any(|name| at.starts_with(name));
                if let Some(declared) = map.get("properties").and_then(Value::as_object) {
                    assert_eq!(*rest, json!(is_open), "{at} is open");
                    let required = schema["required"].as_array().unwrap_or_else(|| panic!("{at}"));
                    let place = |key: &Value| declared.keys().position(|known| key == known);
                    assert!(required.iter().all(|key| place(key).is_some()), "{at}");
                    assert!(required.is_sorted_by_key(place), "{at}");
                }
            }
            for (key, below) in map {
                closed(below, &format!("{at}/{key}"));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_object_of_a_schema_is_closed() {
    for (name, schema) in schemas::all() {
        closed(&schema, &name);
        assert!(
            schema["title"].is_string() && schema["description"].is_string(),
            "{name}"
        );
    }
}

#[test]
fn the_schema_of_a_command_names_it() {
    for (name, schema) in schemas::all() {
        if git_spec::report::schema::is_bare(&name) {
            let title = schema["title"]
                .as_str()
                .unwrap_or_default()
                .replace(" --json", "");
            let title = title.replace('-', " ");
            let command = name.replace('-', " ");
            let names_it =
                git_spec::report::schema::DOCUMENTS.contains(&name.as_str()) || title.ends_with(&command);
            assert!(names_it, "{name}: {title}");
            continue;
        }
        let command = schema["properties"]["command"]["const"].as_str();
        assert_eq!(
            command.map(|words| words.replace(' ', "-")),
            (name != "error").then_some(name)
        );
    }
}

#[test]
fn schema_prints_every_file_as_it_is_and_lists_them() {
    let repo = Repo::without_git();
    let all = schemas::all();
    let listed = repo.spec(["schema"]).exits(0).stdout;
    assert_eq!(listed.lines().collect::<Vec<_>>(), all.keys().collect::<Vec<_>>());
    for name in all.keys() {
        let file =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schema/{name}.schema.json"));
        let file = std::fs::read_to_string(file).expect("it was read before");
        assert_eq!(repo.spec(["schema", name]).exits(0).stdout, file);
        assert_eq!(
            repo.spec(std::iter::once("schema").chain(name.split('-')))
                .exits(0)
                .stdout,
            file
        );
    }
    let lint = repo.spec(["schema", "lint"]).exits(0);
    assert_eq!(lint, repo.spec(["schema", "change-lint"]));
}

#[test]
fn an_unknown_name_is_an_error_that_lists_the_known_ones() {
    let repo = Repo::without_git();
    for name in ["merge", "change-", "", "Detect", "a\u{1b}[31m"] {
        let out = repo.spec(["schema", name]).exits(1);
        assert_eq!(out.stdout, "");
        assert!(out.stderr.starts_with("Error [SCHEMA_UNKNOWN]: "), "{out:?}");
        assert!(!out.stderr.contains('\u{1b}'), "{out:?}");
        for known in schemas::all().keys() {
            assert!(out.stderr.contains(&format!("`{known}`")), "{out:?}");
        }
    }
}

#[test]
fn init_detect_and_change_answer_as_their_schemas_say() {
    for locale in ["en", "zh"] {
        let repo = Repo::new();
        let nothing = answer(&repo.spec(["detect", "--format", "json"]).exits(0));
        assert_eq!(nothing["data"]["project"], Value::Null);
        repo.write(
            "logos/logos-project.yaml",
            "modules:\n  - {id: core, name: Core, bootstrap: adopted}\n",
        );
        let laid = answer(
            &repo
                .spec(["init", "Tolls", "--locale", locale, "--format", "json"])
                .exits(0),
        );
        assert_eq!(laid["data"]["kept"], json!(["logos/logos-project.yaml"]));
        let found = answer(&repo.spec(["detect", "--format", "json"]).exits(0));
        assert_eq!(found["data"]["project"]["modules"][0]["bootstrap"], "adopted");
        answer(&repo.spec(["change", "car-price", "--format", "json"]).exits(0));
        error(&repo.spec(["change", "again", "--format", "json"]).exits(1));
        error(&repo.spec(["init", "--format", "json"]).exits(1));
        repo.write(
            "logos/logos-project.yaml",
            "modules:\n  - {id: core, name: Core}\n\tbad: [\n",
        );
        let damaged = answer(&repo.spec(["detect", "--format", "json"]).exits(0));
        assert!(damaged["data"]["yaml_diagnostics"].is_object(), "{damaged}");
    }
}

#[test]
fn a_judged_change_and_all_of_them_answer_as_the_schema_says() {
    let tolls = Tolls::new();
    let all = ["change-lint", "--all", "--format", "json"];
    assert_eq!(
        answer(&tolls.spec(all).exits(0))["data"],
        json!({"changes": [], "pass": true})
    );
    tolls.change("good", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    answer(&tolls.spec(all).exits(0));
    tolls.change("bad", &[(Tolls::DELTA, "## MODIFIED — Unit cases\n\nGone.\n")]);
    tolls.write("logos/changes/bad/tasks.md", "## [delta] t\n");
    tolls.write(
        "logos/changes/bad/proposal.md",
        "> module: core\n\ncode-level\n\n## 已确定的设计决策\n",
    );
    let both = answer(&tolls.spec(all).exits(2));
    assert_eq!(both["data"]["pass"], false);
    let one = answer(&tolls.spec(["lint", "--slug", "bad", "--format", "json"]).exits(2));
    assert_eq!(one["data"], both["data"]["changes"][0]);
    for part in ["violations", "warnings"] {
        assert_ne!(one["data"][part], json!([]), "{one}");
    }
    let violations = one["data"]["violations"].as_array().expect("a list");
    assert!(violations.iter().any(|v| v.get("flow_reason").is_some()), "{one}");
    assert_eq!(
        error(&tolls.spec(["lint", "--format", "json"]).exits(1)),
        "no_active_proposal"
    );
    assert_eq!(
        error(
            &tolls
                .spec(["lint", "--all", "--slug", "x", "--format", "json"])
                .exits(1)
        ),
        "USAGE"
    );
}

#[test]
fn impact_answers_as_its_schema_says() {
    let repo = Repo::new();
    let judged = |stream: &[u8]| {
        let out = repo.spec_reading(stream, ["impact", "--stdin", "--format", "json"]);
        answer(&out.exits(0))["data"].clone()
    };
    let moved = b"D\0logos/.openlogos-guard\0R100\0logos/changes/a/x\0logos/changes/archive/a/x\0";
    assert_eq!(judged(moved)["operations"], json!(["archive"]));
    assert_eq!(
        judged(b"M\0\xff\0C75\0logos/changes/a\0src/b\0M\0logos/c\0")["lifecycle_only"],
        false
    );
    assert_eq!(judged(b"X\0a\0R100\0b")["lifecycle_only"], false);
    error(&repo.spec(["impact", "--format", "json"]).exits(1));
}

#[test]
fn the_schemas_refuse_what_the_contract_rules_out() {
    let tolls = Tolls::new();
    tolls.change("good", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    let good = answer(&tolls.spec(["lint", "--slug", "good", "--format", "json"]));
    let violation = |code: &str| json!({"code": code, "path": "a", "message": "m", "fix_hint": "f"});
    let refused = |data: Value| {
        let mut envelope = good.clone();
        envelope["data"] = data;
        !schemas::faults(envelope.to_string().as_bytes(), b"").is_empty()
    };
    let with = |pass: bool, item: Value| json!({"slug": "a", "pass": pass, "violations": [item]});
    assert!(!refused(with(false, violation("delta_path_invalid"))));
    assert!(
        refused(with(true, violation("delta_path_invalid"))),
        "a pass with a violation"
    );
    assert!(
        refused(with(false, violation("new_code"))),
        "a code outside the list"
    );
    assert!(
        refused(with(false, violation("tasks_code_header_missing"))),
        "no flow reason"
    );
    let mut more = violation("delta_path_invalid");
    more["flow_reason"] = json!("deployment_decision_conflict");
    assert!(refused(with(false, more)), "a flow reason too many");
    assert!(refused(json!({"slug": "a", "pass": true})), "no violations");
    assert!(refused(
        json!({"slug": "a", "pass": true, "violations": [], "warnings": []})
    ));
    assert!(
        refused(json!({"slug": "a", "violations": [], "pass": true})),
        "another order"
    );
    assert!(refused(json!({"changes": [], "pass": false})));
    let mut strange = good.clone();
    strange["command"] = json!("strange");
    assert!(!schemas::faults(strange.to_string().as_bytes(), b"").is_empty());
}
