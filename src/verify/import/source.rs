//! The bytes of a report as UTF-8, a chunk at a time: other encodings are turned into it, bad bytes replaced. Knows how
//! much has been read, and refuses more than is allowed.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use bstr::ByteSlice;

use super::error::{Fault, Reason};

/// Bytes of one report (verify.md 15).
const LARGEST: u64 = 4 << 30;
/// Bytes of what has to be held at once: one tag, one text, one line, one JSON value.
const PIECE: u64 = 64 << 20;
/// Elements, or values of JSON, inside of one another (verify.md 15).
pub(super) const DEEPEST: usize = 1000;
const CHUNK: usize = 128 << 10;
/// Enough to see a mark and an XML declaration.
const HEAD: usize = 1 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16 { big_endian: bool },
    Windows1252,
}

/// A report while it is read.
pub struct Source<'r> {
    report: Box<dyn Read + 'r>,
    encoding: Option<Encoding>,
    /// Read, but not decoded yet.
    raw: Vec<u8>,
    text: Vec<u8>,
    at: usize,
    taken: u64,
    /// Line ends before `text`.
    lines: u64,
    allowance: Allowance,
    refused: Option<Reason>,
    ended: bool,
}

/// How many bytes the present piece may still have, and how much deeper it may nest.
#[derive(Clone)]
pub(super) struct Allowance {
    bytes: Rc<Cell<u64>>,
    levels: Rc<Cell<usize>>,
}

impl Allowance {
    fn whole() -> Self {
        Self {
            bytes: Rc::new(Cell::new(PIECE)),
            levels: Rc::new(Cell::new(DEEPEST)),
        }
    }

    /// Begins a new piece.
    pub(super) fn renew(&self) {
        self.bytes.set(PIECE);
    }

    /// Goes a level deeper; false if that is too deep.
    pub(super) fn enter(&self) -> bool {
        let left = self.levels.get().checked_sub(1);
        self.levels.set(left.unwrap_or_default());
        left.is_some()
    }

    /// Comes back from a level.
    pub(super) fn leave(&self) {
        self.levels.set(self.levels.get() + 1);
    }
}

impl<'r> Source<'r> {
    pub fn new(report: impl Read + 'r) -> Self {
        Self {
            report: Box::new(report),
            encoding: None,
            raw: Vec::new(),
            text: Vec::new(),
            at: 0,
            taken: 0,
            lines: 0,
            allowance: Allowance::whole(),
            refused: None,
            ended: false,
        }
    }

    pub(super) fn allowance(&self) -> Allowance {
        self.allowance.clone()
    }

    /// Begins a new piece.
    pub(super) fn begin_piece(&self) {
        self.allowance.renew();
    }

    /// The line that is being read, from 1.
    pub(super) fn line(&self) -> u64 {
        self.lines + line_ends(&self.text[..self.at]) + 1
    }

    /// What is wrong here; what kept the source from being read comes first.
    pub(super) fn fault(&mut self, reason: Reason) -> Fault {
        Fault {
            line: self.line(),
            reason: self.refused.take().unwrap_or(reason),
        }
    }

    /// As much of the beginning as is there at once, for a look at it.
    pub(super) fn head(&mut self) -> Result<&str, Fault> {
        self.allowance.renew();
        if let Err(e) = self.fill_buf() {
            return Err(self.fault(Reason::Io(e.to_string())));
        }
        Ok(std::str::from_utf8(&self.text[self.at..]).expect("it was decoded"))
    }

    /// Reads over what stands before `needle`, and over the needle if `through`. Whether it is there at all.
    pub(super) fn skip_to(&mut self, needle: &[u8], through: bool) -> io::Result<bool> {
        loop {
            self.allowance.renew();
            if let Some(found) = self.text[self.at..].find(needle) {
                self.at += found + if through { needle.len() } else { 0 };
                return Ok(true);
            }
            let kept = (self.text.len() - self.at).min(needle.len() - 1);
            self.at = self.text.len() - kept;
            if !self.refill()? {
                self.at = self.text.len();
                return Ok(false);
            }
        }
    }

    /// The next `len` bytes, fewer at the end.
    pub(super) fn peek(&mut self, len: usize) -> io::Result<&[u8]> {
        while self.text.len() - self.at < len && self.refill()? {}
        let end = self.text.len().min(self.at + len);
        Ok(&self.text[self.at..end])
    }

