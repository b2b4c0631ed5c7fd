//! Which module a file belongs to (silly.md 10, "Module map").

use super::{glob, layout};
use crate::files::{Kind, ReadError, RepoPath, Tree, regular_content};
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};
use crate::yaml::{self, Value};

/// One module of a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    pub id: String,
    pub paths: Vec<String>,
    pub description: Option<String>,
}

/// The modules of one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleMap {
    pub project: String,
    pub path: RepoPath,
    /// What its patterns are relative to: the folder of a subproject with a final `/`, or nothing.
    pub prefix: String,
    pub modules: Vec<Module>,
}

impl ModuleMap {
    /// Where all files of a pattern without stars lie; none if it has stars, or is no path.
    pub fn place_of(&self, pattern: &str) -> Option<RepoPath> {
        let pattern = whole(&self.prefix, pattern);
        (!glob::has_stars(&pattern))
            .then(|| RepoPath::normalised(&pattern))
            .flatten()
    }

    /// Whether a path lies where one of the patterns says.
    pub fn is_met(&self, pattern: &str, path: &str) -> bool {
        weigh(&self.prefix, pattern, path).is_some()
    }

    /// Where the document of a module lies (silly.md 2); none if its id is no name of a file.
    pub fn document(&self, id: &str) -> Option<RepoPath> {
        let name = format!("{id}.md");
        let folder = self.path.parent().unwrap_or_default();
        RepoPath::is_path(name.as_bytes()).then(|| folder.join(&name))
    }
}

/// The name of a module in documents of a change: its id, with its project in front where several projects have one of
/// that id.
pub fn name_in(maps: &[ModuleMap], owner: Owner<'_>) -> String {
    let has_it = |map: &&ModuleMap| map.modules.iter().any(|module| module.id == owner.module);
    if maps.iter().filter(has_it).count() > 1 {
        format!("{}/{}", owner.project, owner.module)
    } else {
        owner.module.to_owned()
    }
}

/// The modules that a name in documents of a change stands for: one, unless the name is unknown or may be read in several
/// ways.
pub fn named<'m>(maps: &'m [ModuleMap], name: &str) -> Vec<(&'m ModuleMap, &'m Module)> {
    let all = maps
        .iter()
        .flat_map(|map| map.modules.iter().map(move |module| (map, module)));
    let owner = |map: &'m ModuleMap, module: &'m Module| Owner {
        project: &map.project,
        module: &module.id,
    };
    let shown: Vec<_> = all
        .clone()
        .filter(|(map, module)| name_in(maps, owner(map, module)) == name)
        .collect();
    if !shown.is_empty() {
        return shown;
    }
    all.filter(|(map, module)| module.id == name || format!("{}/{}", map.project, module.id) == name)
        .collect()
}

/// Where a file belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner<'m> {
    pub project: &'m str,
    pub module: &'m str,
}

/// A map was not had.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("`{path}` cannot be understood: {reason}")]
    Malformed { path: RepoPath, reason: String },
}

impl Say for MapError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Read(error) => error.say(voice),
            Self::Malformed { path, reason } => {
                let reason = escape(reason);
                say!(
                    voice,
                    "`{path}` cannot be understood: {reason}",
                    "无法理解 `{path}`：{reason}"
                )
            }
        }
    }
}

/// Reads the text of a map.
///
/// # Errors
/// What is wrong with it.
pub fn parse(bytes: &[u8]) -> Result<Vec<Module>, String> {
    let root = yaml::parse(bytes).map_err(|e| e.to_string())?;
    if root.is_null() {
        return Ok(Vec::new());
    }
    let Some(modules) = root.get("modules") else {
        return Err("it has no `modules`".to_owned());
    };
    if modules.is_null() {
        return Ok(Vec::new());
    }
    let modules = modules
        .as_map()
        .ok_or_else(|| "`modules` is no mapping".to_owned())?;
    let of_entry = |(id, value): (&str, &Value)| {
        let paths = match value.get("paths") {
            None => Vec::new(),
            Some(paths) if paths.is_null() => Vec::new(),
            Some(paths) => {
                let texts = |list: &[Value]| list.iter().map(|p| p.as_text().map(str::to_owned)).collect();
                let listed: Option<Vec<String>> = match paths.as_list() {
                    Some(list) => texts(list),
                    None => texts(std::slice::from_ref(paths)),
                };
                listed.ok_or_else(|| format!("the paths of `{id}` are no list of texts"))?
            }
        };
        Ok(Module {
            id: id.to_owned(),
            paths,
            description: value
                .get("description")
                .and_then(Value::as_text)
                .map(str::to_owned),
        })
    };
    modules.iter().map(of_entry).collect()
}

/// The projects that have a folder in `docs/`, by name.
pub fn projects(tree: &dyn Tree) -> Result<Vec<String>, ReadError> {
    let folders = tree.list(&layout::docs())?;
    Ok(folders
        .into_iter()
        .filter(|(_, entry)| entry.kind == Kind::Dir)
        .map(|(name, _)| name.to_string())
        .collect())
}

