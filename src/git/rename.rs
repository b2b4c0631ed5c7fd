//! Which additions and deletions are one file that moved: git's rules (engineering.md 3), over a list of changes.

use std::cmp::Reverse;
use std::collections::HashMap;

use bstr::{BStr, ByteSlice};
use rayon::prelude::*;

use super::name_status::{Change, NameStatusOptions, Status, Version};
use super::similarity::{BASE_NAME, Contents, MAX_SCORE, MINIMUM, Score};
use super::{Error, Repository};
use crate::files::ObjectId;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renames {
    Off,
    /// Renames of unchanged files; no content is read.
    Exact,
    /// As `diff.renames=true`.
    Renames,
    /// As `diff.renames=copies`: changed files are sources too.
    Copies,
}

/// Sources of one content that are looked at for one destination.
const IDENTICAL: usize = 100;
/// Sources that are kept for one destination of the matrix.
const KEPT: usize = 4;

/// A side of a change that may be paired.
struct Side {
    change: usize,
    version: Version,
}

/// Two sides that belong together.
#[derive(Clone, Copy)]
struct Pair {
    source: usize,
    score: Score,
}

struct Detection<'a> {
    changes: &'a [Change],
    sources: Vec<Side>,
    destinations: Vec<Side>,
    /// How often a source is in use; a changed file that stays where it is uses itself.
    used: Vec<usize>,
    paired: Vec<Option<Pair>>,
    copies: bool,
}

/// Turns additions and deletions that belong together into renames and copies.
pub(super) fn detect(
    repository: &Repository,
    changes: Vec<Change>,
    options: NameStatusOptions,
) -> Result<Vec<Change>, Error> {
    let inexact = match options.renames {
        Renames::Off => return Ok(changes),
        Renames::Exact => false,
        Renames::Renames | Renames::Copies => true,
    };
    let mut detection = Detection::new(&changes, options.renames == Renames::Copies);
    if detection.sources.is_empty() || detection.destinations.is_empty() {
        return Ok(changes);
    }
    detection.pair_same_content();
    if inexact && detection.paired.iter().any(Option::is_none) {
        let contents = Contents::new(
            repository,
            detection.sources.iter().map(|s| s.version),
            detection.destinations.iter().map(|d| d.version),
        );
        if !detection.copies {
            detection.pair_base_names(&contents)?;
        }
        detection.pair_matrix(&contents, options.limit)?;
    }
    let Detection {
        sources,
        destinations,
        used,
        paired,
        ..
    } = detection;
    Ok(rewrite(changes, &sources, &destinations, used, &paired))
}

impl<'a> Detection<'a> {
    fn new(changes: &'a [Change], copies: bool) -> Self {
        let (mut sources, mut destinations, mut used) = (Vec::new(), Vec::new(), Vec::new());
        for (change, of) in changes.iter().enumerate() {
            match (of.old, of.new) {
                (None, Some(version)) => destinations.push(Side { change, version }),
                (Some(version), None) => {
                    sources.push(Side { change, version });
                    used.push(0);
                }
                (Some(version), Some(_)) if copies => {
                    sources.push(Side { change, version });
                    used.push(1);
                }
                _ => {}
            }
        }
        let paired = vec![None; destinations.len()];
        Self {
            changes,
            sources,
            destinations,
            used,
            paired,
            copies,
        }
    }

