//! The baseline of adopted code as people and other programs meet it: runs, locks, work instructions, sync.

mod common;
#[path = "common/schemas.rs"]
mod schemas;
#[path = "common/seed.rs"]
mod seed;

use std::process::{Child, Command, Stdio};

use common::{Out, Repo};
use seed::{
    BEGIN, COMMIT, EVENTS, LOCK, MAP, REGISTRY, RUN, RUNS, SCENARIOS, STATUS, adopted, document, stage,
};
use serde_json::{Value, json};

fn project() -> Repo {
    adopted(Repo::without_git())
}

fn staged() -> Repo {
    let repo = project();
    repo.spec(BEGIN).exits(0);
    stage(&repo);
    repo
}

/// The data of a run in JSON, which its schema accepts.
#[track_caller]
fn data(repo: &Repo, args: &[&str]) -> Value {
    let out = repo.spec(args.iter().chain(&["--format", "json"])).exits(0);
    assert_eq!(
        schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
        [""; 0]
    );
    out.json()["data"].clone()
}

/// The error of a run in JSON, which the schema of errors accepts.
#[track_caller]
fn error(repo: &Repo, args: &[&str]) -> Value {
    let out = repo.spec(args.iter().chain(&["--format", "json"])).exits(1);
    assert_eq!(out.stdout, "");
    assert_eq!(schemas::faults(b"", out.stderr.as_bytes()), [""; 0]);
    let line: Value = serde_json::from_str(out.stderr.trim_end()).expect("one line of JSON");
    line["error"].clone()
}

#[track_caller]
fn code(repo: &Repo, args: &[&str]) -> String {
    error(repo, args)["code"].as_str().expect("a code").to_owned()
}

/// A process that lives until it is dropped.
struct Sleeper(Child);

impl Sleeper {
    fn start() -> Self {
        let child = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn();
        Self(child.expect("sleep can be started"))
    }

    fn lock(&self) -> String {
        format!("{{\"pid\":{},\"at\":1,\"token\":\"t\"}}", self.0.id())
    }

