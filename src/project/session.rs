//! The guard file of a work tree (logos-project.md 5): which change is active. What follows from it, callers judge.

use serde::Serialize;

use super::{Slug, layout};
use crate::files::{ReadError, RepoPath, Tree};
use crate::text::{Bytes, decode, is_blank, trim};

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

    /// The active change, if its name can be joined to a path (flow.md 1.3): a blank one, or one that is no safe path
    /// component, is no active change.
    pub fn active_slug(&self) -> Option<Slug> {
        let slug = self.active_change().filter(|slug| !is_blank(slug))?;
        Slug::lexical(slug)
    }

    /// As [`Guard::active_slug`], white space around the name apart (verify.md 10).
    pub fn trimmed_slug(&self) -> Option<Slug> {
        Slug::lexical(trim(self.active_change()?))
    }

    pub fn module(&self) -> Option<&str> {
        match self {
            Self::Missing | Self::Invalid => None,
            Self::Parsed { module, .. } => module.as_deref(),
        }
    }
}

/// Whether the session says that it can show prototypes (logos-project.md 11.4); none if it says nothing about it. Only
/// the literal `true` is a yes.
pub fn ui_prototype_render(tree: &dyn Tree) -> Result<Option<bool>, ReadError> {
    let said = |bytes: Bytes| {
        let value: serde_json::Value = serde_json::from_str(&decode(&bytes)).ok()?;
        Some(value.get("ui_prototype_render")?.as_bool() == Some(true))
    };
    Ok(tree.read(&RepoPath::of(layout::CAPABILITIES))?.and_then(said))
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
    fn a_name_that_is_no_path_component_is_no_active_change() {
        let slug = |name: &str| {
            let file = format!(r#"{{"activeChange":"{name}"}}"#);
            Guard::parse(file.as_bytes()).active_slug()
        };
        for bad in [" ", "..", "../x", "a/b", "\\u0000"] {
            assert_eq!(slug(bad), None, "{bad}");
        }
        assert_eq!(slug(" a ").as_ref().map(Slug::as_str), Some(" a "));
    }

    #[test]
    fn what_is_written_reads_back() {
        let guard = Guard::parse(&guard_file("a\"b", "core", String::new()));
        assert_eq!(guard.active_change(), Some("a\"b"));
    }
}
