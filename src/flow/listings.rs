//! What lies in folders of the project, and what the names of its files say: each looked at once per answer, however many
//! modules and nodes ask.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use bstr::ByteSlice;

use super::coverage::{Coverage, Found, Marks};
use crate::files::{ReadError, RepoPath, Tree};
use crate::project::features::Grouping;
use crate::project::{Registry, listing};

/// The files of a project as a derivation asks for them.
pub(super) struct Listings<'t> {
    tree: &'t dyn Tree,
    registry: &'t Registry,
    grouping: Grouping<'t>,
    marks: OnceCell<Marks>,
    made: RefCell<BTreeMap<RepoPath, Rc<Listing>>>,
}

/// The files of a folder, relative to it.
#[derive(Default)]
pub(super) struct Listing {
    files: Vec<RepoPath>,
    /// What stands before a hyphen in a name: every id of a module that a file is named after is among them.
    prefixes: OnceCell<HashSet<Vec<u8>>>,
    /// The marks of scenarios in all names, and in those of test cases.
    marks: [OnceCell<Found>; 2],
    /// What was counted last: many nodes may ask for one module.
    counted: RefCell<Option<(String, Documents, Rc<Coverage>)>>,
}

/// Which files of a folder may be for a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Documents {
    All,
    TestCases,
}

impl Documents {
    fn have(self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::TestCases => name.contains("-test-cases"),
        }
    }
}

impl<'t> Listings<'t> {
    pub(super) fn new(tree: &'t dyn Tree, registry: &'t Registry) -> Self {
        Self {
            tree,
            registry,
            grouping: Grouping::of(registry),
            marks: OnceCell::new(),
            made: RefCell::default(),
        }
    }

    pub(super) fn tree(&self) -> &'t dyn Tree {
        self.tree
    }

    pub(super) fn grouping(&self) -> &Grouping<'t> {
        &self.grouping
    }

    pub(super) fn of(&self, path: Option<&RepoPath>) -> Result<Rc<Listing>, ReadError> {
        let Some(path) = path else {
            return Ok(Rc::default());
        };
        if let Some(made) = self.made.borrow().get(path) {
            return Ok(Rc::clone(made));
        }
        let made = Rc::new(Listing {
            files: listing::files(self.tree, path)?,
            ..Listing::default()
        });
        self.made.borrow_mut().insert(path.clone(), Rc::clone(&made));
        Ok(made)
    }

    /// Whether a file of a folder counts for a module: with several modules only those that carry its name do.
    pub(super) fn has_output(&self, path: Option<&RepoPath>, module: &str) -> Result<bool, ReadError> {
        let several = self.registry.registered().len() > 1;
        let listing = self.of(path)?;
        Ok(match several {
            true => listing.is_named_after(module),
            false => !listing.files.is_empty(),
        })
    }

    /// Which scenarios of a module have their document in a folder.
    pub(super) fn coverage(
        &self,
        path: Option<&RepoPath>,
        module: &str,
        documents: Documents,
    ) -> Result<Rc<Coverage>, ReadError> {
        let listing = self.of(path)?;
        if let Some((of, counted, coverage)) = &*listing.counted.borrow()
            && (of.as_str(), *counted) == (module, documents)
        {
            return Ok(Rc::clone(coverage));
        }
        let found = listing.marks[documents as usize].get_or_init(|| {
            let names = listing.files.iter().map(RepoPath::text);
            let marks = self.marks.get_or_init(|| Marks::of(self.registry));
            marks.find(names.filter(|name| documents.have(name)))
        });
        let coverage = Rc::new(Coverage::of(module, self.grouping.scenarios(module), found));
        *listing.counted.borrow_mut() = Some((module.to_owned(), documents, Rc::clone(&coverage)));
        Ok(coverage)
    }
}

impl Listing {
    pub(super) fn files(&self) -> &[RepoPath] {
        &self.files
    }

    fn is_named_after(&self, module: &str) -> bool {
        let prefixes = self.prefixes.get_or_init(|| {
            let of = |file: &RepoPath| {
                let name = file.name();
                let hyphens = name.find_iter("-");
                hyphens.map(|at| name[..at].to_vec()).collect::<Vec<_>>()
            };
            self.files.iter().flat_map(of).collect()
        });
        prefixes.contains(module.as_bytes())
    }
}
