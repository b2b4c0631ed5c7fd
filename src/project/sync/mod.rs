//! `sync` (logos-project.md 9.4): registry, config and flow are brought up to date with what lies in the project. Running
//! it again changes nothing. Plans only.

mod config;
mod overlay;
mod registry;
mod resources;

use serde::Serialize;

use super::config::{ConfigError, ConfigText};
use super::migration::Migration;
use super::modules::{ModuleError, SoundRegistry};
use super::{Module, SeedState, layout};
use crate::clock::Timestamp;
use crate::files::{ReadError, RepoPath, Tree};
use crate::say;
use crate::text::Bytes;
use crate::voice::{Fail, Say, Voice};
use crate::yaml::edit::EditError;

/// Why nothing was brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Registry(#[from] ModuleError),
    #[error("`{file}`: {error}", file = layout::LAUNCHED_FLOW)]
    Overlay { error: EditError },
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl From<EditError> for SyncError {
    fn from(error: EditError) -> Self {
        Self::Registry(error.into())
    }
}

impl Say for SyncError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Config(error) => error.say(voice),
            Self::Registry(error) => error.say(voice),
            Self::Overlay { error } => {
                let (file, error) = (layout::LAUNCHED_FLOW, error.say(voice));
                say!(voice, "`{file}`: {error}", "`{file}`：{error}")
            }
            Self::Read(error) => error.say(voice),
        }
    }
}

impl Fail for SyncError {
    fn code(&self) -> &'static str {
        match self {
            Self::Config(error) => error.code(),
            Self::Registry(error) => error.code(),
            Self::Overlay { .. } => "FLOW_NOT_CHANGED",
            Self::Read(_) => "PROJECT_UNREADABLE",
        }
    }
}

/// One thing that is brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The config's old key launched the only module.
    Launched(String),
    /// The config's old key, which says nothing any more, goes.
    LifecycleKey,
    /// The state of a module's baseline is written out.
    SeedState {
        module: String,
        state: SeedState,
    },
    /// A module's old boolean goes.
    SeedFlag(String),
    /// The project's name.
    Name(String),
    ScenarioModule {
        scenario: String,
        module: String,
    },
    /// A document is listed.
    Indexed(RepoPath),
    /// A key of the config is filled in.
    Config(&'static str),
    /// A node of the flow.
    NodeAdded(&'static str),
    NodeRemoved(&'static str),
}

/// A file that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    pub path: RepoPath,
    pub before: Option<Bytes>,
    pub after: Bytes,
}

/// What is brought up to date.
#[derive(Clone, Debug)]
pub struct Sync {
    pub changes: Vec<Change>,
    /// In this order.
    pub writes: Vec<Write>,
    /// The config's old key went although it launched nothing: there are several modules.
    pub key_without_module: bool,
    /// Launched modules of which nobody knows what kind of product they are.
    pub untyped: Vec<String>,
}

/// The file that says when the project was synced.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stamp {
    cli_version: &'static str,
    synced_at: String,
}

/// Judges whether the files that a sync may write can be written at all.
pub fn check(tree: &dyn Tree) -> Result<(), SyncError> {
    ConfigText::load(tree)?;
    SoundRegistry::load(tree)?;
    Ok(())
}

/// Plans a sync. `derived` tells the state of a module's baseline that is not written; `voice` has the language of the
/// project.
pub fn plan(
    tree: &dyn Tree,
    derived: &dyn Fn(&Module) -> Result<SeedState, ReadError>,
    voice: &Voice,
    now: Timestamp,
) -> Result<Sync, SyncError> {
    let config = ConfigText::load(tree)?;
    let sound = SoundRegistry::load(tree)?;
    let migration = Migration::of(&config, &sound.registry);
    let mut changes = Vec::new();
    let mut writes = Vec::new();
    let mut after = sound.registry.clone();
    if let Some(before) = sound.bytes.clone() {
        let update = registry::Update {
            tree,
            name: config.object.get("name").and_then(serde_json::Value::as_str),
            derived,
            voice,
        };
        let updated = update.apply(&sound, &migration, &mut changes)?;
        after = super::Registry::parse(&updated.text);
        if updated.migrated {
            let path = RepoPath::of(layout::REGISTRY_BACKUP);
            let there = tree.read(&path)?;
            writes.push(Write {
                path,
                before: there,
                after: before.clone(),
            });
        }
        writes.push(Write {
            path: layout::registry(),
            before: Some(before),
            after: updated.text,
        });
    }
    let mut object = config.object.clone();
    if migration != Migration::None && object.shift_remove("lifecycle").is_some() {
        changes.push(Change::LifecycleKey);
    }
    changes.extend(config::fill(tree, &mut object).into_iter().map(Change::Config));
    if object != config.object {
        writes.push(Write {
            path: layout::config(),
            before: Some(config.bytes.clone()),
            after: config.written(&object),
        });
    }
    let modules = after.registered();
    let is_gui = modules.iter().any(Module::is_gui);
    writes.extend(overlay::plan(tree, is_gui, voice, &mut changes)?);
    writes.retain(|write| write.before.as_ref() != Some(&write.after));
    writes.push(stamp(tree, now)?);
    let untyped = modules.iter().filter(|m| m.launched && m.product_type.is_none());
    Ok(Sync {
        untyped: untyped.map(|m| m.id.clone()).collect(),
        changes,
        writes,
        key_without_module: migration == Migration::DropsKey,
    })
}

fn stamp(tree: &dyn Tree, now: Timestamp) -> Result<Write, ReadError> {
    let path = RepoPath::of(layout::SYNC_STAMP);
    let stamp = Stamp {
        cli_version: env!("CARGO_PKG_VERSION"),
        synced_at: now.rfc3339(),
    };
    let mut after = serde_json::to_vec_pretty(&stamp).expect("plain structs are always JSON");
    after.push(b'\n');
    let before = tree.read(&path)?;
    Ok(Write { path, before, after })
}

#[cfg(test)]
mod tests;