    /// Decodes the next chunk behind what is not consumed yet. Whether there was more.
    fn refill(&mut self) -> io::Result<bool> {
        self.lines += line_ends(&self.text[..self.at]);
        self.text.drain(..self.at);
        self.at = 0;
        let before = self.text.len();
        while self.text.len() == before && !self.ended {
            self.read_raw()?;
            self.decode();
        }
        Ok(self.text.len() > before)
    }

    fn read_raw(&mut self) -> io::Result<()> {
        loop {
            let kept = self.raw.len();
            self.raw.resize(kept + CHUNK, 0);
            let read = self.report.read(&mut self.raw[kept..]);
            self.raw.truncate(kept + read.as_ref().map_or(0, |read| *read));
            match read {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    let why = Reason::Io(e.to_string());
                    return Err(self.refuse(why));
                }
                Ok(0) => self.ended = true,
                Ok(read) => self.taken += read as u64,
            }
            if self.taken > LARGEST {
                return Err(self.refuse(Reason::TooLarge));
            }
            if self.ended || self.encoding.is_some() || self.raw.len() >= HEAD {
                return Ok(());
            }
        }
    }

    fn refuse(&mut self, why: Reason) -> io::Error {
        self.refused = Some(why);
        io::Error::other("refused")
    }

    fn decode(&mut self) {
        let encoding = *self.encoding.get_or_insert_with(|| sniff(&mut self.raw));
        let all = self.raw.len();
        let whole = match encoding {
            _ if self.ended => all,
            Encoding::Utf8 => all - unfinished(&self.raw),
            Encoding::Utf16 { big_endian } => {
                let even = all - all % 2;
                let last = even
                    .checked_sub(2)
                    .map(|at| unit(&self.raw[at..even], big_endian));
                let is_half = last.is_some_and(|unit| (0xd800..0xdc00).contains(&unit));
                even - if is_half { 2 } else { 0 }
            }
            Encoding::Windows1252 => all,
        };
        let raw = &self.raw[..whole];
        match encoding {
            // The usual case: nothing is copied.
            Encoding::Utf8 if self.text.is_empty() && whole == all && std::str::from_utf8(raw).is_ok() => {
                std::mem::swap(&mut self.raw, &mut self.text);
                self.raw.clear();
                return;
            }
            Encoding::Utf8 => self
                .text
                .extend_from_slice(String::from_utf8_lossy(raw).as_bytes()),
            Encoding::Utf16 { big_endian } => {
                let units = raw.chunks(2).map(|pair| unit(pair, big_endian));
                let chars = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
                self.text.extend_from_slice(chars.collect::<String>().as_bytes());
            }
            Encoding::Windows1252 => {
                let chars = raw.iter().map(|byte| windows_1252(*byte));
                self.text.extend_from_slice(chars.collect::<String>().as_bytes());
            }
        }
        self.raw.drain(..whole);
    }
}

impl BufRead for Source<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.allowance.bytes.get() == 0 {
            return Err(self.refuse(Reason::PieceTooLong));
        }
        if self.at == self.text.len() {
            self.refill()?;
        }
        Ok(&self.text[self.at..])
    }

    fn consume(&mut self, len: usize) {
        self.at += len;
        let left = &self.allowance.bytes;
        left.set(left.get().saturating_sub(len as u64));
    }
}

impl Read for Source<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let from = self.fill_buf()?;
        let len = from.len().min(into.len());
        into[..len].copy_from_slice(&from[..len]);
        self.consume(len);
        Ok(len)
    }
}

fn line_ends(text: &[u8]) -> u64 {
    // Sums of bytes, as long as they cannot overflow: many are counted at once.
    let of_few = |few: &[u8]| few.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>();
    text.chunks(usize::from(u8::MAX)).map(of_few).map(u64::from).sum()
}

/// How many bytes at the end begin a character that is not whole.
fn unfinished(bytes: &[u8]) -> usize {
    let lead = bytes.iter().rev().take(3).position(|byte| *byte >= 0xc0);
    let Some(behind) = lead else { return 0 };
    let needed = match bytes[bytes.len() - 1 - behind] {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    };
    if behind + 1 < needed { behind + 1 } else { 0 }
}

fn unit(pair: &[u8], big_endian: bool) -> u16 {
    let pair = [pair[0], pair.get(1).copied().unwrap_or_default()];
    if big_endian {
        u16::from_be_bytes(pair)
    } else {
        u16::from_le_bytes(pair)
    }
}

