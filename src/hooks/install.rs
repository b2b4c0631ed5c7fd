//! Lays the scripts down where git finds them, and keeps what stood there (git.md 3.6). All is checked before the first
//! write; what a killed run left is gone on with from what the disk shows.

use std::fs;
use std::path::{Path, PathBuf};

use super::forward::{forwards_to, forwards_to_repositories};
use super::place::Reach;
use super::record::{Former, Record, RecordedConfig};
use super::script::{self, BEFORE, manager};
use super::{Error, Hook};
use crate::files::{Digest, is_executable, rename, write_script};
use crate::git::{Git, Repository};

/// What is asked for.
pub struct Wanted<'a> {
    pub hooks: &'a [Hook],
    /// The program that the scripts call.
    pub program: &'a Path,
    /// Whether a manager's hooks are chained too, and a left-over is kept aside.
    pub force: bool,
}

/// What was laid down.
pub struct Installed {
    /// The folders in which the scripts are.
    pub folders: Vec<PathBuf>,
    /// Hooks that stood there before and may not be run, so that they are not.
    pub not_run: Vec<PathBuf>,
}

/// A script to be laid down.
struct Script {
    hook: &'static str,
    at: PathBuf,
    content: Vec<u8>,
    found: Found,
}

/// What stands in its place.
enum Found {
    Nothing,
    /// Ours, as it is to be.
    Same,
    /// Ours, of another version or program.
    Older,
    /// Another's, which is kept beside ours.
    Other {
        former: Former,
        /// Where to what an earlier installation has left in its place is moved.
        aside: Option<PathBuf>,
    },
}

/// A folder and what goes into it.
struct Folder {
    path: PathBuf,
    scripts: Vec<Script>,
    /// Scripts that run the hooks of another folder, by name.
    forwards: Vec<(PathBuf, Vec<u8>)>,
}

/// Installs for a clone.
pub fn install(repository: &Repository, wanted: &Wanted<'_>) -> Result<Installed, Error> {
    let reaches = Reach::all(repository)?;
    for reach in &reaches {
        if reach.is_tracked()? {
            return Err(Error::Tracked {
                folder: reach.folder.clone(),
                snippet: script::Manager::Other.snippet(wanted.hooks[0]),
            });
        }
    }
    let own = own_folder(repository);
    let record_path = record_path(repository);
    let mut record = Record::load(&record_path)?.unwrap_or_default();
    let mut folders: Vec<Folder> = Vec::new();
    let mut redirect = false;
    for reach in &reaches {
        let target = if reach.scope.is_shared() {
            &own
        } else {
            &reach.folder
        };
        redirect |= reach.scope.is_shared();
        if folders.iter().any(|folder| folder.path == *target) {
            continue;
        }
        let forwards = match reach.scope.is_shared() {
            true => forwards_to(&reach.folder, target)?,
            false => Vec::new(),
        };
        folders.push(Folder::plan(target, wanted, forwards)?);
    }
    record.version = 1;
    note(&mut record, &folders);
    // The bytes before our value, which is not there now, whatever an earlier installation has noted.
    if redirect {
        record.config = Some(config_before(&repository.common_dir().join("config"), &own)?);
    }
    record.save(&record_path)?;
    for folder in &folders {
        folder.write()?;
    }
    if redirect {
        set_hooks_path(&repository.change(), "--local", &mut record)?;
        record.save(&record_path)?;
    }
    prove(repository, wanted.hooks)?;
    Ok(Installed::of(folders))
}

/// Installs for all repositories of the user: into the folder that the global `core.hooksPath` names, else into one of
/// ours below `config`, which then is named.
pub fn install_global(wanted: &Wanted<'_>, config: &Path, start: &Path) -> Result<Installed, Error> {
    let git = || Git::anywhere(start);
    let record_path = global_record_path(config);
    let mut record = Record::load(&record_path)?.unwrap_or_default();
    let named = global_hooks_path(start)?;
    let own = config.join("git-spec/hooks");
    let target = named.clone().unwrap_or_else(|| own.clone());
    let forwards = match target == own {
        true => forwards_to_repositories(&target),
        false => Vec::new(),
    };
    let folder = Folder::plan(&target, wanted, forwards)?;
    record.version = 1;
    note(&mut record, std::slice::from_ref(&folder));
    if named.is_none() {
        record.config = Some(config_before(&global_config_file(start, config)?, &own)?);
    }
    record.save(&record_path)?;
    folder.write()?;
    if named.is_none() {
        set_hooks_path(&git(), "--global", &mut record)?;
        record.save(&record_path)?;
    }
    Ok(Installed::of(vec![folder]))
}

