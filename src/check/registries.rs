//! The registries of many trees, each content read once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Error;
use crate::files::{ObjectId, Resolved, Tree};
use crate::project::{Registry, layout};

#[derive(Default)]
pub(super) struct Registries {
    by_blob: Mutex<HashMap<ObjectId, Arc<Registry>>>,
}

impl Registries {
    /// The registry of a tree.
    pub(super) fn of(&self, tree: &dyn Tree) -> Result<Arc<Registry>, Error> {
        // The content may stand elsewhere, with a link to it.
        let id = match tree.resolve(&layout::registry())? {
            Resolved::Inside { path, .. } => tree.entry(&path)?.and_then(|entry| entry.id),
            Resolved::Outside { .. } | Resolved::Dangling => None,
        };
        let known = |id: &ObjectId| {
            let by_blob = self.by_blob.lock().unwrap_or_else(PoisonError::into_inner);
            by_blob.get(id).cloned()
        };
        if let Some(registry) = id.as_ref().and_then(known) {
            return Ok(registry);
        }
        let registry = Arc::new(Registry::load(tree)?);
        if let Some(id) = id {
            let mut by_blob = self.by_blob.lock().unwrap_or_else(PoisonError::into_inner);
            by_blob.insert(id, Arc::clone(&registry));
        }
        Ok(registry)
    }
}