    fn end(&mut self) {
        self.0.kill().expect("it lives");
        self.0.wait().expect("it ends");
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        // Ended already by some tests.
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}

#[test]
fn a_run_goes_from_begin_to_seeded() {
    let repo = project();
    let begun = data(&repo, &BEGIN);
    assert_eq!(
        begun,
        json!({"ok": true, "run_id": RUN, "module": "core", "baseline_seed_state": "required", "expected": 2,
            "staging": format!("{RUNS}/{RUN}/staging/")})
    );
    stage(&repo);
    assert_eq!(data(&repo, &STATUS)["staged"], 2);
    let done = data(&repo, &COMMIT);
    assert_eq!(done["baseline_seed_state"], "seeded");
    assert_eq!(done["committed"], json!([MAP, SCENARIOS]));
    assert_eq!(data(&repo, &STATUS)["run_id"], Value::Null);
    assert!(
        repo.read(MAP)
            .contains("anchor: \"cli: gone\"\n    state: tombstone\n")
    );
    assert!(repo.read(MAP).ends_with("```\n\n## After\nkept\n"));
}

#[test]
fn a_commit_changes_two_places_of_the_registry_and_nothing_else() {
    let repo = staged();
    let before = repo.read(REGISTRY);
    repo.spec(COMMIT).exits(0);
    let after = repo.read(REGISTRY);
    let (head, index) = after.split_once("baseline_index:\n").expect("it is indexed");
    assert_eq!(
        head,
        before.replace("baseline_seed_state: required", "baseline_seed_state: seeded")
    );
    let lines: Vec<&str> = index.lines().map(str::trim).collect();
    assert_eq!((lines[0], lines[2]), ("core:", "denominator: 3"));
    assert!(lines[1].starts_with("source_hash: "), "{index}");
    assert_eq!(lines[3], "generated_at: \"2026-01-02T03:04:05.000Z\"");
}

#[test]
fn two_commits_at_once_leave_one_event_and_a_whole_baseline() {
    let repo = staged();
    let start = || {
        let mut command = repo.program();
        command.args(COMMIT).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    };
    let children: Vec<Child> = (0..4).map(|_| start()).collect();
    for child in children {
        let out = child.wait_with_output().expect("it ends");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
    assert_eq!(repo.read(EVENTS).lines().count(), 1);
    assert!(!repo.exists(LOCK));
    assert_eq!(data(&repo, &STATUS)["baseline_seed_state"], "seeded");
    let alone = staged();
    alone.spec(COMMIT).exits(0);
    for path in [MAP, SCENARIOS, REGISTRY, EVENTS] {
        assert_eq!(repo.read(path), alone.read(path), "{path}");
    }
}

#[test]
fn both_ids_have_to_be_there_before_either_is_judged() {
    let repo = project();
    for (args, expected) in [
        (&["--module", "../x"][..], "invalid_manifest"),
        (&["--run-id", "../x"], "invalid_manifest"),
        (&["--module", "--run-id", RUN], "invalid_manifest"),
        (&["--module", "../x", "--run-id", RUN], "path_escape"),
        (&["--module", "core", "--run-id", "a..b"], "path_escape"),
        (&["--module", "core", "--run-id", "seed-core-001"], "unknown_run"),
        (&["--module", "core", "--run-id", "seed-tide-0001"], "unknown_run"),
    ] {
        assert_eq!(
            code(&repo, &[&["baseline-seed", "commit"], args].concat()),
            expected,
            "{args:?}"
        );
    }
}

#[test]
fn the_lock_of_a_living_process_stops_everybody_and_stays() {
    let repo = staged();
    let sleeper = Sleeper::start();
    repo.write(LOCK, sleeper.lock());
    let before = repo.snapshot();
    assert_eq!(code(&repo, &BEGIN), "run_locked");
    assert_eq!(code(&repo, &COMMIT), "run_locked");
    for command in ["feature-backfill", "index", "sync"] {
        assert_eq!(
            code(&repo, &[command]),
            "BASELINE_COMMIT_IN_PROGRESS",
            "{command}"
        );
    }
    // Nothing is unfinished, so there is nothing to wait for.
    assert_eq!(data(&repo, &STATUS)["staged"], 2);
    assert_eq!(repo.snapshot(), before);
    repo.write(&format!("{RUNS}/{RUN}/commit-journal.json"), "{");
    assert_eq!(code(&repo, &STATUS), "baseline_commit_in_progress");
}

#[test]
fn the_lock_of_a_process_that_has_ended_is_taken_over() {
    let repo = staged();
    let mut sleeper = Sleeper::start();
    repo.write(LOCK, sleeper.lock());
    sleeper.end();
    repo.spec(COMMIT).exits(0);
    assert!(!repo.exists(LOCK));
    repo.write(LOCK, "");
    assert_eq!(code(&repo, &COMMIT), "run_locked");
}

#[test]
fn a_journal_that_cannot_be_understood_stops_who_writes() {
    let repo = staged();
    repo.write(&format!("{RUNS}/{RUN}/commit-journal.json"), "{");
    let before = repo.snapshot();
    for args in [&BEGIN[..], &COMMIT, &STATUS] {
        assert_eq!(code(&repo, args), "baseline_commit_in_progress");
    }
    for command in ["feature-backfill", "index", "sync"] {
        assert_eq!(
            code(&repo, &[command]),
            "BASELINE_COMMIT_IN_PROGRESS",
            "{command}"
        );
    }
    assert_eq!(repo.snapshot(), before);
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere() {
    let repo = project();
    let outside = document("Outside", &[("core::df2b13627dee", "cli: login")]);
    repo.write("outside/keep.md", &outside);
    let link = |to: &str, at: &str| {
        std::fs::create_dir_all(repo.path(at).parent().expect("below the root")).expect("made");
        std::os::unix::fs::symlink(to, repo.path(at)).expect("linked");
    };
    link("../../outside", "logos/resources/link");
    link("../../outside/keep.md", "logos/resources/file.md");
    let manifest = repo.read("manifest.json");
    for path in ["logos/resources/link/keep.md", "logos/resources/file.md"] {
        repo.write("manifest.json", manifest.replace(MAP, path));
        assert_eq!(code(&repo, &BEGIN), "path_escape", "{path}");
    }
    repo.write("manifest.json", manifest);
    repo.spec(BEGIN).exits(0);
    stage(&repo);
    let source = format!("{RUNS}/{RUN}/staging/{MAP}");
    repo.remove(&source);
    link("../../../../../../../../../outside/keep.md", &source);
    assert_eq!(data(&repo, &COMMIT)["missing"], json!([MAP]));
    assert_eq!(repo.read("outside/keep.md"), outside);
}

#[test]
fn candidates_of_a_module_that_shares_a_document_stay() {
    let repo = project();
    let shared = document(
        "Old",
        &[("core::df2b13627dee", "cli: login"), ("tide::2d711642b726", "x")],
    );
    repo.write(MAP, shared);
    repo.spec(BEGIN).exits(0);
    stage(&repo);
    repo.spec(COMMIT).exits(0);
    assert!(
        repo.read(MAP)
            .contains("  - key: tide::2d711642b726\n    anchor: x\n    state: active\n")
    );
}

#[test]
fn people_are_told_the_state_and_what_comes_next() {
    let repo = project();
    repo.write(
        REGISTRY,
        repo.read(REGISTRY)
            .replace("    baseline_seed_state: required\n", ""),
    );
    let out = repo.spec(STATUS).exits(0);
    assert_eq!(
        out.stdout,
        "module `core`: the baseline is seeded\nthe registry does not say so yet; `git spec sync` writes it there\nno run is open\n"
    );
    repo.spec(["sync"]).exits(0);
    let out = repo.spec(BEGIN).exits(0);
    assert!(
        out.stdout
            .contains("then `git spec baseline-seed commit --module core --run-id seed-core-0001`")
    );
    repo.write(
        "logos/logos.config.json",
        "{\"name\":\"harbor\",\"locale\":\"zh\"}\n",
    );
    let out = repo.spec(COMMIT).exits(0);
    assert!(
        out.stdout.contains("尚不完整") && out.stdout.contains("下一步"),
        "{}",
        out.stdout
    );
    let out = repo
        .spec(["baseline-seed", "commit", "--module", "core"])
        .exits(1);
    assert_eq!(out.stderr.lines().count(), 1);
    assert!(
        out.stderr.starts_with("Error [invalid_manifest]"),
        "{}",
        out.stderr
    );
}

#[test]
fn the_prompt_of_a_backfill_tells_what_is_open_and_how_numbers_are_given() {
    let repo = staged();
    repo.write(
        REGISTRY,
        format!(
            "{}features:\n  - {{id: F02, name: Booking, module: core}}\nscenarios:\n  - {{id: S01, name: Reserve, feature: F02}}\n  - {{id: S07, name: Cancel}}\n",
            repo.read(REGISTRY)
        ),
    );
    repo.write(
        "logos/resources/prd/2-product-design/1-feature-specs/core-01.md",
        format!("{}last\n", "line\n".repeat(80)),
    );
    repo.spec(COMMIT).exits(0);
    let told = data(&repo, &["feature-backfill"]);
    assert_eq!(
        told,
        json!({"prompt_path": "logos/feature-backfill-prompt.md", "scenarios_total": 2, "ungrouped_total": 1,
            "features_existing": 1, "baseline_candidates_total": 1})
    );
    let prompt = repo.read("logos/feature-backfill-prompt.md");
    for part in [
        "the next feature is `F03` and the next scenario `S08`",
        "never renumber",
        "Change neither `verified`",
        "- `S07` Cancel (module `core`, no feature)\n",
        "- POST /berths (module `core`, `verified: false`, found at `POST /berths`, key `core::9191ae63427e`)\n",
        "(the first 80 of 81 lines)",
        "  - {id: S01, name: Reserve, feature: F02}\n",
    ] {
        assert!(prompt.contains(part), "{part}\n{prompt}");
    }
    assert!(!prompt.contains("last\n"));
}

#[test]
fn an_unreadable_document_leaves_the_prompt_as_it_was() {
    let repo = project();
    repo.spec(["feature-backfill"]).exits(1);
    repo.write(SCENARIOS, "# none\n")
        .write("logos/feature-backfill-prompt.md", "old\n");
    let told = error(&repo, &["feature-backfill"]);
    assert_eq!(
        (&told["code"], &told["reason"], &told["paths"]),
        (
            &json!("BASELINE_PROVENANCE_INVALID"),
            &json!("unparseable"),
            &json!([SCENARIOS])
        )
    );
    assert_eq!(repo.read("logos/feature-backfill-prompt.md"), "old\n");
    repo.write(REGISTRY, "x: [\n");
    assert_eq!(code(&repo, &["feature-backfill"]), "PROJECT_YAML_UNPARSABLE");
}

fn out_of_date() -> Repo {
    let repo = Repo::new();
    repo.write("logos/logos.config.json", "{\"name\":\"harbor\"}\n")
        .write(
            REGISTRY,
            "project:\n  name: \"old\" # mine\nmodules:\n  - {id: core, name: Core, lifecycle: launched, product_type: web}\n  - {id: tide, name: Tide, lifecycle: launched}\n\
             scenarios:\n  - id: S01 # one\n",
        )
        .write(
            "logos/resources/prd/3-technical-plan/2-scenario-implementation/tide-S01-level.md",
            "# Level\n",
        );
    repo.commit("Begin");
    repo
}

#[test]
fn sync_says_what_it_changed_and_then_has_nothing_to_do() {
    let repo = out_of_date();
    let first = data(&repo, &["sync"]);
    let kinds: Vec<&str> = first["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|c| c["kind"].as_str())
        .collect();
    for kind in [
        "project_name",
        "scenario_module",
        "resource_index",
        "config_key_added",
        "flow_node_added",
    ] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    assert_eq!(first["missing_product_type"], json!(["tide"]));
    let second = data(&repo, &["sync"]);
    assert_eq!(second["changes"], json!([]));
    assert_eq!(second["written"], json!(["logos/.openlogos-sync.json"]));
    assert!(repo.read(REGISTRY).contains("  name: \"harbor\" # mine\n"));
    assert!(
        repo.read(REGISTRY)
            .contains("  - id: S01 # one\n    module: tide\n")
    );
}

#[test]
fn sync_in_text_has_a_line_for_each_change_and_its_warning_on_stderr() {
    let out = out_of_date().spec(["sync"]).exits(0);
    assert!(out.stdout.lines().count() > 10, "{}", out.stdout);
    assert_eq!(
        out.stderr,
        "launched without a product type: `tide`; say it with `git spec module set-product-type <id> <web|desktop|mobile|cli|api|library|skills|service>`\n"
    );
}

#[test]
fn two_syncs_at_once_do_what_one_does() {
    let (repo, alone) = (out_of_date(), out_of_date());
    alone.spec(["sync"]).exits(0);
    let start = || {
        repo.program()
            .arg("sync")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts")
    };
    let children: Vec<Child> = (0..3).map(|_| start()).collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    assert_eq!(repo.snapshot(), alone.snapshot());
}

#[test]
fn sync_writes_nothing_at_all_where_it_cannot_write_everything() {
    for (path, content) in [
        (REGISTRY, "modules: [{id: core, name: C}]\nx: [\n"),
        ("logos/logos.config.json", "{"),
        ("logos/flow/launched.yaml", "overlay: {}\n"),
    ] {
        let repo = out_of_date();
        repo.write(path, content);
        let before = repo.snapshot();
        let Out { stdout, .. } = repo.spec(["sync"]).exits(1);
        assert_eq!(stdout, "", "{path}");
        assert_eq!(repo.snapshot(), before, "{path}");
    }
}

#[test]
fn under_the_other_name_the_flow_gets_commands_of_that_name() {
    let repo = out_of_date();
    let link = repo.home().join("openlogos");
    #[cfg(unix)]
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_git-spec"), &link).expect("linked");
    let done = repo
        .command(&link.to_string_lossy())
        .arg("sync")
        .output()
        .expect("it starts");
    assert!(done.status.success());
    assert!(
        repo.read("logos/flow/launched.yaml")
            .contains("done_when: \"cmd:openlogos check-ui-prototype\"\n")
    );
    repo.spec(["sync"]).exits(0);
    assert!(!repo.read("logos/flow/launched.yaml").contains("git spec"));
}
