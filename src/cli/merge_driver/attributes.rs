//! The lines of an attributes file that name the documents which the driver merges.

use crate::text::{Bytes, line_end, lines, with_line_ends};

const BEGIN: &str = "# git-spec: begin";
/// The line before had no end: taking ours out takes it away again.
const BEGIN_BEHIND: &str = "# git-spec: begin (the line above had no end)";
const END: &str = "# git-spec: end";

/// What the driver merges.
const DOCUMENTS: [&str; 3] = [
    "**/logos/resources/**/*.md merge=spec",
    "**/logos/changes/*/deltas/**/*.md merge=spec",
    "**/.planning/STATE.md merge=spec",
];

/// The file with our lines, and with nothing else changed.
pub(super) fn with(file: &[u8]) -> Bytes {
    let rest = without(file);
    let open = rest.last().is_some_and(|b| *b != b'\n');
    let begin = if open { BEGIN_BEHIND } else { BEGIN };
    let mut block = String::new();
    if open {
        block.push('\n');
    }
    for line in [begin].into_iter().chain(DOCUMENTS).chain([END]) {
        block.push_str(line);
        block.push('\n');
    }
    [
        rest.as_slice(),
        &with_line_ends(block.as_bytes(), line_end(&rest)),
    ]
    .concat()
}

/// The file as it was without our lines.
pub(super) fn without(file: &[u8]) -> Bytes {
    let all = lines(file);
    let text = |at: usize| String::from_utf8_lossy(all[at].span.of(file)).into_owned();
    let begin = (0..all.len()).find(|at| [BEGIN, BEGIN_BEHIND].contains(&text(*at).as_str()));
    let Some(begin) = begin else {
        return file.to_vec();
    };
    let Some(end) = (begin..all.len()).find(|at| text(*at) == END) else {
        return file.to_vec();
    };
    let mut before = file[..all[begin].span.start].to_vec();
    if text(begin) == BEGIN_BEHIND {
        let ends = before.len()
            - before
                .strip_suffix(b"\r\n")
                .or(before.strip_suffix(b"\n"))
                .map_or(before.len(), <[u8]>::len);
        before.truncate(before.len() - ends);
    }
    before.extend_from_slice(&file[all[end].next..]);
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_is_once_and_taking_out_restores_every_byte() {
        for file in [
            "",
            "*.png binary\n",
            "*.png binary",
            "*.png binary\r\n*.x text\r\n",
            "\n\n",
        ] {
            let installed = with(file.as_bytes());
            assert_eq!(with(&installed), installed, "{file:?}");
            assert_eq!(without(&installed), file.as_bytes(), "{file:?}");
            assert!(String::from_utf8_lossy(&installed).contains(DOCUMENTS[0]));
        }
    }

    #[test]
    fn lines_of_others_below_ours_stay() {
        let mut grown = with(b"a\n");
        grown.extend_from_slice(b"b\n");
        assert_eq!(without(&grown), b"a\nb\n");
        assert_eq!(
            without(b"# git-spec: begin\nno end\n"),
            b"# git-spec: begin\nno end\n"
        );
    }
}
