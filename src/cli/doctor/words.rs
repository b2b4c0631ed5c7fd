//! What `doctor` finds, and the cure (git.md 9).

use super::super::loops;
use crate::finding::Severity;
use crate::say;
use crate::silly;
use crate::state;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// Everything that is looked at, in the order in which it is told.
pub(super) const CODES: [&str; 32] = [
    "git_version",
    "ownership",
    "repository_unreadable",
    "hooks_not_reached",
    "hooks_outdated",
    "hooks_changed",
    "hooks_bypassed",
    "hooks_forwarding",
    "driver_missing",
    "driver_unused",
    "lock_held",
    "journal_left",
    "worktree_missing",
    "worktree_broken",
    "worktree_half_made",
    "rescue_old",
    "refs_pushed",
    "shallow",
    "partial",
    "grafts",
    "replace_refs",
    "guard_tracked",
    "runtime_tracked",
    "autocrlf_mixed",
    "case_collision",
    "config_unknown",
    "cache_damaged",
    "trust_unsafe",
    "config_broken",
    "registry_damaged",
    "state_malformed",
    "unreadable",
];

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub(super) enum Ailment {
    GitMissing,
    GitOld {
        found: String,
    },
    Ownership {
        said: String,
    },
    RepositoryUnreadable {
        said: String,
    },
    HooksNotReached {
        worktree: String,
    },
    HookOutdated {
        hook: &'static str,
    },
    HookChanged {
        hook: &'static str,
    },
    HookBypassed {
        hook: &'static str,
    },
    HookForwarding {
        path: String,
    },
    DriverMissing,
    DriverUnused,
    LockHeld {
        by: String,
    },
    JournalLeft,
    WorktreeMissing {
        path: String,
    },
    WorktreeBroken {
        path: String,
    },
    WorktreeHalfMade {
        path: String,
    },
    RescueOld {
        name: String,
    },
    RefsPushed {
        remote: String,
    },
    Shallow,
    Partial,
    Grafts,
    ReplaceRefs,
    GuardTracked,
    RuntimeTracked {
        path: String,
    },
    MixedLineEnds {
        path: String,
    },
    CaseCollision {
        one: String,
        other: String,
    },
    ConfigUnknown {
        key: String,
        value: String,
        nearest: Option<String>,
    },
    CacheDamaged {
        path: String,
    },
    TrustUnsafe {
        path: String,
    },
    ConfigBroken {
        said: String,
    },
    RegistryDamaged {
        said: String,
    },
    StateMalformed(state::malformed::Malformed),
    Loop(loops::Illness),
    /// What the part for `.sillyspec/` finds.
    Silly(silly::doctor::Finding),
    Unreadable {
        said: String,
    },
}

