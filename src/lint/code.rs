//! The closed list of violation codes (seed 003 §3.15).

use crate::change::ui::UiFinding;

/// Why a change does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    TasksSectionsUnparsable,
    TasksCodeHeaderMissing,
    RealTestIdsRequired,
    DeltaMissingSectionMarker,
    DeltaTemplateSkeleton,
    DeploymentDecisionConflict,
    DeltaPathInvalid,
    /// The sixteen codes of L7.
    Ui(UiFinding),
    DeltaImplicitIdRemoval,
    DeltaRemovedUnknownId,
    DeltaSectionAnchorUnresolvable,
}

impl Code {
    /// Every code but those of L7, which are [`UiFinding::ALL`].
    pub const ALL: [Self; 10] = [
        Self::TasksSectionsUnparsable,
        Self::TasksCodeHeaderMissing,
        Self::RealTestIdsRequired,
        Self::DeltaMissingSectionMarker,
        Self::DeltaTemplateSkeleton,
        Self::DeploymentDecisionConflict,
        Self::DeltaPathInvalid,
        Self::DeltaImplicitIdRemoval,
        Self::DeltaRemovedUnknownId,
        Self::DeltaSectionAnchorUnresolvable,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TasksSectionsUnparsable => "tasks_sections_unparsable",
            Self::TasksCodeHeaderMissing => "tasks_code_header_missing",
            Self::RealTestIdsRequired => "code_change_requires_real_test_ids",
            Self::DeltaMissingSectionMarker => "delta_missing_section_marker",
            Self::DeltaTemplateSkeleton => "delta_template_skeleton",
            Self::DeploymentDecisionConflict => "deployment_decision_conflict",
            Self::DeltaPathInvalid => "delta_path_invalid",
            Self::Ui(finding) => finding.as_str(),
            Self::DeltaImplicitIdRemoval => "delta_implicit_id_removal",
            Self::DeltaRemovedUnknownId => "delta_removed_unknown_id",
            Self::DeltaSectionAnchorUnresolvable => "delta_section_anchor_unresolvable",
        }
    }

    /// The number of the check, 1 to 8.
    pub const fn check(self) -> u8 {
        match self {
            Self::TasksSectionsUnparsable => 1,
            Self::TasksCodeHeaderMissing => 2,
            Self::RealTestIdsRequired => 3,
            Self::DeltaMissingSectionMarker | Self::DeltaTemplateSkeleton => 4,
            Self::DeploymentDecisionConflict => 5,
            Self::DeltaPathInvalid => 6,
            Self::Ui(_) => 7,
            Self::DeltaImplicitIdRemoval
            | Self::DeltaRemovedUnknownId
            | Self::DeltaSectionAnchorUnresolvable => 8,
        }
    }

    /// The flow's word for it, for the three codes that have one.
    pub const fn flow_reason(self) -> Option<&'static str> {
        match self {
            Self::TasksCodeHeaderMissing => Some("tasks-code-section-missing"),
            Self::RealTestIdsRequired => Some("code_change_requires_real_test_ids"),
            Self::DeploymentDecisionConflict => Some("deployment_decision_conflict"),
            Self::TasksSectionsUnparsable
            | Self::DeltaMissingSectionMarker
            | Self::DeltaTemplateSkeleton
            | Self::DeltaPathInvalid
            | Self::Ui(_)
            | Self::DeltaImplicitIdRemoval
            | Self::DeltaRemovedUnknownId
            | Self::DeltaSectionAnchorUnresolvable => None,
        }
    }
}
