//! The remote that stands for all, the default branch, and what a branch name stands for there (git.md 4.2).

use bstr::ByteSlice;

use super::{Error, Repository};
use crate::files::ObjectId;

impl Repository {
    /// The remote that stands for all: `origin` if it or a branch of it is there, else the only one (git.md 4.2).
    pub fn chief_remote(&self) -> Result<Option<String>, Error> {
        let listed = self.question().args(["remote"]).ask()?;
        let remotes: Vec<&[u8]> = listed.lines().collect();
        let origin = "origin".to_owned();
        if remotes.contains(&origin.as_bytes()) {
            return Ok(Some(origin));
        }
        let fetched = self
            .question()
            .args([
                "for-each-ref",
                "--count=1",
                "--format=%(refname)",
                "refs/remotes/origin/",
            ])
            .ask()?;
        Ok(match remotes.as_slice() {
            _ if !fetched.is_empty() => Some(origin),
            [only] => Some(only.to_str_lossy().into_owned()),
            _ => None,
        })
    }

    /// The name of the default branch: `spec.defaultBranch`, else what the chief remote's HEAD names (git.md 4.2).
    pub fn default_branch(&self) -> Result<Option<String>, Error> {
        if let Some(name) = self.setting("spec.defaultBranch") {
            return Ok(Some(name));
        }
        let Some(remote) = self.chief_remote()? else {
            return Ok(None);
        };
        let prefix = format!("refs/remotes/{remote}/");
        let asked = self
            .question()
            .args(["symbolic-ref", "--quiet", &format!("{prefix}HEAD")])
            .output()?;
        let target = String::from_utf8_lossy(asked.stdout.trim_end()).into_owned();
        Ok(target.strip_prefix(&prefix).map(str::to_owned))
    }

    /// The tips that a branch name stands for, here and at the chief remote.
    pub fn tips_named(&self, branch: &str) -> Result<Vec<ObjectId>, Error> {
        let mut names = vec![format!("refs/heads/{branch}")];
        if let Some(remote) = self.chief_remote()? {
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
