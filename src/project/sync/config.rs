//! The config's part of a sync (logos-project.md 9.4, 6): keys that are missing. What is there stays, whatever it is.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::files::Tree;
use crate::project::new_config::{CHANGES_GROUP, SANDBOX, SOURCE_ROOTS};
use crate::project::{layout, test_command};

/// Commands that run tests: where one is set, none is inferred.
const TEST_COMMANDS: [&str; 4] = [
    "pre_run_command",
    "test_command",
    "regression_command",
    "incremental_command",
];

/// The keys that say where tests may write.
const SANDBOX_KEYS: [(&str, &str, &str); 3] = [
    ("sandbox_mode", "verify.sandbox_mode", "smoke.sandbox_mode"),
    ("sandbox_root", "verify.sandbox_root", "smoke.sandbox_root"),
    (
        "sandbox_deny_workspace_write",
        "verify.sandbox_deny_workspace_write",
        "smoke.sandbox_deny_workspace_write",
    ),
];

/// Fills in what is missing; returns the keys.
pub(super) fn fill(tree: &dyn Tree, object: &mut Map<String, Value>) -> Vec<&'static str> {
    let mut filled = Vec::new();
    let mut add = |object: &mut Map<String, Value>, key: &'static str, value: Value| {
        if put(object, key, value) {
            filled.push(key);
        }
    };
    add(object, "documents.changes", json(&CHANGES_GROUP));
    add(object, "sourceRoots", json(&SOURCE_ROOTS));
    add(object, "verify.result_path", layout::TEST_RESULTS.into());
    let is_set = |key: &&str| {
        object
            .get("verify")
            .and_then(|v| v.get(*key))
            .is_some_and(|v| !v.is_null())
    };
    if !TEST_COMMANDS.iter().any(is_set)
        && let Some(command) = test_command(tree)
    {
        add(object, "verify.pre_run_command", command.into());
    }
    let sandbox = json(&SANDBOX);
    for (key, verify, smoke) in SANDBOX_KEYS {
        add(object, verify, sandbox[key].clone());
        add(object, smoke, sandbox[key].clone());
    }
    filled
}

/// Sets `section.key`, or a key at the top, if it is missing. A section that is no object is left alone.
fn put(object: &mut Map<String, Value>, key: &str, value: Value) -> bool {
    let Some((section, key)) = key.split_once('.') else {
        let missing = !object.contains_key(key);
        if missing {
            object.insert(key.to_owned(), value);
        }
        return missing;
    };
    let inner = object.entry(section).or_insert_with(|| Map::new().into());
    match inner {
        Value::Object(inner) => put(inner, key, value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    }
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("plain structs are always JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn filled(config: &str, files: &[(&str, &str)]) -> (Vec<&'static str>, String) {
        let mut object: Map<String, Value> = serde_json::from_str(config).expect("an object");
        let keys = fill(&MemoryTree::new(files.iter().copied()), &mut object);
        (keys, Value::Object(object).to_string())
    }

    #[test]
    fn what_is_there_stays_whatever_it_is() {
        let whole = r#"{"documents":{"changes":1},"sourceRoots":null,"verify":"x","smoke":[]}"#;
        assert_eq!(
            filled(whole, &[("Cargo.toml", "")]),
            (Vec::new(), whole.to_owned())
        );
    }

    #[test]
    fn a_command_is_inferred_only_where_none_is_set() {
        let with = |verify: &str| {
            let config = format!(r#"{{"verify":{verify}}}"#);
            filled(&config, &[("Cargo.toml", "")])
                .0
                .contains(&"verify.pre_run_command")
        };
        assert!(with("{}") && with(r#"{"test_command":null}"#));
        for key in TEST_COMMANDS {
            assert!(!with(&format!(r#"{{"{key}":"make"}}"#)), "{key}");
        }
        assert!(!filled("{}", &[]).0.contains(&"verify.pre_run_command"));
    }

    #[test]
    fn a_second_time_nothing_is_missing() {
        let (keys, text) = filled(r#"{"name":"x"}"#, &[]);
        assert_eq!(keys.len(), 9);
        assert_eq!(filled(&text, &[]), (Vec::new(), text));
    }
}
