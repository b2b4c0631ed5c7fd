//! What a producer says it will deliver (logos-project.md 10.7): documents, their kinds, the keys in them.

use std::collections::HashSet;

use serde_json::Value;

use super::error::Error;
use crate::files::{Kind, ReadError, RepoPath, Resolved, Tree};
use crate::project::layout;

/// What a document tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    SystemMap,
    ScenarioCandidates,
    DependencyMap,
    EntryPoints,
}

impl DocumentKind {
    const ALL: [Self; 4] = [
        Self::SystemMap,
        Self::ScenarioCandidates,
        Self::DependencyMap,
        Self::EntryPoints,
    ];

    /// Without these a baseline is none.
    const REQUIRED: [Self; 2] = [Self::SystemMap, Self::ScenarioCandidates];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SystemMap => "system-map",
            Self::ScenarioCandidates => "scenario-candidates",
            Self::DependencyMap => "dependency-map",
            Self::EntryPoints => "entry-points",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// One document that is to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub kind: DocumentKind,
    pub path: RepoPath,
    pub keys: Vec<String>,
}

/// One entry of `expected`, as it is written.
struct Entry<'a> {
    kind: DocumentKind,
    path: &'a str,
    keys: Vec<String>,
}

/// Judges what a manifest or the record of a run expects, in the order of the contract.
pub fn plan(tree: &dyn Tree, expected: Option<&Value>) -> Result<Vec<Document>, Error> {
    let items = expected
        .and_then(Value::as_array)
        .filter(|items| !items.is_empty());
    let items = items.ok_or(Error::Manifest("`expected` is no list with entries"))?;
    let entries = items.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    for required in DocumentKind::REQUIRED {
        if entries.iter().all(|entry| entry.kind != required) {
            return Err(Error::MissingKind(required));
        }
    }
    for (n, entry) in entries.iter().enumerate() {
        let before: HashSet<&String> = entries[..n].iter().flat_map(|e| &e.keys).collect();
        if let Some(key) = entry.keys.iter().find(|key| before.contains(key)) {
            return Err(Error::KeyConflict(key.clone()));
        }
    }
    let mut documents: Vec<Document> = Vec::new();
    for Entry { kind, path, keys } in entries {
        let escape = || Error::PathEscape(path.to_owned());
        let target = document_path(path).ok_or_else(escape)?;
        if documents.iter().any(|d| d.path == target) || !reached_without_links(tree, &target)? {
            return Err(escape());
        }
        documents.push(Document {
            kind,
            path: target,
            keys,
        });
    }
    Ok(documents)
}

fn entry(item: &Value) -> Result<Entry<'_>, Error> {
    let item = item
        .as_object()
        .ok_or(Error::Manifest("an entry of `expected` is no object"))?;
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    let kind = text("kind").and_then(DocumentKind::of);
    let keys = match item.get("candidate_keys") {
        None => Some(Vec::new()),
        Some(keys) => keys.as_array().and_then(|keys| {
            let texts = keys.iter().map(|key| key.as_str().map(str::to_owned));
            texts.collect()
        }),
    };
    Ok(Entry {
        kind: kind.ok_or(Error::Manifest("a `kind` is none of those that there are"))?,
        path: text("target_path").ok_or(Error::Manifest("a `target_path` is no text"))?,
        keys: keys.ok_or(Error::Manifest("`candidate_keys` is no list of texts"))?,
    })
}

/// The path of a document as a manifest names it: relative, below the resources, in plain letters. Runs hold copies, which
/// nobody reads as documents.
pub(super) fn document_path(path: &str) -> Option<RepoPath> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" if parts.is_empty() => return None,
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let plain = |part: &&str| {
        part.bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
    };
    if !parts.iter().all(plain) {
        return None;
    }
    let path = RepoPath::new(parts.join("/")).ok()?;
    let runs = RepoPath::of(layout::BASELINE_RUNS);
    let document =
        path.starts_with(&layout::resources()) && path.has_extension("md") && !path.starts_with(&runs);
    document.then_some(path)
}

/// Whether no link stands on the way to a path, nor at its end, and no file where a folder would have to be.
pub(super) fn reached_without_links(tree: &dyn Tree, path: &RepoPath) -> Result<bool, ReadError> {
    let mut at = Some(path.clone());
    while let Some(here) = at {
        let is_end = here == *path;
        match tree.entry(&here)?.map(|entry| entry.kind) {
            None => {}
            Some(Kind::File) if is_end => {}
            Some(Kind::Dir) if !is_end => {
                return Ok(here.is_root()
                    || matches!(tree.resolve(&here)?, Resolved::Inside { path, .. } if path == here));
            }
            Some(Kind::File | Kind::Dir | Kind::Link | Kind::Submodule | Kind::Special) => return Ok(false),
        }
        at = here.parent();
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::files::MemoryTree;
    use crate::voice::Fail;

    fn code(expected: &Value) -> &'static str {
        match plan(&MemoryTree::default(), Some(expected)) {
            Ok(_) => "fine",
            Err(error) => error.code(),
        }
    }

    fn two(map: &Value, scenarios: &Value) -> Value {
        json!([
            {"kind": "system-map", "target_path": map, "candidate_keys": ["a"]},
            {"kind": "scenario-candidates", "target_path": scenarios, "candidate_keys": ["b"]},
        ])
    }

    #[test]
    fn shapes_come_before_kinds_keys_and_paths() {
        let bad = json!({"kind": "poem", "target_path": "/x"});
        assert_eq!(code(&json!([bad])), "invalid_manifest");
        assert_eq!(code(&json!([])), "invalid_manifest");
        assert_eq!(
            code(&json!([{"kind": "system-map", "target_path": "/x"}])),
            "missing_required_kind"
        );
        let same = json!([
            {"kind": "system-map", "target_path": "/x", "candidate_keys": ["a"]},
            {"kind": "scenario-candidates", "target_path": "/y", "candidate_keys": ["a"]},
        ]);
        assert_eq!(code(&same), "candidate_key_conflict");
        assert_eq!(
            code(&two(&json!("/x"), &json!("logos/resources/b.md"))),
            "path_escape"
        );
        assert_eq!(
            code(&two(
                &json!("logos/resources/a.md"),
                &json!("logos/resources/b.md")
            )),
            "fine"
        );
    }

    #[test]
    fn a_key_may_stand_twice_in_its_own_entry() {
        let mut expected = two(&json!("logos/resources/a.md"), &json!("logos/resources/b.md"));
        expected[0]["candidate_keys"] = json!(["a", "a"]);
        assert_eq!(code(&expected), "fine");
    }

    #[test]
    fn paths_are_normalised_and_stay_below_the_resources() {
        let normal = |path: &str| document_path(path).map(|p| p.text().into_owned());
        for path in ["logos/resources/a.md", "./logos//resources/x/../a.md"] {
            assert_eq!(normal(path).as_deref(), Some("logos/resources/a.md"), "{path}");
        }
        for path in [
            "",
            "/logos/resources/a.md",
            "../logos/resources/a.md",
            "logos/resources/../a.md",
            "logos/resources/a.txt",
            "logos/resources/a b.md",
            "logos/resources/é.md",
            "logos\\resources\\a.md",
            "logos/resources/verify/baseline-seed-runs/a.md",
        ] {
            assert_eq!(normal(path), None, "{path}");
        }
    }
}
