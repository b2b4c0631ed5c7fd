//! The flow that counts: the built-in one with the overlay of the project applied (flow.md 2 to 4).

use std::collections::HashMap;

use serde::Serialize;

use super::error::Source;
use super::written::Written;
use super::{Lifecycle, Warning};
use crate::text::Span;
use crate::yaml::{Map, Value};

/// A flow whose structure was checked.
#[derive(Debug)]
pub struct ResolvedFlow {
    pub lifecycle: Lifecycle,
    /// There is an overlay file, with operations or without.
    pub overlay_applied: bool,
    pub warnings: Vec<Warning>,
    /// What the overlay says that it extends, as written.
    pub extends: Option<String>,
    pub(super) top: Written,
    pub(super) subflows: Vec<Subflow>,
    /// Subflow and position of every node.
    pub(super) by_id: HashMap<String, (usize, usize)>,
    /// The overlay file, to tell lines of later checks.
    pub(super) source: Option<Source>,
}

impl ResolvedFlow {
    /// The keys of the flow as written, but `extends` and `subflows`.
    pub fn top(&self) -> &Written {
        &self.top
    }

    pub fn subflows(&self) -> &[Subflow] {
        &self.subflows
    }

    pub fn subflow(&self, id: &str) -> Option<&Subflow> {
        self.subflows.iter().find(|subflow| subflow.id() == id)
    }

    /// All nodes in order: the index of a node is its position in the whole flow.
    pub fn nodes(&self) -> impl Iterator<Item = (&Subflow, &Node)> {
        self.subflows
            .iter()
            .flat_map(|subflow| subflow.nodes.iter().map(move |node| (subflow, node)))
    }

    pub fn node(&self, id: &str) -> Option<(&Subflow, &Node)> {
        let (home, at) = *self.by_id.get(id)?;
        let subflow = &self.subflows[home];
        Some((subflow, &subflow.nodes[at]))
    }
}

/// A part of the flow: nodes that share a gate and a loop.
#[derive(Debug)]
pub struct Subflow {
    pub(super) id: String,
    pub(super) written: Written,
    pub(super) nodes: Vec<Node>,
}

impl Subflow {
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its display name, if it has one that is text.
    pub fn name(&self) -> Option<&str> {
        self.written.text("name")
    }

    pub fn when(&self) -> Option<&str> {
        self.written.text("when")
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Its keys as written, but `nodes`.
    pub fn written(&self) -> &Written {
        &self.written
    }

    pub fn loop_(&self) -> Option<Loop> {
        let written = self.written.present("loop")?;
        let until = match written.get("until").and_then(Value::as_str) {
            Some("code_slices_green") => Until::CodeSlicesGreen,
            Some(_) | None => Until::TestsGreen,
        };
        let skippable = |gate: &Value| gate.get("skippable").and_then(Value::as_bool);
        Some(Loop {
            until,
            max_iters: written.get("max_iters").and_then(whole).unwrap_or(1),
            exhausted_skippable: written.get("exhausted_gate").and_then(skippable),
        })
    }
}

/// How often a subflow is gone through, and until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    pub until: Until,
    /// 1, no repetition, when it is not written.
    pub max_iters: u64,
    /// Only when `exhausted_gate` is written.
    pub exhausted_skippable: Option<bool>,
}

/// What ends a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    TestsGreen,
    CodeSlicesGreen,
}

impl Until {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TestsGreen => "tests_green",
            Self::CodeSlicesGreen => "code_slices_green",
        }
    }
}

const DISPATCH: &str = "dispatch";

/// One step of the flow.
#[derive(Debug)]
pub struct Node {
    pub(super) id: String,
    pub(super) written: Written,
    pub(super) dispatch: Dispatch,
    pub(super) requires_reviewed: Option<Vec<String>>,
    /// `dispatch` while operations lay keys over it.
    pub(super) open_dispatch: Option<Written>,
    pub(super) operations: Vec<(OverlayOp, Span)>,
    pub(super) added: Option<Anchor>,
}

