//! The index of a folder of knowledge, and which entries a text asks for (silly.md 10, "Knowledge index").

use std::sync::LazyLock;

use regex::Regex;

use super::layout::KNOWLEDGE_INDEX;
use crate::files::{ReadError, RepoPath, Tree};
use crate::markdown::Document;
use crate::text::{js, trim, without_mark};

/// One document and the words that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub file: String,
    /// Empty: the whole file.
    pub anchor: String,
    pub keywords: Vec<String>,
    /// Empty before the first category.
    pub category: String,
    pub title: String,
}

static CATEGORY: LazyLock<Regex> = LazyLock::new(|| js(r"^##\s+(.+)$"));
static LINKED: LazyLock<Regex> =
    LazyLock::new(|| js(r"^[-*]\s+(.+?)\s*(?:→|->)\s*\[([^\]]*)\]\(([^)#]*)(?:#([^)]*))?\)"));
static PLAIN: LazyLock<Regex> =
    LazyLock::new(|| js(r"^(?:[-*]\s+)?(.+?)\s*→\s*([^\s#\[\]()]+)(?:#(\S+))?\s*$"));

/// The entries of the index in a folder; a missing one has none.
pub fn load(tree: &dyn Tree, folder: &RepoPath) -> Result<Vec<Entry>, ReadError> {
    Ok(tree
        .read(&folder.join(KNOWLEDGE_INDEX))?
        .map(|bytes| parse(&bytes))
        .unwrap_or_default())
}

/// The entries of an index, in file order.
pub fn parse(bytes: &[u8]) -> Vec<Entry> {
    let document = Document::scan(without_mark(bytes));
    let mut category = String::new();
    let mut entries = Vec::new();
    for (_, line) in document.unmasked(document.all_lines()) {
        if let Some(found) = CATEGORY.captures(&line) {
            trim(&found[1]).clone_into(&mut category);
        } else if let Some(entry) = entry_of(&line, &category) {
            entries.push(entry);
        }
    }
    entries
}

fn entry_of(line: &str, category: &str) -> Option<Entry> {
    let (words, title, file, anchor) = if let Some(found) = LINKED.captures(line) {
        let anchor = found.get(4).map(|anchor| anchor.as_str().to_owned());
        (
            found[1].to_owned(),
            found[2].to_owned(),
            found[3].to_owned(),
            anchor,
        )
    } else {
        let found = PLAIN.captures(line)?;
        let anchor = found.get(3).map(|anchor| anchor.as_str().to_owned());
        (
            found[1].to_owned(),
            found[2].to_owned(),
            found[2].to_owned(),
            anchor,
        )
    };
    let file = trim(&file).to_owned();
    // A link within the index leads to no document.
    (!file.is_empty()).then(|| Entry {
        file,
        anchor: anchor.unwrap_or_default(),
        keywords: words
            .split('|')
            .map(|word| trim(word).to_owned())
            .filter(|word| !word.is_empty())
            .collect(),
        category: category.to_owned(),
        title: trim(&title).to_owned(),
    })
}

/// The entries with a word that stands in a text.
pub fn asked_for<'e>(entries: &'e [Entry], text: &str) -> Vec<&'e Entry> {
    let text = text.to_lowercase();
    let is_asked = |entry: &&Entry| entry.keywords.iter().any(|word| stands_in(word, &text));
    entries.iter().filter(is_asked).collect()
}

/// `text` is in lower case.
fn stands_in(word: &str, text: &str) -> bool {
    let word = word.to_lowercase();
    if word.chars().nth(1).is_none() {
        return false;
    }
    if !word.is_ascii() {
        return text.contains(&word);
    }
    let touches = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.match_indices(&word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !touches(before.chars().next_back()) && !touches(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ascii_word_may_touch_chinese_letters_only() {
        let entries = parse("- DB|c++ → [db](db.md)\n".as_bytes());
        for (text, is_asked) in [
            ("给db加索引", true),
            ("dbx", false),
            ("use c++.", true),
            ("9db", false),
        ] {
            assert_eq!(!asked_for(&entries, text).is_empty(), is_asked, "{text}");
        }
    }

    #[test]
    fn comments_hold_no_entries() {
        assert!(parse("<!-- a|b → c.md -->\n```\nab → c.md\n```\n".as_bytes()).is_empty());
        assert_eq!(parse("ab|cd → c.md#x\n".as_bytes())[0].anchor, "x");
        assert!(parse("- ab → [b](#here)\n".as_bytes()).is_empty());
    }
}
