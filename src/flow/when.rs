//! The text of `when` (flow.md 5.1): a flag, or its negation. What a flag means is not decided here.

use crate::text::trim;

/// When a node or subflow counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Nothing is written.
    Always,
    If(Flag),
    Unless(Flag),
}

/// What can be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `bootstrap != adopted`, the one comparison there is.
    NotAdopted,
    ApiEnabled,
    DbEnabled,
    ScenarioEnabled,
    DeploymentRequired,
    SmokeRequired,
    DeltaRequired,
    CodeRequired,
    UiImpact,
    /// Never true.
    Unknown(String),
}

impl When {
    pub fn parse(text: Option<&str>) -> Self {
        let text = trim(text.unwrap_or_default());
        if text.is_empty() {
            return Self::Always;
        }
        match text.strip_prefix("not") {
            Some(rest) if rest.starts_with(crate::text::is_space) => Self::Unless(Flag::parse(trim(rest))),
            Some(_) | None => Self::If(Flag::parse(text)),
        }
    }
}

impl Flag {
    fn parse(text: &str) -> Self {
        match text {
            "bootstrap != adopted" => Self::NotAdopted,
            "api_enabled" => Self::ApiEnabled,
            "db_enabled" => Self::DbEnabled,
            "scenario_enabled" => Self::ScenarioEnabled,
            "deployment_required" => Self::DeploymentRequired,
            "smoke_required" => Self::SmokeRequired,
            "delta_required" => Self::DeltaRequired,
            "code_required" => Self::CodeRequired,
            "ui_impact" => Self::UiImpact,
            _ => Self::Unknown(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_may_be_negated_and_blanks_do_not_count() {
        assert_eq!(When::parse(Some(" api_enabled\n")), When::If(Flag::ApiEnabled));
        assert_eq!(When::parse(Some("not   ui_impact")), When::Unless(Flag::UiImpact));
        assert_eq!(
            When::parse(Some("bootstrap != adopted")),
            When::If(Flag::NotAdopted)
        );
    }

    #[test]
    fn nothing_written_is_always() {
        for text in [None, Some(""), Some(" \t")] {
            assert_eq!(When::parse(text), When::Always);
        }
    }

    #[test]
    fn other_texts_are_unknown_flags() {
        for text in [
            "not",
            "notapi_enabled",
            "API_ENABLED",
            "bootstrap!=adopted",
            "api_enabled and x",
        ] {
            assert_eq!(When::parse(Some(text)), When::If(Flag::Unknown(text.to_owned())));
        }
        let twice = Flag::Unknown("not x".to_owned());
        assert_eq!(When::parse(Some("not not x")), When::Unless(twice));
    }
}
