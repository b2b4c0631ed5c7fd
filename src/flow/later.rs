//! What the flow of a module that is being reported must keep to, beyond its structure (flow.md 4, D1 to D9).

use super::command::{check_texts, refuse};
use super::error::{Error, Expected, Fault, Flaw, Found, Refusal, Subject};
use super::resolved::{Node, ResolvedFlow};
use super::{Lifecycle, OverlayOp, Predicate};
use crate::project::{Config, layout};
use crate::text::is_blank;
use crate::yaml::Value;

/// The key of the project's own time limit for commands.
const PROJECT_TIMEOUT: &str = "flow.cmd_timeout_seconds";

/// Seconds that a command has where nothing is written.
const COMMAND_SECONDS: u64 = 60;

impl ResolvedFlow {
    /// Checks a flow that a step is derived from; a built-in flow without overlay always passes.
    pub fn check_for_status(&self, config: &Config, has_active_change: bool) -> Result<(), Error> {
        if !self.overlay_applied {
            return Ok(());
        }
        self.check_nodes(has_active_change)
            .map_err(|flaw| Error::from(flaw.within(self.source.as_ref())))?;
        check_project_timeout(config)
    }

    fn check_nodes(&self, has_active_change: bool) -> Result<(), Flaw> {
        let launched = self.lifecycle == Lifecycle::Launched;
        for (_, node) in self.nodes() {
            if launched {
                check_operations(node)?;
            }
            if node.added().is_some() {
                check_added(node, self.lifecycle)?;
            } else {
                check_builtin(node)?;
            }
        }
        if launched && has_active_change {
            check_step_predicates(self)?;
        }
        Ok(())
    }
}

/// D8: what the project says of the time of commands must be a number of seconds.
pub fn check_project_timeout(config: &Config) -> Result<(), Error> {
    match project_timeout(config) {
        Timeout::Wrong(found) => Err(Error::from(Refusal {
            file: Some(layout::config()),
            line: None,
            subject: Subject::File,
            key: Some(PROJECT_TIMEOUT),
            fault: Box::new(Fault::Type {
                expected: Expected::WholeFromOne,
                found,
            }),
        })),
        Timeout::Seconds(_) | Timeout::NotWritten => Ok(()),
    }
}

/// How `verify` is known to have passed (verify.md 13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyGate {
    pub fail: Option<Predicate>,
    pub done: Option<Predicate>,
}

impl ResolvedFlow {
    /// The predicates of `verify`.
    ///
    /// # Errors
    /// If one is neither a marker nor a command.
    pub fn verify_gate(&self) -> Result<VerifyGate, Error> {
        let is_gate = |p: &Predicate| matches!(p, Predicate::Marker(_) | Predicate::Cmd(_));
        for key in ["fail_when", "done_when"] {
            check_kind(self, "verify", key, is_gate, "`marker:` / `cmd:`")
                .map_err(|flaw| Error::from(flaw.within(self.source.as_ref())))?;
        }
        let of = |text: Option<&str>| text.map(Predicate::parse);
        let node = self.node("verify").map(|(_, node)| node);
        Ok(VerifyGate {
            fail: of(node.and_then(Node::fail_when)),
            done: of(node.and_then(Node::done_when)),
        })
    }
}

/// D1. A later `modify` hides neither operation.
fn check_operations(node: &Node) -> Result<(), Flaw> {
    let refused = |op| matches!(op, OverlayOp::Skip | OverlayOp::Reorder);
    match node.operations.iter().find(|(op, _)| refused(*op)) {
        Some((op, span)) => {
            let flaw = Flaw::new(Subject::Node(node.id.clone()), Fault::OpInLaunched(*op));
            Err(flaw.at(*span))
        }
        None => Ok(()),
    }
}

/// D2 to D6.
fn check_added(node: &Node, lifecycle: Lifecycle) -> Result<(), Flaw> {
    let subject = Subject::Node(node.id.clone());
    let wrong = |key, value| {
        let flaw = Flaw::wrong(subject.clone(), key, Expected::Text, value);
        Err(flaw.or_at(node.operations[0].1))
    };
    let done_when = match node.written.get("done_when") {
        Some(Value::String(text)) => &text.text,
        other => return wrong("done_when", other),
    };
    let mut predicates = vec![("done_when", done_when)];
    match node.written.present("fail_when") {
        Some(Value::String(text)) => predicates.push(("fail_when", &text.text)),
        None => {}
        other => return wrong("fail_when", other),
    }
    for (key, text) in predicates {
        check_predicate(node, key, text, lifecycle)?;
    }
    check_texts(node)
}

