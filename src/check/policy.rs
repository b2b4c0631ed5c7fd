//! How bad a finding is: words of the command line, then git's configuration, then the project's own file as the base has
//! it, then the default (git.md 2.1). What is being judged has no say.

use std::collections::BTreeMap;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::rules::{self, Level, rule_of};
use crate::files::{Kind, ReadError, RepoPath, Tree, walk};
use crate::finding::Severity;
use crate::git::{Repository, config_file};
use crate::project::layout;
use crate::say;
use crate::text::{decode, escape};
use crate::voice::{Say, Voice};

/// The project's own file.
pub const FILE: &str = "logos/git-spec.config";

/// Levels by code or group, both with `-`.
type Levels = BTreeMap<String, Level>;

/// What the user, the repository and the project ask for.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The strongest first.
    sources: Vec<Levels>,
    drafts: Option<Level>,
    result_only: Option<bool>,
    documents: Option<Gitignore>,
    pub strict: bool,
    /// What of the configuration is not understood.
    pub warnings: Vec<Unknown>,
}

/// A value of the configuration that is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    pub key: String,
    pub value: String,
}

impl Say for Unknown {
    fn say(&self, voice: &Voice) -> String {
        let (key, value) = (escape(&self.key), escape(&self.value));
        say!(
            voice,
            "`{key} = {value}` is not understood and passed over",
            "无法理解 `{key} = {value}`，已忽略"
        )
    }
}

/// A word of `--rule` that is not `<code>=<severity>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRule(pub String);

fn dashed(code: &str) -> String {
    code.replace('_', "-")
}

/// Whether a word, with `-`, names a group or one of the codes that this program can find.
fn is_known(name: &str) -> bool {
    rules::GROUPS.contains(&name) || super::codes().iter().any(|code| dashed(code) == name)
}

impl Policy {
    /// Reads what `--rule` says.
    pub fn new(words: &[String], strict: bool) -> Result<Self, BadRule> {
        let mut levels = Levels::new();
        for word in words {
            let bad = || BadRule(word.clone());
            let (name, level) = word.split_once('=').ok_or_else(bad)?;
            let (name, level) = (dashed(name), Level::named(level).ok_or_else(bad)?);
            if !is_known(&name) {
                return Err(bad());
            }
            levels.insert(name, level);
        }
        Ok(Self {
            sources: vec![levels],
            strict,
            ..Self::default()
        })
    }

    /// Adds what git's configuration says.
    pub fn add_git(&mut self, repository: &Repository) {
        let codes = super::codes().into_iter().map(dashed);
        let groups = rules::GROUPS.iter().map(|group| (*group).to_owned());
        let keys = codes.chain(groups).map(|name| format!("spec.rule.{name}"));
        let others = ["spec.drafts", "spec.judge", "spec.documents"].map(str::to_owned);
        let values = |key: String| {
            let found = repository.settings(&key).into_iter();
            found.map(move |value| (key.clone(), value))
        };
        let found = keys.chain(others).flat_map(values).collect();
        self.add(found);
    }

    /// Adds what the project's own file says, as `tree` has it.
    pub fn add_project(&mut self, tree: &dyn Tree) -> Result<(), ReadError> {
        if let Some(bytes) = tree.read(&RepoPath::of(FILE))? {
            match config_file(&bytes) {
                Ok(found) => self.add(found),
                Err(_) => self.warnings.push(Unknown {
                    key: FILE.to_owned(),
                    value: decode(&bytes).lines().next().unwrap_or_default().to_owned(),
                }),
            }
        }
        Ok(())
    }

    fn add(&mut self, found: Vec<(String, String)>) {
        let mut levels = Levels::new();
        let mut globs = Vec::new();
        let (mut drafts, mut judge) = (None, None);
        for (key, value) in found {
            let known = match key.strip_prefix("spec.") {
                Some("drafts") => {
                    let level = Level::named(&value).filter(|level| *level != Level::Off);
                    drafts = level.or(drafts);
                    level.is_some()
                }
                Some("judge") => {
                    let said = matches!(value.as_str(), "each" | "result");
                    if said {
                        judge = Some(value == "result");
                    }
                    said
                }
                Some("documents") => {
                    globs.push(value.clone());
                    true
                }
                // Others may use the same syntax, and other commands read other keys.
                Some("defaultbranch") | None => true,
                Some(rest) => {
                    let name = rest.strip_prefix("rule.").filter(|name| is_known(name));
                    match (name, Level::named(&value)) {
                        (Some(name), Some(level)) => {
                            levels.insert(name.to_owned(), level);
                            true
                        }
                        _ => false,
                    }
                }
            };
            if !known {
                self.warnings.push(Unknown { key, value });
            }
        }
        self.sources.push(levels);
        // Within one source the last value counts, among sources the first.
        self.drafts = self.drafts.or(drafts);
        self.result_only = self.result_only.or(judge);
        if self.documents.is_none() && !globs.is_empty() {
            let mut builder = GitignoreBuilder::new("");
            for glob in &globs {
                if builder.add_line(None, glob).is_err() {
                    self.warnings.push(Unknown {
                        key: "spec.documents".to_owned(),
                        value: glob.clone(),
                    });
                }
            }
            self.documents = builder.build().ok();
        }
    }

