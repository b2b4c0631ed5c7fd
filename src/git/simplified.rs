//! History with regard to some folders, as git simplifies it: a commit in which none of them differs from a parent is
//! passed over, and the walk goes on with that parent only (git.md 8, "Tracking").

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

use bstr::ByteSlice;
use gix::objs::Find;

use super::tree_entries::Entries;
use super::{Error, Repository, gix_id, own_id};
use crate::files::{ObjectId, RepoPath};

/// The trees of the folders in one commit, in the order asked for; none where there is no such folder.
pub type FolderIds = Vec<Option<ObjectId>>;

/// One commit of a simplified history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visited {
    pub id: ObjectId,
    /// The parents that the walk went on to: all of them, or the one that is equal.
    pub followed: Vec<ObjectId>,
    /// The folders, if they differ from those of every parent.
    pub step: Option<FolderStep>,
    /// Whether history was cut off behind it.
    pub is_boundary: bool,
    /// Its date, as far as it can be read.
    pub seconds: i64,
}

/// What a commit makes of the folders of its parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderStep {
    pub new: FolderIds,
    /// Of each parent; of none if the commit is a root.
    pub old: Vec<FolderIds>,
}

impl Repository {
    /// Walks from some commits back to the roots: children before parents, else the newest first, of equal times by id.
    /// What counts are the folders of these names at a place, given from the top level. Of a commit that is `known`, its
    /// date and the parents to follow, nothing is read, and no step is told.
    pub fn simplified_history(
        &self,
        starts: &[ObjectId],
        place: &RepoPath,
        names: &[&str],
        known: &dyn Fn(ObjectId) -> Option<(i64, Vec<ObjectId>)>,
    ) -> Result<Vec<Visited>, Error> {
        let boundary: HashSet<ObjectId> = self.shallow_boundary()?.into_iter().collect();
        let mut reader = Reader {
            repo: self.handle(),
            place,
            names,
            commits: HashMap::new(),
            children: HashMap::new(),
            named: HashMap::new(),
            idle: Vec::new(),
        };
        let mut visited: HashMap<ObjectId, Visited> = HashMap::new();
        let mut todo = starts.to_vec();
        while let Some(id) = todo.pop() {
            if visited.contains_key(&id) {
                continue;
            }
            let is_boundary = boundary.contains(&id);
            let one = match known(id).filter(|_| !is_boundary) {
                Some((seconds, followed)) => Visited {
                    id,
                    followed,
                    step: None,
                    is_boundary,
                    seconds,
                },
                None => reader.visit(id, is_boundary)?,
            };
            todo.extend(&one.followed);
            visited.insert(id, one);
        }
        Ok(sorted(visited))
    }
}

/// Children before parents, else the newest first.
fn sorted(mut visited: HashMap<ObjectId, Visited>) -> Vec<Visited> {
    let mut children: HashMap<ObjectId, usize> = HashMap::new();
    for one in visited.values() {
        for parent in &one.followed {
            *children.entry(*parent).or_default() += 1;
        }
    }
    let place = |one: &Visited| (one.seconds, std::cmp::Reverse(one.id));
    let mut ready: BinaryHeap<_> = visited
        .values()
        .filter(|one| !children.contains_key(&one.id))
        .map(place)
        .collect();
    let mut out = Vec::with_capacity(visited.len());
    while let Some((_, std::cmp::Reverse(id))) = ready.pop() {
        let Some(one) = visited.remove(&id) else { continue };
        for parent in &one.followed {
            let left = children.entry(*parent).or_default();
            *left = left.saturating_sub(1);
            if *left == 0
                && let Some(parent) = visited.get(parent)
            {
                ready.push(place(parent));
            }
        }
        out.push(one);
    }
    out
}

/// What is remembered of a commit.
#[derive(Clone)]
struct Commit {
    parents: Vec<ObjectId>,
    seconds: i64,
    folders: Rc<FolderIds>,
}

struct Reader<'a> {
    repo: gix::Repository,
    place: &'a RepoPath,
    names: &'a [&'a str],
    commits: HashMap<ObjectId, Commit>,
    /// The folder on the way to the place, by the tree and the number of its part.
    children: HashMap<(gix::ObjectId, usize), Option<gix::ObjectId>>,
    /// The folders that count, by the tree at the place.
    named: HashMap<gix::ObjectId, Rc<FolderIds>>,
    idle: Vec<u8>,
}

