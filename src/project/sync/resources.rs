//! Documents that belong into `resource_index`, each with what its path tells of it (logos-project.md 9.4, 5).

use std::sync::LazyLock;

use regex::Regex;

use crate::files::{ReadError, RepoPath, Tree};
use crate::project::documents::{files_below, skills};
use crate::project::layout;
use crate::say;
use crate::text::js;
use crate::voice::Voice;

/// A document and its description.
pub(super) struct Document {
    pub(super) path: RepoPath,
    pub(super) description: String,
}

/// Where documents are looked for, in this order.
const ROOTS: [&str; 9] = [
    "logos/resources/prd",
    "logos/resources/api",
    "logos/resources/database",
    "logos/resources/test",
    "logos/resources/scenario",
    "logos/resources/decisions",
    "logos/resources/verify",
    "logos/resources/implementation",
    "spec",
];

/// Every document that a rule knows, in the order of the scan.
pub(super) fn documents(tree: &dyn Tree, voice: &Voice) -> Result<Vec<Document>, ReadError> {
    let mut paths = Vec::new();
    for root in ROOTS {
        paths.extend(files_below(tree, &RepoPath::of(root))?);
    }
    paths.extend(skills(tree)?);
    let runs = RepoPath::of(layout::BASELINE_RUNS);
    // Copies in the runs of the baseline are no documents, and a path that is no text cannot be listed.
    paths.retain(|path| !path.starts_with(&runs) && std::str::from_utf8(path.as_bytes()).is_ok());
    let known = paths.into_iter().filter_map(|path| {
        let description = describe(&path.text(), voice)?;
        Some(Document { path, description })
    });
    Ok(known.collect())
}

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    ScenarioOverview,
    Scenario,
    TestCases,
    SmokeCases,
    Decision,
    Architecture,
    Deployment,
    FeatureSpec,
    PageDesign,
    Requirements,
    Api,
    Database,
    Orchestration,
    Verification,
    Implementation,
    Skill,
    Spec,
}

/// The rules; the first that matches counts. The group is what the description names.
static RULES: LazyLock<[(Kind, Regex); 17]> = LazyLock::new(|| {
    let below = |folder: &str, rest: &str| js(&format!("^logos/resources/{folder}/{rest}$"));
    let scenarios = "prd/3-technical-plan/2-scenario-implementation";
    let module = "(?:[a-z][a-z0-9-]*-)?";
    let markdown = r"(?:.*/)?([^/]+)\.md";
    [
        (
            Kind::ScenarioOverview,
            below(scenarios, &format!(r"(?:.*/)?({module}00-scenario-overview)\.md")),
        ),
        (
            Kind::Scenario,
            below(scenarios, &format!(r"(?:.*/)?({module}S\d{{2,}}-[^/]*)\.md")),
        ),
        (
            Kind::TestCases,
            below("test", &format!(r"({module}S\d{{2,}})-test-cases\.md")),
        ),
        (
            Kind::SmokeCases,
            below("test/smoke", &format!(r"({module}[^/]+)-smoke-test-cases\.md")),
        ),
        (
            Kind::Decision,
            below("decisions", &format!(r"({module}D\d{{2,}}-[^/]*)\.md")),
        ),
        (
            Kind::Architecture,
            below("prd/3-technical-plan/1-architecture", markdown),
        ),
        (
            Kind::Deployment,
            below("prd/3-technical-plan/3-deployment", markdown),
        ),
        (
            Kind::FeatureSpec,
            below("prd/2-product-design/1-feature-specs", markdown),
        ),
        (
            Kind::PageDesign,
            below("prd/2-product-design/2-page-design", markdown),
        ),
        (Kind::Requirements, below("prd/1-product-requirements", markdown)),
        (Kind::Api, below("api", r"(?:.*/)?([^/]+)\.ya?ml")),
        (Kind::Database, below("database", r"(?:.*/)?([^/]+)\.sql")),
        (Kind::Orchestration, below("scenario", r"(?:.*/)?([^/]+)\.json")),
        (Kind::Verification, below("verify", markdown)),
        (Kind::Implementation, below("implementation", markdown)),
        (Kind::Skill, js(r"^skills/([^/]+)/SKILL\.md$")),
        (Kind::Spec, js(r"^spec/(?:.*/)?([^/]+)\.(?:md|json)$")),
    ]
});

