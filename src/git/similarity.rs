//! How much of one blob is in another: git's estimate (engineering.md 3, step 6). What is binary is decided by content
//! alone: attributes belong to a work tree or an index, and neither is looked at.

use std::borrow::Cow;
use std::sync::{Mutex, OnceLock};

use bstr::ByteSlice;

use super::name_status::{NOT_HERE, Version};
use super::pack_cache::PackCache;
use super::{Error, Repository, gix_id};
use crate::files::ObjectId;

/// A similarity, up to [`MAX_SCORE`].
pub(super) type Score = u64;

pub(super) const MAX_SCORE: Score = 60_000;
/// From here on two files may be one: 50 %.
pub(super) const MINIMUM: Score = 30_000;
/// From here on two files of one unique base name are one: 75 %.
pub(super) const BASE_NAME: Score = 45_000;

/// Chunks end here at the latest.
const CHUNK: usize = 64;
/// Values of chunks are below this.
const VALUES: u32 = 107_927;
/// Decoded blobs that all threads together keep, in bytes.
const MEMORY: usize = 96 << 20;
/// So much of a blob is searched for a NUL, which makes it binary.
const BINARY_PROBE: usize = 8_000;

/// The blobs of both sides; sizes and chunk sums are read once, when first asked for.
pub(super) struct Contents<'r> {
    readers: Readers<'r>,
    sources: Vec<Content>,
    destinations: Vec<Content>,
}

struct Content {
    version: Version,
    size: OnceLock<Result<u64, String>>,
    sums: OnceLock<Result<Sums, String>>,
}

/// The lengths of a blob's chunks, summed by value, ascending.
#[derive(Debug, PartialEq, Eq)]
struct Sums {
    by_value: Vec<(u32, u32)>,
    total: u64,
}

/// Handles for the threads that read, each with a part of the memory.
struct Readers<'r> {
    repository: &'r Repository,
    idle: Mutex<Vec<gix::Repository>>,
}

impl<'r> Contents<'r> {
    pub(super) fn new(
        repository: &'r Repository,
        sources: impl Iterator<Item = Version>,
        destinations: impl Iterator<Item = Version>,
    ) -> Self {
        let content = |version| Content {
            version,
            size: OnceLock::new(),
            sums: OnceLock::new(),
        };
        Self {
            readers: Readers {
                repository,
                idle: Mutex::default(),
            },
            sources: sources.map(content).collect(),
            destinations: destinations.map(content).collect(),
        }
    }

    /// The similarity; 0 if the sizes alone put it below `minimum`, or one side is no regular file.
    pub(super) fn similarity(
        &self,
        source: usize,
        destination: usize,
        minimum: Score,
    ) -> Result<Score, Error> {
        let score = self.similarity_from(source, destination, minimum, 0)?;
        Ok(score.unwrap_or(0))
    }

    /// As [`Contents::similarity`]; none if it is below `floor`, which is often known before all is compared.
    pub(super) fn similarity_from(
        &self,
        source: usize,
        destination: usize,
        minimum: Score,
        floor: Score,
    ) -> Result<Option<Score>, Error> {
        let (source, destination) = (&self.sources[source], &self.destinations[destination]);
        let zero = (floor == 0).then_some(0);
        if !source.version.mode.is_regular() || !destination.version.mode.is_regular() {
            return Ok(zero);
        }
        let (a, b) = (source.size(&self.readers)?, destination.size(&self.readers)?);
        let (small, large) = (a.min(b), a.max(b));
        if small == 0 || too_different(small, large, minimum) {
            return Ok(zero);
        }
        // Nothing more than the smaller side can be copied.
        if small * MAX_SCORE / large < floor {
            return Ok(None);
        }
        let needed = (floor * large).div_ceil(MAX_SCORE);
        let copied = copied(
            source.sums(&self.readers)?,
            destination.sums(&self.readers)?,
            needed,
        );
        Ok(copied.map(|copied| copied * MAX_SCORE / large))
    }
}

fn too_different(small: u64, large: u64, minimum: Score) -> bool {
    large.saturating_mul(MAX_SCORE - minimum) < (large - small).saturating_mul(MAX_SCORE)
}

impl Readers<'_> {
    fn with<T>(&self, read: impl FnOnce(&gix::Repository) -> T) -> T {
        let idle = self.idle.lock().map(|mut idle| idle.pop()).unwrap_or_default();
        let repo = idle.unwrap_or_else(|| {
            let mut repo = self.repository.handle();
            let share = MEMORY / rayon::current_num_threads().max(1);
            repo.objects
                .set_pack_cache(move || Box::new(PackCache::of(share)));
            repo
        });
        let out = read(&repo);
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(repo);
        }
        out
    }
}

impl Content {
    /// In bytes, from the object's header.
    fn size(&self, readers: &Readers<'_>) -> Result<u64, Error> {
        let id = self.version.id;
        let size = self.size.get_or_init(|| {
            readers.with(|repo| match repo.try_find_header(gix_id(id)) {
                Ok(Some(header)) => Ok(header.size()),
                Ok(None) => Err(NOT_HERE.to_owned()),
                Err(e) => Err(e.to_string()),
            })
        });
        size.as_ref().copied().map_err(|reason| unreadable(id, reason))
    }

