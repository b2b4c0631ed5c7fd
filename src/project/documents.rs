//! The documents that an index is made of (logos-project.md 3 and 9.5): the groups of the config, and specs and skills.

use std::collections::HashSet;

use serde_json::Value;

use super::{Config, layout};
use crate::files::{Kind, ReadError, RepoPath, Tree, walk};
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// The group of change folders, which are no documents of the project.
const CHANGES: &str = "changes";

/// Why the documents cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`documents.{}.path` leads out of the project: `{}`", escape(.key), escape(.path))]
    OutsidePath { key: String, path: String },
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::OutsidePath { key, path } => {
                let (file, key, path) = (layout::CONFIG, escape(key), escape(path));
                say!(
                    voice,
                    "`{file}`: `documents.{key}.path` is `{path}`, which leads out of the project; name a folder below `logos/`",
                    "`{file}`：`documents.{key}.path` 为 `{path}`，指向项目之外；请填写 `logos/` 之下的目录"
                )
            }
            Self::Read(error) => error.say(voice),
        }
    }
}

/// Which files of a group count, by the end of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Extensions {
    All,
    Only(Vec<String>),
}

impl Extensions {
    /// Of a pattern only `*.ext` or `*.{a,b}` at its end counts; any other accepts all files.
    fn of(pattern: &str) -> Self {
        let Some((_, end)) = pattern.rsplit_once("*.") else {
            return Self::All;
        };
        let list = match end.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(inner) => inner.split(',').map(|e| e.trim().to_owned()).collect(),
            None => vec![end.to_owned()],
        };
        let plain =
            |e: &String| !e.is_empty() && !e.contains(['*', '?', '[', ']', '{', '}', '/', ',', '!', ' ']);
        if list.iter().all(plain) {
            Self::Only(list)
        } else {
            Self::All
        }
    }

    fn accept(&self, path: &RepoPath) -> bool {
        match self {
            Self::All => true,
            Self::Only(list) => list.iter().any(|extension| path.has_extension(extension)),
        }
    }
}

/// The documents of all groups but `changes` in the order of the config, then those of `spec/` and of `skills/`; each once.
/// A group without a path holds none.
pub fn to_index(tree: &dyn Tree, config: &Config) -> Result<Vec<RepoPath>, Error> {
    let mut found = Vec::new();
    let groups = config.object.get("documents").and_then(Value::as_object);
    for (key, group) in groups.into_iter().flatten().filter(|(key, _)| *key != CHANGES) {
        let text = |name: &str| group.get(name).and_then(Value::as_str);
        let Some(path) = text("path") else {
            continue;
        };
        let folder = below_logos(path).ok_or_else(|| Error::OutsidePath {
            key: key.clone(),
            path: path.to_owned(),
        })?;
        let extensions = text("pattern").map_or(Extensions::All, Extensions::of);
        found.extend(listed(tree, &folder, &extensions)?);
    }
    let specs = Extensions::Only(vec!["md".to_owned(), "json".to_owned()]);
    found.extend(listed(tree, &RepoPath::of("spec"), &specs)?);
    found.extend(skills(tree)?);
    let mut seen = HashSet::new();
    found.retain(|path| path.as_bytes() != layout::INDEX_PROMPT.as_bytes() && seen.insert(path.clone()));
    Ok(found)
}

/// A path as the config has it, relative to `logos/`; none if it leads out of the project.
fn below_logos(path: &str) -> Option<RepoPath> {
    if path.starts_with('/') {
        return None;
    }
    RepoPath::normalised(&format!("logos/{path}"))
}

/// All files of a folder, without those that only keep it and without git's own.
pub(super) fn files_below(tree: &dyn Tree, folder: &RepoPath) -> Result<Vec<RepoPath>, ReadError> {
    listed(tree, folder, &Extensions::All)
}

