//! Where a folder is mounted, and where else it can be reached (`proc_pid_mountinfo(5)`).

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A mount: what of a file system it shows, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// The file system, by the number of its device.
    device: Vec<u8>,
    /// The folder of the file system.
    root: PathBuf,
    point: PathBuf,
}

/// Another path to a folder, or to something in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alias {
    /// What is there, from the folder.
    pub(super) inside: PathBuf,
    pub(super) place: PathBuf,
}

/// The mounts that this process sees.
pub(super) fn all() -> io::Result<Vec<Mount>> {
    Ok(read(&fs::read("/proc/self/mountinfo")?))
}

/// Reads the table of mounts. Lines that are none are passed over.
fn read(table: &[u8]) -> Vec<Mount> {
    let mount = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b' ').skip(2);
        Some(Mount {
            device: fields.next()?.to_owned(),
            root: unescaped(fields.next()?),
            point: unescaped(fields.next()?),
        })
    };
    table.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// White space and backslashes are written as three octal digits.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut out = Vec::new();
    let mut rest = field;
    while let Some((first, more)) = rest.split_first() {
        let code = more.get(..3).filter(|_| *first == b'\\');
        let code = code.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = code.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        out.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &more[3..] } else { more };
    }
    PathBuf::from(OsString::from_vec(out))
}

/// Where something is mounted below a folder.
pub(super) fn below<'m>(mounts: &'m [Mount], folder: &'m Path) -> impl Iterator<Item = &'m Path> {
    let points = mounts.iter().map(|mount| mount.point.as_path());
    points.filter(move |point| *point != folder && point.starts_with(folder))
}

/// The other paths to a folder.
pub(super) fn aliases(mounts: &[Mount], folder: &Path) -> Vec<Alias> {
    let mut out = told(mounts, folder);
    // Where something else is mounted above one, it is not a path to the folder any more.
    out.retain(|alias| alias.leads_to(folder));
    out
}

/// The other paths to a folder, as the table tells them.
fn told(mounts: &[Mount], folder: &Path) -> Vec<Alias> {
    let around = mounts.iter().filter(|mount| folder.starts_with(&mount.point));
    // A later mount hides an earlier one.
    let Some(own) = around.max_by_key(|mount| mount.point.components().count()) else {
        return Vec::new();
    };
    let stored = own
        .root
        .join(folder.strip_prefix(&own.point).unwrap_or(Path::new("")));
    let same = mounts.iter().filter(|mount| mount.device == own.device);
    let alias = |mount: &Mount| {
        if let Ok(way) = stored.strip_prefix(&mount.root) {
            return Some(Alias {
                inside: PathBuf::new(),
                place: mount.point.join(way),
            });
        }
        Some(Alias {
            inside: mount.root.strip_prefix(&stored).ok()?.to_owned(),
            place: mount.point.clone(),
        })
    };
    let mut out: Vec<Alias> = same.filter_map(alias).collect();
    out.retain(|alias| alias.place != folder);
    out.dedup();
    out
}

impl Alias {
    /// Whether the path leads to the folder, and not to what is mounted above it.
    fn leads_to(&self, folder: &Path) -> bool {
        let id = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
        matches!((id(&folder.join(&self.inside)), id(&self.place)), (Ok(own), Ok(other)) if own == other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
22 21 0:20 / /proc rw - proc proc rw
30 21 254:0 /home/a/pro\\040ject /mnt/x rw - ext4 /dev/vda rw
31 21 254:0 /home /srv rw master:2 - ext4 /dev/vda rw
32 21 254:0 /home/a/pro\\040ject/src /mnt/src rw - ext4 /dev/vda rw
33 21 254:0 /var /mnt/var rw - ext4 /dev/vda rw
34 21 0:31 / /tmp rw - tmpfs tmpfs rw
";

    #[track_caller]
    fn is_found(folder: &str, expected: &[(&str, &str)]) {
        let expected = expected.iter().map(|(inside, place)| Alias {
            inside: PathBuf::from(inside),
            place: PathBuf::from(place),
        });
        let found = told(&read(TABLE.as_bytes()), Path::new(folder));
        assert_eq!(found, expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_folder_is_found_wherever_it_is_mounted() {
        let (whole, part) = (("", "/mnt/x"), ("src", "/mnt/src"));
        is_found("/home/a/pro ject", &[whole, ("", "/srv/a/pro ject"), part]);
        is_found(
            "/mnt/x",
            &[("", "/home/a/pro ject"), ("", "/srv/a/pro ject"), part],
        );
        is_found("/tmp/project", &[]);
    }

    #[test]
    fn what_is_mounted_below_a_folder_is_seen() {
        let mounts = read(TABLE.as_bytes());
        let found = |folder: &str| below(&mounts, Path::new(folder)).count();
        assert_eq!((found("/mnt"), found("/mnt/x"), found("/home/a")), (3, 0, 0));
    }
}
