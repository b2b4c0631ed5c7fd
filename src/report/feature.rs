//! The answer of `feature list` (logos-project.md 11.1 and 12).

use std::io;

use serde::Serialize;

use super::detect::YamlDiagnostics;
use super::{Answer, Screen, Style};
use crate::project::Diagnostics;
use crate::project::features::{FeatureGroup, ModuleFeatures};
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

/// The features of a project or of one module of it.
pub struct Listed {
    pub modules: Vec<ModuleFeatures>,
    /// Of a registry of which this is what could be saved.
    pub damage: Option<Diagnostics>,
}

#[derive(Serialize)]
pub struct Data {
    modules: Vec<ModuleFeatures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    yaml_diagnostics: Option<YamlDiagnostics>,
}

impl Answer for Listed {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let damage = self.damage.as_ref();
        Data {
            modules: self.modules.clone(),
            yaml_diagnostics: damage.map(|damage| YamlDiagnostics::of(damage, voice)),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if self.modules.is_empty() {
            screen.line(&say!(
                voice,
                "no modules, features or scenarios are registered",
                "尚未注册任何模块、功能或场景"
            ))?;
        }
        for module in &self.modules {
            let heading = format!("{}  {}", escape(&module.id), escape(&module.name));
            screen.line(&screen.paint(Style::Bold, &heading))?;
            if module.features.is_empty() {
                screen.line(&say!(
                    voice,
                    "  no features, no scenarios",
                    "  没有功能，也没有场景"
                ))?;
            }
            for feature in &module.features {
                print_feature(screen, feature)?;
            }
        }
        for message in self.damage.iter().flat_map(|damage| damage.messages(voice)) {
            screen.warn(&escape(&message))?;
        }
        Ok(())
    }
}

fn print_feature(screen: &mut Screen<'_>, feature: &FeatureGroup) -> io::Result<()> {
    let voice = screen.voice;
    let (id, name, count) = (
        escape(&feature.id),
        escape(&feature.name),
        feature.scenarios.len(),
    );
    let counted = match feature.spec.as_deref().map(escape) {
        Some(spec) => say!(
            voice,
            "(spec: {spec}, scenarios: {count})",
            "（规格：{spec}，场景：{count}）"
        ),
        None => say!(voice, "(scenarios: {count})", "（场景：{count}）"),
    };
    screen.line(&format!("  {id}  {name} {}", screen.paint(Style::Dim, &counted)))?;
    for scenario in &feature.scenarios {
        screen.line(&format!(
            "    {}  {}",
            escape(&scenario.id),
            escape(&scenario.name)
        ))?;
    }
    Ok(())
}
