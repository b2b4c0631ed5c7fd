//! Commands of a flow, and where an overlay may put them (flow.md 4, steps 5 and 6).

use super::document::Document;
use super::error::{Fault, Flaw, Subject};
use super::resolved::{Node, ResolvedFlow, Subflow};
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

/// A predicate that is a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// `done_when` or `fail_when`.
    pub key: &'static str,
    /// What the shell gets, trimmed.
    pub text: String,
}

impl Node {
    /// Its predicates that are commands.
    pub fn commands(&self) -> Vec<Command> {
        let of = |key: &'static str| match Predicate::parse(self.written.text(key)?) {
            Predicate::Cmd(text) => Some(Command { key, text }),
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
}

impl ResolvedFlow {
    /// All commands with their nodes, in the order of the flow.
    pub fn commands(&self) -> Vec<(&Node, Command)> {
        let of = |node| {
            let with_node = move |command| (node, command);
            Node::commands(node).into_iter().map(with_node)
        };
        self.nodes().flat_map(|(_, node)| of(node)).collect()
    }
}

/// Checks a node as it is right after a `modify`.
pub(super) fn check_modified(node: &Node, lifecycle: Lifecycle) -> Result<(), Flaw> {
    for Command { key, .. } in node.commands() {
        if lifecycle != Lifecycle::Launched {
            return Err(refuse(node, key, Fault::CommandInInitial));
        }
        if !PLACES.contains(&(node.id.as_str(), key)) {
            return Err(refuse(node, key, Fault::CommandPlace));
        }
    }
    check_texts(node)
}

/// At most one command on a node, and it says something.
pub(super) fn check_texts(node: &Node) -> Result<(), Flaw> {
    let commands = node.commands();
    if let [_, second] = commands.as_slice() {
        return Err(refuse(node, second.key, Fault::CommandTwice));
    }
    match commands.iter().find(|command| command.text.is_empty()) {
        Some(command) => Err(refuse(node, command.key, Fault::CommandEmpty)),
        None => Ok(()),
    }
}

/// A command on `verify` and a loop exclude each other.
pub(super) fn check_loop(document: &Document) -> Result<(), Flaw> {
    let implement = document.subflows.iter().find(|subflow| subflow.id == IMPLEMENT);
    let is_repeated = implement
        .and_then(Subflow::loop_)
        .is_some_and(|l| l.max_iters > 1);
    let Some(verify) = document.by_id.get("verify").map(|at| &document.nodes[*at]) else {
        return Ok(());
    };
    match verify.commands().first() {
        Some(command) if is_repeated => Err(refuse(verify, command.key, Fault::CommandInLoop)),
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
