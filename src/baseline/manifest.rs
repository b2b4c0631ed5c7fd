//! What a producer says it will deliver (logos-project.md 10.7): documents, their kinds, the keys in them.

use serde::{Deserialize, Serialize};

/// What a document tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentKind {
    SystemMap,
    ScenarioCandidates,
    DependencyMap,
    EntryPoints,
}

/// One document of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    pub kind: DocumentKind,
    pub target_path: String,
    #[serde(default)]
    pub candidate_keys: Vec<String>,
}
