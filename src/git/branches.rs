//! Branches and other refs: what they name, what is on them alone; how they are made and deleted.

use bstr::ByteSlice;

use super::{Error, Repository};
use crate::files::ObjectId;
use crate::text::escape;

/// A commit by its first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub id: ObjectId,
    pub subject: String,
}

impl Repository {
    /// The commit that a full ref name holds; none if there is no such ref, or it holds no commit.
    pub fn ref_target(&self, name: &str) -> Result<Option<ObjectId>, Error> {
        let found = self.reference(name.into())?;
        Ok(found.map(|id| self.commit_of(id)).transpose()?.flatten())
    }

    /// The tip of a branch, by its short name.
    pub fn branch_tip(&self, branch: &str) -> Result<Option<ObjectId>, Error> {
        self.ref_target(&format!("refs/heads/{branch}"))
    }

    /// Names of the local branches that start with `prefix`, in byte order, with their tips.
    pub fn branches(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, Error> {
        let listed = self
            .question()
            .args(["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/"])
            .ask()?;
        let mut out = Vec::new();
        for line in listed.lines() {
            let line = line.to_str_lossy();
            let found = line.split_once(" refs/heads/").and_then(|(id, name)| {
                let id = ObjectId::from_hex(id)?;
                name.starts_with(prefix).then(|| (name.to_owned(), id))
            });
            out.extend(found);
        }
        Ok(out)
    }

    /// How many commits `tip` has that `other` lacks, and the other way round.
    pub fn ahead_behind(&self, tip: ObjectId, other: ObjectId) -> Result<(u64, u64), Error> {
        let range = format!("{other}...{tip}");
        let counted = self
            .question()
            .args(["rev-list", "--left-right", "--count", &range])
            .ask()?;
        let text = counted.to_str_lossy();
        let mut numbers = text.split_whitespace().map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(behind)), Some(Ok(ahead))) => Ok((ahead, behind)),
            _ => Err(Error::Git {
                command: "rev-list".to_owned(),
                complaint: format!("`{}` are no two numbers", escape(&text)),
            }),
        }
    }

    /// The branch that HEAD is on; none if it is detached.
    pub fn head_branch(&self) -> Result<Option<String>, Error> {
        let asked = self
            .question()
            .args(["symbolic-ref", "--quiet", "HEAD"])
            .output()?;
        match asked.code {
            Some(0) => {
                let name = String::from_utf8_lossy(asked.stdout.trim_end()).into_owned();
                Ok(name.strip_prefix("refs/heads/").map(str::to_owned))
            }
            Some(1) => Ok(None),
            _ => Err(super::run::refusal(
                "symbolic-ref",
                &escape(&asked.complaint()),
                &asked,
            )),
        }
    }

    /// The commits that are reachable from `tips` but from no other branch than `but`, no remote-tracking branch and no
    /// tag; the newest first.
    pub fn commits_of_no_other_ref(
        &self,
        tips: &[ObjectId],
        but: Option<&str>,
    ) -> Result<Vec<Subject>, Error> {
        let tips: Vec<String> = tips.iter().map(ToString::to_string).collect();
        let mut git = self
            .question()
            .args(["log", "--no-show-signature", "--format=%H %s", "-z"])
            .args(tips)
            .args(["--not"]);
        if let Some(but) = but {
            git = git.args([format!("--exclude={but}")]);
        }
        subjects(&git.args(["--branches", "--tags", "--remotes"]).ask()?)
    }

    /// The commits of `tip` that none of the others has, the newest first.
    pub fn commits_beyond(&self, tip: ObjectId, others: &[ObjectId]) -> Result<Vec<Subject>, Error> {
        let others: Vec<String> = others.iter().map(|id| format!("^{id}")).collect();
        let git = self
            .question()
            .args([
                "log",
                "--no-show-signature",
                "--format=%H %s",
                "-z",
                &tip.to_string(),
            ])
            .args(others);
        subjects(&git.ask()?)
    }

    /// The stashes that were made on a branch, as `git stash list` names them.
    pub fn stashes_of(&self, branch: &str) -> Result<Vec<String>, Error> {
        let listed = self
            .question()
            .args([
                "log",
                "--walk-reflogs",
                "--no-show-signature",
                "--format=%gd%x00%gs",
                "--end-of-options",
            ])
            .args(["refs/stash", "--"])
            .output()?;
        // It fails where there is no stash.
        let (on, plain) = (format!("WIP on {branch}:"), format!("On {branch}:"));
        let named = listed.stdout.lines().filter_map(|line| {
            let (name, subject) = line.split_once_str(b"\0")?;
            let is_its = subject.starts_with(on.as_bytes()) || subject.starts_with(plain.as_bytes());
            is_its.then(|| name.to_str_lossy().replace("refs/stash", "stash"))
        });
        Ok(named.collect())
    }

    /// Makes a branch that must not exist.
    pub fn create_branch(&self, branch: &str, at: ObjectId) -> Result<(), Error> {
        self.create_ref(
            &format!("refs/heads/{branch}"),
            at,
            "branch: Created by worktree add",
        )
    }

    /// Makes a ref that must not exist, with a line in its reflog.
    pub fn create_ref(&self, name: &str, at: ObjectId, why: &str) -> Result<(), Error> {
        crate::fault::point().map_err(Error::Spawn)?;
        self.change()
            .args([
                "update-ref",
                "--create-reflog",
                "-m",
                why,
                name,
                &at.to_string(),
                "",
            ])
            .ask()?;
        Ok(())
    }

    /// Deletes a branch that still is where it was seen, and what is configured for it.
    pub fn delete_branch(&self, branch: &str, seen: ObjectId) -> Result<(), Error> {
        self.delete_ref(&format!("refs/heads/{branch}"), seen)?;
        // It fails where nothing is configured, which is the most common case.
        let _none = self
            .change()
            .args([
                "config",
                "--local",
                "--remove-section",
                &format!("branch.{branch}"),
            ])
            .output()?;
        Ok(())
    }

    /// Deletes a ref that still is where it was seen.
    pub fn delete_ref(&self, name: &str, seen: ObjectId) -> Result<(), Error> {
        crate::fault::point().map_err(Error::Spawn)?;
        self.change()
            .args(["update-ref", "-d", name, &seen.to_string()])
            .ask()?;
        Ok(())
    }
}

fn subjects(log: &[u8]) -> Result<Vec<Subject>, Error> {
    let lines = log.split(|b| *b == 0).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let text = line.to_str_lossy();
            let (id, subject) = text.split_once(' ').unwrap_or((&text, ""));
            let id = ObjectId::from_hex(id.trim_start()).ok_or_else(|| Error::Git {
                command: "log".to_owned(),
                complaint: format!("`{}` is no object id", escape(id)),
            })?;
            Ok(Subject {
                id,
                subject: subject.to_owned(),
            })
        })
        .collect()
}
