//! Code spans of one line (change.md 1.3).

use std::ops::Range;

/// The code spans of a line, delimiters included: a run of n backticks pairs with the next run of exactly n.
pub fn code_spans(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    if !bytes.contains(&b'`') {
        return Vec::new();
    }
    let mut runs = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'`' {
            let len = bytes[at..].iter().take_while(|b| **b == b'`').count();
            runs.push(at..at + len);
            at += len;
        } else {
            at += 1;
        }
    }
    let mut spans = Vec::new();
    let mut next = 0;
    while next < runs.len() {
        let open = &runs[next];
        match runs[next + 1..].iter().position(|run| run.len() == open.len()) {
            Some(offset) => {
                let close = next + 1 + offset;
                spans.push(open.start..runs[close].end);
                next = close + 1;
            }
            None => next += 1,
        }
    }
    spans
}

/// The line without its code spans. A run without partner stays.
pub fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in code_spans(text) {
        out.push_str(&text[at..span.start]);
        at = span.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::without_code;

    #[test]
    fn runs_pair_with_the_next_run_of_the_same_length() {
        assert_eq!(without_code("a `b` c ``d ` e`` f ` g"), "a  c  f ` g");
        assert_eq!(without_code("```x` y"), "```x` y");
    }
}
