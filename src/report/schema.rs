//! The JSON Schemas of all JSON output, embedded: one per command, and one that all errors share.

/// Name and text, in byte order of the names. A name is the command's words, joined by `-`, or one of [`DOCUMENTS`].
pub const ALL: [(&str, &str); 126] = [
    ("adopt", include_str!("../../schema/adopt.schema.json")),
    (
        "baseline-seed",
        include_str!("../../schema/baseline-seed.schema.json"),
    ),
    ("blame", include_str!("../../schema/blame.schema.json")),
    ("change", include_str!("../../schema/change.schema.json")),
    (
        "change-lint",
        include_str!("../../schema/change-lint.schema.json"),
    ),
    ("check", include_str!("../../schema/check.schema.json")),
    (
        "check-ui-hash-match",
        include_str!("../../schema/check-ui-hash-match.schema.json"),
    ),
    (
        "check-ui-prototype",
        include_str!("../../schema/check-ui-prototype.schema.json"),
    ),
    (
        "deploy-done",
        include_str!("../../schema/deploy-done.schema.json"),
    ),
    ("detect", include_str!("../../schema/detect.schema.json")),
    ("doctor", include_str!("../../schema/doctor.schema.json")),
    ("error", include_str!("../../schema/error.schema.json")),
    (
        "feature-backfill",
        include_str!("../../schema/feature-backfill.schema.json"),
    ),
    (
        "feature-list",
        include_str!("../../schema/feature-list.schema.json"),
    ),
    ("flow-show", include_str!("../../schema/flow-show.schema.json")),
    ("guard", include_str!("../../schema/guard.schema.json")),
    (
        "hooks-install",
        include_str!("../../schema/hooks-install.schema.json"),
    ),
    (
        "hooks-status",
        include_str!("../../schema/hooks-status.schema.json"),
    ),
    (
        "hooks-uninstall",
        include_str!("../../schema/hooks-uninstall.schema.json"),
    ),
    ("impact", include_str!("../../schema/impact.schema.json")),
    ("import", include_str!("../../schema/import.schema.json")),
    ("index", include_str!("../../schema/index.schema.json")),
    ("init", include_str!("../../schema/init.schema.json")),
    ("launch", include_str!("../../schema/launch.schema.json")),
    ("log", include_str!("../../schema/log.schema.json")),
    (
        "loop-approve",
        include_str!("../../schema/loop-approve.schema.json"),
    ),
    (
        "loop-artifact-record",
        include_str!("../../schema/loop-artifact-record.schema.json"),
    ),
    (
        "loop-artifact-verify",
        include_str!("../../schema/loop-artifact-verify.schema.json"),
    ),
    (
        "loop-complete",
        include_str!("../../schema/loop-complete.schema.json"),
    ),
    (
        "loop-confirm",
        include_str!("../../schema/loop-confirm.schema.json"),
    ),
    ("loop-error", include_str!("../../schema/loop-error.schema.json")),
    ("loop-fail", include_str!("../../schema/loop-fail.schema.json")),
    (
        "loop-guard-command",
        include_str!("../../schema/loop-guard-command.schema.json"),
    ),
    (
        "loop-guard-state",
        include_str!("../../schema/loop-guard-state.schema.json"),
    ),
    (
        "loop-guard-stop",
        include_str!("../../schema/loop-guard-stop.schema.json"),
    ),
    ("loop-init", include_str!("../../schema/loop-init.schema.json")),
    ("loop-pause", include_str!("../../schema/loop-pause.schema.json")),
    ("loop-route", include_str!("../../schema/loop-route.schema.json")),
    ("loop-show", include_str!("../../schema/loop-show.schema.json")),
    ("loop-state", include_str!("../../schema/loop-state.schema.json")),
    (
        "loop-summary",
        include_str!("../../schema/loop-summary.schema.json"),
    ),
    (
        "loop-transition",
        include_str!("../../schema/loop-transition.schema.json"),
    ),
    (
        "loop-validate",
        include_str!("../../schema/loop-validate.schema.json"),
    ),
    ("module-add", include_str!("../../schema/module-add.schema.json")),
    (
        "module-list",
        include_str!("../../schema/module-list.schema.json"),
    ),
    (
        "module-remove",
        include_str!("../../schema/module-remove.schema.json"),
    ),
    (
        "module-rename",
        include_str!("../../schema/module-rename.schema.json"),
    ),
    (
        "module-set-product-type",
        include_str!("../../schema/module-set-product-type.schema.json"),
    ),
    ("next", include_str!("../../schema/next.schema.json")),
    ("radar", include_str!("../../schema/radar.schema.json")),
    ("renumber", include_str!("../../schema/renumber.schema.json")),
    ("show", include_str!("../../schema/show.schema.json")),
    (
        "silly-detect-local",
        include_str!("../../schema/silly-detect-local.schema.json"),
    ),
    (
        "silly-doctor",
        include_str!("../../schema/silly-doctor.schema.json"),
    ),
    ("silly-glob", include_str!("../../schema/silly-glob.schema.json")),
    (
        "silly-guard",
        include_str!("../../schema/silly-guard.schema.json"),
    ),
    (
        "silly-impact",
        include_str!("../../schema/silly-impact.schema.json"),
    ),
    ("silly-init", include_str!("../../schema/silly-init.schema.json")),
    (
        "silly-knowledge",
        include_str!("../../schema/silly-knowledge.schema.json"),
    ),
    ("silly-lint", include_str!("../../schema/silly-lint.schema.json")),
    (
        "silly-modules",
        include_str!("../../schema/silly-modules.schema.json"),
    ),
    (
        "silly-parse-change-list",
        include_str!("../../schema/silly-parse-change-list.schema.json"),
    ),
    (
        "silly-parse-knowledge",
        include_str!("../../schema/silly-parse-knowledge.schema.json"),
    ),
    (
        "silly-parse-module-map",
        include_str!("../../schema/silly-parse-module-map.schema.json"),
    ),
    (
        "silly-parse-plan",
        include_str!("../../schema/silly-parse-plan.schema.json"),
    ),
    (
        "silly-parse-tasks",
        include_str!("../../schema/silly-parse-tasks.schema.json"),
    ),
    (
        "silly-progress-add-step",
        include_str!("../../schema/silly-progress-add-step.schema.json"),
    ),
    (
        "silly-progress-batch",
        include_str!("../../schema/silly-progress-batch.schema.json"),
    ),
    (
        "silly-progress-complete-stage",
        include_str!("../../schema/silly-progress-complete-stage.schema.json"),
    ),
    (
        "silly-progress-init",
        include_str!("../../schema/silly-progress-init.schema.json"),
    ),
    (
        "silly-progress-reset",
        include_str!("../../schema/silly-progress-reset.schema.json"),
    ),
    (
        "silly-progress-set-stage",
        include_str!("../../schema/silly-progress-set-stage.schema.json"),
    ),
    (
        "silly-progress-show",
        include_str!("../../schema/silly-progress-show.schema.json"),
    ),
    (
        "silly-progress-status",
        include_str!("../../schema/silly-progress-status.schema.json"),
    ),
    (
        "silly-progress-update-step",
        include_str!("../../schema/silly-progress-update-step.schema.json"),
    ),
    (
        "silly-progress-validate",
        include_str!("../../schema/silly-progress-validate.schema.json"),
    ),
    (
        "silly-quicklog",
        include_str!("../../schema/silly-quicklog.schema.json"),
    ),
    ("silly-run", include_str!("../../schema/silly-run.schema.json")),
    (
        "silly-split",
        include_str!("../../schema/silly-split.schema.json"),
    ),
    (
        "silly-status",
        include_str!("../../schema/silly-status.schema.json"),
    ),
    (
        "silly-sync-docs",
        include_str!("../../schema/silly-sync-docs.schema.json"),
    ),
    (
        "silly-worktree-apply",
        include_str!("../../schema/silly-worktree-apply.schema.json"),
    ),
    (
        "silly-worktree-cleanup",
        include_str!("../../schema/silly-worktree-cleanup.schema.json"),
    ),
    (
        "silly-worktree-create",
        include_str!("../../schema/silly-worktree-create.schema.json"),
    ),
    (
        "silly-worktree-list",
        include_str!("../../schema/silly-worktree-list.schema.json"),
    ),
    ("smoke", include_str!("../../schema/smoke.schema.json")),
    (
        "state-add-blocker",
        include_str!("../../schema/state-add-blocker.schema.json"),
    ),
    (
        "state-add-decision",
        include_str!("../../schema/state-add-decision.schema.json"),
    ),
    (
        "state-add-roadmap-evolution",
        include_str!("../../schema/state-add-roadmap-evolution.schema.json"),
    ),
    (
        "state-advance-plan",
        include_str!("../../schema/state-advance-plan.schema.json"),
    ),
    (
        "state-begin-phase",
        include_str!("../../schema/state-begin-phase.schema.json"),
    ),
    (
        "state-complete-phase",
        include_str!("../../schema/state-complete-phase.schema.json"),
    ),
    ("state-get", include_str!("../../schema/state-get.schema.json")),
    ("state-json", include_str!("../../schema/state-json.schema.json")),
    ("state-load", include_str!("../../schema/state-load.schema.json")),
    (
        "state-milestone-complete",
        include_str!("../../schema/state-milestone-complete.schema.json"),
    ),
    (
        "state-milestone-switch",
        include_str!("../../schema/state-milestone-switch.schema.json"),
    ),
    (
        "state-patch",
        include_str!("../../schema/state-patch.schema.json"),
    ),
    (
        "state-planned-phase",
        include_str!("../../schema/state-planned-phase.schema.json"),
    ),
    (
        "state-prune",
        include_str!("../../schema/state-prune.schema.json"),
    ),
    (
        "state-record-metric",
        include_str!("../../schema/state-record-metric.schema.json"),
    ),
    (
        "state-record-session",
        include_str!("../../schema/state-record-session.schema.json"),
    ),
    (
        "state-regenerate",
        include_str!("../../schema/state-regenerate.schema.json"),
    ),
    (
        "state-resolve-blocker",
        include_str!("../../schema/state-resolve-blocker.schema.json"),
    ),
    (
        "state-signal-resume",
        include_str!("../../schema/state-signal-resume.schema.json"),
    ),
    (
        "state-signal-waiting",
        include_str!("../../schema/state-signal-waiting.schema.json"),
    ),
    (
        "state-snapshot",
        include_str!("../../schema/state-snapshot.schema.json"),
    ),
    ("state-sync", include_str!("../../schema/state-sync.schema.json")),
    (
        "state-update",
        include_str!("../../schema/state-update.schema.json"),
    ),
    (
        "state-update-progress",
        include_str!("../../schema/state-update-progress.schema.json"),
    ),
    (
        "state-validate",
        include_str!("../../schema/state-validate.schema.json"),
    ),
    ("status", include_str!("../../schema/status.schema.json")),
    ("statusline", include_str!("../../schema/statusline.schema.json")),
    ("sync", include_str!("../../schema/sync.schema.json")),
    ("trust", include_str!("../../schema/trust.schema.json")),
    ("verify", include_str!("../../schema/verify.schema.json")),
    ("watch", include_str!("../../schema/watch.schema.json")),
    (
        "worktree-add",
        include_str!("../../schema/worktree-add.schema.json"),
    ),
    (
        "worktree-apply",
        include_str!("../../schema/worktree-apply.schema.json"),
    ),
    (
        "worktree-list",
        include_str!("../../schema/worktree-list.schema.json"),
    ),
    (
        "worktree-prune",
        include_str!("../../schema/worktree-prune.schema.json"),
    ),
    (
        "worktree-remove",
        include_str!("../../schema/worktree-remove.schema.json"),
    ),
    (
        "worktree-rescue",
        include_str!("../../schema/worktree-rescue.schema.json"),
    ),
    (
        "worktree-rescue-drop",
        include_str!("../../schema/worktree-rescue-drop.schema.json"),
    ),
    (
        "worktree-rescue-restore",
        include_str!("../../schema/worktree-rescue-restore.schema.json"),
    ),
    (
        "worktree-status",
        include_str!("../../schema/worktree-status.schema.json"),
    ),
];

