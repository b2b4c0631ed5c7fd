//! What a driver could try with files and references: each is refused, or told.

use super::{COPY, Loop, STATE};

#[test]
fn an_edited_gate_file_breaks_the_chain() {
    let found = Loop::new("auto");
    let path = found.store().join("gate.json");
    let gate = std::fs::read_to_string(&path).expect("a gate state");
    std::fs::write(&path, gate.replace("\"running\"", "\"complete\"")).expect("written");
    found.is_broken();
}

#[test]
fn an_edited_journal_breaks_the_chain() {
    let found = Loop::new("auto");
    let journal = found
        .journal()
        .replace("\"mode\":\"auto\"", "\"mode\":\"unsafe\"");
    std::fs::write(found.store().join("journal.jsonl"), journal).expect("written");
    found.is_broken();
}

#[test]
fn a_truncated_chain_does_not_reach_its_reference() {
    let found = Loop::new("auto");
    let gate = std::fs::read(found.store().join("gate.json")).expect("a gate state");
    let short = found.journal();
    found.run(&["fail"]).exits(0);
    std::fs::write(found.store().join("journal.jsonl"), short).expect("written");
    std::fs::write(found.store().join("gate.json"), gate).expect("written");
    found.is_broken();
}

#[test]
fn a_deleted_journal_and_a_deleted_reference_are_missed() {
    let found = Loop::new("auto");
    let journal = found.journal();
    std::fs::remove_file(found.store().join("journal.jsonl")).expect("removed");
    found.is_broken();
    std::fs::write(found.store().join("journal.jsonl"), journal).expect("written");
    found.run(&["show"]).exits(0);
    found.repo.git(["update-ref", "-d", &found.reference()]);
    found.is_broken();
}

#[test]
fn a_reference_set_back_is_not_where_the_journal_ends() {
    let found = Loop::new("auto");
    let first = found.repo.git(["rev-parse", &found.reference()]);
    found.run(&["transition", "part_1_1"]).exits(0);
    found.repo.git(["update-ref", &found.reference(), first.trim()]);
    found.is_broken();
}

#[test]
fn one_commit_for_every_entry_each_on_the_one_before() {
    let found = Loop::new("auto");
    found.run(&["transition", "part_1_1"]).exits(0);
    found.run(&["pause"]).exits(0);
    let count = found.repo.git(["rev-list", "--count", &found.reference()]);
    assert_eq!(count.trim(), found.journal().lines().count().to_string());
    let head = found
        .repo
        .git(["cat-file", "blob", &format!("{}:head", found.reference())]);
    assert!(
        found
            .journal()
            .trim_end()
            .ends_with(&format!("\"hash\":\"{}\"}}", head.trim()))
    );
    found.repo.commit("Begin");
    found.repo.fsck();
}

#[test]
fn a_replaced_copy_is_told_and_written_anew() {
    for link in [false, true] {
        let found = Loop::new("auto");
        let before = found.repo.read(COPY);
        std::fs::remove_file(found.repo.path(COPY)).expect("removed");
        let forged = before.replace("\"running\"", "\"complete\"");
        if link {
            found.repo.write("elsewhere.json", &forged);
            std::os::unix::fs::symlink(found.repo.path("elsewhere.json"), found.repo.path(COPY))
                .expect("a link");
        } else {
            found.repo.write(COPY, &forged);
        }
        assert_eq!(
            found.guard("stop", "{}").as_deref(),
            Some("G3_L1"),
            "the store wins"
        );
        let shown = found.run(&["show"]).exits(0).json();
        assert_eq!(shown["gate_copy_tampered"], true);
        assert_eq!(shown["gate"]["termination"]["status"], "running");
        assert_eq!(found.repo.read(COPY), before);
        assert_eq!(found.run(&["show"]).exits(0).json()["gate_copy_tampered"], false);
        if link {
            assert_eq!(
                found.repo.read("elsewhere.json"),
                forged,
                "what a link led to stays"
            );
        }
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &std::fs::symlink_metadata(found.repo.path(COPY))
                .expect("there")
                .permissions(),
        );
        assert_eq!(mode & 0o777, 0o444);
    }
}

