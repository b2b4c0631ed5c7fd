//! What a new project holds (logos-project.md 9.1): its name, its config, its registry, its folders. Plans only.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::layout;
use super::new_config::config;
use super::new_registry::{Beginning, registry};
use crate::files::{ReadError, RepoPath, Tree};
use crate::text::{Bytes, decode, js, trim};
use crate::voice::Language;

/// What `--ai-tool` takes. It is stored; no instruction files are written.
pub const AI_TOOLS: [&str; 6] = ["claude-code", "opencode", "codex", "cursor", "other", "all"];

/// The files of a new project, as far as they are not there yet.
#[derive(Clone, Debug)]
pub struct NewProject {
    pub create: Vec<(RepoPath, Bytes)>,
    /// What was there and stays as it is.
    pub keep: Vec<RepoPath>,
}

impl NewProject {
    /// Plans a project over what the tree holds. Existing files are never touched.
    pub fn plan(
        tree: &dyn Tree,
        name: &str,
        language: Language,
        ai_tool: Option<&str>,
        beginning: Beginning,
    ) -> Result<Self, ReadError> {
        let mut files: Vec<(RepoPath, Bytes)> = layout::RESOURCE_FOLDERS
            .iter()
            .map(|folder| layout::resources().join(folder))
            .chain([layout::changes(), layout::archive()])
            .map(|folder| (folder.join(".gitkeep"), Bytes::new()))
            .collect();
        files.push((
            layout::config(),
            config(name, language, ai_tool, test_command(tree)),
        ));
        files.push((
            layout::registry(),
            registry(name, language, beginning).into_bytes(),
        ));
        let mut plan = Self {
            create: Vec::new(),
            keep: Vec::new(),
        };
        for (path, content) in files {
            match tree.entry(&path)? {
                None => plan.create.push((path, content)),
                Some(_) => plan.keep.push(path),
            }
        }
        Ok(plan)
    }
}

/// The name of a project: of a manifest, without npm scope; else of its folder.
pub fn project_name(tree: &dyn Tree, folder: Option<&str>) -> String {
    let manifest = || {
        let package = package_json(tree).and_then(|p| p.get("name")?.as_str().map(str::to_owned));
        let package = package.map(
            |name| match name.strip_prefix('@').and_then(|n| n.split_once('/')) {
                Some((_, name)) => name.to_owned(),
                None => name,
            },
        );
        [
            package,
            toml_name(tree, "Cargo.toml"),
            toml_name(tree, "pyproject.toml"),
        ]
        .into_iter()
        .flatten()
        .map(|name| trim(&name).to_owned())
        .find(|name| !name.is_empty())
    };
    manifest()
        .or_else(|| folder.filter(|f| !f.is_empty()).map(str::to_owned))
        .unwrap_or_else(|| "Unnamed Project".to_owned())
}

/// Manifests that tell of an existing code base.
const MANIFESTS: [&str; 3] = ["package.json", "Cargo.toml", "pyproject.toml"];

/// Whether there is code here already, so that `adopt` would fit better than `init`.
pub fn has_manifest(tree: &dyn Tree) -> bool {
    MANIFESTS.iter().any(|name| there(tree, name))
}

/// A manifest that cannot be read is passed over, as one without a name is.
fn read(tree: &dyn Tree, name: &str) -> Option<String> {
    let bytes = tree.read(&RepoPath::of(name)).ok().flatten()?;
    Some(decode(&bytes).into_owned())
}

fn there(tree: &dyn Tree, name: &str) -> bool {
    // As above: what cannot be looked at tells nothing.
    tree.is_file(&RepoPath::of(name)).unwrap_or(false)
}

fn package_json(tree: &dyn Tree) -> Option<Value> {
    serde_json::from_str(&read(tree, "package.json")?).ok()
}

