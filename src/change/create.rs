//! What making a change writes, and why it may not be made (logos-project.md 8). Plans only.

use super::template;
use crate::files::{Digest, ReadError, RepoPath, Tree};
use crate::project::session::guard_file;
use crate::project::{Diagnostics, Guard, ParseStatus, Registry, Slug, SlugError, layout};
use crate::say;
use crate::text::{Bytes, escape};
use crate::voice::{Fail, Invocation, Language, Say, Voice};

/// Why the module of a new change is the one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleSource {
    /// Named with `--module`.
    Explicit,
    /// The only one that is registered.
    Only,
    /// Several are registered, `core` among them.
    Core,
    /// None is registered.
    Fallback,
}

impl ModuleSource {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Only => "only",
            Self::Core => "core",
            Self::Fallback => "fallback",
        }
    }
}

/// The module of projects that register none, and of new ones.
const CORE: &str = "core";

/// A change to be made.
#[derive(Clone, Debug)]
pub struct NewChange {
    pub slug: Slug,
    pub module: String,
    pub source: ModuleSource,
    /// Its folder.
    pub path: RepoPath,
    pub files: Vec<(RepoPath, Bytes)>,
    /// Folders that start empty.
    pub folders: Vec<RepoPath>,
    pub guard: Bytes,
    /// The guard file that is replaced; none if there is none.
    pub stale_guard: Option<Digest>,
}

/// Why a change is not made.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    #[error("a change needs a name")]
    SlugMissing,
    #[error(transparent)]
    SlugInvalid(#[from] SlugError),
    #[error("`{path}` exists already")]
    Exists { path: RepoPath },
    #[error("the change `{0}` is active")]
    Active(Slug),
    #[error("the guard file is no JSON")]
    GuardInvalid,
    #[error("no module `{}` is registered", escape(.id))]
    ModuleNotFound { id: String, registered: Vec<String> },
    #[error("several modules are registered and none is `core`")]
    ModuleAmbiguous { slug: Slug, registered: Vec<String> },
    #[error("the registry is damaged: {}", .0.error)]
    RegistryUnparsable(Diagnostics),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Fail for CreateError {
    fn code(&self) -> &'static str {
        match self {
            Self::SlugMissing => "SLUG_MISSING",
            Self::SlugInvalid(_) => "SLUG_INVALID",
            Self::Exists { .. } => "CHANGE_EXISTS",
            Self::Active(_) => "ACTIVE_CHANGE",
            Self::GuardInvalid => "GUARD_INVALID",
            Self::ModuleNotFound { .. } => "MODULE_NOT_FOUND",
            Self::ModuleAmbiguous { .. } => "MODULE_AMBIGUOUS",
            Self::RegistryUnparsable(_) => "PROJECT_YAML_UNPARSABLE",
            Self::Read(_) => "PROJECT_UNREADABLE",
        }
    }
}

impl Say for CreateError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::SlugMissing => {
                let example = Invocation::new("change", &["add-refund"]).say(voice);
                say!(
                    voice,
                    "a change needs a name, as in `{example}`",
                    "变更需要一个名称，例如 `{example}`"
                )
            }
            Self::SlugInvalid(error) => error.say(voice),
            Self::Exists { path } => say!(
                voice,
                "`{path}` exists already; choose another name, or go on with that change",
                "`{path}` 已存在；请换一个名称，或继续该变更"
            ),
            Self::Active(slug) => {
                let archive = Invocation::new("archive", &[slug.as_str()]).say(voice);
                say!(
                    voice,
                    "the change `{slug}` is active in this work tree; finish it (`{archive}`) before you begin another",
                    "变更 `{slug}` 在此工作区中仍在进行；请先完成它（`{archive}`）再开始新的"
                )
            }
            Self::GuardInvalid => {
                let guard = layout::GUARD;
                say!(
                    voice,
                    "`{guard}` is no JSON, so it is not known whether a change is active; repair it, or remove it if none is",
                    "`{guard}` 不是 JSON，无法判断是否有进行中的变更；请修复它，若没有进行中的变更则删除它"
                )
            }
            Self::ModuleNotFound { id, registered } => {
                let (id, registered) = (escape(id), listed(registered, voice));
                say!(
                    voice,
                    "no module `{id}` is registered; there is {registered}",
                    "没有注册名为 `{id}` 的模块；已注册：{registered}"
                )
            }
            Self::ModuleAmbiguous { slug, registered } => {
                let retry = |id: &String| {
                    let command = Invocation::new("change", &[slug.as_str(), "--module", id]);
                    format!("\n  {}", command.say(voice))
                };
                let commands: String = registered.iter().map(retry).collect();
                say!(
                    voice,
                    "several modules are registered and none is `core`; say which one the change is for:{commands}",
                    "注册了多个模块且其中没有 `core`；请指明变更所属的模块：{commands}"
                )
            }
            Self::RegistryUnparsable(diagnostics) => {
                let (file, error) = (layout::REGISTRY, diagnostics.error.say(voice));
                say!(
                    voice,
                    "`{file}` is damaged, and no module could be recovered: {error}",
                    "`{file}` 已损坏，未能恢复任何模块：{error}"
                )
            }
            Self::Read(error) => error.to_string(),
        }
    }
}