impl Ailment {
    /// The code of the contract.
    pub(super) const fn code(&self) -> &'static str {
        match self {
            Self::GitMissing | Self::GitOld { .. } => "git_version",
            Self::Ownership { .. } => "ownership",
            Self::RepositoryUnreadable { .. } => "repository_unreadable",
            Self::HooksNotReached { .. } => "hooks_not_reached",
            Self::HookOutdated { .. } => "hooks_outdated",
            Self::HookChanged { .. } => "hooks_changed",
            Self::HookBypassed { .. } => "hooks_bypassed",
            Self::HookForwarding { .. } => "hooks_forwarding",
            Self::DriverMissing => "driver_missing",
            Self::DriverUnused => "driver_unused",
            Self::LockHeld { .. } => "lock_held",
            Self::JournalLeft => "journal_left",
            Self::WorktreeMissing { .. } => "worktree_missing",
            Self::WorktreeBroken { .. } => "worktree_broken",
            Self::WorktreeHalfMade { .. } => "worktree_half_made",
            Self::RescueOld { .. } => "rescue_old",
            Self::RefsPushed { .. } => "refs_pushed",
            Self::Shallow => "shallow",
            Self::Partial => "partial",
            Self::Grafts => "grafts",
            Self::ReplaceRefs => "replace_refs",
            Self::GuardTracked => "guard_tracked",
            Self::RuntimeTracked { .. } => "runtime_tracked",
            Self::MixedLineEnds { .. } => "autocrlf_mixed",
            Self::CaseCollision { .. } => "case_collision",
            Self::ConfigUnknown { .. } => "config_unknown",
            Self::CacheDamaged { .. } => "cache_damaged",
            Self::TrustUnsafe { .. } => "trust_unsafe",
            Self::ConfigBroken { .. } => "config_broken",
            Self::RegistryDamaged { .. } => "registry_damaged",
            Self::StateMalformed(_) => "state_malformed",
            Self::Loop(illness) => illness.code(),
            Self::Silly(finding) => finding.problem.code(),
            Self::Unreadable { .. } => "unreadable",
        }
    }

    /// An error keeps the program from doing its work, or lets through what it is there to stop.
    pub(super) const fn severity(&self) -> Severity {
        match self {
            Self::Loop(illness) => illness.severity(),
            Self::Silly(finding) => finding.problem.severity(),
            Self::GitMissing
            | Self::GitOld { .. }
            | Self::Ownership { .. }
            | Self::RepositoryUnreadable { .. }
            | Self::HooksNotReached { .. }
            | Self::WorktreeBroken { .. }
            | Self::GuardTracked
            | Self::CaseCollision { .. }
            | Self::TrustUnsafe { .. }
            | Self::ConfigBroken { .. }
            | Self::RegistryDamaged { .. }
            | Self::StateMalformed(_)
            | Self::Unreadable { .. } => Severity::Error,
            Self::HookOutdated { .. }
            | Self::HookChanged { .. }
            | Self::HookBypassed { .. }
            | Self::HookForwarding { .. }
            | Self::DriverMissing
            | Self::DriverUnused
            | Self::LockHeld { .. }
            | Self::JournalLeft
            | Self::WorktreeMissing { .. }
            | Self::WorktreeHalfMade { .. }
            | Self::RescueOld { .. }
            | Self::RefsPushed { .. }
            | Self::Shallow
            | Self::Partial
            | Self::Grafts
            | Self::ReplaceRefs
            | Self::RuntimeTracked { .. }
            | Self::MixedLineEnds { .. }
            | Self::ConfigUnknown { .. }
            | Self::CacheDamaged { .. } => Severity::Warning,
        }
    }
}

