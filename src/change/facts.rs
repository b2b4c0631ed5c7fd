//! Facts of a change that lint and the flow read alike, each from one place (change.md L2 and L3).

use std::sync::LazyLock;

use regex::Regex;

use super::Change;
use crate::ids;
use crate::text::{decode, js};

static NO_CODE: LazyLock<Regex> = LazyLock::new(|| {
    js(
        r"无需代码|无代码|纯文档|不涉及代码|(?i-u:no)\s+(?i-u:code)|(?i-u:docs-only)|(?i-u:documentation-only)",
    )
});
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    js(
        r"代码级|(?i-u:code-level)|(?i-u:code)\s+(?i-u:level)|业务代码|实现代码|代码实现|(?i-u:runner)|(?i-u:reporter)",
    )
});
static TEST_DELTAS: LazyLock<Regex> = LazyLock::new(|| js(r"\bdeltas/test/"));

/// Where a change stands, as far as its evidence of tests goes (change.md L3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Plan,
    SpecComplete,
    Slice,
}

/// Whether the change needs code: its tasks say so, its tests do, or its proposal's words.
pub fn code_required(change: &Change) -> bool {
    if change.tasks.section("code").is_some() {
        return true;
    }
    let tasks = change.tasks.text();
    if TEST_DELTAS.is_match(&tasks) && ids::mentions_test_id(&tasks) {
        return true;
    }
    if change
        .test_texts()
        .any(|bytes| ids::mentions_test_id(&decode(bytes)))
    {
        return true;
    }
    let proposal = decode(change.proposal.bytes());
    !NO_CODE.is_match(&proposal) && CODE.is_match(&proposal)
}

/// The stage that decides which evidence counts.
pub fn stage(change: &Change) -> Stage {
    if change.is_merged() {
        return Stage::Slice;
    }
    let Some(section) = change.tasks.section("delta") else {
        return Stage::Plan;
    };
    let mut delta_items = section
        .items
        .iter()
        .filter(|i| i.text.contains("deltas/"))
        .peekable();
    if delta_items.peek().is_some() && delta_items.all(|i| i.checked) {
        Stage::SpecComplete
    } else {
        Stage::Plan
    }
}
