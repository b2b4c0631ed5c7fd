//! Takes our scripts away and puts back what stood there, to the byte (git.md 3.6).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::install::{before, global_hooks_path, global_record_path, own_folder, record_path};
use super::place::Reach;
use super::record::{Record, RecordedConfig, RecordedFolder};
use super::script;
use super::{Error, Hook};
use crate::files::{Digest, discard, remove_if_empty, rename, rewrite};
use crate::git::{Git, Repository};

/// Uninstalls from a clone. Scripts that somebody has changed stay, and are told as an error at the end.
pub fn uninstall(repository: &Repository) -> Result<(), Error> {
    let path = record_path(repository);
    let record = Record::load(&path)?.unwrap_or_default();
    let own = own_folder(repository);
    let mut folders: Vec<PathBuf> = record.folders.iter().map(|folder| folder.path.clone()).collect();
    for reach in Reach::all(repository)? {
        if !reach.scope.is_shared() && !folders.contains(&reach.folder) {
            folders.push(reach.folder);
        }
    }
    let changed = clear(&folders, &record, &own)?;
    if let Some(config) = &record.config {
        restore(config, &repository.change(), "--local")?;
    }
    finish(&record, &path, changed)
}

/// Uninstalls from the user's folder.
pub fn uninstall_global(config: &Path, start: &Path) -> Result<(), Error> {
    let path = global_record_path(config);
    let record = Record::load(&path)?.unwrap_or_default();
    let own = config.join("git-spec/hooks");
    let mut folders: Vec<PathBuf> = record.folders.iter().map(|folder| folder.path.clone()).collect();
    folders.extend(global_hooks_path(start)?.filter(|named| !folders.contains(named)));
    let changed = clear(&folders, &record, &own)?;
    if let Some(config) = &record.config {
        restore(config, &Git::anywhere(start), "--global")?;
    }
    finish(&record, &path, changed)
}

/// Takes our scripts out of folders. Returns those that somebody has changed.
fn clear(folders: &[PathBuf], record: &Record, own: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut changed = Vec::new();
    for folder in folders {
        let recorded = record.folders.iter().find(|known| known.path == *folder);
        for hook in Hook::ALL {
            let at = folder.join(hook.as_str());
            match fs::read(&at) {
                Ok(found) if script::is_unchanged(hook, &found) => {
                    discard(&at).map_err(|e| Error::io(&at, e))?;
                    put_back(&at)?;
                }
                Ok(found) if script::is_ours(&found) => changed.push(at.clone()),
                Ok(_) => {}
                // What a killed run has taken away already, or never laid down.
                Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    let known = recorded.is_some_and(|r| r.hooks.iter().any(|h| h.name == hook.as_str()));
                    if known && at.symlink_metadata().is_err() {
                        put_back(&at)?;
                    }
                }
                Err(e) if at.is_dir() => drop(e),
                Err(e) => return Err(Error::io(&at, e)),
            }
            let noted = recorded.and_then(|r| r.hooks.iter().find(|h| h.name == hook.as_str()));
            if let Some(aside) = noted.and_then(|hook| hook.aside.as_ref()) {
                put_aside_back(aside, &before(&at))?;
            }
        }
        if folder == own {
            remove_forwards(folder)?;
        }
    }
    Ok(changed)
}

fn put_back(script: &Path) -> Result<(), Error> {
    let before = before(script);
    if before.symlink_metadata().is_err() {
        return Ok(());
    }
    if fs::read(&before).is_ok_and(|content| script::is_forward(&content)) {
        return discard(&before).map_err(|e| Error::io(&before, e));
    }
    rename(&before, script).map_err(|e| Error::io(&before, e))
}

/// What an installation has moved out of the way of a former hook, once that is back in its own place.
fn put_aside_back(aside: &Path, before: &Path) -> Result<(), Error> {
    if aside.symlink_metadata().is_err() || before.symlink_metadata().is_ok() {
        return Ok(());
    }
    rename(aside, before).map_err(|e| Error::io(aside, e))
}

fn remove_forwards(folder: &Path) -> Result<(), Error> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry.map_err(|e| Error::io(folder, e))?.path();
        if fs::read(&path).is_ok_and(|content| script::is_forward(&content)) {
            discard(&path).map_err(|e| Error::io(&path, e))?;
        }
    }
    Ok(())
}

/// The configuration as it was, if it is as we left it; else only our value goes.
fn restore(config: &RecordedConfig, git: &Git, scope: &str) -> Result<(), Error> {
    let now = match fs::read(&config.file) {
        Ok(now) => now,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(Error::io(&config.file, e)),
    };
    let untouched = config.sha256_after.as_deref() == Some(Digest::of(&now).hex().as_str());
    match &config.former {
        Some(former) if untouched => rewrite(&config.file, former).map_err(|e| Error::io(&config.file, e)),
        None if untouched => discard(&config.file).map_err(|e| Error::io(&config.file, e)),
        _ => {
            let value = config.value.as_os_str();
            let asked = git
                .clone()
                .args(["config", scope, "--fixed-value", "--unset-all", "core.hooksPath"]);
            let ended = asked.args([value]).output()?;
            // 5: there is no such value any more.
            match ended.code {
                Some(0 | 5) => Ok(()),
                _ => Err(Error::Config(ended.complaint())),
            }
        }
    }
}

fn finish(record: &Record, path: &Path, changed: Vec<PathBuf>) -> Result<(), Error> {
    if !changed.is_empty() {
        return Err(Error::Changed(changed));
    }
    if *record != Record::default() {
        Record::remove(path)?;
    }
    record.folders.iter().for_each(RecordedFolder::remove_made);
    // The record may have made the folder that it lies in.
    path.parent().map(remove_if_empty);
    Ok(())
}
