//! The text of `done_when` and `fail_when` (flow.md 5.2). Whether a predicate holds is not decided here.

use crate::text::trim;

/// What makes a node done or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    DirNonempty,
    /// The trimmed path.
    File(String),
    /// The trimmed name.
    Marker(String),
    AnyPresent(Vec<String>),
    /// The tag in lower case.
    SectionComplete(String),
    ProposalPackageFilled,
    Archived,
    AllPresent,
    /// The trimmed command.
    Cmd(String),
    /// Not one of these; the built-in flows have some that are display only.
    Other(String),
}

impl Predicate {
    pub fn parse(text: &str) -> Self {
        match text {
            "dir_nonempty" => return Self::DirNonempty,
            "proposal_package_filled" => return Self::ProposalPackageFilled,
            "archived" => return Self::Archived,
            "all_present" => return Self::AllPresent,
            _ => {}
        }
        let Some((kind, rest)) = text.split_once(':') else {
            return Self::Other(text.to_owned());
        };
        let rest = trim(rest);
        match kind {
            "file" => Self::File(rest.to_owned()),
            "marker" => Self::Marker(rest.to_owned()),
            "any_present" => Self::AnyPresent(names(rest)),
            "section_complete" => Self::SectionComplete(rest.to_lowercase()),
            "cmd" => Self::Cmd(rest.to_owned()),
            _ => Self::Other(text.to_owned()),
        }
    }

    pub fn is_command(&self) -> bool {
        matches!(self, Self::Cmd(_))
    }
}

fn names(list: &str) -> Vec<String> {
    let list = list.strip_prefix('[').unwrap_or(list);
    let list = list.strip_suffix(']').unwrap_or(list);
    let names = list.split(',').map(trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_trimmed() {
        assert_eq!(Predicate::parse("file:  a b "), Predicate::File("a b".to_owned()));
        assert_eq!(
            Predicate::parse("cmd:\tmake\n"),
            Predicate::Cmd("make".to_owned())
        );
        assert_eq!(Predicate::parse("marker: X"), Predicate::Marker("X".to_owned()));
        assert_eq!(
            Predicate::parse("section_complete: Code "),
            Predicate::SectionComplete("code".to_owned())
        );
        assert_eq!(Predicate::parse("cmd:a:b"), Predicate::Cmd("a:b".to_owned()));
    }

    #[test]
    fn brackets_of_a_list_are_optional_and_empty_names_are_dropped() {
        let expected = Predicate::AnyPresent(vec!["A".to_owned(), "B".to_owned()]);
        for text in ["any_present:[A, B]", "any_present: A,,B ,", "any_present:[ A , B"] {
            assert_eq!(Predicate::parse(text), expected, "{text}");
        }
        assert_eq!(
            Predicate::parse("any_present:[]"),
            Predicate::AnyPresent(Vec::new())
        );
    }

    #[test]
    fn what_is_not_exactly_a_predicate_is_another_text() {
        for text in [
            "",
            "archived ",
            "Archived",
            "proposal_filled",
            "file",
            "command:x",
            " cmd:x",
            "dir_nonempty:",
        ] {
            assert_eq!(Predicate::parse(text), Predicate::Other(text.to_owned()));
        }
    }
}
