//! The guard file of a work tree (logos-project.md 5): which change is active. What follows from it, callers judge.

use serde::Serialize;

use super::layout;
use crate::files::Tree;
use crate::text::{Bytes, decode};

/// `logos/.openlogos-guard` as it is. Its content is not to be trusted: a slug from it is raw text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    Missing,
    /// There, but no JSON, as the empty file, or not to be read.
    Invalid,
    Parsed {
        /// As written, not trimmed; none if it is no string or empty.
        active_change: Option<String>,
        /// None if it is no string or empty.
        module: Option<String>,
    },
}

impl Guard {
    /// Reads the guard file of a tree. One that cannot be read is as good as one that cannot be parsed (change.md 2.2).
    pub fn load(tree: &dyn Tree) -> Self {
        match tree.read(&layout::guard()) {
            Ok(None) => Self::Missing,
            Ok(Some(bytes)) => Self::parse(&bytes),
            Err(_) => Self::Invalid,
        }
    }

    pub fn parse(bytes: &[u8]) -> Self {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&decode(bytes)) else {
            return Self::Invalid;
        };
        let field = |key: &str| {
            let text = value.get(key)?.as_str()?;
            (!text.is_empty()).then(|| text.to_owned())
        };
        Self::Parsed {
            active_change: field("activeChange"),
            module: field("module"),
        }
    }

    /// The active change as readers take it: none for a guard that is missing or broken.
    pub fn active_change(&self) -> Option<&str> {
        match self {
            Self::Missing | Self::Invalid => None,
            Self::Parsed { active_change, .. } => active_change.as_deref(),
        }
    }

    pub fn module(&self) -> Option<&str> {
        match self {
            Self::Missing | Self::Invalid => None,
            Self::Parsed { module, .. } => module.as_deref(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GuardFile<'a> {
    active_change: &'a str,
    module: &'a str,
    created_at: String,
}

/// The content of the guard file of a change, made at `created` (RFC 3339).
pub fn guard_file(slug: &str, module: &str, created: String) -> Bytes {
    let file = GuardFile {
        active_change: slug,
        module,
        created_at: created,
    };
    let mut text = serde_json::to_vec_pretty(&file).expect("three texts are always JSON");
    text.push(b'\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_with_something_in_them_count() {
        assert_eq!(Guard::parse(b""), Guard::Invalid);
        assert_eq!(Guard::parse(b"{"), Guard::Invalid);
        for none in [
            "null",
            "[]",
            "5",
            "{}",
            r#"{"activeChange":7}"#,
            r#"{"activeChange":""}"#,
        ] {
            assert_eq!(
                Guard::parse(none.as_bytes()),
                Guard::Parsed {
                    active_change: None,
                    module: None
                },
                "{none}"
            );
        }
        let guard = Guard::parse(r#"{"activeChange":" a ","module":"core"}"#.as_bytes());
        assert_eq!(
            (guard.active_change(), guard.module()),
            (Some(" a "), Some("core"))
        );
    }

    #[test]
    fn what_is_written_reads_back() {
        let guard = Guard::parse(&guard_file("a\"b", "core", String::new()));
        assert_eq!(guard.active_change(), Some("a\"b"));
    }
}
