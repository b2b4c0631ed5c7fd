//! Whether a commit of the baseline is under way (logos-project.md 10.4): nobody reads the documents then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::files::{Owner, ReadError, RepoPath, Tree};
use crate::project::{Registry, layout};
use crate::say;
use crate::text::{decode, js};
use crate::voice::{Say, Voice};

/// What the name of a module's lock ends with.
const SUFFIX: &str = ".commit.lock";

/// A module's lock that is held.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` is held; wait for the run that holds it")]
pub struct Held {
    pub path: RepoPath,
    /// The living process that holds it; none if the file does not say.
    pub pid: Option<u32>,
}

impl Say for Held {
    fn say(&self, voice: &Voice) -> String {
        let path = &self.path;
        match self.pid {
            Some(pid) => say!(
                voice,
                "a commit of the baseline is under way: process {pid} holds `{path}`; try again when it has ended",
                "基线提交正在进行：进程 {pid} 持有 `{path}`；请待其结束后重试"
            ),
            None => say!(
                voice,
                "`{path}` does not say who holds it, so it counts as held; if no run is under way, remove the file",
                "`{path}` 未说明持有者，视为被占用；若确无运行中的任务，请删除该文件"
            ),
        }
    }
}

static MODULE_ID: LazyLock<Regex> = LazyLock::new(|| js("^[a-z0-9][a-z0-9-]*$"));

/// Whether a module of this name can have runs and a lock.
pub fn is_module_id(id: &str) -> bool {
    MODULE_ID.is_match(id)
}

/// The modules whose locks are all there are: those that are registered, else `core`; and those of locks that are there.
pub fn modules(tree: &dyn Tree) -> Result<BTreeSet<String>, ReadError> {
    let registry = Registry::load(tree)?;
    let mut modules: BTreeSet<String> = registry.registered().iter().map(|m| m.id.clone()).collect();
    if modules.is_empty() {
        modules.insert("core".to_owned());
    }
    modules.extend(held(tree, &|_| true)?.into_keys());
    modules.retain(|id| is_module_id(id));
    Ok(modules)
}

/// The lock of a module, whose name is one that can have one.
pub fn path(module: &str) -> RepoPath {
    RepoPath::of(layout::BASELINE_RUNS).join(format!("{module}{SUFFIX}"))
}

/// The locks that are held, by module: their process lives, or they do not name one.
pub fn held(tree: &dyn Tree, alive: &dyn Fn(u32) -> bool) -> Result<BTreeMap<String, Held>, ReadError> {
    let runs = RepoPath::of(layout::BASELINE_RUNS);
    let mut held = BTreeMap::new();
    for (name, _) in tree.list(&runs)? {
        let Some(module) = name.strip_suffix(SUFFIX.as_bytes()) else {
            continue;
        };
        let path = runs.join(&name);
        let pid = match tree.read(&path) {
            // Released since the folder was listed.
            Ok(None) => continue,
            Ok(Some(content)) => Owner::read(&content).map(|owner| owner.pid),
            Err(_) => None,
        };
        if pid.is_none_or(alive) {
            held.insert(decode(module).into_owned(), Held { path, pid });
        }
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn pid_of_held(name: &str, content: &str) -> Option<Option<u32>> {
        let tree = MemoryTree::new([(format!("{}/{name}", layout::BASELINE_RUNS), content)]);
        let all = held(&tree, &|pid| pid == 7).expect("readable");
        all.get("a").map(|h| h.pid)
    }

    #[test]
    fn a_lock_is_held_while_its_owner_lives() {
        assert_eq!(
            pid_of_held("a.commit.lock", r#"{"pid":7,"token":"t"}"#),
            Some(Some(7))
        );
        assert_eq!(pid_of_held("a.commit.lock", r#"{"pid":8,"token":"t"}"#), None);
    }

    #[test]
    fn a_lock_without_an_owner_is_held() {
        for content in [
            "",
            "{",
            "{}",
            r#"{"pid":0}"#,
            r#"{"pid":-1}"#,
            r#"{"pid":"8"}"#,
            "8",
        ] {
            assert_eq!(pid_of_held("a.commit.lock", content), Some(None), "{content}");
        }
    }

    #[test]
    fn other_files_are_no_locks() {
        assert_eq!(pid_of_held("a.commit.lock.reclaim-0", ""), None);
        let none = held(&MemoryTree::default(), &|_| true).expect("readable");
        assert!(none.is_empty());
    }
}
