//! References by their full names, the remote they were fetched from, and what tags name. No name is ever expanded.

use bstr::{BStr, BString, ByteSlice};

use super::{Error, Repository, own_id};
use crate::files::ObjectId;
use crate::text::escape_bytes;

/// Whether git takes this for the name of a branch: `refs/heads/<name>` is well-formed, and it is neither `HEAD` nor
/// like an option (git.md 4).
pub fn is_branch_name(name: &[u8]) -> bool {
    let full: BString = [b"refs/heads/", name].concat().into();
    name != b"HEAD" && !name.starts_with(b"-") && gix::refs::FullName::try_from(full).is_ok()
}

impl Repository {
    /// The object that a reference names, by its full name and no other; none if there is no such reference.
    pub fn reference(&self, name: &BStr) -> Result<Option<ObjectId>, Error> {
        let found = self.in_process(|repo| {
            let Some(mut found) = repo
                .try_find_reference(name)?
                .filter(|found| found.name().as_bstr() == name)
            else {
                return Ok(None);
            };
            Ok(Some(own_id(found.follow_to_object()?.detach())))
        });
        match found {
            Some(found) => Ok(found),
            None => Ok(self
                .listed_references(name)?
                .into_iter()
                .find_map(|(listed, id)| (listed == name).then_some(id))),
        }
    }

    /// The full name that a symbolic reference leads to; none if it is no such reference.
    pub fn symbolic_target(&self, name: &BStr) -> Result<Option<BString>, Error> {
        let found = self.in_process(|repo| {
            let found = repo
                .try_find_reference(name)?
                .filter(|found| found.name().as_bstr() == name);
            Ok(found.and_then(|found| {
                found
                    .target()
                    .try_name()
                    .map(|target| target.as_bstr().to_owned())
            }))
        });
        if let Some(found) = found {
            return Ok(found);
        }
        let asked = self
            .question()
            .args(["symbolic-ref", "--quiet", "--no-recurse"])
            .args([name.to_os_str_lossy()])
            .output()?;
        let line = asked.stdout.trim_end();
        Ok(asked.success().then(|| line.into()))
    }

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

    /// The commits that tags name, tag objects peeled, in id order.
    pub fn tagged_commits(&self) -> Result<Vec<ObjectId>, Error> {
        let named = self.in_process(|repo| {
            let references = repo.references()?;
            let tags = references.tags()?;
            let named = tags.map(|tag| Ok(own_id(tag?.follow_to_object()?.detach())));
            named.collect::<Result<Vec<ObjectId>, gix::Error>>()
        });
        let named = match named {
            Some(named) => named,
            None => self
                .listed_references("refs/tags/".into())?
                .into_iter()
                .map(|(_, id)| id)
                .collect(),
        };
        let mut commits = Vec::with_capacity(named.len());
        for id in named {
            commits.extend(self.commit_of(id)?);
        }
        commits.sort();
        commits.dedup();
        Ok(commits)
    }

    /// The commits that branches, remote-tracking branches and tags name, in id order.
    pub fn tips(&self) -> Result<Vec<ObjectId>, Error> {
        let mut commits = self.tagged_commits()?;
        for folder in ["refs/heads/", "refs/remotes/"] {
            for (_, id) in self.listed_references(folder.into())? {
                commits.extend(self.commit_of(id)?);
            }
        }
        commits.sort();
        commits.dedup();
        Ok(commits)
    }

    fn has_references_below(&self, folder: &str) -> Result<bool, Error> {
        let found = self.in_process(|repo| {
            let references = repo.references()?;
            Ok(references.prefixed(folder)?.next().transpose()?.is_some())
        });
        match found {
            Some(found) => Ok(found),
            None => Ok(!self.listed_references(folder.into())?.is_empty()),
        }
    }

    /// An answer found without git; none where only git can read references, or where what is there puzzles us.
    fn in_process<T>(&self, ask: impl FnOnce(&gix::Repository) -> Result<T, gix::Error>) -> Option<T> {
        if self.refs_are_for_git() {
            return None;
        }
        // Git is asked then, so that a refusal is its own.
        self.with(|repo| ask(repo)).ok()
    }

    /// The references at and below a name, with the objects they lead to, as git lists them.
    fn listed_references(&self, name: &BStr) -> Result<Vec<(BString, ObjectId)>, Error> {
        let printed = self
            .question()
            .args(["for-each-ref", "--format=%(objectname) %(refname)"])
            .args([name.to_os_str_lossy()])
            .ask()?;
        let read = |line: &[u8]| {
            let (id, name) = line.split_once_str(" ")?;
            Some((name.into(), ObjectId::from_hex(id.to_str().ok()?)?))
        };
        printed
            .lines()
            .map(|line| {
                read(line).ok_or_else(|| Error::Git {
                    command: "for-each-ref".to_owned(),
                    complaint: escape_bytes(line),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::is_branch_name;
    use crate::git::Git;

    /// What git says of the full name; what cannot be an argument is no name.
    fn git_says(name: &str) -> bool {
        if name.contains('\0') || name == "HEAD" || name.starts_with('-') {
            return false;
        }
        let asked = Git::anywhere(std::path::Path::new("."))
            .args(["check-ref-format"])
            .args([format!("refs/heads/{name}")]);
        asked.output().expect("git runs").success()
    }

    #[test]
    fn names_are_taken_as_git_takes_them() {
        let long = "b".repeat(300);
        for name in [
            "main",
            "a/b",
            "@",
            "a@",
            "@{-1}",
            "a@{b",
            "",
            "/",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a.",
            "a/.b",
            "a..b",
            "a.lock",
            "a.lock/b",
            "a.LOCK",
            "-x",
            "--output=x",
            "x/-y",
            "HEAD",
            "HEAD/x",
            "refs/heads/x",
            "a b",
            "a~",
            "a^",
            "a:",
            "a?",
            "a*",
            "a[",
            "a]",
            "a\\b",
            "a\u{7f}",
            "a\nb",
            "主干",
            "e\u{301}",
            "\u{e9}",
            "{",
            "a'$(id)",
            &long,
        ] {
            assert_eq!(is_branch_name(name.as_bytes()), git_says(name), "{name:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn any_name_is_taken_as_git_takes_it(name in "[-a.@{}/~^:?*\\[\\\\ lock\u{1}é]{0,8}") {
            prop_assert_eq!(is_branch_name(name.as_bytes()), git_says(&name));
        }
    }
}
