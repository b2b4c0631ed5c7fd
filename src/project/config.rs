//! `logos/logos.config.json` (logos-project.md 3): read key by key, a value of the wrong type as if absent.

use serde_json::{Map, Value};

use super::layout;
use crate::files::{ReadError, Tree};
use crate::text::decode;

/// The keys of the config that this program knows, and the whole object for the rest.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub name: Option<String>,
    pub description: Option<String>,
    /// Passed through unchecked: `zh` is Chinese, everything else English.
    pub locale: Option<String>,
    pub source_roots: Option<SourceRoots>,
    /// Everything, in file order.
    pub object: Map<String, Value>,
}

/// Folders of code and tests, relative to the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceRoots {
    pub src: Vec<String>,
    pub test: Vec<String>,
}

/// The config file as it is.
#[derive(Clone, Debug)]
pub enum ConfigFile {
    Missing,
    /// No JSON, or no object; in the words of the reader.
    Broken(String),
    Sound(Box<Config>),
}

impl ConfigFile {
    pub fn load(tree: &dyn Tree) -> Result<Self, ReadError> {
        Ok(match tree.read(&layout::config())? {
            None => Self::Missing,
            Some(bytes) => Self::parse(&bytes),
        })
    }

    fn parse(bytes: &[u8]) -> Self {
        match serde_json::from_str(&decode(bytes)) {
            Ok(Value::Object(object)) => Self::Sound(Box::new(Config::of(object))),
            Ok(_) => Self::Broken("it is no JSON object".to_owned()),
            Err(e) => Self::Broken(e.to_string()),
        }
    }
}

impl Config {
    /// The config; none if it is missing or broken. [`ConfigFile`] tells the two apart.
    pub fn load(tree: &dyn Tree) -> Result<Option<Self>, ReadError> {
        Ok(match ConfigFile::load(tree)? {
            ConfigFile::Sound(config) => Some(*config),
            ConfigFile::Missing | ConfigFile::Broken(_) => None,
        })
    }

    /// A text of the section `verify`; empty is as good as absent.
    pub fn verify_text(&self, key: &str) -> Option<&str> {
        let text = self.object.get("verify")?.get(key)?.as_str()?;
        (!text.is_empty()).then_some(text)
    }

    fn of(object: Map<String, Value>) -> Self {
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        let roots = object.get("sourceRoots").and_then(Value::as_object);
        let list = |roots: &Map<String, Value>, key: &str| {
            let items = roots.get(key).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            name: text("name"),
            description: text("description"),
            locale: text("locale"),
            source_roots: roots.map(|r| SourceRoots {
                src: list(r, "src"),
                test: list(r, "test"),
            }),
            object,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_that_is_no_object_is_broken() {
        for bad in ["", "{", "null", "[]", "\u{feff}{}"] {
            assert!(
                matches!(ConfigFile::parse(bad.as_bytes()), ConfigFile::Broken(_)),
                "{bad}"
            );
        }
    }

    #[test]
    fn wrong_types_count_as_absent() {
        let ConfigFile::Sound(config) =
            ConfigFile::parse(br#"{"name":1,"locale":"fr","sourceRoots":{"src":["a",2]}}"#)
        else {
            panic!("an object");
        };
        assert_eq!((config.name, config.locale.as_deref()), (None, Some("fr")));
        assert_eq!(
            config.source_roots,
            Some(SourceRoots {
                src: vec!["a".to_owned()],
                test: Vec::new()
            })
        );
    }
}
