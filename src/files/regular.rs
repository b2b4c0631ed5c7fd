//! A file outside the project that somebody named: read only if it is a regular file of a length that can be meant.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::text::Bytes;

/// Why a file was not read.
#[derive(Debug)]
pub enum Unread {
    Missing,
    /// A folder, pipe, socket or device. It was not opened.
    NotAFile,
    TooLong,
    Io(io::Error),
}

/// Opens a regular file, through links.
pub fn open_regular(path: &Path) -> Result<File, Unread> {
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err(Unread::NotAFile);
    }
    File::open(path).map_err(unread)
}

/// Reads a regular file of at most `limit` bytes, through links.
pub fn read_regular(path: &Path, limit: u64) -> Result<Bytes, Unread> {
    let file = open_regular(path)?;
    if file.metadata().map_err(unread)?.len() > limit {
        return Err(Unread::TooLong);
    }
    let mut bytes = Bytes::new();
    // It may grow while it is read.
    let read = file.take(limit + 1).read_to_end(&mut bytes);
    if read.map_err(unread)? as u64 > limit {
        return Err(Unread::TooLong);
    }
    Ok(bytes)
}

fn unread(error: io::Error) -> Unread {
    if matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    ) {
        Unread::Missing
    } else {
        Unread::Io(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_within_the_limit_is_read() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("file");
        fs::write(&file, "12345").expect("written");
        assert!(matches!(read_regular(&file, 5), Ok(bytes) if bytes == b"12345"));
        assert!(matches!(read_regular(&file, 4), Err(Unread::TooLong)));
        assert!(matches!(read_regular(dir.path(), 5), Err(Unread::NotAFile)));
        assert!(matches!(read_regular(&file.join("x"), 5), Err(Unread::Missing)));
        assert!(matches!(
            read_regular(&dir.path().join("x"), 5),
            Err(Unread::Missing)
        ));
    }
}
