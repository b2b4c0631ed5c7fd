//! References by their full names, and what tags name. No name is ever expanded.

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

/// Our own references: they are local, and nobody's branch (git.md 1.4).
const OWN: &str = "refs/spec/";

impl Repository {
    /// The commits that references lead to, tags peeled, by full name in byte order. Without `globs` the local and the
    /// remote-tracking branches, else those of which a glob matches the name, or leading folders of it, as
    /// `git for-each-ref` matches. Left out is what leads to no commit, a remote's HEAD, and all below `refs/spec/`.
    pub fn tips(&self, globs: Option<&[BString]>) -> Result<Vec<(BString, ObjectId)>, Error> {
        let listed = match globs {
            None => {
                let mut listed = self.references_below("refs/heads/")?;
                listed.extend(self.references_below("refs/remotes/")?);
                listed
            }
            Some(_) => self.references_below("refs/")?,
        };
        let is_meant =
            |name: &BStr| globs.is_none_or(|globs| globs.iter().any(|glob| names(glob.as_ref(), name)));
        let mut out = Vec::new();
        for Listed { name, id, symbolic } in listed {
            let remote_head = symbolic && name.starts_with(b"refs/remotes/") && name.ends_with(b"/HEAD");
            if remote_head || name.starts_with(OWN.as_bytes()) || !is_meant(name.as_ref()) {
                continue;
            }
            match self.commit_of(id)? {
                Some(commit) => out.push((name, commit)),
                None if self.with(|repo| repo.has_object(super::gix_id(id))) => {}
                None => {
                    return Err(Error::Object {
                        what: escape_bytes(&name),
                        reason: format!("object {id} is not here; a partial clone needs `git fetch`"),
                    });
                }
            }
        }
        out.sort();
        Ok(out)
    }

    fn references_below(&self, folder: &str) -> Result<Vec<Listed>, Error> {
        let found = self.in_process(|repo| {
            let references = repo.references()?;
            let below = references.prefixed(folder)?.map(|found| {
                let mut found = found?;
                Ok(Listed {
                    name: found.name().as_bstr().to_owned(),
                    symbolic: found.target().try_name().is_some(),
                    id: own_id(found.follow_to_object()?.detach()),
                })
            });
            below.collect::<Result<Vec<Listed>, gix::Error>>()
        });
        match found {
            Some(found) => Ok(found),
            None => self.listed(folder.into()),
        }
    }

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

    pub(super) fn has_references_below(&self, folder: &str) -> Result<bool, Error> {
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
        let listed = self.listed(name)?.into_iter();
        Ok(listed.map(|listed| (listed.name, listed.id)).collect())
    }

    fn listed(&self, name: &BStr) -> Result<Vec<Listed>, Error> {
        let printed = self
            .question()
            .args(["for-each-ref", "--format=%(objectname) %(refname) %(symref)"])
            .args([name.to_os_str_lossy()])
            .ask()?;
        // Neither an id nor a name has a blank in it.
        let read = |line: &[u8]| {
            let (id, rest) = line.split_once_str(" ")?;
            let (name, leads_to) = rest.split_once_str(" ")?;
            Some(Listed {
                name: name.into(),
                id: ObjectId::from_hex(id.to_str().ok()?)?,
                symbolic: !leads_to.is_empty(),
            })
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

/// A reference as it is listed.
struct Listed {
    name: BString,
    /// What it leads to, a tag as such.
    id: ObjectId,
    symbolic: bool,
}

/// Whether a glob means a reference: it matches the whole name, or folders at its start.
fn names(glob: &BStr, name: &BStr) -> bool {
    let glob = glob.strip_suffix(b"/").unwrap_or(glob).as_bstr();
    let ends = name.find_iter("/").chain([name.len()]);
    ends.into_iter().any(|end| is_match(glob, name[..end].as_bstr()))
}

/// Whether a glob matches all of a path: `*` within a name, `**` across folders.
pub fn is_match(glob: &BStr, path: &BStr) -> bool {
    gix::glob::wildmatch(glob, path, gix::glob::wildmatch::Mode::NO_MATCH_SLASH_LITERAL)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_branch_name, names};
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
    fn a_glob_means_whole_names_and_folders() {
        for (glob, name, meant) in [
            ("refs/heads/*", "refs/heads/a", true),
            ("refs/heads/*", "refs/heads/a/b", true),
            ("refs/heads", "refs/heads/a", true),
            ("refs/heads/", "refs/heads/a", true),
            ("refs/heads/a", "refs/heads/ab", false),
            ("refs/*/a", "refs/heads/a", true),
            ("refs/*/a", "refs/remotes/origin/a", false),
            ("refs/**/a", "refs/remotes/origin/a", true),
            ("heads/*", "refs/heads/a", false),
        ] {
            assert_eq!(names(glob.into(), name.into()), meant, "{glob} {name}");
        }
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
