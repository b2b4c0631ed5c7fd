//! The config of a new project (logos-project.md 9.1), and the parts of it that a sync fills in (9.4).

use serde::Serialize;

use super::layout;
use crate::text::Bytes;
use crate::voice::Language;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConfigContent<'a> {
    name: &'a str,
    locale: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ai_tool: Option<&'a str>,
    documents: Documents,
    source_roots: Roots,
    verify: Verify,
    smoke: Smoke,
}

#[derive(Serialize)]
struct Documents {
    prd: Group,
    api: Group,
    test: Group,
    scenario: Group,
    database: Group,
    implementation: Group,
    verify: Group,
    changes: Group,
}

#[derive(Serialize)]
pub(super) struct Group {
    label: Label,
    path: &'static str,
    pattern: &'static str,
}

#[derive(Serialize)]
struct Label {
    en: &'static str,
    zh: &'static str,
}

#[derive(Serialize)]
pub(super) struct Roots {
    src: [&'static str; 1],
    test: [&'static str; 1],
}

#[derive(Serialize)]
struct Verify {
    result_path: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pre_run_command: Option<&'static str>,
    #[serde(flatten)]
    sandbox: Sandbox,
}

#[derive(Serialize)]
struct Smoke {
    result_path: &'static str,
    report_path: &'static str,
    #[serde(flatten)]
    sandbox: Sandbox,
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct Sandbox {
    #[serde(rename = "sandbox_mode")]
    mode: &'static str,
    #[serde(rename = "sandbox_root")]
    root: &'static str,
    #[serde(rename = "sandbox_deny_workspace_write")]
    deny_workspace_write: bool,
}

/// What init and sync write; the format has this root, and verify knows what to use where it does not exist.
pub(super) const SANDBOX: Sandbox = Sandbox {
    mode: "auto",
    root: "/private/tmp",
    deny_workspace_write: true,
};

pub(super) const SOURCE_ROOTS: Roots = Roots {
    src: ["src"],
    test: ["test"],
};

/// The group of change folders, as a sync adds it to a config that has none.
pub(super) const CHANGES_GROUP: Group = group("Change Proposals", "变更提案", "./changes", "**/*.{md,json}");

const fn group(en: &'static str, zh: &'static str, path: &'static str, pattern: &'static str) -> Group {
    Group {
        label: Label { en, zh },
        path,
        pattern,
    }
}

pub(super) fn config(
    name: &str,
    language: Language,
    ai_tool: Option<&str>,
    tests: Option<&'static str>,
) -> Bytes {
    let content = ConfigContent {
        name,
        locale: language.locale(),
        description: "",
        ai_tool,
        documents: Documents {
            prd: group("Product documents", "产品文档", "resources/prd", "**/*.md"),
            api: group("API", "API 文档", "resources/api", "**/*.{yaml,yml}"),
            test: group("Test cases", "测试用例", "resources/test", "**/*.md"),
            scenario: group("Orchestrations", "编排测试", "resources/scenario", "**/*.json"),
            database: group("Database", "数据库", "resources/database", "**/*.sql"),
            implementation: group(
                "Implementation",
                "实现清单",
                "resources/implementation",
                "**/*.md",
            ),
            verify: group("Verification", "验收报告", "resources/verify", "**/*.{md,jsonl}"),
            changes: group("Changes", "变更提案", "changes", "**/*.md"),
        },
        source_roots: SOURCE_ROOTS,
        verify: Verify {
            result_path: layout::TEST_RESULTS,
            pre_run_command: tests,
            sandbox: SANDBOX,
        },
        smoke: Smoke {
            result_path: "logos/resources/verify/smoke-results.jsonl",
            report_path: "logos/resources/verify/smoke-report.md",
            sandbox: SANDBOX,
        },
    };
    let mut text = serde_json::to_vec_pretty(&content).expect("plain structs are always JSON");
    text.push(b'\n');
    text
}
