//! The remote that stands for all, the default branch, and what a branch name stands for there (git.md 4.2).

use bstr::{BStr, BString, ByteSlice};

use super::{Error, Repository, is_branch_name};
use crate::files::ObjectId;

impl Repository {
    /// The remote whose branches are looked at: `origin`, else the only one (git.md 4.2).
    pub fn main_remote(&self) -> Result<Option<BString>, Error> {
        const USUAL: &str = "origin";
        let names: Vec<BString> = self.with(|repo| {
            let names = repo.remote_names();
            names.into_iter().collect()
        });
        if names.iter().any(|name| name == USUAL) || self.has_references_below("refs/remotes/origin/")? {
            return Ok(Some(USUAL.into()));
        }
        Ok(match &names[..] {
            [only] => Some(only.clone()),
            _ => None,
        })
    }

    /// `spec.defaultBranch`, as git configuration has it.
    pub fn default_branch_setting(&self) -> Option<BString> {
        self.with(|repo| {
            let config = repo.config_snapshot();
            config.string("spec.defaultBranch")
        })
    }

    /// The default branch: that of `spec.defaultBranch`, else what the remote's HEAD names (git.md 4.2).
    pub fn default_branch(&self) -> Result<Option<BString>, Error> {
        if let Some(name) = self.default_branch_setting().filter(|name| !name.is_empty()) {
            if is_branch_name(&name) {
                return Ok(Some(name));
            }
            return Err(Error::Setting {
                key: "spec.defaultBranch",
                value: name.to_string(),
                wanted: "the name of a branch",
            });
        }
        let Some(remote) = self.main_remote()? else {
            return Ok(None);
        };
        let folder = remote_folder(remote.as_ref());
        let head: BString = [&folder[..], b"HEAD"].concat().into();
        let target = self.symbolic_target(head.as_ref())?;
        Ok(target.and_then(|target| target.strip_prefix(folder.as_slice()).map(BString::from)))
    }

    /// The reference that stands for the default branch, and its commit; in the remote before here (git.md 4.2).
    pub fn default_reference(&self) -> Result<Option<(BString, ObjectId)>, Error> {
        let Some(name) = self.default_branch()? else {
            return Ok(None);
        };
        for reference in names_of_branch(self.main_remote()?.as_ref(), &name) {
            let found = self.reference(reference.as_ref())?;
            if let Some(commit) = found.map(|id| self.commit_of(id)).transpose()?.flatten() {
                return Ok(Some((reference, commit)));
            }
        }
        Ok(None)
    }

    /// The tips that a branch name stands for, here and at the main remote.
    pub fn tips_named(&self, branch: &str) -> Result<Vec<ObjectId>, Error> {
        let names = names_of_branch(self.main_remote()?.as_ref(), branch.as_bytes());
        let mut tips = Vec::new();
        for name in names.iter().rev() {
            let tip = self.ref_target(&name.to_str_lossy())?;
            tips.extend(tip.filter(|tip| !tips.contains(tip)));
        }
        Ok(tips)
    }

    /// The full name of the ref that a branch follows.
    pub fn upstream(&self, branch: &str) -> Result<Option<String>, Error> {
        let full = format!("refs/heads/{branch}");
        let listed = self
            .question()
            .args(["for-each-ref", "--format=%(refname) %(upstream)", &full])
            .ask()?;
        let own = format!("{full} ");
        let found = listed.lines().find_map(|line| {
            let name = line.to_str_lossy().strip_prefix(own.as_str())?.to_owned();
            (!name.is_empty()).then_some(name)
        });
        Ok(found)
    }

    /// Fetches from a remote, as `git fetch` does.
    pub fn fetch(&self, remote: &str) -> Result<(), Error> {
        crate::fault::point().map_err(Error::Spawn)?;
        self.change()
            .args(["fetch", "--quiet", "--end-of-options", remote])
            .ask()?;
        Ok(())
    }
}

/// The references that the name of a branch stands for, in the order in which they are looked up.
pub fn names_of_branch(remote: Option<&BString>, branch: &[u8]) -> Vec<BString> {
    let below = |folder: &[u8]| BString::from([folder, branch].concat());
    let tracking = remote.map(|remote| below(&remote_folder(remote.as_ref())));
    tracking.into_iter().chain([below(b"refs/heads/")]).collect()
}

/// The folder of the references that are fetched from a remote.
pub fn remote_folder(remote: &BStr) -> Vec<u8> {
    [b"refs/remotes/", remote.as_bytes(), b"/"].concat()
}
