//! Where the entries of a list stand in the text.

use super::Planned;
use crate::text::{is_blank_line, lines};
use crate::yaml::List;
use crate::yaml::edit::column;

pub(super) const NO_PLACE: &str = "its place in the file is not found";

/// The column of the dashes: of the one that the list begins with, or of the one before its first entry.
pub(super) fn dash_column(bytes: &[u8], list: &List) -> Planned<usize> {
    let first = list.span.start;
    if bytes.get(first) == Some(&b'-')
        && bytes[first - column(bytes, first)..first]
            .iter()
            .all(|b| *b == b' ')
    {
        return Ok(column(bytes, first));
    }
    let item = list.items.first().ok_or(NO_PLACE)?;
    dash_before(bytes, item.span().start).map(|dash| column(bytes, dash))
}

/// The dash before an entry; between the two are blanks only, and before it in its line too.
pub(super) fn dash_before(bytes: &[u8], item: usize) -> Planned<usize> {
    let blank = |b: &&u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
    let blanks = bytes[..item].iter().rev().take_while(blank).count();
    let dash = (item - blanks).checked_sub(1).ok_or(NO_PLACE)?;
    let start = dash - column(bytes, dash);
    let begins_line = bytes[start..dash].iter().all(|b| *b == b' ');
    (bytes[dash] == b'-' && begins_line)
        .then_some(dash)
        .ok_or(NO_PLACE)
}

/// Behind the comments from `from` on that are indented by `least` or more.
pub(super) fn behind_comments(bytes: &[u8], from: usize, least: usize) -> usize {
    let rest = &bytes[from..];
    let mut behind = from;
    for line in lines(rest) {
        let text = line.span.of(rest);
        let indent = text.iter().take_while(|b| **b == b' ').count();
        if indent >= least && text.get(indent) == Some(&b'#') {
            behind = from + line.next;
        } else if !is_blank_line(text) {
            break;
        }
    }
    behind
}
