//! Names of changes: what may be read, what may be made, what is recommended.

use std::fmt;

use super::layout::ARCHIVE_NAME;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// The name of a change that is safe to join to a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

/// Bytes of the longest name of a new change.
const LONGEST: usize = 100;

/// Why no change may get this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlugError {
    #[error("a change needs a name")]
    Empty,
    #[error("`{}` is no name for a change: it is longer than 100 bytes", escape(.0))]
    TooLong(String),
    #[error("`{}` is no name for a change: `{}` is not allowed in it; letters, digits, `-`, `_` and `.` are", escape(.0), escape(&.1.to_string()))]
    Character(String, char),
    #[error("`{}` is no name for a change: it must begin with a letter or a digit", escape(.0))]
    Start(String),
    #[error("`{}` is no name for a change: it must not end in `.` or `.lock`, nor contain `..`", escape(.0))]
    Reference(String),
    #[error("`{}` is no name for a change: finished changes are kept there", escape(.0))]
    Reserved(String),
}

impl Say for SlugError {
    fn say(&self, voice: &Voice) -> String {
        if voice.language == crate::voice::Language::English {
            return self.to_string();
        }
        match self {
            Self::Empty => "变更需要一个名称".to_owned(),
            Self::TooLong(slug) => format!("`{}` 不能作为变更名：超过 100 字节", escape(slug)),
            Self::Character(slug, c) => format!(
                "`{}` 不能作为变更名：不允许 `{}`；可用字母、数字、`-`、`_` 和 `.`",
                escape(slug),
                escape(&c.to_string())
            ),
            Self::Start(slug) => format!("`{}` 不能作为变更名：必须以字母或数字开头", escape(slug)),
            Self::Reference(slug) => format!(
                "`{}` 不能作为变更名：不得以 `.` 或 `.lock` 结尾，也不得含 `..`",
                escape(slug)
            ),
            Self::Reserved(slug) => format!("`{}` 不能作为变更名：那里存放已完成的变更", escape(slug)),
        }
    }
}

impl Slug {
    /// The name of a folder that may exist (change.md 2.2): one path component without drive prefix. NUL, which no path
    /// has, is refused too.
    pub fn lexical(name: &str) -> Option<Self> {
        let bytes = name.as_bytes();
        let drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
        let component = !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', '\0']);
        (component && !drive).then(|| Self(name.to_owned()))
    }

    /// The name of a change to be made (logos-project.md 8.2): also a valid part of a branch name.
    ///
    /// # Errors
    /// The first rule that the name breaks.
    pub fn for_new(name: &str) -> Result<Self, SlugError> {
        let own = || name.to_owned();
        if name.is_empty() {
            return Err(SlugError::Empty);
        }
        if name.len() > LONGEST {
            return Err(SlugError::TooLong(own()));
        }
        if let Some(c) = name
            .chars()
            .find(|c| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')))
        {
            return Err(SlugError::Character(own(), c));
        }
        if !name.starts_with(char::is_alphanumeric) {
            return Err(SlugError::Start(own()));
        }
        let lower = name.to_lowercase();
        let locked = lower.strip_suffix(".lock").is_some();
        if name.ends_with('.') || locked || name.contains("..") {
            return Err(SlugError::Reference(own()));
        }
        if lower == ARCHIVE_NAME {
            return Err(SlugError::Reserved(own()));
        }
        Ok(Self(name.to_owned()))
    }

    /// The name of a change in the name of its archived folder: `<YYYYMMDD-HHMM>-<slug>` (change.md 7).
    pub fn of_archived(folder: &[u8]) -> Option<&[u8]> {
        const STAMP: usize = "20260101-0000-".len();
        let (stamp, slug) = folder.split_at_checked(STAMP)?;
        let fits = stamp.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        (fits && !slug.is_empty()).then_some(slug)
    }

    /// The recommended form, `^[a-z0-9][a-z0-9-]*$`.
    pub fn is_strict(&self) -> bool {
        let inner = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
        self.0.as_bytes().iter().all(inner) && !self.0.starts_with('-')
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(&self.0))
    }
}

impl AsRef<[u8]> for Slug {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_may_exist_is_one_component() {
        for bad in ["", ".", "..", "a/b", "a\\b", "C:x", "a\0b"] {
            assert_eq!(Slug::lexical(bad), None, "{bad}");
        }
        for good in [" x", "a b", "archive", "äöü", "1:2", ".hidden"] {
            assert!(Slug::lexical(good).is_some(), "{good}");
        }
    }

    #[test]
    fn a_stamp_stands_before_an_archived_name() {
        assert_eq!(Slug::of_archived(b"20260102-0304-a-b"), Some(b"a-b".as_slice()));
        for other in [
            "20260102-0304-",
            "20260102-0304",
            "2026-01-02-a",
            "20260102_0304-a",
            "x",
            "äääääää-a",
        ] {
            assert_eq!(Slug::of_archived(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_new_name_is_also_part_of_a_branch_name() {
        let long = "x".repeat(101);
        for bad in [
            "", "../x", "/x", ".x", "-x", "a b", "a\tb", "a~b", "x.", "x.lock", "X.LOCK", "a..b", "Archive",
            &long,
        ] {
            assert!(Slug::for_new(bad).is_err(), "{bad}");
        }
        for good in ["add-boats", "增加-引航-2", "v1.2_x", "archives", "x.lockx"] {
            assert!(Slug::for_new(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn the_recommended_form_is_lower_case_ascii() {
        let strict = |s: &str| Slug::lexical(s).is_some_and(|s| s.is_strict());
        assert!(strict("a1-b") && strict("1"));
        assert!(!strict("A") && !strict("-a") && !strict("a_b") && !strict("ä"));
    }
}
