//! `MERGE_PROMPT.md`: the deltas packaged for whoever applies them by hand (change.md 6.1).

use std::fmt::Write as _;

use crate::change::delta::Operation;
use crate::change::{Change, Delta};
use crate::say;
use crate::text::decode;
use crate::voice::{Invocation, Say, Voice};

pub const MERGE_PROMPT: &str = "MERGE_PROMPT.md";
pub const MERGE_PROMPT_GENERATED: &str = "MERGE_PROMPT_GENERATED";

/// The prompt; `without_prototypes` leaves the page prototypes to the UI gate.
pub fn text(change: &Change, without_prototypes: bool, voice: &Voice) -> String {
    let slug = change.folder.slug.as_str();
    let folder = &change.folder.path;
    let mut out = say!(
        voice,
        "# Merge the deltas of `{slug}`\n\nFolder: `{folder}`\n\n## Proposal\n\n",
        "# 合并 `{slug}` 的 delta\n\n目录：`{folder}`\n\n## 提案\n\n"
    );
    out.push_str(decode(change.proposal.bytes()).trim_end());
    out.push_str(&say!(voice, "\n\n## Deltas\n", "\n\n## Delta 清单\n"));
    let deltas = change
        .deltas
        .iter()
        .filter(|d| d.mergeable && !(without_prototypes && d.is_prototype()));
    for (index, delta) in deltas.enumerate() {
        entry(&mut out, index + 1, change, delta, voice);
    }
    out.push_str(&duties(change, voice));
    out
}

fn entry(out: &mut String, number: usize, change: &Change, delta: &Delta, voice: &Voice) {
    let path = delta
        .path
        .strip_prefix(&change.folder.path)
        .unwrap_or_else(|| delta.path.clone());
    let file = delta.path.name().to_string();
    let target = delta
        .target
        .as_ref()
        .and_then(crate::files::RepoPath::parent)
        .unwrap_or_default();
    let operation = match delta.sections() {
        None => say!(voice, "replace the whole file", "整文件替换"),
        Some(sections) => {
            let mut names: Vec<&str> = Vec::new();
            for block in &sections.blocks {
                if !names.contains(&block.operation.as_str()) {
                    names.push(block.operation.as_str());
                }
            }
            let has_items = sections
                .blocks
                .iter()
                .any(|b| b.operation == Operation::RemovedItems);
            let note = if has_items {
                say!(
                    voice,
                    " (REMOVED-ITEMS edits nothing)",
                    "（REMOVED-ITEMS 不执行编辑）"
                )
            } else {
                String::new()
            };
            format!("{}{note}", names.join(", "))
        }
    };
    let _ = write!(out, "\n### {number}. `{path}`\n\n");
    let _ = write!(
        out,
        "{}",
        say!(
            voice,
            "- File: `{file}`\n- Target folder: `{target}/`\n- Operation: {operation}\n",
            "- 文件：`{file}`\n- 目标目录：`{target}/`\n- 操作：{operation}\n"
        )
    );
}

fn duties(change: &Change, voice: &Voice) -> String {
    let slug = change.folder.slug.as_str();
    let folder = &change.folder.path;
    let archive = Invocation::new("archive", &[slug]).say(voice);
    say!(
        voice,
        "\n## What to do\n\n\
         1. Read every delta completely, and the document that it is for.\n\
         2. ADDED: put the new section below its parent. MODIFIED: replace the section of that title, sub-sections included. REMOVED: take the section out.\n\
         3. Keep everything that no delta names: ids, rows, wording, order.\n\
         4. Files that are not Markdown are copied whole.\n\
         5. Create the empty file `{folder}/SPEC_MERGED` once all documents are done.\n\
         6. Commit: `git add -A && git commit -m \"docs({slug}): merge spec deltas\"`\n\
         7. When the change is implemented and verified: `{archive}`\n",
        "\n## 执行要求\n\n\
         1. 完整阅读每个 delta 及其目标文档。\n\
         2. ADDED：在其父章节下加入新章节；MODIFIED：替换同名章节（含子章节）；REMOVED：删除该章节。\n\
         3. delta 未点名的内容一律保留：ID、表格行、措辞、顺序。\n\
         4. 非 Markdown 文件整体复制。\n\
         5. 全部文档完成后，创建空文件 `{folder}/SPEC_MERGED`。\n\
         6. 提交：`git add -A && git commit -m \"docs({slug}): merge spec deltas\"`\n\
         7. 实现并验收之后：`{archive}`\n"
    )
}
