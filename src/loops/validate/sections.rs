//! The rules of the sections made of objects and lists.

use serde_json::Value;

use super::check::{Check, Code, Least, own_keys};
use crate::loops::Phase;
use crate::loops::artifact::{KEYS, STATUSES};

pub(super) const TASK_STATES: [&str; 5] = ["completed", "in_progress", "pending", "failed", "skipped"];

const LONGEST_NARRATIVE: usize = 1024;

pub(super) fn repair(check: &mut Check, value: &Value, path: &str) {
    if value.is_null() {
        return;
    }
    let Some(object) = check.object(value, path) else {
        return;
    };
    check.keys(object, path, &["from_phase", "routing_reason", "target_issues"]);
    for (key, value) in own_keys(object) {
        let path = format!("{path}.{key}");
        match key.as_str() {
            "from_phase" | "routing_reason" => {
                check.string(value, &path);
            }
            "target_issues" | "affected_files" => check.strings(value, &path),
            "repair_plan" => check.optional_string(value, &path),
            "attempt_number" => {
                check.int(value, &path, Least::Zero);
            }
            "review_required" => check.bool(value, &path),
            _ => {}
        }
    }
}

pub(super) fn active(check: &mut Check, value: &Value, path: &str) {
    let Some(object) = check.object(value, path) else {
        return;
    };
    check.keys(object, path, &["p0", "p1", "p2"]);
    for severity in ["p0", "p1", "p2"] {
        let Some(issues) = object.get(severity) else {
            continue;
        };
        let path = format!("{path}.{severity}");
        for (at, issue) in check.list(issues, &path).iter().enumerate() {
            if !issue.is_string() && issue.get("id").is_none() {
                check.error(
                    &format!("{path}[{at}]"),
                    Code::Type("an id, or an object with `id`"),
                );
            }
        }
    }
}

/// A missing section is told at `state`, and its keys at the section.
pub(super) fn artifacts(check: &mut Check, value: Option<&Value>) {
    const PATH: &str = "artifacts";
    let fields = [
        "path",
        "status",
        "generated_at",
        "generated_in_phase",
        "checksum",
        "version",
    ];
    let Some(value) = value else {
        return KEYS.iter().for_each(|(key, _)| check.missing(PATH, key));
    };
    let Some(object) = check.object(value, PATH) else {
        return;
    };
    for (key, _) in KEYS {
        let Some(value) = object.get(key) else {
            check.missing(PATH, key);
            continue;
        };
        let path = format!("{PATH}.{key}");
        let Some(artifact) = check.object(value, &path) else {
            continue;
        };
        check.keys(artifact, &path, &fields);
        for (key, value) in own_keys(artifact) {
            let path = format!("{path}.{key}");
            match key.as_str() {
                "path" => {
                    check.string(value, &path);
                }
                "status" => {
                    check.one_of(value, &path, |text| STATUSES.contains(&text).then_some(()));
                }
                "generated_at" | "generated_in_phase" | "checksum" => check.optional_string(value, &path),
                "version" => {
                    check.int(value, &path, Least::Zero);
                }
                _ => {}
            }
        }
    }
}

pub(super) fn tracker(check: &mut Check, value: &Value, path: &str) {
    let Some(object) = check.object(value, path) else {
        return;
    };
    for (key, value) in own_keys(object) {
        check.int(value, &format!("{path}.{key}"), Least::Zero);
    }
}

pub(super) fn confirmation(check: &mut Check, value: &Value, path: &str) {
    let Some(object) = check.object(value, path) else {
        return;
    };
    let keys = [
        "id",
        "status",
        "phase",
        "context",
        "options",
        "created_at",
        "timeout_minutes",
        "timeout_action",
        "response",
        "resolved_at",
        "attempt",
    ];
    check.keys(object, path, &keys);
    for (key, value) in own_keys(object) {
        let path = format!("{path}.{key}");
        match key.as_str() {
            "id" | "phase" | "context" | "created_at" | "response" | "resolved_at" => {
                check.optional_string(value, &path);
            }
            "status" if value == "awaiting_user" => check.warning(&path, Code::Prose),
            "status" => check.none_or_one_of(value, &path, |text| {
                matches!(text, "pending" | "resolved" | "timed_out" | "cancelled").then_some(())
            }),
            "options" => check.strings(value, &path),
            "timeout_minutes" => {
                check.int(value, &path, Least::One);
            }
            "timeout_action" => {
                check.one_of(value, &path, |text| {
                    matches!(text, "auto_degrade" | "auto_approve" | "auto_abort").then_some(())
                });
            }
            "attempt" => {
                check.int(value, &path, Least::Zero);
            }
            _ => {}
        }
    }
}

pub(super) fn contracts(check: &mut Check, value: &Value, path: &str) {
    let Some(object) = check.object(value, path) else {
        return;
    };
    check.keys(object, path, &["active_phase", "declared_at", "contracts"]);
    for (key, value) in own_keys(object) {
        let path = format!("{path}.{key}");
        match key.as_str() {
            "active_phase" => check.none_or_one_of(value, &path, Phase::parse),
            "declared_at" => check.optional_string(value, &path),
            "contracts" => {
                check.object(value, &path);
            }
            _ => {}
        }
    }
}

pub(super) fn snapshot(check: &mut Check, value: &Value, path: &str) {
    let Some(object) = check.object(value, path) else {
        return;
    };
    check.keys(object, path, &["last_action", "key_decisions", "narrative_1k"]);
    for (key, value) in own_keys(object) {
        let path = format!("{path}.{key}");
        match key.as_str() {
            "last_action" => {
                check.string(value, &path);
            }
            "key_decisions" => check.strings(value, &path),
            "narrative_1k" => {
                let text = check.string(value, &path);
                if text.is_some_and(|text| text.chars().count() > LONGEST_NARRATIVE) {
                    check.error(&path, Code::Range("at most 1024 characters"));
                }
            }
            _ => {}
        }
    }
}

pub(super) fn housekeeping(check: &mut Check, value: &Value, path: &str) {
    let Some(object) = check.object(value, path) else {
        return;
    };
    check.keys(
        object,
        path,
        &["invocation_count", "total_tokens_estimated", "lock_file"],
    );
    for (key, value) in own_keys(object) {
        let path = format!("{path}.{key}");
        match key.as_str() {
            "invocation_count" | "total_tokens_estimated" => {
                check.int(value, &path, Least::Zero);
            }
            "lock_file" => {
                check.string(value, &path);
            }
            _ => {}
        }
    }
}
