//! The codes of the checks, and their words.

use crate::say;
use crate::text::escape;
use crate::voice::Voice;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    ChangeNameFormat,
    MetadataMissing,
    MetadataFormat,
    TitleMissing,
    SectionMissing,
    ListMissing,
    TableMissing,
    ColumnMissing,
    ValueUnknown,
    PathsMissing,
    EntriesMissing,
    StepsOutOfOrder,
    IdRepeated,
    IdGap,
    CheckboxesMissing,
    ConclusionMissing,
    VerificationDuplicate,
    WaveMissing,
    TaskNotInTable,
    TaskNotInWave,
    TaskFileMissing,
    PlanUnknownDependency,
    PlanCycle,
    PlanWaveOrder,
    PlanGraph,
    PlanCriticalPath,
}

impl Code {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChangeNameFormat => "change_name_format",
            Self::MetadataMissing => "metadata_missing",
            Self::MetadataFormat => "metadata_format",
            Self::TitleMissing => "title_missing",
            Self::SectionMissing => "section_missing",
            Self::ListMissing => "list_missing",
            Self::TableMissing => "table_missing",
            Self::ColumnMissing => "column_missing",
            Self::ValueUnknown => "value_unknown",
            Self::PathsMissing => "paths_missing",
            Self::EntriesMissing => "entries_missing",
            Self::StepsOutOfOrder => "steps_out_of_order",
            Self::IdRepeated => "id_repeated",
            Self::IdGap => "id_gap",
            Self::CheckboxesMissing => "checkboxes_missing",
            Self::ConclusionMissing => "conclusion_missing",
            Self::VerificationDuplicate => "verification_duplicate",
            Self::WaveMissing => "wave_missing",
            Self::TaskNotInTable => "task_not_in_table",
            Self::TaskNotInWave => "task_not_in_wave",
            Self::TaskFileMissing => "task_file_missing",
            Self::PlanUnknownDependency => "plan_unknown_dependency",
            Self::PlanCycle => "plan_cycle",
            Self::PlanWaveOrder => "plan_wave_order",
            Self::PlanGraph => "plan_graph",
            Self::PlanCriticalPath => "plan_critical_path",
        }
    }

    /// The message about a subject.
    pub fn say(self, subject: &str, voice: &Voice) -> String {
        let it = escape(subject);
        match self {
            Self::ChangeNameFormat => say!(
                voice,
                "`{it}` does not begin with its day, as `YYYY-MM-DD-`",
                "`{it}` 不以日期 `YYYY-MM-DD-` 开头"
            ),
            Self::MetadataMissing => say!(voice, "`{it}` is not told at the beginning", "开头缺少 `{it}`"),
            Self::MetadataFormat => say!(
                voice,
                "`{it}` is not like `YYYY-MM-DD HH:mm:ss`",
                "`{it}` 的格式应为 `YYYY-MM-DD HH:mm:ss`"
            ),
            Self::TitleMissing => say!(voice, "there is no heading of the first level", "缺少一级标题"),
            Self::SectionMissing => say!(voice, "there is no section {it}", "缺少章节 {it}"),
            Self::ListMissing => say!(voice, "the section {it} has no list", "章节 {it} 没有列表"),
            Self::TableMissing => say!(voice, "the section {it} has no table", "章节 {it} 没有表格"),
            Self::ColumnMissing => say!(voice, "the table has no column {it}", "表格缺少列 {it}"),
            Self::ValueUnknown => say!(voice, "`{it}` is no known value", "`{it}` 不是已知的值"),
            Self::PathsMissing => say!(voice, "the section {it} names no file", "章节 {it} 没有文件"),
            Self::EntriesMissing => say!(voice, "there is no {it}", "没有 {it}"),
            Self::StepsOutOfOrder => say!(
                voice,
                "{it} needs Given, When and Then in this order",
                "{it} 需要依次包含 Given、When、Then"
            ),
            Self::IdRepeated => say!(voice, "{it} is there twice", "{it} 重复"),
            Self::IdGap => say!(
                voice,
                "{it} does not follow the one before",
                "{it} 与前一个编号不连续"
            ),
            Self::CheckboxesMissing => say!(
                voice,
                "the section {it} has no checkboxes",
                "章节 {it} 没有复选框"
            ),
            Self::ConclusionMissing => say!(
                voice,
                "the conclusion is none of PASS, PASS WITH NOTES and FAIL",
                "结论不是 PASS、PASS WITH NOTES 或 FAIL"
            ),
            Self::VerificationDuplicate => say!(
                voice,
                "`{it}` is not read: `verification.md` is there too",
                "`{it}` 不会被读取：已有 `verification.md`"
            ),
            Self::WaveMissing => say!(voice, "there is no wave with tasks", "没有包含任务的 Wave"),
            Self::TaskNotInTable => say!(voice, "{it} is not in the table of tasks", "{it} 不在任务总表中"),
            Self::TaskNotInWave => say!(voice, "{it} is in no wave", "{it} 不在任何 Wave 中"),
            Self::TaskFileMissing => say!(voice, "{it} has no file of its own", "{it} 没有对应的文件"),
            Self::PlanUnknownDependency => say!(voice, "{it} is no task", "{it} 不是任务"),
            Self::PlanCycle => say!(voice, "{it} depends on itself", "{it} 循环依赖自身"),
            Self::PlanWaveOrder => say!(voice, "{it} is not in an earlier wave", "{it} 不在更早的 Wave 中"),
            Self::PlanGraph => say!(
                voice,
                "graph and table differ: {it}",
                "依赖关系图与表格不一致：{it}"
            ),
            Self::PlanCriticalPath => say!(voice, "the critical path is {it}", "关键路径应为 {it}"),
        }
    }
}
