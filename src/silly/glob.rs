//! Patterns of paths (silly.md 10, "Glob"). One place for them: module maps and the `glob` command.

use regex::Regex;

/// Whether a pattern and a path belong together: equal, one a folder above the other, or the pattern matches, either way
/// round.
pub fn matches(pattern: &str, path: &str) -> bool {
    is_at_or_below(path, pattern)
        || is_at_or_below(pattern, path)
        || expression(pattern, "").is_match(path)
        || expression(path, "").is_match(pattern)
}

/// Whether a path is a folder or lies in it.
pub fn is_at_or_below(path: &str, folder: &str) -> bool {
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a path is what a pattern with stars says, or lies below it.
pub fn is_matched_or_below(path: &str, pattern: &str) -> bool {
    expression(pattern, "(?:/.*)?").is_match(path)
}

/// Whether it holds a sign that stands for others.
pub fn has_stars(pattern: &str) -> bool {
    pattern.contains(['*', '?'])
}

fn expression(pattern: &str, rest: &str) -> Regex {
    let mut out = String::from("(?s)^");
    let mut left = pattern;
    while let Some(c) = left.chars().next() {
        let (taken, piece) = if left.starts_with("**/") {
            (3, "(?:.*/)?".to_owned())
        } else if left.starts_with("**") {
            (2, ".*".to_owned())
        } else if c == '*' {
            (1, "[^/]*".to_owned())
        } else if c == '?' {
            (1, "[^/]".to_owned())
        } else {
            (c.len_utf8(), regex::escape(c.encode_utf8(&mut [0; 4])))
        };
        out.push_str(&piece);
        left = &left[taken..];
    }
    out.push_str(rest);
    out.push('$');
    Regex::new(&out).expect("everything but the stars is escaped")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_in_their_part_and_double_stars_do_not() {
        for (pattern, path, expected) in [
            ("src/*/x.rs", "src/a/x.rs", true),
            ("src/*/x.rs", "src/a/b/x.rs", false),
            ("**/x.rs", "x.rs", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("src/core/", "src/core/a", true),
            ("src/core/a", "src/core", true),
            ("src/[a].rs", "src/a.rs", false),
            ("src/a.rs", "src/*", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
