//! The project model.

pub mod layout;
pub mod session;
mod slug;

pub use slug::Slug;

use crate::files::{ReadError, Tree};

/// `logos/logos.config.json`.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub locale: Option<String>,
}

impl Config {
    pub fn load(_tree: &dyn Tree) -> Result<Option<Self>, ReadError> {
        Ok(None)
    }
}
