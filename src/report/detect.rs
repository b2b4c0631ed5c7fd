//! The answer of `detect` (logos-project.md 6).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::files::ReadError;
use crate::project::{Config, Diagnostics, Module, ParseStatus, layout};
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};

/// What `detect` found.
pub enum Detected {
    /// No project; with the reason if it could not be looked for.
    Nothing(Option<Box<dyn Say>>),
    /// A config that cannot be understood.
    Broken(String),
    Project(Box<Found>),
}

/// A project.
pub struct Found {
    pub config: Config,
    pub modules: Option<Vec<Module>>,
    pub damage: Option<Damage>,
}

/// Why the registry is not whole.
pub enum Damage {
    Parse(Diagnostics),
    Unreadable(ReadError),
}

impl Damage {
    const fn status(&self) -> ParseStatus {
        match self {
            Self::Parse(diagnostics) => diagnostics.status,
            Self::Unreadable(_) => ParseStatus::Error,
        }
    }

    fn messages(&self, voice: &Voice) -> Vec<String> {
        match self {
            Self::Parse(diagnostics) => diagnostics.messages(voice),
            Self::Unreadable(error) => vec![error.to_string()],
        }
    }
}

#[derive(Serialize)]
pub struct Data {
    cli: Cli,
    project: Option<Project>,
    yaml_diagnostics: Option<YamlDiagnostics>,
}

#[derive(Serialize)]
struct Cli {
    version: &'static str,
    node_version: &'static str,
}

#[derive(Serialize)]
struct Project {
    name: String,
    locale: String,
    lifecycle: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    modules: Option<Vec<ModuleData>>,
    description: String,
    source_roots: Option<SourceRoots>,
}

#[derive(Serialize)]
struct ModuleData {
    id: String,
    name: String,
    lifecycle: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bootstrap: Option<&'static str>,
}

#[derive(Serialize)]
struct SourceRoots {
    src: Vec<String>,
    test: Vec<String>,
}

/// What is wrong with a damaged registry (logos-project.md 4.3).
#[derive(Serialize)]
pub(super) struct YamlDiagnostics {
    parse_status: &'static str,
    messages: Vec<String>,
}

impl YamlDiagnostics {
    pub(super) fn of(diagnostics: &Diagnostics, voice: &Voice) -> Self {
        Self {
            parse_status: diagnostics.status.as_str(),
            messages: diagnostics.messages(voice),
        }
    }
}

pub(super) const fn lifecycle(launched: bool) -> &'static str {
    if launched { "launched" } else { "initial" }
}

impl Found {
    fn is_launched(&self) -> bool {
        self.modules.iter().flatten().any(|m| m.launched)
    }

    fn project(&self) -> Project {
        let module = |m: &Module| ModuleData {
            id: m.id.clone(),
            name: m.name.clone(),
            lifecycle: lifecycle(m.launched),
            bootstrap: m.adopted.then_some("adopted"),
        };
        let config = &self.config;
        Project {
            name: config.name.clone().unwrap_or_default(),
            locale: config.locale.clone().unwrap_or_else(|| "en".to_owned()),
            lifecycle: lifecycle(self.is_launched()),
            modules: self.modules.as_ref().map(|all| all.iter().map(module).collect()),
            description: config.description.clone().unwrap_or_default(),
            source_roots: config.source_roots.clone().map(|r| SourceRoots {
                src: r.src,
                test: r.test,
            }),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let project = self.project();
        let mut rows = vec![
            (say!(voice, "project", "项目"), project.name),
            (say!(voice, "locale", "语言"), project.locale),
            (say!(voice, "lifecycle", "生命周期"), project.lifecycle.to_owned()),
        ];
        if !project.description.is_empty() {
            rows.push((say!(voice, "description", "描述"), project.description));
        }
        if let Some(roots) = project.source_roots {
            rows.push((say!(voice, "source", "源码目录"), roots.src.join(", ")));
            rows.push((say!(voice, "tests", "测试目录"), roots.test.join(", ")));
        }
        for (label, value) in rows {
            let label = screen.paint(Style::Dim, &format!("{label}:"));
            screen.line(&format!("{label} {}", escape(&value)))?;
        }
        for module in project.modules.iter().flatten() {
            let adopted = module.bootstrap.map_or(String::new(), |b| format!(", {b}"));
            let (id, name) = (escape(&module.id), escape(&module.name));
            screen.line(&format!("  {id}  {name} ({}{adopted})", module.lifecycle))?;
        }
        if let Some(damage) = &self.damage {
            for message in damage.messages(voice) {
                screen.warn(&escape(&message))?;
            }
        }
        Ok(())
    }
}

impl Answer for Detected {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let found = match self {
            Self::Nothing(_) | Self::Broken(_) => None,
            Self::Project(found) => Some(found),
        };
        let damage = found.and_then(|f| f.damage.as_ref());
        Data {
            cli: Cli {
                version: env!("CARGO_PKG_VERSION"),
                node_version: "none",
            },
            project: found.map(|f| f.project()),
            yaml_diagnostics: damage.map(|damage| YamlDiagnostics {
                parse_status: damage.status().as_str(),
                messages: damage.messages(voice),
            }),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        screen.line(&format!("git-spec {}", env!("CARGO_PKG_VERSION")))?;
        match self {
            Self::Nothing(None) => {
                let init = Invocation::new("init", &[]).say(voice);
                screen.line(&say!(
                    voice,
                    "no project here; `{init}` begins one",
                    "这里没有项目；用 `{init}` 建立"
                ))
            }
            Self::Nothing(Some(reason)) => {
                let reason = reason.say(voice);
                screen.line(&say!(
                    voice,
                    "no project can be looked for here: {reason}",
                    "无法在此查找项目：{reason}"
                ))
            }
            Self::Broken(reason) => {
                let (config, reason) = (layout::CONFIG, escape(reason));
                screen.line(&say!(
                    voice,
                    "no project that can be read: `{config}`: {reason}",
                    "没有可读取的项目：`{config}`：{reason}"
                ))
            }
            Self::Project(found) => found.print(screen),
        }
    }
}
