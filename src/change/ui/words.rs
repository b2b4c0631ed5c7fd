//! What is wrong with a UI declaration, and what to do about it, in both languages.

use super::{DESIGN_SYSTEM, UiFinding, UiProblem};
use crate::change::headings;
use crate::project::layout;
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};

impl UiProblem {
    /// What to do about it.
    pub fn cure(&self, voice: &Voice) -> String {
        let folder = layout::PAGE_DESIGN_DELTAS;
        match self.finding {
            UiFinding::DeclarationMissing | UiFinding::DeclarationUnparsable => {
                let heading = headings::UI_DECLARATION.of(voice.language);
                say!(
                    voice,
                    "write `{heading}` and below it one fenced YAML mapping with `ui_impact: true` or `ui_impact: false`",
                    "写上 `{heading}`，其下放一个带 `ui_impact: true` 或 `ui_impact: false` 的 YAML 围栏块"
                )
            }
            UiFinding::ImpactNotBoolean => say!(
                voice,
                "write `ui_impact: true` or `ui_impact: false`, without quotes",
                "写 `ui_impact: true` 或 `ui_impact: false`，不加引号"
            ),
            UiFinding::DesignSystemModeInvalid => say!(
                voice,
                "write `design_system_mode: generated` or `design_system_mode: fallback`",
                "写 `design_system_mode: generated` 或 `design_system_mode: fallback`"
            ),
            UiFinding::NoPagesDeclared => say!(
                voice,
                "list each page in `pages`, as a mapping with `prototype: core-<number>-<name>.html`",
                "在 `pages` 中逐页列出，每页为带 `prototype: core-<序号>-<名称>.html` 的映射"
            ),
            UiFinding::PrototypePathTraversal | UiFinding::PrototypeBasenameInvalid => say!(
                voice,
                "a prototype is a plain file name `core-<number>-<name>.html`, in lower case",
                "原型是小写的纯文件名 `core-<序号>-<名称>.html`"
            ),
            UiFinding::PrototypeBasenameDuplicate => say!(
                voice,
                "give every page its own prototype",
                "每个页面使用各自的原型"
            ),
            UiFinding::PrototypeMissing => say!(
                voice,
                "put the file into `{folder}`, or take the page out of `pages`",
                "把文件放入 `{folder}`，或从 `pages` 中去掉该页"
            ),
            UiFinding::PrototypeExtra => say!(
                voice,
                "name the file in `pages`, or remove it from `{folder}`",
                "在 `pages` 中声明该文件，或从 `{folder}` 中移除"
            ),
            UiFinding::PrototypeEmpty => say!(voice, "write the prototype", "补全该原型"),
            UiFinding::DesignSystemMissing
            | UiFinding::DesignSystemInvalid
            | UiFinding::DesignSystemEmpty => say!(
                voice,
                "write `{DESIGN_SYSTEM}` in the change folder: a JSON object with at least one key",
                "在变更目录写 `{DESIGN_SYSTEM}`：至少含一个键的 JSON 对象"
            ),
            UiFinding::FallbackReasonMissing => say!(
                voice,
                "say in `design_system_fallback_reason` why there is no design system",
                "在 `design_system_fallback_reason` 中说明为何没有设计系统"
            ),
            UiFinding::FallbackTokenForged => say!(
                voice,
                "remove `{DESIGN_SYSTEM}`, or declare `design_system_mode: generated`",
                "移除 `{DESIGN_SYSTEM}`，或声明 `design_system_mode: generated`"
            ),
        }
    }
}

impl Say for UiProblem {
    fn say(&self, voice: &Voice) -> String {
        let subject = escape(self.subject.as_deref().unwrap_or_default());
        let folder = layout::PAGE_DESIGN_DELTAS;
        match self.finding {
            UiFinding::DeclarationMissing => {
                say!(
                    voice,
                    "the proposal has no UI/UX declaration",
                    "提案没有 UI/UX 变更声明"
                )
            }
            UiFinding::DeclarationUnparsable if subject.is_empty() => say!(
                voice,
                "the UI/UX declaration has no closed fence with a YAML mapping",
                "UI/UX 变更声明中没有闭合的、内容为 YAML 映射的围栏块"
            ),
            UiFinding::DeclarationUnparsable => say!(
                voice,
                "the UI/UX declaration is no valid YAML: {subject}",
                "UI/UX 变更声明不是有效的 YAML：{subject}"
            ),
            UiFinding::ImpactNotBoolean => {
                say!(
                    voice,
                    "`ui_impact` is not true or false",
                    "`ui_impact` 不是 true 或 false"
                )
            }
            UiFinding::DesignSystemModeInvalid => say!(
                voice,
                "`design_system_mode` is neither `generated` nor `fallback`",
                "`design_system_mode` 既不是 `generated` 也不是 `fallback`"
            ),
            UiFinding::NoPagesDeclared => say!(
                voice,
                "the change has UI impact, but `pages` declares none",
                "变更影响 UI，但 `pages` 没有声明页面"
            ),
            UiFinding::PrototypePathTraversal => say!(
                voice,
                "the prototype `{subject}` contains `..`",
                "原型 `{subject}` 含有 `..`"
            ),
            UiFinding::PrototypeBasenameInvalid => say!(
                voice,
                "the prototype `{subject}` is not named `core-<number>-<name>.html`",
                "原型 `{subject}` 的名称不是 `core-<序号>-<名称>.html`"
            ),
            UiFinding::PrototypeBasenameDuplicate => say!(
                voice,
                "the prototype `{subject}` is declared twice",
                "原型 `{subject}` 声明了两次"
            ),
            UiFinding::PrototypeMissing => say!(
                voice,
                "the prototype `{subject}` is no regular file in `{folder}`",
                "原型 `{subject}` 不是 `{folder}` 中的普通文件"
            ),
            UiFinding::PrototypeExtra => say!(
                voice,
                "`{subject}` lies in `{folder}`, but no page declares it",
                "`{subject}` 位于 `{folder}`，但没有页面声明它"
            ),
            UiFinding::PrototypeEmpty => {
                say!(
                    voice,
                    "the prototype `{subject}` is empty",
                    "原型 `{subject}` 为空"
                )
            }
            UiFinding::DesignSystemMissing => say!(
                voice,
                "`design_system_mode` is `generated`, but there is no `{DESIGN_SYSTEM}`",
                "`design_system_mode` 为 `generated`，但没有 `{DESIGN_SYSTEM}`"
            ),
            UiFinding::DesignSystemInvalid => {
                say!(
                    voice,
                    "`{DESIGN_SYSTEM}` is no JSON",
                    "`{DESIGN_SYSTEM}` 不是 JSON"
                )
            }
            UiFinding::DesignSystemEmpty => say!(
                voice,
                "`{DESIGN_SYSTEM}` is no object with a key",
                "`{DESIGN_SYSTEM}` 不是含有键的对象"
            ),
            UiFinding::FallbackReasonMissing => say!(
                voice,
                "`design_system_mode` is `fallback`, but `design_system_fallback_reason` says nothing",
                "`design_system_mode` 为 `fallback`，但 `design_system_fallback_reason` 没有内容"
            ),
            UiFinding::FallbackTokenForged => say!(
                voice,
                "`design_system_mode` is `fallback`, yet there is a `{DESIGN_SYSTEM}`",
                "`design_system_mode` 为 `fallback`，却存在 `{DESIGN_SYSTEM}`"
            ),
        }
    }
}
