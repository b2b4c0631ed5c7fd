//! The flow of a project: two built-in flows, the overlay laid over each, and what their texts mean (flow.md 1 to 5, 17).
//! Structure only: which node is due is decided elsewhere.

pub mod advice;
mod command;
mod coverage;
mod derive;
mod diagnostic;
mod document;
mod error;
pub mod ground;
mod later;
mod listings;
pub mod loops;
pub mod next;
pub mod next_node;
pub mod nodes;
mod order;
mod overlay;
pub mod phases;
pub mod plan_state;
mod predicate;
mod resolved;
mod schema;
pub mod status;
mod step;
pub mod trust;
mod when;
mod words;
mod written;

pub use command::Command;
pub use derive::derive;
pub use diagnostic::{CompletionState, Diagnostic, DiagnosticReason, SuggestedNode, after_verify};
pub use error::{Error, Expected, Fault, Found, Refusal, Subject};
pub use ground::{DeriveError, Ground};
pub use later::{VerifyGate, check_project_timeout, command_seconds};
pub use phases::Phase;
pub use predicate::Predicate;
pub use resolved::{Anchor, Dispatch, Loop, Node, OverlayOp, ResolvedFlow, Subflow, Until};
pub use step::{CommandResult, Field, Gate, Step, StepKind, StepMeta, StepPhase, after_deployment};
pub use when::{Flag, When};
pub use written::Written;

use crate::files::{RepoPath, Tree};
use crate::project::layout;
use crate::yaml;
use document::Document;
use error::{Flaw, Source};

/// Which of the two flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifecycle {
    Initial,
    Launched,
}

impl Lifecycle {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Launched => "launched",
        }
    }

    /// The lifecycle of this name.
    pub fn named(name: &str) -> Result<Self, Error> {
        match name {
            "initial" => Ok(Self::Initial),
            "launched" => Ok(Self::Launched),
            _ => Err(Error::NotFound(name.to_owned())),
        }
    }

    /// The content version of the built-in flow, raised whenever node ids or the structure change.
    pub const fn builtin_version(self) -> &'static str {
        match self {
            Self::Initial => "v1",
            Self::Launched => "v3",
        }
    }

    /// The built-in flow as it is written.
    const fn builtin_text(self) -> &'static str {
        match self {
            Self::Initial => include_str!("../../schema/flow/initial.yaml"),
            Self::Launched => include_str!("../../schema/flow/launched.yaml"),
        }
    }

    /// Where a project's overlay lies.
    pub fn overlay_path(self) -> RepoPath {
        RepoPath::of(layout::FLOWS).join(format!("{}.yaml", self.as_str()))
    }
}

/// What is odd about an overlay that is used all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// It was written for another content version of the built-in flow.
    VersionMismatch { named: String, lifecycle: Lifecycle },
}

impl Warning {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::VersionMismatch { .. } => "FLOW_VERSION_MISMATCH",
        }
    }
}

impl ResolvedFlow {
    /// The built-in flow; no file is read.
    pub fn builtin(lifecycle: Lifecycle) -> Self {
        Document::builtin(lifecycle).resolve(lifecycle)
    }

    /// The flow of a project: the built-in one, with the overlay of the project where there is one.
    pub fn load(tree: &dyn Tree, lifecycle: Lifecycle) -> Result<Self, Error> {
        let path = lifecycle.overlay_path();
        let unreadable = |reason: String| Refusal {
            file: Some(path.clone()),
            line: None,
            subject: Subject::File,
            key: None,
            fault: Box::new(Fault::Unreadable(reason)),
        };
        match tree.read(&path) {
            Ok(None) => Ok(Self::builtin(lifecycle)),
            Ok(Some(bytes)) => Self::with_overlay(lifecycle, Source { path, bytes }),
            Err(error) => Err(unreadable(error.source.to_string()).into()),
        }
    }

    fn with_overlay(lifecycle: Lifecycle, source: Source) -> Result<Self, Error> {
        let mut document = Document::builtin(lifecycle);
        let parsed = yaml::parse(&source.bytes).map_err(|e| Flaw::new(Subject::File, Fault::Yaml(e)));
        let applied = parsed.and_then(|overlay| overlay::apply(&mut document, lifecycle, overlay));
        let applied = applied.map_err(|flaw| flaw.within(Some(&source)))?;
        let mut flow = document.resolve(lifecycle);
        flow.overlay_applied = true;
        flow.warnings = applied.warnings;
        flow.extends = applied.extends;
        flow.source = Some(source);
        Ok(flow)
    }
}

#[cfg(test)]
mod tests;
