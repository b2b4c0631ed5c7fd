//! The document of a module (silly.md 11, "Module documents"): made where it is missing, else its three head lines and its
//! index of changes brought up to a change. Its prose is never touched.
//!
//! A change has one row in the index. Where it is there already, the change was synchronised before, and the document says
//! so: then day and change of the head are left alone, unless the row is the last one and the head names another change.

use std::sync::LazyLock;

use regex::Regex;

use super::sections::Sections;
use super::table::{Fault, Shape, Table, end_of, in_cell, is_name, is_nothing, with_tables};
use crate::markdown::Document;
use crate::text::{Bytes, Span, escape, js, splice, trim};

/// The index of changes.
const INDEX: Shape = Shape {
    title: "变更索引",
    columns: &["日期", "变更", "摘要"],
    delimiter: "|------|------|------|",
};
/// The lines of the head, in their order.
const HEAD: [&str; 3] = ["最后更新", "最近变更", "模块路径"];
static HEAD_LINE: LazyLock<Regex> =
    LazyLock::new(|| js(r"^>\s*(最后更新|最近变更|模块路径)\s*[:：]\s*(.*?)\s*$"));

/// What the document is about.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'f> {
    pub module: &'f str,
    pub description: Option<&'f str>,
    pub paths: &'f [String],
    pub change: &'f str,
    /// As `YYYY-MM-DD`.
    pub today: &'f str,
    /// The content of one cell; may be empty.
    pub summary: &'f str,
}

/// Plans the document; `existing` is what is there.
pub fn plan(existing: Option<&[u8]>, facts: &Facts<'_>) -> Result<Bytes, Fault> {
    let made;
    let start = if let Some(existing) = existing {
        existing
    } else {
        made = skeleton(facts);
        made.as_bytes()
    };
    let bytes = with_tables(start, &[&INDEX])?;
    let sections = Sections::of(&bytes);
    let document = sections.document();
    let lines = sections.find(&[INDEX.title]);
    let found = lines.map(|lines| Table::find(document, lines, &INDEX));
    let mut table = found.transpose()?.flatten().ok_or(Fault::NoTable(INDEX.title))?;
    let head = Head::of(document);
    let values = index_change(&mut table, &head, facts);
    let mut edits = head.edits(document, &values);
    edits.push(table.edit(document));
    edits.sort_by_key(|(span, _)| span.start);
    Ok(splice(&bytes, &edits))
}

/// Sees to the row of the change, and tells what the head is to say; none stays as it is.
fn index_change(table: &mut Table, head: &Head, facts: &Facts<'_>) -> [Option<String>; 3] {
    let [day, change, summary] = [0, 1, 2].map(|at| table.column(at));
    let name = in_cell(facts.change);
    let known = table.rows.iter().position(|row| is_name(row.cell(change), &name));
    let paths: Vec<String> = facts.paths.iter().map(|path| escape(path).into_owned()).collect();
    let globs = Some(paths.join(", "));
    let now = || [Some(facts.today.to_owned()), Some(name.clone())];
    let [updated, latest] = match known {
        None => {
            let row = table.row(&[facts.today, &name, facts.summary]);
            table.rows.push(row);
            now()
        }
        Some(at) => {
            let is_last = at + 1 == table.rows.len();
            let row = &mut table.rows[at];
            if is_nothing(row.cell(summary)) && !facts.summary.is_empty() {
                row.set(summary, facts.summary);
            }
            match head.value(1) {
                Some(latest) if is_last && latest != name => now(),
                _ => [(0, day), (1, change)].map(|(at, column)| match head.value(at) {
                    Some(value) if !value.is_empty() => None,
                    _ => table.rows.last().map(|row| row.cell(column).to_owned()),
                }),
            }
        }
    };
    [updated, latest, globs]
}

/// The head lines that a document has.
struct Head {
    /// By their place in [`HEAD`]: the line, and what it says.
    lines: [Option<(usize, String)>; 3],
}

impl Head {
    /// Those before the first section.
    fn of(document: &Document) -> Self {
        let sections = document.headings().iter().find(|heading| heading.level > 1);
        let end = sections.map_or(document.line_count(), |heading| heading.line);
        let mut lines = [None, None, None];
        for (line, text) in document.unmasked(0..end) {
            if let Some(found) = HEAD_LINE.captures(&text)
                && let Some(at) = HEAD.iter().position(|key| *key == &found[1])
                && lines[at].is_none()
            {
                lines[at] = Some((line, found[2].to_owned()));
            }
        }
        Self { lines }
    }

    fn value(&self, at: usize) -> Option<&str> {
        self.lines[at].as_ref().map(|(_, value)| value.as_str())
    }