impl Say for Ailment {
    fn say(&self, voice: &Voice) -> String {
        let e = |text: &str| escape(text).into_owned();
        match self {
            Self::GitMissing => say!(voice, "there is no git program", "没有 git 程序"),
            Self::GitOld { found } => {
                let found = e(found);
                say!(
                    voice,
                    "git is {found}; 2.38 is needed",
                    "git 版本为 {found}；需要 2.38"
                )
            }
            Self::Ownership { said } | Self::RepositoryUnreadable { said } => {
                let said = e(said.lines().next().unwrap_or_default());
                say!(
                    voice,
                    "git refuses the repository: {said}",
                    "git 拒绝此仓库：{said}"
                )
            }
            Self::HooksNotReached { worktree } => {
                let worktree = e(worktree);
                say!(
                    voice,
                    "git does not find our hooks in `{worktree}`",
                    "git 在 `{worktree}` 中找不到我们的钩子"
                )
            }
            Self::HookOutdated { hook } => say!(
                voice,
                "the hook `{hook}` is of another version or calls another program",
                "钩子 `{hook}` 属于其他版本或调用其他程序"
            ),
            Self::HookChanged { hook } => say!(
                voice,
                "the hook `{hook}` was changed by hand",
                "钩子 `{hook}` 被手动修改"
            ),
            Self::HookBypassed { hook } => {
                say!(
                    voice,
                    "`spec.hook.{hook}` turns the hook off",
                    "`spec.hook.{hook}` 关闭了该钩子"
                )
            }
            Self::HookForwarding { path } => {
                let path = e(path);
                say!(
                    voice,
                    "`{path}` ran before ours were installed, and no longer does",
                    "`{path}` 在安装我们的钩子之前会运行，现在不再运行"
                )
            }
            Self::DriverMissing => say!(
                voice,
                "attributes name the merge driver `spec`, and git does not know it: documents are merged by lines",
                "属性指定了合并驱动 `spec`，但 git 不认识它：文档按行合并"
            ),
            Self::DriverUnused => say!(
                voice,
                "the merge driver is configured, and no attributes name it",
                "已配置合并驱动，但没有属性指定它"
            ),
            Self::LockHeld { by } => {
                let by = e(by);
                say!(
                    voice,
                    "the project has been locked for over a minute: {by}",
                    "项目被锁定已超过一分钟：{by}"
                )
            }
            Self::JournalLeft => say!(voice, "an unfinished transaction was left", "存在未完成的事务"),
            Self::WorktreeMissing { path } => {
                let path = e(path);
                say!(
                    voice,
                    "the work tree `{path}` is registered, and gone",
                    "工作树 `{path}` 已登记但不存在"
                )
            }
            Self::WorktreeBroken { path } => {
                let path = e(path);
                say!(
                    voice,
                    "the work tree `{path}` does not lead to its registration",
                    "工作树 `{path}` 与其登记不一致"
                )
            }
            Self::WorktreeHalfMade { path } => {
                let path = e(path);
                say!(
                    voice,
                    "the work tree `{path}` was never finished",
                    "工作树 `{path}` 未创建完成"
                )
            }
            Self::RescueOld { name } => {
                let name = e(name);
                say!(voice, "`{name}` is older than 90 days", "`{name}` 已超过 90 天")
            }
            Self::RefsPushed { remote } => {
                let remote = e(remote);
                say!(
                    voice,
                    "a push to `{remote}` sends `refs/spec/`",
                    "推送到 `{remote}` 会发送 `refs/spec/`"
                )
            }
            Self::Shallow => say!(
                voice,
                "history is cut off: the base of a change and `log` may need more",
                "历史被截断：变更的基点和 `log` 可能需要更多历史"
            ),
            Self::Partial => say!(
                voice,
                "objects may be missing: a partial clone",
                "部分克隆：可能缺少对象"
            ),
            Self::Grafts => say!(
                voice,
                "`info/grafts` is there: other tools see another history",
                "存在 `info/grafts`：其他工具看到的历史不同"
            ),
            Self::ReplaceRefs => say!(
                voice,
                "there are replace references: other tools see other objects",
                "存在替换引用：其他工具看到的对象不同"
            ),
            Self::GuardTracked => say!(
                voice,
                "`logos/.openlogos-guard` is in the index: it belongs to one work tree",
                "`logos/.openlogos-guard` 在索引中：它只属于一个工作树"
            ),
            Self::RuntimeTracked { path } => {
                let path = e(path);
                say!(
                    voice,
                    "`{path}` is in the index: it belongs to one run",
                    "`{path}` 在索引中：它只属于一次运行"
                )
            }
            Self::MixedLineEnds { path } => {
                let path = e(path);
                say!(
                    voice,
                    "`{path}` has mixed line ends, and `core.autocrlf` is set",
                    "`{path}` 的行尾混用，且设置了 `core.autocrlf`"
                )
            }
            Self::CaseCollision { one, other } => {
                let (one, other) = (e(one), e(other));
                say!(
                    voice,
                    "`{one}` and `{other}` are one file on many file systems",
                    "`{one}` 与 `{other}` 在许多文件系统上是同一文件"
                )
            }
            Self::ConfigUnknown { key, value, .. } => {
                let (key, value) = (e(key), e(value));
                say!(
                    voice,
                    "`{key} = {value}` is not understood",
                    "无法理解 `{key} = {value}`"
                )
            }
            Self::CacheDamaged { path } => {
                let path = e(path);
                say!(voice, "the cache `{path}` is damaged", "缓存 `{path}` 已损坏")
            }
            Self::TrustUnsafe { path } => {
                let path = e(path);
                say!(
                    voice,
                    "`{path}` can have been written by others, and counts as empty",
                    "`{path}` 可能被他人写入，视为空"
                )
            }
            Self::ConfigBroken { said } => {
                let said = e(said);
                say!(
                    voice,
                    "`logos/logos.config.json` cannot be read: {said}",
                    "无法读取 `logos/logos.config.json`：{said}"
                )
            }
            Self::RegistryDamaged { said } => {
                let said = e(said);
                say!(
                    voice,
                    "`logos/logos-project.yaml` is damaged: {said}",
                    "`logos/logos-project.yaml` 已损坏：{said}"
                )
            }
            Self::StateMalformed(fault) => {
                let fault = fault.say(voice);
                say!(
                    voice,
                    "`.planning/STATE.md`: {fault}",
                    "`.planning/STATE.md`：{fault}"
                )
            }
            Self::Loop(illness) => illness.say(voice),
            Self::Silly(finding) => {
                let [detail, _] = finding.say(voice);
                format!("`{}`: {detail}", e(&finding.path))
            }
            Self::Unreadable { said } => e(said),
        }
    }
}
