//! One project on disk: its database, and the files that are written beside it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::Context;
use super::error::Error;
use super::place;
use crate::files::{
    Digest, Kind, LockRule, NothingOutside, RepoPath, Transaction, Tree, WorkTree, Writer, append,
    create_fresh, discard, make_folder, rewrite,
};
use crate::git::{Commits, Repository};
use crate::silly::database::{self, Rows};
use crate::silly::gate::Gate;
use crate::silly::init::NewProject;
use crate::silly::{Refused, layout, progress};
use crate::text::Bytes;
use crate::worktree::check_name;

/// A project.
pub(super) struct Store<'c> {
    ctx: &'c Context,
    pub(super) root: PathBuf,
    database: PathBuf,
}

impl<'c> Store<'c> {
    pub(super) fn of(ctx: &'c Context) -> Result<Self, Error> {
        Self::at(ctx, place::root(ctx))
    }

    pub(super) fn at(ctx: &'c Context, root: PathBuf) -> Result<Self, Error> {
        Ok(Self {
            database: place::inside(&root, &layout::database())?,
            root,
            ctx,
        })
    }

    pub(super) fn tree(&self) -> WorkTree {
        WorkTree::new(&self.root)
    }

    /// The name of a new project: that of its folder.
    pub(super) fn name(&self) -> String {
        let name = self.root.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    fn is_there(&self) -> bool {
        layout::top().on_disk(&self.root).is_dir()
    }

    /// Reads the database; nothing is made.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Rows<'_>) -> Result<T, Refused>,
    ) -> Result<Option<T>, Error> {
        Ok(database::read(&self.database, work)?)
    }