impl Node {
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its display name.
    pub fn name(&self) -> &str {
        self.written.text("name").unwrap_or_default()
    }

    pub fn skill(&self) -> Option<&str> {
        self.written.text("skill")
    }

    pub fn working_agent(&self) -> Option<&str> {
        self.written.text("working_agent")
    }

    pub fn review_agent(&self) -> Option<&str> {
        self.written.text("review_agent")
    }

    pub fn pre_script(&self) -> Option<&str> {
        self.written.text("pre_script")
    }

    pub fn post_script(&self) -> Option<&str> {
        self.written.text("post_script")
    }

    pub fn when(&self) -> Option<&str> {
        self.written.text("when")
    }

    pub fn for_each(&self) -> Option<&str> {
        self.written.text("for_each")
    }

    pub fn produces(&self) -> Option<&str> {
        self.written.text("produces")
    }

    pub fn done_when(&self) -> Option<&str> {
        self.written.text("done_when")
    }

    pub fn fail_when(&self) -> Option<&str> {
        self.written.text("fail_when")
    }

    /// How it is handed to a worker: filled in where it is not written.
    pub fn dispatch(&self) -> &Dispatch {
        &self.dispatch
    }

    pub fn requires_reviewed(&self) -> Option<&[String]> {
        self.requires_reviewed.as_deref()
    }

    pub fn cmd_timeout_seconds(&self) -> Option<u64> {
        self.written.get("cmd_timeout_seconds").and_then(whole)
    }

    pub fn coverage_threshold(&self) -> Option<f64> {
        self.written.get("coverage_threshold").and_then(Value::as_number)
    }

    /// Whether the overlay skips it.
    pub fn skipped(&self) -> bool {
        self.operations.iter().any(|(op, _)| *op == OverlayOp::Skip)
    }

    /// The last operation on it.
    pub fn overlay_op(&self) -> Option<OverlayOp> {
        self.operations.last().map(|(op, _)| *op)
    }

    /// Where the overlay added it, whatever was done to it later (flow.md 21 row 6).
    pub fn added(&self) -> Option<&Anchor> {
        self.added.as_ref()
    }

    /// Its keys as written.
    pub fn written(&self) -> &Written {
        &self.written
    }

    /// Lays keys over its `dispatch`, which counts once it is closed.
    pub(super) fn lay_over_dispatch(&mut self, over: Map) {
        let Self {
            written,
            open_dispatch,
            ..
        } = self;
        let open = open_dispatch.get_or_insert_with(|| written.open(DISPATCH));
        open.lay_over(over);
    }

    pub(super) fn close_dispatch(&mut self) {
        if let Some(dispatch) = self.open_dispatch.take() {
            self.written.close(DISPATCH, dispatch);
        }
    }
}

/// How a node is handed to a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Dispatch {
    pub idempotent: bool,
    pub timeout_seconds: u64,
    pub artifacts_hint: Vec<String>,
}

/// The node that an added one stands next to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    After(String),
    Before(String),
}

impl Anchor {
    /// The id of that node.
    pub fn id(&self) -> &str {
        match self {
            Self::After(id) | Self::Before(id) => id,
        }
    }
}

/// What an overlay does to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayOp {
    Skip,
    Modify,
    Add,
    Reorder,
}

impl OverlayOp {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Modify => "modify",
            Self::Add => "add",
            Self::Reorder => "reorder",
        }
    }
}

/// A whole number from 1 on; what is beyond 64 bits is their last one.
pub(super) fn whole(value: &Value) -> Option<u64> {
    value.as_number().and_then(whole_number)
}

pub(super) fn whole_number(number: f64) -> Option<u64> {
    // A conversion to an integer takes the nearest one that there is.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = number as u64;
    (number.is_finite() && number >= 1.0 && number.fract() == 0.0).then_some(whole)
}
