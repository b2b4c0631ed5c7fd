//! Folders above one, and what a path comes to without `.`, `..` and links. Nothing here opens a repository.

use std::path::{Component, Path, PathBuf};

/// Whether a folder is the top of a work tree: it holds git's entry, a folder or, in a linked one, a file.
pub fn is_top(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// The nearest folder, from one upwards, that `is_it` takes; not beyond the top of the work tree, nor more than so many
/// folders above.
pub fn nearest(from: &Path, most: usize, is_it: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    for folder in from.ancestors().take(most.saturating_add(1)) {
        if is_it(folder) {
            return Some(folder.to_owned());
        }
        if is_top(folder) {
            break;
        }
    }
    None
}

/// A path without `.` and `..`, by its words alone.
pub fn plain_path(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

/// Where a path leads: [`plain_path`] of it, the deepest part that is there without links.
pub fn real_path(path: &Path) -> PathBuf {
    let plain = plain_path(path);
    plain
        .ancestors()
        .find_map(|there| Some((there.canonicalize().ok()?, plain.strip_prefix(there).ok()?)))
        .map_or_else(
            || plain.clone(),
            // An empty rest would leave a slash behind.
            |(real, rest)| {
                if rest.as_os_str().is_empty() {
                    real
                } else {
                    real.join(rest)
                }
            },
        )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_top_is_the_last_one_that_is_looked_at() {
        let dir = tempfile::tempdir().expect("a folder");
        let deep = dir.path().join("a/b/c");
        fs::create_dir_all(&deep).expect("made");
        fs::write(dir.path().join("mark"), "").expect("written");
        let marked = |folder: &Path| folder.join("mark").exists();
        assert_eq!(nearest(&deep, 10, marked).as_deref(), Some(dir.path()));
        assert_eq!(nearest(&deep, 3, marked).as_deref(), Some(dir.path()));
        assert_eq!(nearest(&deep, 2, marked), None);
        fs::create_dir(dir.path().join(".git")).expect("made");
        assert_eq!(nearest(&deep, 10, marked).as_deref(), Some(dir.path()));
        // Of a linked work tree it is a file.
        fs::write(dir.path().join("a/.git"), "gitdir: x").expect("written");
        assert_eq!(nearest(&deep, 10, marked), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_plain_before_its_links_are_followed() {
        let dir = tempfile::tempdir().expect("a folder");
        let top = dir.path().canonicalize().expect("there");
        fs::create_dir_all(top.join("real/in")).expect("made");
        std::os::unix::fs::symlink("real/in", top.join("link")).expect("linked");
        assert_eq!(real_path(&top.join("link/new/x")), top.join("real/in/new/x"));
        assert_eq!(real_path(&top.join("link/../new")), top.join("new"));
        assert_eq!(real_path(&top.join("./real/.")), top.join("real"));
        assert_eq!(plain_path(Path::new("/../a/./b/../c")), Path::new("/a/c"));
    }
}
