//! Who wrote which piece of a document: each row, heading and paragraph is followed back to the commit that brought it,
//! from document to document (git.md 8).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::cache::Cache;
use super::cause::{Cause, Place};
use super::log::{Step, history};
use super::step::Touched;
use super::{Error, Subject, entry};
use crate::clock::Timestamp;
use crate::files::{ObjectId, RepoPath, Tree, regular_content};
use crate::git::CommitWords;
use crate::markdown::Document;
use crate::markdown::three_way::{Piece, PieceKind, pieces, subsequence};
use crate::text::decode;

/// A piece of a document, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    pub kind: PieceKind,
    /// The commit that brought it; none if history is cut off before it.
    pub commit: Option<ObjectId>,
    pub change: Option<String>,
    pub date: Option<Timestamp>,
    /// The ids that it defines.
    pub ids: Vec<String>,
    /// Its lines, from 0.
    pub lines: Range<usize>,
    /// Its first line.
    pub text: String,
}

/// The pieces of a document or of an entry in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// From the top level.
    pub document: RepoPath,
    pub units: Vec<Unit>,
}

/// What is asked about.
#[derive(Clone, Copy)]
pub enum Target<'t> {
    /// A document, from the project's folder.
    Document(&'t RepoPath),
    /// Where an id is defined; of several places the first by the document's path.
    Id(&'t str),
}

/// The pieces of a document or of an id's entry, as a commit has them. None if there is no such thing.
pub fn blame(subject: Subject<'_>, target: Target<'_>, rev: ObjectId) -> Result<Option<Blame>, Error> {
    let tree = subject.repository.commit_tree(rev, subject.project)?;
    let Some((path, lines)) = find(&tree, target)? else {
        return Ok(None);
    };
    let Some(blob) = tree.entry(&path)?.and_then(|entry| entry.id) else {
        return Ok(None);
    };
    let mut reader = Reader {
        subject,
        texts: HashMap::new(),
    };
    let text = reader.text(blob)?;
    let lines = lines.unwrap_or_else(|| text.document.all_lines());
    let asked: Vec<usize> = (0..text.pieces.len())
        .filter(|at| lines.contains(&text.pieces[*at].lines.start))
        .collect();
    let origins = reader.origins(&path, blob, &asked, rev)?;
    let mut causes = Causes {
        subject,
        known: HashMap::new(),
    };
    let entries = entry::entries(&path, &text.document);
    let mut units = Vec::new();
    for (at, origin) in asked.into_iter().zip(origins) {
        let piece = &text.pieces[at];
        let ids: Vec<String> = entries
            .iter()
            .filter(|entry| piece.lines.contains(&entry.lines.start))
            .map(|entry| entry.id.clone())
            .collect();
        let (mut change, mut date) = (None, None);
        if let Some(origin) = &origin {
            let text = reader.text(origin.place.blob)?;
            let line = text.pieces[origin.place.piece].lines.start;
            let titles = match text.document.heading_before(line + 1) {
                Some(heading) => entry::titles(&text.document, heading),
                None => Arc::default(),
            };
            let place = Place {
                document: &origin.place.path,
                titles: &titles,
            };
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            let (cause, words) = causes.of(origin)?;
            change = cause.change_of(&ids, &[place]);
            date = Some(Timestamp::from_seconds(words.committed_at.unwrap_or(0)));
        }
        units.push(Unit {
            kind: piece.kind,
            commit: origin.map(|origin| origin.commit),
            change,
            date,
            ids,
            text: decode(text.document.line(piece.lines.start)).into_owned(),
            lines: piece.lines.clone(),
        });
    }
    Ok(Some(Blame {
        document: path.below(subject.project),
        units,
    }))
}

/// A document, and the lines of it that are asked about; none are all.
type Asked = (RepoPath, Option<Range<usize>>);

fn find(tree: &dyn Tree, target: Target<'_>) -> Result<Option<Asked>, Error> {
    Ok(match target {
        Target::Document(path) if !entry::is_document(path) => None,
        Target::Document(path) => regular_content(tree, path)?.map(|_| (path.clone(), None)),
        Target::Id(id) => entry::read_all(tree)?.into_iter().find_map(|standing| {
            let entry = standing.entries.iter().find(|entry| entry.id == id)?;
            Some((standing.path, Some(entry.lines.clone())))
        }),
    })
}

/// A version of a document, cut into pieces.
struct Text {
    document: Document,
    pieces: Vec<Piece>,
}

/// A piece of a version of a document.
#[derive(Clone)]
struct Spot {
    path: RepoPath,
    blob: ObjectId,
    piece: usize,
}

/// Where a piece comes from.
struct Origin {
    commit: ObjectId,
    parents: Vec<ObjectId>,
    place: Spot,
}

/// A piece that was asked for, by its number, and where it is now.
type Pending = Vec<(usize, Spot)>;

struct Reader<'r> {
    subject: Subject<'r>,
    texts: HashMap<ObjectId, Arc<Text>>,
}