/// The encoding by a mark, which is taken away, or by an XML declaration. What is not known is read as UTF-8, its bad
/// bytes replaced.
fn sniff(raw: &mut Vec<u8>) -> Encoding {
    let marks: [(&[u8], Encoding); 3] = [
        (b"\xef\xbb\xbf", Encoding::Utf8),
        (b"\xff\xfe", Encoding::Utf16 { big_endian: false }),
        (b"\xfe\xff", Encoding::Utf16 { big_endian: true }),
    ];
    for (mark, encoding) in marks {
        if raw.starts_with(mark) {
            raw.drain(..mark.len());
            return encoding;
        }
    }
    if raw.starts_with(b"<\0?\0") {
        return Encoding::Utf16 { big_endian: false };
    }
    if raw.starts_with(b"\0<\0?") {
        return Encoding::Utf16 { big_endian: true };
    }
    match declared(raw).map(<[u8]>::to_ascii_lowercase).as_deref() {
        Some(
            b"iso-8859-1" | b"latin1" | b"latin-1" | b"us-ascii" | b"ascii" | b"windows-1252" | b"cp1252",
        ) => Encoding::Windows1252,
        _ => Encoding::Utf8,
    }
}

fn declared(raw: &[u8]) -> Option<&[u8]> {
    let rest = raw.strip_prefix(b"<?xml")?;
    let declaration = &rest[..rest.find("?>")?];
    let (_, value) = declaration.split_once_str("encoding")?;
    let value = value.trim_start().strip_prefix(b"=")?.trim_start();
    let quote = *value.first().filter(|quote| matches!(quote, b'"' | b'\''))?;
    let value = &value[1..];
    Some(&value[..value.find_byte(quote)?])
}

/// The code page, which has signs where ISO 8859-1 has control characters.
fn windows_1252(byte: u8) -> char {
    const SIGNS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => SIGNS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let len = self.0.len().min(1);
            into[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    fn decoded(bytes: &[u8]) -> String {
        let mut out = String::new();
        Source::new(bytes)
            .read_to_string(&mut out)
            .expect("memory can be read");
        let mut slowly = String::new();
        Source::new(Slow(bytes))
            .read_to_string(&mut slowly)
            .expect("memory can be read");
        assert_eq!(out, slowly);
        out
    }

    #[test]
    fn any_encoding_becomes_utf_8() {
        let utf16 =
            |text: &str, to: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(to).collect::<Vec<u8>>();
        let long = "<?x𝄞é".repeat(300);
        let little = utf16(&long, u16::to_le_bytes);
        assert_eq!(decoded(&little), long);
        assert_eq!(decoded(&[b"\xff\xfe".as_slice(), &little].concat()), long);
        assert_eq!(
            decoded(&[b"\xfe\xff".as_slice(), &utf16(&long, u16::to_be_bytes)].concat()),
            long
        );
        assert_eq!(decoded(b"\xef\xbb\xbfa"), "a");
        assert_eq!(decoded("用例𝄞".repeat(900).as_bytes()), "用例𝄞".repeat(900));
        assert_eq!(decoded(b"a\xffb\xe7\x94"), "a\u{fffd}b\u{fffd}");
        let declared = b"<?xml version='1.0' encoding = 'ISO-8859-1'?>\xe9\x93";
        assert!(decoded(declared).ends_with("é“"));
    }

    #[test]
    fn a_piece_has_a_limit_and_a_needle_is_found_across_chunks() {
        let text = io::repeat(b'x')
            .take(3 * CHUNK as u64 - 1)
            .chain(&b"</end>\n</end>"[..]);
        let mut source = Source::new(text);
        assert!(source.skip_to(b"</end>", true).expect("memory can be read"));
        assert_eq!(source.peek(3).expect("memory can be read"), b"\n</");
        source.consume(1);
        assert_eq!(source.line(), 2);
        assert!(!source.skip_to(b"nothing", true).expect("memory can be read"));
        let mut endless = Source::new(io::repeat(b'x'));
        let mut line = Vec::new();
        assert!(endless.read_until(b'\n', &mut line).is_err());
        assert!(line.len() as u64 <= PIECE + 2 * CHUNK as u64);
        assert!(matches!(endless.fault(Reason::Cut).reason, Reason::PieceTooLong));
    }
}
