//! Files outside any transaction: of git's, or of the user's configuration. One file, whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::write::sync_dir;
use crate::fault;

/// Replaces a file by other content, its permissions kept; a link stays one, its target is replaced. Its folder is made.
pub fn rewrite(path: &Path, content: &[u8]) -> io::Result<()> {
    let real = match fs::canonicalize(path) {
        Ok(real) => real,
        Err(e) if e.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(e) => return Err(e),
    };
    let dir = match real.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        Some(_) | None => Path::new("."),
    };
    fs::create_dir_all(dir)?;
    fault::point()?;
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(content)?;
    match fs::metadata(&real) {
        Ok(found) => file.as_file().set_permissions(found.permissions())?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                file.as_file()
                    .set_permissions(fs::Permissions::from_mode(0o644))?;
            }
        }
        Err(e) => return Err(e),
    }
    file.as_file().sync_all()?;
    fault::point()?;
    file.persist(&real)?;
    sync_dir(dir);
    Ok(())
}

/// Removes a file that may be gone.
pub fn discard(path: &Path) -> io::Result<()> {
    fault::point()?;
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
