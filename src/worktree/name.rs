//! Which names the change of a `.sillyspec/` project may have, so that its folder and its branch can bear them
//! (silly.md 8).

use super::layout::SILLY_BRANCHES;
use crate::git;
use crate::text::escape;
use crate::voice::{Language, Say, Voice};

/// Bytes of the longest name.
const LONGEST: usize = 100;

/// The folder of finished changes: its name is no change.
pub const ARCHIVE_NAME: &str = "archive";

/// Why a change cannot have this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("a change needs a name")]
    Empty,
    #[error("`{}` is no name for a change: it is longer than 100 bytes", escape(.0))]
    TooLong(String),
    #[error("`{}` is no name for a change: `{}` is not allowed in it", escape(.0), escape(.1))]
    Part(String, String),
    #[error("`{}` is no name for a change: it must not begin with `-`", escape(.0))]
    Start(String),
    #[error("`{}` is no name for a change: git has no branch of such a name", escape(.0))]
    Reference(String),
    #[error("`{}` is no name for a change: finished changes are kept there", escape(.0))]
    Reserved(String),
}

impl Say for NameError {
    fn say(&self, voice: &Voice) -> String {
        if voice.language == Language::English {
            return self.to_string();
        }
        match self {
            Self::Empty => "变更需要一个名称".to_owned(),
            Self::TooLong(name) => format!("`{}` 不能作为变更名：超过 100 字节", escape(name)),
            Self::Part(name, part) => {
                format!("`{}` 不能作为变更名：不允许 `{}`", escape(name), escape(part))
            }
            Self::Start(name) => format!("`{}` 不能作为变更名：不得以 `-` 开头", escape(name)),
            Self::Reference(name) => format!("`{}` 不能作为变更名：git 没有这样的分支名", escape(name)),
            Self::Reserved(name) => format!("`{}` 不能作为变更名：那里存放已完成的变更", escape(name)),
        }
    }
}

/// Judges the name of a change that is to be made.
///
/// # Errors
/// The first rule that the name breaks.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let own = || name.to_owned();
    if name.trim().is_empty() {
        return Err(NameError::Empty);
    }
    if name.len() > LONGEST {
        return Err(NameError::TooLong(own()));
    }
    let is_bad = |c: &char| c.is_control() || c.is_whitespace() || "/\\:?*[~^".contains(*c);
    if let Some(c) = name.chars().find(is_bad) {
        return Err(NameError::Part(own(), c.to_string()));
    }
    if let Some(part) = ["..", "@{"].into_iter().find(|part| name.contains(part)) {
        return Err(NameError::Part(own(), part.to_owned()));
    }
    if name.starts_with('-') {
        return Err(NameError::Start(own()));
    }
    if !git::is_branch_name(format!("{SILLY_BRANCHES}{name}").as_bytes()) {
        return Err(NameError::Reference(own()));
    }
    if name.eq_ignore_ascii_case(ARCHIVE_NAME) {
        return Err(NameError::Reserved(own()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_folder_and_part_of_a_branch() {
        let long = "x".repeat(101);
        for bad in [
            "", " ", "\u{3000}", "..", "a..b", "a/b", "a\\b", "-x", "a\nb", "a\u{7f}", "a:b", "a?", "a*",
            "a[b", "a~1", "a^", "a b", " a", "@{-1}", "archive", "Archive", "x.lock", "x.", ".x", &long,
        ] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
        for good in [
            "csv-export",
            "2026-03-01-导出",
            "导出",
            "v1.2_x",
            "a@b",
            "$(x)",
            "archives",
            &long[1..],
        ] {
            assert_eq!(check_name(good), Ok(()), "{good:?}");
        }
    }
}
