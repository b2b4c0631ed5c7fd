//! The registry of a new project (logos-project.md 9.1 and 9.2).

use crate::voice::Language;
use crate::yaml::edit::double_quoted;

/// How a project begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// From nothing.
    New,
    /// From code that is there and in use.
    Adopted,
}

/// What an adopted module has beyond the others: it is in use, its documents have yet to be drawn from the code.
const ADOPTED_MODULE: &str = "    lifecycle: launched\n    bootstrap: adopted\n    baseline_seed_state: required\n    \
     skip_phases: [api, database, scenario]\n    deployment_required: true\n";

const ADOPTED_GATES: &str = "deployment_gates:\n  core:\n    deployment_required: true\n    smoke_required: true\n    \
     environments: [staging]\n\n";

/// The text of the file.
pub(super) fn registry(name: &str, language: Language, beginning: Beginning) -> String {
    let name = double_quoted(name);
    let (module, first, second) = match language {
        Language::English => (
            "Core",
            "Scenario numbers are unique over the whole project and never used again",
            "Living documents change only through a change proposal once the module is launched",
        ),
        Language::Chinese => (
            "核心功能",
            "场景编号在整个项目内唯一，且不重复使用",
            "模块上线后，正式文档只通过变更提案修改",
        ),
    };
    let (fields, gates) = match beginning {
        Beginning::New => ("    lifecycle: initial\n", ""),
        Beginning::Adopted => (ADOPTED_MODULE, ADOPTED_GATES),
    };
    format!(
        "project:\n  name: {name}\n  description: \"\"\n  methodology: openlogos\n\ntech_stack: {{}}\n\n\
         scenario_counter:\n  next_id: 1\n\nmodules:\n  - id: core\n    name: {module}\n{fields}\n\
         {gates}resource_index: []\n\nconventions:\n  - {first}\n  - {second}\n"
    )
}
