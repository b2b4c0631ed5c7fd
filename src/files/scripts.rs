//! Programs in folders of git's or of the user's: laid down, moved and known by whether they may run.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::write::sync_dir;
use crate::fault;

/// Whether a path leads to a file that may be run.
pub fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        fs::metadata(path).is_ok_and(|meta| meta.is_file())
    }
}

/// Makes a folder with those above it; it may be there.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fault::point()?;
    fs::create_dir_all(path)
}

/// Removes a folder if nothing lies in it. Whether it did.
pub fn remove_if_empty(folder: &Path) -> bool {
    fs::remove_dir(folder).is_ok()
}

/// Lays a script down that everybody may run, whole or not at all. Its folder is made.
pub fn write_script(path: &Path, content: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(dir)?;
    fault::point()?;
    let mut file = tempfile::Builder::new().prefix(".git-spec-").tempfile_in(dir)?;
    file.write_all(content)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file()
            .set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    file.as_file().sync_all()?;
    fault::point()?;
    file.persist(path)?;
    sync_dir(dir);
    Ok(())
}

/// Gives a file another name in its folder; a link is moved itself. Whatever stands there is replaced.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fault::point()?;
    fs::rename(from, to)?;
    if let Some(dir) = to.parent() {
        sync_dir(dir);
    }
    Ok(())
}
