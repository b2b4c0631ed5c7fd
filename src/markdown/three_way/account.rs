//! Whether a merge accounts for everything: no line of either side may get lost (git.md 6, "Postcondition").

use std::collections::HashMap;

use crate::markdown::cells;
use crate::text::lines;

/// How often each line stands in a text. Blank lines do not count, nor do blanks around the cells of a row.
fn counted(text: &[u8]) -> HashMap<Vec<u8>, usize> {
    let mut counts = HashMap::new();
    for line in lines(text) {
        let line = line.span.of(text).trim_ascii();
        if line.is_empty() {
            continue;
        }
        let key = match std::str::from_utf8(line) {
            Ok(row) if row.starts_with('|') => cells(row).join("\u{0}").into_bytes(),
            Ok(_) | Err(_) => line.to_vec(),
        };
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// Whether `result`, marks included, holds every line that a side brought, and every line that both left alone; the
/// lines of `given_up` apart. `versions` are base, one side, and the other.
pub fn is_complete(versions: [&[u8]; 3], result: &[u8], given_up: &[u8]) -> bool {
    let [base, one, other] = versions.map(counted);
    let (result, given_up) = (counted(result), counted(given_up));
    let count = |of: &HashMap<Vec<u8>, usize>, line: &Vec<u8>| of.get(line).copied().unwrap_or(0);
    let mut all: Vec<&Vec<u8>> = one.keys().chain(other.keys()).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter()
        .filter(|line| !given_up.contains_key(*line))
        .all(|line| {
            let (b, o, t) = (count(&base, line), count(&one, line), count(&other, line));
            // Who has more of it brought some; who has less took some away.
            let least = if o >= b && t >= b { o.max(t) } else { o.min(t) };
            count(&result, line) >= least
        })
}
