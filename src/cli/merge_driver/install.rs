//! Telling git of the driver, and taking it back: exactly our keys and lines, and nothing else.

use std::io;
use std::path::{Path, PathBuf};

use super::super::trouble::{Trouble, through_trouble};
use super::super::{Context, Exit, Format, fail, settle, with_screen};
use super::attributes;
use crate::files::{discard, rewrite};
use crate::git::{self, Git, Repository};
use crate::say;
use crate::voice::{Fail, Say, Voice, quoted_list};

/// Where attributes and configuration go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// This clone, for nobody else to see.
    Clone,
    /// `.gitattributes` at the top level; the configuration is the clone's.
    Tracked,
    /// The user's own.
    Global,
}

const KEYS: [(&str, &str); 3] = [
    (
        "merge.spec.name",
        "documents by section, row and front-matter key",
    ),
    ("merge.spec.driver", "git-spec merge-driver %O %A %B %L %P"),
    ("merge.spec.recursive", "text"),
];

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("a bare repository has no top level for `.gitattributes`")]
    NoTopLevel,
    #[error(
        "the user's attributes file is not known: neither `core.attributesFile`, `XDG_CONFIG_HOME` nor `HOME` is set"
    )]
    NoHome,
    #[error("`{}`: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NoTopLevel => say!(
                voice,
                "a bare repository has no top level for `.gitattributes`; leave `--attributes` out",
                "裸仓库没有放置 `.gitattributes` 的顶层目录；请去掉 `--attributes`"
            ),
            Self::NoHome => say!(
                voice,
                "the user's attributes file is not known; set `core.attributesFile` in the global configuration",
                "不知道用户的属性文件；请在全局配置中设置 `core.attributesFile`"
            ),
            Self::Io { path, source } => format!("`{}`: {source}", path.display()),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NoTopLevel => "NO_WORK_TREE",
            Self::NoHome => "NO_HOME",
            Self::Io { .. } => "NOT_WRITTEN",
            Self::Trouble(error) => error.code(),
        }
    }
}

pub(super) fn run(ctx: &Context, place: Place, install: bool) -> Exit {
    let command = "merge-driver";
    match set(ctx, place, install) {
        Err(error) => fail(ctx, command, Format::Text, &error),
        Ok(files) => {
            let printed = with_screen(ctx, |screen| {
                let voice = screen.voice;
                let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
                let files = quoted_list(&files);
                screen.line(&match install {
                    true => say!(
                        voice,
                        "git merges documents with `merge.spec.driver`; which ones, {files} says",
                        "git 将以 `merge.spec.driver` 合并文档；范围见 {files}"
                    ),
                    false => say!(
                        voice,
                        "git merges documents by lines again; our lines are gone from {files}",
                        "git 恢复按行合并文档；{files} 中我们的行已移除"
                    ),
                })
            });
            settle(printed, Exit::Done)
        }
    }
}

/// Sets or takes away keys and lines. Returns the attributes files.
fn set(ctx: &Context, place: Place, install: bool) -> Result<Vec<PathBuf>, Error> {
    let repository = match place {
        Place::Global => None,
        Place::Clone | Place::Tracked => Some(ctx.repository()?.ok_or(git::Error::NotARepository)?),
    };
    let files = match repository {
        // Lines of ours mean nothing without our keys, which both places of a clone share.
        Some(repository) if !install && repository.work_dir().is_some() => vec![
            attributes_file(ctx, Some(repository), Place::Clone)?,
            attributes_file(ctx, Some(repository), Place::Tracked)?,
        ],
        Some(_) | None => vec![attributes_file(ctx, repository, place)?],
    };
    let scope = match place {
        Place::Global => "--global",
        Place::Clone | Place::Tracked => "--local",
    };
    let git = || match repository {
        Some(repository) => repository.change(),
        None => Git::anywhere(&ctx.cwd),
    };
    for (key, value) in KEYS {
        set_key(git, scope, key, value, install)?;
    }
    for file in &files {
        set_lines(file, install).map_err(|source| Error::Io {
            path: file.clone(),
            source,
        })?;
    }
    Ok(files)
}

/// Sets a key, or takes our value away. The last value counts, so that one of the user's own can stay where it is.
fn set_key(git: impl Fn() -> Git, scope: &str, key: &str, value: &str, install: bool) -> Result<(), Error> {
    let asked = git()
        .args(["config", scope, "--null", "--get-all", key])
        .output()?;
    let ended = [value.as_bytes(), b"\0"].concat();
    let now: Vec<&[u8]> = asked.stdout.split_inclusive(|byte| *byte == 0).collect();
    if install && now.last().is_some_and(|last| *last == ended) {
        return Ok(());
    }
    if now.iter().any(|value| *value == ended) {
        git()
            .args(["config", scope, "--fixed-value", "--unset-all", key, value])
            .ask()?;
    }
    if install {
        git().args(["config", scope, "--add", key, value]).ask()?;
    }
    Ok(())
}

fn set_lines(file: &Path, install: bool) -> io::Result<()> {
    let lines = match std::fs::read(file) {
        Ok(lines) => lines,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(e),
    };
    let new = if install {
        attributes::with(&lines)
    } else {
        attributes::without(&lines)
    };
    if !install && new.is_empty() && !lines.is_empty() {
        discard(file)
    } else if new != lines {
        rewrite(file, &new)
    } else {
        Ok(())
    }
}

/// The files in which attributes of a clone stand: its own, the tracked one at the top, the user's.
pub(in crate::cli) fn attributes_files(
    ctx: &Context,
    repository: &Repository,
) -> Result<Vec<PathBuf>, String> {
    let places = [
        attributes_file(ctx, Some(repository), Place::Clone),
        attributes_file(ctx, Some(repository), Place::Tracked),
        attributes_file(ctx, None, Place::Global),
    ];
    let mut files = Vec::new();
    for place in places {
        match place {
            Ok(file) => files.push(file),
            // A place that there is not holds no attributes.
            Err(Error::NoTopLevel | Error::NoHome) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(files)
}

/// Tells git of the driver in this clone.
pub(in crate::cli) fn install_in_clone(ctx: &Context) -> Result<(), String> {
    set(ctx, Place::Clone, true)
        .map(drop)
        .map_err(|error| error.to_string())
}

fn attributes_file(ctx: &Context, repository: Option<&Repository>, place: Place) -> Result<PathBuf, Error> {
    let Some(repository) = repository else {
        let asked = Git::anywhere(&ctx.cwd)
            .args([
                "config",
                "--global",
                "--type=path",
                "--get",
                "core.attributesFile",
            ])
            .output()?;
        let set = String::from_utf8_lossy(&asked.stdout).trim_end().to_owned();
        if asked.success() && !set.is_empty() {
            return Ok(PathBuf::from(set));
        }
        let config = ctx.env.text("XDG_CONFIG_HOME").map(PathBuf::from);
        let home = || {
            ctx.env
                .text("HOME")
                .map(|home| PathBuf::from(home).join(".config"))
        };
        return Ok(config.or_else(home).ok_or(Error::NoHome)?.join("git/attributes"));
    };
    match place {
        Place::Tracked => Ok(repository
            .work_dir()
            .ok_or(Error::NoTopLevel)?
            .join(".gitattributes")),
        Place::Clone | Place::Global => {
            let spec = repository.shared_spec_dir();
            let common = spec.parent().unwrap_or(&spec).to_owned();
            Ok(common.join("info/attributes"))
        }
    }
}
