//! Pairs: one run on a folder, and what of its answer is compared (the docstring of the corpus's `pairs.py`).

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::packed::Packed;
use crate::{child, schemas};

/// Lists that are sets.
const SETS: [&str; 3] = ["error_paths", "warning_paths", "files_set"];
const LIMIT: Duration = Duration::from_secs(120);

/// Runs a pair of the group `group` and tells what differs.
pub(crate) fn check(group: &str, case: &Packed, program: &Path) -> Result<Vec<String>, String> {
    let pair = case.json("pair.json")?;
    let expected = case.json("expected.json")?;
    let kind = pair["kind"].as_str().unwrap_or_default();
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let top = dir.path().canonicalize().map_err(|e| e.to_string())?;
    let (root, home) = (top.join("p"), top.join("home"));
    for made in [&root, &home] {
        std::fs::create_dir(made).map_err(|e| e.to_string())?;
    }
    case.lay("input", &root)?;
    let args: Vec<&str> = pair["args"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let stdin = match &pair["stdin"] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => value.to_string(),
    };
    let mut command = child::command(program, &root, &home);
    command.arg(group).args(&args);
    let ended = child::run(&mut command, stdin.as_bytes(), LIMIT)?;
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
    let (got, exact) = match kind {
        "json" => {
            let got = serde_json::from_str(&printed).map_err(|e| format!("{e}: `{printed}`"))?;
            (got, pair["exact"] == true)
        }
        "guard" => {
            let answer: Value = match printed.trim() {
                "" => json!({}),
                line => serde_json::from_str(line).map_err(|e| format!("{e}: `{printed}`"))?,
            };
            let got = json!({"exit": ended.code, "decision": answer["decision"], "rule": answer["rule"]});
            (got, true)
        }
        other => return Err(format!("pairs of kind `{other}` are not run here")),
    };
    let mut faults = Vec::new();
    differ(&expected, &got, exact, "", &mut faults);
    if let Ok(line) = serde_json::from_str::<Value>(&printed) {
        faults.extend(schemas::faults_of(&schema_of(group, &args), &line));
    }
    Ok(faults)
}

/// The schema of a command: that of the most of its first words.
fn schema_of(group: &str, args: &[&str]) -> String {
    let is_word = |arg: &&&str| arg.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let mut words = vec![group];
    words.extend(args.iter().take_while(is_word));
    while words.len() > 1 && git_spec::report::schema::find(&words.join("-")).is_none() {
        words.pop();
    }
    words.join("-")
}

/// Every key of what is expected must be there and equal; with `exact` no other may be.
fn differ(expected: &Value, got: &Value, exact: bool, at: &str, out: &mut Vec<String>) {
    let key = at.rsplit('.').next().unwrap_or_default();
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            for (key, value) in expected {
                match got.get(key) {
                    Some(got) => differ(value, got, exact, &format!("{at}.{key}"), out),
                    None => out.push(format!("{at}.{key}: missing")),
                }
            }
            let others = got.keys().filter(|key| exact && !expected.contains_key(*key));
            out.extend(others.map(|key| format!("{at}.{key}: not expected")));
        }
        (Value::Array(expected), Value::Array(got)) if SETS.contains(&key) => {
            let set = |list: &[Value]| -> std::collections::BTreeSet<String> {
                list.iter().map(Value::to_string).collect()
            };
            if set(expected) != set(got) {
                out.push(format!("{at}: expected {expected:?}, got {got:?}"));
            }
        }
        (Value::Array(expected), Value::Array(got)) if expected.len() == got.len() => {
            for (index, (expected, got)) in expected.iter().zip(got).enumerate() {
                differ(expected, got, exact, &format!("{at}[{index}]"), out);
            }
        }
        (expected, got) if expected == got => {}
        (expected, got) => out.push(format!("{at}: expected {expected}, got {got}")),
    }
}

#[test]
fn differences_are_found() {
    let faults = |expected: Value, got: Value, exact: bool| {
        let mut out = Vec::new();
        differ(&expected, &got, exact, "", &mut out);
        out
    };
    assert_eq!(faults(json!({"a": 1}), json!({"a": 1, "b": 2}), false), [""; 0]);
    assert_eq!(
        faults(json!({"a": 1}), json!({"a": 1, "b": 2}), true),
        [".b: not expected"]
    );
    assert_eq!(
        faults(json!({"a": {"b": 1}}), json!({"a": {}}), false),
        [".a.b: missing"]
    );
    assert_eq!(
        faults(
            json!({"error_paths": ["a", "b"]}),
            json!({"error_paths": ["b", "a", "a"]}),
            true
        ),
        [""; 0]
    );
    assert_eq!(
        faults(json!({"list": ["a", "b"]}), json!({"list": ["b", "a"]}), true).len(),
        2
    );
    assert_eq!(faults(json!([1]), json!([]), true), [": expected [1], got []"]);
}
