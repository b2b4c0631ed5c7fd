//! The report of a verification, under either of its names (silly.md 9).

use std::iter::once;

use super::sections::Sections;
use crate::files::{ReadError, RepoPath, Tree};
use crate::text::{Bytes, without_mark};

/// The section that says it.
pub const TITLE: &str = "结论";

/// The name that is written, and wins; the other one is read too.
pub const NAMES: [&str; 2] = ["verification.md", "verify-result.md"];

/// What a verification came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    Pass,
    PassWithNotes,
    Fail,
}

/// The report of a change.
pub fn load(tree: &dyn Tree, folder: &RepoPath) -> Result<Option<(RepoPath, Bytes)>, ReadError> {
    for name in NAMES {
        let path = folder.join(name);
        if let Some(bytes) = tree.read(&path)? {
            return Ok(Some((path, bytes)));
        }
    }
    Ok(None)
}

/// What the section 结论 says; none if there is none, or it says something else, or several things.
pub fn conclusion(bytes: &[u8]) -> Option<Conclusion> {
    let lines = lines_of(bytes)?;
    lines.iter().find_map(|line| {
        let verdicts = verdicts(line);
        match verdicts.as_slice() {
            [] => None,
            // It begins with it; what follows explains it, unless it is the choice that a template offers.
            [(first, true), rest @ ..] if rest.is_empty() || !is_choice(line) => Some(Some(*first)),
            all => Some(
                all.iter()
                    .all(|(other, _)| *other == all[0].0)
                    .then_some(all[0].0),
            ),
        }
    })?
}

/// Whether the section says, or may say, that it failed. What is not clear does not count as passed.
pub fn may_have_failed(bytes: &[u8]) -> bool {
    let says_so = |line: &String| words(line).iter().any(|word| word.starts_with("FAIL"));
    match conclusion(bytes) {
        Some(conclusion) => conclusion == Conclusion::Fail,
        None => lines_of(bytes).is_some_and(|lines| lines.iter().any(says_so)),
    }
}

/// What stands behind the word of the heading, and the lines below it.
fn lines_of(bytes: &[u8]) -> Option<Vec<String>> {
    let sections = Sections::of(without_mark(bytes));
    let (at, title) = sections.titles().find(|(_, title)| {
        title
            .strip_prefix(TITLE)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '：']))
    })?;
    let behind = title[TITLE.len()..].to_owned();
    let document = sections.document();
    let heading = document
        .headings()
        .iter()
        .position(|heading| heading.line == at)?;
    let below = sections.texts(document.section(heading));
    Some(
        once(behind)
            .chain(below.into_iter().map(|(_, line)| line))
            .collect(),
    )
}

fn words(line: &str) -> Vec<String> {
    line.to_uppercase()
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The verdicts of a line in their order, each with whether it is the first word.
fn verdicts(line: &str) -> Vec<(Conclusion, bool)> {
    let words = words(line);
    let begins = line
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .starts_with(|c: char| c.is_ascii_alphabetic());
    let found = words.iter().enumerate().filter_map(|(at, word)| {
        let verdict = match word.as_str() {
            "FAIL" => Conclusion::Fail,
            "PASS" if words[at..].starts_with(&["PASS", "WITH", "NOTES"].map(str::to_owned)) => {
                Conclusion::PassWithNotes
            }
            "PASS" => Conclusion::Pass,
            _ => return None,
        };
        Some((verdict, begins && at == 0))
    });
    found.collect()
}

/// Whether a line offers verdicts to choose from.
fn is_choice(line: &str) -> bool {
    line.contains(['/', '|', '／', '、'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_section_decide() {
        for (text, expected) in [
            (
                "## 结论\n\n**PASS WITH NOTES**\n",
                Some(Conclusion::PassWithNotes),
            ),
            ("## 6. 结论（必填）\npass\n", Some(Conclusion::Pass)),
            ("### 结论\nFAIL: x\n", Some(Conclusion::Fail)),
            ("## 结论\n通过\n## 其他\nFAIL\n", None),
            ("PASS\n", None),
            ("## 结论\nPASS（无 FAIL 项）\n", Some(Conclusion::Pass)),
            ("## 结论\n**PASS**, no fail found\n", Some(Conclusion::Pass)),
            ("## 结论\nPASS / PASS WITH NOTES / FAIL\n", None),
            ("## 结论\n验证通过：PASS\n", Some(Conclusion::Pass)),
            ("## 结论\n没有 FAIL，所以 PASS\n", None),
            ("## 结论：FAIL\n", Some(Conclusion::Fail)),
            ("\u{feff}## 结论：\nFAIL\n", Some(Conclusion::Fail)),
            ("## 结论\nFAILED\n", None),
        ] {
            assert_eq!(conclusion(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_clear_has_not_passed() {
        for (text, expected) in [
            ("## 结论\nFAILED\n", true),
            ("## 结论\nPASS / PASS WITH NOTES / FAIL\n", true),
            ("## 结论\nPASS（无 FAIL 项）\n", false),
            ("## 结论\n通过\n", false),
            ("# V\n", false),
        ] {
            assert_eq!(may_have_failed(text.as_bytes()), expected, "{text}");
        }
    }
}
