//! The status in the front matter of a file, of which no more is read than its head.

use std::io::Read;

use crate::files::{ReadError, RepoPath, Tree};
use crate::state::front::{OPENING, Parts};
use crate::text::{decode, trim};

/// How much is read at once; front matter is hardly ever longer.
const PIECE: usize = 4096;

/// Front matter that does not end within so much is none.
const LONGEST: usize = 256 * 1024;

/// The `status` of a file without a trailing comment; none if it has none, or is gone.
pub(super) fn status(tree: &dyn Tree, path: &RepoPath) -> Result<Option<String>, ReadError> {
    let Some(mut file) = tree.open(path)? else {
        return Ok(None);
    };
    let mut head = Vec::with_capacity(PIECE);
    loop {
        let before = head.len();
        let piece = u64::try_from(PIECE).unwrap_or(u64::MAX);
        let read = (&mut file).take(piece).read_to_end(&mut head);
        read.map_err(|source| ReadError::new(path, source))?;
        if head.len() == before || has_whole_front(&head) || head.len() >= LONGEST {
            break;
        }
    }
    let text = decode(&head);
    let front = Parts::of(&text).front;
    Ok(front.and_then(|front| {
        front
            .text("status")
            .map(|status| without_comment(status).to_owned())
    }))
}

/// Whether no more of the file can matter: it has no front matter, or has all of it.
fn has_whole_front(head: &[u8]) -> bool {
    let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
    let opening = OPENING.as_bytes();
    if text.len() <= opening.len() {
        return false;
    }
    let closing = [b"\n", opening].concat();
    !text.starts_with(opening) || bstr::ByteSlice::contains_str(&text[opening.len()..], closing)
}

/// A value without ` # …` at its end, and without the quotes that the comment kept from being taken off.
fn without_comment(value: &str) -> &str {
    let value = value.find(" #").map_or(value, |at| &value[..at]);
    trim(trim(value).trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn of(text: &str) -> Option<String> {
        let tree = MemoryTree::new([("a.md", text)]);
        status(&tree, &RepoPath::of("a.md")).expect("memory can be read")
    }

    #[test]
    fn a_status_stands_in_the_front_matter_alone() {
        assert_eq!(
            of("---\nphase: 1\nstatus: superseded\n---\n# Plan\n").as_deref(),
            Some("superseded")
        );
        assert_eq!(
            of("\u{feff}---\r\nstatus: blocked\r\n---\r\n").as_deref(),
            Some("blocked")
        );
        assert_eq!(of("# Plan\nstatus: superseded\n"), None);
        assert_eq!(of("---\nstatus: superseded\n"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn a_trailing_comment_does_not_count() {
        assert_eq!(
            of("---\nstatus: blocked # waits for wood\n---\n").as_deref(),
            Some("blocked")
        );
        assert_eq!(
            of("---\nstatus: \"blocked\" # waits\n---\n").as_deref(),
            Some("blocked")
        );
        assert_eq!(of("---\nstatus: blocked#1\n---\n").as_deref(), Some("blocked#1"));
    }

    #[test]
    fn long_front_matter_is_read_to_its_end() {
        let long = format!("---\nnote: {}\nstatus: blocked\n---\n", "x".repeat(3 * PIECE));
        assert_eq!(of(&long).as_deref(), Some("blocked"));
    }

    #[test]
    fn a_missing_file_has_none() {
        let none = status(&MemoryTree::default(), &RepoPath::of("a.md")).expect("memory can be read");
        assert_eq!(none, None);
    }
}
