//! Who made a document, and when: front matter, or plain lines in its first lines.

use super::{Code, Findings};
use crate::clock::Timestamp;
use crate::text::{decode, trim};

/// Lines that count where there is no front matter.
const HEAD: usize = 20;

pub(super) fn judge(bytes: &[u8], found: &mut Findings<'_>) {
    let text = decode(bytes);
    let mut lines = text.lines().enumerate();
    let head: Vec<(usize, &str)> = if text.lines().next().map(trim) == Some("---") {
        lines
            .by_ref()
            .skip(1)
            .take_while(|(_, line)| trim(line) != "---")
            .collect()
    } else {
        lines.take(HEAD).collect()
    };
    let value = |key: &str| {
        head.iter().find_map(|(at, line)| {
            let rest = trim(line).strip_prefix(key)?.trim_start();
            let value = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'))?;
            Some((*at, trim(value).trim_matches(['"', '\'']).to_owned()))
        })
    };
    if value("author").is_none_or(|(_, author)| author.is_empty()) {
        found.warn(Code::MetadataMissing, None, "author");
    }
    match value("created_at") {
        None => found.warn(Code::MetadataMissing, None, "created_at"),
        Some((at, time)) => {
            if time.len() != 19 || time.as_bytes()[10] != b' ' || Timestamp::parse(&time).is_none() {
                found.warn(Code::MetadataFormat, Some(at), time);
            }
        }
    }
}
