//! Whether changes go to the archive whole and merged, and stay there as they are (git.md 2.2, group `archive`).

use std::collections::BTreeSet;

use super::rules::{ARCHIVE_EDITED, ARCHIVE_LOSSY, CHANGE_ARCHIVED_UNMERGED, CHANGE_DELETED, SLUG_INVALID};
use super::step::View;
use super::words::Message;
use super::{About, Error, Report, markers};
use crate::change::deltas;
use crate::files::{Entry, RepoPath, walk};
use crate::project::{Slug, layout};

/// The first folder below `root` that a path lies in.
fn folder_below(root: &RepoPath, path: &RepoPath) -> Option<RepoPath> {
    let rest = path.strip_prefix(root)?;
    let mut parts = rest.parts();
    let name = parts.next()?;
    parts.next()?;
    Some(root.join(name))
}

pub(super) fn judge(view: &View<'_, '_>, report: &mut Report<'_>) -> Result<(), Error> {
    let (changes, archive) = (layout::changes(), layout::archive());
    let mut open = BTreeSet::new();
    let mut archived = BTreeSet::new();
    for path in view.own_paths() {
        match folder_below(&archive, path) {
            Some(folder) => {
                archived.insert(folder);
            }
            None => open.extend(folder_below(&changes, path).filter(|folder| *folder != archive)),
        }
    }
    let mut came = Vec::new();
    for folder in archived {
        if view.was_there(&folder)? {
            judge_record(view, &folder, report);
        } else if view.result().exists(&folder)? {
            judge_arrival(view, &folder, report)?;
            came.push(folder);
        }
    }
    for folder in open {
        let is_there = view.result().exists(&folder)?;
        let mut was_everywhere = true;
        for parent in &view.parents {
            was_everywhere &= parent.exists(&folder)?;
        }
        if is_there && !view.was_there(&folder)? {
            judge_name(&folder, report);
        } else if !is_there && was_everywhere {
            judge_departure(view, &folder, &came, report)?;
        }
    }
    Ok(())
}

fn judge_name(folder: &RepoPath, report: &mut Report<'_>) {
    let name = folder.name().to_string();
    if let Err(why) = Slug::for_new(&name) {
        let about = About {
            change: Some(name),
            ..About::default()
        };
        report.add(SLUG_INVALID, folder, Message::SlugInvalid(why), about);
    }
}

/// A folder that was in the archive before.
fn judge_record(view: &View<'_, '_>, folder: &RepoPath, report: &mut Report<'_>) {
    let change = name_of(folder);
    for path in view.own_paths().filter(|path| path.starts_with(folder)) {
        let about = About {
            change: Some(change.clone()),
            ..About::default()
        };
        report.add(ARCHIVE_EDITED, path, Message::ArchiveEdited, about);
    }
}

/// The change that an archive folder holds; the folder's own name if it has another form.
fn name_of(folder: &RepoPath) -> String {
    let name = folder.name();
    String::from_utf8_lossy(Slug::of_archived(name).unwrap_or(name)).into_owned()
}

/// A folder that comes into the archive.
fn judge_arrival(view: &View<'_, '_>, folder: &RepoPath, report: &mut Report<'_>) -> Result<(), Error> {
    let result = view.result();
    if markers::is_marked(result, folder)? || !deltas::load(result, folder)?.iter().any(|d| d.mergeable) {
        return Ok(());
    }
    let slug = name_of(folder);
    let about = About {
        change: Some(slug.clone()),
        ..About::default()
    };
    report.add(
        CHANGE_ARCHIVED_UNMERGED,
        folder,
        Message::ArchivedUnmerged { slug },
        about,
    );
    Ok(())
}

/// An open change that is no longer there.
fn judge_departure(
    view: &View<'_, '_>,
    folder: &RepoPath,
    came: &[RepoPath],
    report: &mut Report<'_>,
) -> Result<(), Error> {
    let before = view.parents[0].as_ref();
    let slug = folder.name().to_string();
    let about = || About {
        change: Some(slug.clone()),
        ..About::default()
    };
    let own = |to: &&RepoPath| Slug::of_archived(to.name()) == Some(folder.name().as_ref());
    let Some(to) = came.iter().find(own) else {
        if markers::is_marked(before, folder)? {
            report.add(
                ARCHIVE_LOSSY,
                folder,
                Message::ArchiveLossy { slug: slug.clone() },
                about(),
            );
        } else {
            report.add(
                CHANGE_DELETED,
                folder,
                Message::ChangeDeleted { slug: slug.clone() },
                about(),
            );
        }
        return Ok(());
    };
    for path in walk(before, folder)? {
        let rest = path.strip_prefix(folder).expect("it was found below");
        if !is_same(before.entry(&path)?, view.result().entry(&rest.below(to))?) {
            report.add(
                ARCHIVE_LOSSY,
                &path,
                Message::ArchiveLossy { slug: slug.clone() },
                about(),
            );
        }
    }
    Ok(())
}

/// The same kind of file with the same content and the same executable bit.
fn is_same(one: Option<Entry>, other: Option<Entry>) -> bool {
    one.is_some_and(|one| one.id.is_some()) && one == other
}
