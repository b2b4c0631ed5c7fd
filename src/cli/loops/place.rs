//! Where a loop is: the root of its project, its state file, its store (loop.md 1 and 6).

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Context;
use crate::files::{RepoPath, Tree, WorkTree, is_top, make_folder, real_path};
use crate::git::Repository;
use crate::loops::Source;
use crate::loops::{Actor, Error, FOLDER, Held, STATE, Store, Stored, in_folder};

/// The project of a loop.
pub(super) struct Place {
    pub(super) root: PathBuf,
    told: bool,
}

/// A state file, with the project that it belongs to.
pub(super) struct StateFile {
    pub(super) place: Place,
    /// The folder of the file, and its name.
    folder: PathBuf,
    name: String,
    /// Whether it is the state of its project.
    pub(super) own: bool,
}

impl Place {
    /// The folder that `CLAUDE_PROJECT_DIR` names, else the top of the work tree, else the current folder.
    pub(super) fn find(context: &Context) -> Self {
        let here = real_path(&context.cwd);
        let named = context
            .env
            .get("CLAUDE_PROJECT_DIR")
            .filter(|dir| !dir.is_empty());
        let root = match named {
            Some(named) => real_path(&here.join(named)),
            None => here
                .ancestors()
                .find(|folder| is_top(folder))
                .unwrap_or(&here)
                .to_owned(),
        };
        Self::at(root, context)
    }

    fn at(root: PathBuf, context: &Context) -> Self {
        Self {
            root,
            told: context.env.get("GIT_DIR").is_some(),
        }
    }

    pub(super) fn tree(&self) -> WorkTree {
        WorkTree::new(&self.root)
    }

    /// Whether there is a loop, or was one.
    pub(super) fn has_folder(&self) -> bool {
        self.root.join(FOLDER).is_dir()
    }

    /// The repository around the project, if there is one.
    pub(super) fn repository(&self) -> Result<Option<Repository>, Error> {
        let inside = self.told || self.root.ancestors().any(is_top);
        if !inside {
            return Ok(None);
        }
        Ok(Repository::discover(&self.root, self.told)?)
    }

    /// What is stored about the loop; nothing where there is no folder of a loop, so that no repository is opened.
    pub(super) fn stored(&self) -> Result<Option<Stored>, Error> {
        if !self.has_folder() {
            return Ok(None);
        }
        match self.repository()? {
            Some(repository) => Store::of(&repository).map_or(Ok(None), |store| store.read()),
            None => Ok(None),
        }
    }

    /// The gate state that counts, and what is stored.
    pub(super) fn gate(&self) -> Result<(Source, Option<Stored>), Error> {
        let stored = self.stored()?;
        let source = match &stored {
            Some(stored) => Source::Known(stored.gate.clone()),
            None => Source::beside(&self.tree(), &in_folder(STATE))?,
        };
        Ok((source, stored))
    }

    /// Lends the right to write.
    pub(super) fn write<T>(
        &self,
        context: &Context,
        work: impl FnOnce(&mut Held<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let repository = self.repository()?;
        let store = repository.as_ref().and_then(Store::of);
        let mut held = Held::take(&self.root, store.as_ref(), context.now)?;
        work(&mut held)
    }

    /// As [`Place::write`], where a loop must be.
    pub(super) fn write_own<T>(
        &self,
        context: &Context,
        work: impl FnOnce(&mut Held<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if !self.has_folder() {
            return Err(Error::NoState(in_folder(STATE).to_string()));
        }
        self.write(context, work)
    }

    /// Makes the folder of the loop.
    pub(super) fn make(&self) -> Result<(), Error> {
        let path = self.root.join(FOLDER).join("artifacts");
        make_folder(&path).map_err(|source| Error::Write { path, source })
    }
}

impl StateFile {
    /// The file that a command names, else the one of the project.
    pub(super) fn find(context: &Context, named: Option<&Path>) -> Self {
        let place = Place::find(context);
        let own = place.root.join(FOLDER).join(STATE);
        let path = match named {
            Some(named) => context.cwd.join(named),
            None => own.clone(),
        };
        let folder = real_path(path.parent().unwrap_or(Path::new(".")));
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        // A state in the folder of a loop belongs to the project around it.
        let root = folder.ancestors().nth(Path::new(FOLDER).components().count());
        let around = root.filter(|root| root.join(FOLDER) == folder);
        let place = around
            .map(|root| Place::at(root.to_owned(), context))
            .unwrap_or(place);
        Self {
            own: around.is_some() && name == STATE,
            place,
            folder,
            name,
        }
    }

    pub(super) fn shown(&self) -> String {
        self.folder.join(&self.name).display().to_string()
    }

    /// The state, or why it cannot be read.
    pub(super) fn read(&self) -> Result<Value, Error> {
        let tree = WorkTree::new(&self.folder);
        let missing = || Error::NoState(self.shown());
        let path = RepoPath::new(&self.name)
            .ok()
            .filter(|path| !path.is_root())
            .ok_or_else(missing)?;
        let bytes = tree.read(&path)?.ok_or_else(missing)?;
        serde_json::from_slice(&bytes).map_err(|e| Error::Malformed(e.to_string()))
    }

    /// The gate state that it is judged with.
    pub(super) fn gate(&self) -> Result<Source, Error> {
        if self.own {
            return Ok(self.place.gate()?.0);
        }
        let path = RepoPath::new(&self.name).unwrap_or_default();
        Ok(Source::beside(&WorkTree::new(&self.folder), &path)?)
    }
}

/// On whose word a command runs: at a terminal it is the user's.
pub(super) fn actor() -> Actor {
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        Actor::User
    } else {
        Actor::Driver
    }
}
