//! The name of a change: one safe path component (change.md 2.2, logos-project.md 8.2).

use std::fmt;

/// A slug that passed the lexical rule: it can be joined to a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

impl Slug {
    /// The weak rule for folders that exist: not empty, `.` or `..`, no separator, drive prefix or NUL.
    pub fn lexical(slug: &str) -> Option<Self> {
        let drive = matches!(slug.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        let bad = slug.is_empty() || slug == "." || slug == ".." || drive || slug.contains(['/', '\\', '\0']);
        (!bad).then(|| Self(slug.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The recommended form: `^[a-z0-9][a-z0-9-]*$`.
    pub fn is_strict(&self) -> bool {
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let bytes = self.0.as_bytes();
        bytes.first().is_some_and(|b| allowed(*b)) && bytes.iter().all(|b| allowed(*b) || *b == b'-')
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::text::escape(&self.0))
    }
}