/// Commands whose members share an envelope.
pub const FAMILIES: [&str; 1] = ["baseline-seed"];

/// Groups whose answers are documents of their own, without envelope; they take `--json`.
pub const BARE: [&str; 2] = ["loop", "silly"];

/// What is no command's answer: the errors, and a file.
pub const DOCUMENTS: [&str; 3] = ["error", "loop-error", "loop-state"];

/// Whether a schema is one of a group without envelope.
pub fn is_bare(name: &str) -> bool {
    BARE.iter()
        .any(|group| name.strip_prefix(group).is_some_and(|rest| rest.starts_with('-')))
}

/// The schema of a command, whose words may be joined by blanks or by `-`.
pub fn find(command: &str) -> Option<&'static str> {
    let name = command.replace(' ', "-");
    let family = FAMILIES
        .into_iter()
        .find(|family| name.starts_with(&format!("{family}-")));
    let found = ALL.iter().find(|(known, _)| *known == family.unwrap_or(&name));
    found.map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::change::ui::UiFinding;
    use crate::lint::Code;

    #[test]
    fn names_are_ordered_and_every_one_is_found() {
        assert!(ALL.is_sorted_by(|(a, _), (b, _)| a < b));
        for (name, text) in ALL {
            assert_eq!(find(name), Some(text));
            assert_eq!(find(&name.replace('-', " ")), Some(text));
        }
        assert_eq!(find("baseline-seed begin"), find("baseline-seed"));
        assert_eq!(find("chang"), None);
    }

    #[test]
    fn the_codes_of_violations_are_the_closed_list_of_the_schema() {
        let text = find("change-lint").expect("it is embedded");
        let schema: Value = serde_json::from_str(text).expect("it is JSON");
        let violation = &schema["$defs"]["violation"];
        let listed = violation["properties"]["code"]["enum"]
            .as_array()
            .expect("closed");
        let mut listed: Vec<&str> = listed.iter().filter_map(Value::as_str).collect();
        let ui = UiFinding::ALL.map(Code::Ui);
        let mut codes: Vec<&str> = Code::ALL.iter().chain(&ui).map(|code| code.as_str()).collect();
        listed.sort_unstable();
        codes.sort_unstable();
        assert_eq!(codes.len(), 26);
        assert_eq!(listed, codes);
    }
}
