//! The remote that stands for all, the default branch, and what a branch name stands for there (git.md 4.2).

use bstr::ByteSlice;

use super::{Error, Repository};
use crate::files::ObjectId;

impl Repository {
    /// The name of the default branch: `spec.defaultBranch`, else what the HEAD of the main remote names (git.md 4.2).
    pub fn default_branch(&self) -> Result<Option<String>, Error> {
        if let Some(name) = self.setting("spec.defaultBranch") {
            return Ok(Some(name));
        }
        let Some(remote) = self.main_remote()? else {
            return Ok(None);
        };
        let prefix = format!("refs/remotes/{remote}/");
        let target = self.symbolic_target(format!("{prefix}HEAD").as_str().into())?;
        let target = target.map(|target| target.to_str_lossy().into_owned());
        Ok(target.and_then(|target| Some(target.strip_prefix(&prefix)?.to_owned())))
    }

    /// The tips that a branch name stands for, here and at the main remote.
    pub fn tips_named(&self, branch: &str) -> Result<Vec<ObjectId>, Error> {
        let mut names = vec![format!("refs/heads/{branch}")];
        if let Some(remote) = self.main_remote()? {
            names.push(format!("refs/remotes/{remote}/{branch}"));
        }
        let mut tips = Vec::new();
        for name in names {
            tips.extend(self.ref_target(&name)?.filter(|tip| !tips.contains(tip)));
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