    /// Changes the database of a project that has one, then its gate.
    pub(super) fn change<T, E>(&self, work: impl FnOnce(&Rows<'_>) -> Result<T, E>) -> Result<T, E>
    where
        E: From<database::DatabaseError> + From<Refused> + From<Error>,
    {
        if !self.database.exists() {
            return Err(Refused::NotInitialised.into());
        }
        self.make_or_change(work)
    }

    /// As [`Store::change`]; a project without a database gets one.
    pub(super) fn make_or_change<T, E>(&self, work: impl FnOnce(&Rows<'_>) -> Result<T, E>) -> Result<T, E>
    where
        E: From<database::DatabaseError> + From<Refused> + From<Error>,
    {
        if !self.is_there() {
            return Err(Refused::NotInitialised.into());
        }
        let folder = layout::runtime().on_disk(&self.root);
        make_folder(&folder).map_err(|source| failed(&folder, source))?;
        let done = database::change(&self.database, work)?;
        self.settle_gate()?;
        Ok(done)
    }

    /// Brings the gate file up to the rows. The lock of the database is held meanwhile, so that of two writers the last one
    /// is right.
    fn settle_gate(&self) -> Result<(), Error> {
        let path = layout::gate().on_disk(&self.root);
        database::change(&self.database, |rows| {
            let gate = Gate::of(&rows.changes()?);
            let written = match gate {
                Some(gate) => rewrite(&path, &gate.text(self.ctx.now)),
                None => discard(&path),
            };
            written.map_err(|source| failed(&path, source))
        })
    }

    /// Keeps a text in a new file below the runtime folder; of two of a name the second gets a number.
    pub(super) fn keep(
        &self,
        folder: &RepoPath,
        stem: &str,
        extension: &str,
        text: &[u8],
    ) -> Result<PathBuf, Error> {
        let folder = place::inside(&self.root, folder)?;
        create_fresh(&folder, stem, extension, text).map_err(|source| failed(&folder, source))
    }

    /// Adds to the words of the user.
    pub(super) fn note_words(&self, words: &str) -> Result<(), Error> {
        let path = place::inside(&self.root, &layout::user_inputs())?;
        append(&path, words).map_err(|source| failed(&path, source))
    }

    /// The right to write tracked files of the project.
    pub(super) fn writer(&self, command: &str) -> Result<Writer, Error> {
        let around = self.repository()?;
        let Some((repository, prefix)) = &around else {
            let rule = LockRule {
                path: layout::runtime().join("git-spec/lock").on_disk(&self.root),
                holder: command.to_owned(),
                wait: Duration::from_secs(10),
                keep: self.root.clone(),
                nested: self.ctx.env.get("GIT_SPEC_TRANSACTION").is_some(),
            };
            return Ok(Writer::open(&self.root, &rule, &NothingOutside)?);
        };
        let rule = self.ctx.lock_rule(command)?;
        let outside = Commits { repository, prefix };
        Ok(Writer::open(&self.root, &rule, &outside)?)
    }

    /// The repository whose work tree holds the project, and the project's path in it.
    pub(super) fn repository(&self) -> Result<Option<(&'c Repository, RepoPath)>, Error> {
        let Some(repository) = self.ctx.repository()? else {
            return Ok(None);
        };
        let prefix = repository
            .work_dir()
            .and_then(|top| RepoPath::from_disk(self.root.strip_prefix(top).ok()?));
        Ok(prefix.map(|prefix| (repository, prefix)))
    }

    /// Writes the settings of this machine, unless there are some; whether it did.
    pub(super) fn write_local(&self, text: &str) -> Result<bool, Error> {
        if !self.is_there() {
            return Err(Refused::NotInitialised.into());
        }
        let path = layout::local();
        let writer = self.writer("silly detect-local")?;
        if writer.tree().entry(&path)?.is_some() {
            return Ok(false);
        }
        place::inside(&self.root, &path)?;
        let mut transaction = writer.begin();
        transaction.create_new(&path, text.as_bytes().to_vec());
        transaction.commit()?;
        Ok(true)
    }

    /// The open change that is named, else the one that is meant; it has a folder in the project.
    pub(super) fn open_change(&self, name: Option<&str>) -> Result<String, Error> {
        let tree = self.tree();
        let name = if let Some(name) = name {
            name.to_owned()
        } else {
            let active = self.read(|rows| Ok(progress::active(rows)?))?.unwrap_or_default();
            let active: Vec<String> = active.into_iter().map(|change| change.name).collect();
            let only = progress::only(&tree, &active)?;
            only.ok_or_else(|| progress::none_meant(active))?
        };
        check_name(&name).map_err(Refused::from)?;
        let folder = layout::change(&name);
        place::inside(&self.root, &folder)?;
        if tree.entry(&folder)?.is_none_or(|entry| entry.kind != Kind::Dir) {
            return Err(Refused::NoFolder(folder).into());
        }
        Ok(name)
    }

    /// The user as git knows them: who made a document.
    pub(super) fn author(&self) -> Result<String, Error> {
        if let Some(name) = self.ctx.env.text("GIT_AUTHOR_NAME") {
            return Ok(name);
        }
        let known = self.ctx.repository()?.and_then(|repository| {
            let own = repository.setting("author.name");
            own.or_else(|| repository.setting("user.name"))
        });
        Ok(known.unwrap_or_else(|| "unknown".to_owned()))
    }

    /// Lays a new project down, or what it lacks.
    pub(super) fn lay_down(&self, command: &str, plan: NewProject) -> Result<(), Error> {
        let writer = self.writer(command)?;
        let mut transaction = writer.begin();
        for folder in &plan.folders {
            transaction.make_dir(folder);
        }
        put(&mut transaction, plan.files);
        transaction.commit()?;
        Ok(())
    }

    /// Writes files together or not at all, each with what it was planned from; those that stay as they are are left out.
    /// Tells which were written.
    pub(super) fn write_changed(
        writer: &Writer,
        files: Vec<(RepoPath, Option<Bytes>, Bytes)>,
    ) -> Result<Vec<RepoPath>, Error> {
        let differs = |(_, before, after): &(RepoPath, Option<Bytes>, Bytes)| before.as_ref() != Some(after);
        let files: Vec<_> = files.into_iter().filter(differs).collect();
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let mut transaction = writer.begin();
        put(&mut transaction, files);
        Ok(transaction.commit()?.paths)
    }
}

fn put(transaction: &mut Transaction<'_>, files: Vec<(RepoPath, Option<Bytes>, Bytes)>) {
    for (path, before, after) in files {
        match before {
            None => transaction.create_new(&path, after),
            Some(before) => transaction.replace(&path, Some(Digest::of(&before)), after),
        }
    }
}

pub(super) fn failed(path: &Path, source: io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        source,
    }
}
