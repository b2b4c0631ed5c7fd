//! What lies below `deltas/`: every entry classed, every file read, every target named (change.md 3.1 and 3.2).

use std::collections::BTreeSet;
use std::io;

use bstr::ByteSlice;
use rayon::prelude::*;

use super::delta::SectionDelta;
use crate::files::{Kind, Name, ReadError, RepoPath, Resolved, Tree};
use crate::project::layout;
use crate::text::{Bytes, utf16_cmp};

/// The categories of `deltas/` and the folder that each stands for.
pub(super) const CATEGORIES: [(&str, &str); 8] = [
    ("prd", "logos/resources/prd"),
    ("api", "logos/resources/api"),
    ("database", "logos/resources/database"),
    ("scenario", "logos/resources/scenario"),
    ("test", "logos/resources/test"),
    ("decisions", "logos/resources/decisions"),
    ("spec", "spec"),
    ("skills", "skills"),
];

/// Known, and never merged.
const REFERENCE: &str = "reference";

/// What lint says of an entry (check L6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    Valid,
    Ignored,
    Invalid,
}

/// What a delta holds.
#[derive(Clone, Debug)]
pub enum DeltaContent {
    Sections(SectionDelta),
    WholeFile(Bytes),
    /// Nothing was opened: no file, or one outside the change.
    Unread,
}

/// One entry below `deltas/`.
#[derive(Clone, Debug)]
pub struct Delta {
    /// From the project's root.
    pub path: RepoPath,
    /// The category, for entries of a known one.
    pub category: Option<&'static str>,
    /// The document it is for; none if it is for none.
    pub target: Option<RepoPath>,
    pub validity: Validity,
    /// Whether merge takes it, going by its place alone.
    pub mergeable: bool,
    pub content: DeltaContent,
}

impl Delta {
    /// Whether lint's checks and merge look into it.
    pub fn counts(&self) -> bool {
        self.mergeable && self.validity == Validity::Valid
    }

    pub fn sections(&self) -> Option<&SectionDelta> {
        match &self.content {
            DeltaContent::Sections(delta) => Some(delta),
            DeltaContent::WholeFile(_) | DeltaContent::Unread => None,
        }
    }

    /// Whether it is an HTML page of the page-design folder: merged whole or not at all.
    pub fn is_prototype(&self) -> bool {
        self.target.as_ref().is_some_and(|t| {
            t.has_extension("html")
                && t.parent()
                    .is_some_and(|p| p.as_bytes() == layout::PAGE_DESIGN.as_bytes())
        })
    }
}

/// Lists, classes and reads everything below the `deltas` folder of a change, ordered by relative path.
///
/// # Errors
/// If something cannot be listed or read; the error names it. What a link leads to outside the change is never opened.
pub fn load(tree: &dyn Tree, change: &RepoPath) -> Result<Vec<Delta>, ReadError> {
    let mut walk = Walk {
        tree,
        root: change.join("deltas"),
        change: real(tree, change)?,
        entered: BTreeSet::new(),
        found: Vec::new(),
    };
    walk.start()?;
    let mut found = walk.found;
    found.sort_by(|a, b| utf16_cmp(&a.path.text(), &b.path.text()).then_with(|| a.path.cmp(&b.path)));
    found.into_par_iter().map(|entry| entry.read(tree)).collect()
}

fn real(tree: &dyn Tree, path: &RepoPath) -> Result<RepoPath, ReadError> {
    match tree.resolve(path)? {
        Resolved::Inside { path, .. } => Ok(path),
        Resolved::Outside { .. } | Resolved::Dangling => Ok(path.clone()),
    }
}

struct Walk<'t> {
    tree: &'t dyn Tree,
    root: RepoPath,
    /// The change folder without links.
    change: RepoPath,
    entered: BTreeSet<RepoPath>,
    found: Vec<Found>,
}

/// An entry classed but not read.
struct Found {
    path: RepoPath,
    category: Option<&'static str>,
    target: Option<RepoPath>,
    validity: Validity,
    mergeable: bool,
    readable: bool,
}

impl Found {
    fn refused(path: RepoPath) -> Self {
        Self {
            path,
            category: None,
            target: None,
            validity: Validity::Invalid,
            mergeable: false,
            readable: false,
        }
    }

