//! The records that a merge leaves in the change folder: `SPEC_MERGED`, `CODE_AUTORESET` (change.md 6.3).

use serde::Serialize;

use crate::change::marks::NO_DELTA;
use crate::change::{Change, CodeReset};
use crate::clock::Timestamp;
use crate::files::{ObjectId, RepoPath};
use crate::text::Bytes;
use crate::voice::Language;

pub const CODE_AUTORESET: &str = "CODE_AUTORESET";

#[derive(Serialize)]
struct NoDelta {
    r#type: &'static str,
    reason: &'static str,
    completed_at: String,
}

#[derive(Serialize)]
struct Merged<'a> {
    r#type: &'static str,
    completed_at: String,
    base: Option<String>,
    documents: Vec<std::borrow::Cow<'a, str>>,
}

#[derive(Serialize)]
struct Reset<'a> {
    ts: String,
    trigger: &'static str,
    old_code: &'a str,
}

fn pretty(value: &impl Serialize) -> Bytes {
    let mut text = serde_json::to_vec_pretty(value).expect("records are plain structs");
    text.push(b'\n');
    text
}

/// The record of a change without deltas, or with page prototypes only.
pub fn no_delta(now: Timestamp) -> Bytes {
    pretty(&NoDelta {
        r#type: NO_DELTA,
        reason: "pure-code proposal has no spec delta",
        completed_at: now.rfc3339(),
    })
}

/// The record of a merge: the base it started from, the documents its deltas are for.
pub fn merged(now: Timestamp, base: Option<ObjectId>, documents: &[&RepoPath]) -> Bytes {
    pretty(&Merged {
        r#type: "spec_merged",
        completed_at: now.rfc3339(),
        base: base.map(|id| id.to_string()),
        documents: documents.iter().map(|path| path.text()).collect(),
    })
}

/// The `[code]` section put back to its placeholder, if it holds more.
pub fn code_reset(change: &Change, language: Language) -> Option<CodeReset> {
    change.tasks.reset_code(match language {
        Language::English => "Implement code changes",
        Language::Chinese => "实现代码变更",
    })
}

/// The line that a reset appends to its record.
pub fn code_reset_line(now: Timestamp, reset: &CodeReset) -> Bytes {
    let line = Reset {
        ts: now.rfc3339(),
        trigger: "merge",
        old_code: &reset.old_code,
    };
    let mut text = serde_json::to_vec(&line).expect("records are plain structs");
    text.push(b'\n');
    text
}
