//! Headings and labels of proposals that readers know, in both languages: the one list (flow.md 21, row 1).

use crate::voice::Language;

/// A heading or label as it stands in a Chinese and in an English proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    pub chinese: &'static str,
    pub english: &'static str,
}

impl Words {
    /// Whether a text is this heading or label in either language.
    pub fn is(&self, text: &str) -> bool {
        text == self.chinese || text == self.english
    }

    /// As a proposal in this language has it.
    pub const fn of(&self, language: Language) -> &'static str {
        match language {
            Language::English => self.english,
            Language::Chinese => self.chinese,
        }
    }
}

pub(super) const fn words(chinese: &'static str, english: &'static str) -> Words {
    Words { chinese, english }
}

pub const REASON: Words = words("## 变更原因", "## Reason");
pub const CHANGE_TYPE: Words = words("## 变更类型", "## Change Type");
pub const SCOPE: Words = words("## 变更范围", "## Scope");
pub const DEPLOYMENT: Words = words("## 部署影响", "## Deployment Impact");
pub const DEPLOYMENT_REQUIRED: Words = words("是否需要部署", "Deployment required");
pub const DEPLOYMENT_REASON: Words = words("部署原因", "Deployment reason");
pub const ENVIRONMENTS: Words = words("影响环境", "Affected environments");
pub const DATA_MIGRATION: Words = words("是否涉及数据迁移", "Data migration involved");
pub const ROLLBACK: Words = words("是否需要回滚预案", "Rollback plan required");
pub const SMOKE: Words = words("是否需要 smoke", "Smoke required");
pub const UI_DECLARATION: Words = words("## UI/UX 变更声明", "## UI/UX Change Declaration");
pub const SUMMARY: Words = words("## 变更概述", "## Summary");
pub const REUSED_TEST_IDS: Words = words("## 复用测试 ID", "## Reused test IDs");
