//! Blobs of packs, kept while others are decoded that are stored as a difference to them: the files of one rename, and
//! files that are like each other, mostly are. Forgets everything when it is full.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use gix::objs::Kind;
use gix::odb::pack::cache::DecodeEntry;

struct Decoded {
    data: Vec<u8>,
    kind: Kind,
    compressed_size: usize,
}

/// The cache of one handle, which one thread uses.
pub(super) struct PackCache {
    objects: HashMap<(u32, u64), Decoded, BuildHasherDefault<OffsetHasher>>,
    size: usize,
    capacity: usize,
}

impl PackCache {
    /// With room for so many bytes of decoded content.
    pub(super) fn of(capacity: usize) -> Self {
        Self {
            objects: HashMap::default(),
            size: 0,
            capacity,
        }
    }
}

impl DecodeEntry for PackCache {
    fn put(&mut self, pack_id: u32, offset: u64, data: &[u8], kind: Kind, compressed_size: usize) {
        if data.len() > self.capacity / 4 {
            return;
        }
        if self.size + data.len() > self.capacity {
            self.objects.clear();
            self.size = 0;
        }
        self.size += data.len();
        let decoded = Decoded {
            data: data.to_owned(),
            kind,
            compressed_size,
        };
        self.objects.insert((pack_id, offset), decoded);
    }

    fn get(&mut self, pack_id: u32, offset: u64, out: &mut Vec<u8>) -> Option<(Kind, usize)> {
        let found = self.objects.get(&(pack_id, offset))?;
        out.clear();
        out.extend_from_slice(&found.data);
        Some((found.kind, found.compressed_size))
    }
}

/// Offsets are no one's choice that could be made to collide: a multiplication spreads them well enough.
#[derive(Default)]
struct OffsetHasher(u64);

impl Hasher for OffsetHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(23) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_last_is_found_and_room_is_made_for_it() {
        let mut cache = PackCache::of(40);
        let mut out = Vec::new();
        for offset in 0..8 {
            cache.put(1, offset, &[7; 10], Kind::Blob, 3);
            assert_eq!(cache.get(1, offset, &mut out), Some((Kind::Blob, 3)));
            assert!(cache.size <= 40);
        }
        assert_eq!(out, [7; 10]);
        assert_eq!(cache.get(2, 7, &mut out), None);
        cache.put(1, 9, &[0; 11], Kind::Blob, 3);
        assert_eq!(cache.get(1, 9, &mut out), None);
    }
}
