//! What the index holds otherwise than a commit.

use bstr::{BString, ByteSlice};

use super::{Aside, Change, Error, Mode, Repository, Status, Version};
use crate::files::ObjectId;

impl Repository {
    /// The commits that a commit of the index would have as parents; none on an unborn branch. During a merge there are
    /// several: those that `MERGE_HEAD` lists, or, before git writes it, those that it names in the environment of its
    /// hooks.
    pub fn parents_of_index(&self, named: &[ObjectId]) -> Result<Vec<ObjectId>, Error> {
        let mut parents: Vec<ObjectId> = self.head()?.into_iter().collect();
        let path = self.git_dir().join("MERGE_HEAD");
        let fail = |reason: String| Error::Object {
            what: "MERGE_HEAD".to_owned(),
            reason,
        };
        let listed = match std::fs::read_to_string(&path) {
            Ok(listed) => listed,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(fail(error.to_string())),
        };
        let id = |line: &str| {
            let no_id = || fail(format!("`{}` is no object id", crate::text::escape(line)));
            ObjectId::from_hex(line.trim()).ok_or_else(no_id)
        };
        let mut others: Vec<ObjectId> = listed.lines().map(id).collect::<Result<_, _>>()?;
        if others.is_empty() {
            others = named.to_vec();
        }
        for other in others {
            if !parents.contains(&other) {
                parents.push(other);
            }
        }
        Ok(parents)
    }

    /// The tip of the upstream of the current branch, if it has one that is here.
    pub fn upstream_tip(&self) -> Result<Option<ObjectId>, Error> {
        let asked = self
            .question()
            .args([
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                "@{upstream}^{commit}",
            ])
            .output()?;
        let printed = String::from_utf8_lossy(&asked.stdout).into_owned();
        Ok(ObjectId::from_hex(printed.trim()))
    }

    /// What the index (`GIT_INDEX_FILE`) holds otherwise than a commit, or than nothing. Unmerged paths are left out: git
    /// commits none.
    pub fn staged(&self, commit: Option<ObjectId>) -> Result<Vec<Change>, Error> {
        let from = commit.unwrap_or_else(|| self.empty_tree()).to_string();
        let printed = self
            .question()
            .args([
                "diff-index",
                "--cached",
                "--raw",
                "-z",
                "--no-renames",
                "--full-index",
                "--no-abbrev",
            ])
            .args(["--ita-invisible-in-index", "--ignore-submodules=none", &from])
            .ask()?;
        changes("diff-index", &printed)
    }

    /// How a tree that lies aside differs from a commit, renames as git finds them.
    pub fn compare_aside(&self, aside: &Aside, one: ObjectId, tree: ObjectId) -> Result<Vec<Change>, Error> {
        let printed = aside
            .hold(self.question())
            .args(["diff-tree", "-r", "-z", "--raw", "--find-renames", "--no-abbrev"])
            .args(["--no-ext-diff", "--ignore-submodules=none"])
            .args([one.to_string(), tree.to_string()])
            .ask()?;
        changes("diff-tree", &printed)
    }
}

/// The records of a comparison, NUL behind each field.
fn changes(command: &str, printed: &[u8]) -> Result<Vec<Change>, Error> {
    let mut fields = printed.split(|byte| *byte == 0);
    let mut out = Vec::new();
    while let (Some(record), Some(path)) = (fields.next(), fields.next()) {
        let odd = || Error::Git {
            command: command.to_owned(),
            complaint: format!("it says `{}`", crate::text::escape_bytes(record)),
        };
        let mut told = change(record, path).ok_or_else(odd)?;
        if let Some(told) = &mut told
            && matches!(told.status, Status::Renamed(_))
        {
            let new = fields.next().ok_or_else(odd)?;
            told.old_path = Some(std::mem::replace(&mut told.path, BString::from(new)));
        }
        out.extend(told);
    }
    Ok(out)
}

/// One record: `:<old mode> <new mode> <old id> <new id> <status>`. None in it if the path is unmerged. A rename has its
/// old path first.
fn change(record: &[u8], path: &[u8]) -> Option<Option<Change>> {
    let record = record.strip_prefix(b":")?.to_str().ok()?;
    let parts: Vec<&str> = record.split(' ').collect();
    let [old_mode, new_mode, old, new, status] = parts.as_slice() else {
        return None;
    };
    let (old, new) = (version(old_mode, old)?, version(new_mode, new)?);
    let status = match *status {
        "A" => Status::Added,
        "D" => Status::Deleted,
        "M" => Status::Modified,
        "T" => Status::TypeChanged,
        "U" => return Some(None),
        renamed => Status::Renamed(renamed.strip_prefix('R')?.parse().ok()?),
    };
    Some(Some(Change {
        status,
        path: BString::from(path),
        old_path: None,
        old,
        new,
    }))
}

fn version(mode: &str, id: &str) -> Option<Option<Version>> {
    let mode = match mode {
        "000000" => return Some(None),
        "100755" => Mode::Executable,
        "120000" => Mode::Link,
        "160000" => Mode::Submodule,
        mode if mode.starts_with("100") => Mode::File,
        _ => return None,
    };
    let id = ObjectId::from_hex(id)?;
    Some(Some(Version { mode, id }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_and_unmerged_paths_left_out() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let told =
            change(format!(":100644 100755 {one} {two} M").as_bytes(), b"a\n").expect("it has the form");
        let told = told.expect("it is a change");
        assert_eq!(
            (told.status, told.path.as_slice()),
            (Status::Modified, b"a\n".as_slice())
        );
        assert_eq!(told.new.map(|new| new.mode), Some(Mode::Executable));
        let zeros = "0".repeat(40);
        let added = change(format!(":000000 120000 {zeros} {one} A").as_bytes(), b"a");
        assert_eq!(added.flatten().map(|added| added.old), Some(None));
        assert_eq!(
            change(format!(":000000 000000 {zeros} {zeros} U").as_bytes(), b"a"),
            Some(None)
        );
        assert_eq!(change(b"fatal: no", b"a"), None);
        let two = format!(":100644 100644 {one} {one} R100\0a b\0c\0:100644 000000 {one} {zeros} D\0d\0");
        let told = changes("diff-tree", two.as_bytes()).expect("they have the form");
        let told: Vec<_> = told
            .iter()
            .map(|c| (c.status, c.path.to_string(), c.old_path.clone()))
            .collect();
        assert_eq!(
            told,
            [
                (Status::Renamed(100), "c".to_owned(), Some("a b".into())),
                (Status::Deleted, "d".to_owned(), None)
            ]
        );
        assert!(
            changes(
                "diff-tree",
                format!(":100644 100644 {one} {one} R100\0a").as_bytes()
            )
            .is_err()
        );
    }
}
