//! YAML 1.2, core schema, read with positions (logos-project.md 4.1): [`parse`], the rescue of damaged files
//! ([`salvage()`]), the change of one scalar in place ([`edit`]) and of the entries of a list or mapping ([`entries`]).
//! Knows no key of any file.

pub mod edit;
pub mod entries;
mod json;
mod position;
mod read;
mod salvage;
mod scalar;
mod write;

pub use json::Json;
pub use read::parse;
pub use salvage::salvage;
pub use write::block_scalar;

use crate::say;
use crate::text::Span;
use crate::voice::{Say, Voice};

/// One node. Equality includes positions; [`Value::same`] compares meaning.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null(Scalar),
    Bool(bool, Scalar),
    Number(f64, Scalar),
    String(Scalar),
    List(List),
    Map(Map),
}

/// A scalar as it is written: `version: 1.10` keeps the text `1.10`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scalar {
    /// The content: quotes, escapes and folding resolved, the type not.
    pub text: String,
    /// Bytes of the file, quotes included; empty for a value that is not written.
    pub span: Span,
    pub style: Style,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    #[default]
    Plain,
    Single,
    Double,
    /// `|` or `>`.
    Block,
}

#[derive(Clone, Debug, PartialEq)]
pub struct List {
    pub items: Vec<Value>,
    pub span: Span,
    /// Written with brackets.
    pub flow: bool,
}

/// Entries in file order; keys are distinct.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    pub entries: Vec<(Value, Value)>,
    pub span: Span,
    /// Written with braces.
    pub flow: bool,
}

impl Map {
    /// The value of the key that is written with this text.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|(_, value)| value)
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&(Value, Value)> {
        self.entries
            .iter()
            .find(|(k, _)| k.scalar().is_some_and(|s| s.text == key))
    }

    /// The value of the last entry.
    fn last(&self) -> Option<&Value> {
        self.entries.last().map(|(_, value)| value)
    }

    fn entry_mut(&mut self, key: &str) -> Option<&mut (Value, Value)> {
        self.entries
            .iter_mut()
            .find(|(k, _)| k.scalar().is_some_and(|s| s.text == key))
    }

    /// Entries whose key is a scalar, by its text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries
            .iter()
            .filter_map(|(k, v)| Some((k.scalar()?.text.as_str(), v)))
    }
}

impl Value {
    /// A mapping without entries that is not written anywhere.
    fn empty_map() -> Self {
        Self::Map(Map {
            entries: Vec::new(),
            span: Span::default(),
            flow: false,
        })
    }

    /// The value of a key; none if this is no mapping or has no such key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(key)
    }

    /// A string of the core schema: `7`, `true` and `~` are none.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(scalar) => Some(&scalar.text),
            Self::Null(_) | Self::Bool(..) | Self::Number(..) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The text of any scalar but null, as it is written: for fields that are text whatever they look like.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Null(_) => None,
            Self::Bool(..) | Self::Number(..) | Self::String(_) | Self::List(_) | Self::Map(_) => {
                self.scalar().map(|s| s.text.as_str())
            }
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value, _) => Some(*value),
            Self::Null(_) | Self::Number(..) | Self::String(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(value, _) => Some(*value),
            Self::Null(_) | Self::Bool(..) | Self::String(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// A number that is a whole one from 0 up to 2^53.
    pub fn as_count(&self) -> Option<u64> {
        const LAST: f64 = 9_007_199_254_740_992.0;
        let number = self.as_number()?;
        // In this range the conversion is exact.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let count = number as u64;
        ((0.0..=LAST).contains(&number) && number.fract() == 0.0).then_some(count)
    }

    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(list) => Some(&list.items),
            Self::Null(_) | Self::Bool(..) | Self::Number(..) | Self::String(_) | Self::Map(_) => None,
        }
    }

    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            Self::Null(_) | Self::Bool(..) | Self::Number(..) | Self::String(_) | Self::List(_) => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null(_))
    }

    pub fn scalar(&self) -> Option<&Scalar> {
        match self {
            Self::Null(scalar) | Self::Bool(_, scalar) | Self::Number(_, scalar) | Self::String(scalar) => {
                Some(scalar)
            }
            Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The bytes of the file that this node stands in. A node reached through an alias stands at its anchor.
    pub fn span(&self) -> Span {
        match self {
            Self::Null(scalar) | Self::Bool(_, scalar) | Self::Number(_, scalar) | Self::String(scalar) => {
                scalar.span
            }
            Self::List(list) => list.span,
            Self::Map(map) => map.span,
        }
    }

    /// Whether both mean the same: types, texts and order, wherever and however they are written.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(a), Self::List(b)) => {
                a.items.len() == b.items.len() && a.items.iter().zip(&b.items).all(|(a, b)| a.same(b))
            }
            (Self::Map(a), Self::Map(b)) => {
                a.entries.len() == b.entries.len()
                    && a.entries
                        .iter()
                        .zip(&b.entries)
                        .all(|((ak, av), (bk, bv))| ak.same(bk) && av.same(bv))
            }
            (Self::Null(a), Self::Null(b))
            | (Self::Bool(_, a), Self::Bool(_, b))
            | (Self::Number(_, a), Self::Number(_, b))
            | (Self::String(a), Self::String(b)) => a.text == b.text,
            (
                Self::Null(_)
                | Self::Bool(..)
                | Self::Number(..)
                | Self::String(_)
                | Self::List(_)
                | Self::Map(_),
                _,
            ) => false,
        }
    }
}

/// Why a text is no YAML, and where. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}, column {column}")]
pub struct Error {
    /// In English: the parser's own words.
    pub message: String,
    pub line: usize,
    pub column: usize,
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        let Self {
            message,
            line,
            column,
        } = self;
        say!(
            voice,
            "{message} at line {line}, column {column}",
            "第 {line} 行第 {column} 列：{message}"
        )
    }
}
