//! Whether a session may stop (loop.md 6, G3): termination, issues, evidence, convergence, artifacts.

use std::sync::OnceLock;

use regex::Regex;
use serde_json::Value;

use super::document::{list, number};
use super::gate::Source;
use super::{FOLDER, Mode, Termination};
use crate::files::{ReadError, RepoPath, Tree};
use crate::markdown::{Document, Mask};
use crate::say;
use crate::text::js;
use crate::voice::{Say, Voice};

/// Why it may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    Termination,
    ActiveIssues,
    Evidence,
    Convergence,
    Artifacts,
}

impl Layer {
    /// The name of the rule.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Termination => "G3_L1",
            Self::ActiveIssues => "G3_L2",
            Self::Evidence => "G3_L3",
            Self::Convergence => "G3_L4",
            Self::Artifacts => "G3_L5",
        }
    }
}

impl Say for Layer {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Termination => say!(
                voice,
                "the loop is not complete; `loop complete` ends it once all holds",
                "循环尚未完成；一切就绪后用 `loop complete` 结束"
            ),
            Self::ActiveIssues => say!(voice, "issues are still active", "仍有未解决的问题"),
            Self::Evidence => say!(
                voice,
                "the verification report is missing, or shows no evidence",
                "验证报告缺失，或没有给出证据"
            ),
            Self::Convergence => say!(
                voice,
                "the convergence counter is below the rounds that are asked for",
                "收敛计数低于要求的轮数"
            ),
            Self::Artifacts => say!(
                voice,
                "requirements, solution, issue list or verification is missing or empty",
                "需求、方案、问题列表或验证报告缺失或为空"
            ),
        }
    }
}

const REPORT: &str = "10-verification.md";
const NEEDED: [&str; 4] = [
    "01-requirements.md",
    "03-solution.md",
    "09-issue-list.json",
    "10-verification.md",
];

/// The first layer that refuses; none if the session may stop. A state that cannot be read has no issues that are known
/// to be resolved: it refuses.
pub fn refusal(
    tree: &dyn Tree,
    state: &Value,
    gate: &Source,
    mode: Option<Mode>,
) -> Result<Option<Layer>, ReadError> {
    if mode == Some(Mode::Unsafe) {
        let sound = is_structured(tree)? && has_no_issues(state);
        return Ok((!sound).then_some(Layer::Evidence));
    }
    if gate.status() != Some(Termination::Complete) {
        return Ok(Some(Layer::Termination));
    }
    unready(tree, state)
}

/// The layers behind the termination: what must hold before it may be complete.
pub fn unready(tree: &dyn Tree, state: &Value) -> Result<Option<Layer>, ReadError> {
    if !has_no_issues(state) {
        return Ok(Some(Layer::ActiveIssues));
    }
    if !report(tree)?.is_some_and(|report| has_evidence(&report)) {
        return Ok(Some(Layer::Evidence));
    }
    if !has_converged(state) {
        return Ok(Some(Layer::Convergence));
    }
    for name in NEEDED {
        if content(tree, name)?.is_none() {
            return Ok(Some(Layer::Artifacts));
        }
    }
    Ok(None)
}

/// How many issues are active, p0 first; none where that cannot be told.
pub fn active(state: &Value) -> Option<[usize; 3]> {
    let count = |path| Some(list(state, path)?.len());
    Some([
        count("issues.active.p0")?,
        count("issues.active.p1")?,
        count("issues.active.p2")?,
    ])
}

fn has_no_issues(state: &Value) -> bool {
    active(state) == Some([0; 3])
}

fn has_converged(state: &Value) -> bool {
    let counter = number(state, "progress.convergence_counter").filter(|n| *n >= 0);
    let rounds = number(state, "config.convergence_rounds").filter(|n| *n >= 0);
    matches!((counter, rounds), (Some(counter), Some(rounds)) if counter >= rounds)
}

/// An artifact that is there and not blank.
fn content(tree: &dyn Tree, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
    let path = RepoPath::of(FOLDER).join("artifacts").join(name);
    if !tree.is_file(&path)? {
        return Ok(None);
    }
    Ok(tree.read(&path)?.filter(|bytes| !bytes.trim_ascii().is_empty()))
}

fn report(tree: &dyn Tree) -> Result<Option<Document>, ReadError> {
    Ok(content(tree, REPORT)?.map(Document::scan))
}

/// A fenced block that holds the name of a command.
fn has_evidence(report: &Document) -> bool {
    static WORDS: OnceLock<Regex> = OnceLock::new();
    let words = WORDS.get_or_init(|| js(r"\b(?:grep|cat|ls|python|curl|git|npm|make|test|run)\b"));
    blocks(report).any(|lines| lines.into_iter().any(|line| words.is_match(&report.raw(line))))
}

/// The contents of the fenced blocks.
fn blocks(report: &Document) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < report.line_count() {
            if report.mask(at) == Mask::Fence
                && let Some(fence) = report.fence(at)
            {
                at = fence.content.end + usize::from(fence.closed);
                return Some(fence.content);
            }
            at += 1;
        }
        None
    })
}

/// Three headings of the first three levels, or a fenced block.
fn is_structured(tree: &dyn Tree) -> Result<bool, ReadError> {
    Ok(report(tree)?.is_some_and(|report| {
        let headings = report.headings().iter().filter(|heading| heading.level <= 3);
        headings.count() >= 3 || blocks(&report).next().is_some()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_inside_a_fenced_block_are_evidence() {
        for (text, expected) in [
            ("# V\n\n```\n$ cargo test\n```\n", true),
            ("# V\n\n~~~\ngit log\n~~~\n", true),
            ("# V\n\ncargo test\n\n```\nall green\n```\n", false),
            ("```bash\nnothing\n```\n", false),
            ("```\ncatalogue\n```\n", false),
            ("```\na\n```\ngit\n```\nb\n```\n", false),
        ] {
            let report = Document::scan(text.as_bytes().to_vec());
            assert_eq!(has_evidence(&report), expected, "{text}");
        }
    }
}
