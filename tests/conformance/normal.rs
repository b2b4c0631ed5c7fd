//! What is made equal before comparing: versions, times, paths, ids, and the wording of human text.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

/// Keys whose text is wording: only "is there text" is compared.
const TEXT: [&str; 16] = [
    "label",
    "current_phase_label",
    "proposal_step_label",
    "suggestion",
    "action",
    "detail",
    "message",
    "fix_hint",
    "diagnostic",
    "remediation",
    "hint",
    "human_text",
    "text",
    "deployment_reason",
    "deployment_decision_conflict_reason",
    "description_text",
];
/// Keys whose list holds wording; a machine word in it stays.
const TEXT_LIST: [&str; 6] = [
    "messages",
    "suggestions",
    "reasons",
    "infos",
    "diagnostics",
    "deployment_warnings",
];
const DROPPED: &str = "node_version";
const TIME: [&str; 11] = [
    "timestamp",
    "approved_at",
    "activated_at",
    "completed_at",
    "created_at",
    "createdAt",
    "updatedAt",
    "last_updated",
    "generated_at",
    "merged_at",
    "archived_at",
];
const NUMBER: &str = "duration_ms";
/// How the program may name itself in commands that it prints.
const PROGRAMS: [&str; 3] = ["openlogos", "git spec", "git-spec"];

/// An archived change's folder carries the minute of archiving.
static STAMP: LazyLock<Regex> = LazyLock::new(|| pattern(r"archive/[0-9]{8}-[0-9]{4}-"));
static ISO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?")
});
static DATE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file are valid")
}

/// Normalises for one case: its root folder becomes `<root>`.
pub(crate) struct Normal<'a> {
    pub(crate) root: &'a str,
}

impl Normal<'_> {
    /// What a stream held: JSON, JSON lines as a list, `"<text>"` or `""`.
    pub(crate) fn stream(&self, bytes: &[u8]) -> Value {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_matches(|c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c));
        if text.is_empty() {
            return Value::from("");
        }
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            return if value.is_object() || value.is_array() {
                self.value(&value, None)
            } else {
                Value::from("<text>")
            };
        }
        self.lines(text.split('\n'))
            .unwrap_or_else(|| Value::from("<text>"))
    }

    /// A file's content, as a step created or changed it. `commits` are ids of the case's own commits.
    pub(crate) fn file(&self, bytes: &[u8], commits: &BTreeSet<String>) -> Value {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Value::from("<binary>");
        };
        if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
            return self.value(&value, None);
        }
        let lines: Vec<&str> = text.split('\n').filter(|line| !line.is_empty()).collect();
        if !lines.is_empty()
            && let Some(list) = self.lines(lines.into_iter())
        {
            return list;
        }
        let mut text = self.text(text);
        for id in commits {
            text = text.replace(id, "<oid>");
        }
        Value::from(text)
    }

    fn lines<'t>(&self, lines: impl Iterator<Item = &'t str>) -> Option<Value> {
        let objects = lines.map(|line| {
            let value: Value = serde_json::from_str(line).ok()?;
            value.is_object().then(|| self.value(&value, None))
        });
        objects.collect::<Option<Vec<Value>>>().map(Value::Array)
    }

    /// A JSON value that stands under `key`; an entry of a list stands under `[]`.
    pub(crate) fn value(&self, value: &Value, key: Option<&str>) -> Value {
        match value {
            Value::Object(object) => self.object(object, key),
            Value::Array(list) => {
                let wording = key.is_some_and(|k| TEXT_LIST.contains(&k));
                list.iter()
                    .map(|item| match item.as_str() {
                        Some(text) if wording && !is_machine_word(text) => Value::from("<text>"),
                        Some(_) | None => self.value(item, Some("[]")),
                    })
                    .collect()
            }
            Value::String(text) => Value::from(match key {
                Some(key) if TEXT.contains(&key) => if text.is_empty() { "" } else { "<text>" }.to_owned(),
                Some(key) if TIME.contains(&key) && !text.is_empty() => "<timestamp>".to_owned(),
                _ => self.text(text),
            }),
            Value::Number(_) | Value::Bool(_) if key == Some(NUMBER) => Value::from(0),
            Value::Number(_) | Value::Bool(_) | Value::Null => value.clone(),
        }
    }

    fn object(&self, object: &Map<String, Value>, under: Option<&str>) -> Value {
        let mut out = Map::new();
        for (key, value) in object {
            if key == DROPPED {
                continue;
            }
            let value = if key == "version" && value.is_string() && matches!(under, None | Some("cli")) {
                Value::from("<version>")
            } else {
                self.value(value, Some(key))
            };
            out.insert(key.clone(), value);
        }
        // A pre-run step that could not be run: the reason is wording.
        let ran = match object.get("error") {
            None => true,
            Some(Value::String(error)) => error.starts_with("Command failed"),
            Some(_) => false,
        };
        if object.contains_key("stage") && !object.contains_key("exit_code") && !ran {
            out.insert("error".to_owned(), Value::from("<text>"));
        }
        if ["isolated", "root", "workspace_write_denied"]
            .iter()
            .all(|key| object.contains_key(*key))
        {
            out.insert("root".to_owned(), Value::from("<sandbox>"));
        }
        Value::Object(out)
    }

    /// Free text.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut text = date(&text.replace(self.root, "<root>"));
        text = stamp(&text);
        for program in PROGRAMS {
            text = command(&text, program);
        }
        ISO.replace_all(&text, "<timestamp>").into_owned()
    }
}

