//! The schemas of `schema/`, as judges of what the program prints.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

/// Compiled once for all cases; by the command's words, and `error`.
static SCHEMAS: LazyLock<BTreeMap<String, Schema>> = LazyLock::new(|| {
    let compiled = |(name, schema): (String, Value)| {
        let validator = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&schema)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        (name, Schema { schema, validator })
    };
    all().into_iter().map(compiled).collect()
});

struct Schema {
    schema: Value,
    validator: Validator,
}

/// Every file of `schema/`, by the name that stands before `.schema.json`.
pub(crate) fn all() -> BTreeMap<String, Value> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
    let entries = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let paths = entries.map(|entry| entry.expect("a folder can be listed").path());
    let read = |path: std::path::PathBuf| {
        let name = path
            .file_name()?
            .to_str()?
            .strip_suffix(".schema.json")?
            .to_owned();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let schema = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        Some((name, schema))
    };
    paths.filter_map(read).collect()
}

/// What the schemas say against the JSON lines on a program's streams; nothing if all is as they have it. Of `stdout`
/// every line that is an envelope is judged by the schema of its command, of `stderr` by that of errors.
pub(crate) fn faults(stdout: &[u8], stderr: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    for line in envelopes(stdout) {
        let command = line["command"].as_str().unwrap_or_default().replace(' ', "-");
        judge(&command, &line, "stdout", &mut out);
    }
    for line in envelopes(stderr) {
        judge("error", &line, "stderr", &mut out);
    }
    out
}

/// As [`faults`], of one document that has no envelope.
#[allow(dead_code, reason = "only groups without envelope need it")]
pub(crate) fn faults_of(name: &str, line: &Value) -> Vec<String> {
    let mut out = Vec::new();
    judge(name, line, "stdout", &mut out);
    out
}

/// The lines that are objects of JSON. SARIF has a schema of its own.
pub(crate) fn envelopes(stream: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(stream);
    let objects = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    objects
        .filter(|value: &Value| value.is_object() && value.get("runs").is_none())
        .collect()
}

fn judge(name: &str, line: &Value, stream: &str, out: &mut Vec<String>) {
    let Some(Schema { schema, validator }) = SCHEMAS.get(name) else {
        out.push(format!("{stream}: `{name}` has no schema: {line}"));
        return;
    };
    for fault in validator.iter_errors(line) {
        let at = fault.instance_path().to_string();
        out.push(format!(
            "{stream} {at} is not as {name}.schema.json has it: {fault}"
        ));
    }
    order(line, schema, schema, "", &mut |fault| {
        out.push(format!("{stream} {fault} in {name}.schema.json"));
    });
}

/// Keys stand in the order in which the schema declares them. Follows what our schemas are made of: `properties`,
/// `items`, references into `$defs`, and of `anyOf` the first branch that declares all keys.
fn order(value: &Value, schema: &Value, root: &Value, at: &str, tell: &mut dyn FnMut(String)) {
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.trim_start_matches('#');
        let target = root.pointer(pointer).expect("references lead somewhere");
        return order(value, target, root, at, tell);
    }
    if let Some(branches) = schema["anyOf"].as_array() {
        let fits = |branch: &&Value| {
            let branch = branch["$ref"]
                .as_str()
                .and_then(|r| root.pointer(r.trim_start_matches('#')))
                .unwrap_or(branch);
            let keys = value.as_object().into_iter().flat_map(|map| map.keys());
            value.is_object() == branch["properties"].is_object()
                && keys
                    .into_iter()
                    .all(|key| branch["properties"].get(key).is_some())
        };
        if let Some(branch) = branches.iter().find(fits) {
            order(value, branch, root, at, tell);
        }
        return;
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        for (i, item) in list.iter().enumerate() {
            order(item, items, root, &format!("{at}/{i}"), tell);
        }
    }
    if let (Some(declared), Some(map)) = (schema["properties"].as_object(), value.as_object()) {
        let place = |key: &String| declared.keys().position(|known| known == key);
        if !map.keys().is_sorted_by_key(place) {
            let keys: Vec<&String> = map.keys().collect();
            tell(format!("{at} keys {keys:?} are not in the order"));
        }
        for (key, below) in map {
            if let Some(schema) = declared.get(key) {
                order(below, schema, root, &format!("{at}/{key}"), tell);
            }
        }
    }
}
