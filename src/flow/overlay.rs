//! The overlay of a project laid over a built-in flow (flow.md 4): one operation after the other, in file order.

use super::document::{Document, read_node};
use super::error::{Expected, Fault, Flaw, Subject};
use super::order::Place;
use super::written::Written;
use super::{Anchor, Lifecycle, OverlayOp, Warning, command, schema};
use crate::text::{Span, nearest_name, trim};
use crate::yaml::{Map, Value};

/// What an overlay says besides its operations.
#[derive(Debug, Default)]
pub(super) struct Applied {
    pub(super) extends: Option<String>,
    pub(super) warnings: Vec<Warning>,
}

/// Applies an overlay to the built-in flow and checks the result.
pub(super) fn apply(document: &mut Document, lifecycle: Lifecycle, overlay: Value) -> Result<Applied, Flaw> {
    let Value::Map(overlay) = overlay else {
        return Err(Flaw::wrong(
            Subject::File,
            None,
            Expected::Mapping,
            Some(&overlay),
        ));
    };
    let mut overlay = Written::of(overlay);
    if let (Some(own), None) = (overlay.get("subflows"), overlay.present("extends")) {
        let flaw = Flaw::new(Subject::File, Fault::OwnFlow);
        return Err(flaw.key("subflows").at(own.span()));
    }
    let mut applied = Applied::default();
    if let Some(extends) = overlay.present("extends") {
        applied.extends = Some(read_extends(extends, lifecycle, &mut applied.warnings)?);
    }
    schema::defaults(overlay.get("defaults"))?;
    if let Some(Value::Map(defaults)) = overlay.take("defaults") {
        merge_defaults(document, defaults);
    }
    let operations = match overlay.take("overlay") {
        None => Vec::new(),
        Some(Value::List(list)) => list.items,
        other => {
            return Err(Flaw::wrong(
                Subject::File,
                "overlay",
                Expected::List,
                other.as_ref(),
            ));
        }
    };
    for (at, entry) in operations.into_iter().enumerate() {
        let number = at + 1;
        let span = entry.span();
        operate(document, lifecycle, entry, number).map_err(|flaw| flaw.or_at(span))?;
    }
    document.close();
    command::check_loop(document)?;
    schema::check(document)?;
    Ok(applied)
}

/// Reads `extends`; another content version than ours is told, not refused.
fn read_extends(extends: &Value, lifecycle: Lifecycle, warnings: &mut Vec<Warning>) -> Result<String, Flaw> {
    let refuse = |fault| Flaw::new(Subject::File, fault).key("extends").at(extends.span());
    let Some(text) = extends.as_str() else {
        return Err(Flaw::wrong(
            Subject::File,
            "extends",
            Expected::Text,
            Some(extends),
        ));
    };
    let Some((name, version)) = parse_extends(trim(text)) else {
        return Err(refuse(Fault::ExtendsShape(text.to_owned())));
    };
    if name != lifecycle.as_str() {
        return Err(refuse(Fault::ExtendsOther(name.to_owned())));
    }
    if let Some(named) = version.filter(|version| *version != lifecycle.builtin_version()) {
        warnings.push(Warning::VersionMismatch {
            named: named.to_owned(),
            lifecycle,
        });
    }
    Ok(text.to_owned())
}

/// `builtin:<name>` or `builtin:<name>@v<version>`.
fn parse_extends(text: &str) -> Option<(&str, Option<&str>)> {
    let rest = text.strip_prefix("builtin:")?;
    let (name, version) = match rest.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (rest, None),
    };
    let all = |text: &str, extra: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || extra.contains(c);
        !text.is_empty() && text.chars().all(allowed)
    };
    let is_version = |version: &str| version.strip_prefix('v').is_some_and(|number| all(number, "."));
    (all(name, "_-") && version.is_none_or(is_version)).then_some((name, version))
}

/// The keys of `defaults` over those of the built-in flow, and those of its `dispatch` likewise.
fn merge_defaults(document: &mut Document, defaults: Map) {
    let mut over = Written::of(defaults);
    let mut own = document.top.open("defaults");
    if let Some(Value::Map(dispatch)) = over.take("dispatch") {
        own.lay_over_below("dispatch", dispatch);
    }
    own.lay_over(over.into_map(Span::default()));
    document.top.close("defaults", own);
}

fn operate(document: &mut Document, lifecycle: Lifecycle, entry: Value, number: usize) -> Result<(), Flaw> {
    let subject = Subject::Operation(number);
    let Value::Map(entry) = entry else {
        return Err(Flaw::wrong(subject, None, Expected::Mapping, Some(&entry)));
    };
    let mut operation = Operation {
        span: entry.span,
        subject,
        keys: Written::of(entry),
    };
    match operation.keys.get("op") {
        Some(Value::String(op)) => match op.text.as_str() {
            "skip" => skip(document, &operation),
            "modify" => modify(document, lifecycle, &mut operation),
            "add" => add(document, &mut operation),
            "reorder" => reorder(document, &operation),
            "set-loop" => set_loop(document, &mut operation),
            other => {
                let fault = Fault::OperationUnknown(other.to_owned());
                Err(Flaw::new(operation.subject, fault).key("op").at(op.span))
            }
        },
        other => Err(operation.wrong("op", Expected::Text, other)),
    }
}

/// One entry of `overlay`.
struct Operation {
    span: Span,
    subject: Subject,
    keys: Written,
}

impl Operation {
    fn wrong(&self, key: &'static str, expected: Expected, value: Option<&Value>) -> Flaw {
        Flaw::wrong(self.subject.clone(), key, expected, value)
    }

