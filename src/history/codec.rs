//! Records of the cache as bytes. Reading is total: bytes that are no record are none.

use std::sync::Arc;

use super::Spot;
use super::entry::Entry;
use super::step::{Kind, StepEvent, Touched};
use crate::files::{Digest, ObjectId, RepoPath};
use crate::text::Bytes;

/// What is known of a commit.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) seconds: i64,
    pub(super) followed: Vec<ObjectId>,
    pub(super) touched: Vec<Touched>,
    /// Of all ids.
    pub(super) events: Vec<StepEvent>,
}

const KINDS: [Kind; 4] = [Kind::Changed, Kind::Moved, Kind::Removed, Kind::Added];

/// The record of a commit in a project.
pub(super) fn record(commit: ObjectId, project: &RepoPath, known: &Known) -> Bytes {
    let mut out = Out(Bytes::new());
    out.id(commit);
    out.bytes(project.as_bytes());
    out.number(known.seconds.cast_unsigned());
    out.list(&known.followed, |out, id| out.id(*id));
    out.list(&known.touched, |out, one| {
        out.bytes(one.path.as_bytes());
        out.list(&one.old, |out, id| out.option(id.as_ref(), |out, id| out.id(*id)));
        out.option(one.new.as_ref(), |out, id| out.id(*id));
    });
    out.list(&known.events, |out, event| {
        let kind = KINDS.iter().position(|kind| *kind == event.kind);
        out.number(kind.unwrap_or(KINDS.len()) as u64);
        out.bytes(event.id.as_bytes());
        out.option(event.old.as_ref(), Out::spot);
        out.option(event.new.as_ref(), Out::spot);
    });
    out.0
}

/// The commit and the project of a record.
pub(super) fn key(record: &[u8]) -> Option<(ObjectId, &[u8])> {
    let mut record = In(record);
    Some((record.id()?, record.bytes()?))
}

/// All of a record.
pub(super) fn known(record: &[u8]) -> Option<Known> {
    let mut record = In(record);
    let (_commit, _project) = (record.id()?, record.bytes()?);
    let (seconds, followed) = (record.number()?.cast_signed(), record.list(In::id)?);
    let touched = record.list(|r| {
        Some(Touched {
            path: r.path()?,
            old: r.list(|r| r.option(In::id))?,
            new: r.option(In::id)?,
        })
    })?;
    let events = record.list(|r| {
        Some(StepEvent {
            kind: *KINDS.get(usize::try_from(r.number()?).ok()?)?,
            id: r.text()?,
            old: r.option(In::spot)?,
            new: r.option(In::spot)?,
        })
    })?;
    record.0.is_empty().then_some(Known {
        seconds,
        followed,
        touched,
        events,
    })
}

struct Out(Bytes);

impl Out {
    /// Seven bits a byte, the lowest first.
    fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push((n & 0x7f) as u8 | 0x80);
            n >>= 7;
        }
        self.0.push((n & 0x7f) as u8);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn id(&mut self, id: ObjectId) {
        self.bytes(id.as_bytes());
    }

    fn option<T>(&mut self, value: Option<&T>, put: impl FnOnce(&mut Self, &T)) {
        self.number(u64::from(value.is_some()));
        if let Some(value) = value {
            put(self, value);
        }
    }

    fn list<T>(&mut self, values: &[T], put: impl Fn(&mut Self, &T)) {
        self.number(values.len() as u64);
        for value in values {
            put(self, value);
        }
    }

    fn spot(&mut self, spot: &Spot) {
        let entry = &spot.entry;
        self.bytes(spot.document.as_bytes());
        self.id(spot.blob);
        self.bytes(entry.id.as_bytes());
        self.number(u64::from(entry.is_row));
        self.list(&entry.titles, |out, title| out.bytes(title.as_bytes()));
        self.number(entry.lines.start as u64);
        self.number(entry.lines.end as u64);
        self.bytes(entry.content.as_bytes());
    }
}

struct In<'r>(&'r [u8]);

impl<'r> In<'r> {
    fn number(&mut self) -> Option<u64> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(n);
            }
        }
        None
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    fn bytes(&mut self) -> Option<&'r [u8]> {
        let length = self.size()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn path(&mut self) -> Option<RepoPath> {
        RepoPath::new(self.bytes()?).ok()
    }

    fn id(&mut self) -> Option<ObjectId> {
        let bytes = self.bytes()?;
        matches!(bytes.len(), 20 | 32).then(|| ObjectId::from_bytes(bytes))
    }

    fn option<T>(&mut self, take: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.number()? {
            0 => Some(None),
            1 => take(self).map(Some),
            _ => None,
        }
    }

    fn list<T>(&mut self, take: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.size()?;
        // Each takes a byte at least: a wrong number asks for no room.
        if count > self.0.len() {
            return None;
        }
        (0..count).map(|_| take(self)).collect()
    }

    fn spot(&mut self) -> Option<Spot> {
        let (document, blob) = (self.path()?, self.id()?);
        let (id, is_row) = (self.text()?, self.number()? == 1);
        let titles = self.list(Self::text)?;
        let lines = self.size()?..self.size()?;
        let content = Digest::from_bytes(self.bytes()?.try_into().ok()?);
        // A section has a title of its own.
        if !is_row && titles.is_empty() {
            return None;
        }
        let entry = Entry {
            id,
            is_row,
            titles: titles.into(),
            lines,
            content,
        };
        Some(Spot {
            document,
            blob,
            entry: Arc::new(entry),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> (ObjectId, RepoPath, Known) {
        let id = |n| ObjectId::from_bytes(&[n; 20]);
        let spot = |is_row| Spot {
            document: RepoPath::of("logos/resources/test/a.md"),
            blob: id(7),
            entry: Arc::new(Entry {
                id: "UT-S01-01".to_owned(),
                is_row,
                titles: ["T".to_owned(), "单元".to_owned()].into(),
                lines: 300..301,
                content: Digest::of(b"x"),
            }),
        };
        let known = Known {
            seconds: -5,
            followed: vec![id(1), id(2)],
            touched: vec![Touched {
                path: RepoPath::new(b"a/\xff.md").expect("a path"),
                old: vec![None, Some(id(3))],
                new: Some(id(4)),
            }],
            events: vec![StepEvent {
                kind: Kind::Moved,
                id: "UT-S01-01".to_owned(),
                old: Some(spot(false)),
                new: Some(spot(true)),
            }],
        };
        (id(9), RepoPath::of("apps/tolls"), known)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let (commit, project, sample) = sample();
        let bytes = record(commit, &project, &sample);
        assert_eq!(key(&bytes), Some((commit, project.as_bytes())));
        let back = known(&bytes).expect("it is one");
        assert_eq!(format!("{back:?}"), format!("{sample:?}"));
        for end in 0..bytes.len() {
            assert!(known(&bytes[..end]).is_none(), "{end}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_record_or_none(mut bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..300_usize) {
            let _none = known(&bytes);
            // And a record with one byte changed.
            let (commit, project, sample) = sample();
            let mut good = record(commit, &project, &sample);
            let at = at % good.len();
            good[at] = bytes.pop().unwrap_or(0xff);
            let _either = known(&good);
        }
    }
}
