//! Fields of a record, read as leniently as a reader whose numbers are doubles and whose texts are UTF-16 (verify.md
//! 4.2): any number, half of a surrogate pair, any depth. What a line has besides the fields is read over and not kept.

use std::borrow::Cow;

use bstr::ByteSlice;

/// The value of a field, as far as anybody asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field<'l> {
    Text(Cow<'l, str>),
    Null,
    Other,
}

impl<'l> Field<'l> {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Other => None,
        }
    }

    pub(super) fn into_text(self) -> Option<Cow<'l, str>> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Other => None,
        }
    }
}

/// A line, with the values of the keys that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line<'l, const N: usize> {
    Invalid,
    NotObject,
    Object([Option<Field<'l>>; N]),
}

impl<'l, const N: usize> Line<'l, N> {
    pub(super) fn fields(self) -> Option<[Option<Field<'l>>; N]> {
        match self {
            Self::Object(fields) => Some(fields),
            Self::Invalid | Self::NotObject => None,
        }
    }
}

/// Reads a line for these keys. Of a key given twice the last counts.
pub(super) fn of<'l, const N: usize>(line: &'l [u8], keys: [&str; N]) -> Line<'l, N> {
    let mut reader = Reader { bytes: line, at: 0 };
    reader.skip_blanks();
    let mut found = [const { None }; N];
    let is_object = reader.peek() == Some(b'{');
    let read = if is_object {
        reader.object(keys, &mut found)
    } else {
        reader.skip_value()
    };
    reader.skip_blanks();
    match read {
        Some(()) if reader.at == line.len() => {
            if is_object {
                Line::Object(found)
            } else {
                Line::NotObject
            }
        }
        _ => Line::Invalid,
    }
}

struct Reader<'l> {
    bytes: &'l [u8],
    at: usize,
}

/// A text between its quotes.
struct Raw<'l> {
    bytes: &'l [u8],
    escaped: bool,
}

impl<'l> Reader<'l> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn object<const N: usize>(&mut self, keys: [&str; N], found: &mut [Option<Field<'l>>; N]) -> Option<()> {
        self.take(b'{')?;
        self.skip_blanks();
        if self.take(b'}').is_some() {
            return Some(());
        }
        loop {
            self.skip_blanks();
            let key = self.text()?;
            self.skip_blanks();
            self.take(b':')?;
            self.skip_blanks();
            match keys.iter().position(|wanted| key.is(wanted)) {
                Some(at) => found[at] = Some(self.field()?),
                None => self.skip_value()?,
            }
            self.skip_blanks();
            if self.take(b'}').is_some() {
                return Some(());
            }
            self.take(b',')?;
        }
    }

    fn field(&mut self) -> Option<Field<'l>> {
        match self.peek()? {
            b'"' => Some(Field::Text(self.text()?.decode()?)),
            b'n' => self.skip_value().map(|()| Field::Null),
            _ => self.skip_value().map(|()| Field::Other),
        }
    }

    fn text(&mut self) -> Option<Raw<'l>> {
        self.take(b'"')?;
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at += self.bytes.get(self.at..)?.find_byteset(b"\"\\")?;
            if self.peek()? == b'"' {
                break;
            }
            escaped = true;
            self.at += 2;
        }
        let bytes = &self.bytes[start..self.at];
        self.at += 1;
        let raw = Raw { bytes, escaped };
        raw.is_sound().then_some(raw)
    }

    /// Reads over a value, however deep it is.
    fn skip_value(&mut self) -> Option<()> {
        // The bracket that each value we are inside of ends with.
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek()? {
                b'"' => {
                    self.text()?;
                }
                b'{' => {
                    self.at += 1;
                    self.skip_blanks();
                    if self.take(b'}').is_none() {
                        self.key()?;
                        open.push(b'}');
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    self.skip_blanks();
                    if self.take(b']').is_none() {
                        open.push(b']');
                        continue;
                    }
                }
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => self.number()?,
            }
            // Behind a value.
            loop {
                let Some(end) = open.last().copied() else {
                    return Some(());
                };
                self.skip_blanks();
                if self.take(end).is_some() {
                    open.pop();
                    continue;
                }
                self.take(b',')?;
                if end == b'}' {
                    self.key()?;
                }
                break;
            }
        }
    }

    fn key(&mut self) -> Option<()> {
        self.skip_blanks();
        self.text()?;
        self.skip_blanks();
        self.take(b':')
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.bytes[self.at..]
            .starts_with(word)
            .then(|| self.at += word.len())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn number(&mut self) -> Option<()> {
        let _sign = self.take(b'-');
        if self.take(b'0').is_none() {
            self.digits()?;
        }
        if self.take(b'.').is_some() {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }
}

impl<'l> Raw<'l> {
    /// Whether all its escapes are such, and no control character stands as it is.
    fn is_sound(&self) -> bool {
        // Without a way out in between, many bytes are compared at once.
        #[expect(clippy::needless_bitwise_bool)]
        let has_control = self.bytes.iter().fold(false, |any, byte| any | (*byte < b' '));
        if has_control {
            return false;
        }
        if !self.escaped {
            return true;
        }
        let mut rest = self.bytes;
        while let Some(at) = rest.find_byte(b'\\') {
            let of_kind = rest.get(at + 1);
            let len = match of_kind {
                Some(b'u') => 6,
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                _ => return false,
            };
            let digits = rest.get(at + 2..at + len);
            if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                return false;
            }
            rest = &rest[at + len..];
        }
        true
    }

    fn is(&self, text: &str) -> bool {
        if self.escaped {
            self.decode().is_some_and(|own| own == text)
        } else {
            self.bytes == text.as_bytes()
        }
    }

    fn decode(&self) -> Option<Cow<'l, str>> {
        if !self.escaped {
            return Some(self.bytes.to_str_lossy());
        }
        let mut out = String::new();
        let mut rest = self.bytes;
        while let Some(at) = rest.find_byte(b'\\') {
            out += &rest[..at].to_str_lossy();
            let kind = *rest.get(at + 1)?;
            let mut len = 2;
            out.push(match kind {
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => {
                    let high = unit(&rest[at..])?;
                    len = 6;
                    let low = unit(&rest[at + 6..]).filter(|low| (0xdc00..0xe000).contains(low));
                    match (char::from_u32(high), low) {
                        (Some(c), _) => c,
                        (None, Some(low)) if high < 0xdc00 => {
                            len = 12;
                            char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?
                        }
                        // Half of a pair.
                        (None, _) => char::REPLACEMENT_CHARACTER,
                    }
                }
                other => char::from(other),
            });
            rest = &rest[at + len..];
        }
        out += &rest.to_str_lossy();
        Some(Cow::Owned(out))
    }
}