/// What a path tells of its document; none if no rule knows it.
fn describe(path: &str, voice: &Voice) -> Option<String> {
    let found = |(kind, rule): &(Kind, Regex)| Some((*kind, rule.captures(path)?[1].to_owned()));
    let (kind, name) = RULES.iter().find_map(found)?;
    Some(match kind {
        Kind::ScenarioOverview => say!(voice, "Overview of the scenarios: {name}", "场景总览：{name}"),
        Kind::Scenario => say!(voice, "Implementation of scenario {name}", "场景实现：{name}"),
        Kind::TestCases => say!(voice, "Test cases of scenario {name}", "场景测试用例：{name}"),
        Kind::SmokeCases => say!(voice, "Smoke test cases of {name}", "冒烟测试用例：{name}"),
        Kind::Decision => say!(voice, "Decision {name}", "决策记录：{name}"),
        Kind::Architecture => say!(voice, "Architecture: {name}", "架构：{name}"),
        Kind::Deployment => say!(voice, "Deployment: {name}", "部署：{name}"),
        Kind::FeatureSpec => say!(voice, "Feature specification: {name}", "功能规格：{name}"),
        Kind::PageDesign => say!(voice, "Page design: {name}", "页面设计：{name}"),
        Kind::Requirements => say!(voice, "Product requirements: {name}", "产品需求：{name}"),
        Kind::Api => say!(voice, "API: {name}", "API：{name}"),
        Kind::Database => say!(voice, "Database: {name}", "数据库：{name}"),
        Kind::Orchestration => say!(voice, "Orchestration: {name}", "编排：{name}"),
        Kind::Verification => say!(voice, "Verification: {name}", "验收：{name}"),
        Kind::Implementation => say!(voice, "Implementation: {name}", "实现：{name}"),
        Kind::Skill => say!(voice, "Skill: {name}", "技能：{name}"),
        Kind::Spec => say!(voice, "Specification: {name}", "规范：{name}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: &str) -> Option<Kind> {
        RULES
            .iter()
            .find(|(_, rule)| rule.is_match(path))
            .map(|(kind, _)| *kind)
    }

    #[test]
    fn paths_are_judged_by_the_first_rule_that_fits() {
        let below = |rest: &str| kind(&format!("logos/resources/{rest}"));
        let scenarios = "prd/3-technical-plan/2-scenario-implementation";
        for (path, expected) in [
            (
                format!("{scenarios}/core-00-scenario-overview.md"),
                Some(Kind::ScenarioOverview),
            ),
            (
                format!("{scenarios}/00-scenario-overview.md"),
                Some(Kind::ScenarioOverview),
            ),
            (format!("{scenarios}/tide-gauge-S01-x.md"), Some(Kind::Scenario)),
            (format!("{scenarios}/notes.md"), None),
            ("test/core-S01-test-cases.md".to_owned(), Some(Kind::TestCases)),
            ("test/x/core-S01-test-cases.md".to_owned(), None),
            (
                "test/smoke/core-smoke-test-cases.md".to_owned(),
                Some(Kind::SmokeCases),
            ),
            ("decisions/core-D01-x.md".to_owned(), Some(Kind::Decision)),
            ("decisions/x.md".to_owned(), None),
            (
                "prd/3-technical-plan/3-deployment/a/b.md".to_owned(),
                Some(Kind::Deployment),
            ),
            ("prd/2-product-design/2-page-design/a.html".to_owned(), None),
            ("prd/readme.md".to_owned(), None),
            ("api/a/b.yml".to_owned(), Some(Kind::Api)),
            ("api/readme.txt".to_owned(), None),
            ("scenario/a.json".to_owned(), Some(Kind::Orchestration)),
            ("reference/note.md".to_owned(), None),
        ] {
            assert_eq!(below(&path), expected, "{path}");
        }
        assert_eq!(kind("skills/a/SKILL.md"), Some(Kind::Skill));
        assert_eq!(kind("spec/a/b.json"), Some(Kind::Spec));
    }

    #[test]
    fn a_description_names_the_document() {
        let voice = Voice::default();
        let path = "logos/resources/prd/3-technical-plan/2-scenario-implementation/core-S01-reserve.md";
        assert_eq!(
            describe(path, &voice).as_deref(),
            Some("Implementation of scenario core-S01-reserve")
        );
    }
}
