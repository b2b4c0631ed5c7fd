//! `logos/logos.config.json` (logos-project.md 3): read key by key, a value of the wrong type as if absent.

use serde_json::{Map, Value};

use super::layout;
use crate::files::{ReadError, Tree};
use crate::say;
use crate::text::{Bytes, decode};
use crate::voice::{Fail, Say, Voice};

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
        self.text_of("verify", key)
    }

    /// A text of a section; empty is as good as absent.
    pub fn text_of(&self, section: &str, key: &str) -> Option<&str> {
        self.value_of(section, key)?
            .as_str()
            .filter(|text| !text.is_empty())
    }

    /// A value of a section; a section that is no object has none.
    pub fn value_of(&self, section: &str, key: &str) -> Option<&Value> {
        self.object.get(section)?.as_object()?.get(key)
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

/// The config as it is written, and as an object: for commands that write it.
#[derive(Clone, Debug)]
pub(super) struct ConfigText {
    pub(super) bytes: Bytes,
    pub(super) object: Map<String, Value>,
}

/// The config cannot be written, since it cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("the config cannot be read: {0}; mend it by hand")]
    Broken(String),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Say for ConfigError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Broken(reason) => {
                let file = layout::CONFIG;
                say!(
                    voice,
                    "`{file}` would have to be written but cannot be read: {reason}; mend it by hand",
                    "需要写入 `{file}`，但无法读取：{reason}；请手工修复"
                )
            }
            Self::Read(error) => error.say(voice),
        }
    }
}

impl Fail for ConfigError {
    fn code(&self) -> &'static str {
        match self {
            Self::Broken(_) => "PROJECT_CONFIG_BROKEN",
            Self::Read(_) => "PROJECT_UNREADABLE",
        }
    }
}

impl ConfigText {
    pub(super) fn load(tree: &dyn Tree) -> Result<Self, ConfigError> {
        let bytes = tree.read(&layout::config())?.unwrap_or_default();
        match ConfigFile::load(tree)? {
            ConfigFile::Sound(config) => Ok(Self {
                bytes,
                object: config.object,
            }),
            ConfigFile::Broken(reason) => Err(ConfigError::Broken(reason)),
            ConfigFile::Missing => Err(ConfigError::Broken("it is missing".to_owned())),
        }
    }

    /// The file with another object: order and other keys stay, two blanks of indent.
    pub(super) fn written(&self, object: &Map<String, Value>) -> Bytes {
        let mut text = serde_json::to_vec_pretty(object).expect("what was JSON is JSON");
        if self.bytes.ends_with(b"\n") {
            text.push(b'\n');
        }
        text
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
