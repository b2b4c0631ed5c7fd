//! New files whose names are free: what is kept is never replaced.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::write::sync_dir;
use crate::fault;

/// Writes a new file `<stem>.<extension>` into a folder, or `<stem>-2.<extension>` and so on where the name is taken. The
/// folder is made.
pub fn create_fresh(folder: &Path, stem: &str, extension: &str, content: &[u8]) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    fault::point()?;
    let mut file = tempfile::Builder::new()
        .prefix(".git-spec-")
        .tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    for number in 1u32.. {
        let name = match number {
            1 => format!("{stem}.{extension}"),
            number => format!("{stem}-{number}.{extension}"),
        };
        let path = folder.join(name);
        // Whoever makes the name has it; the content follows at once.
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => {
                fault::point()?;
                file.persist(&path)?;
                sync_dir(folder);
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("every name is taken"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_gets_a_number() {
        let dir = tempfile::tempdir().expect("a folder");
        let made = |content: &str| {
            let path = create_fresh(&dir.path().join("x"), "a", "txt", content.as_bytes()).expect("made");
            path.file_name().expect("a name").to_string_lossy().into_owned()
        };
        assert_eq!([made("1"), made("2"), made("3")], ["a.txt", "a-2.txt", "a-3.txt"]);
        assert_eq!(
            fs::read_to_string(dir.path().join("x/a-2.txt")).expect("read"),
            "2"
        );
    }
}
