//! The schema checks of a flow (flow.md 3). "Present" is written and not null; keys that no rule names are let be.

use super::document::{Document, texts};
use super::error::{Expected, Fault, Flaw, Subject};
use super::resolved::{Node, Subflow, whole};
use super::written::Written;
use crate::text::is_blank;
use crate::yaml::{Map, Value};

/// Checks what the shape of a document leaves open (S3, S5, S6, S8 to S12).
pub(super) fn check(document: &Document) -> Result<(), Flaw> {
    defaults(document.top.get("defaults"))?;
    document.subflows.iter().try_for_each(subflow)?;
    let in_order = document.order.iter();
    in_order.map(|at| &document.nodes[at]).try_for_each(node)
}

/// S3.
pub(super) fn defaults(defaults: Option<&Value>) -> Result<(), Flaw> {
    let file = Subject::File;
    let Some(map) = mapping(&file, "defaults", defaults)? else {
        return Ok(());
    };
    let Some(dispatch) = mapping(&file, "defaults.dispatch", map.get("dispatch"))? else {
        return Ok(());
    };
    let timeout = dispatch.get("timeout_seconds");
    allow(
        &file,
        "defaults.dispatch.timeout_seconds",
        Expected::WholeFromOne,
        timeout,
    )
}

/// S5, S6.
fn subflow(subflow: &Subflow) -> Result<(), Flaw> {
    let subject = Subject::Subflow(subflow.id.clone());
    let Some(map) = mapping(&subject, "loop", subflow.written.get("loop"))? else {
        return Ok(());
    };
    allow(
        &subject,
        "loop.max_iters",
        Expected::WholeFromOne,
        map.get("max_iters"),
    )?;
    allow(&subject, "loop.until", Expected::Until, map.get("until"))?;
    map.get("exhausted_gate")
        .map_or(Ok(()), |gate| exhausted_gate(&subject, gate))
}

/// S6: the one key that is refused when it is null.
pub(super) fn exhausted_gate(subject: &Subject, gate: &Value) -> Result<(), Flaw> {
    const KEY: &str = "loop.exhausted_gate";
    let Some(map) = gate.as_map() else {
        return Err(Flaw::wrong(subject.clone(), KEY, Expected::Mapping, Some(gate)));
    };
    for (key, _) in &map.entries {
        if key.as_str() != Some("skippable") {
            let flaw = Flaw::new(subject.clone(), Fault::GateKey(key.key_text()));
            return Err(flaw.key(KEY).at(key.span()));
        }
    }
    match map.get("skippable") {
        Some(Value::Bool(..)) => Ok(()),
        other => {
            let flaw = Flaw::wrong(
                subject.clone(),
                "loop.exhausted_gate.skippable",
                Expected::Boolean,
                other,
            );
            Err(flaw.or_at(gate.span()))
        }
    }
}

/// The name of a node (S7); its id was read already.
pub(super) fn name(id: &str, written: &Written) -> Result<(), Flaw> {
    match written.get("name") {
        Some(Value::String(_)) => Ok(()),
        other => Err(Flaw::wrong(
            Subject::Node(id.to_owned()),
            "name",
            Expected::Text,
            other,
        )),
    }
}

/// S7 to S12.
fn node(node: &Node) -> Result<(), Flaw> {
    name(&node.id, &node.written)?;
    dispatch(&node.id, node.written.get("dispatch"))?;
    requires_reviewed(&node.id, node.written.get("requires_reviewed"))?;
    let subject = Subject::Node(node.id.clone());
    let timeout = node.written.get("cmd_timeout_seconds");
    allow(&subject, "cmd_timeout_seconds", Expected::WholeFromOne, timeout)?;
    let Some(threshold) = node.written.present("coverage_threshold") else {
        return Ok(());
    };
    allow(&subject, "coverage_threshold", Expected::Share, Some(threshold))?;
    let is_counted = node.done_when() == Some("all_present")
        && node.written.present("for_each").is_some()
        && node.produces().is_some_and(|path| !is_blank(path));
    if is_counted {
        return Ok(());
    }
    let flaw = Flaw::new(subject, Fault::ThresholdPlace);
    Err(flaw.key("coverage_threshold").at(threshold.span()))
}

/// S8.
pub(super) fn dispatch(id: &str, dispatch: Option<&Value>) -> Result<(), Flaw> {
    let subject = Subject::Node(id.to_owned());
    let Some(map) = mapping(&subject, "dispatch", dispatch)? else {
        return Ok(());
    };
    let of = |key: &str| map.get(key);
    allow(
        &subject,
        "dispatch.idempotent",
        Expected::Boolean,
        of("idempotent"),
    )?;
    let timeout = of("timeout_seconds");
    allow(
        &subject,
        "dispatch.timeout_seconds",
        Expected::WholeFromOne,
        timeout,
    )?;
    allow(
        &subject,
        "dispatch.artifacts_hint",
        Expected::Texts,
        of("artifacts_hint"),
    )
}

/// S9.
pub(super) fn requires_reviewed(id: &str, list: Option<&Value>) -> Result<(), Flaw> {
    allow(
        &Subject::Node(id.to_owned()),
        "requires_reviewed",
        Expected::Texts,
        list,
    )
}

/// The mapping that is present, if there is one.
fn mapping<'v>(
    subject: &Subject,
    key: &'static str,
    value: Option<&'v Value>,
) -> Result<Option<&'v Map>, Flaw> {
    allow(subject, key, Expected::Mapping, value)?;
    Ok(value.and_then(Value::as_map))
}

/// Refuses a value that is present and not as expected.
fn allow(
    subject: &Subject,
    key: &'static str,
    expected: Expected,
    value: Option<&Value>,
) -> Result<(), Flaw> {
    match value {
        Some(value) if !value.is_null() && !fits(value, expected) => {
            Err(Flaw::wrong(subject.clone(), key, expected, Some(value)))
        }
        Some(_) | None => Ok(()),
    }
}

fn fits(value: &Value, expected: Expected) -> bool {
    match expected {
        Expected::Mapping => value.as_map().is_some(),
        Expected::List => value.as_list().is_some(),
        Expected::Text => value.as_str().is_some(),
        Expected::Number => value.as_number().is_some(),
        Expected::Boolean => value.as_bool().is_some(),
        Expected::WholeFromOne => whole(value).is_some(),
        Expected::Texts => texts(value).is_some(),
        Expected::Share => value.as_number().is_some_and(|n| n > 0.0 && n <= 1.0),
        Expected::Until => matches!(value.as_str(), Some("tests_green" | "code_slices_green")),
    }
}
