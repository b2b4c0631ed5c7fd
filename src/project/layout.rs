//! Where things lie in a project (logos-project.md 2): the only place that spells these paths.

use super::Slug;
use crate::files::RepoPath;

/// Its existence makes a folder a project.
pub const CONFIG: &str = "logos/logos.config.json";
/// Modules, scenarios, features, gates, resource index.
pub const REGISTRY: &str = "logos/logos-project.yaml";
/// The active change of this work tree.
pub const GUARD: &str = "logos/.openlogos-guard";
/// What the current session can show.
pub const CAPABILITIES: &str = "logos/.session-capabilities.json";
/// The registry before the last sync that changed its baseline.
pub const REGISTRY_BACKUP: &str = "logos/logos-project.yaml.bak";
/// The project's own steps of the flow of a launched module.
pub const LAUNCHED_FLOW: &str = "logos/flow/launched.yaml";
/// The stamp of the last sync.
pub const SYNC_STAMP: &str = "logos/.openlogos-sync.json";
/// Short-lived files of a host.
pub const RUNTIME: &str = "logos/.runtime";
/// What is to be done about documents that the registry does not list.
pub const INDEX_PROMPT: &str = "logos/index-prompt.md";
/// One folder per open change.
pub const CHANGES: &str = "logos/changes";
/// The folder of finished changes: its name is no change.
pub const ARCHIVE_NAME: &str = "archive";
pub const ARCHIVE: &str = "logos/changes/archive";
/// Overlays of the two flows.
pub const FLOWS: &str = "logos/flow";
pub const RESOURCES: &str = "logos/resources";
/// The folders of documents below [`RESOURCES`], unless the project names others (git.md 2.3).
pub const DOCUMENT_FOLDERS: [&str; 6] = ["prd", "api", "database", "scenario", "test", "decisions"];
pub const TESTS: &str = "logos/resources/test";
pub const SMOKE_TESTS: &str = "logos/resources/test/smoke";
/// How each scenario is built.
pub const SCENARIO_DOCUMENTS: &str = "logos/resources/prd/3-technical-plan/2-scenario-implementation";
/// Runs of the baseline, and the locks of their commits.
pub const BASELINE_RUNS: &str = "logos/resources/verify/baseline-seed-runs";
/// Results and reports of verification.
pub const VERIFY: &str = "logos/resources/verify";
/// The result ledger, unless the config names another.
pub const TEST_RESULTS: &str = "logos/resources/verify/test-results.jsonl";
pub const ACCEPTANCE_REPORT: &str = "logos/resources/verify/acceptance-report.md";
/// The result ledger of smoke tests, unless the config names another.
pub const SMOKE_RESULTS: &str = "logos/resources/verify/smoke-results.jsonl";
pub const SMOKE_REPORT: &str = "logos/resources/verify/smoke-report.md";
/// What the baseline has registered, a line each.
pub const BASELINE_EVENTS: &str = "logos/resources/verify/baseline-events.jsonl";
/// What is to be done about scenarios and candidates without a feature.
pub const BACKFILL_PROMPT: &str = "logos/feature-backfill-prompt.md";
pub const DECISIONS: &str = "logos/resources/decisions";
/// What each feature is to do.
pub const FEATURE_SPECS: &str = "logos/resources/prd/2-product-design/1-feature-specs";
/// Living page designs and prototypes.
pub const PAGE_DESIGN: &str = "logos/resources/prd/2-product-design/2-page-design";
/// Page prototypes inside a change folder.
pub const PAGE_DESIGN_DELTAS: &str = "deltas/prd/2-product-design/2-page-design";

/// Files of one work tree or session, which nobody should commit.
pub const NOT_TO_COMMIT: [&str; 4] = [CAPABILITIES, GUARD, "logos/.runtime/", SYNC_STAMP];

/// The folders of a new project below `logos/resources`, each kept by an empty `.gitkeep`.
pub const RESOURCE_FOLDERS: [&str; 20] = [
    "prd/1-product-requirements",
    "prd/2-product-design/1-feature-specs",
    "prd/2-product-design/2-page-design",
    "prd/3-technical-plan/1-architecture",
    "prd/3-technical-plan/2-scenario-implementation",
    "prd/3-technical-plan/3-deployment",
    "api",
    "database",
    "test",
    "test/smoke",
    "scenario",
    "implementation",
    "verify",
    "reference",
    "reference/requirement",
    "reference/todolist",
    "reference/code",
    "reference/image",
    "reference/temp",
    "reference/note",
];

pub fn config() -> RepoPath {
    RepoPath::of(CONFIG)
}

pub fn registry() -> RepoPath {
    RepoPath::of(REGISTRY)
}

pub fn guard() -> RepoPath {
    RepoPath::of(GUARD)
}

pub fn changes() -> RepoPath {
    RepoPath::of(CHANGES)
}

/// The folder of one change.
pub fn change(slug: &Slug) -> RepoPath {
    changes().join(slug.as_str())
}

pub fn archive() -> RepoPath {
    RepoPath::of(ARCHIVE)
}

/// Whether bytes are what stands before the name of a change in the name of its archived folder: `YYYYMMDD-HHMM-`.
pub fn is_archive_stamp(bytes: &[u8]) -> bool {
    has_form(bytes, b"00000000-0000-")
}

/// Whether bytes are like a form, with any digit where that has `0`.
pub fn has_form(bytes: &[u8], form: &[u8]) -> bool {
    let fits = |(form, byte): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        form => form == byte,
    };
    bytes.len() == form.len() && form.iter().zip(bytes).all(fits)
}

pub fn resources() -> RepoPath {
    RepoPath::of(RESOURCES)
}