/// The folder of a clone in which our scripts lie where the configured one is shared with other repositories.
pub(super) fn own_folder(repository: &Repository) -> PathBuf {
    repository.shared_spec_dir().join("hooks")
}

pub(super) fn record_path(repository: &Repository) -> PathBuf {
    repository.shared_spec_dir().join("hooks.json")
}

pub(super) fn global_record_path(config: &Path) -> PathBuf {
    config.join("git-spec/hooks.json")
}

/// The global `core.hooksPath`.
pub(super) fn global_hooks_path(start: &Path) -> Result<Option<PathBuf>, Error> {
    use bstr::ByteSlice;
    let asked = Git::anywhere(start)
        .args(["config", "--global", "--type=path", "--get", "core.hooksPath"])
        .output()?;
    let named = asked.stdout.strip_suffix(b"\n").unwrap_or(&asked.stdout);
    Ok((asked.success() && !named.is_empty()).then(|| named.to_path_lossy().into_owned()))
}

/// The file that `git config --global` writes.
fn global_config_file(start: &Path, config: &Path) -> Result<PathBuf, Error> {
    use bstr::ByteSlice;
    let asked = Git::anywhere(start).args(["var", "GIT_CONFIG_GLOBAL"]).output()?;
    let mut named: Vec<PathBuf> = asked
        .stdout
        .lines()
        .map(|line| line.to_path_lossy().into_owned())
        .collect();
    // Of several git writes the last that is there, else the last of all.
    named.reverse();
    let there = named.iter().find(|file| file.is_file()).or(named.first());
    Ok(there.cloned().unwrap_or_else(|| config.join("git/config")))
}

impl Installed {
    fn of(folders: Vec<Folder>) -> Self {
        let scripts = folders.iter().flat_map(|folder| &folder.scripts);
        let not_run = scripts.filter(|script| Before::of(&script.at) == Before::MayNotRun);
        Self {
            not_run: not_run.map(|script| before(&script.at)).collect(),
            folders: folders.into_iter().map(|folder| folder.path).collect(),
        }
    }
}

impl Folder {
    fn plan(path: &Path, wanted: &Wanted<'_>, forwards: Vec<(PathBuf, Vec<u8>)>) -> Result<Self, Error> {
        // The nearest that is there, for what is missing below it is made.
        let there = path.ancestors().find(|above| above.exists());
        if there.is_some_and(|there| !there.is_dir()) {
            return Err(Error::NoFolder(path.to_owned()));
        }
        let mut scripts = Vec::new();
        for hook in wanted.hooks {
            let at = path.join(hook.as_str());
            let content = script::script(*hook, wanted.program);
            let found = look(path, *hook, &at, &content, wanted.force)?;
            scripts.push(Script {
                hook: hook.as_str(),
                at,
                content,
                found,
            });
        }
        Ok(Self {
            path: path.to_owned(),
            scripts,
            forwards,
        })
    }

    fn write(&self) -> Result<(), Error> {
        for (at, content) in &self.forwards {
            if fs::read(at).is_ok_and(|old| old == *content) && is_executable(at) {
                continue;
            }
            write_script(at, content).map_err(|e| Error::io(at, e))?;
        }
        for script in &self.scripts {
            if let Found::Other { aside, .. } = &script.found {
                let before = before(&script.at);
                if let Some(aside) = aside {
                    rename(&before, aside).map_err(|e| Error::io(&before, e))?;
                }
                rename(&script.at, &before).map_err(|e| Error::io(&script.at, e))?;
            }
            if !matches!(script.found, Found::Same) {
                write_script(&script.at, &script.content).map_err(|e| Error::io(&script.at, e))?;
            }
        }
        Ok(())
    }
}

/// What stood in the place of a script of ours before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    Nothing,
    Runs,
    /// It is not executable: it did not run then, and does not now.
    MayNotRun,
}

impl Before {
    pub(super) fn of(script: &Path) -> Self {
        let before = before(script);
        match before.symlink_metadata() {
            Err(_) => Self::Nothing,
            Ok(_) if is_executable(&before) => Self::Runs,
            Ok(_) => Self::MayNotRun,
        }
    }
}

