//! Titles that a mistyped anchor may mean: for hints, and for the fixes that have exactly one reading (change.md 2.6).

use super::Document;
use crate::text::{edit_distance, is_space, trim};

/// How many titles a hint lists.
const SHOWN: usize = 5;

/// A title without heading marks, case, width and blanks.
pub fn loose(title: &str) -> String {
    let folded = title.chars().map(|c| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        c => c,
    });
    let text: String = folded
        .filter(|c| !is_space(*c))
        .flat_map(char::to_lowercase)
        .collect();
    text.trim_start_matches('#').to_owned()
}

/// A title without the number or lettered id that it begins with.
pub fn without_number(title: &str) -> &str {
    let title = trim(title.trim_start_matches('#'));
    let Some((first, rest)) = title.split_once(is_space) else {
        return title;
    };
    let bare = first.trim_end_matches(['.', ':', '：', '、']);
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let numbered = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
        && bare.len() - digits.len() <= 1;
    if numbered { trim(rest) } else { title }
}

/// The titles of a document nearest to one, the nearest first: equal when loosened, equal without numbers, then by
/// edit distance.
pub fn nearest(document: &Document, title: &str) -> Vec<String> {
    let wanted = (loose(title), loose(without_number(title)));
    let mut found: Vec<(usize, usize, &str)> = Vec::new();
    for (at, heading) in document.headings().iter().enumerate() {
        let own = (loose(&heading.plain), loose(without_number(&heading.plain)));
        let distance = if own.0 == wanted.0 {
            0
        } else if own.1 == wanted.1 {
            1
        } else {
            2 + edit_distance(&own.1, &wanted.1)
        };
        found.push((distance, at, &heading.plain));
    }
    found.sort_unstable();
    let mut out: Vec<String> = Vec::new();
    for (_, _, title) in found {
        if !out.iter().any(|seen| seen == title) && out.len() < SHOWN {
            out.push(title.to_owned());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_titles_come_before_far_ones() {
        let doc = Document::scan("# Toll tests\n## Unit cases\n## S20: Returns\n## 1.2 Stock\n");
        assert_eq!(nearest(&doc, "Unit case")[0], "Unit cases");
        assert_eq!(nearest(&doc, "### S20: Returns")[0], "S20: Returns");
        assert_eq!(nearest(&doc, "stock")[0], "1.2 Stock");
    }

    #[test]
    fn numbers_and_lettered_ids_are_prefixes() {
        assert_eq!(without_number("1.2 Stock"), "Stock");
        assert_eq!(without_number("S20: Returns"), "Returns");
        assert_eq!(without_number("Stock 2"), "Stock 2");
    }
}
