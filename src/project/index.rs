//! What `logos/index-prompt.md` says (logos-project.md 9.5): what to do, the registry as it is, how each document begins.

use super::excerpt::{excerpt, fenced};
use super::{Diagnostics, layout};
use crate::files::{ReadError, RepoPath, Tree};
use crate::say;
use crate::text::{Bytes, decode};
use crate::voice::{Say, Voice};

/// The work instruction for a registry and the documents to be listed in it.
pub fn prompt(
    tree: &dyn Tree,
    registry: &[u8],
    damage: Option<&Diagnostics>,
    documents: &[RepoPath],
    voice: &Voice,
) -> Result<Bytes, ReadError> {
    let mut out = task(voice);
    let file = layout::REGISTRY;
    if let Some(damage) = damage {
        let error = damage.error.say(voice);
        out += &say!(
            voice,
            "\nThe file is damaged; repair it first: {error}\n",
            "\n该文件已损坏，请先修复：{error}\n"
        );
    }
    out += &say!(voice, "\n## `{file}` as it is\n\n", "\n## 当前的 `{file}`\n\n");
    out += &fenced(&decode(registry), "yaml");
    let count = documents.len();
    out += &say!(voice, "\n## Documents: {count}\n", "\n## 文档：{count} 个\n");
    for path in documents {
        // Removed since it was listed: nothing to be indexed any more.
        if let Some(content) = tree.read(path)? {
            out += &excerpt(path, &content, voice);
        }
    }
    Ok(out.into_bytes())
}

fn task(voice: &Voice) -> String {
    let file = layout::REGISTRY;
    say!(
        voice,
        "# Index the documents\n\n\
         `{file}` has a list `resource_index`, one entry for each document, so that whoever works on this project finds \
         what a task needs without reading everything. Bring it up to date:\n\n\
         1. Add an entry for each document below that has none. `path` is the path in its heading, character for \
         character; `desc` says in one English sentence what the document settles and when to read it.\n\
         2. Correct a `desc` that its document no longer bears out. Remove an entry whose file is gone.\n\
         3. Leave everything else in the file as it is, comments and order too, and change no other file.\n\n\
         ```yaml\nresource_index:\n  - path: <path>\n    desc: <one sentence>\n```\n",
        "# 为文档建立索引\n\n\
         `{file}` 中的 `resource_index` 列表为每份文档保留一个条目，使在此项目中工作的人无需通读全部文档即可找到所需内容。\
         请将其更新：\n\n\
         1. 为下列尚无条目的每份文档添加条目。`path` 与其标题中的路径逐字相同；`desc` 用一句中文说明该文档规定了什么、\
         何时需要阅读。\n\
         2. 修正与文档不再相符的 `desc`；删除文件已不存在的条目。\n\
         3. 文件中其余内容（包括注释和顺序）保持不变，也不要改动其他文件。\n\n\
         ```yaml\nresource_index:\n  - path: <路径>\n    desc: <一句话>\n```\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::excerpt::SHOWN_LINES;
    use super::*;
    use crate::files::MemoryTree;

    fn written(content: &[u8]) -> String {
        let tree = MemoryTree::new([("logos/a.md", content)]);
        let paths = [RepoPath::of("logos/a.md")];
        let out = prompt(&tree, b"modules: []\r\n", None, &paths, &Voice::default()).expect("readable");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn a_document_is_shown_up_to_its_eightieth_line() {
        let text = "line\n".repeat(SHOWN_LINES);
        let out = written(format!("{text}last\n").as_bytes());
        assert!(
            out.ends_with("line\n```\n\n(the first 80 of 81 lines)\n"),
            "{out}"
        );
        assert!(written(text.as_bytes()).ends_with("line\n```\n"));
    }

    #[test]
    fn a_fence_in_a_document_does_not_end_the_one_around_it() {
        assert!(written(b"a\n````\nb\n").ends_with("\n`````md\na\n````\nb\n`````\n"));
    }

    #[test]
    fn what_is_no_text_is_named_and_not_shown() {
        assert!(written(b"\x89PNG\0\0").ends_with("### `logos/a.md`\n\n(not a text)\n"));
        assert!(written(b"").ends_with("(empty)\n"));
    }

    #[test]
    fn the_registry_is_shown_as_it_is() {
        assert!(written(b"").contains("```yaml\nmodules: []\r\n```\n"));
    }
}
