//! What says that a change is merged, in its open or its archived folder, and which changes a step marks so (git.md 2.3).
//! Only a regular file is a marker.

use std::collections::BTreeMap;

use super::{ChangeFolder, MERGED, SPEC_MERGED};
use crate::files::{Kind, ObjectId, ReadError, RepoPath, Tree};
use crate::project::{Slug, layout};

/// The type of a `SPEC_MERGED` without deltas.
pub const NO_DELTA: &str = "no_delta_spec_complete";

/// A path in a change folder, open or archived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'p> {
    /// The name of the change, whether it is one that is allowed or not.
    pub slug: &'p [u8],
    pub folder: RepoPath,
    /// From the folder.
    pub inner: RepoPath,
}

impl<'p> Place<'p> {
    /// The change whose file or entry a path of the project is.
    pub fn of(path: &'p RepoPath) -> Option<Self> {
        for root in [layout::archive(), layout::changes()] {
            let Some(rest) = path
                .as_bytes()
                .strip_prefix(root.as_bytes())
                .and_then(|rest| rest.strip_prefix(b"/"))
            else {
                continue;
            };
            let end = rest.iter().position(|byte| *byte == b'/')?;
            let (name, inner) = (&rest[..end], &rest[end + 1..]);
            let slug = if root == layout::archive() {
                Slug::of_archived(name)?
            } else {
                name
            };
            return Some(Self {
                slug,
                folder: root.join(name),
                inner: RepoPath::new(inner).ok()?,
            });
        }
        None
    }

    /// Whether it is a marker of a merge, or stands where that should.
    fn is_mark(&self) -> bool {
        let name = self.inner.parts().next();
        name.is_some_and(|name| name == SPEC_MERGED || name == MERGED)
    }
}

/// Whether a change folder says that it is merged.
pub fn is_marked(tree: &dyn Tree, folder: &RepoPath) -> Result<bool, ReadError> {
    for name in [SPEC_MERGED, MERGED] {
        if tree
            .entry(&folder.join(name))?
            .is_some_and(|entry| entry.kind == Kind::File)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The archived folders of a change, in the order of their stamps.
pub fn archived(tree: &dyn Tree, slug: &str) -> Result<Vec<RepoPath>, ReadError> {
    let archive = layout::archive();
    // Whoever pushes a tree may put anything in the folder's place.
    if tree.entry(&archive)?.is_none_or(|entry| entry.kind != Kind::Dir) {
        return Ok(Vec::new());
    }
    let entries = tree.list(&archive)?;
    let own = |name: &[u8]| Slug::of_archived(name) == Some(slug.as_bytes());
    Ok(entries
        .iter()
        .filter(|(name, _)| own(name))
        .map(|(name, _)| archive.join(name))
        .collect())
}

/// Whether a parent has a folder of the result as a merged one: there, or where it was moved from. The name of an archived
/// change may be used again: that is another one.
fn was_merged(
    parent: &dyn Tree,
    result: &dyn Tree,
    place: &Place<'_>,
    slug: &str,
) -> Result<bool, ReadError> {
    if is_marked(parent, &place.folder)? {
        return Ok(true);
    }
    let open = layout::changes().join(slug);
    if parent.entry(&open)?.is_some() {
        return is_marked(parent, &open);
    }
    let marks = |tree: &dyn Tree, folder: &RepoPath| -> Result<Vec<Option<ObjectId>>, ReadError> {
        let id = |name| Ok(tree.entry(&folder.join(name))?.and_then(|entry| entry.id));
        [SPEC_MERGED, MERGED].into_iter().map(id).collect()
    };
    let own = marks(result, &place.folder)?;
    for folder in archived(parent, slug)? {
        let moved = result.entry(&folder)?.is_none();
        if moved && is_marked(parent, &folder)? && marks(parent, &folder)? == own {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The changes that have a marker in the result and in no parent, as they are merged one after the other (git.md 2.3).
/// `touched` are the paths that differ from any parent.
pub fn newly_merged<'p>(
    touched: impl IntoIterator<Item = &'p RepoPath>,
    result: &dyn Tree,
    parents: &[&dyn Tree],
) -> Result<Vec<ChangeFolder>, ReadError> {
    let mut found: BTreeMap<Slug, ChangeFolder> = BTreeMap::new();
    for path in touched {
        let Some(place) = Place::of(path).filter(Place::is_mark) else {
            continue;
        };
        let slug = std::str::from_utf8(place.slug).ok().and_then(Slug::lexical);
        let Some(slug) = slug.filter(|slug| !found.contains_key(slug)) else {
            continue;
        };
        let mut known = !is_marked(result, &place.folder)?;
        for parent in parents {
            known = known || was_merged(*parent, result, &place, slug.as_str())?;
        }
        if !known {
            let path = place.folder;
            found.insert(slug.clone(), ChangeFolder { slug, path });
        }
    }
    let mut timed = Vec::new();
    for (slug, change) in found {
        timed.push((claims(result, &change.path)?.completed_at, slug, change));
    }
    timed.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    Ok(timed.into_iter().map(|(_, _, change)| change).collect())
}

/// What the marker of a change folder claims.
pub fn claims(tree: &dyn Tree, folder: &RepoPath) -> Result<Claims, ReadError> {
    let content = tree.read(&folder.join(SPEC_MERGED))?;
    Ok(content.map_or_else(Claims::default, |bytes| Claims::read(&bytes)))
}

/// What a `SPEC_MERGED` says of itself. A file that says nothing, as a person may make it, claims nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// It says that there was no delta.
    pub no_delta: bool,
    pub completed_at: Option<String>,
    /// As written.
    pub base: Option<String>,
    /// Paths from the project's root, as written.
    pub documents: Vec<String>,
}

impl Claims {
    pub fn read(bytes: &[u8]) -> Self {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else {
            return Self::default();
        };
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let documents = value.get("documents").and_then(serde_json::Value::as_array);
        let documents = documents
            .into_iter()
            .flatten()
            .filter_map(serde_json::Value::as_str);
        Self {
            no_delta: text("type").as_deref() == Some(NO_DELTA),
            completed_at: text("completed_at"),
            base: text("base"),
            documents: documents.map(str::to_owned).collect(),
        }
    }
}
