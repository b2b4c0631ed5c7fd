//! What a changed path belongs to (change.md 8.4).

use crate::files::RepoPath;

/// From the harmless to the worst: of two sides the greater counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Bookkeeping of changes, of verification and of the tools.
    Lifecycle,
    /// Anything else below `logos/`.
    Project,
    /// Outside it, or outside the project.
    External,
}

const GUARD: &[u8] = b"logos/.openlogos-guard";
const LIFECYCLE: [&[u8]; 3] = [b"logos/changes", b"logos/resources/verify", b"logos/.runtime"];

impl Class {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lifecycle => "lifecycle",
            Self::Project => "project",
            Self::External => "external",
        }
    }

    /// Classifies a path that starts at the project.
    pub fn of(path: &[u8]) -> Self {
        if is_guard(path) || LIFECYCLE.iter().any(|folder| is_within(path, folder)) {
            Self::Lifecycle
        } else if is_within(path, b"logos") {
            Self::Project
        } else {
            Self::External
        }
    }
}

pub(super) fn is_guard(path: &[u8]) -> bool {
    path == GUARD
}

/// The path from the project on, by whole parts; none if it lies outside.
pub(super) fn below<'p>(path: &'p [u8], prefix: &RepoPath) -> Option<&'p [u8]> {
    if prefix.is_root() {
        return Some(path);
    }
    path.strip_prefix(prefix.as_bytes())?.strip_prefix(b"/")
}

fn is_within(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::{Class, below};
    use crate::files::RepoPath;

    #[test]
    fn names_that_only_begin_alike_are_not_lifecycle() {
        for (path, class) in [
            ("logos/changes", Class::Lifecycle),
            ("logos/changes/a/b", Class::Lifecycle),
            ("logos/.openlogos-guard", Class::Lifecycle),
            ("logos/.openlogos-guard/x", Class::Project),
            ("logos/changes-evil/x", Class::Project),
            ("logos/resources/verify-x", Class::Project),
            ("logos", Class::Project),
            ("logosx/a", Class::External),
            ("Logos/changes/a", Class::External),
        ] {
            assert_eq!(Class::of(path.as_bytes()), class, "{path}");
        }
    }

    #[test]
    fn the_prefix_itself_is_outside_the_project() {
        let prefix = RepoPath::of("shop");
        assert_eq!(below(b"shop/a", &prefix), Some(&b"a"[..]));
        assert_eq!(below(b"shop", &prefix), None);
        assert_eq!(below(b"shopx/a", &prefix), None);
    }
}