    fn source_name(&self, source: usize) -> &'a BStr {
        base_name(&self.changes[self.sources[source].change])
    }

    fn destination_name(&self, destination: usize) -> &'a BStr {
        base_name(&self.changes[self.destinations[destination].change])
    }

    fn pair(&mut self, destination: usize, source: usize, score: Score) {
        self.used[source] += 1;
        self.paired[destination] = Some(Pair { source, score });
    }

    fn left_destinations(&self) -> Vec<usize> {
        (0..self.paired.len())
            .filter(|d| self.paired[*d].is_none())
            .collect()
    }

    /// With copies every source stays a candidate.
    fn left_sources(&self) -> Vec<usize> {
        (0..self.sources.len())
            .filter(|s| self.copies || self.used[*s] == 0)
            .collect()
    }

    /// Step 2: the same id; an unused source before a used one, the same base name before another.
    fn pair_same_content(&mut self) {
        let mut by_id: Vec<(ObjectId, usize)> = (0..)
            .zip(&self.sources)
            .map(|(at, s)| (s.version.id, at))
            .collect();
        by_id.sort_unstable();
        for destination in 0..self.destinations.len() {
            let version = self.destinations[destination].version;
            let name = self.destination_name(destination);
            let mut best: Option<(usize, usize)> = None;
            let first = by_id.partition_point(|(id, _)| *id < version.id);
            let same = by_id[first..].iter().take_while(|(id, _)| *id == version.id);
            let candidates = same.map(|(_, source)| *source).filter(|s| {
                let source = self.sources[*s].version;
                let regular = source.mode.is_regular() && version.mode.is_regular();
                (regular || source.mode == version.mode) && (self.copies || self.used[*s] == 0)
            });
            for source in candidates.take(IDENTICAL) {
                let rank =
                    usize::from(self.used[source] == 0) + usize::from(self.source_name(source) == name);
                if best.is_none_or(|(best, _)| rank > best) {
                    best = Some((rank, source));
                }
                if rank == 2 {
                    break;
                }
            }
            if let Some((_, source)) = best {
                self.pair(destination, source, MAX_SCORE);
            }
        }
    }

    /// Step 3: a base name that only one left source and one left destination have.
    fn pair_base_names(&mut self, contents: &Contents<'_>) -> Result<(), Error> {
        let left = self.left_destinations();
        let destinations = unique_names(left.iter().map(|d| (self.destination_name(*d), *d)));
        let left = self.left_sources();
        let sources = unique_names(left.iter().map(|s| (self.source_name(*s), *s)));
        let pairs: Vec<(usize, usize)> = left
            .into_iter()
            .filter_map(|source| {
                let name = self.source_name(source);
                sources.get(name).copied().flatten()?;
                Some((source, destinations.get(name).copied().flatten()?))
            })
            .collect();
        let scores: Vec<Result<Score, Error>> = pairs
            .par_iter()
            .map(|(source, destination)| contents.similarity(*source, *destination, BASE_NAME))
            .collect();
        for ((source, destination), score) in pairs.into_iter().zip(scores) {
            let score = score?;
            if score >= BASE_NAME {
                self.pair(destination, source, score);
            }
        }
        Ok(())
    }

    /// Steps 4 and 5: the best of all combinations that are left, unless they are too many.
    fn pair_matrix(&mut self, contents: &Contents<'_>, limit: usize) -> Result<(), Error> {
        let (destinations, sources) = (self.left_destinations(), self.left_sources());
        let cells = destinations.len().saturating_mul(sources.len());
        if cells == 0 || (limit > 0 && cells > limit.saturating_mul(limit)) {
            return Ok(());
        }
        let kept: Vec<Result<[Option<Candidate>; KEPT], Error>> = destinations
            .par_iter()
            .map(|destination| self.best_sources(contents, *destination, &sources))
            .collect();
        let mut candidates = Vec::with_capacity(destinations.len() * KEPT);
        for (destination, kept) in destinations.iter().zip(kept) {
            candidates.extend(kept?.into_iter().flatten().map(|c| (*destination, c)));
        }
        candidates.sort_by_key(|(_, candidate)| Reverse(candidate.rank()));
        candidates.retain(|(_, c)| c.score >= MINIMUM);
        for used_again in [false, true] {
            if used_again && !self.copies {
                break;
            }
            for (destination, candidate) in &candidates {
                let free = self.used[candidate.source] == 0 || used_again;
                if free && self.paired[*destination].is_none() {
                    self.pair(*destination, candidate.source, candidate.score);
                }
            }
        }
        Ok(())
    }

    /// The four best sources. Their order among equals is part of git's rule, so that those below the threshold
    /// are kept as well: a better one takes the place of the worst.
    fn best_sources(
        &self,
        contents: &Contents<'_>,
        destination: usize,
        sources: &[usize],
    ) -> Result<[Option<Candidate>; KEPT], Error> {
        let mut kept: [Option<Candidate>; KEPT] = [None; KEPT];
        let name = self.destination_name(destination);
        for source in sources.iter().copied() {
            let mut worst = 0;
            for at in 1..KEPT {
                if rank_of(kept[at]) < rank_of(kept[worst]) {
                    worst = at;
                }
            }
            let floor = kept[worst].map_or(0, |c| c.score);
            let Some(score) = contents.similarity_from(source, destination, MINIMUM, floor)? else {
                continue;
            };
            let candidate = Candidate {
                source,
                score,
                same_name: self.source_name(source) == name,
            };
            if Some(candidate.rank()) > rank_of(kept[worst]) {
                kept[worst] = Some(candidate);
            }
        }
        Ok(kept)
    }
}

/// A source of the matrix, for one destination.
#[derive(Clone, Copy)]
struct Candidate {
    source: usize,
    score: Score,
    same_name: bool,
}

impl Candidate {
    fn rank(self) -> (Score, bool) {
        (self.score, self.same_name)
    }
}

fn rank_of(kept: Option<Candidate>) -> Option<(Score, bool)> {
    kept.map(Candidate::rank)
}

fn base_name(change: &Change) -> &BStr {
    let path = change.path.as_bstr();
    path[path.rfind_byte(b'/').map_or(0, |at| at + 1)..].as_bstr()
}

/// Names that occur once, and where; none for a name that occurs again.
fn unique_names<'n>(names: impl Iterator<Item = (&'n BStr, usize)>) -> HashMap<&'n BStr, Option<usize>> {
    let mut out = HashMap::new();
    for (name, at) in names {
        out.entry(name)
            .and_modify(|seen| *seen = None)
            .or_insert(Some(at));
    }
    out
}

/// Step 7: a paired destination names its source; a deletion whose source is in use disappears; of several uses of one
/// source all but the last are copies.
fn rewrite(
    mut changes: Vec<Change>,
    sources: &[Side],
    destinations: &[Side],
    mut used: Vec<usize>,
    paired: &[Option<Pair>],
) -> Vec<Change> {
    let mut gone = vec![false; changes.len()];
    for (source, used) in sources.iter().zip(&used) {
        gone[source.change] = changes[source.change].new.is_none() && *used > 0;
    }
    for (destination, pair) in destinations.iter().zip(paired) {
        let Some(Pair { source, score }) = *pair else {
            continue;
        };
        used[source] -= 1;
        let percent = percent(score);
        let from = &sources[source];
        let old_path = changes[from.change].path.clone();
        let change = &mut changes[destination.change];
        change.old_path = Some(old_path);
        change.old = Some(from.version);
        change.status = if used[source] > 0 {
            Status::Copied(percent)
        } else {
            Status::Renamed(percent)
        };
    }
    let mut gone = gone.into_iter();
    changes.retain(|_| !gone.next().unwrap_or(false));
    changes
}

fn percent(score: Score) -> u8 {
    u8::try_from(score * 100 / MAX_SCORE).expect("a score is at most the greatest one")
}
