//! What a new project holds (silly.md 2, "init"). Plans only; nothing that is there is replaced.

use super::layout;
use crate::files::{ReadError, RepoPath, Tree};
use crate::text::{Bytes, decode, line_end};

/// A tool that may have a file of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Claude,
    Cursor,
    OpenClaw,
    Codex,
    Gemini,
    OpenCode,
}

impl Tool {
    pub const ALL: [Self; 6] = [
        Self::Claude,
        Self::Cursor,
        Self::OpenClaw,
        Self::Codex,
        Self::Gemini,
        Self::OpenCode,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Cursor => "cursor",
            Self::OpenClaw => "openclaw",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name)
    }

    /// The file that tells it how to work here.
    const fn instructions(self) -> Option<&'static str> {
        match self {
            Self::Codex => Some("AGENTS.md"),
            Self::Gemini => Some("GEMINI.md"),
            Self::OpenCode => Some("INSTRUCTIONS.md"),
            Self::Claude | Self::Cursor | Self::OpenClaw => None,
        }
    }

    /// What shows that it is used here.
    const fn sign(self) -> &'static str {
        match self {
            Self::Claude => ".claude",
            Self::Cursor => ".cursor",
            Self::OpenClaw => ".openclaw",
            Self::Codex => "AGENTS.md",
            Self::Gemini => "GEMINI.md",
            Self::OpenCode => "INSTRUCTIONS.md",
        }
    }

    /// The tools that are used in a project; without any sign, claude.
    pub fn found(tree: &dyn Tree) -> Result<Vec<Self>, ReadError> {
        let mut found = Vec::new();
        for tool in Self::ALL {
            if tree.exists(&RepoPath::of(tool.sign()))? {
                found.push(tool);
            }
        }
        if found.is_empty() {
            found.push(Self::Claude);
        }
        Ok(found)
    }
}

/// What is to be made and changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewProject {
    pub folders: Vec<RepoPath>,
    /// Files with their content before, if they were there.
    pub files: Vec<(RepoPath, Option<Bytes>, Bytes)>,
}

/// The rules for what git is to ignore.
pub const IGNORED: [&str; 3] = [
    ".sillyspec/.runtime/",
    ".sillyspec/codebase/SCAN-RAW.md",
    ".sillyspec/local.yaml",
];
const INDEX: &str = "# Knowledge Index\n\n<!-- - word1|word2 → [title](file.md#anchor) -->\n";
const UNCATEGORISED: &str = "# Uncategorized\n";
const USER_INPUTS: &str =
    "# User Inputs\n\n> What was said and answered, step by step. Appended to, never rewritten.\n";
const MARKER: &str = "## SillySpec";
const SECTION: &str = "## SillySpec\n\nThis project keeps its specifications in `.sillyspec/`. Work on a change goes through its stages: brainstorm or \
                       propose,\nplan, execute, verify, archive. Sources are written in the work tree of a change only; the documents of a change \
                       lie in\n`.sillyspec/changes/<change>/`. Nothing below `.sillyspec/.runtime/` is edited by hand.\n";

impl NewProject {
    /// The whole project of a name.
    pub fn plan(tree: &dyn Tree, name: &str, tools: &[Tool]) -> Result<Self, ReadError> {
        let mut plan = Self::runtime_of(tree, &IGNORED)?;
        let top = layout::top();
        plan.folders.extend([top.join("shared"), top.join("workspace")]);
        let knowledge = top.join("knowledge");
        let mut files = vec![
            (knowledge.join(layout::KNOWLEDGE_INDEX), INDEX.to_owned()),
            (knowledge.join("uncategorized.md"), UNCATEGORISED.to_owned()),
        ];
        // A name may be anything that a folder can be called.
        if RepoPath::is_path(name.as_bytes()) && !name.contains('/') {
            let project = format!("name: {}\npath: .\nstatus: active\n", scalar(name));
            files.push((top.join("projects").join(format!("{name}.yaml")), project));
            files.push((layout::docs().join(name).join("scan/.gitkeep"), String::new()));
        }
        for (path, content) in files {
            plan.add_missing(tree, path, content)?;
        }
        for tool in tools {
            if let Some(file) = tool.instructions() {
                plan.add_section(tree, RepoPath::of(file))?;
            }
        }
        Ok(plan)
    }

