//! How a document begins, for work instructions that hold it (logos-project.md 9.5 and 11.2).

use crate::files::RepoPath;
use crate::say;
use crate::text::{decode, escape, lines};
use crate::voice::Voice;

/// How many lines of a document are shown.
pub const SHOWN_LINES: usize = 80;

/// A document by its path, and how it begins.
pub fn excerpt(path: &RepoPath, content: &[u8], voice: &Voice) -> String {
    let path = path.text();
    let mut out = format!("\n### `{}`\n\n", escape(&path));
    if content.contains(&0) {
        out += &say!(voice, "(not a text)\n", "（非文本文件）\n");
        return out;
    }
    let all = lines(content);
    if all.is_empty() {
        out += &say!(voice, "(empty)\n", "（空文件）\n");
        return out;
    }
    let shown = all.iter().take(SHOWN_LINES);
    let beginning: Vec<_> = shown.map(|line| decode(line.span.of(content))).collect();
    let language = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let plain = language.bytes().all(|b| b.is_ascii_alphanumeric());
    out += &fenced(&beginning.join("\n"), if plain { language } else { "" });
    if all.len() > SHOWN_LINES {
        let count = all.len();
        out += &say!(
            voice,
            "\n(the first {SHOWN_LINES} of {count} lines)\n",
            "\n（共 {count} 行，此处为前 {SHOWN_LINES} 行）\n"
        );
    }
    out
}

/// A text between fences that nothing in it can close.
pub fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}