    fn read(self, tree: &dyn Tree) -> Result<Delta, ReadError> {
        let content = if self.readable {
            let gone = || ReadError::new(&self.path, io::Error::from(io::ErrorKind::NotFound));
            let bytes = tree.read(&self.path)?.ok_or_else(gone)?;
            if self.mergeable && self.path.has_extension("md") {
                DeltaContent::Sections(SectionDelta::read(bytes))
            } else {
                DeltaContent::WholeFile(bytes)
            }
        } else {
            DeltaContent::Unread
        };
        let Self {
            path,
            category,
            target,
            validity,
            mergeable,
            ..
        } = self;
        Ok(Delta {
            path,
            category,
            target,
            validity,
            mergeable,
            content,
        })
    }
}

impl Walk<'_> {
    fn start(&mut self) -> Result<(), ReadError> {
        let Some(entry) = self.tree.entry(&self.root)? else {
            return Ok(());
        };
        let root = self.root.clone();
        if entry.kind != Kind::Link {
            // A file here is no folder to list: the listing's own error says so.
            return self.enter(&root, real(self.tree, &root)?);
        }
        match self.tree.resolve(&root)? {
            Resolved::Inside {
                path,
                kind: Kind::Dir,
            } if path.starts_with(&self.change) => self.enter(&root, path),
            Resolved::Inside { kind: Kind::Dir, .. } | Resolved::Outside { .. } | Resolved::Dangling => {
                self.found.push(Found::refused(root));
                Ok(())
            }
            Resolved::Inside { .. } => Err(ReadError::new(
                &root,
                io::Error::from(io::ErrorKind::NotADirectory),
            )),
        }
    }

    /// Visits a folder, unless it was entered under another name.
    fn enter(&mut self, dir: &RepoPath, real: RepoPath) -> Result<(), ReadError> {
        if !self.entered.insert(real) {
            return Ok(());
        }
        let mut entries = self.tree.list(dir)?;
        entries.sort_by(|a, b| utf16_cmp(&a.0.to_str_lossy(), &b.0.to_str_lossy()));
        entries
            .into_iter()
            .try_for_each(|(name, entry)| self.visit(dir, &name, entry.kind))
    }

    fn visit(&mut self, dir: &RepoPath, name: &Name, kind: Kind) -> Result<(), ReadError> {
        let path = dir.join(name);
        match kind {
            Kind::File => self.found.push(self.class_file(&path)),
            Kind::Dir => {
                let real = real(self.tree, &path)?;
                self.enter(&path, real)?;
            }
            Kind::Link => self.visit_link(path)?,
            Kind::Special | Kind::Submodule => self.found.push(Found::refused(path)),
        }
        Ok(())
    }

    fn visit_link(&mut self, path: RepoPath) -> Result<(), ReadError> {
        match self.tree.resolve(&path)? {
            Resolved::Inside {
                path: real,
                kind: Kind::Dir,
            } if real.starts_with(&self.change) => {
                return self.enter(&path, real);
            }
            Resolved::Inside {
                path: real,
                kind: Kind::File,
            } if path.parent().as_ref() != Some(&self.root) => {
                let mut file = self.class_file(&path);
                if !real.starts_with(&self.change) {
                    (file.validity, file.readable) = (Validity::Invalid, false);
                }
                self.found.push(file);
            }
            Resolved::Outside { kind: Kind::File } if path.parent().as_ref() != Some(&self.root) => {
                let mut file = self.class_file(&path);
                (file.validity, file.readable) = (Validity::Invalid, false);
                self.found.push(file);
            }
            Resolved::Inside { .. } | Resolved::Outside { .. } | Resolved::Dangling => {
                self.found.push(Found::refused(path));
            }
        }
        Ok(())
    }

    /// The class of a regular file, by its place.
    fn class_file(&self, path: &RepoPath) -> Found {
        let rest = path.strip_prefix(&self.root).expect("visited below the root");
        let parts: Vec<_> = rest.parts().collect();
        let mut found = Found {
            readable: true,
            ..Found::refused(path.clone())
        };
        if parts.len() < 2 {
            return found;
        }
        if parts[0] == REFERENCE {
            found.validity = Validity::Ignored;
            return found;
        }
        let Some((category, folder)) = CATEGORIES.iter().find(|(name, _)| parts[0] == *name) else {
            return found;
        };
        found.category = Some(category);
        let hidden = parts[1..].iter().any(|p| p.starts_with(b".")) || path.name().ends_with(b".gitkeep");
        if hidden {
            found.validity = Validity::Ignored;
            return found;
        }
        let below = rest
            .strip_prefix(&RepoPath::of(category))
            .expect("the category is its first part");
        (found.validity, found.mergeable) = (Validity::Valid, true);
        found.target = Some(below.below(&RepoPath::of(folder)));
        found
    }
}