    /// A key whose value must be text, and where it stands.
    fn text(&self, key: &'static str) -> Result<(&str, Span), Flaw> {
        match self.keys.get(key) {
            Some(Value::String(scalar)) => Ok((&scalar.text, scalar.span)),
            other => Err(self.wrong(key, Expected::Text, other)),
        }
    }

    /// The mapping under `set`.
    fn set(&mut self) -> Result<Map, Flaw> {
        match self.keys.take("set") {
            Some(Value::Map(set)) => Ok(set),
            other => Err(self.wrong("set", Expected::Mapping, other.as_ref())),
        }
    }

    /// The node named under `key`.
    fn node(&self, document: &Document, key: &'static str) -> Result<usize, Flaw> {
        let (id, span) = self.text(key)?;
        if let Some(at) = document.by_id.get(id) {
            return Ok(*at);
        }
        let known = document.nodes.iter().map(|node| node.id.as_str());
        let fault = Fault::NodeUnknown {
            id: id.to_owned(),
            nearest: nearest_name(id, known).map(str::to_owned),
        };
        Err(Flaw::new(self.subject.clone(), fault).key(key).at(span))
    }

    /// Where `after` or `before` points to; with both, where `after` does.
    fn anchor(&self, document: &Document) -> Result<(usize, Anchor), Flaw> {
        if self.keys.present("after").is_some() {
            let (id, _) = self.text("after")?;
            Ok((self.node(document, "after")?, Anchor::After(id.to_owned())))
        } else if self.keys.present("before").is_some() {
            let (id, _) = self.text("before")?;
            Ok((self.node(document, "before")?, Anchor::Before(id.to_owned())))
        } else {
            Err(Flaw::new(self.subject.clone(), Fault::AnchorMissing))
        }
    }
}

fn skip(document: &mut Document, operation: &Operation) -> Result<(), Flaw> {
    let at = operation.node(document, "target")?;
    document.nodes[at]
        .operations
        .push((OverlayOp::Skip, operation.span));
    Ok(())
}

fn modify(document: &mut Document, lifecycle: Lifecycle, operation: &mut Operation) -> Result<(), Flaw> {
    let at = operation.node(document, "target")?;
    let set = operation.set()?;
    let node = &mut document.nodes[at];
    if let Some((key, _)) = set.entries.iter().find(|(key, _)| key.key_text() == "id") {
        let flaw = Flaw::new(Subject::Node(node.id.clone()), Fault::SetsId);
        return Err(flaw.key("set.id").at(key.span()));
    }
    let mut set = Written::of(set);
    schema::dispatch(&node.id, set.get("dispatch"))?;
    schema::requires_reviewed(&node.id, set.get("requires_reviewed"))?;
    if let Some(Value::Map(dispatch)) = set.take("dispatch") {
        node.lay_over_dispatch(dispatch);
    }
    let span = operation.span;
    node.written.lay_over(set.into_map(span));
    node.operations.push((OverlayOp::Modify, span));
    command::check_modified(node, lifecycle)
}

fn add(document: &mut Document, operation: &mut Operation) -> Result<(), Flaw> {
    let Some(node) = operation.keys.take("node") else {
        return Err(operation.wrong("node", Expected::Mapping, None));
    };
    let span = node.span();
    let mut node = read_node(node, &operation.subject)?;
    if document.by_id.contains_key(&node.id) {
        return Err(Flaw::new(Subject::Node(node.id), Fault::NodeExists).at(span));
    }
    schema::dispatch(&node.id, node.written.get("dispatch"))?;
    schema::requires_reviewed(&node.id, node.written.get("requires_reviewed"))?;
    let (anchor_at, anchor) = operation.anchor(document)?;
    node.operations.push((OverlayOp::Add, operation.span));
    let place = Place::next_to(anchor_at, &anchor);
    node.added = Some(anchor);
    document.insert(node, place)
}

fn reorder(document: &mut Document, operation: &Operation) -> Result<(), Flaw> {
    let at = operation.node(document, "target")?;
    let (anchor_at, anchor) = operation.anchor(document)?;
    if anchor_at == at {
        return Err(Flaw::new(operation.subject.clone(), Fault::AnchorIsTarget));
    }
    let place = Place::next_to(anchor_at, &anchor);
    document.order.move_to(at, place);
    document.nodes[at]
        .operations
        .push((OverlayOp::Reorder, operation.span));
    Ok(())
}

fn set_loop(document: &mut Document, operation: &mut Operation) -> Result<(), Flaw> {
    let (id, span) = operation.text("subflow")?;
    let id = id.to_owned();
    let set = operation.set()?;
    let known = document.subflows.iter().map(|subflow| subflow.id.clone());
    let Some(subflow) = document.subflows.iter().position(|subflow| subflow.id == id) else {
        let known = known.collect();
        let flaw = Flaw::new(operation.subject.clone(), Fault::SubflowUnknown { id, known });
        return Err(flaw.key("subflow").at(span));
    };
    let subject = Subject::Subflow(id);
    for (key, value) in &set.entries {
        match key.as_str() {
            Some("exhausted_gate") => schema::exhausted_gate(&subject, value)?,
            Some("max_iters") if value.as_number().is_some_and(|n| n > 1.0) && !is_implement(&subject) => {
                let flaw = Flaw::new(subject, Fault::LoopElsewhere);
                return Err(flaw.key("loop.max_iters").at(value.span()));
            }
            Some("max_iters" | "until") => {}
            Some(_) | None => {
                let flaw = Flaw::new(subject, Fault::LoopKey(key.key_text()));
                return Err(flaw.at(key.span()));
            }
        }
    }
    document.subflows[subflow].written.lay_over_below("loop", set);
    Ok(())
}

fn is_implement(subject: &Subject) -> bool {
    matches!(subject, Subject::Subflow(id) if id == command::IMPLEMENT)
}
