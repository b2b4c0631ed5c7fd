//! The proposal.md and tasks.md of a new change (logos-project.md 8.4), and which of their words mean "not filled in yet".
//! The structure is contract: other commands read it.

use super::headings::{self, Words, words};
use crate::voice::Language;

pub const REASON: Words = words(
    "[为什么要做这个变更？来源于哪个需求/反馈/Bug？]",
    "[Why is this change made? Which requirement, feedback or bug does it come from?]",
);
pub const CHANGE_TYPE: Words = words(
    "[需求级 / 设计级 / 接口级 / 代码级]",
    "[requirements / design / interface / code]",
);
pub const LIST: Words = words("[列表]", "[list]");
pub const SUMMARY: Words = words(
    "[用 1-3 段话概述具体改什么]",
    "[Say in one to three paragraphs what exactly changes]",
);
/// A decision that is not made.
pub const UNDECIDED: Words = words("是 / 否", "yes / no");
pub const DEPLOYMENT_REASON: Words = words(
    "[说明为什么需要或不需要部署]",
    "[Say why deployment is or is not needed]",
);
pub const ENVIRONMENTS: Words = words(
    "[本地 / 测试 / 预发 / 生产 / 无]",
    "[local / test / staging / production / none]",
);

/// Beginnings of placeholders in proposal.md: a text that contains one of them is not filled (flow.md 7.2).
pub const PLACEHOLDERS: [Words; 4] = [
    words("[为什么要做这个变更？", "[Why is this change made?"),
    CHANGE_TYPE,
    LIST,
    words(
        "[用 1-3 段话概述具体改什么",
        "[Say in one to three paragraphs what exactly changes",
    ),
];

/// Lines of a task list that is not filled (flow.md 7.3); the first two and the last stand in our template.
pub const TASKS: [Words; 8] = [
    words(
        "- [ ] 更新需求文档的场景和验收条件",
        "- [ ] Update requirements scenarios and acceptance criteria",
    ),
    words(
        "- [ ] 更新产品设计文档的功能规格",
        "- [ ] Update product design feature specs",
    ),
    words("- [ ] 更新原型", "- [ ] Update prototypes"),
    words("- [ ] 更新场景时序图", "- [ ] Update scenario sequence diagrams"),
    words("- [ ] 更新 API YAML", "- [ ] Update API YAML"),
    words("- [ ] 更新 DB DDL", "- [ ] Update DB DDL"),
    words(
        "- [ ] 更新 API 编排测试用例",
        "- [ ] Update API orchestration test cases",
    ),
    words("- [ ] 实现代码变更", "- [ ] Implement code changes"),
];

const SCOPE: [Words; 6] = [
    words("影响的需求文档", "Requirements documents"),
    words("影响的功能规格", "Feature specifications"),
    words("影响的业务场景", "Scenarios"),
    words("影响的 API", "APIs"),
    words("影响的数据库表", "Database tables"),
    words("影响的测试与编排", "Test cases and orchestrations"),
];

/// The content of proposal.md. `date` is `YYYY-MM-DD`.
pub fn proposal(language: Language, slug: &str, module: &str, date: &str) -> String {
    let pick = |words: Words| words.of(language);
    let (title, colon) = match language {
        Language::English => ("# Change Proposal: ", ": "),
        Language::Chinese => ("# 变更提案：", "："),
    };
    let field = |label: Words, value: Words| format!("- {}{colon}{}\n", pick(label), pick(value));
    let scope: String = SCOPE.into_iter().map(|label| field(label, LIST)).collect();
    let deployment = [
        field(headings::DEPLOYMENT_REQUIRED, UNDECIDED),
        field(headings::DEPLOYMENT_REASON, DEPLOYMENT_REASON),
        field(headings::ENVIRONMENTS, ENVIRONMENTS),
        field(headings::DATA_MIGRATION, UNDECIDED),
        field(headings::ROLLBACK, UNDECIDED),
        field(headings::SMOKE, UNDECIDED),
    ]
    .concat();
    let declaration = "```yaml\nui_impact: false\ndesign_system_mode: generated\n\
                       design_system_fallback_reason: \"\"\npages: []\n```\n";
    let line = |words: Words| format!("{}\n", pick(words));
    let parts = [
        (headings::REASON, line(REASON)),
        (headings::CHANGE_TYPE, line(CHANGE_TYPE)),
        (headings::SCOPE, scope),
        (headings::DEPLOYMENT, deployment),
        (headings::UI_DECLARATION, declaration.to_owned()),
        (headings::SUMMARY, line(SUMMARY)),
    ];
    let mut out = format!("{title}{slug}\n\n> module: {module} | created: {date}\n");
    for (heading, body) in parts {
        out.extend(["\n", pick(heading), "\n\n", &body]);
    }
    out
}

/// The content of tasks.md. It has no `[deploy]` section: that exists only for changes that deploy.
pub fn tasks(language: Language) -> String {
    let (title, delta, code) = match language {
        Language::English => ("Implementation Tasks", "Specification changes", "Code changes"),
        Language::Chinese => ("实现任务", "规格变更", "代码实现"),
    };
    let [first, second, .., last] = TASKS.map(|task| task.of(language));
    format!("# {title}\n\n## [delta] {delta}\n\n{first}\n{second}\n\n## [code] {code}\n\n{last}\n")
}

#[cfg(test)]
mod tests {
    use super::super::ui::{Declaration, declaration};
    use super::super::{Proposal, Tasks};
    use super::*;

    #[test]
    fn readers_understand_the_template_in_both_languages() {
        for language in [Language::English, Language::Chinese] {
            let text = proposal(language, "add-boats", "core", "2026-01-02");
            let read = Proposal::read(text.clone().into_bytes());
            assert_eq!(read.module().as_deref(), Some("core"));
            assert_eq!(read.deployment_required(), None, "`yes / no` is no decision");
            assert_eq!(declaration(read.document()), Ok(Declaration::NoImpact));
            for words in PLACEHOLDERS {
                assert!(text.contains(words.of(language)), "{words:?}");
            }
            let tasks = Tasks::read(tasks(language).into_bytes());
            assert_eq!(tasks.section("delta").map(|s| s.items.len()), Some(2));
            assert_eq!(tasks.section("code").map(|s| s.items.len()), Some(1));
        }
    }

    #[test]
    fn the_english_proposal_stays_as_it_is() {
        let text = proposal(Language::English, "add-boats", "core", "2026-01-02");
        let headings: Vec<&str> = text.lines().filter(|l| l.starts_with(['#', '>'])).collect();
        assert_eq!(
            headings,
            [
                "# Change Proposal: add-boats",
                "> module: core | created: 2026-01-02",
                "## Reason",
                "## Change Type",
                "## Scope",
                "## Deployment Impact",
                "## UI/UX Change Declaration",
                "## Summary"
            ]
        );
        assert_eq!(text.matches(": [list]\n").count(), 6);
    }
}