    /// What belongs to this machine alone.
    pub fn runtime(tree: &dyn Tree) -> Result<Self, ReadError> {
        Self::runtime_of(tree, &IGNORED[..1])
    }

    fn runtime_of(tree: &dyn Tree, rules: &[&str]) -> Result<Self, ReadError> {
        let folders = ["artifacts", "history", "logs", "templates"];
        let mut plan = Self {
            folders: folders.iter().map(|name| layout::runtime().join(name)).collect(),
            files: Vec::new(),
        };
        plan.add_missing(tree, layout::user_inputs(), USER_INPUTS.to_owned())?;
        let path = RepoPath::of(".gitignore");
        let before = tree.read(&path)?;
        if let Some(after) = with_rules(before.as_deref(), rules) {
            plan.files.push((path, before, after));
        }
        Ok(plan)
    }

    fn add_missing(&mut self, tree: &dyn Tree, path: RepoPath, content: String) -> Result<(), ReadError> {
        if tree.entry(&path)?.is_none() {
            self.files.push((path, None, content.into_bytes()));
        }
        Ok(())
    }

    fn add_section(&mut self, tree: &dyn Tree, path: RepoPath) -> Result<(), ReadError> {
        let before = tree.read(&path)?;
        let after = match &before {
            None => SECTION.to_owned().into_bytes(),
            Some(bytes) if decode(bytes).contains(MARKER) => return Ok(()),
            Some(bytes) => {
                let mut text = bytes.trim_ascii_end().to_vec();
                let end = line_end(bytes);
                for _ in 0..if text.is_empty() { 0 } else { 2 } {
                    text.extend_from_slice(end);
                }
                text.extend(crate::text::with_line_ends(SECTION.as_bytes(), end));
                text
            }
        };
        self.files.push((path, before, after));
        Ok(())
    }
}

/// A name as it stands in YAML: quoted where it would be read as something else.
fn scalar(name: &str) -> String {
    let read = crate::yaml::parse(format!("name: {name}\n").as_bytes());
    let is_plain = read.is_ok_and(|root| root.get("name").and_then(|value| value.as_str()) == Some(name));
    if is_plain {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "''"))
    }
}

/// An ignore file with the rules that it lacks; none if it has them all. Comments name no rule.
fn with_rules(before: Option<&[u8]>, rules: &[&str]) -> Option<Bytes> {
    let bytes = before.unwrap_or_default();
    let text = decode(bytes);
    let bare = |rule: &str| rule.trim_matches('/').to_owned();
    let has = |rule: &str| text.lines().any(|line| bare(line.trim()) == bare(rule));
    let missing: Vec<&str> = rules.iter().copied().filter(|rule| !has(rule)).collect();
    if missing.is_empty() {
        return None;
    }
    let end = line_end(bytes);
    let mut out = bytes.trim_ascii_end().to_vec();
    if !out.is_empty() {
        out.extend_from_slice(end);
    }
    for rule in missing {
        out.extend_from_slice(rule.as_bytes());
        out.extend_from_slice(end);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruled(before: &str) -> Option<String> {
        let after = with_rules(Some(before.as_bytes()), &IGNORED);
        after.map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
    }

    #[test]
    fn a_rule_in_a_comment_or_in_another_rule_is_none() {
        let after = ruled("# .sillyspec/.runtime/\n!.sillyspec/local.yaml.example\n").expect("changed");
        assert!(
            IGNORED.iter().all(|rule| after.lines().any(|line| line == *rule)),
            "{after}"
        );
    }

    #[test]
    fn line_ends_are_kept_and_known_rules_not_repeated() {
        let after = ruled("x\r\n/.sillyspec/.runtime\r\n\r\n").expect("changed");
        assert_eq!(
            after,
            "x\r\n/.sillyspec/.runtime\r\n.sillyspec/codebase/SCAN-RAW.md\r\n.sillyspec/local.yaml\r\n"
        );
        assert_eq!(ruled(&IGNORED.join("\n")), None);
    }

    #[test]
    fn a_name_that_yaml_reads_as_something_else_is_quoted() {
        assert_eq!(scalar("p"), "p");
        assert_eq!(scalar("12"), "'12'");
        assert_eq!(scalar("it's: x"), "'it''s: x'");
    }
}
