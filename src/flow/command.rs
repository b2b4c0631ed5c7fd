//! Where an overlay may put a command (flow.md 4, steps 5 and 6).

use super::document::Document;
use super::error::{Fault, Flaw, Subject};
use super::resolved::{Node, Subflow};
use super::{Lifecycle, Predicate};

/// The subflow that may be repeated.
pub(super) const IMPLEMENT: &str = "implement";

/// The places of commands on built-in nodes of the launched flow.
const PLACES: [(&str, &str); 5] = [
    ("verify", "done_when"),
    ("verify", "fail_when"),
    ("smoke", "done_when"),
    ("smoke", "fail_when"),
    ("deploy", "done_when"),
];

/// The predicates of a node that are commands: key and trimmed command.
pub(super) fn commands(node: &Node) -> Vec<(&'static str, String)> {
    let of = |key: &'static str| match Predicate::parse(node.written.text(key)?) {
        Predicate::Cmd(command) => Some((key, command)),
        Predicate::DirNonempty
        | Predicate::File(_)
        | Predicate::Marker(_)
        | Predicate::AnyPresent(_)
        | Predicate::SectionComplete(_)
        | Predicate::ProposalPackageFilled
        | Predicate::Archived
        | Predicate::AllPresent
        | Predicate::Other(_) => None,
    };
    ["done_when", "fail_when"].into_iter().filter_map(of).collect()
}

/// Checks a node as it is right after a `modify`.
pub(super) fn check_modified(node: &Node, lifecycle: Lifecycle) -> Result<(), Flaw> {
    let found = commands(node);
    for (key, _) in &found {
        if lifecycle != Lifecycle::Launched {
            return Err(refuse(node, key, Fault::CommandInInitial));
        }
        if !PLACES.contains(&(node.id.as_str(), *key)) {
            return Err(refuse(node, key, Fault::CommandPlace));
        }
    }
    check_texts(node, &found)
}

/// At most one command on a node, and it says something.
pub(super) fn check_texts(node: &Node, found: &[(&'static str, String)]) -> Result<(), Flaw> {
    if let [_, (second, _)] = found {
        return Err(refuse(node, second, Fault::CommandTwice));
    }
    match found.iter().find(|(_, command)| command.is_empty()) {
        Some((key, _)) => Err(refuse(node, key, Fault::CommandEmpty)),
        None => Ok(()),
    }
}

/// A command on `verify` and a loop exclude each other.
pub(super) fn check_loop(document: &Document) -> Result<(), Flaw> {
    let implement = document.subflows.iter().find(|subflow| subflow.id == IMPLEMENT);
    let is_repeated = implement
        .and_then(Subflow::loop_)
        .is_some_and(|l| l.max_iters > 1);
    let verify = document.by_id.get("verify").map(|at| &document.nodes[*at]);
    match verify.map(|node| (node, commands(node))) {
        Some((node, found)) if is_repeated && !found.is_empty() => {
            Err(refuse(node, found[0].0, Fault::CommandInLoop))
        }
        Some(_) | None => Ok(()),
    }
}

/// A fault of one predicate of a node.
pub(super) fn refuse(node: &Node, key: &'static str, fault: Fault) -> Flaw {
    let flaw = Flaw::new(Subject::Node(node.id.clone()), fault).key(key);
    match node.written.get(key) {
        Some(value) => flaw.at(value.span()),
        None => flaw,
    }
}
