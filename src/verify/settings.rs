//! What the config says of `verify` and `smoke` (verify.md 2); a value of the wrong type is as good as absent.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::import::{Entry, Format, Stage};
use crate::files::RepoPath;
use crate::project::{Config, layout};
use crate::say;
use crate::text::{escape, is_blank};
use crate::voice::{Fail, Say, Voice};

/// The default of a program for macOS, which other programs show.
const SANDBOX_ROOT: &str = "/private/tmp";

/// A path of the config, as it is written and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredPath {
    pub text: String,
    pub path: RepoPath,
}

/// What the config says cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// It leads out of the project, or is no path.
    #[error("`{key}`: `{}` is no path inside the project", escape(.text))]
    Path { key: String, text: String },
    #[error("`{key}`: an entry is no import")]
    Import { key: String },
}

impl Say for SettingsError {
    fn say(&self, voice: &Voice) -> String {
        let file = layout::CONFIG;
        match self {
            Self::Path { key, text } => {
                let text = escape(text);
                say!(
                    voice,
                    "`{key}` in `{file}`: `{text}` is no path inside the project",
                    "`{file}` 中的 `{key}`：`{text}` 不是项目内的路径"
                )
            }
            Self::Import { key } => {
                let formats = Format::ALL.map(Format::as_str).join(", ");
                say!(
                    voice,
                    "`{key}` in `{file}`: an entry is `{{\"format\", \"path\", \"stage\"?}}`, with a format of {formats}, and a stage of pre_run, regression, incremental",
                    "`{file}` 中的 `{key}`：条目应为 `{{\"format\", \"path\", \"stage\"?}}`，格式为 {formats} 之一，阶段为 pre_run、regression、incremental 之一"
                )
            }
        }
    }
}

impl Fail for SettingsError {
    fn code(&self) -> &'static str {
        match self {
            Self::Path { .. } => "CONFIG_PATH_INVALID",
            Self::Import { .. } => "CONFIG_IMPORT_INVALID",
        }
    }
}

/// What becomes of failing tests that no case stands for (verify.md 15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmapped {
    #[default]
    Warn,
    Ignore,
    Fail,
}

/// Whether commands run in a copy of the tree. The names are contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxMode {
    #[default]
    Off,
    Auto,
    Always,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxSettings {
    pub mode: SandboxMode,
    pub root: String,
    pub deny_workspace_write: bool,
}

/// The section `verify`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifySettings {
    pub result: ConfiguredPath,
    pub pre_run: Option<String>,
    pub regression: Option<String>,
    pub incremental: Option<String>,
    pub regression_result: Option<ConfiguredPath>,
    pub incremental_result: Option<ConfiguredPath>,
    pub timeout: Duration,
    pub require_command_success: bool,
    pub imports: Vec<Entry>,
    pub unmapped: Unmapped,
    pub sandbox: SandboxSettings,
}

/// The section `smoke`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmokeSettings {
    pub command: Option<String>,
    pub result: ConfiguredPath,
    pub report: ConfiguredPath,
    pub timeout: Duration,
    pub require_command_success: bool,
    pub imports: Vec<Entry>,
    pub unmapped: Unmapped,
    pub sandbox: SandboxSettings,
}

impl VerifySettings {
    pub fn read(config: &Config) -> Result<Self, SettingsError> {
        let section = Section {
            config,
            name: "verify",
        };
        let text = |key: &str| section.command(key);
        let pre_run = match section.value("pre_run_command") {
            Some(Value::String(_)) => text("pre_run_command"),
            _ => text("test_command"),
        };
        Ok(Self {
            result: section.path_or("result_path", layout::TEST_RESULTS)?,
            pre_run,
            regression: text("regression_command"),
            incremental: text("incremental_command"),
            regression_result: section.path("regression_result_path")?,
            incremental_result: section.path("incremental_result_path")?,
            timeout: section.timeout(),
            require_command_success: section.flag("require_command_success", false),
            imports: section.imports()?,
            unmapped: section.unmapped(),
            sandbox: section.sandbox(),
        })
    }
}

