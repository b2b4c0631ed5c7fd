//! Objects that lie in other folders than the repository's own: what a push brings, before it is accepted (engineering.md
//! 2.1). gix does not look at the environment for them.

use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use super::{Error, Repository};

/// A folder that names all the others; it goes with its owner.
pub(super) struct Elsewhere {
    folder: tempfile::TempDir,
}

impl Elsewhere {
    pub(super) fn lend(&self, repo: &mut gix::Repository) {
        // A store that cannot be opened shows no object, which whoever asks for one is told.
        if let Ok(store) = gix::odb::at(self.folder.path().to_owned(), repo.object_hash()) {
            repo.objects = store.into();
        }
    }
}

impl Repository {
    /// The same repository, with its objects in `own` (`GIT_OBJECT_DIRECTORY`) and in `others`
    /// (`GIT_ALTERNATE_OBJECT_DIRECTORIES`, as written). Paths are from the folder that it was found from.
    ///
    /// # Errors
    /// If the system has no place for a temporary folder.
    pub fn with_objects_in(mut self, own: Option<&Path>, others: &[u8]) -> Result<Self, Error> {
        let fail = |what: &str, reason: String| Error::Object {
            what: what.to_owned(),
            reason,
        };
        let absolute = |path: &Path| super::absolute(&self.start.join(path));
        let own = match own {
            Some(own) => absolute(own),
            None => self.with(|repo| super::absolute(&repo.common_dir().join("objects"))),
        };
        let mut lines = vec![own];
        lines.extend(split(others).iter().map(|path| absolute(path)));
        let temporary = |e: std::io::Error| fail("a temporary folder", e.to_string());
        let folder = tempfile::Builder::new()
            .prefix("git-spec-")
            .tempdir()
            .map_err(temporary)?;
        let info = folder.path().join("info");
        let mut content = Vec::new();
        for line in lines {
            let line = <[u8]>::from_path(&line).filter(|line| !line.contains(&b'\n'));
            let line =
                line.ok_or_else(|| fail("an object folder", "its name cannot be written down".to_owned()))?;
            content.extend_from_slice(line);
            content.push(b'\n');
        }
        std::fs::create_dir(&info)
            .and_then(|()| std::fs::write(info.join("alternates"), content))
            .map_err(temporary)?;
        self.elsewhere = Some(Elsewhere { folder });
        self.idle = std::sync::Mutex::default();
        Ok(self)
    }
}

/// The folders of a list as git writes it: parted by the system's separator, one that begins with a quote in C's quotes.
fn split(list: &[u8]) -> Vec<PathBuf> {
    let separator = if cfg!(windows) { b';' } else { b':' };
    let mut out = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        if rest.starts_with(b"\"")
            && let Ok((path, used)) = gix::quote::ansi_c::undo(rest.into())
        {
            out.push(path.to_path_lossy().into_owned());
            rest = &rest[used..];
        } else {
            let end = rest.find_byte(separator).unwrap_or(rest.len());
            if end > 0 {
                out.push(rest[..end].to_path_lossy().into_owned());
            }
            rest = &rest[end..];
        }
        rest = rest.strip_prefix(&[separator]).unwrap_or(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_list_of_folders_may_be_quoted() {
        let paths = |list: &str| {
            let found = split(list.as_bytes());
            found
                .iter()
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(paths("/a:/b c::/d"), ["/a", "/b c", "/d"]);
        assert_eq!(paths("\"/a:b\\n\":/c"), ["/a:b\n", "/c"]);
        assert_eq!(paths(""), [""; 0]);
    }
}
