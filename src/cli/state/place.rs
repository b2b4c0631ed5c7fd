//! Where `.planning/` is, what lies in it, and the moment of a command (state.md 1, 9.3, 9.4).

use std::path::{Path, PathBuf};

use super::Context;
use crate::files::{ReadError, RepoPath, Tree, WorkTree, is_top, nearest, real_path};
use crate::git::Repository;
use crate::report::state::Loaded;
use crate::state::Error;
use crate::state::derive::Moment;
use crate::text::Bytes;

/// The folder of all these files, from the root.
pub(super) const FOLDER: &str = ".planning";
/// Folders above the current one that are looked at.
const STEPS: usize = 10;

/// The project of the `state` commands.
pub(super) struct Place {
    root: PathBuf,
}

impl Place {
    /// The nearest folder upwards that holds `.planning/`, not beyond the top of the repository; else the current one.
    pub(super) fn find(context: &Context) -> Self {
        let here = real_path(&context.cwd);
        let start = match context.project_option() {
            None => here,
            // The option names a folder from the top of the repository, and no other one.
            Some(project) => {
                let top = here.ancestors().find(|folder| is_top(folder)).unwrap_or(&here);
                return Self {
                    root: top.join(project),
                };
            }
        };
        let found = nearest(&start, STEPS, |folder| folder.join(FOLDER).is_dir());
        Self {
            root: found.unwrap_or(start),
        }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn tree(&self) -> WorkTree {
        WorkTree::new(&self.root)
    }

    /// The place on disk of a file in `.planning/`.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.root.join(FOLDER).join(name)
    }

    fn content(&self, name: &str) -> Result<Option<Bytes>, ReadError> {
        self.tree().read(&RepoPath::of(FOLDER).join(name))
    }

    /// STATE.md, if there is one.
    pub(super) fn read(&self) -> Result<Option<Bytes>, ReadError> {
        self.content("STATE.md")
    }

    /// The text of another file in the folder.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, ReadError> {
        Ok(self
            .content(name)?
            .map(|bytes| crate::text::decode(&bytes).into_owned()))
    }

    pub(super) fn load(&self) -> Result<Loaded, Error> {
        let state = self.read()?;
        let tree = self.tree();
        let exists = |name: &str| -> Result<bool, ReadError> {
            Ok(tree.entry(&RepoPath::of(FOLDER).join(name))?.is_some())
        };
        Ok(Loaded {
            state_exists: state.is_some(),
            state_raw: state
                .map(|bytes| crate::text::decode(&bytes).into_owned())
                .unwrap_or_default(),
            roadmap_exists: exists("ROADMAP.md")?,
            config_exists: exists("config.json")?,
        })
    }

    /// The moment of this command.
    pub(super) fn moment(&self, context: &Context) -> Moment {
        Moment {
            now: context.now,
            today: context.now.date(Repository::local_offset()),
            head: self.head(),
        }
    }

    /// The commit that HEAD names, where the root is the top of a repository of its own. What cannot be verified is
    /// absent, never an error: a stamp is no reason to refuse a write (seed 000, `state_head`).
    fn head(&self) -> Option<String> {
        if !is_top(&self.root) || self.has_sub_repositories() {
            return None;
        }
        let repository = Repository::at_top(&self.root)?;
        let head = repository.head().ok().flatten()?;
        Some(head.to_string())
    }

    /// Whether the configuration lists repositories below this one (state.md 9.3). What is no JSON lists none; a file
    /// that cannot be read may.
    fn has_sub_repositories(&self) -> bool {
        let config = match self.content("config.json") {
            Ok(None) => return false,
            Ok(Some(config)) => config,
            Err(_) => return true,
        };
        let Ok(config) = serde_json::from_slice::<serde_json::Value>(&config) else {
            return false;
        };
        let lists = |value: &serde_json::Value| {
            value
                .get("sub_repos")
                .and_then(serde_json::Value::as_array)
                .is_some_and(|list| !list.is_empty())
        };
        lists(&config) || config.get("planning").is_some_and(lists)
    }
}