impl SmokeSettings {
    pub fn read(config: &Config) -> Result<Self, SettingsError> {
        let section = Section {
            config,
            name: "smoke",
        };
        Ok(Self {
            command: section.command("command"),
            result: section.path_or("result_path", layout::SMOKE_RESULTS)?,
            report: section.path_or("report_path", layout::SMOKE_REPORT)?,
            timeout: section.timeout(),
            require_command_success: section.flag("require_command_success", false),
            imports: section.imports()?,
            unmapped: section.unmapped(),
            sandbox: section.sandbox(),
        })
    }
}

struct Section<'c> {
    config: &'c Config,
    name: &'static str,
}

impl Section<'_> {
    fn value(&self, key: &str) -> Option<&Value> {
        self.config.value_of(self.name, key)
    }

    fn command(&self, key: &str) -> Option<String> {
        self.config.text_of(self.name, key).map(str::to_owned)
    }

    fn flag(&self, key: &str, default: bool) -> bool {
        self.value(key).and_then(Value::as_bool).unwrap_or(default)
    }

    fn path(&self, key: &str) -> Result<Option<ConfiguredPath>, SettingsError> {
        let Some(text) = self.value(key).and_then(Value::as_str) else {
            return Ok(None);
        };
        match RepoPath::normalised(text).filter(|path| !path.is_root()) {
            Some(path) => Ok(Some(ConfiguredPath {
                text: text.to_owned(),
                path,
            })),
            None => Err(SettingsError::Path {
                key: format!("{}.{key}", self.name),
                text: text.to_owned(),
            }),
        }
    }

    fn path_or(&self, key: &str, default: &str) -> Result<ConfiguredPath, SettingsError> {
        Ok(self.path(key)?.unwrap_or_else(|| ConfiguredPath {
            text: default.to_owned(),
            path: RepoPath::of(default),
        }))
    }

    /// Whole seconds, at least one; anything else is no limit.
    fn timeout(&self) -> Duration {
        let seconds = self.value("timeout_seconds").and_then(Value::as_u64);
        seconds
            .filter(|seconds| *seconds > 0)
            .map_or(Duration::MAX, Duration::from_secs)
    }

    fn imports(&self) -> Result<Vec<Entry>, SettingsError> {
        let Some(Value::Array(entries)) = self.value("imports") else {
            return Ok(Vec::new());
        };
        let read = |entry: &Value| {
            let text = |key: &str| entry.get(key).and_then(Value::as_str);
            let stage = match entry.get("stage") {
                None => None,
                Some(name) => Some(Stage::named(name.as_str()?)?),
            };
            Some(Entry {
                format: Format::named(text("format")?)?,
                path: text("path")?.to_owned(),
                stage,
            })
        };
        let key = || format!("{}.imports", self.name);
        entries
            .iter()
            .map(|entry| read(entry).ok_or_else(|| SettingsError::Import { key: key() }))
            .collect()
    }

    fn unmapped(&self) -> Unmapped {
        match self.value("unmapped_failures").and_then(Value::as_str) {
            Some("ignore") => Unmapped::Ignore,
            Some("fail") => Unmapped::Fail,
            _ => Unmapped::Warn,
        }
    }

    fn sandbox(&self) -> SandboxSettings {
        let mode = match self.value("sandbox_mode").and_then(Value::as_str) {
            Some("auto") => SandboxMode::Auto,
            Some("always") => SandboxMode::Always,
            _ => SandboxMode::Off,
        };
        let root = self.value("sandbox_root").and_then(Value::as_str);
        SandboxSettings {
            mode,
            root: root
                .filter(|root| !is_blank(root))
                .unwrap_or(SANDBOX_ROOT)
                .to_owned(),
            deny_workspace_write: self.flag("sandbox_deny_workspace_write", true),
        }
    }
}