fn listed(ids: &[String], voice: &Voice) -> String {
    if ids.is_empty() {
        return say!(voice, "none", "无");
    }
    ids.iter()
        .map(|id| format!("`{}`", escape(id)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// What a new change is made from.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    pub slug: Option<&'a str>,
    pub module: Option<&'a str>,
    pub language: Language,
    /// `YYYY-MM-DD`, for the header.
    pub date: &'a str,
    /// RFC 3339, for the guard file.
    pub created: &'a str,
}

/// Plans a change in an initialised project. The first check of logos-project.md 8.1 that fails ends it.
pub fn plan(tree: &dyn Tree, wanted: Wanted<'_>) -> Result<NewChange, CreateError> {
    let slug = Slug::for_new(wanted.slug.ok_or(CreateError::SlugMissing)?)?;
    let path = layout::change(&slug);
    if tree.entry(&path)?.is_some() {
        return Err(CreateError::Exists { path });
    }
    let stale_guard = judge_guard(tree)?;
    let (module, source) = choose_module(tree, &slug, wanted.module)?;
    let proposal = template::proposal(wanted.language, slug.as_str(), &module, wanted.date);
    let files = [
        ("proposal.md", proposal),
        ("tasks.md", template::tasks(wanted.language)),
    ];
    let folders = ["prd", "api", "database", "scenario"];
    Ok(NewChange {
        guard: guard_file(slug.as_str(), &module, wanted.created.to_owned()),
        files: files
            .map(|(name, text)| (path.join(name), text.into_bytes()))
            .into(),
        folders: folders.map(|name| path.join(format!("deltas/{name}"))).into(),
        slug,
        module,
        source,
        path,
        stale_guard,
    })
}

/// The guard file that may be replaced, if there is one (logos-project.md 5).
fn judge_guard(tree: &dyn Tree) -> Result<Option<Digest>, CreateError> {
    let Some(bytes) = tree.read(&layout::guard())? else {
        return Ok(None);
    };
    let guard = Guard::parse(&bytes);
    if guard == Guard::Invalid {
        return Err(CreateError::GuardInvalid);
    }
    // A slug that is no path component has no folder: stale.
    let slug = guard
        .active_change()
        .and_then(Slug::lexical)
        .filter(|s| s.as_str() != layout::ARCHIVE_NAME);
    if let Some(slug) = slug
        && tree.exists(&layout::change(&slug))?
        && !tree.exists(&layout::archive().join(slug.as_str()))?
    {
        return Err(CreateError::Active(slug));
    }
    Ok(Some(Digest::of(&bytes)))
}

/// The module of a new change (logos-project.md 8.3).
///
/// # Errors
/// [`CreateError::ModuleNotFound`], [`CreateError::ModuleAmbiguous`], [`CreateError::RegistryUnparsable`].
pub fn choose_module(
    tree: &dyn Tree,
    slug: &Slug,
    named: Option<&str>,
) -> Result<(String, ModuleSource), CreateError> {
    let registry = Registry::load(tree)?;
    if let Some(diagnostics) = &registry.diagnostics
        && diagnostics.status == ParseStatus::Error
    {
        return Err(CreateError::RegistryUnparsable(diagnostics.clone()));
    }
    let ids = || {
        registry
            .registered()
            .iter()
            .map(|m| m.id.clone())
            .collect::<Vec<_>>()
    };
    if let Some(id) = named {
        return match registry.module(id) {
            Some(module) => Ok((module.id.clone(), ModuleSource::Explicit)),
            None => Err(CreateError::ModuleNotFound {
                id: id.to_owned(),
                registered: ids(),
            }),
        };
    }
    match registry.registered() {
        [] => Ok((CORE.to_owned(), ModuleSource::Fallback)),
        [only] => Ok((only.id.clone(), ModuleSource::Only)),
        _ if registry.module(CORE).is_some() => Ok((CORE.to_owned(), ModuleSource::Core)),
        _ => Err(CreateError::ModuleAmbiguous {
            slug: slug.clone(),
            registered: ids(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn made(files: &[(&str, &str)], slug: &str, module: Option<&str>) -> Result<NewChange, &'static str> {
        let tree = MemoryTree::new(files.iter().copied());
        let wanted = Wanted {
            slug: Some(slug),
            module,
            language: Language::English,
            date: "2026-01-02",
            created: "2026-01-02T03:04:05.000Z",
        };
        plan(&tree, wanted).map_err(|e| e.code())
    }

    #[test]
    fn the_module_is_named_or_the_only_one_or_core() {
        let module = |yaml: &str, named| {
            made(&[(layout::REGISTRY, yaml)], "s", named).map(|c| (c.module, c.source.as_str()))
        };
        let of = |id: &str, source| Ok((id.to_owned(), source));
        assert_eq!(module("", None), of("core", "fallback"));
        assert_eq!(module("modules: [{id: a, name: A}]", None), of("a", "only"));
        let two = "modules: [{id: a, name: A}, {id: core, name: B}]";
        assert_eq!(module(two, None), of("core", "core"));
        assert_eq!(module(two, Some("a")), of("a", "explicit"));
        assert_eq!(module(two, Some("A")), Err("MODULE_NOT_FOUND"));
        assert_eq!(
            module("modules: [{id: a, name: A}, {id: b, name: B}]", None),
            Err("MODULE_AMBIGUOUS")
        );
        assert_eq!(
            module("modules: gone\nx: [\n", None),
            Err("PROJECT_YAML_UNPARSABLE")
        );
        assert_eq!(
            module("modules: [{id: a, name: A}]\nx: [\n", None),
            of("a", "only")
        );
    }

    #[test]
    fn only_a_guard_of_an_open_change_blocks() {
        let guard = |text, more: &[(&'static str, &'static str)]| {
            let mut files = vec![(layout::GUARD, text)];
            files.extend_from_slice(more);
            made(&files, "s2", None).map(|c| c.stale_guard.is_some())
        };
        let active = r#"{"activeChange":"s1"}"#;
        assert_eq!(guard("", &[]), Err("GUARD_INVALID"));
        assert_eq!(guard(active, &[("logos/changes/s1/x", "")]), Err("ACTIVE_CHANGE"));
        assert_eq!(guard(active, &[]), Ok(true));
        assert_eq!(
            guard(
                active,
                &[("logos/changes/s1/x", ""), ("logos/changes/archive/s1/x", "")]
            ),
            Ok(true)
        );
        for none in ["{}", r#"{"activeChange":"../.."}"#, r#"{"activeChange":5}"#] {
            assert_eq!(
                guard(none, &[("logos/changes/archive/a/x", "")]),
                Ok(true),
                "{none}"
            );
        }
    }

    #[test]
    fn an_existing_folder_is_told_before_the_guard() {
        let files = [("logos/changes/s/x", ""), (layout::GUARD, "")];
        assert_eq!(made(&files, "s", None).map(|_| ()), Err("CHANGE_EXISTS"));
        assert_eq!(made(&files, "archive", None).map(|_| ()), Err("SLUG_INVALID"));
    }
}
