//! How what `doctor` finds is cured (git.md 9).

use super::words::Ailment;
use crate::say;
use crate::voice::{Invocation, Say, Voice};

impl Ailment {
    /// How it is cured.
    pub(super) fn cure(&self, voice: &Voice) -> String {
        let run = |command: &'static str, arguments: &[&str]| Invocation::new(command, arguments).say(voice);
        match self {
            Self::GitMissing | Self::GitOld { .. } => {
                say!(voice, "install git 2.38 or newer", "请安装 git 2.38 或更新版本")
            }
            Self::Ownership { said } => match said.lines().find(|line| line.contains("safe.directory")) {
                Some(line) => line.trim().to_owned(),
                None => say!(
                    voice,
                    "`git config --global --add safe.directory <folder>`, if you trust it",
                    "若信任此目录：`git config --global --add safe.directory <folder>`"
                ),
            },
            Self::RepositoryUnreadable { .. } => {
                say!(voice, "`git fsck` tells more", "`git fsck` 可提供更多信息")
            }
            Self::HooksNotReached { .. }
            | Self::HookOutdated { .. }
            | Self::HookChanged { .. }
            | Self::HookForwarding { .. } => run("hooks", &["install"]),
            Self::HookBypassed { hook } => format!("git config --unset spec.hook.{hook}"),
            Self::DriverMissing | Self::DriverUnused => run("merge-driver", &["--install"]),
            Self::LockHeld { .. } => say!(
                voice,
                "wait for that command, or end it",
                "等待该命令结束，或终止它"
            ),
            Self::JournalLeft => say!(
                voice,
                "the next writing command completes it, `{} doctor --fix` too",
                "下一个写入命令会完成它，`{} doctor --fix` 亦可",
                voice.program
            ),
            Self::WorktreeMissing { .. } | Self::WorktreeHalfMade { .. } => run("worktree", &["prune"]),
            Self::WorktreeBroken { .. } => "git worktree repair".to_owned(),
            Self::RescueOld { name } => {
                let restore = run("worktree", &["rescue", "restore", name]);
                let drop = run("worktree", &["rescue", "drop", name]);
                say!(voice, "`{restore}`, or `{drop}`", "`{restore}` 或 `{drop}`")
            }
            Self::RefsPushed { remote } => say!(
                voice,
                "take the refspec out: `git config --edit`, section `remote.{remote}`",
                "请移除该 refspec：`git config --edit`，`remote.{remote}` 一节"
            ),
            Self::Shallow => "git fetch --unshallow".to_owned(),
            Self::Partial => "git fetch --refetch --no-filter".to_owned(),
            Self::Grafts => say!(
                voice,
                "`git replace --convert-graft-file`, or remove `info/grafts`",
                "`git replace --convert-graft-file`，或删除 `info/grafts`"
            ),
            Self::ReplaceRefs => "git replace --list".to_owned(),
            Self::GuardTracked => say!(
                voice,
                "`git rm --cached logos/.openlogos-guard`, and a line in `.gitignore`",
                "`git rm --cached logos/.openlogos-guard`，并加入 `.gitignore`"
            ),
            Self::RuntimeTracked { .. } => say!(
                voice,
                "`git rm -r --cached logos/.runtime`, and a line in `.gitignore`",
                "`git rm -r --cached logos/.runtime`，并加入 `.gitignore`"
            ),
            Self::MixedLineEnds { .. } => say!(
                voice,
                "a line `*.md text` in `.gitattributes`, then `git add --renormalize .`",
                "在 `.gitattributes` 中加入 `*.md text`，然后 `git add --renormalize .`"
            ),
            Self::CaseCollision { .. } => say!(voice, "rename one of them", "请重命名其中之一"),
            Self::ConfigUnknown { nearest, key, .. } => match nearest {
                Some(nearest) => say!(voice, "`{nearest}` is meant?", "是否指 `{nearest}`？"),
                None => format!("git config --unset {key}"),
            },
            Self::CacheDamaged { .. } => say!(
                voice,
                "`{} doctor --fix` deletes it; it is made anew",
                "`{} doctor --fix` 会删除它；之后自动重建",
                voice.program
            ),
            Self::TrustUnsafe { .. } => say!(
                voice,
                "`{} doctor --fix` makes it anew, empty; then trust again",
                "`{} doctor --fix` 会重建空记录；之后请重新信任",
                voice.program
            ),
            Self::ConfigBroken { .. } => say!(
                voice,
                "mend `logos/logos.config.json`, or restore it from git",
                "请修复 `logos/logos.config.json`，或从 git 恢复"
            ),
            Self::RegistryDamaged { .. } => say!(
                voice,
                "mend `logos/logos-project.yaml`, or restore it from git",
                "请修复 `logos/logos-project.yaml`，或从 git 恢复"
            ),
            Self::StateMalformed(fault) => fault.hint(voice),
            Self::Loop(illness) => illness.cure(voice),
            Self::Silly(finding) => {
                let [_, cure] = finding.say(voice);
                cure
            }
            Self::Unreadable { .. } => say!(voice, "see who may read it", "请检查其读取权限"),
        }
    }
}
