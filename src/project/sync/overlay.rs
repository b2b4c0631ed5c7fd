//! The flow's part of a sync (logos-project.md 9.4, 7): a project with a user interface has two nodes more.

use super::{Change, SyncError, Write};
use crate::files::{RepoPath, Tree};
use crate::project::layout;
use crate::say;
use crate::text::Bytes;
use crate::voice::{Invocation, Say, Voice};
use crate::yaml::edit::EditError;
use crate::yaml::entries::{Field, add_entries, remove_entry};
use crate::yaml::{self, Value};

const OPERATIONS: &str = "overlay";
const PROTOTYPE: &str = "write-ui-prototype";
const PROVENANCE: &str = "verify-ui-provenance";

/// How a new overlay begins.
const HEADER: &str = "version: 1\nflow: launched\nextends: builtin:launched@v1\n";

/// The overlay with the nodes, or without them; none if it is as it has to be.
pub(super) fn plan(
    tree: &dyn Tree,
    is_gui: bool,
    voice: &Voice,
    changes: &mut Vec<Change>,
) -> Result<Option<Write>, SyncError> {
    let path = RepoPath::of(layout::LAUNCHED_FLOW);
    let before = tree.read(&path)?;
    if before.is_none() && !is_gui {
        return Ok(None);
    }
    let old = before.clone().unwrap_or_else(|| HEADER.as_bytes().to_vec());
    let edited = if is_gui {
        with_nodes(&old, voice, changes)
    } else {
        without_nodes(old, changes)
    };
    let after = edited.map_err(|error| SyncError::Overlay { error })?;
    Ok(Some(Write { path, before, after }))
}

/// The ids that an operation is about: of the node that it adds, or of the one that it aims at.
fn ids(operation: &Value) -> impl Iterator<Item = &str> {
    let node = operation.get("node").and_then(|node| node.get("id"));
    [node, operation.get("target")]
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

fn adds(operation: &Value, id: &str) -> bool {
    let node = operation.get("node").and_then(|node| node.get("id"));
    node.and_then(Value::as_str) == Some(id)
}

fn operations(root: &Value) -> &[Value] {
    root.get(OPERATIONS).and_then(Value::as_list).unwrap_or_default()
}

fn with_nodes(old: &[u8], voice: &Voice, changes: &mut Vec<Change>) -> Result<Bytes, EditError> {
    let root = yaml::parse(old)?;
    let is_missing = |id: &str| !operations(&root).iter().any(|operation| adds(operation, id));
    let done_when = |command| format!("cmd:{}", Invocation::new(command, &[]).say(voice));
    let (write, check) = (done_when("check-ui-prototype"), done_when("check-ui-hash-match"));
    let pages = format!("{}/", layout::PAGE_DESIGN_DELTAS);
    let write_name = say!(voice, "Write the UI prototype", "编写 UI 原型");
    let check_name = say!(voice, "Check where the UI comes from", "核验 UI 来源");
    let prototype = [
        ("id", Field::Text(PROTOTYPE)),
        ("name", Field::Text(&write_name)),
        ("skill", Field::Text("change-writer")),
        ("when", Field::Text("ui_impact")),
        ("produces", Field::Text(&pages)),
        ("done_when", Field::Text(&write)),
    ];
    let provenance = [
        ("id", Field::Text(PROVENANCE)),
        ("name", Field::Text(&check_name)),
        ("when", Field::Text("ui_impact")),
        ("produces", Field::Null),
        ("done_when", Field::Text(&check)),
    ];
    let first = [
        ("op", Field::Text("add")),
        ("after", Field::Text("write-tasks")),
        ("node", Field::Map(&prototype)),
    ];
    let second = [
        ("op", Field::Text("add")),
        ("before", Field::Text("generate-merge-prompt")),
        ("node", Field::Map(&provenance)),
    ];
    let mut missing: Vec<&[(&str, Field<'_>)]> = Vec::new();
    for (id, operation) in [(PROTOTYPE, &first), (PROVENANCE, &second)] {
        if is_missing(id) {
            missing.push(operation);
            changes.push(Change::NodeAdded(id));
        }
    }
    if missing.is_empty() {
        return Ok(old.to_vec());
    }
    add_entries(old, OPERATIONS, &missing)
}

/// Operations on the two nodes go too: without the nodes they would break the flow.
fn without_nodes(mut text: Bytes, changes: &mut Vec<Change>) -> Result<Bytes, EditError> {
    let root = yaml::parse(&text)?;
    for (index, operation) in operations(&root).iter().enumerate().rev() {
        let own = [PROTOTYPE, PROVENANCE]
            .into_iter()
            .find(|own| ids(operation).any(|id| id == *own));
        let Some(own) = own else { continue };
        text = remove_entry(&text, OPERATIONS, index)?;
        if adds(operation, own) {
            changes.push(Change::NodeRemoved(own));
        }
    }
    Ok(text)
}
