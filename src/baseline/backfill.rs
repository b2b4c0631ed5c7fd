//! `feature-backfill` (logos-project.md 11.2): the candidates that may become scenarios. Plans only.

use std::collections::BTreeSet;

use super::candidate::{Candidate, State};
use super::lock::is_module_id;
use super::manifest::{DocumentKind, document_path};
use super::runs::{Run, Status};
use super::scan::Sections;
use super::section::Section;
use crate::files::{ReadError, RepoPath, Tree, walk};
use crate::project::{Registry, layout};
use crate::say;
use crate::voice::{Say, Voice, quoted_list};

/// A candidate that no scenario is registered for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unregistered {
    pub module: String,
    pub candidate: Candidate,
}

/// Why the candidates cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A document of scenario candidates is missing, has no section, or a broken one.
    Unparseable,
    /// There are candidates, but no document of them is one of scenarios.
    UnclassifiableEvidence,
}

impl Reason {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unparseable => "unparseable",
            Self::UnclassifiableEvidence => "unclassifiable-evidence",
        }
    }
}

/// What is wrong with the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    pub reason: Reason,
    pub paths: BTreeSet<RepoPath>,
}

impl Say for Invalid {
    fn say(&self, voice: &Voice) -> String {
        let paths: Vec<String> = self.paths.iter().map(|path| path.text().into_owned()).collect();
        let paths = quoted_list(&paths);
        match self.reason {
            Reason::Unparseable => say!(
                voice,
                "the candidates of these documents cannot be read, mend them: {paths}",
                "无法读取下列文档中的候选，请修复：{paths}"
            ),
            Reason::UnclassifiableEvidence if self.paths.is_empty() => {
                let file = layout::REGISTRY;
                say!(
                    voice,
                    "`{file}` has an index of candidates, but no document says which of them are scenarios",
                    "`{file}` 中有候选索引，但没有文档说明哪些候选是场景"
                )
            }
            Reason::UnclassifiableEvidence => say!(
                voice,
                "there are candidates, but no document says which of them are scenarios: {paths}",
                "存在候选，但没有文档说明哪些候选是场景：{paths}"
            ),
        }
    }
}

/// The candidates of modules, or what is wrong with their documents.
pub fn candidates(
    tree: &dyn Tree,
    registry: &Registry,
    modules: &[String],
) -> Result<Result<Vec<Unregistered>, Invalid>, ReadError> {
    let sections = Sections::load(tree)?;
    let mut found = Vec::new();
    let mut invalid: Option<Invalid> = None;
    for module in modules {
        match of_module(tree, &sections, registry, module)? {
            Ok(more) => found.extend(more),
            Err(more) => {
                let all = invalid.get_or_insert(Invalid {
                    reason: more.reason,
                    paths: BTreeSet::new(),
                });
                if more.reason == Reason::Unparseable {
                    all.reason = more.reason;
                }
                all.paths.extend(more.paths);
            }
        }
    }
    Ok(match invalid {
        Some(invalid) => Err(invalid),
        None => Ok(found),
    })
}

/// The documents of a module that hold scenario candidates, and the keys that count in them; none: all.
struct Documents {
    paths: BTreeSet<RepoPath>,
    keys: Option<BTreeSet<String>>,
}

