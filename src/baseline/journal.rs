//! The journal of a commit (logos-project.md 10.5): what is being written, so that whoever comes next can end it.

use serde::{Deserialize, Serialize};

use super::runs;
use crate::files::{Digest, ReadError, RepoPath, Tree};
use crate::project::layout;
use crate::text::Bytes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Nothing outside of the run's folder is written yet.
    Prepared,
    Committing,
    Committed,
}

/// One document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub target_path: String,
    /// None: there was none.
    pub old_sha256: Option<Digest>,
    pub new_sha256: Digest,
    /// For people who look: recovery judges by what is on the disk.
    pub applied: bool,
}

/// The registry before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    pub yaml_backup_path: String,
    pub old_yaml_sha256: Option<Digest>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    pub from: Option<String>,
    pub to: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    pub phase: Phase,
    pub run_id: String,
    pub module: String,
    pub targets: Vec<Target>,
    pub index: Index,
    pub state_transition: Transition,
    /// In the order of the targets, in each document sorted.
    pub keys: Vec<String>,
}

/// The journal of a run.
pub fn path(run_id: &str) -> RepoPath {
    runs::folder(run_id).join("commit-journal.json")
}

/// A journal that is not ended.
#[derive(Clone, Debug)]
pub struct Unfinished {
    pub run_id: String,
    /// None if it cannot be understood; in the words of the reader why.
    pub journal: Result<Journal, String>,
}

impl Unfinished {
    /// Everything outside of the run's folder that its commit may have begun to write, and the journal.
    pub fn written(&self) -> Vec<RepoPath> {
        let documents = self
            .journal
            .as_ref()
            .ok()
            .and_then(|journal| journal.paths().ok());
        let mut paths = documents.unwrap_or_default();
        paths.extend([
            layout::registry(),
            RepoPath::of(layout::BASELINE_EVENTS),
            path(&self.run_id),
        ]);
        paths
    }
}

/// The journals of a module that are not ended, in the order of their runs; without a module, of all.
pub fn unfinished(tree: &dyn Tree, module: Option<&str>) -> Result<Vec<Unfinished>, ReadError> {
    let mut found = Vec::new();
    for run_id in runs::ids(tree)? {
        if module.is_some_and(|module| runs::module_of(&run_id) != Some(module)) {
            continue;
        }
        let Some(content) = tree.read(&path(&run_id))? else {
            continue;
        };
        let journal = Journal::parse(&content, &run_id);
        if journal
            .as_ref()
            .is_ok_and(|journal| journal.phase == Phase::Committed)
        {
            continue;
        }
        found.push(Unfinished { run_id, journal });
    }
    Ok(found)
}

impl Journal {
    fn parse(content: &[u8], run_id: &str) -> Result<Self, String> {
        let journal: Self = serde_json::from_slice(content).map_err(|e| e.to_string())?;
        if journal.run_id != run_id || runs::module_of(run_id) != Some(&journal.module) {
            return Err("it names another run or module".to_owned());
        }
        journal.paths()?;
        journal.yaml_backup()?;
        Ok(journal)
    }

    pub(super) fn write(&self) -> Bytes {
        runs::pretty(self)
    }

    /// Where its documents lie.
    pub(super) fn paths(&self) -> Result<Vec<RepoPath>, String> {
        let target = |target: &Target| {
            let path = RepoPath::new(&target.target_path).map_err(|e| e.to_string())?;
            let document = path.starts_with(&layout::resources()) && path.has_extension("md");
            document
                .then_some(path)
                .ok_or("it names a file that is no document".to_owned())
        };
        self.targets.iter().map(target).collect()
    }

    /// The copy of the registry. Others write where it lies on their disk: then it has to be the one of this run.
    pub(super) fn yaml_backup(&self) -> Result<RepoPath, String> {
        let written = &self.index.yaml_backup_path;
        if let Ok(path) = RepoPath::new(written) {
            return Ok(path);
        }
        let own = runs::registry_backup(&self.run_id);
        let is_own = written
            .strip_suffix(&*own.text())
            .is_some_and(|root| root.ends_with('/'));
        is_own
            .then_some(own)
            .ok_or("its copy of the registry lies elsewhere".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(target: &str, backup: &str) -> Result<Journal, String> {
        let hash = "0".repeat(64);
        let text = format!(
            r#"{{"phase":"prepared","run_id":"seed-core-0001","module":"core","targets":[{{"target_path":"{target}",
            "old_sha256":null,"new_sha256":"{hash}","applied":false}}],"index":{{"yaml_backup_path":"{backup}",
            "old_yaml_sha256":null}},"state_transition":{{"from":null,"to":"seeded"}},"keys":[]}}"#
        );
        Journal::parse(text.as_bytes(), "seed-core-0001")
    }

    #[test]
    fn a_journal_can_name_documents_only() {
        assert!(parsed("logos/resources/a.md", "x").is_ok());
        for path in [
            "../a.md",
            "logos/a.md",
            "logos/resources/a.txt",
            "/etc/a.md",
            "logos/resources/../a.md",
        ] {
            assert!(parsed(path, "x").is_err(), "{path}");
        }
    }

    #[test]
    fn a_copy_of_the_registry_lies_in_the_project() {
        let own = runs::registry_backup("seed-core-0001");
        let backup = |path: &str| parsed("logos/resources/a.md", path).and_then(|j| j.yaml_backup());
        assert_eq!(backup(&own.text()), Ok(own.clone()));
        assert_eq!(backup(&format!("/home/x/project/{}", own.text())), Ok(own));
        for path in [
            "/etc/passwd",
            "../x.bak",
            "/x/seed-core-0002/backup/logos-project.yaml.bak",
        ] {
            assert!(backup(path).is_err(), "{path}");
        }
    }
}
