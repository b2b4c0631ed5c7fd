//! Where STATE.md is looked for: upwards, not beyond the home folder and the top of the repository (state.md 10).

use std::path::Path;

use crate::files::{Unread, is_top, read_regular};
use crate::text::Bytes;

/// How many parents are looked into.
const PARENTS: usize = 10;

/// Nobody means a larger file to be read every second.
const LARGEST: u64 = 8 << 20;

const STATE: &str = ".planning/STATE.md";

/// The content of the nearest STATE.md. One that is there and cannot be read hides those further up: they are of
/// another project.
pub fn find(from: &Path, home: Option<&Path>) -> Option<Bytes> {
    for dir in from.ancestors().take(PARENTS + 1) {
        match read_regular(&dir.join(STATE), LARGEST) {
            Ok(bytes) => return Some(bytes),
            Err(Unread::Missing | Unread::NotAFile) => {}
            Err(Unread::TooLong | Unread::Io(_)) => return None,
        }
        if is_top(dir) || home == Some(dir) {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// A folder with a STATE.md that says where it is, `depth` folders above the one returned.
    fn below(root: &Path, depth: usize) -> PathBuf {
        fs::create_dir_all(root.join(".planning")).expect("made");
        fs::write(root.join(STATE), "top").expect("written");
        let deep = (0..depth).fold(root.to_owned(), |dir, i| dir.join(i.to_string()));
        fs::create_dir_all(&deep).expect("made");
        deep
    }

    fn found(from: &Path, home: Option<&Path>) -> Option<String> {
        find(from, home).map(|bytes| String::from_utf8(bytes).expect("text"))
    }

    #[test]
    fn ten_parents_are_looked_into_and_no_more() {
        for (depth, expected) in [(0, Some("top")), (10, Some("top")), (11, None)] {
            let dir = tempfile::tempdir().expect("a folder");
            assert_eq!(
                found(&below(dir.path(), depth), None).as_deref(),
                expected,
                "{depth}"
            );
        }
    }

    #[test]
    fn the_home_folder_and_the_top_of_the_repository_are_the_last_ones() {
        let dir = tempfile::tempdir().expect("a folder");
        let deep = below(dir.path(), 3);
        let between = dir.path().join("0");
        assert_eq!(found(&deep, Some(&between)), None);
        assert_eq!(found(&deep, Some(dir.path())).as_deref(), Some("top"));
        fs::create_dir(dir.path().join(".git")).expect("made");
        assert_eq!(found(&deep, None).as_deref(), Some("top"));
        // A linked work tree has a file there.
        fs::write(between.join(".git"), "gitdir: elsewhere").expect("written");
        assert_eq!(found(&deep, None), None);
    }

    #[test]
    fn a_folder_in_place_of_the_file_is_none_and_one_too_long_hides_the_next() {
        let dir = tempfile::tempdir().expect("a folder");
        let deep = below(dir.path(), 1);
        fs::create_dir_all(deep.join(STATE)).expect("made");
        assert_eq!(found(&deep, None).as_deref(), Some("top"));
        fs::remove_dir(deep.join(STATE)).expect("removed");
        let long = fs::File::create(deep.join(STATE)).expect("made");
        long.set_len(LARGEST + 1).expect("grown");
        assert_eq!(found(&deep, None), None);
    }
}
