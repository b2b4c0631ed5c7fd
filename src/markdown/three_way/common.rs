//! The longest common subsequence of two lists, of several the one that skips first-list elements first (change.md 6.7).
//! A bit per pair of elements: long bodies cost neither time nor memory worth speaking of.

use std::collections::HashMap;
use std::hash::Hash;

/// For each element of `base` the one of `side` that it is, if it is in the subsequence.
pub fn subsequence<K: Eq + Hash>(base: &[K], side: &[K]) -> Vec<Option<usize>> {
    // Equal elements at the front are always taken.
    let front = base.iter().zip(side).take_while(|(b, s)| b == s).count();
    let mut out: Vec<Option<usize>> = (0..base.len()).map(|i| (i < front).then_some(i)).collect();
    if front == base.len() || front == side.len() {
        return out;
    }
    let lengths = Lengths::of(&base[front..], &side[front..]);
    let (mut i, mut j) = (front, front);
    let mut at = lengths.cursor();
    while i < base.len() && j < side.len() {
        if base[i] == side[j] {
            out[i] = Some(j);
            (i, j) = (i + 1, j + 1);
            at.take();
        } else if at.skipping_base_loses_nothing() {
            i += 1;
            at.skip_base();
        } else {
            j += 1;
            at.skip_side();
        }
    }
    out
}

/// The lengths of the longest common subsequences of all pairs of tails. Row `i` is for the tail of the first list from
/// `i` on; a zero bit at `p` says that the length grows where the tail of the second list grows to `p + 1` elements.
struct Lengths {
    rows: Vec<u64>,
    words: usize,
    base_len: usize,
    side_len: usize,
}

impl Lengths {
    fn of<K: Eq + Hash>(base: &[K], side: &[K]) -> Self {
        let words = side.len().div_ceil(64);
        let mut places: HashMap<&K, Vec<usize>> = HashMap::new();
        for (p, key) in side.iter().rev().enumerate() {
            places.entry(key).or_default().push(p);
        }
        let mut rows = vec![u64::MAX; words * (base.len() + 1)];
        let mut matches = vec![0_u64; words];
        for (i, key) in base.iter().enumerate().rev() {
            matches.fill(0);
            for p in places.get(key).into_iter().flatten() {
                matches[p / 64] |= 1 << (p % 64);
            }
            let (row, below) = rows[i * words..(i + 2) * words].split_at_mut(words);
            let mut carry = false;
            for ((new, old), matched) in row.iter_mut().zip(below).zip(&matches) {
                let (sum, first) = old.overflowing_add(*old & matched);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                carry = first || second;
                *new = sum | (*old & !matched);
            }
        }
        Self {
            rows,
            words,
            base_len: base.len(),
            side_len: side.len(),
        }
    }

    /// The length for the tails from `i` and `j` on.
    fn length(&self, i: usize, j: usize) -> usize {
        if i >= self.base_len {
            return 0;
        }
        let bits = self.side_len - j;
        let row = &self.rows[i * self.words..(i + 1) * self.words];
        let whole: u32 = row[..bits / 64].iter().map(|w| w.count_zeros()).sum();
        let rest = row
            .get(bits / 64)
            .map_or(0, |w| (!w & ((1 << (bits % 64)) - 1)).count_ones());
        (whole + rest) as usize
    }

    /// By how much the length is greater from `j` on than from `j + 1` on.
    fn step(&self, i: usize, j: usize) -> usize {
        if i >= self.base_len {
            return 0;
        }
        let p = self.side_len - 1 - j;
        usize::from(self.rows[i * self.words + p / 64] >> (p % 64) & 1 == 0)
    }

    fn cursor(&self) -> Cursor<'_> {
        Cursor {
            lengths: self,
            i: 0,
            j: 0,
            here: self.length(0, 0),
            below: self.length(1, 0),
        }
    }
}

/// A pair of tails, with the lengths for it and for the tail of the first list that is one shorter.
struct Cursor<'l> {
    lengths: &'l Lengths,
    i: usize,
    j: usize,
    here: usize,
    below: usize,
}

impl Cursor<'_> {
    fn skipping_base_loses_nothing(&self) -> bool {
        self.below >= self.here - self.lengths.step(self.i, self.j)
    }

    fn skip_base(&mut self) {
        self.i += 1;
        self.here = self.below;
        self.below = self.lengths.length(self.i + 1, self.j);
    }

    fn skip_side(&mut self) {
        self.here -= self.lengths.step(self.i, self.j);
        self.below -= self.lengths.step(self.i + 1, self.j);
        self.j += 1;
    }

    fn take(&mut self) {
        self.skip_side();
        self.skip_base();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook table, from which the rule about ties is read off.
    fn by_table(base: &[u8], side: &[u8]) -> Vec<Option<usize>> {
        let (rows, columns) = (base.len(), side.len());
        let mut longest = vec![vec![0; columns + 1]; rows + 1];
        for i in (0..rows).rev() {
            for j in (0..columns).rev() {
                longest[i][j] = if base[i] == side[j] {
                    longest[i + 1][j + 1] + 1
                } else {
                    longest[i + 1][j].max(longest[i][j + 1])
                };
            }
        }
        let mut out = vec![None; rows];
        let (mut i, mut j) = (0, 0);
        while i < rows && j < columns {
            if base[i] == side[j] {
                out[i] = Some(j);
                (i, j) = (i + 1, j + 1);
            } else if longest[i + 1][j] >= longest[i][j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
        out
    }

    proptest! {
        #[test]
        fn bits_say_what_the_table_says(
            base in prop::collection::vec(0_u8..6, 0..200),
            side in prop::collection::vec(0_u8..6, 0..200),
        ) {
            prop_assert_eq!(subsequence(&base, &side), by_table(&base, &side));
        }
    }

    #[test]
    fn of_several_the_one_that_skips_base_first() {
        assert_eq!(subsequence(b"xa", b"aya"), [None, Some(0)]);
    }
}