/// The code unit that `\uXXXX` at the start of some bytes stands for.
fn unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::string::bytes_regex;
    use serde_json::Value;

    use super::*;

    fn read(line: &str) -> Line<'_, 1> {
        of(line.as_bytes(), ["a"])
    }

    fn text(text: &str) -> Line<'_, 1> {
        Line::Object([Some(Field::Text(Cow::Borrowed(text)))])
    }

    #[test]
    fn only_a_whole_object_has_fields_and_the_last_of_a_key_counts() {
        assert_eq!(read(r#"{"b":[{}],"a":1,"\u0061":"x","a":"y"} "#), text("y"));
        assert_eq!(read(r#"{"\u0061":null}"#), Line::Object([Some(Field::Null)]));
        assert_eq!(
            read(r#"{"a":[1, {"b": {}}, "x"]}"#),
            Line::Object([Some(Field::Other)])
        );
        assert_eq!(read("{}"), Line::Object([None]));
        for other in ["[]", "7", " null ", r#""{}""#, "[1,[2,{}]]"] {
            assert_eq!(read(other), Line::NotObject, "{other}");
        }
        for no in [
            "",
            r#"{"a":1"#,
            r#"{"a":1} x"#,
            r#"{"a":1}{}"#,
            "{\"a\":\"\t\"}",
            r#"{"a":01}"#,
            r#"{"a":1,}"#,
            "[1,]",
            r#"{"a":"\x"}"#,
            r#"{"a":"\u12g4"}"#,
            "NaN",
            "-",
            "1.",
            "1e",
            r"{a:1}",
            "[}",
            r#"{"a"}"#,
            r#"{"a":"\"#,
        ] {
            assert_eq!(read(no), Line::Invalid, "{no}");
        }
    }

    #[test]
    fn what_a_reader_of_doubles_and_code_units_takes_is_taken() {
        assert_eq!(
            read(r#"{"n":1e999,"m":123456789012345678901234567890,"a":"x"}"#),
            text("x")
        );
        assert_eq!(
            read(r#"{"a":"\ud83d\ude00 \ud800 \udc00\n"}"#),
            text("\u{1f600} \u{fffd} \u{fffd}\n")
        );
        let deep = format!(
            "{{\"d\":{}{},\"a\":\"x\"}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert_eq!(read(&deep), text("x"));
        assert_eq!(of(b"{\"a\":\"\xff\"}", ["a"]), text("\u{fffd}"));
    }

    proptest! {
        #[test]
        fn what_serde_takes_is_taken_alike(line in r#"[\[\]{}:, "a\\u0d8bn1.e+-]{0,24}"#) {
            let read = read(&line);
            match serde_json::from_str::<Value>(&line) {
                Ok(Value::Object(object)) => {
                    let expected = object.get("a").map(|value| match value {
                        Value::String(text) => Field::Text(Cow::Borrowed(text.as_str())),
                        Value::Null => Field::Null,
                        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Field::Other,
                    });
                    prop_assert_eq!(read, Line::Object([expected]));
                }
                Ok(_) => prop_assert_eq!(read, Line::NotObject),
                Err(_) => {}
            }
        }

        #[test]
        fn bytes_are_read_as_the_text_that_they_decode_to(
            line in bytes_regex(r#"(?s-u)\{"a":"([\xc2-\xf4][\x80-\xbf]{0,3}|[\x1e-\xff]|\\[u"n]|\\u00e9){0,8}"\}"#).expect("it is one"),
        ) {
            let text = String::from_utf8_lossy(&line);
            prop_assert_eq!(of(&line, ["a"]), of(text.as_bytes(), ["a"]));
        }

        #[test]
        fn any_bytes_are_read_to_an_end(line in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _any = of(&line, ["id"]);
        }
    }
}
