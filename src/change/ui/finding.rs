//! What is wrong with a UI/UX declaration or its prototypes: a closed list (change.md L7).

/// What is wrong with a declaration or its prototypes, in the order of judging. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UiFinding {
    DeclarationMissing,
    DeclarationUnparsable,
    ImpactNotBoolean,
    DesignSystemModeInvalid,
    NoPagesDeclared,
    PrototypePathTraversal,
    PrototypeBasenameInvalid,
    PrototypeBasenameDuplicate,
    PrototypeMissing,
    PrototypeExtra,
    PrototypeEmpty,
    DesignSystemMissing,
    DesignSystemInvalid,
    DesignSystemEmpty,
    FallbackReasonMissing,
    FallbackTokenForged,
}

impl UiFinding {
    pub const ALL: [Self; 16] = [
        Self::DeclarationMissing,
        Self::DeclarationUnparsable,
        Self::ImpactNotBoolean,
        Self::DesignSystemModeInvalid,
        Self::NoPagesDeclared,
        Self::PrototypePathTraversal,
        Self::PrototypeBasenameInvalid,
        Self::PrototypeBasenameDuplicate,
        Self::PrototypeMissing,
        Self::PrototypeExtra,
        Self::PrototypeEmpty,
        Self::DesignSystemMissing,
        Self::DesignSystemInvalid,
        Self::DesignSystemEmpty,
        Self::FallbackReasonMissing,
        Self::FallbackTokenForged,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DeclarationMissing => "ui_declaration_missing",
            Self::DeclarationUnparsable => "ui_declaration_unparsable",
            Self::ImpactNotBoolean => "ui_impact_not_boolean",
            Self::DesignSystemModeInvalid => "design_system_mode_invalid",
            Self::NoPagesDeclared => "no_pages_declared",
            Self::PrototypePathTraversal => "prototype_path_traversal",
            Self::PrototypeBasenameInvalid => "prototype_basename_invalid",
            Self::PrototypeBasenameDuplicate => "prototype_basename_duplicate",
            Self::PrototypeMissing => "prototype_missing",
            Self::PrototypeExtra => "prototype_extra",
            Self::PrototypeEmpty => "prototype_empty",
            Self::DesignSystemMissing => "design_system_missing",
            Self::DesignSystemInvalid => "design_system_invalid",
            Self::DesignSystemEmpty => "design_system_empty",
            Self::FallbackReasonMissing => "fallback_reason_missing",
            Self::FallbackTokenForged => "fallback_token_forged",
        }
    }
}
