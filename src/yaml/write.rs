//! Scalars as a new block of YAML holds them.

use super::edit::double_quoted;
use super::{Value, parse};
use crate::text::is_space;

/// A text as a value in block style: plain where YAML allows it, else in double quotes.
pub fn block_scalar(text: &str) -> String {
    if may_be_plain(text) {
        text.to_owned()
    } else {
        double_quoted(text)
    }
}

/// Whether a text may stand without quotes behind `key: ` or `- ` and is still read as this text.
fn may_be_plain(text: &str) -> bool {
    let indicator = |c: char| ",[]{}#&*!|>'\"%@`".contains(c);
    let outside = text.starts_with(indicator)
        || text.starts_with(is_space)
        || text.ends_with(is_space)
        || text.ends_with([':', '-'])
        || text.contains(char::is_control);
    // The reader has the last word: on types, and on what is rare.
    !outside
        && matches!(parse(format!("k: {text}\n").as_bytes()), Ok(Value::Map(map))
            if map.get("k").and_then(Value::as_str) == Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_would_not_be_read_back_is_quoted() {
        for plain in [
            "POST /berths",
            "core::0123456789ab",
            "GET /x?a=1&b=2",
            "登录",
            "a#b",
            "it's",
            "-x",
            "0b11",
        ] {
            assert_eq!(block_scalar(plain), plain);
        }
        for quoted in [
            "cli: login",
            "a #b",
            "true",
            "12",
            "~",
            "",
            " a",
            "a ",
            "[a]",
            "- a",
            "-",
            "a:",
            "*a",
            "a\nb",
            "? a",
            "'a'",
        ] {
            assert_eq!(block_scalar(quoted), double_quoted(quoted));
        }
    }
}
