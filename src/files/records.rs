//! A file of records that only grows, each with its length and a checksum: what a crash, a full disk or another program left
//! in it is passed over. For caches (git.md 8): nothing in it is worth waiting for a disk.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use super::{Guarded, read_guarded, replace_guarded};
use crate::fault;
use crate::text::{Bytes, Span};

/// Length and checksum before each record.
const HEAD: usize = 4 + 8;

/// The records of a file, as far as they are sound.
#[derive(Clone, Debug, Default)]
pub struct Records {
    bytes: Bytes,
    spans: Vec<Span>,
    /// Where the next one begins: behind the last that is complete.
    end: usize,
}

impl Records {
    /// Reads a file whose first line says of which version it is. Another version, a file that others may write, or none is
    /// a file without records.
    pub fn read(path: &Path, version: &str) -> Self {
        match read_guarded(path) {
            Guarded::Sound(bytes) => Self::of(bytes, version).unwrap_or_default(),
            Guarded::Missing | Guarded::Unsafe(_) => Self::default(),
        }
    }

    /// Whether a file of this version holds something that is no sound record. A file that is not there, or of another
    /// version, is not damaged.
    pub fn is_damaged(path: &Path, version: &str) -> bool {
        let Guarded::Sound(bytes) = read_guarded(path) else {
            return false;
        };
        let length = bytes.len();
        Self::of(bytes, version).is_some_and(|records| {
            let sound: usize = records
                .spans
                .iter()
                .map(|span| span.end - span.start + HEAD)
                .sum();
            version.len() + 1 + sound != length
        })
    }

    /// None if the version is another.
    fn of(bytes: Bytes, version: &str) -> Option<Self> {
        let first = bytes.strip_prefix(version.as_bytes())?.first();
        if first != Some(&b'\n') {
            return None;
        }
        let mut end = version.len() + 1;
        let mut spans = Vec::new();
        while let Some(head) = bytes.get(end..end + HEAD) {
            let (length, checksum) = head.split_at(4);
            let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
            let start = end + HEAD;
            let next = usize::try_from(length)
                .ok()
                .and_then(|length| start.checked_add(length));
            let Some(record) = next.and_then(|next| bytes.get(start..next)) else {
                break;
            };
            end = start + record.len();
            if checksum == sum(record).to_le_bytes() {
                spans.push(Span::new(start, end));
            }
        }
        Some(Self { bytes, spans, end })
    }

    /// One of them, counted from the oldest.
    pub fn get(&self, at: usize) -> Option<&[u8]> {
        self.spans.get(at).map(|span| span.of(&self.bytes))
    }

    /// The records, from the oldest.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.spans.iter().map(|span| span.of(&self.bytes))
    }
}

/// Appends records to the file, which the caller has locked; what is torn at its end is cut off, and a file of another
/// version begun anew. A file that would grow beyond `limit` is written anew with those that `keeps` wants, and of them
/// with the newest that fit.
pub fn append_records(
    path: &Path,
    version: &str,
    new: &[Bytes],
    limit: usize,
    keeps: &dyn Fn(&[u8]) -> bool,
) -> io::Result<()> {
    let bytes = match read_guarded(path) {
        Guarded::Sound(bytes) => bytes,
        Guarded::Missing => Bytes::new(),
        Guarded::Unsafe(_) => return Err(io::Error::from(io::ErrorKind::PermissionDenied)),
    };
    let length = bytes.len();
    let added: usize = new.iter().map(|record| HEAD + record.len()).sum();
    match Records::of(bytes, version) {
        Some(old) if old.end + added <= limit => {
            fault::point()?;
            let mut file = OpenOptions::new().write(true).open(path)?;
            if old.end < length {
                file.set_len(u64::try_from(old.end).map_err(io::Error::other)?)?;
            }
            io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
            file.write_all(&framed(new.iter().map(Vec::as_slice)))
        }
        old => {
            let old = old.unwrap_or_default();
            let mut kept: Vec<&[u8]> = Vec::new();
            let mut size = version.len() + 1;
            let all: Vec<&[u8]> = old.iter().chain(new.iter().map(Vec::as_slice)).collect();
            for record in all.into_iter().rev().filter(|record| keeps(record)) {
                size += HEAD + record.len();
                if size > limit {
                    break;
                }
                kept.push(record);
            }
            let mut content = format!("{version}\n").into_bytes();
            content.extend(framed(kept.into_iter().rev()));
            replace_guarded(path, &content)
        }
    }
}

