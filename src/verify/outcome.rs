//! What a run writes beside its report: markers and the round of a loop (verify.md 8).

use serde::Serialize;

use super::precheck::GateResult;
use crate::change::facts::Facts;
use crate::clock::Timestamp;
use crate::files::{ReadError, RepoPath, Tree};
use crate::flow::loops::{self, LEDGER, SliceState};
use crate::flow::{Error as FlowError, Lifecycle, ResolvedFlow};
use crate::project::session::Guard;
use crate::project::{Registry, Slug, layout};
use crate::text::Bytes;

pub const VERIFY_PASS: &str = "VERIFY_PASS";
pub const VERIFY_FAIL: &str = "VERIFY_FAIL";
pub const DEPLOY_DONE: &str = "DEPLOY_DONE";
pub const SMOKE_PASS: &str = "SMOKE_PASS";
pub const SMOKE_FAIL: &str = "SMOKE_FAIL";

/// A file to be written, or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub path: RepoPath,
    /// None removes it, if it is there.
    pub content: Option<Bytes>,
}

impl Edit {
    pub fn write(path: RepoPath, content: Bytes) -> Self {
        Self {
            path,
            content: Some(content),
        }
    }

    pub fn remove(path: RepoPath) -> Self {
        Self { path, content: None }
    }
}

/// What could not be found out.
#[derive(Debug, thiserror::Error)]
pub enum OutcomeError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// The markers of a change after its verification.
pub fn verify_markers(slug: &Slug, result: GateResult) -> Vec<Edit> {
    let (write, remove): (_, &[_]) = match result {
        GateResult::Pass => (VERIFY_PASS, &[VERIFY_FAIL]),
        GateResult::Fail => (VERIFY_FAIL, &[VERIFY_PASS, DEPLOY_DONE, SMOKE_PASS, SMOKE_FAIL]),
    };
    markers(slug, write, remove)
}

/// The markers of a change after its smoke test.
pub fn smoke_markers(slug: &Slug, result: GateResult) -> Vec<Edit> {
    match result {
        GateResult::Pass => markers(slug, SMOKE_PASS, &[SMOKE_FAIL]),
        GateResult::Fail => markers(slug, SMOKE_FAIL, &[SMOKE_PASS]),
    }
}

pub(super) fn markers(slug: &Slug, write: &str, remove: &[&str]) -> Vec<Edit> {
    let folder = layout::change(slug);
    let removed = remove.iter().map(|name| Edit::remove(folder.join(name)));
    [Edit::write(folder.join(write), Bytes::new())]
        .into_iter()
        .chain(removed)
        .collect()
}

/// A round of a loop; keys in contract order.
#[derive(Serialize)]
struct Round<'a> {
    iter: u64,
    node: &'static str,
    result: &'static str,
    module: &'a str,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<String>,
}

/// The ledger of the active loop with one more round; none where no loop is active (verify.md 8.1). `change` is the
/// active change, if its folder is there.
pub fn next_round(
    tree: &dyn Tree,
    guard: &Guard,
    registry: &Registry,
    change: Option<&Facts<'_>>,
    result: GateResult,
    now: Timestamp,
) -> Result<Option<Edit>, OutcomeError> {
    let modules = registry.registered();
    let names_change = guard.active_change().is_some() && guard.module().is_some();
    let (lifecycle, module, ledger) = if names_change {
        let (Some(module), Some(facts)) = (guard.module(), change) else {
            return Ok(None);
        };
        (Lifecycle::Launched, module, facts.path.join(LEDGER))
    } else if modules.iter().any(|module| module.launched) {
        return Ok(None);
    } else {
        let module = match modules {
            [] => "core",
            [only] => only.id.as_str(),
            _ => return Ok(None),
        };
        (
            Lifecycle::Initial,
            module,
            RepoPath::of(layout::VERIFY).join(LEDGER),
        )
    };
    let flow = ResolvedFlow::load(tree, lifecycle)?;
    if loops::active_loop(&flow).is_none() {
        return Ok(None);
    }
    let slices = change
        .filter(|_| names_change)
        .and_then(|facts| SliceState::of(facts, &flow));
    let round = Round {
        iter: loops::read_rounds(tree, &ledger, module)?.count + 1,
        node: "verify",
        result: if result.passes() { "pass" } else { "fail" },
        module,
        timestamp: now.rfc3339(),
        slice: slices
            .and_then(|slices| slices.current)
            .map(|slice| slice.item.text),
    };
    let mut content = tree.read(&ledger)?.unwrap_or_default();
    if !content.is_empty() && !content.ends_with(b"\n") {
        content.push(b'\n');
    }
    serde_json::to_writer(&mut content, &round).expect("texts and a number are always JSON");
    content.push(b'\n');
    Ok(Some(Edit::write(ledger, content)))
}
