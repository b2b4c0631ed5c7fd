//! A path inside a project or repository: relative, `/`-separated bytes without `.` and `..`.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

/// A relative path of plain parts; the empty path is the root of its tree. Ordered by bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RepoPath(BString);

/// The given bytes are no path inside a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no path inside the project: it must be relative, without empty parts, `.` and `..`")]
pub struct InvalidPath(pub String);

impl RepoPath {
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads a path; the empty one is the root. Nothing is normalised.
    pub fn new(path: impl AsRef<[u8]>) -> Result<Self, InvalidPath> {
        let path = path.as_ref();
        if path.is_empty() || is_plain(path) {
            Ok(Self(path.into()))
        } else {
            Err(InvalidPath(crate::text::escape_bytes(path)))
        }
    }

    /// A path as people write it: empty parts and `.` do not count, `..` goes up. None if it is absolute or leads out of
    /// the tree.
    pub fn normalised(path: &str) -> Option<Self> {
        if path.starts_with('/') {
            return None;
        }
        let mut parts = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        Self::new(parts.join("/")).ok()
    }

    /// Whether bytes are a path below the root of a tree.
    pub fn is_path(bytes: &[u8]) -> bool {
        is_plain(bytes)
    }

    /// A path of this program's own text.
    ///
    /// # Panics
    /// If it is not one.
    pub fn of(path: &str) -> Self {
        Self::new(path).expect("paths in the program's text are plain")
    }

    /// The path of `name`, one or several plain parts, below this one.
    ///
    /// # Panics
    /// If `name` is not plain: names come from a listing, or were checked as a slug or path.
    pub fn join(&self, name: impl AsRef<[u8]>) -> Self {
        let name = name.as_ref();
        assert!(is_plain(name), "a part to join is plain");
        if self.0.is_empty() {
            return Self(name.into());
        }
        let mut path = self.0.clone();
        path.push(b'/');
        path.extend_from_slice(name);
        Self(path)
    }

    /// This path below `base`.
    pub fn below(&self, base: &Self) -> Self {
        if self.0.is_empty() {
            base.clone()
        } else {
            base.join(&self.0)
        }
    }

    pub fn parent(&self) -> Option<Self> {
        if self.0.is_empty() {
            return None;
        }
        Some(Self(self.0[..self.0.rfind_byte(b'/').unwrap_or(0)].into()))
    }

    /// The last part; empty for the root.
    pub fn name(&self) -> &BStr {
        self.0[self.0.rfind_byte(b'/').map_or(0, |i| i + 1)..].as_bstr()
    }

    pub fn parts(&self) -> impl Iterator<Item = &BStr> {
        self.0
            .split(|b| *b == b'/')
            .filter(|p| !p.is_empty())
            .map(ByteSlice::as_bstr)
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The rest of this path below `base`, by whole parts; the root for `base` itself.
    pub fn strip_prefix(&self, base: &Self) -> Option<Self> {
        if base.0.is_empty() {
            return Some(self.clone());
        }
        let rest = self.0.strip_prefix(base.0.as_slice())?;
        match rest.first() {
            None => Some(Self::root()),
            Some(b'/') => Some(Self(rest[1..].into())),
            Some(_) => None,
        }
    }

    pub fn starts_with(&self, base: &Self) -> bool {
        self.strip_prefix(base).is_some()
    }

    pub fn has_extension(&self, extension: &str) -> bool {
        self.0.ends_with(format!(".{extension}").as_bytes())
    }

    /// As text, bytes that are not UTF-8 as U+FFFD: the form of JSON output.
    pub fn text(&self) -> Cow<'_, str> {
        self.0.to_str_lossy()
    }

    /// The place on disk below `root`.
    pub fn on_disk(&self, root: &Path) -> PathBuf {
        if self.0.is_empty() {
            root.to_owned()
        } else {
            root.join(self.0.to_path_lossy())
        }
    }

    /// The relative path `path`, with `/` between its parts; none if it is not plain.
    pub fn from_disk(path: &Path) -> Option<Self> {
        let mut out = Self::root();
        for part in path.components() {
            let std::path::Component::Normal(name) = part else {
                return None;
            };
            let name = <[u8]>::from_os_str(name)?;
            out = out.join(name);
        }
        Some(out)
    }
}

fn is_plain(path: &[u8]) -> bool {
    path.split(|b| *b == b'/')
        .all(|part| !part.is_empty() && part != b"." && part != b"..")
        && !path.contains(&0)
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::text::escape_bytes(&self.0))
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::RepoPath;

    #[test]
    fn only_plain_relative_paths_exist() {
        for bad in ["/a", "a//b", "a/", "./a", "a/../b", "..", "a\0b"] {
            assert!(RepoPath::new(bad).is_err(), "{bad}");
        }
        assert_eq!(RepoPath::of("a/b").parent(), Some(RepoPath::of("a")));
        assert_eq!(RepoPath::of("a").parent(), Some(RepoPath::root()));
        assert_eq!(RepoPath::of("a/b").name(), "b");
    }

    #[test]
    fn a_written_path_is_normalised_but_stays_in_the_tree() {
        let read = |path: &str| RepoPath::normalised(path).map(|path| path.to_string());
        for (written, path) in [("a/b", "a/b"), ("./a//b/", "a/b"), ("a/../b", "b"), ("a/..", "")] {
            assert_eq!(read(written).as_deref(), Some(path), "{written}");
        }
        for outside in ["/a", "..", "a/../../b", "a\0b"] {
            assert_eq!(read(outside), None, "{outside}");
        }
    }

    #[test]
    fn prefixes_are_whole_parts() {
        assert_eq!(RepoPath::of("a/bc").strip_prefix(&RepoPath::of("a/b")), None);
        assert_eq!(
            RepoPath::of("a/b/c").strip_prefix(&RepoPath::of("a/b")),
            Some(RepoPath::of("c"))
        );
        assert!(RepoPath::of("a").starts_with(&RepoPath::root()));
    }
}
