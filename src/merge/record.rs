//! The records that a merge leaves in the change folder: `SPEC_MERGED`, `CODE_AUTORESET` (change.md 6.3).

use serde::Serialize;

use crate::change::{Change, CodeReset};
use crate::clock::Timestamp;
use crate::files::{ObjectId, RepoPath};
use crate::text::Bytes;
use crate::voice::Language;

pub const CODE_AUTORESET: &str = "CODE_AUTORESET";
const NO_DELTA: &str = "no_delta_spec_complete";

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

/// What a `SPEC_MERGED` says of itself. A file that says nothing, as a person may make it, claims nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// It says that there was no delta.
    pub no_delta: bool,
    pub completed_at: Option<String>,
    /// As written.
    pub base: Option<String>,
    /// Paths from the project's root, as written.
    pub documents: Vec<String>,
}

impl Claims {
    pub fn read(bytes: &[u8]) -> Self {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else {
            return Self::default();
        };
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let documents = value.get("documents").and_then(serde_json::Value::as_array);
        let documents = documents
            .into_iter()
            .flatten()
            .filter_map(serde_json::Value::as_str);
        Self {
            no_delta: text("type").as_deref() == Some(NO_DELTA),
            completed_at: text("completed_at"),
            base: text("base"),
            documents: documents.map(str::to_owned).collect(),
        }
    }
}