impl Reader<'_> {
    fn visit(&mut self, id: ObjectId, is_boundary: bool) -> Result<Visited, Error> {
        let commit = self.commit(id)?;
        let parents = if is_boundary {
            &[][..]
        } else {
            commit.parents.as_slice()
        };
        let mut old = Vec::new();
        let mut equal = None;
        for parent in parents {
            let before = self.commit(*parent)?.folders;
            if before == commit.folders {
                equal = Some(*parent);
                break;
            }
            old.push(before.as_ref().clone());
        }
        let is_empty = commit.folders.iter().all(Option::is_none);
        let is_step = equal.is_none() && !is_boundary && !(parents.is_empty() && is_empty);
        let step = is_step.then(|| FolderStep {
            new: commit.folders.as_ref().clone(),
            old,
        });
        Ok(Visited {
            id,
            followed: equal.map_or_else(|| parents.to_vec(), |parent| vec![parent]),
            step,
            is_boundary,
            seconds: commit.seconds,
        })
    }

    fn commit(&mut self, id: ObjectId) -> Result<Commit, Error> {
        if let Some(known) = self.commits.get(&id) {
            return Ok(known.clone());
        }
        let fail = |reason: String| Error::Object {
            what: id.to_string(),
            reason,
        };
        let (top, parents, seconds) = {
            let commit = self
                .repo
                .find_commit(gix_id(id))
                .map_err(|e| fail(e.to_string()))?;
            let decoded = commit.decode().map_err(|e| fail(e.to_string()))?;
            // git takes commits without a readable date too, as the oldest.
            let seconds = decoded.time().map_or(0, |time| time.seconds);
            let parents: Vec<ObjectId> = decoded.parents().map(own_id).collect();
            (decoded.tree(), parents, seconds)
        };
        let commit = Commit {
            parents,
            seconds,
            folders: self.folders_of(top)?,
        };
        self.commits.insert(id, commit.clone());
        Ok(commit)
    }

    fn folders_of(&mut self, top: gix::ObjectId) -> Result<Rc<FolderIds>, Error> {
        let mut tree = top;
        for (at, part) in self.place.parts().enumerate() {
            let next = if let Some(known) = self.children.get(&(tree, at)) {
                *known
            } else {
                let found = self.find(tree, &[part])?[0];
                self.children.insert((tree, at), found);
                found
            };
            match next {
                Some(next) => tree = next,
                None => return Ok(Rc::new(vec![None; self.names.len()])),
            }
        }
        if let Some(known) = self.named.get(&tree) {
            return Ok(Rc::clone(known));
        }
        let found = self.find(tree, self.names)?;
        let found = Rc::new(found.into_iter().map(|id| id.map(own_id)).collect::<Vec<_>>());
        self.named.insert(tree, Rc::clone(&found));
        Ok(found)
    }

    /// The folders of these names in a tree.
    fn find<N: AsRef<[u8]>>(
        &mut self,
        tree: gix::ObjectId,
        names: &[N],
    ) -> Result<Vec<Option<gix::ObjectId>>, Error> {
        let fail = |reason: String| Error::Object {
            what: format!("tree {tree}"),
            reason,
        };
        let mut out = vec![None; names.len()];
        if tree.is_empty_tree() {
            return Ok(out);
        }
        self.idle.clear();
        match self.repo.objects.try_find(&tree, &mut self.idle) {
            Ok(Some(found)) if found.kind == gix::objs::Kind::Tree => {}
            Ok(Some(found)) => return Err(fail(format!("it is a {}", found.kind))),
            Ok(None) => return Err(fail(super::name_status::NOT_HERE.to_owned())),
            Err(e) => return Err(fail(e.to_string())),
        }
        let mut entries = Entries::of(&self.idle, self.repo.object_hash().len_in_bytes());
        while let Some(entry) = entries
            .peek()
            .map_err(|damage| super::name_status::damaged(Some(tree), &damage))?
        {
            let named = names
                .iter()
                .position(|name| entry.name.as_bytes() == name.as_ref());
            if let Some(at) = named.filter(|_| entry.mode.is_none()) {
                out[at].get_or_insert(gix::ObjectId::from_bytes_or_panic(entry.id));
            }
            entries.pass(&entry);
        }
        Ok(out)
    }
}
