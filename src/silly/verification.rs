//! The report of a verification, under either of its names (silly.md 9).

use super::sections::Sections;
use crate::files::{ReadError, RepoPath, Tree};
use crate::text::Bytes;

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

/// What the section 结论 says; none if there is none, or it says something else.
pub fn conclusion(bytes: &[u8]) -> Option<Conclusion> {
    let sections = Sections::of(bytes);
    let section = sections.find(&["结论"])?;
    let told = sections.texts(section);
    told.iter().find_map(|(_, line)| {
        let words: Vec<String> = line
            .to_uppercase()
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let has = |word: &str| words.iter().any(|w| w == word);
        let with_notes = words.windows(3).any(|w| w == ["PASS", "WITH", "NOTES"]);
        match () {
            () if has("FAIL") => Some(Conclusion::Fail),
            () if with_notes => Some(Conclusion::PassWithNotes),
            () if has("PASS") => Some(Conclusion::Pass),
            () => None,
        }
    })
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
        ] {
            assert_eq!(conclusion(text.as_bytes()), expected, "{text}");
        }
    }
}
