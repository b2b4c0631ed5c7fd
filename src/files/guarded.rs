//! A file of ours outside the project whose word is taken only if nobody else can have written it.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::write::sync_dir;
use crate::fault;
use crate::text::Bytes;

/// A guarded file as it is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guarded {
    Missing,
    /// Somebody else can have written it.
    Unsafe(Weakness),
    Sound(Bytes),
}

/// Why a file is not ours alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// A link, a folder or a device.
    NotAFile,
    WritableByOthers,
    ForeignOwner,
    Unreadable,
}

/// Reads a guarded file.
pub fn read_guarded(path: &Path) -> Guarded {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Guarded::Missing;
        }
        Err(_) => return Guarded::Unsafe(Weakness::Unreadable),
    };
    match weakness(&found) {
        Some(weakness) => Guarded::Unsafe(weakness),
        None => fs::read(path).map_or(Guarded::Unsafe(Weakness::Unreadable), Guarded::Sound),
    }
}

fn weakness(found: &fs::Metadata) -> Option<Weakness> {
    if !found.is_file() {
        return Some(Weakness::NotAFile);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Some(Weakness::ForeignOwner);
        }
        if found.mode() & 0o022 != 0 {
            return Some(Weakness::WritableByOthers);
        }
    }
    None
}

/// Writes a guarded file anew, for its owner alone; whatever was there, a link too, is replaced. Its folder is made.
pub fn replace_guarded(path: &Path, content: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    fault::point()?;
    // Such a file is made for its owner alone, and removed if we stop here.
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    fault::point()?;
    file.persist(path)?;
    sync_dir(dir);
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn what_was_written_is_read_again_and_is_for_its_owner_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("below/file");
        assert_eq!(read_guarded(&path), Guarded::Missing);
        replace_guarded(&path, b"one").expect("written");
        replace_guarded(&path, b"two").expect("written");
        assert_eq!(read_guarded(&path), Guarded::Sound(b"two".to_vec()));
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let names = fs::read_dir(path.parent().expect("below")).expect("a folder");
        assert_eq!(names.count(), 1);
    }

    #[test]
    fn links_folders_and_files_that_others_can_write_are_unsafe() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("file");
        replace_guarded(&path, b"one").expect("written");
        for mode in [0o620, 0o602] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("ours");
            assert_eq!(read_guarded(&path), Guarded::Unsafe(Weakness::WritableByOthers));
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("ours");
        let link = dir.path().join("link");
        symlink(&path, &link).expect("a link");
        for found in [&link, &dir.path().to_owned()] {
            assert_eq!(read_guarded(found), Guarded::Unsafe(Weakness::NotAFile));
        }
        replace_guarded(&link, b"three").expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"one");
        assert_eq!(read_guarded(&link), Guarded::Sound(b"three".to_vec()));
    }
}