/// The name beside a script of ours for what stood there before.
pub(super) fn before(script: &Path) -> PathBuf {
    let mut name = script.as_os_str().to_owned();
    name.push(BEFORE);
    name.into()
}

fn free_name(path: &Path) -> PathBuf {
    let numbered = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{n}"));
        PathBuf::from(name)
    };
    let free = |path: &PathBuf| path.symlink_metadata().is_err();
    (1..=u32::MAX)
        .map(numbered)
        .find(free)
        .expect("so many are never left")
}

fn look(folder: &Path, hook: Hook, at: &Path, content: &[u8], force: bool) -> Result<Found, Error> {
    let Ok(meta) = at.symlink_metadata() else {
        // Beside nothing, what stood there before is where a killed run has put it.
        return Ok(Found::Nothing);
    };
    if meta.is_dir() {
        return Err(Error::InTheWay(at.to_owned()));
    }
    let former = if meta.is_symlink() {
        Former {
            mode: 0,
            sha256: None,
        }
    } else {
        let old = fs::read(at).map_err(|e| Error::io(at, e))?;
        if script::is_ours(&old) {
            let same = old == content && is_executable(at);
            return Ok(if same { Found::Same } else { Found::Older });
        }
        if let Some(manager) = manager(folder, &old).filter(|_| !force) {
            return Err(Error::Managed {
                path: at.to_owned(),
                snippet: manager.snippet(hook),
            });
        }
        Former {
            mode: mode_of(&meta),
            sha256: Some(Digest::of(&old).hex()),
        }
    };
    let before = before(at);
    let aside = match before.symlink_metadata() {
        Ok(_) if !force => return Err(Error::Leftover(before)),
        Ok(_) => Some(free_name(&before)),
        Err(_) => None,
    };
    Ok(Found::Other { former, aside })
}

#[cfg(unix)]
fn mode_of(meta: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode_of(_: &fs::Metadata) -> u32 {
    0o644
}

fn note(record: &mut Record, folders: &[Folder]) {
    for folder in folders {
        let known = record.folders.iter().any(|known| known.path == folder.path);
        let noted = record.folder(&folder.path);
        if !known {
            let missing = folder.path.ancestors().take_while(|above| !above.exists());
            noted.made = missing.last().map(Path::to_owned);
        }
        for script in &folder.scripts {
            let (former, aside) = match &script.found {
                Found::Other { former, aside } => (Some(former.clone()), aside.clone()),
                Found::Nothing | Found::Same | Found::Older => (None, None),
            };
            noted.note(script.hook, &script.content, former, aside);
        }
    }
}

fn config_before(file: &Path, value: &Path) -> Result<RecordedConfig, Error> {
    let former = match fs::read(file) {
        Ok(former) => Some(former),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(Error::io(file, e)),
    };
    Ok(RecordedConfig {
        file: file.to_owned(),
        value: value.to_owned(),
        former,
        sha256_after: None,
    })
}

fn set_hooks_path(git: &Git, scope: &str, record: &mut Record) -> Result<(), Error> {
    let Some(config) = &mut record.config else {
        return Ok(());
    };
    crate::fault::point().map_err(|e| Error::io(&config.file, e))?;
    git.clone()
        .args(["config", scope, "core.hooksPath"])
        .args([config.value.as_os_str()])
        .ask()?;
    let after = fs::read(&config.file).map_err(|e| Error::io(&config.file, e))?;
    config.sha256_after = Some(Digest::of(&after).hex());
    Ok(())
}

/// In every work tree git must find our scripts; nothing is run to see it.
fn prove(repository: &Repository, hooks: &[Hook]) -> Result<(), Error> {
    for reach in Reach::all(repository)? {
        if !is_reached(&reach, hooks) {
            return Err(Error::NotReached {
                worktree: reach.worktree,
                folder: reach.folder,
            });
        }
    }
    Ok(())
}

pub(super) fn is_reached(reach: &Reach, hooks: &[Hook]) -> bool {
    let ours = |hook: &Hook| {
        let at = reach.folder.join(hook.as_str());
        is_executable(&at) && fs::read(&at).is_ok_and(|script| script::is_ours(&script))
    };
    hooks.iter().all(ours)
}
