//! What people read, in both languages.

use super::common::{Repo, out};
use super::{BODY, project};

/// What one command prints to stdout.
fn printed(repo: &Repo, language: &str, args: &[&str]) -> String {
    let mut command = repo.program();
    command.arg("state").args(args).env("GIT_SPEC_LANG", language);
    out(&mut command, b"").exits(0).stdout
}

/// A command, what it says in English, and in Chinese.
/// A command, what it says in English, and in Chinese.
const PRINTED: &[(&[&str], &str, &str)] = &[
    (
        &["json"],
        "msd_state_version: 1.0\nmilestone: v1.2\nmilestone_name: Night Berths\ncurrent_phase: 2\ncurrent_phase_name: Mast\nstatus: executing\nstopped_at: Planked the hull\nlast_updated: 2026-01-02T03:04:05.000Z\nlast_activity: 2025-12-20\nprogress: total_phases 3, completed_phases 1, total_plans 3, completed_plans 2\n",
        "msd_state_version: 1.0\nmilestone: v1.2\nmilestone_name: Night Berths\ncurrent_phase: 2\ncurrent_phase_name: Mast\nstatus: executing\nstopped_at: Planked the hull\nlast_updated: 2026-01-02T03:04:05.000Z\nlast_activity: 2025-12-20\nprogress: total_phases 3, completed_phases 1, total_plans 3, completed_plans 2\n",
    ),
    (
        &["snapshot"],
        "Phase: 2\nPhase name: Mast\nStatus: Executing Phase 2\nLast activity: 2025-12-20\nLast session: 2025-12-20T10:00:00.000Z\nStopped at: Planked the hull\nResume file: None\n",
        "Phase: 2\nPhase name: Mast\nStatus: Executing Phase 2\nLast activity: 2025-12-20\nLast session: 2025-12-20T10:00:00.000Z\nStopped at: Planked the hull\nResume file: None\n",
    ),
    (
        &["get", "Plan"],
        "1 of 2 in current phase\n",
        "1 of 2 in current phase\n",
    ),
    (
        &["get", "decisions"],
        "- [Phase 1]: Oak keel\n",
        "- [Phase 1]: Oak keel\n",
    ),
    (
        &["load"],
        "STATE.md: there\nROADMAP.md: there\nconfig.json: missing\n",
        "STATE.md: 存在\nROADMAP.md: 存在\nconfig.json: 缺失\n",
    ),
    (&["validate"], "STATE.md is consistent.\n", "STATE.md 一致。\n"),
    (
        &["begin-phase", "--phase", "3"],
        "Updated: Phase, Plan, Status, Last activity, Current focus\n",
        "已更新：Phase, Plan, Status, Last activity, Current focus\n",
    ),
    (&["advance-plan"], "Plan 2 of 2.\n", "计划 2/2。\n"),
    (
        &["planned-phase", "--phase", "3"],
        "Updated: Phase, Status, Last activity\n",
        "已更新：Phase, Status, Last activity\n",
    ),
    (
        &["complete-phase", "--phase", "2", "--next", "3"],
        "Updated: Phase, Plan, Status, Last activity, Stopped at\n",
        "已更新：Phase, Plan, Status, Last activity, Stopped at\n",
    ),
    (
        &["complete-phase", "--phase", "7"],
        "Updated: Phase, Status, Last activity\n",
        "已更新：Phase, Status, Last activity\n",
    ),
    (
        &["milestone-switch", "--milestone", "v2.0"],
        "Milestone v2.0 started.\n",
        "里程碑 v2.0 已开始。\n",
    ),
    (
        &["milestone-complete", "--milestone", "v1.2"],
        "Updated: Phase, Plan, Status, Last activity, Progress\n",
        "已更新：Phase, Plan, Status, Last activity, Progress\n",
    ),
    (
        &["patch", "--Plan", "x", "--Nothing", "y"],
        "Updated: Plan\n",
        "已更新：Plan\n",
    ),
    (&["update", "Plan", "x"], "Updated.\n", "已更新。\n"),
    (
        &["update", "Nothing", "x"],
        "There is no such field; nothing was written.\n",
        "没有此字段；未写入任何内容。\n",
    ),
    (
        &["sync"],
        "Last Activity: 2025-12-20 → 2026-01-02\nProgress was left alone: scope_not_complete\n",
        "Last Activity: 2025-12-20 → 2026-01-02\nProgress 未改动：scope_not_complete\n",
    ),
    (
        &["sync", "--verify"],
        "Last Activity: 2025-12-20 → 2026-01-02\nProgress was left alone: scope_not_complete\n",
        "Last Activity: 2025-12-20 → 2026-01-02\nProgress 未改动：scope_not_complete\n",
    ),
    (&["prune"], "There is nothing to prune.\n", "没有可归档的内容。\n"),
    (
        &["prune", "--keep-recent", "1"],
        "Phases 1 to 1:\n  Decisions: 1 archived\n",
        "阶段 1 至 1：\n  Decisions：已归档 1 条\n",
    ),
    (
        &["prune", "--keep-recent", "1", "--dry-run"],
        "Phases 1 to 1:\n  Decisions: 1 would be archived\n",
        "阶段 1 至 1：\n  Decisions：将归档 1 条\n",
    ),
    (
        &["update-progress"],
        "Nothing was written: scope_not_complete\n",
        "未写入任何内容：scope_not_complete\n",
    ),
    (
        &["add-decision", "--summary", "Hemp"],
        "Added: - [Phase 2]: Hemp\n",
        "已添加：- [Phase 2]: Hemp\n",
    ),
    (
        &["add-blocker", "--text", "Wind"],
        "Added: Wind\n",
        "已添加：Wind\n",
    ),
    (
        &["resolve-blocker", "--text", "paint"],
        "Resolved.\n",
        "已解决。\n",
    ),
    (
        &["record-metric", "--phase", "2", "--plan", "1", "--duration", "1h"],
        "Recorded.\n",
        "已记录。\n",
    ),
    (
        &["record-session"],
        "Updated: Last session\n",
        "已更新：Last session\n",
    ),
    (
        &["add-roadmap-evolution", "--note", "Split"],
        "Added: - Phase 2 changed: Split\n",
        "已添加：- Phase 2 changed: Split\n",
    ),
    (
        &["signal-waiting"],
        "Waiting: .planning/WAITING.json\n",
        "等待中：.planning/WAITING.json\n",
    ),
    (&["signal-resume"], "Nothing was waiting.\n", "没有等待的事项。\n"),
    (
        &["regenerate", "--force"],
        "STATE.md was made anew; the old one is .planning/STATE.md.bak-2026-01-02T03-04-05\n",
        "已重新生成 STATE.md；旧文件为 .planning/STATE.md.bak-2026-01-02T03-04-05\n",
    ),
];

#[test]
fn every_command_speaks_both_languages() {
    let mut wrong = String::new();
    for (args, english, chinese) in PRINTED {
        for (language, expected) in [("en", english), ("zh", chinese)] {
            let got = printed(&project(BODY), language, args);
            if got != *expected {
                wrong.push_str(&format!("{args:?} {language}:\n{got}\n"));
            }
        }
    }
    assert_eq!(wrong, "");
}
