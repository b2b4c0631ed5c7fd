//! One walk over a project before a command runs: which links lead out of it, whether dependencies are in it, whose it
//! is (verify.md 7.2).

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Folders whose content is no part of what is judged.
pub(super) const EXEMPT: &str = "node_modules";

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Links that lead out, by where they resolve or by their own words, in path order.
    pub(super) escaping: Vec<PathBuf>,
    pub(super) has_exempt: bool,
    /// Users and groups that something belongs to; asked for by the layer only.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(super) owners: BTreeSet<(u32, u32)>,
}

impl Survey {
    /// Walks the project at `real`, a path without links.
    pub(super) fn of(real: &Path) -> io::Result<Self> {
        let mut out = Self::default();
        out.walk(real, Path::new(""))?;
        out.escaping.sort();
        Ok(out)
    }

    fn walk(&mut self, real: &Path, at: &Path) -> io::Result<()> {
        for entry in fs::read_dir(real.join(at))? {
            let entry = entry?;
            let path = at.join(entry.file_name());
            let found = entry.metadata()?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::MetadataExt;
                self.owners.insert((found.uid(), found.gid()));
            }
            if found.is_dir() {
                self.has_exempt |= entry.file_name() == EXEMPT;
                self.walk(real, &path)?;
            } else if found.is_symlink() && leads_out(real, &path, &fs::read_link(entry.path())?) {
                self.escaping.push(path);
            }
        }
        Ok(())
    }
}

fn leads_out(real: &Path, path: &Path, target: &Path) -> bool {
    if target.is_absolute() {
        return true;
    }
    let above = path.parent().unwrap_or(Path::new(""));
    let mut depth: usize = above.components().count();
    for part in target.components() {
        match part {
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    let resolved = real.join(path).canonicalize();
    resolved.is_ok_and(|resolved| !resolved.starts_with(real))
}

/// Whether an exempt folder is somewhere below a folder. What cannot be listed has none to show.
pub(super) fn has_exempt(dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(dir) else {
        return false;
    };
    entries.filter_map(Result::ok).any(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder && (entry.file_name() == EXEMPT || has_exempt(&entry.path()))
    })
}

/// Whether a path is below such a folder, or is one.
pub(super) fn is_exempt(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == EXEMPT)
}
