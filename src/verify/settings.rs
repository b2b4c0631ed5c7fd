//! What the config says of `verify` and `smoke` (verify.md 2); a value of the wrong type is as good as absent.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::files::RepoPath;
use crate::project::{Config, layout};
use crate::say;
use crate::text::{escape, is_blank};
use crate::voice::{Fail, Say, Voice};

pub const SMOKE_RESULTS: &str = "logos/resources/verify/smoke-results.jsonl";
pub const SMOKE_REPORT: &str = "logos/resources/verify/smoke-report.md";
/// The default of a program for macOS, which other programs show.
const SANDBOX_ROOT: &str = "/private/tmp";

/// A path of the config, as it is written and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredPath {
    pub text: String,
    pub path: RepoPath,
}

/// A configured path leads out of the project, or is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: `{}` is no path inside the project", escape(.text))]
pub struct PathInvalid {
    key: String,
    text: String,
}

impl Say for PathInvalid {
    fn say(&self, voice: &Voice) -> String {
        let (key, text, file) = (&self.key, escape(&self.text), layout::CONFIG);
        say!(
            voice,
            "`{key}` in `{file}`: `{text}` is no path inside the project",
            "`{file}` 中的 `{key}`：`{text}` 不是项目内的路径"
        )
    }
}

impl Fail for PathInvalid {
    fn code(&self) -> &'static str {
        "CONFIG_PATH_INVALID"
    }
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
    pub sandbox: SandboxSettings,
}

impl VerifySettings {
    pub fn read(config: &Config) -> Result<Self, PathInvalid> {
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
            sandbox: section.sandbox(),
        })
    }
}

impl SmokeSettings {
    pub fn read(config: &Config) -> Result<Self, PathInvalid> {
        let section = Section {
            config,
            name: "smoke",
        };
        Ok(Self {
            command: section.command("command"),
            result: section.path_or("result_path", SMOKE_RESULTS)?,
            report: section.path_or("report_path", SMOKE_REPORT)?,
            timeout: section.timeout(),
            require_command_success: section.flag("require_command_success", false),
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

    fn path(&self, key: &str) -> Result<Option<ConfiguredPath>, PathInvalid> {
        let Some(text) = self.value(key).and_then(Value::as_str) else {
            return Ok(None);
        };
        match RepoPath::normalised(text).filter(|path| !path.is_root()) {
            Some(path) => Ok(Some(ConfiguredPath {
                text: text.to_owned(),
                path,
            })),
            None => Err(PathInvalid {
                key: format!("{}.{key}", self.name),
                text: text.to_owned(),
            }),
        }
    }

    fn path_or(&self, key: &str, default: &str) -> Result<ConfiguredPath, PathInvalid> {
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
