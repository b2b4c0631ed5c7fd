//! `baseline-events.jsonl` (logos-project.md 10.5): a line for each commit, never a second one.

use serde::Serialize;
use serde_json::Value;

use super::journal::Journal;
use crate::clock::Timestamp;
use crate::files::{ReadError, RepoPath, Tree};
use crate::project::layout;
use crate::text::{Bytes, lines};

#[derive(Serialize)]
struct Event<'a> {
    #[serde(rename = "event_id")]
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    module: &'a str,
    keys: &'a [String],
    actor: &'static str,
    at: String,
}

/// The file with the event of a commit at its end; none if it is in it already.
pub(super) fn with(tree: &dyn Tree, journal: &Journal, now: Timestamp) -> Result<Option<Bytes>, ReadError> {
    let mut file = tree
        .read(&RepoPath::of(layout::BASELINE_EVENTS))?
        .unwrap_or_default();
    let event = Event {
        id: format!("{}-commit", journal.run_id),
        kind: "register",
        module: &journal.module,
        keys: &journal.keys,
        actor: "baseline-seed",
        at: now.rfc3339(),
    };
    let known = lines(&file).iter().any(|line| {
        // A line that is no JSON is the event of nobody.
        let parsed: Option<Value> = serde_json::from_slice(line.span.of(&file)).ok();
        parsed.is_some_and(|e| e.get("event_id").and_then(Value::as_str) == Some(&event.id))
    });
    if known {
        return Ok(None);
    }
    if file.last().is_some_and(|b| *b != b'\n') {
        file.push(b'\n');
    }
    serde_json::to_writer(&mut file, &event).expect("plain structs are always JSON");
    file.push(b'\n');
    Ok(Some(file))
}
