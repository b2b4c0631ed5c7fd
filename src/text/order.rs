//! The two orders of the formats: by UTF-16 code units (change.md 1.1) and natural (change.md 6.7).

use std::cmp::Ordering;

/// Compares by UTF-16 code units, as ECMAScript does: a supplementary character sorts before U+E000.
pub fn utf16_cmp(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// Compares with digit runs as numbers and numbers before other text. Equal only for equal strings.
pub fn natural_cmp(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a, b);
    loop {
        match (x.is_empty(), y.is_empty()) {
            (true, true) => return a.cmp(b),
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        let (m, rest_x) = split_digits(x);
        let (n, rest_y) = split_digits(y);
        let order = match (m.is_empty(), n.is_empty()) {
            (false, false) => {
                (x, y) = (rest_x, rest_y);
                compare_numbers(m, n)
            }
            (false, true) => Ordering::Less,
            (true, false) => Ordering::Greater,
            (true, true) => {
                let (c, d) = (x.chars().next(), y.chars().next());
                x = &x[c.map_or(0, char::len_utf8)..];
                y = &y[d.map_or(0, char::len_utf8)..];
                c.cmp(&d)
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn split_digits(s: &str) -> (&str, &str) {
    s.split_at(s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len()))
}

fn compare_numbers(m: &str, n: &str) -> Ordering {
    let (m, n) = (m.trim_start_matches('0'), n.trim_start_matches('0'));
    m.len().cmp(&n.len()).then_with(|| m.cmp(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supplementary_characters_sort_before_the_private_use_area() {
        assert_eq!(utf16_cmp("\u{1f600}", "\u{e000}"), Ordering::Less);
    }

    #[test]
    fn digit_runs_count_as_numbers() {
        let mut ids = ["UT-S1-10", "UT-S1-9", "UT-S1-a", "UT-S1-09", "A", "2"];
        ids.sort_by(|a, b| natural_cmp(a, b));
        assert_eq!(ids, ["2", "A", "UT-S1-09", "UT-S1-9", "UT-S1-10", "UT-S1-a"]);
    }
}