/// The map of one project; none if it has none.
pub fn load_one(tree: &dyn Tree, project: &str) -> Result<Option<ModuleMap>, MapError> {
    let path = layout::module_map(project.as_bytes());
    let Some(bytes) = regular_content(tree, &path)? else {
        return Ok(None);
    };
    let is_folder = RepoPath::new(project)
        .ok()
        .map(|folder| tree.entry(&folder))
        .transpose()?
        .flatten()
        .is_some_and(|entry| entry.kind == Kind::Dir);
    let modules = parse(&bytes).map_err(|reason| MapError::Malformed {
        path: path.clone(),
        reason,
    })?;
    Ok(Some(ModuleMap {
        project: project.to_owned(),
        path,
        prefix: if is_folder {
            format!("{project}/")
        } else {
            String::new()
        },
        modules,
    }))
}

/// All maps, by the names of their projects.
pub fn load(tree: &dyn Tree) -> Result<Vec<ModuleMap>, MapError> {
    let mut maps = Vec::new();
    for project in projects(tree)? {
        maps.extend(load_one(tree, &project)?);
    }
    Ok(maps)
}

/// The module of the longest pattern that a path lies under; of equal ones the first.
pub fn owner<'m>(maps: &'m [ModuleMap], path: &str) -> Option<Owner<'m>> {
    let path = path.replace('\\', "/");
    let mut best: Option<(Weight, Owner<'m>)> = None;
    for map in maps {
        for module in &map.modules {
            for pattern in &module.paths {
                let Some(weight) = weigh(&map.prefix, pattern, &path) else {
                    continue;
                };
                if best.is_none_or(|(known, _)| weight > known) {
                    let owner = Owner {
                        project: &map.project,
                        module: &module.id,
                    };
                    best = Some((weight, owner));
                }
            }
        }
    }
    best.map(|(_, owner)| owner)
}

/// How near a pattern comes: its characters before the first star, then all of them.
type Weight = (usize, usize);

/// A pattern from the root of the project, without an end that says no more than "and what is below".
fn whole(prefix: &str, pattern: &str) -> String {
    let mut pattern = format!("{prefix}{}", pattern.replace('\\', "/"));
    if let Some(end) = ["/**", "/*", "/"].iter().find(|end| pattern.ends_with(**end)) {
        pattern.truncate(pattern.len() - end.len());
    }
    pattern
}

fn weigh(prefix: &str, pattern: &str, path: &str) -> Option<Weight> {
    let pattern = whole(prefix, pattern);
    let all = pattern.chars().count();
    if glob::has_stars(&pattern) {
        let plain = pattern.chars().take_while(|c| !matches!(c, '*' | '?')).count();
        return glob::is_matched_or_below(path, &pattern).then_some((plain, all));
    }
    glob::is_at_or_below(path, &pattern).then_some((all, all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    #[test]
    fn a_text_that_is_no_map_is_an_error() {
        assert!(parse(b"modules: [\n").is_err());
        assert!(parse(b"module: {}\n").is_err());
        assert!(parse(b"modules: [a]\n").is_err());
        assert!(parse(b"modules:\n  a:\n    paths: [[x]]\n").is_err());
        assert_eq!(parse(b""), Ok(Vec::new()));
    }

    #[test]
    fn ids_quotes_and_comments_are_those_of_yaml() {
        let text = "modules:\n  \"报表: x\": # c\n    paths: ['src/报表/**'] # d\n";
        let modules = parse(text.as_bytes()).expect("a map");
        assert_eq!(
            (modules[0].id.as_str(), modules[0].paths[0].as_str()),
            ("报表: x", "src/报表/**")
        );
    }

    #[test]
    fn a_module_of_several_projects_is_named_with_its_project() {
        let map = |id: &str| format!("modules:\n  core: {{paths: [a]}}\n  {id}: {{paths: [b]}}\n");
        let tree = MemoryTree::new([
            (".sillyspec/docs/p/modules/_module-map.yaml", map("x")),
            (".sillyspec/docs/q/modules/_module-map.yaml", map("y")),
        ]);
        let maps = load(&tree).expect("maps");
        let name = |project, module| name_in(&maps, Owner { project, module });
        assert_eq!(
            (name("q", "core").as_str(), name("p", "x").as_str()),
            ("q/core", "x")
        );
        let found = |name: &str| -> Vec<String> {
            let all = named(&maps, name).into_iter();
            all.map(|(map, module)| format!("{} {}", map.project, module.id))
                .collect()
        };
        assert_eq!(found("q/core"), ["q core"]);
        assert_eq!(found("p/x"), ["p x"]);
        assert_eq!(found("core"), ["p core", "q core"]);
        assert!(found("z").is_empty());
        let document = maps[0].document("a/b").map(|path| path.to_string());
        assert_eq!(document.as_deref(), Some(".sillyspec/docs/p/modules/a/b.md"));
        assert_eq!(maps[0].document("../b"), None);
    }

    #[test]
    fn the_first_map_wins_a_tie() {
        let map = "modules:\n  m:\n    paths: [src/**]\n";
        let tree = MemoryTree::new([
            (".sillyspec/docs/b/modules/_module-map.yaml", map),
            (".sillyspec/docs/a/modules/_module-map.yaml", map),
        ]);
        let maps = load(&tree).expect("maps");
        assert_eq!(owner(&maps, "src\\x.rs").map(|owner| owner.project), Some("a"));
        assert_eq!(owner(&maps, "srcx"), None);
    }
}
