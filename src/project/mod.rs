//! The project model (logos-project.md): config, registry, modules, guard file, names of changes, and what a new project holds.

mod config;
pub mod documents;
pub mod excerpt;
pub mod features;
mod find;
pub mod index;
mod init;
pub mod launch;
pub mod layout;
pub mod listing;
mod migration;
pub mod modules;
mod new_config;
mod new_registry;
mod registry;
pub mod session;
mod slug;
pub mod sync;

pub use config::{Config, ConfigError, ConfigFile, SourceRoots};
pub use find::{SKIPPED_FOLDERS, Search, search_depth};
pub use init::{AI_TOOLS, NewProject, has_manifest, project_name, test_command};
pub use new_registry::Beginning;
pub use registry::{
    BaselineIndex, DeploymentFlags, Diagnostics, Feature, GUI_TYPES, Gate, Module, ParseStatus, Registry,
    Scenario, SeedState,
};
pub use session::{Guard, guard_file};
pub use slug::{Slug, SlugError};

use crate::files::{ReadError, Tree};

/// Whether the tree is a project: its config file exists, with any content.
pub fn is_initialised(tree: &dyn Tree) -> Result<bool, ReadError> {
    tree.exists(&layout::config())
}
