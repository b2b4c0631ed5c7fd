//! Telling git of the driver, and taking it back: exactly our keys and lines, and nothing else.

use std::path::PathBuf;

use super::super::trouble::{Trouble, through_trouble};
use super::super::{Context, Exit, Format, fail, settle, with_screen};
use super::attributes;
use crate::files::{discard, rewrite};
use crate::git::{self, Git, Repository};
use crate::say;
use crate::voice::{Fail, Say, Voice};

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
    Io { path: PathBuf, source: std::io::Error },
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
        Ok(file) => {
            let printed = with_screen(ctx, |screen| {
                let (voice, file) = (screen.voice, file.display());
                screen.line(&match install {
                    true => say!(
                        voice,
                        "git merges documents with `merge.spec.driver`; which ones, `{file}` says",
                        "git 将以 `merge.spec.driver` 合并文档；范围见 `{file}`"
                    ),
                    false => say!(
                        voice,
                        "git merges documents by lines again; our lines are gone from `{file}`",
                        "git 恢复按行合并文档；`{file}` 中我们的行已移除"
                    ),
                })
            });
            settle(printed, Exit::Done)
        }
    }
}

/// Sets or takes away keys and lines. Returns the attributes file.
fn set(ctx: &Context, place: Place, install: bool) -> Result<PathBuf, Error> {
    let repository = match place {
        Place::Global => None,
        Place::Clone | Place::Tracked => Some(ctx.repository()?.ok_or(git::Error::NotARepository)?),
    };
    let file = attributes_file(ctx, repository, place)?;
    let scope = match place {
        Place::Global => "--global",
        Place::Clone | Place::Tracked => "--local",
    };
    let git = || match repository {
        Some(repository) => repository.change(),
        None => Git::anywhere(&ctx.cwd),
    };
    for (key, value) in KEYS {
        let now = git().args(["config", scope, "--get-all", key]).output()?;
        let now = String::from_utf8_lossy(&now.stdout).trim_end().to_owned();
        if install && now != value {
            git().args(["config", scope, "--replace-all", key, value]).ask()?;
        } else if !install && !now.is_empty() {
            git().args(["config", scope, "--unset-all", key]).ask()?;
        }
    }
    let io = |source| Error::Io {
        path: file.clone(),
        source,
    };
    let old = match std::fs::read(&file) {
        Ok(old) => Some(old),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(io(e)),
    };
    let lines = old.clone().unwrap_or_default();
    let new = if install {
        attributes::with(&lines)
    } else {
        attributes::without(&lines)
    };
    if !install && new.is_empty() && !lines.is_empty() {
        discard(&file).map_err(io)?;
    } else if new != lines {
        rewrite(&file, &new).map_err(io)?;
    }
    Ok(file)
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
