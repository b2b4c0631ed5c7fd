//! What stands in one cell: names as people write them, texts that are made safe for one.

use crate::text::{escape, is_space};

/// Whether a cell holds a word or sign for nothing.
pub fn is_nothing(cell: &str) -> bool {
    cell.chars().all(|c| matches!(c, '-' | '–' | '—' | '/')) || cell == "无"
}

/// A cell without what people write around a name.
pub fn bare(cell: &str) -> &str {
    cell.trim_matches(['`', '*', ' '])
}

/// Whether a cell is a name, as written or bare.
pub fn is_name(cell: &str, name: &str) -> bool {
    cell == name || bare(cell) == name
}

/// A text of a stranger as the content of one cell: it can neither end the cell nor hide the line.
pub fn in_cell(text: &str) -> String {
    let text = escape(text);
    // A table drops white space at the ends of a cell, and stars there are taken for emphasis.
    let is_outer = |c: char| is_space(c) || c == '*';
    let start = text.len() - text.trim_start_matches(is_outer).len();
    let end = text.trim_end_matches(is_outer).len();
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '|' => out.push_str("\\|"),
            '`' => out.push_str("&#96;"),
            '<' => out.push_str("&lt;"),
            '&' if text[at..].starts_with("&#") || text[at..].starts_with("&lt;") => out.push_str("&amp;"),
            c if at < start || at >= end => out.push_str(&format!("&#{};", c as u32)),
            c => out.push(c),
        }
    }
    out
}

/// A cell as it is written in one table, for another: bars that only a code span keeps together get a backslash.
pub fn carried(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    for c in cell.chars() {
        if c == '|' && !out.ends_with('\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::cells;

    #[test]
    fn what_stands_in_a_cell_cannot_leave_it() {
        for name in [
            "a|b", "a`b", "<!-- x", "a\nb", " a ", "a\\|b", "&#96;", "a&lt;", "**", "*a",
        ] {
            let cell = in_cell(name);
            let line = format!("| {cell} | x`y |");
            assert_eq!(cells(&line), [cell.as_str(), "x`y"], "{name}");
            assert!(!cell.contains("<!--") && !cell.contains('\n'), "{name}");
        }
        assert_ne!(in_cell("a`b"), in_cell("a&#96;b"));
        assert!(!is_name(&in_cell("*a*"), "a"));
        assert_eq!(carried(r"`a|b` c\|d"), r"`a\|b` c\|d");
    }
}