#[test]
fn a_mode_written_into_the_state_changes_nothing() {
    let found = Loop::new("auto");
    found.edit(|state| state["config"]["mode"] = "unsafe".into());
    let reset = r#"{"tool_input": {"command": "git reset --hard"}}"#;
    assert_eq!(found.guard("command", reset).as_deref(), Some("G2_L1_SEMI_REV"));
    assert_eq!(found.guard("stop", "{}").as_deref(), Some("G3_L1"));
    assert_eq!(found.error(&["confirm", "mode"]), "confirmation_needs_user");
    assert_eq!(
        found.error(&["init", "--force", "--mode", "unsafe"]),
        "confirmation_needs_user"
    );
    let user = Loop::new("unsafe");
    assert_eq!(user.guard("command", reset), None);
}

#[test]
fn a_token_that_nobody_was_shown_is_refused() {
    let found = Loop::new("auto");
    found
        .run(&["confirm", "--request", "--context", "x", "--option", "yes"])
        .exits(0);
    let token = "0".repeat(64);
    assert_eq!(
        found.error(&["confirm", "--answer", "yes", "--token", &token]),
        "token_refused"
    );
    assert_eq!(found.error(&["approve", "--token", &token]), "token_refused");
    assert_eq!(found.error(&["approve"]), "confirmation_needs_user");
}

#[test]
fn a_token_that_was_shown_counts_once() {
    let found = Loop::new("safe");
    let asking = format!(
        "{} loop confirm --request --context x --option yes",
        env!("CARGO_BIN_EXE_git-spec")
    );
    let mut command = found.repo.command("script");
    let Ok(shown) = command.args(["-qec", &asking, "/dev/null"]).output() else {
        #[expect(clippy::print_stdout, reason = "what was not tested is told")]
        {
            println!("skipped: there is no `script`, so no terminal to show a token at");
        }
        return;
    };
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let token = shown
        .split_whitespace()
        .find(|word| word.len() == 64)
        .unwrap_or_else(|| panic!("no token at the terminal: {shown}"));
    assert!(!found.repo.read(COPY).contains(token), "only its digest is kept");
    let answered = found
        .run(&["confirm", "--answer", "yes", "--token", token])
        .exits(0)
        .json();
    assert_eq!(answered["pending_confirmation"]["status"], "resolved");
    assert_eq!(found.error(&["approve", "--token", token]), "token_refused");
}

#[test]
fn a_clock_set_back_neither_goes_back_nor_stops() {
    let found = Loop::new("auto");
    found
        .run_at("2026-01-02T05:00:00Z", &["transition", "part_1_1"])
        .exits(0);
    found
        .run_at("2020-01-01T00:00:00Z", &["transition", "part_1_2"])
        .exits(0);
    let times: Vec<String> = found
        .journal()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["at"].to_string())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(times[2], "\"2026-01-02T05:00:00.000Z\"");
    found.run(&["show"]).exits(0);
}

#[test]
fn the_lock_of_a_dead_process_is_taken_over_and_that_of_a_living_one_is_not() {
    let found = Loop::new("auto");
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let lock = |pid: u32| {
        let text = format!(
            r#"{{"pid":{pid},"host":"{}","at":"2026-01-02T03:04:00Z"}}"#,
            host.trim()
        );
        found.repo.write(".claude/loop-claudecode/.lock", text);
    };
    lock(4_194_000);
    found.run(&["transition", "part_1_1"]).exits(0);
    assert!(!found.repo.exists(".claude/loop-claudecode/.lock"));
    found.edit(|state| state["housekeeping"]["lock_file"] = "../lock".into());
    assert_eq!(found.error(&["pause"]), "path_escape");
}

#[test]
fn a_run_that_was_killed_at_any_step_is_ended_or_taken_back() {
    let count = {
        let found = Loop::new("auto");
        let mut at = 1;
        loop {
            let mut command = found.repo.program();
            command.env("GIT_SPEC_ABORT_AT", at.to_string());
            let done = command
                .args(["loop", "transition", "part_1_1"])
                .output()
                .expect("it runs");
            if done.status.success() {
                break at;
            }
            // Reading is possible at once, and shows the one or the other.
            let shown = found.run(&["show"]).exits(0).json();
            let phase = shown["state"]["progress"]["phase"]
                .as_str()
                .expect("a phase")
                .to_owned();
            assert!(["init", "part_1_1"].contains(&phase.as_str()), "{at}: {phase}");
            found.run(&["artifact", "verify"]).exits(0);
            found.run(&["pause"]).exits(0);
            found.run(&["validate"]).exits(0);
            let phases = found.state()["progress"]["phase_transitions"].to_string();
            assert!(phases.contains("paused"), "{phases}");
            found.repo.remove(STATE);
            found.run(&["init", "--force"]).exits(0);
            at += 1;
        }
    };
    assert!(count > 8, "{count}");
}