/// The stamp in the path of an archived change.
pub(crate) fn stamp(text: &str) -> String {
    STAMP.replace_all(text, "archive/<stamp>-").into_owned()
}

/// `on 2026-01-02` as whole words.
fn date(text: &str) -> String {
    replace(text, "on ", |before, after| {
        let whole = DATE.is_match(after) && !after[10..].starts_with(is_word);
        (whole && !before.is_some_and(is_word)).then_some(("on <date>", 10))
    })
}

/// A printed command's first words, where no longer word or path ends in them.
fn command(text: &str, program: &str) -> String {
    replace(text, &format!("{program} "), |before, after| {
        let own = !before.is_some_and(|c| is_word(c) || c == '/' || c == '-');
        (own && after.starts_with(|c: char| c.is_ascii_lowercase())).then_some(("<prog> ", 0))
    })
}

/// Replaces `needle` and so many bytes after it where `rule` says so, given what stands before and after it.
fn replace(
    text: &str,
    needle: &str,
    rule: impl Fn(Option<char>, &str) -> Option<(&'static str, usize)>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (start, found) in text.match_indices(needle) {
        let end = start + found.len();
        if start < done {
            continue;
        }
        if let Some((by, more)) = rule(text[..start].chars().next_back(), &text[end..]) {
            out.push_str(&text[done..start]);
            out.push_str(by);
            done = end + more;
        }
    }
    out.push_str(&text[done..]);
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_machine_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const CASE: Normal<'static> = Normal { root: "/tmp/c/p" };

    #[test]
    fn text_loses_what_depends_on_the_run() {
        let cases = [
            ("in /tmp/c/p/logos", "in <root>/logos"),
            ("merged on 2026-01-02.", "merged on <date>."),
            ("upon 2026-01-02", "upon 2026-01-02"),
            ("on 2026-01-021", "on 2026-01-021"),
            (
                "archive/20260102-0304-x/a archive/2026-x",
                "archive/<stamp>-x/a archive/2026-x",
            ),
            ("run `git spec next`", "run `<prog> next`"),
            ("git spec openlogos next", "git spec <prog> next"),
            (
                "my-git-spec next, git-spec Next",
                "my-git-spec next, git-spec Next",
            ),
            ("at 2026-01-02T03:04:05.678Z!", "at <timestamp>!"),
            ("at 2026-01-02 03:04:05+0100", "at <timestamp>"),
        ];
        for (text, expected) in cases {
            assert_eq!(CASE.text(text), expected);
        }
    }

    #[test]
    fn wording_is_compared_by_its_presence() {
        let said = json!({"message": "no", "hint": "", "reasons": ["a_code", "A sentence.", {"text": "x"}], "action": null});
        let expected = json!({"message": "<text>", "hint": "", "reasons": ["a_code", "<text>", {"text": "<text>"}], "action": null});
        assert_eq!(CASE.value(&said, None), expected);
    }

    #[test]
    fn a_version_counts_at_the_top_and_below_cli_only() {
        let said = json!({"version": "1.2", "cli": {"version": "3"}, "data": {"version": "4"}, "node_version": "v20"});
        let expected =
            json!({"version": "<version>", "cli": {"version": "<version>"}, "data": {"version": "4"}});
        assert_eq!(CASE.value(&said, None), expected);
    }

    #[test]
    fn the_reason_of_a_step_that_could_not_run_is_wording() {
        let cases = [
            (json!({"stage": "a", "error": "spawn x"}), json!("<text>")),
            (
                json!({"stage": "a", "error": "Command failed: x"}),
                json!("Command failed: x"),
            ),
            (
                json!({"stage": "a", "exit_code": 1, "error": "spawn x"}),
                json!("spawn x"),
            ),
            (json!({"stage": "a", "error": null}), json!("<text>")),
        ];
        for (said, expected) in cases {
            assert_eq!(CASE.value(&said, None)["error"], expected);
        }
    }

    #[test]
    fn a_stream_is_json_or_json_lines_or_text_or_nothing() {
        let cases = [
            (" \n", json!("")),
            ("[1]\n", json!([1])),
            (
                "{}\n{\"timestamp\":\"t\"}\n",
                json!([{}, {"timestamp": "<timestamp>"}]),
            ),
            ("{}\n[]\n", json!("<text>")),
            ("12", json!("<text>")),
            ("done", json!("<text>")),
        ];
        for (said, expected) in cases {
            assert_eq!(CASE.stream(said.as_bytes()), expected);
        }
    }

    #[test]
    fn a_file_is_json_or_json_lines_or_text_without_ids() {
        let ids = BTreeSet::from(["abc123".to_owned()]);
        assert_eq!(
            CASE.file(b"{\"duration_ms\": 12}", &ids),
            json!({"duration_ms": 0})
        );
        assert_eq!(CASE.file(b"{}\n\n{}\n", &ids), json!([{}, {}]));
        assert_eq!(CASE.file(b"base abc123\n", &ids), json!("base <oid>\n"));
        assert_eq!(CASE.file(b"\xff", &ids), json!("<binary>"));
        assert_eq!(CASE.file(b"", &ids), json!(""));
    }
}