fn framed<'r>(records: impl Iterator<Item = &'r [u8]>) -> Bytes {
    let mut out = Bytes::new();
    for record in records {
        // Nobody makes a record of four gigabytes; it would not be found again.
        let Ok(length) = u32::try_from(record.len()) else {
            continue;
        };
        out.extend(length.to_le_bytes());
        out.extend(sum(record).to_le_bytes());
        out.extend(record);
    }
    out
}

/// A checksum against accidents, eight bytes at a time.
fn sum(record: &[u8]) -> u64 {
    let step = |sum: u64, word: [u8; 8]| {
        (sum.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let (words, rest) = record.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let sum = words
        .iter()
        .fold(record.len() as u64, |sum, word| step(sum, *word));
    let sum = step(sum, last);
    sum ^ (sum >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: &str = "test 1";
    const LIMIT: usize = 1 << 20;

    fn append(path: &Path, records: &[&[u8]]) {
        let records: Vec<Bytes> = records.iter().map(|record| record.to_vec()).collect();
        append_records(path, VERSION, &records, LIMIT, &|_| true).expect("it can be written");
    }

    fn read(path: &Path) -> Vec<Bytes> {
        Records::read(path, VERSION).iter().map(<[u8]>::to_vec).collect()
    }

    #[test]
    fn a_torn_tail_is_cut_at_every_byte() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("records");
        append(&path, &[b"one", b"", b"a longer record"]);
        let before = std::fs::read(&path).expect("written").len() - HEAD - b"a longer record".len();
        let whole = std::fs::read(&path).expect("written");
        for cut in before..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("writable");
            assert_eq!(read(&path), [b"one".to_vec(), Vec::new()], "{cut}");
            append(&path, &[b"next"]);
            assert_eq!(
                read(&path),
                [b"one".to_vec(), Vec::new(), b"next".to_vec()],
                "{cut}"
            );
        }
        std::fs::write(&path, &whole).expect("writable");
        assert_eq!(read(&path).len(), 3);
    }

    #[test]
    fn a_bad_record_is_passed_over_and_another_version_begun_anew() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("records");
        append(&path, &[b"one", b"two", b"three"]);
        let mut bytes = std::fs::read(&path).expect("written");
        let at = bstr::ByteSlice::find(bytes.as_slice(), b"two").expect("it is there");
        bytes[at] = b'x';
        std::fs::write(&path, &bytes).expect("writable");
        assert_eq!(read(&path), [b"one".to_vec(), b"three".to_vec()]);
        assert_eq!(Records::read(&path, "test 2").iter().count(), 0);
        append_records(&path, "test 2", &[b"four".to_vec()], LIMIT, &|_| true).expect("it can be written");
        assert_eq!(read(&path), Vec::<Bytes>::new());
        assert_eq!(Records::read(&path, "test 2").iter().count(), 1);
    }

    #[test]
    fn a_file_that_grows_too_long_keeps_what_is_wanted_and_of_it_the_newest() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("records");
        let limit = VERSION.len() + 1 + 3 * (HEAD + 2);
        let add = |record: &[u8]| {
            let wanted = |record: &[u8]| record.starts_with(b"a");
            append_records(&path, VERSION, &[record.to_vec()], limit, &wanted).expect("it can be written");
        };
        for record in [b"a1", b"b1", b"a2"] {
            add(record);
        }
        assert_eq!(read(&path).len(), 3);
        add(b"a3");
        assert_eq!(read(&path), [b"a1", b"a2", b"a3"]);
        add(b"a4");
        assert_eq!(read(&path), [b"a2", b"a3", b"a4"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_neither_read_nor_written() {
        let dir = tempfile::tempdir().expect("a folder");
        let (path, other) = (dir.path().join("records"), dir.path().join("other"));
        append(&other, &[b"one"]);
        std::os::unix::fs::symlink(&other, &path).expect("a link");
        assert_eq!(read(&path), Vec::<Bytes>::new());
        assert!(append_records(&path, VERSION, &[b"two".to_vec()], LIMIT, &|_| true).is_err());
        assert_eq!(read(&other), [b"one".to_vec()]);
    }
}