    /// Whether only the result of a range is judged, where a run of edits undoes itself.
    pub fn judges_result(&self) -> bool {
        self.result_only == Some(true)
    }

    /// How bad a finding is; none if its rule is off. `draft` is one of lint about a change that nobody approved.
    pub fn severity(&self, code: &'static str, draft: bool) -> Option<Severity> {
        let Some(rule) = rule_of(code) else {
            return Some(Severity::Error);
        };
        let name = dashed(code);
        let set = |levels: &Levels| levels.get(&name).or_else(|| levels.get(rule.group)).copied();
        let level = self.sources.iter().find_map(set).unwrap_or(rule.default);
        let capped = draft && level == Level::Error && self.drafts != Some(Level::Error);
        if capped {
            Level::Warn.severity()
        } else {
            level.severity()
        }
    }

    /// All documents of a tree.
    pub(super) fn documents(&self, tree: &dyn Tree) -> Result<Vec<RepoPath>, ReadError> {
        let root = match &self.documents {
            Some(_) => RepoPath::root(),
            None => layout::resources(),
        };
        let mut files = match tree.entry(&root)? {
            Some(entry) if entry.kind != Kind::Dir => Vec::new(),
            _ => walk(tree, &root)?,
        };
        files.retain(|path| self.is_document(path));
        Ok(files)
    }

    /// Whether a file of the project is a document: one that deltas may target.
    pub fn is_document(&self, path: &RepoPath) -> bool {
        if let Some(globs) = &self.documents {
            return globs.matched(path.text().as_ref(), false).is_ignore();
        }
        let Some(rest) = path.strip_prefix(&layout::resources()) else {
            return false;
        };
        let mut parts = rest.parts();
        let folder = parts.next().unwrap_or_default();
        parts.next().is_some() && layout::DOCUMENT_FOLDERS.iter().any(|known| folder == *known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    #[test]
    fn the_strongest_source_counts_and_a_rule_beats_its_group_in_it() {
        let rule = |word: &str| vec![word.to_owned()];
        let tree = MemoryTree::new([(
            FILE,
            "[spec \"rule\"]\n\tdocuments = off\n\tdocument-edited = warn\n",
        )]);
        let mut policy = Policy::new(&rule("document_id_lost=warn"), false).expect("known");
        policy.add_project(&tree).expect("memory can be read");
        assert_eq!(
            policy.severity(rules::DOCUMENT_ID_LOST, false),
            Some(Severity::Warning)
        );
        assert_eq!(
            policy.severity(rules::DOCUMENT_EDITED, false),
            Some(Severity::Warning)
        );
        assert_eq!(policy.severity(rules::CONFLICT_MARKS, false), None);
        assert_eq!(policy.severity(rules::ID_TAKEN, false), Some(Severity::Error));
        assert_eq!(
            policy.severity(rules::MODULE_UNRESOLVED, false),
            Some(Severity::Error)
        );
        assert_eq!(
            Policy::new(&rule("documents=off"), false)
                .expect("known")
                .severity(rules::DOCUMENT_EDITED, false),
            None
        );
        for bad in ["document_edited", "document_edited=no", "nonsense=off"] {
            assert!(Policy::new(&rule(bad), false).is_err(), "{bad}");
        }
    }

    #[test]
    fn drafts_are_warned_of_unless_asked_otherwise() {
        let policy = Policy::default();
        assert_eq!(
            policy.severity("tasks_sections_unparsable", true),
            Some(Severity::Warning)
        );
        assert_eq!(
            policy.severity("tasks_sections_unparsable", false),
            Some(Severity::Error)
        );
        let mut strict = Policy::default();
        let tree = MemoryTree::new([(FILE, "[spec]\n\tdrafts = error\n")]);
        strict.add_project(&tree).expect("memory can be read");
        assert_eq!(
            strict.severity("tasks_sections_unparsable", true),
            Some(Severity::Error)
        );
    }

    #[test]
    fn documents_are_those_of_six_folders_unless_named() {
        let is = |policy: &Policy, path: &str| policy.is_document(&RepoPath::of(path));
        let policy = Policy::default();
        assert!(is(&policy, "logos/resources/prd/a/b.md") && is(&policy, "logos/resources/api/x.yaml"));
        assert!(
            !is(&policy, "logos/resources/verify/x.md")
                && !is(&policy, "logos/resources/prd")
                && !is(&policy, "spec/a.md")
        );
        let mut own = Policy::default();
        let tree = MemoryTree::new([(FILE, "[spec]\n\tdocuments = spec/**\n")]);
        own.add_project(&tree).expect("memory can be read");
        assert!(is(&own, "spec/a.md") && !is(&own, "logos/resources/prd/a.md"));
    }
}
