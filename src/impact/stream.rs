//! The bytes of `git diff --name-status -z`, record by record (change.md 8.3). Nothing is normalised or decoded.

use bstr::{BStr, ByteSlice};

use crate::files::RepoPath;

/// The letters that are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
}

impl Letter {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "A",
            Self::Modified => "M",
            Self::Deleted => "D",
            Self::Renamed => "R",
            Self::Copied => "C",
        }
    }

    const fn has_two_paths(self) -> bool {
        matches!(self, Self::Renamed | Self::Copied)
    }
}

/// One changed file, its paths as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The status with its score, as given.
    pub token: &'a BStr,
    pub letter: Letter,
    /// Of a rename or copy.
    pub old_path: Option<&'a BStr>,
    pub path: &'a BStr,
}

/// Why a stream proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is nothing in it.
    Empty,
    /// It ends within a record.
    Truncated { status: String },
    /// A status was expected.
    NoStatus { found: String },
    /// A status that is none of ours; what follows is still read.
    UnknownStatus { letter: char, path: Option<String> },
    /// A path that no tree can hold.
    InvalidPath { path: String },
}

/// A piece of the stream, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    Record(Record<'a>),
    /// Only an unknown status has anything behind it.
    Fault(Fault),
}

enum Status {
    Known(Letter),
    Unknown(char),
    None,
}

/// Reads a stream up to the first fault that leaves no place to go on from.
pub fn parse(stream: &[u8]) -> Vec<Item<'_>> {
    let stream = stream.strip_suffix(b"\0").unwrap_or(stream);
    if stream.iter().all(|byte| *byte == 0) {
        return vec![Item::Fault(Fault::Empty)];
    }
    let mut tokens = stream.split(|byte| *byte == 0).map(ByteSlice::as_bstr);
    let mut items = Vec::new();
    while let Some(token) = tokens.next() {
        let record = match status(token) {
            Status::None => Err(Fault::NoStatus { found: shown(token) }),
            Status::Unknown(letter) => {
                let path = tokens.next().map(shown);
                items.push(Item::Fault(Fault::UnknownStatus { letter, path }));
                continue;
            }
            Status::Known(letter) => record(token, letter, &mut tokens),
        };
        match record {
            Ok(record) => items.push(Item::Record(record)),
            Err(fault) => {
                items.push(Item::Fault(fault));
                break;
            }
        }
    }
    items
}

fn record<'a>(
    token: &'a BStr,
    letter: Letter,
    tokens: &mut impl Iterator<Item = &'a BStr>,
) -> Result<Record<'a>, Fault> {
    let mut path = || {
        tokens
            .next()
            .filter(|path| !path.is_empty())
            .ok_or_else(|| Fault::Truncated { status: shown(token) })
    };
    let old_path = if letter.has_two_paths() {
        Some(path()?)
    } else {
        None
    };
    let path = path()?;
    for path in old_path.into_iter().chain([path]) {
        if !RepoPath::is_path(path) {
            return Err(Fault::InvalidPath { path: shown(path) });
        }
    }
    Ok(Record {
        token,
        letter,
        old_path,
        path,
    })
}

fn status(token: &BStr) -> Status {
    match token.as_bytes() {
        b"A" => Status::Known(Letter::Added),
        b"M" => Status::Known(Letter::Modified),
        b"D" => Status::Known(Letter::Deleted),
        [b'R', score @ ..] if is_score(score) => Status::Known(Letter::Renamed),
        [b'C', score @ ..] if is_score(score) => Status::Known(Letter::Copied),
        [b'R' | b'C', ..] => Status::None,
        [letter @ b'A'..=b'Z'] => Status::Unknown(char::from(*letter)),
        _ => Status::None,
    }
}

/// One to three digits, at most 100.
fn is_score(digits: &[u8]) -> bool {
    matches!(digits.len(), 1..=3)
        && digits.iter().all(u8::is_ascii_digit)
        && (digits.len() < 3 || digits[0] == b'0' || digits == b"100")
}

/// Foreign text in a message, cut to a length that a person reads.
fn shown(bytes: &BStr) -> String {
    const LONGEST: usize = 200;
    if bytes.len() > LONGEST {
        format!("{}…", crate::text::escape_bytes(&bytes[..LONGEST]))
    } else {
        crate::text::escape_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The bytes of the pieces, up to the fault that ends them.
    fn written(items: &[Item<'_>]) -> Vec<u8> {
        let mut out = Vec::new();
        for item in items {
            match item {
                Item::Record(record) => {
                    let paths = record.old_path.into_iter().chain([record.path]);
                    for token in [record.token].into_iter().chain(paths) {
                        out.extend_from_slice(token);
                        out.push(0);
                    }
                }
                Item::Fault(_) => break,
            }
        }
        out
    }

    fn faults(stream: &str) -> usize {
        let items = parse(stream.as_bytes());
        items.iter().filter(|item| matches!(item, Item::Fault(_))).count()
    }

    #[test]
    fn an_unknown_letter_takes_one_path_and_reading_goes_on() {
        let items = parse(b"T\0src/x\0M\0a\0");
        assert_eq!(items.len(), 2);
        assert!(
            matches!(&items[0], Item::Fault(Fault::UnknownStatus { letter: 'T', path: Some(p) }) if p == "src/x")
        );
        assert!(matches!(&items[1], Item::Record(r) if r.path == "a"));
    }

    #[test]
    fn scores_have_one_to_three_digits_up_to_100() {
        for good in ["R0", "R1", "R087", "R099", "C100"] {
            assert_eq!(faults(&format!("{good}\0a\0b\0")), 0, "{good}");
        }
        for bad in [
            "R", "C", "R101", "R1000", "C-1", "Rx", "R100x", "A100", "m", "AA", "R 1", "R٣",
        ] {
            let stream = format!("{bad}\0a\0b\0");
            assert_eq!(parse(stream.as_bytes()).len(), 1, "{bad}");
            assert_eq!(faults(&stream), 1, "{bad}");
        }
    }

    #[test]
    fn a_missing_path_is_a_truncated_record() {
        for stream in ["M", "M\0", "A\0\0", "R100\0a", "R100\0a\0", "R100\0\0b\0"] {
            let items = parse(stream.as_bytes());
            assert!(
                matches!(items[..], [Item::Fault(Fault::Truncated { .. })]),
                "{stream:?}"
            );
        }
    }

    #[test]
    fn nothing_but_separators_is_nothing() {
        for stream in ["", "\0", "\0\0\0"] {
            assert_eq!(
                parse(stream.as_bytes()),
                [Item::Fault(Fault::Empty)],
                "{stream:?}"
            );
        }
    }

    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let token = prop_oneof![
            Just(b"M".to_vec()),
            Just(b"A".to_vec()),
            Just(b"D".to_vec()),
            Just(b"T".to_vec()),
            Just(b"R100".to_vec()),
            Just(b"C07".to_vec()),
            Just(b"a/b".to_vec()),
            Just(b"..".to_vec()),
            Just(Vec::new()),
            prop::collection::vec(any::<u8>(), 0..4),
        ];
        prop::collection::vec(token, 0..24).prop_map(|tokens| tokens.join(&0))
    }

    proptest! {
        #[test]
        fn records_are_the_beginning_of_the_stream(stream in pieces()) {
            let again = written(&parse(&stream));
            let mut whole = stream;
            whole.push(0);
            prop_assert!(whole.starts_with(&again));
        }

        #[test]
        fn any_bytes_are_read_without_panic(stream in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(!parse(&stream).is_empty());
        }
    }
}
