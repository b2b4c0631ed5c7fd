//! What the registry keeps of the baseline: the state of a module, and its index (logos-project.md 10.5).

use super::scan::Scan;
use crate::clock::Timestamp;
use crate::files::Tree;
use crate::project::SeedState;
use crate::project::modules::{ModuleError, SoundRegistry};
use crate::text::Bytes;
use crate::yaml::edit::set_scalar;

/// The section of the derived index.
const INDEX: &str = "baseline_index";

/// The registry with the state of a module written out.
pub(super) fn with_state(
    sound: &SoundRegistry,
    module: &str,
    state: SeedState,
) -> Result<Bytes, ModuleError> {
    sound.with_field(module, "baseline_seed_state", state.as_str())
}

/// The registry of a module that is seeded, with the index of what its documents hold.
pub(super) fn seeded(
    tree: &dyn Tree,
    module: &str,
    scan: &Scan,
    now: Timestamp,
) -> Result<Bytes, ModuleError> {
    let mut bytes = with_state(&SoundRegistry::load(tree)?, module, SeedState::Seeded)?;
    for (field, value) in [
        ("source_hash", scan.source_hash.clone()),
        ("denominator", scan.denominator().to_string()),
        ("generated_at", now.rfc3339()),
    ] {
        bytes = set_scalar(&bytes, &[INDEX, module, field], &value)?;
    }
    Ok(bytes)
}
