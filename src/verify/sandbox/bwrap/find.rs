//! Which `bwrap` is run: one that the user has, never one that a repository brings.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::verify::sandbox::private::lies_in;

/// Finds it in the folders of a `PATH`, without links in its own (verify.md 7.4, B).
///
/// Folders that are not absolute are passed over, since they mean something else in each project; so is what is found through
/// the work tree `tree` or lies in it. One that runs with other rights than ours (set-uid, set-gid) is none.
pub fn find(folders: impl IntoIterator<Item = PathBuf>, tree: &Path) -> Option<PathBuf> {
    folders
        .into_iter()
        .filter(|folder| folder.is_absolute())
        // A folder that cannot be looked into has nothing to offer.
        .find_map(|folder| usable(&folder, tree).ok().flatten())
}

fn usable(folder: &Path, tree: &Path) -> io::Result<Option<PathBuf>> {
    let folder = folder.canonicalize()?;
    let file = folder.join("bwrap").canonicalize()?;
    let found = fs::metadata(&file)?;
    let is_program = found.is_file() && found.mode() & 0o111 != 0 && found.mode() & 0o6000 == 0;
    let is_foreign = !lies_in(&folder, tree)? && !lies_in(&file, tree)?;
    Ok(Some(file).filter(|_| is_program && is_foreign))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A work tree `tree` and other folders, with a file `bwrap` of this mode in each.
    fn with(folders: &[(&str, u32)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join("tree")).expect("made");
        for (folder, mode) in folders {
            let file = dir.path().join(folder).join("bwrap");
            fs::create_dir_all(dir.path().join(folder)).expect("made");
            fs::write(&file, "").expect("written");
            fs::set_permissions(file, fs::Permissions::from_mode(*mode)).expect("ours");
        }
        dir
    }

    /// Where it is found, from the folder; `~` in the path stands for it.
    fn found(dir: &tempfile::TempDir, path: &str) -> Option<String> {
        let top = dir.path().canonicalize().expect("it is there");
        let path = path.replace('~', &top.display().to_string());
        let file = find(std::env::split_paths(&path), &top.join("tree"))?;
        Some(file.strip_prefix(top).expect("in it").display().to_string())
    }

    #[test]
    fn the_first_that_can_be_used_is_taken() {
        let dir = with(&[
            ("plain", 0o644),
            ("setuid", 0o4755),
            ("setgid", 0o2755),
            ("good", 0o755),
            ("also", 0o755),
        ]);
        fs::create_dir_all(dir.path().join("folder/bwrap")).expect("made");
        let path = "~/nowhere:~/folder:~/plain:~/setuid:~/setgid:~/good:~/also";
        assert_eq!(found(&dir, path).as_deref(), Some("good/bwrap"));
        assert_eq!(found(&dir, "~/setuid"), None);
        assert_eq!(found(&dir, ""), None);
    }

    #[test]
    fn what_the_work_tree_brings_is_none() {
        let dir = with(&[("tree/bin", 0o755), ("away", 0o755)]);
        let at = |path: &str| dir.path().join(path);
        symlink("tree/bin", at("link")).expect("made");
        fs::create_dir(at("tree/links")).expect("made");
        symlink("../../away/bwrap", at("tree/links/bwrap")).expect("made");
        fs::create_dir(at("back")).expect("made");
        symlink("../tree/bin/bwrap", at("back/bwrap")).expect("made");
        for path in [
            "~/tree/bin",
            "~/link",
            "~/away/../tree/bin",
            "~/tree/links",
            "~/back",
        ] {
            assert_eq!(found(&dir, path), None, "{path}");
            let path = format!("{path}:~/away");
            assert_eq!(found(&dir, &path).as_deref(), Some("away/bwrap"), "{path}");
        }
    }

    #[test]
    fn folders_that_are_not_absolute_are_passed_over() {
        let dir = with(&[("tree/bin", 0o755)]);
        let depth = std::env::current_dir().expect("one").components().count();
        let up = "../".repeat(depth);
        let top = dir.path().canonicalize().expect("it is there");
        let relative = format!("{up}{}", top.strip_prefix("/").expect("absolute").display());
        let outside = tempfile::tempdir().expect("a folder");
        assert!(Path::new(&relative).join("tree/bin/bwrap").exists());
        for path in [format!("{relative}/tree/bin"), format!(":{relative}/tree/bin:.")] {
            assert_eq!(find(std::env::split_paths(&path), outside.path()), None, "{path}");
        }
        let path = top.join("tree/bin");
        assert!(find([path], outside.path()).is_some());
    }
}
