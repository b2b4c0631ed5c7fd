//! The rules of a range check: codes, groups, and how bad each is by default (git.md 2.2).

use crate::finding::Severity;

/// How a rule is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warn,
    Off,
}

impl Level {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "error" => Some(Self::Error),
            "warn" => Some(Self::Warn),
            "off" => Some(Self::Off),
            _ => None,
        }
    }

    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warn => Some(Severity::Warning),
            Self::Off => None,
        }
    }
}

/// A rule of the check itself.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub code: &'static str,
    pub group: &'static str,
    pub default: Level,
}

const fn rule(code: &'static str, group: &'static str, default: Level) -> Rule {
    Rule { code, group, default }
}

pub const LINT: &str = "lint";
pub const MERGE_WARNINGS: &str = "merge-warnings";

const DOCUMENTS: &str = "documents";
const IDS: &str = "ids";
const ARCHIVE: &str = "archive";
const MARKERS: &str = "markers";

pub const GROUPS: [&str; 6] = [LINT, MERGE_WARNINGS, DOCUMENTS, IDS, ARCHIVE, MARKERS];

pub const DOCUMENT_EDITED: &str = "document_edited";
pub const MERGE_REPLAY_CONFLICT: &str = "merge_replay_conflict";
pub const MERGE_REPLAY_MISMATCH: &str = "merge_replay_mismatch";
pub const MERGE_RESOLVED_BY_HAND: &str = "merge_resolved_by_hand";
pub const DOCUMENT_ID_LOST: &str = "document_id_lost";
pub const DOCUMENT_MOVED: &str = "document_moved";
pub const DOCUMENT_NOT_REGULAR: &str = "document_not_regular";
pub const MODULE_UNLAUNCHED: &str = "module_unlaunched";
pub const PROJECT_REMOVED: &str = "project_removed";
pub const REGISTRY_UNREADABLE: &str = "registry_unreadable";
pub const CONFLICT_MARKS: &str = "conflict_marks";
pub const ID_DUPLICATE: &str = "id_duplicate";
pub const ID_TAKEN: &str = "id_taken";
pub const CHANGE_ARCHIVED_UNMERGED: &str = "change_archived_unmerged";
pub const ARCHIVE_LOSSY: &str = "archive_lossy";
pub const ARCHIVE_EDITED: &str = "archive_edited";
pub const CHANGE_DELETED: &str = "change_deleted";
pub const SLUG_INVALID: &str = "slug_invalid";
pub const MARKER_FORGED: &str = "marker_forged";
pub const MARKER_DROPPED: &str = "marker_dropped";
pub const BASE_NOT_IN_HISTORY: &str = "base_not_in_history";
pub const STATE_MALFORMED: &str = "state_malformed";
pub const SESSION_FILE_COMMITTED: &str = "session_file_committed";
pub const GUARD_COMMITTED: &str = "guard_committed";
pub const MODULE_UNRESOLVED: &str = "module_unresolved";
pub const ARTIFACT_UNREADABLE: &str = "artifact_unreadable";

const RULES: [Rule; 26] = [
    rule(DOCUMENT_EDITED, DOCUMENTS, Level::Error),
    rule(MERGE_REPLAY_CONFLICT, DOCUMENTS, Level::Error),
    rule(MERGE_REPLAY_MISMATCH, DOCUMENTS, Level::Error),
    rule(MERGE_RESOLVED_BY_HAND, DOCUMENTS, Level::Warn),
    rule(DOCUMENT_ID_LOST, DOCUMENTS, Level::Error),
    rule(DOCUMENT_MOVED, DOCUMENTS, Level::Warn),
    rule(DOCUMENT_NOT_REGULAR, DOCUMENTS, Level::Error),
    rule(MODULE_UNLAUNCHED, DOCUMENTS, Level::Error),
    rule(PROJECT_REMOVED, DOCUMENTS, Level::Error),
    rule(REGISTRY_UNREADABLE, DOCUMENTS, Level::Error),
    rule(CONFLICT_MARKS, DOCUMENTS, Level::Error),
    rule(ID_DUPLICATE, IDS, Level::Error),
    rule(ID_TAKEN, IDS, Level::Error),
    rule(CHANGE_ARCHIVED_UNMERGED, ARCHIVE, Level::Error),
    rule(ARCHIVE_LOSSY, ARCHIVE, Level::Error),
    rule(ARCHIVE_EDITED, ARCHIVE, Level::Warn),
    rule(CHANGE_DELETED, ARCHIVE, Level::Warn),
    rule(SLUG_INVALID, ARCHIVE, Level::Error),
    rule(MARKER_FORGED, MARKERS, Level::Error),
    rule(MARKER_DROPPED, MARKERS, Level::Error),
    rule(BASE_NOT_IN_HISTORY, MARKERS, Level::Warn),
    rule(STATE_MALFORMED, MARKERS, Level::Error),
    rule(SESSION_FILE_COMMITTED, MARKERS, Level::Warn),
    rule(GUARD_COMMITTED, MARKERS, Level::Off),
    rule("decision_record_section_without_delta", LINT, Level::Warn),
    rule("delta_base_moved", LINT, Level::Warn),
];

/// The rule of a code: one of the check's own, a violation of lint, or what merge would refuse. Operation errors of lint
/// have none: they are always errors.
pub fn rule_of(code: &'static str) -> Option<Rule> {
    if [MODULE_UNRESOLVED, ARTIFACT_UNREADABLE].contains(&code) {
        return None;
    }
    let own = RULES.iter().find(|rule| rule.code == code).copied();
    let by_group = || match code.starts_with("merge_") {
        true => rule(code, MERGE_WARNINGS, Level::Warn),
        false => rule(code, LINT, Level::Error),
    };
    Some(own.unwrap_or_else(by_group))
}

/// The codes of the check's own rules.
pub fn own_codes() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.code)
}