/// The files of a folder, without those that only keep it and without git's own.
fn listed(tree: &dyn Tree, folder: &RepoPath, extensions: &Extensions) -> Result<Vec<RepoPath>, ReadError> {
    let mut files = walk(tree, folder)?;
    files.retain(|path| {
        !path.name().ends_with(b".gitkeep")
            && path.parts().all(|part| part != ".git")
            && extensions.accept(path)
    });
    Ok(files)
}

pub(super) fn skills(tree: &dyn Tree) -> Result<Vec<RepoPath>, ReadError> {
    let folder = RepoPath::of("skills");
    if tree.entry(&folder)?.map(|e| e.kind) != Some(Kind::Dir) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for (name, entry) in tree.list(&folder)? {
        let file = folder.join(&name).join("SKILL.md");
        if entry.kind == Kind::Dir && tree.entry(&file)?.map(|e| e.kind) == Some(Kind::File) {
            found.push(file);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;
    use crate::project::ConfigFile;

    fn documents(files: &[&str], groups: &str) -> Result<Vec<String>, Error> {
        let config = format!(r#"{{"documents":{groups}}}"#);
        let all = files
            .iter()
            .map(|f| (*f, ""))
            .chain([(layout::CONFIG, config.as_str())]);
        let tree = MemoryTree::new(all);
        let Ok(ConfigFile::Sound(config)) = ConfigFile::load(&tree) else {
            panic!("an object");
        };
        let found = to_index(&tree, &config)?;
        Ok(found.iter().map(|path| path.text().into_owned()).collect())
    }

    #[test]
    fn only_the_extension_of_a_pattern_counts() {
        let only = |list: &[&str]| Extensions::Only(list.iter().map(|e| (*e).to_owned()).collect());
        assert_eq!(Extensions::of("**/*.md"), only(&["md"]));
        assert_eq!(Extensions::of("*.{yaml, yml}"), only(&["yaml", "yml"]));
        for pattern in ["", "**/*", "a.md", "*.m?", "*.*", "*.{a,}", "*.md/**"] {
            assert_eq!(Extensions::of(pattern), Extensions::All, "{pattern}");
        }
    }

    #[test]
    fn a_document_of_two_groups_is_listed_once_and_changes_never() {
        let files = [
            "logos/r/b.md",
            "logos/r/a.txt",
            "logos/r/x/.gitkeep",
            "logos/changes/s/p.md",
            "logos/one.md",
        ];
        let groups = r#"{"f":{"path":"one.md"},"r":{"path":"./r/","pattern":"*.md"},"again":{"path":"x/../r"},
            "changes":{"path":"changes"},"bare":{},"gone":{"path":"gone"},"odd":7}"#;
        assert_eq!(
            documents(&files, groups).expect("readable"),
            ["logos/one.md", "logos/r/b.md", "logos/r/a.txt"]
        );
    }

    #[test]
    fn specs_and_skills_are_documents_in_their_places() {
        let files = [
            "spec/a.md",
            "spec/x/b.json",
            "spec/c.txt",
            "skills/s/SKILL.md",
            "skills/s/t/SKILL.md",
            "skills/SKILL.md",
        ];
        assert_eq!(
            documents(&files, "{}").expect("readable"),
            ["spec/a.md", "spec/x/b.json", "skills/s/SKILL.md"]
        );
    }

    #[test]
    fn a_group_outside_of_the_project_is_an_error_and_one_beside_logos_is_not() {
        for path in ["../../x", "/etc", "a/../../../b"] {
            let groups = format!(r#"{{"g":{{"path":"{path}"}}}}"#);
            assert!(
                matches!(documents(&[], &groups), Err(Error::OutsidePath { .. })),
                "{path}"
            );
        }
        assert_eq!(
            documents(&["docs/a.md"], r#"{"g":{"path":"../docs"}}"#).expect("readable"),
            ["docs/a.md"]
        );
    }

    #[test]
    fn the_prompt_does_not_list_itself() {
        let groups = r#"{"all":{"path":".","pattern":"*.md"}}"#;
        assert_eq!(
            documents(&[layout::INDEX_PROMPT, "logos/a.md"], groups).expect("readable"),
            ["logos/a.md"]
        );
    }
}