fn of_module(
    tree: &dyn Tree,
    sections: &Sections,
    registry: &Registry,
    module: &str,
) -> Result<Result<Vec<Unregistered>, Invalid>, ReadError> {
    let documents = documents(tree, module)?;
    let holding = sections.scan(module).holding;
    if documents.paths.is_empty() && (!holding.is_empty() || registry.baseline_index(module).is_some()) {
        return Ok(Err(Invalid {
            reason: Reason::UnclassifiableEvidence,
            paths: holding.into_iter().collect(),
        }));
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for path in &documents.paths {
        let section = tree.read(path)?.as_deref().and_then(Section::find);
        let Some(candidates) = section.and_then(|section| section.candidates) else {
            return Ok(Err(Invalid {
                reason: Reason::Unparseable,
                paths: BTreeSet::from([path.clone()]),
            }));
        };
        for candidate in candidates {
            let planned = documents
                .keys
                .as_ref()
                .is_none_or(|keys| keys.contains(&candidate.key));
            if planned && is_open(registry, module, &candidate) && seen.insert(candidate.key.clone()) {
                found.push(Unregistered {
                    module: module.to_owned(),
                    candidate,
                });
            }
        }
    }
    Ok(Ok(found))
}

/// Whether a candidate waits to become a scenario.
fn is_open(registry: &Registry, module: &str, candidate: &Candidate) -> bool {
    let registered = registry
        .scenarios
        .iter()
        .any(|s| s.module_id() == module && s.name.as_deref() == Some(candidate.name()));
    candidate.state == State::Active && !candidate.verified && !registered && candidate.belongs_to(module)
}

/// The plan of the last run that was committed says which documents they are; without one their names do.
fn documents(tree: &dyn Tree, module: &str) -> Result<Documents, ReadError> {
    // Other names can have no runs.
    let runs = if is_module_id(module) {
        Run::all(tree, module)?
    } else {
        Vec::new()
    };
    let committed = runs.into_iter().filter(|run| run.status == Status::Committed);
    if let Some(run) = committed.max_by(|a, b| a.created_at.cmp(&b.created_at)) {
        let scenarios = run.documents(DocumentKind::ScenarioCandidates);
        let (paths, keys): (Vec<_>, Vec<_>) = scenarios.into_iter().unzip();
        return Ok(Documents {
            paths: paths.iter().filter_map(|path| document_path(path)).collect(),
            keys: Some(keys.into_iter().flatten().collect()),
        });
    }
    let name = format!("{module}-scenario-candidates.md");
    let mut paths = walk(tree, &layout::resources())?;
    let runs = RepoPath::of(layout::BASELINE_RUNS);
    paths.retain(|path| path.name() == name.as_str() && !path.starts_with(&runs));
    Ok(Documents {
        paths: paths.into_iter().collect(),
        keys: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::key_of;
    use crate::files::MemoryTree;

    fn document(anchors: &[&str]) -> String {
        let lines = anchors.iter().map(|anchor| {
            let key = key_of("core", anchor);
            format!("- {{key: '{key}', anchor: {anchor}}}\n")
        });
        let lines: String = lines.collect();
        format!("## 逆向基线来源\n```yaml\ncandidates:\n{lines}```\n")
    }

    fn run(number: u8, created_at: &str, status: &str, path: &str, anchor: &str) -> (String, String) {
        let id = format!("seed-core-000{number}");
        let key = key_of("core", anchor);
        let text = format!(
            r#"{{"run_id":"{id}","module":"core","status":"{status}","expected":[{{"kind":"scenario-candidates",
            "target_path":"{path}","candidate_keys":["{key}"]}},{{"kind":"system-map","target_path":"logos/resources/m.md"}}],
            "created_at":"{created_at}","issued_nonce":""}}"#
        );
        (format!("{}/{id}/run.json", layout::BASELINE_RUNS), text)
    }

    fn names(files: &[(String, String)], registry: &str) -> Result<Vec<String>, Invalid> {
        let tree = MemoryTree::new(files.iter().map(|(path, text)| (path, text)));
        let registry = Registry::parse(registry.as_bytes());
        let found = candidates(&tree, &registry, &["core".to_owned()]).expect("memory is readable");
        found.map(|all| all.iter().map(|c| c.candidate.name().to_owned()).collect())
    }

    fn file(path: &str, text: String) -> (String, String) {
        (path.to_owned(), text)
    }

    #[test]
    fn the_plan_of_the_latest_committed_run_counts_and_only_its_keys() {
        let files = [
            file("logos/resources/a.md", document(&["x", "y"])),
            file("logos/resources/b.md", document(&["z"])),
            run(1, "2026-02-01", "committed", "logos/resources/a.md", "y"),
            run(2, "2026-01-01", "committed", "logos/resources/b.md", "z"),
            run(3, "2026-03-01", "open", "logos/resources/b.md", "z"),
        ];
        assert_eq!(names(&files, ""), Ok(vec!["y".to_owned()]));
    }

    #[test]
    fn without_a_committed_run_the_names_of_documents_count_at_any_depth() {
        let files = [
            file("logos/resources/a/core-scenario-candidates.md", document(&["x"])),
            file(
                "logos/resources/b/core-scenario-candidates.md",
                document(&["x", "y"]),
            ),
            file("logos/resources/core-system-map.md", document(&["z"])),
        ];
        assert_eq!(names(&files, ""), Ok(vec!["x".to_owned(), "y".to_owned()]));
        let known = "scenarios: [{id: S01, name: x}, {id: S02, name: y, module: tide}]\n";
        assert_eq!(names(&files, known), Ok(vec!["y".to_owned()]));
    }

    #[test]
    fn a_document_that_is_gone_is_unparseable_and_evidence_alone_unclassifiable() {
        let gone = [run(1, "", "committed", "logos/resources/a.md", "y")];
        let invalid = |reason, paths: &[&str]| {
            let paths = paths.iter().map(|path| RepoPath::of(path)).collect();
            Err(Invalid { reason, paths })
        };
        assert_eq!(
            names(&gone, ""),
            invalid(Reason::Unparseable, &["logos/resources/a.md"])
        );
        let other = [file("logos/resources/b.md", document(&["x"]))];
        assert_eq!(
            names(&other, ""),
            invalid(Reason::UnclassifiableEvidence, &["logos/resources/b.md"])
        );
        let index = "baseline_index: {core: {denominator: 1}}\n";
        assert_eq!(names(&[], index), invalid(Reason::UnclassifiableEvidence, &[]));
        assert_eq!(names(&[], ""), Ok(Vec::new()));
    }
}