    /// What makes the head say these values; a line that is missing comes to the others.
    fn edits(&self, document: &Document, values: &[Option<String>; 3]) -> Vec<(Span, Bytes)> {
        let end = end_of(document);
        let mut edits = Vec::new();
        let mut new: Vec<(usize, String)> = Vec::new();
        for (at, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            match &self.lines[at] {
                Some((_, known)) if known == trim(value) => {}
                Some((line, known)) => edits.push(value_edit(document, *line, known, value)),
                None => {
                    let before = self.lines[..at].iter().rev().flatten().next();
                    let after = self.lines[at + 1..].iter().flatten().next();
                    let place = match (before, after) {
                        (Some((line, _)), _) => line + 1,
                        (None, Some((line, _))) => *line,
                        (None, None) => usize::MAX,
                    };
                    new.push((place, format!("> {}：{value}", HEAD[at])));
                }
            }
        }
        let is_block = self.lines.iter().all(Option::is_none);
        if is_block && !new.is_empty() {
            let lines: Vec<&str> = new.iter().map(|(_, line)| line.as_str()).collect();
            let lines = lines.join(end) + end;
            edits.push(block(document, &lines, end));
            return edits;
        }
        for (place, line) in new {
            let at = document.span(place..place).start;
            let open = at > 0 && !document.bytes()[..at].ends_with(b"\n");
            let text = if open {
                format!("{end}{line}")
            } else {
                format!("{line}{end}")
            };
            edits.push((Span::new(at, at), text.into_bytes()));
        }
        edits
    }
}

/// The three lines where there was none: below the title, else at the beginning of the text.
fn block(document: &Document, lines: &str, end: &str) -> (Span, Bytes) {
    let title = document.headings().first().filter(|heading| heading.level == 1);
    let mut at = title.map_or_else(|| front_matter(document), |title| title.line + 1);
    let mut lead = "";
    if title.is_some() || at > 0 {
        lead = end;
        if at < document.line_count() && document.is_blank(at) {
            at += 1;
            lead = "";
        }
    }
    let is_apart = at >= document.line_count() || document.is_blank(at);
    let tail = if is_apart { "" } else { end };
    let start = document.span(at..at).start.max(byte_order_mark(document));
    let open = if document.bytes()[..start].ends_with(b"\n") || start == byte_order_mark(document) {
        ""
    } else {
        end
    };
    let text = format!("{open}{lead}{lines}{tail}");
    (Span::new(start, start), text.into_bytes())
}

fn byte_order_mark(document: &Document) -> usize {
    if document.bytes().starts_with("\u{feff}".as_bytes()) {
        3
    } else {
        0
    }
}

/// The first line behind front matter.
fn front_matter(document: &Document) -> usize {
    let is_mark = |line: &usize| trim(&document.raw(*line)) == "---";
    if document.line_count() == 0 || !is_mark(&0) {
        return 0;
    }
    (1..document.line_count())
        .find(is_mark)
        .map_or(0, |line| line + 1)
}

/// Another value behind the colon of a head line; what stands around it stays.
fn value_edit(document: &Document, line: usize, known: &str, value: &str) -> (Span, Bytes) {
    let start = document.span(line..line).start;
    let raw = document.line(line);
    let colon = [":", "："]
        .iter()
        .filter_map(|colon| bstr::ByteSlice::find(raw, colon).map(|at| at + colon.len()))
        .min()
        .unwrap_or(raw.len());
    let tail = &raw[colon..];
    let spaces = || tail.iter().take_while(|byte| **byte == b' ').count();
    let at = bstr::ByteSlice::find(tail, known).filter(|_| !known.is_empty());
    let at = colon + at.unwrap_or_else(spaces);
    let span = Span::new(start + at, start + at + known.len());
    (span, value.as_bytes().to_vec())
}

fn skeleton(facts: &Facts<'_>) -> String {
    let title = in_cell(facts.module);
    let purpose = facts.description.map_or_else(String::new, one_line);
    // What would open a section or a fence is no sentence.
    let read = Document::scan(purpose.as_bytes());
    let purpose = if purpose.is_empty() || read.unclosed().is_some() || !read.headings().is_empty() {
        String::new()
    } else {
        purpose + "\n"
    };
    let head = HEAD.map(|key| format!("> {key}：\n")).concat();
    format!(
        "# {title}\n\n{head}\n## 职责\n{purpose}\n## 当前设计\n\n\
         ## 对外接口\n| 接口 | 说明 | 调用方 |\n|------|------|--------|\n\n## 关键数据流\n\n\
         ## 设计决策\n| 决策 | 理由 | 来源 |\n|------|------|------|\n\n\
         ## 依赖关系\n### 依赖本模块\n\n### 本模块依赖\n\n## 注意事项\n\n{}",
        INDEX.text("\n")
    )
}

fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(trim).filter(|line| !line.is_empty()).collect();
    escape(&lines.join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts<'f>(change: &'f str, today: &'f str, paths: &'f [String]) -> Facts<'f> {
        Facts {
            module: "core",
            description: Some("keeps\nthings"),
            paths,
            change,
            today,
            summary: r"a \| b",
        }
    }

    fn done(existing: Option<&str>, change: &str, today: &str) -> String {
        let paths = ["src/core/**".to_owned(), "lib/*.rs".to_owned()];
        let bytes = plan(existing.map(str::as_bytes), &facts(change, today, &paths)).expect("sound");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn a_missing_document_has_every_heading() {
        let made = done(None, "csv", "2026-03-01");
        assert!(
            made.starts_with(
                "# core\n\n> 最后更新：2026-03-01\n> 最近变更：csv\n> 模块路径：src/core/**, lib/*.rs\n\n## 职责\nkeeps things\n\n## 当前设计\n"
            ),
            "{made}"
        );
        assert!(
            made.ends_with(
                "## 变更索引\n| 日期 | 变更 | 摘要 |\n|------|------|------|\n| 2026-03-01 | csv | a \\| b |\n"
            ),
            "{made}"
        );
        assert_eq!(done(Some(&made), "csv", "2026-03-09"), made, "once a change");
    }

    #[test]
    fn a_document_that_people_wrote_keeps_its_bytes() {
        let text = "\u{feff}# core\r\n\r\n>最后更新: 2026-01-01\r\n> 最近变更：old <!-- x -->\r\n> 模块路径： x  \r\n\r\nprose \r\n```\r\n## 变更索引\r\n```\r\n## 变更索引（必填）\r\n| 日期 | 变更 | 摘要 | 人 |\r\n|---|---|---|---|\r\n| 2026-01-01 | `old` | x | ada |\r\n\r\n## 其他\r\n";
        let out = done(Some(text), "new", "2026-03-01");
        let expected = text
            .replace("最后更新: 2026-01-01", "最后更新: 2026-03-01")
            .replace("最近变更：old <!-- x -->", "最近变更：new <!-- x -->")
            .replace("模块路径： x  ", "模块路径： src/core/**, lib/*.rs  ")
            .replace("| ada |\r\n", "| ada |\r\n| 2026-03-01 | new | a \\| b |  |\r\n");
        assert_eq!(out, expected);
        assert_eq!(done(Some(&out), "new", "2026-04-01"), out);
        assert_eq!(
            done(Some(&out), "old", "2026-04-01"),
            out,
            "an earlier change is not the latest again"
        );
    }

    #[test]
    fn what_is_missing_is_added_where_it_belongs() {
        let row = "| 2026-03-01 | csv | a \\| b |\n";
        let index = format!("## 变更索引\n| 日期 | 变更 | 摘要 |\n|------|------|------|\n{row}");
        let head = "> 最后更新：2026-03-01\n> 最近变更：csv\n> 模块路径：src/core/**, lib/*.rs\n";
        for (text, expected) in [
            ("# core\n", format!("# core\n\n{head}\n{index}")),
            ("# core\nprose", format!("# core\n\n{head}\nprose\n\n{index}")),
            ("", format!("{head}\n{index}")),
            (
                "---\na: b\n---\nx\n",
                format!("---\na: b\n---\n\n{head}\nx\n\n{index}"),
            ),
            ("# core\n\n> 最近变更：z\n", format!("# core\n\n{head}\n{index}")),
            (
                "# core\n## 变更索引\nwords\n## X\n",
                format!(
                    "# core\n\n{head}\n## 变更索引\nwords\n\n| 日期 | 变更 | 摘要 |\n|------|------|------|\n{row}\n## X\n"
                ),
            ),
        ] {
            let out = done(Some(text), "csv", "2026-03-01");
            assert_eq!(out, expected, "{text}");
            assert_eq!(done(Some(&out), "csv", "2026-03-02"), out, "{text}");
        }
    }

    #[test]
    fn a_row_that_is_there_is_only_completed() {
        let index = "## 变更索引\n| 日期 | 变更 | 摘要 |\n|---|---|---|\n| 2026-02-01 | csv |  |\n";
        let text = format!("# core\n\n> 最近变更：before\n\n{index}");
        let out = done(Some(&text), "csv", "2026-03-01");
        assert!(out.contains("> 最后更新：2026-03-01\n> 最近变更：csv\n"), "{out}");
        assert!(out.ends_with("| 2026-02-01 | csv | a \\| b |\n"), "{out}");
    }
}
