//! A flow while it is worked on: its nodes by id, and their order.

use std::collections::HashMap;

use super::error::{Expected, Fault, Flaw, Subject};
use super::order::{Order, Place};
use super::resolved::{Dispatch, Node, ResolvedFlow, Subflow, whole};
use super::written::Written;
use super::{Lifecycle, schema};
use crate::yaml::{self, Value};

/// The time a worker has where nobody says anything, in seconds.
const TIMEOUT_SECONDS: u64 = 900;

/// A flow that has the shape of one: mappings, ids and names are where they must be.
#[derive(Debug)]
pub(super) struct Document {
    /// All keys but `subflows`.
    pub(super) top: Written,
    /// Their nodes are in `nodes` as long as the flow is worked on.
    pub(super) subflows: Vec<Subflow>,
    pub(super) nodes: Vec<Node>,
    pub(super) order: Order,
    pub(super) by_id: HashMap<String, usize>,
}

impl Document {
    /// The built-in flow.
    pub(super) fn builtin(lifecycle: Lifecycle) -> Self {
        let root = yaml::parse(lifecycle.builtin_text().as_bytes()).expect("tested for both flows");
        Self::read(root).expect("tested for both flows")
    }

    /// Reads a flow (S1, S2, S4, S7, S13).
    pub(super) fn read(root: Value) -> Result<Self, Flaw> {
        let file = Subject::File;
        let Value::Map(root) = root else {
            return Err(Flaw::wrong(file, None, Expected::Mapping, Some(&root)));
        };
        let mut top = Written::of(root);
        if top.text("flow").is_none() {
            return Err(Flaw::wrong(file, "flow", Expected::Text, top.get("flow")));
        }
        if top.get("version").and_then(Value::as_number).is_none() {
            return Err(Flaw::wrong(file, "version", Expected::Number, top.get("version")));
        }
        let subflows = match top.take("subflows") {
            Some(Value::List(list)) => list.items,
            other => return Err(Flaw::wrong(file, "subflows", Expected::List, other.as_ref())),
        };
        let mut document = Self {
            top,
            subflows: Vec::new(),
            nodes: Vec::new(),
            order: Order::default(),
            by_id: HashMap::new(),
        };
        for subflow in subflows {
            document.read_subflow(subflow)?;
        }
        Ok(document)
    }

    fn read_subflow(&mut self, subflow: Value) -> Result<(), Flaw> {
        let Value::Map(subflow) = subflow else {
            let file = Subject::File;
            return Err(Flaw::wrong(file, "subflows", Expected::Mapping, Some(&subflow)));
        };
        let span = subflow.span;
        let mut written = Written::of(subflow);
        let Some(id) = written.text("id").map(str::to_owned) else {
            let flaw = Flaw::wrong(Subject::File, "subflows.id", Expected::Text, written.get("id"));
            return Err(flaw.or_at(span));
        };
        let nodes = match written.take("nodes") {
            Some(Value::List(list)) => list.items,
            other => {
                let flaw = Flaw::wrong(Subject::Subflow(id), "nodes", Expected::List, other.as_ref());
                return Err(flaw.or_at(span));
            }
        };
        let home = self.order.add_subflow();
        for node in nodes {
            let node = read_node(node, &Subject::Subflow(id.clone()))?;
            self.insert(node, Place::End(home))?;
        }
        self.subflows.push(Subflow {
            id,
            written,
            nodes: Vec::new(),
        });
        Ok(())
    }

    /// Puts in a node.
    pub(super) fn insert(&mut self, node: Node, place: Place) -> Result<(), Flaw> {
        let at = self.nodes.len();
        if self.by_id.insert(node.id.clone(), at).is_some() {
            return Err(Flaw::new(Subject::Node(node.id), Fault::Duplicate));
        }
        self.nodes.push(node);
        self.order.add(place);
        Ok(())
    }

    /// Puts back what operations work on aside from a node's other keys.
    pub(super) fn close(&mut self) {
        for node in &mut self.nodes {
            node.close_dispatch();
        }
    }

    /// The checked flow with every dispatch filled in (flow.md 4 step 8).
    pub(super) fn resolve(self, lifecycle: Lifecycle) -> ResolvedFlow {
        let defaults = self.top.present("defaults").and_then(|d| d.get("dispatch"));
        let timeout = defaults.and_then(|d| d.get("timeout_seconds")).and_then(whole);
        let timeout = timeout.unwrap_or(TIMEOUT_SECONDS);
        let mut subflows = self.subflows;
        let mut nodes: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        for (home, subflow) in subflows.iter_mut().enumerate() {
            subflow.nodes = self.order.of(home).filter_map(|at| nodes[at].take()).collect();
            for node in &mut subflow.nodes {
                fill_in(node, timeout);
            }
        }
        let places = subflows.iter().enumerate().flat_map(|(home, subflow)| {
            let ids = subflow.nodes.iter().enumerate();
            ids.map(move |(at, node)| (node.id.clone(), (home, at)))
        });
        ResolvedFlow {
            by_id: places.collect(),
            lifecycle,
            overlay_applied: false,
            warnings: Vec::new(),
            extends: None,
            top: self.top,
            subflows,
            source: None,
        }
    }
}

/// Reads a node (S7).
pub(super) fn read_node(node: Value, place: &Subject) -> Result<Node, Flaw> {
    let Value::Map(node) = node else {
        return Err(Flaw::wrong(place.clone(), "node", Expected::Mapping, Some(&node)));
    };
    let span = node.span;
    let written = Written::of(node);
    let Some(id) = written.text("id").map(str::to_owned) else {
        return Err(Flaw::wrong(place.clone(), "node.id", Expected::Text, written.get("id")).or_at(span));
    };
    schema::name(&id, &written).map_err(|flaw| flaw.or_at(span))?;
    Ok(Node {
        id,
        written,
        dispatch: Dispatch::default(),
        requires_reviewed: None,
        open_dispatch: None,
        operations: Vec::new(),
        added: None,
    })
}

fn fill_in(node: &mut Node, timeout: u64) {
    let written = node.written.present("dispatch");
    let key = |key: &str| written.and_then(|dispatch| dispatch.get(key));
    node.dispatch = Dispatch {
        idempotent: key("idempotent").and_then(Value::as_bool).unwrap_or(false),
        timeout_seconds: key("timeout_seconds").and_then(whole).unwrap_or(timeout),
        artifacts_hint: key("artifacts_hint").and_then(texts).unwrap_or_default(),
    };
    node.requires_reviewed = node.written.get("requires_reviewed").and_then(texts);
}

/// A list of texts.
pub(super) fn texts(value: &Value) -> Option<Vec<String>> {
    let texts = value
        .as_list()?
        .iter()
        .map(|item| item.as_str().map(str::to_owned));
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_flows_have_the_shape_of_flows_and_pass_all_checks() {
        for lifecycle in [Lifecycle::Initial, Lifecycle::Launched] {
            let document = Document::builtin(lifecycle);
            assert_eq!(document.top.text("flow"), Some(lifecycle.as_str()));
            schema::check(&document).expect("it passes");
        }
    }
}