/// D3, D5, D6.
fn check_predicate(node: &Node, key: &'static str, text: &str, lifecycle: Lifecycle) -> Result<(), Flaw> {
    let has = |key: &&str| node.written.text(key).is_some_and(|text| !is_blank(text));
    let needs = |needed: &'static [&'static str]| match needed.iter().find(|key| !has(key)) {
        Some(missing) => Err(refuse(node, key, Fault::Needs(missing))),
        None => Ok(()),
    };
    match Predicate::parse(text) {
        Predicate::Other(text) => Err(refuse(node, key, Fault::PredicateUnknown(text))),
        Predicate::Marker(_)
        | Predicate::AnyPresent(_)
        | Predicate::SectionComplete(_)
        | Predicate::ProposalPackageFilled
        | Predicate::Archived
            if lifecycle == Lifecycle::Initial =>
        {
            Err(refuse(node, key, Fault::PredicateInInitial(text.to_owned())))
        }
        Predicate::DirNonempty => needs(&["produces"]),
        Predicate::AllPresent => needs(&["for_each", "produces"]),
        Predicate::File(_)
        | Predicate::Marker(_)
        | Predicate::AnyPresent(_)
        | Predicate::SectionComplete(_)
        | Predicate::ProposalPackageFilled
        | Predicate::Archived
        | Predicate::Cmd(_) => Ok(()),
    }
}

/// D7.
fn check_builtin(node: &Node) -> Result<(), Flaw> {
    match node.commands().first() {
        Some(command) if !matches!(node.id(), "verify" | "deploy" | "smoke") => {
            Err(refuse(node, command.key, Fault::CommandNotHere))
        }
        Some(_) | None => Ok(()),
    }
}

/// D9.
fn check_step_predicates(flow: &ResolvedFlow) -> Result<(), Flaw> {
    const GATES: [(&str, &str); 5] = [
        ("verify", "fail_when"),
        ("verify", "done_when"),
        ("deploy", "done_when"),
        ("smoke", "fail_when"),
        ("smoke", "done_when"),
    ];
    const MERGES: [(&str, &str); 2] = [
        ("generate-merge-prompt", "done_when"),
        ("apply-merge", "done_when"),
    ];
    let is_gate = |p: &Predicate| matches!(p, Predicate::Marker(_) | Predicate::Cmd(_));
    let is_merge = |p: &Predicate| matches!(p, Predicate::AnyPresent(_));
    for (id, key) in GATES {
        check_kind(flow, id, key, is_gate, "`marker:` / `cmd:`")?;
    }
    for (id, key) in MERGES {
        check_kind(flow, id, key, is_merge, "`any_present:`")?;
    }
    Ok(())
}

fn check_kind(
    flow: &ResolvedFlow,
    id: &str,
    key: &'static str,
    fits: impl Fn(&Predicate) -> bool,
    kind: &'static str,
) -> Result<(), Flaw> {
    let Some((_, node)) = flow.node(id) else {
        return Ok(());
    };
    let predicate = node.written.text(key).map(Predicate::parse);
    if predicate.as_ref().is_some_and(fits) {
        Ok(())
    } else {
        Err(refuse(node, key, Fault::PredicateKind(kind)))
    }
}

/// What the config says about the time of commands.
enum Timeout {
    NotWritten,
    Seconds(u64),
    Wrong(Found),
}

/// D8.
fn project_timeout(config: &Config) -> Timeout {
    use serde_json::Value as Json;
    let flow = config.object.get("flow").and_then(Json::as_object);
    let found = match flow.and_then(|flow| flow.get("cmd_timeout_seconds")) {
        None | Some(Json::Null) => return Timeout::NotWritten,
        Some(Json::Number(number)) => {
            return match number.as_f64().and_then(super::resolved::whole_number) {
                Some(seconds) => Timeout::Seconds(seconds),
                None => Timeout::Wrong(Found::Number(number.to_string())),
            };
        }
        Some(Json::Bool(_)) => Found::Boolean,
        Some(Json::String(text)) => Found::Text(text.clone()),
        Some(Json::Array(_)) => Found::List,
        Some(Json::Object(_)) => Found::Mapping,
    };
    Timeout::Wrong(found)
}

/// Seconds that the command of a node has: its own, else the project's, else 60 (flow.md 13).
pub fn command_seconds(node: &Node, config: &Config) -> u64 {
    let of_project = match project_timeout(config) {
        Timeout::Seconds(seconds) => Some(seconds),
        Timeout::NotWritten | Timeout::Wrong(_) => None,
    };
    node.cmd_timeout_seconds()
        .or(of_project)
        .unwrap_or(COMMAND_SECONDS)
}