    fn sums(&self, readers: &Readers<'_>) -> Result<&Sums, Error> {
        let id = self.version.id;
        let sums = self.sums.get_or_init(|| {
            readers.with(|repo| match repo.try_find_object(gix_id(id)) {
                Ok(Some(blob)) => Ok(Sums::of(&blob.data)),
                Ok(None) => Err(NOT_HERE.to_owned()),
                Err(e) => Err(e.to_string()),
            })
        });
        sums.as_ref().map_err(|reason| unreadable(id, reason))
    }
}

fn unreadable(id: ObjectId, reason: &str) -> Error {
    Error::Blob {
        id,
        reason: reason.to_owned(),
    }
}

impl Sums {
    fn of(blob: &[u8]) -> Self {
        let is_binary = blob[..blob.len().min(BINARY_PROBE)].contains(&0);
        let text = if is_binary {
            Cow::Borrowed(blob)
        } else {
            without_cr(blob)
        };
        let mut chunks = Vec::with_capacity(text.len() / 24 + 1);
        let mut rest = &text[..];
        while !rest.is_empty() {
            let window = &rest[..rest.len().min(CHUNK)];
            let length = window.find_byte(b'\n').map_or(window.len(), |at| at + 1);
            let (chunk, after) = rest.split_at(length);
            chunks.push((value(chunk), u32::try_from(length).expect("a chunk is short")));
            rest = after;
        }
        chunks.sort_unstable_by_key(|(value, _)| *value);
        chunks.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        Self {
            by_value: chunks,
            total: text.len() as u64,
        }
    }
}

/// The CR of every CRLF taken out.
fn without_cr(text: &[u8]) -> Cow<'_, [u8]> {
    if text.find(b"\r\n").is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut start = 0;
    for at in text.find_iter(b"\r\n") {
        out.extend_from_slice(&text[start..at]);
        start = at + 1;
    }
    out.extend_from_slice(&text[start..]);
    Cow::Owned(out)
}

/// Two accumulators of 32 bits that take seven bits from each other are one of 64 bits that turns.
fn value(chunk: &[u8]) -> u32 {
    let both = chunk.iter().fold(0_u64, |both, byte| {
        both.rotate_left(7).wrapping_add(u64::from(*byte) << 32)
    });
    let high = u32::try_from(both >> 32).expect("32 bits");
    let low = u32::try_from(both & u64::from(u32::MAX)).expect("32 bits");
    high.wrapping_add(low.wrapping_mul(0x61)) % VALUES
}

/// How many bytes of the source are in the destination; none if fewer than `needed`.
fn copied(source: &Sums, destination: &Sums, needed: u64) -> Option<u64> {
    let mut possible = source.total;
    let mut others = destination.by_value.iter().peekable();
    for (value, length) in &source.by_value {
        while others.next_if(|(other, _)| other < value).is_some() {}
        let there = others.next_if(|(other, _)| other == value).map_or(0, |(_, n)| *n);
        possible -= u64::from(length.saturating_sub(there));
        if possible < needed {
            return None;
        }
    }
    Some(possible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_end_after_a_newline_or_64_bytes() {
        let blob = [b"a\n".repeat(2), vec![b'x'; 70]].concat();
        let sums = Sums::of(&blob);
        let mut lengths: Vec<u32> = sums.by_value.iter().map(|(_, n)| *n).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [4, 6, 64]);
        assert_eq!(sums.total, 74);
    }

    #[test]
    fn line_ends_make_no_difference_in_text_but_in_binary_content() {
        assert_eq!(Sums::of(b"a\r\nb\r\n"), Sums::of(b"a\nb\n"));
        assert_ne!(Sums::of(b"b\r\r\n"), Sums::of(b"b\n"));
        assert_ne!(Sums::of(b"\0a\r\n"), Sums::of(b"\0a\n"));
    }

    #[test]
    fn the_turning_accumulator_equals_the_two_of_the_rule() {
        let chunk: Vec<u8> = (0..64)
            .map(|i: u8| i.wrapping_mul(37).wrapping_add(200))
            .collect();
        let (mut a, mut b) = (0_u32, 0_u32);
        for byte in &chunk {
            let old = a;
            a = (a << 7) ^ (b >> 25);
            b = (b << 7) ^ (old >> 25);
            a = a.wrapping_add(u32::from(*byte));
        }
        assert_eq!(value(&chunk), a.wrapping_add(b.wrapping_mul(0x61)) % VALUES);
    }

    #[test]
    fn what_cannot_reach_the_floor_is_given_up() {
        let (a, b) = (Sums::of(b"one\ntwo\n"), Sums::of(b"one\nsix\n"));
        assert_eq!(copied(&a, &b, 0), Some(4));
        assert_eq!(copied(&a, &b, 4), Some(4));
        assert_eq!(copied(&a, &b, 5), None);
    }
}
