//! What a decision asks of the repository: everything is read, nothing fetched.

use bstr::{BStr, BString};

use crate::files::ObjectId;
use crate::git::{Error, Repository};

/// A repository, as far as the choice of a range asks. Grafts and replacements have no say.
pub trait History {
    /// The commit that is checked out; none while HEAD is unborn.
    fn head(&self) -> Result<Option<ObjectId>, Error>;

    /// The commit that an object peels to; none if it is not here, or no commit.
    fn commit(&self, id: ObjectId) -> Result<Option<ObjectId>, Error>;

    /// The parents that a commit names, whether they are here or not.
    fn parents(&self, commit: ObjectId) -> Result<Vec<ObjectId>, Error>;

    /// The commits behind which history was cut off, in id order.
    fn boundary(&self) -> Result<Vec<ObjectId>, Error>;

    /// All best common ancestors, in id order.
    ///
    /// # Errors
    /// [`Error::NoMergeBase`] if there is none, [`Error::Shallow`] if what was cut off may hide one.
    fn merge_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, Error>;

    /// The remote that branches are looked up in: R.
    fn remote(&self) -> Result<Option<BString>, Error>;

    /// What a reference names, by its full name.
    fn reference(&self, name: &BStr) -> Result<Option<ObjectId>, Error>;

    /// The full name that a symbolic reference leads to.
    fn symbolic_target(&self, name: &BStr) -> Result<Option<BString>, Error>;

    /// `spec.defaultBranch` in git configuration.
    fn default_branch(&self) -> Result<Option<BString>, Error>;

    /// The commits that tags name.
    fn tagged(&self) -> Result<Vec<ObjectId>, Error>;

    /// When a commit was committed, in seconds since 1970; none if it has no date that can be read.
    fn committed_at(&self, commit: ObjectId) -> Result<Option<i64>, Error>;
}

impl History for Repository {
    fn head(&self) -> Result<Option<ObjectId>, Error> {
        Self::head(self)
    }

    fn commit(&self, id: ObjectId) -> Result<Option<ObjectId>, Error> {
        self.commit_of(id)
    }

    fn parents(&self, commit: ObjectId) -> Result<Vec<ObjectId>, Error> {
        Self::parents(self, commit)
    }

    fn boundary(&self) -> Result<Vec<ObjectId>, Error> {
        self.shallow_boundary()
    }

    fn merge_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, Error> {
        Self::merge_bases(self, one, other)
    }

    fn remote(&self) -> Result<Option<BString>, Error> {
        self.main_remote()
    }

    fn reference(&self, name: &BStr) -> Result<Option<ObjectId>, Error> {
        Self::reference(self, name)
    }

    fn symbolic_target(&self, name: &BStr) -> Result<Option<BString>, Error> {
        Self::symbolic_target(self, name)
    }

    fn default_branch(&self) -> Result<Option<BString>, Error> {
        Ok(self.default_branch_setting())
    }

    fn tagged(&self) -> Result<Vec<ObjectId>, Error> {
        self.tagged_commits()
    }

    fn committed_at(&self, commit: ObjectId) -> Result<Option<i64>, Error> {
        Self::committed_at(self, commit)
    }
}
