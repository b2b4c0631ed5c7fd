//! Why a flow cannot be used, and where (flow.md 19).

use crate::files::RepoPath;
use crate::text::{Bytes, Span};
use crate::voice::Fail;
use crate::yaml;

use super::OverlayOp;

/// Why there is no flow.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no flow `{}`; there are `initial` and `launched`", crate::text::escape(.0))]
    NotFound(String),
    #[error("{0}")]
    Schema(Box<Refusal>),
    #[error("the command of node `{node}` cannot be started (`{command}`): {source}")]
    NotStarted {
        node: String,
        command: String,
        /// Its text holds the number of the system's error.
        source: std::io::Error,
    },
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "FLOW_NOT_FOUND",
            Self::Schema(_) => "FLOW_SCHEMA_INVALID",
            Self::NotStarted { .. } => "FLOW_CMD_SPAWN_FAILED",
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Schema(Box::new(refusal))
    }
}

/// A flow file that is refused: where, and which rule.
#[derive(Debug, thiserror::Error)]
#[error("{}", crate::voice::Say::say(self, &crate::voice::Voice::default()))]
pub struct Refusal {
    /// None for the flows of this program.
    pub file: Option<RepoPath>,
    /// Counted from 1.
    pub line: Option<usize>,
    pub subject: Subject,
    /// The key in question, `.` between levels.
    pub key: Option<&'static str>,
    pub fault: Box<Fault>,
}

/// What a fault is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    File,
    Subflow(String),
    Node(String),
    /// An entry of `overlay`, counted from 1.
    Operation(usize),
}

/// A rule that is broken.
#[derive(Debug)]
pub enum Fault {
    Unreadable(String),
    Yaml(yaml::Error),
    Type {
        expected: Expected,
        found: Found,
    },
    /// A flow of its own instead of an overlay.
    OwnFlow,
    ExtendsShape(String),
    ExtendsOther(String),
    OperationUnknown(String),
    NodeUnknown {
        id: String,
        nearest: Option<String>,
    },
    SubflowUnknown {
        id: String,
        known: Vec<String>,
    },
    NodeExists,
    AnchorMissing,
    AnchorIsTarget,
    SetsId,
    LoopKey(String),
    GateKey(String),
    LoopElsewhere,
    Duplicate,
    /// A threshold where nothing is counted.
    ThresholdPlace,
    CommandInInitial,
    CommandPlace,
    CommandTwice,
    CommandEmpty,
    /// A command on `verify` and a loop.
    CommandInLoop,
    OpInLaunched(OverlayOp),
    PredicateUnknown(String),
    PredicateInInitial(String),
    /// The predicate needs this key.
    Needs(&'static str),
    CommandNotHere,
    /// A built-in node of a change whose predicate must be of this kind.
    PredicateKind(&'static str),
}

/// What must stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Mapping,
    List,
    Text,
    Number,
    Boolean,
    WholeFromOne,
    Texts,
    /// Above 0, up to 1.
    Share,
    Until,
}

/// What stands there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    Null,
    Boolean,
    Text(String),
    Number(String),
    List,
    Mapping,
}

impl Found {
    pub(super) fn of(value: Option<&yaml::Value>) -> Self {
        match value {
            None => Self::Nothing,
            Some(yaml::Value::Null(_)) => Self::Null,
            Some(yaml::Value::Bool(..)) => Self::Boolean,
            Some(yaml::Value::Number(_, scalar)) => Self::Number(scalar.text.clone()),
            Some(yaml::Value::String(scalar)) => Self::Text(scalar.text.clone()),
            Some(yaml::Value::List(_)) => Self::List,
            Some(yaml::Value::Map(_)) => Self::Mapping,
        }
    }
}

/// The file that spans of an overlay count in.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: RepoPath,
    pub(super) bytes: Bytes,
}

impl Source {
    /// The line that a span begins in.
    pub(super) fn line(&self, span: Span) -> usize {
        let before = &self.bytes[..span.start.min(self.bytes.len())];
        bstr::ByteSlice::find_iter(before, "\n").count() + 1
    }
}

/// A fault and its place, before it is known which file the place is in.
#[derive(Debug)]
pub(super) struct Flaw {
    pub(super) span: Option<Span>,
    pub(super) subject: Subject,
    pub(super) key: Option<&'static str>,
    pub(super) fault: Box<Fault>,
}

impl Flaw {
    pub(super) fn new(subject: Subject, fault: Fault) -> Self {
        Self {
            span: None,
            subject,
            key: None,
            fault: Box::new(fault),
        }
    }

    /// A value that is missing or of a wrong type.
    pub(super) fn wrong(
        subject: Subject,
        key: impl Into<Option<&'static str>>,
        expected: Expected,
        value: Option<&yaml::Value>,
    ) -> Self {
        let found = Found::of(value);
        Self {
            span: value.map(yaml::Value::span),
            subject,
            key: key.into(),
            fault: Box::new(Fault::Type { expected, found }),
        }
    }

    pub(super) fn key(mut self, key: &'static str) -> Self {
        self.key = Some(key);
        self
    }

    pub(super) fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// The same, at `span` unless its place is known already.
    pub(super) fn or_at(mut self, span: Span) -> Self {
        self.span = self.span.or(Some(span));
        self
    }

    pub(super) fn within(self, source: Option<&Source>) -> Refusal {
        let line = match (&*self.fault, source, self.span) {
            (Fault::Yaml(error), ..) => Some(error.line),
            (_, Some(source), Some(span)) => Some(source.line(span)),
            (_, None, _) | (_, _, None) => None,
        };
        Refusal {
            file: source.map(|source| source.path.clone()),
            line,
            subject: self.subject,
            key: self.key,
            fault: self.fault,
        }
    }
}
