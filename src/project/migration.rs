//! `lifecycle: active` in a config, which stood for the whole project before there were modules (logos-project.md 9.3).

use super::Registry;
use super::config::ConfigText;

/// What becomes of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Migration {
    None,
    /// The only module is launched by it.
    Launches(String),
    /// There are several: it says nothing, and goes.
    DropsKey,
}

impl Migration {
    pub(super) fn of(config: &ConfigText, registry: &Registry) -> Self {
        let modules = registry.registered();
        let active = config.object.get("lifecycle").and_then(serde_json::Value::as_str) == Some("active");
        if !active || modules.iter().any(|m| m.launched) {
            return Self::None;
        }
        match modules {
            [] => Self::None,
            [only] => Self::Launches(only.id.clone()),
            _ => Self::DropsKey,
        }
    }
}
