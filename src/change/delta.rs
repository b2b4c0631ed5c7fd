//! The grammar of a section delta: markers, anchors, blocks, template text (change.md 3.3 and 3.4).

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::markdown::{Document, SectionAnchor, without_code};
use crate::text::{js, trim};

static MARKER: LazyLock<Regex> =
    LazyLock::new(|| js(r"^##\s+(REMOVED-ITEMS|ADDED|MODIFIED|REMOVED)\b\s*(?:[—-]\s*(.+))?$"));
static NAMED_ITEM: LazyLock<Regex> = LazyLock::new(|| js(r"^-\s+(\S+)\s+—\s*(\S[\s\S]*)$"));

const TEMPLATE_TITLES: [&str; 7] = [
    "[新增内容标题]",
    "[修改内容标题]",
    "[删除内容标题]",
    "[新增章节标题]",
    "[修改章节标题]",
    "[删除章节标题]",
    "[被删条目所在章节锚]",
];

const TEMPLATE_LINES: [&str; 9] = [
    "[新增的完整内容]",
    "[修改后的完整内容，替换主文档中同名章节]",
    "[说明删除原因]",
    "[修改后的完整内容，merge 时替换主文档中同名章节]",
    "[说明删除原因，merge 时删除主文档中同名章节]",
    "[说明删除原因；删除锚定章节全节，建议同时列出该节 ID 供审计]",
    "[说明删除原因，merge 时删除主文档中同名章节；建议列出该节 ID 供审计]",
    "[纯声明性标记：逐行点名被删 ID（- <ID> — <删除原因>）；merge 不据其执行编辑]",
    "[纯声明性标记，merge 不据其执行编辑：逐行点名被删 ID]",
];

/// What a block does to its section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Added,
    Modified,
    Removed,
    RemovedItems,
}

impl Operation {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Removed => "REMOVED",
            Self::RemovedItems => "REMOVED-ITEMS",
        }
    }

    fn of(word: &str) -> Self {
        match word {
            "ADDED" => Self::Added,
            "MODIFIED" => Self::Modified,
            "REMOVED" => Self::Removed,
            _ => Self::RemovedItems,
        }
    }
}

/// One block of a delta: a marker and the lines up to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub operation: Operation,
    /// The section it is about; none for a bare marker.
    pub anchor: Option<SectionAnchor>,
    /// The title as the marker spells it; empty for a bare marker.
    pub spelling: String,
    /// Line of the marker, from 0.
    pub marker: usize,
    /// Lines of the body.
    pub body: Range<usize>,
}

/// A `.md` delta, cut into its blocks.
#[derive(Clone, Debug)]
pub struct SectionDelta {
    pub document: Document,
    pub blocks: Vec<Block>,
    /// Lines that hold left-over template text.
    pub template_lines: Vec<usize>,
}

impl SectionDelta {
    pub fn read(bytes: impl Into<crate::text::Bytes>) -> Self {
        let document = Document::scan(bytes);
        let mut blocks: Vec<Block> = Vec::new();
        let mut template_lines = Vec::new();
        for (line, text) in document.unmasked(document.all_lines()) {
            let text = trim(&text);
            if TEMPLATE_LINES.contains(&trim(&without_code(text))) {
                template_lines.push(line);
            }
            let Some(found) = text.starts_with("##").then(|| MARKER.captures(text)).flatten() else {
                continue;
            };
            let spelling = found.get(2).map_or(String::new(), |m| m.as_str().to_owned());
            if TEMPLATE_TITLES.contains(&trim(&without_code(&spelling))) {
                template_lines.push(line);
            }
            if let Some(before) = blocks.last_mut() {
                before.body.end = line;
            }
            blocks.push(Block {
                operation: Operation::of(&found[1]),
                anchor: anchor_of(&spelling),
                spelling,
                marker: line,
                body: line + 1..document.line_count(),
            });
        }
        Self {
            document,
            blocks,
            template_lines,
        }
    }

    /// Whether it has a marker that edits anything (change.md L4).
    pub fn has_section_marker(&self) -> bool {
        self.blocks.iter().any(|b| b.operation != Operation::RemovedItems)
    }

    /// The ids that a block names as left out, with their lines; read masked or not (change.md 3.3).
    pub fn named_items(&self, block: &Block) -> Vec<(String, usize)> {
        let named = self.reasons(block);
        named.map(|(id, _, line)| (id, line)).collect()
    }

    /// As [`SectionDelta::named_items`], with the reason that each is given.
    pub fn reasons(&self, block: &Block) -> impl Iterator<Item = (String, String, usize)> {
        block.body.clone().filter_map(|line| {
            let raw = self.document.raw(line);
            NAMED_ITEM
                .captures(trim(&raw))
                .map(|found| (found[1].to_owned(), found[2].to_owned(), line))
        })
    }
}

/// The anchor of a title: code spans out and trimmed, or as written if that leaves nothing.
fn anchor_of(spelling: &str) -> Option<SectionAnchor> {
    if spelling.is_empty() {
        return None;
    }
    let plain = without_code(spelling);
    let plain = trim(&plain);
    Some(SectionAnchor::new(if plain.is_empty() {
        spelling
    } else {
        plain
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markers(text: &str) -> Vec<String> {
        let delta = SectionDelta::read(text);
        delta
            .blocks
            .iter()
            .map(|b| format!("{}:{}", b.operation.as_str(), b.spelling))
            .collect()
    }

    #[test]
    fn only_dash_and_em_dash_separate_a_title() {
        let text = "## ADDED: x\n## ADDED x\n## Added — x\n## ADDED – x\n## ADDED —\n### ADDED — x\n";
        assert_eq!(markers(text), Vec::<String>::new());
        let text = "## ADDED\n   ## ADDED—x\n## MODIFIED-y\n## REMOVED-ITEMS — z\n## REMOVED-ITEMSx\n";
        assert_eq!(
            markers(text),
            [
                "ADDED:",
                "ADDED:x",
                "MODIFIED:y",
                "REMOVED-ITEMS:z",
                "REMOVED:ITEMSx"
            ]
        );
    }

    #[test]
    fn a_block_runs_to_the_next_marker_and_not_to_the_next_heading() {
        let delta = SectionDelta::read(
            "pre\n## MODIFIED — A\n## inner\n```\n## ADDED — no\n```\n## REMOVED — B\nwhy\n",
        );
        let bodies: Vec<_> = delta.blocks.iter().map(|b| b.body.clone()).collect();
        assert_eq!(bodies, [2..6, 7..8]);
    }

    #[test]
    fn an_anchor_of_code_alone_stays_as_written() {
        let delta = SectionDelta::read("## MODIFIED — `x`\n## MODIFIED — a `b` c\n");
        let spelled: Vec<_> = delta
            .blocks
            .iter()
            .filter_map(|b| b.anchor.as_ref())
            .map(SectionAnchor::spelling)
            .collect();
        assert_eq!(spelled, ["`x`", "a  c"]);
    }

    #[test]
    fn named_items_need_an_em_dash_and_a_reason() {
        let delta = SectionDelta::read(
            "## REMOVED-ITEMS — A\n- X — gone\n- Y - gone\n- Z —\n```\n- W — in code\n```\n",
        );
        let ids: Vec<_> = delta
            .named_items(&delta.blocks[0])
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        assert_eq!(ids, ["X", "W"]);
    }
}
