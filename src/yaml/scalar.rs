//! Types of scalars: the core schema of YAML 1.2 (engineering.md 4).

use saphyr_parser::{ScalarStyle, Tag};

use super::{Scalar, Style, Value};

impl Style {
    pub(super) fn of(style: ScalarStyle) -> Self {
        match style {
            ScalarStyle::Plain => Self::Plain,
            ScalarStyle::SingleQuoted => Self::Single,
            ScalarStyle::DoubleQuoted => Self::Double,
            ScalarStyle::Literal | ScalarStyle::Folded => Self::Block,
        }
    }
}

/// Gives a scalar its type. A tag of the core schema is obeyed where the text allows it; any other tag makes text.
pub(super) fn resolve(scalar: Scalar, tag: Option<&Tag>) -> Value {
    let plain = match tag {
        None => scalar.style == Style::Plain,
        Some(tag) if tag.is_yaml_core_schema() => {
            matches!(tag.suffix.as_str(), "null" | "bool" | "int" | "float")
        }
        Some(_) => false,
    };
    if plain {
        resolve_plain(scalar)
    } else {
        Value::String(scalar)
    }
}

fn resolve_plain(scalar: Scalar) -> Value {
    if scalar.text.is_empty() {
        return Value::Null(scalar);
    }
    match saphyr::Scalar::parse_from_cow(scalar.text.as_str().into()) {
        saphyr::Scalar::Null => Value::Null(scalar),
        saphyr::Scalar::Boolean(value) => Value::Bool(value, scalar),
        // Numbers are those of JSON: above 2^53 they are near, not exact.
        #[allow(clippy::cast_precision_loss)]
        saphyr::Scalar::Integer(value) => Value::Number(value as f64, scalar),
        saphyr::Scalar::FloatingPoint(value) => Value::Number(value.into_inner(), scalar),
        saphyr::Scalar::String(_) => match big_radix(&scalar.text) {
            Some(value) => Value::Number(value, scalar),
            None => Value::String(scalar),
        },
    }
}

/// `0x…` and `0o…` beyond 64 bits.
fn big_radix(text: &str) -> Option<f64> {
    let (digits, radix) = match text.get(..2)? {
        "0x" => (&text[2..], 16),
        "0o" => (&text[2..], 8),
        _ => return None,
    };
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0.0, |sum, c| {
        Some(sum * f64::from(radix) + f64::from(c.to_digit(radix)?))
    })
}

/// Whether this text, written plain, would be read as a string.
pub(super) fn reads_as_string(text: &str) -> bool {
    let scalar = Scalar {
        text: text.to_owned(),
        ..Scalar::default()
    };
    resolve_plain(scalar).as_str().is_some()
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn one(text: &str) -> Value {
        parse(text.as_bytes()).expect(text)
    }

    #[test]
    fn words_and_dates_of_yaml_1_1_are_text() {
        for text in [
            "on",
            "off",
            "yes",
            "NO",
            "y",
            "2026-01-02",
            "1_000",
            "0b11",
            "12:30",
            "nUll",
            "tRue",
            "0x",
            "0xg",
        ] {
            assert_eq!(one(text).as_str(), Some(text));
        }
    }

    #[test]
    fn numbers_are_those_of_the_core_schema() {
        for (text, number) in [
            ("0x1F", 31.0),
            ("0o17", 15.0),
            ("017", 17.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("-3", -3.0),
            ("+3", 3.0),
            ("+.5", 0.5),
            ("0xFFFFFFFFFFFFFFFF", 18_446_744_073_709_551_615.0),
            ("99999999999999999999", 1e20),
            (".inf", f64::INFINITY),
        ] {
            assert_eq!(one(text).as_number(), Some(number), "{text}");
            assert_eq!(one(text).as_text(), Some(text));
        }
        assert!(one(".nan").as_number().is_some_and(f64::is_nan));
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        for (text, value) in [
            ("true", true),
            ("True", true),
            ("TRUE", true),
            ("false", false),
            ("FALSE", false),
        ] {
            assert_eq!(one(text).as_bool(), Some(value));
        }
        assert_eq!(one("'true'").as_str(), Some("true"));
    }

    #[test]
    fn null_has_four_spellings_and_the_empty_one() {
        for text in ["~", "null", "Null", "NULL", ""] {
            assert!(one(text).is_null(), "{text}");
        }
        assert!(one("a:\nb: 1\n").get("a").is_some_and(Value::is_null));
    }

    #[test]
    fn unknown_tags_make_text_and_core_tags_are_obeyed() {
        assert_eq!(one("!foo bar").as_str(), Some("bar"));
        assert_eq!(one("!foo 12").as_str(), Some("12"));
        assert_eq!(one("!!str 12").as_str(), Some("12"));
        assert_eq!(one("!!int '12'").as_number(), Some(12.0));
    }

    #[test]
    fn a_text_field_gives_its_source_text() {
        assert_eq!(
            one("version: 1.10").get("version").and_then(Value::as_text),
            Some("1.10")
        );
    }
}