impl Reader<'_> {
    fn text(&mut self, blob: ObjectId) -> Result<Arc<Text>, Error> {
        if let Some(known) = self.texts.get(&blob) {
            return Ok(Arc::clone(known));
        }
        let document = Document::scan(self.subject.repository.blob(blob)?);
        let pieces = pieces(&document, document.all_lines());
        let text = Arc::new(Text { document, pieces });
        self.texts.insert(blob, Arc::clone(&text));
        Ok(text)
    }

    /// Where each of the pieces comes from, in their order.
    fn origins(
        &mut self,
        path: &RepoPath,
        blob: ObjectId,
        asked: &[usize],
        rev: ObjectId,
    ) -> Result<Vec<Option<Origin>>, Error> {
        let spot = |piece: &usize| Spot {
            path: path.clone(),
            blob,
            piece: *piece,
        };
        let mut out: Vec<Option<Origin>> = asked.iter().map(|_| None).collect();
        let mut pending: HashMap<ObjectId, Pending> = HashMap::new();
        pending.insert(rev, asked.iter().map(spot).enumerate().collect());
        let cache = Cache::open(self.subject);
        for visited in history(self.subject, &[rev], &cache)? {
            let Some(here) = pending.remove(&visited.id) else {
                continue;
            };
            let Some(first) = visited.followed.first() else {
                // A root brought it; what lies behind the end of a shallow clone nobody knows.
                if !visited.is_boundary {
                    for (at, place) in here {
                        out[at] = Some(Origin {
                            commit: visited.id,
                            parents: Vec::new(),
                            place,
                        });
                    }
                }
                continue;
            };
            let step = Step::of(self.subject, &visited, &cache)?;
            let (mut there, untouched): (Pending, Pending) = here
                .into_iter()
                .partition(|(_, spot)| step.touched.iter().any(|one| one.path == spot.path));
            pending.entry(*first).or_default().extend(untouched);
            for (parent, id) in visited.followed.iter().enumerate() {
                let found = self.pass(&step.touched, parent, &mut there)?;
                pending.entry(*id).or_default().extend(found);
            }
            for (at, place) in there {
                out[at] = Some(Origin {
                    commit: visited.id,
                    parents: visited.followed.clone(),
                    place,
                });
            }
            if pending.values().all(Vec::is_empty) {
                break;
            }
        }
        Ok(out)
    }

    /// Takes those pieces out that a parent has too, and says where.
    fn pass(&mut self, touched: &[Touched], parent: usize, here: &mut Pending) -> Result<Pending, Error> {
        let mut found = Pending::new();
        let mut paths: Vec<RepoPath> = here.iter().map(|(_, spot)| spot.path.clone()).collect();
        paths.sort();
        paths.dedup();
        for path in paths {
            let (mut own, rest): (Pending, Pending) = std::mem::take(here)
                .into_iter()
                .partition(|(_, spot)| spot.path == path);
            *here = rest;
            // First the document itself, then those that went away, then those that lost what they had.
            let rank = |one: &&Touched| (one.path != path, one.new.is_some());
            let mut sources: Vec<&Touched> = touched
                .iter()
                .filter(|one| one.old[parent].is_some() && (one.path == path || one.old[parent] != one.new))
                .collect();
            sources.sort_by_key(rank);
            for source in sources {
                let Some(blob) = source.old[parent] else { continue };
                if own.is_empty() {
                    break;
                }
                let whole = source.path == path || source.new.is_none();
                let matched = self.matched(&own, blob, whole)?;
                let mut left = Pending::new();
                for ((at, spot), piece) in own.into_iter().zip(matched) {
                    match piece {
                        Some(piece) => {
                            let path = source.path.clone();
                            found.push((at, Spot { path, blob, piece }));
                        }
                        None => left.push((at, spot)),
                    }
                }
                own = left;
            }
            here.extend(own);
        }
        Ok(found)
    }

    /// Which piece of another version each piece is: as the longest common subsequence has it, else any equal one that
    /// is left. Of a document that is still there only rows go to another.
    fn matched(&mut self, own: &Pending, blob: ObjectId, whole: bool) -> Result<Vec<Option<usize>>, Error> {
        let Some((_, first)) = own.first() else {
            return Ok(Vec::new());
        };
        if first.blob == blob {
            return Ok(own.iter().map(|(_, spot)| Some(spot.piece)).collect());
        }
        let (now, then) = (self.text(first.blob)?, self.text(blob)?);
        let keys = |text: &Text| -> Vec<(PieceKind, Vec<u8>)> {
            text.pieces
                .iter()
                .map(|piece| (piece.kind, piece.content.clone()))
                .collect()
        };
        let (now, then) = (keys(&now), keys(&then));
        let common = if whole {
            subsequence(&now, &then)
        } else {
            vec![None; now.len()]
        };
        let mut taken: Vec<bool> = vec![false; then.len()];
        for at in common.iter().flatten() {
            taken[*at] = true;
        }
        let mut out = Vec::new();
        for (_, spot) in own {
            let may_move = whole || now[spot.piece].0 == PieceKind::Row;
            let found = common[spot.piece].or_else(|| {
                let equal = |at: &usize| !taken[*at] && then[*at] == now[spot.piece];
                (0..then.len()).filter(|_| may_move).find(equal)
            });
            if let Some(found) = found {
                taken[found] = true;
            }
            out.push(found);
        }
        Ok(out)
    }
}

/// What is behind commits, each read once.
struct Causes<'r> {
    subject: Subject<'r>,
    known: HashMap<ObjectId, (Cause, CommitWords)>,
}

impl Causes<'_> {
    fn of(&mut self, origin: &Origin) -> Result<&(Cause, CommitWords), Error> {
        let commit = origin.commit;
        if !self.known.contains_key(&commit) {
            let words = self.subject.repository.commit_words(commit)?;
            let cause = Cause::of(self.subject, commit, &origin.parents, &words)?;
            self.known.insert(commit, (cause, words));
        }
        Ok(&self.known[&commit])
    }
}