static TOML_NAME: LazyLock<Regex> = LazyLock::new(|| js(r#"^\s*name\s*=\s*"([^"]*)""#));

fn toml_name(tree: &dyn Tree, file: &str) -> Option<String> {
    let text = read(tree, file)?;
    let found = text.lines().find_map(|line| TOML_NAME.captures(line))?;
    Some(found[1].to_owned())
}

/// The command that runs the tests, where the files tell it (logos-project.md 9.4).
pub fn test_command(tree: &dyn Tree) -> Option<&'static str> {
    let package = package_json(tree);
    let script = package
        .as_ref()
        .and_then(|p| Some(p.get("scripts")?.get("test")?.as_str()?.to_lowercase()));
    if script
        .is_some_and(|s| !trim(&s).is_empty() && !s.contains("no test specified") && !s.contains("exit 1"))
    {
        return Some("npm test");
    }
    let depends_on = |tool: &str| {
        let Some(package) = &package else { return false };
        let named = |list: &str| package.get(list).is_some_and(|l| l.get(tool).is_some());
        let configured = |end: &str| there(tree, &format!("{tool}.config.{end}"));
        [
            "dependencies",
            "devDependencies",
            "peerDependencies",
            "optionalDependencies",
        ]
        .into_iter()
        .any(named)
            || ["ts", "js", "mjs", "cjs"].into_iter().any(configured)
    };
    if depends_on("vitest") {
        return Some("npx vitest run");
    }
    if depends_on("jest") {
        return Some("npx jest");
    }
    let pytest = there(tree, "pytest.ini")
        || there(tree, "tox.ini")
        || read(tree, "pyproject.toml").is_some_and(|text| text.contains("pytest"));
    if pytest {
        return Some("pytest");
    }
    if there(tree, "go.mod") {
        return Some("go test ./...");
    }
    there(tree, "Cargo.toml").then_some("cargo test")
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Registry};
    use super::*;
    use crate::files::MemoryTree;

    fn tree(files: &[(&str, &str)]) -> MemoryTree {
        MemoryTree::new(files.iter().copied())
    }

    #[test]
    fn manifests_name_the_project_in_order_and_broken_ones_are_passed_over() {
        let name = |files: &[(&str, &str)]| project_name(&tree(files), Some("folder"));
        assert_eq!(
            name(&[
                ("package.json", r#"{"name":"@scope/web"}"#),
                ("Cargo.toml", "name = \"rs\"")
            ]),
            "web"
        );
        assert_eq!(
            name(&[
                ("package.json", "{"),
                ("Cargo.toml", "[package]\nname = \"rs\"\nname = \"x\"")
            ]),
            "rs"
        );
        assert_eq!(
            name(&[("Cargo.toml", "[workspace]"), ("pyproject.toml", "  name=\"py\"")]),
            "py"
        );
        assert_eq!(name(&[("package.json", r#"{"name":" "}"#)]), "folder");
        assert_eq!(project_name(&tree(&[]), None), "Unnamed Project");
    }

    #[test]
    fn the_test_command_is_inferred_from_what_is_there() {
        let command = |files: &[(&str, &str)]| test_command(&tree(files));
        assert_eq!(
            command(&[("package.json", r#"{"scripts":{"test":"node x"}}"#)]),
            Some("npm test")
        );
        let unset = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"},"devDependencies":{"jest":"1"}}"#;
        assert_eq!(command(&[("package.json", unset)]), Some("npx jest"));
        let loud = r#"{"scripts":{"test":"EXIT 1"},"peerDependencies":{"jest":"1"}}"#;
        assert_eq!(command(&[("package.json", loud)]), Some("npx jest"));
        let optional = r#"{"optionalDependencies":{"vitest":"1"},"dependencies":{"jest":"1"}}"#;
        assert_eq!(command(&[("package.json", optional)]), Some("npx vitest run"));
        assert_eq!(
            command(&[("package.json", "{}"), ("vitest.config.mjs", "")]),
            Some("npx vitest run")
        );
        assert_eq!(command(&[("vitest.config.mjs", "")]), None);
        assert_eq!(command(&[("pyproject.toml", "[tool.pytest]")]), Some("pytest"));
        assert_eq!(
            command(&[("go.mod", ""), ("Cargo.toml", "")]),
            Some("go test ./...")
        );
        assert_eq!(command(&[("Cargo.toml", "")]), Some("cargo test"));
    }

    #[test]
    fn what_is_written_is_a_project_whatever_its_name() {
        for (name, language) in [
            ("Harbor", Language::English),
            ("港口 \"x\": #1\n\u{7f}\u{2028}", Language::Chinese),
        ] {
            let plan = NewProject::plan(&tree(&[]), name, language, None, Beginning::New)
                .expect("memory is readable");
            let files = plan
                .create
                .iter()
                .map(|(p, b)| (p.text().into_owned(), b.clone()));
            let made = MemoryTree::new(files);
            let config = Config::load(&made).expect("readable").expect("sound");
            assert_eq!(
                (config.name.as_deref(), config.locale.as_deref()),
                (Some(name), Some(language.locale()))
            );
            let registry = Registry::load(&made).expect("readable");
            assert_eq!(
                (registry.diagnostics.as_ref(), registry.registered().len()),
                (None, 1)
            );
            let text = made
                .read(&layout::registry())
                .expect("readable")
                .expect("written");
            let peer: serde_yaml::Value = serde_yaml::from_slice(&text).expect("another reader takes it too");
            assert_eq!(peer["project"]["name"].as_str(), Some(name));
        }
    }

    #[test]
    fn an_adopted_module_is_in_use_and_owes_its_baseline() {
        let plan = NewProject::plan(&tree(&[]), "n", Language::English, None, Beginning::Adopted);
        let plan = plan.expect("memory is readable");
        let (_, text) = plan.create.last().expect("the registry comes last");
        let registry = Registry::parse(text);
        let module = &registry.registered()[0];
        assert!(registry.diagnostics.is_none() && module.launched && module.adopted);
        assert_eq!(
            module.baseline_seed_state,
            Some(super::super::SeedState::Required)
        );
        assert_eq!(module.skip_phases, ["api", "database", "scenario"]);
        assert_eq!(module.deployment_required, Some(true));
        let gate = registry.gate("core").expect("it has gates");
        assert_eq!(
            (gate.deployment_required, gate.smoke_required),
            (Some(true), Some(true))
        );
        assert_eq!(gate.environments.as_deref(), Some(&["staging".to_owned()][..]));
    }

    #[test]
    fn existing_files_are_kept() {
        let here = tree(&[
            ("logos/logos-project.yaml", "mine: 1\n"),
            ("logos/changes/.gitkeep", "x"),
        ]);
        let plan = NewProject::plan(&here, "n", Language::English, None, Beginning::New).expect("readable");
        assert_eq!(
            plan.keep,
            [RepoPath::of("logos/changes/.gitkeep"), layout::registry()]
        );
    }
}
