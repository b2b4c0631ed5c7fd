//! The value of `Last activity` (state.md 5.2).

use crate::text::{is_space, trim};

/// A date with what was done, or a text of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The date, or the whole value if it does not begin with one.
    pub when: String,
    pub description: Option<String>,
}

impl Activity {
    pub fn of(value: &str) -> Self {
        let whole = || Self {
            when: value.to_owned(),
            description: None,
        };
        let Some(date) = value.get(..10).filter(|date| is_date(date)) else {
            return whole();
        };
        let rest = &value[10..];
        if rest.is_empty() {
            return whole();
        }
        let after = rest.trim_start_matches(is_space);
        let text = after.trim_start_matches(['—', '-']);
        let dashes = after[..after.len() - text.len()].chars().count();
        if after.len() == rest.len()
            || !(1..=2).contains(&dashes)
            || !text.starts_with(is_space)
            || trim(text).is_empty()
        {
            return whole();
        }
        Self {
            when: date.to_owned(),
            description: Some(trim(text).to_owned()),
        }
    }
}

/// Whether a text is `YYYY-MM-DD`.
pub fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_and_what_was_done() {
        for (value, when, description) in [
            ("2026-01-02", "2026-01-02", None),
            ("2026-01-02 — cut", "2026-01-02", Some("cut")),
            ("2026-01-02 -- cut — again", "2026-01-02", Some("cut — again")),
            ("2026-01-02 - cut", "2026-01-02", Some("cut")),
            ("2026-01-02 --- cut", "2026-01-02 --- cut", None),
            ("2026-01-02-cut", "2026-01-02-cut", None),
            ("2026-01-02 cut", "2026-01-02 cut", None),
            ("2026-01-02 —", "2026-01-02 —", None),
            ("yesterday — cut", "yesterday — cut", None),
            ("", "", None),
        ] {
            let activity = Activity::of(value);
            assert_eq!(
                (activity.when.as_str(), activity.description.as_deref()),
                (when, description),
                "{value}"
            );
        }
    }
}
