//! Runs: what was asked of a producer, and what became of it (logos-project.md 10.3).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::manifest::{Document, DocumentKind};
use crate::files::{Digest, Kind, ObjectId, ReadError, RepoPath, Tree};
use crate::project::layout;
use crate::text::Bytes;

/// The folder of one run.
pub fn folder(run_id: &str) -> RepoPath {
    RepoPath::of(layout::BASELINE_RUNS).join(run_id)
}

/// Where the producer puts a document.
pub fn staged(run_id: &str, target: &RepoPath) -> RepoPath {
    target.below(&folder(run_id).join("staging"))
}

/// The final content of a document.
pub fn resolved(run_id: &str, target: &RepoPath) -> RepoPath {
    target.below(&folder(run_id).join("resolved"))
}

/// What stood in a document's place before.
pub fn backup(run_id: &str, target: &RepoPath) -> RepoPath {
    target.below(&folder(run_id).join("backup"))
}

/// The registry as it was before.
pub fn registry_backup(run_id: &str) -> RepoPath {
    folder(run_id).join("backup/logos-project.yaml.bak")
}

fn record(run_id: &str) -> RepoPath {
    folder(run_id).join("run.json")
}

/// The runs of a module that `begin` issued.
pub fn ledger(module: &str) -> RepoPath {
    RepoPath::of(layout::BASELINE_RUNS).join(format!(".issued-runs-{module}.json"))
}

/// The module of a run's id: `seed-<module>-` and four digits or more.
pub fn module_of(run_id: &str) -> Option<&str> {
    let (module, number) = run_id.strip_prefix("seed-")?.rsplit_once('-')?;
    let number = number.len() >= 4 && number.bytes().all(|b| b.is_ascii_digit());
    (number && !module.is_empty()).then_some(module)
}

/// A document of a plan, as the record of a run has it.
#[derive(Serialize)]
struct Expected<'a> {
    kind: &'static str,
    target_path: Cow<'a, str>,
    candidate_keys: &'a [String],
}

impl Document {
    pub(super) fn record(&self) -> Value {
        let expected = Expected {
            kind: self.kind.as_str(),
            target_path: self.path.text(),
            candidate_keys: &self.keys,
        };
        serde_json::to_value(expected).expect("plain structs are always JSON")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Open,
    Superseded,
    Committed,
}

/// The record of a run, `run.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub run_id: String,
    pub module: String,
    pub status: Status,
    /// As it is written: a commit judges it again.
    pub expected: Vec<Value>,
    pub created_at: String,
    pub issued_nonce: String,
}

impl Run {
    /// The record of a run; none if there is none, or none that can be understood.
    pub fn load(tree: &dyn Tree, run_id: &str) -> Result<Option<Self>, ReadError> {
        let content = tree.read(&record(run_id))?;
        Ok(content.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// The runs of a module, in the order of their ids.
    pub fn all(tree: &dyn Tree, module: &str) -> Result<Vec<Self>, ReadError> {
        let mut runs = Self::of_all_modules(tree)?;
        runs.retain(|run| run.module == module);
        Ok(runs)
    }

    /// The runs of all modules, in the order of their ids.
    pub(super) fn of_all_modules(tree: &dyn Tree) -> Result<Vec<Self>, ReadError> {
        let mut runs = Vec::new();
        for run_id in ids(tree)? {
            let run = Self::load(tree, &run_id)?;
            runs.extend(run.filter(|run| run.run_id == run_id));
        }
        Ok(runs)
    }

    /// The last of the open runs of a module.
    pub fn last_open(tree: &dyn Tree, module: &str) -> Result<Option<Self>, ReadError> {
        let mut runs = Self::all(tree, module)?;
        runs.retain(|run| run.status == Status::Open);
        Ok(runs.pop())
    }

    /// The documents that its plan names.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        self.expected
            .iter()
            .filter_map(|entry| entry.get("target_path").and_then(Value::as_str))
    }

    /// The documents of a kind that its plan names, each with its keys.
    pub fn documents(&self, kind: DocumentKind) -> Vec<(&str, Vec<String>)> {
        let text =
            |entry: &'_ Value, name: &str| entry.get(name).and_then(Value::as_str) == Some(kind.as_str());
        let of_kind = self.expected.iter().filter(|entry| text(entry, "kind"));
        let document = |entry: &'_ Value| {
            let keys = entry.get("candidate_keys").and_then(Value::as_array);
            let keys = keys.into_iter().flatten().filter_map(Value::as_str);
            keys.map(str::to_owned).collect()
        };
        of_kind
            .filter_map(|entry| Some((entry.get("target_path")?.as_str()?, document(entry))))
            .collect()
    }

    pub fn path(&self) -> RepoPath {
        record(&self.run_id)
    }

    pub(super) fn write(&self) -> Bytes {
        pretty(self)
    }

    /// Whether `begin` issued it: the ledger holds the hash of its nonce.
    pub fn is_issued(&self, tree: &dyn Tree) -> Result<bool, ReadError> {
        let ledger = issued(tree, &self.module)?;
        let known = ledger.get(&self.run_id).and_then(Value::as_str);
        Ok(known == Some(&self.seal()))
    }

    /// What the ledger holds of it.
    pub(super) fn seal(&self) -> String {
        let sealed = format!("{}:{}:{}", self.run_id, self.module, self.issued_nonce);
        Digest::of(sealed.as_bytes()).hex()
    }
}

/// The folders of runs, of any module, in byte order of their ids.
pub(super) fn ids(tree: &dyn Tree) -> Result<Vec<String>, ReadError> {
    let folder = RepoPath::of(layout::BASELINE_RUNS);
    // Whoever pushes a tree may put anything in the folder's place.
    if tree.entry(&folder)?.is_some_and(|entry| entry.kind != Kind::Dir) {
        return Ok(Vec::new());
    }
    let names = tree.list(&folder)?;
    let ids = names.into_iter().filter_map(|(name, entry)| {
        let id = String::from_utf8(name.into()).ok()?;
        (entry.kind == Kind::Dir && module_of(&id).is_some()).then_some(id)
    });
    Ok(ids.collect())
}

/// Whether a run that was issued brought a document with this very content.
pub fn brought(tree: &dyn Tree, target: &RepoPath, content: ObjectId) -> Result<bool, ReadError> {
    for run_id in ids(tree)? {
        let copy = tree.entry(&resolved(&run_id, target))?;
        if copy.and_then(|entry| entry.id) == Some(content)
            && let Some(run) = Run::load(tree, &run_id)?
            && run.run_id == run_id
            && run.is_issued(tree)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The ledger of a module; empty if there is none, or none that can be understood.
pub(super) fn issued(tree: &dyn Tree, module: &str) -> Result<Map<String, Value>, ReadError> {
    let content = tree.read(&ledger(module))?;
    let object = content.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(object.unwrap_or_default())
}

/// JSON as these files hold it: two blanks of indent, a line end.
pub(super) fn pretty(value: &impl Serialize) -> Bytes {
    let mut text = serde_json::to_vec_pretty(value).expect("plain structs are always JSON");
    text.push(b'\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_its_module() {
        assert_eq!(module_of("seed-core-0001"), Some("core"));
        assert_eq!(module_of("seed-tide-gauge-12345"), Some("tide-gauge"));
        for id in [
            "seed-core-001",
            "seed-core-000x",
            "seed--0001",
            "core-0001",
            "seed-0001",
        ] {
            assert_eq!(module_of(id), None, "{id}");
        }
    }
}
