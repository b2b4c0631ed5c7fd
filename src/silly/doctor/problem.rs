//! What can be wrong, with the words for it and for the way out (silly.md 12).

use crate::files::RepoPath;
use crate::finding::Severity;
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

/// What does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    DatabaseMissing,
    DatabaseCorrupt,
    SchemaVersion,
    ChangeWithoutFolder,
    FolderWithoutChange,
    ArchivedNotRecorded,
    ArchivedStillThere,
    GateStale,
    OrphanFolder,
    OrphanMeta,
    OrphanRegistration,
    OrphanBranch,
    LegacyJson,
    IgnoreRuleMissing,
    LocalYamlUnreadable,
    ModuleMapUnreadable,
    ModulePatternWithoutFiles,
    ModuleWithoutDoc,
    VerificationDuplicate,
    DateUnreadable,
}

impl Problem {
    pub const fn code(self) -> &'static str {
        match self {
            Self::DatabaseMissing => "database_missing",
            Self::DatabaseCorrupt => "database_corrupt",
            Self::SchemaVersion => "schema_version",
            Self::ChangeWithoutFolder => "change_without_folder",
            Self::FolderWithoutChange => "folder_without_change",
            Self::ArchivedNotRecorded => "archived_not_recorded",
            Self::ArchivedStillThere => "archived_still_there",
            Self::GateStale => "gate_stale",
            Self::OrphanFolder => "orphan_folder",
            Self::OrphanMeta => "orphan_meta",
            Self::OrphanRegistration => "orphan_registration",
            Self::OrphanBranch => "orphan_branch",
            Self::LegacyJson => "legacy_json",
            Self::IgnoreRuleMissing => "ignore_rule_missing",
            Self::LocalYamlUnreadable => "local_yaml_unreadable",
            Self::ModuleMapUnreadable => "module_map_unreadable",
            Self::ModulePatternWithoutFiles => "module_pattern_without_files",
            Self::ModuleWithoutDoc => "module_without_doc",
            Self::VerificationDuplicate => "verification_duplicate",
            Self::DateUnreadable => "date_unreadable",
        }
    }

    pub const fn severity(self) -> Severity {
        match self {
            Self::DatabaseMissing
            | Self::DatabaseCorrupt
            | Self::SchemaVersion
            | Self::ArchivedStillThere
            | Self::ModuleMapUnreadable => Severity::Error,
            Self::ChangeWithoutFolder
            | Self::FolderWithoutChange
            | Self::ArchivedNotRecorded
            | Self::GateStale
            | Self::OrphanFolder
            | Self::OrphanMeta
            | Self::OrphanRegistration
            | Self::OrphanBranch
            | Self::LegacyJson
            | Self::IgnoreRuleMissing
            | Self::LocalYamlUnreadable
            | Self::ModulePatternWithoutFiles
            | Self::ModuleWithoutDoc
            | Self::VerificationDuplicate
            | Self::DateUnreadable => Severity::Warning,
        }
    }

    fn say(self, voice: &Voice) -> [String; 2] {
        match self {
            Self::DatabaseMissing => [
                say!(voice, "there is no database", "没有数据库"),
                say!(voice, "initialise the project", "初始化项目"),
            ],
            Self::DatabaseCorrupt => [
                say!(voice, "the database is damaged", "数据库已损坏"),
                say!(voice, "restore a copy of it", "从备份恢复"),
            ],
            Self::SchemaVersion => [
                say!(voice, "the schema version is not known", "结构版本无法识别"),
                say!(voice, "use a program that knows it", "使用支持该版本的程序"),
            ],
            Self::ChangeWithoutFolder => [
                say!(voice, "an active change has no folder", "活动变更没有目录"),
                say!(
                    voice,
                    "run one of its stages, or archive it",
                    "运行其阶段，或将其归档"
                ),
            ],
            Self::FolderWithoutChange => [
                say!(
                    voice,
                    "a folder of a change is not in the database",
                    "变更目录不在数据库中"
                ),
                say!(voice, "run one of its stages", "运行其阶段"),
            ],
            Self::ArchivedNotRecorded => [
                say!(
                    voice,
                    "an active change lies in the archive",
                    "活动变更的目录已在归档中"
                ),
                fix(voice, "records it as archived", "会将其记为已归档"),
            ],
            Self::ArchivedStillThere => [
                say!(
                    voice,
                    "an archived change still has its folder",
                    "已归档的变更仍有目录"
                ),
                say!(voice, "move the folder to the archive", "将目录移入归档"),
            ],
            Self::GateStale => [
                say!(
                    voice,
                    "the gate file is not what the database says",
                    "门控文件与数据库不一致"
                ),
                fix(voice, "makes it anew", "会重建它"),
            ],
            Self::OrphanFolder => [
                say!(voice, "a work tree has no record", "工作树没有记录"),
                fix(
                    voice,
                    "writes it if git knows the work tree; else look through it, then remove it",
                    "会在 git 认识该工作树时写入记录；否则请检查后移除",
                ),
            ],
            Self::OrphanMeta => [
                say!(voice, "git does not know this work tree", "git 不认识该工作树"),
                say!(
                    voice,
                    "`git worktree repair` may find it; else `silly worktree cleanup` puts it aside",
                    "`git worktree repair` 或可修复；否则 `silly worktree cleanup` 会将其移开保存"
                ),
            ],
            Self::OrphanRegistration => [
                say!(
                    voice,
                    "git knows a work tree whose folder is gone",
                    "git 记录的工作树目录已不存在"
                ),
                fix(voice, "lets go of it", "会清理该记录"),
            ],
            Self::OrphanBranch => [
                say!(voice, "a branch has no work tree", "分支没有工作树"),
                fix(
                    voice,
                    "deletes it if HEAD has all its commits; else merge it",
                    "会在 HEAD 已包含其全部提交时删除它；否则请合并",
                ),
            ],
            Self::LegacyJson => [
                say!(
                    voice,
                    "a file of an old version is not read",
                    "旧版本文件不会被读取"
                ),
                say!(voice, "remove it", "删除该文件"),
            ],
            Self::IgnoreRuleMissing => [
                say!(
                    voice,
                    "git does not ignore what belongs to one machine",
                    "git 没有忽略本机文件"
                ),
                say!(voice, "initialise the project again", "重新初始化项目"),
            ],
            Self::LocalYamlUnreadable => [
                say!(
                    voice,
                    "the settings cannot be understood, and set nothing",
                    "无法理解设置，设置未生效"
                ),
                say!(voice, "correct its YAML", "修正其 YAML"),
            ],
            Self::ModuleMapUnreadable => [
                say!(voice, "the module map cannot be understood", "无法理解模块映射"),
                say!(voice, "correct its YAML", "修正其 YAML"),
            ],
            Self::ModulePatternWithoutFiles => [
                say!(
                    voice,
                    "no file is where a module's pattern looks",
                    "模块的路径模式没有匹配的文件"
                ),
                say!(voice, "correct or remove the pattern", "修正或删除该模式"),
            ],
            Self::ModuleWithoutDoc => [
                say!(voice, "a module has no document", "模块没有文档"),
                say!(voice, "write it", "编写该文档"),
            ],
            Self::VerificationDuplicate => [
                say!(
                    voice,
                    "there are two reports of one verification",
                    "同一验证有两份报告"
                ),
                say!(voice, "keep `verification.md`", "保留 `verification.md`"),
            ],
            Self::DateUnreadable => [
                say!(voice, "a date cannot be read", "日期无法解析"),
                say!(
                    voice,
                    "write it as `YYYY-MM-DD HH:mm:ss`",
                    "写成 `YYYY-MM-DD HH:mm:ss`"
                ),
            ],
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub problem: Problem,
    /// A file or folder, or the name of a branch.
    pub path: String,
    /// Which of several, or what was said of it.
    pub about: Option<String>,
}

impl Finding {
    pub fn at(problem: Problem, path: &RepoPath) -> Self {
        Self::named(problem, path.text().into_owned())
    }

    /// A finding of something that is no path of the project.
    pub fn named(problem: Problem, path: String) -> Self {
        Self {
            problem,
            path,
            about: None,
        }
    }

    #[must_use]
    pub fn about(self, about: String) -> Self {
        Self {
            about: Some(about),
            ..self
        }
    }

    /// What is wrong, and the way out of it.
    pub fn say(&self, voice: &Voice) -> [String; 2] {
        let [message, fix] = self.problem.say(voice);
        match &self.about {
            Some(about) => {
                let about = escape(about);
                [say!(voice, "{message}: {about}", "{message}：{about}"), fix]
            }
            None => [message, fix],
        }
    }
}

/// What `doctor --fix` does about it.
fn fix(voice: &Voice, does: &str, zh: &str) -> String {
    let program = &voice.program;
    say!(
        voice,
        "`{program} silly doctor --fix` {does}",
        "`{program} silly doctor --fix` {zh}"
    )
}
