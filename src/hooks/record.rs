//! What was done, so that it can be undone to the byte: `hooks.json` (git.md 3.6).

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Error;
use crate::files::{Digest, discard, remove_if_empty, rewrite};

/// The record of a clone, or of the user's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) version: u32,
    pub(super) folders: Vec<RecordedFolder>,
    pub(super) config: Option<RecordedConfig>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordedFolder {
    pub(super) path: PathBuf,
    /// The first folder on its path that was made for us.
    pub(super) made: Option<PathBuf>,
    pub(super) hooks: Vec<RecordedHook>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordedHook {
    pub(super) name: String,
    /// Of our script.
    pub(super) sha256: String,
    /// What stood there before.
    pub(super) former: Option<Former>,
    /// The name under which what lay in the place of the former is kept.
    pub(super) aside: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Former {
    /// Permission bits.
    pub(super) mode: u32,
    /// None of a link.
    pub(super) sha256: Option<String>,
}

/// A configuration file in which `core.hooksPath` was set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordedConfig {
    pub(super) file: PathBuf,
    pub(super) value: PathBuf,
    /// None if there was no such file.
    pub(super) former: Option<Vec<u8>>,
    /// None until it was set.
    pub(super) sha256_after: Option<String>,
}

impl Record {
    /// Reads the record; none if there is none.
    ///
    /// # Errors
    /// If it is there and cannot be understood: what it says how to undo must not be lost.
    pub(super) fn load(path: &Path) -> Result<Option<Self>, Error> {
        match std::fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|e| Error::Record {
                    path: path.to_owned(),
                    reason: e.to_string(),
                }),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io(path, e)),
        }
    }

    pub(super) fn save(&self, path: &Path) -> Result<(), Error> {
        let mut text = serde_json::to_vec_pretty(self).expect("plain structs are always JSON");
        text.push(b'\n');
        if std::fs::read(path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        rewrite(path, &text).map_err(|e| Error::io(path, e))
    }

    pub(super) fn remove(path: &Path) -> Result<(), Error> {
        discard(path).map_err(|e| Error::io(path, e))
    }

    pub(super) fn folder(&mut self, path: &Path) -> &mut RecordedFolder {
        let at = self.folders.iter().position(|folder| folder.path == path);
        let at = at.unwrap_or_else(|| {
            self.folders.push(RecordedFolder {
                path: path.to_owned(),
                ..RecordedFolder::default()
            });
            self.folders.len() - 1
        });
        &mut self.folders[at]
    }
}

impl RecordedFolder {
    /// Removes it and the folders above that were made for us, as far as nothing else lies there.
    pub(super) fn remove_made(&self) {
        let Some(made) = &self.made else { return };
        for folder in self
            .path
            .ancestors()
            .take_while(|folder| folder.starts_with(made))
        {
            if !remove_if_empty(folder) {
                return;
            }
        }
    }

    /// Notes a script of ours; what stood there before is noted once.
    pub(super) fn note(&mut self, name: &str, script: &[u8], former: Option<Former>, aside: Option<PathBuf>) {
        let sha256 = Digest::of(script).hex();
        match self.hooks.iter_mut().find(|hook| hook.name == name) {
            Some(known) => {
                known.sha256 = sha256;
                known.former = former.or(known.former.take());
                known.aside = aside.or(known.aside.take());
            }
            None => self.hooks.push(RecordedHook {
                name: name.to_owned(),
                sha256,
                former,
                aside,
            }),
        }
    }
}
